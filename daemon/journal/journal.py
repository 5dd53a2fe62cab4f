"""The durable journal of one table: what is in it survives anything, and only that is published.

Batches are handed in on the event loop and written, in order, by one thread; several that wait go into one
transaction. When the disk takes nothing they are kept in memory and tried again: what was not committed
never counts as recorded. See `daemon.journal.chain` for what the record proves and what it cannot.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import structlog

from daemon.journal import reading as journal_reading
from daemon.journal.batch import Batch, CommitResult, Input, Numbers
from daemon.journal.check import AT_ONCE, BackgroundCheck
from daemon.journal.errors import JournalError
from daemon.journal.file import JournalFile, Wall, wall
from daemon.journal.lock import JournalLock
from daemon.journal.opening import open_file
from daemon.journal.place import place
from daemon.journal.queue import BatchQueue, Done, Waiting
from daemon.journal.retention import Retention
from daemon.journal.thread import Committed, Ended, Event, Over, SetAside, Source, Trouble, WriterThread
from daemon.journal.writer import JournalWriter
from daemon.records import Message

__all__ = ["Batch", "CommitResult", "Input", "Journal", "Numbers"]

MEMORY = 64 << 20
"""Bytes of uncommitted batches above which raw inputs are given up, oldest first. Never entries."""

SLOW = 2.0
"""Seconds that a batch may wait for the disk before that counts as trouble."""

BACKLOG_TRIES = 5

PATIENCE = 5.0
"""Seconds that `close` goes on trying to write what is left."""

_log = structlog.get_logger("mesad.journal")


class Journal:
    """Open it (which blocks), use it on the event loop, `close` it. One journal a table."""

    def __init__(
        self,
        file: JournalFile,
        lock: JournalLock,
        keep: Retention,
        now: Wall,
        memory: int,
        slow: float,
        on_trouble: Callable[[str], None],
        on_recovered: Callable[[], None],
        on_set_aside: Callable[[str], None],
    ) -> None:
        """Use `open`."""
        self.path = file.path
        self.set_aside = file.set_aside
        """What was wrong at this opening: with a file that was set aside, or that had lost its end."""
        self.numbers = file.numbers
        """The last numbers used before this run: the next round is one above, and so on."""
        self.session = file.numbers.session + 1
        """This run's number; kept with the first commit."""
        self.inputs_lost = 0
        """Inputs given up in this run for want of memory."""
        self._on_trouble, self._on_recovered, self._on_set_aside = on_trouble, on_recovered, on_set_aside
        self._large = file.path.stat().st_size > AT_ONCE
        self._last_seq = file.numbers.seq
        self._slow = slow
        self._queue = BatchQueue(memory)
        writer = JournalWriter(file, keep, self.session, now)
        self._thread = WriterThread(writer, lock, keep, now, self._queue)
        self._thread.note()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()
        self._closing = False
        self._troubles: dict[Source, str] = {}
        self._watch: asyncio.TimerHandle | None = None
        self._check: BackgroundCheck | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        site: str,
        table: str,
        *,
        on_trouble: Callable[[str], None],
        on_recovered: Callable[[], None],
        on_set_aside: Callable[[str], None],
        keep_days: int | None = None,
        keep_mb: int | None = None,
        now: Wall = wall,
        memory: int = MEMORY,
        slow: float = SLOW,
    ) -> "Journal":
        """Open or create the journal of a table; a damaged one is set aside (see `set_aside`).

        An older copy is taken as restored, and an entry of its own says so (see `daemon.journal.chain`).

        The callbacks are called on the event loop. `on_trouble` says that nothing is recorded now, or not
        in time, or that inputs are lost; again when the reason changes. `on_recovered` says that all of
        that is over. `on_set_aside` says that the file was damaged or gone under way and a new one begun.
        `keep_days` and `keep_mb` without a value keep everything; `now` gives microseconds since 1970.

        Blocks while the file is examined. Raises JournalError (no such folder, no right, another table's,
        no journal at all), JournalNewerError, and JournalBusyError, which names the holder.
        """
        path = place(path)
        keep = Retention(keep_days, keep_mb)
        lock = JournalLock(path)
        try:
            file = open_file(path, site, table, lock.numbers, now, unreadable=lock.unreadable)
            try:
                return cls(file, lock, keep, now, memory, slow, on_trouble, on_recovered, on_set_aside)
            except BaseException:
                file.connection.close()
                raise
        except BaseException:
            lock.release()
            raise

    def submit(self, batch: Batch, done: Done) -> None:
        """Hand over a batch, on the event loop; never blocks.

        `done` is called on the loop when the batch is durable, in the order of submission. Raises ValueError
        for a `seq` that does not rise, and JournalError when the journal is closed or its writer broken.
        """
        if self._closing or "broken" in self._troubles:
            reason = self._troubles.get("broken", f"{self.path}: the journal is closed")
            raise JournalError(self.path, reason, "restart the daemon")
        seq = self._last_seq
        for entry in batch.entries:
            if entry.seq is not None:
                if entry.seq <= seq:
                    raise ValueError(f"seq {entry.seq} after {seq}: it must rise")
                seq = entry.seq
        self._last_seq = seq
        loop = self._loop or self._begin()
        lost = self._queue.put(Waiting(batch, done))
        if lost:
            self.inputs_lost += lost
            self._trouble(
                "memory", f"{self.path}: the disk is behind, memory full: raw inputs are being lost"
            )
        if self._watch is None:
            self._watch = loop.call_later(self._slow, self._look)

    def delivered(self, *ids: int) -> None:
        """The broker has these messages. Noted soon; if that is lost they are only delivered again."""
        if not self._closing:
            self._queue.delivered(ids)
            if self._loop is None:
                self._begin()

    async def close(self, patience: float = PATIENCE) -> None:
        """Write what is left, close the file, free the lock.

        Raises JournalError if that could not be done within `patience` seconds; what was not written is
        lost then, as the callers that wait for `done` know.
        """
        if self._closing:
            return
        self._closing = True
        if self._loop is None:
            self._thread.close()
            return
        if self._check is not None:
            await asyncio.to_thread(self._check.stop)
        self._queue.end(time.monotonic() + patience)
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), patience + 1)
        finally:
            if self._watch is not None:
                self._watch.cancel()
        if not self._ended.is_set():
            raise JournalError(self.path, "the disk does not answer", "check the disk (dmesg, smartctl)")
        self._thread.join()
        if left := len(self._queue):
            reason = "; ".join(self._troubles.values()) or "the disk was too slow"
            raise JournalError(
                self.path, f"{left} batches were not written: {reason}", "make room, check the disk"
            )

    # --- what is in it ------------------------------------------------------------------------

    def pending_outbox(self, after: int = 0, limit: int | None = None) -> list[tuple[int, Message]]:
        """Undelivered messages above an outbox id, with their ids, in order, at most so many."""
        return journal_reading.pending_outbox(self.path, after, limit)

    async def backlog(self, after: int, limit: int) -> list[tuple[int, Message]]:
        """`pending_outbox` without blocking the loop. Raises JournalError."""
        for attempt in range(BACKLOG_TRIES):
            try:
                return await asyncio.to_thread(self.pending_outbox, after, limit)
            except JournalError:
                if attempt == BACKLOG_TRIES - 1:
                    raise
                await asyncio.sleep(0.2)  # the file may be just being set aside
        raise AssertionError("unreachable")

    def last_state(self) -> bytes | None:
        """The table's state as last committed."""
        return journal_reading.last_state(self.path)

    def last_rounds(self, count: int) -> list[bytes]:
        """The newest rounds' records, newest round first, each in its latest revision."""
        return journal_reading.last_rounds(self.path, count)

    # --- what the thread tells ----------------------------------------------------------------

    def _begin(self) -> asyncio.AbstractEventLoop:
        self._loop = asyncio.get_running_loop()
        self._thread.start(self._tell)
        if self._large:
            self._check = BackgroundCheck(self.path, self._queue.condemn)
            self._check.start()
        return self._loop

    def _tell(self, event: Event) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop was closed before the journal: nobody hears
            self._loop.call_soon_threadsafe(self._hear, event)

    def _hear(self, event: Event) -> None:
        match event:
            case Committed(done, result):
                self._settle()
                done(result)
            case Trouble(source, text):
                self._trouble(source, text)
            case Over(source):
                self._over(source)
            case SetAside(text):
                self._on_set_aside(text)
            case Ended():
                self._ended.set()

    def _settle(self) -> None:
        """A batch came through: what only waited for that is over."""
        if self._troubles and not len(self._queue):
            self._over("slow")
            self._over("memory")

    def _look(self) -> None:
        """Whether the oldest batch has waited too long; looked at as long as any waits."""
        assert self._loop is not None
        self._watch = None
        oldest = self._queue.oldest()
        if oldest is None:
            return
        waited = time.monotonic() - oldest
        if waited >= self._slow:
            self._trouble(
                "slow", f"{self.path}: the disk has not taken a record for {self._slow:g} s and more"
            )
        self._watch = self._loop.call_later(max(self._slow - waited, self._slow / 4), self._look)

    def _trouble(self, source: Source, text: str) -> None:
        if self._troubles.get(source) != text:
            self._troubles[source] = text
            self._on_trouble(text)

    def _over(self, source: Source) -> None:
        if self._troubles.pop(source, None) is not None and not self._troubles:
            if self.inputs_lost:
                _log.warning(
                    "raw inputs lost while the disk took nothing", file=str(self.path), lost=self.inputs_lost
                )
            self._on_recovered()
