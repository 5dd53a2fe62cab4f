"""How far a device's clock and the host's drift apart, in spite of delayed arrivals."""

from collections import deque
from collections.abc import Sequence
from itertools import combinations, pairwise
from statistics import median

BUCKET = 10_000_000_000
"""Nanoseconds of the host's clock of which the quickest arrival is kept: delays only make later."""
KEPT = 13
"""Buckets: two minutes, and what has begun of the next."""
ENOUGH = 8
"""Buckets that span a minute."""

DriftState = tuple[tuple[tuple[int, int], ...], int | None]


class ClockDrift:
    """Takes a device's times with the host's times of arrival."""

    def __init__(self) -> None:
        self._quickest: deque[tuple[int, int]] = deque(maxlen=KEPT)
        """Of each bucket: the device's time (µs), and the arrival less that time (ns), the least seen."""
        self._bucket: int | None = None

    @property
    def state(self) -> DriftState:
        """All that it remembers, as plain values to copy; may be assigned. Raises ValueError for none."""
        return tuple(self._quickest), self._bucket

    @state.setter
    def state(self, state: DriftState) -> None:
        quickest, bucket = state
        times = [time for time, _ in quickest]
        if bool(times) != (bucket is not None) or any(after <= time for time, after in pairwise(times)):
            raise ValueError("not a clock drift's state")
        self._bucket = bucket
        self._quickest = deque(quickest, maxlen=KEPT)

    def add(self, device: int, host: int) -> bool:
        """A device's unwrapped time (µs), later than the last, and when its bytes arrived (monotonic ns);
        whether a bucket was filled by that.
        """
        late = host - device * 1000
        bucket = host // BUCKET
        if bucket != self._bucket:
            self._bucket = bucket
            self._quickest.append((device, late))
            return True
        if late < self._quickest[-1][1]:
            self._quickest[-1] = (device, late)
        return False

    def clear(self) -> None:
        """The device was started again."""
        self._quickest.clear()
        self._bucket = None

    @property
    def parts_per_million(self) -> float | None:
        """By how much the device's clock is slow (positive) or fast; None within the first minute."""
        if len(self._quickest) < ENOUGH:
            return None
        slope, _ = robust_line([(device / 1e6, late / 1e3) for device, late in self._quickest])
        return slope


def robust_line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Slope and value at the last point of the Theil-Sen line; up to 29 % of the points may be nonsense.

    Takes two points or more, not all of one x.
    """
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2) if x2 != x1]
    slope = median(slopes)
    last = points[-1][0]
    return slope, median(y - slope * (x - last) for x, y in points)
