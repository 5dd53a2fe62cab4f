"""Field cases 1 to 6, and 31: the link is lost and found, on the real path."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from brokers import Mosquitto
from hall import Board, Daemon, Wire, clean_game, status, table_file
from patience import PATIENCE


async def test_case_1_a_port_recreated_five_times_gives_one_result(board: Board, wire: Wire) -> None:
    for _ in range(5):
        await board.replugged(wire)
    await wire.lines(b"\r\n", *clean_game(1, "17"))
    await board.recorded(1)
    await wire.game(2, "4", "17", 1)
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "4")]
    assert board.last("device/wheel")["frames"] > 0


async def test_case_2_after_a_void_and_a_relaunch_the_next_result_comes(board: Board, wire: Wire) -> None:
    await wire.lines(status(2, 1), status(2, 1), status(3, 1), status(3, 1))
    await board.phase("in_play")
    assert (await board.ask("void", reason="chip in the cylinder"))["ok"]
    await wire.lines(
        status(2, 1, rotor=1), status(2, 1, rotor=1)
    )  # the wheel throws again under the same counter
    await wire.lines(*clean_game(1, "8", rotor=1)[2:])
    await board.recorded(2)
    assert board.verdicts == [("void", None), ("valid", "8")]


async def test_case_3_a_port_that_fails_shows_as_lost_and_is_reopened(
    board: Board, wire: Wire, daemon: Daemon
) -> None:
    wire.unplug()
    await board.until(lambda board: board.last("status")["state"] == "disconnected")
    await board.until(lambda board: board.last("device/wheel")["state"] == "lost")
    wire.plug()
    await board.opened()
    lost = [event["data"] for event in board.all("event/device") if event["data"]["state"] == "lost"]
    assert len(lost) == 1
    assert "went away" in lost[0]["reason"], "the loss itself is seen, not the silence"
    await wire.closed()
    await board.ready()
    await wire.game(1, "17")
    await board.recorded(1)
    warnings = [
        line for line in daemon.logged() if line["level"] == "warning" and line["logger"] == "mesad.link"
    ]
    assert len(warnings) == 1


async def test_case_4_a_device_that_is_gone_costs_no_time(board: Board, wire: Wire, daemon: Daemon) -> None:
    wire.unplug()
    await board.until(lambda board: board.last("device/wheel")["state"] == "lost")
    assert daemon.process is not None
    before = _cpu(daemon.process.pid)
    await asyncio.sleep(2)
    assert _cpu(daemon.process.pid) - before < 0.2


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("second_path", ["wheel", "another"])
async def test_case_5_two_readers_of_one_device_are_refused(
    board: Board, wire: Wire, daemon: Daemon, broker: Mosquitto, tmp_path: Path, second_path: str
) -> None:
    path = tmp_path / second_path
    if second_path == "another":
        path.symlink_to(wire.path.readlink())
    config = tmp_path / "second.toml"
    config.write_text(table_file(broker.port, path, tmp_path / "second.db", id="ruleta-02"))
    second = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "daemon", "run", str(config)],
        capture_output=True,
        timeout=PATIENCE,
    )
    assert second.returncode == 75
    assert daemon.process is not None
    assert f"pid {daemon.process.pid}".encode() in second.stderr
    await wire.game(1, "17")
    await board.recorded(1)
    assert board.verdicts == [("valid", "17")]


async def test_case_5_a_second_daemon_on_the_same_table_is_refused(board: Board, daemon: Daemon) -> None:
    second = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "daemon", "run", str(daemon.config)],
        capture_output=True,
        timeout=PATIENCE,
    )
    assert second.returncode == 75
    assert daemon.process is not None
    assert str(daemon.process.pid).encode() in second.stderr
    assert b"journal" in second.stderr


async def test_case_6_a_device_that_boots_in_mid_play_invents_nothing(board: Board, wire: Wire) -> None:
    await wire.game(41, "17")
    await board.recorded(1)
    await wire.lines(status(2, 42, "17"), status(2, 42, "17"), status(3, 42, "17"), status(4, 42, "17"))
    await wire.lines(
        b"*V V2.50 wheel\r\n", status(6, 1, rpm=0), status(6, 1, rpm=0), status(1, 1), status(2, 1)
    )
    await board.until(
        lambda board: any(event["data"].get("state") == "restarted" for event in board.all("event/device"))
    )
    await wire.game(1, "4")
    await board.recorded(3)
    assert board.verdicts == [("valid", "17"), ("void", None), ("valid", "4")]


async def test_case_31_opening_the_port_resets_the_device_and_its_boot_text_is_ignored(
    board: Board, wire: Wire, daemon: Daemon
) -> None:
    await board.replugged(wire)
    opened = [event for event in board.all("event/device") if event["data"]["state"] == "link_up"]
    await wire.lines(
        b"\x00\x00ets Jun  8 2016 00:22:57\r\n", b"rst:0x1 (POWERON_RESET),boot:0x13\r\n", b"ready\r\n"
    )
    await wire.game(1, "17")
    await board.recorded(1)
    assert board.verdicts == [("valid", "17")]
    again = [event for event in board.all("event/device") if event["data"]["state"] == "link_up"]
    assert len(again) - len(opened) <= 1  # the one that `replugged` waited for may be heard after it


@pytest.mark.parametrize("changes", [{"options": {"silence": 4.0}}])
async def test_silence_of_a_wheel_with_a_heartbeat_is_a_loss_and_shows(
    board: Board, wire: Wire, daemon: Daemon
) -> None:
    await wire.lines(*clean_game(1, "17")[:4])
    await board.phase("in_play")
    await board.until(lambda board: board.last("status")["state"] == "disconnected")
    await board.phase("void")
    await board.opened()  # again, in case that helps
    await wire.lines(b"\r\n", status(5, 1, "17"), status(5, 1, "17"), status(2, 2, "17"), every=0.1)
    await board.recorded(1)
    assert board.verdicts == [("void", "17")]
    assert board.records[0]["findings"][0]["rule"] == "round.half_seen"


async def test_a_daemon_that_is_stopped_says_so(board: Board, daemon: Daemon) -> None:
    assert await asyncio.to_thread(daemon.stop) == 0
    await board.until(lambda board: board.last("status")["state"] == "disconnected")
    assert board.last("status")["reason"] == "mesad was stopped"


@pytest.mark.parametrize("changes", [{"options": {"silence": 4.0}}])
async def test_games_that_the_kernel_held_while_mesad_was_stopped_are_not_lost(
    board: Board, wire: Wire, daemon: Daemon
) -> None:
    await wire.lines(*clean_game(1, "17")[:4])
    await board.phase("in_play")
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGSTOP)
    await wire.lines(*clean_game(1, "17")[4:], *clean_game(2, "4", "17", 1))
    await asyncio.sleep(7)  # longer than the silence after which a wheel counts as lost
    daemon.process.send_signal(signal.SIGCONT)
    await wire.lines(*clean_game(3, "8", " 4", 0))
    await board.recorded(3)
    assert board.verdicts == [("valid", "17"), ("valid", "4"), ("valid", "8")]


async def test_why_a_port_cannot_be_opened_is_shown(
    broker: Mosquitto, daemon: Daemon, wire: Wire, tmp_path: Path
) -> None:
    wire.unplug()
    wire.path.write_text("no port")
    async with Board(broker.port) as board:
        daemon.start()
        await board.until(lambda board: (board.last("device/wheel") or {}).get("reason"))
        assert board.last("device/wheel")["state"] == "connecting"
        reason = board.last("device/wheel")["reason"]
        await board.until(lambda board: reason in ((board.last("status") or {}).get("reason") or ""))
        assert board.last("status")["state"] == "init"
