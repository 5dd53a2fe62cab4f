"""When a turning wheel passes given angles: edges of its sensors, event by event. Pure; radians, seconds."""

from collections.abc import Iterator, Sequence
from math import floor, sqrt

from simulators.physics.fortune_wheel import TURN, Piece


def ends(pieces: Sequence[Piece], rest_angle: float) -> Iterator[tuple[Piece, float]]:
    """Each piece of a motion with the angle at which it ends."""
    for at, piece in enumerate(pieces):
        yield piece, pieces[at + 1].angle if at + 1 < len(pieces) else rest_angle


def passed(piece: Piece, end: float, every: float, offset: float = 0.0) -> Iterator[tuple[float, int, int]]:
    """The angles `offset` + k × `every` that a piece passes: the time, k, and the sense (1 or -1).

    An angle belongs to what lies clockwise of it, so that pieces that follow one another agree on it.
    """
    first, last = floor((piece.angle - offset) / every), floor((end - offset) / every)
    if last >= first:
        for k in range(first + 1, last + 1):
            yield _moment(piece, k * every + offset), k, 1
    else:
        for k in range(first, last, -1):
            yield _moment(piece, k * every + offset), k, -1


def _moment(piece: Piece, angle: float) -> float:
    way = abs(angle - piece.angle)
    left = max(0.0, piece.speed * piece.speed - 2 * piece.rate * way)
    return piece.time + 2 * way / (abs(piece.speed) + sqrt(left))


def turns(pieces: Sequence[Piece], rest_angle: float, offset: float) -> Iterator[tuple[float, int]]:
    """When the wheel passes one mark, each time with the sense."""
    for piece, end in ends(pieces, rest_angle):
        if piece.speed:
            for time, _, sense in passed(piece, end, TURN, offset):
                yield time, sense
