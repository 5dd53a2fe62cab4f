"""Packets of a simulated device told otherwise: other times, other positions, packets added or left out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from protocols import cobs
from protocols.sensor import HEAD, Body, Counts, Edges, Index, Message, encode
from protocols.sensor_decoder import SensorDecoder
from simulators.traffic import Bytes, Item

Change = Callable[[float, Body, int], list[tuple[Body, int]]]
"""Arrival, body and clock (µs) in; bodies with their clocks out."""


class Retold:
    """Goes on from one part of a line to the next: the sequence stays whole whatever is left out or added."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._sequence = 0
        self._decoder = SensorDecoder()

    def __call__(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same line, each packet as the change has it."""
        for item in items:
            if not isinstance(item, Bytes):
                yield item
                continue
            for piece in item.data.split(cobs.END)[:-1]:
                yield Bytes(item.t, self._packet(item.t, piece))

    def _packet(self, t: float, piece: bytes) -> bytes:
        messages: list[Message] = self._decoder.feed(piece + cobs.END)
        packet = cobs.decode(piece)
        if not messages or not packet:
            return piece + cobs.END
        (body,) = messages
        assert isinstance(body, Body)
        _, _, boot, _, clock = HEAD.unpack_from(packet)
        data = b""
        for told, now in self._change(t, body, clock):
            data += encode(told, boot, self._sequence, now)
            self._sequence += 1
        return data


def later(body: Body, by: int) -> Body:
    """The same with its times moved by so many µs."""
    if isinstance(body, Edges | Counts):
        return replace(body, times=tuple(time + by for time in body.times))
    return replace(body, time=body.time + by) if isinstance(body, Index) else body


def moved(body: Body, by: int) -> Body:
    """The same with its positions moved by so many counts."""
    if isinstance(body, Counts):
        return replace(body, positions=tuple(position + by for position in body.positions))
    return replace(body, position=body.position + by) if isinstance(body, Index) else body
