"""How far a wheel must still have had to go when its positions ended. Pure; times in µs, way in counts.

A wheel that comes to rest by itself has all but stopped at its last count: its bearing stops it there, or a
peg that it has no energy to pass. Positions that end while it was faster than that tell of no rest.
"""

from collections.abc import Callable
from itertools import combinations
from math import ceil, floor, sqrt

import msgspec

from drivers.tracking.free_run import ALLOWANCE
from drivers.tracking.friction import FOUND_TO, Friction
from drivers.tracking.resting import ROCKING

OF_A_PITCH = 12
"""Positions that are kept of the way from one peg to the next."""
KEPT = 32
"""And in all: of more than two pitches."""
NEAR = 20_000
"""µs between two positions, in less than which a sensor's jitter is a part of their speed."""
NATURAL = 2.0
"""Counts that a wheel which stops by itself may seem to have before it; one is a position's rounding."""


class Ending(msgspec.Struct):
    """The latest positions, each a new one; of a wheel at rest the last is when it came there."""

    way: list[tuple[int, int]] = []

    def at(self, time: int, position: int, pitch: float) -> None:
        """A position at a time; of those that are near to one another by the `pitch` not all are kept."""
        way = self.way
        if not way:
            way.append((time, position))
            return
        moved = position - way[-1][1]
        before = way[-1][1] - way[-2][1] if len(way) > 1 else 0
        if moved == 0 or (abs(moved) <= ROCKING and moved * before < 0):
            return
        if 0 < abs(before) < pitch / OF_A_PITCH and moved * before > 0:
            way[-1] = (time, position)
            return
        way.append((time, position))
        if len(way) > KEPT:
            del way[0]

    def left(self, law: Friction, counts: int, pegs: Callable[[int], float], half: float) -> float:
        """Counts that the wheel had before it at the last position, at the least.

        `counts` of a turn. `pegs` gives where a position is in pitches, whole at a peg, and `half` within how
        much of that it may touch it. Between pegs it is taken to slow as if it passed some: with them in its
        law its bearing's part is known to less. So it stops rather too early here, and no clean spin is lost.
        """
        least = 0.0
        leg = self._leg()
        if len(leg) < 2:
            return least
        sense = 1 if leg[-1][1] > leg[0][1] else -1
        places = [(time, sense * position, sense * pegs(position)) for time, position in leg]
        peg = FOUND_TO * law.peg * counts * counts
        _, end, last = places[-1]
        for (since, start, first), (time, at, there) in combinations(places, 2):
            if time - since < NEAR:
                continue
            seconds = (time - since) / 1e6
            speed = (at - start - 1) / seconds
            fastest = (at - start + 1) / seconds / counts + law.constant * seconds
            rate = (1 + ALLOWANCE) * law.slowing(fastest) * counts
            passed = _between(first - half, there + half)
            if passed == 0:
                still = _still(at - start - 1, seconds * sqrt(rate / 2))
            else:  # it was at least so fast at first, and lost at most what all the way and the pegs take
                still = (speed * speed - passed * peg) / (2 * rate) - (at - start + 1)
            least = max(least, still - (end - at) - _between(there - half, last + half) * peg / (2 * rate))
        return least

    def _leg(self) -> list[tuple[int, int]]:
        """The way since it turned round last."""
        way = self.way
        first = len(way) - 1
        while first > 0 and (way[first][1] - way[first - 1][1]) * (way[-1][1] - way[-2][1]) > 0:
            first -= 1
        return way[max(0, first) :]


def _still(moved: float, seconds: float) -> float:
    """Counts to go after some in a time (times the root of half the rate) of a motion that slows evenly."""
    over = moved - seconds * seconds
    return (over / (2 * seconds)) ** 2 if over > 0 else 0.0


def _between(first: float, last: float) -> int:
    """Whole numbers from one to the other."""
    return max(0, floor(last) - ceil(first) + 1)
