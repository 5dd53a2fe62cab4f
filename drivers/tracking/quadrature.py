"""An encoder's two channels into signed counts: four counts for each line, clockwise when A leads B."""

from collections.abc import Iterator, Sequence

EDGES = bytes((0, 1, 0x80, 0x81))
"""An encoder's edges in a packet: channel A or B, and 80h for a high level."""
_STEPS = (0, -1, 1, None, 1, 0, None, -1, -1, None, 0, 1, None, 1, -1, 0)
"""By the levels before (A, B) and after (A, B), as bits; None: both changed at once, which no wheel does."""
_SINGLE = tuple(
    (_STEPS[levels << 2 | after] or 0, after)
    for levels in range(4)
    for channel, high in ((0, 0), (0, 1), (1, 0), (1, 1))
    for after in [levels & 1 | high << 1 if channel == 0 else levels & 2 | high]
)
"""By the levels before, the channel of a single edge, and its level: the step, 0 for none, and the levels."""
QuadratureState = tuple[int, int, int, int | None, bool | None, bool | None]


def stretches(channels: bytes) -> Iterator[tuple[int, int, bool]]:
    """A packet's edges in order, from where to where: the encoder's (True) together, each other one alone."""
    if not channels.translate(None, EDGES):
        yield 0, len(channels), True
        return
    begun = 0
    for at, channel in enumerate(channels):
        if channel not in EDGES:
            if begun < at:
                yield begun, at, True
            yield at, at + 1, False
            begun = at + 1
    if begun < len(channels):
        yield begun, len(channels), True


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

    @property
    def state(self) -> QuadratureState:
        """All that it remembers, as plain values to copy; may be assigned."""
        a, b = self._first.get(1), self._first.get(0)
        return self.position, self.invalid, self.missed, self._levels, a, b

    @state.setter
    def state(self, state: QuadratureState) -> None:
        self.position, self.invalid, self.missed, levels, a, b = state
        if levels is not None and not 0 <= levels <= 3:
            raise ValueError("not a quadrature's state")
        self._levels = levels
        self._first = {bit: high for bit, high in ((1, a), (0, b)) if high is not None}

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

    def run(self, times: Sequence[int], channels: Sequence[int]) -> None:
        """Many edges, each with its channel (0 or 1, and 80h for a high level), in order of their times."""
        at, end = 0, len(channels)
        while at < end and self._levels is None:
            at = self._together(times, channels, at)
        if at == end or self._levels is None:
            return
        levels, position = self._levels, self.position
        following = times[at]
        while at < end:
            time, channel = following, channels[at]
            at += 1
            following = times[at] if at < end else time - 1
            if following == time:
                self._levels, self.position = levels, position
                at = self._together(times, channels, at - 1)
                levels, position = self._levels, self.position
                following = times[at] if at < end else time - 1
                continue
            step, after = _SINGLE[levels << 2 | (channel & 1) << 1 | channel >> 7]
            if step:
                position += step
                levels = after
            else:
                self.missed += 1
        self._levels, self.position = levels, position

    def _together(self, times: Sequence[int], channels: Sequence[int], at: int) -> int:
        """The edges of one time as one step; the place after them. The last word of a channel counts."""
        time = times[at]
        levels: list[bool | None] = [None, None]
        while at < len(times) and times[at] == time:
            levels[channels[at] & 1] = channels[at] >= 0x80
            at += 1
        self.edges(levels[0], levels[1])
        return at

    def _begin(self, a: bool | None, b: bool | None) -> int | None:
        if a is not None:
            self._first[1] = a
        if b is not None:
            self._first[0] = b
        if len(self._first) < 2:
            return None
        self._levels = self._first[1] << 1 | self._first[0]
        return self.position
