"""The journal's file as SQLite sees it: connections, settings, and what it says about itself."""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from daemon.journal import chain, migrations
from daemon.journal.batch import Numbers
from daemon.journal.errors import JournalDamagedError, JournalError

Wall = Callable[[], int]
"""Microseconds since 1970 UTC."""

LAST_WALL = (1 << 63) // 1000 - 1
"""The last microsecond that the system's clock can tell in 64 bits of nanoseconds, in the year 2262."""

LINKS = (
    "SELECT entry, kind, round, seq, revision, at, evidence, CAST(body AS BLOB), hash FROM entries"
    " WHERE entry > ? ORDER BY entry"
)
PIECES = "SELECT piece, round, kind, items, at, digest, data FROM evidence WHERE piece > ? ORDER BY piece"

MAGIC = b"SQLite format 3\0"
"""What every SQLite database begins with."""

_APPLICATION_AT = 68  # bytes into the file: `PRAGMA application_id`, big-endian

_BUSY = 0.5  # seconds that a statement waits for another process's write
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@dataclass
class JournalFile:
    """An open file that was found sound, ready to be written by its one writer."""

    connection: sqlite3.Connection
    path: Path
    site: str
    table: str
    inode: int
    numbers: Numbers
    """The last ones used."""
    head: chain.Anchor
    set_aside: str | None = None
    """What was wrong with the file found, what became of it, and how the numbers go on."""


def wall() -> int:
    """The wall clock, where it is within what a time string and 64 bits hold; otherwise the nearest end."""
    try:
        return min(max(time.time_ns() // 1000, 0), LAST_WALL)
    except OverflowError:  # beyond 2262 or before 1677; which of them cannot be told, and matters to nobody
        return LAST_WALL


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code of an error; 0 for errors of Python's own making."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection in autocommit mode; `mode` is SQLite's: ro, rw or rwc. Raises sqlite3.Error.

    Text that is not UTF-8 reads with replacement characters, because a reader of damage must not stumble.
    """
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        timeout=_BUSY,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = lambda text: text.decode(errors="replace")
    return connection


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns SQLite's and the system's errors about this file into ours, with the remedy."""
    try:
        yield
    except sqlite3.Error as error:
        code = primary_code(error)
        if code in _DAMAGE:
            raise JournalDamagedError(path, f"is damaged: {error}") from error
        remedies = {
            sqlite3.SQLITE_FULL: f"make room on the disk that holds {path.parent}",
            sqlite3.SQLITE_BUSY: "end the other process that has it open for writing",
            sqlite3.SQLITE_IOERR: "check the disk (dmesg, smartctl) and its free room",
        }
        rights = f"let the daemon's user write {path.parent} and what is in it, on a disk mounted for writing"
        raise JournalError(path, f"cannot be used: {error}", remedies.get(code, rights)) from error
    except OSError as error:
        raise JournalError(
            path,
            f"cannot be used: {error.strerror}",
            f"check the rights on {path.parent} and the disk's free room",
        ) from error


def own_row(path: Path, connection: sqlite3.Connection) -> sqlite3.Row:
    """The journal's row about itself. Raises JournalDamagedError if there is none."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    row: sqlite3.Row | None = cursor.execute("SELECT * FROM journal").fetchone()
    if row is None:
        raise JournalDamagedError(path, "is damaged: it does not say whose journal it is")
    return row


def proven(path: Path) -> bool:
    """Whether the file bears a journal's mark, however damaged the rest may be. Raises OSError."""
    with path.open("rb") as file:
        beginning = file.read(_APPLICATION_AT + 4)
    mark = migrations.APPLICATION_ID.to_bytes(4, "big")
    return beginning.startswith(MAGIC) and beginning[_APPLICATION_AT:] == mark


def anchor_of(row: sqlite3.Row) -> chain.Anchor:
    """Where the chain that is left begins."""
    return chain.Anchor(row["anchor_entry"], row["anchor_hash"], row["anchor_evidence"])


def genesis_of(row: sqlite3.Row) -> chain.Anchor:
    """Where the chain began when the file was made."""
    before = row["before_entry"]
    start = chain.genesis(row["site"], row["table_id"], row["identity"], row["created"], before)
    return chain.Anchor(before, start, row["before_piece"])


def numbers_of(connection: sqlite3.Connection, row: sqlite3.Row, head: chain.Anchor) -> Numbers:
    """The last numbers used in this file."""

    def highest(question: str, *others: int) -> int:
        return max(connection.execute(question).fetchone()[0] or 0, *others)

    in_entries = highest("SELECT max(round) FROM entries WHERE round IS NOT NULL", row["before_round"])
    return Numbers(
        entry=head.entry,
        seq=highest("SELECT max(seq) FROM entries WHERE seq IS NOT NULL", row["before_seq"]),
        round=highest("SELECT max(round) FROM evidence", in_entries),
        session=row["session"],
        outbox=highest("SELECT max(id) FROM outbox", row["before_outbox"]),
        piece=highest("SELECT max(piece) FROM evidence", row["before_piece"], head.evidence),
        head=head.hash.hex(),
    )


def configure(path: Path, connection: sqlite3.Connection) -> None:
    """The settings of the writing connection. Raises JournalError where the disk cannot do WAL."""
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise JournalError(
            path, "lies on a file system without shared memory", "put it on a local disk, not on a network"
        )
    connection.execute("PRAGMA synchronous = FULL")  # one fdatasync a commit
    connection.execute("PRAGMA wal_autocheckpoint = 0")  # the writer does it when it is idle
    connection.execute(f"PRAGMA journal_size_limit = {16 << 20}")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA temp_store = MEMORY")
