"""What leaves the journal by age and size, in which order, and that the rest can still be verified."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from journal_rig import SITE, TABLE, line, opened, round_batch, round_entry
from patience import until

from daemon.journal import chores as journal_chores
from daemon.journal import reading as journal_reading
from daemon.journal import retention
from daemon.journal.journal import Batch, Numbers
from daemon.journal.opening import open_file
from daemon.journal.retention import DAY, Retention
from daemon.journal.writer import JournalWriter, Work
from daemon.records import Message

NOON = 1_700_000_000_000_000


class Clock:
    """A wall clock that a test sets."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ruleta-01.db"


def writer_of(path: Path, keep: Retention, clock: Clock, beside: Numbers | None = None) -> JournalWriter:
    return JournalWriter(open_file(path, SITE, TABLE, beside, clock), keep, 1, clock)


@pytest.fixture
def by_age(path: Path, clock: Clock) -> Iterator[JournalWriter]:
    """A writer that keeps ten days."""
    writer = writer_of(path, Retention(keep_days=10), clock)
    yield writer
    writer.close()


def play(writer: JournalWriter, number: int, at: int, *, size: int = 0, messages: bool = False) -> None:
    """Round and seq `number`, all of it at this moment; delivered at once unless `messages` is said."""
    entry = msgspec.structs.replace(round_entry(number, number), at=at)
    inputs = tuple(line(number, b"%d" % each, wall=at) for each in range(3)) + (
        (line(number, bytes(size)),) * (size > 0)
    )
    start = (number, b"start")
    batch = Batch(
        inputs=inputs,
        round_start=start,
        entries=(entry,),
        messages=(Message("event/round", entry.body, False),) if messages else (),
    )
    writer.commit([Work(batch)])


def tidy_all(writer: JournalWriter) -> int:
    """Plan and remove until there is nothing to do; how many plans there were."""
    plans = 0
    while writer.plan_removal():
        plans += 1
        while writer.tidy():
            pass
    while writer.tidy():
        pass
    return plans


def rounds_left(path: Path) -> list[int]:
    return [entry["round"] for entry in journal_reading.export(path, ["round"])]


def sound(path: Path) -> journal_reading.Report:
    report = journal_reading.verify(path)
    assert report.problems == ()
    return report


# --- by age -----------------------------------------------------------------------------------


def test_nothing_goes_before_its_time(path: Path, clock: Clock, by_age: JournalWriter) -> None:
    for number in range(1, 6):
        play(by_age, number, NOON)
    clock.now = NOON + 10 * DAY
    assert not by_age.plan_removal()
    assert rounds_left(path) == [1, 2, 3, 4, 5]


def test_what_is_older_goes_and_the_rest_stays_verifiable(
    path: Path, clock: Clock, by_age: JournalWriter
) -> None:
    for number in range(1, 101):
        play(by_age, number, NOON + number * DAY // 10)
    head = journal_reading.verify(path).head
    clock.now = NOON + 15 * DAY
    assert tidy_all(by_age) > 1, "one day's worth at a time"
    left = rounds_left(path)
    assert left == list(range(50, 101))
    report = sound(path)
    assert report.first > 50
    assert journal_reading.round_trace(path, 50).complete
    with pytest.raises(Exception, match="nothing of round 49"):
        journal_reading.round_trace(path, 49)
    assert head in {entry["hash"] for entry in journal_reading.export(path)}, (
        "a head noted before is still there"
    )


def test_removal_is_announced_in_the_chain(path: Path, clock: Clock, by_age: JournalWriter) -> None:
    hashes = {}
    for number in range(1, 6):
        play(by_age, number, NOON)
        hashes[number] = by_age.numbers.head
    play(by_age, 6, NOON + 20 * DAY)
    clock.now = NOON + 20 * DAY
    assert by_age.plan_removal()
    (removed,) = [
        each["body"]
        for each in journal_reading.export(path, ["journal"])
        if each["body"]["type"] == "removed"
    ]
    assert removed == {"type": "removed", "entries": 6, "hash": hashes[5], "evidence": 10, "reason": "age"}
    sound(path)  # announced, and nothing gone yet
    while by_age.tidy():
        sound(path)  # and at every step


def test_the_last_round_never_goes(path: Path, clock: Clock, by_age: JournalWriter) -> None:
    for number in range(1, 4):
        play(by_age, number, NOON)
    by_age.commit([Work(Batch(inputs=(line(4, wall=NOON),), round_start=(4, b"start")))])
    clock.now = NOON + 1000 * DAY
    tidy_all(by_age)
    assert rounds_left(path) == [3]
    assert journal_reading.round_trace(path, 3).complete
    assert journal_reading.round_trace(path, 4).complete, "nor does the one in hand"
    sound(path)


def test_what_is_undelivered_never_goes(path: Path, clock: Clock, by_age: JournalWriter) -> None:
    for number in range(1, 6):
        play(by_age, number, NOON, messages=number >= 3)
    play(by_age, 6, NOON + 20 * DAY)
    clock.now = NOON + 20 * DAY
    tidy_all(by_age)
    assert rounds_left(path) == [3, 4, 5, 6]
    assert len(journal_reading.pending_outbox(path)) == 3
    by_age.commit([], delivered=[1, 2, 3])
    tidy_all(by_age)
    assert rounds_left(path) == [6]
    sound(path)


def test_a_clock_that_is_far_ahead_costs_a_day_and_not_the_record(
    path: Path, clock: Clock, by_age: JournalWriter
) -> None:
    for number in range(1, 101):
        play(by_age, number, NOON + number * DAY // 10)
    clock.now = NOON + 30_000 * DAY
    assert by_age.plan_removal()
    while by_age.tidy():
        pass
    assert rounds_left(path)[0] in range(9, 13)


def test_entries_that_were_written_with_a_wrong_clock_take_nothing_with_them(
    path: Path, clock: Clock, by_age: JournalWriter
) -> None:
    for number in range(1, 11):
        play(by_age, number, NOON)
    play(by_age, 11, 0)  # the battery of the clock was empty
    play(by_age, 12, NOON)
    clock.now = NOON + DAY
    assert not by_age.plan_removal()


# --- by size ----------------------------------------------------------------------------------


def test_by_size_the_inputs_go_first(path: Path, clock: Clock) -> None:
    writer = writer_of(path, Retention(keep_mb=1), clock)
    for number in range(1, 101):
        play(writer, number, NOON, size=40_000)
    before = path.stat().st_size + path.with_name(path.name + "-wal").stat().st_size
    assert writer.oversized()
    assert tidy_all(writer) >= 1
    assert not writer.oversized()
    report = sound(path)
    assert rounds_left(path) == list(range(1, 101)), "no entry had to go"
    assert report.evidence == 200
    assert 140 < report.evidence_removed < 190
    first, last = journal_reading.round_trace(path, 1), journal_reading.round_trace(path, 100)
    assert (first.inputs_removed, first.inputs, first.snapshot, first.complete) == (4, (), None, False)
    assert last.complete
    writer.close()
    assert before > 4_000_000
    assert path.stat().st_size < 2_100_000, "the file itself shrinks, to its slack"


def test_by_size_entries_go_when_no_input_is_left(path: Path, clock: Clock) -> None:
    writer = writer_of(path, Retention(keep_mb=1), clock)
    for number in range(1, 1501):
        body = msgspec.json.encode({"round": number, "filler": "x" * 1500})
        entry = msgspec.structs.replace(round_entry(number, number), at=NOON, body=body)
        writer.commit([Work(Batch(inputs=(line(number),), entries=(entry,)))])
    assert writer.oversized()
    tidy_all(writer)
    assert not writer.oversized()
    left = rounds_left(path)
    assert left == list(range(left[0], 1501))
    assert 350 < len(left) < 650
    sound(path)
    writer.close()
    reopened = writer_of(
        path, Retention(keep_mb=1), clock, writer.numbers
    )  # the tail is examined, the numbers go on
    assert (reopened.numbers.seq, reopened.numbers.round) == (1500, 1500)
    play(reopened, 1501, NOON)
    reopened.close()
    sound(path)


def test_when_nothing_may_go_nothing_goes(path: Path, clock: Clock) -> None:
    writer = writer_of(path, Retention(keep_mb=1), clock)
    play(writer, 1, NOON, size=3_000_000)
    assert writer.oversized()
    assert tidy_all(writer) <= 1, "the journal's own first entry, at most"
    assert journal_reading.round_trace(path, 1).complete
    assert rounds_left(path) == [1]
    writer.close()


def test_a_removal_that_was_cut_off_goes_on_after_the_restart(path: Path, clock: Clock) -> None:
    writer = writer_of(path, Retention(keep_days=10), clock)
    for number in range(1, 201):
        play(writer, number, NOON)
    play(writer, 201, NOON + 20 * DAY)
    clock.now = NOON + 20 * DAY
    assert writer.plan_removal()
    for _ in range(15):
        writer.tidy()
    part = len(rounds_left(path))
    assert 1 < part < 201
    writer.close()
    sound(path)
    writer = writer_of(path, Retention(keep_days=10), clock, writer.numbers)
    while writer.tidy():
        pass
    assert rounds_left(path) == [201]
    writer.close()
    sound(path)


def test_a_step_is_small(path: Path, clock: Clock, by_age: JournalWriter) -> None:
    for number in range(1, 201):
        play(by_age, number, NOON)
    play(by_age, 201, NOON + 20 * DAY)
    clock.now = NOON + 20 * DAY
    by_age.plan_removal()
    gone = len(rounds_left(path))
    while by_age.tidy():
        left = len(rounds_left(path))
        assert gone - left <= retention.STEP
        gone = left


# --- removal that nobody announced ------------------------------------------------------------


def test_removal_by_hand_is_found(path: Path, clock: Clock, by_age: JournalWriter) -> None:
    for number in range(1, 6):
        play(by_age, number, NOON)
    by_age.close()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE evidence SET data = NULL WHERE piece <= 4")
    assert journal_reading.verify(path).problems == (
        "evidence 4: its bytes are gone, but only those up to 0 are announced as removed",
    )
    with connection:
        row = connection.execute("SELECT entry, hash, evidence FROM entries WHERE entry = 3").fetchone()
        connection.execute("UPDATE journal SET anchor_entry = ?, anchor_hash = ?, anchor_evidence = ?", row)
        connection.execute("DELETE FROM entries WHERE entry <= 3")
        connection.execute("DELETE FROM evidence WHERE piece <= 4")
    connection.close()
    assert journal_reading.verify(path).problems == (
        "entries up to 3 are gone, but only 0 are announced as removed",
    )


# --- on the writer's thread -------------------------------------------------------------------


async def test_the_thread_removes_and_shrinks_between_commits(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_chores, "FIRST_CHECK", 0.05)
    monkeypatch.setattr(journal_chores, "SHORT_PAUSE", 0.02)
    monkeypatch.setattr(journal_chores, "SIZE_CHECK", 0.05)
    async with opened(path, keep_mb=2) as told:
        for number in range(1, 101):
            lines = (line(number, b"x" * 90_000),)
            (result,) = await told.commit(
                Batch(
                    inputs=lines, entries=(round_entry(number, number),), messages=round_batch(1, 1).messages
                )
            )
            told.journal.delivered(*result.outbox)

        def small() -> bool:
            return path.stat().st_size < 3_500_000 and journal_reading.verify(path).evidence_removed > 70

        await until(small)
        assert told.trouble == []
    report = sound(path)
    assert report.evidence == 100
    assert rounds_left(path) == list(range(1, 101))
