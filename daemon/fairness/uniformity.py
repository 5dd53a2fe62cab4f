"""Are all places alike? And, the same question, all distances from one result to the next?

A Dirichlet-multinomial Bayes factor: under the alternative the probabilities of the places are themselves
drawn from a symmetric Dirichlet distribution (Jeffreys, Theory of Probability, 1939; Good, A Bayesian
significance test for multinomial distributions, J. R. Statist. Soc. B 29, 1967, who mixes flattening
constants as here). A flattening constant `a` means places that differ by about 1/sqrt(a) of their share.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import fsum, lgamma, log

from daemon.fairness.mixture import log_mean, reached, share_for

FLATTENING = (1.0, 10.0, 100.0, 1000.0)
"""Pockets that differ by about 100, 32, 10 and 3 %, all four equally likely beforehand."""


def log_factors(counts: Sequence[int]) -> list[float]:
    """The Bayes factor's logarithm for each flattening constant."""
    k, n = len(counts), sum(counts)
    return [
        n * log(k)
        + fsum(lgamma(a + count) for count in counts)
        - k * lgamma(a)
        + lgamma(k * a)
        - lgamma(k * a + n)
        for a in FLATTENING
    ]


def log_factor(counts: Sequence[int]) -> float:
    """The Bayes factor's natural logarithm, for counts by place. O(places)."""
    return log_mean(log_factors(counts))


@lru_cache(maxsize=256)  # of distances there are as many as there were results a round ago
def detectable(k: int, n: int, level: float) -> float | None:
    """The least excess of one place, in parts of its fair share, that n results show 9 times of 10.

    With all other places alike the factor is least for a given count of that place: it is reckoned so.
    `level` is the logarithm that must be reached. None if no excess would do yet.
    """

    def with_count(count: int) -> float:
        rest = (n - count) / (k - 1)
        return log_mean(
            [
                n * log(k)
                + (lgamma(a + count) - lgamma(a))
                + (k - 1) * (lgamma(a + rest) - lgamma(a))
                + lgamma(k * a)
                - lgamma(k * a + n)
                for a in FLATTENING
            ]
        )

    count = reached(with_count, level, n // k, n)
    share = share_for(count, n) if count is not None else 1.0
    return share * k - 1 if share < 1 else None
