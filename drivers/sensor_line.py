"""What every driver of bare sensors watches on the line itself: the device's restarts, and its clock.

The host's clock tells how often and how fast: that makes faults for the technician, and decides no round.
"""

import msgspec

from drivers.readings import SECOND, AnyReading, DeviceRestarted, Instant
from drivers.sensor_faults import Faults
from drivers.tracking.device_clock import ClockDrift, DriftState
from protocols.sensor import ClockJumped, Restarted

RESTARTS, CLOCK = "device_restarts", "clock"
MINUTE = 60 * SECOND
TOO_OFTEN = 4
"""Starts within a minute. No throw takes less than a quarter of it, so that none is seen whole any more."""
OFF = 0.02
"""Share by which a device's clock may be off: the coarsest oscillators of microcontrollers keep it."""


class LineState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered of the line."""

    restarts: int = 0
    """Starts so far, the clock's jumps among them."""
    untold: int = 0
    """Those of them for which no reading was made."""
    latest: tuple[int, ...] = ()
    """When the last ones came, monotonic ns."""
    jumped: int | None = None
    """When the clock last jumped, or a time lay away from its packet's clock, monotonic ns."""
    off: float | None = None
    """Share by which the clock is fast (positive) or slow, if it is too much."""
    drift: DriftState = ((), None)


class SensorLine:
    """One device's line. What it has to say is appended to `said`."""

    def __init__(self, device: str, faults: Faults, said: list[AnyReading]) -> None:
        self._device, self._faults, self._said = device, faults, said
        self._state = LineState()
        self._drift = ClockDrift()

    @property
    def state(self) -> LineState:
        """All that is remembered; may be assigned."""
        self._state.drift = self._drift.state
        return self._state

    @state.setter
    def state(self, state: LineState) -> None:
        self._state, self._drift.state = state, state.drift

    @property
    def note(self) -> str | None:
        """What a technician should know of restarts that were only counted."""
        state = self._state
        if not state.untold:
            return None
        return f"the device started again {state.restarts} times so far, {state.untold} times untold"

    def link_up(self) -> None:
        """The device's clock is read anew."""
        self._drift.clear()

    def anew(self, why: Restarted | ClockJumped, at: Instant) -> None:
        """The device was started again, or its clock says so."""
        state = self._state
        self._drift.clear()
        if isinstance(why, ClockJumped):
            self._wrong_times(at)
        state.restarts += 1
        state.latest = (*state.latest, at.mono)[-TOO_OFTEN:]
        if RESTARTS in self._faults:
            state.untold += 1
            return
        self._said.append(DeviceRestarted(device=self._device, at=at))
        if self._restless(at):
            text = f"{TOO_OFTEN} starts within a minute: the device's supply, or a second device on its line"
            self._faults.stand(RESTARTS, text, at)

    def damaged(self, reason: str, at: Instant) -> None:
        """A packet came to nothing, for one of the decoder's reasons."""
        if reason == "times":
            self._wrong_times(at)

    def steady(self, at: Instant) -> bool:
        """A packet came whole: whether its device runs for long enough to be listened to."""
        if RESTARTS not in self._faults:
            return True
        if self._restless(at):
            return False
        self._faults.clear(RESTARTS, at)
        return True

    def beat(self, time: int, at: Instant) -> None:
        """A heartbeat: the device's time (µs)."""
        state = self._state
        if self._drift.add(time, at.mono) and (parts := self._drift.parts_per_million) is not None:
            off = 1 / (1 + parts / 1e6) - 1
            state.off = off if abs(off) > OFF else None
        if state.off is not None:
            how = "fast" if state.off > 0 else "slow"
            text = f"the device's clock is {abs(state.off):.1%} {how}: durations and speeds are wrong"
            self._faults.stand(CLOCK, text, at)
        elif state.jumped is None or at.mono - state.jumped > MINUTE:
            self._faults.clear(CLOCK, at)

    def _wrong_times(self, at: Instant) -> None:
        """Times do not join on to those before, or are not those of their packet."""
        self._state.jumped = at.mono
        self._faults.stand(CLOCK, "the device's clock jumped, stood still, or is not that of its times", at)

    def _restless(self, at: Instant) -> bool:
        latest = self._state.latest
        return len(latest) == TOO_OFTEN and at.mono - latest[0] <= MINUTE
