"""What the journal's tests share: batches as a table makes them, and a journal that tells what it says."""

import contextlib
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
from patience import PATIENCE, until

from daemon.journal import reading as journal_reading
from daemon.journal.journal import Batch, CommitResult, Input, Journal
from daemon.records import Message
from daemon.table.effects import Entry

SITE, TABLE = "madrid-1", "ruleta-01"


def round_entry(number: int, seq: int, *, revision: int = 0, **more: Any) -> Entry:
    """A round's record, as far as the journal cares."""
    body = {"round": number, "seq": seq, "revision": revision, **more}
    return Entry(
        kind="correction" if revision else "round",
        at=1_000_000 * seq,
        body=msgspec.json.encode(body),
        round=number,
        seq=seq,
        revision=revision,
    )


def line(number: int, text: bytes = b"X;4;012;31;0;158;0\r\n", wall: int = 0) -> Input:
    """A line of the wheel in this round."""
    return Input(number, "wheel", "bytes", 1_000 * wall, wall, text)


def round_batch(number: int, seq: int, *, lines: int = 3, size: int = 0) -> Batch:
    """A whole round in one batch: start, lines, record, two messages, state."""
    record = round_entry(number, seq, filler="x" * size)
    return Batch(
        inputs=tuple(
            line(number, b"%d;%d\r\n" % (number, each), wall=1_000_000 * seq) for each in range(lines)
        ),
        round_start=(number, b'{"before":%d}' % number),
        entries=(record,),
        messages=(Message("event/round", record.body, False), Message("result", record.body, True)),
        state=b'{"next_seq":%d}' % (seq + 1),
    )


class Told:
    """A journal in use, and what it called back."""

    def __init__(self) -> None:
        self.trouble: list[str] = []
        self.recovered = 0
        self.set_aside: list[str] = []
        self.done: list[CommitResult] = []
        self.journal: Journal

    def open(self, path: Path, **settings: Any) -> Journal:
        self.journal = Journal.open(
            path,
            SITE,
            TABLE,
            on_trouble=self.trouble.append,
            on_recovered=self._recovered,
            on_set_aside=self.set_aside.append,
            **settings,
        )
        return self.journal

    def _recovered(self) -> None:
        self.recovered += 1

    def submit(self, *batches: Batch) -> None:
        """Hand these over."""
        for batch in batches:
            self.journal.submit(batch, self.done.append)

    async def commit(self, *batches: Batch) -> list[CommitResult]:
        """Hand these over and wait until they are durable."""
        before = len(self.done)
        self.submit(*batches)
        await until(lambda: len(self.done) == before + len(batches))
        return self.done[before:]


@contextlib.asynccontextmanager
async def opened(path: Path, **settings: Any) -> AsyncIterator[Told]:
    """A journal that is closed at the end."""
    told = Told()
    journal = told.open(path, **({"slow": PATIENCE} | settings))
    try:
        yield told
    finally:
        await journal.close(PATIENCE)


# --- around a journal's file ------------------------------------------------------------------


def content_of(path: Path) -> bytes:
    return path.read_bytes()


def overwrite(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def delete(path: Path) -> None:
    path.unlink()


def rounds_in(path: Path) -> list[int]:
    return [entry["round"] for entry in journal_reading.export(path, ["round"])]


def set_aside_files(path: Path) -> list[Path]:
    return sorted(
        each for each in path.parent.iterdir() if re.search(r"\.damaged-\d{8}T\d{6}Z(-\d+)?$", each.name)
    )


@contextlib.contextmanager
def tampering(path: Path) -> Iterator[sqlite3.Connection]:
    """Somebody with the sqlite3 program."""
    connection = sqlite3.connect(path)
    with connection:
        yield connection
    connection.close()


async def fill(path: Path, rounds: int = 5) -> None:
    """A journal that was closed in order, with so many rounds."""
    async with opened(path) as told:
        await told.commit(*(round_batch(number, number) for number in range(1, rounds + 1)))
