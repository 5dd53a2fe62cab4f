"""Fixtures of the MQTT side: brokers and boards that are gone when the test is."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from brokers import Board, Mosquitto


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Callable[..., Mosquitto]]:
    """A maker of running brokers; the configuration's listener line is there already."""
    made: list[Mosquitto] = []

    def make(config: str = "allow_anonymous true") -> Mosquitto:
        broker = Mosquitto(tmp_path, config)
        made.append(broker)
        broker.start()
        return broker

    yield make
    for broker in made:
        broker.kill()


@pytest_asyncio.fixture
async def enter_board() -> AsyncIterator[Callable[..., Awaitable[Board]]]:
    """A maker of boards that have subscribed to everything: `await enter_board(port, *options)`."""
    made: list[Board] = []

    async def enter(port: int, *options: str) -> Board:
        made.append(await Board.enter(port, *options))
        return made[-1]

    yield enter
    await asyncio.gather(*(board.leave() for board in made))
