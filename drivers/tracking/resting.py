"""Whether a wheel rests, and on what. Pure; times in µs, positions in counts."""

from typing import Literal

import msgspec

ROCKING = 1
"""Counts by which an encoder may go back and forth on one edge."""


class Stillness(msgspec.Struct):
    """Since when a wheel has stood where it stands."""

    position: int | None = None
    since: int | None = None

    def at(self, time: int, position: int) -> int:
        """A position at a time; for how many µs it has been the same, rocking on an edge apart."""
        if self.position is None or self.since is None or abs(position - self.position) > ROCKING:
            self.position, self.since = position, time
        return time - self.since

    def doubt(self, time: int) -> None:
        """What was before is not known: the time begins anew."""
        if self.since is not None:
            self.since = time


Rest = int | Literal["peg", "contradiction"]


def rest_place(turns: float, segments: int, width: float, lifted: bool, slack: float) -> Rest:
    """The segment at the pointer, from 0; "peg" on a peg; "contradiction" where pointer and angle disagree.

    `turns` clockwise from where peg 0 is at the pointer; a peg's `width` and the angle's `slack` in parts of
    the pitch. Segments are counted clockwise on the wheel's face from peg 0, so a wheel that turns
    clockwise brings them to the pointer backwards. Whether the pointer is lifted, its own sensor knows
    best: the angle must only not deny it.
    """
    place = -turns * segments
    off = abs(place - round(place))
    if lifted:
        return "peg" if off <= width / 2 + slack else "contradiction"
    return "contradiction" if off < width / 2 - slack else int(place // 1) % segments
