"""One writer a journal: an exclusive lock on `<journal>.lock`, which also keeps the last numbers used.

The file's first line is the writer's process id (0 after a clean end), the second the `Numbers` as JSON,
empty until there were any. What is not that, or has numbers that nobody ever counted to, is unreadable: it
is not believed, but taken as a sign that there were some.
The numbers are written after each commit without waiting for the disk, so they are never ahead of the
journal. A journal that turns out to be behind them has lost its end; one that is gone or unreadable does
not make the next one give out the same numbers again.
"""

import contextlib
import fcntl
import os
import re
import stat
import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from daemon.journal.batch import Numbers
from daemon.journal.errors import JournalBusyError, JournalError

_LENGTH = 512  # written whole and in place, so that it needs no new room on a full disk
_UNREADABLE = b"unreadable"  # in place of what was: whoever comes next must know it too
_PATIENCE = 0.25  # seconds; a predecessor that was just killed may still be on its way out

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Numbers).decode
_PID = re.compile(rb"\d{1,10}", re.ASCII)


class Holder(NamedTuple):
    """Who writes a journal."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.command})"


def lock_path(journal: Path) -> Path:
    """The lock that belongs to a journal."""
    return journal.with_name(journal.name + ".lock")


class JournalLock:
    """The lock, held from construction to `release`.

    Raises JournalBusyError, which names the holder, and JournalError if the file cannot be made or is
    something else: that is left as it is.
    """

    def __init__(self, journal: Path) -> None:
        self.path = lock_path(journal)
        try:
            # a pipe in its place would be waited for without O_NONBLOCK
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o640)
        except OSError as error:
            raise JournalError(
                journal,
                f"its lock cannot be made: {error.strerror}",
                f"let the daemon's user write to {journal.parent}, or set [journal] path elsewhere",
            ) from error
        found = os.fstat(self._fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LENGTH:
            os.close(self._fd)
            remedy = "move it away, or set [journal] path elsewhere"
            raise JournalError(journal, f"{self.path} is no lock of mesad's but something else", remedy)
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() < deadline:
                    time.sleep(0.01)
                    continue
                named = _content(self.path).pid
                os.close(self._fd)
                raise JournalBusyError(journal, str(Holder(named, _command(named)))) from None
        content = _content(self.path)
        self.numbers = content.numbers
        """What the last writer left; None if nothing readable."""
        self.unreadable = content.unreadable
        """There is something, but not what a writer leaves."""
        self._second = _encode(self.numbers) if self.numbers else _UNREADABLE if self.unreadable else b""
        try:
            self._write(os.getpid())
        except OSError as error:
            os.close(self._fd)
            raise JournalError(
                journal,
                f"its lock cannot be written: {error.strerror}",
                f"make room on the disk that holds {journal.parent}",
            ) from error

    def note(self, numbers: Numbers) -> None:
        """Keep the last numbers used. Raises OSError."""
        self.numbers, self._second = numbers, _encode(numbers)
        self._write(os.getpid())

    def release(self) -> None:
        """Give the journal free."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):  # a process id left behind is not believed without the lock
                self._write(0)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _write(self, pid: int) -> None:
        lines = b"%d\n%s" % (pid, self._second)
        os.pwrite(self._fd, lines.ljust(_LENGTH - 1) + b"\n", 0)


def last_numbers(journal: Path) -> Numbers | None:
    """The numbers kept beside a journal, whoever writes it now; None if there are none."""
    return _content(lock_path(journal)).numbers


def holder(journal: Path) -> Holder | None:
    """Who writes this journal now, told without touching the lock; None if nobody does."""
    path = lock_path(journal)
    pid = _content(path).pid
    if pid <= 0:
        return None
    try:
        inode = path.stat().st_ino
        held = Path("/proc/locks").read_text()
    except OSError:
        return None
    mine = any(
        fields[1] == "FLOCK" and int(fields[-3].rpartition(":")[2]) == inode
        for fields in (line.split() for line in held.splitlines())
        if len(fields) >= 8 and fields[-3].count(":") == 2
    )
    return Holder(pid, _command(pid)) if mine else None


class _Content(NamedTuple):
    """A lock file as it stands; process id 0 if there is none."""

    pid: int = 0
    numbers: Numbers | None = None
    unreadable: bool = False


def _content(path: Path) -> _Content:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return _Content()
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return _Content()
        first, _, second = os.read(fd, _LENGTH).partition(b"\n")
    except OSError:
        return _Content()
    finally:
        os.close(fd)
    known = _PID.fullmatch(first.strip()) is not None
    if not second.strip():
        return _Content(int(first) if known else 0, None, bool(first.strip()) and not known)
    try:
        numbers = _decode(second)
    except (msgspec.DecodeError, UnicodeDecodeError):
        numbers = None
    if numbers is not None and not numbers.plausible:
        numbers = None
    return _Content(int(first) if known else 0, numbers, numbers is None)


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return "command unknown"
    return b" ".join(words).decode(errors="replace")[:200] or "command unknown"
