"""Where the ball came to rest: the occupied pocket, seen passing its sensor, turn after turn of the rotor."""

from collections import Counter, deque

TURNS = 3
"""Turns of the rotor over which the same pocket must be seen; the texts ask that it rest for good."""


class PocketTrack:
    """Takes each sight of an occupied pocket with the rotor's angle at that moment."""

    def __init__(self, pockets: int, offset: float = 0.0) -> None:
        """`offset`: the rotor's angle (parts of a turn) at which pocket 0's middle is before the sensor."""
        self.strays = 0
        """Sights that lay on the wall between two pockets."""
        self._pockets = pockets
        self._offset = offset
        self._seen: deque[tuple[float, int]] = deque(maxlen=4 * TURNS)

    def sight(self, turns: float, angle: float) -> None:
        """An occupied pocket passed: the rotor's turns so far (signed, any beginning), and its angle."""
        place = (angle - self._offset) * self._pockets
        pocket = round(place)
        if abs(place - pocket) > 0.4:
            self.strays += 1
            return
        self._seen.append((turns, pocket % self._pockets))

    def clear(self) -> None:
        """The ball was taken out, or the rotor's angle is no longer known."""
        self._seen.clear()

    @property
    def settled(self) -> int | None:
        """The pocket, clockwise from pocket 0, once only it was seen over three turns; None before."""
        if not self._seen:
            return None
        now = self._seen[-1][0]
        recent = [pocket for turns, pocket in self._seen if abs(now - turns) <= TURNS + 0.1]
        (pocket, times), *others = Counter(recent).most_common()
        span = abs(now - self._seen[-len(recent)][0])
        if others or times <= TURNS or span < TURNS - 0.1:
            return None
        return pocket
