"""One game of a simulated Cammegh wheel as the wheel's own controller lives it: a line every half second.

A `Plan` says what is going to happen in a game, `play` turns it into lines with their times, states,
speeds and warnings. Nothing is encoded here. The figures are those of 62 captured games of a
Slingshot 2; no capture of a Mercury 360 is public, so its durations are estimates for a wheel and a
ball driven by hand.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Literal

HEARTBEAT = 0.5
"""Seconds from one status line to the next."""
JITTER = 0.015
"""Most that a line is early or late, in seconds; not summed from line to line."""

Phase = Literal[
    "banner", "closed", "start", "betting", "turning", "launching", "failing", "rim", "running", "locked",
    "bare", "settled",
]  # fmt: skip
"""Where in the game a line stands; finer than the wire's state.

`betting`, `turning` (the rotor brakes), `launching` (it runs the other way) and `failing` (a launch that
comes to nothing) are all state 2. `bare` and `banner` are no status lines.
"""

STATE = {
    "closed": 6, "start": 1, "betting": 2, "turning": 2, "launching": 2, "failing": 2, "rim": 3,
    "running": 4, "locked": 7, "settled": 5,
}  # fmt: skip

BALL_UNSEEN, BALL_WITH_ROTOR, SENSOR_FAULT, FAILED_LAUNCH = 1, 2, 4, 8
"""Warning bits of a Slingshot 2."""
SPEED_OUTSIDE, VOID_SIGNALLED = 1, 8
"""Warning bits of a Mercury 360 where they differ."""


@dataclass(slots=True)
class Line:
    """What the controller knows when it sends a line; `data` is filled in by the encoding."""

    t: float
    phase: Phase
    state: int
    counter: int
    shown: str | None
    """The last winning number; None while unknown."""
    warning: int
    speed: int
    """Rotor rpm × 10."""
    rotor: int
    """0 clockwise, 1 anticlockwise."""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Habits:
    """How long a model's phases last, least and most, in lines; speeds are rpm × 10."""

    start: tuple[int, int]
    betting: tuple[int, int]
    """Until the rotor brakes."""
    launching: tuple[int, int]
    rim: tuple[int, int]
    running: tuple[int, int]
    settled: tuple[int, int]
    settled_early: tuple[int, int]
    """One game in seven goes on early."""
    launch_speed: tuple[float, float]
    run_speed: tuple[float, float] | None
    """The drive takes a new speed when the ball leaves the rim; None for a rotor left to itself."""
    decay: float
    """What is left of the rotor's speed after half a second without drive."""
    counter_last: int
    counter_first: int
    """What comes after the last one."""
    counter_resets: bool
    """Entering state 6 makes the counter 0."""
    unseen: float
    """How many games have a line of state 4 in which the ball goes unseen."""
    banner: bytes


HABITS = {
    "slingshot-2": Habits(
        start=(12, 23), betting=(6, 17), launching=(3, 4), rim=(4, 8), running=(44, 60),
        settled=(7, 14), settled_early=(2, 6), launch_speed=(160, 179), run_speed=(144, 193), decay=1.0,
        counter_last=256, counter_first=1, counter_resets=False,
        unseen=0.15, banner=b"*V V2.41 SlingShot 2 Roulette Wheel\r\n",
    ),
    "mercury-360": Habits(
        start=(12, 23), betting=(16, 50), launching=(3, 5), rim=(12, 20), running=(16, 28),
        settled=(7, 14), settled_early=(2, 6), launch_speed=(180, 280), run_speed=None, decay=0.9975,
        counter_last=255, counter_first=0, counter_resets=True,
        unseen=0.0, banner=b"*V V1.07 Mercury 360 Roulette Wheel\r\n",
    ),
}  # fmt: skip


@dataclass(slots=True)
class Failure:
    """A launch that comes to nothing: so many lines with nothing, with bit 2, and with bit 8."""

    unmarked: int
    with_rotor: int
    marked: int


Ending = Literal["result", "abandoned", "closed", "power_cut"]
"""`abandoned`: the wheel goes back to state 2; `closed`: to state 6; `power_cut`: it starts anew."""


@dataclass(slots=True)
class Plan:
    """What is going to happen in a game. Counts are lines of half a second."""

    number: str | None
    bare: str | None
    """What the bare number line says; None for no such line."""
    bare_end: bytes
    previous: str | None
    labels: tuple[str, ...]
    """All pockets of the wheel."""
    start: int
    betting: int
    launching: int
    rim: int
    running: int
    settled: int
    reverses: bool = True
    ball_follows: bool = False
    """The ball runs in the rotor's own sense."""
    failures: list[Failure] = field(default_factory=list)
    marked_in_rim: int = 0
    """Lines of state 3 that still carry the failed launch's bit."""
    respins: list[int] = field(default_factory=list)
    """Launches given up by the croupier after so many lines of state 3."""
    locked: int = 0
    ending: Ending = "result"
    closed: int = 0
    """Lines of state 6 after an ending that closes the wheel."""
    closing_warning: int = 0

    @property
    def launches(self) -> int:
        """How often the rotor is driven for a launch."""
        return 1 + len(self.failures) + len(self.respins)


@dataclass(slots=True)
class Controller:
    """What the wheel carries from game to game."""

    counter: int = 1
    shown: str | None = None
    speed: float = 0.0
    rotor: int = 0
    tick: int = 0
    """Half seconds since the simulation began."""
    ending: Ending = "power_cut"
    """How the last game ended; a wheel fresh from the switch is like one whose power was cut."""


def between(rng: Random, limits: tuple[int, int]) -> int:
    """A whole number within the limits, both included."""
    low, high = limits
    return low + int(rng.random() * (high - low + 1))


def play(plan: Plan, wheel: Controller, habits: Habits, rng: Random) -> list[Line]:
    """The lines of one game. Moves the controller to where the game leaves it."""
    script = _Script(wheel, habits, rng)
    script.open(plan.start)
    script.steady("betting", plan.betting)
    for failure in plan.failures:
        script.turn(plan.reverses, plan.launching)
        script.fail(failure)
    script.turn(plan.reverses, plan.launching)
    for lines in plan.respins:
        script.steady("rim", lines)
        script.steady("betting", between(rng, (4, 12)))
        script.turn(plan.reverses, plan.launching)
    script.steady("rim", plan.marked_in_rim, script.warning)
    script.steady("rim", plan.rim - plan.marked_in_rim)
    script.run(plan.running)
    if plan.ending == "result":
        script.steady("locked", plan.locked)
        script.settle(plan)
    elif plan.ending == "closed":
        script.close(plan.closed, plan.closing_warning)
    elif plan.ending == "power_cut":
        wheel.counter, wheel.shown, wheel.speed, wheel.rotor = 1, None, 0.0, 0
    wheel.ending = plan.ending
    return script.lines


class _Script:
    """Writes the lines of a game one after the other, with the rotor's speed moving along."""

    def __init__(self, wheel: Controller, habits: Habits, rng: Random) -> None:
        self.lines: list[Line] = []
        self.warning = 0
        """The failed launch's bit: it stays until the ball is in the rim."""
        self._wheel = wheel
        self._habits = habits
        self._random = rng.random
        self._rng = rng

    def line(self, phase: Phase, warning: int = 0) -> None:
        wheel = self._wheel
        wheel.tick += 1
        t = wheel.tick * HEARTBEAT + JITTER * (2.0 * self._random() - 1.0)
        speed = int(wheel.speed)
        if speed > 30:
            speed += int(self._random() * 3.0) - 1
        state = STATE[phase]
        self.lines.append(Line(t, phase, state, wheel.counter, wheel.shown, warning, speed, wheel.rotor))

    def steady(self, phase: Phase, count: int, warning: int = 0) -> None:
        decay = self._habits.decay
        for _ in range(count):
            self.line(phase, warning)
            self._wheel.speed *= decay

    def open(self, start: int) -> None:
        """What leads to state 2: nothing as a rule, power-on at the longest."""
        wheel, habits = self._wheel, self._habits
        if wheel.ending == "power_cut":
            wheel.tick += between(self._rng, (6, 12))  # quiet for some seconds after power-on
            self.aside("banner", habits.banner)
            self.steady("closed", between(self._rng, (4, 12)))
        if start:
            self.start(start)
        if wheel.ending == "result":
            wheel.counter += 1
            if wheel.counter > habits.counter_last:
                wheel.counter = habits.counter_first

    def start(self, count: int) -> None:
        """State 1: the rotor comes up to speed, or turns on if it already does."""
        wheel, target = self._wheel, self._rng.uniform(*self._habits.launch_speed)
        for _ in range(count):
            if wheel.speed < target - 30.0:
                wheel.speed = min(wheel.speed + self._rng.uniform(85, 96), target)
            self.line("start")

    def turn(self, reverses: bool, launching: int) -> None:
        """The rotor is braked, stands for a moment and is driven, as a rule the other way."""
        wheel, rng, warning = self._wheel, self._rng, self.warning
        wheel.speed -= rng.uniform(5, 90)
        while wheel.speed > 12.0:
            self.line("turning", warning)
            wheel.speed -= rng.uniform(78, 95)
        for speed in (rng.uniform(0, 12), rng.uniform(0, 2), 0.0)[: between(rng, (2, 3))]:
            wheel.speed = speed
            self.line("turning", warning)
        if reverses:
            wheel.rotor ^= 1
        target = rng.uniform(*self._habits.launch_speed)
        wheel.speed = rng.uniform(15, 90)
        for _ in range(launching):
            self.line("launching", warning)
            wheel.speed = min(wheel.speed + rng.uniform(92, 98), target)
        wheel.speed = target

    def fail(self, failure: Failure) -> None:
        self.steady("failing", failure.unmarked, self.warning)
        self.steady("failing", failure.with_rotor, self.warning | BALL_WITH_ROTOR)
        self.steady("failing", failure.marked, FAILED_LAUNCH)
        self.warning = FAILED_LAUNCH

    def run(self, count: int) -> None:
        if self._habits.run_speed is not None:
            self.steady("running", 1)
            count -= 1
            self._wheel.speed = self._rng.uniform(*self._habits.run_speed)
        self.steady("running", count)
        if self._random() < self._habits.unseen:
            self.lines[-self._rng.randrange(1, count)].warning |= BALL_UNSEEN

    def settle(self, plan: Plan) -> None:
        """State 5, with the bare number before it."""
        if plan.bare is not None:
            self.aside("bare", plan.bare.encode("ascii") + plan.bare_end)
        self._wheel.shown = plan.number
        self.steady("settled", plan.settled)

    def aside(self, phase: Phase, data: bytes) -> None:
        """A line that is no status line, somewhere between the last heartbeat and the next."""
        wheel = self._wheel
        t = (wheel.tick + self._rng.uniform(0.06, 0.94)) * HEARTBEAT
        self.lines.append(Line(t, phase, 0, wheel.counter, wheel.shown, 0, 0, wheel.rotor, data))

    def close(self, count: int, warning: int) -> None:
        """The rotor runs down while the game still counts, then state 6; the direction reads 0 at rest."""
        wheel = self._wheel
        while wheel.speed > 10.0:
            self.line("running", warning)
            wheel.speed -= 24.0
        wheel.speed, wheel.rotor = max(wheel.speed, 0.0), 0
        if self._habits.counter_resets:
            wheel.counter = 0
        for _ in range(count):
            self.line("closed", warning)
            wheel.speed = 0.0
