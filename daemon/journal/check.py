"""The check of a whole large file, beside the daemon's work: reading some gigabytes would delay the start."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import structlog

from daemon.journal.file import connect, primary_code

AT_ONCE = 64 << 20
"""Bytes up to which a file is checked whole before it is used."""

_log = structlog.get_logger("mesad.journal")


def malformed(connection: sqlite3.Connection) -> str | None:
    """What SQLite finds wrong with the form of the file, in words; None if it is sound."""
    found = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
    return None if found == ["ok"] else "is malformed: " + "; ".join(found).replace("\n", " ")


class BackgroundCheck:
    """Reads the whole file in a thread of its own; `damaged` is called there if it must."""

    def __init__(self, path: Path, damaged: Callable[[str], None]) -> None:
        self._path = path
        self._damaged = damaged
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name=f"journal check {path.name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End it where it is, and wait for that."""
        self._stopped = True
        while self._thread.is_alive():
            with self._lock:
                if self._connection is not None:
                    self._connection.interrupt()  # which a statement that is only about to begin misses
            self._thread.join(0.05)

    def _run(self) -> None:
        try:
            with contextlib.closing(connect(self._path, "ro")) as connection:
                with self._lock:
                    if self._stopped:
                        return
                    self._connection = connection
                try:
                    problem = malformed(connection)
                finally:
                    with self._lock:
                        self._connection = None
        except sqlite3.Error as error:
            if primary_code(error) not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                if not self._stopped:
                    _log.warning("journal not checked", file=str(self._path), error=str(error))
                return
            problem = f"is damaged: {error}"
        if problem is not None:
            self._damaged(problem)
