"""A simulated fortune wheel on the line of a driver, with the calibration that it deserves."""

from collections.abc import Iterator

import msgspec

from drivers.driver import Driver
from drivers.fortune_wheel.driver import DRIVER
from drivers.fortune_wheel.options import Calibration, FortuneWheelOptions
from drivers.readings import AnyReading, Instant
from simulators.devices.sensor_fortune_wheel import Build, Plan, SensorFortuneWheel, SpinGame, clean
from simulators.physics.fortune_wheel import Bearing
from simulators.traffic import Bytes, Item, Unplug

EPOCH = 1_700_000_000_000_000
COUNTED = Build()
RAW = Build(counts=2160, raw=True)
WHIRLING = Build(Bearing(air=0.012, air_exponent=2.0))
"""A wheel that the air slows with the square of its speed."""


def calibrated(build: Build) -> Calibration:
    """The wheel's true figures, in turns and seconds."""
    return msgspec.convert(build.calibration, Calibration)


def made(build: Build, **options: float) -> Driver:
    """A driver whose link has just come up."""
    known = calibrated(build)
    driver = DRIVER.make(
        "wheel",
        FortuneWheelOptions(segments=known.segments, counts=build.counts, calibration=known, **options),
    )
    driver.link_up(instant(0.0))
    return driver


def instant(t: float) -> Instant:
    """Virtual seconds as an instant."""
    return Instant(int(t * 1e9), EPOCH + int(t * 1e6))


def fed(driver: Driver, item: Item) -> list[AnyReading]:
    """What one item of the line gives, and the silence before it."""
    at = instant(item.t)
    said: list[AnyReading] = []
    if driver.deadline is not None and driver.deadline < at.mono:
        said += driver.advance(at)
    if isinstance(item, Bytes):
        said += driver.receive(item.data, at)
    elif isinstance(item, Unplug):
        said += driver.link_lost("unplugged", at)
    else:
        said += driver.link_up(at)
    return said


def spins(
    build: Build, seed: int, count: int, plan: Plan = clean, driver: Driver | None = None
) -> Iterator[tuple[SpinGame, list[AnyReading]]]:
    """Each spin with its readings."""
    driver = driver or made(build)
    for game in SensorFortuneWheel(build, seed, plan).games(count):
        said: list[AnyReading] = []
        for item in game.items:
            said += fed(driver, item)
        yield game, said


def scenario(name: str, fault: str | None = None) -> Plan:
    """The plan with the same in every spin."""
    return lambda index: (name, fault)
