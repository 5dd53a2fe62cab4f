"""The same bytes to one Cammegh driver whole, to one byte by byte, and to one restored before each piece."""

from drivers.cammegh.driver import Cammegh, CammeghOptions
from drivers.readings import (
    AnyReading,
    DeviceBack,
    DeviceLost,
    GameAbandoned,
    GameStarted,
    Instant,
    PocketSettled,
    PocketUnread,
)

SNAPSHOT_LIMIT = 8192
"""Bytes; a driver's memory must not grow with what it hears."""
_ENDS = (PocketSettled, PocketUnread, GameAbandoned)


class Twins:
    """Raises AssertionError as soon as the three differ, or what they say makes no sense."""

    def __init__(self, options: CammeghOptions) -> None:
        self.options = options
        self.whole = Cammegh("wheel", options)
        self.bytewise = Cammegh("wheel", options)
        self.said: list[AnyReading] = []
        self._open = False
        self._present: bool | None = None

    def link_up(self, at: Instant) -> None:
        self._same(self.whole.link_up(at), self.bytewise.link_up(at))

    def link_lost(self, at: Instant) -> None:
        self._same(self.whole.link_lost("unplugged", at), self.bytewise.link_lost("unplugged", at))

    def wait(self, at: Instant) -> None:
        """Time is `at` now; deadlines are met at their own instants."""
        while (deadline := self.whole.deadline) is not None and deadline <= at.mono:
            assert self.bytewise.deadline == deadline
            then = at.later(deadline - at.mono)
            self._same(self.whole.advance(then), self.bytewise.advance(then))

    def receive(self, data: bytes, at: Instant) -> None:
        before = self.whole.snapshot()
        restored = Cammegh("wheel", self.options)
        restored.restore(before)
        said = list(self.whole.receive(data, at))
        self._same(said, restored.receive(data, at))
        pieces = [reading for byte in data for reading in self.bytewise.receive(bytes([byte]), at)]
        assert pieces == said
        after = self.whole.snapshot()
        assert len(after) <= SNAPSHOT_LIMIT
        assert restored.snapshot() == after
        assert self.bytewise.snapshot() == after
        assert self.whole.health() == self.bytewise.health()

    def _same(self, said: "list[AnyReading] | object", other: object) -> None:
        assert isinstance(said, list | tuple)
        assert isinstance(other, list | tuple)
        assert list(said) == list(other)
        for reading in said:
            self._sensible(reading)
        self.said += said

    def _sensible(self, reading: AnyReading) -> None:
        """Every game has one end before the next begins; the wheel is lost and back by turns."""
        if isinstance(reading, DeviceBack | DeviceLost):
            present = isinstance(reading, DeviceBack)
            assert present != self._present
            self._present = present
        if self.options.protocol == "basic":
            return
        if isinstance(reading, GameStarted):
            assert not self._open
            self._open = True
        elif isinstance(reading, _ENDS):
            assert self._open
            self._open = False
