"""A broker inside the process, for `mesad demo` and nothing else: loopback only, anonymous, in memory.

It is amqtt, which speaks MQTT 3.1.1 over TCP and WebSocket. Given an MQTT 5 client's first packet it (0.12)
reads a length too far and waits for bytes that never come, so such a packet is met here, with the answer that
the standard has for it: refused, unacceptable protocol version. A client that can falls back at once.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import structlog
from amqtt.adapters import (
    ReaderAdapter,
    StreamReaderAdapter,
    StreamWriterAdapter,
    WebSocketsReader,
    WebSocketsWriter,
    WriterAdapter,
)
from amqtt.broker import Broker
from amqtt.errors import BrokerError
from amqtt.session import Session
from websockets.asyncio.server import ServerConnection

from daemon.errors import AlreadyRunningError

HOST = "127.0.0.1"
CONNECT_TIMEOUT = 10.0
"""Seconds that a client has for its first packet."""
STOP_TIMEOUT = 2.0

_log = structlog.get_logger("mesad.broker")

_MQTT_311 = 4
_CONNECT = 0x10
_PROTOCOL = b"\x00\x04MQTT"
_LONGEST_HEADER = 5
_REFUSED_VERSION = b"\x20\x02\x00\x01"
_NOISY = {"amqtt": logging.CRITICAL, "transitions": logging.WARNING, "websockets": logging.CRITICAL}
"""What the broker's libraries may log: they tell every client's going with a traceback."""


@dataclass(frozen=True)
class DemoBroker:
    """Where the broker listens."""

    port: int
    ws_port: int

    @property
    def url(self) -> str:
        """For MQTT clients."""
        return f"mqtt://{HOST}:{self.port}"

    @property
    def ws_url(self) -> str:
        """For browsers."""
        return f"ws://{HOST}:{self.ws_port}"


@contextlib.asynccontextmanager
async def demo_broker(port: int = 0, ws_port: int = 0) -> AsyncIterator[DemoBroker]:
    """The broker, as long as the context lasts; port 0 takes a free one.

    Raises AlreadyRunningError where a port is taken. What was retained is gone afterwards.
    """
    with _quiet():
        broker = _LoopbackBroker(
            {
                "listeners": {
                    "default": {"type": "tcp", "bind": f"{HOST}:{port}"},
                    "ws": {"type": "ws", "bind": f"{HOST}:{ws_port}"},
                },
                "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
            }
        )
        try:
            await broker.start()
        except BrokerError as error:
            await broker.close_listeners()
            raise AlreadyRunningError(f"port {port} or {ws_port} of {HOST}", "another program") from error
        try:
            yield DemoBroker(broker.port_of("default"), broker.port_of("ws"))
        finally:
            await broker.stop()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    levels = {name: logging.getLogger(name).level for name in _NOISY}
    for name, level in _NOISY.items():
        logging.getLogger(name).setLevel(level)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


class _LoopbackBroker(Broker):
    """amqtt's broker, which looks at each client's first packet and leaves no connection behind."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config)
        self._clients: set[asyncio.Task[Any]] = set()
        self._strangers: dict[asyncio.Task[Any], WriterAdapter] = {}  # clients whose first packet is awaited

    def port_of(self, listener: str) -> int:
        """The port that a listener got."""
        instance = self._servers[listener].instance
        return int(next(iter(instance.sockets)).getsockname()[1])

    async def close_listeners(self) -> None:
        """For a start that failed half-way: close what was opened."""
        for server in self._servers.values():
            await server.close_instance()

    async def stop(self) -> None:
        """Shut down; whoever does not let go is cut off."""
        for server in self._servers.values():
            server.instance.close()
        for writer in list(self._strangers.values()):
            await writer.close()
        try:
            await asyncio.wait_for(self.shutdown(), STOP_TIMEOUT)
        except TimeoutError:
            _log.warning("demo_broker_slow_to_stop", connections=len(self._clients))
            await self._end_loops()
        if self._clients:
            _, late = await asyncio.wait(self._clients, timeout=STOP_TIMEOUT)
            for client in late:
                client.cancel()

    async def _end_loops(self) -> None:
        """What a shutdown that was given up has left running.

        amqtt 0.12 waits for ever for the end of a connection's reader that it cancelled before it began.
        """
        await self._shutdown_broadcast_loop()
        if self._session_monitor_task is not None:
            self._session_monitor_task.cancel()
            await asyncio.gather(self._session_monitor_task, return_exceptions=True)
        await self.close_listeners()

    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Session
    ) -> None:
        """amqtt 0.12 asks this of a newcomer for every client's subscriptions: only its own count."""
        subscribers = self._subscriptions.get(subscription[0], ())
        if any(subscriber.client_id == session.client_id for subscriber, _ in subscribers):
            await super()._publish_retained_messages_for_subscription(subscription, session)

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        """A TCP client."""
        await self._meet(StreamReaderAdapter(reader), StreamWriterAdapter(writer), listener_name)

    async def ws_connected(self, websocket: ServerConnection, listener_name: str) -> None:
        """A WebSocket client."""
        await self._meet(WebSocketsReader(websocket), WebSocketsWriter(websocket), listener_name)

    async def _meet(self, reader: ReaderAdapter, writer: WriterAdapter, listener_name: str) -> None:
        """Refuse by its first packet what is not MQTT 3.1.1; hand the rest to amqtt as if unread."""
        client = asyncio.current_task()
        assert client is not None
        self._clients.add(client)
        self._strangers[client] = writer
        try:
            seen = await _beginning(reader)
            if seen is None or seen[-1] != _MQTT_311:
                if seen is not None:
                    writer.write(_REFUSED_VERSION)
                    await writer.drain()
                await writer.close()
                return
            del self._strangers[client]
            await self.external_connected(_Replayed(seen, reader), writer, listener_name)
        except OSError:
            pass  # the client went away while it was being met
        finally:
            self._clients.discard(client)
            self._strangers.pop(client, None)


async def _beginning(reader: ReaderAdapter) -> bytes | None:
    """A CONNECT packet up to its protocol level; None for anything else, or for nothing in time."""
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT):
            seen = await reader.read(2)
            while len(seen) < _LONGEST_HEADER and seen[-1:] >= b"\x80":
                seen += await reader.read(1)
            seen += await reader.read(len(_PROTOCOL) + 1)
    except (asyncio.IncompleteReadError, TimeoutError):
        return None
    return seen if seen[0] == _CONNECT and seen[-1 - len(_PROTOCOL) : -1] == _PROTOCOL else None


class _Replayed(ReaderAdapter):
    """A reader whose first bytes were read already."""

    def __init__(self, seen: bytes, reader: ReaderAdapter) -> None:
        self._seen = seen
        self._reader = reader

    async def read(self, n: int = -1) -> bytes:
        """As the reader itself would have read."""
        if not self._seen:
            return await self._reader.read(n)
        end = len(self._seen) if n < 0 else n
        seen, self._seen = self._seen[:end], self._seen[end:]
        missing = n - len(seen)
        return seen + await self._reader.read(missing) if missing else seen

    def feed_eof(self) -> None:
        """As the reader itself."""
        self._reader.feed_eof()
