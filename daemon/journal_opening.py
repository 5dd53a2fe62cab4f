"""Opening a journal: found sound, made, or set aside and begun anew. Never silently replaced."""

import contextlib
import sqlite3
from pathlib import Path

import msgspec
import structlog

from daemon import chain, migrations
from daemon.journal_batch import Numbers
from daemon.journal_check import AT_ONCE, malformed
from daemon.journal_errors import JournalDamagedError, JournalError, JournalNewerError
from daemon.journal_file import (
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
    wall,
)
from daemon.journal_replacing import begin, finish_replacement, replace, salvage_from

TAIL = 64
"""Entries whose chain is checked at each opening; `verify` checks all."""

_log = structlog.get_logger("mesad.journal")


def open_file(path: Path, site: str, table: str, beside: Numbers | None, now: Wall = wall) -> JournalFile:
    """Open, create, or set aside and begin anew. `beside` are the numbers that the lock keeps.

    A file above `AT_ONCE` bytes is not read whole: that is `BackgroundCheck`'s to do.
    Raises JournalError, JournalNewerError.
    """
    with explained(path):
        finish_replacement(path, now)
        used = beside or Numbers()
        problem = "is gone, although it had been written"
        try:
            if path.exists() and path.stat().st_size:
                file = _examined(path, site, table, used)
                if file is not None:
                    return file
                problem = "is empty, although it had been written"
        except JournalDamagedError as damage:
            problem = damage.problem
        else:
            if not used.entry:
                return begin(path, site, table, chain.Begun(reason="new", numbers="begin at 1"), used, now)
        return replace(path, site, table, problem, used, salvage_from(path), now)


def _examined(path: Path, site: str, table: str, beside: Numbers) -> JournalFile | None:
    """The file, opened, if it is sound; None if nothing was ever written to it."""
    with explained(path):
        # Reading only: a connection that may write tidies up at its end, and so alters what is damaged.
        with contextlib.closing(connect(path, "ro")) as reading:
            if not _examine_form(path, reading):
                return None
        connection = connect(path, "rw")
        try:
            return _examine_contents(path, connection, site, table, beside)
        except BaseException:
            connection.close()
            raise


def _examine_form(path: Path, connection: sqlite3.Connection) -> bool:
    """Whether there is anything in the file. Raises on what is not ours, too new, or malformed."""
    version = migrations.version(connection)
    if not version and not migrations.schema(connection):
        return False
    if connection.execute("PRAGMA application_id").fetchone()[0] != migrations.APPLICATION_ID:
        raise JournalError(
            path, "is the database of another program", "name a file of its own in [journal] path"
        )
    if version > len(migrations.MIGRATIONS):
        raise JournalNewerError(path, version, len(migrations.MIGRATIONS))
    if path.stat().st_size <= AT_ONCE and (problem := malformed(connection)):
        raise JournalDamagedError(path, problem)
    return True


def _examine_contents(
    path: Path, connection: sqlite3.Connection, site: str, table: str, beside: Numbers
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
    _compare(path, connection, numbers, beside, row["anchor_entry"])
    numbers = msgspec.structs.replace(
        numbers,
        outbox=max(numbers.outbox, beside.outbox),  # in the file, what was delivered is gone
        session=max(numbers.session, beside.session),  # a run may have ended before its first commit
    )
    return JournalFile(connection, path, site, table, path.stat().st_ino, numbers, head)


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
    """Whether the file still holds what the lock remembers of it."""
    if beside.entry > numbers.entry:
        raise JournalDamagedError(
            path, f"has lost its newest entries: {beside.entry} was written, {numbers.entry} is the last"
        )
    if beside.entry > anchor and beside.head:
        row = connection.execute("SELECT hash FROM entries WHERE entry = ?", (beside.entry,)).fetchone()
        if row is None or row[0].hex() != beside.head:
            raise JournalDamagedError(
                path, f"was rewritten: entry {beside.entry} is not the one that was written"
            )
