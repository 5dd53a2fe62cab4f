"""A table that plays a simulation, what a journal would keep of it, and its rounds judged again."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from daemon.clock import Clock
from daemon.journal.batch import Batch, CommitResult, Input
from daemon.records import Message, RoundRecord
from daemon.replay import TRACE_VERSION, MakeDrivers, TraceHead, play_trace, read_trace, write_trace
from daemon.table.actor import TableActor
from daemon.table.messages import TableSetup
from daemon.table.state import HISTORY_LENGTH, TableState
from daemon.table.table import Table
from drivers.readings import Instant
from simulators.traffic import Bytes, Item, Unplug

EPOCH = 1_700_000_000_000_000


class StandingClock(Clock):
    """A clock that says what the test's time is."""

    time = Instant(0, EPOCH)

    def now(self) -> Instant:
        return self.time


class Recorded:
    """A table in play, and what a journal would keep of it."""

    def __init__(
        self,
        setup: TableSetup,
        make_drivers: MakeDrivers,
        items: Iterable[Item],
        state: TableState | None = None,
    ) -> None:
        """`state` is what an earlier run left."""
        self.setup = setup
        self.table = Table(setup, make_drivers(), state)
        self._make_drivers = make_drivers
        self.clock = StandingClock()
        self.inputs: dict[int, list[Input]] = defaultdict(list)
        self.begins: dict[int, bytes] = {}
        self.records: dict[int, list[bytes]] = defaultdict(list)
        self.actor = TableActor(self.table, self, self, self.clock)
        self.actor.start(restarted=state is not None)
        self._wheel = self.table.wheel_device or ""
        self.actor.link_up(self._wheel, "pts", self.clock.time)
        for item in items:
            self._play(item)

    def _play(self, item: Item) -> None:
        at = self.clock.time = Instant(int(item.t * 1e9), EPOCH + int(item.t * 1e6))
        if isinstance(item, Bytes):
            self.actor.link_bytes(self._wheel, item.data, at)
        elif isinstance(item, Unplug):
            self.actor.link_lost(self._wheel, "gone", at)
        else:
            self.actor.link_up(self._wheel, "pts", at)

    def again(self, number: int, trace: Path) -> list[bytes]:
        """This round's records, judged again from its own recorded inputs."""
        before = range(max(1, number - HISTORY_LENGTH), number)
        head = TraceHead(
            mesad_trace=TRACE_VERSION,
            site=self.setup.site,
            table=self.setup.id,
            round=number,
            game=self.setup.game.id,
            catalogue=self.setup.game.text,
            catalogue_hash=self.setup.game.hash,
            version=self.setup.version,
            snapshot=self.begins[number],
            recent=tuple(msgspec.json.decode(self.records[n][0], type=RoundRecord) for n in before),
        )
        write_trace(head, iter(self.inputs[number]), iter(self.records[number]), trace)
        head, inputs, kept = read_trace(trace)
        assert [msgspec.json.encode(record) for record in kept] == self.records[number]
        again = records_of(play_trace(self.setup, self._make_drivers, head, inputs))
        return [record for record in again if msgspec.json.decode(record)["round"] == number]

    def submit(self, batch: Batch, done: Callable[[CommitResult], None]) -> None:
        if batch.round_start is not None:
            self.begins[batch.round_start[0]] = batch.round_start[1]
        for item in batch.inputs:
            self.inputs[item.round].append(item)
        for entry in batch.entries:
            if entry.kind == "round" and entry.round is not None:
                self.records[entry.round].append(entry.body)
        done(CommitResult(entries=(), outbox=tuple(range(len(batch.messages)))))

    def show(self, message: Message) -> None:
        """Nobody looks."""

    def publish(self, outbox_id: int, message: Message) -> None:
        """Nobody looks."""

    def answer(self, topic: str, payload: bytes, correlation: bytes | None) -> None:
        """Nobody asks."""


def records_of(messages: Iterable[Message]) -> Iterable[bytes]:
    """The round records among messages, as they were published."""
    for message in messages:
        if message.topic == "event/round":
            yield bytes(msgspec.json.decode(message.payload, type=dict[str, msgspec.Raw])["data"])
