"""`mesad replay` on files that are no captures, or traces that somebody altered: 64, with file and line."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hall import table_file

from daemon.cli import main
from daemon.composition import make_drivers, table_setup
from daemon.config import load
from daemon.journal.batch import Input
from daemon.replay import TRACE_VERSION, TraceHead, write_trace
from daemon.table.table import Table
from drivers.readings import SECOND, Instant

LINE = b"*X;2;001;  ;0;160;0\r\n"
WALL = 1_735_689_600_000_000


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "table.toml"
    file.write_text(table_file(1883, "/dev/none", tmp_path / "none.db"))
    return file


@pytest.fixture
def trace(tmp_path: Path, table: Path) -> Path:
    """A table that was just started hears its wheel for a moment."""
    config = load(table)
    setup = table_setup(config)
    fresh = Table(setup, make_drivers(config))
    fresh.start(Instant(0, WALL), restarted=False)
    head = TraceHead(
        mesad_trace=TRACE_VERSION,
        site=setup.site,
        table=setup.id,
        round=1,
        game=setup.game.id,
        catalogue=setup.game.text,
        catalogue_hash=setup.game.hash,
        version=setup.version,
        snapshot=fresh.snapshot(),
    )
    inputs = [
        Input(1, "wheel", "link_up", SECOND, WALL + 1_000_000, b"/dev/ttyUSB0"),
        *(Input(1, "wheel", "bytes", at * SECOND, WALL + at * 1_000_000, LINE) for at in range(2, 6)),
        Input(1, "wheel", "link_lost", 6 * SECOND, WALL + 6_000_000, b"unplugged"),
    ]
    file = tmp_path / "round.trace"
    write_trace(head, iter(inputs), iter(()), file)
    return file


def refused(capsys: pytest.CaptureFixture[str], file: Path, table: Path) -> str:
    """What is said of a file that cannot be replayed."""
    assert main(["replay", str(file), "--table", str(table)]) == 64
    said = capsys.readouterr().err
    assert str(file) in said
    assert "Traceback" not in said
    return said


def altered(trace: Path, number: int, alter: Callable[[dict[str, Any]], object]) -> None:
    """Change one line, counted from 1, as JSON."""
    lines = trace.read_bytes().splitlines()
    line = json.loads(lines[number - 1])
    alter(line)
    lines[number - 1] = json.dumps(line).encode()
    trace.write_bytes(b"\n".join(lines) + b"\n")


@pytest.mark.parametrize(
    ("stamp", "said"),
    [
        ("9999-12-31T23:59:59Z", "the year 9999"),
        ("0001-01-01T00:00:00+23:59", "the year 1 "),
        ("1969-12-31T23:59:59Z", "the year 1969"),
        ("yesterday", "is not a time"),
    ],
)
def test_a_capture_with_a_time_that_is_none(
    tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str], stamp: str, said: str
) -> None:
    capture = tmp_path / "wheel.tsv"
    capture.write_bytes(b"2025-01-01T00:00:00Z\t" + LINE + stamp.encode() + b"\t" + LINE)
    assert f"{capture}:2: " in (told := refused(capsys, capture, table))
    assert said in told


def test_a_capture_whose_times_add_up_to_centuries(
    tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capture = tmp_path / "wheel.tsv"
    years = ("1970", "2199", "1970", "2199")
    capture.write_bytes(b"".join(f"{year}-01-02T00:00:00Z\t".encode() + LINE for year in years))
    assert f"{capture}:4: the times add up" in refused(capsys, capture, table)


def test_a_line_without_end_is_not_read_to_its_end(
    tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capture = tmp_path / "wheel.tsv"
    with capture.open("wb") as file:
        file.truncate(1 << 40)
    assert f"{capture}:1: expected a time" in refused(capsys, capture, table)


def test_a_trace_as_it_was_written_is_judged(
    trace: Path, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(trace), "--table", str(table)]) == 1  # no record in it to compare with
    said = capsys.readouterr()
    assert "no record to compare with" in said.err
    assert "/device/wheel" in said.out


def test_a_trace_cut_to_its_first_line_says_so(
    trace: Path, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace.write_bytes(trace.read_bytes().splitlines(keepends=True)[0])
    assert "ends after its first line" in refused(capsys, trace, table)


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (2, {"mono": -1}),
        (3, {"mono": 10**40}),
        (3, {"mono": 2**63}),
        (4, {"wall": -(10**17)}),
        (4, {"wall": 2**62}),
        (2, {"data": base64.b64encode(b"\xff\xfe").decode()}),
        (7, {"data": base64.b64encode(b"\xff").decode()}),
        (3, {"device": "nowhere"}),
        (3, {"kind": "nothing"}),
        (3, {"kind": "command", "data": base64.b64encode(b"[" * 50_000).decode()}),
    ],
)
def test_an_input_that_never_came_in_is_told_by_its_line(
    trace: Path, table: Path, capsys: pytest.CaptureFixture[str], number: int, change: dict[str, Any]
) -> None:
    altered(trace, number, lambda line: line.update(change))
    assert f"{trace}:{number}: " in refused(capsys, trace, table)


@pytest.mark.parametrize(
    "change",
    [
        {"round": {"stage": "over", "settle_by": 0}},
        {"round": {"stage": "in_play", "phase": "in_play", "opened_at": None}},
        {"next_round": "one"},
    ],
)
def test_a_state_that_no_table_was_ever_in(
    trace: Path, table: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any]
) -> None:
    def alter(head: dict[str, Any]) -> None:
        snapshot = json.loads(base64.b64decode(head["snapshot"]))
        snapshot["state"].update(change)
        head["snapshot"] = base64.b64encode(json.dumps(snapshot).encode()).decode()

    altered(trace, 1, alter)
    assert "is not one that this version can go on from" in refused(capsys, trace, table)


def test_a_state_without_its_devices(trace: Path, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def alter(head: dict[str, Any]) -> None:
        snapshot = json.loads(base64.b64decode(head["snapshot"]))
        head["snapshot"] = base64.b64encode(msgspec.json.encode({**snapshot, "drivers": {}})).decode()

    altered(trace, 1, alter)
    assert f"{trace}:1: " in refused(capsys, trace, table)


def test_a_record_that_is_none(trace: Path, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = trace.read_bytes().splitlines(keepends=True)
    trace.write_bytes(b"".join([*lines, b'{"record":{}}\n']))
    assert f"{trace}:8: not a line of a trace" in refused(capsys, trace, table)


@pytest.mark.parametrize("name", [".", "nowhere"])
def test_what_is_no_file(tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert "not a file" in refused(capsys, tmp_path / name, table)
