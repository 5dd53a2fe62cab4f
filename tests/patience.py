"""How long a test waits for what must come: a limit for what hangs, and no measure of speed."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator

PATIENCE = 60.0
"""Seconds. The slowest machine needs less, and only a test that fails waits so long."""

SLACK = 0.1
"""Seconds by which the clocks of two processors may differ: some virtual machines keep them that badly."""


async def until(condition: Callable[[], object], what: str = "") -> None:
    """Wait for a condition, `what` in words; fails the test after `PATIENCE`."""
    for pause in _pauses(condition, what):
        await asyncio.sleep(pause)


def wait_for(condition: Callable[[], object], what: str = "") -> None:
    """The same where there is no loop."""
    for pause in _pauses(condition, what):
        time.sleep(pause)


def _pauses(condition: Callable[[], object], what: str) -> Iterator[float]:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain{' for ' if what else ''}{what}"
        yield 0.002


def ends(call: Callable[[], object]) -> bool:
    """Whether a call that must not wait for anybody ends, within `PATIENCE`. What it raises is raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - a failed assertion too, for the test's own thread
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    if raised:
        raise raised[0]
    return not thread.is_alive()
