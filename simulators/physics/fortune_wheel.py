"""A fortune wheel from its push to its rest: bearing, air, the pegs' pull on the pointer, hands. Pure.

Angles in radians, clockwise positive seen from the players' side, 0 where the pointer stands on peg 0; time
in seconds. Between two events (a peg, a push, a hand that comes or goes) the wheel slows at one rate, which
the bearing gives and the air by a power of the speed at the piece's beginning, so that every piece is solved
exactly. A peg takes an energy, here a part of speed²; a wheel that has less turns back, rocks between
two pegs and rests there, or stays on the peg where its energy and the peg's are as good as the same.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, pi, sqrt

TURN = 2 * pi
STILL = 1e-3
"""rad/s below which the wheel rests."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """How a wheel slows by itself."""

    pegs: int = 54
    bearing: float = 0.09
    """rad/s²."""
    air: float = 0.035
    """rad/s² at 1 rad/s."""
    peg: float = 0.006
    """rad²/s²: the part of speed² that a peg takes."""
    restitution: float = 0.6
    """Part of the speed with which a wheel comes back from a peg that it does not pass."""
    balance: float = 0.01
    """Part of a peg's energy within which the pointer stays on it."""
    air_exponent: float = 1.0
    """The power of the speed with which the air slows it: 1 at a creep, 2 where the air whirls."""

    @property
    def in_turns(self) -> dict[str, float]:
        """The same in turns, with the pegs' part in the even slowing, as a calibration says it.

        For exponents of 1 and 2 only: air of another is in no calibration."""
        return {
            "segments": self.pegs,
            "slowing": (self.bearing + self.peg * self.pegs / (4 * pi)) / TURN,
            "slowing_per_speed": self.air if self.air_exponent == 1 else 0.0,
            "slowing_per_speed2": self.air * TURN if self.air_exponent == 2 else 0.0,
            "peg": self.peg / TURN**2,
        }


@dataclass(frozen=True, slots=True)
class Push:
    """A hand that drives the wheel: so much is added to its speed."""

    time: float
    speed: float
    """rad/s, negative anticlockwise."""


@dataclass(frozen=True, slots=True)
class Hindrance:
    """A hand, a coat, an object that rubs on the wheel from one moment to another."""

    start: float
    end: float
    slowing: float
    """rad/s²."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of the motion with one rate of slowing."""

    time: float
    angle: float
    speed: float
    rate: float
    """rad/s², against the motion's sense; never turns it round within the piece."""

    def angle_at(self, time: float) -> float:
        """The angle at a moment within the piece."""
        t = time - self.time
        slowed = self.rate * t * t / 2
        return self.angle + self.speed * t - (slowed if self.speed > 0 else -slowed)


@dataclass(frozen=True)
class Spin:
    """The whole of one spin."""

    pieces: Sequence[Piece]
    rest_time: float
    rest_angle: float
    on_peg: bool
    pushes: Sequence[Push]
    hindrances: Sequence[Hindrance]
    pegs: int

    def angle(self, time: float) -> float:
        """The wheel's angle at a moment."""
        if time >= self.rest_time:
            return self.rest_angle
        at = bisect_right(self.pieces, time, key=lambda piece: piece.time)
        return self.pieces[max(0, at - 1)].angle_at(time)

    def turns_since(self, time: float) -> float:
        """Signed turns from a moment to the rest."""
        return (self.rest_angle - self.angle(time)) / TURN

    @property
    def segment(self) -> int | None:
        """The segment under the pointer, counted clockwise on its face from peg 0; None on a peg."""
        return None if self.on_peg else int(-self.rest_angle // (TURN / self.pegs)) % self.pegs


def spin(wheel: Bearing, start: float, pushes: Sequence[Push], hindrances: Sequence[Hindrance] = ()) -> Spin:
    """Let a wheel run from an angle: pushes in order of time, the first of them at 0."""
    if not pushes or pushes[0].time != 0:
        raise ValueError("a spin begins with a push")
    pieces = list(_pieces(wheel, start, pushes, hindrances))
    last = pieces.pop()
    on_peg = last.rate == inf
    return Spin(pieces, last.time, last.angle, on_peg, pushes, hindrances, wheel.pegs)


def _pieces(
    wheel: Bearing, angle: float, pushes: Sequence[Push], hindrances: Sequence[Hindrance]
) -> Iterator[Piece]:
    """The pieces, and one more without motion at the end: where it rests, its rate infinite on a peg."""
    pitch = TURN / wheel.pegs
    moments = sorted({push.time for push in pushes} | {t for h in hindrances for t in (h.start, h.end)})
    moments.append(inf)
    time = speed = following = hands = 0.0
    while True:
        if time == following:
            following = moments[bisect_right(moments, time)]
            speed += sum(push.speed for push in pushes if push.time == time)
            hands = sum(hand.slowing for hand in hindrances if hand.start <= time < hand.end)
        if abs(speed) < STILL:
            if following == inf:
                yield Piece(time, angle, 0.0, 0.0)
                return
            yield Piece(time, angle, 0.0, 0.0)
            time = following
            continue
        rate = wheel.bearing + wheel.air * abs(speed) ** wheel.air_exponent + hands
        yield Piece(time, angle, speed, rate)
        sense = 1 if speed > 0 else -1
        peg = _next_peg(angle, sense, pitch)
        squared = speed * speed - 2 * rate * abs(peg - angle)
        until_peg = 2 * abs(peg - angle) / (abs(speed) + sqrt(squared)) if squared > 0 else inf
        until_still = abs(speed) / rate if rate else inf
        step = min(until_peg, until_still, following - time)
        if step == following - time and step < until_peg:
            angle = Piece(time, angle, speed, rate).angle_at(following)
            time, speed = following, speed - sense * rate * step
        elif until_peg <= until_still:
            time, angle = time + until_peg, peg
            left = squared - wheel.peg
            if abs(left) < wheel.balance * wheel.peg:
                yield Piece(time, angle, 0.0, inf)
                return
            speed = sense * sqrt(left) if left > 0 else -sense * wheel.restitution * sqrt(squared)
        else:
            angle = Piece(time, angle, speed, rate).angle_at(time + until_still)
            time, speed = time + until_still, 0.0


def _next_peg(angle: float, sense: int, pitch: float) -> float:
    """The angle of the peg that comes next in this sense, beyond the one that is just being left."""
    at = round(angle / pitch)
    if abs(angle - at * pitch) < 1e-9:
        return (at + sense) * pitch
    below = angle // pitch
    return (below + 1) * pitch if sense > 0 else below * pitch
