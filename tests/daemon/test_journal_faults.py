"""The journal when things go wrong under way: no room, a slow disk, another writer, damage."""

import asyncio
import resource
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from journal_rig import (
    SITE,
    TABLE,
    Told,
    content_of,
    delete,
    fill,
    line,
    opened,
    overwrite,
    round_batch,
    round_entry,
    rounds_in,
    set_aside_files,
    tampering,
)
from patience import PATIENCE, until

from daemon.journal import check as journal_check
from daemon.journal import journal as journal_module
from daemon.journal import opening as journal_opening
from daemon.journal import reading as journal_reading
from daemon.journal import writer as journal_writer
from daemon.journal.errors import JournalError
from daemon.journal.journal import Batch
from daemon.journal.lock import last_numbers
from daemon.journal.opening import open_file
from daemon.journal.retention import Retention


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ruleta-01.db"


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """Every connection that is made, so that a test can set the limits of the writer's own."""
    made: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noting(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        made.append(connect(*args, **kwargs))
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", noting)
    return made


def leave_no_room(writer: sqlite3.Connection) -> None:
    """From here on this connection finds its disk full, with SQLite's real SQLITE_FULL."""
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}")


def make_room(writer: sqlite3.Connection) -> None:
    writer.execute("PRAGMA max_page_count = 1000000")


# --- no room, another writer, a slow disk -----------------------------------------------------


async def test_a_full_disk_loses_nothing_and_counts_nothing(
    path: Path, connections: list[sqlite3.Connection]
) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
        writer = connections[-1]
        leave_no_room(writer)
        told.submit(*(round_batch(number, number, size=20_000) for number in range(2, 8)))
        await until(lambda: bool(told.trouble))
        assert "full" in told.trouble[0]
        assert str(path) in told.trouble[0]
        await asyncio.sleep(0.3)  # some more tries
        assert len(told.done) == 1
        assert rounds_in(path) == [1]
        assert [number for number, _ in told.journal.pending_outbox()] == [1, 2]
        assert len(told.trouble) == 1, "the same trouble is told once"
        make_room(writer)
        await until(lambda: len(told.done) == 7)
        await until(lambda: told.recovered == 1)
        assert [result.entries for result in told.done] == [(each,) for each in range(2, 9)]
    assert rounds_in(path) == list(range(1, 8))
    assert journal_reading.verify(path).problems == ()


async def test_deliveries_survive_a_full_disk(path: Path, connections: list[sqlite3.Connection]) -> None:
    async with opened(path) as told:
        (result,) = await told.commit(round_batch(1, 1))
        leave_no_room(connections[-1])
        told.journal.delivered(*result.outbox)
        told.submit(round_batch(2, 2, size=20_000))
        await until(lambda: bool(told.trouble))
        make_room(connections[-1])
        await until(lambda: told.recovered == 1)
        assert [number for number, _ in told.journal.pending_outbox()] == [3, 4]


async def test_closing_with_a_full_disk_says_what_was_not_written(
    path: Path, connections: list[sqlite3.Connection]
) -> None:
    told = Told()
    journal = told.open(path)
    await told.commit(round_batch(1, 1))
    leave_no_room(connections[-1])
    told.submit(round_batch(2, 2, size=50_000), round_batch(3, 3))
    await until(lambda: told.trouble)
    with pytest.raises(JournalError, match=r"2 batches were not written: .*full"):
        await journal.close(patience=0.3)
    assert rounds_in(path) == [1]
    async with opened(path) as again:  # the lock is free and the file whole
        assert again.journal.numbers.seq == 1


async def test_inputs_alone_are_given_up_when_memory_is_full(
    path: Path, connections: list[sqlite3.Connection]
) -> None:
    async with opened(path, memory=200_000) as told:
        await told.commit(round_batch(1, 1))
        leave_no_room(connections[-1])
        told.submit(round_batch(2, 2, size=30_000))  # what does not fit whatever memory there is
        await until(lambda: bool(told.trouble))
        for number in range(3, 33):
            told.submit(
                Batch(
                    inputs=tuple(line(number, b"x" * 400) for _ in range(20)),
                    round_start=(number, b"{}"),
                    entries=(round_entry(number, number),),
                )
            )
        assert told.journal.inputs_lost >= 20 * 15
        assert any("memory" in text for text in told.trouble)
        make_room(connections[-1])
        await until(lambda: len(told.done) == 32)
        await until(lambda: told.recovered == 1)
        lost = told.journal.inputs_lost
    assert rounds_in(path) == list(range(1, 33)), "no entry is ever given up"
    traces = [journal_reading.round_trace(path, number) for number in range(2, 33)]
    assert sum(trace.inputs_lost for trace in traces) == lost
    assert traces[1].inputs_lost == 20, "the oldest are given up first"
    assert not traces[1].complete
    assert traces[1].snapshot == b"{}"
    assert traces[-1].inputs_lost == 0
    assert traces[-1].complete
    assert journal_reading.verify(path).problems == ()


FILE_LIMIT = """
import asyncio, resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from journal_rig import opened, round_batch
from patience import until

async def main(path):
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
        limit = path.with_name(path.name + "-wal").stat().st_size + 4096
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        told.submit(*(round_batch(number, number, size=20_000) for number in range(2, 6)))
        await until(lambda: told.trouble)
        assert len(told.done) == 1, told.done
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        await until(lambda: len(told.done) == 5)
        await until(lambda: told.recovered)
        print(told.trouble[0])

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_disk_that_refuses_a_write_in_its_middle(path: Path) -> None:
    """The operating system's own refusal: the write-ahead log may not grow further."""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    root = Path(__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", FILE_LIMIT, str(path), str(root / "tests")],
        cwd=root, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "disk I/O error" in result.stdout or "full" in result.stdout
    assert rounds_in(path) == [1, 2, 3, 4, 5]
    assert journal_reading.verify(path).problems == ()


async def test_another_process_that_writes_is_waited_out(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
        with tampering(path) as other:
            other.execute("BEGIN IMMEDIATE")
            told.submit(round_batch(2, 2))
            await until(lambda: bool(told.trouble))
            assert "locked" in told.trouble[0]
            other.execute("ROLLBACK")
        await until(lambda: told.recovered == 1 and len(told.done) == 2)


async def test_a_disk_that_only_takes_its_time_is_trouble_too(path: Path) -> None:
    async with opened(path, slow=0.05) as told:
        with tampering(path) as other:
            other.execute("BEGIN IMMEDIATE")  # the writer waits in SQLite, which knows of no error yet
            told.submit(round_batch(1, 1))
            await until(lambda: bool(told.trouble))
            assert "has not taken a record for 0.05 s" in told.trouble[0]
            assert told.done == []
            other.execute("ROLLBACK")
        await until(lambda: told.recovered == 1 and len(told.done) == 1)


async def test_a_broken_writer_is_told_and_refuses_what_comes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError

    told = Told()
    journal = told.open(path)
    await told.commit(round_batch(1, 1))
    monkeypatch.setattr(journal_writer.JournalWriter, "commit", broken)
    told.submit(round_batch(2, 2))
    await until(lambda: bool(told.trouble))
    assert "ZeroDivisionError" in told.trouble[0]
    with pytest.raises(JournalError, match="ZeroDivisionError"):
        told.submit(round_batch(3, 3))
    with pytest.raises(JournalError, match="1 batches were not written"):
        await journal.close()


# --- damage under way -------------------------------------------------------------------------


def moved_under_way(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def table_dropped_under_way(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute("DROP TABLE evidence")


def entry_added_under_way(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute("INSERT INTO entries VALUES (4, 'round', 9, 9, 0, 0, 0, x'00', '{}')")


@pytest.mark.parametrize("damage", [delete, moved_under_way, table_dropped_under_way, entry_added_under_way])
async def test_damage_under_way_costs_no_batch(path: Path, damage: Callable[[Path], None]) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 1), round_batch(2, 2))
        damage(path)
        (third,) = await told.commit(round_batch(3, 3))
        await until(lambda: len(told.set_aside) == 1)
        assert third.entries == (5,), "4 is the new file's own first entry"
        assert third.outbox == (5, 6)
        assert [number for number, _ in told.journal.pending_outbox()] == [1, 2, 3, 4, 5, 6]
        assert told.journal.last_state() == b'{"next_seq":4}'
        begun = next(journal_reading.export(path))
        assert begun["body"]["reason"] in told.set_aside[0]
        assert told.trouble == []
    assert rounds_in(path) == [3]
    assert journal_reading.verify(path).problems == ()
    kept = last_numbers(path)
    assert kept is not None
    assert (kept.entry, kept.seq) == (5, 3)


async def test_a_disk_that_damages_everything_is_trouble_and_not_a_heap_of_files(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = journal_writer.JournalWriter.commit
    failing = True

    def damaging(self: journal_writer.JournalWriter, *args: Any) -> Any:
        if failing:
            error = sqlite3.DatabaseError("database disk image is malformed")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
        return commit(self, *args)

    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
        monkeypatch.setattr(journal_writer.JournalWriter, "commit", damaging)
        told.submit(round_batch(2, 2))
        await until(lambda: bool(told.trouble))
        await asyncio.sleep(0.4)
        assert len(set_aside_files(path)) == 1
        assert len(told.set_aside) == 1
        failing = False
        await until(lambda: told.recovered == 1 and len(told.done) == 2)
    assert rounds_in(path) == [2]


async def test_a_new_file_that_cannot_be_made_yet_is_tried_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = path.with_name(path.name + ".new")
    async with opened(path) as told:
        await told.commit(round_batch(1, 1), round_batch(2, 2))
        new.mkdir()  # in the way
        delete(path)
        told.submit(round_batch(3, 3))
        await until(lambda: bool(told.trouble))
        new.rmdir()
        await until(lambda: told.recovered == 1 and len(told.done) == 3)
        assert [number for number, _ in told.journal.pending_outbox()] == [1, 2, 3, 4, 5, 6]
    assert rounds_in(path) == [3]


def test_the_check_beside_the_work_ends_when_it_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    began = threading.Event()

    def endless_check(connection: sqlite3.Connection) -> None:
        began.set()
        connection.execute(endless).fetchone()

    monkeypatch.setattr(journal_check, "malformed", endless_check)
    open_file(path, SITE, TABLE, None).connection.close()
    found: list[str] = []
    check = journal_check.BackgroundCheck(path, found.append)
    check.start()
    assert began.wait(PATIENCE)
    check.stop()
    assert found == []


def test_a_commit_that_fails_in_its_middle_leaves_nothing(path: Path) -> None:
    writer = journal_writer.JournalWriter(open_file(path, SITE, TABLE, None), Retention(), 1, lambda: 0)
    writer.commit([journal_writer.Work(round_batch(1, 1))])
    with tampering(path) as other:
        other.execute("INSERT INTO outbox VALUES (4, 2, 't', x'', 0)")
    with pytest.raises(sqlite3.IntegrityError):
        writer.commit([journal_writer.Work(round_batch(2, 2))])
    with tampering(path) as other:
        other.execute("DELETE FROM outbox WHERE id = 4")
        assert other.execute("SELECT max(round) FROM evidence").fetchone() == (1,)
    writer.commit([journal_writer.Work(round_batch(2, 2))])
    writer.close()
    assert journal_reading.verify(path).problems == ()
    assert rounds_in(path) == [1, 2]


async def test_a_large_file_is_checked_beside_the_work(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (journal_check, journal_opening, journal_module):
        monkeypatch.setattr(module, "AT_ONCE", 10_000)
    await fill(path, 200)  # more than the tail that is looked at in any case
    async with opened(path) as told:
        await told.commit(round_batch(201, 201))
    assert (told.journal.set_aside, told.set_aside) == (None, [])
    with tampering(path) as connection:
        roots = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'evidence_round'")
        page = roots.fetchone()[0]
    content = bytearray(content_of(path))
    content[page * 4096 - 200 : page * 4096] = bytes(200)  # the entries of an index, not its form
    overwrite(path, bytes(content))
    async with opened(path) as told:
        assert told.journal.set_aside is None
        await told.commit(round_batch(202, 202))
        await until(lambda: len(told.set_aside) == 1)
        assert "malformed" in told.set_aside[0]
        assert told.journal.pending_outbox()[-1][0] == 404
        await told.commit(round_batch(203, 203))
        assert rounds_in(path)[-1] == 203
