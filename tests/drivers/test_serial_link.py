"""The serial link over real pseudo-terminals and real TCP connections."""

import asyncio
import contextlib
import errno
import fcntl
import itertools
import os
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE, SLACK, until
from structlog.testing import capture_logs

from drivers.driver import SerialSettings
from drivers.links import opening, ports
from drivers.links.ports import BadPortError, PortBusyError
from drivers.links.reconnect import LinkTiming
from drivers.links.serial import CHUNK, READS, SerialLink
from drivers.readings import Instant

LINE = b"*X;5;012;17;0;158;0\r\n"
SETTINGS = SerialSettings(baudrate=9600)
SPACING = (0.2, 0.3, 0.4, 0.5)
QUICK = LinkTiming(
    first_delay=0.01,
    longest_delay=0.05,
    look_every=0.01,
    open_within=PATIENCE,
    steady_after=0.1,
    reopen_spacing=(*SPACING, PATIENCE),  # the last: after how long the steps begin again
)
ONE_TRY = LinkTiming(first_delay=600.0, longest_delay=600.0, look_every=0.01, open_within=PATIENCE)
"""Nothing is tried again within a test unless something wakes the link."""

HOLDER = """
import asyncio, sys
from drivers.driver import SerialSettings
from drivers.links.serial import SerialLink

class Listener:
    def link_up(self, at, identity): print('up', flush=True)
    def link_bytes(self, data, at): pass
    def link_lost(self, reason, at): pass

async def main():
    link = SerialLink(sys.argv[1], SerialSettings(baudrate=9600), Listener())
    running = asyncio.create_task(link.run())
    await asyncio.to_thread(sys.stdin.read)
    link.close()
    await running

asyncio.run(main())
"""


class Ear:
    """A listener that keeps everything, in order."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any, Instant]] = []

    def link_up(self, at: Instant, identity: str) -> None:
        self.events.append(("up", identity, at))

    def link_bytes(self, data: bytes, at: Instant) -> None:
        self.events.append(("bytes", data, at))

    def link_lost(self, reason: str, at: Instant) -> None:
        self.events.append(("lost", reason, at))

    def all(self, kind: str) -> list[Any]:
        return [what for name, what, _ in self.events if name == kind]

    @property
    def data(self) -> bytes:
        return b"".join(self.all("bytes"))

    @property
    def ups(self) -> int:
        return len(self.all("up"))

    @property
    def losses(self) -> list[str]:
        return self.all("lost")


Start = Callable[..., Awaitable[tuple[SerialLink, Any]]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """A maker of running links; at the end each is closed and must have ended properly."""
    running: list[tuple[SerialLink, asyncio.Task[None], Any]] = []

    async def make(
        port: object, ear: Any = None, *, up: bool = True, **options: Any
    ) -> tuple[SerialLink, Any]:
        ear = ear or Ear()
        options.setdefault("timing", QUICK)
        link = SerialLink(str(port), SETTINGS, ear, **options)
        running.append((link, asyncio.create_task(link.run(), name="link"), ear))
        if up:
            await until(lambda: link.state == "up" or running[-1][1].done())
        return link, ear

    yield make
    for link, task, ear in running:
        link.close()
        await asyncio.wait_for(task, PATIENCE)
        if isinstance(ear, Ear):
            ups = [kind for kind, _, _ in ear.events if kind != "bytes"]
            assert ups == ["up", "lost"] * (len(ups) // 2), "every link_up has its link_lost"


class Server:
    """A serial-to-TCP server with its clients in the order they came."""

    def __init__(self) -> None:
        self.clients: list[asyncio.StreamWriter] = []
        self.readers: list[asyncio.StreamReader] = []
        self.came = 0

    async def open(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._client, "127.0.0.1", port, limit=2**16)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"socket://127.0.0.1:{self.port}"

    def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        self.readers.append(reader)
        self.clients.append(writer)

    async def close(self) -> None:
        self._server.close()
        for client in self.clients:
            client.close()
            with contextlib.suppress(OSError):
                await client.wait_closed()
        await self._server.wait_closed()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = Server()
    await made.open()
    yield made
    await made.close()


@pytest.fixture
def holder() -> Iterator[Callable[[str], Any]]:
    """A maker of other processes in which a link holds the given port."""
    started: list[Any] = []

    def hold(port: str) -> Any:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, port],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        started.append(process)
        while (line := process.stdout.readline()) != b"up\n":
            assert line, "the other process ended"
        return process

    yield hold
    for process in started:
        process.stdin.close()
        process.wait(PATIENCE)
        process.stdout.close()


# --- listening ---------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 7, len(LINE) * 40])
async def test_bytes_arrive_whole_and_in_order_however_they_are_cut(start: Start, pty_pair: Any, piece: int):
    _, ear = await start(pty_pair.path)
    said = LINE * 40
    for at in range(0, len(said), piece):
        pty_pair.write(said[at : at + piece])
        if piece == 1 and at % 50 == 0:
            await asyncio.sleep(0)
    await until(lambda: len(ear.data) >= len(said))
    assert ear.data == said
    assert all(1 <= len(data) <= CHUNK for data in ear.all("bytes"))


async def test_every_byte_value_passes_unchanged_whatever_the_terminal_was_set_to(
    start: Start, pty_pair: Any
):
    mode = termios.tcgetattr(pty_pair._slave)
    mode[0] |= termios.ICRNL | termios.IXON | termios.ISTRIP | termios.BRKINT
    mode[3] |= termios.ICANON | termios.ECHO | termios.ISIG
    termios.tcsetattr(pty_pair._slave, termios.TCSANOW, mode)
    _, ear = await start(pty_pair.path)
    every = bytes(range(256))
    pty_pair.write(every)
    await until(lambda: len(ear.data) >= 256)
    assert ear.data == every


async def test_it_writes_nothing_to_the_device(start: Start, pty_pair: Any):
    link, ear = await start(pty_pair.path)
    pty_pair.write(LINE)
    await until(lambda: ear.data == LINE)  # what comes later makes the reopening be forgotten
    link.reopen("silent")
    await until(lambda: ear.ups == 2)
    assert pty_pair.heard() == b""


async def test_it_writes_nothing_to_a_server(start: Start, server: Server):
    link, ear = await start(server.url)
    await until(lambda: server.clients)
    server.clients[0].write(LINE)
    await until(lambda: ear.data == LINE)
    link.close()
    assert await asyncio.wait_for(server.readers[0].read(), PATIENCE) == b""


async def test_the_line_is_set_as_the_driver_wants_it_and_no_modem_line_is_dropped(pty_pair: Any):
    mode = termios.tcgetattr(pty_pair._slave)
    mode[0] |= termios.BRKINT
    mode[2] |= termios.HUPCL
    termios.tcsetattr(pty_pair._slave, termios.TCSANOW, mode)
    link = SerialLink(pty_pair.path, SerialSettings(baudrate=4800, stopbits=2), Ear(), timing=QUICK)
    running = asyncio.create_task(link.run())
    await until(lambda: link.state == "up")
    iflag, _, cflag, lflag, speed, _, cc = termios.tcgetattr(pty_pair._slave)
    link.close()
    await running
    assert speed == termios.B4800
    assert cflag & termios.CSTOPB
    assert cflag & termios.CLOCAL
    assert not cflag & (termios.CRTSCTS | termios.HUPCL)
    assert not iflag & (termios.IXON | termios.IXOFF | termios.BRKINT)
    assert not lflag & (termios.ICANON | termios.ECHO)
    assert cc[termios.VMIN] in (1, b"\x01")


async def test_bytes_are_stamped_when_they_arrive_by_the_clock_given(start: Start, pty_pair: Any):
    ticks = itertools.count(1)
    _, ear = await start(pty_pair.path, clock=lambda: Instant(next(ticks), 0))
    pty_pair.write(b"one")
    await until(lambda: ear.data == b"one")
    pty_pair.write(b"two")
    await until(lambda: ear.data == b"onetwo")
    assert [at.mono for _, _, at in ear.events] == [1, 2, 3]


async def test_a_slow_consumer_does_not_hold_up_the_reading(start: Start, pty_pair: Any):
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    eaten: list[bytes] = []

    class Queueing(Ear):
        def link_bytes(self, data: bytes, at: Instant) -> None:
            super().link_bytes(data, at)
            queue.put_nowait(data)

    async def consume() -> None:
        while True:
            eaten.append(await queue.get())
            await asyncio.sleep(3600)

    consumer = asyncio.create_task(consume())
    _, ear = await start(pty_pair.path, Queueing())
    for number in range(20):
        pty_pair.write(b"%d\n" % number)
        await until(lambda number=number: ear.data.endswith(b"%d\n" % number))
    assert len(eaten) == 1
    stamps = [at.mono for kind, _, at in ear.events if kind == "bytes"]
    assert len(stamps) == 20
    assert stamps == sorted(stamps)
    consumer.cancel()
    await asyncio.wait({consumer})


async def test_a_flooding_device_leaves_the_loop_its_turns(start: Start, server: Server):
    turn = 0
    turns: list[int] = []

    class Counting(Ear):
        def link_bytes(self, data: bytes, at: Instant) -> None:
            super().link_bytes(data, at)
            turns.append(turn)

    _, ear = await start(server.url, Counting())
    await until(lambda: server.clients)
    said = os.urandom(1 << 20)
    server.clients[0].write(said)
    while len(ear.data) < len(said):
        turn += 1
        await asyncio.sleep(0)
    assert ear.data == said
    assert max(len(list(group)) for _, group in itertools.groupby(turns)) <= READS


async def test_nothing_more_is_handed_on_once_the_listener_has_closed_the_link(start: Start, server: Server):
    class Closing(Ear):
        def link_bytes(self, data: bytes, at: Instant) -> None:
            super().link_bytes(data, at)
            link.close()

    link, ear = await start(server.url, Closing())
    await until(lambda: server.clients)
    server.clients[0].write(bytes(CHUNK * 4))
    await until(lambda: ear.losses)
    assert [kind for kind, _, _ in ear.events] == ["up", "bytes", "lost"]


# --- link lost and found -----------------------------------------------------------------------


async def test_an_unplugged_device_is_lost_at_once_with_the_physical_hint(
    start: Start, pty_pair: Any, tmp_path: Path
):
    replug(tmp_path / "wheel", pty_pair)
    link, ear = await start(tmp_path / "wheel", timing=ONE_TRY)
    pty_pair.write(LINE)
    await until(lambda: ear.data == LINE)
    unplug(tmp_path / "wheel", pty_pair)
    await until(lambda: ear.losses)
    assert "cable" in ear.losses[0]
    assert "power" in ear.losses[0]
    assert link.state == "lost"
    assert link.reason == ear.losses[0]


async def test_what_the_device_said_before_it_was_unplugged_is_heard_first(
    start: Start, pty_pair: Any, tmp_path: Path
):
    replug(tmp_path / "wheel", pty_pair)
    _, ear = await start(tmp_path / "wheel")
    pty_pair.write(LINE)
    unplug(tmp_path / "wheel", pty_pair)
    await until(lambda: ear.losses)
    assert [kind for kind, _, _ in ear.events][-1] == "lost"
    assert ear.data in (LINE, b""), "the kernel may drop it with the device, but never cut or repeat it"


def replug(path: Path, pair: Any) -> None:
    """Put a terminal under a path, at once."""
    new = path.with_suffix(".new")
    new.symlink_to(pair.path)
    new.replace(path)


def unplug(path: Path, pair: Any) -> None:
    """The path goes first: the terminal's number is the next one's that anybody opens on this machine."""
    path.unlink()
    pair.unplug()


def open_devices() -> int:
    """How many descriptors of this process lead to a pseudo-terminal's own end."""
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return sum(str(link.readlink()).startswith("/dev/pts/") for link in links if link.is_symlink())


async def test_after_five_replugs_one_line_arrives_exactly_once(start: Start, pty_pairs: Any, tmp_path: Path):
    path = tmp_path / "wheel"
    pair = pty_pairs()
    replug(path, pair)
    _, ear = await start(path)
    for number in range(1, 6):
        unplug(path, pair)
        await until(lambda number=number: len(ear.losses) == number)
        pair = pty_pairs()
        replug(path, pair)
        await until(lambda number=number: ear.ups == number + 1)
    pair.write(LINE)
    await until(lambda: ear.data)
    await asyncio.sleep(0.05)
    assert ear.data == LINE
    assert (ear.ups, len(ear.losses)) == (6, 5)
    assert open_devices() == 2, "the link's, and the one that the pair itself keeps"


async def test_a_device_that_comes_back_is_opened_long_before_the_back_off_ends(
    start: Start, pty_pairs: Any, tmp_path: Path
):
    path = tmp_path / "wheel"
    pair = pty_pairs()
    replug(path, pair)
    _, ear = await start(path, timing=ONE_TRY)
    unplug(path, pair)
    await until(lambda: ear.losses)
    replug(path, pty_pairs())
    await until(lambda: ear.ups == 2)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often a path was looked at and how often opening was tried."""
    counted = {"looks": 0, "attempts": 0}
    fingerprint, open_port = ports.fingerprint, opening.open_port

    def look(port: str) -> Any:
        counted["looks"] += 1
        return fingerprint(port)

    def attempt(*arguments: Any) -> Any:
        counted["attempts"] += 1
        return open_port(*arguments)

    monkeypatch.setattr(ports, "fingerprint", look)
    monkeypatch.setattr(opening, "open_port", attempt)
    return counted


async def test_a_device_that_goes_and_comes_back_the_same_counts_as_new(
    start: Start, tmp_path: Path, counts: dict[str, int]
):
    path = tmp_path / "wheel"
    path.symlink_to("/dev/null")
    link, _ = await start(path, timing=ONE_TRY, up=False)
    await until(lambda: link.reason)
    path.unlink()
    looks = counts["looks"]
    await until(lambda: counts["looks"] >= looks + 3)
    assert counts["attempts"] == 1
    path.symlink_to("/dev/null")
    await until(lambda: counts["attempts"] == 2)


async def test_a_missing_device_is_waited_for_without_an_attempt_and_without_an_error(
    start: Start, pty_pair: Any, tmp_path: Path, counts: dict[str, int]
):
    began = time.monotonic()
    link, ear = await start(tmp_path / "wheel", up=False, timing=LinkTiming(look_every=0.05))
    await until(lambda: counts["looks"] >= 10)
    assert counts["attempts"] == 1
    assert time.monotonic() - began >= 8 * 0.05 - SLACK, "it must not look as fast as it can"
    assert link.state == "connecting"
    assert link.reason is not None
    assert "plugged in" in link.reason
    assert ear.events == []
    (tmp_path / "wheel").symlink_to(pty_pair.path)
    await until(lambda: link.state == "up")
    assert counts["attempts"] == 2
    assert link.reason is None


@pytest.mark.parametrize("abrupt", [False, True], ids=["graceful", "abrupt"])
async def test_a_connection_that_ends_is_lost_and_made_again(start: Start, server: Server, abrupt: bool):
    _, ear = await start(server.url)
    await until(lambda: server.clients)
    server.clients[0].write(LINE)
    await until(lambda: ear.data == LINE)
    if abrupt:
        reset = struct.pack("ii", 1, 0)
        server.clients[0].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
    server.clients[0].close()
    await until(lambda: ear.ups == 2 and server.came == 2)
    server.clients[1].write(LINE)
    await until(lambda: ear.data == LINE * 2)
    assert len(ear.losses) == 1
    assert "power" in ear.losses[0]


async def test_an_empty_read_ends_the_connection_and_does_not_spin(
    start: Start, server: Server, monkeypatch: pytest.MonkeyPatch
):
    """The server closes its half and keeps the rest open: the socket stays readable and empty for ever."""
    reads: list[int] = []
    read = os.read

    def counted(fd: int, size: int) -> bytes:
        data = read(fd, size)
        if size == CHUNK:
            reads.append(len(data))
        return data

    monkeypatch.setattr(os, "read", counted)
    _, ear = await start(server.url, timing=ONE_TRY)
    await until(lambda: server.clients)
    server.clients[0].write_eof()
    await until(lambda: ear.losses)
    for _ in range(50):
        await asyncio.sleep(0.001)
    assert reads == [0]


@pytest.mark.parametrize("code", ["EIO", "ENXIO", "ENODEV", "ECONNRESET", "ETIMEDOUT", ""])
async def test_every_way_of_being_gone_is_the_same(
    start: Start, pty_pair: Any, monkeypatch: pytest.MonkeyPatch, code: str
):
    link, ear = await start(pty_pair.path)
    read = os.read
    broken = True

    def failing(fd: int, size: int) -> bytes:
        nonlocal broken
        if size == CHUNK and broken:
            broken = False
            if code:
                number = getattr(errno, code)
                raise OSError(number, os.strerror(number))
            return b""
        return read(fd, size)

    monkeypatch.setattr(os, "read", failing)
    pty_pair.write(LINE)
    await until(lambda: ear.ups == 2)
    assert len(ear.losses) == 1
    pty_pair.write(LINE)
    await until(lambda: ear.data.endswith(LINE))
    assert link.state == "up"


async def test_no_bytes_yet_is_not_the_end(start: Start, pty_pair: Any):
    """Woken without need, the reader finds nothing: with pyserial's own settings that reads as empty."""
    link, ear = await start(pty_pair.path)
    link.read_now()
    assert link.state == "up"
    pty_pair.write(LINE)
    await until(lambda: ear.data == LINE)
    assert ear.losses == []


async def test_a_server_that_closes_at_once_is_tried_ever_less_often(start: Start):
    """Measured where the link itself says it: when the server hears of it depends on the load, too."""

    def turn_away(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    rude = await asyncio.start_server(turn_away, "127.0.0.1", 0)
    timing = LinkTiming(0.3, 10.0, open_within=PATIENCE, steady_after=PATIENCE)
    port = rude.sockets[0].getsockname()[1]
    _, ear = await start(f"socket://127.0.0.1:{port}", timing=timing, up=False)
    await until(lambda: ear.ups == 5)
    came = [(what, at.mono / 1e9) for what, _, at in ear.events if what in ("up", "lost")]
    gaps = [at - before for (_, before), (what, at) in itertools.pairwise(came) if what == "up"]
    least = (0.15, 0.3, 0.6, 1.2)
    assert all(gap >= wait - SLACK for gap, wait in zip(gaps, least, strict=True)), gaps
    rude.close()
    await rude.wait_closed()


async def test_hot_plug_wakes_a_waiting_link(start: Start, server: Server):
    await server.close()
    link, ear = await start(server.url, timing=ONE_TRY, up=False)
    await until(lambda: link.reason)
    assert "port number" in link.reason
    assert link.state == "connecting"
    await server.open(server.port)
    link.wake()
    await until(lambda: ear.ups == 1)


async def test_a_wake_is_good_for_one_attempt(start: Start, server: Server, counts: dict[str, int]):
    await server.close()
    link, _ = await start(server.url, timing=ONE_TRY, up=False)
    await until(lambda: link.reason)
    link.wake()
    await until(lambda: counts["attempts"] == 2)
    for _ in range(30):
        await asyncio.sleep(0.001)
    assert counts["attempts"] == 2


async def test_a_wake_while_the_port_is_open_is_not_kept_for_later(
    start: Start, server: Server, counts: dict[str, int]
):
    link, ear = await start(server.url, timing=ONE_TRY)
    link.wake()
    await until(lambda: server.clients)
    server.clients[0].close()
    await until(lambda: ear.losses)
    for _ in range(30):
        await asyncio.sleep(0.001)
    assert counts["attempts"] == 1


async def test_a_link_that_held_for_a_while_is_tried_quickly_again(
    start: Start, server: Server, counts: dict[str, int]
):
    """After fifteen failures the next wait would be longer than the test's patience."""
    await server.close()
    timing = LinkTiming(0.01, 600.0, open_within=PATIENCE, steady_after=0.1)
    link, ear = await start(server.url, timing=timing, up=False)
    await until(lambda: link.wake() or counts["attempts"] >= 16)
    await server.open(server.port)
    await until(lambda: link.wake() or ear.ups)
    await asyncio.sleep(0.3)
    server.clients[-1].close()
    await until(lambda: ear.ups == 2)


# --- reopening a silent device -----------------------------------------------------------------


async def test_a_silent_device_is_reopened_on_demand(start: Start, pty_pair: Any):
    link, ear = await start(pty_pair.path, timing=LinkTiming(600.0, 600.0, reopen_spacing=(0.01, 600.0)))
    link.reopen("nothing heard for 3 s")
    await until(lambda: ear.ups == 2)
    assert ear.losses == ["nothing heard for 3 s"]
    pty_pair.write(LINE)
    await until(lambda: ear.data == LINE)


def assert_spaced(began: float, ear: Ear) -> None:
    """An opening comes after the loss before it, and its own loss after the spacing."""
    ended = [began, *(at.mono / 1e9 for kind, _, at in ear.events if kind == "lost")]
    gaps = [later - earlier for earlier, later in itertools.pairwise(ended)]
    assert all(gap >= least - SLACK for gap, least in zip(gaps, SPACING, strict=True)), gaps


async def test_a_device_that_is_switched_off_brings_about_no_reconnect_storm(start: Start, pty_pair: Any):
    began = time.monotonic()
    with capture_logs() as lines:
        link, ear = await start(pty_pair.path)
        await until(lambda: link.reopen("silent") or ear.ups >= 5)
    told = [line["log_level"] for line in lines if line["event"] != "port open"]
    assert told == ["warning", "debug", "debug", "debug"], "and in the log it is one warning"
    assert_spaced(began, ear)


async def test_a_device_that_speaks_again_before_its_time_is_left_alone(start: Start, pty_pair: Any):
    timing = LinkTiming(reopen_spacing=(0.5, 0.5))
    link, ear = await start(pty_pair.path, timing=timing)
    link.reopen("silent")
    pty_pair.write(LINE)
    await until(lambda: ear.data == LINE)
    await asyncio.sleep(0.6)
    assert ear.ups == 1


async def test_what_arrived_during_a_stall_is_read_before_a_device_is_reopened(start: Start, pty_pair: Any):
    """A stalled process finds its timers due and the bytes unread; opening again would throw them away."""
    link, ear = await start(pty_pair.path, timing=LinkTiming(reopen_spacing=(0.0, 0.0)))
    said = b"".join(b"*X;5;%03d;17;0;158;0\r\n" % number for number in range(300))  # longer than one read
    link.reopen("silent")  # its timer is due, and comes after the writing and before the loop looks again
    asyncio.get_running_loop().call_soon(pty_pair.write, said)
    await until(lambda: ear.data == said)
    await asyncio.sleep(0.05)
    assert ear.losses == []


async def test_what_waits_can_be_read_at_once_whole_and_in_order(start: Start, pty_pair: Any):
    link, ear = await start(pty_pair.path)
    said = b"".join(b"*X;5;%03d;17;0;158;0\r\n" % number for number in range(300))
    pty_pair.write(said)
    link.read_now()
    assert ear.data == said
    link.read_now()
    assert ear.data == said


async def test_reading_at_once_from_within_the_listener_keeps_the_order(start: Start, server: Server):
    class Impatient(Ear):
        def link_bytes(self, data: bytes, at: Instant) -> None:
            link.read_now()
            super().link_bytes(data, at)

    link, ear = await start(server.url, Impatient())
    await until(lambda: server.clients)
    said = b"".join(b"%04d" % number for number in range(4096))
    server.clients[0].write(said)
    await until(lambda: len(ear.data) == len(said))
    assert ear.data == said


async def test_reading_at_once_finds_the_end_and_a_closed_port_has_nothing(
    start: Start, pty_pair: Any, tmp_path: Path
):
    replug(tmp_path / "wheel", pty_pair)
    link, ear = await start(tmp_path / "wheel", timing=ONE_TRY)
    unplug(tmp_path / "wheel", pty_pair)
    link.read_now()
    assert len(ear.losses) == 1
    link.read_now()
    assert [kind for kind, _, _ in ear.events] == ["up", "lost"]


async def test_boot_text_after_an_opening_brings_about_no_reopen_loop(start: Start, server: Server):
    """A board that is reset by the opening says its banner each time, and then nothing."""

    class Supervisor(Ear):
        def link_bytes(self, data: bytes, at: Instant) -> None:
            super().link_bytes(data, at)
            asyncio.get_running_loop().call_later(0.002, link.reopen, "banner only")

    began = time.monotonic()
    link, ear = await start(server.url, Supervisor())
    greeted: set[asyncio.StreamWriter] = set()

    def greet() -> bool:
        for client in {*server.clients} - greeted:
            client.write(b"BOOT v1.2\r\n")
        greeted.update(server.clients)
        return ear.ups >= 5

    await until(greet)
    assert_spaced(began, ear)


async def test_reopening_a_link_that_is_not_open_does_nothing(start: Start, tmp_path: Path):
    link, ear = await start(tmp_path / "wheel", up=False)
    await until(lambda: link.reason)
    link.reopen("silent")
    assert ear.events == []


# --- exclusive ---------------------------------------------------------------------------------


@pytest.mark.parametrize("through", ["the same path", "another path"])
async def test_a_second_daemon_is_refused_with_the_name_of_the_first(
    pty_pair: Any, tmp_path: Path, holder: Any, through: str
):
    path = Path(pty_pair.path)
    if through == "another path":
        path = tmp_path / "wheel"
        path.symlink_to(pty_pair.path)
    first = holder(pty_pair.path)
    ear = Ear()
    with pytest.raises(PortBusyError, match=rf"pid {first.pid} \(") as refused:
        await asyncio.wait_for(SerialLink(str(path), SETTINGS, ear, timing=QUICK).run(), PATIENCE)
    assert refused.value.holder is not None
    assert refused.value.holder.startswith(f"pid {first.pid} ")
    assert ear.events == []


async def test_a_second_table_of_this_daemon_is_refused_too(start: Start, pty_pair: Any, tmp_path: Path):
    (tmp_path / "wheel").symlink_to(pty_pair.path)
    _, ear = await start(pty_pair.path)
    with pytest.raises(PortBusyError, match=rf"pid {os.getpid()} "):
        await SerialLink(str(tmp_path / "wheel"), SETTINGS, Ear(), timing=QUICK).run()
    pty_pair.write(LINE)
    await until(lambda: ear.data == LINE)


async def test_a_port_that_somebody_takes_later_is_waited_for(
    start: Start, pty_pair: Any, tmp_path: Path, holder: Any
):
    other = holder(pty_pair.path)
    link, ear = await start(tmp_path / "wheel", up=False)
    await until(lambda: link.reason)
    (tmp_path / "wheel").symlink_to(pty_pair.path)
    await until(lambda: f"pid {other.pid} " in link.reason)
    assert link.state == "connecting"
    other.stdin.close()
    await until(lambda: ear.ups == 1)


async def test_a_lock_held_by_a_program_that_is_not_mesad_counts_as_much(pty_pair: Any):
    fd = os.open(pty_pair.path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        with pytest.raises(PortBusyError):
            await SerialLink(pty_pair.path, SETTINGS, Ear(), timing=QUICK).run()
    finally:
        os.close(fd)


# --- defects and ends --------------------------------------------------------------------------


class Broken(Ear):
    """A listener with a defect in one of its three."""

    def __init__(self, where: str, times: int) -> None:
        super().__init__()
        self.where = where
        self.left = times

    def _trip(self, where: str) -> None:
        if where == self.where and self.left:
            self.left -= 1
            raise ZeroDivisionError("in the listener")

    def link_up(self, at: Instant, identity: str) -> None:
        super().link_up(at, identity)
        self._trip("up")

    def link_bytes(self, data: bytes, at: Instant) -> None:
        super().link_bytes(data, at)
        self._trip("bytes")

    def link_lost(self, reason: str, at: Instant) -> None:
        super().link_lost(reason, at)
        self._trip("lost")


@pytest.mark.parametrize("where", ["up", "bytes"])
async def test_a_defect_while_reading_is_a_loss_is_reopened_and_is_logged_once(
    start: Start, pty_pair: Any, where: str
):
    with capture_logs() as lines:
        link, ear = await start(pty_pair.path, Broken(where, times=3), timing=LinkTiming(0.01, 0.05))

        def broken() -> bool:
            with contextlib.suppress(BlockingIOError):
                pty_pair.write(LINE)
            return not ear.left

        await until(broken)
        losses = len(ear.losses)
        await until(lambda: ear.ups == 4 and link.state == "up")
        pty_pair.write(b"after\n")
        await until(lambda: ear.data.endswith(b"after\n"))
    assert losses == 3
    assert all("defect" in reason and "in the listener" in reason for reason in ear.losses)
    told = [line for line in lines if "exc_info" in line]
    assert len(told) == 1
    assert isinstance(told[0]["exc_info"], ZeroDivisionError)
    assert told[0]["exc_info"].__traceback__ is not None
    assert [line["log_level"] for line in lines if line["event"] == "link lost"] == [
        "error",
        "debug",
        "debug",
    ]


async def test_a_defect_on_hearing_of_the_loss_does_not_end_the_link(start: Start, pty_pair: Any):
    with capture_logs() as lines:
        link, ear = await start(pty_pair.path, Broken("lost", times=1))
        link.reopen("silent")
        await until(lambda: ear.ups == 2)
    assert [line["log_level"] for line in lines if "exc_info" in line] == ["error"]


async def test_a_defect_in_opening_does_not_end_the_link(
    start: Start, pty_pair: Any, monkeypatch: pytest.MonkeyPatch
):
    open_port = opening.open_port
    broken = [True, True]

    def failing(*arguments: Any) -> Any:
        if broken and broken.pop():
            raise ZeroDivisionError("in the opening")
        return open_port(*arguments)

    monkeypatch.setattr(opening, "open_port", failing)
    with capture_logs() as lines:
        await start(pty_pair.path)
    assert [line["log_level"] for line in lines if "exc_info" in line] == ["error"]


async def test_failures_are_told_once_counted_and_ended_with_one_line(start: Start, server: Server):
    await server.close()
    with capture_logs() as lines:
        link, ear = await start(server.url, up=False)
        await until(lambda: sum(line["event"] == "port not opened" for line in lines) >= 4)
        await server.open(server.port)
        await until(lambda: ear.ups and server.clients)
        server.clients[-1].write(LINE)
        await until(lambda: any(line["event"] == "link recovered" for line in lines))
    failures = [line for line in lines if line["event"] == "port not opened"]
    assert [line["log_level"] for line in failures] == ["warning"] + ["debug"] * (len(failures) - 1)
    recovered = [line for line in lines if line["event"] == "link recovered"]
    assert [(line["log_level"], line["failures"]) for line in recovered] == [("info", len(failures))]
    assert all(line["port"] == server.url for line in lines)
    assert link.state == "up"


async def test_closing_tells_the_listener_frees_the_port_and_ends_run(pty_pair: Any):
    ear = Ear()
    link = SerialLink(pty_pair.path, SETTINGS, ear, timing=QUICK)
    running = asyncio.create_task(link.run())
    await until(lambda: link.state == "up")
    link.close()
    assert ear.losses == ["closed by mesad"], "at once"
    await asyncio.wait_for(running, PATIENCE)
    assert ports.holder(pty_pair.path) is None
    link.close()
    assert len(ear.losses) == 1


async def test_cancelling_frees_the_port_as_well(pty_pair: Any):
    ear = Ear()
    link = SerialLink(pty_pair.path, SETTINGS, ear, timing=QUICK)
    running = asyncio.create_task(link.run())
    await until(lambda: link.state == "up")
    running.cancel()
    with capture_logs() as lines, pytest.raises(asyncio.CancelledError):
        await running
    assert lines == [], "an end that was asked for is no failure"
    assert len(ear.losses) == 1
    assert ports.holder(pty_pair.path) is None
    assert open_devices() == 1


async def test_a_link_runs_once(start: Start, pty_pair: Any):
    link, _ = await start(pty_pair.path)
    with pytest.raises(RuntimeError):
        await link.run()


@pytest.fixture
def black_hole() -> Iterator[str]:
    """A port whose queue of connections is full: connecting to it gets no answer."""
    with contextlib.ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        stack.enter_context(socket.create_connection(full.getsockname()))  # it is in the queue by now
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield f"socket://127.0.0.1:{full.getsockname()[1]}"


def _opening() -> bool:
    """Whether a port is being opened now."""
    return any(thread.name.startswith("open ") for thread in threading.enumerate())


async def test_a_server_that_does_not_answer_blocks_nothing_and_times_out(start: Start, black_hole: str):
    link, ear = await start(black_hole, timing=LinkTiming(open_within=0.5), up=False)
    turns = 0

    def turn_while_it_waits() -> bool:
        nonlocal turns
        turns += _opening()
        return turns > 20

    await until(turn_while_it_waits)
    await until(lambda: "network cable" in (link.reason or ""))
    assert ear.events == []


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_ending_does_not_wait_for_a_connection_that_is_being_tried(black_hole: str, how: str):
    link = SerialLink(black_hole, SETTINGS, Ear(), timing=LinkTiming(open_within=20.0))
    running = asyncio.create_task(link.run())
    await until(_opening)
    if how == "close":
        link.close()
    else:
        running.cancel()
    await asyncio.wait({running}, timeout=PATIENCE)
    assert running.done()
    assert _opening(), "it is still being tried"


async def test_a_port_that_opens_after_the_link_ended_is_closed_again(
    pty_pair: Any, monkeypatch: pytest.MonkeyPatch
):
    gate = threading.Event()
    open_port = opening.open_port
    opened = []

    def slow(*arguments: Any) -> Any:
        gate.wait(PATIENCE)
        opened.append(open_port(*arguments))
        return opened[-1]

    monkeypatch.setattr(opening, "open_port", slow)
    link = SerialLink(pty_pair.path, SETTINGS, Ear(), timing=QUICK)
    running = asyncio.create_task(link.run())
    await asyncio.sleep(0.01)
    link.close()
    await asyncio.wait_for(running, PATIENCE)
    gate.set()
    await until(lambda: opened)
    await until(lambda: ports.holder(pty_pair.path) is None)
    assert open_devices() == 1


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_a_port_that_opened_just_when_the_link_ended_is_closed_again(
    pty_pair: Any, monkeypatch: pytest.MonkeyPatch, how: str
):
    attempts: list[asyncio.Future[Any]] = []
    closed: list[str] = []

    def begin(*_arguments: Any) -> asyncio.Future[Any]:
        attempts.append(asyncio.get_running_loop().create_future())
        return attempts[-1]

    monkeypatch.setattr(opening, "begin", begin)
    ear = Ear()
    link = SerialLink(pty_pair.path, SETTINGS, ear, timing=QUICK)
    running = asyncio.create_task(link.run())
    await until(lambda: attempts)
    attempts[0].set_result(opening.OpenPort(pty_pair.path, -1, "x", lambda: closed.append("closed")))
    if how == "close":
        link.close()
    else:
        running.cancel()
    await asyncio.wait({running}, timeout=PATIENCE)
    assert running.done()
    assert closed == ["closed"]
    assert ear.events == []


async def test_an_opening_that_hangs_is_given_up_with_a_reason(
    start: Start, pty_pair: Any, monkeypatch: pytest.MonkeyPatch
):
    gate = threading.Event()
    open_port = opening.open_port

    def hanging(*arguments: Any) -> Any:
        assert gate.wait(PATIENCE)
        return open_port(*arguments)

    monkeypatch.setattr(opening, "open_port", hanging)
    link, ear = await start(pty_pair.path, timing=LinkTiming(600.0, 600.0, open_within=0.05), up=False)
    await until(lambda: link.reason)
    assert "not open after" in link.reason
    gate.set()
    await until(lambda: not _opening())
    await until(lambda: ports.holder(pty_pair.path) is None)
    await until(lambda: link.wake() or ear.ups == 1)


async def test_what_is_not_a_serial_device_says_so_and_is_no_reason_to_stop(start: Start):
    link, _ = await start("/dev/null", up=False)
    await until(lambda: link.reason)
    assert "not a serial device" in link.reason


async def test_the_owner_is_told_why_the_port_is_not_open_once_for_each_reason(
    start: Start, tmp_path: Path, counts: dict[str, int]
):
    told: list[tuple[str, Instant]] = []
    path = tmp_path / "wheel"
    path.symlink_to("/dev/null")
    clock = itertools.count(1)
    link, _ = await start(
        path,
        up=False,
        on_waiting=lambda reason, at: told.append((reason, at)),
        clock=lambda: Instant(next(clock), 7),
    )
    await until(lambda: counts["attempts"] >= 3)
    assert [reason for reason, _ in told] == [link.reason]
    assert "not a serial device" in told[0][0]
    assert told[0][1] == Instant(1, 7)
    (tmp_path / "new").symlink_to(path.name)  # to itself, once it has that name
    (tmp_path / "new").replace(path)
    link.wake()
    await until(lambda: len(told) == 2)
    assert "in a circle" in told[1][0]


async def test_a_defect_of_who_is_told_does_not_end_the_link(start: Start, tmp_path: Path, pty_pair: Any):
    path = tmp_path / "wheel"
    with capture_logs() as lines:
        link, _ = await start(path, up=False, on_waiting=lambda reason, at: [][0])
        await until(lambda: any(line["event"] == "reason not taken" for line in lines))
    path.symlink_to(pty_pair.path)
    await until(lambda: link.state == "up")


def test_what_is_not_a_port_is_refused_before_anything_runs():
    with pytest.raises(BadPortError):
        SerialLink("rfc2217://10.0.0.5:4001", SETTINGS, Ear())


# --- on the faster event loop ------------------------------------------------------------------


async def a_day(pty_pairs: Any, path: Path) -> Ear:
    """Open, hear, lose by unplugging, find again, hear, lose a connection, find it again."""
    pair = pty_pairs()
    replug(path, pair)
    ear = Ear()
    link = SerialLink(str(path), SETTINGS, ear, timing=QUICK)
    running = asyncio.create_task(link.run())
    await until(lambda: ear.ups == 1)
    pair.write(LINE)
    await until(lambda: ear.data == LINE)
    unplug(path, pair)
    await until(lambda: len(ear.losses) == 1)
    pair = pty_pairs()
    replug(path, pair)
    await until(lambda: ear.ups == 2)
    pair.write(LINE)
    await until(lambda: ear.data == LINE * 2)
    link.close()
    await running

    server = Server()
    await server.open()
    link = SerialLink(server.url, SETTINGS, ear, timing=QUICK)
    running = asyncio.create_task(link.run())
    await until(lambda: server.clients)
    server.clients[0].close()
    await until(lambda: len(server.clients) == 2)
    server.clients[1].write(LINE)
    await until(lambda: ear.data == LINE * 3)
    link.close()
    await running
    await server.close()
    return ear


def loops() -> list[Any]:
    """The loop factories there are: asyncio's own, and uvloop's where that optional extra is installed."""
    found: list[Any] = [pytest.param(asyncio.new_event_loop, id="asyncio")]
    with contextlib.suppress(ImportError):
        found.append(pytest.param(__import__("uvloop").new_event_loop, id="uvloop"))
    return found


@pytest.mark.parametrize("factory", loops())
def test_the_link_works_on_every_event_loop(factory: Any, pty_pairs: Any, tmp_path: Path):
    with asyncio.Runner(loop_factory=factory) as runner:
        ear = runner.run(a_day(pty_pairs, tmp_path / "wheel"))
    assert ear.ups == 4
    assert len(ear.losses) == 4
