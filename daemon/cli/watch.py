"""`mesad watch TABLE.toml…`: phases, rounds, devices and faults as they come, a line each."""

import argparse
import asyncio
from datetime import datetime
from pathlib import Path

import msgspec

from daemon.cli.status import NOT_UNDERSTOOD
from daemon.cli.text import one_line
from daemon.config import TableConfig, load_all
from daemon.errors import first_cause
from daemon.mqtt.connection import subscribed
from daemon.records import CloudEvent, DeviceStatus, Fault, Phase, RoundRecord, Status
from daemon.topics import root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The tables."""
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE.toml", help="the tables' files")


def main(args: argparse.Namespace) -> int:
    """Until interrupted, or until nobody takes the lines."""
    configs = load_all(args.tables)
    try:
        asyncio.run(_watch_all(configs))
    except BaseExceptionGroup as group:
        cause = first_cause(group)
        if isinstance(cause, OSError):  # of printing: what the broker's link fails of has its own error
            raise cause from None
        raise
    return 0


async def _watch_all(configs: tuple[TableConfig, ...]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for config in configs:
            tasks.create_task(_watch(config), name=f"watch {config.id}")


async def _watch(config: TableConfig) -> None:
    base = root(config.site, config.id)
    async with subscribed(config.mqtt, base + "#") as messages:
        async for topic, payload in messages:
            line = watch_line(topic.removeprefix(base), payload)
            if line is not None:
                print(f"{config.id:12} {one_line(line)}", flush=True)


def watch_line(topic: str, payload: bytes) -> str | None:
    """A message in one line; None for what is not for a terminal."""
    kind = topic.partition("/")[0]
    if not payload:
        return f"{topic} cleared" if kind == "fault" else None
    try:
        return _told(topic, kind, payload)
    except NOT_UNDERSTOOD:
        return f"{topic}: not understood"


def _told(topic: str, kind: str, payload: bytes) -> str | None:
    match kind:
        case "status":
            status = msgspec.json.decode(payload, type=Status)
            return f"status  {status.state}{f' ({status.reason})' if status.reason else ''}"
        case "phase":
            phase = msgspec.json.decode(payload, type=Phase)
            if phase.phase == "result":
                return None  # the record says it, with the number
            said = f'  "{phase.announcement}"' if phase.announcement else ""
            return f"{_clock(phase.since)}  round {phase.round}: {phase.phase}{said}"
        case "device":
            device = msgspec.json.decode(payload, type=DeviceStatus)
            return f"device  {device.id}: {device.state}, {device.frames} frames, {device.bad_frames} bad"
        case "fault":
            fault = msgspec.json.decode(payload, type=Fault)
            return f"fault   {fault.code}: {fault.text}; {fault.remedy}"
        case "event" if topic == "event/round":
            record = msgspec.convert(msgspec.json.decode(payload, type=CloudEvent).data, RoundRecord)
            parts = [record.announcement] if record.announcement else []
            if record.verdict != "valid" and record.label is not None:
                parts.append(record.given)
            parts += [f"{finding.rule} ({finding.clause})" for finding in record.findings]
            settled = f"{_clock(record.settled_at)}  round {record.round}: {record.verdict}"
            return f"{settled}  {'; '.join(parts)}"
    return None


def _clock(stamp: str) -> str:
    return datetime.fromisoformat(stamp).astimezone().strftime("%H:%M:%S")
