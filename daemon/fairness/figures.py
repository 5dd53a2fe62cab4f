"""What is published of a wheel's fairness, in `stats`."""

from typing import Literal

import msgspec

FairnessLevel = Literal["ok", "warn", "alarm"]


class FairnessFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One question to the wheel: the evidence that the answer is yes, and how much could be known by now."""

    log10: float
    """Decimal logarithm of the Bayes factor against the fair wheel: 3 is a thousand to one, -1 one to ten."""
    sample: int
    detectable: float | None
    """The least bias of this kind, in parts of the fair share, that alarms 9 times of 10 by now."""


class Weighed(msgspec.Struct, frozen=True, kw_only=True):
    """What is said alike of the results and of where the ball leaves the rim."""

    since_round: int
    """The first round that may count: with a new wheel or ball, or rim sensors moved, it begins anew."""
    sample: int
    """Rounds on which it was last weighed: every one of the first 100, then one of each fiftieth more."""
    level: FairnessLevel
    """By `highest`: "warn" from 2 on, "alarm" from 3 on. It does not go back."""
    log10: float
    """Of the average of the Bayes factors, which is one itself."""
    highest: float
    """The highest `log10` so far. A fair wheel ever reaches 3 with a probability of 1 in 1,000 at most."""
    uniformity: FairnessFigure
    """Places, or stretches of the rim by their length, that differ; the bias is the excess of one of them."""
    harmonic: FairnessFigure
    """One wave round the wheel; the bias is its amplitude, at the phase that is the worst to see."""


class DropZone(Weighed, frozen=True, kw_only=True):
    """Whether the ball leaves the rim anywhere alike, as on a level wheel. It judges no result."""

    rim: tuple[float, ...]
    """Where the sensors stand, in turns clockwise from their mark: one stretch from each to the next."""
    cw: tuple[int, ...]
    """Valid rounds by the stretch in which a ball that ran clockwise left the rim."""
    ccw: tuple[int, ...]
    """The same of a ball that ran anticlockwise: a tilted wheel holds it longer elsewhere."""


class Fairness(Weighed, frozen=True, kw_only=True):
    """Whether the wheel is fair, as far as its valid rounds tell."""

    wheel: str
    ball: str | None
    sector: FairnessFigure
    """A run of neighbouring places; the bias is the excess of one of `sector_width` places."""
    sector_width: int
    distance: FairnessFigure
    """The distance in places from the result before; the bias is one distance's excess."""
    places: tuple[int, ...]
    """Valid rounds by place, in rim order from the layout's first."""
    distances: tuple[int, ...]
    """The same by distance from the result before, in rim order, 0 being the same place again."""
    drop: DropZone | None = None
    """None before the first round of a device that sees where the ball leaves the rim."""
