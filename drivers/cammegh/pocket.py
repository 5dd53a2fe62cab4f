"""The pocket of a Cammegh wheel: no number without two witnesses, none that its witnesses contradict.

Witnesses are the bare number's line, each line of state 5, and the line that leaves state 5, which still
carries the number. Two that agree are enough: the bare number and the first line of state 5, or two status
lines running of which the first is in state 5. A bare number that contradicts them makes the pocket unread,
cut short or not; the makers' own displays publish neither. Time alone never makes a result.
"""

from typing import NamedTuple

import msgspec

from drivers.readings import SECOND, Instant
from protocols.cammegh import ExtendedLine, StatusLine

BARE_COUNTS = 2 * SECOND
"""How old a bare number may be when state 5, or 7 before it, begins; an older one is another game's."""


class Outcome(NamedTuple):
    """The pocket's label; or None, with what was claimed and why it is not believed."""

    label: str | None
    claims: tuple[str, ...] = ()
    reason: str = ""


class Pocket(msgspec.Struct):
    """What was claimed of the game in hand."""

    bare: str | None = None
    bare_at: int = 0
    bare_locked: bool = False
    """It was fresh when the dealer's lock began, which may last."""
    shown: str | None = None
    """The number that the wheel showed before state 5: the game before's."""
    claims: tuple[str, ...] = ()
    """Different labels in state 5, in order; at most as many as there are pockets."""
    last: str | None = None
    """The last line's claim: a label, or two with a slash where the line contradicts itself."""

    def hear_bare(self, number: str, at: Instant, locked: bool) -> None:
        """A line with the number alone; `locked` in state 7."""
        self.bare, self.bare_at, self.bare_locked = number, at.mono, locked

    def begin_lock(self, at: Instant) -> None:
        """State 7 begins."""
        self.bare_locked = self._fresh(at)

    def begin(self, shown: str | None, at: Instant) -> None:
        """State 5 begins; until now the wheel showed `shown`."""
        if not (self.bare_locked or self._fresh(at)):
            self.bare = None
        self.shown, self.claims, self.last = shown, (), None

    def forget_bare(self) -> None:
        """What comes next is another game's."""
        self.bare, self.bare_locked = None, False

    def claim(self, line: StatusLine, wait: bool) -> Outcome | None:
        """A line of state 5; its outcome if this settles it. `wait` leaves that to the next line."""
        number = line.number
        pocket = line.pocket if isinstance(line, ExtendedLine) else None
        for label in (number, pocket):
            if label is not None and label not in self.claims:
                self.claims = (*self.claims, label)
        first = self.last is None and len(self.claims) == 1
        if number is None:
            self.last = None
            return None
        clean = pocket in (None, number)
        claim = number if clean else f"{number}/{pocket}"
        again, self.last = claim == self.last, claim
        if wait:
            return None
        if clean and (again or (first and number == self.bare)):
            return self._agreed(number)
        if again:
            return self._unread("the line's number and its pocket field contradict each other")
        return None

    def leave(self, line: StatusLine | None, counted: bool) -> Outcome:
        """State 5 is over without an outcome; `line` is the one that left it, if it is its successor.

        `counted` says that the game counter has moved. If not, only a number that is new shows that the one
        line of state 5 was no damaged line of another state.
        """
        number = line.number if line is not None else None
        if number is not None and number == self.last and (counted or number != self.shown):
            return self._agreed(number)
        if not self.claims:
            return Outcome(None, (), "state 5 showed no number")
        if number is not None and number not in self.claims:
            self.claims = (*self.claims, number)
        return self._unread("no two lines running agree on the number")

    def _agreed(self, number: str) -> Outcome:
        if self.bare is not None and self.bare != number:
            return Outcome(None, (self.bare, number), "the bare number contradicts the status line")
        return Outcome(number)

    def _unread(self, reason: str) -> Outcome:
        extra = (self.bare,) if self.bare is not None and self.bare not in self.claims else ()
        return Outcome(None, (*extra, *self.claims), reason)

    def _fresh(self, at: Instant) -> bool:
        return self.bare is not None and 0 <= at.mono - self.bare_at <= BARE_COUNTS
