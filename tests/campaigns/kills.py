"""Kill -9 at random moments under load: nothing that was seen or answered is missing, nothing comes twice.

    python tests/campaigns/kills.py --kills 1000

A wheel plays without pause, a board listens and a table chief asks. The daemon is killed a random time
after each start. After each kill the journal's chain is verified and compared with all that the board saw so
far; at the end the outbox is let run dry, and the board must have every record, once but for re-deliveries
that repeat their id and their content, in order.
"""

import argparse
import asyncio
import contextlib
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from brokers import ANYBODY, Mosquitto
from hall import Board, Daemon, Wire, clean_game
from patience import until

from daemon.journal.reading import export, pending_outbox, verify

LONGEST_LIFE = 1.2
"""Seconds after which a daemon is killed at the latest. It is ready after about a third of one."""


class Campaign:
    """The hall, the load, and what was found wrong."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.broker = Mosquitto(folder, ANYBODY)
        self.wire = Wire(folder / "wheel")
        self.daemon = Daemon(folder, self.broker.port, self.wire.path)
        self.seen: dict[str, bytes] = {}
        self.redelivered = 0
        self.order: list[int] = []
        self.answered: set[str] = set()
        self.asked = 0
        self.problems: list[str] = []
        self.read = 0

    async def load(self) -> None:
        """Games without end, as fast as a line in 3 ms; what no reader takes is lost, as on a real line."""
        game, rotor, previous = 1, 0, "  "
        while True:
            number = str(self.random.randrange(37))
            for line in clean_game(game, number, previous, rotor):
                with contextlib.suppress(BlockingIOError):
                    self.wire.write(line)
                await asyncio.sleep(0.003)
            game, rotor, previous = game % 256 + 1, 1 - rotor, number

    async def ask(self, board: Board) -> None:
        """A request every 50 ms; what was answered must be in the journal."""
        while True:
            self.asked += 1
            await board.request("void", f"kill {self.asked}")
            await asyncio.sleep(0.05)

    def look(self, board: Board) -> None:
        """Take in what the board heard since the last look."""
        for topic, payload, _ in board.messages[self.read :]:
            if topic == "event/round":
                self._record(payload["data"])
            elif topic == "reply/board":
                self.answered.add(payload["correlation"])
        self.read = len(board.messages)

    def _record(self, record: dict[str, Any]) -> None:
        body = json.dumps(record, sort_keys=True).encode()
        if record["id"] in self.seen:
            self.redelivered += 1
            if self.seen[record["id"]] != body:
                self.problems.append(f"{record['id']} came again with another content")
            return
        self.seen[record["id"]] = body
        self.order.append(record["seq"])

    def check(self, when: str) -> None:
        """The journal is sound and holds all that was seen and answered."""
        report = verify(self.daemon.journal)
        self.problems += [f"{when}: {problem}" for problem in report.problems]
        held, asked, sequence = {}, set(), []
        for entry in export(self.daemon.journal):
            if entry["kind"] in ("round", "correction"):
                held[entry["body"]["id"]] = json.dumps(entry["body"], sort_keys=True).encode()
                sequence.append(entry["body"]["seq"])
            elif entry["kind"] == "command":
                asked.add(entry["body"]["data"]["request"].get("correlation"))
        if sequence != list(range(1, len(sequence) + 1)):
            self.problems.append(f"{when}: the journal's sequence has gaps or repeats")
        self.problems += [
            f"{when}: {key} was seen and is not in the journal"
            for key in self.seen
            if held.get(key) != self.seen[key]
        ]
        self.problems += [
            f"{when}: {key} was answered and is not in the journal" for key in self.answered - asked
        ]
        self.held = held

    def has(self, board: Board, records: set[str]) -> bool:
        """Whether the board heard all of these records."""
        self.look(board)
        return records <= self.seen.keys()

    def finish(self) -> None:
        """The board has everything, in order, and there was something to have."""
        self.check("at the end")
        if not self.held:
            self.problems.append("no round was played between the kills")
        if self.order != list(range(1, len(self.order) + 1)):
            self.problems.append("the board's sequence has gaps or is out of order")
        missing = set(self.held) - set(self.seen)
        self.problems += [f"{key} never reached the board" for key in missing]


async def delivered(campaign: Campaign) -> None:
    """Wait until the running daemon has nothing left to deliver."""
    await until(lambda: not pending_outbox(campaign.daemon.journal), "the outbox to be empty")


async def run(kills: int, seed: int, folder: Path, every: int) -> Campaign:
    """The campaign, from the broker's start to its end."""
    campaign = Campaign(folder, seed)
    campaign.broker.start()
    campaign.wire.plug()
    campaign.wire.never_block()
    try:
        async with Board(campaign.broker.port) as board:
            tasks = [asyncio.create_task(campaign.load()), asyncio.create_task(campaign.ask(board))]
            for number in range(1, kills + 1):
                campaign.daemon.start()
                await asyncio.sleep(campaign.random.uniform(0.05, LONGEST_LIFE))
                campaign.daemon.kill()
                await asyncio.sleep(0.02)
                campaign.look(board)
                if campaign.daemon.journal.exists() and number % every == 0:
                    await asyncio.to_thread(campaign.check, f"kill {number}")
                if campaign.problems:
                    break
            campaign.daemon.start()
            await until(campaign.daemon.journal.exists, "a journal")
            await asyncio.sleep(1)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await delivered(campaign)
            await asyncio.to_thread(campaign.daemon.stop)
            if pending_outbox(campaign.daemon.journal):  # what the stop itself had to say
                campaign.daemon.start()
                await delivered(campaign)
                campaign.daemon.kill()
            entries = export(campaign.daemon.journal, ("round", "correction"))
            records = {entry["body"]["id"] for entry in entries}
            await board.until(lambda board: campaign.has(board, records))
            campaign.finish()
    finally:
        campaign.daemon.end()
        campaign.wire.unplug()
        campaign.broker.kill()
    return campaign


def main() -> int:
    """Run, print the figures; 1 where something is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--verify-every", type=int, default=1, help="kills between two looks at the whole journal"
    )
    args = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        campaign = asyncio.run(run(args.kills, args.seed, Path(folder), args.verify_every))
    held, seen, took = len(campaign.held), len(campaign.seen), time.monotonic() - began
    print(f"{args.kills} kills, seed {args.seed}, {took:.0f} s")
    print(f"records: {held} in the journal, {seen} at the board, {campaign.redelivered} re-deliveries")
    print(f"requests: {campaign.asked} asked, {len(campaign.answered)} answered")
    for problem in campaign.problems[:20]:
        print(f"  {problem}")
    print(f"{len(campaign.problems)} problems")
    return 1 if campaign.problems else 0


if __name__ == "__main__":
    sys.exit(main())
