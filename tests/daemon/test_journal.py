"""The journal when all is well: commits, what a restart finds, the outbox, reading it from outside."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from journal_rig import SITE, TABLE, Told, line, opened, round_batch, round_entry
from patience import until

from daemon.errors import CANNOT_CREATE
from daemon.journal import reading as journal_reading
from daemon.journal.errors import JournalBusyError, JournalError, JournalNewerError
from daemon.journal.journal import Batch, Journal
from daemon.records import Message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ruleta-01.db"


def refused(path: Path) -> str:
    """The text with which opening is refused."""
    with pytest.raises(JournalError) as caught:
        Told().open(path)
    assert caught.value.exit_code == CANNOT_CREATE
    assert str(path) in str(caught.value)
    assert "remedy: " in str(caught.value)
    return str(caught.value)


# --- committing -------------------------------------------------------------------------------


async def test_a_commit_gives_the_numbers_of_its_entries_and_messages(path: Path) -> None:
    async with opened(path) as told:
        first, second = await told.commit(round_batch(1, 1), round_batch(2, 2))
    assert first.entries == (2,), "entry 1 is the journal's own"
    assert second.entries == (3,)
    assert first.outbox == (1, 2)
    assert second.outbox == (3, 4)


async def test_done_comes_in_the_order_of_submission(path: Path) -> None:
    batches = [round_batch(number, number) for number in range(1, 401)]
    order: list[int] = []
    async with opened(path) as told:
        for number, batch in enumerate(batches):
            told.journal.submit(batch, lambda result, number=number: order.append(number))  # type: ignore[misc]
        assert order == [], "done is called from the loop, never from submit"
        await until(lambda: len(order) == len(batches))
    assert order == list(range(400))
    bodies = [entry["body"] for entry in journal_reading.export(path, ["round"])]
    assert [body["seq"] for body in bodies] == list(range(1, 401))


async def test_what_is_done_is_there_for_another_reader_at_once(path: Path) -> None:
    async with opened(path) as told:
        for number in range(1, 21):
            await told.commit(round_batch(number, number))
            assert msgspec.json.decode(journal_reading.last_rounds(path, 1)[0])["round"] == number


async def test_a_done_that_raises_disturbs_nobody(path: Path) -> None:
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: complaints.append(context["exception"])
    )

    def raising(result: object) -> None:
        raise LookupError

    async with opened(path) as told:
        told.journal.submit(round_batch(1, 1), raising)
        await told.commit(round_batch(2, 2))
    assert [type(each) for each in complaints] == [LookupError]


async def test_closing_writes_what_was_submitted(path: Path) -> None:
    async with opened(path) as told:
        told.submit(*(round_batch(number, number) for number in range(1, 51)))
    assert len(told.done) == 50
    assert len(list(journal_reading.export(path, ["round"]))) == 50
    with pytest.raises(JournalError, match="closed"):
        told.submit(round_batch(51, 51))


async def test_a_seq_that_does_not_rise_is_refused_also_after_a_restart(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 7))
        with pytest.raises(ValueError, match="seq 7 after 7"):
            told.submit(round_batch(2, 7))
    async with opened(path) as told:
        with pytest.raises(ValueError, match="seq 6 after 7"):
            told.submit(round_batch(2, 6))
        await told.commit(round_batch(2, 8))
    assert journal_reading.verify(path).problems == ()


# --- what a restart finds ---------------------------------------------------------------------


async def test_a_new_journal_has_nothing(path: Path) -> None:
    async with opened(path) as told:
        assert told.journal.last_state() is None
        assert told.journal.pending_outbox() == []
        assert told.journal.last_rounds(10) == []
        assert told.journal.set_aside is None
        assert told.journal.session == 1
        assert (told.journal.numbers.round, told.journal.numbers.seq) == (0, 0)


async def test_a_restart_finds_the_state_the_outbox_and_the_numbers(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(11, 21), round_batch(12, 22))
        await told.commit(Batch(inputs=(line(13),), round_start=(13, b"{}")))
    async with opened(path) as told:
        journal = told.journal
        assert journal.last_state() == b'{"next_seq":23}'
        assert [(number, message.topic) for number, message in journal.pending_outbox()] == [
            (1, "event/round"),
            (2, "result"),
            (3, "event/round"),
            (4, "result"),
        ]
        assert journal.pending_outbox()[1][1] == round_batch(11, 21).messages[1]
        assert (journal.numbers.round, journal.numbers.seq, journal.numbers.entry) == (13, 22, 3)
        assert journal.session == 2
        (result,) = await told.commit(round_batch(13, 23))
        assert (result.entries, result.outbox) == ((4,), (5, 6))
    report = journal_reading.verify(path)
    assert (report.problems, report.uncovered) == ((), 0), "what the first run left uncovered is covered too"


async def test_every_run_that_commits_has_a_session_of_its_own(path: Path) -> None:
    sessions = []
    for seq in range(1, 4):
        async with opened(path) as told:
            sessions.append(told.journal.session)
            await told.commit(round_batch(seq, seq))
    assert sessions == [1, 2, 3]


async def test_last_rounds_are_the_newest_first_in_their_latest_revision(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(*(round_batch(number, number) for number in range(1, 11)))
        await told.commit(Batch(entries=(round_entry(2, 11, revision=1), round_entry(9, 12, revision=1))))
        rounds = [msgspec.json.decode(body) for body in told.journal.last_rounds(3)]
        assert [(each["round"], each["revision"]) for each in rounds] == [(10, 0), (9, 1), (8, 0)]
        assert len(told.journal.last_rounds(100)) == 10


# --- the outbox -------------------------------------------------------------------------------


async def test_deliveries_are_noted_with_the_next_commit(path: Path) -> None:
    async with opened(path) as told:
        (result,) = await told.commit(round_batch(1, 1))
        told.journal.delivered(result.outbox[0])
        await told.commit(round_batch(2, 2))
        assert [number for number, _ in told.journal.pending_outbox()] == [2, 3, 4]


async def test_deliveries_are_noted_soon_without_a_commit(path: Path) -> None:
    async with opened(path) as told:
        (result,) = await told.commit(round_batch(1, 1))
        told.journal.delivered(*result.outbox)
        await until(lambda: told.journal.pending_outbox() == [])


async def test_deliveries_are_noted_at_the_end(path: Path) -> None:
    async with opened(path) as told:
        (result,) = await told.commit(round_batch(1, 1))
        told.journal.delivered(*result.outbox)
    assert journal_reading.pending_outbox(path) == []


async def test_the_backlog_comes_in_pages(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(*(round_batch(number, number) for number in range(1, 6)))
        assert [number for number, _ in await told.journal.backlog(0, 4)] == [1, 2, 3, 4]
        assert [number for number, _ in await told.journal.backlog(4, 4)] == [5, 6, 7, 8]
        assert [number for number, _ in await told.journal.backlog(8, 4)] == [9, 10]


# --- reading from outside ---------------------------------------------------------------------


async def test_the_trace_of_a_round_holds_all_that_was_recorded_of_it(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
        # the round's start, its inputs and its record come in different commits, mixed with the next round's
        await told.commit(Batch(inputs=(line(1, b"late"),), round_start=(2, b"before two")))
        await told.commit(Batch(inputs=(line(2, b"\x00\xff", wall=5), line(2, b"b"), line(3, b"c"))))
        await told.commit(Batch(entries=(round_entry(2, 2),)))
        await told.commit(Batch(entries=(round_entry(2, 3, revision=1),)))
        trace = journal_reading.round_trace(path, 2)
    assert trace.snapshot == b"before two"
    assert trace.inputs == (line(2, b"\x00\xff", wall=5), line(2, b"b"))
    assert [msgspec.json.decode(body)["revision"] for body in trace.records] == [0, 1]
    assert trace.complete
    first = journal_reading.round_trace(path, 1)
    assert first.snapshot == b'{"before":1}'
    assert [given.data for given in first.inputs] == [b"1;0\r\n", b"1;1\r\n", b"1;2\r\n", b"late"]
    with pytest.raises(JournalError, match="nothing of round 4"):
        journal_reading.round_trace(path, 4)


async def test_export_gives_the_entries_of_the_kinds_asked_for(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 1), Batch(entries=(round_entry(1, 2, revision=1),)))
    every = list(journal_reading.export(path))
    assert [(each["entry"], each["kind"]) for each in every] == [
        (1, "journal"),
        (2, "round"),
        (3, "correction"),
    ]
    assert every[0]["body"] == {"type": "begun", "reason": "new", "numbers": "begin at 1"} | every[0]["body"]
    (correction,) = journal_reading.export(path, ["correction"])
    assert correction["body"]["revision"] == 1
    assert correction["at"] == "1970-01-01T00:00:02.000000Z"
    assert (correction["round"], correction["seq"]) == (1, 2)


async def test_a_reader_in_another_process_sees_the_journal_while_it_is_written(path: Path) -> None:
    program = (
        "import sys, msgspec; from pathlib import Path; from daemon.journal import reading\n"
        "path = Path(sys.argv[1]); report = reading.verify(path); summary = reading.summary(path)\n"
        "print(msgspec.json.encode([report.sound, report.head, summary.holder.pid, summary.undelivered,"
        " summary.rounds, summary.session]).decode())"
    )
    async with opened(path) as told:
        await told.commit(*(round_batch(number, number) for number in range(1, 6)))
        reader = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, str(path), stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
        )
        output, _ = await reader.communicate()
        await told.commit(round_batch(6, 6))
    sound, head, pid, undelivered, rounds, session = msgspec.json.decode(output)
    assert sound
    assert pid == os.getpid()
    assert (undelivered, rounds, session) == (10, 5, 1)
    assert head == list(journal_reading.export(path))[5]["hash"]


async def test_the_summary_of_a_journal_that_nobody_writes(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 1), round_batch(2, 2))
    summary = journal_reading.summary(path)
    assert summary.holder is None
    assert (summary.site, summary.table, summary.entries, summary.last_entry) == (SITE, TABLE, 3, 3)
    assert summary.state == b'{"next_seq":3}'
    assert summary.last_round == round_batch(2, 2).entries[0].body
    assert summary.undelivered_since == 1_000_000
    assert summary.head == journal_reading.verify(path).head


async def test_a_reader_that_stays_does_not_stop_the_writer(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
        entries = journal_reading.export(path)
        next(entries)
        await told.commit(*(round_batch(number, number, size=50_000) for number in range(2, 102)))
        assert len(list(entries)) == 1, "it sees the journal as it was when it began"
    assert told.trouble == []


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that everybody may read and only its owner write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def allow_reading_alone(path: Path) -> None:
    path.chmod(0o644)
    path.parent.chmod(0o555)


async def test_a_journal_in_a_folder_that_may_only_be_read(public_folder: Path) -> None:
    path = public_folder / "ruleta-01.db"
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
    allow_reading_alone(path)
    root = os.geteuid() == 0
    if root:  # whom no rights stop
        os.seteuid(65534)
    try:
        assert journal_reading.verify(path).sound
    finally:
        if root:
            os.seteuid(0)


# --- opening ----------------------------------------------------------------------------------


async def test_a_second_writer_is_refused_and_told_who_the_first_is(path: Path, tmp_path: Path) -> None:
    other_way = tmp_path / "elsewhere.db"
    other_way.symlink_to(path)
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
        for way in (path, other_way):
            with pytest.raises(JournalBusyError) as caught:
                Told().open(way)
            assert str(os.getpid()) in caught.value.holder
            assert "python" in caught.value.holder
            assert caught.value.exit_code == 75
        await told.commit(round_batch(2, 2))
    async with opened(other_way) as told:
        assert told.journal.numbers.seq == 2


async def test_a_journal_that_is_opened_and_not_used_can_be_closed(path: Path) -> None:
    journal = Told().open(path)
    await journal.close()
    await journal.close()
    async with opened(path):
        pass


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert f"the folder {tmp_path / 'none'} does not exist" in refused(tmp_path / "none" / "ruleta-01.db")


def test_a_folder_in_place_of_the_file(path: Path) -> None:
    path.mkdir()
    refused(path)


async def test_the_journal_of_another_table_is_refused_and_left_alone(path: Path) -> None:
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
    with pytest.raises(JournalError, match=f"journal of table {SITE}/{TABLE}, not of {SITE}/ruleta-02"):
        Journal.open(path, SITE, "ruleta-02", on_trouble=print, on_recovered=print, on_set_aside=print)
    async with opened(path) as told:
        assert told.journal.numbers.seq == 1


def test_the_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name)")
    other.close()
    before = path.read_bytes()
    assert "another program's" in refused(path)
    assert path.read_bytes() == before
    with pytest.raises(JournalError, match="not a journal of mesad"):
        journal_reading.verify(path)


async def test_the_journal_of_a_newer_mesad_is_refused_and_left_alone(path: Path) -> None:
    async with opened(path):
        pass
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    assert "schema version 99" in refused(path)
    with pytest.raises(JournalNewerError):
        journal_reading.summary(path)


def touched(path: Path) -> None:
    path.touch()


def blank_database(path: Path) -> None:
    blank = sqlite3.connect(path)
    blank.execute("PRAGMA user_version = 0")
    blank.execute("VACUUM")
    blank.close()


@pytest.mark.parametrize("make", [touched, blank_database])
async def test_an_empty_file_becomes_a_journal(path: Path, make: Callable[[Path], None]) -> None:
    make(path)
    async with opened(path) as told:
        assert told.journal.set_aside is None
        await told.commit(round_batch(1, 1))
    assert journal_reading.verify(path).sound


def test_readers_name_a_missing_file(path: Path) -> None:
    for read in (journal_reading.verify, journal_reading.summary, journal_reading.last_state):
        with pytest.raises(JournalError, match="no such journal"):
            read(path)


async def test_messages_alone_and_nothing_at_all_can_be_committed(path: Path) -> None:
    async with opened(path) as told:
        nothing, message = await told.commit(
            Batch(), Batch(messages=(Message("event/fault", b"\x00\xff", False),))
        )
    assert (nothing.entries, nothing.outbox) == ((), ())
    assert message.outbox == (1,)
    assert journal_reading.pending_outbox(path) == [(1, Message("event/fault", b"\x00\xff", False))]


async def test_a_run_that_commits_nothing_uses_its_session_up(path: Path) -> None:
    sessions = []
    for _ in range(3):
        async with opened(path) as told:
            sessions.append(told.journal.session)
    assert sessions == [1, 2, 3]
