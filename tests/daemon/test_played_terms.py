"""What the table file said when a round was played: kept with the round, and told and used ever after."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fortune_wheel_line import COUNTED
from hall import table_file
from journal_rig import SITE, TABLE, opened, tampering
from recorded_day import Recorded
from spin_play import order_of

from daemon.cli import main
from daemon.composition import make_drivers, table_setup
from daemon.config import TableConfig, load
from daemon.journal import chain
from daemon.journal.batch import Batch, CommitResult
from daemon.journal.journal import Journal
from daemon.journal.reading import MOST
from daemon.play import play_of
from daemon.table.state import read_state
from daemon.table.terms import read_terms
from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel, SpinGame

ORDER = order_of("es-ct")
TURNED = (*ORDER[1:], ORDER[0])


class Kept(Recorded):
    """A table in play whose records a journal keeps."""

    def __init__(self, journal: Journal, config: TableConfig, games: list[SpinGame]) -> None:
        self._journal = journal
        kept = journal.last_state()
        play = play_of(config.game, config.language, config.policy, config.segments)
        state = read_state(kept, play) if kept else None
        items = [item for game in games for item in game.items]
        super().__init__(table_setup(config), lambda: make_drivers(config), items, state)

    def submit(self, batch: Batch, done: Callable[[CommitResult], None]) -> None:
        self._journal.submit(batch, done)


def cut(game: SpinGame, part: float) -> SpinGame:
    return replace(game, items=game.items[: int(part * len(game.items))])


async def played(file: Path, games: list[SpinGame], part: float = 1.0) -> None:
    """A run of the daemon in which these spins come in, of the only one perhaps but a part."""
    config = load(file, here=False)
    games = [cut(game, part) for game in games]
    async with opened(config.journal.path) as told:
        assert (config.site, config.id) == (SITE, TABLE)
        await Kept(told.journal, config, games).actor.stop(5.0)


def changed(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def segments(order: tuple[str, ...]) -> str:
    return f"segments = {json.dumps(list(order))}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The table file of a calibrated fortune wheel."""
    known = COUNTED.calibration
    written = "".join(f"{key} = {json.dumps(value)}\n" for key, value in known.items())
    (tmp_path / "wheel.toml").write_text(written)
    text = table_file(1883, "/dev/none", tmp_path / "table.db")
    text = text.replace('"french_roulette"', '"fortune_wheel"')
    text = text.replace("[policy]", f"{segments(ORDER)}\n[policy]")
    options = f'segments = 54, counts = {COUNTED.counts}, calibration = "wheel.toml"'
    made = tmp_path / "table.toml"
    made.write_text(
        f'{text[: text.index("[[device]]")]}[[device]]\nid = "wheel"\nrole = "fortune_wheel"\n'
        f'driver = "fortune-wheel"\nport = "/dev/none"\noptions = {{ {options} }}\n'
    )
    return made


@pytest.fixture
def games() -> list[SpinGame]:
    return list(SensorFortuneWheel(COUNTED, 6).games(4))


def told(capsys: pytest.CaptureFixture[str], *command: object, code: int = 0) -> tuple[str, str]:
    """What a command says, in one line each for its two outputs."""
    capsys.readouterr()  # the log of what came before
    assert main([str(part) for part in command]) == code
    said = capsys.readouterr()
    return " ".join(said.out.split()), " ".join(said.err.split())


def rewrite_starts(connection: sqlite3.Connection, alter: Callable[[dict[str, Any]], object]) -> None:
    """The states from which rounds begin, altered, with digests that fit."""
    for piece, data in connection.execute("SELECT piece, data FROM evidence WHERE kind = 'start'").fetchall():
        kept = json.loads(data)
        alter(kept)
        new = json.dumps(kept).encode()
        connection.execute(
            "UPDATE evidence SET data = ?, digest = ? WHERE piece = ?", (new, chain.digest(new), piece)
        )


def head_of(trace: Path) -> dict[str, Any]:
    head: dict[str, Any] = json.loads(trace.read_bytes().splitlines()[0])
    return head


async def test_a_round_is_told_drawn_and_judged_by_the_order_under_which_it_was_played(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1])
    at = ("--table", file)
    before, _ = told(capsys, "trace", 1, *at)
    assert f"as the round was played: {' '.join(ORDER)}" in before
    told(capsys, "trace", 1, *at, "--plot", tmp_path / "before.svg")
    changed(file, segments(ORDER), segments(TURNED))
    assert told(capsys, "trace", 1, *at)[0] == before
    trace, picture = tmp_path / "1.trace", tmp_path / "after.svg"
    _, said = told(capsys, "trace", 1, *at, "-o", trace, "--plot", picture)
    assert "table.segments was another" in said
    assert picture.read_bytes() == (tmp_path / "before.svg").read_bytes()
    assert tuple(head_of(trace)["segments"]) == ORDER
    _, said = told(capsys, "replay", trace, *at)
    assert "round 1 comes out the same" in said
    assert "table.segments was another" in said


async def test_a_file_that_is_changed_between_two_runs_holds_for_the_rounds_after_it(
    file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    await played(file, games[:1])
    changed(file, segments(ORDER), segments(TURNED))
    await played(file, games[1:])
    changed(file, segments(TURNED), segments(ORDER))
    assert f"as the round was played: {' '.join(ORDER)}" in told(capsys, "trace", 1, "--table", file)[0]
    for number in (2, 3):
        assert f": {' '.join(TURNED)}" in told(capsys, "trace", number, "--table", file)[0]
        trace = tmp_path / f"{number}.trace"
        told(capsys, "trace", number, "--table", file, "-o", trace)
        assert "comes out the same" in told(capsys, "replay", trace, "--table", file)[1]


@pytest.mark.parametrize("part", [1.0, 0.6], ids=["between rounds", "in mid-spin"])
async def test_a_run_that_goes_on_begins_its_next_round_with_the_file_as_it_is(
    file: Path, games: list[SpinGame], part: float
) -> None:
    config = load(file, here=False)
    items = games[0].items[: int(part * len(games[0].items))]
    first = Recorded(table_setup(config), lambda: make_drivers(config), items)
    await first.actor.stop(1.0)
    changed(file, segments(ORDER), segments(TURNED))
    again = load(file, here=False)
    second = Recorded(table_setup(again), lambda: make_drivers(again), [], first.table.state)
    await second.actor.stop(1.0)
    assert list(second.begins) == [2]  # what was in hand is round 1, and its inputs stay together
    assert [terms and terms.segments for terms in map(read_terms, second.begins.values())] == [TURNED]
    assert bool(second.records[1]) is (part < 1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('language = "ca"', 'language = "es"', 'table.language was "ca" and became "es"'),
        ('void = "automatic"', 'void = "inspector"', 'policy.void was "automatic" and became "inspector"'),
        ("test = true", "test = false", "table.test was true and became false"),
        ("counts = 4000, ", "counts = 4000, push = 1.9, ", "options of device wheel were others: push"),
    ],
)
async def test_what_judging_rests_on_is_that_of_the_round_and_its_change_is_told(
    tmp_path: Path,
    file: Path,
    games: list[SpinGame],
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    said: str,
) -> None:
    await played(file, games[:1])
    assert "changed" not in told(capsys, "trace", 1, "--table", file)[1]
    changed(file, old, new)
    trace = tmp_path / "1.trace"
    assert said in told(capsys, "trace", 1, "--table", file, "-o", trace)[1]
    _, judged = told(capsys, "replay", trace, "--table", file)
    assert "the table file was changed since" in judged
    assert said in judged
    assert "round 1 comes out the same" in judged


async def test_a_calibration_made_anew_does_not_judge_the_rounds_before_it(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1])
    trace = tmp_path / "1.trace"
    told(capsys, "trace", 1, "--table", file, "-o", trace)
    known = {**COUNTED.calibration, "index_at": (COUNTED.calibration["index_at"] + 0.4) % 1.0}
    (tmp_path / "wheel.toml").write_text("".join(f"{key} = {json.dumps(to)}\n" for key, to in known.items()))
    _, said = told(capsys, "replay", trace, "--table", file)
    assert "options of device wheel were others: calibration" in said
    assert "comes out the same" in said


async def test_another_catalogue_and_another_game_are_told(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1])
    trace = tmp_path / "1.trace"
    told(capsys, "trace", 1, "--table", file, "-o", trace)
    lines = trace.read_bytes().splitlines(keepends=True)
    head = json.loads(lines[0])
    head["catalogue_hash"] = "ab" * 32
    trace.write_bytes(b"".join([json.dumps(head).encode() + b"\n", *lines[1:]]))
    assert (
        "are not those under which the round was judged" in told(capsys, "replay", trace, "--table", file)[1]
    )
    changed(file, '"es-ct"', '"es-ex"')
    changed(file, segments(ORDER), segments(order_of("es-ex")))
    changed(file, '"ca"', '"es"')
    told(capsys, "trace", 1, "--table", file, "-o", trace)
    assert head_of(trace)["game"] == "fortune_wheel"
    assert head_of(trace)["catalogue"] == "es-ct"
    said = told(capsys, "replay", trace, "--table", file, code=64)[1]
    assert "fortune_wheel under es-ct; the table file says" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('id = "ruleta-01"', 'id = "ruleta-02"', 'table.id was "ruleta-01" and became "ruleta-02"'),
        ('site = "madrid-1"', 'site = "madrid-2"', 'table.site was "madrid-1" and became "madrid-2"'),
        ('id = "wheel"', 'id = "rueda"', "the device wheel (driver fortune-wheel) was removed"),
        ('id = "wheel"', 'id = "rueda"', "the device rueda (driver fortune-wheel) was added"),
    ],
)
async def test_a_round_is_judged_by_the_names_that_it_was_played_under(
    tmp_path: Path,
    file: Path,
    games: list[SpinGame],
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    said: str,
) -> None:
    await played(file, games[:1])
    changed(file, old, new)
    trace = tmp_path / "1.trace"
    assert said in told(capsys, "trace", 1, "--table", file)[1]
    assert said in told(capsys, "trace", 1, "--table", file, "-o", trace, "--plot", tmp_path / "1.svg")[1]
    assert (head_of(trace)["site"], head_of(trace)["table"]) == (SITE, TABLE)
    messages, judged = told(capsys, "replay", trace, "--table", file)
    assert said in judged
    assert "round 1 comes out the same" in judged
    assert f"mesad/v1/{SITE}/{TABLE}/event/round" in messages


async def test_a_driver_that_the_table_file_has_exchanged_judges_no_round_before(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1])
    with tampering(load(file, here=False).journal.path) as connection:
        rewrite_starts(connection, lambda kept: kept["terms"]["devices"]["wheel"].update(driver="no-such"))
    trace = tmp_path / "1.trace"
    assert "valid" in told(capsys, "trace", 1, "--table", file)[0]
    said = told(capsys, "trace", 1, "--table", file, "-o", trace)[1]
    assert "the driver of device wheel was no-such and became fortune-wheel" in said
    assert (
        "was played with the driver 'no-such'" in told(capsys, "replay", trace, "--table", file, code=64)[1]
    )


@pytest.mark.parametrize(
    "content", [None, "serial = 1", 'serial = "1"\ncounts = 4000\nindex_at = "x"\n', "]"]
)
async def test_a_calibration_file_that_is_gone_or_anothers_hinders_no_round_that_has_its_own(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str], content: str | None
) -> None:
    await played(file, games[:1])
    known = tmp_path / "wheel.toml"
    known.unlink() if content is None else known.write_text(content)
    trace = tmp_path / "1.trace"
    for _, said in (
        told(capsys, "trace", 1, "--table", file),
        told(capsys, "trace", 1, "--table", file, "-o", trace, "--plot", tmp_path / "1.svg"),
        told(capsys, "replay", trace, "--table", file),
    ):
        assert f"device[0].options.calibration: {known}" in said
        assert "what it held when the round was played is taken" in said
        assert "mesad calibrate" not in said
        assert "options of device wheel" not in said
    assert "round 1 comes out the same" in said


async def test_of_a_round_without_settings_a_calibration_that_is_gone_is_asked_for(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1])
    with tampering(load(file, here=False).journal.path) as connection:
        rewrite_starts(connection, lambda kept: kept.pop("terms"))
    trace = tmp_path / "1.trace"
    told(capsys, "trace", 1, "--table", file, "-o", trace)
    (tmp_path / "wheel.toml").unlink()
    for command in (("trace", 1), ("trace", 1, "-o", tmp_path / "other.trace"), ("replay", trace)):
        said = told(capsys, *command, "--table", file, code=78)[1]
        assert "put back the file that the wheel had when the round was played" in said
        assert "mesad calibrate" not in said


@pytest.mark.parametrize(
    ("old", "new", "said", "verdict"),
    [
        (
            'void = "automatic"',
            'void = "inspector"',
            'policy.void was "automatic" and became "inspector"',
            "held",
        ),
        ('language = "ca"', 'language = "es"', 'table.language was "ca" and became "es"', "void"),
        ('id = "wheel"', 'id = "rueda"', "the device rueda (driver fortune-wheel) was added", "void"),
    ],
)
@pytest.mark.parametrize("back", [False, True], ids=["as changed", "changed back"])
async def test_a_round_cut_off_by_a_restart_is_judged_by_the_settings_of_the_run_that_ended_it(
    tmp_path: Path,
    file: Path,
    games: list[SpinGame],
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    said: str,
    verdict: str,
    back: bool,
) -> None:
    await played(file, games[:1], part=0.6)
    changed(file, old, new)
    await played(file, [])
    if back:
        changed(file, new, old)
        await played(file, [])
    out, err = told(capsys, "trace", 1, "--table", file)
    assert f"round 1, revision 0: {verdict}" in out
    assert "mesad was restarted during the round" in err
    assert said in err
    assert ("the table file was changed since" in err) is not back
    trace = tmp_path / "1.trace"
    told(capsys, "trace", 1, "--table", file, "-o", trace, "--plot", tmp_path / "1.svg")
    judged = told(capsys, "replay", trace, "--table", file)[1]
    assert "mesad was restarted during the round" in judged
    assert said in judged
    assert "round 1 comes out the same" in judged


async def test_a_round_cut_off_by_a_restart_with_the_same_file_has_nothing_to_tell(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1], part=0.6)
    await played(file, [])
    trace = tmp_path / "1.trace"
    assert told(capsys, "trace", 1, "--table", file, "-o", trace)[1] == ""
    assert told(capsys, "replay", trace, "--table", file)[1] == "round 1 comes out the same"


async def test_an_altered_state_of_the_run_that_ended_a_round_is_not_believed(
    file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1], part=0.6)
    await played(file, [])
    with tampering(load(file, here=False).journal.path) as connection:
        connection.execute(
            "UPDATE evidence SET data = CAST(data || ' ' AS BLOB) WHERE round = 2 AND kind = 'start'"
        )
    assert "does not match its digest" in told(capsys, "trace", 1, "--table", file, code=73)[1]
    assert "holds nothing of round" in told(capsys, "trace", MOST, "--table", file, code=73)[1]


async def test_a_trace_is_judged_with_the_verdict_alone(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1])
    trace = tmp_path / "1.trace"
    told(capsys, "trace", 1, "--table", file, "-o", trace)
    quiet = ("replay", "--quiet", trace, "--table", file)
    assert told(capsys, *quiet) == ("", "round 1 comes out the same")
    trace.write_text(trace.read_text().replace('"symbol":"', '"symbol":"2'))
    out, said = told(capsys, *quiet, code=1)
    assert (out, "comes out differently" in said) == ("", True)
    capture = tmp_path / "some.tsv"
    capture.write_text("2026-11-29T19:14:23.000000Z\t*\n")
    assert "--quiet is for a trace" in told(capsys, "replay", "--quiet", capture, "--table", file, code=64)[1]


async def test_a_journal_from_before_says_that_the_settings_are_the_table_files(
    tmp_path: Path, file: Path, games: list[SpinGame], capsys: pytest.CaptureFixture[str]
) -> None:
    await played(file, games[:1])
    with tampering(load(file, here=False).journal.path) as connection:
        rewrite_starts(connection, lambda kept: kept.pop("terms"))
    out, said = told(capsys, "trace", 1, "--table", file)
    assert f"by the table file as it is now: {' '.join(ORDER)}" in out
    assert "does not say which settings the round was played with" in said
    trace = tmp_path / "1.trace"
    told(capsys, "trace", 1, "--table", file, "-o", trace)
    said = told(capsys, "replay", trace, "--table", file)[1]
    assert "does not say which settings the round was played with" in said
    assert "comes out the same" in said
