"""How a wheel slows by itself, as its calibration found it. Turns and seconds."""

from math import sqrt

import msgspec

FOUND_TO = 1.5
"""Times what was found of a peg that it may take: 0.62 to 1.41 of it was found with twenty simulated wheels,
whose free runs used half of what they may stray."""
FEW_PEGS = 2.5
"""Times the speed at which a peg is just passed, below which its share of the energy is no rate any more.

That a peg takes peg / 2 / speed is wrong by a twenty-fifth there, and by a seventh at 1.5 times.
"""


class Friction(msgspec.Struct, frozen=True):
    """A wheel's own slowing: the bearing and the pegs take it at one rate, the air the more the faster it is.

    Air that is pushed aside takes in proportion to the speed, air that whirls to its square; both are there.
    """

    constant: float
    """Turns a second, each second. The pegs' part is in it: energy that each takes is a rate over many."""
    per_speed: float
    """The same for each turn a second."""
    peg: float
    """Turns² a second²: the part of speed² that one peg takes, at most."""
    excursion: float
    """Turns a second: by so much may a free run's sum of what the law does not explain leave the law."""
    per_speed2: float = 0.0
    """What the square of the speed (turns a second) adds."""

    def slowing(self, speed: float) -> float:
        """Turns a second, each second, at a speed (turns a second, not signed)."""
        return self.constant + self.air(speed)

    def air(self, speed: float) -> float:
        """The air's part of it."""
        return (self.per_speed + self.per_speed2 * speed) * speed

    @property
    def crawl(self) -> float:
        """Turns a second below which single pegs, no longer the law, decide how the wheel goes on."""
        return FEW_PEGS * sqrt(self.peg) + self.excursion

    def limit(self, speed: float) -> float:
        """Turns a second by which a freely running wheel never leaves its law, at a speed above the crawl."""
        return self.excursion + FOUND_TO * self.peg / (2 * speed)
