"""How far a wheel at a crawl can still get by itself: a hand that helps it on takes it farther. Pure.

Below the speed at which its law of slowing holds, single pegs decide; but none of them drives it on. What it
has of speed takes it no farther than its bearing alone would let it, and each new speed may shorten that.
"""

import msgspec

from drivers.tracking.friction import Friction


class Crawl(msgspec.Struct):
    """The end of a run, in the run's own sense; positions and reach in turns."""

    reach: float | None = None
    """The farthest that it can get; None before the crawl."""

    def clear(self) -> None:
        """The wheel was driven on."""
        self.reach = None

    def driven(self, progress: float, speed: float, law: Friction, bearing: float, slack: float) -> bool:
        """Whether the wheel got farther than it could.

        `speed` is of a little before, in turns a second, and so rather too high; `bearing` the least rate at
        which the wheel slows; `slack` turns that do not count.
        """
        if self.reach is not None and progress > self.reach + slack:
            return True
        fastest = max(speed, 0.0) + law.excursion / 2
        reach = progress + fastest * fastest / (2 * bearing)
        self.reach = reach if self.reach is None else min(self.reach, reach)
        return False
