"""`mesad replay CAPTURE --table TABLE.toml`: judge recorded lines, or a recorded round, again."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from daemon.cli.round_table import table_now, told_of
from daemon.cli.text import one_line
from daemon.composition import make_drivers, table_setup
from daemon.config import load
from daemon.errors import OK, ConfigurationError, UsageError
from daemon.played import judge_again
from daemon.records import CloudEvent, Message, RoundRecord
from daemon.replay import is_trace, play_capture, read_trace
from daemon.topics import root
from drivers.links.replay import CaptureError

DIFFERS = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The capture, the table, and which of its devices the capture is of."""
    parser.add_argument(
        "capture", type=Path, help="time, TAB, line per row; or a file that `mesad trace` wrote"
    )
    parser.add_argument(
        "--table", type=Path, required=True, metavar="TABLE.toml", help="the table to judge by"
    )
    parser.add_argument("--device", help="the id of the device the capture is of; not needed if there is one")
    parser.add_argument(
        "--quiet",
        action="store_true",
        help="of a trace print no messages, only whether it comes out the same",
    )


def main(args: argparse.Namespace) -> int:
    """One JSON line a message; of a trace also, on standard error, whether it comes out the same."""
    try:
        if not args.capture.is_file():
            raise UsageError(f"cannot replay {args.capture}: not a file")
        if is_trace(args.capture):
            return _judge_again(args)
        if args.quiet:
            raise UsageError("--quiet is for a trace: of a capture there is nothing else to print")
        config = load(args.table, here=False)
        device = _device(args, [device.id for device in config.devices])
        played = play_capture(table_setup(config), lambda: make_drivers(config), device, args.capture)
        _print(root(config.site, config.id), played)
    except CaptureError as error:
        raise UsageError(f"cannot replay: {error}") from error
    except OSError as error:
        if error.filename is None:  # not of opening the file: of what the messages are written to
            raise
        raise UsageError(f"cannot replay {args.capture}: {error.strerror}") from error
    return OK


def _judge_again(args: argparse.Namespace) -> int:
    """A recorded round against its record; 1 where they differ."""
    head, inputs, kept = read_trace(args.capture)
    config, mistake = table_now(args.table)
    for line in told_of(config, mistake, head):
        print(one_line(line), file=sys.stderr)
    again: list[RoundRecord] = []

    def noted() -> Iterator[Message]:
        for message in judge_again(config, head, inputs, str(args.capture), heard=[]):
            if message.topic == "event/round":
                event = msgspec.json.decode(message.payload, type=CloudEvent)
                again.append(msgspec.convert(event.data, RoundRecord))
            if not args.quiet:
                yield message

    _print(root(head.site, head.table), noted())
    known = {(record.round, record.revision): record for record in again}
    differing = [record.id for record in kept[:1] if known.get((record.round, record.revision)) != record]
    if differing or not kept:
        said = f"comes out differently: {', '.join(differing)}" if kept else "has no record to compare with"
        print(f"round {head.round} {said}", file=sys.stderr)
        return DIFFERS
    print(f"round {head.round} comes out the same", file=sys.stderr)
    return OK


def _print(base: str, messages: Iterator[Message]) -> None:
    encode = msgspec.json.Encoder().encode
    out = sys.stdout.buffer
    for message in messages:
        payload = msgspec.Raw(message.payload or b"null")
        out.write(encode({"topic": base + message.topic, "payload": payload, "retain": message.retain}))
        out.write(b"\n")
    out.flush()


def _device(args: argparse.Namespace, devices: list[str]) -> str:
    if args.device is None and len(devices) == 1:
        return devices[0]
    if args.device not in devices:
        known = ", ".join(devices)
        raise ConfigurationError(
            args.table, "device", f"--device must say which of: {known}", "name one of them"
        )
    return str(args.device)
