"""What every link has in common: who listens to it, and the clock that stamps what arrives.

A link fetches bytes and knows no protocol; a driver (`drivers.driver`) knows the protocol and does no
I/O. Whoever joins the two is the link's listener.
"""

import time
from collections.abc import Callable
from typing import Literal, Protocol

from drivers.readings import Instant

Clock = Callable[[], Instant]
"""This moment, read when bytes arrive: never later, when somebody gets round to them."""

LinkState = Literal["connecting", "up", "lost"]
"""`connecting` until the first opening succeeds; from then on `up` or `lost`."""


def system_clock() -> Instant:
    """This moment on the machine's monotonic and wall clocks."""
    return Instant(time.monotonic_ns(), time.time_ns() // 1000)


class Listener(Protocol):
    """Who is told what a link does: `link_up`, any number of `link_bytes`, one `link_lost`, and again.

    Called in the event loop, from inside the reading: it must hand the bytes on and return. What it
    raises is a defect, which ends the connection and is logged; the link opens the port again.
    """

    def link_up(self, at: Instant, identity: str) -> None:
        """The port is open; `identity` is what it leads to, as `ports.resolve` gives it."""
        ...

    def link_bytes(self, data: bytes, at: Instant) -> None:
        """Bytes as they came, 1 to 4096 of them, cut anywhere, and the instant they arrived."""
        ...

    def link_lost(self, reason: str, at: Instant) -> None:
        """The connection is over, for a reason in words; nothing more comes until the next `link_up`."""
        ...
