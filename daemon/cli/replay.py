"""`mesad replay CAPTURE --table TABLE.toml`: judge recorded lines, or a recorded round, again."""

import argparse
import sys
from pathlib import Path

import msgspec

from daemon.composition import make_drivers, table_setup
from daemon.config import load
from daemon.errors import ConfigurationError, UsageError
from daemon.records import ROOT
from daemon.replay import is_trace, play_capture, play_trace, read_trace
from drivers.links.replay import CaptureError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The capture, the table, and which of its devices the capture is of."""
    parser.add_argument(
        "capture", type=Path, help="time, TAB, line per row; or a file that `mesad trace` wrote"
    )
    parser.add_argument(
        "--table", type=Path, required=True, metavar="TABLE.toml", help="the table to judge by"
    )
    parser.add_argument("--device", help="the id of the device the capture is of; not needed if there is one")


def main(args: argparse.Namespace) -> int:
    """One JSON line a message on standard output."""
    config = load(args.table, here=False)
    setup = table_setup(config)
    root = f"{ROOT}/{config.site}/{config.id}/"
    try:
        if is_trace(args.capture):
            head, inputs, _ = read_trace(args.capture)
            messages = play_trace(setup, lambda: make_drivers(config), head, inputs)
        else:
            device = _device(args, [device.id for device in config.devices])
            messages = play_capture(setup, lambda: make_drivers(config), device, args.capture)
        encode = msgspec.json.Encoder().encode
        out = sys.stdout.buffer
        for message in messages:
            payload = msgspec.Raw(message.payload or b"null")
            out.write(encode({"topic": root + message.topic, "payload": payload, "retain": message.retain}))
            out.write(b"\n")
        out.flush()
    except BrokenPipeError:
        raise
    except (CaptureError, OSError) as error:
        raise UsageError(f"cannot replay: {error}") from error
    return 0


def _device(args: argparse.Namespace, devices: list[str]) -> str:
    if args.device is None and len(devices) == 1:
        return devices[0]
    if args.device not in devices:
        known = ", ".join(devices)
        raise ConfigurationError(
            args.table, "device", f"--device must say which of: {known}", "name one of them"
        )
    return str(args.device)
