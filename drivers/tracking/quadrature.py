"""An encoder's two channels into signed counts: four counts for each line, clockwise when A leads B."""

_STEPS = (0, -1, 1, None, 1, 0, None, -1, -1, None, 0, 1, None, 1, -1, 0)
"""By the levels before (A, B) and after (A, B), as bits; None: both changed at once, which no wheel does."""


class Quadrature:
    """Position from edges. Rocking on an edge goes back and forth and adds nothing.

    Edges that have one time changed at once, as the device could not tell them apart. Such a step, and an
    edge to a level that was there already because one was missed, is counted and moves nothing: the position
    is then no longer sure before the next index.
    """

    def __init__(self) -> None:
        self.position = 0
        self.invalid = 0
        """Steps at which both channels changed."""
        self.missed = 0
        """Edges without the one that must have come before."""
        self._levels: int | None = None
        """A and B as bits 1 and 0; None until both were seen."""
        self._first: dict[int, bool] = {}

    def edges(self, a: bool | None, b: bool | None) -> int | None:
        """Levels after edges of one time (None: that channel had none); the position, None while unknown."""
        if self._levels is None:
            return self._begin(a, b)
        before = self._levels
        if a is not None and a == bool(before & 2):
            self.missed += 1
        if b is not None and b == bool(before & 1):
            self.missed += 1
        after = (before & 2 if a is None else a << 1) | (before & 1 if b is None else int(b))
        step = _STEPS[before << 2 | after]
        if step is None:
            self.invalid += 1
        else:
            self.position += step
        self._levels = after
        return self.position

    def _begin(self, a: bool | None, b: bool | None) -> int | None:
        if a is not None:
            self._first[1] = a
        if b is not None:
            self._first[0] = b
        if len(self._first) < 2:
            return None
        self._levels = self._first[1] << 1 | self._first[0]
        return self.position
