"""All the evidence together: four Bayes factors, their average, what it means, what could have been seen.

Only the average raises an alarm. It is a Bayes factor itself, of the mixture of the four alternatives, so
that one fair wheel in 1,000 at most ever alarms, and not four. The four alone say where to look. Where the
balls leave the rim is another question, with a level of its own: it judges no result.
"""

from functools import lru_cache
from math import log

import msgspec

from daemon.fairness import drop_counts, harmonic, sector, uniformity
from daemon.fairness.counts import WheelCounts
from daemon.fairness.figures import Fairness
from daemon.fairness.levels import ALARM, decimal, figure, level
from daemon.fairness.mixture import log_mean

Factors = tuple[float, float, float, float, float]
"""Decimal logarithms: the average, then uniformity, sector, harmonic, distance."""
STATISTICS = 4
_LEVEL = (ALARM * log(10)) + log(STATISTICS)
"""What one statistic must reach for the average to alarm, whatever the others are."""


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
    uniform, scan, wave, distance = map(decimal, each)
    return decimal(log_mean(each)), uniform, scan, wave, distance


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
        drops=None if counts.drops is None else drop_counts.weighed(counts.drops),
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
        uniformity=figure(uniform, n, uniformity.detectable(k, n, _LEVEL) if n else None),
        sector=figure(scan, n, sector.detectable(k, n, _LEVEL) if n else None),
        sector_width=sector.quarter(k),
        harmonic=figure(wave, n, harmonic.detectable(k, n, _LEVEL) if n else None),
        distance=figure(distance, steps, uniformity.detectable(k, steps, _LEVEL) if steps else None),
        places=counts.places,
        distances=counts.distances,
        drop=None if counts.drops is None else drop_counts.published(counts.drops),
    )
