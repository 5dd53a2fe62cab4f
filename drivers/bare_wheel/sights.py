"""Sights of an occupied pocket: the pocket sensor's rising and falling edge, their middle, no bounces."""

import msgspec

APART = 0.3
"""Pockets: an edge nearer to the last fall than this belongs to the same sight."""
WIDEST = 1.2
"""Pockets: what is wider is no ball in a pocket."""


class SightsState(msgspec.Struct, forbid_unknown_fields=True):
    """A sight that is not yet over."""

    rose: float | None = None
    fell: float | None = None
    time: int = 0


class Sights:
    """Takes edges with positions in pockets (parts of a turn times pockets), signed, from any beginning."""

    def __init__(self) -> None:
        self.state = SightsState()

    def clear(self) -> None:
        """Positions begin anew."""
        self.state = SightsState()

    def edge(self, time: int, position: float, high: bool) -> tuple[int, float] | None:
        """An edge of the sensor; the sight that it shows to be over: its time, and its middle's position."""
        state = self.state
        over = self.passed(position) if high else None
        if high:
            if state.fell is None or abs(position - state.fell) > APART:
                state.rose = position
            state.fell = None  # a bounce: the sight goes on
        elif state.rose is not None:
            state.fell, state.time = position, time
        return over

    def passed(self, position: float) -> tuple[int, float] | None:
        """The shaft has come to a position; the sight that is over by that."""
        state = self.state
        if state.fell is None or state.rose is None or abs(position - state.fell) <= APART:
            return None
        middle, width = (state.rose + state.fell) / 2, abs(state.fell - state.rose)
        state.rose = state.fell = None
        return None if width > WIDEST else (state.time, middle)
