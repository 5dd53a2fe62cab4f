"""The pegs under the pointer: contact that bounces, and pegs that must come where they belong. Pure.

A contact bounces for as long as 75 ms, in which a fast wheel has passed several pegs. So a level is
believed after it has held for longer, and a peg's place is taken only while the wheel is slow enough for the
first edge of a contact to be told from the bounce of the one before.
"""

import msgspec

BOUNCE = 75_000
"""µs for which a contact may bounce."""


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
    astray: int = 0
    """Pegs that lifted the pointer where they should not, since `begin`."""

    def begin(self) -> None:
        """A spin begins: counts start anew."""
        self.rises = self.astray = 0
        self.peg = None

    def edge(self, time: int, high: bool) -> None:
        """The pointer's level after an edge."""
        if high and self.lifted is not True:
            self.rises += 1
        self.lifted, self.edged = high, time

    def place(self, pegs: float, half: float | None, slack: float) -> None:
        """A rise: the wheel's turns times pegs, 0 where a peg's middle is at the pointer.

        `half` a peg's width and `slack` in pitches; `half` None while the wheel was too fast. Only the first
        rise of a peg is where its edge is; a later one can be a bounce, where the wheel got to in that time.
        """
        peg = round(pegs)
        if peg == self.peg:
            return
        self.peg = peg
        if half is not None and abs(abs(pegs - peg) - half) > slack:
            self.astray += 1

    def settled(self, time: int) -> bool | None:
        """Whether the pointer is lifted, once the level has held for longer than a bounce; None before."""
        return self.lifted if time - self.edged > BOUNCE else None
