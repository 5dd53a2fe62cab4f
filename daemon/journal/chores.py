"""When the journal's writer tidies up: between commits, in small steps, so that no commit waits long."""

import math

import structlog

from daemon.journal.writer import JournalWriter

ENOUGH = 1 << 20
"""Bytes in the write-ahead log that are worth bringing into the file at the next short pause."""

PRESSING = 4 << 20
"""Bytes in the write-ahead log that are brought into the file without waiting for a pause."""

SHORT_PAUSE = 0.25  # seconds
LONG_PAUSE = 30.0  # seconds without a commit, after which even a little is brought into the file
READERS = 1.0  # seconds until the next try, when a reader held some of the log
AGE_CHECK = 3600.0  # seconds between looks at what is too old
FIRST_CHECK = 5.0  # seconds after the start
SIZE_CHECK = 10.0  # seconds at least between looks at what is too much

_log = structlog.get_logger("mesad.journal")


class Chores:
    """Times are seconds of the monotonic clock, given by the caller."""

    def __init__(self, now: float) -> None:
        self._last_commit = now
        self._check_at = now + FIRST_CHECK
        self._size_check_at = now
        self._not_before = now
        self._removing = True  # what a former run announced and did not finish
        self._unable = False

    def committed(self, now: float) -> None:
        """A commit was made."""
        self._last_commit = now

    def failed(self, now: float, delay: float) -> None:
        """A chore raised: none for so long."""
        self._not_before = now + delay

    def pressing(self, writer: JournalWriter, now: float) -> bool:
        """Whether the write-ahead log must be brought in even if commits are waiting."""
        return writer.unsaved >= PRESSING and now >= self._not_before

    def due(self, writer: JournalWriter) -> float:
        """When the next chore wants to be done."""
        due = self._last_commit if self._removing else self._check_at
        return max(min(due, self._log_due(writer)), self._not_before)

    def do(self, writer: JournalWriter, now: float) -> None:
        """The chore that is due. Raises sqlite3.Error."""
        if writer.unsaved >= PRESSING or now >= self._log_due(writer):
            if not writer.checkpoint():
                self._not_before = now + READERS
            if now >= self._size_check_at and writer.oversized():
                self._size_check_at = now + SIZE_CHECK
                self._check_at = now
        elif self._removing:
            self._removing = writer.tidy()
            if not self._removing and writer.oversized():
                self._check_at = min(self._check_at, self._size_check_at)
        elif now >= self._check_at:
            self._check(writer, now)

    def _log_due(self, writer: JournalWriter) -> float:
        """When the write-ahead log is to be brought in; not after each small step of a removal."""
        if writer.unsaved >= ENOUGH:
            return self._last_commit + SHORT_PAUSE
        return self._last_commit + LONG_PAUSE if writer.unsaved and not self._removing else math.inf

    def _check(self, writer: JournalWriter, now: float) -> None:
        self._check_at = now + AGE_CHECK
        self._removing = writer.plan_removal()
        unable = not self._removing and writer.oversized()
        if unable and not self._unable:
            _log.warning(
                "journal larger than keep_mb, but nothing in it may be removed", file=str(writer.file.path)
            )
        self._unable = unable
