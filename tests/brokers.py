"""Brokers and boards for the tests of the MQTT side: mosquitto and its clients, and a feigned one."""

import asyncio
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from patience import PATIENCE, until, wait_for

ANYBODY = "allow_anonymous true"
"""The shortest configuration that lets a client in."""


def free_port() -> int:
    """A port of the loopback address that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A mosquitto process on a port of its own, which keeps its port over restarts."""

    def __init__(self, folder: Path, config: str) -> None:
        self.port = free_port()
        self._folder = folder
        self._config = config
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where a client finds it."""
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self, config: str | None = None) -> None:
        """Start the process, with another configuration if one is given, and wait until it accepts."""
        self._config = self._config if config is None else config
        path = self._folder / f"mosquitto-{self.port}.conf"
        user = "user root\n" if os.geteuid() == 0 else ""  # it could not read the test's files otherwise
        path.write_text(f"{user}listener {self.port} 127.0.0.1\n{self._config}\n")
        with (self._folder / f"mosquitto-{self.port}.log").open("ab") as log:
            self._process = subprocess.Popen(["mosquitto", "-c", path], stdout=log, stderr=log)
        wait_for(self._accepts, "mosquitto to listen")

    def _accepts(self) -> bool:
        assert self._process is not None
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            assert self._process.poll() is None, f"mosquitto ended: {self.log()}"
            return False
        return True

    def log(self) -> str:
        """All that it said."""
        return (self._folder / f"mosquitto-{self.port}.log").read_text()

    def kill(self) -> None:
        """The power goes: nothing is saved, connections break."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def reload(self) -> None:
        """It reads its access list again, with every connection open."""
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)

    def freeze(self) -> None:
        """It stops in its tracks, with every connection open."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on where it stopped."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


READY = "board/ready"


class Heard(NamedTuple):
    """A message as a board got it."""

    topic: str
    retained: bool
    payload: str


class Board:
    """mosquitto_sub on all topics: what a display board would see, in order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.heard: list[Heard] = []
        self.subscribed = False
        self._reading = asyncio.create_task(self._read(), name="board")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            topic, retained, payload = line.decode().rstrip("\n").split(" ", 2)
            if topic == READY:
                self.subscribed = True
            else:
                self.heard.append(Heard(topic, retained == "1", payload))

    def payloads(self, topic: str) -> list[str]:
        """What came on a topic, which may be given without its beginning."""
        return [heard.payload for heard in self.heard if heard.topic.endswith(topic)]

    async def leave(self) -> None:
        """End the process. Not by SIGTERM: its handler waits for a lock that what it interrupts may hold."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        await self._reading

    @classmethod
    async def enter(cls, port: int, *options: str) -> "Board":
        """A board that has subscribed; the options are mosquitto's, e.g. a user's name."""
        process = await asyncio.create_subprocess_exec(
            "mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-q", "1", "-t", "#", "-F", "%t %r %p",
            *options, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        board = cls(process)
        deadline = time.monotonic() + PATIENCE
        while not board.subscribed:  # which only a message shows
            assert time.monotonic() < deadline, "the board does not hear"
            await publish(port, READY, "x", *options)
            await asyncio.sleep(0.01)
        return board


async def publish(port: int, topic: str, payload: str, *options: str) -> None:
    """mosquitto_pub, with QoS 1."""
    process = await asyncio.create_subprocess_exec(
        "mosquitto_pub", "-h", "127.0.0.1", "-p", str(port), "-q", "1", "-t", topic, "-m", payload, *options
    )  # fmt: skip
    assert await process.wait() == 0


# --- a broker that does as the test says -------------------------------------------------------

ACCEPT_311 = b"\x20\x02\x00\x00"
ACCEPT_5 = b"\x20\x03\x00\x00\x00"


class FeignedBroker:
    """Answers each CONNECT as `answer` says and notes every publish; acknowledges while `acknowledging`.

    `answer` gets the protocol level (4 or 5) and gives the bytes of the CONNACK; None ends the connection,
    empty bytes leave the client waiting. After a CONNACK that refuses, it ends the connection as brokers do.
    """

    def __init__(self, answer: Callable[[int], bytes | None]) -> None:
        self.answer = answer
        self.acknowledging = True
        self.levels: list[int] = []
        self.published: list[tuple[str, bytes]] = []
        self.unacknowledged: list[bytes] = []
        self.most_unacknowledged = 0
        self.farewells = 0
        self.subscription = b"\x01"
        self.mute = False  # it answers no subscription
        self.subscription_of: dict[str, bytes] = {}
        self.port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        """Where a client finds it."""
        return f"mqtt://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "FeignedBroker":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await self.hang_up()

    @property
    def connections(self) -> int:
        """How many clients are there."""
        return len(self._writers)

    async def hang_up(self) -> None:
        """End every connection."""
        for writer in list(self._writers):
            writer.close()
        await until(lambda: not self._writers, "the connections to end")

    def acknowledge(self) -> None:
        """Acknowledge the oldest publish that is not yet."""
        self.say(b"\x40\x02" + self.unacknowledged.pop(0))

    def say(self, packet: bytes) -> None:
        """Send a packet to every client."""
        for writer in self._writers:
            writer.write(packet)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            _, body = await _packet(reader)
            level = body[6]
            self.levels.append(level)
            accepted = self.answer(level)
            if accepted:
                writer.write(accepted)
                await writer.drain()
            if accepted is None or (accepted and accepted[3]):
                return
            while True:
                await self._take(*await _packet(reader), level, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has left
        finally:
            self._writers.discard(writer)
            self.unacknowledged.clear()
            writer.close()

    async def _take(self, kind: int, body: bytes, level: int, writer: asyncio.StreamWriter) -> None:
        if kind >> 4 == 3:
            end = 2 + int.from_bytes(body[:2])
            start = end + 2 + (1 + body[end + 2] if level == 5 else 0)  # short properties only
            self.published.append((body[2:end].decode(), body[start:]))
            self.unacknowledged.append(body[end : end + 2])
            self.most_unacknowledged = max(self.most_unacknowledged, len(self.unacknowledged))
            if self.acknowledging:
                self.acknowledge()
        elif kind >> 4 == 8 and not self.mute:
            start = 4 + (level == 5)
            name = body[start:-1].decode()
            granted = next((code for end, code in self.subscription_of.items() if name.endswith(end)), None)
            answer = body[:2] + (b"\x00" if level == 5 else b"") + (granted or self.subscription)
            writer.write(b"\x90" + bytes([len(answer)]) + answer)
        elif kind >> 4 == 14:
            self.farewells += 1
        elif kind >> 4 == 12:
            writer.write(b"\xd0\x00")


async def _packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The first byte of a packet, and what follows its length."""
    kind = (await reader.readexactly(1))[0]
    length = shift = 0
    while True:
        byte = (await reader.readexactly(1))[0]
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return kind, await reader.readexactly(length)
