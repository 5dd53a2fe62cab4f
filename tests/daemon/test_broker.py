"""The demonstration's broker: what it does for the table's client and for boards, and how it ends."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Sequence

import pytest
from brokers import Board, free_port, publish
from patience import PATIENCE, until
from structlog.testing import capture_logs
from websockets.asyncio.client import connect

from daemon.demo_broker import demo_broker
from daemon.errors import AlreadyRunningError
from daemon.mqtt.client import TableClient
from daemon.mqtt.settings import MqttSettings
from daemon.records import Message

ROOT = "mesad/v1/demo/ruleta-01/"
CONNECT_311 = b"\x10\x10\x00\x04MQTT\x04\x02\x00\x00\x00\x04test"

EnterBoard = Callable[..., Awaitable[Board]]


def client(url: str, commands: list[str] | None = None, delivered: list[int] | None = None) -> TableClient:
    """A table's client that shows itself ready; its journal holds nothing."""

    async def backlog(after: int, limit: int) -> Sequence[tuple[int, Message]]:
        return []

    made = TableClient(
        MqttSettings(url=url),
        ROOT,
        Message("status", b"lost", True),
        backlog=backlog,
        on_command=lambda name, *_: (commands if commands is not None else []).append(name),
        on_delivered=(delivered if delivered is not None else []).append,
        on_state=lambda *_: None,
        on_denied=lambda *_: None,
        on_allowed=lambda _: None,
    )
    made.show(Message("status", b"ready", True))
    return made


async def test_a_table_connects_at_once_and_publishes_with_3_1_1(
    enter_board: EnterBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.mqtt.connection.CONNACK_TIMEOUT", 2 * PATIENCE)
    async with demo_broker() as broker:
        board = await enter_board(broker.port)
        delivered: list[int] = []
        table = client(broker.url, delivered=delivered)
        running = asyncio.create_task(table.run())
        await until(lambda: table.connected)  # without waiting for the answer to MQTT 5
        assert table.protocol == "3.1.1"
        for number in range(1, 51):
            table.publish(number, Message("event/round", str(number).encode(), False))
        await until(lambda: len(board.payloads("event/round")) == 50)
        assert board.payloads("event/round") == [str(number) for number in range(1, 51)]
        await until(lambda: delivered == list(range(1, 51)))
        await table.close(Message("status", b"closed", True))
        await running
        await until(lambda: board.payloads("status") == ["ready", "closed"])


async def test_a_late_board_gets_what_is_retained_and_a_cleared_topic_is_gone(
    enter_board: EnterBoard,
) -> None:
    async with demo_broker() as broker:
        await publish(broker.port, "a/phase", "betting", "-r")
        await publish(broker.port, "a/fault", "broken", "-r")
        await publish(broker.port, "a/fault", "", "-r")
        await publish(broker.port, "a/event", "gone")
        board = await enter_board(broker.port)
        await publish(broker.port, "a/event", "heard")
        await until(lambda: len(board.heard) >= 2)
        assert [(heard.topic, heard.retained, heard.payload) for heard in board.heard] == [
            ("a/phase", True, "betting"),
            ("a/event", False, "heard"),
        ]


async def test_a_table_that_is_killed_is_lost_and_then_ready_again(enter_board: EnterBoard) -> None:
    async with demo_broker() as broker:
        board = await enter_board(broker.port)
        for round_ in (1, 2):
            table = client(broker.url)
            running = asyncio.create_task(table.run())
            await until(lambda count=round_: board.payloads("status").count("ready") == count)
            running.cancel()
            await asyncio.wait([running])
            await until(lambda count=round_: board.payloads("status").count("lost") == count)
        assert board.payloads("status") == ["ready", "lost", "ready", "lost"]
        late = await enter_board(broker.port)
        await until(lambda: late.payloads("status") == ["lost"])


async def test_commands_reach_the_table_and_others_retained_messages_do_not(enter_board: EnterBoard) -> None:
    async with demo_broker() as broker:
        await enter_board(broker.port)
        await publish(broker.port, ROOT + "cmd/void", "{}", "-r")
        commands: list[str] = []
        table = client(broker.url, commands)
        running = asyncio.create_task(table.run())
        await until(lambda: table.connected)
        await publish(broker.port, ROOT + "cmd/open", "{}")
        await until(lambda: commands)
        assert commands == ["open"]
        assert (
            table.ignored == 1
        )  # the retained one, which it subscribed to; not again for the board's wildcard
        await table.close(Message("status", b"closed", True))
        await running


async def test_a_browser_speaks_with_it_over_a_websocket(enter_board: EnterBoard) -> None:
    async with demo_broker() as broker:
        board = await enter_board(broker.port)
        async with connect(broker.ws_url, subprotocols=["mqtt"]) as socket_:  # type: ignore[list-item]
            await socket_.send(CONNECT_311)
            assert await socket_.recv() == b"\x20\x02\x00\x00"
            await socket_.send(b"\x30\x07\x00\x03a/bhi")
            await until(lambda: board.payloads("a/b") == ["hi"])


@pytest.mark.parametrize(
    "first", [b"GET / HTTP/1.1\r\n\r\n", b"\x10\x0c\x00\x06MQIsdp\x03\x00\x00\x00", b"\xff" * 64]
)
async def test_what_is_not_mqtt_is_shown_the_door(first: bytes) -> None:
    async with demo_broker() as broker:
        reader, writer = await asyncio.open_connection("127.0.0.1", broker.port)
        writer.write(first)
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
        writer.close()


async def test_a_client_of_mqtt_5_is_refused_in_a_form_that_all_understand() -> None:
    async with demo_broker() as broker:
        reader, writer = await asyncio.open_connection("127.0.0.1", broker.port)
        writer.write(b"\x10\x11\x00\x04MQTT\x05\x02\x00\x00\x00\x00\x04test")
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b"\x20\x02\x00\x01"
        writer.close()


async def test_it_listens_on_the_loopback_address_only() -> None:
    async with demo_broker() as broker:
        for port in (broker.port, broker.ws_port):
            with pytest.raises(OSError, match="refused"):
                socket.create_connection(("127.0.0.2", port), timeout=1)
            socket.create_connection(("127.0.0.1", port), timeout=1).close()


async def test_it_stops_at_once_whoever_is_connected_and_leaves_the_ports_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daemon.demo_broker.STOP_TIMEOUT", PATIENCE)
    port, ws_port = free_port(), free_port()
    for _ in range(2):
        with capture_logs() as lines:
            async with demo_broker(port, ws_port) as broker:
                assert (broker.port, broker.ws_port) == (port, ws_port)
                _, silent = await asyncio.open_connection("127.0.0.1", port)
                reader, greeted = await asyncio.open_connection("127.0.0.1", port)
                greeted.write(CONNECT_311)
                await reader.readexactly(4)
                greeted.write(b"\xc0\x00")  # a ping: once it is answered, the connection's reader has begun
                await reader.readexactly(2)
        assert lines == [], "nobody was slow to stop"
        silent.close()
        greeted.close()


async def test_a_port_that_is_taken_is_named() -> None:
    port = free_port()
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", port))
        holder.listen()
        with pytest.raises(AlreadyRunningError, match=str(port)):
            async with demo_broker(ws_port=port):
                pass
        with pytest.raises(AlreadyRunningError, match=str(port)):
            async with demo_broker(port):
                pass
