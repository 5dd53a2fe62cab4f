"""Field cases 25 to 28, 32 and 33: the broker, the daemon's death, time and slow disks, on the real path."""

import asyncio
import contextlib
import signal
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from brokers import ANYBODY, Mosquitto
from hall import Board, Daemon, Wire, clean_game
from patience import PATIENCE, SLACK, until

from daemon.journal.reading import summary

LIBFAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), Path("libfaketime is not installed"))


async def test_case_25_the_broker_dies_between_two_results(
    board: Board, wire: Wire, broker: Mosquitto, daemon: Daemon
) -> None:
    await wire.game(1, "17", rotor=0)
    await board.recorded(1)
    broker.kill()
    await wire.game(2, "4", "17", rotor=1)
    await wire.game(3, "8", " 4", rotor=0)
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGSTOP)  # so that the new board hears all that comes
    broker.start()
    async with Board(broker.port) as late:
        daemon.process.send_signal(signal.SIGCONT)
        await late.recorded(2)
        assert late.verdicts == [("valid", "4"), ("valid", "8")]
        assert [record["seq"] for record in late.records] == [2, 3]
        await late.until(lambda board: (board.last("result") or {}).get("seq") == 3)
    async with Board(broker.port) as later:
        await later.until(lambda board: (board.last("result") or {}).get("seq") == 3)
        shown = ["8", "4", "17"]
        await later.until(lambda board: [e["number"] for e in board.last("history") or ()] == shown)


async def test_case_26_a_late_board_tells_old_from_new_by_the_payload(
    board: Board, wire: Wire, broker: Mosquitto
) -> None:
    await wire.game(1, "17")
    await board.recorded(1)
    await board.until(lambda board: board.last("phase")["phase"] == "result")
    async with Board(broker.port) as late:
        old = await late.until(lambda board: board.last("result"))
        phase = await late.until(lambda board: board.last("phase"))
        assert (old["round"], old["seq"]) == (1, 1)
        assert (phase["phase"], phase["round"]) == ("result", 1)
        await wire.game(2, "17", "17", 1)
        new = await late.until(
            lambda board: board.last("result") if board.last("result")["seq"] == 2 else None
        )
        assert new["id"] != old["id"]
        assert new["settled_at"] > old["settled_at"]


async def test_case_27_after_a_kill_the_will_says_lost_and_the_restart_puts_it_right(
    board: Board, wire: Wire, broker: Mosquitto, daemon: Daemon
) -> None:
    await wire.game(1, "17")
    await board.recorded(1)
    daemon.kill()
    await board.until(lambda board: board.last("status")["state"] == "lost")
    async with Board(broker.port) as late:
        assert (await late.until(lambda board: board.last("status")))["state"] == "lost"
    daemon.start()
    await board.opened()
    await wire.closed()
    await board.ready()
    async with Board(broker.port) as late:
        assert (await late.until(lambda board: board.last("status")))["state"] == "ready"
        assert (await late.until(lambda board: board.last("result")))["outcome"]["number"] == "17"


async def test_case_28_broker_away_and_the_daemon_restarted_meanwhile(
    board: Board, wire: Wire, broker: Mosquitto, daemon: Daemon
) -> None:
    await wire.game(1, "17", rotor=0)
    await board.recorded(1)
    broker.kill()
    await wire.game(2, "4", "17", rotor=1)
    await _journaled(daemon, 2)
    daemon.kill()
    daemon.start()
    await daemon.opened_times(2)
    await wire.closed()
    await wire.game(3, "8", " 4", rotor=0)
    await _journaled(daemon, 3)
    await asyncio.sleep(5)
    daemon.kill()
    broker.start()
    async with Board(broker.port) as late:
        daemon.start()
        await late.recorded(2)
        assert [record["id"] for record in late.records] == ["ruleta-01/2/0", "ruleta-01/3/0"]
        assert [record["seq"] for record in late.records] == [2, 3]


async def _journaled(daemon: Daemon, rounds: int) -> None:
    await until(lambda: summary(daemon.journal).rounds >= rounds, f"{rounds} rounds in the journal")


def _betting(number: int, board: Board) -> bool:
    return any((shown["round"], shown["phase"]) == (number, "betting") for shown in board.all("phase"))


async def test_case_33_a_slow_disk_stops_neither_the_reader_nor_what_is_live(
    board: Board, wire: Wire, daemon: Daemon
) -> None:
    with contextlib.closing(sqlite3.connect(daemon.journal, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # nobody else can write now
        second, third = clean_game(2, "4", "17", rotor=1), clean_game(3, "8", " 4", rotor=0)
        await wire.game(1, "17", rotor=0)
        await wire.lines(*second[:2])
        await board.until(lambda board: _betting(2, board))
        await asyncio.sleep(SLACK)
        first_is_over = datetime.now(UTC)
        await asyncio.sleep(SLACK)
        await wire.lines(*second[2:], *third[:2])
        await board.until(lambda board: _betting(3, board))
        await asyncio.sleep(SLACK)
        assert board.records == []
        assert board.all("result") == []
        held_until = datetime.now(UTC)
        other.execute("ROLLBACK")
    records = await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "4")]
    settled = [datetime.fromisoformat(record["settled_at"]) for record in records]
    assert settled[0] < first_is_over < settled[1] < held_until


async def test_case_33_a_slow_broker_stops_neither_the_reader_nor_the_record(
    board: Board, wire: Wire, broker: Mosquitto, daemon: Daemon
) -> None:
    broker.freeze()
    await wire.game(1, "17", rotor=0)
    await wire.game(2, "4", "17", rotor=1)
    await _journaled(daemon, 2)
    broker.thaw()
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "4")]


async def test_case_32_the_wall_clock_steps_back_in_mid_spin(
    wire: Wire, broker: Mosquitto, daemon: Daemon, tmp_path: Path
) -> None:
    offset = tmp_path / "offset"
    offset.write_text("+0")
    fake = {
        "LD_PRELOAD": str(LIBFAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    async with Board(broker.port) as board:
        daemon.start(**fake)
        await board.opened()
        await wire.closed()
        await board.ready()
        await wire.game(1, "17", rotor=0)
        await board.recorded(1)
        before, during = clean_game(2, "4", "17", rotor=1)[:5], clean_game(2, "4", "17", rotor=1)[5:]
        await wire.lines(*before)
        await board.until(lambda board: board.last("phase")["phase"] == "no_more_bets")
        offset.write_text("-1000s")
        async with asyncio.timeout(PATIENCE):
            while not board.all("event/clock"):  # the wheel goes on speaking: its silence would be a loss
                await wire.lines(before[-1])
                await asyncio.sleep(0.3)
        await wire.lines(*during)
        first, second = await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "4")]
    assert 0 < second["duration_ms"] < 2 * PATIENCE * 1000
    assert second["settled_at"] < first["settled_at"]
    assert second["seq"] == first["seq"] + 1
    assert board.last("event/clock")["data"]["stepped_seconds"] < -999


async def test_a_publish_that_the_broker_denies_is_seen_and_made_good(wire: Wire, tmp_path: Path) -> None:
    root = "mesad/v1/madrid-1/ruleta-01"
    acl = tmp_path / "acl"
    allowed = f"topic readwrite {root}/#\n"
    acl.write_text("topic read #\n" + allowed + f"topic deny {root}/event/round\n")
    broker = Mosquitto(tmp_path, f"{ANYBODY}\nacl_file {acl}")
    broker.start()
    daemon = Daemon(tmp_path, broker.port, wire.path)
    try:
        async with Board(broker.port) as board:
            daemon.start()
            await board.opened()
            await wire.closed()
            await wire.game(1, "17")
            await board.until(lambda board: board.last("fault/publish_denied"))
            assert "event/round" in board.last("fault/publish_denied")["text"]
            await board.until(lambda board: board.last("status")["state"] == "alert")
            assert board.records == []
            daemon.stop()
            acl.write_text("topic read #\n" + allowed)
            broker.kill()
            broker.start()
        async with Board(broker.port) as board:
            daemon.start()
            await board.recorded(1)
            assert board.verdicts == [("valid", "17")]
    finally:
        daemon.end()
        broker.kill()
