"""Field cases 34 to 36 on the real path: a simulated fortune wheel, the daemon, a broker."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from brokers import Mosquitto
from fortune_wheel_line import COUNTED
from hall import Board, Daemon, mesad, simulated
from spin_play import order_of

SPEED = 20.0
"""Times real time: a spin lasts two seconds."""


@pytest.fixture
def daemon(tmp_path: Path, broker: Mosquitto, wheel_port: int) -> Iterator[Daemon]:
    """A daemon with a calibrated fortune wheel."""
    known = COUNTED.calibration
    file = tmp_path / "wheel.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in known.items()))
    options = {"segments": 54, "counts": COUNTED.counts, "calibration": file.name}
    device: dict[str, Any] = {"role": "fortune_wheel", "driver": "fortune-wheel", "options": options}
    game: dict[str, Any] = {"game": "fortune_wheel", "segments": list(order_of("es-ct"))}
    made = Daemon(tmp_path, broker.port, f"socket://127.0.0.1:{wheel_port}", **game, **device)
    yield made
    made.end()


async def spun(
    board: Board, daemon: Daemon, wheel_port: int, fault: str, spins: int, records: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The records of a simulated wheel's spins, and the truth of each."""
    how = ("fortune-wheel", "--fault", fault, "--seed", 6, "--speed", SPEED)
    truths = await simulated(board, daemon, wheel_port, *how, games=spins, records=records)
    return board.records, truths


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("on_peg@1", "fortune_wheel.on_peg"),
        ("too_few_turns@1", "fortune_wheel.turns"),
        ("hand_hard@1", "fortune_wheel.hindered"),
        ("doubled_edge@1", "round.rest_unread"),
    ],
)
async def test_cases_34_and_36_a_spin_that_is_void_between_two_that_count(
    broker: Mosquitto, daemon: Daemon, wheel_port: int, fault: str, rule: str
) -> None:
    async with Board(broker.port) as board:
        daemon.start()
        await board.until(lambda board: (board.last("status") or {}).get("state") is not None)
        records, truths = await spun(board, daemon, wheel_port, fault, 3, 3)
    assert [record["verdict"] for record in records] == ["valid", "void", "valid"]
    assert rule in [finding["rule"] for finding in records[1]["findings"]]
    for record, truth in zip(records[::2], truths[::2], strict=True):
        assert record["outcome"]["segment"] == truth["segment"] + 1
        assert record["outcome"]["symbol"] == order_of("es-ct")[truth["segment"]]


async def test_case_35_a_wheel_that_is_rocked_gives_no_record(
    broker: Mosquitto, daemon: Daemon, wheel_port: int, tmp_path: Path
) -> None:
    async with Board(broker.port) as board:
        daemon.start()
        await board.until(lambda board: (board.last("status") or {}).get("state") is not None)
        records, truths = await spun(board, daemon, wheel_port, "rocking@0", 2, 1)
    assert [truth["is_spin"] for truth in truths] == [False, True]
    assert [record["verdict"] for record in records] == ["valid"]
    await asyncio.to_thread(daemon.stop)
    told = await mesad("trace", 1, "--table", daemon.config)
    assert " ".join(order_of("es-ct")) in " ".join(told.split())
    trace = tmp_path / "1.trace"
    await mesad("trace", 1, "--table", daemon.config, "-o", trace)
    again = await mesad("replay", trace, "--table", daemon.config)
    assert f'"symbol":"{records[0]["outcome"]["symbol"]}"' in again
    turned = (*order_of("es-ct")[1:], order_of("es-ct")[0])
    text = daemon.config.read_text()
    daemon.config.write_text(text.replace(json.dumps(list(order_of("es-ct"))), json.dumps(list(turned))))
    again = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "daemon", "replay", trace, "--table", daemon.config],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f'"symbol":"{records[0]["outcome"]["symbol"]}"' in again.stdout
    assert "the table file was changed since: table.segments was another order" in again.stderr
