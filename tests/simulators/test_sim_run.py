"""The real-time runner: schedule, bytes on real ports, plugging, truths in a file, arguments."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from patience import PATIENCE, until

from simulators.devices.cammegh import SimulatedWheel
from simulators.ports import PseudoTerminal, TcpServer
from simulators.run import Player, open_port, run_wheel, schedule_of, simulate
from simulators.scenarios import at
from simulators.traffic import Bytes, Item, Replug, Truth, Unplug, items_of


class HandClock:
    """A clock that a test moves: sleeping is instant, and may take longer than asked."""

    def __init__(self, oversleep: float = 0.0) -> None:
        self.now = 1000.0
        self.oversleep = oversleep

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds + (self.oversleep if seconds else 0.0)
        await asyncio.sleep(0)


class Recorder:
    """A port that notes what it is told, and when."""

    path = "recorder"

    def __init__(self, clock: HandClock, capacity: int = 1_000_000) -> None:
        self.clock = clock
        self.told: list[tuple[float, str, bytes]] = []
        self.capacity = capacity
        self.asked = 0

    def write(self, data: bytes) -> int:
        self.told.append((self.clock.now - 1000.0, "bytes", data))
        return min(len(data), self.capacity)

    def heard(self) -> bytes:
        return b""

    def listened(self) -> bool:
        self.asked += 1
        return self.asked > 10

    def unplug(self) -> None:
        self.told.append((self.clock.now - 1000.0, "unplug", b""))

    def replug(self) -> None:
        self.told.append((self.clock.now - 1000.0, "replug", b""))

    def close(self) -> None:
        self.told.append((self.clock.now - 1000.0, "close", b""))


def whole_of(seed: int, rounds: int, faults: dict[int, str] | None = None) -> list[Item]:
    wheel = SimulatedWheel(seed=seed, faults=at(faults or {}))
    return [*items_of(wheel.games(rounds)), *wheel.tail()]


async def test_items_are_done_at_their_times_and_in_order() -> None:
    clock = HandClock()
    port = Recorder(clock)
    truths: list[Truth] = []
    wheel = SimulatedWheel(seed=2, faults=at({1: "five_unplugs"}))
    await run_wheel(wheel, port, rounds=3, on_truth=truths.append, clock=clock)
    items = whole_of(2, 3, {1: "five_unplugs"})
    assert len(port.told) == len(items)
    for (when, kind, data), item in zip(port.told, items, strict=True):
        assert abs(when - item.t) < 1e-6
        assert kind == {Bytes: "bytes", Unplug: "unplug", Replug: "replug"}[type(item)]
        assert data == (item.data if isinstance(item, Bytes) else b"")
    assert [truth.fault for truth in truths] == [None, "five_unplugs", None]


async def test_a_late_item_makes_no_other_late() -> None:
    clock = HandClock(oversleep=0.2)
    port = Recorder(clock)
    await run_wheel(SimulatedWheel(seed=2), port, rounds=10, clock=clock)
    for (when, _, _), item in zip(port.told, whole_of(2, 10), strict=True):
        assert -1e-6 < when - item.t < 0.21


async def test_speed_divides_all_times() -> None:
    clock = HandClock()
    port = Recorder(clock)
    await run_wheel(SimulatedWheel(seed=2), port, speed=20, rounds=2, clock=clock)
    assert abs(port.told[-1][0] * 20 - whole_of(2, 2)[-1].t) < 1e-4
    with pytest.raises(ValueError, match="above 0"):
        Player(port, 0.0, clock)


async def test_virtual_time_can_wait_for_a_reader() -> None:
    clock = HandClock()
    port = Recorder(clock)
    await run_wheel(SimulatedWheel(seed=2), port, rounds=1, wait_for_reader=True, clock=clock)
    assert abs(port.told[0][0] - whole_of(2, 1)[0].t - 0.2) < 1e-6
    assert port.asked == 11


@pytest.mark.parametrize(("unopened_for", "told"), [(2.9, 0), (10.0, 1)])
async def test_a_port_that_nobody_opens_is_told_once_and_waited_for(unopened_for: float, told: int) -> None:
    clock = HandClock()
    port = Recorder(clock)
    port.asked = 10 - round(unopened_for / 0.02)
    said: list[float] = []
    await run_wheel(
        SimulatedWheel(seed=2),
        port,
        rounds=1,
        wait_for_reader=True,
        on_unopened=lambda: said.append(clock.now - 1000.0),
        clock=clock,
    )
    assert [2.99 < when < 3.05 for when in said] == [True] * told
    assert port.told


async def test_bytes_that_the_port_does_not_take_are_counted() -> None:
    clock = HandClock()
    port = Recorder(clock, capacity=20)
    lost = await run_wheel(SimulatedWheel(seed=2), port, rounds=1, clock=clock)
    sizes = [len(item.data) for item in whole_of(2, 1) if isinstance(item, Bytes)]
    assert lost == sum(max(size - 20, 0) for size in sizes) > 0


class AttentiveClock(HandClock):
    """One that goes on when somebody has found the terminal that is plugged in, and could read."""

    def __init__(self, port: PseudoTerminal) -> None:
        super().__init__()
        self.port = port

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        await asyncio.sleep(0.001)
        await until(lambda: self.port.listened() or not Path(self.port.path).is_symlink())


class Ear:
    """Reads a path again and again, as a link would; notes each connection's bytes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connections: list[bytearray] = []
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        while True:
            try:
                fd = os.open(self.path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
            except FileNotFoundError:
                await asyncio.sleep(0.0005)
                continue
            self.connections.append(bytearray())
            try:
                await self._read(fd)
            finally:
                os.close(fd)

    async def _read(self, fd: int) -> None:
        while True:
            try:
                data = os.read(fd, 65_536)
            except BlockingIOError:
                await asyncio.sleep(0.0002)
                continue
            except OSError:
                return
            if not data:
                return
            self.connections[-1] += data

    async def close(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def test_a_pseudo_terminal_delivers_every_byte() -> None:
    port = PseudoTerminal()
    ear = Ear(port.path)
    try:
        lost = await run_wheel(SimulatedWheel(seed=5), port, speed=200, rounds=2, wait_for_reader=True)
        expected = b"".join(item.data for item in whole_of(5, 2) if isinstance(item, Bytes))
        await until(lambda: len(ear.connections[0]) >= len(expected))
        assert ear.connections == [expected]
        assert lost == 0
        assert port.heard() == b""
    finally:
        await ear.close()
        port.close()


async def test_unplugs_of_a_pseudo_terminal_are_seen_and_each_time_a_new_one_is_found() -> None:
    port = PseudoTerminal()
    ear = Ear(port.path)
    try:
        wheel = SimulatedWheel(seed=5, faults=at({1: "five_unplugs"}))
        await run_wheel(wheel, port, rounds=2, wait_for_reader=True, clock=AttentiveClock(port))
        items = whole_of(5, 2, {1: "five_unplugs"})
        parts: list[bytes] = [b""]
        for item in items:
            if isinstance(item, Unplug):
                parts.append(b"")
            elif isinstance(item, Bytes):
                parts[-1] += item.data
        await until(lambda: len(ear.connections) == 6 and len(ear.connections[-1]) >= len(parts[-1]))
        assert ear.connections[-1] == parts[-1]
        assert parts[0].startswith(ear.connections[0])  # what nobody had read yet went with the cable
        assert len(ear.connections[0]) > len(parts[0]) / 2
    finally:
        await ear.close()
        port.close()


async def test_a_tcp_port_delivers_every_byte() -> None:
    port = TcpServer()
    host, _, number = port.path.removeprefix("socket://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(number))
    try:
        lost = await run_wheel(SimulatedWheel(seed=6), port, speed=200, rounds=2, wait_for_reader=True)
        port.close()
        heard = await asyncio.wait_for(reader.read(), PATIENCE)
        assert heard == b"".join(item.data for item in whole_of(6, 2) if isinstance(item, Bytes))
        assert lost == 0
    finally:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)
        port.close()


async def test_simulate_gives_the_path_plays_and_writes_the_truths(tmp_path: Path) -> None:
    truths = tmp_path / "truth.jsonl"
    truths.write_text('{"from":"before"}\n')
    link = tmp_path / "wheel"
    paths: list[str] = []
    run = asyncio.create_task(
        simulate(
            "wheel",
            fault="no_result@1",
            seed=4,
            rounds=3,
            speed=500,
            port=f"pty:{link}",
            truth_path=truths,
            on_ready=paths.append,
        )
    )
    await until(lambda: bool(paths))
    assert paths == [str(link)]
    ear = Ear(paths[0])
    try:
        await asyncio.wait_for(run, PATIENCE)
    finally:
        await ear.close()
    lines = [json.loads(line) for line in truths.read_text().splitlines()]
    assert lines[0] == {"from": "before"}, "appended, not overwritten"
    assert [line["expected"] for line in lines[1:]] == ["valid", "void", "valid"]
    assert lines[2] == {
        "index": 1,
        "counter": 2,
        "number": None,
        "expected": "void",
        "launches": 1,
        "rotor": "cw",
        "fault": "no_result",
        "note": "from state 4 straight to state 2",
    }
    assert not link.is_symlink(), "the port is gone afterwards"


async def test_simulate_that_is_stopped_leaves_nothing_behind(tmp_path: Path) -> None:
    link = tmp_path / "wheel"
    ready = asyncio.Event()
    run = asyncio.create_task(simulate("wheel", port=f"pty:{link}", on_ready=lambda path: ready.set()))
    await asyncio.wait_for(ready.wait(), PATIENCE)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert not link.is_symlink()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"device": "toaster"}, "unknown device 'toaster'"),
        ({"model": "slingshot-9"}, "no wheel 'slingshot-9'"),
        ({"protocol": "basic"}, "advanced protocol only"),
        ({"pockets": 40}, "37 or 38"),
        (
            {"fault": "respin"},
            "no fault 'respin' on a slingshot-2 speaking advanced; known are: ball_",
        ),
        ({"fault": "no_result@x"}, "number of a game"),
        ({"fault": "mixed@3"}, "number of a game"),
        ({"fault": "no_result:often"}, "not a rate"),
        ({"fault": "mixed:0.9"}, "from 0 to 0.5"),
        ({"port": "com1"}, "is no port"),
        ({"port": "tcp:http"}, "is no port"),
        ({"speed": -1.0}, "above 0"),
    ],
)
async def test_arguments_that_make_no_device_are_refused(arguments: dict[str, object], message: str) -> None:
    given = {"device": "wheel", **arguments}
    with pytest.raises(ValueError, match=message):
        await simulate(**given)  # type: ignore[arg-type]


async def test_a_truth_file_that_cannot_be_had_stops_it_before_the_port(tmp_path: Path) -> None:
    ready: list[str] = []
    with pytest.raises(FileNotFoundError):
        await simulate("wheel", truth_path=tmp_path / "none" / "truth", on_ready=ready.append)
    assert ready == []


def test_ports_by_name(tmp_path: Path) -> None:
    for where, path in (
        (None, "mesad-"),
        ("pty", "mesad-"),
        (f"pty:{tmp_path / 'x'}", str(tmp_path / "x")),
        ("tcp", "socket://127.0.0.1:"),
        ("tcp:0", "socket://127.0.0.1:"),
        ("tcp:127.0.0.2:0", "socket://127.0.0.2:"),
    ):
        port = open_port(where)
        assert path in port.path
        port.close()


@pytest.mark.parametrize("where", ["tcp:65536", "tcp:99999", "tcp:-1", "tcp:localhost:x", "usb"])
def test_what_is_no_port_is_refused(where: str) -> None:
    with pytest.raises(ValueError, match="is no port"):
        open_port(where)


def test_fault_specifications() -> None:
    def share(fault: str | None, speed: float = 1.0) -> tuple[float, set[str]]:
        schedule = schedule_of(fault, "slingshot-2", "advanced", 1, speed)
        truths = [game.truth for game in SimulatedWheel(seed=1, faults=schedule).games(600)]
        faulty = [truth.fault for truth in truths if truth.fault]
        return len(faulty) / 600, set(faulty)

    assert share(None) == (0.0, set())
    assert share("no_result@7") == (1 / 600, {"no_result"})
    rate, names = share("no_result")
    assert 0.2 < rate < 0.3
    assert names == {"no_result"}
    rate, names = share("no_result:0.5")
    assert rate > 0.45
    rate, names = share("mixed:0.4")
    assert "silence_in_play" in names
    assert len(names) > 30
    assert "silence_in_play" not in share("mixed:0.4", speed=10)[1]
