"""Fixtures of the whole suite: every test is watched for what it leaves behind.

A test fails that leaves an asyncio task, a thread or a file descriptor, or whose logging calls have a
message that does not fit its arguments. What takes a moment to end is waited for, up to `GRACE` seconds.
"""

import asyncio
import contextlib
import gc
import logging
import os
import sys
import threading
import time
import tty
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

with contextlib.suppress(ImportError):  # an optional extra
    import uvloop

    uvloop.new_event_loop().close()  # libuv makes a pair of pipes with its first loop and keeps it for good

# how long an example takes says how busy the machine is, nothing of mesad
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

GRACE = 15.0
SHARED = Path(__file__).parents[2] / "shared"


class PtyPair:
    """A pseudo-terminal in raw mode: the test holds the device's end, `path` is the port to open.

    The port's own end is held open too, so that bytes written before anybody opens it are kept, and
    so that a link may close and open it again without the device's end seeing a hang-up.
    """

    def __init__(self) -> None:
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self._slave)

    def write(self, data: bytes) -> None:
        """The device says `data`; raises BlockingIOError when the kernel's buffer is full."""
        written = os.write(self.master, data)
        assert written == len(data), f"the kernel took {written} of {len(data)} bytes"

    def heard(self) -> bytes:
        """What was written to the device: nothing at all, from a link that only listens."""
        try:
            return os.read(self.master, 65536)
        except BlockingIOError:
            return b""

    def unplug(self) -> None:
        """Take the device away; the port's path is gone afterwards. May be called again."""
        for fd in (self.master, self._slave):
            if fd >= 0:
                os.close(fd)
        self.master = self._slave = -1


@pytest.fixture
def pty_pair() -> Iterator[PtyPair]:
    """One pseudo-terminal, closed at the end unless the test unplugged it."""
    pair = PtyPair()
    yield pair
    pair.unplug()


@pytest.fixture
def pty_pairs() -> Iterator[Callable[[], PtyPair]]:
    """A maker of pseudo-terminals, for tests that replug; closes all it made."""
    made: list[PtyPair] = []

    def make() -> PtyPair:
        made.append(PtyPair())
        return made[-1]

    yield make
    for pair in made:
        pair.unplug()


@pytest.fixture(scope="session")
def shared_captures() -> Path:
    """The folder of real captures that lies beside the project. They are not ours to publish with it."""
    return _shared("captures", "real captures")


@pytest.fixture(scope="session")
def shared_rules() -> str:
    """The inventory of what the legal texts let a machine check, which lies beside the project."""
    return _shared("rules.md", "inventory of rules").read_text("utf-8")


def _shared(name: str, what: str) -> Path:
    path = SHARED / name
    if not path.exists():
        missing = f"the {what} is missing: expected {path}"
        if "CI" in os.environ:
            pytest.fail(missing, pytrace=False)
        pytest.skip(
            missing
        )  # a stranger's checkout has none; what it proves here is proved by other tests too
    return path


# --- what a test leaves behind -----------------------------------------------------------------


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.is_alive()}


def _descriptors() -> set[tuple[int, str]]:
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        try:
            found.add((int(link.name), str(link.readlink())))
        except FileNotFoundError:
            continue  # the descriptor of this very listing
    return found


def _leftovers(threads: set[threading.Thread], descriptors: set[tuple[int, str]]) -> list[str]:
    left = [f"thread {thread.name!r}" for thread in _threads() - threads]
    left += [f"descriptor {fd} of {target}" for fd, target in sorted(_descriptors() - descriptors)]
    return left


@pytest.fixture(autouse=True)
def no_leaked_threads_or_descriptors() -> Iterator[None]:
    """Fails the test at its end if a thread or a file descriptor of its own is still there."""
    threads, descriptors = _threads(), _descriptors()
    yield
    deadline = time.monotonic() + GRACE
    while left := _leftovers(threads, descriptors):
        if time.monotonic() > deadline:
            pytest.fail("left behind by the test: " + "; ".join(left), pytrace=False)
        gc.collect()  # what only the collector closes is reported by its ResourceWarning
        time.sleep(0.01)


@pytest_asyncio.fixture
async def _no_leaked_tasks() -> AsyncIterator[None]:
    before = asyncio.all_tasks()
    yield
    mine = asyncio.current_task()
    deadline = time.monotonic() + GRACE
    while left := [task for task in asyncio.all_tasks() - before if task is not mine and not task.done()]:
        if time.monotonic() > deadline:
            pytest.fail("tasks left behind by the test: " + "; ".join(map(repr, left)), pytrace=False)
        await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def no_leaked_tasks(request: pytest.FixtureRequest, no_leaked_threads_or_descriptors: None) -> None:
    """Fails an asyncio test at its end, before its loop is closed, if a task of its own still runs."""
    if request.node.get_closest_marker("asyncio") is not None:
        request.getfixturevalue("_no_leaked_tasks")


@pytest.fixture(autouse=True)
def no_bad_log_calls(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fails the test if a logging call's message does not fit its arguments.

    logging itself only prints that, and pytest's own handler raises it into the code under test, which
    may well catch it: both are made to note it instead.
    """
    bad: list[str] = []

    def note(handler: logging.Handler, record: logging.LogRecord) -> None:
        where = f"{record.pathname}:{record.lineno}"
        bad.append(f"{where}: {record.msg!r} % {record.args!r}: {sys.exc_info()[1]}")

    monkeypatch.setattr(logging.Handler, "handleError", note)
    monkeypatch.setattr(type(caplog.handler), "handleError", note)
    yield
    if bad:
        pytest.fail("badly formatted log calls:\n" + "\n".join(bad), pytrace=False)
