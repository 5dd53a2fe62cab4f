"""Is some run of neighbouring places too likely? A scan of all sectors, in rim order.

The alternative is a mixture: each centre, each of a few widths and of a few sizes of excess equally likely
beforehand; within the sector all places are too likely alike, outside all too unlikely alike. The Bayes
factor is the average of the likelihood ratios, so that looking everywhere is paid for in the average.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp, fsum, log, log1p

from daemon.fairness.mixture import log_mean, reached, share_for

EXCESSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""How much likelier a place of the sector is than its fair share."""


@lru_cache
def widths(k: int) -> tuple[int, ...]:
    """The sectors' widths: a twelfth, an eighth, a sixth, a quarter, a third and half of k places."""
    return tuple(sorted({max(1, k // part) for part in (12, 8, 6, 4, 3, 2)}))


def quarter(k: int) -> int:
    """The width of the sector for which `detectable` is said."""
    return max(1, k // 4)


@lru_cache
def _terms(k: int, width: int, excess: float) -> tuple[float, float]:
    """What a result within the sector adds to the logarithm, and one outside."""
    return log1p(excess), log((k - width * (1 + excess)) / (k - width))


def log_factors(counts: Sequence[int]) -> list[float]:
    """The Bayes factor's logarithm for each excess. O(places · widths · excesses)."""
    k, n = len(counts), sum(counts)
    sums = list(accumulate((*counts, *counts), initial=0))
    windows = {width: [sums[i + width] - sums[i] for i in range(k)] for width in widths(k)}
    logs = []
    for excess in EXCESSES:
        by_width = []
        for width, hits in windows.items():
            inside, outside = _terms(k, width, excess)
            most, step = max(hits), inside - outside
            mean = fsum([exp((hit - most) * step) for hit in hits]) / k
            by_width.append(most * inside + (n - most) * outside + log(mean))
        logs.append(log_mean(by_width))
    return logs


def log_factor(counts: Sequence[int]) -> float:
    """The Bayes factor's natural logarithm, for counts by place in rim order."""
    return log_mean(log_factors(counts))


@lru_cache(maxsize=256)
def detectable(k: int, n: int, level: float) -> float | None:
    """The least excess of a sector of `quarter` places that n results show 9 times of 10.

    Reckoned from that sector's own part of the average alone, what its neighbours add left out.
    `level` is the logarithm that must be reached. None if no excess would do yet.
    """
    width = quarter(k)
    if width >= k:
        return None
    others = log(k * len(widths(k)))

    def with_count(count: int) -> float:
        terms = (_terms(k, width, excess) for excess in EXCESSES)
        return log_mean([count * inside + (n - count) * outside for inside, outside in terms]) - others

    count = reached(with_count, level, n * width // k, n)
    share = share_for(count, n) if count is not None else 1.0
    return share * k / width - 1 if share < 1 else None
