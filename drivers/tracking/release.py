"""Between which positions a hand let go of a wheel: from there on its own friction explains its motion. Pure.

What the wheel did after the push is drawn back by its law of slowing. The hand still drove where the wheel
was farther than that: a wheel that is driven was slower before than one that runs freely.
"""

from collections.abc import Sequence

from drivers.tracking.friction import Friction

ROUNDING = 2.0
"""Counts by which a position may lie off the way drawn back: its own rounding, and that of the speed."""
FEWEST = 4
"""Positions after the push without which nothing can be drawn back."""
FADING = 2
"""Positions after the first that is free within which a hand that fades out does less than the rounding."""


def released(
    kept: Sequence[tuple[int, int]], quickest: int, sense: int, law: Friction, counts: int
) -> tuple[int, int]:
    """The positions before and after the hand's letting go, from `kept` (time in µs, position in counts).

    `quickest` is when the push's quickest stretch ended, `sense` that of the push.
    """
    last = len(kept) - 1
    first = next((at for at, (time, _) in enumerate(kept) if time >= quickest), last)
    free = kept[first:]
    earliest, latest = max(0, first - 2), first
    if len(free) >= FEWEST:
        begin, end = free[0], free[-1]
        middle = (begin[0] + end[0]) / 2
        speed = sense * (end[1] - begin[1]) / ((end[0] - begin[0]) / 1e6)
        slowing = law.slowing(max(0.0, speed) / counts) * counts

        def off(time: int, position: int) -> float:
            """Counts, up to a constant, from the way of a wheel that runs freely."""
            seconds = (time - middle) / 1e6
            return sense * position - speed * seconds + slowing / 2 * seconds * seconds

        freely = [off(*each) for each in free]
        mean = sum(freely) / len(freely)
        within = ROUNDING + 2 * max(abs(each - mean) for each in freely)
        at = first
        while at > 0 and abs(off(*kept[at - 1]) - mean) <= within:
            at -= 1
        earliest, latest = max(0, at - 1), min(at + FADING, last)
    return kept[earliest][1], kept[latest][1]
