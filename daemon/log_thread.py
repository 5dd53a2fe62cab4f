"""Log lines written by a thread of their own: a reader that stops reading stops nothing else."""

import io
import logging
import os
import threading
from collections import deque
from typing import TextIO

WAITING_AT_MOST = 1 << 20
"""Bytes of lines that wait for a reader; further ones are counted and left out."""
LAST_WORDS_WAIT = 1.0
"""Seconds at the end in which a reader may still take what waits."""


class ThreadedHandler(logging.Handler):
    """Formats where it is called and writes in its thread; never waits for a reader."""

    def __init__(self, stream: TextIO) -> None:
        """`stream` is written by its descriptor if it has one: its buffer's lock would be held for ever."""
        super().__init__()
        self._stream = stream
        self._fd = _descriptor(stream)
        self._lines: deque[bytes] = deque()
        self._size = 0
        self._left_out = 0
        self._ended = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._write_all, name="log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line, or count it where too much waits already."""
        try:
            line = f"{self.format(record)}\n".encode("utf-8", "backslashreplace")
        except Exception:  # noqa: BLE001 - as logging has it: told on standard error, never raised
            self.handleError(record)
            return
        with self._news:
            if self._ended:
                return
            # Once one is left out, so are those after it until that is told, at its place among the lines.
            if self._left_out or self._size + len(line) > WAITING_AT_MOST:
                self._left_out += 1
                return
            self._lines.append(line)
            self._size += len(line)
            self._news.notify()

    def close(self) -> None:
        """Write what waits, for a second at most."""
        with self._news:
            self._ended = True
            self._news.notify()
        self._thread.join(LAST_WORDS_WAIT)
        super().close()

    def _write_all(self) -> None:
        while True:
            with self._news:
                while not self._lines and not self._left_out and not self._ended:
                    self._news.wait()
                line = self._lines.popleft() if self._lines else b""
                left_out = 0 if line else self._left_out
                self._size -= len(line)
                self._left_out -= left_out
            if left_out:
                line = self._count_line(left_out)
            if not line:
                return
            try:
                self._write(line)
            except OSError:  # the disk is full, or the reader gone: counted, and told when it is well again
                with self._news:
                    self._left_out += len(self._lines) + (left_out or 1)
                    self._lines.clear()
                    self._size = 0
                    if self._ended:
                        return
                    self._news.wait(1.0)

    def _count_line(self, count: int) -> bytes:
        text = "log lines left out: nobody read them, or there was no room"
        record = logging.LogRecord("mesad.log", logging.WARNING, "", 0, f"{text} (%d)", (count,), None)
        return f"{self.format(record)}\n".encode("utf-8", "backslashreplace")

    def _write(self, line: bytes) -> None:
        if self._fd is None:
            self._stream.write(line.decode())
            self._stream.flush()
            return
        while line:
            line = line[os.write(self._fd, line) :]


def _descriptor(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except io.UnsupportedOperation:
        return None
