"""A roulette or a boule whose bare sensors are read by a microcontroller that speaks mesad's sensor protocol.

Listen-only. The device's own times decide everything; arrival times only tell that it is silent. Packets that
are missing, edges that the device lost, a restart, and an index that comes at the wrong count make a throw
that is under way half seen. `docs/sensor-protocol.md` is the wire, `drivers.bare_wheel.play` the game.
"""

from collections.abc import Callable, Sequence

import msgspec

from drivers.bare_wheel.options import BareWheelOptions, Calibration
from drivers.bare_wheel.play import Play
from drivers.bare_wheel.play_state import PlayState
from drivers.bare_wheel.rotor import Rotor, RotorState
from drivers.bare_wheel.sights import Sights, SightsState
from drivers.bare_wheel.watch import RIM, Watch, WatchState
from drivers.driver import DriverInfo, Health, SerialSettings
from drivers.readings import (
    SECOND,
    AnyReading,
    ButtonPressed,
    DeviceBack,
    DeviceLost,
    Instant,
    LidMoved,
)
from drivers.sensor_line import LineState, SensorLine
from drivers.tracking.contact import Contact
from protocols import sensor as wire
from protocols.sensor_decoder import DecoderState, SensorDecoder

A, B, INDEX = wire.NUMBERS["quadrature_a"], wire.NUMBERS["quadrature_b"], wire.NUMBERS["index"]
POCKET, LID, BUTTON = wire.NUMBERS["pocket"], wire.NUMBERS["lid"], wire.NUMBERS["button"]
QUADRATURE = bytes((A, B, A | wire.LEVEL, B | wire.LEVEL))
WAITING_AT_MOST = 64


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """All that the driver remembers."""

    decoder: DecoderState
    rotor: RotorState
    sights: SightsState = msgspec.field(default_factory=SightsState)
    play: PlayState = msgspec.field(default_factory=PlayState)
    watch: WatchState = msgspec.field(default_factory=WatchState)
    line: LineState = msgspec.field(default_factory=LineState)
    waiting: tuple[tuple[int, bool], ...] = ()
    """Edges of the pocket sensor whose positions the device has not told yet: time, level."""
    levels: int = 0
    """Bit n: channel n was high when last heard of."""
    now: int = 0
    """The latest of the device's times, µs."""
    channels: int = 0
    """Bit n: the device has channel n, by its identity."""
    lid_open: bool | None = None
    lid_switch: Contact = msgspec.field(default_factory=Contact)
    button: Contact = msgspec.field(default_factory=Contact)
    deadline: int | None = None
    speaking: bool = False
    lost: bool = False
    frames: int = 0
    bad: int = 0
    last_frame: Instant | None = None
    serial: str | None = None
    firmware: str | None = None
    starts: int | None = None
    """The device's own count of them."""
    missing: int = 0
    """Packets that were missing so far."""


class BareWheel:
    """One wheel. Instants in, readings out; `drivers.driver.Driver` says what each method is for."""

    def __init__(
        self,
        device: str,
        options: BareWheelOptions,
        sights: Callable[[float, float], None] | None = None,
    ) -> None:
        """`sights` is told each sight of an occupied pocket: the shaft's turns, the angle on the ring."""
        self._told = sights
        self.deadline: int | None = None
        self._device = device
        self._options = options
        self._silence = round(options.silence * SECOND)
        self._decoder = SensorDecoder()
        self._said: list[AnyReading] = []
        self._rotor = Rotor(options)
        self._sights = Sights()
        self._watch = Watch(device, self._said)
        self._line = SensorLine(device, self._said)
        self._play = Play(device, options, self._rotor, self._watch, self._said)
        self._state = _State(self._decoder.state, self._rotor.state)

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        """The link was opened; the device is back when it is heard."""
        self._decoder.reopen()
        self._forget()
        self._line.link_up()
        self._state.speaking = False
        self.deadline = at.mono + self._silence
        return ()

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        """The link ended."""
        self._lose(reason, at)
        return self._spoken()

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """Bytes as they arrived."""
        for message in self._decoder.feed(data):
            self._take(message, at)
        return self._spoken() if self._said else ()

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        """Too long without a packet: the device is lost."""
        if self.deadline is None or at.mono < self.deadline:
            return ()
        self._lose(f"no packet for {self._options.silence:g} s", at)
        return self._spoken()

    def health(self) -> Health:
        """Frames are packets that came whole; the firmware is told with the device's serial."""
        state = self._state
        return Health(
            frames=state.frames,
            bad_frames=state.bad + self._decoder.damaged,
            last_frame=state.last_frame,
            firmware=None if state.firmware is None else f"{state.firmware} (serial {state.serial})",
            serial=state.serial,
            note=self._note(),
        )

    def snapshot(self) -> bytes:
        """The whole state as JSON."""
        state = self._state
        state.decoder, state.deadline = self._decoder.state, self.deadline
        state.rotor, state.sights = self._rotor.state, self._sights.state
        state.play, state.watch, state.line = self._play.state, self._watch.state, self._line.state
        return msgspec.json.encode(state)

    def restore(self, snapshot: bytes) -> None:
        """Return to a state that `snapshot` gave. Raises ValueError on anything else."""
        try:
            state = msgspec.json.decode(snapshot, type=_State)
        except msgspec.DecodeError as error:
            raise ValueError(f"not a snapshot of a wheel with bare sensors: {error}") from error
        if len(state.watch.unseen) != 3:
            raise ValueError("not a snapshot of a wheel with bare sensors: it has three rim sensors")
        self._decoder.state = state.decoder
        self._said.clear()
        self._rotor.state, self._sights.state = state.rotor, state.sights
        self._play.state, self._watch.state, self._line.state = state.play, state.watch, state.line
        self._state, self.deadline = state, state.deadline

    # --- packets --------------------------------------------------------------------------------

    def _take(self, message: wire.Message, at: Instant) -> None:
        state = self._state
        match message:
            case wire.Damaged(reason):
                state.bad += 1
                self._line.damaged(reason, at)
                return
            case wire.Restarted() | wire.ClockJumped():
                self._restart(message, at)
                return
            case wire.Gap(missing):
                state.missing += missing
                self._miss(f"{missing} packets", at)
                return
        state.frames, state.last_frame = state.frames + 1, at
        self.deadline = at.mono + self._silence
        if not state.speaking:
            state.speaking, state.lost = True, False
            self._said.append(DeviceBack(device=self._device, at=at))
        if not self._line.steady(at):
            return
        match message:
            case wire.Edges():
                self._edges(message, at)
            case wire.Counts():
                self._counts(message, at)
            case wire.Index(time, position):
                self._index(position, time, at)
            case wire.Heartbeat():
                self._heartbeat(message, at)
            case wire.Identity():
                self._identity(message, at)
            case wire.Fault():
                self._watch.device_fault(message, state.now, at)
            case wire.SelfTest(results):
                self._watch.self_test(results, state.channels, at)
        if self._rotor.overdue and self._watch.index_overdue(at):
            self._play.missed("the encoder's index", state.now, at)
        if self._watch.spoilt and self._play.half_seen is False:
            self._play.missed("what a faulty device did not see", state.now, at)
        self._play.tick(state.now, at)

    def _identity(self, identity: wire.Identity, at: Instant) -> None:
        state = self._state
        if state.starts is not None and (identity.serial, identity.boot) != (state.serial, state.starts):
            self._watch.started_anew(at)  # while the link was down, so that no restart was seen
        state.serial, state.firmware = identity.serial, identity.firmware
        state.starts, state.channels = identity.boot, identity.channels
        if (known := self._options.calibration) is not None:
            self._watch.calibrated_for(known.serial, identity.serial, at)
        self._of_turn(identity.counts, at)

    def _of_turn(self, counts: int, at: Instant) -> None:
        """The device's word on its encoder."""
        expected = self._options.counts
        if counts and (self._rotor.too_coarse(counts) or expected not in (0, counts)):
            self._watch.counts_differ(counts, at)
        else:
            self._watch.counts_fit(at)
        if self._rotor.of_turn(counts):
            self._play.missed("how many counts a turn has", self._state.now, at)

    def _edges(self, edges: wire.Edges, at: Instant) -> None:
        times, channels = edges.times, edges.channels
        if lost := self._watch.lost_edges(edges.lost, times[-1], at):
            self._miss(f"{lost} edges", at)
        if not channels.translate(None, QUADRATURE):
            self._steps(times, channels, at)
        else:
            begun = 0
            for index, channel in enumerate(channels):
                if channel not in QUADRATURE:
                    if begun < index:
                        self._steps(times[begun:index], channels[begun:index], at)
                    begun = index + 1
                    self._edge(times[index], channel & 0x7F, channel >= wire.LEVEL, at)
            if begun < len(channels):
                self._steps(times[begun:], channels[begun:], at)
        self._pass_time(times[-1])
        self._resolve(at)

    def _steps(self, times: Sequence[int], channels: bytes, at: Instant) -> None:
        if invalid := self._rotor.step(times, channels):
            self._watch.invalid_steps(invalid, times[-1], at)

    def _edge(self, time: int, channel: int, high: bool, at: Instant) -> None:
        """An edge of one of the other channels."""
        state, bit = self._state, 1 << channel
        state.levels = state.levels | bit if high else state.levels & ~bit
        if channel in RIM:
            if high and self._play.passes(time, channel - RIM.start, at):
                self._look_for_blind(channel - RIM.start, at)
        elif channel == POCKET:
            if high:
                self._watch.pocket_edge(at)
            if len(state.waiting) < WAITING_AT_MOST:
                state.waiting = (*state.waiting, (time, high))
            else:
                self._miss("edges of the pocket sensor, more than can wait", at)
            if not self._rotor.counted:
                self._resolve(at)
        elif channel == INDEX:
            if high:
                self._index(None, time, at)
        elif channel == LID:
            if state.lid_switch.edge(time):
                self._lid(high, at)
        elif channel == BUTTON and state.button.edge(time) and high:
            self._said.append(ButtonPressed(device=self._device, at=at, button="no_more_bets"))

    def _look_for_blind(self, sensor: int, at: Instant) -> None:
        for blind in self._watch.rim_pass(sensor, at):
            if self._state.levels >> (RIM.start + blind) & 1:
                # its edge was not the ball's: the turns so far are no longer sure
                self._play.missed(
                    f"what rim sensor {blind + 1} does not see, being covered", self._state.now, at
                )

    def _counts(self, counts: wire.Counts, at: Instant) -> None:
        self._rotor.count(counts)
        if invalid := self._rotor.invalid_steps(counts):
            self._watch.invalid_steps(invalid, counts.times[-1], at)
        self._pass_time(counts.times[-1])
        self._resolve(at)

    def _index(self, position: int | None, time: int, at: Instant) -> None:
        self._pass_time(time)
        self._watch.index_came(at)
        slip = self._rotor.index(position)
        if slip is not None:
            self._watch.slipped(slip.counts, time, at)
            self._play.missed(f"{slip.counts} counts of the encoder", time, at)

    def _heartbeat(self, heartbeat: wire.Heartbeat, at: Instant) -> None:
        self._pass_time(heartbeat.time)
        self._line.beat(heartbeat.time, at)
        if lost := self._watch.lost_edges(heartbeat.lost, heartbeat.time, at):
            self._miss(f"{lost} edges", at)
        state = self._state
        told = heartbeat.lid_open or state.channels >> LID & 1 or state.lid_open is not None
        if told and state.lid_switch.rests(heartbeat.time):
            self._lid(heartbeat.lid_open, at)
        self._watch.tick(heartbeat.time, at)
        self._resolve(at)

    def _lid(self, is_open: bool, at: Instant) -> None:
        before, self._state.lid_open = self._state.lid_open, is_open
        if is_open != before:
            self._said.append(LidMoved(device=self._device, at=at, open=is_open))
            if before is not None or is_open:  # the first word only tells how it stands
                self._play.spoil("the lid was moved while the ball was in play", at)

    # --- sights of the pocket sensor --------------------------------------------------------------

    def _resolve(self, at: Instant) -> None:
        """Edges of the pocket sensor whose positions are known by now."""
        state, rotor = self._state, self._rotor
        while state.waiting and rotor.reaches(state.waiting[0][0], state.now):
            (time, high), *rest = state.waiting
            state.waiting = tuple(rest)
            position = rotor.position(time)
            if position is not None:
                turns = rotor.turns(position)
                self._see(self._sights.edge(time, turns * self._options.pockets, high), at)
        if self._sights.state.fell is not None and not state.waiting and (latest := rotor.latest) is not None:
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

    # --- presence -------------------------------------------------------------------------------

    def _pass_time(self, time: int) -> None:
        if time > self._state.now:
            self._state.now = time

    def _miss(self, what: str, at: Instant) -> None:
        """Part of the stream is missing."""
        self._rotor.unsure()
        self._play.missed(what, self._state.now, at)

    def _restart(self, why: wire.Restarted | wire.ClockJumped, at: Instant) -> None:
        self._state.starts = None
        self._watch.started_anew(at)
        self._forget()
        self._line.anew(why, at)

    def _forget(self) -> None:
        """The stream begins anew, or another run of the device does: its clock, counts and positions too."""
        state = self._state
        state.waiting, state.levels, state.now = (), 0, 0
        state.lid_switch, state.button = Contact(), Contact()
        self._rotor.restart()
        self._sights.clear()
        self._play.join()
        self._watch.restart()

    def _lose(self, reason: str, at: Instant) -> None:
        state = self._state
        self._forget()
        self._decoder.reopen()
        self.deadline, state.speaking = None, False
        if not state.lost:
            state.lost = True
            self._said.append(DeviceLost(device=self._device, at=at, reason=reason))

    def _spoken(self) -> Sequence[AnyReading]:
        said = tuple(self._said)
        self._said.clear()
        return said

    def _note(self) -> str | None:
        state = self._state
        bad = state.bad + self._decoder.damaged
        if bad >= 20 and bad > state.frames:
            return "most packets are damaged: check the cable, the baud rate and the protocol's version"
        if (restarts := self._line.note) is not None:
            return restarts
        if state.speaking and not self._rotor.known and state.frames > 200:
            return "the encoder's index was never seen, or its counts are not known: no pocket can be told"
        if state.missing:
            return f"{state.missing} packets were missing so far"
        return None


DRIVER = DriverInfo(
    name="bare-wheel",
    summary="roulettes and boules with bare sensors behind a microcontroller, mesad's sensor protocol",
    roles=frozenset({"wheel"}),
    options=BareWheelOptions,
    make=BareWheel,
    files={"calibration": Calibration},
    serial=lambda options: SerialSettings(options.baudrate),
)
