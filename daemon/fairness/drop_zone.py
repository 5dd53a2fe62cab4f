"""Does the ball leave the rim anywhere alike? On a tilted wheel it does not.

Known is between which two of the rim's sensors it left. Of a level wheel's balls a stretch between two gets
its own share: its length in turns, whatever the ball's speed. A tilted wheel favours other stretches when the
ball runs clockwise than when it runs anticlockwise, so each sense has its own counts, and the two Bayes
factors are multiplied. Two alternatives: any shares (Dirichlet-multinomial about the fair ones), and one wave
round the stator (density 1 + a cos 2π(θ - phase)), each of a few amplitudes and each phase equally likely.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import fsum, lgamma, log, pi, sin, sqrt
from operator import mul

from daemon.fairness.mixture import POWER_Z, log_mean, reached, share_for
from daemon.fairness.uniformity import FLATTENING

AMPLITUDES = (0.1, 0.2, 0.4, 0.8)
PHASES = 24
LOOKED_AT = 8
"""Phases of a real wave among which the one that is the worst to see is looked for."""
STATISTICS = 2

Rim = tuple[float, ...]
"""Where the sensors stand, in turns, rising."""


@lru_cache(maxsize=64)
def shares(rim: Rim) -> tuple[float, ...]:
    """The length of each stretch, in turns: from a sensor clockwise to the next."""
    return tuple((after - here) % 1.0 for here, after in zip(rim, (*rim[1:], rim[0]), strict=True))


def stretch(rim: Rim, angle: float) -> int:
    """In which stretch an angle lies."""
    return min(range(len(rim)), key=lambda each: (angle - rim[each]) % 1.0)


# --- any shares -----------------------------------------------------------------------------------------


def uniformity(counts: Sequence[float], rim: Rim) -> float:
    """The Bayes factor's natural logarithm, for one sense's counts by stretch."""
    fair, n = shares(rim), fsum(counts)
    level = fsum(count * log(share) for count, share in zip(counts, fair, strict=True))
    logs = []
    for flattening in FLATTENING:
        weight = flattening * len(rim)
        drawn = [
            lgamma(weight * share + count) - lgamma(weight * share)
            for count, share in zip(counts, fair, strict=True)
        ]
        logs.append(fsum(drawn) + lgamma(weight) - lgamma(weight + n) - level)
    return log_mean(logs)


@lru_cache(maxsize=256)
def detectable_uniformity(rim: Rim, n: int, level: float) -> float | None:
    """The least excess of a stretch, in parts of its share, that n balls of one sense show 9 times of 10.

    Of the stretch that shows it worst, all others alike. `level` is the logarithm that must be reached.
    """
    worst = 0.0
    for at, fair in enumerate(shares(rim)):

        def with_count(count: int, at: int = at, fair: float = fair) -> float:
            others = (n - count) / (1 - fair)
            return uniformity([count if i == at else others * s for i, s in enumerate(shares(rim))], rim)

        count = reached(with_count, level, int(n * fair), n)
        share = share_for(count, n) if count is not None else 1.0
        if share >= 1:
            return None
        worst = max(worst, share / fair - 1)
    return worst


# --- one wave -------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _swing(rim: Rim, phase: float) -> tuple[float, ...]:
    """What a wave of amplitude 1 adds to each stretch's share."""
    return tuple(
        (sin(2 * pi * (start + share - phase)) - sin(2 * pi * (start - phase))) / (2 * pi)
        for start, share in zip(rim, shares(rim), strict=True)
    )


@lru_cache(maxsize=512)
def _wave(rim: Rim, amplitude: float, phase: float) -> tuple[float, ...]:
    """Logarithm of the likelihood ratio of a ball by its stretch."""
    swing = _swing(rim, phase)
    return tuple(log(1 + amplitude * more / share) for more, share in zip(swing, shares(rim), strict=True))


@lru_cache(maxsize=64)
def _waves(rim: Rim) -> tuple[tuple[float, ...], ...]:
    return tuple(_wave(rim, a, each / PHASES) for a in AMPLITUDES for each in range(PHASES))


def harmonic(counts: Sequence[int], rim: Rim) -> float:
    """The Bayes factor's natural logarithm, for one sense's counts by stretch."""
    return log_mean([fsum(map(mul, counts, wave)) for wave in _waves(rim)])


@lru_cache(maxsize=256)
def detectable_harmonic(rim: Rim, n: int, level: float) -> float | None:
    """The least amplitude that n balls of one sense show 9 times of 10, at the phase that shows it worst.

    Reckoned from the part of the average at the real phase alone, by the normal approximation.
    """
    needed, worst = level + log(PHASES * len(AMPLITUDES)), 0.0
    for each in range(LOOKED_AT):
        phase = each / LOOKED_AT
        waves = [_wave(rim, amplitude, phase) for amplitude in AMPLITUDES]
        low, high = 0.0, 1.0
        if not any(_shown(rim, wave, phase, high, n) >= needed for wave in waves):
            return None
        while high - low > 1e-3:
            middle = (low + high) / 2
            seen = any(_shown(rim, wave, phase, middle, n) >= needed for wave in waves)
            low, high = (low, middle) if seen else (middle, high)
        worst = max(worst, high)
    return worst


def _shown(rim: Rim, wave: Sequence[float], phase: float, real: float, n: int) -> float:
    """What n balls of a real wave of that amplitude add to the logarithm, at their unlucky tenth."""
    chances = [share + real * more for share, more in zip(shares(rim), _swing(rim, phase), strict=True)]
    mean = fsum(p * ratio for p, ratio in zip(chances, wave, strict=True))
    square = fsum(p * ratio * ratio for p, ratio in zip(chances, wave, strict=True))
    return n * mean - POWER_Z * sqrt(n * max(0.0, square - mean * mean))


# --- both senses ----------------------------------------------------------------------------------------


def log_factors(cw: Sequence[int], ccw: Sequence[int], rim: Rim) -> tuple[float, float]:
    """Natural logarithms: uniformity, harmonic."""
    return uniformity(cw, rim) + uniformity(ccw, rim), harmonic(cw, rim) + harmonic(ccw, rim)


def detectable(
    of_one: Callable[[Rim, int, float], float | None], rim: Rim, balls: Sequence[int], level: float
) -> float | None:
    """The least bias that shows in both senses alike 9 times of 10: each adds its own share of the level."""
    n, worst = sum(balls), 0.0
    for one in balls:
        if one:
            least = of_one(rim, one, level * one / n)
            if least is None:
                return None
            worst = max(worst, least)
    return worst if n else None
