"""Where time is read: instants, steps of the wall clock, and whether the kernel's clock is synced.

On Linux both clocks are slewed alike, so the distance between them changes only when the wall clock is
set or stepped (by hand, by a time daemon, by a leap second) or the machine slept. That makes a step
visible without asking anybody.
"""

import ctypes
import time
from collections.abc import Callable
from typing import Literal, NamedTuple

from drivers.readings import Instant

Sync = Literal["synced", "unsynced"]

STEP = 100_000
"""Microseconds by which the wall clock must have jumped to be told as a step."""

_TIME_ERROR = 5  # adjtimex(2): the clock is not synchronised to anything
_TIMEX_WORDS = 64  # struct timex is 208 bytes on 64-bit Linux and 128 on 32-bit: room for either


class WallStep(NamedTuple):
    """The wall clock jumped: by `microseconds` (positive is forward), seen at `at` (the new time)."""

    at: Instant
    microseconds: int


def kernel_sync() -> Sync:
    """Whether the kernel's clock follows a time source. "unsynced" where the kernel will not say.

    Reads adjtimex(2), which changes nothing when called with no modes. A service that is forbidden
    the `@clock` system calls is answered EPERM, and the state is then unknown, so "unsynced".
    """
    try:
        adjtimex = ctypes.CDLL(None).adjtimex
    except (OSError, AttributeError):
        return "unsynced"
    timex = (ctypes.c_uint64 * _TIMEX_WORDS)()  # all zero: `modes` too
    state = int(adjtimex(ctypes.byref(timex)))
    return "synced" if 0 <= state < _TIME_ERROR else "unsynced"


def wall_nanoseconds() -> int:
    """Nanoseconds since 1970 by the wall clock; from 2262 on they no longer fit: then the last that do."""
    try:
        return time.time_ns()
    except OverflowError:
        return (1 << 63) - 1


class Clock:
    """Reads both clocks together and notices when the wall clock jumps against the monotonic one."""

    def __init__(
        self,
        mono: Callable[[], int] = time.monotonic_ns,
        wall: Callable[[], int] = wall_nanoseconds,
        sync: Callable[[], Sync] = kernel_sync,
    ) -> None:
        """`mono` and `wall` give nanoseconds; `sync` is asked each time `sync` is."""
        self._mono = mono
        self._wall = wall
        self._sync = sync
        self._distance = self._read()[1]

    def now(self) -> Instant:
        """This moment on both clocks."""
        return Instant(self._mono(), self._wall() // 1000)

    def sync(self) -> Sync:
        """Whether the wall clock follows a time source now."""
        return self._sync()

    def step(self) -> WallStep | None:
        """The jump of the wall clock since the last one told (or since the clock was made), if any."""
        at, distance = self._read()
        jump = round((distance - self._distance) / 1000)
        if abs(jump) < STEP:
            return None  # the distance told last stays, so that many small jumps add up to one that is seen
        self._distance = distance
        return WallStep(at, jump)

    def _read(self) -> tuple[Instant, int]:
        """An instant, and the nanoseconds from the monotonic to the wall clock."""
        best: tuple[int, int, int] | None = None
        for _ in range(3):
            before, wall, after = self._mono(), self._wall(), self._mono()
            if best is None or after - before < best[0]:
                best = (after - before, before, wall)
            if after - before < 1_000_000:  # longer and the process was put aside between the readings
                break
        assert best is not None
        pause, before, wall = best
        mono = before + pause // 2
        return Instant(mono, wall // 1000), wall - mono
