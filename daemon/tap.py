"""A driver that is listened to: it says what it always says, and the readings are kept."""

from collections.abc import Sequence

from drivers.driver import Driver, Health
from drivers.readings import AnyReading, Instant


class TappedDriver:
    """Passes everything on to a driver and keeps its readings, in order, in `heard`."""

    def __init__(self, driver: Driver, heard: list[AnyReading]) -> None:
        self._driver = driver
        self._heard = heard

    @property
    def deadline(self) -> int | None:
        """See `drivers.driver.Driver`, as for all that follows."""
        return self._driver.deadline

    @deadline.setter
    def deadline(self, value: int | None) -> None:
        self._driver.deadline = value

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        """The link was opened."""
        return self._keep(self._driver.link_up(at))

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        """The link ended."""
        return self._keep(self._driver.link_lost(reason, at))

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """Bytes arrived."""
        return self._keep(self._driver.receive(data, at))

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        """A deadline came."""
        return self._keep(self._driver.advance(at))

    def health(self) -> Health:
        """The driver's."""
        return self._driver.health()

    def snapshot(self) -> bytes:
        """The driver's."""
        return self._driver.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """The driver returns to a state."""
        self._driver.restore(snapshot)

    def _keep(self, readings: Sequence[AnyReading]) -> Sequence[AnyReading]:
        self._heard.extend(readings)
        return readings
