"""Signed counts into turns and angles: zero at the index, slips told, speed and slowing by a robust fit."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import median


@dataclass(frozen=True, slots=True)
class Slip:
    """An index pulse came where it should not: counts were lost or made up."""

    counts: int
    """How far from the nearest place where it should have come; clockwise positive."""


class Rotation:
    """Where a wheel stands: `counts` a turn, `slack` counts by which the index may miss, its mark's width."""

    def __init__(self, counts: int, slack: int = 2) -> None:
        self.zero: int | None = None
        """Position at the index; None until it was seen."""
        self.slips = 0
        self._counts = counts
        self._slack = slack

    @property
    def state(self) -> tuple[int | None, int]:
        """All that it remembers, as plain values to copy; may be assigned."""
        return self.zero, self.slips

    @state.setter
    def state(self, state: tuple[int | None, int]) -> None:
        self.zero, self.slips = state

    def index(self, position: int) -> Slip | None:
        """The index passed at this position. Within the slack the first sight of it stays the zero."""
        if self.zero is None:
            self.zero = position
            return None
        off = (position - self.zero + self._counts // 2) % self._counts - self._counts // 2
        if abs(off) <= self._slack:
            return None
        self.zero = position
        self.slips += 1
        return Slip(off)

    def turns(self, since: int, position: int) -> float:
        """Signed turns between two positions, clockwise positive."""
        return (position - since) / self._counts

    def angle(self, position: int) -> float | None:
        """Part of a turn clockwise from the index, 0 to below 1; None before the index was seen."""
        if self.zero is None:
            return None
        return (position - self.zero) % self._counts / self._counts


@dataclass(frozen=True, slots=True)
class Motion:
    """Speed and its change at the end of a window."""

    speed: float
    """Turns a second, signed."""
    change: float
    """Turns a second, each second, signed; against the speed's sign when it slows."""


def robust_line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Slope and value at the last point of the Theil-Sen line; up to 29 % of the points may be nonsense.

    Takes two points or more, not all of one x.
    """
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2) if x2 != x1]
    slope = median(slopes)
    last = points[-1][0]
    return slope, median(y - slope * (x - last) for x, y in points)


class MotionWindow:
    """The latest positions, thinned to one each `every` µs, and the motion that they show."""

    def __init__(self, counts: int, every: int = 50_000, length: int = 9) -> None:
        self._counts = counts
        self._every = every
        self._kept: deque[tuple[int, int]] = deque(maxlen=length)

    def add(self, time: int, position: int) -> None:
        """A position (counts) at a time (µs), later than those before."""
        if not self._kept or time - self._kept[-1][0] >= self._every:
            self._kept.append((time, position))

    def clear(self) -> None:
        """The motion begins anew."""
        self._kept.clear()

    @property
    def motion(self) -> Motion | None:
        """None until there are five positions."""
        kept = list(self._kept)
        if len(kept) < 5:
            return None
        speeds = [
            ((t1 + t2) / 2e6, (p2 - p1) / self._counts / ((t2 - t1) / 1e6))
            for (t1, p1), (t2, p2) in pairwise(kept)
        ]
        change, speed = robust_line(speeds)
        return Motion(speed, change)
