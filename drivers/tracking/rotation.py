"""Where the index comes: the zero of a wheel's angle, and slips told."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slip:
    """An index pulse came where it should not: counts were lost or made up."""

    counts: int
    """How far from the nearest place where it should have come; clockwise positive."""


class Rotation:
    """Where a wheel stands: `counts` a turn, `slack` counts by which the index may miss, its mark's width."""

    def __init__(self, counts: int, slack: int = 2) -> None:
        self.zero: int | None = None
        """Position at the index; None until it was seen. All that it remembers; may be assigned."""
        self._counts = counts
        self._slack = slack

    def index(self, position: int) -> Slip | None:
        """The index passed at this position. Within the slack the first sight of it stays the zero."""
        if self.zero is None:
            self.zero = position
            return None
        off = (position - self.zero + self._counts // 2) % self._counts - self._counts // 2
        if abs(off) <= self._slack:
            return None
        self.zero = position
        return Slip(off)
