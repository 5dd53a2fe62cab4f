"""`mesad run TABLE.toml…`: the daemon."""

import argparse
import asyncio
import gc
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from daemon import log
from daemon.app import run_tables
from daemon.config import load_all


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Table files, and how to run."""
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE.toml", help="one file a table")
    parser.add_argument("--test", action="store_true", help='mark everything published with "test": true')
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="info")


def main(args: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT."""
    log.configure(level=args.log_level, stream=sys.stdout, in_thread=True)
    configs = load_all(args.tables, test=args.test)
    run_loop(run_tables(configs))
    return 0


def run_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine on uvloop where it is installed, on asyncio's own loop elsewhere."""
    factory: Callable[[], asyncio.AbstractEventLoop] | None
    try:
        from uvloop import new_event_loop as factory  # an optional extra
    except ImportError:
        factory = None
    gc.collect()
    gc.freeze()  # what start-up loaded stays: no need to look through it again and again
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main)
