"""Angles in parts of a turn, which begin anew after 1. Pure."""

from collections.abc import Iterable
from math import atan2, cos, pi, sin
from statistics import median


def apart(angle: float, other: float) -> float:
    """How far an angle is from another, the shorter way round: signed, half a turn at most."""
    return (angle - other + 0.5) % 1.0 - 0.5


def circular_median(angles: Iterable[float]) -> float:
    """0 to below 1: the median of the distances from the mean direction."""
    each = tuple(angles)
    x, y = (sum(part(2 * pi * angle) for angle in each) for part in (cos, sin))
    mean = atan2(y, x) / (2 * pi) % 1.0
    return (mean + median(apart(angle, mean) for angle in each)) % 1.0
