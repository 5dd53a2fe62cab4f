"""Both drivers of bare sensors on one kind of line: packets by hand, and games whose packets are changed."""

from collections.abc import Callable, Iterable, Iterator

import bare_wheel_line
import fortune_wheel_line
import msgspec
import pytest
from sensor_packets import changed

from drivers.bare_wheel.driver import BareWheel
from drivers.bare_wheel.options import Calibration
from drivers.fortune_wheel.driver import FortuneWheelDriver
from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.readings import SECOND, AnyReading, FaultCleared, FaultRaised, Instant, PlaceSettled, WheelAtRest
from protocols.sensor import CHANNELS, Body, Heartbeat, Identity, encode
from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel, SpinGame
from simulators.devices.sensor_wheel import SensorGame, SensorWheel
from simulators.traffic import Item

ALL = (1 << len(CHANNELS)) - 1
SERIALS = {"bare": "SIM-3", "fortune": fortune_wheel_line.COUNTED.serial}
COUNTS = {"bare": 400, "fortune": fortune_wheel_line.COUNTED.counts}
KINDS = pytest.mark.parametrize("kind", ["bare", "fortune"])
"""For a test that holds of both drivers."""


def wheel(kind: str) -> SensorWheel | SensorFortuneWheel:
    """A simulated wheel."""
    if kind == "bare":
        return SensorWheel("roulette", "counts", 3)
    return SensorFortuneWheel(fortune_wheel_line.COUNTED, 3)


def driver(kind: str, device_calibration: int = 0) -> BareWheel | FortuneWheelDriver:
    """The wheel's driver, with a calibration file that has the device's own number."""
    made: BareWheel | FortuneWheelDriver
    if kind == "bare":
        options = dict(SensorWheel("roulette", "counts", 3).options)
        known = Calibration(
            serial="SIM-3",
            pockets=37,
            turning="pockets",
            offset=msgspec.convert(options.pop("offset"), float),
            sights=9,
            device_calibration=device_calibration,
        )
        return bare_wheel_line.driver(options | {"calibration": msgspec.to_builtins(known), "counts": 400})
    true = fortune_wheel_line.calibrated(fortune_wheel_line.COUNTED)
    true = msgspec.structs.replace(true, device_calibration=device_calibration)
    made = FortuneWheelDriver(
        "wheel", FortuneWheelOptions(segments=true.segments, counts=true.counts, calibration=true)
    )
    made.link_up(bare_wheel_line.instant(0.0))
    return made


def identity(
    kind: str, starts: int = 1, *, serial: str = "", calibration: int = 0, channels: int = ALL
) -> Identity:
    """Of the device that the table file means."""
    return Identity(serial or SERIALS[kind], "1", starts, COUNTS[kind], calibration, channels)


def games(
    kind: str, many: int, change: Callable[[int, Body], Iterable[Body]], device_calibration: int = 0
) -> list[list[AnyReading]]:
    """What a driver says of each game, whose bodies are what `change` makes of them and of its number."""
    made, number = driver(kind, device_calibration), 0

    def sent(index: int, items: Iterable[Item]) -> Iterator[Item]:
        nonlocal number
        for item in changed(items, lambda body: change(index, body), number):
            number += 1
            yield item

    played: Iterator[SensorGame | SpinGame] = iter(wheel(kind).games(many))
    return [bare_wheel_line.feed(made, sent(index, game.items)) for index, game in enumerate(played)]


def results(said: Iterable[Iterable[AnyReading]]) -> list[int]:
    """For each game how many results it had."""
    return [sum(isinstance(each, PlaceSettled | WheelAtRest) for each in game) for game in said]


def raised(said: Iterable[AnyReading]) -> list[str]:
    """The codes of the faults that are new."""
    return [each.code for each in said if isinstance(each, FaultRaised)]


def cleared(said: Iterable[AnyReading]) -> list[str]:
    """The codes of the faults that are gone."""
    return [each.code for each in said if isinstance(each, FaultCleared)]


class Line:
    """A device's packets by hand, at the device's own seconds."""

    def __init__(self, kind: str, device_calibration: int = 0) -> None:
        self.kind = kind
        self.driver = driver(kind, device_calibration)
        self.driver.receive(b"\0", self.at)
        self.boot = 1
        self.clock = 0.0
        """Seconds of the device."""
        self.lid_open = False
        """What its heartbeats say."""
        self._sequence = 0

    host = 0.0
    """Seconds of the host."""

    @property
    def at(self) -> Instant:
        """Now."""
        return Instant(round(self.host * SECOND), 1_700_000_000_000_000 + round(self.host * 1e6))

    def say(self, *bodies: Body) -> list[AnyReading]:
        """Packets, now."""
        said: list[AnyReading] = []
        for body in bodies:
            packet = encode(body, self.boot, self._sequence, round(self.clock * 1e6))
            said += self.driver.receive(packet, self.at)
            self._sequence += 1
        return said

    def lose(self) -> None:
        """A packet that is sent now does not arrive."""
        self._sequence += 1

    def beat(self, seconds: float, *bodies: Body) -> list[AnyReading]:
        """The heartbeats of so many seconds, and then something."""
        said: list[AnyReading] = []
        until = self.clock + seconds
        while self.clock + 0.5 <= until:
            self.clock, self.host = self.clock + 0.5, self.host + 0.5
            said += self.say(Heartbeat(0, 0, 0, self.lid_open, 0))
        return said + self.say(*bodies)

    def start_again(self, *bodies: Body) -> list[AnyReading]:
        """The device is switched off and on."""
        self.boot, self.clock, self._sequence = self.boot + 1, 0.5, 0
        return self.say(*bodies)

    def replug(self) -> None:
        """The cable is pulled and put back."""
        self.driver.link_lost("unplugged", self.at)
        self.host += 1
        self.driver.link_up(self.at)
        self.driver.receive(b"\0", self.at)

    @property
    def hindered(self) -> bool:
        """Whether a fault stands under which nothing is judged."""
        return bool(self.driver.device.faults.hindering)
