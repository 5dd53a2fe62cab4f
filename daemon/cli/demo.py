"""`mesad demo`: a broker, simulated tables and the daemon in one process; the rounds as they come."""

import argparse
import asyncio
import contextlib
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from daemon import log
from daemon.app import run_tables
from daemon.cli.demo_tables import DEVICES, TABLES, set_up
from daemon.cli.run import run_loop
from daemon.config import load_all
from daemon.errors import AlreadyRunningError, UsageError
from daemon.records import CloudEvent, Message, RoundRecord
from daemon.table.messages import TableSetup

if TYPE_CHECKING:
    from daemon.demo_broker import DemoBroker

PORT = 1883
WS_PORT = 9001


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
    from simulators.ports import PseudoTerminal
    from simulators.run import run_wheel

    stop = asyncio.Event()
    seen = 0
    unprinted: OSError | None = None

    def watch(setup: TableSetup, message: Message) -> None:
        nonlocal seen, unprinted
        if message.topic != "event/round" or unprinted is not None:
            return
        event = msgspec.json.decode(message.payload, type=CloudEvent)
        try:
            print(round_line(setup, msgspec.convert(event.data, RoundRecord)), flush=True)
        except OSError as error:  # the reader of a pipe has seen enough, or the disk is full
            unprinted = error
        seen += 1
        if unprinted is not None or (args.rounds is not None and seen >= args.rounds):
            stop.set()

    async with contextlib.AsyncExitStack() as stack:
        broker = await _broker(stack, args.port, args.ws_port)
        files, wheels = [], []
        for number, table in enumerate(TABLES):
            port = PseudoTerminal()
            stack.callback(port.close)
            file, made = set_up(table, folder, broker.port, port.path, args.seed + number, args.speed)
            files.append(file)
            playing = run_wheel(made.wheel, port, args.speed, wait_for_reader=True)
            wheels.append(asyncio.create_task(playing, name=f"wheel {table.id}"))
        print(introduction(broker.port, broker.ws_port, folder), flush=True)
        try:
            await run_tables(load_all(files), watch, stop)
        finally:
            for wheel_task in wheels:
                wheel_task.cancel()
            await asyncio.gather(*wheels, return_exceptions=True)
    if unprinted is not None:
        raise unprinted


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
    tables = "\n".join(f"  {t.id:10} {t.game} under {t.catalogue}, {DEVICES[t.device]}" for t in TABLES)
    return f"""\
mesad demo: {len(TABLES)} simulated tables, every fault of real wheels mixed in; Ctrl-C ends it.
{tables}
Subscribe from outside (loopback only):
  mosquitto_sub -p {port} -v -t 'mesad/v1/demo/#'            all that boards get, of all tables
  mosquitto_sub -p {port} -v -t 'mesad/v1/demo/+/result'     the last result that counts, of each
  mosquitto_sub -p {port} -v -t 'mesad/v1/demo/{TABLES[-1].id}/#'   one table
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
    return f"{line}  {findings}".rstrip()
