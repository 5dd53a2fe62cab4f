"""`mesad demo`: a broker, simulated tables and the daemon in one process; the rounds as they come."""

import argparse
import asyncio
import contextlib
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from daemon import log
from daemon.app import run_tables
from daemon.cli.run import run_loop
from daemon.config import load_all
from daemon.errors import AlreadyRunningError, UsageError
from daemon.records import CloudEvent, Message, RoundRecord
from daemon.table.messages import TableSetup

if TYPE_CHECKING:
    from daemon.demo_broker import DemoBroker

FAULTS = "mixed:0.3"
PORT = 1883
WS_PORT = 9001


class Shown(NamedTuple):
    """A table of the demonstration: its game and law, and the wheel that plays it."""

    id: str
    game: str
    catalogue: str
    language: str
    model: Literal["slingshot-2", "mercury-360"]
    protocol: Literal["advanced", "extended"]
    pockets: int


TABLES = (
    Shown("ruleta-01", "french_roulette", "es-1979", "es", "slingshot-2", "advanced", 37),
    Shown("ruleta-02", "french_roulette", "es-ct", "ca", "mercury-360", "extended", 37),
    Shown("ruleta-03", "american_roulette_double_zero", "es-ex", "es", "slingshot-2", "advanced", 38),
)

TABLE_FILE = """\
[table]
site = "demo"
id = "{id}"
game = "{game}"
catalogue = "{catalogue}"
language = "{language}"
test = true
[mqtt]
url = "mqtt://127.0.0.1:{broker}"
[journal]
path = "{id}.db"
[[device]]
id = "wheel"
role = "wheel"
driver = "cammegh"
port = "{port}"
options = {{ model = "{model}", protocol = "{protocol}", pockets = {pockets} }}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How fast, how long, and where the journals go."""
    parser.add_argument("--speed", type=float, default=4.0, help="times real time; default 4")
    parser.add_argument("--rounds", type=int, help="end after so many rounds of all tables together")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same games")
    parser.add_argument(
        "--port", type=int, help=f"the broker's TCP port; without it {PORT}, or any if that is taken"
    )
    parser.add_argument(
        "--ws-port", type=int, help=f"its WebSocket port; without it {WS_PORT}, or any if taken"
    )
    parser.add_argument(
        "--folder", type=Path, help="keep table files and journals here; default: thrown away"
    )


def main(args: argparse.Namespace) -> int:
    """Show rounds until interrupted."""
    try:
        import amqtt  # noqa: F401 - an optional extra, told of before anything is started
    except ImportError:
        raise UsageError("the demonstration needs the extra: pip install 'mesad[demo]'") from None
    log.configure(level="error")
    with contextlib.ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mesad-demo-")))
        folder.mkdir(parents=True, exist_ok=True)
        run_loop(_demo(args, folder))
    return 0


async def _demo(args: argparse.Namespace, folder: Path) -> None:
    from simulators.devices.cammegh import SimulatedWheel
    from simulators.ports import PseudoTerminal
    from simulators.run import run_wheel, schedule_of

    stop = asyncio.Event()
    seen = 0

    def watch(setup: TableSetup, message: Message) -> None:
        nonlocal seen
        if message.topic == "event/round":
            event = msgspec.json.decode(message.payload, type=CloudEvent)
            print(round_line(setup, msgspec.convert(event.data, RoundRecord)), flush=True)
            seen += 1
            if args.rounds is not None and seen >= args.rounds:
                stop.set()

    async with contextlib.AsyncExitStack() as stack:
        broker = await _broker(stack, args.port, args.ws_port)
        files, wheels = [], []
        for number, table in enumerate(TABLES):
            port = PseudoTerminal()
            stack.callback(port.close)
            file = folder / f"{table.id}.toml"
            file.write_text(TABLE_FILE.format(**table._asdict(), broker=broker.port, port=port.path))
            files.append(file)
            schedule = schedule_of(FAULTS, table.model, table.protocol, args.seed, args.speed)
            wheel = SimulatedWheel(table.model, table.protocol, table.pockets, args.seed + number, schedule)
            playing = run_wheel(wheel, port, args.speed, wait_for_reader=True)
            wheels.append(asyncio.create_task(playing, name=f"wheel {table.id}"))
        print(introduction(broker.port, broker.ws_port, folder), flush=True)
        try:
            await run_tables(load_all(files), watch, stop)
        finally:
            for wheel_task in wheels:
                wheel_task.cancel()
            await asyncio.gather(*wheels, return_exceptions=True)


async def _broker(stack: contextlib.AsyncExitStack, port: int | None, ws_port: int | None) -> "DemoBroker":
    """The broker on the ports that were asked for; on the usual ones, or any, where none were."""
    from daemon.demo_broker import demo_broker

    try:
        usual = demo_broker(
            port=PORT if port is None else port, ws_port=WS_PORT if ws_port is None else ws_port
        )
        return await stack.enter_async_context(usual)
    except AlreadyRunningError:
        if port is not None or ws_port is not None:
            raise
        return await stack.enter_async_context(demo_broker())


def introduction(port: int, ws_port: int, folder: Path) -> str:
    """What is running and where to look."""
    tables = "\n".join(f"  {t.id}  {t.game} under {t.catalogue}, a simulated {t.model}" for t in TABLES)
    return f"""\
mesad demo: {len(TABLES)} simulated tables, every fault of a real wheel mixed in; Ctrl-C ends it.
{tables}
Subscribe from outside (loopback only):
  mosquitto_sub -p {port} -v -t 'mesad/v1/demo/#'
  WebSocket for a board in a browser: ws://127.0.0.1:{ws_port}
Table files and journals: {folder}

time      table      round  what is called out, verdict, findings"""


def round_line(setup: TableSetup, record: RoundRecord) -> str:
    """A round in one readable line."""
    settled = datetime.fromisoformat(record.settled_at).astimezone().strftime("%H:%M:%S")
    findings = "; ".join(f"{finding.rule} ({finding.clause})" for finding in record.findings)
    number = "" if record.verdict == "valid" or record.label is None else f" [the wheel gave {record.label}]"
    said = f"{record.announcement}{number}"
    line = f"{settled}  {setup.id:10} {record.round:5}  {said:40} {record.verdict:6}"
    return f"{line}  {findings}" if findings else line
