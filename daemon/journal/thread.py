"""The one thread that writes a journal: commits, tries again, sets a damaged file aside, tidies up."""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Literal, NamedTuple

import structlog

from daemon.journal.batch import CommitResult
from daemon.journal.chores import Chores
from daemon.journal.errors import JournalError
from daemon.journal.file import Wall, primary_code
from daemon.journal.lock import JournalLock
from daemon.journal.queue import BatchQueue, Done
from daemon.journal.replacing import Salvage, replace, salvage_from
from daemon.journal.retention import Retention
from daemon.journal.writer import DisplacedError, JournalWriter

FIRST_DELAY = 0.1  # seconds until the second try
LAST_DELAY = 2.0  # seconds between tries when there were many
_PASSING = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
}
"""These say nothing against the file: the disk or another process is in the way."""

Source = Literal["commit", "slow", "memory", "tidying", "broken"]
_log = structlog.get_logger("mesad.journal")


class Committed(NamedTuple):
    """A batch is durable."""

    done: Done
    result: CommitResult


class Trouble(NamedTuple):
    """Something does not work, for a reason in words; told at every try."""

    source: Source
    text: str


class Over(NamedTuple):
    """A trouble is over."""

    source: Source


class SetAside(NamedTuple):
    """The file was damaged or gone, and a new one was begun."""

    text: str


class Ended(NamedTuple):
    """The thread ends; the file is closed and the lock free."""


Event = Committed | Trouble | Over | SetAside | Ended


class WriterThread:
    """Owns the writer and the lock from `start` on."""

    def __init__(
        self, writer: JournalWriter, lock: JournalLock, keep: Retention, now: Wall, queue: BatchQueue
    ) -> None:
        self._writer = writer
        self._lock = lock
        self._keep = keep
        self._now = now
        self._queue = queue
        self._chores = Chores(time.monotonic())
        self._tell: Callable[[Event], None] = lambda event: None
        self._failures: dict[Source, int] = {}
        self._problem: str | None = None
        """What is wrong with the file, while it waits to be set aside."""
        self._salvage: Salvage | None = None
        self._proven = True
        """Something was committed to this file, so damage is news and not how this disk always is."""
        self._unsaid = True
        self._given_up = False
        self._thread = threading.Thread(target=self._run, name=f"journal {writer.file.table}", daemon=True)

    def start(self, tell: Callable[[Event], None]) -> None:
        """Run; `tell` is called on the thread with each event."""
        self._tell = tell
        self._thread.start()

    def join(self) -> None:
        """Wait until it has ended."""
        self._thread.join()

    def close(self) -> None:
        """Close the file and free the lock; the thread's own last act, or instead of `start`."""
        with contextlib.suppress(sqlite3.Error):  # what is committed is durable as it is
            self._writer.close()
        self._lock.release()

    def note(self) -> None:
        """Keep the numbers beside the journal, where that is possible."""
        try:
            self._lock.note(self._writer.numbers)
        except OSError as error:
            if self._unsaid:
                _log.warning("journal numbers not kept", file=str(self._lock.path), error=str(error))
            self._unsaid = False

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 - a writer that ends unseen would be the end of the record
            # told first: a log that cannot be written is one of the reasons to come here
            self._tell(Trouble("broken", f"the writer ended: {error!r}"))
            _log.exception("journal writer broken", file=str(self._writer.file.path))
        finally:
            self.close()
            self._tell(Ended())

    def _work(self) -> None:
        while not self._given_up:
            if self._problem is not None:
                self._try("commit", self._begin_anew)
                continue
            turn = self._queue.turn(self._chores.due(self._writer))
            if turn == "end":
                return
            if turn == "condemned":
                self._problem = self._queue.problem()
                continue
            if turn == "commit":
                self._try("commit", self._commit)
            if turn == "chore" or self._chores.pressing(self._writer, time.monotonic()):
                self._try("tidying", self._chore)

    def _commit(self) -> None:
        taken, delivered = self._queue.take()
        try:
            results = self._writer.commit([waiting.work() for waiting in taken], delivered)
        except BaseException:
            self._queue.failed(taken)
            raise
        self._queue.succeeded(taken, delivered)
        for waiting, result in zip(taken, results, strict=True):
            self._tell(Committed(waiting.done, result))
        self._proven = True
        self._chores.committed(time.monotonic())
        self.note()

    def _chore(self) -> None:
        self._chores.do(self._writer, time.monotonic())

    def _begin_anew(self) -> None:
        old = self._writer
        assert self._problem is not None
        if self._salvage is None:
            self._salvage = salvage_from(old.file.path, old.file.connection)
            with contextlib.suppress(sqlite3.Error):  # what it could not write is what this is about
                old.file.connection.close()
        file = replace(
            old.file.path,
            old.file.site,
            old.file.table,
            self._problem,
            old.numbers,
            self._salvage,
            self._now,
            exact=True,
        )
        self._writer = JournalWriter(file, self._keep, old.numbers.session, self._now)
        self._chores = Chores(time.monotonic())
        self._problem = self._salvage = None
        self._proven = False
        self.note()
        self._tell(SetAside(file.set_aside or ""))

    def _try(self, source: Source, action: Callable[[], None]) -> None:
        try:
            action()
        except (sqlite3.Error, OSError, DisplacedError, JournalError) as error:
            if isinstance(error, sqlite3.Error) and not primary_code(error):
                raise  # not the file's doing but ours
            self._failed(source, error)
            return
        if self._problem is None and (failures := self._failures.pop(source, 0)):
            _log.info(
                "journal written again", file=str(self._writer.file.path), what=source, failures=failures
            )
            self._tell(Over(source))

    def _failed(self, source: Source, error: Exception) -> None:
        damaged = isinstance(error, sqlite3.Error) and primary_code(error) not in _PASSING
        if (damaged or isinstance(error, DisplacedError)) and self._proven and self._problem is None:
            self._problem = f"is damaged: {error}" if damaged else str(error)
            return  # to the next turn, which begins anew
        failures = self._failures[source] = self._failures.get(source, 0) + 1
        log = _log.warning if failures == 1 else _log.debug
        log("journal not written", file=str(self._writer.file.path), what=source, error=str(error))
        self._tell(Trouble(source, f"{self._writer.file.path}: {error}"))
        delay = min(FIRST_DELAY * 2 ** min(failures - 1, 10), LAST_DELAY)
        if source == "commit":
            self._given_up = self._queue.pause(delay)
        else:
            self._chores.failed(time.monotonic(), 10 * delay)
