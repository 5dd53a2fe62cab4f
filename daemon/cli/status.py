"""`mesad status TABLE.toml`: the table now, from its journal and the broker."""

import argparse
import asyncio
import contextlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from daemon.cli.text import one_line
from daemon.config import TableConfig, load
from daemon.errors import OK, UNAVAILABLE, BrokerUnavailableError
from daemon.journal.errors import JournalError
from daemon.journal.reading import summary
from daemon.mqtt.connection import subscribed
from daemon.records import DeviceStatus, Fault, Phase, RoundRecord, Status
from daemon.topics import root

NOT_UNDERSTOOD = (msgspec.MsgspecError, ValueError, RecursionError)
"""What decoding a payload raises that is none of this contract's."""
QUIET = 0.5
"""Seconds without a further retained message after which all have come."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The table."""
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table's file")


def main(args: argparse.Namespace) -> int:
    """Say what the journal and the broker know; 69 where the broker cannot be asked."""
    config = load(args.table)
    print(f"{config.site}/{config.id}: {config.game.id} under {config.game.text}")
    for line in journal_lines(config):
        print(f"  {one_line(line)}")
    try:
        retained = asyncio.run(_retained(config))
    except BrokerUnavailableError as error:
        print(f"  broker     {error}")
        return UNAVAILABLE
    for line in broker_lines(retained):
        print(f"  {one_line(line)}")
    return OK


def journal_lines(config: TableConfig) -> list[str]:
    """What the journal says, in lines."""
    try:
        held = summary(config.journal.path)
    except JournalError as error:
        return [f"journal    {error}"]
    holder = f"written by pid {held.holder.pid}" if held.holder else "no daemon writes it"
    rounds = "1 round" if held.rounds == 1 else f"{held.rounds} rounds"
    lines = [f"journal    {config.journal.path}: {rounds}, {held.size / 1e6:.1f} MB, {holder}"]
    if held.last_round is not None:
        record = msgspec.json.decode(held.last_round, type=RoundRecord)
        lines.append(f"last round {record.round}: {record.verdict}, {record.given}, at {record.settled_at}")
        lines += [f"           {finding.rule} ({finding.clause})" for finding in record.findings]
    since = ""
    if held.undelivered_since is not None:
        oldest = datetime.fromtimestamp(held.undelivered_since / 1e6, UTC)
        since = f", the oldest from {oldest:%Y-%m-%dT%H:%M:%SZ}"
    lines.append(f"to deliver {held.undelivered} messages{since}")
    return lines


def broker_lines(retained: dict[str, bytes]) -> list[str]:
    """What the broker retains of the table, in lines; whoever may write there may have written anything."""
    if "status" not in retained:
        return [
            "broker     shows nothing of this table: `mesad run` never reached it, or the access list",
            "           does not let this user read below the table's root",
        ]
    kinds = {"status": _status, "phase": _phase, "device": _device, "fault": _fault}
    lines = []
    for kind, told in kinds.items():
        for topic, payload in sorted(retained.items()):
            if topic.partition("/")[0] == kind:
                try:
                    lines += told(payload)
                except NOT_UNDERSTOOD:
                    lines.append(f"{kind:10} {topic}: not understood")
    return lines


def _status(payload: bytes) -> list[str]:
    status = msgspec.json.decode(payload, type=Status)
    reason = f" ({status.reason})" if status.reason else ""
    return [f"status     {status.state}{reason}, clock {status.clock}"]


def _phase(payload: bytes) -> list[str]:
    phase = msgspec.json.decode(payload, type=Phase)
    return [f"phase      {phase.phase}, round {phase.round}, since {phase.since}"]


def _device(payload: bytes) -> list[str]:
    device = msgspec.json.decode(payload, type=DeviceStatus)
    seen = f"{device.frames} frames, {device.bad_frames} bad, last {device.last_frame_at or 'never'}"
    why = f" ({device.reason})" if device.reason else ""
    lines = [f"device     {device.id}: {device.state}{why}, {seen}"]
    return [*lines, f"           {device.note}"] if device.note else lines


def _fault(payload: bytes) -> list[str]:
    fault = msgspec.json.decode(payload, type=Fault)
    return [f"fault      {fault.code}: {fault.text}; {fault.remedy}"]


async def _retained(config: TableConfig) -> dict[str, bytes]:
    base = root(config.site, config.id)
    found: dict[str, bytes] = {}
    async with subscribed(config.mqtt, base + "#") as messages:
        with contextlib.suppress(TimeoutError):
            while True:
                topic, payload = await asyncio.wait_for(anext(messages), QUIET)
                if payload:
                    found[topic.removeprefix(base)] = payload
    return found
