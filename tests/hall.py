"""A hall for end-to-end tests: a broker, a wheel's wire, the daemon as a process, and a board that listens.

The wire is a pseudo-terminal under a stable path that can be unplugged and plugged in again, as a serial
adapter's path can. Waiting is always for something that must come, with a bound.
"""

import asyncio
import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import aiomqtt
from patience import PATIENCE, until


def status(
    state: int, game: int, number: str = "  ", warning: str = "0", rpm: int = 160, rotor: int = 0
) -> bytes:
    """A status line of the wheel, built by hand from its documented form."""
    return f"*X;{state};{game:03d};{number:>2};{warning};{rpm:03d};{rotor}\r\n".encode("ascii")


class Wire:
    """The device's end of a serial line, under a path that stays the same."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._master: int | None = None
        self._slave: int | None = None

    def plug(self) -> None:
        """Connect: a new pseudo-terminal appears under the path."""
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        name = os.ttyname(self._slave)
        link = self.path.with_suffix(".new")
        link.symlink_to(name)
        link.replace(self.path)

    def unplug(self) -> None:
        """Disconnect: the path is gone, and so is the reader's end.

        In this order: the terminal's number is the next one's that anybody opens on this machine.
        """
        self.path.unlink(missing_ok=True)
        for fd in (self._master, self._slave):
            if fd is not None:
                os.close(fd)
        self._master = self._slave = None

    def never_block(self) -> None:
        """Let `write` raise BlockingIOError when nobody reads."""
        assert self._master is not None
        os.set_blocking(self._master, False)

    def write(self, data: bytes) -> None:
        """What the device sends."""
        assert self._master is not None
        os.write(self._master, data)

    async def closed(self) -> None:
        """The wheel says that it is closed, behind the line end that begins every stream."""
        await self.lines(b"\r\n", status(6, 1, rpm=0))

    async def lines(self, *lines: bytes, every: float = 0.02) -> None:
        """Lines one after another, so many seconds apart."""
        for line in lines:
            self.write(line)
            await asyncio.sleep(every)

    async def game(
        self, game: int, number: str, previous: str = "  ", rotor: int = 0, *, bare: bool = True
    ) -> None:
        """A clean game from state 2 to state 5, quicker than a real one."""
        await self.lines(*clean_game(game, number, previous, rotor, bare=bare))


def clean_game(
    game: int, number: str, previous: str = "  ", rotor: int = 0, *, bare: bool = True
) -> list[bytes]:
    """The lines of a clean game."""
    betting = [status(2, game, previous, rotor=1 - rotor), status(2, game, previous, rotor=rotor)]
    play = [status(state, game, previous, rotor=rotor) for state in (3, 3, 4, 4)]
    said = [f"{number}\r\n".encode("ascii")] if bare else []
    return betting + play + said + [status(5, game, number, rotor=rotor)] * 3


class Daemon:
    """`mesad run` as a process with one table file.

    The wheel may be silent for longer than by default: a busy machine lets a test wait between two lines.
    """

    def __init__(self, folder: Path, broker_port: int, wire: Path | str, **changes: Any) -> None:
        self.folder = folder
        self.table = changes.get("id", "ruleta-01")
        self.config = folder / f"{self.table}.toml"
        self.journal = folder / f"{self.table}.db"
        options = {"silence": PATIENCE / 2} | changes.get("options", {})
        self.config.write_text(
            table_file(broker_port, wire, self.journal, **(changes | {"options": options}))
        )
        self.log = folder / f"{self.table}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, **environment: str) -> None:
        """Start it, with these variables beside its own; its log is appended to `log`."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "daemon", "run", str(self.config)],
                stdout=log,
                stderr=log,
                env=os.environ | environment,
            )

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def end(self) -> None:
        """Whatever it is doing, it ends now."""
        if self.process is not None and self.process.poll() is None:
            self.kill()

    async def opened_times(self, times: int) -> None:
        """Wait until so many starts have opened the wire, by the log: for where no broker can tell it."""
        await until(lambda: sum(line["event"] == "port open" for line in self.logged()) >= times)

    def logged(self) -> list[dict[str, Any]]:
        """The log's lines."""
        lines = self.log.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("\n")]


def table_file(broker_port: int, wire: Path | str, journal: Path, **changes: Any) -> str:
    """A table file, with what a test wants otherwise."""
    table = {"site": "madrid-1", "id": "ruleta-01", "game": "french_roulette", "catalogue": "es-ct"}
    table |= {"language": "ca", "test": True}
    table |= {key: changes[key] for key in (*table, "minimum", "multiple", "segments") if key in changes}
    device = {"id": "wheel", "role": "wheel", "driver": "cammegh", "port": str(wire)}
    device |= {key: changes[key] for key in ("role", "driver") if key in changes}
    usual = {"model": "slingshot-2", "protocol": "advanced"} if device["driver"] == "cammegh" else {}
    options = usual | changes.get("options", {})
    sections = {
        "table": table,
        "policy": {"void": changes.get("void", "automatic")},
        "mqtt": {"url": f"mqtt://127.0.0.1:{broker_port}", **changes.get("mqtt", {})},
        "journal": {"path": str(journal)},
    }
    text = ""
    for name, values in sections.items():
        text += f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
    inline = ", ".join(f"{key} = {json.dumps(value)}" for key, value in options.items())
    text += "[[device]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in device.items())
    return text + f"options = {{ {inline} }}\n"


class Board:
    """A display board: everything that was published under the table's root, in order of arrival."""

    def __init__(self, port: int, table: str = "ruleta-01", qos: int = 1, **options: Any) -> None:
        self.root = f"mesad/v1/madrid-1/{table}/"
        self._qos = qos
        self.messages: list[tuple[str, Any, bool]] = []
        self._client = aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, **options)
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        await self._client.subscribe(self.root + "#", qos=self._qos)
        self._task = asyncio.create_task(self._listen(), name="board")
        return self

    async def __aexit__(self, *exc: Any) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        with contextlib.suppress(aiomqtt.MqttError):  # the broker may have died before the board
            await self._client.__aexit__(None, None, None)

    async def _listen(self) -> None:
        async for message in self._client.messages:
            payload = json.loads(message.payload) if message.payload else None
            self.messages.append((str(message.topic).removeprefix(self.root), payload, message.retain))
            self._news.set()

    async def until(self, what: Callable[[Self], Any], patience: float = PATIENCE) -> Any:
        """Wait until `what(board)` is truthy, and give it."""
        deadline = asyncio.get_running_loop().time() + patience
        while not (found := what(self)):
            self._news.clear()
            left = deadline - asyncio.get_running_loop().time()
            try:
                await asyncio.wait_for(self._news.wait(), max(left, 0.001))
            except TimeoutError:
                if not what(self):
                    raise AssertionError(f"it did not come; seen: {self.messages[-12:]}") from None
        return found

    def all(self, topic: str) -> list[Any]:
        """Every payload of a topic."""
        return [payload for seen, payload, _ in self.messages if seen == topic]

    def last(self, topic: str) -> Any:
        """The newest payload of a topic, or None."""
        return next((payload for seen, payload, _ in reversed(self.messages) if seen == topic), None)

    @property
    def records(self) -> list[dict[str, Any]]:
        """Round records in order of arrival, re-deliveries left out."""
        seen: dict[str, dict[str, Any]] = {}
        for event in self.all("event/round"):
            seen.setdefault(event["data"]["id"], event["data"])
        return list(seen.values())

    @property
    def verdicts(self) -> list[tuple[str, str | None]]:
        """Verdict and number of each record."""
        return [(r["verdict"], r["outcome"]["number"] if r["outcome"] else None) for r in self.records]

    async def phase(self, name: str) -> Any:
        """Wait for the table to be in this phase."""
        return await self.until(lambda board: (board.last("phase") or {}).get("phase") == name)

    async def ready(self) -> None:
        """Wait until the table is ready."""
        await self.until(lambda board: (board.last("status") or {}).get("state") == "ready")

    async def replugged(self, wire: Wire) -> None:
        """Take the wire out and put it in again, and wait until the daemon has it open."""
        wire.unplug()
        await self.until(lambda board: board.last("device/wheel")["state"] == "lost")
        wire.plug()
        await self.opened()

    async def opened(self) -> None:
        """Wait until the daemon has the wire open: an opening throws away what was sent before."""

        def is_open(board: Self) -> bool:
            wheel = board.last("device/wheel") or {}
            return wheel.get("state") == "silent" and wheel["reason"] is None

        await self.until(is_open)

    async def recorded(self, count: int) -> list[dict[str, Any]]:
        """Wait for so many records."""
        await self.until(lambda board: len(board.records) >= count)
        return self.records

    async def request(self, command: str, correlation: str, **request: Any) -> None:
        """A request whose answer, if any, will be among the messages."""
        body = {"by": "chief", "reply_to": f"{self.root}reply/board", "correlation": correlation, **request}
        await self._client.publish(f"{self.root}cmd/{command}", json.dumps(body), qos=1)

    async def ask(self, command: str, **request: Any) -> Any:
        """A request, answered."""
        correlation = f"{command}-{len(self.messages)}"
        await self.request(command, correlation, **request)

        def answered(board: Self) -> Any:
            answers = board.all("reply/board")
            return next((answer for answer in answers if answer["correlation"] == correlation), None)

        return await self.until(answered)


async def simulated(
    board: Board, daemon: Daemon, port: int, *arguments: object, games: int, records: int
) -> list[dict[str, Any]]:
    """Plays so many games of a device of `mesad simulate` on a TCP port and waits for the records.

    Gives the truth of each game. The device is switched on when the daemon connects. What it sends when the
    machine lets the daemon wait is kept, as a pseudo-terminal would with a few KB only.
    """
    truths = daemon.folder / "truth"
    said = [*arguments, "--rounds", games, "--port", f"tcp:{port}", "--truth", truths]
    simulating = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon", "simulate", *map(str, said), stdout=subprocess.DEVNULL
    )
    try:
        await board.until(lambda board: len(board.records) >= records, patience=games * PATIENCE)
        assert await simulating.wait() == 0
    finally:
        if simulating.returncode is None:
            simulating.kill()
            await simulating.wait()
    return [json.loads(line) for line in truths.read_text().splitlines()]


async def mesad(*arguments: object, code: int = 0) -> str:
    """Run a command to its end; its standard output."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "daemon", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert done.returncode == code, done.stderr
    return str(done.stdout)
