"""Reading a journal from outside its writer, also while the daemon writes it: status, trace, export, verify.

Every function opens the file for reading only, sees it as of one moment, and raises JournalError,
JournalDamagedError or JournalNewerError with the file's name and the remedy.
"""

import contextlib
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec

from daemon.journal import chain, migrations
from daemon.journal.batch import Input, Numbers
from daemon.journal.errors import JournalDamagedError, JournalError, JournalNewerError
from daemon.journal.file import (
    LINKS,
    PIECES,
    anchor_of,
    connect,
    explained,
    genesis_of,
    own_row,
    primary_code,
)
from daemon.journal.lock import Holder, holder, last_numbers
from daemon.records import Message, timestamp

MOST_PROBLEMS = 100
"""Problems that a report lists; more are only counted."""

_unpack = msgspec.msgpack.Decoder(tuple[Input, ...]).decode

_OF_ROUND = "SELECT piece, round, kind, items, at, digest, data FROM evidence WHERE round = ? ORDER BY piece"
_START_AFTER = """SELECT piece, round, kind, items, at, digest, data FROM evidence
    WHERE round = ? + 1 AND kind = 'start' ORDER BY piece LIMIT 1"""

MOST = (1 << 63) - 1
"""More than any sequence or round number."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What `verify` found. Note `head` outside: a later chain must still hold it."""

    site: str
    table: str
    entries: int
    first: int
    last: int
    head: str
    """Hash of the last entry, hexadecimal."""
    evidence: int
    """Pieces of evidence."""
    evidence_removed: int
    """Pieces of which only the digest is left."""
    uncovered: int
    """Pieces newer than the last entry, which the next one will cover."""
    problems: tuple[str, ...]
    more_problems: int = 0

    @property
    def sound(self) -> bool:
        """Whether there was nothing to find."""
        return not self.problems


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """Everything recorded of a round."""

    site: str
    table: str
    round: int
    snapshot: bytes | None
    """The state before the round; None if it was not recorded or was removed by age or size."""
    after: bytes | None
    """The first state before the next one, by the run that ended this one; None as above."""
    inputs: tuple[Input, ...]
    records: tuple[bytes, ...]
    """The round's records, by revision."""
    inputs_removed: int
    """Inputs removed by age or size."""
    inputs_lost: int
    """Inputs never written, because the disk took nothing and memory was full."""

    @property
    def complete(self) -> bool:
        """Whether the round can be replayed from this."""
        return self.snapshot is not None and not self.inputs_removed and not self.inputs_lost


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a journal holds, at a glance."""

    site: str
    table: str
    session: int
    entries: int
    last_entry: int
    head: str
    rounds: int
    """Rounds with a record."""
    last_round: bytes | None
    """The newest round's record."""
    undelivered: int
    undelivered_since: int | None
    """When the oldest undelivered message was recorded, microseconds since 1970."""
    size: int
    """Bytes of the file, without its write-ahead log."""
    state: bytes | None
    """The table's state as last committed."""
    holder: Holder | None
    """The process that writes it now."""


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads the file as of one moment."""
    if not path.is_file():
        raise JournalError(path, "there is no such journal", "give the path in [journal] of the table's file")
    with explained(path), contextlib.closing(_connect(path)) as connection:
        connection.execute("BEGIN")
        version = migrations.version(connection)
        if connection.execute("PRAGMA application_id").fetchone()[0] != migrations.APPLICATION_ID:
            raise JournalError(
                path, "is not a journal of mesad", "give the path in [journal] of the table's file"
            )
        if version > len(migrations.MIGRATIONS):
            raise JournalNewerError(path, version, len(migrations.MIGRATIONS))
        if version < len(migrations.MIGRATIONS):
            raise JournalError(
                path,
                f"has the older schema version {version}",
                "start the daemon once, which brings it up to date",
            )
        yield connection


def verify(path: Path) -> Report:
    """Check the whole file: its form, the hash chain from its beginning, every piece of evidence."""
    problems: list[str] = []
    with reading(path) as connection:
        damage = (row[0] for row in connection.execute(f"PRAGMA quick_check({MOST_PROBLEMS})"))
        problems += [f"the file is malformed: {text}" for text in damage if text != "ok"]
        if migrations.schema(connection) != migrations.expected_schema():
            problems.append("its tables, indexes or triggers are not a journal's")
        row = own_row(path, connection)
        anchor = anchor_of(row)
        walk = chain.follow(
            anchor,
            (chain.Link(*link) for link in connection.execute(LINKS, (anchor.entry,))),
            (chain.Piece(*piece) for piece in connection.execute(PIECES, (anchor.evidence,))),
            problems.append,
        )
        problems += chain.unannounced(anchor, genesis_of(row), walk)
        problems += _beside(path, connection, walk.head)
    return Report(
        site=row["site"],
        table=row["table_id"],
        entries=walk.entries,
        first=anchor.entry + 1,
        last=walk.head.entry,
        head=walk.head.hash.hex(),
        evidence=walk.pieces,
        evidence_removed=walk.without_bytes,
        uncovered=walk.uncovered,
        problems=tuple(problems[:MOST_PROBLEMS]),
        more_problems=max(0, len(problems) - MOST_PROBLEMS),
    )


def export(path: Path, kinds: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """The entries of these kinds (all, if none is named), oldest first, each with its decoded `body`."""
    with reading(path) as connection:
        for link in (chain.Link(*row) for row in connection.execute(LINKS, (0,))):
            if not kinds or link.kind in kinds:
                try:
                    body = msgspec.json.decode(link.body)
                except msgspec.DecodeError as error:
                    raise JournalDamagedError(path, f"entry {link.entry} is unreadable: {error}") from error
                yield {
                    "entry": link.entry,
                    "kind": link.kind,
                    "round": link.round,
                    "seq": link.seq,
                    "revision": link.revision,
                    "at": timestamp(link.at),
                    "hash": link.hash.hex(),
                    "body": body,
                }


def round_trace(path: Path, round_: int) -> Trace:
    """The evidence and the records of a round. Raises JournalError if the journal knows nothing of it."""
    snapshot: bytes | None = None
    inputs: list[Input] = []
    removed = lost = 0
    with reading(path) as connection:
        row = own_row(path, connection)
        pieces = _evidence(path, connection, _OF_ROUND, round_)
        for piece in pieces:
            if piece.kind == "lost":
                lost += piece.items
            elif piece.data is None:
                removed += piece.items if piece.kind == "inputs" else 0
            elif piece.kind == "start":
                # What came in before the latest one came while no round was in hand.
                snapshot, removed = piece.data, 0
                inputs.clear()
            else:
                inputs += _unpack(piece.data)
        records = connection.execute(
            "SELECT CAST(body AS BLOB) FROM entries WHERE round = ? AND seq IS NOT NULL"
            " ORDER BY revision, entry",
            (round_,),
        ).fetchall()
        after = _evidence(path, connection, _START_AFTER, round_)
    if not pieces and not records:
        raise JournalError(
            path, f"holds nothing of round {round_}", "`mesad status` says which rounds there are"
        )
    return Trace(
        site=row["site"],
        table=row["table_id"],
        round=round_,
        snapshot=snapshot,
        after=after[0].data if after else None,
        inputs=tuple(inputs),
        records=tuple(row[0] for row in records),
        inputs_removed=removed,
        inputs_lost=lost,
    )


def _evidence(path: Path, connection: sqlite3.Connection, query: str, round_: int) -> list[chain.Piece]:
    """The pieces that a query finds for a round. Raises JournalDamagedError where one was altered."""
    pieces = [chain.Piece(*row) for row in connection.execute(query, (round_,))]
    for piece in pieces:
        if piece.data is not None and chain.digest(piece.data) != piece.digest:
            raise JournalDamagedError(path, f"evidence {piece.piece} does not match its digest")
    return pieces


def summary(path: Path) -> Summary:
    """What the journal holds now."""
    with reading(path) as connection:
        row = own_row(path, connection)
        last = connection.execute("SELECT entry, hash FROM entries ORDER BY entry DESC LIMIT 1").fetchone()
        if last is None:
            raise JournalDamagedError(path, "has no entries")
        count = connection.execute
        newest = _rounds(connection, 1)
        oldest = count(
            "SELECT at FROM entries WHERE entry = (SELECT entry FROM outbox ORDER BY id LIMIT 1)"
        ).fetchone()
        state = count("SELECT data FROM state").fetchone()
        return Summary(
            site=row["site"],
            table=row["table_id"],
            session=row["session"],
            entries=last[0] - row["anchor_entry"],
            last_entry=last[0],
            head=last[1].hex(),
            rounds=count("SELECT count(DISTINCT round) FROM entries WHERE seq IS NOT NULL").fetchone()[0],
            last_round=newest[0] if newest else None,
            undelivered=count("SELECT count(*) FROM outbox").fetchone()[0],
            undelivered_since=oldest[0] if oldest else None,
            size=path.stat().st_size,
            state=state[0] if state else None,
            holder=holder(path),
        )


def pending_outbox(path: Path, after: int = 0, limit: int | None = None) -> list[tuple[int, Message]]:
    """Undelivered messages above an outbox id, with their ids, in order, at most so many."""
    with reading(path) as connection:
        rows = connection.execute(
            "SELECT id, topic, payload, retain FROM outbox WHERE id > ? ORDER BY id LIMIT ?",
            (after, -1 if limit is None else limit),
        )
        return [(number, Message(topic, payload, bool(retain))) for number, topic, payload, retain in rows]


def last_state(path: Path) -> bytes | None:
    """The table's state as last committed; None if there was none yet."""
    with reading(path) as connection:
        row = connection.execute("SELECT data FROM state").fetchone()
        return row[0] if row else None


def last_rounds(path: Path, count: int) -> list[bytes]:
    """Records of the newest `count` rounds, newest round first, each in its latest revision."""
    with reading(path) as connection:
        return _rounds(connection, count)


def rounds_before(path: Path, seq: int, count: int) -> list[bytes]:
    """Records of `count` rounds as they stood before a sequence number, newest round first."""
    with reading(path) as connection:
        return _rounds(connection, count, seq)


def _rounds(connection: sqlite3.Connection, count: int, before: int = MOST) -> list[bytes]:
    latest: dict[int, bytes] = {}
    for round_, body in connection.execute(
        "SELECT round, CAST(body AS BLOB) FROM entries WHERE round IS NOT NULL AND seq < ?"
        " ORDER BY round DESC, revision DESC, entry DESC",
        (before,),
    ):
        if round_ not in latest and len(latest) == count:
            break
        latest.setdefault(round_, body)
    return list(latest.values())


def _beside(path: Path, connection: sqlite3.Connection, head: chain.Anchor) -> Iterator[str]:
    """Problems with what the lock remembers; asked after the file, the daemon may have written on."""
    kept = last_numbers(path) or Numbers()
    if kept.entry > head.entry and holder(path) is None:
        yield f"the newest entries are missing: {kept.entry} was written, {head.entry} is the last"
    elif kept.head:
        row = connection.execute("SELECT hash FROM entries WHERE entry = ?", (kept.entry,)).fetchone()
        if row is not None and row[0].hex() != kept.head:
            yield f"entry {kept.entry} is not the one that was written"


def _connect(path: Path) -> sqlite3.Connection:
    """Reading alone, also where not even the folder may be written and nobody has the file open."""
    try:
        connection = connect(path, "ro")
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        unfinished = path.with_name(path.name + "-wal").exists()
        if primary_code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or unfinished:
            raise
        connection = connect(path, "ro&immutable=1")
    return connection
