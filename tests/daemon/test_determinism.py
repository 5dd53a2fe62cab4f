"""A simulated day at a table: each of its rounds, judged again from its own recorded inputs, is the same."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hall import clean_game, table_file
from recorded_day import Recorded, records_of

from daemon.composition import make_drivers, table_setup
from daemon.config import TableConfig, load
from daemon.replay import play_trace, read_trace
from simulators.scenarios import campaign
from simulators.traffic import items_of

DAY = 1900
"""Games in a day at one every 45 s."""
RECORDED = Path(__file__).parent / "recorded"


def loaded(folder: Path, **options: str) -> TableConfig:
    file = folder / "table.toml"
    file.write_text(table_file(1883, "/dev/none", folder / "none.db", options=options))
    return load(file, here=False)


@pytest.mark.parametrize(
    ("model", "protocol", "seed"), [("slingshot-2", "advanced", 1), ("mercury-360", "extended", 2)]
)
async def test_a_day_is_judged_again_to_the_byte(
    tmp_path: Path, model: Any, protocol: Any, seed: int
) -> None:
    config = loaded(tmp_path, model=model, protocol=protocol)
    games = campaign(seed, DAY, 0.3, model=model, protocol=protocol)
    day = Recorded(table_setup(config), lambda: make_drivers(config), items_of(games))
    await day.actor.stop(1.0)
    assert len(day.records) > DAY * 0.95
    for number in sorted(day.records)[::7]:
        assert day.again(number, tmp_path / "round.trace") == day.records[number]


@pytest.mark.parametrize("name", ["valid", "half_seen"])
def test_a_round_of_an_earlier_version_is_judged_again_to_the_byte(tmp_path: Path, name: str) -> None:
    """The catalogue has grown since, and its hash with it; nothing else differs."""
    config = loaded(tmp_path)
    trace = RECORDED / f"{name}.trace"
    head, inputs, (kept, *_) = read_trace(trace)
    assert head.version == "0.1.0"
    setup = table_setup(config)
    again = list(records_of(play_trace(setup, lambda: make_drivers(config), head, inputs)))
    then = again[0].replace(setup.game.hash.encode(), head.catalogue_hash.encode())
    was = next(line for line in trace.read_bytes().splitlines() if line.startswith(b'{"record"'))
    assert bytes(msgspec.json.decode(was, type=dict[str, msgspec.Raw])["record"]) == then
    assert kept.verdict == ("valid" if name == "valid" else "void")


async def test_inputs_on_both_sides_of_a_deadline_are_filed_with_their_rounds(tmp_path: Path) -> None:
    """A void throw is settled by time; what comes in just then belongs to the round after it."""
    config = loaded(tmp_path)
    day = Recorded(table_setup(config), lambda: make_drivers(config), [])
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
