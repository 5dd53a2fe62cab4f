"""Whether an encoder slipped on its shaft: it lags for a moment, and goes on as if nothing had been. Pure.

A hand that slows a wheel leaves it slower. Where the wheel runs on after a gap as it did before, nothing but
the encoder has lost, or made up, what is missing in between.
"""

from collections.abc import Sequence

LONGEST = 4
"""Stretches between two positions over which a slip may last."""
ROUNDING = 3
"""Counts by which a way can be wrong: a position's rounding, the sensor's jitter."""


def jumped(kept: Sequence[tuple[int, int]], slowing: float) -> bool:
    """Whether a slip has ended just before the last of these positions (time in µs, counts).

    Counts are then missing, or too many, against the slower, or the faster, of the speeds before and after.
    A wheel that was pushed in between was fastest there: it may have slowed since, by `slowing` (counts a
    second, each second).
    """
    if len(kept) < 4:
        return False
    (until, end), (last, latest) = kept[-2:]
    sense = 1 if latest >= end else -1
    after = sense * speed_of(*kept[-2:])
    for first in range(len(kept) - 3, max(0, len(kept) - 3 - LONGEST), -1):
        (earlier, _), (since, start) = kept[first - 1 : first + 1]
        before = sense * speed_of(*kept[first - 1 : first + 1])
        time, moved = until - since, sense * (end - start)
        shortest = min(since - earlier, last - until)
        if (after - abs(before)) * shortest > ROUNDING:
            continue  # it was driven in between, and was faster yet before it slowed again
        slack = ROUNDING * (1 + time / shortest)
        slowed = slowing / 2 * (time / 1e6) ** 2
        if (
            moved < min(before, after) * time - slack
            or moved > max(before * time, after * time + slowed) + slack
        ):
            return True
    return False


def speed_of(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Counts each µs."""
    return (second[1] - first[1]) / (second[0] - first[0])
