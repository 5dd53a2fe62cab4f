"""A simulated fortune wheel with bare sensors: spins as bytes of the sensor protocol, and the truth of each.

The motion is `simulators.physics.fortune_wheel`, the play `fortune_wheel_play`. Sensors are seen event by
event: an encoder that is counted in hardware or sends raw edges, the index, the pointer that bounces on every
peg for up to 75 ms. Positions and edges are taken at moments that jitter by some tenths of a millisecond.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import floor
from random import Random

from protocols.sensor import LEVEL
from simulators.devices.fortune_wheel_play import SpinTruth, play, truth_of
from simulators.devices.fortune_wheel_troubles import FAULTS, INDEX, POINTER, A, B, strike
from simulators.devices.microcontroller import COUNTED, Microcontroller, Position, Seen
from simulators.physics.crossings import ends, passed, turns
from simulators.physics.fortune_wheel import TURN, Bearing, Spin
from simulators.traffic import Item

BOUNCE = 0.075
PHASE = 0.37
"""Counts from a peg to the encoder's next step: no step is just at a peg, where the wheel turns back."""
QUIET = 4.5
"""Seconds that pass after the wheel has come to rest."""


@dataclass(frozen=True, slots=True)
class Build:
    """How the wheel and its sensors are made."""

    bearing: Bearing = field(default_factory=Bearing)
    counts: int = 4000
    raw: bool = False
    """Raw edges of the encoder, in place of counts."""
    index_at: float = 0.31
    """Part of a turn clockwise from peg 0 at the pointer, where the index comes."""
    index_width: float = 2.0
    """Counts for which an encoder of bare edges sees its index mark, clockwise from there."""
    peg_width: float = 0.08
    """Over which the pointer is lifted, in parts of the pitch."""
    jitter: float = 2e-4
    """Seconds by which moments are taken wrongly, at most."""
    serial: str = "WHEEL-0001"
    sampled: float = COUNTED
    """Seconds between two positions of an encoder that is counted in hardware, at most `COUNTED`."""

    @property
    def calibration(self) -> dict[str, object]:
        """Its true figures, as `mesad calibrate` would find them, in turns and seconds."""
        told = {name: getattr(self, name) for name in ("serial", "counts", "index_at", "peg_width")}
        return told | self.bearing.in_turns | {"excursion": 32 / self.counts, "bounce": 0.004, "spins": 10}


Happening = tuple[float, int, int]
"""Time, channel, and its level from then on."""


@dataclass(frozen=True, slots=True)
class SpinGame:
    """One spin on the line."""

    items: tuple[Item, ...]
    truth: SpinTruth


Plan = Callable[[int], tuple[str, str | None]]
"""Says for each spin, from 0, its scenario and the fault of its sensors."""


def clean(index: int) -> tuple[str, str | None]:
    """The plan of a house where nothing ever goes wrong."""
    return "clean", None


def pointer_edges(motion: Spin, build: Build, rng: Random) -> list[Happening]:
    """The pointer on every peg, with bounces that begin at an edge and die away before the next but one."""
    pitch = TURN / build.bearing.pegs
    half = build.peg_width / 2 * pitch
    contacts: list[tuple[float, int]] = []
    for piece, end in ends(motion.pieces, motion.rest_angle):
        if piece.speed:
            # a peg lifts the pointer from half a width before it to half a width after it
            edges = [(t, sense > 0) for t, _, sense in passed(piece, end, pitch, -half)]
            edges += [(t, sense < 0) for t, _, sense in passed(piece, end, pitch, half)]
            contacts += [(t, int(high)) for t, high in sorted(edges)]
    happened: list[Happening] = []
    for at, (time, level) in enumerate(contacts):
        until = contacts[at + 1][0] if at + 1 < len(contacts) else time + 1.0
        until = min(until, time + BOUNCE * rng.random())
        happened.append((time, POINTER, level))
        while rng.random() < 0.5:
            off, on = sorted((rng.uniform(time, until), rng.uniform(time, until)))
            if off <= happened[-1][0] or on <= off:
                break
            happened += [(off, POINTER, 1 - level), (on, POINTER, level)]
    return happened


def encoder_edges(motion: Spin, counts: int) -> list[Happening]:
    """Raw edges: A leads B when the wheel turns clockwise."""
    happened: list[Happening] = []
    for piece, end in ends(motion.pieces, motion.rest_angle):
        if piece.speed:
            for time, k, sense in passed(piece, end, TURN / counts, PHASE * TURN / counts):
                position = k if sense > 0 else k - 1
                high_a, high_b = levels(position)
                before = levels(position - sense)
                happened.append((time, A, high_a) if before[0] != high_a else (time, B, high_b))
    return happened


def levels(position: int) -> tuple[int, int]:
    """A and B at a position."""
    return ((0, 0), (1, 0), (1, 1), (0, 1))[position % 4]


def index_edges(motion: Spin, build: Build) -> list[Happening]:
    """The index mark, which begins and ends."""
    begins, width = build.index_at * TURN, build.index_width * TURN / build.counts
    happened: list[Happening] = []
    for angle, inwards in ((begins, 1), (begins + width, -1)):
        passes = turns(motion.pieces, motion.rest_angle, angle)
        happened += [(time, INDEX, int(sense == inwards)) for time, sense in passes]
    return happened


class SensorFortuneWheel:
    """One wheel, from power-on. The same arguments give the same bytes."""

    def __init__(self, build: Build | None = None, seed: int = 0, plan: Plan = clean) -> None:
        self.build = build = build or Build()
        self.seed = seed
        self._plan = plan
        self._index = 0
        self._time = 0.0
        self._angle = Random(f"{seed}/start").random() * TURN
        self._slipped = 0
        """By how many counts the encoder's counter is off."""
        channels = 1 << INDEX | 1 << POINTER | (1 << A | 1 << B if build.raw else 0)
        self._device = Microcontroller(f"{seed}/device", build.serial, build.counts, channels, build.sampled)

    def games(self, count: int | None = None) -> Iterator[SpinGame]:
        """The next `count` spins (without end for None), each made when it is asked for."""
        while count is None or count > 0:
            yield self._game()
            count = None if count is None else count - 1

    def tail(self) -> tuple[Item, ...]:
        """Nothing: a spin ends with the quiet from which its rest is told."""
        return ()

    def _game(self) -> SpinGame:
        rng = Random(f"{self.seed}/{self._index}")
        name, fault = self._plan(self._index)
        if fault is not None and fault not in FAULTS:
            raise ValueError(f"no fault {fault!r}; known are: {', '.join(FAULTS)}")
        build, start = self.build, self._angle
        played = play(name, build.bearing, start, rng, build.peg_width)
        # before its first spin it is then seen to stand, whatever its clock
        begins = self._time + rng.uniform(2.5, 4.0)
        rests = begins + played.motion.rest_time
        mishap = Random(f"{self.seed}/{self._index}/fault")  # a fault leaves the spin itself as it is
        pitch = build.counts // build.bearing.pegs
        struck = strike(fault, self._seen(played.motion, begins, rng), begins, rests, pitch, mishap)
        self._slipped += struck.slipped
        items = self._device.wire(self._time, rests + QUIET, struck.seen, struck.troubles)
        self._time = rests + QUIET
        self._angle = played.motion.rest_angle
        truth = truth_of(self._index, name, fault, played, start, build.peg_width)
        self._index += 1
        return SpinGame(tuple(items), truth)

    # --- what the device sees ---------------------------------------------------------------------

    def _seen(self, motion: Spin, begins: float, rng: Random) -> Seen:
        """Everything that the sensors show of a motion from a moment on."""
        build = self.build
        happened = pointer_edges(motion, build, rng)
        if build.raw:
            happened += encoder_edges(motion, build.counts) + index_edges(motion, build)
        happened.sort()
        seen = Seen()
        last = 0.0
        for time, channel, level in happened:
            last = max(last, begins + time - (rng.uniform(0, build.jitter) if channel == POINTER else 0.0))
            seen.edges.append((last, channel | LEVEL * level))
        if not build.raw:
            seen.positions = list(self._positions(motion, begins, rng))
            for time, sense in turns(motion.pieces, motion.rest_angle, build.index_at * TURN):
                seen.pulses.append((begins + time, self._count(motion.angle(time) + sense * 1e-9)))
        return seen

    def _positions(self, motion: Spin, begins: float, rng: Random) -> Iterator[Position]:
        """What the counter shows while the wheel turns, and a little longer."""
        time, last = rng.random() * self.build.sampled, 0.0
        while time < motion.rest_time + 0.2:
            last = max(last, begins + time + rng.uniform(0, self.build.jitter))
            yield last, self._count(motion.angle(time))
            time += self.build.sampled

    def _count(self, angle: float) -> int:
        return floor(angle / TURN * self.build.counts - PHASE) + self._slipped
