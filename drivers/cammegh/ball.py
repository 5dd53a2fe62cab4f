"""The ball of a Mercury 360 as the extended line tells it: its laps and the sense in which it runs."""

from typing import NamedTuple

import msgspec

from drivers.cammegh.rotor import SENSES, Sense
from drivers.readings import Direction
from protocols.cammegh import TICKS, ExtendedLine

LAPS_A_LINE = 4
"""More new laps on one line than this, or fewer laps than before, want a second line that agrees."""


class Lap(NamedTuple):
    """Laps so far in this launch, the ball's sense from two lines running, the last lap's seconds."""

    laps: int
    direction: Direction | None
    seconds: float | None


class Ball(msgspec.Struct):
    """What was seen of the ball since the launch."""

    laps: int = 0
    claimed: int | None = None
    """A count of laps that is hard to believe."""
    sense: Sense | None = None
    last: Sense | None = None
    """The last line's sense."""

    def follow(self, line: ExtendedLine) -> Lap | None:
        """Take a line of states 3 and 4; a lap if it tells of one."""
        if line.ball is not None and line.ball == self.last:
            self.sense = line.ball
        self.last = line.ball
        if line.laps == self.laps:
            self.claimed = None
            return None
        known = self.laps if self.claimed is None else self.claimed
        believed = 0 < line.laps - self.laps <= LAPS_A_LINE
        if not believed and (self.claimed is None or not 0 <= line.laps - known <= LAPS_A_LINE):
            self.claimed = line.laps
            return None
        self.laps, self.claimed = line.laps, None
        direction = None if self.sense is None else SENSES[self.sense]
        seconds = line.lap_ticks / TICKS if line.lap_ticks else None
        return Lap(line.laps, direction, seconds)

    def steady(self, line: ExtendedLine) -> bool:
        """Whether following the same again would change nothing."""
        return self.claimed is None and self.last == line.ball and line.ball in (None, self.sense)
