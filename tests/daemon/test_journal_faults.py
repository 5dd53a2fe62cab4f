"""The journal when things go wrong: no room, a slow disk, another writer, damage before and under way."""

import asyncio
import contextlib
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from journal_rig import Told, line, opened, round_batch, round_entry, until

from daemon import journal as journal_module
from daemon import journal_check, journal_file, journal_opening, journal_reading, journal_writer, migrations
from daemon.journal import Batch
from daemon.journal_errors import JournalDamagedError, JournalError
from daemon.journal_lock import last_numbers, lock_path


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

    monkeypatch.setattr(journal_file.sqlite3, "connect", noting)
    return made


def leave_no_room(writer: sqlite3.Connection) -> None:
    """From here on this connection finds its disk full, with SQLite's real SQLITE_FULL."""
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}")


def make_room(writer: sqlite3.Connection) -> None:
    writer.execute("PRAGMA max_page_count = 1000000")


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
from journal_rig import opened, round_batch, until

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
        cwd=root, capture_output=True, text=True, timeout=30, check=False,
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
        await told.commit(round_batch(1, 1))
        with tampering(path) as other:
            other.execute("BEGIN IMMEDIATE")  # the writer waits in SQLite, which knows of no error yet
            told.submit(round_batch(2, 2))
            await until(lambda: bool(told.trouble))
            assert "has not taken a record for 0.05 s" in told.trouble[0]
            other.execute("ROLLBACK")
        await until(lambda: told.recovered == 1 and len(told.done) == 2)


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


# --- damage found at the opening --------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(b"this is not a database\n" * 1000)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 4096 * 3 + 100])


def bad_page(path: Path) -> None:
    content = bytearray(path.read_bytes())
    with tampering(path) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'evidence'").fetchone()[0]
    content[(root - 1) * 4096 : root * 4096] = b"\xa5" * 4096
    path.write_bytes(content)


def changed_result(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute("UPDATE entries SET body = replace(body, '\"seq\":4', '\"seq\":7') WHERE seq = 4")


def changed_line(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute("UPDATE evidence SET data = x'00' WHERE piece = 3")


def removed_entry(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute("DELETE FROM entries WHERE entry = 4")


def removed_end(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute("DELETE FROM entries WHERE entry >= 5")


def planted_trigger(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM outbox; END")


def nameless(path: Path) -> None:
    with tampering(path) as connection:
        connection.execute("DELETE FROM journal")


DAMAGES = [changed_result, changed_line, removed_entry, removed_end, planted_trigger, nameless]
UNREADABLE = [garbage, truncated]


@pytest.mark.parametrize("damage", [*DAMAGES, *UNREADABLE, bad_page])
async def test_a_damaged_journal_is_set_aside_and_a_new_one_begun(
    path: Path, damage: Callable[[Path], None]
) -> None:
    await fill(path)
    damage(path)
    damaged = content_of(path)
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        (aside,) = set_aside_files(path)
        assert aside.name in told.journal.set_aside
        if damage in UNREADABLE:
            assert aside.read_bytes() == damaged, "what is damaged stays as it was found"
        (begun,) = journal_reading.export(path)
        assert begun["kind"] == "journal"
        assert begun["body"]["set_aside"] == aside.name
        assert begun["body"]["reason"] in told.journal.set_aside
        assert begun["body"]["numbers"].startswith("continue")
        # nothing is given out twice
        assert told.journal.numbers.seq >= 5
        assert told.journal.numbers.round >= 5
        assert told.journal.session >= 2
        first = told.journal.numbers.seq + 1
        (result,) = await told.commit(round_batch(first, first))
        assert result.entries[0] > 7
        assert result.outbox[0] > 10
    assert journal_reading.verify(path).problems == ()
    async with opened(path) as told:
        assert told.journal.set_aside is None


@pytest.mark.parametrize("damage", [changed_result, removed_entry, planted_trigger])
async def test_what_can_be_read_of_a_damaged_journal_comes_over(
    path: Path, damage: Callable[[Path], None]
) -> None:
    await fill(path)
    before = journal_reading.pending_outbox(path)
    damage(path)
    async with opened(path) as told:
        assert told.journal.pending_outbox() == before
        assert told.journal.last_state() == b'{"next_seq":6}'
        assert (told.journal.numbers.seq, told.journal.numbers.round) == (5, 5), "without a gap"
        (begun,) = journal_reading.export(path)
        assert (begun["body"]["messages"], begun["body"]["state"]) == (10, True)


async def test_numbers_that_are_known_from_beside_only_go_on_after_a_gap(path: Path) -> None:
    await fill(path)
    garbage(path)
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert "gap of 100" in told.journal.set_aside
        assert told.journal.numbers.seq == 105
        assert told.journal.pending_outbox() == []


async def test_when_no_number_is_left_that_is_said(path: Path) -> None:
    await fill(path)
    garbage(path)
    lock_path(path).unlink()
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert "identities may come again" in told.journal.set_aside
        assert told.journal.numbers.seq == 0


@pytest.mark.parametrize("trace", ["gone", "empty", "only its -wal"])
async def test_a_journal_that_vanished_is_not_silently_replaced(path: Path, trace: str) -> None:
    async with opened(path) as told:
        await told.commit(*(round_batch(number, number) for number in range(1, 6)))
        wal = path.with_name(path.name + "-wal").read_bytes()
    delete(path)
    if trace == "empty":
        overwrite(path, b"")
    if trace == "only its -wal":
        path.with_name(path.name + "-wal").write_bytes(wal)
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert "although it had been written" in told.journal.set_aside or "is gone" in told.journal.set_aside
        assert told.journal.numbers.seq == 105
        assert rounds_in(path) == [], "nothing of the old log is played into the new file"
        await told.commit(round_batch(106, 106))
    assert journal_reading.verify(path).problems == ()


async def test_an_older_copy_put_in_its_place_is_found(path: Path) -> None:
    await fill(path, 3)
    older = content_of(path)
    async with opened(path) as told:
        await told.commit(round_batch(4, 4))
    overwrite(path, older)
    assert "the newest entries are missing" in journal_reading.verify(path).problems[0]
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert "has lost its newest entries" in told.journal.set_aside
        assert told.journal.numbers.seq == 4


async def test_a_rewritten_journal_is_found_by_what_lies_beside_it(path: Path, tmp_path: Path) -> None:
    await fill(path, 3)
    other = tmp_path / "rewritten.db"
    async with opened(other) as told:
        await told.commit(*(round_batch(number, number, lines=1) for number in range(1, 4)))
    shutil.copy(other, path)
    assert "is not the one that was written" in journal_reading.verify(path).problems[0]
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert "was rewritten" in told.journal.set_aside


async def test_set_aside_files_never_take_each_others_place(path: Path) -> None:
    for _ in range(3):
        garbage(path)
        async with opened(path, now=lambda: 1_700_000_000_000_000) as told:
            assert told.journal.set_aside is not None
    assert [each.name.removeprefix(path.name) for each in set_aside_files(path)] == [
        ".damaged-20231114T221320Z",
        ".damaged-20231114T221320Z-2",
        ".damaged-20231114T221320Z-3",
    ]


async def test_readers_say_that_a_file_is_damaged(path: Path) -> None:
    garbage(path)
    for read in (journal_reading.verify, journal_reading.summary, journal_reading.last_state):
        with pytest.raises(JournalDamagedError):
            read(path)


@pytest.mark.parametrize("damage", [changed_result, changed_line, removed_entry, planted_trigger, bad_page])
async def test_verify_finds_it_too(path: Path, damage: Callable[[Path], None]) -> None:
    await fill(path)
    assert journal_reading.verify(path).problems == ()
    damage(path)
    try:
        assert not journal_reading.verify(path).sound
    except JournalDamagedError:
        assert damage is bad_page


async def test_a_trace_does_not_show_changed_evidence(path: Path) -> None:
    await fill(path)
    changed_line(path)
    with pytest.raises(JournalDamagedError, match="evidence 3 does not match"):
        journal_reading.round_trace(path, 2)


# --- power lost in the middle of a replacement ------------------------------------------------


@pytest.mark.parametrize("moment", ["new made", "old moved", "some of it moved"])
async def test_a_replacement_that_was_cut_off_is_finished(
    path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(path)
    changed_result(path)

    class PowerLostError(Exception):
        pass

    calls = {"new made": ("rename", 1), "some of it moved": ("rename", 2), "old moved": ("replace", 1)}
    name, fatal = calls[moment]
    path.with_name(path.name + "-wal").touch()
    path.with_name(path.name + "-shm").touch()
    real: Callable[..., Path] = getattr(Path, name)
    count = 0

    def cut_off(self: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        if count == fatal:
            raise PowerLostError
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, name, cut_off)
        with pytest.raises(PowerLostError):
            Told().open(path)
    async with opened(path) as told:
        assert told.journal.numbers.seq == 5
        assert len(told.journal.pending_outbox()) == 10
        await told.commit(round_batch(6, 6))
        assert rounds_in(path) == [6]
        assert journal_reading.verify(path).problems == ()
    assert not path.with_name(path.name + ".new").exists()
    assert len(set_aside_files(path)) == 1


@pytest.mark.parametrize("content", [b"", b"half a database"])
async def test_a_half_made_file_is_made_again(path: Path, content: bytes) -> None:
    path.with_name(path.name + ".new").write_bytes(content)
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
    assert journal_reading.verify(path).sound
    assert not path.with_name(path.name + ".new").exists()


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
    overwrite(path, content)
    async with opened(path) as told:
        assert told.journal.set_aside is None
        await told.commit(round_batch(202, 202))
        await until(lambda: len(told.set_aside) == 1)
        assert "malformed" in told.set_aside[0]
        assert told.journal.pending_outbox()[-1][0] == 404
        await told.commit(round_batch(203, 203))
        assert rounds_in(path)[-1] == 203


# --- migrations -------------------------------------------------------------------------------


def add_note(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE outbox ADD COLUMN note TEXT")


def half_a_step(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE half (x)")
    raise ArithmeticError


async def test_an_older_file_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(path, 3)
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, add_note))
    monkeypatch.setattr(migrations.migrate, "__defaults__", (migrations.MIGRATIONS,))
    monkeypatch.setattr(migrations.expected_schema, "__defaults__", (migrations.MIGRATIONS,))
    with pytest.raises(JournalError, match="older schema version 1"):
        journal_reading.verify(path)
    async with opened(path) as told:
        assert told.journal.set_aside is None
        assert told.journal.numbers.seq == 3
        await told.commit(round_batch(4, 4))
    assert journal_reading.verify(path).problems == ()
    assert rounds_in(path) == [1, 2, 3, 4]
    with tampering(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        assert connection.execute("SELECT note FROM outbox").fetchone() == (None,)


def test_steps_are_taken_once_each_and_wholly(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "any.db", isolation_level=None)
    steps = [*migrations.MIGRATIONS, add_note]
    assert migrations.version(connection) == 0
    assert migrations.migrate(connection, steps) == [1, 2]
    assert migrations.migrate(connection, steps) == []
    with pytest.raises(ArithmeticError):
        migrations.migrate(connection, [*steps, half_a_step])
    assert migrations.version(connection) == 2
    assert migrations.schema(connection) == migrations.expected_schema(steps)
    connection.close()


def test_the_schema_says_what_a_journal_may_hold() -> None:
    names = {name for _, name, _ in migrations.expected_schema()}
    assert names == {
        "journal", "entries", "entries_seq", "entries_round", "evidence", "evidence_round", "outbox", "state",
    }  # fmt: skip


async def test_the_first_entry_of_a_new_file_says_so(path: Path) -> None:
    async with opened(path, now=lambda: 1_700_000_000_000_000):
        (begun,) = journal_reading.export(path)
    assert begun["at"] == "2023-11-14T22:13:20.000000Z"
    assert msgspec.convert(begun["body"], dict)["reason"] == "new"
