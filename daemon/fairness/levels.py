"""From Bayes factors to what is said of them."""

from math import floor, log

from daemon.fairness.figures import FairnessFigure, FairnessLevel

WARN = 2.0
"""Decimal logarithm of the Bayes factor: of fair wheels one in 100 at most ever gets there."""
ALARM = 3.0
"""The same: one in 1,000."""


def level(highest: float) -> FairnessLevel:
    """What the highest Bayes factor so far (decimal logarithm) means."""
    return "alarm" if highest >= ALARM else "warn" if highest >= WARN else "ok"


def decimal(natural: float) -> float:
    """Rounded down, so that no level is called reached before it is. 0 is not called -0."""
    return floor(natural / log(10) * 1000 + 1e-9) / 1000 + 0.0


def figure(log10: float, sample: int, detectable: float | None) -> FairnessFigure:
    """As it is published."""
    return FairnessFigure(
        log10=log10, sample=sample, detectable=None if detectable is None else round(detectable, 4)
    )
