"""Does the probability swing once round the rim, as on an unbalanced rotor or disc, or a tilted basin?

The alternative is a mixture of waves: place i of k has the probability (1 + a cos(2π(i - phase)/k))/k, each
place as phase and each of a few amplitudes `a` equally likely beforehand.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import cos, fsum, log, log1p, pi, sqrt
from operator import mul

from daemon.fairness.mixture import POWER_Z, log_mean

AMPLITUDES = (0.05, 0.1, 0.2, 0.4)


@lru_cache
def _wave(k: int, amplitude: float) -> tuple[float, ...]:
    """Logarithms of the likelihood ratio by place from the phase on, twice round."""
    once = [log1p(amplitude * cos(2 * pi * min(i, k - i) / k)) for i in range(k)]
    return (*once, *once)


def log_factors(counts: Sequence[int]) -> list[float]:
    """The Bayes factor's logarithm for each amplitude. O(places² · amplitudes)."""
    k, exact = len(counts), [float(count) for count in counts]  # floats: half the time
    logs = []
    for amplitude in AMPLITUDES:
        wave = _wave(k, amplitude)
        logs.append(log_mean([fsum(map(mul, exact, wave[i : i + k])) for i in range(k)]))
    return logs


def log_factor(counts: Sequence[int]) -> float:
    """The Bayes factor's natural logarithm, for counts by place in rim order."""
    return log_mean(log_factors(counts))


@lru_cache
def _moments(k: int, amplitude: float) -> tuple[float, float, float, float]:
    """Mean and mean square of what a fair result adds, and how much each grows with a real amplitude."""
    wave = _wave(k, amplitude)[:k]
    real = [cos(2 * pi * i / k) for i in range(k)]
    return (
        fsum(wave) / k,
        fsum(w * r for w, r in zip(wave, real, strict=True)) / k,
        fsum(w * w for w in wave) / k,
        fsum(w * w * r for w, r in zip(wave, real, strict=True)) / k,
    )


@lru_cache(maxsize=256)
def detectable(k: int, n: int, level: float) -> float | None:
    """The least amplitude that n results show 9 times of 10.

    Reckoned from the part of the average at the real phase alone, by the normal approximation.
    `level` is the logarithm that must be reached. None if no amplitude up to 1 would do yet.
    """
    needed = level + log(k * len(AMPLITUDES))

    def shown(real: float) -> bool:
        for amplitude in AMPLITUDES:
            mean, mean_grows, square, square_grows = _moments(k, amplitude)
            expected = mean + real * mean_grows
            spread = max(0.0, square + real * square_grows - expected * expected)
            if n * expected - POWER_Z * sqrt(n * spread) >= needed:
                return True
        return False

    low, high = 0.0, 1.0
    if not shown(high):
        return None
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high
