"""A simulated fortune wheel with bare sensors: spins as bytes of the sensor protocol, and the truth of each.

The motion is `simulators.physics.fortune_wheel`, the play `fortune_wheel_play`. Sensors are seen event by
event: an encoder that is counted in hardware or sends raw edges, the index, the pointer that bounces on every
peg for up to 75 ms. Positions and edges are taken at moments that jitter by some tenths of a millisecond.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import floor
from random import Random

from protocols import sensor as wire
from simulators.devices.fortune_wheel_play import Played, SpinTruth, play, truth_of
from simulators.physics.crossings import ends, passed, turns
from simulators.physics.fortune_wheel import TURN, Bearing, Spin
from simulators.traffic import Bytes, Item, Replug, Unplug

A, B, INDEX, POINTER = 0, 1, 2, 7
SAMPLE = 0.05
"""Seconds between two packets of an encoder that is counted in hardware."""
BOUNCE = 0.075
PHASE = 0.37
"""Counts from a peg to the encoder's next step: no step is just at a peg, where the wheel turns back."""
CUT = (1.2, 6.0)
"""Seconds before the rest between which the sensors are cut: later, a wheel is as good as at rest."""
QUIET = 4.5
"""Seconds that pass after the wheel has come to rest."""

FAULTS = {
    "gap": "packets are lost in mid-spin",
    "damaged": "a packet arrives damaged in mid-spin",
    "lost_edges": "the device had no room for edges, and says so",
    "missed_edge": "an edge is missing and the device does not know (raw edges), or says so (counts)",
    "doubled_edge": "an edge comes twice (raw edges), or both channels change at once (counts)",
    "restart": "the device is started anew in mid-spin",
    "slip": "the encoder slips on its shaft in mid-spin",
    "unplug": "the cable is pulled in mid-spin, and put back",
    "pointer_dead": "the pointer's sensor falls silent in mid-spin",
    "index_dead": "the index's sensor falls silent in mid-spin",
    "sensors_cut": "all of the wheel's sensors fall silent in the spin's last seconds",
}
"""What can go wrong with the sensors, by name. A spin with one of them must never be judged valid."""


@dataclass(frozen=True, slots=True)
class Build:
    """How the wheel and its sensors are made."""

    bearing: Bearing = field(default_factory=Bearing)
    counts: int = 4000
    raw: bool = False
    """Raw edges of the encoder, in place of counts."""
    index_at: float = 0.31
    """Part of a turn clockwise from peg 0 at the pointer, where the index comes."""
    peg_width: float = 0.08
    """Over which the pointer is lifted, in parts of the pitch."""
    jitter: float = 2e-4
    """Seconds by which moments are taken wrongly, at most."""
    serial: str = "WHEEL-0001"
    sampled: float = SAMPLE
    """Seconds between two positions of an encoder that is counted in hardware, at most `SAMPLE`."""

    @property
    def calibration(self) -> dict[str, object]:
        """Its true figures, as `mesad calibrate` would find them, in turns and seconds."""
        told = {name: getattr(self, name) for name in ("serial", "counts", "index_at", "peg_width")}
        return told | self.bearing.in_turns | {"excursion": 32 / self.counts, "bounce": 0.004, "spins": 10}


Happening = tuple[float, int, int]
"""Time, what (a channel, or one of those below), and a level or position."""
_POSITION = 16


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


class Sender:
    """The device's clock, its counts and its packets."""

    def __init__(self, build: Build, rng: Random) -> None:
        self.items: list[Item] = []
        self.base = 0
        """The encoder's count that the device calls 0."""
        self.slipped = 0
        self.lost = 0
        self.invalid = 0
        self.unplugged = False
        self.drop = 0
        """Packets that the line loses next."""
        self.damage = False
        self._build = build
        self._rng = rng
        self._boot = 0
        self._sequence = 0
        self._on = 0.0
        self._arrived = 0.0

    def clock(self, time: float) -> int:
        """The device's microseconds."""
        return int((time - self._on) * 1e6)

    def start(self, time: float, position: int) -> None:
        """Power on, or on again."""
        self._on, self._sequence, self.base = time, 0, position
        self.lost = self.invalid = 0
        self._boot += 1
        self._put(time, b"\0")
        self.name(time)
        self.send(time, wire.SelfTest(bytes(len(wire.CHANNELS))))

    def name(self, time: float) -> None:
        """Say who the device is."""
        build = self._build
        channels = 1 << A | 1 << B if build.raw else 0
        channels |= 1 << INDEX | 1 << POINTER
        self.send(time, wire.Identity(build.serial, "sim-1", self._boot, build.counts, 0, channels))

    def send(self, time: float, body: wire.Body) -> None:
        """One packet, a little later on the line."""
        data = wire.encode(body, self._boot, self._sequence, self.clock(time))
        self._sequence += 1
        if self.drop:
            self.drop -= 1
            return
        if self.damage:
            self.damage = False
            at = self._rng.randrange(len(data) - 1)
            data = data[:at] + bytes((data[at] ^ 0x10 or 0x11,)) + data[at + 1 :]
        self._put(time, data)

    def _put(self, time: float, data: bytes) -> None:
        self._arrived = max(self._arrived, time + self._rng.uniform(0.001, 0.016))
        if not self.unplugged:
            self.items.append(Bytes(self._arrived, data))

    def plug(self, time: float, into: bool) -> None:
        """Pull the cable, or put it back."""
        self._arrived = max(self._arrived, time)
        self.unplugged = not into
        self.items.append(Replug(self._arrived) if into else Unplug(self._arrived))


class SensorFortuneWheel:
    """One wheel, from power-on. The same arguments give the same bytes."""

    def __init__(self, build: Build | None = None, seed: int = 0, plan: Plan = clean) -> None:
        self.build = build or Build()
        self.seed = seed
        self._plan = plan
        self._index = 0
        self._time = 0.0
        self._angle = Random(f"{seed}/start").random() * TURN
        self._sender = Sender(self.build, Random(f"{seed}/line"))
        self._sender.start(0.0, self._count(self._angle))
        self._batch: list[tuple[int, int]] = []
        """Edges that wait to be sent: the device's time, the channel with its level."""
        self._counted: list[tuple[int, int]] = []
        """Positions that wait to be sent: the device's time, the count."""
        self._beaten = 0.0
        """When the last heartbeat was sent."""

    def games(self, count: int | None = None) -> Iterator[SpinGame]:
        """The next `count` spins (without end for None), each made when it is asked for."""
        while count is None or count > 0:
            yield self._game()
            count = None if count is None else count - 1

    def tail(self) -> tuple[Item, ...]:
        """Nothing: a spin ends with the quiet from which its rest is told."""
        return ()

    def _count(self, angle: float) -> int:
        return floor(angle / TURN * self.build.counts - PHASE)

    def _game(self) -> SpinGame:
        rng = Random(f"{self.seed}/{self._index}")
        name, fault = self._plan(self._index)
        if fault is not None and fault not in FAULTS:
            raise ValueError(f"no fault {fault!r}; known are: {', '.join(FAULTS)}")
        build, start = self.build, self._angle
        played = play(name, build.bearing, start, rng, build.peg_width)
        begins = self._time + rng.uniform(2.0, 4.0)
        self._send(played, begins, rng, fault)
        self._time = begins + played.motion.rest_time + QUIET
        self._angle = played.motion.rest_angle
        truth = truth_of(self._index, name, fault, played, start, build.peg_width)
        self._index += 1
        items, self._sender.items = self._sender.items, []
        return SpinGame(tuple(items), truth)

    # --- what the device sees ---------------------------------------------------------------------

    def _happened(self, motion: Spin, rng: Random) -> list[Happening]:
        """Everything that the sensors see of a motion, in order, its times from the hand's first touch."""
        build = self.build
        happened = pointer_edges(motion, build, rng)
        marks = list(turns(motion.pieces, motion.rest_angle, build.index_at * TURN))
        if build.raw:
            happened += encoder_edges(motion, build.counts)
            happened += [(time, INDEX, 1) for time, _ in marks]
            happened += [(time + 2e-3, INDEX, 0) for time, _ in marks]
        else:
            at = rng.random() * build.sampled
            while at < motion.rest_time + 0.2:
                happened.append((at, _POSITION, self._count(motion.angle(at))))
                at += build.sampled
            happened += [
                (time, INDEX, self._count(motion.angle(time) + sense * 1e-9)) for time, sense in marks
            ]
        happened.sort()
        return happened

    def _send(self, played: Played, begins: float, rng: Random, fault: str | None) -> None:
        """The packets of one spin and of the quiet before and after it."""
        sender, motion, batch = self._sender, played.motion, self._batch
        mishap = Random(f"{self.seed}/{self._index}/fault")  # a fault leaves the spin itself as it is
        trouble = Trouble(fault, motion, self.build, sender, mishap)
        for time, what, value in self._happened(motion, rng):
            now = begins + time
            self._beat(now)
            if trouble.meets(time, what):
                self._flush(now)
                trouble.strike(now, self._count(motion.angle(time - 1e-6)))
            jitter = rng.uniform(0, self.build.jitter)
            if what == _POSITION:
                seen = trouble.counted(value)
                if seen is None:
                    continue
                late = sender.clock(now + jitter)
                after = max(late, self._counted[-1][0]) if self._counted else late
                self._counted.append((after, seen - sender.base + sender.slipped))
                many = len(self._counted) >= min(SAMPLE / self.build.sampled, wire.POSITIONS_AT_MOST)
                if many or trouble.silent:
                    self._flush(now)
            elif what == INDEX and not self.build.raw:
                if trouble.times(INDEX):
                    sender.send(now, wire.Index(sender.clock(now), value - sender.base + sender.slipped))
            else:
                at = sender.clock(now - (jitter if what == POINTER else 0.0))
                for again in range(trouble.times(what)):
                    at += 5 * again
                    batch.append((max(at, batch[-1][0] if batch else at), what | wire.LEVEL * value))
                if len(batch) >= wire.EDGES_AT_MOST - 1 or (batch and at - batch[0][0] > 40_000):
                    self._flush(now)
        end = begins + motion.rest_time
        self._beat(end + 0.25)  # positions are taken up to a little earlier
        self._flush(end + 0.25)
        self._beat(end + 1.2)
        for channel, level in trouble.end(end + 1.2, self._count(motion.rest_angle)):
            batch.append((sender.clock(end + 1.2), channel | wire.LEVEL * level))
        self._beat(end + QUIET)

    def _flush(self, now: float) -> None:
        """Send the edges and the positions that wait."""
        sender = self._sender
        if self._batch:
            times = tuple(time for time, _ in self._batch)
            sender.send(now, wire.Edges(sender.lost, times, bytes(c for _, c in self._batch)))
            self._batch.clear()
        if self._counted:
            times, positions = zip(*self._counted, strict=True)
            sender.send(now, wire.Counts(sender.invalid, times, positions))
            self._counted.clear()

    def _beat(self, until: float) -> None:
        """The heartbeats and identities up to a moment."""
        sender = self._sender
        while self._beaten + 0.5 <= until:
            self._beaten += 0.5
            now = self._beaten
            if self._batch:
                self._flush(now)
            if now % 10 == 0:
                sender.name(now)
            clock = sender.clock(now)
            sender.send(now, wire.Heartbeat(clock, clock // 1_000_000, sender.lost, False, 3300))


class Trouble:
    """One spin's fault of the sensors, and when it comes."""

    def __init__(self, fault: str | None, motion: Spin, build: Build, sender: Sender, rng: Random) -> None:
        self._fault = fault
        self._build = build
        self._sender = sender
        self._rng = rng
        self._motion = motion
        # a wheel at a crawl may touch no peg any more, and a slow one turn no whole turn
        latest = {"pointer_dead": 0.8, "index_dead": 0.3}.get(fault or "", 0.95)
        self._at = rng.uniform(0.5, motion.rest_time * latest) if fault else 1e9
        if fault == "sensors_cut":
            self._at = motion.rest_time - rng.uniform(*CUT)
        self._held: int | None = None
        """Where the encoder's counter stays while its sensors are cut."""
        self._told = False
        """Whether that was sent: of a wheel that seems to stand nothing more is."""
        self._struck = False
        self._skip = 0
        """Edges of the encoder that go missing next."""
        self._again = False
        """Whether the encoder's next edge comes twice."""

    def meets(self, time: float, what: int) -> bool:
        """Whether the fault comes now. One of edges comes with an edge."""
        if self._struck or time < self._at:
            return False
        self._struck = True
        return True

    def strike(self, now: float, position: int) -> None:
        """What the fault does to the device and its line."""
        sender, rng = self._sender, self._rng
        match self._fault:
            case "gap":
                sender.drop = rng.randrange(1, 5)
            case "damaged":
                sender.damage = True
            case "lost_edges":
                self._skip = rng.randrange(1, 30)
                sender.lost += self._skip
            case "missed_edge":
                self._skip, sender.invalid = 1, sender.invalid + 1
            case "doubled_edge":
                self._again, sender.invalid = True, sender.invalid + 1
            case "restart":
                sender.start(now, position)
            case "slip":
                slip = 4 * rng.randrange(3, 60)
                self._skip = slip
                sender.slipped -= slip
            case "unplug":
                sender.plug(now, False)
            case "sensors_cut":
                self._held = position

    @property
    def silent(self) -> bool:
        """Whether no position will come after the one that waits."""
        return self._held is not None

    def counted(self, position: int) -> int | None:
        """What the encoder's counter shows at a position; None for nothing new."""
        if self._held is None:
            return position
        self._told, told = True, self._told
        return None if told else self._held

    def times(self, what: int) -> int:
        """How often an edge comes."""
        if self._held is not None:
            return 0
        if self._struck and self._fault == {POINTER: "pointer_dead", INDEX: "index_dead"}.get(what):
            return 0
        if what in (A, B) or (self._fault == "lost_edges" and not self._build.raw):
            if self._skip:
                self._skip -= 1
                return 0
            if self._again:
                self._again = False
                return 2
        return 1

    def end(self, now: float, position: int) -> list[tuple[int, int]]:
        """The wheel has come to rest: the cable is put back, the sensor works again.

        The edges that this makes: the encoder's channels with their levels.
        """
        if self._fault == "unplug" and self._struck:
            self._sender.plug(now, True)
        if self._held is None:
            return []
        self._sender.slipped -= position - self._held
        if not self._build.raw:
            return []
        found = zip((A, B), levels(self._held), levels(position), strict=True)
        return [(channel, level) for channel, before, level in found if level != before]
