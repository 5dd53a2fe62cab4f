"""When a push ends: a hand drives the wheel for a while, and turns count from where it lets go. Pure.

Takes the stretches between neighbouring positions. A push is over once no stretch was quicker for a while:
the hand had let go when the quickest one ended. Just where, is then found out in `release.py`.
"""

import msgspec

OVER = 200_000
"""µs without a quicker stretch after which the hand has let go."""


class Push(msgspec.Struct):
    """A push under way; it begins with where the wheel stood before it."""

    time: int
    """When the quickest stretch so far ended, in µs."""
    position: int
    """And where, in counts."""
    speed: float = 0.0
    """How quick it was, in counts a second."""
    of_crawl: bool = False
    """Whether the wheel had all but come to rest before."""

    def stretch(self, since: int, start: int, time: int, end: int, sense: int) -> bool:
        """From `start` at `since` to `end` at `time` (counts, µs); whether the push is over."""
        seconds = (time - since) / 1e6
        speed = sense * (end - start) / seconds
        if speed > self.speed + 1 / seconds:  # a count is what rounding can make of one speed
            self.speed, self.position, self.time = speed, end, time
            return False
        return time - self.time >= OVER
