"""A Cammegh driver three times over; what the three say must make sense as games."""

from driver_twins import Twins

from drivers.cammegh.driver import Cammegh, CammeghOptions
from drivers.readings import (
    AnyReading,
    DeviceBack,
    DeviceLost,
    GameAbandoned,
    GameStarted,
    PocketSettled,
    PocketUnread,
)

SNAPSHOT_LIMIT = 8192
_ENDS = (PocketSettled, PocketUnread, GameAbandoned)


class CammeghTwins(Twins):
    """Raises AssertionError as soon as the three differ, or what they say makes no sense."""

    def __init__(self, options: CammeghOptions) -> None:
        super().__init__(lambda: Cammegh("wheel", options), SNAPSHOT_LIMIT)
        self._games = options.protocol != "basic"
        self._open = False
        self._present: bool | None = None

    def sensible(self, reading: AnyReading) -> None:
        """Every game has one end before the next begins; the wheel is lost and back by turns."""
        if isinstance(reading, DeviceBack | DeviceLost):
            present = isinstance(reading, DeviceBack)
            assert present != self._present
            self._present = present
        if not self._games:
            return
        if isinstance(reading, GameStarted):
            assert not self._open
            self._open = True
        elif isinstance(reading, _ENDS):
            assert self._open
            self._open = False
