"""The drivers there are: the built-in ones, and those that other distributions announce.

A distribution offers a driver by an entry point of the group `mesad.drivers`, the driver's name on the left
and its `DriverInfo` on the right; `drivers.skeleton` shows one. Nothing is imported before it is asked for.

    DriverError             a driver that cannot be had; the text says why and what to do
    ├── UnknownDriver       nobody offers one of this name
    └── UnusableDriver      it is offered, but broken, or by two that contradict each other
"""

import difflib
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points

from drivers.driver import DriverInfo

GROUP = "mesad.drivers"

BUILT_IN = {
    "bare-wheel": "drivers.bare_wheel.driver:DRIVER",
    "cammegh": "drivers.cammegh.driver:DRIVER",
    "fortune-wheel": "drivers.fortune_wheel.driver:DRIVER",
}
"""Where each of ours is, whether or not the distribution's own entry points can be seen."""


class DriverError(LookupError):
    """A driver that cannot be had. The text is for whoever wrote the configuration."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"driver {name!r}: {problem}")
        self.name = name


class UnknownDriver(DriverError):  # noqa: N818 - with "Error" behind it, it would read as a driver's error
    """Nobody offers a driver of this name; `known` are those that there are."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        super().__init__(name, f"there is none of this name; {hint}known: {', '.join(known)}")
        self.known = known


class UnusableDriver(DriverError):  # noqa: N818 - the same
    """The driver cannot be loaded, is no driver, or its name is taken."""


def names() -> tuple[str, ...]:
    """The names of all drivers, sorted; loads none."""
    return tuple(sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))}))


def find(name: str) -> DriverInfo:
    """The driver of this name. Raises UnknownDriver, or UnusableDriver."""
    offers = {(point.module, point.attr): point for point in entry_points(group=GROUP, name=name)}
    if name in BUILT_IN:
        own = EntryPoint(name, BUILT_IN[name], GROUP)
        offers.setdefault((own.module, own.attr), own)
    if not offers:
        raise UnknownDriver(name, names())
    if len(offers) > 1:
        # none of them is preferred: which one would judge the table must not hang on what else is installed
        raise UnusableDriver(name, f"offered more than once; remove one of {_whose(offers.values())}")
    return _load(*offers.values())


def drivers() -> tuple[DriverInfo, ...]:
    """All drivers, by name. Raises UnusableDriver if any of them is."""
    return tuple(find(name) for name in names())


def _whose(points: Iterable[EntryPoint]) -> str:
    found = ((point.dist.name if point.dist else "mesad", point.value) for point in points)
    return " and ".join(f"{distribution} ({value})" for distribution, value in sorted(found))


def _load(point: EntryPoint) -> DriverInfo:
    """The driver behind an entry point, checked as far as can be without a device."""
    try:
        info = point.load()
    except Exception as error:  # somebody else's module may raise anything when imported
        raise UnusableDriver(point.name, f"{_whose([point])} cannot be loaded: {error}") from error
    if not isinstance(info, DriverInfo):
        raise UnusableDriver(point.name, f"{_whose([point])} is not a DriverInfo")
    if info.name != point.name:
        raise UnusableDriver(point.name, f"{_whose([point])} calls itself {info.name!r}: both must be one")
    return info
