"""How far a wheel turned, from positions in counts of its encoder. Pure."""

from drivers.readings import Turns
from drivers.tracking.resting import ROCKING


def turned(least: float, most: float, counts: int) -> Turns:
    """Counts as turns. One is rounding, and a wheel that stands may be ROCKING counts to either side."""
    slack = 1 + 2 * ROCKING
    return Turns(max(0.0, least - slack) / counts, max(0.0, most + slack) / counts)


def turned_since(bounds: tuple[int, int], position: int, sense: int, counts: int) -> Turns:
    """Turns in a sense (1 or -1) to a position, from where a push ended at the earliest and at the latest."""
    earliest, latest = bounds
    return turned(sense * (position - latest), sense * (position - earliest), counts)
