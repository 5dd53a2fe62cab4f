"""What the statistics share: averaging Bayes factors, and what reaches a count nine times of ten."""

from collections.abc import Callable, Sequence
from math import exp, fsum, log, sqrt

POWER_Z = 1.2815515655446004
"""The normal distribution's 90 % point."""


def log_mean(logs: Sequence[float]) -> float:
    """Natural logarithm of the average of numbers given by theirs. Of their order nothing depends."""
    largest = max(logs)
    return largest + log(fsum(exp(value - largest) for value in logs) / len(logs))


def reached(log_factor: Callable[[int], float], level: float, low: int, high: int) -> int | None:
    """The least count above `low` at which a rising function is at `level`; None if not even `high` is."""
    if high <= low or log_factor(high) < level:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if log_factor(middle) >= level else (middle, high)
    return high


def share_for(count: int, trials: int) -> float:
    """The probability at which so many hits or more in so many trials come 9 times of 10.

    Normal approximation of the binomial distribution with half a hit for continuity, solved for the
    probability (Wilson, 1927).
    """
    share, z2 = (count - 0.5) / trials, POWER_Z**2 / trials
    return (share + z2 / 2 + sqrt(share * (1 - share) * z2 + z2 * z2 / 4)) / (1 + z2)
