"""The commands around a daemon that runs: status, watch, trace and replay, export, verify, demo."""

import asyncio
import csv
import json
import shlex
import subprocess
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from brokers import Mosquitto
from hall import Board, Daemon, Wire, clean_game, mesad
from patience import PATIENCE

from daemon.cli import main
from daemon.cli.demo_tables import TABLES
from daemon.config import load
from daemon.play import PLAYED


async def test_status_tells_journal_and_broker(
    board: Board, wire: Wire, daemon: Daemon, broker: Mosquitto
) -> None:
    await wire.game(1, "17")
    await board.recorded(1)
    said = await mesad("status", daemon.config)
    assert daemon.process is not None
    assert f"written by pid {daemon.process.pid}" in said
    assert "last round 1: valid, 17" in said
    assert "status     ready" in said
    assert "device     wheel: up" in said
    daemon.kill()
    broker.kill()
    said = await mesad("status", daemon.config, code=69)
    assert "no daemon writes it" in said
    assert "no connection to the broker" in said


async def test_a_traced_round_is_judged_again_to_the_byte(
    board: Board, wire: Wire, daemon: Daemon, tmp_path: Path
) -> None:
    await wire.game(1, "17", rotor=0)
    await wire.lines(*clean_game(2, "4", "17", rotor=0))
    await board.recorded(2)
    await board.ask("correct", round=2, number="5", reason="the camera shows 5")
    await wire.game(3, "8", " 4", rotor=1)
    await board.recorded(4)
    await asyncio.to_thread(daemon.stop)
    for number in (1, 2, 3):
        trace = tmp_path / f"{number}.trace"
        picture = tmp_path / f"{number}.svg"
        await mesad("trace", number, "--table", daemon.config, "-o", trace, "--plot", picture)
        drawn = ElementTree.parse(picture).getroot()  # noqa: S314 - mesad's own file
        assert f"round {number}, revision {1 if number == 2 else 0}" in drawn.attrib["aria-label"]
        again = [
            json.loads(line) for line in (await mesad("replay", trace, "--table", daemon.config)).splitlines()
        ]
        records = [m["payload"]["data"] for m in again if m["topic"].endswith("event/round")]
        assert [r for r in records if r["round"] == number] == [
            r for r in board.records if r["round"] == number and r["revision"] == 0
        ]
    assert board.verdicts == [("valid", "17"), ("void", "4"), ("valid", "5"), ("valid", "8")]


@pytest.mark.parametrize("number", [0, -1, 10**23])
async def test_a_round_that_cannot_be(daemon: Daemon, tmp_path: Path, number: int) -> None:
    out = tmp_path / "none.trace"
    await mesad("trace", f"-o{out}", "--table", daemon.config, "--", number, code=64)
    assert not out.exists()


async def test_a_trace_without_a_file_says_how_the_round_was_judged(
    board: Board, wire: Wire, daemon: Daemon
) -> None:
    await wire.game(1, "17", rotor=0)
    await wire.lines(*clean_game(2, "4", "17", rotor=0))  # the rotor does not alternate
    await board.recorded(2)
    (finding,) = board.records[1]["findings"]
    said = (await mesad("trace", 2, "--table", daemon.config)).splitlines()
    assert said[0].startswith("round 2, revision 0: void, the wheel gave 4; ")
    assert f"  void        {finding['rule']} ({finding['clause']})" in said
    for name, seen in finding["evidence"].items():
        assert f"              {name.replace('_', ' ')}: {seen}" in said
    record = board.records[1]
    closed = f"bets closed {record['closed_at']}"
    assert f"  opened      {record['opened_at']}, {closed}, attempts: 1" in said
    assert any(
        line.startswith("  given       number: 4, color: black, parity: even, half: low") for line in said
    )
    (first,) = [number for number, line in enumerate(said) if line.startswith("  judged by   wheel.")]
    assert f"{finding['rule']} ({finding['clause']})" in " ".join(" ".join(said[first:]).split())


async def test_a_trace_without_a_file_has_every_revision(board: Board, wire: Wire, daemon: Daemon) -> None:
    await wire.game(1, "17")
    await board.recorded(1)
    await board.ask("correct", round=1, number="5", reason="the camera shows 5")
    await board.recorded(2)
    said = await mesad("trace", 1, "--table", daemon.config)
    assert "round 1, revision 0: valid, 17; " in said
    assert "round 1, revision 1: valid, 5; " in said
    assert ": the camera shows 5\n" in said


async def test_export_and_verify(board: Board, wire: Wire, daemon: Daemon) -> None:
    await wire.game(1, "17", rotor=0)
    await wire.lines(*clean_game(2, "4", "17", rotor=0))
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("void", "4")]
    entries = [json.loads(line) for line in (await mesad("export", "--table", daemon.config)).splitlines()]
    assert [entry["body"] for entry in entries if entry["kind"] == "round"] == board.records
    rows = list(csv.DictReader((await mesad("export", "--csv", "--table", daemon.config)).splitlines()))
    assert [(row["id"], row["verdict"], row["number"], row["given"]) for row in rows] == [
        ("ruleta-01/1/0", "valid", "17", "17"),
        ("ruleta-01/2/0", "void", "", "4"),
    ]
    assert "\nsound" in await mesad("verify", "--table", daemon.config)


async def test_watch_shows_phases_and_rounds(board: Board, wire: Wire, daemon: Daemon) -> None:
    watching = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon", "watch", str(daemon.config), stdout=asyncio.subprocess.PIPE
    )
    assert watching.stdout is not None
    try:
        await asyncio.wait_for(_line_with(watching.stdout, "ready"), PATIENCE)
        await wire.game(1, "17")
        await asyncio.wait_for(_line_with(watching.stdout, "valid  17, negre, senar, manca"), PATIENCE)
        await wire.lines(*clean_game(2, "4", "17", rotor=0))  # the rotor does not alternate
        await asyncio.wait_for(
            _line_with(watching.stdout, "no hi va res; the wheel gave 4; wheel.rotor"), PATIENCE
        )
    finally:
        watching.kill()
        await watching.wait()


@pytest.mark.parametrize(("reader", "code"), [("| head -1", 0), (">/dev/full", 73)])
async def test_watch_ends_when_nobody_takes_its_lines(
    board: Board, wire: Wire, daemon: Daemon, reader: str, code: int
) -> None:
    watching = await asyncio.create_subprocess_exec(
        *("bash", "-c", f'"$0" -m daemon watch "$1" {reader}; exit ${{PIPESTATUS[0]}}'),
        *(sys.executable, str(daemon.config)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    ended = asyncio.ensure_future(watching.communicate())
    number = 0
    while not ended.done():
        number += 1
        assert number < PATIENCE
        await wire.game(number, "17", rotor=number % 2)
        await board.recorded(number)
        await asyncio.wait([ended], timeout=1)
    said = (await ended)[1].decode()
    assert watching.returncode == code
    assert "Traceback" not in said
    assert said.count("\n") == (code != 0)


async def _line_with(lines: Any, text: str) -> None:
    while text not in (line := (await lines.readline()).decode()):
        assert line


def _subscribed(introduction: list[str]) -> list[list[str]]:
    """What each of the commands that the demonstration names hears of its first two messages."""
    commands = [line.partition("' ")[0] + "'" for line in introduction if "mosquitto_sub" in line]
    listeners = [
        subprocess.Popen(
            [*shlex.split(command), "-C", "2", "-W", f"{PATIENCE:g}"], stdout=subprocess.PIPE, text=True
        )
        for command in commands
    ]
    return [listener.communicate()[0].splitlines() for listener in listeners]


def test_the_demonstration_shows_rounds_of_every_family_and_how_to_subscribe(tmp_path: Path) -> None:
    how = ["--speed", "40", "--rounds", "48", "--port", "0", "--ws-port", "0", "--folder", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "daemon", "demo", *how], stdout=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        try:
            heard = _subscribed(list(takewhile(lambda line: not line.startswith("time "), demo.stdout)))
            rows = [line.split(maxsplit=3) for line in demo.stdout]
            assert demo.wait(PATIENCE) == 0
        finally:
            demo.kill()
    assert [[line.startswith("mesad/v1/demo/") for line in lines] for lines in heard] == [[True, True]] * 3
    assert len(rows) >= 48
    configs = {table.id: load(tmp_path / f"{table.id}.toml") for table in TABLES}
    assert {config.game.family for config in configs.values()} == set(PLAYED)
    for table, config in configs.items():
        said = [row[3] for row in rows if row[1] == table]
        called = {words.partition(",")[0].split()[0] for words in said if " valid" in words}
        assert called, f"no round of {table} counted"
        assert called <= set(config.layout)
        assert main(["verify", "--table", str(config.file)]) == 0


@pytest.mark.parametrize(("reader", "code"), [("| sed /^[0-9]/q", 0), (">/dev/full", 73)])
def test_the_demonstration_ends_when_nobody_takes_its_lines(reader: str, code: int) -> None:
    demo = '"$0" -m daemon demo --speed 40 --rounds 1000 --port 0 --ws-port 0'
    done = subprocess.run(
        ["bash", "-c", f"{demo} {reader}; exit ${{PIPESTATUS[0]}}", sys.executable],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_simulated_device_that_nobody_reads_says_so_and_waits(tmp_path: Path) -> None:
    how = ["simulate", "roulette", "--rounds", "1", "--port", f"pty:{tmp_path}/wheel"]
    with subprocess.Popen(
        [sys.executable, "-m", "daemon", *how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as waiting:
        assert waiting.stdout is not None
        assert waiting.stderr is not None
        try:
            assert waiting.stdout.readline() == f"{tmp_path}/wheel\n"
            assert f"nobody has opened {tmp_path}/wheel yet" in waiting.stderr.readline()
            assert "mesad run TABLE.toml" in waiting.stderr.readline()
            assert waiting.poll() is None
        finally:
            waiting.kill()


@pytest.mark.parametrize("command", ["replay", "export", "export --csv", "trace 1"])
async def test_a_command_whose_reader_has_seen_enough_ends_quietly(
    board: Board, wire: Wire, daemon: Daemon, tmp_path: Path, command: str
) -> None:
    await wire.game(1, "17")
    await board.recorded(1)
    await asyncio.to_thread(daemon.stop)
    if command == "replay":
        await mesad("trace", 1, "--table", daemon.config, "-o", tmp_path / "1.trace")
        command = f"replay {tmp_path}/1.trace"
    for reader in ("| head -1", "| true", "2>&1 | true"):
        call = f'"$0" -m daemon {command} --table "$1" {reader}; exit ${{PIPESTATUS[0]}}'
        done = await asyncio.to_thread(
            subprocess.run,
            ["bash", "-c", call, sys.executable, str(daemon.config)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0
        assert "Traceback" not in done.stderr


async def test_a_trace_that_was_altered_comes_out_differently(
    board: Board, wire: Wire, daemon: Daemon, tmp_path: Path
) -> None:
    await wire.game(1, "17")
    await board.recorded(1)
    await asyncio.to_thread(daemon.stop)
    trace = tmp_path / "1.trace"
    await mesad("trace", 1, "--table", daemon.config, "-o", trace)
    await mesad("replay", trace, "--table", daemon.config)
    trace.write_text(trace.read_text().replace('"number":"17"', '"number":"18"'))
    await mesad("replay", trace, "--table", daemon.config, code=1)
