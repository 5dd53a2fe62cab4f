"""A link that plays a capture: time, TAB, line; the capture's own times are the clock.

A `#` begins a comment. Times are RFC 3339. Where a time goes back, two captures were joined: the wall clock
of the instants goes back with it, the monotonic one stands still.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from drivers.readings import Instant

MAX_LINE = 4096
"""Bytes of a capture's line; a longer one is no capture of a table device."""
YEARS = range(1970, 2200)
"""Years in which a table device can have been listened to."""
LONGEST = 2**63 - 1
"""Nanoseconds that a capture's times may add up to."""


class CaptureError(ValueError):
    """The file is not a capture; the text names file, line and what is wrong."""


class LinkChange(NamedTuple):
    """The played link opens or ends: with the port's name, or with the reason."""

    kind: Literal["up", "lost"]
    what: str


Played = tuple[Instant, bytes | LinkChange]
"""What a played link does, and when."""


def read_capture(path: Path) -> Iterator[tuple[Instant, bytes]]:
    """Each line of a capture with the instant it was logged, its line end put back (CR LF)."""
    last, mono = None, 0
    with path.open("rb") as file:
        for number, row in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
            if row.startswith(b"#") or not row.strip():
                continue
            stamp, tab, line = row.rstrip(b"\r\n").partition(b"\t")
            if not tab or len(row) > MAX_LINE:
                raise CaptureError(
                    f"{path}:{number}: expected a time, a TAB and a line of at most {MAX_LINE} bytes"
                )
            try:
                when = datetime.fromisoformat(stamp.decode("ascii"))
                if when.year not in YEARS:
                    raise CaptureError(f"{path}:{number}: the year {when.year} is none of a capture")
                wall = round(when.timestamp() * 1_000_000)
            except CaptureError:
                raise
            except ValueError:
                raise CaptureError(
                    f"{path}:{number}: {stamp[:40]!r} is not a time such as 2025-01-31T23:59:59.123Z"
                ) from None
            if last is not None:
                mono += max(0, wall - last) * 1000
                if mono > LONGEST:
                    raise CaptureError(f"{path}:{number}: the times add up to more than 292 years")
            last = wall
            yield Instant(mono, wall), line + b"\r\n"
