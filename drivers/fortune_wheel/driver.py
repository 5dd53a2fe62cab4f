"""Fortune wheels with bare sensors that speak mesad's own sensor protocol: encoder, index, pointer.

What the device itself calls lost or wrong, a packet missing in its sequence, a start in between, an index
where none should be: each makes the spin in hand half seen, and it ends with `RestUnread`. The device's own
times decide; the host's clock only tells when the device has fallen silent.
"""

from collections.abc import Sequence

import msgspec

from drivers.driver import DriverInfo, Health, SerialSettings
from drivers.fortune_wheel.faults import described, misfits, of_device
from drivers.fortune_wheel.options import Calibration, FortuneWheelOptions
from drivers.fortune_wheel.recording import Recording, Watcher
from drivers.fortune_wheel.spin import Spins
from drivers.fortune_wheel.spin_state import SpinState
from drivers.readings import (
    SECOND,
    AnyReading,
    ButtonPressed,
    DeviceBack,
    DeviceLost,
    FaultCleared,
    FaultRaised,
    Instant,
    LidMoved,
)
from drivers.sensor_line import LineState, SensorLine
from drivers.tracking.contact import Contact
from drivers.tracking.quadrature import Quadrature, QuadratureState
from drivers.tracking.rotation import Rotation
from protocols import sensor as wire
from protocols.sensor_decoder import DecoderState, SensorDecoder

_A, _B, _INDEX, _POINTER, _LID, _BUTTON = (
    wire.CHANNELS.index(name)
    for name in ("quadrature_a", "quadrature_b", "index", "pointer", "lid", "button")
)
_NEEDED = (_A, _B, _INDEX, _POINTER, 255)
_QUIET = 150_000
"""µs without a position after which the wheel stands where it stood; while it turns one comes every 50 ms."""


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """All that the driver remembers."""

    decoder: DecoderState
    quadrature: QuadratureState
    zero: int | None
    spins: SpinState | None
    line: LineState
    deadline: int | None = None
    speaking: bool = False
    lost: bool = False
    frames: int = 0
    bad: int = 0
    last_frame: Instant | None = None
    firmware: str | None = None
    serial: str | None = None
    starts: int | None = None
    """The device's own count of them."""
    named: bool = False
    """Whether the device has said who it is since it was last out of sight: whose calibration it is to be."""
    counters: dict[str, int] = {}
    """The device's own counts of what it lost, as last heard."""
    faults: dict[str, bool] = {}
    """Codes of faults that stand, and whether a spin cannot be judged under them."""
    position: int | None = None
    heard: int = 0
    """The device's time of the last position."""
    lid: bool | None = None
    lid_switch: Contact = msgspec.field(default_factory=Contact)
    button: Contact = msgspec.field(default_factory=Contact)


class FortuneWheelDriver:
    """One wheel; `drivers.driver.Driver` says what each method is for."""

    def __init__(self, device: str, options: FortuneWheelOptions, recording: Recording | None = None) -> None:
        """With a recording, that is told what the sensors see, and nothing is judged."""
        self.deadline: int | None = None
        self._device = device
        self._options = options
        self._silence = round(options.silence * SECOND)
        self._decoder = SensorDecoder()
        self._quadrature = Quadrature()
        self._rotation = Rotation(options.counts, options.index_slack)
        self._said: list[AnyReading] = []
        self._at = Instant(0, 0)
        self._line = SensorLine(device, self._said)
        self._judge = None if recording or options.calibration is None else Spins(device, options, self._said)
        self._spins: Watcher | None = recording or self._judge
        self._doubt("the wheel was joined in its motion")
        self._state = self._whole()
        self._stand_under()

    def _whole(self, state: _State | None = None) -> _State:
        """The state with what the parts remember."""
        parts = (
            self._decoder.state,
            self._quadrature.state,
            self._rotation.zero,
            None if self._judge is None else self._judge.state,
            self._line.state,
        )
        state = state or _State(*parts)
        state.decoder, state.quadrature, state.zero, state.spins, state.line = parts
        state.deadline = self.deadline
        return state

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        """An open port is not yet a wheel: that it is back is said when it speaks."""
        self._decoder.reopen()
        self._begin_anew("the link was opened anew")
        self._line.link_up()
        self._unname()
        self._state.speaking = False
        self.deadline = at.mono + self._silence
        return ()

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        """The link ended."""
        self._at = at
        self._lose(reason)
        return self._spoken()

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """Bytes as they arrived."""
        messages = self._decoder.feed(data)
        if not messages:
            return ()
        self._at = at
        if self._spins is not None:
            self._spins.at = at
        for message in messages:
            self._take(message)
        return self._spoken()

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        """Too long without a packet: the device is lost."""
        if self.deadline is None or at.mono < self.deadline:
            return ()
        self._at = at
        self._lose(f"no packet for {self._options.silence:g} s")
        return self._spoken()

    @property
    def serial(self) -> str | None:
        """The device's serial number, once it has said it."""
        return self._state.serial

    @property
    def faults(self) -> list[str]:
        """The codes of the faults that stand."""
        return sorted((*self._state.faults, *self._line.faults))

    def health(self) -> Health:
        """Packets, good and bad."""
        state = self._state
        note = self._line.note
        if self._options.calibration is None:
            note = "not calibrated: no spin is judged before `mesad calibrate` has been run"
        elif state.bad + self._decoder.damaged >= 20 and state.bad + self._decoder.damaged > state.frames:
            note = "most packets are damaged: check the cable, the speed and that it is this device"
        return Health(
            frames=state.frames,
            bad_frames=state.bad + self._decoder.damaged,
            last_frame=state.last_frame,
            firmware=state.firmware,
            serial=state.serial,
            note=note,
        )

    def snapshot(self) -> bytes:
        """The whole state as JSON."""
        return msgspec.json.encode(self._whole(self._state))

    def restore(self, snapshot: bytes) -> None:
        """Return to a state that `snapshot` gave. Raises ValueError on anything else."""
        try:
            state = msgspec.json.decode(snapshot, type=_State)
            if (state.spins is None) != (self._judge is None):
                raise ValueError("with a calibration it would be another")
            self._decoder.state = state.decoder
            self._quadrature.state = state.quadrature
        except ValueError as error:  # the decoder's errors are of this kind too
            raise ValueError(f"not a snapshot of this wheel: {error}") from error
        self._rotation.zero, self._line.state = state.zero, state.line
        if self._judge is not None and state.spins is not None:
            self._judge.state = state.spins
        self._said.clear()
        self._state, self.deadline = state, state.deadline

    # --- messages -------------------------------------------------------------------------------

    def _take(self, message: wire.Message) -> None:
        match message:
            case wire.Damaged(reason):
                self._state.bad += 1
                if reason != "sequence":  # one that comes twice is taken once, and none is missing
                    self._doubt("a packet was damaged")
                self._line.damaged(reason, self._at)
                return
            case wire.Gap(missing):
                self._doubt(f"{missing} packets are missing")
                return
            case wire.Restarted() | wire.ClockJumped():
                jumped = isinstance(message, wire.ClockJumped)
                self._begin_anew("the device's clock jumped" if jumped else "the device was started anew")
                self._end_faults()
                if isinstance(message, wire.Restarted):
                    self._unname()
                self._line.anew(message, self._at)
                return
        if not self._heard():
            return
        match message:
            case wire.Counts():
                self._count("invalid", message.invalid, "both channels of the encoder changed at once")
                for time, position in zip(message.times, message.positions, strict=True):
                    self._stand(time, position)
            case wire.Edges():
                self._count("lost", message.lost, "the device lost edges")
                self._edges(message)
            case wire.Index(_, position):
                self._index(position)
            case wire.Heartbeat():
                self._heartbeat(message)
            case wire.Identity():
                self._identity(message)
            case wire.SelfTest(results):
                for channel, result in enumerate(results):
                    text = f"{wire.CHANNELS[channel]}: the self-test says {result}"
                    self._fault(f"self_test_{wire.CHANNELS[channel]}", text, result != 0, channel in _NEEDED)
            case wire.Fault(code, channel, active):
                self._fault(*described(message), active, channel in _NEEDED and code < 128)

    def _stand(self, time: int, position: int) -> None:
        self._state.position, self._state.heard = position, time
        if self._spins is not None:
            self._spins.position(time, position, self._rotation.zero)

    def _edges(self, message: wire.Edges) -> None:
        """Edges of the encoder in runs, those of the other sensors one by one."""
        times, channels = message.times, message.channels
        turned: list[int] = []
        for at, channel in enumerate(channels):
            number = channel & 0x7F
            if number <= _B:
                turned.append(at)
                continue
            self._turn(times, channels, turned)
            turned = []
            self._edge(times[at], number, channel >= wire.LEVEL)
        self._turn(times, channels, turned)
        if turned and self._state.position is not None:
            self._stand(times[turned[-1]], self._state.position)

    def _turn(self, times: Sequence[int], channels: bytes, turned: list[int]) -> None:
        """Edges of the encoder that follow one another."""
        if not turned:
            return
        quadrature = self._quadrature
        wrong = quadrature.invalid + quadrature.missed
        first, end = turned[0], turned[-1] + 1
        quadrature.run(times[first:end], channels[first:end])
        if quadrature.invalid + quadrature.missed != wrong:
            self._doubt("edges of the encoder are missing")
        self._state.position = quadrature.position

    def _edge(self, time: int, channel: int, high: bool) -> None:
        state = self._state
        if channel == _POINTER and self._spins is not None:
            self._spins.pointer(time, high)
        elif channel == _INDEX and high and state.position is not None:
            self._index(state.position)
        elif channel == _LID and state.lid_switch.edge(time):
            self._lid(high)
        elif channel == _BUTTON and state.button.edge(time) and high:
            self._said.append(ButtonPressed(device=self._device, at=self._at, button="no_more_bets"))

    def _index(self, position: int) -> None:
        if self._judge is not None and self._judge.state.zero_open:
            self._rotation.zero = None  # a slip before is already known
        slip = self._rotation.index(position)
        if slip is not None:
            self._doubt(f"the index came {slip.counts} counts from where it should")
            self._rotation.zero = position
        if self._spins is not None:
            self._spins.index(position)

    def _heartbeat(self, beat: wire.Heartbeat) -> None:
        state = self._state
        self._line.beat(beat.time, self._at)
        self._count("lost", beat.lost, "the device lost edges")
        if state.lid_switch.rests(beat.time):
            self._lid(beat.lid_open)
        if self._spins is None:
            return
        if state.position is None:
            self._spins.quiet(beat.time)
        elif beat.time - state.heard > _QUIET:
            self._spins.position(beat.time, state.position, self._rotation.zero)

    def _lid(self, is_open: bool) -> None:
        before, self._state.lid = self._state.lid, is_open
        if is_open != before and (before is not None or is_open):
            self._said.append(LidMoved(device=self._device, at=self._at, open=is_open))

    def _identity(self, identity: wire.Identity) -> None:
        state, start = self._state, identity.boot
        if state.starts is not None and (identity.serial, start) != (state.serial, state.starts):
            self._end_faults()  # it was started while the link was down, and no restart was seen
        state.firmware, state.serial = identity.firmware, identity.serial
        state.starts, state.named = start, True
        self._stand_under()
        for code, text, wrong in misfits(identity, self._options):
            self._fault(code, text, wrong, True)

    # --- doubts and faults ----------------------------------------------------------------------

    def _count(self, name: str, now: int, reason: str) -> None:
        """The device's own count of what went wrong: any change since it was last heard is a loss."""
        counters = self._state.counters
        if counters.setdefault(name, now) != now:
            counters[name] = now
            self._doubt(reason)

    def _fault(self, code: str, text: str, active: bool, needed: bool) -> None:
        """A fault that begins or ends. With one that a spin needs gone, no spin can be judged."""
        faults = self._state.faults
        if active == (code in faults):
            return
        if active:
            faults[code] = needed
            self._said.append(FaultRaised(device=self._device, at=self._at, code=code, text=text))
        else:
            del faults[code]
            self._said.append(FaultCleared(device=self._device, at=self._at, code=code))
        self._stand_under()
        if needed:
            self._doubt(f"the fault {code}")

    def _stand_under(self) -> None:
        """Tell under what no spin can be judged, be it seen ever so well."""
        if self._spins is not None:
            standing = [
                f"the fault {each}" for each, hinders in sorted(self._state.faults.items()) if hinders
            ]
            unnamed = [] if self._state.named else ["the device has not said who it is"]
            self._spins.stand(next(iter(standing + unnamed), None))

    def _unname(self) -> None:
        """Another device may be there now."""
        self._state.named = False
        self._stand_under()

    def _end_faults(self) -> None:
        """The device was started: those that it still finds in itself, it says again."""
        self._state.starts = None
        for code in filter(of_device, self.faults):
            self._fault(code, "", False, self._state.faults[code])

    def _doubt(self, reason: str) -> None:
        """Part was not seen, or is wrong: where the index comes is to be seen anew, too."""
        self._rotation.zero = None
        if self._spins is not None:
            self._spins.doubt(reason)

    def _begin_anew(self, reason: str) -> None:
        """Positions, counters and the clock join on to nothing that was before."""
        state = self._state
        self._quadrature = Quadrature()
        self._rotation = Rotation(self._options.counts, self._options.index_slack)
        state.counters, state.position, state.heard = {}, None, 0
        state.lid_switch, state.button = Contact(), Contact()
        if self._spins is not None:
            self._spins.begin_anew()
            self._spins.doubt(reason)

    # --- presence -------------------------------------------------------------------------------

    def _heard(self) -> bool:
        """A packet came whole; whether it is listened to."""
        state = self._state
        state.frames, state.last_frame = state.frames + 1, self._at
        self.deadline = self._at.mono + self._silence
        if not state.speaking:
            state.speaking, state.lost = True, False
            self._said.append(DeviceBack(device=self._device, at=self._at))
            if self._spins is None:
                self._fault("not_calibrated", "run `mesad calibrate`: no spin is judged before", True, True)
        return self._line.steady(self._at)

    def _lose(self, reason: str) -> None:
        state = self._state
        self.deadline, state.speaking = None, False
        if self._judge is not None:
            self._judge.break_off(self._at)
        self._doubt("the device was lost")
        self._unname()
        if not state.lost:
            state.lost = True
            self._said.append(DeviceLost(device=self._device, at=self._at, reason=reason))

    def _spoken(self) -> Sequence[AnyReading]:
        said = tuple(self._said)
        self._said.clear()
        return said


DRIVER = DriverInfo(
    name="fortune-wheel",
    summary="fortune wheels with bare sensors: encoder, index and pointer, by mesad's sensor protocol",
    roles=frozenset({"fortune_wheel"}),
    options=FortuneWheelOptions,
    make=FortuneWheelDriver,
    serial=lambda _: SerialSettings(115_200),
    files={"calibration": Calibration},
)
