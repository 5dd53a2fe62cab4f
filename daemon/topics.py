"""The table of topics below `mesad/v1/{site}/{table}/`: payload, retained or not, direction.

`mesad schema` writes the AsyncAPI document from it; the tests hold every published message against it.
"""

import re
from typing import Any, Literal, get_args

import msgspec

from daemon.records import (
    ROOT,
    ClockEvent,
    CloudEvent,
    CommandEvent,
    Description,
    DeviceEvent,
    DeviceStatus,
    EventType,
    Fault,
    FaultEvent,
    FindingEvent,
    HistoryEntry,
    Phase,
    Request,
    RoundRecord,
    Stats,
    Status,
)

QOS = 1
"""Every topic's: a lost message is a lost round, and repeats are told by their identity."""

EVENT_TYPES: tuple[str, ...] = get_args(EventType)

CommandName = Literal[
    "no_more_bets",
    "void",
    "confirm",
    "correct",
    "open",
    "close",
    "last_rounds",
    "limits",
    "change_dice",
    "recall",
]


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic of the contract, or a pattern of them."""

    name: str
    address: str
    """Below the table's root; a part in braces is a parameter."""
    message: str
    """The payload's name in the schemas."""
    payload: Any
    """The payload's class (or any other type that msgspec can decode)."""
    retained: bool
    summary: str
    received: bool = False
    """The daemon subscribes to it; every other topic it publishes."""
    emptied: bool = False
    """An empty retained message says that what stood here is gone."""


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """What may stand for a part in braces."""

    pattern: str
    summary: str
    values: tuple[str, ...] | None = None


PARAMETERS = {
    "site": Parameter(pattern="[a-z0-9-]+", summary="the house, as configured"),
    "table": Parameter(pattern="[a-z0-9-]+", summary="the table, as configured"),
    "id": Parameter(pattern="[a-z0-9-]+", summary="the device, as configured"),
    "code": Parameter(pattern="[a-z0-9_]+", summary="the fault's code"),
    "type": Parameter(pattern="[a-z]+", summary="the event's type", values=EVENT_TYPES),
    "name": Parameter(pattern="[a-z_]+", summary="the command", values=get_args(CommandName)),
}

TOPICS = (
    Topic(
        name="status",
        address="status",
        message="Status",
        payload=Status,
        retained=True,
        summary="The table's state. The broker publishes the will here: state `lost`.",
    ),
    Topic(
        name="description",
        address="description",
        message="Description",
        payload=Description,
        retained=True,
        summary="What the table is: game, catalogue and its hash, layout, devices, versions.",
    ),
    Topic(
        name="phase",
        address="phase",
        message="Phase",
        payload=Phase,
        retained=True,
        summary="Where the round in hand stands.",
    ),
    Topic(
        name="result",
        address="result",
        message="RoundRecord",
        payload=RoundRecord,
        retained=True,
        summary="The last valid round. After a void the previous result stays.",
    ),
    Topic(
        name="history",
        address="history",
        message="History",
        payload=tuple[HistoryEntry, ...],
        retained=True,
        summary="The last 100 rounds, newest first, voids and corrections included.",
    ),
    Topic(
        name="device",
        address="device/{id}",
        message="DeviceStatus",
        payload=DeviceStatus,
        retained=True,
        summary="A device's link and health.",
    ),
    Topic(
        name="fault",
        address="fault/{code}",
        message="Fault",
        payload=Fault,
        retained=True,
        emptied=True,
        summary="A latched fault; an empty retained message clears it.",
    ),
    Topic(
        name="event",
        address="event/{type}",
        message="CloudEvent",
        payload=CloudEvent,
        retained=False,
        summary="What happened, as CloudEvents 1.0 in structured mode.",
    ),
    Topic(
        name="stats",
        address="stats",
        message="Stats",
        payload=Stats,
        retained=True,
        summary="Counts, hot and cold, and fairness figures with their sample size.",
    ),
    Topic(
        name="cmd",
        address="cmd/{name}",
        message="Request",
        payload=Request,
        retained=False,
        received=True,
        summary="A request to the table. The answer goes to the response topic of MQTT 5, or to `reply_to`.",
    ),
)

EVENT_DATA: dict[EventType, type[msgspec.Struct]] = {
    "round": RoundRecord,
    "correction": RoundRecord,
    "finding": FindingEvent,
    "fault": FaultEvent,
    "device": DeviceEvent,
    "command": CommandEvent,
    "clock": ClockEvent,
}
"""What `data` of an event is, where the contract says so."""


def root(site: str, table: str) -> str:
    """A table's root, with the slash at its end."""
    return f"{ROOT}/{site}/{table}/"


def _expression(address: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", address)
    return re.compile("".join(PARAMETERS[p].pattern if i % 2 else re.escape(p) for i, p in enumerate(parts)))


_EXPRESSIONS = tuple((_expression(topic.address), topic) for topic in TOPICS)


def match(topic: str) -> Topic | None:
    """The contract's entry for a topic below the table's root; None for one that the contract has not."""
    return next((entry for expression, entry in _EXPRESSIONS if expression.fullmatch(topic)), None)
