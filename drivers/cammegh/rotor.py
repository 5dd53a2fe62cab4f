"""The rotor of a Cammegh wheel: its sense, when it is driven anew, and which way it ran in a launch.

Every launch attempt brakes the rotor and drives it, as a rule the other way. A sense counts when two lines
running show it at speed; at rest the wheel mostly reads clockwise, which means nothing.
"""

from typing import Annotated

import msgspec

from drivers.readings import Direction
from protocols.cammegh import StatusLine

AT_SPEED = 20
"""Rotor rpm × 10 from which the direction means something; a Mercury reports less as 0."""
SENSES: tuple[Direction, Direction] = ("cw", "ccw")
Sense = Annotated[int, msgspec.Meta(ge=0, le=1)]
"""As on the wire: an index into `SENSES`."""


class Rotor(msgspec.Struct):
    """What the lines showed of the rotor."""

    sense: Sense | None = None
    """From two lines running at speed."""
    last: Sense | None = None
    """The last line's, if it was at speed."""
    slow: int = 0
    """Lines running below speed, counted to 2."""
    cw: int = 0
    ccw: int = 0
    """Lines since the launch with the rotor turning that way."""

    def follow(self, line: StatusLine) -> bool:
        """Take a line's speed and sense. True if it shows the rotor driven anew, after a stop or reversed."""
        if line.speed < AT_SPEED:
            self.slow = min(self.slow + 1, 2)
            self.last = None
            return False
        stopped = self.slow == 2
        if self.last != line.direction:
            self.last = line.direction
            if not stopped:
                self.slow = 0
            return False
        self.slow = 0
        driven = stopped or self.sense not in (None, line.direction)
        self.sense = line.direction
        return driven

    def steady(self, line: StatusLine) -> bool:
        """Whether following another line of this sense at speed would change nothing."""
        return self.slow == 0 and self.sense == self.last == line.direction

    def rejoin(self) -> None:
        """Lines are no longer consecutive."""
        self.slow, self.last, self.sense = 0, None, None

    def launch(self) -> None:
        """A launch begins."""
        self.cw = self.ccw = 0

    def vote(self, line: StatusLine) -> None:
        """A line of states 3 to 5 or 7."""
        if line.speed:
            if line.direction:
                self.ccw += 1
            else:
                self.cw += 1

    @property
    def direction(self) -> Direction | None:
        """Its sense now."""
        return None if self.sense is None else SENSES[self.sense]

    @property
    def launched(self) -> Direction | None:
        """Its sense in this launch: what most lines showed."""
        if self.cw == self.ccw:
            return None
        return "cw" if self.cw > self.ccw else "ccw"
