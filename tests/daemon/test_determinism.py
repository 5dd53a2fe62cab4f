"""A simulated day at a table: each of its rounds, judged again from its own recorded inputs, is the same."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hall import table_file

from daemon.composition import make_drivers, table_setup
from daemon.config import load
from daemon.effects import Effects
from daemon.journal_batch import Input
from daemon.records import Message, RoundRecord
from daemon.replay import TRACE_VERSION, TraceHead, play_trace, read_trace, write_trace
from daemon.table import Table
from daemon.table_state import HISTORY_LENGTH
from drivers.readings import Instant
from simulators.scenarios import campaign
from simulators.traffic import Bytes, Item, Unplug, items_of

DAY = 1900
"""Games in a day at one every 45 s."""
EPOCH = 1_700_000_000_000_000


class Recorded:
    """A table that plays a simulation, and what a journal would keep of it."""

    def __init__(self, config: Any, items: Iterable[Item]) -> None:
        self.setup = table_setup(config)
        self.table = Table(self.setup, make_drivers(config))
        self.inputs: dict[int, list[Input]] = defaultdict(list)
        self.begins: dict[int, bytes] = {1: self.table.snapshot()}
        self.records: dict[int, list[bytes]] = defaultdict(list)
        start = Instant(0, EPOCH)
        self._take(1, "start", b"", start, self.table.start(start, restarted=False))
        self._take(1, "link_up", b"pts", start, self.table.link_up("wheel", "pts", start))
        for item in items:
            self._play(item)

    def _play(self, item: Item) -> None:
        at = Instant(int(item.t * 1e9), EPOCH + int(item.t * 1e6))
        number = self.table.state.next_round
        if isinstance(item, Bytes):
            self._take(number, "bytes", item.data, at, self.table.link_bytes("wheel", item.data, at))
        elif isinstance(item, Unplug):
            self._take(number, "link_lost", b"gone", at, self.table.link_lost("wheel", "gone", at))
        else:
            self._take(number, "link_up", b"pts", at, self.table.link_up("wheel", "pts", at))

    def _take(self, number: int, kind: str, data: bytes, at: Instant, effects: Effects | None) -> None:
        self.inputs[number].append(Input(number, "wheel", kind, at.mono, at.wall, data))
        if effects is not None:
            self.begins.update(effects.round_begins)
            for entry in effects.entries:
                if entry.kind == "round" and entry.round is not None:
                    self.records[entry.round].append(entry.body)


@pytest.mark.parametrize(
    ("model", "protocol", "seed"), [("slingshot-2", "advanced", 1), ("mercury-360", "extended", 2)]
)
def test_a_day_is_judged_again_to_the_byte(tmp_path: Path, model: Any, protocol: Any, seed: int) -> None:
    file = tmp_path / "table.toml"
    options = {"model": model, "protocol": protocol}
    file.write_text(table_file(1883, "/dev/none", tmp_path / "none.db", options=options))
    config = load(file, here=False)
    games = campaign(seed, DAY, 0.3, model=model, protocol=protocol)
    day = Recorded(config, items_of(games))
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


def _records(messages: Iterable[Message]) -> Iterable[bytes]:
    for message in messages:
        if message.topic == "event/round":
            yield bytes(msgspec.json.decode(message.payload, type=dict[str, msgspec.Raw])["data"])


def _round(record: bytes) -> int:
    return int(msgspec.json.decode(record)["round"])
