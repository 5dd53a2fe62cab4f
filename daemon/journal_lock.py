"""One writer a journal: an exclusive lock on `<journal>.lock`, which also keeps the last numbers used.

The file's first line is the writer's process id (0 after a clean end), the second the `Numbers` as JSON.
The numbers are written after each commit without waiting for the disk, so they are never ahead of the
journal. A journal that turns out to be behind them has lost its end; one that is gone or unreadable does
not make the next one give out the same numbers again.
"""

import contextlib
import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from daemon.journal_batch import Numbers
from daemon.journal_errors import JournalBusyError, JournalError

_LENGTH = 512  # written whole and in place, so that it needs no new room on a full disk
_PATIENCE = 0.25  # seconds; a predecessor that was just killed may still be on its way out

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Numbers).decode


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

    Raises JournalBusyError, which names the holder, and JournalError if the file cannot be made.
    """

    def __init__(self, journal: Path) -> None:
        self.path = lock_path(journal)
        try:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise JournalError(
                journal,
                f"its lock cannot be made: {error.strerror}",
                f"let the daemon's user write to {journal.parent}, or set [journal] path elsewhere",
            ) from error
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() < deadline:
                    time.sleep(0.01)
                    continue
                named = _content(self.path)[0]
                os.close(self._fd)
                raise JournalBusyError(journal, str(Holder(named, _command(named)))) from None
        self.numbers = _content(self.path)[1]
        """What the last writer left; None if nothing readable."""
        try:
            self._write(os.getpid(), self.numbers)
        except OSError as error:
            os.close(self._fd)
            raise JournalError(
                journal,
                f"its lock cannot be written: {error.strerror}",
                f"make room on the disk that holds {journal.parent}",
            ) from error

    def note(self, numbers: Numbers) -> None:
        """Keep the last numbers used. Raises OSError."""
        self.numbers = numbers
        self._write(os.getpid(), numbers)

    def release(self) -> None:
        """Give the journal free."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):  # a process id left behind is not believed without the lock
                self._write(0, self.numbers)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _write(self, pid: int, numbers: Numbers | None) -> None:
        lines = b"%d\n%s" % (pid, _encode(numbers) if numbers else b"")
        os.pwrite(self._fd, lines.ljust(_LENGTH - 1) + b"\n", 0)


def last_numbers(journal: Path) -> Numbers | None:
    """The numbers kept beside a journal, whoever writes it now; None if there are none."""
    return _content(lock_path(journal))[1]


def holder(journal: Path) -> Holder | None:
    """Who writes this journal now, told without touching the lock; None if nobody does."""
    path = lock_path(journal)
    pid = _content(path)[0]
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


def _content(path: Path) -> tuple[int, Numbers | None]:
    """Process id (0 if none) and numbers as they stand in a lock file."""
    try:
        pid, _, rest = path.read_bytes()[:_LENGTH].partition(b"\n")
    except OSError:
        return 0, None
    try:
        numbers = _decode(rest) if rest.strip() else None
    except msgspec.DecodeError:
        numbers = None
    return int(pid) if pid.strip().isdigit() else 0, numbers


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return "command unknown"
    return b" ".join(words).decode(errors="replace")[:200] or "command unknown"
