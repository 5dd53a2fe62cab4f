"""Whether a wheel runs freely: speed that it gains or loses and its own friction does not explain. Pure.

Both are cumulative sums: what each step leaves unexplained adds up, less an allowance for the law's own
error, and never below nothing. So a hand that takes little for long is found like one that takes much at
once, and the noise of single speeds adds up to nothing.
"""

from typing import Literal

import msgspec

from drivers.tracking.friction import Friction

ALLOWANCE = 0.1
"""Part of its own slowing by which a wheel may differ from its law all the time (warmth, humid air)."""


class FreeRun(msgspec.Struct):
    """Takes the speeds of one undisturbed run, in its own sense."""

    time: int | None = None
    speed: float = 0.0
    gained: float = 0.0
    """Turns a second that friction does not explain."""
    lost: float = 0.0
    gaining_since: int = 0
    """Time (µs) from which on `gained` was above nothing."""
    losing_since: int = 0

    def clear(self) -> None:
        """The run begins anew, with the next speed."""
        self.time, self.gained, self.lost = None, 0.0, 0.0

    def step(self, time: int, speed: float, law: Friction) -> Literal["gained", "lost"] | None:
        """A speed (turns a second) at a time (µs), later than the one before; what it proves."""
        before, self.time = self.time, time
        last, self.speed = self.speed, speed
        if before is None:
            return None
        seconds = (time - before) / 1e6
        own = law.slowing(max(0.0, (speed + last) / 2)) * seconds
        unexplained = speed - last + own
        if self.gained == 0.0:
            self.gaining_since = before
        if self.lost == 0.0:
            self.losing_since = before
        self.gained = max(0.0, self.gained + unexplained - ALLOWANCE * own)
        self.lost = max(0.0, self.lost - unexplained - ALLOWANCE * own)
        limit = law.limit(max(speed, law.crawl))
        if self.gained > limit:
            return "gained"
        return "lost" if self.lost > limit else None

    @property
    def deceleration(self) -> float:
        """Turns a second, each second, that friction does not explain, since it began to lose."""
        if self.time is None or self.time <= self.losing_since:
            return 0.0
        return self.lost / ((self.time - self.losing_since) / 1e6)
