"""A roulette or a boule whose bare sensors are read by a microcontroller that speaks mesad's sensor protocol.

Listen-only. The device's own times decide everything; arrival times only tell that it is silent. Packets that
are missing, edges that the device lost, a restart, and an index that comes at the wrong count make a throw
that is under way half seen. `docs/sensor-protocol.md` is the wire, `drivers.bare_wheel.play` the game.
"""

from collections.abc import Callable, Sequence

import msgspec

from drivers.bare_wheel.options import COUNTS_A_POCKET, BareWheelOptions, Calibration
from drivers.bare_wheel.play import Play
from drivers.bare_wheel.play_state import PlayState
from drivers.bare_wheel.rotor import Rotor, RotorState
from drivers.bare_wheel.sights import Sights, SightsState
from drivers.bare_wheel.watch import NEEDS, RIM, Watch, WatchState
from drivers.driver import DriverInfo, Health, SerialSettings
from drivers.readings import AnyReading, Instant
from drivers.sensor_device import DeviceState, EdgesLost, SensorDevice
from drivers.sensor_fit import Fit
from drivers.tracking.quadrature import stretches
from protocols import sensor as wire

INDEX, POCKET = wire.NUMBERS["index"], wire.NUMBERS["pocket"]
WAITING_AT_MOST = 64
NO_INDEX = "the encoder's index was never seen, or its counts are not known: no pocket can be told"


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """All that the driver remembers."""

    device: DeviceState
    rotor: RotorState
    sights: SightsState
    play: PlayState
    watch: WatchState
    waiting: tuple[tuple[int, bool], ...] = ()
    """Edges of the pocket sensor whose positions the device has not told yet: time, level."""
    levels: int = 0
    """Bit n: channel n was high when last heard of."""


class BareWheel:
    """One wheel. Instants in, readings out; `drivers.driver.Driver` says what each method is for."""

    def __init__(
        self,
        device: str,
        options: BareWheelOptions,
        sights: Callable[[float, float], None] | None = None,
    ) -> None:
        """`sights` is told each sight of an occupied pocket: the shaft's turns, the angle on the ring."""
        self._made_of = device, options, sights
        self._told = sights
        self._options = options
        self._said: list[AnyReading] = []
        fit = Fit(NEEDS, options.counts, COUNTS_A_POCKET * options.pockets, options.calibration)
        self.device = SensorDevice(device, fit, options.silence, self._said)
        self._rotor = Rotor(options)
        self._sights = Sights()
        self._watch = Watch(self.device.faults)
        self._play = Play(device, options, self._rotor, self._watch, self._said)
        self._waiting: tuple[tuple[int, bool], ...] = ()
        self._levels = 0

    @property
    def deadline(self) -> int | None:
        """When silence becomes loss."""
        return self.device.deadline

    @deadline.setter
    def deadline(self, deadline: int | None) -> None:
        self.device.deadline = deadline

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        """The link was opened; the device is back when it is heard."""
        self._forget()
        self.device.link_up(at)
        return ()

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        """The link ended."""
        self._forget()
        self.device.lose(reason, at)
        return self._spoken()

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """Bytes as they arrived."""
        for message in self.device.heard(data, at):
            self._take(message, at)
        return self._spoken() if self._said else ()

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        """Too long without a packet: the device is lost."""
        silent = self.device.silent(at)
        return () if silent is None else self.link_lost(silent, at)

    def health(self) -> Health:
        """Of the device; whether its encoder can be used."""
        unknown = self.device.speaking and not self._rotor.known and self.device.state.frames > 200
        return self.device.health(NO_INDEX if unknown else None)

    def snapshot(self) -> bytes:
        """The whole state as JSON."""
        parts = self.device.state, self._rotor.state, self._sights.state, self._play.state, self._watch.state
        return msgspec.json.encode(_State(*parts, self._waiting, self._levels))

    def restore(self, snapshot: bytes) -> None:
        """Return to a state that `snapshot` gave. Raises ValueError on anything else, and changes nothing."""
        other = BareWheel(*self._made_of)
        try:
            other._assume(msgspec.json.decode(snapshot, type=_State))
        except ValueError as error:
            raise ValueError(f"not a snapshot of a wheel with bare sensors: {error}") from error
        vars(self).update(vars(other))

    def _assume(self, state: _State) -> None:
        self.device.state, self._rotor.state, self._sights.state = state.device, state.rotor, state.sights
        self._play.state, self._watch.state = state.play, state.watch
        self._waiting, self._levels = state.waiting, state.levels

    # --- messages -------------------------------------------------------------------------------

    def _take(self, message: wire.Message | EdgesLost, at: Instant) -> None:
        self._play.hindrance = self.device.hindrance
        match message:
            case wire.Edges():
                self._edges(message, at)
            case wire.Counts():
                self._counts(message, at)
            case wire.Index(time, position):
                self._index(position, time, at)
            case wire.Heartbeat(time):
                if self.device.lid_at(message, at):
                    self._lid_moved(time, at)
                self._resolve(at)
            case wire.Identity():
                if self._rotor.of_turn(message.counts):
                    self._play.missed("how many counts a turn has", self.device.now, at)
            case wire.Damaged():
                return  # it is missing in the sequence of those that come
            case wire.Restarted() | wire.ClockJumped():
                self._forget()
                return
            case wire.Gap(missing):
                self._miss(f"{missing} packets", at)
                return
            case EdgesLost(number):
                self._miss(f"{number} edges", at)
                return
        if self._watch.index_overdue(self._rotor.overdue, self.device.now, at):
            self._play.missed("the encoder's index", self.device.now, at)
        if self.device.faults.hindering and not self._play.half_seen:
            self._play.missed("what a faulty device did not see", self.device.now, at)
        self._play.tick(self.device.now, at)

    def _edges(self, edges: wire.Edges, at: Instant) -> None:
        times, channels = edges.times, edges.channels
        for begin, end, turned in stretches(channels):
            if turned:
                self._steps(times[begin:end], channels[begin:end], at)
            else:
                channel = channels[begin]
                self._edge(times[begin], channel & 0x7F, channel >= wire.LEVEL, at)
        self._resolve(at)

    def _steps(self, times: Sequence[int], channels: bytes, at: Instant) -> None:
        if invalid := self._rotor.step(times, channels):
            self._watch.invalid_steps(invalid, times[-1], at)

    def _edge(self, time: int, channel: int, high: bool, at: Instant) -> None:
        """An edge of one of the other channels."""
        bit = 1 << channel
        self._levels = self._levels | bit if high else self._levels & ~bit
        if channel in RIM:
            if high and self._play.passes(time, channel - RIM.start, at):
                self._look_for_blind(channel - RIM.start, at)
        elif channel == POCKET:
            if high:
                self._watch.pocket_edge(at)
            if len(self._waiting) < WAITING_AT_MOST:
                self._waiting = (*self._waiting, (time, high))
            else:
                self._miss("edges of the pocket sensor, more than can wait", at)
            if not self._rotor.counted:
                self._resolve(at)
        elif channel == INDEX:
            if high:
                self._index(None, time, at)
        elif self.device.switch(channel, time, high, at):
            self._lid_moved(time, at)

    def _lid_moved(self, time: int, at: Instant) -> None:
        self._play.spoil("the lid was moved while the ball was in play", time, at)

    def _look_for_blind(self, sensor: int, at: Instant) -> None:
        for blind in self._watch.rim_pass(sensor, at):
            if self._levels >> (RIM.start + blind) & 1:
                # its edge was not the ball's: the turns so far are no longer sure
                covered = f"what rim sensor {blind + 1} does not see, being covered"
                self._play.missed(covered, self.device.now, at)

    def _counts(self, counts: wire.Counts, at: Instant) -> None:
        self._rotor.count(counts)
        if invalid := self._rotor.invalid_steps(counts):
            self._watch.invalid_steps(invalid, counts.times[-1], at)
        self._resolve(at)

    def _index(self, position: int | None, time: int, at: Instant) -> None:
        self._watch.index_came()
        slip = self._rotor.index(position)
        if slip is not None:
            self._watch.slipped(slip.counts, time, at)
            self._play.missed(f"{slip.counts} counts of the encoder", time, at)

    # --- sights of the pocket sensor --------------------------------------------------------------

    def _resolve(self, at: Instant) -> None:
        """Edges of the pocket sensor whose positions are known by now."""
        rotor = self._rotor
        while self._waiting and rotor.reaches(self._waiting[0][0], self.device.now):
            (time, high), *rest = self._waiting
            self._waiting = tuple(rest)
            position = rotor.position(time)
            if position is not None:
                turns = rotor.turns(position)
                self._see(self._sights.edge(time, turns * self._options.pockets, high), at)
        if self._sights.state.fell is not None and not self._waiting and (latest := rotor.latest) is not None:
            self._see(self._sights.passed(rotor.turns(latest) * self._options.pockets), at)

    def _see(self, sight: tuple[int, float] | None, at: Instant) -> None:
        if sight is None:
            return
        time, middle = sight
        turns = middle / self._options.pockets
        place = self._rotor.ring(self._rotor.of_turns(turns))
        if place is not None:
            if self._told is not None:
                self._told(turns, place)
            self._play.sight(time, turns, place, at)

    # --- what is not seen -------------------------------------------------------------------------

    def _miss(self, what: str, at: Instant) -> None:
        """Part of the stream is missing."""
        self._rotor.unsure()
        self._play.missed(what, self.device.now, at)

    def _forget(self) -> None:
        """The stream begins anew, or another run of the device does: its clock, counts and positions too."""
        self._waiting, self._levels = (), 0
        self._rotor.restart()
        self._sights.clear()
        self._play.join()
        self._watch.restart()

    def _spoken(self) -> Sequence[AnyReading]:
        said = tuple(self._said)
        self._said.clear()
        return said


def _caution(options: BareWheelOptions) -> str | None:
    if options.calibration is not None or options.offset:
        return None
    return (
        "neither calibration nor offset: pocket 0 is taken to meet its sensor just where the index comes, "
        "as at a simulated wheel; of any other, `mesad calibrate` finds where"
    )


DRIVER = DriverInfo(
    name="bare-wheel",
    summary="roulettes and boules with bare sensors behind a microcontroller, mesad's sensor protocol",
    roles=frozenset({"wheel"}),
    options=BareWheelOptions,
    make=BareWheel,
    files={"calibration": Calibration},
    caution=_caution,
    serial=lambda options: SerialSettings(options.baudrate),
)
