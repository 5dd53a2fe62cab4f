"""Where the ball came to rest: the occupied pocket, seen passing its sensor, turn after turn of the rotor."""

from collections import Counter, deque

TURNS = 3
"""Turns of the rotor over which the same pocket must be seen; the texts ask that it rest for good."""

BESIDE = 0.4
"""Parts of a pocket's width from its middle within which a sight is the pocket's; its wall stands at 0.5.
Sights of simulated balls lie up to 0.35 off the middle with the coarsest encoder, five counts a
pocket."""

PocketState = tuple[tuple[float, int], ...]


class PocketTrack:
    """Takes each sight of an occupied pocket with where the sensor then stood over the ring of pockets."""

    def __init__(self, pockets: int) -> None:
        self._pockets = pockets
        self._seen: deque[tuple[float, int]] = deque(maxlen=4 * TURNS)

    @property
    def state(self) -> PocketState:
        """All that it remembers, as plain values to copy; may be assigned."""
        return tuple(self._seen)

    @state.setter
    def state(self, state: PocketState) -> None:
        self._seen = deque(state, maxlen=4 * TURNS)

    def sight(self, turns: float, angle: float) -> bool:
        """An occupied pocket passed: the turns so far (signed, any beginning), and the sensor's angle in
        parts of a turn, clockwise on the ring of pockets from the middle of pocket 0.

        A rotor that turns clockwise carries its pockets past a sensor that stands still, which so goes
        anticlockwise on the ring; a sensor that turns under pockets that stand still goes its own way.

        Whether it was a pocket's: not on the wall between two.
        """
        place = angle * self._pockets
        pocket = round(place)
        if abs(place - pocket) > BESIDE:
            return False
        self._seen.append((turns, pocket % self._pockets))
        return True

    @property
    def pockets(self) -> tuple[int, ...]:
        """The pockets of the last turns' sights, the oldest first."""
        return tuple(pocket for _, pocket in self._recent)

    def clear(self) -> None:
        """The ball was taken out, or the rotor's angle is no longer known."""
        self._seen.clear()

    @property
    def settled(self) -> int | None:
        """The pocket, clockwise from pocket 0, once only it was seen over three turns; None before."""
        recent = self._recent
        if not recent:
            return None
        (pocket, times), *others = Counter(pocket for _, pocket in recent).most_common()
        span = abs(recent[-1][0] - recent[0][0])
        if others or times <= TURNS or span < TURNS - 0.1:
            return None
        return pocket

    @property
    def _recent(self) -> list[tuple[float, int]]:
        if not self._seen:
            return []
        now = self._seen[-1][0]
        return [(turns, pocket) for turns, pocket in self._seen if abs(now - turns) <= TURNS + 0.1]
