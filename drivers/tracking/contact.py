"""A switch that a hand moves, a button or a lid's: which of its edges are those of a bounce. Pure."""

import msgspec

from drivers.tracking.pegs import BOUNCE


class Contact(msgspec.Struct, forbid_unknown_fields=True):
    """A switch's edges, whichever way they go: it bounces when it is let go, too."""

    edged: int | None = None
    """The device's time of the last, in µs."""

    def edge(self, time: int) -> bool:
        """An edge; whether it is the first of a bounce or of none."""
        rested = self.rests(time)
        self.edged = time
        return rested

    def rests(self, time: int) -> bool:
        """Whether its level is one and no moment of a bounce."""
        return self.edged is None or time - self.edged > BOUNCE
