"""From the write of a line on a pseudo-terminal to its arrival at an MQTT subscriber: mesad beside a pipe.

    python benchmarks/latency.py --games 300
    python benchmarks/latency.py --core 1       # mesad kept on one core: its caches stay warm

One Mosquitto, one subscriber and one writer serve both sides, whose trials alternate: the same line goes to
`mesad run` and to `socat … | mosquitto_pub -l`. What is measured is the writer's call to the subscriber's
callback. A phase message is live state; a result is durable: it is in the journal (one fdatasync) before it
is sent. Resident memory, idle CPU and the time to be ready are the daemon's after the same run.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from brokers import Mosquitto
from hall import Board, Daemon, Wire, clean_game, status

PIPE_TOPIC = "mesad/v1/madrid-1/ruleta-01/pipe"
"""Below the board's root, so that one subscription hears both sides."""


HEADINGS = ("median", "5 %", "95 %", "most")


class Arrivals(Board):
    """A board that notes when each topic was last heard."""

    def __init__(self, port: int) -> None:
        super().__init__(port, qos=0)  # the same way from the broker on for both sides
        self.waiting: dict[str, asyncio.Future[float]] = {}

    async def _listen(self) -> None:
        async for message in self._client.messages:
            now = time.perf_counter()
            topic = str(message.topic).removeprefix(self.root)
            self.messages.append((topic, message.payload, bool(message.retain)))
            self._news.set()
            if topic in self.waiting and not self.waiting[topic].done():
                self.waiting[topic].set_result(now)

    async def after(self, wire: Wire, line: bytes, topic: str) -> float:
        """Seconds from writing a line to hearing the topic."""
        arrival = self.waiting[topic] = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        wire.write(line)
        return await asyncio.wait_for(arrival, 10) - began


def row(name: str, seconds: list[float], pipe: list[float] | None = None) -> str:
    """A line of the table: median and spread in microseconds, and the ratio to the pipe's median."""
    cut = statistics.quantiles(seconds, n=20)
    ratio = "" if pipe is None else f"{statistics.median(seconds) / statistics.median(pipe):8.2f}"
    micro = [1e6 * value for value in (statistics.median(seconds), cut[0], cut[18], max(seconds))]
    return f"{name:24}{len(seconds):7}" + "".join(f"{value:10.0f}" for value in micro) + ratio


async def syncs(folder: Path, trials: int) -> list[float]:
    """What the disk alone takes: seconds of one fdatasync after 48 KB, at the pace of the results."""
    took = []
    descriptor = os.open(folder / "sync", os.O_CREAT | os.O_WRONLY)
    for _ in range(trials):
        os.write(descriptor, b"x" * 48 * 1024)
        began = time.perf_counter()
        os.fdatasync(descriptor)
        took.append(time.perf_counter() - began)
        await asyncio.sleep(0.12)
    os.close(descriptor)
    return took


def field(pid: int, name: str) -> int:
    """A number from /proc/PID/status."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has had, in seconds."""
    fields = Path(f"/proc/{pid}/schedstat").read_text().split()
    return int(fields[0]) / 1e9


async def measure(games: int, idle: float, core: int | None, folder: Path) -> None:
    """Run both sides and print the table; mesad on `core` only, or wherever the kernel puts it."""
    broker = Mosquitto(folder, "allow_anonymous true\nset_tcp_nodelay true")
    wire, pipe_wire = Wire(folder / "wheel"), Wire(folder / "pipe")
    broker.start()
    wire.plug()
    pipe_wire.plug()
    pipe = start_pipe(pipe_wire, broker.port)
    daemon = Daemon(folder, broker.port, wire.path)
    try:
        async with Arrivals(broker.port) as board:
            began = time.perf_counter()
            daemon.start()
            assert daemon.process is not None
            pid = daemon.process.pid
            if core is not None:
                os.sched_setaffinity(pid, {core})  # before it has threads, which get the same
            await board.until(lambda board: board.last("status"))
            ready = time.perf_counter() - began
            await board.until(lambda board: b'"silent"' in (board.last("device/wheel") or b""))
            link = time.perf_counter() - began
            await wire.closed()
            await asyncio.sleep(1.0)
            phases, results, piped = await _trials(board, wire, pipe_wire, games)
            before = cpu_seconds(pid)
            for _ in range(int(idle / 0.5)):
                wire.write(status(2, 1))
                await asyncio.sleep(0.5)
            share = (cpu_seconds(pid) - before) / idle
            print(
                f"{'microseconds':24}{'trials':>7}" + "".join(f"{name:>10}" for name in HEADINGS) + "   ratio"
            )
            print(row("socat | mosquitto_pub", piped))
            print(row("mesad, phase", phases, piped))
            print(row("mesad, durable result", results, piped))
            print(row("fdatasync alone", await syncs(folder, min(games, 100)), piped))
            print(f"first words after {ready:.3f} s, link open after {link:.3f} s")
            print(f"resident {field(pid, 'VmRSS') / 1024:.1f} MB, most {field(pid, 'VmHWM') / 1024:.1f} MB")
            print(f"idle (a status line every 0.5 s, for {idle:.0f} s): {100 * share:.2f} % of a core")
    finally:
        daemon.end()
        os.killpg(pipe.pid, 15)
        pipe.wait()
        wire.unplug()
        pipe_wire.unplug()
        broker.kill()


def start_pipe(wire: Wire, port: int) -> subprocess.Popen[bytes]:
    """What mesad is compared with: no more than a line becoming a message."""
    command = f"socat -u {wire.path},raw,echo=0 - | mosquitto_pub -p {port} -t {PIPE_TOPIC} -l"
    return subprocess.Popen(command, shell=True, start_new_session=True)  # noqa: S602  # it is a pipe


async def _trials(
    board: Arrivals, wire: Wire, pipe_wire: Wire, games: int
) -> tuple[list[float], list[float], list[float]]:
    phases, results, piped = [], [], []
    for game in range(games):
        previous = str((game - 1) % 37) if game else "  "
        lines = clean_game(game % 256 + 1, str(game % 37), previous, game % 2)
        for index, line in enumerate(lines):
            topic = {2: "phase", 4: "phase", 7: "event/round"}.get(index)
            if topic is None:
                wire.write(line)
            else:
                (results if index == 7 else phases).append(await board.after(wire, line, topic))
                piped.append(await board.after(pipe_wire, line, "pipe"))
            await asyncio.sleep(0.01)
    return phases, results, piped


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--core", type=int, help="the only core that mesad may run on")
    parser.add_argument("--idle", type=float, default=20.0, help="seconds of idling that are measured")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(args.games, args.idle, args.core, Path(folder)))


if __name__ == "__main__":
    main()
