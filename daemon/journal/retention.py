"""What may leave the journal by age and size: the evidence's bytes first, then delivered entries.

Never what is undelivered, and never the last round. The wall clock is not trusted much: what is too old
goes in the order in which it came, and no more than one day's worth at a time, so that a clock that is
wrong for an hour costs a day and not the record.
"""

import sqlite3
from typing import NamedTuple

DAY = 86_400_000_000  # microseconds
AT_ONCE = 5000
"""Rows looked at for one plan; what is more waits for the next."""

STEP = 32
"""Rows removed in one transaction, so that a commit never waits long."""

SLACK = 256
"""Free pages that stay in the file for what comes next."""


class Retention(NamedTuple):
    """How long and how much is kept; None is without limit."""

    keep_days: int | None = None
    keep_mb: int | None = None
    """Megabytes, of 1,000,000 bytes."""


class Removable(NamedTuple):
    """Up to which numbers entries, and the bytes of evidence, may go; and why."""

    entries: int
    evidence: int
    reason: str


class Done(NamedTuple):
    """How far removal has come."""

    entries: int
    evidence: int


def used_bytes(connection: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    pages, free, size = (
        connection.execute(f"PRAGMA {what}").fetchone()[0]
        for what in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def plan(connection: sqlite3.Connection, keep: Retention, done: Done, now: int) -> Removable | None:
    """What should go now, given what is gone; None if nothing. Only reads."""
    limit = _limit(connection, done)
    entries, evidence, reason = done.entries, done.evidence, "age"
    if keep.keep_days is not None:
        old = now - keep.keep_days * DAY
        entries = _aged(connection, "entries", "entry", entries, limit.entries, old)
        evidence = _aged(connection, "evidence", "piece", evidence, limit.evidence, old)
    if keep.keep_mb is not None:
        excess = used_bytes(connection) - keep.keep_mb * 1_000_000
        if excess > 0:
            reason = "size"
            excess += keep.keep_mb * 50_000  # a twentieth more, so as not to be back at once
            evidence, excess = _sized(connection, evidence, limit.evidence, excess)
            if excess > 0 and evidence >= limit.evidence:
                entries = _sized_entries(connection, entries, limit.entries, excess)
    if entries > done.entries:
        row = connection.execute("SELECT evidence FROM entries WHERE entry = ?", (entries,)).fetchone()
        evidence = max(evidence, row[0])
    if (entries, evidence) == done:
        return None
    return Removable(entries, evidence, reason)


def _limit(connection: sqlite3.Connection, done: Done) -> Done:
    """The last entry and piece that may go: before the last round, and before what is undelivered."""
    last = (
        connection.execute(
            "SELECT round FROM entries WHERE round IS NOT NULL AND seq IS NOT NULL"
            " ORDER BY round DESC LIMIT 1"
        ).fetchone()
        or connection.execute("SELECT max(round) FROM evidence").fetchone()
    )
    if last[0] is None:
        return done
    evidence = connection.execute("SELECT min(piece) - 1 FROM evidence WHERE round >= ?", last).fetchone()[0]
    if evidence is None:
        evidence = connection.execute("SELECT max(piece) FROM evidence").fetchone()[0] or done.evidence
    entries = [
        connection.execute("SELECT max(entry) - 1 FROM entries").fetchone()[0],
        connection.execute("SELECT min(entry) - 1 FROM entries WHERE round >= ?", last).fetchone()[0],
        (connection.execute("SELECT entry - 1 FROM outbox ORDER BY id LIMIT 1").fetchone() or (None,))[0],
    ]
    entry = connection.execute(
        "SELECT max(entry) FROM entries WHERE entry <= ? AND evidence <= ?",
        (min(number for number in entries if number is not None), evidence),
    ).fetchone()[0]
    return Done(max(done.entries, entry or 0), max(done.evidence, evidence))


def _aged(connection: sqlite3.Connection, table: str, key: str, done: int, limit: int, old: int) -> int:
    """The last row, counted on from `done`, that is older than `old` with all before it."""
    rows = connection.execute(
        f"SELECT {key}, at FROM {table} WHERE {key} > ? AND {key} <= ? ORDER BY {key} LIMIT {AT_ONCE}",  # noqa: S608 - names from above
        (done, limit),
    )
    bound = None
    for number, at in rows:
        bound = min(old, at + DAY) if bound is None else bound
        if at >= bound:
            break
        done = number
    return done


def _sized(connection: sqlite3.Connection, done: int, limit: int, excess: int) -> tuple[int, int]:
    """The last piece whose bytes must go to save `excess`, and how much of that is still to be saved."""
    rows = connection.execute(
        "SELECT piece, length(data) FROM evidence WHERE piece > ? AND piece <= ? ORDER BY piece LIMIT ?",
        (done, limit, AT_ONCE),
    )
    for number, size in rows:
        if excess <= 0:
            break
        done, excess = number, excess - (size or 0)
    return done, excess


def _sized_entries(connection: sqlite3.Connection, done: int, limit: int, excess: int) -> int:
    """The last entry that must go to save `excess`."""
    rows = connection.execute(
        "SELECT entry, length(body) FROM entries WHERE entry > ? AND entry <= ? ORDER BY entry LIMIT ?",
        (done, limit, AT_ONCE),
    )
    for number, size in rows:
        if excess <= 0:
            break
        # what it takes with its header, its places in the indexes and its share of half-filled pages:
        # rather too much, as a second plan is better than a record that is gone
        done, excess = number, excess - size * 4 // 3 - 400
    return done
