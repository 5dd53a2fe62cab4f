"""The same bytes to one driver whole, to one byte by byte, and to one restored before each piece."""

from collections.abc import Callable, Sequence

from drivers.driver import Driver
from drivers.readings import AnyReading, Instant


class Twins:
    """Raises AssertionError as soon as the three differ, or one keeps more than `limit` bytes."""

    def __init__(self, make: Callable[[], Driver], limit: int) -> None:
        """`limit`: bytes of a snapshot; a driver's memory must not grow with what it hears."""
        self._make = make
        self._limit = limit
        self.whole = make()
        self.bytewise = make()
        self.said: list[AnyReading] = []

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
        restored = self._make()
        restored.restore(before)
        said = list(self.whole.receive(data, at))
        self._same(said, restored.receive(data, at))
        pieces = [reading for byte in data for reading in self.bytewise.receive(bytes([byte]), at)]
        assert pieces == said
        after = self.whole.snapshot()
        assert len(after) <= self._limit
        assert restored.snapshot() == after
        assert self.bytewise.snapshot() == after
        assert self.whole.health() == self.bytewise.health()

    def _same(self, said: Sequence[AnyReading], other: Sequence[AnyReading]) -> None:
        assert list(said) == list(other)
        for reading in said:
            self.sensible(reading)
        self.said += said

    def sensible(self, reading: AnyReading) -> None:
        """Raises AssertionError where a reading makes no sense after those before it."""
