"""Lines out of a byte stream: ended by CR or LF, capped, joined in the middle without harm."""

import re

_END = re.compile(rb"[\r\n]")
LINE_LIMIT = 256
"""Bytes in a line, its end not counted; no device here sends half as many."""


class LineSplitter:
    """Splits a stream on either CR or LF, whichever comes in whatever order, and drops empty pieces.

    What resynchronises it is the next line end. Until the first one after `reopen` (or after it was made)
    the stream may have been joined in the middle of a line, so that piece is dropped, unless it begins with
    the byte `start`: then it is no tail. A line longer than `limit` is dropped to its end, counted once.
    Never holds more than `limit` bytes. The same bytes give the same lines, however they are cut up.
    """

    def __init__(self, limit: int = LINE_LIMIT, start: bytes = b"") -> None:
        if len(start) > 1:
            raise ValueError("a start is one byte")
        self.overlong = 0
        """Lines dropped because of their length."""
        self._limit = limit
        self._start = start
        self._held = b""
        self._joining = True
        self._dropping = False

    @property
    def state(self) -> tuple[bytes, bool, bool, int]:
        """All that it remembers, as plain values to copy; may be assigned."""
        return self._held, self._joining, self._dropping, self.overlong

    @state.setter
    def state(self, state: tuple[bytes, bool, bool, int]) -> None:
        held, joining, dropping, overlong = state
        if len(held) > self._limit or _END.search(held) or overlong < 0 or (held and dropping):
            raise ValueError("not a line splitter's state")
        self._held, self._joining, self._dropping, self.overlong = held, joining, dropping, overlong

    def reopen(self) -> None:
        """The stream begins anew: what was half received is forgotten."""
        self._held = b""
        self._joining = True
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, without their ends, none of them empty."""
        pieces = data.replace(b"\r", b"\n").split(b"\n")
        if self._held or self._joining or self._dropping:
            pieces = self._resume(pieces)
        rest = pieces.pop()
        if rest:
            self._hold(rest)
        lines = []
        for piece in pieces:
            if piece:
                if len(piece) <= self._limit:
                    lines.append(piece)
                else:
                    self.overlong += 1
        return lines

    def _resume(self, pieces: list[bytes]) -> list[bytes]:
        """The pieces with the first one completed by what was held, or emptied if it is to be dropped."""
        first = self._held + pieces[0]
        self._held = b""
        if self._joining and first and not (self._start and first.startswith(self._start)):
            self._dropping = True
        if self._dropping:
            first = b""
        if len(pieces) > 1:
            self._dropping = self._joining = False
        return [first, *pieces[1:]]

    def _hold(self, rest: bytes) -> None:
        if self._dropping:
            return
        if len(rest) <= self._limit:
            self._held = rest
        else:
            self._dropping = True
            self.overlong += 1
