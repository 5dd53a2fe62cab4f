"""The law by which a wheel slows, from its decelerations: a curve that odd spins do not bend. Pure.

Weighted least squares, again and again: first towards the least sum of absolute errors, which a quarter of
nonsense does not move far, then with weights that leave the far points out.
"""

from collections.abc import Sequence
from statistics import median

ROUNDS = 10
FAR = 4.685
"""Spreads from which on a point has no weight: Tukey's biweight, nearly as good as plain least squares where
errors are normal (Beaton and Tukey, Technometrics 16, 1974)."""

Law = tuple[float, float, float]
"""The deceleration at rest, and what the speed and its square add."""


def slowing_law(points: Sequence[tuple[float, float]]) -> Law | None:
    """The law of speeds and decelerations, no term of the air negative; None where they fall with speed.

    Takes points of three speeds or more that differ.
    """
    law, _ = _fitted(points, (0, 1, 2))
    if min(law[1:]) >= 0:
        return law
    # of the two shorter laws the one that fits better
    laws = [_fitted(points, powers) for powers in ((0, 1), (0, 2))]
    return min((each for each in laws if min(each[0][1:]) >= 0), key=lambda each: each[1], default=(None,))[0]


def _fitted(points: Sequence[tuple[float, float]], powers: Sequence[int]) -> tuple[Law, float]:
    """The law with these powers of the speed, and its sum of absolute errors."""
    weights = [1.0] * len(points)
    law = _weighted(points, weights, powers)
    for again in range(2 * ROUNDS):
        errors = [abs(slowing - value(law, speed)) for speed, slowing in points]
        spread = max(1.4826 * median(errors), 1e-9)
        if again < ROUNDS:
            weights = [1 / max(error, 0.1 * spread) for error in errors]
        else:
            weights = [max(0.0, 1 - (error / (FAR * spread)) ** 2) ** 2 for error in errors]
        law = _weighted(points, weights, powers)
    return law, sum(abs(slowing - value(law, speed)) for speed, slowing in points)


def value(law: Law, speed: float) -> float:
    """The deceleration at a speed."""
    return law[0] + (law[1] + law[2] * speed) * speed


def _weighted(points: Sequence[tuple[float, float]], weights: Sequence[float], powers: Sequence[int]) -> Law:
    """The least squares' law: normal equations, solved by elimination."""
    rows = [
        [_moment(points, weights, one + two) for two in powers] + [_moment(points, weights, one, 1)]
        for one in powers
    ]
    for at, row in enumerate(rows):
        for other in rows:
            if other is not row:
                factor = other[at] / row[at]
                other[:] = [a - factor * b for a, b in zip(other, row, strict=True)]
    found = [0.0, 0.0, 0.0]
    for at, power in enumerate(powers):
        found[power] = rows[at][-1] / rows[at][at]
    return found[0], found[1], found[2]


def _moment(
    points: Sequence[tuple[float, float]], weights: Sequence[float], power: int, slowings: int = 0
) -> float:
    return sum(
        weight * speed**power * slowing**slowings
        for weight, (speed, slowing) in zip(weights, points, strict=True)
    )
