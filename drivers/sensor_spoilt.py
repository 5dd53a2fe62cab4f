"""The faults of a device under which nothing can be learnt of its wheel. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

from drivers.sensor_faults import Faults
from drivers.sensor_fit import FOREIGN, OLD
from drivers.sensor_remedies import remedy_of

_PASSING = ("edges_lost", "encoder_invalid", "encoder_slip", "index_silent")
_LEARNT = ("not_calibrated", FOREIGN, OLD)
"""What calibrating is there to end."""


class Spoiling(NamedTuple):
    """A fault that stands, in words for the technician; whether it is told or flaps."""

    text: str
    remedy: str


def hindering(faults: Faults) -> dict[str, Spoiling]:
    """Those that stand under which nothing can be judged, by code; more spins or balls do not end them."""
    return _in_words(faults, (code for code in faults.hindering if code not in _LEARNT))


def passing(faults: Faults) -> dict[str, Spoiling]:
    """Those that stand, hinder no round, but make places wrong, by code; they end by themselves."""
    return _in_words(faults, (code for code in _PASSING if code in faults))


def _in_words(faults: Faults, codes: Iterable[str]) -> dict[str, Spoiling]:
    return {code: Spoiling(faults.state.standing[code].text, remedy_of(code)) for code in codes}
