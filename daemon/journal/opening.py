"""Opening a journal: found sound, made, taken as restored, or set aside and begun anew. Never silently.

Only what was a journal is ever set aside: what bears its mark, or lies beside a lock that knows of entries.
Anything else under the journal's name is refused and left as it is.
"""

import contextlib
import sqlite3
from pathlib import Path

import msgspec
import structlog

from daemon.journal import chain, migrations
from daemon.journal.batch import Numbers
from daemon.journal.check import AT_ONCE, malformed
from daemon.journal.errors import JournalDamagedError, JournalError, JournalNewerError
from daemon.journal.file import (
    LINKS,
    PIECES,
    JournalFile,
    Wall,
    anchor_of,
    configure,
    connect,
    explained,
    genesis_of,
    numbers_of,
    own_row,
    primary_code,
    proven,
    wall,
)
from daemon.journal.place import ELSEWHERE
from daemon.journal.replacing import FAR, MARGIN, begin, finish_replacement, replace, salvage_from

TAIL = 64
"""Entries whose chain is checked at each opening; `verify` checks all."""

_log = structlog.get_logger("mesad.journal")


def open_file(
    path: Path,
    site: str,
    table: str,
    beside: Numbers | None,
    now: Wall = wall,
    *,
    unreadable: bool = False,
) -> JournalFile:
    """Open, create, take as restored, or set aside and begin anew.

    `beside` are the numbers that the lock keeps; `unreadable` says that there is a lock, but garbled.
    A file above `AT_ONCE` bytes is not read whole: that is `BackgroundCheck`'s to do.
    Raises JournalError, JournalNewerError.
    """
    with explained(path):
        finish_replacement(path, now)
        used = beside or Numbers()
        problem = "is gone, although it had been written"
        try:
            if path.exists() and path.stat().st_size:
                if not used.entry and not proven(path) and not _blank(path):
                    raise JournalError(path, "is no journal of mesad's but another program's", ELSEWHERE)
                file = _examined(path, site, table, used, now)
                if file is not None:
                    return file
                problem = "is empty, although it had been written"
        except JournalDamagedError as damage:
            problem = damage.problem
        else:
            if not used.entry and not unreadable:
                return begin(path, site, table, chain.Begun(reason="new", numbers="begin at 1"), used, now)
        return replace(path, site, table, problem, used, salvage_from(path), now)


def _blank(path: Path) -> bool:
    """Whether it is a database in which nothing was ever made."""
    try:
        with contextlib.closing(connect(path, "ro")) as reading:
            marked = reading.execute("PRAGMA application_id").fetchone()[0]
            return not marked and not migrations.version(reading) and not migrations.schema(reading)
    except sqlite3.DatabaseError as error:
        if primary_code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return False
        raise


def _examined(path: Path, site: str, table: str, beside: Numbers, now: Wall) -> JournalFile | None:
    """The file, opened, if it is sound; None if nothing was ever written to it."""
    with explained(path):
        # Reading only: a connection that may write tidies up at its end, and so alters what is damaged.
        with contextlib.closing(connect(path, "ro")) as reading:
            if not _examine_form(path, reading):
                return None
        connection = connect(path, "rw")
        try:
            return _examine_contents(path, connection, site, table, beside, now)
        except BaseException:
            connection.close()
            raise


def _examine_form(path: Path, connection: sqlite3.Connection) -> bool:
    """Whether there is anything in the file. Raises on what is not ours, too new, or malformed."""
    version = migrations.version(connection)
    if not version and not migrations.schema(connection):
        return False
    if connection.execute("PRAGMA application_id").fetchone()[0] != migrations.APPLICATION_ID:
        raise JournalError(path, "is the database of another program", ELSEWHERE)
    if version > len(migrations.MIGRATIONS):
        raise JournalNewerError(path, version, len(migrations.MIGRATIONS))
    if path.stat().st_size <= AT_ONCE and (problem := malformed(connection)):
        raise JournalDamagedError(path, problem)
    return True


def _examine_contents(
    path: Path, connection: sqlite3.Connection, site: str, table: str, beside: Numbers, now: Wall
) -> JournalFile:
    if reached := migrations.migrate(connection):
        _log.info("journal migrated", file=str(path), version=reached[-1])
    configure(path, connection)
    if migrations.schema(connection) != migrations.expected_schema():
        raise JournalDamagedError(path, "was altered: its tables, indexes or triggers are not a journal's")
    row = own_row(path, connection)
    if (row["site"], row["table_id"]) != (site, table):
        raise JournalError(
            path,
            f"is the journal of table {row['site']}/{row['table_id']}, not of {site}/{table}",
            "give each table a [journal] path of its own",
        )
    head = _check_tail(path, connection, row)
    numbers = numbers_of(connection, row, head)
    if not numbers.plausible:
        raise JournalDamagedError(path, "is damaged: it has numbers that were never counted up to")
    _compare(path, connection, numbers, beside, row["anchor_entry"])
    if beside.entry > numbers.entry or not beside.entry:
        return _restored(path, connection, row, head, numbers, beside, now())
    numbers = msgspec.structs.replace(
        numbers,
        outbox=max(numbers.outbox, beside.outbox),  # in the file, what was delivered is gone
        session=max(numbers.session, beside.session),  # a run may have ended before its first commit
    )
    return JournalFile(connection, path, site, table, path.stat().st_ino, numbers, head)


def _restored(
    path: Path,
    connection: sqlite3.Connection,
    row: sqlite3.Row,
    head: chain.Anchor,
    numbers: Numbers,
    beside: Numbers,
    at: int,
) -> JournalFile:
    """The file, which is an older state than the one last written, ready to go on beyond what was used.

    The table's state does not come over: a table that went on from it would use numbers again.
    """
    if beside.entry:
        gap, problem = (
            MARGIN,
            f"has lost its newest entries: {beside.entry} was written, {head.entry} is the last",
        )
    else:
        gap, problem = FAR, "lies without a lock that says what was written last"
    words = f"continue after a gap of {gap}"
    skipped = numbers.at_least(beside).skip(gap)
    restored = chain.Restored(
        known=beside.entry,
        head=beside.head or None,
        round=skipped.round,
        seq=skipped.seq,
        numbers=words,
    )
    body = msgspec.json.encode(restored)
    header = (head.entry + 1, chain.OWN, None, None, None, at, head.evidence)
    hash_ = chain.entry_hash(head.hash, header, body, chain.digest(b""))
    connection.execute("BEGIN IMMEDIATE")  # closing the connection undoes what fails here
    connection.execute(
        "INSERT INTO entries (entry, kind, round, seq, revision, at, evidence, body, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*header, body.decode(), hash_),
    )
    connection.execute(
        "UPDATE journal SET session = ?, before_seq = ?, before_round = ?, before_outbox = ?",
        (skipped.session, skipped.seq, skipped.round, skipped.outbox),
    )
    connection.execute("DELETE FROM state")
    connection.execute("COMMIT")
    said = f"{path} {problem}; it was taken as a restored copy: numbers {words}, state of the table lost"
    _log.error("journal restored", file=str(path), problem=problem, numbers=words)
    head = chain.Anchor(head.entry + 1, hash_, head.evidence)
    numbers = msgspec.structs.replace(skipped, entry=head.entry, piece=numbers.piece, head=head.hash.hex())
    return JournalFile(
        connection, path, row["site"], row["table_id"], path.stat().st_ino, numbers, head, said
    )


def _check_tail(path: Path, connection: sqlite3.Connection, row: sqlite3.Row) -> chain.Anchor:
    """The newest entry, after a walk along the last `TAIL` ones."""
    anchor, first = anchor_of(row), genesis_of(row)
    last = connection.execute("SELECT max(entry) FROM entries").fetchone()[0]
    if last is None:
        raise JournalDamagedError(path, "is damaged: it has no entries")
    problems: list[str] = []
    if anchor.entry == first.entry and anchor.hash != first.hash:
        problems.append("the chain does not begin at this journal's genesis")
    if last - TAIL > anchor.entry:
        earlier = connection.execute(
            "SELECT entry, hash, evidence FROM entries WHERE entry = ?", (last - TAIL,)
        ).fetchone()
        anchor = chain.Anchor(*earlier) if earlier else anchor
    walk = chain.follow(
        anchor,
        (chain.Link(*link) for link in connection.execute(LINKS, (anchor.entry,))),
        (chain.Piece(*piece) for piece in connection.execute(PIECES, (anchor.evidence,))),
        problems.append,
    )
    if problems:
        raise JournalDamagedError(path, f"has a broken hash chain: {problems[0]}")
    return walk.head


def _compare(
    path: Path, connection: sqlite3.Connection, numbers: Numbers, beside: Numbers, anchor: int
) -> None:
    """Whether the file still holds what the lock remembers of it, and what it refers to itself."""
    last = connection.execute("SELECT max(entry) FROM outbox").fetchone()[0]
    if last is not None and last > numbers.entry:
        raise JournalDamagedError(
            path, f"has lost its newest entries: there is a message of {last}, {numbers.entry} is the last"
        )
    if numbers.entry >= beside.entry > anchor and beside.head:
        row = connection.execute("SELECT hash FROM entries WHERE entry = ?", (beside.entry,)).fetchone()
        if row is None or row[0].hex() != beside.head:
            raise JournalDamagedError(
                path, f"was rewritten: entry {beside.entry} is not the one that was written"
            )
