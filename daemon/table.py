"""One table, pure: what its devices send and its people ask comes in, what to record and publish comes out.

It reads no clock: every input carries its instant, and time passes only through `advance` and the next
input's instant. Deadlines are met at their own instants, in order, before anything later is looked at; so the
recorded inputs of a round give the same records again, to the byte.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from daemon import statistics, table_messages
from daemon.catalogue import announcements
from daemon.catalogue.bets.roulette import guidance, guidances, limits, outcome, void_guidance
from daemon.commands import carry_out
from daemon.effects import Effects, Entry
from daemon.records import (
    Answer,
    EventType,
    Fault,
    Guidance,
    Message,
    Phase,
    PhaseName,
    Request,
    RoundRecord,
    Status,
    TableStatus,
    Verdict,
    WheelOutcome,
    encode,
    timestamp,
)
from daemon.rounds.round import PhaseChanged, Restarted, RoundCommand, RoundOutput, RoundSettled, Unexpected
from daemon.rounds.wheel import WheelRound, WheelState
from daemon.table_messages import DeviceView, TableSetup, retained
from daemon.table_state import HISTORY_LENGTH, Snapshot, TableState, decode_snapshot
from drivers.driver import Driver
from drivers.readings import (
    AnyReading,
    DeviceBack,
    DeviceLost,
    DeviceRestarted,
    FaultCleared,
    FaultRaised,
    Instant,
    UnsolicitedReply,
)

_replace = msgspec.structs.replace
_TABLE_LEVEL = (FaultRaised, FaultCleared, UnsolicitedReply)


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
        self.state = state or TableState()
        if self.state.minimum is None:
            self.state = _replace(self.state, minimum=setup.minimum, multiple=setup.multiple)
        self.records: list[RoundRecord] = list(recent)[-HISTORY_LENGTH:]
        self.round = WheelRound(setup.game, setup.policy)
        self._drivers = dict(drivers)
        self._views: dict[str, DeviceView] = {}
        self._faults: dict[str, Fault] = {}
        self._heard: set[str] = set()
        self._clock: Literal["synced", "unsynced"] = "unsynced"
        self._status: Status | None = None
        self._effects: Effects | None = None
        self._settled_round = self.state.next_round
        self._guidance: dict[tuple[str, int, bool], tuple[Guidance, ...]] = {
            (number, 0, False): words for number, words in guidances(setup.game, setup.language).items()
        }

    # --- inputs ---------------------------------------------------------------------------------

    def start(self, at: Instant, *, restarted: bool) -> Effects:
        """The table's first words, everything retained; `restarted` when an earlier run left its state."""
        effects = self._open_effects()
        self._views = {device: DeviceView(since=at) for device in self._drivers}
        self._show(table_messages.description(self.setup, self.limits()))
        for code in self.state.faults:
            self._show(table_messages.fault(code, None))
        self.state = _replace(self.state, faults=())
        if restarted:
            self.command_round(Restarted(), at)
        stage = self.state.round
        self._show_phase(PhaseChanged(stage.phase, at, stage.reason, stage.game))
        for device in self._drivers:
            self._show_device(device, at)
        if valid := self.last_valid():
            self._show(retained("result", valid))
        effects.live += self.summaries()
        self._refresh_status(at)
        self._effects = None
        return effects

    def link_up(self, device: str, identity: str, at: Instant) -> Effects | None:
        """A device's link was opened; `identity` says which real port it is."""
        self._catch_up(at)
        if identity != self._views[device].identity:
            self._record_event("device", at, {"device": device, "state": "link_up", "identity": identity})
        self._set_view(device, "silent", None, at, identity)
        self._take(self._drivers[device].link_up(at))
        return self._close_effects(at)

    def link_bytes(self, device: str, data: bytes, at: Instant) -> Effects | None:
        """Bytes from a device's link, in pieces of any size."""
        self._catch_up(at)
        readings = self._drivers[device].receive(data, at)
        if readings:
            self._take(readings)
        return self._close_effects(at) if self._effects is not None else None

    def link_lost(self, device: str, reason: str, at: Instant) -> Effects | None:
        """A device's link ended, for a reason in words."""
        self._catch_up(at)
        self._take(self._drivers[device].link_lost(reason, at))
        self._set_view(device, "lost", reason, at, None)
        self._open_effects().reopen.clear()  # the link itself sees to that
        return self._close_effects(at)

    def advance(self, at: Instant) -> Effects | None:
        """Time is `at` now. Nothing is ever invented by it: it makes silence known, and ends waiting."""
        self._catch_up(at)
        return self._close_effects(at) if self._effects is not None else None

    @property
    def deadline(self) -> int | None:
        """Monotonic nanoseconds at which `advance` is wanted, or None."""
        deadline = self.state.round.settle_by
        for driver in self._drivers.values():
            at = driver.deadline
            if at is not None and (deadline is None or at < deadline):
                deadline = at
        return deadline

    @property
    def idle(self) -> bool:
        """Whether no round is in hand."""
        return self.state.round.stage in ("closed", "over")

    def command(self, name: str, request: Request, at: Instant) -> tuple[Answer, Effects | None]:
        """A request from the croupier, the table chief or the back office, answered; recorded either way."""
        self._catch_up(at)
        answer = carry_out(self, name, request, at)
        asked = {key: value for key, value in msgspec.to_builtins(request).items() if value is not None}
        said = {"ok": answer.ok, "reason": answer.reason, "clause": answer.clause}
        self._record_event("command", at, {"command": name, "request": asked, "answer": said})
        return answer, self._close_effects(at)

    def raise_fault(
        self, code: str, text: str, remedy: str, at: Instant, device: str | None = None
    ) -> Effects:
        """Latch a fault that the table's surroundings found (journal, broker)."""
        effects = self._open_effects()
        self._latch(Fault(code=code, text=text, remedy=remedy, since=timestamp(at.wall), device=device), at)
        self._close_effects(at)
        return effects

    def clear_fault(self, code: str, at: Instant) -> Effects:
        """The fault of this code is gone."""
        effects = self._open_effects()
        self._unlatch(code, at)
        self._close_effects(at)
        return effects

    def clock_is(self, synced: bool, at: Instant) -> Effects | None:
        """Whether the wall clock follows a time source."""
        self._clock = "synced" if synced else "unsynced"
        return self._close_effects(at)

    def clock_stepped(self, seconds: float, at: Instant) -> Effects | None:
        """The wall clock jumped by so many seconds against the monotonic one; durations do not use it."""
        self._record_event("clock", at, {"stepped_seconds": round(seconds, 6)})
        return self._close_effects(at)

    def show_devices(self, at: Instant) -> Effects:
        """Every device's health afresh."""
        effects = self._open_effects()
        for device in self._drivers:
            self._show_device(device, at)
        self._effects = None
        return effects

    def snapshot(self, leftover: tuple[AnyReading, ...] = ()) -> bytes:
        """The table between two inputs, for replaying what follows."""
        drivers = {device: driver.snapshot() for device, driver in self._drivers.items()}
        return encode(Snapshot(state=self.state, drivers=drivers, leftover=leftover))

    def restore(self, snapshot: bytes, at: Instant) -> Effects | None:
        """Go on from a snapshot. Raises msgspec.DecodeError or ValueError on anything else."""
        kept = decode_snapshot(snapshot)
        self.state = kept.state
        for device, driver in self._drivers.items():
            driver.restore(kept.drivers[device])
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
            self._refresh_status(then)

    def _take(self, readings: Sequence[AnyReading]) -> None:
        for index, reading in enumerate(readings):
            before = self.state.next_round
            self._reading(reading)
            self._mark_beginning(before, readings[index + 1 :])

    def _mark_beginning(self, before: int, leftover: Sequence[AnyReading]) -> None:
        """When a round ended, the next one begins here, with what is left of the present input."""
        if self.state.next_round != before:
            begins = (self.state.next_round, self.snapshot(tuple(leftover)))
            self._open_effects().round_begins.append(begins)

    def _reading(self, reading: AnyReading) -> None:
        at, device = reading.at, reading.device
        match reading:
            case DeviceBack():
                self._heard.add(device)
                self._set_view(device, "up", None, at, None)
                self._record_event("device", at, {"device": device, "state": "up"})
            case DeviceLost(reason=reason):
                if self._views[device].state == "up":
                    self._record_event("device", at, {"device": device, "state": "lost", "reason": reason})
                self._set_view(device, "silent", reason, at, None)
                self._open_effects().reopen.append((device, reason))
            case DeviceRestarted():
                self._record_event("device", at, {"device": device, "state": "restarted"})
            case FaultRaised(code=code, text=text):
                remedy = "see the device's manual; the table chief decides whether play goes on"
                latched = Fault(code=code, text=text, remedy=remedy, since=timestamp(at.wall), device=device)
                self._latch(latched, at)
            case FaultCleared(code=code):
                self._unlatch(code, at)
            case UnsolicitedReply(line=line):
                rule = "device.unsolicited_reply"
                self._record_event(
                    "finding", at, {"rule": rule, "effect": "finding", "evidence": {"line": line}}
                )
        if not isinstance(reading, _TABLE_LEVEL):
            self._apply(self.round.step(self.state.round, reading, at), at)

    def command_round(self, command: RoundCommand, at: Instant) -> None:
        """Pass a command to the round in hand; its effects join those of the present input."""
        before = self.state.next_round
        self._apply(self.round.step(self.state.round, command, at), at)
        self._mark_beginning(before, ())

    def _apply(self, step: tuple[WheelState, list[RoundOutput]], at: Instant) -> None:
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
                    seen = {"phase": phase, "reading": reading, "data": data}
                    finding = {"rule": "round.unexpected", "effect": "finding", "evidence": seen}
                    self._record_event("finding", at, finding)

    # --- records --------------------------------------------------------------------------------

    def _settle(self, settled: RoundSettled) -> None:
        setup, state = self.setup, self.state
        number = state.next_round
        known = (
            settled.label in setup.game.layout.colors
        )  # a claimed pocket that is none stays in the finding
        result = outcome(setup.game, settled.label) if settled.label is not None and known else None
        duration = settled.settled_at.mono - settled.opened_at.mono
        record = RoundRecord(
            id=f"{setup.id}/{number}/0",
            seq=state.next_seq,
            round=number,
            revision=0,
            site=setup.site,
            table=setup.id,
            game=setup.game.id,
            catalogue=setup.game.text,
            catalogue_hash=setup.game.hash,
            verdict=settled.verdict,
            outcome=result,
            findings=settled.findings,
            announcement=self.announcement(settled.verdict, result),
            guidance=self.guidance(settled.verdict, result, number),
            opened_at=timestamp(settled.opened_at.wall),
            closed_at=timestamp(settled.closed_at.wall) if settled.closed_at else None,
            settled_at=timestamp(settled.settled_at.wall),
            duration_ms=duration // 1_000_000 if duration >= 0 else None,
            session=state.session,
            test=setup.test,
            previous=state.last_valid,
            attempts=settled.attempts,
        )
        self._settled_round = number
        self.state = _replace(self.state, next_round=number + 1)
        self._count_down(settled.settled_at)
        self.add_record(record, settled.settled_at)

    def add_record(self, record: RoundRecord, at: Instant) -> None:
        """A new record or a revision: to the journal, then to the world. Its `seq` must be `next_seq`."""
        assert record.seq == self.state.next_seq
        effects = self._open_effects()
        revised = next((r for r in self.records if r.round == record.round), None)
        tally = self.state.tally
        if revised is None:
            self.records = [*self.records, record][-HISTORY_LENGTH:]
        else:
            self.records = [record if r is revised else r for r in self.records]
            tally = statistics.counted(tally, revised.verdict, _number(revised), by=-1)
        tally = statistics.counted(tally, record.verdict, _number(record))
        self.state = _replace(self.state, next_seq=record.seq + 1, tally=tally)
        kind: EventType = "round" if record.revision == 0 else "correction"
        entry = Entry(
            kind=kind,
            at=at.wall,
            body=encode(record),
            round=record.round,
            seq=record.seq,
            revision=record.revision,
        )
        effects.entries.append(entry)
        effects.durable.append(table_messages.event(self.setup, "round", record.id, at.wall, record))
        if record.revision > 0:
            self._event_only("correction", at.wall, record)
        for finding in record.findings:
            self._event_only("finding", at.wall, {"round": record.round, **msgspec.to_builtins(finding)})
        self._update_result(record, revised)
        effects.summarise = True

    def announcement(self, verdict: Verdict, result: WheelOutcome | None) -> str:
        """What is called out on a verdict, in the table's language; nothing while a round is held."""
        if verdict == "valid" and result is not None:
            return announcements.announce_result(self.setup.game, result, self.setup.language)
        return announcements.announce_void(self.setup.game, self.setup.language) if verdict == "void" else ""

    def guidance(self, verdict: Verdict, result: WheelOutcome | None, number: int) -> tuple[Guidance, ...]:
        """What the text tells the croupiers to do about round `number` with this verdict."""
        game, language = self.setup.game, self.setup.language
        if verdict == "void":
            return (void_guidance(game, self.state.last_valid, language),)
        if verdict == "held" or result is None:
            return ()
        zeros = 0
        for record in reversed(self.records):
            if record.round < number and record.verdict == "valid":
                if _number(record) not in game.zero.numbers:
                    break
                zeros += 1
        last_ball = self.state.last_rounds == 1 and self.state.pending_limits is None
        asked = (result.number, zeros, last_ball)
        if asked not in self._guidance:
            self._guidance[asked] = guidance(
                game, result.number, language, zeros_before=zeros, last_ball=last_ball
            )
        return self._guidance[asked]

    def _update_result(self, record: RoundRecord, revised: RoundRecord | None) -> None:
        valid = self.last_valid()
        if valid is record or (revised is not None and revised.verdict == "valid"):
            message = retained("result", valid) if valid else Message("result", b"", retain=True)
            self._open_effects().durable.append(message)
        self.state = _replace(self.state, last_valid=_number(valid) if valid else None)

    def last_valid(self) -> RoundRecord | None:
        """The newest valid record, by round."""
        return next((r for r in reversed(self.records) if r.verdict == "valid"), None)

    def _count_down(self, at: Instant) -> None:
        left = self.state.last_rounds
        if left is None:
            return
        left -= 1
        pending = self.state.pending_limits
        if left > 0:
            self.state = _replace(self.state, last_rounds=left)
            return
        self.state = _replace(self.state, last_rounds=None, pending_limits=None)
        if pending is not None:
            self.set_limits(pending.minimum, pending.multiple, at)

    def set_limits(self, minimum: int, multiple: int | None, at: Instant) -> None:
        """New limits are in force; whether the text permits them now is the caller's to check."""
        self.state = _replace(self.state, minimum=minimum, multiple=multiple)
        self._show(table_messages.description(self.setup, self.limits()))
        self._record_event("command", at, {"limits_in_force": self.limits()})

    def limits(self) -> dict[str, int] | None:
        """Minimum and every bet's maximum now in force, where a minimum is set."""
        if self.state.minimum is None:
            return None
        maxima = limits(self.setup.game, self.state.minimum, self.state.multiple) or {}
        return {"minimum": self.state.minimum, **maxima}

    # --- showing --------------------------------------------------------------------------------

    def _open_effects(self) -> Effects:
        if self._effects is None:
            self._effects = Effects()
        return self._effects

    def _close_effects(self, at: Instant) -> Effects | None:
        self._refresh_status(at)
        effects, self._effects = self._effects, None
        return effects

    def _show(self, message: Message) -> None:
        effects = self._open_effects()
        # Once something waits for the journal, what is shown later waits with it: topics keep their order.
        (effects.after if effects.entries else effects.live).append(message)

    def _show_phase(self, changed: PhaseChanged) -> None:
        settled = changed.phase in ("result", "void", "held") and self.state.round.stage == "over"
        phase = Phase(
            round=self._settled_round if settled else self.state.next_round,
            phase=changed.phase,
            since=timestamp(changed.at.wall),
            previous=self.state.last_valid,
            reason=changed.reason,
            game=changed.game,
            last_rounds=self.state.last_rounds,
            announcement=_called_out(self.setup, changed.phase),
        )
        self._show(retained("phase", phase))

    def summaries(self) -> list[Message]:
        """What sums up the records so far, for showing once they are durable: `history` and `stats`."""
        stats = statistics.stats(self.state.tally, self.setup.game.layout.pockets)
        return [table_messages.history(self.records), retained("stats", stats)]

    def _set_view(
        self, device: str, state: str, reason: str | None, at: Instant, identity: str | None
    ) -> None:
        known = self._views[device]
        self._views[device] = DeviceView(
            state=state, since=at, reason=reason, identity=identity or known.identity
        )
        self._show_device(device, at)

    def _show_device(self, device: str, at: Instant) -> None:
        health = self._drivers[device].health()
        self._show(table_messages.device_status(device, self._views[device], health, at))

    def _latch(self, fault: Fault, at: Instant) -> None:
        if fault.code not in self._faults:
            self._faults[fault.code] = fault
            self.state = _replace(self.state, faults=tuple(self._faults))
            self._show(table_messages.fault(fault.code, fault))
            self._record_event("fault", at, {"latched": True, **msgspec.to_builtins(fault)})

    def _unlatch(self, code: str, at: Instant) -> None:
        if self._faults.pop(code, None) is not None:
            self.state = _replace(self.state, faults=tuple(self._faults))
            self._show(table_messages.fault(code, None))
            self._record_event("fault", at, {"latched": False, "code": code})

    def _refresh_status(self, at: Instant) -> None:
        state, reason = self._table_status()
        status = Status(
            state=state,
            session=self.state.session,
            version=self.setup.version,
            clock=self._clock,
            test=self.setup.test,
            reason=reason,
        )
        if status != self._status:
            self._status = status
            self._open_effects().live.append(retained("status", status))

    def _table_status(self) -> tuple[TableStatus, str | None]:
        for device, view in self._views.items():
            if view.state != "up":
                state: TableStatus = "disconnected" if device in self._heard else "init"
                return state, f"{device}: {view.reason or 'not heard yet'}"
        if not self.state.open:
            return "closed", None
        if self._faults:
            return "alert", ", ".join(sorted(self._faults))
        return "ready", None

    def _record_event(self, kind: EventType, at: Instant, data: object) -> None:
        message = self._event_only(kind, at.wall, data)
        self._open_effects().entries.append(Entry(kind=kind, at=at.wall, body=message.payload))

    def _event_only(self, kind: EventType, at: int, data: object) -> Message:
        identity = f"{self.setup.id}/e{self.state.next_event}"
        self.state = _replace(self.state, next_event=self.state.next_event + 1)
        message = table_messages.event(self.setup, kind, identity, at, data)
        self._open_effects().durable.append(message)
        return message


def _called_out(setup: TableSetup, phase: PhaseName) -> str | None:
    """What the croupier or the table chief says on entering a phase."""
    match phase:
        case "betting":
            return announcements.announce_betting_open(setup.game, setup.language)
        case "no_more_bets":
            return announcements.announce_no_more_bets(setup.game, setup.language)
        case "void":
            return announcements.announce_void(setup.game, setup.language)
    return None


def _number(record: RoundRecord) -> str | None:
    return record.outcome.number if record.outcome else None
