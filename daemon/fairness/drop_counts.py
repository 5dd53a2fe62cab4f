"""Where a wheel's balls left the rim: what is kept, round by round, corrections included. Pure."""

from math import log

import msgspec

from daemon.fairness import drop_zone
from daemon.fairness.figures import DropZone
from daemon.fairness.levels import ALARM, decimal, figure, level
from daemon.fairness.mixture import log_mean

_replace = msgspec.structs.replace
_LEVEL = ALARM * log(10) + log(drop_zone.STATISTICS)
"""What one statistic must reach for the average to alarm, whatever the other is."""


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """One ball: between which two of the rim's sensors it left, and how it ran."""

    angle: float
    clockwise: bool
    rim: drop_zone.Rim


class DropCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The valid rounds of one wheel of which it is known where the ball left the rim, counted."""

    rim: drop_zone.Rim
    since: int
    """The number of the first round that may count."""
    cw: tuple[int, ...]
    ccw: tuple[int, ...]
    """Balls of each sense, by stretch."""
    first: int
    """The number of the first round in `recent`."""
    recent: tuple[int | None, ...] = ()
    """The last rounds, which can still be corrected: the stretch, of an anticlockwise ball -1 - stretch."""
    highest: float = 0.0
    """Decimal logarithm of the highest Bayes factor so far."""
    factors: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Decimal logarithms when they were last weighed: the average, uniformity, harmonic."""
    balls: tuple[int, int] = (0, 0)
    """Clockwise and anticlockwise ones that were counted then."""


def counted(counts: DropCounts | None, number: int, drop: Drop | None, keep: int) -> DropCounts | None:
    """With this round's ball, or without one; whether it is new or was counted otherwise before.

    `keep` is how many of the last rounds can still be corrected. With the first ball past other sensors
    the counts begin anew.
    """
    if counts is not None and number < counts.since:
        return counts
    if drop is not None and (counts is None or counts.rim != drop.rim):
        empty = (0,) * len(drop.rim)
        counts = DropCounts(rim=drop.rim, since=number, cw=empty, ccw=empty, first=number)
    if counts is None or number < counts.first:
        return counts
    index = number - counts.first
    if index > len(counts.recent) + keep:  # numbers jump where a journal was replaced by an older copy
        counts, index = _replace(counts, first=number, recent=()), 0
    recent = [*counts.recent, *([None] * (index + 1 - len(counts.recent)))]
    here = None if drop is None else _entry(drop)
    was, recent[index] = recent[index], here
    senses = list(counts.cw), list(counts.ccw)
    for entry, by in ((was, -1), (here, 1)):
        if entry is not None:
            senses[entry < 0][entry if entry >= 0 else -1 - entry] += by
    gone = max(0, len(recent) - keep)
    return _replace(
        counts,
        cw=tuple(senses[0]),
        ccw=tuple(senses[1]),
        first=counts.first + gone,
        recent=tuple(recent[gone:]),
    )


def _entry(drop: Drop) -> int:
    at = drop_zone.stretch(drop.rim, drop.angle)
    return at if drop.clockwise else -1 - at


def weighed(counts: DropCounts) -> DropCounts:
    """The counts with the factors weighed again."""
    each = drop_zone.log_factors(counts.cw, counts.ccw, counts.rim)
    factors = decimal(log_mean(each)), decimal(each[0]), decimal(each[1])
    return _replace(
        counts,
        factors=factors,
        highest=max(counts.highest, factors[0]),
        balls=(sum(counts.cw), sum(counts.ccw)),
    )


def published(counts: DropCounts) -> DropZone:
    """The figures, with the sample on which they were weighed."""
    average, uniform, wave = counts.factors
    n = sum(counts.balls)
    shares = drop_zone.detectable(drop_zone.detectable_uniformity, counts.rim, counts.balls, _LEVEL)
    swing = drop_zone.detectable(drop_zone.detectable_harmonic, counts.rim, counts.balls, _LEVEL)
    return DropZone(
        since_round=counts.since,
        sample=n,
        level=level(counts.highest),
        log10=average,
        highest=counts.highest,
        uniformity=figure(uniform, n, shares),
        harmonic=figure(wave, n, swing),
        rim=counts.rim,
        cw=counts.cw,
        ccw=counts.ccw,
    )
