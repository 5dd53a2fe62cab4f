"""The device itself, whatever wheel it reads: who it is, whether it speaks, its faults, its lid and button.

Both drivers of bare sensors compose it; `heard` gives them the messages that tell of their wheel.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from drivers.driver import Health
from drivers.readings import SECOND, AnyReading, ButtonPressed, DeviceBack, DeviceLost, Instant, LidMoved
from drivers.sensor_faults import HINDERS, Faults, FaultsState, Standing
from drivers.sensor_fit import Fit, misfits, there
from drivers.sensor_line import LineState, SensorLine
from drivers.sensor_switch import Switch, SwitchState
from protocols import sensor as wire
from protocols.sensor_decoder import DecoderState, SensorDecoder

LID, BUTTON = wire.NUMBERS["lid"], wire.NUMBERS["button"]


@dataclass(frozen=True, slots=True)
class EdgesLost:
    """The device had no room for so many more edges."""

    number: int


class DeviceState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered of the device."""

    decoder: DecoderState
    line: LineState = msgspec.field(default_factory=LineState)
    faults: FaultsState = msgspec.field(default_factory=FaultsState)
    lid: SwitchState = msgspec.field(default_factory=SwitchState)
    button: SwitchState = msgspec.field(default_factory=SwitchState)
    now: int = 0
    """The latest of the device's times, µs."""
    deadline: int | None = None
    speaking: bool = False
    lost: bool = False
    frames: int = 0
    bad: int = 0
    last_frame: Instant | None = None
    missing: int = 0
    """Packets that were missing so far."""
    serial: str | None = None
    firmware: str | None = None
    calibration: int = 0
    """The number that the device gives its sensors' places; 0 if unknown."""
    starts: int | None = None
    """The device's own count of them."""
    named: bool = False
    """Whether it has said who it is since it was last out of sight."""
    has_lid: bool = False
    lid_open: bool | None = None
    """As last told."""
    lost_edges: int | None = None
    """The device's 16-bit count of them, the last one heard."""


class SensorDevice:
    """One device. What it has to say is appended to `said`, the wheel's own readings among it."""

    def __init__(self, device: str, fit: Fit, silence: float, said: list[AnyReading]) -> None:
        """`silence`: seconds without a packet after which it is lost."""
        self.faults = Faults(device, fit.needs, said)
        self._device, self._fit, self._said = device, fit, said
        self._silence, self._patience = silence, round(silence * SECOND)
        self._decoder = SensorDecoder()
        self._line = SensorLine(device, self.faults, said)
        self._lid, self._button = Switch("lid", self.faults), Switch("button", self.faults)
        self._state = DeviceState(self._decoder.state)

    @property
    def state(self) -> DeviceState:
        """All that is remembered; may be assigned. Raises ValueError for a decoder's that is none."""
        state = self._state
        state.decoder, state.line, state.faults = self._decoder.state, self._line.state, self.faults.state
        state.lid, state.button = self._lid.state, self._button.state
        return state

    @state.setter
    def state(self, state: DeviceState) -> None:
        self._decoder.state, self._line.state, self.faults.state = state.decoder, state.line, state.faults
        self._lid.state, self._button.state = state.lid, state.button
        self._state = state

    @property
    def now(self) -> int:
        """The latest of the device's times, µs."""
        return self._state.now

    @property
    def serial(self) -> str | None:
        """Its serial number, once it has said it."""
        return self._state.serial

    @property
    def calibration(self) -> int:
        """The number that it gives its sensors' places; 0 if unknown."""
        return self._state.calibration

    @property
    def hindrance(self) -> str | None:
        """Why nothing can be judged now, be it seen ever so well."""
        if self.faults.hindering:
            return f"the fault {self.faults.hindering[0]}"
        return None if self._state.named else "the device has not said who it is"

    def health(self, note: str | None) -> Health:
        """Frames are packets that came whole, the firmware is told with the serial; `note`: on its wheel."""
        state = self._state
        bad = state.bad + self._decoder.damaged
        if bad >= 20 and bad > state.frames:
            note = "most packets are damaged: check the cable, the baud rate and the protocol's version"
        else:
            missing = f"packets that were missing so far: {state.missing}" if state.missing else None
            note = self._line.note or note or missing
        return Health(
            frames=state.frames,
            bad_frames=bad,
            last_frame=state.last_frame,
            firmware=None if state.firmware is None else f"{state.firmware} (serial {state.serial})",
            serial=state.serial,
            note=note,
        )

    # --- presence -------------------------------------------------------------------------------

    @property
    def deadline(self) -> int | None:
        """Monotonic ns at which it is lost unless it speaks; may be assigned."""
        return self._state.deadline

    @deadline.setter
    def deadline(self, deadline: int | None) -> None:
        self._state.deadline = deadline

    @property
    def speaking(self) -> bool:
        """Whether it is heard."""
        return self._state.speaking

    def link_up(self, at: Instant) -> None:
        """An open port is not yet a device: that it is back is said when it speaks."""
        self._line.link_up()
        self._out_of_sight()
        self._state.deadline = at.mono + self._patience

    def silent(self, at: Instant) -> str | None:
        """Too long without a packet: since when, in words."""
        deadline = self._state.deadline
        return None if deadline is None or at.mono < deadline else f"no packet for {self._silence:g} s"

    def lose(self, reason: str, at: Instant) -> None:
        """It cannot be heard."""
        self._out_of_sight()
        self._state.deadline = None
        if not self._state.lost:
            self._state.lost = True
            self._said.append(DeviceLost(device=self._device, at=at, reason=reason))

    def _out_of_sight(self) -> None:
        """What comes next may be another device."""
        self._decoder.reopen()
        self._state.speaking = self._state.named = False
        self.faults.link_up()
        self._forget()

    def _forget(self) -> None:
        """Its clock and its counts begin anew."""
        state = self._state
        state.now, state.lost_edges = 0, None
        self._lid.state, self._button.state = SwitchState(), SwitchState()
        self.faults.clock_anew()

    # --- messages -------------------------------------------------------------------------------

    def heard(self, data: bytes, at: Instant) -> Iterator[wire.Message | EdgesLost]:
        """What bytes tell to the wheel; to be gone through to its end. The device has taken its own of each
        before, but for a start: the wheel ends what it has in hand before that is told.
        """
        for message in self._decoder.feed(data):
            match message:
                case wire.Damaged(reason):
                    self._state.bad += 1
                    self._line.damaged(reason, at)
                case wire.Gap(missing):
                    self._state.missing += missing
                case wire.Restarted() | wire.ClockJumped():
                    yield message
                    self._anew(message, at)
                    continue
                case _:
                    if self._of_another_run(message):  # though no packet has told of its start
                        yield wire.Restarted()
                        self._anew(wire.Restarted(), at)
                    if not self._present(at):
                        if isinstance(message, wire.SelfTest):  # it is made at a start, and not said again
                            self.faults.tested(message.results)
                        continue
                    if lost := self._take(message, at):
                        yield EdgesLost(lost)
            yield message

    def _of_another_run(self, message: wire.Message) -> bool:
        """Whether it is the identity of another device, or another start, than the one heard on this link."""
        state = self._state
        if not isinstance(message, wire.Identity) or not state.named:
            return False
        return (message.serial, message.boot) != (state.serial, state.starts)

    def _anew(self, why: wire.Restarted | wire.ClockJumped, at: Instant) -> None:
        self._forget()
        if isinstance(why, wire.Restarted):  # a clock that jumps ends no fault: the test is not made again
            self._state.starts, self._state.named = None, False
            self.faults.started(at)
        self._line.anew(why, at)

    def _present(self, at: Instant) -> bool:
        """A packet came whole; whether it is listened to."""
        state = self._state
        state.frames += 1
        state.last_frame, state.deadline = at, at.mono + self._patience
        if not state.speaking:
            state.speaking, state.lost = True, False
            self._said.append(DeviceBack(device=self._device, at=at))
        return self._line.steady(at)

    def _take(self, body: wire.Body, at: Instant) -> int:
        """The device's own part; how many edges it has lost besides."""
        match body:
            case wire.Edges(lost, times):
                self._pass_time(times[-1])
                return self._lost(lost, at)
            case wire.Counts(times=times):
                self._pass_time(times[-1])
            case wire.Index(time):
                self._pass_time(time)
            case wire.Heartbeat(time, lost=lost):
                self._pass_time(time)
                self._line.beat(time, at)
                self.faults.tick(time, at)
                return self._lost(lost, at)
            case wire.Identity():
                self._identify(body, at)
            case wire.SelfTest(results):
                self.faults.self_test(results, at)
            case wire.Fault():
                self.faults.said_of_itself(body, self._state.now, at)
        return 0

    def _pass_time(self, time: int) -> None:
        if time > self._state.now:
            self._state.now = time

    def _lost(self, lost: int, at: Instant) -> int:
        """The device's count of edges that it had no room for; how many more they are than before."""
        before, self._state.lost_edges = self._state.lost_edges, lost
        if before is None or lost == before:
            return 0
        self.faults.stand("edges_lost", "edges were lost in the device", at, Standing(since=self._state.now))
        return (lost - before) % 65536

    def _identify(self, identity: wire.Identity, at: Instant) -> None:
        state = self._state
        another = state.serial not in (None, identity.serial)
        if state.starts is not None and (another or identity.boot != state.starts):
            self.faults.started_unseen(at)
        state.serial, state.firmware, state.calibration = (
            identity.serial,
            identity.firmware,
            identity.calibration,
        )
        state.starts, state.named = identity.boot, True
        state.has_lid = bool(identity.channels >> LID & 1)
        self.faults.identified(there(identity), another, at)
        for code, text, wrong in misfits(identity, self._fit):
            if wrong is not None or another:  # what is unknown of the same device is as it was
                self.faults.settle(code, text, bool(wrong), at, HINDERS)

    # --- lid and button ---------------------------------------------------------------------------

    def switch(self, channel: int, time: int, high: bool, at: Instant) -> bool:
        """An edge of any channel that is not the wheel's; whether the lid was moved by it."""
        if channel == LID:
            moved = self._lid.edge(time, high, at)
            return moved and (self._lid.flutters or self._lid_told(high, at))
        if channel == BUTTON and self._button.edge(time, high, at) and high and not self._button.flutters:
            self._said.append(ButtonPressed(device=self._device, at=at, button="no_more_bets"))
        return False

    def lid_at(self, beat: wire.Heartbeat, at: Instant) -> bool:
        """How the lid stands by a heartbeat; whether it was moved."""
        state, changed = self._state, beat.lid_open != self._lid.state.level
        told = beat.lid_open or state.has_lid or state.lid_open is not None
        if not told or not self._lid.rests(beat.time, beat.lid_open, at):
            return False
        return changed if self._lid.flutters else self._lid_told(beat.lid_open, at)

    def _lid_told(self, is_open: bool, at: Instant) -> bool:
        before, self._state.lid_open = self._state.lid_open, is_open
        if is_open == before:
            return False
        self._said.append(LidMoved(device=self._device, at=at, open=is_open))
        return before is not None or is_open  # the first word only tells how it stands
