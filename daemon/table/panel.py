"""What a table shows of its health: devices, latched faults, the clock, and the status they make. Pure."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from daemon.records import DeviceStatus, Fault, LinkState, Message, Status, TableStatus, timestamp
from daemon.table import messages as table_messages
from daemon.table.messages import TableSetup, retained
from drivers.driver import Driver
from drivers.readings import Instant


class DeviceView(msgspec.Struct, frozen=True, kw_only=True):
    """A device's link as the table knows it."""

    state: LinkState = "connecting"
    since: Instant
    reason: str | None = None
    identity: str | None = None
    """The real port behind the configured one."""


class Panel:
    """The health of a table's devices and surroundings."""

    def __init__(self, setup: TableSetup, drivers: Mapping[str, Driver]) -> None:
        self._setup = setup
        self._drivers = drivers
        self._faults: dict[str, Fault] = {}
        self._heard: set[str] = set()
        self._clock: Literal["synced", "unsynced"] = "unsynced"
        self._status: Status | None = None
        self.views: dict[str, DeviceView] = {}

    def start(self, at: Instant) -> None:
        """Nothing is known of any device yet."""
        self.views = {device: DeviceView(since=at) for device in self._drivers}

    def see(
        self,
        device: str,
        state: LinkState,
        at: Instant,
        reason: str | None = None,
        identity: str | None = None,
    ) -> Message:
        """A device's link is in this state from now on; its `device/{id}`."""
        known = self.views[device]
        self.views[device] = DeviceView(
            state=state, since=at, reason=reason, identity=identity or known.identity
        )
        if state == "up":
            self._heard.add(device)
        return self.device(device, at)

    def device(self, device: str, at: Instant) -> Message:
        """`device/{id}` as of now."""
        view, health = self.views[device], self._drivers[device].health()
        last = health.last_frame
        status = DeviceStatus(
            id=device,
            state=view.state,
            since=timestamp(view.since.wall),
            frames=health.frames,
            bad_frames=health.bad_frames,
            last_frame_at=timestamp(last.wall) if last else None,
            last_frame_age_ms=max(0, at.mono - last.mono) // 1_000_000 if last else None,
            firmware=health.firmware,
            note=health.note,
            reason=view.reason,
        )
        return retained(f"device/{device}", status)

    def latch(self, fault: Fault) -> Message | None:
        """A fault is there; its `fault/{code}`, None where it was shown with the same text before."""
        known = self._faults.get(fault.code)
        if known is not None and (known.text, known.device) == (fault.text, fault.device):
            return None
        self._faults[fault.code] = fault
        return table_messages.fault(fault.code, fault)

    def unlatch(self, code: str) -> Message | None:
        """A fault is gone; what empties its topic, None where it was not there."""
        return table_messages.fault(code, None) if self._faults.pop(code, None) else None

    @property
    def faults(self) -> tuple[str, ...]:
        """The codes that are latched."""
        return tuple(self._faults)

    def clock_is(self, synced: bool) -> None:
        """Whether the wall clock follows a time source."""
        self._clock = "synced" if synced else "unsynced"

    def status(self, session: int, is_open: bool) -> Message | None:
        """`status`, where it is another than the one shown last."""
        state, reason = self._state(is_open)
        status = Status(
            state=state,
            session=session,
            version=self._setup.version,
            clock=self._clock,
            test=self._setup.test,
            reason=reason,
        )
        if status == self._status:
            return None
        self._status = status
        return retained("status", status)

    def _state(self, is_open: bool) -> tuple[TableStatus, str | None]:
        for device, view in self.views.items():
            if view.state != "up":
                if device in self._heard:
                    why = view.reason or "not heard since its port was opened again"
                    return "disconnected", f"{device}: {why}"
                return "init", f"{device}: {view.reason or 'not heard yet'}"
        if not is_open:
            return "closed", None
        if self._faults:
            return "alert", ", ".join(sorted(self._faults))
        return "ready", None
