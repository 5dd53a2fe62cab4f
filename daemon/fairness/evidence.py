"""All the evidence together: four Bayes factors, their average, what it means, what could have been seen.

Only the average raises an alarm. It is a Bayes factor itself, of the mixture of the four alternatives, so
that one fair wheel in 1,000 at most ever alarms, and not four. The four alone say where to look.
"""

from functools import lru_cache
from math import floor, log

import msgspec

from daemon.fairness import harmonic, sector, uniformity
from daemon.fairness.counts import WheelCounts
from daemon.fairness.mixture import log_mean
from daemon.records import Fairness, FairnessFigure, FairnessLevel

Factors = tuple[float, float, float, float, float]
"""Decimal logarithms: the average, then uniformity, sector, harmonic, distance."""
WARN = 2.0
"""Decimal logarithm of the Bayes factor: of fair wheels one in 100 at most ever gets there."""
ALARM = 3.0
"""The same: one in 1,000."""
STATISTICS = 4
_LEVEL = (ALARM * log(10)) + log(STATISTICS)
"""What one statistic must reach for the average to alarm, whatever the others are."""


def level(highest: float) -> FairnessLevel:
    """What the highest Bayes factor so far (decimal logarithm) means."""
    return "alarm" if highest >= ALARM else "warn" if highest >= WARN else "ok"


def log_factors(places: tuple[int, ...], distances: tuple[int, ...]) -> tuple[float, float, float, float]:
    """Natural logarithms of the four: uniformity, sector, harmonic, distance."""
    return (
        uniformity.log_factor(places),
        sector.log_factor(places),
        harmonic.log_factor(places),
        uniformity.log_factor(distances),
    )


@lru_cache(maxsize=256)
def combined(places: tuple[int, ...], distances: tuple[int, ...]) -> Factors:
    """Decimal logarithms, rounded down to 3 places: the average, then the four."""
    each = log_factors(places, distances)
    uniform, scan, wave, distance = map(_decimal, each)
    return _decimal(log_mean(each)), uniform, scan, wave, distance


def weighed(counts: WheelCounts, *, anew: bool = False) -> WheelCounts:
    """The counts with the factors weighed again, where that is due or `anew`.

    It is due with each round at first, then when a fiftieth more rounds are counted: whoever looks less
    often alarms no more often, and weighing takes as long as all else about a round.
    """
    n = sum(counts.places)
    if not anew and counts.sample <= n < counts.sample + max(1, counts.sample // 50):
        return counts
    factors = combined(counts.places, counts.distances)
    return msgspec.structs.replace(
        counts,
        factors=factors,
        highest=max(counts.highest, factors[0]),
        sample=n,
        steps=sum(counts.distances),
    )


def fairness(counts: WheelCounts) -> Fairness:
    """The published figures, each with the sample on which it was weighed."""
    counts = weighed(counts)
    k, n, steps = len(counts.places), counts.sample, counts.steps
    average, uniform, scan, wave, distance = counts.factors
    return Fairness(
        wheel=counts.identity.wheel,
        ball=counts.identity.ball,
        since_round=counts.since,
        sample=n,
        level=level(counts.highest),
        log10=average,
        highest=counts.highest,
        uniformity=_figure(uniform, n, uniformity.detectable(k, n, _LEVEL) if n else None),
        sector=_figure(scan, n, sector.detectable(k, n, _LEVEL) if n else None),
        sector_width=sector.quarter(k),
        harmonic=_figure(wave, n, harmonic.detectable(k, n, _LEVEL) if n else None),
        distance=_figure(distance, steps, uniformity.detectable(k, steps, _LEVEL) if steps else None),
        places=counts.places,
        distances=counts.distances,
    )


def _figure(log10: float, sample: int, detectable: float | None) -> FairnessFigure:
    return FairnessFigure(
        log10=log10, sample=sample, detectable=None if detectable is None else round(detectable, 4)
    )


def _decimal(natural: float) -> float:
    """Rounded down, so that no level is called reached before it is. 0 is not called -0."""
    return floor(natural / log(10) * 1000 + 1e-9) / 1000 + 0.0
