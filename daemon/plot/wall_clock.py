"""Which moment a time of day was, in a round in which the wall clock may have been set. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import zip_longest

from drivers.readings import AnyReading

MICROSECOND = 1000
"""Nanoseconds; the resolution of a record's times."""
STEP = 50_000_000
"""Nanoseconds by which the two clocks part that are a step, and no clock's drift."""


class WallClock:
    """Stretches between one setting of the wall clock and the next, as readings show them by both clocks."""

    def __init__(self, heard: Sequence[AnyReading]) -> None:
        self._stretches: list[tuple[int, int, int]] = []
        """The first and the last moment of each, and the time of day less the moment, in nanoseconds."""
        self._heard: dict[int, int] = {}
        """By its time of day, the moment of each reading."""
        for reading in heard:
            self._heard[reading.at.wall] = reading.at.mono
            moment, ahead = reading.at.mono, reading.at.wall * 1000 - reading.at.mono
            if self._stretches and abs(ahead - self._stretches[-1][2]) <= STEP:
                first, _, ahead = self._stretches[-1]
                self._stretches[-1] = first, moment, ahead
            else:
                self._stretches.append((moment, moment, ahead))

    def moment(self, timestamp: str, after: int | None = None) -> int:
        """Monotonic nanoseconds of a record's time of day, which came no sooner than `after`.

        0 where nothing was heard at all.
        """
        date = datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
        wall, found, before = round(date.timestamp() * 1e6), 0, after
        heard = self._heard.get(wall)
        if heard is not None and (after is None or heard >= after):
            return heard
        ends = [first for first, _, _ in self._stretches[1:]]
        for (_, last, ahead), end in zip_longest(self._stretches, ends):
            found = wall * 1000 - ahead
            late_enough = before is None or found > before - MICROSECOND
            if late_enough and (end is None or found < end):
                break
            before = last if after is None else max(after, last)
        return found
