"""Fortune wheels with bare sensors that speak mesad's own sensor protocol: encoder, index, pointer.

What the device itself calls lost or wrong, a packet missing in its sequence, a start in between, an index
where none should be: each makes the spin in hand half seen, and it ends with `RestUnread`. The device's own
times decide; the host's clock only tells when the device has fallen silent.
"""

from collections.abc import Sequence

import msgspec

from drivers.driver import DriverInfo, Health, SerialSettings
from drivers.fortune_wheel.options import Calibration, FortuneWheelOptions
from drivers.fortune_wheel.recording import Recording, Watcher
from drivers.fortune_wheel.spin import Spins
from drivers.fortune_wheel.spin_state import SpinState
from drivers.readings import AnyReading, Instant
from drivers.sensor_device import DeviceState, EdgesLost, SensorDevice
from drivers.sensor_faults import HINDERS, Standing
from drivers.sensor_fit import ENCODER, Fit, Needs
from drivers.tracking.quadrature import Quadrature, QuadratureState, stretches
from drivers.tracking.rotation import Rotation
from protocols import sensor as wire

_INDEX, _POINTER = wire.NUMBERS["index"], wire.NUMBERS["pointer"]
NEEDS = Needs(ENCODER | {_INDEX, _POINTER})
UNCALIBRATED = "not calibrated: no spin is judged before `mesad calibrate` has been run"
_QUIET = 150_000
"""µs without a position after which the wheel stands where it stood; while it turns one comes every 50 ms."""
_LATE = 100_000
"""µs by which edges and positions may come behind a heartbeat (`docs/sensor-protocol.md`)."""


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """All that the driver remembers."""

    device: DeviceState
    quadrature: QuadratureState
    zero: int | None
    spins: SpinState | None
    invalid: int | None = None
    """The device's own count of the encoder's invalid steps, as last heard."""
    hindering: tuple[str, ...] = ()
    """Faults under which no spin can be judged, when the last message came."""
    position: int | None = None
    heard: int = 0
    """The device's time of the last position."""


class FortuneWheelDriver:
    """One wheel; `drivers.driver.Driver` says what each method is for."""

    def __init__(self, device: str, options: FortuneWheelOptions, recording: Recording | None = None) -> None:
        """With a recording, that is told what the sensors see, and nothing is judged."""
        self._made_of = device, options, recording
        self._options = options
        self._said: list[AnyReading] = []
        fit = Fit(NEEDS, options.counts, calibration=options.calibration)
        self.device = SensorDevice(device, fit, options.silence, self._said)
        self._quadrature = Quadrature()
        self._rotation = Rotation(options.counts, options.index_slack)
        self._judge = None if recording or options.calibration is None else Spins(device, options, self._said)
        self._spins: Watcher | None = recording or self._judge
        self._doubt("the wheel was joined in its motion")
        spins = None if self._judge is None else self._judge.state
        self._state = _State(self.device.state, self._quadrature.state, None, spins)

    @property
    def deadline(self) -> int | None:
        """When silence becomes loss."""
        return self.device.deadline

    @deadline.setter
    def deadline(self, deadline: int | None) -> None:
        self.device.deadline = deadline

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        """An open port is not yet a wheel: that it is back is said when it speaks."""
        self._begin_anew("the link was opened anew", at)
        self.device.link_up(at)
        return self._spoken()

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        """The link ended."""
        self._begin_anew("the device was lost", at)
        self.device.lose(reason, at)
        return self._spoken()

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """Bytes as they arrived."""
        for message in self.device.heard(data, at):
            if self._spins is not None:
                self._spins.at = at
                self._spins.stand(self.device.hindrance)
            self._take(message, at)
        return self._spoken() if self._said else ()

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        """Too long without a packet: the device is lost."""
        silent = self.device.silent(at)
        return () if silent is None else self.link_lost(silent, at)

    def health(self) -> Health:
        """Of the device; whether it is calibrated."""
        return self.device.health(DRIVER.caution(self._options))

    def snapshot(self) -> bytes:
        """The whole state as JSON."""
        state = self._state
        state.device, state.quadrature = self.device.state, self._quadrature.state
        state.zero, state.spins = self._rotation.zero, None if self._judge is None else self._judge.state
        return msgspec.json.encode(state)

    def restore(self, snapshot: bytes) -> None:
        """Return to a state that `snapshot` gave. Raises ValueError on anything else, and changes nothing."""
        other = FortuneWheelDriver(*self._made_of)
        try:
            other._assume(msgspec.json.decode(snapshot, type=_State))
        except ValueError as error:
            raise ValueError(f"not a snapshot of this wheel: {error}") from error
        vars(self).update(vars(other))

    def _assume(self, state: _State) -> None:
        if (state.spins is None) != (self._judge is None):
            raise ValueError("with a calibration it would be another")
        self.device.state, self._quadrature.state = state.device, state.quadrature
        self._rotation.zero = state.zero
        if self._judge is not None and state.spins is not None:
            self._judge.state = state.spins
        self._state = state

    # --- messages -------------------------------------------------------------------------------

    def _take(self, message: wire.Message | EdgesLost, at: Instant) -> None:
        self._heed_faults()
        match message:
            case wire.Counts():
                self._counts(message)
            case wire.Edges():
                self._edges(message, at)
            case wire.Index(time, position):
                self._index(time, position, at)
            case wire.Heartbeat():
                self._heartbeat(message, at)
            case wire.Identity():
                text = "the wheel is not calibrated: no spin is judged"
                self.device.faults.settle("not_calibrated", text, self._spins is None, at, HINDERS)
            case wire.Damaged(reason):
                if reason != "sequence":  # one that comes twice is taken once, and none is missing
                    self._doubt("a packet was damaged")
            case wire.Gap(missing):
                self._doubt("a packet is missing" if missing == 1 else f"{missing} packets are missing")
            case wire.Restarted():
                self._begin_anew("the device was started anew", at)
            case wire.ClockJumped():
                self._begin_anew("the device's clock jumped", at)
            case EdgesLost():
                self._doubt("the device lost edges")

    def _heed_faults(self) -> None:
        """A fault under which no spin can be judged begins or ends: part of this one was under it."""
        before, now = self._state.hindering, self.device.faults.hindering
        if now != before:
            self._state.hindering = now
            self._doubt(f"the fault {min(set(now) ^ set(before))}")

    def _counts(self, counts: wire.Counts) -> None:
        before, self._state.invalid = self._state.invalid, counts.invalid
        if before not in (None, counts.invalid):
            self._doubt("both channels of the encoder changed at once")
        for time, position in zip(counts.times, counts.positions, strict=True):
            self._stand(time, position)

    def _stand(self, time: int, position: int) -> None:
        self._state.position, self._state.heard = position, time
        if self._spins is not None:
            self._spins.position(time, position, self._rotation.zero)

    def _edges(self, message: wire.Edges, at: Instant) -> None:
        """Edges of the encoder in runs, those of the other sensors one by one."""
        times, channels = message.times, message.channels
        latest: int | None = None
        for begin, end, turned in stretches(channels):
            if turned:
                latest = times[end - 1]
                self._turn(times[begin:end], channels[begin:end])
            else:
                channel = channels[begin]
                self._edge(times[begin], channel & 0x7F, channel >= wire.LEVEL, at)
        if latest is not None and self._state.position is not None:
            self._stand(latest, self._state.position)

    def _turn(self, times: Sequence[int], channels: bytes) -> None:
        """Edges of the encoder that follow one another."""
        quadrature = self._quadrature
        wrong = quadrature.invalid + quadrature.missed
        quadrature.run(times, channels)
        if quadrature.invalid + quadrature.missed != wrong:
            self._doubt("edges of the encoder are missing")
        self._state.position = quadrature.position

    def _edge(self, time: int, channel: int, high: bool, at: Instant) -> None:
        if channel == _POINTER:
            if self._spins is not None:
                self._spins.pointer(time, high)
        elif channel == _INDEX:
            if high and self._state.position is not None:
                self._index(time, self._state.position, at)
        else:
            self.device.switch(channel, time, high, at)

    def _index(self, time: int, position: int, at: Instant) -> None:
        if self._judge is not None and self._judge.state.zero_open:
            self._rotation.zero = None  # a slip before is already known
        slip = self._rotation.index(position)
        if slip is not None:
            text = f"the encoder is {slip.counts} counts off at its index"
            self.device.faults.stand("encoder_slip", text, at, Standing(since=time))
            self._doubt(f"the index came {slip.counts} counts from where it should")
            self._rotation.zero = position
        if self._spins is not None:
            self._spins.index(position)

    def _heartbeat(self, beat: wire.Heartbeat, at: Instant) -> None:
        state = self._state
        self.device.lid_at(beat, at)
        if self._spins is None:
            return
        if state.position is None:
            self._spins.quiet(beat.time)
        elif beat.time - state.heard > _QUIET:
            self._spins.position(beat.time - _LATE, state.position, self._rotation.zero)

    # --- what is not seen -------------------------------------------------------------------------

    def _doubt(self, reason: str) -> None:
        """Part was not seen, or is wrong: where the index comes is to be seen anew, too."""
        self._rotation.zero = None
        if self._spins is not None:
            self._spins.doubt(reason)

    def _begin_anew(self, reason: str, at: Instant) -> None:
        """Positions, counters and the clock join on to nothing that was before."""
        state = self._state
        self._quadrature = Quadrature()
        self._rotation = Rotation(self._options.counts, self._options.index_slack)
        state.invalid, state.position, state.heard = None, None, 0
        if self._spins is not None:
            self._spins.at = at
            self._spins.begin_anew()
            self._spins.doubt(reason)

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
    caution=lambda options: UNCALIBRATED if options.calibration is None else None,
)
