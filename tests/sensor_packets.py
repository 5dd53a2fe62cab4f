"""A simulated device's packets, changed body by body and sent again with the right checksum and sequence."""

from collections.abc import Callable, Iterable, Iterator

from protocols import sensor as wire
from protocols.sensor_decoder import SensorDecoder
from simulators.traffic import Bytes, Item

LINE = 0.02
"""Seconds by which a simulated line is late at most."""
Change = Callable[[wire.Body], Iterable[wire.Body]]


def changed(items: Iterable[Item], change: Change, first: int = 0) -> Iterator[Item]:
    """The items with the bodies that `change` makes of theirs; packets are numbered from `first`."""
    decoder, number = SensorDecoder(), first
    decoder.feed(b"\0")
    for item in items:
        if not isinstance(item, Bytes):
            yield item
            continue
        for message in decoder.feed(item.data):
            if isinstance(message, wire.Restarted | wire.ClockJumped | wire.Gap | wire.Damaged):
                continue
            for body in change(message):
                clock = decoder.state[3]
                begins = b"" if number else b"\0"  # what comes before the first end may be half a packet
                yield Bytes(item.t, begins + wire.encode(body, 1, number, clock))
                number += 1


def without(channel: str, body: wire.Body) -> list[wire.Body]:
    """A body without one channel's edges; its index without the index channel."""
    number = wire.CHANNELS.index(channel)  # type: ignore[arg-type]
    match body:
        case wire.Index() if channel == "index":
            return []
        case wire.Edges():
            kept = [
                (time, each)
                for time, each in zip(body.times, body.channels, strict=True)
                if each & 0x7F != number
            ]
            if not kept:
                return []
            return [wire.Edges(body.lost, tuple(time for time, _ in kept), bytes(each for _, each in kept))]
        case _:
            return [body]


def joined_by(
    items: Iterable[Item], others: Iterable[tuple[float, wire.Body]], change: Change
) -> Iterator[Item]:
    """The items as `changed` makes them, with other bodies among them, each from its virtual second on."""
    waiting, now = sorted(others, key=lambda other: other[0]), 0.0

    def timed() -> Iterator[Item]:
        nonlocal now
        for item in items:
            now = item.t
            yield item

    def joined(body: wire.Body) -> list[wire.Body]:
        due = [other for when, other in waiting if when <= now - LINE]
        del waiting[: len(due)]
        return [made for each in (*due, body) for made in change(each)]

    return changed(timed(), joined)
