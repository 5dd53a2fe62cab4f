"""The table's client against real brokers that die, freeze, deny and come back, and odd feigned ones."""

import asyncio
import contextlib
import logging
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from brokers import ACCEPT_5, ACCEPT_311, Board, FeignedBroker, Mosquitto, free_port, publish
from patience import PATIENCE, until
from structlog.testing import capture_logs

from daemon.mqtt import client as table_client
from daemon.mqtt import connection as mqtt
from daemon.mqtt.client import TableClient
from daemon.mqtt.outbox import IN_FLIGHT, LIVE_SHARE
from daemon.mqtt.settings import MqttSettings
from daemon.records import Message

PROJECT = Path(__file__).parents[2]
ROOT = "mesad/v1/madrid-1/ruleta-01/"
LOST = Message("status", b"lost", True)
CLOSED = Message("status", b"closed", True)

MakeMosquitto = Callable[..., Mosquitto]
EnterBoard = Callable[..., Awaitable[Board]]


class Table:
    """A client with its owner: a journal, and a note of all that the client tells."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.undelivered: dict[int, Message] = {}
        self.delivered: list[int] = []
        self.commands: list[tuple[str, bytes, str | None, bytes | None]] = []
        self.states: list[tuple[bool, str | None]] = []
        self.denied: list[tuple[str, str]] = []
        self.allowed: list[str] = []
        self.readable = asyncio.Event()
        self.readable.set()
        self.last = 0
        self.client = TableClient(
            MqttSettings(url=url, **settings),
            ROOT,
            LOST,
            backlog=self._backlog,
            on_command=lambda *command: self.commands.append(command),
            on_delivered=self._delivered,
            on_state=lambda *state: self.states.append(state),
            on_denied=lambda *denial: self.denied.append(denial),
            on_allowed=self.allowed.append,
        )
        self.client.show(Message("status", b"ready", True))
        self.running: asyncio.Task[None] | None = None

    async def _backlog(self, after: int, limit: int) -> Sequence[tuple[int, Message]]:
        await self.readable.wait()
        return [entry for entry in sorted(self.undelivered.items()) if entry[0] > after][:limit]

    def _delivered(self, outbox_id: int) -> None:
        self.delivered.append(outbox_id)
        del self.undelivered[outbox_id]

    def publish(self, topic: str, payload: str) -> None:
        """Journal a message and hand it over."""
        self.last += 1
        message = Message(topic, payload.encode(), not topic.startswith("event/"))
        self.undelivered[self.last] = message
        self.client.publish(self.last, message)

    def show(self, topic: str, payload: str) -> None:
        """Show live state."""
        self.client.show(Message(topic, payload.encode(), True))

    def start(self) -> None:
        """Run the client."""
        self.running = asyncio.create_task(self.client.run(), name="client")

    async def connected(self) -> None:
        """Start if need be, and wait for a connection."""
        if self.running is None:
            self.start()
        await until(lambda: self.client.connected or (self.running and self.running.done()), "a connection")
        if self.running is not None and self.running.done():
            await self.running

    async def settled(self) -> None:
        """Wait until the journal has nothing to deliver."""
        await until(lambda: not self.undelivered, f"{len(self.undelivered)} messages to be delivered")

    async def failed(self, text: str) -> None:
        """Wait until the client tells a failure with this text."""
        await until(lambda: any(not up and text in (why or "") for up, why in self.states), text)

    async def kill(self) -> None:
        """End the client without a farewell."""
        if self.running is not None:
            self.running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.running


@contextlib.asynccontextmanager
async def table(url: str, **settings: Any) -> AsyncIterator[Table]:
    """A table that is killed at the end, if it is not gone by then."""
    made = Table(url, **settings)
    try:
        yield made
    finally:
        await made.kill()


@pytest.fixture(autouse=True)
def quick_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests do not wait for five seconds."""
    monkeypatch.setattr(table_client, "LAST_DELAY", 0.2)


# --- the order of a connection -----------------------------------------------------------------


async def test_a_connection_speaks_5_and_gives_status_live_state_and_backlog_in_order(
    mosquitto: MakeMosquitto, enter_board: EnterBoard
) -> None:
    broker = mosquitto()
    board = await enter_board(broker.port)
    async with table(broker.url) as there:
        there.show("phase", "betting")
        for number in range(200):
            there.publish("event/round", str(number))
        await there.connected()
        assert there.client.protocol == "5"
        await there.settled()
        await until(lambda: len(board.heard) == 202)
        assert [(heard.topic, heard.payload) for heard in board.heard[:2]] == [
            (ROOT + "status", "ready"),
            (ROOT + "phase", "betting"),
        ]
        assert board.payloads("event/round") == [str(number) for number in range(200)]
        assert there.delivered == list(range(1, 201))
        assert there.states == [(True, None)]


async def test_a_board_that_comes_late_finds_the_retained_state(
    mosquitto: MakeMosquitto, enter_board: EnterBoard
) -> None:
    broker = mosquitto()
    async with table(broker.url) as there:
        await there.connected()
        there.show("phase", "betting")
        there.show("fault/sensor", "broken")
        there.publish("result", "17")
        there.show("fault/sensor", "")
        await there.settled()
        board = await enter_board(broker.port)
        await until(lambda: len(board.heard) == 3)
        assert sorted((heard.topic.removeprefix(ROOT), heard.payload) for heard in board.heard) == [
            ("phase", "betting"),
            ("result", "17"),
            ("status", "ready"),
        ]
        assert all(heard.retained for heard in board.heard)


async def test_when_the_broker_dies_between_two_results_both_arrive_and_the_newest_is_retained(
    mosquitto: MakeMosquitto, enter_board: EnterBoard
) -> None:
    broker = mosquitto()
    async with table(broker.url) as there:
        await there.connected()
        there.show("phase", "result 1")
        there.publish("result", "1")
        await there.settled()
        broker.kill()
        await there.failed("broke")
        there.readable.clear()
        there.publish("result", "2")
        there.show("phase", "result 2")
        there.publish("result", "3")
        there.show("fault/sensor", "")
        broker.start()
        board = await enter_board(broker.port)
        await until(lambda: board.payloads("phase") == ["result 2"])
        there.readable.set()
        await there.settled()
        await until(lambda: len(board.payloads("result")) == 2)
        assert board.payloads("result") == ["2", "3"]
        late = await enter_board(broker.port)
        await until(lambda: len(late.heard) == 3)
        assert late.payloads("result") == ["3"]
        assert late.payloads("status") == ["ready"]


async def test_what_a_broker_forgot_is_there_again_when_it_returns(
    mosquitto: MakeMosquitto, enter_board: EnterBoard
) -> None:
    broker = mosquitto()
    async with table(broker.url) as there:
        await there.connected()
        there.publish("result", "17")
        there.show("phase", "betting")
        await there.settled()
        broker.kill()
        await there.failed("broke")
        broker.start()
        await there.connected()
        await until(lambda: len(there.states) == 3)
        board = await enter_board(broker.port)
        await until(lambda: len(board.heard) == 3)
        assert board.payloads("result") == ["17"]
        assert there.delivered == [1]


PROCESS = """
import asyncio, sys
from daemon.mqtt.settings import MqttSettings
from daemon.records import Message
from daemon.mqtt.client import TableClient

async def backlog(after, limit):
    return []

async def main():
    will = Message("status", b"lost", True)
    client = TableClient(MqttSettings(url=sys.argv[1]), {root!r}, will, backlog=backlog,
        on_command=print, on_delivered=print, on_denied=print, on_allowed=print, on_state=print)
    client.show(Message("status", b"ready", True))
    await client.run()

asyncio.run(main())
"""


async def test_kill_9_makes_the_will_say_lost_and_a_restart_makes_it_right(
    mosquitto: MakeMosquitto, enter_board: EnterBoard
) -> None:
    broker = mosquitto()
    board = await enter_board(broker.port)
    for round_ in (1, 2):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROCESS.format(root=ROOT), broker.url,
            cwd=PROJECT, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        await until(lambda count=round_: board.payloads("status").count("ready") == count)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        await until(lambda count=round_: board.payloads("status").count("lost") == count)
    async with table(broker.url) as there:
        await there.connected()
        await until(lambda: board.payloads("status")[-1] == "ready")
    late = await enter_board(broker.port)
    await until(lambda: late.payloads("status") == ["lost"])  # for the last one was killed, too


# --- brokers that deny -------------------------------------------------------------------------

ACL = "allow_anonymous true\nacl_file {}\n"


def access_list(folder: Path, *denied: str) -> str:
    """Configuration lines: everybody may do everything but publish to these topics."""
    path = folder / "acl"
    lines = [f"topic deny {ROOT}{topic}" for topic in denied]
    path.write_text("\n".join(["topic readwrite #", "topic read $SYS/#", *lines]) + "\n")
    return ACL.format(path)


async def test_a_denied_publish_is_told_once_and_delivered_when_it_is_allowed(
    mosquitto: MakeMosquitto, enter_board: EnterBoard, tmp_path: Path
) -> None:
    broker = mosquitto(access_list(tmp_path, "event/round", "phase"))
    async with table(broker.url) as there:
        await there.connected()
        for number in range(5):
            there.publish("event/round", str(number))
        there.show("phase", "betting")
        there.show("phase", "in_play")
        there.publish("result", "17")
        await until(lambda: there.client.denied == 7 and there.delivered == [6])
        assert sorted(there.denied) == [("event/round", "Not authorized"), ("phase", "Not authorized")]
        broker.kill()
        await there.failed("broke")
        there.readable.clear()
        broker.start(access_list(tmp_path))
        board = await enter_board(broker.port)
        there.readable.set()
        await there.settled()
        await until(lambda: len(board.payloads("event/round")) == 5)
        assert board.payloads("event/round") == ["0", "1", "2", "3", "4"]
        assert board.payloads("phase") == ["in_play"]
        broker.kill()
        await until(lambda: not there.client.connected)
        broker.start(access_list(tmp_path, "phase"))
        await until(lambda: [topic for topic, _ in there.denied].count("phase") == 2)  # allowed in between


async def test_what_was_denied_is_delivered_on_the_same_connection_when_the_list_is_mended(
    mosquitto: MakeMosquitto, enter_board: EnterBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_client, "PROBE_APART", 0.2)
    monkeypatch.setattr(table_client, "REWIND_APART", 0.1)
    broker = mosquitto(access_list(tmp_path, "event/round", "result", "phase"))
    board = await enter_board(broker.port)
    async with table(broker.url) as there:
        await there.connected()
        there.show("phase", "betting")
        for number in range(100):
            there.publish("event/round", str(number))
            there.publish("result", str(number))
        await until(lambda: there.client.denied >= 205)
        assert there.delivered == []
        access_list(tmp_path, "phase")
        broker.reload()
        await there.settled()
        for topic in ("event/round", "result"):  # each comes back at its own probe, in either order
            await until(lambda topic=topic: board.payloads(topic)[-1:] == ["99"])
        assert sorted(there.allowed) == ["event/round", "result"]
        assert board.payloads("event/round") == [str(number) for number in range(100)]
        access_list(tmp_path)
        broker.reload()
        await until(lambda: board.payloads("phase"))
        assert there.states == [(True, None)]
        assert len(set(there.delivered)) == 200


async def test_a_denied_subscription_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_client, "PROBE_APART", 0.1)
    async with FeignedBroker(lambda level: ACCEPT_5) as broker, table(broker.url) as there:
        broker.subscription = b"\x87"
        await there.connected()
        await until(lambda: there.denied)
        broker.subscription = b"\x01"
        await until(lambda: there.allowed == ["cmd/+"])


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_faults_of_a_former_run_are_cleared_and_the_tables_own_stay(
    mosquitto: MakeMosquitto, enter_board: EnterBoard, protocol: str
) -> None:
    broker = mosquitto()
    for topic in ("fault/old", "fault/own", "fault/NOT-ONE", "device/old"):
        await publish(broker.port, ROOT + topic, "former", "-r")
    first = await enter_board(broker.port)
    async with table(broker.url, protocol=protocol) as there:
        there.show("fault/own", "now")
        await there.connected()
        await until(lambda: first.payloads("fault/old")[-1:] == [""])
        late = await enter_board(broker.port)
        await publish(broker.port, ROOT + "fault/other", "not retained")
        there.show("fault/late", "raised")
        await until(lambda: late.payloads("fault/late"))
        retained = {heard.topic.removeprefix(ROOT): heard.payload for heard in late.heard if heard.retained}
        assert retained == {
            "status": "ready",
            "fault/own": "now",
            "fault/NOT-ONE": "former",
            "device/old": "former",
        }
        assert there.client.ignored == 0
        there.show("fault/late", "")
        await until(lambda: "" in late.payloads("fault/late"))
        await there.kill()
        later = await enter_board(broker.port)
        await until(lambda: later.payloads("status"))
        assert not later.payloads("fault/old") + later.payloads("fault/late") + later.payloads("fault/other")


async def test_a_broker_that_forbids_to_hear_faults_is_no_fault() -> None:
    async with FeignedBroker(lambda level: ACCEPT_5) as broker, table(broker.url) as there:
        broker.subscription_of = {"fault/+": b"\x87"}
        with capture_logs() as logs:
            await there.connected()
            await until(lambda: any(entry["event"] == "old_faults_stay" for entry in logs))
        assert there.denied == []


async def test_a_denied_subscription_is_told_once_over_all_connections() -> None:
    async with FeignedBroker(lambda level: ACCEPT_5) as broker, table(broker.url) as there:
        broker.subscription = b"\x87"
        await there.connected()
        await until(lambda: there.denied)
        await broker.hang_up()
        await until(lambda: len(there.states) == 3)
        there.publish("event/round", "1")
        await there.settled()  # so the second answer is there as well
        assert there.denied == [("cmd/+", "Not authorized")]


async def test_over_3_1_1_a_denial_cannot_be_seen(mosquitto: MakeMosquitto, tmp_path: Path) -> None:
    broker = mosquitto(access_list(tmp_path, "event/round"))
    async with table(broker.url, protocol="3.1.1") as there:
        await there.connected()
        there.publish("event/round", "1")
        await there.settled()
        assert there.client.denied == 0
        assert there.denied == []


async def test_a_message_that_is_too_long_for_the_broker_does_not_stop_the_others() -> None:
    def takes_2000_bytes(level: int) -> bytes:
        return b"\x20\x08\x00\x00\x05\x27" + (2000).to_bytes(4) if level == 5 else ACCEPT_311

    async with FeignedBroker(takes_2000_bytes) as broker, table(broker.url) as there:
        await there.connected()
        there.publish("event/round", "x" * 3000)
        there.publish("event/round", "short")
        await until(lambda: there.delivered == [2])
        assert there.denied == [("event/round", "the broker takes 2000 bytes at most")]
        assert list(there.undelivered) == [1]
        assert there.allowed == []  # a short one does not tell that the long one is taken


@pytest.mark.parametrize("correlation", [None, b"c" * 20, b"c" * 125])
async def test_a_message_as_long_as_the_broker_takes_is_sent_and_one_byte_more_is_not(
    mosquitto: MakeMosquitto, enter_board: EnterBoard, correlation: bytes | None
) -> None:
    broker = mosquitto("allow_anonymous true\nmax_packet_size 1000")
    board = await enter_board(broker.port)
    properties = 1 if correlation is None else 4 + len(correlation) + (len(correlation) == 125)
    room = 1000 - 3 - 2 - len("replies/7") - 2 - properties
    async with table(broker.url) as there:
        await there.connected()
        assert there.client.answer("replies/7", b"x" * (room + 1), correlation)
        assert there.client.answer("replies/7", b"x" * room, correlation)
        await until(lambda: board.payloads("replies/7"))
        assert board.payloads("replies/7") == ["x" * room]
        assert there.client.denied == 1
        assert there.client.connected
        assert board.payloads("status") == ["ready"]


# --- the protocol's version --------------------------------------------------------------------

REFUSALS = {
    "an MQTT 5 answer": b"\x20\x03\x00\x84\x00",
    "a 3.1.1 answer": b"\x20\x02\x00\x01",
    "Mosquitto's mixture": b"\x20\x02\x00\x84",
    "an end of the connection": None,
    "an acceptance in the wrong form": ACCEPT_311,
    "silence": b"",
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS.keys())
async def test_a_broker_that_refuses_5_gets_3_1_1(
    refusal: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(level: int) -> bytes | None:
        monkeypatch.setattr(mqtt, "CONNACK_TIMEOUT", PATIENCE)  # which the second attempt takes
        return refusal if level == 5 else ACCEPT_311

    monkeypatch.setattr(mqtt, "CONNACK_TIMEOUT", 0.3 if refusal == b"" else PATIENCE)
    async with FeignedBroker(answer) as broker, table(broker.url) as there:
        there.publish("event/round", "1")
        await there.connected()
        assert there.client.protocol == "3.1.1"
        await there.settled()
        assert broker.levels == [5, 4]
        assert broker.published == [(ROOT + "status", b"ready"), (ROOT + "event/round", b"1")]
        assert there.states == [(True, None)]


async def test_a_broker_that_has_spoken_5_is_not_taken_for_an_old_one_when_it_is_in_trouble() -> None:
    async with FeignedBroker(lambda level: ACCEPT_5) as broker, table(broker.url) as there:
        await there.connected()
        broker.answer = lambda level: None if level == 5 else ACCEPT_311
        await broker.hang_up()
        await until(lambda: len(broker.levels) >= 4)
        broker.answer = lambda level: ACCEPT_5
        await there.connected()
        assert set(broker.levels) == {5}
        broker.answer = lambda level: b"\x20\x02\x00\x01" if level == 5 else ACCEPT_311
        await broker.hang_up()
        await until(lambda: there.client.protocol == "3.1.1")


async def test_a_version_that_is_configured_is_the_only_one_tried() -> None:
    async with FeignedBroker(lambda level: b"\x20\x02\x00\x01") as broker:
        for protocol, level in (("5", 5), ("3.1.1", 4)):
            broker.levels.clear()
            async with table(broker.url, protocol=protocol) as there:
                there.start()
                await until(lambda: len(broker.levels) >= 3)
                assert set(broker.levels) == {level}
                assert not there.client.connected
                assert not there.states[0][0]


async def test_no_more_is_in_flight_than_the_broker_said_it_takes() -> None:
    def takes_2(level: int) -> bytes:
        return b"\x20\x06\x00\x00\x03\x21\x00\x02" if level == 5 else ACCEPT_311

    async with FeignedBroker(takes_2) as broker, table(broker.url) as there:
        broker.acknowledging = False
        for number in range(20):
            there.publish("event/round", str(number))
        await there.connected()
        while there.undelivered:
            await until(lambda: broker.unacknowledged or not there.undelivered)
            if broker.unacknowledged:
                broker.acknowledge()
        assert broker.most_unacknowledged == 2
        assert [payload for topic, payload in broker.published if topic.endswith("round")] == [
            str(number).encode() for number in range(20)
        ]


# --- brokers that are slow or dead -------------------------------------------------------------


async def test_live_state_does_not_wait_for_a_backlog_that_is_not_acknowledged() -> None:
    async with FeignedBroker(lambda level: ACCEPT_5) as broker, table(broker.url) as there:
        await there.connected()
        await until(lambda: broker.published)
        broker.acknowledging = False
        for number in range(100):
            there.publish("event/round", str(number))
        there.show("phase", "no_more_bets")
        await until(lambda: broker.published[-1] == (ROOT + "phase", b"no_more_bets"))
        assert len(broker.published) == 1 + IN_FLIGHT - LIVE_SHARE + 1


async def test_a_frozen_broker_loses_nothing_and_costs_no_memory(
    mosquitto: MakeMosquitto, enter_board: EnterBoard
) -> None:
    broker = mosquitto()
    board = await enter_board(broker.port)
    async with table(broker.url) as there:
        await there.connected()
        await until(lambda: board.payloads("status"))
        broker.freeze()
        for number in range(500):
            there.publish("event/round", str(number))
            there.show("phase", str(number))
            if number % 50 == 0:
                await asyncio.sleep(0.01)
        broker.thaw()
        await there.settled()
        await until(
            lambda: len(board.payloads("event/round")) == 500 and board.payloads("phase")[-1] == "499"
        )
        assert board.payloads("event/round") == [str(number) for number in range(500)]
        assert len(board.payloads("phase")) <= IN_FLIGHT + 1
        assert there.states == [(True, None)]


async def test_what_the_socket_does_not_take_at_once_follows(mosquitto: MakeMosquitto) -> None:
    broker = mosquitto()
    async with table(broker.url) as there:
        await there.connected()
        there.publish("event/round", "x" * 20_000_000)  # more than the kernel's buffers hold
        await there.settled()
        assert there.states == [(True, None)]


async def test_a_broker_that_stays_frozen_is_left_and_found_again(
    mosquitto: MakeMosquitto, enter_board: EnterBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = mosquitto()
    board = await enter_board(broker.port)
    async with table(broker.url) as there:
        await there.connected()
        await until(lambda: board.payloads("status"))
        monkeypatch.setattr(table_client, "ACK_TIMEOUT", 0.3)
        monkeypatch.setattr(table_client, "TICK", 0.1)
        monkeypatch.setattr(mqtt, "CONNACK_TIMEOUT", 0.3)
        broker.freeze()
        for number in range(30):
            there.publish("event/round", str(number))
        await there.failed("acknowledged nothing for 0.3 s")
        await there.failed("accepts nobody within 0.3 s")
        monkeypatch.setattr(table_client, "ACK_TIMEOUT", PATIENCE)
        monkeypatch.setattr(mqtt, "CONNACK_TIMEOUT", PATIENCE)
        broker.thaw()
        await there.settled()
        await until(lambda: board.payloads("status")[-1] == "ready")
        await until(lambda: set(board.payloads("event/round")) == {str(number) for number in range(30)})
        firsts = list(dict.fromkeys(board.payloads("event/round")))
        assert firsts == [str(number) for number in range(30)]
        await until(lambda: there.client.protocol == "5")


async def test_a_second_client_of_the_same_name_is_guessed_as_the_reason(mosquitto: MakeMosquitto) -> None:
    broker = mosquitto()
    async with table(broker.url) as there, table(broker.url) as other:
        await there.connected()
        await other.connected()
        await there.failed("does another client call itself mesad-madrid-1-ruleta-01?")
        assert there.states[:3] == [(True, None), (False, mqtt.BROKE), (True, None)]


async def test_the_reason_is_the_brokers_where_it_gives_one() -> None:
    async with FeignedBroker(lambda level: ACCEPT_5) as broker, table(broker.url) as there:
        await there.connected()
        broker.say(b"\xe0\x01\x8e")
        await there.failed("the broker ended the connection: Session taken over")


# --- requests ----------------------------------------------------------------------------------


async def test_a_request_of_5_comes_with_where_to_answer_and_the_answer_goes_there(
    mosquitto: MakeMosquitto,
) -> None:
    broker = mosquitto()
    async with table(broker.url) as there:
        await there.connected()
        asking = await asyncio.create_subprocess_exec(
            "mosquitto_rr", "-h", "127.0.0.1", "-p", str(broker.port), "-q", "1", "-V", "5",
            "-W", f"{PATIENCE:g}",
            "-t", ROOT + "cmd/limits", "-e", "replies/7", "-m", '{"by":"chief"}', "-D", "publish",
            "correlation-data", "c-1", "-F", "%p %D", stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        await until(lambda: there.commands)
        assert there.commands == [("limits", b'{"by":"chief"}', "replies/7", b"c-1")]
        assert there.client.answer("replies/7", b"done", b"c-1")
        output, _ = await asking.communicate()
        assert output.decode().strip() == "done c-1"


async def test_over_3_1_1_a_request_has_its_payload_only(
    mosquitto: MakeMosquitto, enter_board: EnterBoard
) -> None:
    broker = mosquitto()
    async with table(broker.url, protocol="3.1.1") as there:
        await there.connected()
        board = await enter_board(broker.port)
        payload = '{"by":"chief","reply_to":"replies/7","correlation":"c-1"}'
        await publish(broker.port, ROOT + "cmd/limits", payload)
        await until(lambda: there.commands)
        assert there.commands == [("limits", payload.encode(), None, None)]
        assert there.client.answer("replies/7", b"done", b"c-1")
        await until(lambda: board.payloads("replies/7") == ["done"])


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_a_command_that_lay_retained_is_not_carried_out(
    mosquitto: MakeMosquitto, protocol: str
) -> None:
    broker = mosquitto()
    await publish(broker.port, ROOT + "cmd/void", "{}", "-r")
    async with table(broker.url, protocol=protocol) as there:
        await there.connected()
        await publish(broker.port, ROOT + "cmd/open", "{}")
        await until(lambda: there.commands)
        assert [name for name, *_ in there.commands] == ["open"]


async def test_unacceptable_commands_are_counted_told_once_and_not_carried_out(
    mosquitto: MakeMosquitto,
) -> None:
    broker = mosquitto()
    async with table(broker.url) as there:
        await there.connected()
        with capture_logs() as logs:
            for _ in range(3):
                await publish(broker.port, ROOT + "cmd/NoSuchName", "{}")
            await publish(broker.port, ROOT + "cmd/open", "x" * 8193)
            await publish(broker.port, ROOT + "cmd/open", "{}", "-r")
            await publish(broker.port, ROOT + "cmd/close", "x" * 20_000)  # the broker keeps it to itself
            await publish(broker.port, ROOT + "cmd/close", "{}")
            await until(lambda: there.commands)
        assert [name for name, *_ in there.commands] == ["close"]
        assert there.client.ignored == 5
        assert [entry["log_level"] for entry in logs if entry["event"] == "command_ignored"] == [
            "warning", "debug", "debug", "warning", "warning",
        ]  # fmt: skip


async def test_a_hostile_response_topic_costs_the_answer_and_not_the_command(
    mosquitto: MakeMosquitto,
) -> None:
    broker = mosquitto()
    async with table(broker.url) as there:
        await there.connected()
        options = ("-V", "5", "-D", "publish", "response-topic", ROOT + "result")
        await publish(broker.port, ROOT + "cmd/limits", "{}", *options)
        await until(lambda: there.commands)
        assert there.commands == [("limits", b"{}", None, None)]
        assert there.client.ignored == 1
        assert not there.client.answer(ROOT + "result", b"0", None)
        assert not there.client.answer("replies/#", b"0", None)


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_an_answer_to_a_topic_that_brokers_hang_up_over_is_not_sent(
    mosquitto: MakeMosquitto, protocol: str
) -> None:
    broker = mosquitto()
    async with table(broker.url, protocol=protocol) as there:
        await there.connected()
        for character in "\x80\x9f\ufdd0\ufdef\ufffe\uffff\U0001fffe\U0010ffff":
            assert not there.client.answer(f"replies/{character}", b"0", None)
        there.publish("event/round", "1")
        await there.settled()
        assert there.states == [(True, None)]
        assert there.client.ignored == 8


async def test_a_delivery_that_was_not_asked_for_is_not_taken_for_a_command() -> None:
    async with FeignedBroker(lambda level: ACCEPT_5) as broker, table(broker.url) as there:
        await there.connected()
        for topic in (b"a/b", ROOT.encode() + b"cmd/open"):
            broker.say(bytes([0x30, len(topic) + 3, 0, len(topic)]) + topic + b"\x00")
        await until(lambda: there.commands)
        assert [name for name, *_ in there.commands] == ["open"]
        assert there.client.ignored == 0


async def test_a_command_that_the_owner_fails_at_does_not_end_the_publishing(
    mosquitto: MakeMosquitto,
) -> None:
    broker = mosquitto()
    async with table(broker.url) as there:
        there.client._on_command = lambda *_: 1 / 0  # type: ignore[assignment,return-value]
        await there.connected()
        with capture_logs() as logs:
            await publish(broker.port, ROOT + "cmd/limits", "{}")
            await until(lambda: any(entry["event"] == "command_failed" for entry in logs))
        there.publish("event/round", "1")
        await there.settled()


async def test_what_another_callback_raises_ends_run(mosquitto: MakeMosquitto) -> None:
    broker = mosquitto()
    there = Table(broker.url)
    await there.connected()
    there.last = 7
    there.client.publish(8, Message("event/round", b"1", False))  # the journal does not know it
    assert there.running is not None
    with pytest.raises(KeyError):
        await there.running


# --- the end -----------------------------------------------------------------------------------


async def test_close_publishes_the_final_status_delivers_what_waits_and_takes_leave(
    mosquitto: MakeMosquitto, enter_board: EnterBoard
) -> None:
    broker = mosquitto()
    board = await enter_board(broker.port)
    there = Table(broker.url)
    await there.connected()
    for number in range(300):
        there.publish("event/round", str(number))
    async with asyncio.timeout(PATIENCE):  # as soon as it can
        await there.client.close(CLOSED, patience=2 * PATIENCE)
    assert there.running is not None
    await there.running
    assert not there.undelivered
    await until(lambda: len(board.payloads("event/round")) == 300)
    await asyncio.sleep(0.1)  # a will would come now
    assert board.payloads("status") == ["ready", "closed"]


async def test_close_does_not_wait_for_a_broker_that_takes_nothing_and_leaves_the_will_to_speak(
    mosquitto: MakeMosquitto, enter_board: EnterBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_client, "ACK_TIMEOUT", 2 * PATIENCE)
    broker = mosquitto()
    board = await enter_board(broker.port)
    there = Table(broker.url)
    await there.connected()
    await until(lambda: board.payloads("status"))
    broker.freeze()
    there.publish("event/round", "1")
    async with asyncio.timeout(PATIENCE):
        await there.client.close(CLOSED, patience=0.3)
    broker.thaw()
    await until(lambda: board.payloads("status")[-1] == "lost")
    assert list(there.undelivered) == [1]


@pytest.mark.parametrize("acknowledging", [True, False])
async def test_the_farewell_that_takes_the_will_back_is_for_a_broker_that_took_the_status(
    acknowledging: bool,
) -> None:
    async with FeignedBroker(lambda level: ACCEPT_5) as broker:
        there = Table(broker.url)
        await there.connected()
        await until(lambda: broker.published)
        broker.acknowledging = acknowledging
        await there.client.close(CLOSED, patience=PATIENCE if acknowledging else 0.2)
        await until(lambda: broker.published[-1] == (ROOT + "status", b"closed"))
        await until(lambda: not broker.connections)
        assert broker.farewells == acknowledging


async def test_close_without_a_broker_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_client, "FIRST_DELAY", 4 * PATIENCE)
    monkeypatch.setattr(table_client, "LAST_DELAY", 4 * PATIENCE)
    there = Table(f"mqtt://127.0.0.1:{free_port()}")
    there.start()
    await there.failed("nothing listens")
    async with asyncio.timeout(PATIENCE):
        await there.client.close(CLOSED, patience=4 * PATIENCE)
        assert there.running is not None
        await there.running


@pytest.mark.parametrize("end", ["close", "cancel"])
async def test_the_end_comes_while_a_connection_is_being_opened(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "CONNACK_TIMEOUT", 2 * PATIENCE)
    async with FeignedBroker(lambda level: b"") as broker:
        there = Table(broker.url)
        there.start()
        await until(lambda: broker.levels)
        async with asyncio.timeout(PATIENCE):
            await (there.client.close(CLOSED, 2 * PATIENCE) if end == "close" else there.kill())
        assert there.running is not None
        assert there.running.done()


# --- TLS and passwords -------------------------------------------------------------------------


class Certificates:
    """An authority, a server's and a client's certificate of it, made by openssl; and another authority."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("ca", "other"):
            self._openssl("req", "-x509", *self._new_key(name), "-subj", f"/CN={name}", "-days", "2",
                          "-addext", "keyUsage=critical,keyCertSign")  # fmt: skip
        for name, extension in (
            ("server", "subjectAltName=IP:127.0.0.1"),
            ("client", "keyUsage=digitalSignature"),
        ):
            self._openssl("req", "-x509", *self._new_key(name), "-subj", f"/CN={name}", "-days", "2",
                          "-CA", self["ca"], "-CAkey", self["ca-key"], "-addext", extension,
                          "-addext", "basicConstraints=critical,CA:FALSE")  # fmt: skip

    def _new_key(self, name: str) -> list[str]:
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", self[f"{name}-key"], "-out", self[name]]  # fmt: skip

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

    def __getitem__(self, name: str) -> str:
        return str(self._folder / f"{name}.pem")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Made once: they cost a moment."""
    return Certificates(tmp_path_factory.mktemp("certificates"))


def with_tls(certificates: Certificates, *lines: str) -> str:
    """A broker's configuration with TLS."""
    files = [f"cafile {certificates['ca']}", f"certfile {certificates['server']}"]
    return "\n".join([*files, f"keyfile {certificates['server-key']}", *lines])


@pytest.fixture
def password(tmp_path: Path) -> Path:
    """The password's file; the broker's own is beside it."""
    subprocess.run(["mosquitto_passwd", "-b", "-c", tmp_path / "passwords", "mesad", "s3cret"], check=True)
    (tmp_path / "passwords").chmod(0o600)
    path = tmp_path / "password"
    path.write_text("s3cret\n")
    path.chmod(0o600)
    return path


def rewrite(path: Path, content: str, mode: int = 0o600) -> None:
    """As somebody would while the daemon runs."""
    path.write_text(content)
    path.chmod(mode)


async def test_tls_and_a_password(
    mosquitto: MakeMosquitto, certificates: Certificates, password: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    lines = ("allow_anonymous false", f"password_file {password.parent / 'passwords'}")
    broker = mosquitto(with_tls(certificates, *lines))
    url = broker.url.replace("mqtt:", "mqtts:")
    settings = {"ca": certificates["ca"], "username": "mesad", "password_file": str(password)}
    with capture_logs() as logs:
        async with table(url, **settings) as there:
            await there.connected()
            for number in range(100):
                there.publish("event/round", str(number) * 100)
            await there.settled()
            await there.client.close(CLOSED)
        rewrite(password, "wr0ng")
        async with table(url, **settings) as there:
            there.start()
            await there.failed("the broker refuses the connection: Not authorized")
            rewrite(password, "s3cret")
            await there.connected()  # for the file is read each time
        rewrite(password, "s3cret", 0o644)
        async with table(url, **settings) as there:
            await there.connected()
    told = [entry for entry in logs if entry["event"] == "password_file_readable"]
    assert [(entry["log_level"], entry["by"]) for entry in told] == [("warning", "everybody")]
    assert not any(secret in f"{logs} {caplog.text}" for secret in ("s3cret", "wr0ng"))


async def test_a_broker_that_another_authority_vouches_for_is_not_trusted(
    mosquitto: MakeMosquitto, certificates: Certificates
) -> None:
    broker = mosquitto(with_tls(certificates, "allow_anonymous true"))
    async with table(broker.url.replace("mqtt:", "mqtts:"), ca=certificates["other"]) as there:
        there.start()
        await there.failed("is not trusted (")
        assert certificates["other"] in str(there.states[0][1])
        assert not there.client.connected


async def test_a_certificate_for_another_name_is_not_trusted(
    mosquitto: MakeMosquitto, certificates: Certificates
) -> None:
    broker = mosquitto(with_tls(certificates, "allow_anonymous true"))
    async with table(f"mqtts://localhost:{broker.port}", ca=certificates["ca"]) as there:
        there.start()
        await there.failed("Hostname mismatch")


async def test_a_clients_certificate_opens_and_its_lack_is_hinted_at(
    mosquitto: MakeMosquitto, certificates: Certificates
) -> None:
    broker = mosquitto(with_tls(certificates, "require_certificate true", "allow_anonymous true"))
    url = broker.url.replace("mqtt:", "mqtts:")
    async with table(url, ca=certificates["ca"]) as there:
        there.start()
        await there.failed("client certificate?")
    async with table(
        url, ca=certificates["ca"], cert=certificates["client"], key=certificates["client-key"]
    ) as there:
        await there.connected()


# --- what the log says -------------------------------------------------------------------------


async def test_the_first_failure_is_a_warning_the_rest_is_counted_and_the_recovery_is_one_line(
    mosquitto: MakeMosquitto,
) -> None:
    broker = mosquitto()
    broker.kill()
    with capture_logs() as logs:
        async with table(broker.url) as there:
            there.start()
            await until(lambda: len(logs) >= 4)
            broker.start()
            await there.connected()
    failures = [entry for entry in logs if entry["event"] == "broker_lost"]
    assert [entry["log_level"] for entry in failures] == ["warning"] + ["debug"] * (len(failures) - 1)
    assert failures[0]["reason"] == f"nothing listens at 127.0.0.1:{broker.port}"
    recoveries = [entry for entry in logs if entry["event"] == "broker_connected"]
    assert [(entry["log_level"], entry["failures"]) for entry in recoveries] == [("info", len(failures))]


async def test_a_name_that_nobody_knows_is_said_to_be_unknown() -> None:
    async with table("mqtt://no-such-broker.invalid") as there:
        there.start()
        await there.failed("the name no-such-broker.invalid is unknown")


def test_the_root_ends_in_a_slash() -> None:
    with pytest.raises(ValueError, match="slash"):
        TableClient(
            MqttSettings(),
            ROOT.rstrip("/"),
            LOST,
            backlog=lambda *_: asyncio.sleep(0, []),
            on_command=print,
            on_delivered=print,
            on_state=print,
            on_denied=print,
            on_allowed=print,
        )
