"""A shaft that turns by pieces of constant acceleration: a roulette's rotor, a boule's turning sensor. Pure.

Angles in turns, clockwise positive, counted on without end; seconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, inf, sqrt


@dataclass(frozen=True, slots=True)
class Piece:
    """From `time` on: an angle, a speed (turns/s) and its change (turns/s²); never turns round within it."""

    time: float
    angle: float
    speed: float
    change: float

    def angle_at(self, time: float) -> float:
        """The angle at a moment of this piece."""
        t = time - self.time
        return self.angle + (self.speed + self.change * t / 2) * t

    def when(self, angle: float) -> float:
        """The moment at which it comes to an angle that lies ahead; inf if it never does."""
        way = angle - self.angle
        if way == 0:
            return self.time
        inside = self.speed * self.speed + 2 * self.change * way
        if inside < 0:
            return inf
        root = sqrt(inside)
        down = self.speed + (root if way > 0 else -root)
        return self.time + 2 * way / down if down else inf


class Shaft:
    """Its whole motion, made piece by piece by whoever drives it."""

    def __init__(self, angle: float, speed: float, change: float, time: float = 0.0) -> None:
        self.pieces = [Piece(time, angle, speed, change)]

    def drive(self, time: float, speed: float, seconds: float, change: float) -> None:
        """A hand or a motor brings it evenly to a speed from a moment on; it then slows by `change`."""
        angle, before = self.angle(time), self.speed(time)
        if before * speed < 0:  # to a stand first, so that no piece turns round
            part = seconds * abs(before) / (abs(before) + abs(speed))
            self._add(Piece(time, angle, before, -before / part))
            time, seconds = time + part, seconds - part
            angle, before = self.pieces[-1].angle_at(time), 0.0
        self._add(Piece(time, angle, before, (speed - before) / seconds))
        time += seconds
        self._add(Piece(time, self.pieces[-1].angle_at(time), speed, -change if speed > 0 else change))

    def stop(self, time: float, seconds: float) -> None:
        """It is brought to a stand."""
        angle, before = self.angle(time), self.speed(time)
        if before:
            self._add(Piece(time, angle, before, -before / seconds))
            self._add(Piece(time + seconds, self.pieces[-1].angle_at(time + seconds), 0.0, 0.0))

    def _add(self, piece: Piece) -> None:
        while self.pieces and self.pieces[-1].time >= piece.time:
            self.pieces.pop()
        self.pieces.append(piece)

    def _piece(self, time: float) -> Piece:
        for piece in reversed(self.pieces):
            if piece.time <= time:
                return piece
        return self.pieces[0]

    def angle(self, time: float) -> float:
        """Turns at a moment."""
        return self._piece(time).angle_at(time)

    def speed(self, time: float) -> float:
        """Turns a second at a moment, signed."""
        piece = self._piece(time)
        return piece.speed + piece.change * (time - piece.time)

    def forget(self, time: float) -> None:
        """What was before a moment is no longer asked for."""
        while len(self.pieces) > 1 and self.pieces[1].time <= time:
            del self.pieces[0]

    def spans(self, start: float, end: float) -> Iterator[tuple[Piece, float, float]]:
        """The pieces between two moments, each with the part of them that it covers."""
        for index, piece in enumerate(self.pieces):
            until = self.pieces[index + 1].time if index + 1 < len(self.pieces) else inf
            begins, ends = max(start, piece.time), min(end, until)
            if begins < ends:
                yield piece, begins, ends

    def meets(self, mark: float, pitch: float, start: float, end: float) -> Iterator[tuple[float, int, int]]:
        """Each time at which it comes to `mark` + n·`pitch`: when, n, and in which sense."""
        for piece, begins, ends in self.spans(start, end):
            low, high = (piece.angle_at(begins) - mark) / pitch, (piece.angle_at(ends) - mark) / pitch
            if high > low:
                for n in range(floor(low) + 1, floor(high) + 1):
                    yield piece.when(mark + n * pitch), n, 1
            elif high < low:
                for n in range(ceil(low) - 1, ceil(high) - 1, -1):
                    yield piece.when(mark + n * pitch), n, -1
