"""What is no journal but stands where one should be, and locks that are none: refused and left alone."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from journal_rig import Told, content_of, fill, opened, overwrite, round_batch, set_aside_files
from patience import until

from daemon.errors import CANNOT_CREATE
from daemon.journal import reading as journal_reading
from daemon.journal.batch import Numbers
from daemon.journal.errors import JournalError
from daemon.journal.file import LAST_WALL, wall
from daemon.journal.lock import holder, last_numbers, lock_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ruleta-01.db"


def refused(path: Path) -> str:
    with pytest.raises(JournalError) as caught:
        Told().open(path)
    assert caught.value.exit_code == CANNOT_CREATE
    assert str(path) in str(caught.value)
    return caught.value.problem


def lock_of(**numbers: object) -> bytes:
    return b"0\n" + msgspec.json.encode(numbers)


# --- in the journal's place -------------------------------------------------------------------


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.mkdir, "is a folder"),
        (os.mkfifo, "is a pipe"),
        (socket_at, "is a socket"),
        (lambda path: path.symlink_to("/dev/null"), "is a device"),
        (lambda path: path.symlink_to(path), "is no usable path"),
    ],
)
def test_what_is_no_file_is_named_and_left_alone(
    path: Path, make: Callable[[Path], object], said: str
) -> None:
    make(path)
    with pytest.raises(JournalError, match=said) as caught:
        Told().open(path)
    assert caught.value.exit_code == CANNOT_CREATE
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "lock", [None, b"", b"0\n", b"something else", lock_of(entry=1 << 60), lock_of(entry=0)]
)
def test_another_file_is_refused_and_left_alone(path: Path, lock: bytes | None) -> None:
    path.write_bytes(b"precious\n" * 100)
    if lock is not None:
        lock_path(path).write_bytes(lock)
    for _ in range(2):  # the lock made at the first try proves nothing at the second
        assert "another program's" in refused(path)
    assert path.read_bytes() == b"precious\n" * 100
    assert set_aside_files(path) == []


async def test_a_journal_that_is_damaged_is_known_by_its_mark(path: Path) -> None:
    await fill(path)
    overwrite(path, content_of(path)[:100] + bytes(5000))
    lock_path(path).unlink()
    async with opened(path) as told:
        assert told.journal.set_aside is not None
        assert told.journal.numbers.seq >= 10_000_000, "nobody knows how far it got"
    assert len(set_aside_files(path)) == 1


@pytest.mark.parametrize("content", [b"half a novel", None])
def test_another_file_under_the_new_files_name_is_left_alone(path: Path, content: bytes | None) -> None:
    new = path.with_name(path.name + ".new")
    if content is None:
        new.mkdir()
    else:
        new.write_bytes(content)
    assert "needs the name" in refused(path)
    assert new.is_dir() if content is None else new.read_bytes() == content


# --- in the lock's place ----------------------------------------------------------------------


def long_text(path: Path) -> None:
    path.write_bytes(b"a shopping list\n" * 100)


@pytest.mark.parametrize("make", [os.mkfifo, long_text])
def test_what_is_no_lock_is_not_waited_for_nor_overwritten(
    path: Path, make: Callable[[Path], object]
) -> None:
    make(lock_path(path))
    before = lock_path(path).stat()
    assert "is no lock of mesad" in refused(path)
    assert last_numbers(path) is None
    assert holder(path) is None
    assert (lock_path(path).stat().st_size, lock_path(path).stat().st_mtime) == (
        before.st_size,
        before.st_mtime,
    )


@pytest.mark.parametrize("name", ["entry", "seq", "round", "session", "outbox", "piece"])
@pytest.mark.parametrize("number", [(1 << 63) - 1, -5, 10**30])
async def test_numbers_that_nobody_counted_to_are_not_read_from_a_lock(
    path: Path, name: str, number: int
) -> None:
    await fill(path)
    overwrite(lock_path(path), b'0\n{"entry":6,"%s":%d}' % (name.encode(), number))
    assert last_numbers(path) is None
    async with opened(path) as told:
        assert told.journal.numbers.seq == 10_000_005
        await told.commit(round_batch(10_000_006, 10_000_006))
    assert journal_reading.verify(path).sound
    assert last_numbers(path) is not None


def test_a_head_is_a_hash() -> None:
    assert Numbers(head="0f" * 32).plausible
    for head in ("zz", "0f" * 31, "\0" * 64):
        assert not Numbers(head=head).plausible


# --- the wall clock ---------------------------------------------------------------------------


def test_a_clock_beyond_what_can_be_told_is_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def beyond() -> int:
        raise OverflowError("timestamp too large to convert to C _PyTime_t")

    monkeypatch.setattr("time.time_ns", beyond)
    assert wall() == LAST_WALL
    monkeypatch.setattr("time.time_ns", lambda: -(10**18))
    assert wall() == 0


@pytest.mark.parametrize("moment", [0, LAST_WALL])
async def test_a_journal_can_be_begun_and_set_aside_at_the_ends_of_time(path: Path, moment: int) -> None:
    async with opened(path, now=lambda: moment) as told:
        await told.commit(round_batch(1, 1))
    overwrite(path, b"garbage" * 1000)
    async with opened(path, now=lambda: moment) as told:
        assert told.journal.set_aside is not None
    assert len(list(journal_reading.export(path))) == 1


# --- the writer's end is told ----------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_writer_that_ends_is_told_even_if_the_log_cannot_be_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **more: object) -> None:
        raise OverflowError

    told = Told()
    journal = told.open(path)
    monkeypatch.setattr("daemon.journal.writer.JournalWriter.commit", broken)
    monkeypatch.setattr("daemon.journal.thread._log.exception", broken)
    told.submit(round_batch(1, 1))
    await until(lambda: bool(told.trouble))
    with pytest.raises(JournalError, match="OverflowError"):
        told.submit(round_batch(2, 2))
    with pytest.raises(JournalError, match="1 batches were not written"):
        await journal.close()
