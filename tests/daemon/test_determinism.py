"""A simulated day at a table: each of its rounds, judged again from its own recorded inputs, is the same."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hall import clean_game, table_file

from daemon.clock import Clock
from daemon.composition import make_drivers, table_setup
from daemon.config import load
from daemon.journal.batch import Batch, CommitResult, Input
from daemon.records import Message, RoundRecord
from daemon.replay import TRACE_VERSION, TraceHead, play_trace, read_trace, write_trace
from daemon.table.actor import TableActor
from daemon.table.state import HISTORY_LENGTH
from daemon.table.table import Table
from drivers.readings import Instant
from simulators.scenarios import campaign
from simulators.traffic import Bytes, Item, Unplug, items_of

DAY = 1900
"""Games in a day at one every 45 s."""
RECORDED = Path(__file__).parent / "recorded"
EPOCH = 1_700_000_000_000_000


class StandingClock(Clock):
    """A clock that says what the test's time is."""

    time = Instant(0, EPOCH)

    def now(self) -> Instant:
        return self.time


class Recorded:
    """A table that plays a simulation as it would live, and what a journal would keep of it."""

    def __init__(self, config: Any, items: Iterable[Item]) -> None:
        self.setup = table_setup(config)
        self.table = Table(self.setup, make_drivers(config))
        self.clock = StandingClock()
        self.inputs: dict[int, list[Input]] = defaultdict(list)
        self.begins: dict[int, bytes] = {}
        self.records: dict[int, list[bytes]] = defaultdict(list)
        self.actor = TableActor(self.table, self, self, self.clock)
        self.actor.start(restarted=False)
        self.actor.link_up("wheel", "pts", self.clock.time)
        for item in items:
            self._play(item)

    def _play(self, item: Item) -> None:
        at = self.clock.time = Instant(int(item.t * 1e9), EPOCH + int(item.t * 1e6))
        if isinstance(item, Bytes):
            self.actor.link_bytes("wheel", item.data, at)
        elif isinstance(item, Unplug):
            self.actor.link_lost("wheel", "gone", at)
        else:
            self.actor.link_up("wheel", "pts", at)

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


@pytest.mark.parametrize(
    ("model", "protocol", "seed"), [("slingshot-2", "advanced", 1), ("mercury-360", "extended", 2)]
)
async def test_a_day_is_judged_again_to_the_byte(
    tmp_path: Path, model: Any, protocol: Any, seed: int
) -> None:
    file = tmp_path / "table.toml"
    options = {"model": model, "protocol": protocol}
    file.write_text(table_file(1883, "/dev/none", tmp_path / "none.db", options=options))
    config = load(file, here=False)
    games = campaign(seed, DAY, 0.3, model=model, protocol=protocol)
    day = Recorded(config, items_of(games))
    await day.actor.stop(1.0)
    assert len(day.records) > DAY * 0.95
    trace = tmp_path / "round.trace"
    for number in sorted(day.records)[::7]:
        before = range(max(1, number - HISTORY_LENGTH), number)
        head = TraceHead(
            mesad_trace=TRACE_VERSION,
            site=day.setup.site,
            table=day.setup.id,
            round=number,
            game=day.setup.game.id,
            catalogue=day.setup.game.text,
            catalogue_hash=day.setup.game.hash,
            version=day.setup.version,
            snapshot=day.begins[number],
            recent=tuple(msgspec.json.decode(day.records[n][0], type=RoundRecord) for n in before),
        )
        write_trace(head, iter(day.inputs[number]), iter(day.records[number]), trace)
        head, inputs, kept = read_trace(trace)
        again = list(_records(play_trace(day.setup, lambda: make_drivers(config), head, inputs)))
        assert day.records[number] == [record for record in again if _round(record) == number]
        assert [msgspec.json.encode(record) for record in kept] == day.records[number]


@pytest.mark.parametrize("name", ["valid", "half_seen"])
def test_a_round_that_an_earlier_version_recorded_is_judged_again_to_the_byte(
    tmp_path: Path, name: str
) -> None:
    """The catalogue has grown since, and its hash with it; nothing else differs."""
    file = tmp_path / "table.toml"
    file.write_text(table_file(1883, "/dev/none", tmp_path / "none.db"))
    config = load(file, here=False)
    trace = RECORDED / f"{name}.trace"
    head, inputs, (kept, *_) = read_trace(trace)
    assert head.version == "0.1.0"
    setup = table_setup(config)
    again = list(_records(play_trace(setup, lambda: make_drivers(config), head, inputs)))
    then = again[0].replace(setup.game.hash.encode(), head.catalogue_hash.encode())
    was = next(line for line in trace.read_bytes().splitlines() if line.startswith(b'{"record"'))
    assert bytes(msgspec.json.decode(was, type=dict[str, msgspec.Raw])["record"]) == then
    assert kept.verdict == ("valid" if name == "valid" else "void")


def _records(messages: Iterable[Message]) -> Iterable[bytes]:
    for message in messages:
        if message.topic == "event/round":
            yield bytes(msgspec.json.decode(message.payload, type=dict[str, msgspec.Raw])["data"])


def _round(record: bytes) -> int:
    return int(msgspec.json.decode(record)["round"])


async def test_inputs_on_both_sides_of_a_deadline_are_filed_with_their_rounds(tmp_path: Path) -> None:
    """A void throw is settled by time; what comes in just then belongs to the round after it."""
    file = tmp_path / "table.toml"
    file.write_text(table_file(1883, "/dev/none", tmp_path / "none.db"))
    config = load(file, here=False)
    day = Recorded(config, [])
    lines = [*clean_game(1, "17")[:4], b"", *clean_game(2, "4", rotor=1)]
    for number, line in enumerate(lines):
        later = 61 if number == 5 else 0.5
        at = day.clock.time = day.clock.time.later(int(later * 1e9))
        if number == 5:
            day.actor.link_lost("wheel", "gone", at)
            day.actor.link_up("wheel", "pts", at)
        if line:
            day.actor.link_bytes("wheel", line, at)
        else:
            day.actor.command("void", b'{"by":"chief","reason":"chip"}', None, None)
    await day.actor.stop(1.0)
    assert [msgspec.json.decode(body)["verdict"] for n in (1, 2) for body in day.records[n]] == [
        "void",
        "valid",
    ]
    assert day.inputs[1][-1].kind == "tick"
    assert [item.kind for item in day.inputs[2][:3]] == ["link_lost", "link_up", "bytes"]
