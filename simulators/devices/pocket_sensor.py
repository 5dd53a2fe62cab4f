"""The simulated sensor that sees the occupied pocket pass: below a rotor, or turning under a basin."""

from random import Random

from protocols.sensor import LEVEL, NUMBERS
from simulators.devices.microcontroller import Edge, Noise, noisy
from simulators.physics.roulette import Stay
from simulators.physics.shaft import Shaft

POCKET_CHANNEL = NUMBERS["pocket"]
POCKET_SEEN = 0.55
"""Parts of a pocket's width over which its ball covers the pocket sensor."""
SAMPLE = 5
"""Sights of the resting ball, running, that a croupier who looks at the display waits for."""


class PocketSensor:
    """`at` is where it stands on the stator, in turns; None for one that turns with the shaft."""

    def __init__(self, at: float | None, pockets: int, shaft: Shaft, noise: Noise) -> None:
        self._at = at
        self._pockets = pockets
        self._shaft = shaft
        self._noise = noise

    def sights(self, stay: Stay, start: float, end: float) -> list[tuple[float, float]]:
        """When it begins and ends to see the ball, as long as that lies there."""
        half = POCKET_SEEN / self._pockets / 2
        on_ring = (stay.place + stay.offset) / self._pockets
        middle = on_ring if self._at is None else self._at - on_ring
        moments = [(time, sense > 0) for time, _, sense in self._shaft.meets(middle - half, 1.0, start, end)]
        moments += [(time, sense < 0) for time, _, sense in self._shaft.meets(middle + half, 1.0, start, end)]
        moments.sort()
        if moments and not moments[0][1]:
            moments.insert(0, (start, True))
        if moments and moments[-1][1]:
            moments.append((end, False))
        return [(moments[at][0], moments[at + 1][0]) for at in range(0, len(moments) - 1, 2)]

    def sees(self, stay: Stay, start: float, end: float, rng: Random) -> list[Edge]:
        """The edges of the ball that lies there meanwhile."""
        return [edge for sight in self.sights(stay, start, end) for edge in self._edges(sight, rng)]

    def rest(self, stay: Stay, looked_from: float, rng: Random) -> tuple[list[Edge], float]:
        """The edges of the resting ball, until it was seen whole so many times running; and when that is."""
        running = 0
        end = stay.start
        edges: list[Edge] = []
        for rises, falls in self.sights(stay, stay.start, stay.start + 60.0 / self._speed(stay.start)):
            seen = self._edges((rises, falls), rng)
            edges += seen
            ends = [channel for _, channel in (*seen[:1], *seen[-1:])]
            whole = ends == [POCKET_CHANNEL | LEVEL, POCKET_CHANNEL] and seen[-1][0] >= falls
            running = running + 1 if whole and rises >= looked_from else 0
            end = falls
            if running == SAMPLE:
                break
        return edges, end + 0.5 + 0.1 / self._speed(end)

    def _edges(self, sight: tuple[float, float], rng: Random) -> list[Edge]:
        rises, falls = sight
        return noisy(rng, [(rises, POCKET_CHANNEL | LEVEL), (falls, POCKET_CHANNEL)], self._noise)

    def _speed(self, time: float) -> float:
        return max(abs(self._shaft.speed(time)), 0.05)
