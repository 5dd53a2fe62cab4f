"""Simulated wheels in real time on pseudo-terminals, the daemon as a process, a board at a real broker.

    python tests/campaigns/real_time.py --wheels 20 --games 15

So many tables run in one daemon, each with its wheel; faults of all kinds are mixed in, those that rest on
durations too. What the board heard is compared with each game's truth as in `games.py`.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
from brokers import ANYBODY, Mosquitto
from games import WHEELS, Tally, compare
from hall import Board, table_file
from patience import SLACK

from daemon.records import RoundRecord
from simulators.devices.cammegh import SimulatedWheel
from simulators.ports import PseudoTerminal
from simulators.run import run_wheel
from simulators.scenarios import possible, rated
from simulators.traffic import Truth

QUIET = 5.0
"""Seconds without a round after which none is on its way."""


class Table:
    """A wheel on its port, what was true of its games, and what a board heard of them."""

    def __init__(self, number: int, seed: int, rate: float, speed: float) -> None:
        model, protocol, _ = WHEELS[number % len(WHEELS)]
        self.id = f"ruleta-{number:02}"
        self.options = {"model": model, "protocol": protocol}
        self.port = PseudoTerminal()
        self.speed = speed
        schedule = rated(possible(model, protocol, speed), rate, seed + number)
        self.wheel = SimulatedWheel(model, protocol, 37, seed + number, schedule)
        self.ends: list[tuple[int, Truth]] = []

    async def play(self, games: int) -> None:
        """Play, noting the wall time at which each game ended."""
        await run_wheel(self.wheel, self.port, self.speed, games, self._ended, wait_for_reader=True)

    def _ended(self, truth: Truth) -> None:
        """A game is over; noted a little early for the sake of the clocks: no round opens so late in one."""
        self.ends.append((round((time.time() - SLACK) * 1_000_000), truth))


async def run(args: argparse.Namespace, folder: Path) -> Tally:
    """The campaign, from the broker's start to its end."""
    tally = Tally()
    broker = Mosquitto(folder, ANYBODY)
    broker.start()
    tables = [Table(number, args.seed, args.fault_rate, args.speed) for number in range(args.wheels)]
    files = []
    for table in tables:
        file = folder / f"{table.id}.toml"
        options = table.options | {"silence": args.silence}
        changes: dict[str, Any] = {"id": table.id, "options": options, "catalogue": "es-1979"}
        file.write_text(table_file(broker.port, table.port.path, folder / f"{table.id}.db", **changes))
        files.append(file)
    async with Board(broker.port, "+") as board:
        daemon = start(files, folder / "log")
        try:
            await asyncio.gather(*(table.play(args.games) for table in tables))
            await quiet(board)
        finally:
            daemon.terminate()
            await asyncio.to_thread(daemon.wait)
            for table in tables:
                table.port.close()
        await quiet(board)
        for table in tables:
            found = records_of(board, table.id)
            compare(f"{table.id} {table.options['model']}", table.ends, found, tally)
    broker.kill()
    return tally


async def quiet(board: Board) -> None:
    """Wait until the board hears of no more rounds: the daemon may be some lines behind."""
    before = -1
    while before != (now := sum(topic.endswith("/event/round") for topic, _, _ in board.messages)):
        before = now
        await asyncio.sleep(QUIET)


def start(files: list[Path], log: Path) -> subprocess.Popen[bytes]:
    """One daemon for all tables."""
    with log.open("wb") as out:
        return subprocess.Popen([sys.executable, "-m", "daemon", "run", *files], stdout=out, stderr=out)


def records_of(board: Board, table: str) -> list[RoundRecord]:
    """The records of a table that a board heard, re-deliveries left out."""
    suffix = f"/{table}/event/round"
    events = [payload["data"] for topic, payload, _ in board.messages if topic.endswith(suffix)]
    unique = {event["id"]: msgspec.convert(event, RoundRecord) for event in reversed(events)}
    return sorted(unique.values(), key=lambda record: record.seq)


def main() -> int:
    """Run the campaign and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheels", type=int, default=20)
    parser.add_argument("--games", type=int, default=15, help="games of each wheel")
    parser.add_argument("--speed", type=float, default=1.0, help="times real time")
    parser.add_argument("--silence", type=float, default=5.0, help="seconds after which a wheel is lost")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault-rate", type=float, default=0.35)
    args = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tally = asyncio.run(run(args, Path(folder)))
    code = tally.show()
    took = time.monotonic() - began
    print(f"{args.wheels} wheels at {args.speed:g} times real time, seed {args.seed}, {took:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
