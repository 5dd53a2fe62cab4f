"""A journal found damaged, altered or gone at its opening: set aside, never silently replaced."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from journal_rig import (
    Told,
    content_of,
    delete,
    fill,
    opened,
    overwrite,
    round_batch,
    rounds_in,
    set_aside_files,
    tampering,
)

from daemon.journal import reading as journal_reading
from daemon.journal.batch import Numbers
from daemon.journal.errors import JournalDamagedError
from daemon.journal.lock import last_numbers, lock_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ruleta-01.db"


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


async def test_numbers_that_nobody_ever_counted_to_are_not_believed(path: Path) -> None:
    await fill(path)
    with tampering(path) as connection:
        connection.execute("UPDATE entries SET seq = ? WHERE seq = 5", (1 << 60,))
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert told.journal.numbers.seq == 105


async def test_when_no_number_is_left_that_is_said(path: Path) -> None:
    await fill(path)
    delete(path)
    overwrite(lock_path(path), b"0\nneither")
    for expected in (10_000_000, 10_000_000):  # said once: the second time the lock knows
        async with opened(path) as told:
            assert told.journal.numbers.seq == expected
            (begun,) = journal_reading.export(path)
            assert "no lock says which was the last" in begun["body"]["numbers"]


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
    known = last_numbers(path)
    assert known is not None
    overwrite(path, older)
    assert "the newest entries are missing" in journal_reading.verify(path).problems[0]
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert "has lost its newest entries" in told.journal.set_aside
        assert "taken as a restored copy" in told.journal.set_aside
        assert (told.journal.numbers.seq, told.journal.numbers.round) == (104, 104)
        assert told.journal.session == 103, "which numbers the events"
        assert told.journal.last_state() is None, "a table that went on from it would use seq 4 again"
        entry = list(journal_reading.export(path, ["journal"]))[-1]
        assert entry["body"]["type"] == "restored"
        assert (entry["body"]["known"], entry["body"]["head"]) == (known.entry, known.head)
        assert (entry["body"]["seq"], entry["body"]["round"]) == (104, 104)
        (result,) = await told.commit(round_batch(105, 105))
        assert result.outbox[0] > known.outbox + 100
    assert set_aside_files(path) == []
    assert rounds_in(path) == [1, 2, 3, 105]
    assert journal_reading.verify(path).problems == ()
    async with opened(path) as told:
        assert told.journal.set_aside is None
        assert told.journal.numbers.seq == 105


@pytest.mark.parametrize("lock", [None, b"", b"0\n", b"12\n[[[", b'1\n{"entry":9223372036854775807}', b"-1"])
@pytest.mark.parametrize("rounds", [0, 3])
async def test_a_copy_without_its_lock_goes_on_far_beyond(
    path: Path, lock: bytes | None, rounds: int
) -> None:
    await fill(path, 3)
    if not rounds:  # a copy of the file alone, while all of it was in the log
        for each in path.parent.iterdir():
            each.unlink()
        async with opened(path) as told:
            early = content_of(path)
            await told.commit(round_batch(1, 1))
        overwrite(path, early)
    lock_path(path).unlink()
    if lock is not None:
        lock_path(path).write_bytes(lock)
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert told.journal.numbers.seq == rounds + 10_000_000
        assert told.journal.session > 10_000_000
        assert told.journal.last_state() is None
        assert list(journal_reading.export(path, ["journal"]))[-1]["body"]["known"] == 0
        await told.commit(round_batch(rounds + 10_000_001, rounds + 10_000_001))
    assert journal_reading.verify(path).problems == ()
    async with opened(path) as told:
        assert told.journal.set_aside is None


async def test_a_restoring_that_was_cut_off_is_done_again(path: Path) -> None:
    await fill(path, 3)
    older = content_of(path)
    async with opened(path) as told:
        await told.commit(round_batch(4, 4), round_batch(5, 5), round_batch(6, 6))
    kept = content_of(lock_path(path))
    overwrite(path, older)
    async with opened(path):
        pass
    overwrite(lock_path(path), kept)  # the lock is written after the file
    async with opened(path) as told:
        assert told.journal.numbers.seq >= 106
    assert journal_reading.verify(path).problems == ()


async def test_a_damaged_older_copy_goes_on_beyond_the_lock(path: Path) -> None:
    await fill(path, 3)
    older = content_of(path)
    async with opened(path) as told:
        await told.commit(round_batch(4, 4))
    overwrite(path, older)
    changed_line(path)
    async with opened(path) as told:
        assert told.journal.numbers.seq == 104
    assert len(set_aside_files(path)) == 1


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
    await fill(path)
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


@pytest.mark.parametrize("share", [0.0, 0.001, 0.2, 0.5, 0.777, 0.99])
async def test_a_log_that_was_torn_ends_at_a_whole_commit(path: Path, tmp_path: Path, share: float) -> None:
    """What power loss leaves of commits that were never said to be durable."""
    torn = tmp_path / "torn.db"
    async with opened(path) as told:
        await told.commit(*(round_batch(number, number) for number in range(1, 6)))
        for number in range(6, 21):
            await told.commit(round_batch(number, number, size=2000))
        overwrite(torn, content_of(path))
        log = content_of(path.with_name(path.name + "-wal"))
        overwrite(torn.with_name(torn.name + "-wal"), log[: int(len(log) * share)])
    begun = next(journal_reading.export(torn))
    lock = Numbers(entry=begun["entry"], head=begun["hash"])
    lock_path(torn).write_bytes(b"0\n" + msgspec.json.encode(lock))
    async with opened(torn) as told:
        assert told.journal.set_aside is None
        rounds = rounds_in(torn)
        assert rounds == list(range(1, len(rounds) + 1))
        assert told.journal.numbers.seq == len(rounds)
        assert len(told.journal.pending_outbox()) == 2 * len(rounds)
        assert told.journal.last_state() == (b'{"next_seq":%d}' % (len(rounds) + 1) if rounds else None)
        assert (0 < len(rounds) < 20) == (share > 0.1)
    assert journal_reading.verify(torn).problems == ()


@pytest.mark.parametrize("content", [b"", bytes(4096), b"SQLite format 3\0half"])
async def test_a_half_made_file_is_made_again(path: Path, content: bytes) -> None:
    path.with_name(path.name + ".new").write_bytes(content)
    async with opened(path) as told:
        await told.commit(round_batch(1, 1))
    assert journal_reading.verify(path).sound
    assert not path.with_name(path.name + ".new").exists()
