"""The writing of one journal file: transactions, the chain's next links, tidying up. Knows no threads."""

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from daemon.journal import chain, retention
from daemon.journal.batch import Batch, CommitResult, Input, Numbers
from daemon.journal.file import PIECES, JournalFile, anchor_of, own_row

COMMIT_COST = 32_768
"""Bytes of the write-ahead log that a small commit takes, about."""

_pack = msgspec.msgpack.Encoder().encode


class DisplacedError(Exception):
    """The file is not where it was opened: writing on would go into the void."""


class Lost(NamedTuple):
    """Inputs of a round that could not be kept in memory while the disk took nothing."""

    round: int
    inputs: int
    bytes: int
    at: int


class Work(NamedTuple):
    """A batch to be written, and what was lost of it before."""

    batch: Batch
    lost: tuple[Lost, ...] = ()


class _Rows:
    """The rows of one transaction, numbered and linked on from the last one that succeeded."""

    def __init__(self, numbers: Numbers, head: chain.Anchor, uncovered: "hashlib._Hash") -> None:
        self.entry, self.outbox_id, self.piece = numbers.entry, numbers.outbox, numbers.piece
        self.seq, self.round = numbers.seq, numbers.round
        self.hash = head.hash
        self.covered = head.evidence
        self.uncovered = uncovered.copy()
        self.evidence: list[tuple[Any, ...]] = []
        self.entries: list[tuple[Any, ...]] = []
        self.outbox: list[tuple[Any, ...]] = []
        self.state: bytes | None = None
        self.bytes = 0

    def add(self, work: Work, now: int) -> CommitResult:
        """Take a batch in."""
        for round_, kind, items, at, data in _pieces(work, now):
            self.piece += 1
            piece = chain.Piece(self.piece, round_, kind, items, at, chain.digest(data), data)
            self.uncovered.update(piece.line())
            self.evidence.append(piece)
            self.round = max(self.round, round_)
            self.bytes += len(data)
        first_entry, first_id = self.entry + 1, self.outbox_id + 1
        for entry in work.batch.entries:
            self.link(entry.kind, entry.round, entry.seq, entry.revision, entry.at, entry.body)
        for message in work.batch.messages:
            self.outbox_id += 1
            self.outbox.append((self.outbox_id, self.entry, message.topic, message.payload, message.retain))
            self.bytes += len(message.payload)
        if work.batch.state is not None:
            self.state = work.batch.state
        return CommitResult(
            tuple(range(first_entry, self.entry + 1)), tuple(range(first_id, self.outbox_id + 1))
        )

    def link(
        self, kind: str, round_: int | None, seq: int | None, revision: int | None, at: int, body: bytes
    ) -> None:
        """The chain's next entry."""
        self.entry += 1
        header = (self.entry, kind, round_, seq, revision, at, self.piece)
        self.hash = chain.entry_hash(self.hash, header, body, self.uncovered.digest())
        self.uncovered = hashlib.sha256()
        self.covered = self.piece
        self.entries.append((*header, self.hash, body.decode()))
        self.seq = self.seq if seq is None else seq
        self.round = self.round if round_ is None else max(self.round, round_)
        self.bytes += len(body)


class JournalWriter:
    """Writes one open file. Every method raises sqlite3.Error, and then nothing of it was done."""

    def __init__(
        self,
        file: JournalFile,
        keep: retention.Retention,
        session: int,
        now: Callable[[], int],
    ) -> None:
        """`session` is this run's number, written with the first commit."""
        self.file = file
        self.numbers = msgspec.structs.replace(file.numbers, session=session)
        """The last ones used."""
        self.unsaved = 0
        """Bytes of the write-ahead log that are not in the file proper yet, about."""
        self._connection = file.connection
        self._path = str(file.path)
        self._keep = keep
        self._now = now
        self._session_written = False
        self._head = file.head
        self._uncovered = hashlib.sha256()
        for row in self._connection.execute(PIECES, (file.head.evidence,)):
            self._uncovered.update(chain.Piece(*row).line())
        row = own_row(file.path, self._connection)
        self._gone = retention.Done(anchor_of(row).entry, row["emptied_evidence"])
        self._to_go = retention.Done(row["remove_entries"], row["remove_evidence"])

    def commit(self, work: Sequence[Work], delivered: Iterable[int] = ()) -> list[CommitResult]:
        """Write these batches, and take delivered messages out, in one transaction.

        Raises DisplacedError too, if the file was moved or deleted.
        """
        self._check_place()
        rows = _Rows(self.numbers, self._head, self._uncovered)
        now = self._now()
        results = [rows.add(item, now) for item in work]
        with self._transaction():
            self._connection.executemany("DELETE FROM outbox WHERE id = ?", [(each,) for each in delivered])
            self._insert(rows)
        self._succeeded(rows)
        return results

    # --- tidying up ---------------------------------------------------------------------------

    def checkpoint(self) -> bool:
        """Bring the write-ahead log into the file; whether all of it could be (readers may hold it)."""
        busy, log, done = self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        complete = not busy and log == done
        if complete:
            self.unsaved = 0
        return complete

    def oversized(self) -> bool:
        """Whether the file holds more than it should."""
        limit = self._keep.keep_mb
        return limit is not None and retention.used_bytes(self._connection) > limit * 1_000_000

    def plan_removal(self) -> bool:
        """Decide what has to go by age and size and announce it in the chain; whether there is anything."""
        removable = retention.plan(self._connection, self._keep, self._to_go, self._now())
        if removable is None:
            return False
        row = (
            self._connection.execute(
                "SELECT hash FROM entries WHERE entry = ?", (removable.entries,)
            ).fetchone()
            or self._connection.execute("SELECT anchor_hash FROM journal").fetchone()
        )
        body = chain.Removed(
            entries=removable.entries,
            hash=row[0].hex(),
            evidence=removable.evidence,
            reason=removable.reason,
        )
        rows = _Rows(self.numbers, self._head, self._uncovered)
        rows.link(chain.OWN, None, None, None, self._now(), msgspec.json.encode(body))
        with self._transaction():
            self._insert(rows)
            self._connection.execute(
                "UPDATE journal SET remove_entries = ?, remove_evidence = ?",
                (removable.entries, removable.evidence),
            )
        self._succeeded(rows)
        self._to_go = retention.Done(removable.entries, removable.evidence)
        return True

    def tidy(self) -> bool:
        """One small step of removing what was announced and of shrinking the file; whether to go on."""
        if self._gone.evidence < self._to_go.evidence:
            self._empty_evidence(min(self._to_go.evidence, self._gone.evidence + retention.STEP))
        elif self._gone.entries < self._to_go.entries:
            self._remove_entries(min(self._to_go.entries, self._gone.entries + retention.STEP))
        else:
            free = self._connection.execute("PRAGMA freelist_count").fetchone()[0] - retention.SLACK
            if free <= 0:
                return False
            self._connection.execute(f"PRAGMA incremental_vacuum({min(free, 2 * retention.STEP)})").fetchall()
        self.unsaved += COMMIT_COST
        return True

    def close(self) -> None:
        """Bring everything into the file and close it."""
        with contextlib.suppress(sqlite3.Error):  # what is in the write-ahead log is durable as it is
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self._connection.close()

    # --- inside -------------------------------------------------------------------------------

    def _insert(self, rows: _Rows) -> None:
        write = self._connection
        if rows.evidence:
            write.executemany(
                "INSERT INTO evidence (piece, round, kind, items, at, digest, data)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                rows.evidence,
            )
        if rows.entries:
            write.executemany(
                "INSERT INTO entries (entry, kind, round, seq, revision, at, evidence, hash, body)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows.entries,
            )
        if rows.outbox:
            write.executemany(
                "INSERT INTO outbox (id, entry, topic, payload, retain) VALUES (?, ?, ?, ?, ?)", rows.outbox
            )
        if rows.state is not None:
            write.execute("INSERT OR REPLACE INTO state (id, data) VALUES (1, ?)", (rows.state,))
        if not self._session_written:
            write.execute("UPDATE journal SET session = ?", (self.numbers.session,))

    def _succeeded(self, rows: _Rows) -> None:
        self._session_written = True
        self._head = chain.Anchor(rows.entry, rows.hash, rows.covered)
        self._uncovered = rows.uncovered
        self.unsaved += COMMIT_COST + rows.bytes
        self.numbers = Numbers(
            entry=rows.entry,
            seq=rows.seq,
            round=rows.round,
            session=self.numbers.session,
            outbox=rows.outbox_id,
            piece=rows.piece,
            head=rows.hash.hex(),
        )

    def _empty_evidence(self, through: int) -> None:
        with self._transaction():
            self._connection.execute(
                "UPDATE evidence SET data = NULL WHERE piece > ? AND piece <= ?",
                (self._gone.evidence, through),
            )
            self._connection.execute("UPDATE journal SET emptied_evidence = ?", (through,))
        self._gone = self._gone._replace(evidence=through)

    def _remove_entries(self, through: int) -> None:
        entry, hash_, evidence = self._connection.execute(
            "SELECT entry, hash, evidence FROM entries WHERE entry = ?", (through,)
        ).fetchone()
        with self._transaction():
            self._connection.execute("DELETE FROM entries WHERE entry <= ?", (entry,))
            self._connection.execute("DELETE FROM evidence WHERE piece <= ?", (evidence,))
            self._connection.execute(
                "UPDATE journal SET anchor_entry = ?, anchor_hash = ?, anchor_evidence = ?",
                (entry, hash_, evidence),
            )
        self._gone = self._gone._replace(entries=entry)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk makes SQLite roll back by itself
                with contextlib.suppress(sqlite3.Error):  # the first error is the one that counts
                    self._connection.execute("ROLLBACK")
            raise

    def _check_place(self) -> None:
        try:
            inode = os.stat(self._path).st_ino  # noqa: PTH116 - a Path takes four times as long in each commit
        except FileNotFoundError:
            raise DisplacedError("was deleted or moved while it was being written") from None
        if inode != self.file.inode:
            raise DisplacedError("was replaced by another file while it was being written")


def _pieces(work: Work, now: int) -> Iterator[tuple[int, str, int, int, bytes]]:
    """The evidence of a batch as (round, kind, items, at, data); a round's start before its inputs."""
    for lost in work.lost:
        data = msgspec.json.encode({"inputs": lost.inputs, "bytes": lost.bytes, "reason": "memory"})
        yield lost.round, "lost", lost.inputs, lost.at, data
    start = work.batch.round_start
    for round_, group in groupby(work.batch.inputs, key=_round_of):
        inputs = list(group)
        at = inputs[0].wall
        if start is not None and round_ == start[0]:
            yield start[0], "start", 1, at, start[1]
            start = None
        yield round_, "inputs", len(inputs), at, _pack(inputs)
    if start is not None:
        yield start[0], "start", 1, now, start[1]


def _round_of(given: Input) -> int:
    return given.round
