"""A broker, a wire and a daemon for each end-to-end test."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from brokers import ANYBODY, Mosquitto, free_port
from hall import Board, Daemon, Wire


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """A Mosquitto that runs."""
    made = Mosquitto(tmp_path, ANYBODY)
    made.start()
    yield made
    made.kill()


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    """A wheel's wire, plugged in."""
    made = Wire(tmp_path / "wheel")
    made.plug()
    yield made
    made.unplug()


@pytest.fixture
def wheel_port() -> int:
    """The TCP port at which a simulated wheel is going to be."""
    return free_port()


@pytest.fixture
def changes() -> dict[str, Any]:
    """What a test wants otherwise in the table file; parametrised where one does."""
    return {}


@pytest.fixture
def daemon(tmp_path: Path, broker: Mosquitto, wire: Wire, changes: dict[str, Any]) -> Iterator[Daemon]:
    """A daemon on that wire and broker, not yet started."""
    made = Daemon(tmp_path, broker.port, wire.path, **changes)
    yield made
    made.end()


@pytest_asyncio.fixture
async def board(broker: Mosquitto, wire: Wire, daemon: Daemon) -> AsyncIterator[Board]:
    """A board that listens to the daemon, which is ready: the wheel said that it is closed."""
    async with Board(broker.port) as listening:
        daemon.start()
        await listening.opened()
        await wire.closed()
        await listening.ready()
        yield listening
