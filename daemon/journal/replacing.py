"""Making a journal's file, and setting a damaged one aside.

A file that is damaged is renamed to `<journal>.damaged-<time>`, with what belongs to it, and a new one is
begun whose first entry says so. What can still be read of it comes over: the numbers, so that no identity
is given out twice, the undelivered messages, the table's state.

A new file is made complete under the name `<journal>.new` and then renamed, so that no half of one is ever
found, whenever the power goes.
"""

import contextlib
import os
import sqlite3
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import structlog

from daemon.journal import chain, migrations
from daemon.journal.batch import Numbers
from daemon.journal.errors import JournalDamagedError, JournalError
from daemon.journal.file import MAGIC, JournalFile, Wall, configure, connect, numbers_of, own_row, wall

MARGIN = 100
"""Numbers skipped when they are known from beside the file only, where they may lag by some seconds."""

FAR = 10_000_000
"""Numbers skipped when nothing beside the file is known: more than a table plays in ten years."""

_log = structlog.get_logger("mesad.journal")


@dataclass
class Salvage:
    """What could be read of a file that is set aside."""

    numbers: Numbers | None = None
    outbox: list[tuple[int, str, bytes, int]] = field(default_factory=list)
    """Undelivered messages: id, topic, payload, retain."""
    state: bytes | None = None


def replace(
    path: Path,
    site: str,
    table: str,
    problem: str,
    used: Numbers,
    salvage: Salvage,
    now: Wall = wall,
    *,
    exact: bool = False,
) -> JournalFile:
    """Set the file aside for this problem and begin a new one; nobody has it open here any more.

    `used` are the last numbers as known from elsewhere; `exact` says that they are sure to be the last.
    Raises JournalError, sqlite3.Error, OSError; then it may be called again.
    """
    numbers, words = used, "continue"
    if not exact:
        gap, why = _gap(used, salvage.numbers)
        numbers = (salvage.numbers or used).at_least(used).skip(gap)
        words += f" after a gap of {gap}, as {why}" if gap else ""
    found = salvage.numbers or Numbers()
    if found.seq < numbers.seq or found.round < numbers.round:
        salvage.state = None  # it is behind: a table that went on from it would use numbers again
    moment = now()
    aside = _aside_name(path, moment) if path.exists() and path.stat().st_size else None
    begun = chain.Begun(
        reason=problem,
        set_aside=aside.name if aside else None,
        numbers=words,
        head=numbers.head or None,
        messages=len(salvage.outbox),
        state=salvage.state is not None,
    )
    file = begin(path, site, table, begun, numbers, now, salvage)
    where = f"it was set aside as {aside.name}" if aside else "there was nothing to set aside"
    state = "taken over" if salvage.state is not None else "lost"
    file.set_aside = (
        f"{path} {problem}; {where} and a new journal begun: numbers {words}, "
        f"{len(salvage.outbox)} undelivered messages taken over, state of the table {state}"
    )
    _log.error("journal set aside", file=str(path), problem=problem, set_aside=begun.set_aside, numbers=words)
    return file


def _gap(used: Numbers, read: Numbers | None) -> tuple[int, str]:
    """How many numbers may have been used beyond the highest one known, and why."""
    if not used.entry:
        return FAR, "no lock says which was the last"
    if read is None:
        return MARGIN, "the file's own are unreadable"
    if read.entry < used.entry:
        return MARGIN, "the file's own newest are missing"
    return 0, ""


def begin(
    path: Path,
    site: str,
    table: str,
    begun: chain.Begun,
    used: Numbers,
    now: Wall,
    salvage: Salvage | None = None,
) -> JournalFile:
    """Make the file with its first entry; numbers go on after `used`."""
    new = path.with_name(path.name + ".new")
    _remove_unfinished(path, new)
    with contextlib.closing(connect(new, "rwc")) as connection:
        new.chmod(0o640)
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only possible before the first table
        connection.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
        migrations.migrate(connection)
        head = _fill(connection, site, table, begun, used, now(), salvage or Salvage())
    _sync(new)
    _sync(new.parent)
    # from here on the new file is complete, and finish_replacement carries on if this process cannot
    set_aside(path, path.with_name(begun.set_aside) if begun.set_aside else _aside_name(path, now()))
    new.replace(path)
    _sync(path.parent)
    connection = connect(path, "rw")
    try:
        configure(path, connection)
    except BaseException:
        connection.close()
        raise
    numbers = msgspec.structs.replace(used, entry=head.entry, head=head.hash.hex())
    return JournalFile(connection, path, site, table, path.stat().st_ino, numbers, head)


def _fill(
    connection: sqlite3.Connection,
    site: str,
    table: str,
    begun: chain.Begun,
    used: Numbers,
    created: int,
    salvage: Salvage,
) -> chain.Anchor:
    """The row about itself, the first entry and what was salvaged; the first entry as the new head."""
    identity = os.urandom(16)
    start = chain.genesis(site, table, identity, created, used.entry)
    body = msgspec.json.encode(begun)
    header = (used.entry + 1, chain.OWN, None, None, None, created, used.piece)
    head = chain.Anchor(used.entry + 1, chain.entry_hash(start, header, body, chain.digest(b"")), used.piece)
    own = {
        "id": 1, "site": site, "table_id": table, "identity": identity, "created": created,
        "session": used.session, "before_entry": used.entry, "before_seq": used.seq,
        "before_round": used.round, "before_outbox": used.outbox, "before_piece": used.piece,
        "anchor_entry": used.entry, "anchor_hash": start, "anchor_evidence": used.piece,
        "emptied_evidence": used.piece, "remove_entries": used.entry, "remove_evidence": used.piece,
    }  # fmt: skip
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        f"INSERT INTO journal ({', '.join(own)}) VALUES ({', '.join('?' * len(own))})",  # noqa: S608 - our own names
        tuple(own.values()),
    )
    connection.execute(
        "INSERT INTO entries (entry, kind, round, seq, revision, at, evidence, body, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*header, body.decode(), head.hash),
    )
    connection.executemany(
        "INSERT INTO outbox (entry, id, topic, payload, retain) VALUES (?, ?, ?, ?, ?)",
        [(head.entry, *row) for row in salvage.outbox],
    )
    if salvage.state is not None:
        connection.execute("INSERT INTO state (id, data) VALUES (1, ?)", (salvage.state,))
    connection.execute("COMMIT")
    return head


# --- setting aside ----------------------------------------------------------------------------


def set_aside(path: Path, aside: Path) -> None:
    """Rename whatever there is of a journal, so that `aside` is a database with its own -wal again.

    The sidecars go even if the file itself is gone: a left -wal would be played into the next file.
    """
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists() and (suffix or part.stat().st_size):
            part.rename(aside.with_name(aside.name + suffix))


def _aside_name(path: Path, moment: int) -> Path:
    """A name that is not taken."""
    stamp = datetime.fromtimestamp(moment / 1_000_000, UTC).strftime("%Y%m%dT%H%M%SZ")
    name, count = f"{path.name}.damaged-{stamp}", 1
    while any(path.with_name(name + suffix).exists() for suffix in ("", "-wal", "-shm")):
        count += 1
        name = f"{path.name}.damaged-{stamp}-{count}"
    return path.with_name(name)


def finish_replacement(path: Path, now: Wall) -> None:
    """Carry on where a process ended in the middle of `begin`."""
    new = path.with_name(path.name + ".new")
    if not new.exists():
        return
    if path.exists() or not _complete(new):
        _remove_unfinished(path, new)
        return
    set_aside(path, _aside_name(path, now()))
    new.replace(path)
    _sync(path.parent)
    _log.warning("replacement of a journal finished", file=str(path))


def _complete(new: Path) -> bool:
    try:
        with contextlib.closing(connect(new, "ro")) as reading:
            return bool(reading.execute("SELECT count(*) FROM entries").fetchone()[0])
    except sqlite3.Error:
        return False


def salvage_from(path: Path, connection: sqlite3.Connection | None = None) -> Salvage:
    """What can be read of a damaged file, each part by itself; through `connection` if it is open already."""
    salvage = Salvage()
    with contextlib.ExitStack() as stack:
        try:
            reading = connection or stack.enter_context(contextlib.closing(connect(path, "ro")))
        except sqlite3.Error:
            return salvage
        with contextlib.suppress(sqlite3.Error, JournalDamagedError, TypeError):  # TypeError: no entries
            row = own_row(path, reading)
            last = reading.execute(
                "SELECT entry, hash, evidence FROM entries ORDER BY entry DESC LIMIT 1"
            ).fetchone()
            numbers = numbers_of(reading, row, chain.Anchor(*last))
            if numbers.plausible:
                salvage.numbers = numbers
        with contextlib.suppress(sqlite3.Error):
            salvage.outbox = reading.execute(
                "SELECT id, topic, payload, retain FROM outbox ORDER BY id"
            ).fetchall()
        with contextlib.suppress(sqlite3.Error):
            state = reading.execute("SELECT data FROM state").fetchone()
            salvage.state = state[0] if state and isinstance(state[0], bytes) else None
    return salvage


def _remove(path: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _remove_unfinished(path: Path, new: Path) -> None:
    """Raises JournalError for something else under that name, which is left as it is."""
    if new.is_symlink() or (new.exists() and not new.is_file()):
        raise JournalError(path, f"needs the name {new}, which is taken by something else", "move it away")
    if new.exists():
        with new.open("rb") as file:
            beginning = file.read(len(MAGIC))
        if beginning.strip(b"\0") and beginning != MAGIC:
            raise JournalError(path, f"needs the name {new}, which is another file's", "move it away")
    _remove(new)


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
