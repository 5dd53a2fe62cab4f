"""Where a ball lay, as the pocket sensor saw it turn after turn: for the calibration. Pure."""

from typing import NamedTuple

from drivers.bare_wheel.driver import BareWheel
from drivers.bare_wheel.options import BareWheelOptions
from drivers.readings import Instant
from drivers.sensor_spoilt import Spoiling, hindering, passing
from drivers.tracking.angles import apart

SIGHTS = 4
"""Sights that a lay takes at least."""
TURNS = 2.9
"""Turns over which they are spread at least."""
OUT = 2.2
"""Turns without a sight after which the ball was taken out, or lies where it did not before."""


class Lay(NamedTuple):
    """One ball at rest."""

    angles: tuple[float, ...]
    """Where on the ring the sensor stood at each sight, by an offset of 0: turns clockwise, 0 to below 1."""
    turns: float
    """Between the sights that are the farthest apart."""


class Lays:
    """Takes a wheel's bytes; told as a link's listener is."""

    def __init__(self, options: BareWheelOptions) -> None:
        """`options` without an offset and without a calibration."""
        self.faults: dict[str, Spoiling] = {}
        """What came of faults that spoil a place, at any time, by code."""
        self._apart = 0.5 / options.pockets
        self._over: list[Lay] = []
        self._sights: list[tuple[float, float]] = []
        self._wheel = BareWheel("wheel", options, self._see)

    @property
    def lays(self) -> list[Lay]:
        """All so far, the one at hand too once it is whole."""
        now = self._now()
        return self._over if now is None else [*self._over, now]

    @property
    def serial(self) -> str | None:
        """The device's, once it has said it."""
        return self._wheel.device.serial

    @property
    def device_calibration(self) -> int:
        """The number that the device gives its sensors' places; 0 if unknown."""
        return self._wheel.device.calibration

    @property
    def packets(self) -> int:
        """Good ones so far."""
        return self._wheel.health().frames

    @property
    def hindering(self) -> dict[str, Spoiling]:
        """Faults that stand under which no place can be judged, by code; no ball need run past the rim."""
        faults = hindering(self._wheel.device.faults)
        return {code: fault for code, fault in faults.items() if not _of_rim(code)}

    def link_up(self, at: Instant, identity: str) -> None:
        """The port is open."""
        self._wheel.link_up(at)
        self._end()

    def link_bytes(self, data: bytes, at: Instant) -> None:
        """Bytes as they came."""
        self._wheel.receive(data, at)
        self.faults |= self.hindering | passing(self._wheel.device.faults)

    def link_lost(self, reason: str, at: Instant) -> None:
        """The port is gone."""
        self._wheel.link_lost(reason, at)

    def _see(self, turns: float, angle: float) -> None:
        """The occupied pocket passed: the shaft's turns then, and the angle on the ring."""
        if self._sights:
            away = abs(apart(angle, self._sights[0][1]))
            if away > self._apart or abs(turns - self._sights[-1][0]) > OUT:
                self._end()
        self._sights.append((turns, angle))

    def _end(self) -> None:
        now = self._now()
        if now is not None:
            self._over.append(now)
        self._sights.clear()

    def _now(self) -> Lay | None:
        turns = [at for at, _ in self._sights]
        if len(turns) < SIGHTS or max(turns) - min(turns) < TURNS:
            return None
        return Lay(tuple(angle for _, angle in self._sights), max(turns) - min(turns))


def _of_rim(code: str) -> bool:
    return code.startswith("rim_") or "_rim_" in code
