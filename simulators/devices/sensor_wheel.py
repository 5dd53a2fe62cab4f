"""A simulated roulette or boule with bare sensors: spins as packets in virtual time, and their truths.

A game goes from one rest of the ball to the next: the ball is taken out, a roulette's rotor is driven the
other way, the ball is thrown, runs, falls, bounces and rests until the sensors have seen it there five times.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import radians
from random import Random
from typing import Literal

from protocols.sensor import LEVEL, NUMBERS
from simulators.devices.microcontroller import COUNTED, Edge, Encoder, Microcontroller, Noise, Troubles, noisy
from simulators.devices.pocket_sensor import POCKET_CHANNEL, PocketSensor
from simulators.devices.shaft_encoder import ShaftEncoder
from simulators.physics import boule, roulette
from simulators.physics.roulette import Course, Stay
from simulators.physics.roulette_ball import TURN, Launch, RimRun, Track
from simulators.physics.shaft import Shaft
from simulators.traffic import Expected, Item

Kind = Literal["roulette", "boule"]
Sense = Literal["cw", "ccw"]

RIM = (0.0, 0.29, 0.56)
RIM_CHANNEL, LID_CHANNEL = NUMBERS["rim_1"], NUMBERS["lid"]
BALL_WIDTH = 0.009
"""Turns of the rim that the ball covers."""
CHANNELS: dict[Encoder, int] = {"edges": 0b0101111111, "counts": 0b0101111100}
"""Of the device: those whose edges it sends, and the index."""
LAUNCH_SPEED: dict[Kind, tuple[float, float]] = {"roulette": (1.3, 2.1), "boule": (0.75, 1.25)}
"""Turns a second."""
SCANNING = 1.0
"""Turns a second of the sensor under a boule."""


@dataclass(frozen=True, slots=True)
class SensorTruth:
    """What really happened in one game."""

    index: int
    place: int | None
    """The pocket in which the ball rests, clockwise from the first; None if it rests in none."""
    laps: int | None
    """Whole turns from the first pass that a rim sensor told to the last one."""
    drop: float | None
    """Where on the stator it left the rim by itself, in turns clockwise; None if it was taken out of it."""
    ball: Sense
    rotor: Sense | None
    """None for a boule."""
    launches: int
    launched: float
    """Virtual seconds of the first launch."""
    expected: Expected
    fault: str | None
    note: str


@dataclass(frozen=True, slots=True)
class SensorGame:
    """One game on the line."""

    items: tuple[Item, ...]
    truth: SensorTruth


@dataclass(slots=True)
class Plan:
    """How a game is going to go. Faults change it before it is played; times in virtual seconds."""

    start: float
    rotor: int
    """Sense in which the rotor is driven; 0 for a boule."""
    rotor_speed: float
    ball: int
    speed: float
    angle: float
    taken: float
    """When the ball is taken out of the last game's pocket."""
    driven: float
    launched: float
    weak: float | None = None
    """Speed of a launch that falls short before the real one."""
    cut_rim: float | None = None
    """Part of the run in the rim after which the ball is taken out."""
    cut_rest: float | None = None
    """Turns of rest after which the ball is taken out or jumps out."""
    leaves: bool = False
    """The ball leaves the cylinder instead of falling into a pocket."""
    foreign: bool = False
    """An object lies in another pocket from before the launch."""
    turned_round: bool = False
    """The rotor is turned round while the ball runs."""
    rocked: bool = False
    """A hand stops the rotor when the ball has come to rest, rocks it and drives it on."""
    lid: bool = False
    """The lid is moved while the ball runs."""
    trouble: Callable[["Plan", Course, Troubles, Random], None] | None = None
    """What happens to the device, once the course is known."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """One way in which a game goes wrong, and what a correct observer makes of it."""

    name: str
    expected: Expected
    description: str
    shape: Callable[[Plan, Random], None]
    kinds: frozenset[str] = frozenset({"roulette", "boule"})
    at_boule: Expected | None = None
    """What is expected at a boule, of which no text says that a throw may be void; None for the same."""

    def expected_of(self, kind: Kind) -> Expected:
        """What a correct observer makes of it on such a wheel."""
        return self.at_boule or self.expected if kind == "boule" else self.expected


Mishaps = Callable[[int], Mishap | None]
"""Says for each game, asked once and in order, what goes wrong with it."""


@dataclass(slots=True)
class _Events:
    """Edges of a game as they are, and where the ball is left."""

    edges: list[Edge] = field(default_factory=list)

    def add(self, channel: int, rises: float, falls: float) -> None:
        self.edges += [(rises, channel | LEVEL), (falls, channel)]


class SensorWheel:
    """One wheel from its start. The same arguments give the same bytes."""

    def __init__(
        self,
        kind: Kind = "roulette",
        encoder: Encoder = "counts",
        seed: int = 0,
        mishaps: Mishaps | None = None,
        *,
        pockets: int | None = None,
        counts: int = 400,
        noise: Noise | None = None,
        aligned: bool = False,
        tilt: float = 0.0,
        sampled: float = COUNTED,
        index_width: float = 1.0,
    ) -> None:
        """`aligned`: the index comes where pocket 0 meets the pocket sensor; drawn by the seed otherwise.

        `tilt`: degrees by which the wheel is out of level, highest where the seed has it.
        `sampled`: seconds between the positions of an encoder that is counted in hardware.
        `index_width`: counts for which an encoder of bare edges sees its index mark.
        """
        self.kind: Kind = kind
        self.pockets = pockets or (37 if kind == "roulette" else boule.HOLES)
        self.seed = seed
        self.noise = noise or Noise()
        self._mishaps = mishaps or (lambda index: None)
        rng = Random(f"{seed}/wheel")
        mark = 0.0 if kind == "boule" and aligned else rng.random()
        self._encoder = ShaftEncoder(encoder, counts, mark, index_width, sampled)
        self._device = Microcontroller(f"{seed}/device", f"SIM-{seed}", counts, CHANNELS[encoder], sampled)
        self._sensor = 0.0 if kind == "boule" else self._encoder.index if aligned else rng.random()
        """Where a roulette's pocket sensor stands on the stator, in turns."""
        self._sense = rng.choice((1, -1))
        speed = self._sense * rng.uniform(0.3, 0.5) if kind == "roulette" else SCANNING
        self._shaft = Shaft(rng.random(), speed, 0.0)
        at = self._sensor if kind == "roulette" else None
        self._pocket = PocketSensor(at, self.pockets, self._shaft, self.noise)
        level = Track() if kind == "roulette" else boule.EDGE
        high = Random(f"{seed}/high").random() * TURN
        self._track = replace(level, tilt=radians(tilt), high=high) if tilt else level
        self._now = 0.0
        self._index = 0
        self._resting: Stay | None = None

    @property
    def options(self) -> dict[str, object]:
        """What a table's file says of this wheel to the driver `bare-wheel`."""
        turning = "pockets" if self.kind == "roulette" else "sensor"
        offset = (self._sensor - self._encoder.index) % 1.0
        leaving = 0.5 if self.kind == "roulette" else 0.3
        return {
            "pockets": self.pockets,
            "turning": turning,
            "rim": list(RIM),
            "offset": round(offset, 9),
            "leaving": leaving,
        }

    def games(self, count: int | None = None) -> Iterator[SensorGame]:
        """The next `count` games (without end for None), each made when it is asked for."""
        while count is None or count > 0:
            yield self._game()
            count = None if count is None else count - 1

    def tail(self) -> tuple[Item, ...]:
        """Some seconds more after the last game; nothing moves but the shaft."""
        end = self._now + 3.0
        return self._wire(end, [], Troubles())

    def _game(self) -> SensorGame:
        rng = Random(f"{self.seed}/{self._index}")
        mishap = self._mishaps(self._index)
        plan = self._plan(rng)
        if mishap is not None:
            mishap.shape(plan, rng)
        troubles = Troubles()
        events = _Events()
        self._rest_until(plan.taken, events)
        launches, first = 1, plan.launched
        if self.kind == "roulette":
            if plan.weak is not None:
                launches += self._fall_short(plan, events, rng)
            self._shaft.drive(plan.driven, plan.rotor * plan.rotor_speed, 1.5, 0.002)
        elif plan.weak is not None:
            launches += self._fall_short(plan, events, rng)
        course = self._course(plan, rng)
        if plan.turned_round:
            after = plan.launched + course.left_rim * 0.5
            self._shaft.drive(after, -plan.rotor * plan.rotor_speed, 1.5, 0.002)
        if plan.trouble is not None:
            plan.trouble(plan, course, troubles, rng)
        laps = self._run(plan, course, events, troubles, rng)
        place, end = self._settle(plan, course, events, rng)
        if plan.lid:
            moved = plan.launched + course.left_rim * 0.6
            troubles.lid = moved, moved + 2.0
            events.edges += [(moved, LID_CHANNEL), (moved + 2.0, LID_CHANNEL | LEVEL)]
        items = self._wire(end, events.edges, troubles)
        truth = SensorTruth(
            index=self._index,
            place=place,
            laps=laps,
            drop=None if plan.cut_rim is not None else round(course.drop, 6),
            ball="cw" if plan.ball > 0 else "ccw",
            rotor=None if self.kind == "boule" else "cw" if plan.rotor > 0 else "ccw",
            launches=launches,
            launched=first,
            expected="valid" if mishap is None else mishap.expected_of(self.kind),
            fault=None if mishap is None else mishap.name,
            note="" if mishap is None else mishap.description,
        )
        self._sense = plan.rotor
        self._index += 1
        return SensorGame(items, truth)

    def _wire(self, end: float, edges: list[Edge], troubles: Troubles) -> tuple[Item, ...]:
        """All that is on the line from now to a moment, which then is now."""
        seen = self._encoder.seen(self._now, end, self._shaft, troubles.slip)
        seen.edges = sorted([*seen.edges, *edges])
        items = self._device.wire(self._now, end, seen, troubles)
        self._now = end
        self._shaft.forget(end)
        return tuple(items)

    # --- the plan -------------------------------------------------------------------------------

    def _plan(self, rng: Random) -> Plan:
        """A game without a mishap."""
        taken = self._now + rng.uniform(0.5, 1.5)
        driven = taken + rng.uniform(0.5, 1.0)
        if self.kind == "roulette":
            rotor, speed = -self._sense, rng.uniform(0.32, 0.48)
            launched = driven + 1.5 + 2.6 / speed + rng.uniform(0.0, 2.0)
            ball = -rotor
        else:
            rotor, speed = 0, SCANNING
            launched = driven + 3.0 + rng.uniform(0.0, 2.0)
            ball = rng.choice((1, -1))
        return Plan(
            start=self._now,
            rotor=rotor,
            rotor_speed=speed,
            ball=ball,
            speed=rng.uniform(*LAUNCH_SPEED[self.kind]),
            angle=rng.random(),
            taken=taken,
            driven=driven,
            launched=launched,
        )

    def _course(self, plan: Plan, rng: Random) -> Course:
        launch = plan.angle, plan.speed, plan.ball
        if self.kind == "boule":
            return boule.spin(rng, self._track, launch, RIM)
        return roulette.spin(rng, self._track, self._shaft, plan.launched, launch, RIM, self.pockets)

    # --- what the sensors see ---------------------------------------------------------------------

    def _rest_until(self, taken: float, events: _Events) -> None:
        """The ball of the last game, until it is taken out."""
        if self._resting is not None:
            for rises, falls in self._pocket.sights(self._resting, self._now, taken):
                events.add(POCKET_CHANNEL, rises, falls)
            self._resting = None

    def _fall_short(self, plan: Plan, events: _Events, rng: Random) -> int:
        """A weak launch, after which the croupier catches the ball; everything else comes later."""
        if self.kind == "roulette":
            self._shaft.drive(plan.driven, plan.rotor * plan.rotor_speed, 1.5, 0.002)
        assert plan.weak is not None
        run = RimRun(self._track, Launch(rng.random() * TURN, plan.weak * TURN, plan.ball))
        for time, sensor, speed, _ in roulette.seen(run, RIM):
            rises = plan.launched + time
            events.add(RIM_CHANNEL + sensor, rises, rises + BALL_WIDTH / speed)
        gone = plan.launched + run.time + rng.uniform(4.0, 6.0)
        plan.rotor, plan.ball = -plan.rotor, -plan.ball
        plan.driven = gone
        plan.launched = gone + 1.5 + 2.6 / plan.rotor_speed + rng.uniform(0.0, 1.0)
        return 1

    def _run(
        self, plan: Plan, course: Course, events: _Events, troubles: Troubles, rng: Random
    ) -> int | None:
        """The passes in the rim; the turns that were seen of them."""
        until = course.left_rim * (plan.cut_rim if plan.cut_rim is not None else 1.0)
        edges: list[Edge] = []
        turns: dict[float, float] = {}
        for time, sensor, speed, turned in course.passes:
            if time <= until:
                rises = plan.launched + time
                channel = RIM_CHANNEL + sensor
                seen = noisy(
                    rng, [(rises, channel | LEVEL), (rises + BALL_WIDTH / speed, channel)], self.noise
                )
                edges += seen
                if channel not in troubles.dead and any(each & LEVEL for _, each in seen):
                    turns[time] = turned
        events.edges += edges
        return int(max(turns.values()) - min(turns.values()) + 1e-9) if turns else None

    def _settle(self, plan: Plan, course: Course, events: _Events, rng: Random) -> tuple[int | None, float]:
        """From the rim to the rest: where it rests, and when the game is over."""
        launched, rate = plan.launched, plan.rotor_speed
        fallen = launched + course.left_rim * (plan.cut_rim if plan.cut_rim is not None else 1.0)
        unseen = fallen + 15.0 + 2.5 / rate
        *hops, last = (
            Stay(launched + stay.start, launched + stay.end, stay.place, stay.offset) for stay in course.stays
        )
        if plan.cut_rim is not None:
            hops, rests = [], False
        else:
            rests = not plan.leaves
        for stay in hops:
            events.edges += self._pocket.sees(stay, stay.start, stay.end, rng)
        if not rests:
            place, end = None, max(unseen, hops[-1].end + 14.0 if hops else 0.0)
        elif plan.cut_rest is not None:
            out = last.start + plan.cut_rest / rate
            events.edges += self._pocket.sees(last, last.start, out, rng)
            place, end = None, out + 15.0 + 2.5 / rate
        else:
            looked_from = last.start
            if plan.rocked:
                looked_from = self._rock(last.start + 1.0 / rate, plan.rotor * rate)
            edges, end = self._pocket.rest(last, looked_from, rng)
            events.edges += edges
            place = last.place
            self._resting = last
        if plan.foreign:
            other = Stay(plan.start, end, (course.place + 7) % self.pockets, 0.1)
            events.edges += self._pocket.sees(other, plan.launched - 1.0, end, rng)
        return place, end

    def _rock(self, time: float, speed: float) -> float:
        """The rotor is stopped, goes some counts to and fro, and is driven on as before; when it is again."""
        self._shaft.stop(time, 0.8)
        for swing in range(12):
            self._shaft.drive(time + 1.0 + swing * 0.2, 0.05 if swing % 2 else -0.05, 0.1, 0.0)
        self._shaft.drive(time + 3.6, speed, 1.0, 0.002)
        return time + 4.6
