"""A table among its surroundings: links in, journal and broker out.

Everything runs in callbacks on the event loop and nothing here waits: a line's bytes are judged in the
callback that read them, what is live goes to the broker at once, and what must be recorded goes to the
journal's writer and from there, once it is durable, to the broker. So neither a slow disk nor a broker that
is away ever stops the reading.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
import structlog

from daemon.clock import Clock
from daemon.journal.batch import Batch, CommitResult, Input
from daemon.records import Answer, FaultEvent, Message, Request, Verdict, encode
from daemon.table.commands import BadRequestError, decode_request
from daemon.table.effects import Effects, Entry, RoundStart
from daemon.table.state import encode_state
from daemon.table.table import Table
from drivers.readings import SECOND, Instant

log = structlog.get_logger("mesad.table")

INPUTS_WAIT = 0.2
"""Seconds for which inputs that had an effect wait for company before they are committed."""
INPUTS_IN_PLAY_WAIT = 5.0
"""The same for those without an effect while a round is in hand: a crash loses no more of them."""
INPUTS_AT_MOST = 512
"""Recorded inputs that wait for the next commit at most; then they get one of their own."""
ANSWERED_KEPT = 64
"""Answers kept for requests that are delivered twice."""
CLOCK_EVERY = 5.0
DEVICES_EVERY = 30.0


class Recorder(Protocol):
    """The journal, as the actor needs it."""

    def submit(self, batch: Batch, done: Callable[[CommitResult], None]) -> None:
        """Commit a batch after those before it; `done` comes on the loop when it is durable."""
        ...


class Publisher(Protocol):
    """The broker's side, as the actor needs it."""

    def show(self, message: Message) -> None:
        """Present state: the latest of a topic counts."""
        ...

    def publish(self, outbox_id: int, message: Message) -> None:
        """A recorded message, in order, until acknowledged."""
        ...

    def answer(self, topic: str, payload: bytes, correlation: bytes | None) -> None:
        """The answer to a request."""
        ...


class Link(Protocol):
    """A device's link, as the actor needs it."""

    def reopen(self, reason: str) -> None:
        """Close and open again: the device is silent."""
        ...

    def read_now(self) -> None:
        """Hand on what is waiting to be read, in this very call."""
        ...


class _Told(msgspec.Struct):
    """What the log tells of a record."""

    verdict: Verdict


class _Fault(msgspec.Struct):
    """An event around a fault."""

    data: FaultEvent


class DeviceInput:
    """What a link of one device calls; see `drivers.links`."""

    def __init__(self, actor: "TableActor", device: str) -> None:
        self._actor = actor
        self._device = device

    def link_up(self, at: Instant, identity: str) -> None:
        """The link is open."""
        self._actor.link_up(self._device, identity, at)

    def link_bytes(self, data: bytes, at: Instant) -> None:
        """Bytes arrived at that instant."""
        self._actor.link_bytes(self._device, data, at)

    def link_lost(self, reason: str, at: Instant) -> None:
        """The link ended."""
        self._actor.link_lost(self._device, reason, at)

    def link_waiting(self, reason: str, at: Instant) -> None:
        """The port could not be opened."""
        self._actor.link_waiting(self._device, reason, at)


class TableActor:
    """Carries a table's inputs in and its effects out."""

    def __init__(self, table: Table, recorder: Recorder, publisher: Publisher, clock: Clock) -> None:
        self._table = table
        self._recorder = recorder
        self._publisher = publisher
        self._clock = clock
        self._links: dict[str, Link] = {}
        self._inputs: list[Input] = []
        self._timer: asyncio.TimerHandle | None = None
        self._later: asyncio.TimerHandle | None = None
        self._shown: dict[str, int] = {}
        self._shows = 0
        self._summary = 0
        self._answered: OrderedDict[tuple[str, str], tuple[Request, bytes | None]] = OrderedDict()
        self._bad_requests = 0

    def attach(self, device: str, link: Link) -> None:
        """The link that is asked to reopen when this device is silent."""
        self._links[device] = link

    def start(self, *, restarted: bool) -> None:
        """Say the table's first words; `restarted` when an earlier run left its state."""
        at = self._clock.now()
        number = self._table.state.next_round
        first = RoundStart(number, self._table.snapshot())
        synced = self._clock.sync() == "synced"
        effects = self._table.start(at, restarted=restarted, synced=synced)
        if not effects.round_begins and self._table.idle:  # the table file may be another than before
            effects.round_begins.append(first)
        self._record("start", "", at, b"restarted" if restarted else b"", number)
        self._carry_out(effects)

    # --- inputs ---------------------------------------------------------------------------------

    def link_up(self, device: str, identity: str, at: Instant) -> None:
        """See `DeviceInput`."""
        number = self._round_in_hand(at)
        effects = self._table.link_up(device, identity, at)
        self._record("link_up", device, at, identity.encode(), number)
        self._carry_out(effects)

    def link_bytes(self, device: str, data: bytes, at: Instant) -> None:
        """See `DeviceInput`."""
        deadline = self._table.deadline
        if deadline is not None and deadline <= at.mono:
            # The process was held up (stopped, swapped out, a machine that was paused): these bytes waited in
            # the kernel, and nobody can say since when. They were not silence.
            at = at.later(deadline - 1 - at.mono)
        number = self._round_in_hand(at)
        effects = self._table.link_bytes(device, data, at)
        self._record("bytes", device, at, data, number)
        self._carry_out(effects)

    def link_lost(self, device: str, reason: str, at: Instant) -> None:
        """See `DeviceInput`."""
        number = self._round_in_hand(at)
        effects = self._table.link_lost(device, reason, at)
        self._record("link_lost", device, at, reason.encode(), number)
        self._carry_out(effects)

    def link_waiting(self, device: str, reason: str, at: Instant) -> None:
        """See `DeviceInput`. Nothing that a round could depend on: it is shown, not recorded."""
        self._carry_out(self._table.link_waiting(device, reason, at))

    def _round_in_hand(self, at: Instant) -> int:
        """The round to which an input of this instant belongs: what was due before it comes first."""
        deadline = self._table.deadline
        if deadline is not None and deadline <= at.mono:
            self._advance(at)
        return self._table.state.next_round

    def _advance(self, at: Instant) -> None:
        number = self._table.state.next_round
        effects = self._table.advance(at)
        if effects is not None:
            self._record("tick", "", at, b"", number)
            self._carry_out(effects)

    def command(self, name: str, payload: bytes, topic: str | None, correlation: bytes | None) -> None:
        """A request from the broker. It is answered when it is in the journal, not before."""
        try:
            request = decode_request(payload)
        except BadRequestError as error:
            self._refuse(name, str(error), topic, correlation)
            return
        reply = topic or request.reply_to
        key = (name, (correlation or b"").hex() or request.correlation or "")
        if key[1] and key in self._answered and self._answered[key][0] == request:
            body = self._answered[key][1]
            if body is not None:  # else it is on its way
                self._answer(reply, body, correlation)
            return
        self._remember(key, request, None)
        at = self._clock.now()
        number = self._round_in_hand(at)
        answer, effects = self._table.command(name, request, at)
        self._record("command", name, at, encode(request), number)
        log.info("command", command=name, by=request.by, ok=answer.ok, reason=answer.reason)
        body = encode(answer)

        def recorded() -> None:
            self._answer(reply, body, correlation)
            self._remember(key, request, body)

        self._carry_out(effects, recorded)

    def _refuse(self, name: str, reason: str, topic: str | None, correlation: bytes | None) -> None:
        self._bad_requests += 1
        tell = log.warning if self._bad_requests == 1 else log.debug
        tell("bad request refused", command=name, reason=reason, count=self._bad_requests)
        self._answer(topic, encode(Answer(command=name, ok=False, reason=reason)), correlation)

    def _remember(self, key: tuple[str, str], request: Request, body: bytes | None) -> None:
        """A request may be delivered twice: it is carried out once. `body` None: the answer is on its way."""
        if key[1]:
            self._answered[key] = (request, body)
            while len(self._answered) > ANSWERED_KEPT:
                self._answered.popitem(last=False)

    def raise_fault(self, code: str, text: str, remedy: str) -> None:
        """A fault of the table's surroundings: journal or broker."""
        self._carry_out(self._table.raise_fault(code, text, remedy, self._clock.now()))

    def clear_fault(self, code: str) -> None:
        """That fault is gone."""
        self._carry_out(self._table.clear_fault(code, self._clock.now()))

    async def watch_clock(self) -> None:
        """For ever: tell steps of the wall clock and whether it is synced; refresh the devices' ages."""
        since_devices = 0.0
        while True:
            await asyncio.sleep(CLOCK_EVERY)
            step = self._clock.step()
            if step is not None:
                log.warning("the wall clock was set", seconds=step.microseconds / 1e6)
                self._carry_out(self._table.clock_stepped(step.microseconds / 1e6, step.at))
            at = self._clock.now()
            self._carry_out(self._table.clock_is(self._clock.sync() == "synced", at))
            since_devices += CLOCK_EVERY
            if since_devices >= DEVICES_EVERY:
                since_devices = 0.0
                self._carry_out(self._table.show_devices(at))

    async def stop(self, patience: float) -> None:
        """No more timers; what waits for a commit gets one, which is waited for so many seconds at most."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        committed = asyncio.Event()
        self._flush(Effects(), committed.set)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(committed.wait(), patience)

    # --- effects --------------------------------------------------------------------------------

    def _record(self, kind: str, device: str, at: Instant, data: bytes, number: int) -> None:
        self._inputs.append(Input(number, device, kind, at.mono, at.wall, data))

    def _carry_out(self, effects: Effects | None, recorded: Callable[[], None] | None = None) -> None:
        self._arm()
        if effects is not None or recorded is not None:
            effects = effects or Effects()
            for message in effects.live:
                self._shows += 1
                self._shown[message.topic] = self._shows
                self._publisher.show(message)
            for device, reason in effects.reopen:
                if device in self._links:
                    self._links[device].reopen(reason)
            if effects.must_be_recorded or recorded is not None:
                self._flush(effects, recorded)
            else:
                self._flush_within(INPUTS_WAIT)
        elif len(self._inputs) >= INPUTS_AT_MOST:
            self._flush_inputs()
        elif not self._table.idle:
            self._flush_within(INPUTS_IN_PLAY_WAIT)

    def _tell(self, entries: Sequence[Entry]) -> None:
        """The technician's log: rounds and faults that are recorded, a line each."""
        table = self._table.setup.id
        for entry in entries:
            if entry.kind in ("round", "correction"):
                record = msgspec.json.decode(entry.body, type=_Told)
                log.info(entry.kind, table=table, round=entry.round, verdict=record.verdict)
            elif entry.kind == "fault":
                fault = msgspec.json.decode(entry.body, type=_Fault).data
                tell = log.warning if fault.latched else log.info
                tell("fault", table=table, code=fault.code, latched=fault.latched, text=fault.text)

    def _flush_within(self, seconds: float) -> None:
        """What came in goes to the journal when what came of it is on its way, not in its way."""
        loop = asyncio.get_running_loop()
        if self._later is not None and self._later.when() > loop.time() + seconds:
            self._later.cancel()
            self._later = None
        if self._later is None:
            self._later = loop.call_later(seconds, self._flush, Effects(), None)

    def _flush(self, effects: Effects, recorded: Callable[[], None] | None) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        begins = effects.round_begins
        inputs, self._inputs = tuple(self._inputs), []
        for extra in begins[:-1]:
            self._recorder.submit(Batch(round_start=extra), _nothing)
        batch = Batch(
            inputs=inputs,
            round_start=begins[-1] if begins else None,
            entries=tuple(effects.entries),
            messages=tuple(effects.durable),
            state=encode_state(self._table.state),
        )
        self._shows += 1
        turn = self._shows
        if effects.summarise:
            self._summary = turn

        def done(result: CommitResult) -> None:
            for outbox_id, message in zip(result.outbox, effects.durable, strict=True):
                self._publisher.publish(outbox_id, message)
            for message in effects.after:
                if self._shown.get(message.topic, 0) <= turn:
                    self._publisher.show(message)
            if effects.summarise and self._summary == turn:  # else records stand in it that are not durable
                for message in self._table.summaries():
                    self._publisher.show(message)
            if recorded is not None:
                recorded()
            self._tell(effects.entries)  # last: a log line is slower than the broker

        self._recorder.submit(batch, done)

    def _flush_inputs(self) -> None:
        """What came in without an effect. With no round in hand it is evidence of nothing: begin here."""
        effects = Effects()
        if self._table.idle:
            self._inputs.clear()
            effects.round_begins.append(RoundStart(self._table.state.next_round, self._table.snapshot()))
        self._flush(effects, None)

    def _answer(self, topic: str | None, body: bytes, correlation: bytes | None) -> None:
        if topic is not None:
            self._publisher.answer(topic, body, correlation)

    # --- time -----------------------------------------------------------------------------------

    def _arm(self) -> None:
        """Have `_tick` called at the table's deadline. A timer that is early looks again and re-arms."""
        if self._timer is None and (deadline := self._table.deadline) is not None:
            wait = max(0, deadline - self._clock.now().mono) / SECOND
            self._timer = asyncio.get_running_loop().call_later(wait, self._tick)

    def _tick(self) -> None:
        self._timer = None
        for link in self._links.values():
            link.read_now()
        self._advance(self._clock.now())
        self._arm()


def _nothing(result: CommitResult) -> None:
    """Nothing waits for this commit."""
