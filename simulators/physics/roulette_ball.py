"""A ball in a roulette's rim, from the launch to where it leaves the rim. Pure: numbers in, numbers out.

Angles in radians, clockwise positive, from the stator's mark; speeds in rad/s. The state is w = speed², a
function of the angle run, because the law of motion is linear in it:

    dw/ds = -2 α w - 2 f + 2 g τ / R · σ sin(θ - θ_high)

with s the angle run, σ the sense, α the drag of the air, f rolling friction, τ the tilt in radians and θ_high
where the wheel stands highest. The ball is taken as a point that slides: one that rolls feels 5/7 of the pull
along the track, and then 0.25° does what 0.2° does here. It leaves the rim when its speed no longer holds it
against the slope of the track, which the tilt makes steeper on the high side:

    w < g / R · (tan β + τ cos(θ - θ_high))

With drag alone the ball turns N = ln(Ω₀/Ω_c)/(2πα) times and takes t = (1/Ω_c - 1/Ω₀)/α, which the tests hold
it to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, ceil, cos, exp, hypot, log, pi, radians, sin, sqrt, tan

GRAVITY = 9.81  # m/s²
TURN = 2 * pi
SEARCH = TURN / 72
"""Angle of one step of the search for where the ball leaves; the motion itself is solved exactly."""
CLOCK = TURN / 8
"""Angle over which the time is integrated at once."""
# Gauss-Legendre, three points on [-1, 1]: the time of a step, which has no closed form
_OUTER = sqrt(0.6)
_NODES = ((-_OUTER, 5 / 9), (0.0, 8 / 9), (_OUTER, 5 / 9))


@dataclass(frozen=True, slots=True)
class Track:
    """A wheel as the ball feels it."""

    radius: float = 0.38
    """m, of the ball's path in the rim."""
    bank: float = radians(15.0)
    """β, the slope of the track."""
    drag: float = 0.016
    """α, per radian."""
    friction: float = 0.0
    """f, rad/s²: rolling friction."""
    tilt: float = 0.0
    """τ, radians: how far the wheel is out of level."""
    high: float = 0.0
    """θ_high: where it stands highest."""

    def __post_init__(self) -> None:
        if self.drag <= 0 and self.friction <= 0:
            raise ValueError("a ball that nothing slows never leaves the rim")

    @property
    def critical(self) -> float:
        """Ω_c: the speed at which the ball leaves the rim of a level wheel, rad/s."""
        return sqrt(GRAVITY / self.radius * tan(self.bank))


@dataclass(frozen=True, slots=True)
class Launch:
    """How the ball is thrown."""

    angle: float
    speed: float
    """rad/s, positive."""
    sense: int
    """1 clockwise, -1 anticlockwise."""


class RimRun:
    """One run of the ball in the rim, solved exactly in the angle, by steps in time."""

    def __init__(self, track: Track, launch: Launch) -> None:
        self.track = track
        self.launch = launch
        self._pull = GRAVITY * track.tilt / track.radius
        self._swing = self._particular(0.0)
        self.run = self._until_it_leaves()
        """Angle run from the launch to leaving the rim."""

    @property
    def turns(self) -> float:
        """Turns in the rim."""
        return self.run / TURN

    @property
    def time(self) -> float:
        """Seconds in the rim."""
        return self._time(0.0, self.run)

    @property
    def drop(self) -> float:
        """Where the ball leaves the rim, 0 to 2π."""
        return self.angle(self.run) % TURN

    def angle(self, run: float) -> float:
        """The angle after so much of the run."""
        return self.launch.angle + self.launch.sense * run

    def squared(self, run: float) -> float:
        """w after so much of the run."""
        track = self.track
        if track.drag == 0:
            start = self.launch.speed**2 - 2 * track.friction * run
            return start + self._particular(run) - self._swing
        level = -track.friction / track.drag
        free = self.launch.speed**2 - level - self._swing
        return level + self._particular(run) + free * exp(-2 * track.drag * run)

    def _particular(self, run: float) -> float:
        """The part of w that the tilt drives: the forced swing of the linear law."""
        if self._pull == 0:
            return 0.0
        phase = self.launch.sense * (self.angle(run) - self.track.high)
        size = 2 * self._pull / hypot(2 * self.track.drag, 1.0)
        return size * sin(phase - atan2(1.0, 2 * self.track.drag))

    def _held(self, run: float) -> float:
        """How much faster than needed the ball is, in w: negative when it leaves."""
        track = self.track
        needed = GRAVITY / track.radius * (tan(track.bank) + track.tilt * cos(self.angle(run) - track.high))
        return self.squared(run) - needed

    def _until_it_leaves(self) -> float:
        run = self._surely_held()
        while self._held(run + SEARCH) > 0:
            run += SEARCH
        low, high = run, run + SEARCH
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self._held(middle) > 0 else (low, middle)
        return low

    def _surely_held(self) -> float:
        """A part of the run in which even the steepest slope and the slowest swing hold the ball."""
        track = self.track
        if track.drag == 0:
            return 0.0
        level = -track.friction / track.drag
        swing = 2 * self._pull / hypot(2 * track.drag, 1.0)
        steepest = GRAVITY / track.radius * (tan(track.bank) + track.tilt)
        free = self.launch.speed**2 - level - self._swing
        left = steepest + swing - level
        return max(0.0, log(free / left) / (2 * track.drag)) if free > left else 0.0

    def _time(self, start: float, end: float) -> float:
        """Seconds from one point of the run to another."""
        steps = max(1, ceil((end - start) / CLOCK))
        size = (end - start) / steps
        return sum(self._seconds(start + at * size, start + (at + 1) * size) for at in range(steps))

    def _seconds(self, start: float, end: float) -> float:
        half, middle = (end - start) / 2, (end + start) / 2
        return half * sum(weight / sqrt(self.squared(middle + half * node)) for node, weight in _NODES)

    def sights(self, angles: Sequence[float]) -> list[tuple[float, int, float, float]]:
        """The passes at several angles in order: seconds after the launch, which angle, speed, run."""
        firsts = [(self.launch.sense * (angle - self.launch.angle)) % TURN for angle in angles]
        order = sorted(range(len(angles)), key=lambda each: firsts[each])
        found: list[tuple[float, int, float, float]] = []
        run = time = turns = 0.0
        while True:
            for each in order:
                target = firsts[each] + turns
                if target > self.run:
                    return found
                time += self._time(run, target)
                run = target
                found.append((time, each, sqrt(self.squared(target)), target))
            turns += TURN

    def passes(self, angle: float) -> list[tuple[float, float]]:
        """When (s after the launch) and how fast (rad/s) the ball passes an angle of the stator."""
        found = []
        run = time = 0.0
        target = (self.launch.sense * (angle - self.launch.angle)) % TURN
        while target <= self.run:
            time += self._time(run, target)
            run = target
            found.append((time, sqrt(self.squared(target))))
            target += TURN
        return found
