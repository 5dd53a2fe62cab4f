"""The journal's process is killed at random moments: what it said is durable is there, whole and in order."""

import random
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from journal_rig import opened

from daemon.journal import reading as journal_reading
from daemon.journal.lock import holder

KILLS = 20
KILLS_AT_MOST = 200
"""Where a slow machine writes so little between kills that nothing had to be removed yet."""
ROOT = Path(__file__).parents[2]

WRITER = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from journal_rig import opened, round_batch
from daemon.journal import chores as journal_chores

async def main(path):
    journal_chores.FIRST_CHECK = journal_chores.SIZE_CHECK = journal_chores.SHORT_PAUSE = 0.01
    async with opened(path, keep_mb=1) as told:
        journal = told.journal
        journal.delivered(*(number for number, _ in journal.pending_outbox()))
        sys.stdout.write(f"open {journal.session} {journal.numbers.round}\\n")
        number = journal.numbers.round
        while True:
            for _ in range(number % 5 + 1):  # alone and in groups
                number += 1
                def done(result, number=number):
                    sys.stdout.write(f"done {number} {result.entries[0]} {result.outbox[0]}\\n")
                    sys.stdout.flush()
                    journal.delivered(*result.outbox)
                journal.submit(round_batch(number, number, lines=5, size=3000), done)
            await asyncio.sleep(0.001)

asyncio.run(main(Path(sys.argv[1])))
"""


def run_and_kill(path: Path, after: float) -> list[list[str]]:
    """Let a writer run for so long after its first commit, kill it, and give the lines that it wrote."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(ROOT / "tests")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(after)
        process.kill()
        lines = [first, *process.stdout.read().splitlines(keepends=True)]
    return [line.split() for line in lines if line.endswith("\n") and line.startswith(("open", "done"))]


def check(path: Path, done: dict[int, tuple[int, int]]) -> int:
    """What must hold after any kill; the last round in the journal."""
    report = journal_reading.verify(path)
    assert report.problems == ()
    rounds = {entry["round"]: entry for entry in journal_reading.export(path, ["round"])}
    numbers = sorted(rounds)
    assert numbers == list(range(numbers[0], numbers[-1] + 1)), "in order, without a gap"
    assert [rounds[number]["seq"] for number in numbers] == numbers
    for number, (entry, _) in done.items():
        if number >= numbers[0]:
            assert rounds[number]["entry"] == entry, "what was said to be durable is there under its number"
    last: int = numbers[-1]
    assert last >= max(done), "nothing that was done is missing at the end"
    state = journal_reading.last_state(path)
    assert state == b'{"next_seq":%d}' % (last + 1), "the state belongs to the last commit"
    trace = journal_reading.round_trace(path, last)
    assert (len(trace.inputs), trace.complete) == (5, True), "a commit is whole"
    outbox = journal_reading.pending_outbox(path)
    ids = [number for number, _ in outbox]
    assert ids == sorted(ids)
    pending = {msgspec.json.decode(message.payload)["round"] for _, message in outbox}
    for number, (_, first_id) in done.items():
        for outbox_id, message in outbox:
            if outbox_id == first_id:
                assert msgspec.json.decode(message.payload)["round"] == number
    undone = {number for number in numbers if number > max(done)}
    assert undone <= pending, "what was never told to anybody is still to be published"
    return last


@pytest.mark.parametrize("seed", [1])
async def test_a_killed_writer_loses_nothing_that_it_called_durable(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "ruleta-01.db"
    chance = random.Random(seed)
    last, shortened = 0, False
    for kill in range(1, KILLS_AT_MOST + 1):
        if kill > KILLS and shortened:
            break
        lines = run_and_kill(path, chance.uniform(0.0, 0.25))
        assert lines[0] == ["open", str(kill), str(last)], "session and round go on where they were"
        assert holder(path) is None
        done = {int(number): (int(entry), int(first)) for _, number, entry, first in lines[1:]}
        if done:
            last = check(path, done)
        else:
            last = max([last, *(each["round"] for each in journal_reading.export(path, ["round"]))])
        shortened = shortened or next(journal_reading.export(path))["entry"] > 1
    assert last > KILLS
    assert shortened, "removal by size was among what was cut off"
    async with opened(path) as told:
        assert told.journal.set_aside is None
        assert told.journal.numbers.round == last
