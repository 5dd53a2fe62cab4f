"""One table, pure: what its devices send and its people ask comes in, what to record and publish comes out.

It reads no clock: every input carries its instant, and time passes only through `advance` and the next
input's instant. Deadlines are met at their own instants, in order, before anything later is looked at; so the
recorded inputs of a round give the same records again, to the byte.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from daemon.play import play_of
from daemon.records import (
    Answer,
    ClockEvent,
    CommandEvent,
    DeviceEvent,
    EventData,
    EventType,
    Fault,
    FaultEvent,
    FindingEvent,
    LinkState,
    Message,
    Request,
    RoundRecord,
    encode,
    timestamp,
)
from daemon.rounds.round import (
    PhaseChanged,
    Restarted,
    RoundCommand,
    RoundOutput,
    RoundSettled,
    RoundState,
    Unexpected,
)
from daemon.table import messages as table_messages
from daemon.table import session, wheel_watch
from daemon.table.commands import carry_out
from daemon.table.effects import Effects, Entry, RoundStart
from daemon.table.messages import TableSetup
from daemon.table.panel import Panel
from daemon.table.record_book import RecordBook
from daemon.table.state import Snapshot, TableState, new_state, read_snapshot
from drivers.driver import Driver
from drivers.readings import (
    AnyReading,
    ButtonPressed,
    DeviceBack,
    DeviceLost,
    DeviceRestarted,
    FaultCleared,
    FaultRaised,
    Instant,
    LidMoved,
    UnsolicitedReply,
)

_replace = msgspec.structs.replace
_TABLE_LEVEL = (FaultRaised, FaultCleared, UnsolicitedReply, LidMoved)
NO_CLAUSE = "none: not a matter of the text"


class Table:
    """A table in play. Each input returns its `Effects`, or None where nothing comes of it."""

    def __init__(
        self,
        setup: TableSetup,
        drivers: Mapping[str, Driver],
        state: TableState | None = None,
        recent: Iterable[RoundRecord] = (),
    ) -> None:
        """`state` and `recent` (latest revisions, oldest first) are what the journal kept, if anything."""
        self.setup = setup
        self.play = play_of(setup.game, setup.language, setup.policy, setup.segments)
        self.state = state or new_state(self.play)
        if self.state.minimum is None:
            self.state = _replace(self.state, minimum=setup.minimum, multiple=setup.multiple)
        self.book = RecordBook(setup, self.play, recent)
        self.round = self.play.round
        self._judged = frozenset(device.id for device in setup.devices if device.role == self.play.role)
        self._drivers = dict(drivers)
        self._panel = Panel(setup, self._drivers)
        self._effects: Effects | None = None
        self._settled_round = self.state.next_round

    # --- inputs ---------------------------------------------------------------------------------

    def start(self, at: Instant, *, restarted: bool, synced: bool = False) -> Effects:
        """The table's first words, everything retained; `restarted` when an earlier run left its state."""
        effects = self._open_effects()
        self._panel.start(at)
        self._panel.clock_is(synced)
        self.show(table_messages.description(self.setup, self.play, session.limits_of(self)))
        for code in self.state.faults:  # latched when the last run ended: the broker still shows them
            self.show(table_messages.fault(code, None))
            self.record_event("fault", at, FaultEvent(code=code, latched=False))
        self.state = _replace(self.state, faults=())
        if valid := self.book.last_valid():
            self.show(table_messages.result(valid))
        if restarted:
            self.command_round(Restarted(), at)
        stands: RoundState = self.state.round
        self._show_phase(PhaseChanged(stands.phase, at, stands.reason, stands.game))
        for device in self._drivers:
            self.show(self._panel.device(device, at))
        wheel_watch.weigh(self, at)
        effects.summarise = True
        self._close_effects(at)
        return effects

    def link_up(self, device: str, identity: str, at: Instant) -> Effects | None:
        """A device's link was opened; `identity` says which real port it is."""
        self._catch_up(at)
        if identity != self._panel.views[device].identity:
            self.record_event("device", at, DeviceEvent(device=device, state="link_up", identity=identity))
        self.show(self._panel.see(device, "silent", at, identity=identity))
        self._take(self._drivers[device].link_up(at))
        return self._close_effects(at)

    def link_bytes(self, device: str, data: bytes, at: Instant) -> Effects | None:
        """Bytes from a device's link, in pieces of any size."""
        self._catch_up(at)
        readings = self._drivers[device].receive(data, at)
        if readings:
            self._take(readings)
        return self._close_effects(at) if self._effects is not None else None

    def link_waiting(self, device: str, reason: str, at: Instant) -> Effects | None:
        """A device's port could not be opened, for a reason in words; it is tried again."""
        state: LinkState = "connecting" if self._panel.views[device].state == "connecting" else "lost"
        self.show(self._panel.see(device, state, at, reason))
        return self._close_effects(at)

    def link_lost(self, device: str, reason: str, at: Instant) -> Effects | None:
        """A device's link ended, for a reason in words."""
        self._catch_up(at)
        self._take(self._drivers[device].link_lost(reason, at))
        self.show(self._panel.see(device, "lost", at, reason))
        effects = self._open_effects()
        # The link itself sees to its reopening.
        effects.reopen = [(other, why) for other, why in effects.reopen if other != device]
        return self._close_effects(at)

    def advance(self, at: Instant) -> Effects | None:
        """Time is `at` now. Nothing is ever invented by it: it makes silence known, and ends waiting."""
        self._catch_up(at)
        return self._close_effects(at) if self._effects is not None else None

    @property
    def deadline(self) -> int | None:
        """Monotonic nanoseconds at which `advance` is wanted, or None."""
        deadline = self.round.deadline(self.state.round)
        for driver in self._drivers.values():
            at = driver.deadline
            if at is not None and (deadline is None or at < deadline):
                deadline = at
        return deadline

    @property
    def idle(self) -> bool:
        """Whether no round is in hand."""
        return self.state.round.stage in ("closed", "over")

    @property
    def wheel_device(self) -> str | None:
        """The id of the device that the game is played with."""
        role = self.play.role
        return next((device.id for device in self.setup.devices if device.role == role), None)

    @property
    def wheel_serial(self) -> str | None:
        """That device's own serial number, where it says it."""
        driver = self._drivers.get(self.wheel_device or "")
        return driver.health().serial if driver else None

    def command(self, name: str, request: Request, at: Instant) -> tuple[Answer, Effects | None]:
        """A request from the croupier, the table chief or the back office, answered; recorded either way."""
        self._catch_up(at)
        answer = carry_out(self, name, request, at)
        self.record_event("command", at, CommandEvent(command=name, request=request, answer=answer))
        return answer, self._close_effects(at)

    def raise_fault(self, code: str, text: str, remedy: str, at: Instant) -> Effects | None:
        """Latch a fault that the table's surroundings found (journal, broker)."""
        self.latch(Fault(code=code, text=text, remedy=remedy, since=timestamp(at.wall)), at)
        return self._close_effects(at)

    def clear_fault(self, code: str, at: Instant) -> Effects | None:
        """The fault of this code is gone."""
        self.unlatch(code, at)
        return self._close_effects(at)

    def clock_is(self, synced: bool, at: Instant) -> Effects | None:
        """Whether the wall clock follows a time source."""
        self._panel.clock_is(synced)
        return self._close_effects(at)

    def clock_stepped(self, seconds: float, at: Instant) -> Effects | None:
        """The wall clock jumped by so many seconds against the monotonic one; durations do not use it."""
        self.record_event("clock", at, ClockEvent(stepped_seconds=round(seconds, 6)))
        return self._close_effects(at)

    def show_devices(self, at: Instant) -> Effects | None:
        """Every device's health afresh."""
        for device in self._drivers:
            self.show(self._panel.device(device, at))
        return self._close_effects(at)

    def snapshot(self, leftover: tuple[AnyReading, ...] = ()) -> bytes:
        """The table between two inputs, for replaying what follows."""
        drivers = {device: driver.snapshot() for device, driver in self._drivers.items()}
        kept = Snapshot(state=self.state, drivers=drivers, leftover=leftover, terms=self.setup.terms)
        return encode(kept)

    def restore(self, snapshot: bytes, at: Instant) -> Effects | None:
        """Go on from a snapshot. Raises msgspec.DecodeError or ValueError on anything else."""
        kept = read_snapshot(snapshot, self.play)
        self.state = kept.state
        for device, driver in self._drivers.items():
            driver.restore(kept.of(device))
        self._take(kept.leftover)
        return self._close_effects(at)

    # --- readings and rounds --------------------------------------------------------------------

    def _catch_up(self, at: Instant) -> None:
        while (deadline := self.deadline) is not None and deadline <= at.mono:
            then = at.later(deadline - at.mono)
            for driver in self._drivers.values():
                if driver.deadline is not None and driver.deadline <= deadline:
                    self._take(driver.advance(then))
            before = self.state.next_round
            self._apply(self.round.advance(self.state.round, then), then)
            self._mark_beginning(before, ())
            self._show_status()

    def _take(self, readings: Sequence[AnyReading]) -> None:
        for index, reading in enumerate(readings):
            before = self.state.next_round
            self._reading(reading)
            self._mark_beginning(before, readings[index + 1 :])

    def _mark_beginning(self, before: int, leftover: Sequence[AnyReading]) -> None:
        """When a round ended, the next one begins here, with what is left of the present input."""
        if self.state.next_round != before:
            begins = RoundStart(self.state.next_round, self.snapshot(tuple(leftover)))
            self._open_effects().round_begins.append(begins)

    def _reading(self, reading: AnyReading) -> None:
        at, device = reading.at, reading.device
        wheel_watch.weigh(self, at)
        match reading:
            case DeviceBack():
                self.show(self._panel.see(device, "up", at))
                self.record_event("device", at, DeviceEvent(device=device, state="up"))
            case DeviceLost(reason=reason):
                if self._panel.views[device].state == "up":
                    self.record_event("device", at, DeviceEvent(device=device, state="lost", reason=reason))
                self.show(self._panel.see(device, "silent", at, reason))
                self._open_effects().reopen.append((device, reason))
            case DeviceRestarted():
                self.record_event("device", at, DeviceEvent(device=device, state="restarted"))
            case FaultRaised(code=code, text=text, remedy=remedy):
                remedy, since = f"{remedy}; the table chief decides whether play goes on", timestamp(at.wall)
                self.latch(Fault(code=code, text=text, remedy=remedy, since=since, device=device), at)
            case FaultCleared(code=code):
                self.unlatch(code, at)
            case LidMoved(open=is_open):
                session.move_lid(self, is_open=is_open)
            case UnsolicitedReply(line=line):
                self._note("device.unsolicited_reply", {"device": device, "line": line}, at)
        if isinstance(reading, _TABLE_LEVEL):
            return
        if device in self._judged or isinstance(reading, ButtonPressed):  # a lost console is no lost wheel
            self._apply(self.round.step(self.state.round, reading, at), at)

    def command_round(self, command: RoundCommand, at: Instant) -> None:
        """Pass a command to the round in hand; its effects join those of the present input."""
        before = self.state.next_round
        self._apply(self.round.step(self.state.round, command, at), at)
        self._mark_beginning(before, ())

    def _apply(self, step: tuple[RoundState, list[RoundOutput]], at: Instant) -> None:
        state, outputs = step
        if state is not self.state.round:
            self.state = _replace(self.state, round=state)
        for output in outputs:
            match output:
                case PhaseChanged():
                    self._show_phase(output)
                case RoundSettled():
                    self._settle(output)
                case Unexpected(phase=phase, reading=reading, data=data):
                    self._note("round.unexpected", {"phase": phase, "reading": reading, "data": data}, at)

    # --- records --------------------------------------------------------------------------------

    def _settle(self, settled: RoundSettled) -> None:
        record = self.book.settled(self.state, settled)
        self._settled_round = record.round
        self.state = _replace(self.state, next_round=record.round + 1)
        session.count_down(self, record, settled.settled_at)
        self.add_record(record, settled.settled_at)

    def add_record(self, record: RoundRecord, at: Instant) -> None:
        """A new record or a revision: to the journal, then to the world."""
        effects = self._open_effects()
        valid_before = self.book.last_valid()
        self.state = self.book.add(self.state, record)
        self.state = wheel_watch.count(self, record)
        first = record.revision == 0
        entry = Entry(
            kind="round" if first else "correction",
            at=at.wall,
            body=encode(record),
            round=record.round,
            seq=record.seq,
            revision=record.revision,
        )
        effects.entries.append(entry)
        effects.durable.append(table_messages.event(self.setup, "round", record.id, at.wall, record))
        if not first:
            self._event_only("correction", at, record)
        for finding in record.findings:
            self._event_only("finding", at, FindingEvent.of(finding, record.round))
        valid = self.book.last_valid()
        if valid is not valid_before:
            effects.durable.append(table_messages.result(valid))
        effects.summarise = True

    def summaries(self) -> list[Message]:
        """What sums up the records so far, for showing once they are durable: `history` and `stats`."""
        return self.book.summaries(self.state)

    # --- showing and noting ---------------------------------------------------------------------

    def _open_effects(self) -> Effects:
        if self._effects is None:
            self._effects = Effects()
        return self._effects

    def _close_effects(self, at: Instant) -> Effects | None:
        self._show_status()
        effects, self._effects = self._effects, None
        return effects

    def show(self, message: Message | None) -> None:
        """Publish present state."""
        if message is not None:
            effects = self._open_effects()
            # Once something waits for the journal, what is shown later waits with it, in order.
            (effects.after if effects.entries else effects.live).append(message)

    def _show_status(self) -> None:
        status = self._panel.status(self.state.session, self.state.open)
        if status is not None:
            self._open_effects().live.append(status)

    def _show_phase(self, changed: PhaseChanged) -> None:
        settled = changed.phase in ("result", "void", "held") and self.state.round.stage == "over"
        number = self._settled_round if settled else self.state.next_round
        last_valid, last_rounds = self.state.last_valid, self.state.last_rounds
        self.show(table_messages.phase(self.setup, changed, number, last_valid, last_rounds))

    def latch(self, fault: Fault, at: Instant) -> None:
        """This fault is there; shown and recorded where it is news."""
        message = self._panel.latch(fault)
        if message is not None:
            self.show(message)
            self.state = _replace(self.state, faults=self._panel.faults)
            self.record_event("fault", at, FaultEvent.of(fault))

    def unlatch(self, code: str, at: Instant) -> None:
        """The fault of this code is gone; the same."""
        message = self._panel.unlatch(code)
        if message is not None:
            self.show(message)
            self.state = _replace(self.state, faults=self._panel.faults)
            self.record_event("fault", at, FaultEvent(code=code, latched=False))

    def _note(self, rule: str, evidence: dict[str, object], at: Instant) -> None:
        """A finding that belongs to no round's record."""
        data = FindingEvent(rule=rule, clause=NO_CLAUSE, effect="finding", evidence=evidence)
        self.record_event("finding", at, data)

    def record_event(self, kind: EventType, at: Instant, data: EventData) -> None:
        """An event that is recorded and published."""
        message = self._event_only(kind, at, data)
        self._open_effects().entries.append(Entry(kind=kind, at=at.wall, body=message.payload))

    def _event_only(self, kind: EventType, at: Instant, data: EventData) -> Message:
        identity = f"{self.setup.id}/e{self.state.next_event}"
        self.state = _replace(self.state, next_event=self.state.next_event + 1)
        message = table_messages.event(self.setup, kind, identity, at.wall, data)
        self._open_effects().durable.append(message)
        return message
