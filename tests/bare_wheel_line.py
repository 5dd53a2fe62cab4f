"""A simulated wheel with bare sensors on the line of a driver."""

from collections.abc import Iterable
from typing import Any

import msgspec

from drivers.bare_wheel.driver import BareWheel
from drivers.bare_wheel.options import BareWheelOptions
from drivers.readings import SECOND, AnyReading, Instant
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_wheel import Kind
from simulators.traffic import Bytes, Item, Unplug

KINDS: tuple[tuple[Kind, Encoder], ...] = (
    ("roulette", "counts"),
    ("roulette", "edges"),
    ("boule", "counts"),
    ("boule", "edges"),
)


def instant(t: float) -> Instant:
    return Instant(int(t * SECOND), 1_700_000_000_000_000 + int(t * 1e6))


def driver(options: dict[str, Any] | None = None) -> BareWheel:
    made = BareWheel("wheel", msgspec.convert(options or {}, BareWheelOptions))
    made.link_up(instant(0.0))
    return made


def feed(made: BareWheel, items: Iterable[Item]) -> list[AnyReading]:
    """All readings of a line's items, silence included."""
    said: list[AnyReading] = []
    for item in items:
        at = instant(item.t)
        while made.deadline is not None and made.deadline < at.mono:
            said += made.advance(at.later(made.deadline - at.mono))  # to the nanosecond
        if isinstance(item, Bytes):
            said += made.receive(item.data, at)
        elif isinstance(item, Unplug):
            said += made.link_lost("unplugged", at)
        else:
            said += made.link_up(at)
    return said


def of(kind: type, said: Iterable[AnyReading]) -> list[Any]:
    return [reading for reading in said if isinstance(reading, kind)]
