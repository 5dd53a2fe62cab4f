"""All the evidence together: four Bayes factors, their average, what it means, what could have been seen.

Only the average raises an alarm. It is a Bayes factor itself, of the mixture of the four alternatives, so
that one fair wheel in 1,000 at most ever alarms, and not four. The four alone say where to look.
"""

from functools import lru_cache
from math import floor, log

from daemon.fairness import harmonic, sector, uniformity
from daemon.fairness.counts import WheelCounts
from daemon.fairness.mixture import log_mean
from daemon.records import Fairness, FairnessFigure, FairnessLevel

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
def combined(places: tuple[int, ...], distances: tuple[int, ...]) -> tuple[float, ...]:
    """Decimal logarithms, rounded down to 3 places: the average, then the four."""
    each = log_factors(places, distances)
    return tuple(_decimal(value) for value in (log_mean(each), *each))


def weighed(counts: WheelCounts) -> float:
    """The highest Bayes factor so far, the present counts' included (decimal logarithm)."""
    return max(counts.highest, combined(counts.places, counts.distances)[0])


def fairness(counts: WheelCounts) -> Fairness:
    """The published figures."""
    k, n, steps = len(counts.places), sum(counts.places), sum(counts.distances)
    average, uniform, scan, wave, distance = combined(counts.places, counts.distances)
    highest = weighed(counts)
    return Fairness(
        wheel=counts.identity.wheel,
        ball=counts.identity.ball,
        since_round=counts.since,
        sample=n,
        level=level(highest),
        log10=average,
        highest=highest,
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
