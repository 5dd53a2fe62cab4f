"""The pegs under the pointer: contact that bounces, and pegs that must come where they belong. Pure.

A contact bounces for as long as 75 ms, in which a fast wheel has passed several pegs. So a level is
believed after it has held for longer, and a peg's place is taken only while the wheel is slow enough for the
first edge of a contact to be told from the bounce of the one before. Slow, every contact is judged: an
encoder that slips by just a pitch has its pegs where they belong again, but one contact too many.
"""

import msgspec

BOUNCE = 75_000
"""µs for which a contact bounces at most (`docs/sensor-protocol.md`)."""


class Rise(msgspec.Struct):
    """The pointer was lifted."""

    time: int
    """In µs."""
    contact: bool
    """Whether it had been down for longer than a bounce."""
    low: float | None
    high: float | None
    """Between which places, in pitches, the wheel had been meanwhile; None where that was not seen."""


class Pegs(msgspec.Struct):
    """The pointer's edges, each with where the wheel stood."""

    lifted: bool | None = None
    """After the last edge; None before the first."""
    edged: int = 0
    """Time of the last edge."""
    rises: int = 0
    """Rises since `begin`."""
    peg: int | None = None
    """The peg that lifted the pointer last, while slow."""
    low: float | None = None
    high: float | None = None
    """Between which places the wheel has been since the pointer fell."""
    astray: int = 0
    """Contacts that were not where a peg is, since `begin`."""

    def begin(self) -> None:
        """A spin begins: counts start anew."""
        self.rises = self.astray = 0
        self.peg = None

    def edge(self, time: int, high: bool) -> Rise | None:
        """The pointer's level after an edge; the rise that it is."""
        rise = None
        if high and self.lifted is not True:
            contact = self.lifted is False and time - self.edged > BOUNCE
            rise = Rise(time, contact, self.low, self.high)
            self.rises += 1
        self.lifted, self.edged = high, time
        self.low = self.high = None
        return rise

    def stand(self, time: int, pegs: float) -> None:
        """Where the wheel stands: turns times pegs."""
        if self.lifted is False and time > self.edged:
            self.low = pegs if self.low is None else min(self.low, pegs)
            self.high = pegs if self.high is None else max(self.high, pegs)

    def place(self, pegs: float, rise: Rise, half: float | None, slack: float) -> None:
        """Where a rise was: the wheel's turns times pegs, 0 where a peg's middle is at the pointer.

        `half` a peg's width and `slack` in pitches; `half` None while the wheel was too fast. Only the first
        rise of a peg is where its edge is: a later one can be a bounce, where the wheel got to in that time.
        If it is no bounce, the wheel has left the peg and come back to it.
        """
        peg, before = round(pegs), self.peg
        self.peg = peg
        if half is None or (peg == before and not rise.contact):
            return
        off_edge = abs(abs(pegs - peg) - half) > slack
        if off_edge or (peg == before and not _came_back(pegs, peg, rise, slack)):
            self.astray += 1

    def settled(self, time: int) -> bool | None:
        """Whether the pointer is lifted, once the level has held for longer than a bounce; None before."""
        return self.lifted if time - self.edged > BOUNCE else None


def _came_back(pegs: float, peg: int, rise: Rise, slack: float) -> bool:
    """Whether the wheel had been off the peg, on the side on which it then touched it."""
    if rise.low is None or rise.high is None:
        return False
    return rise.low < pegs - slack if pegs < peg else rise.high > pegs + slack
