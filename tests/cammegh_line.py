"""A hand-played Cammegh line: status lines into a driver, half a second apart, and what it says of them."""

from collections.abc import Iterator
from typing import Any, TypeVar

from drivers.cammegh.driver import Cammegh, CammeghOptions
from drivers.readings import AnyReading, Instant, PocketSettled

R = TypeVar("R", bound=AnyReading)
MERCURY = {"model": "mercury-360"}
EXTENDED = {"model": "mercury-360", "protocol": "extended"}
BASIC = {"model": "mercury-360", "protocol": "basic"}
BANNER = "*V V2.50 Cammegh / Syoptic - SlingShot 2 Roulette Wheel (c) 03/12/18"


class Line:
    """Plays lines to a driver at its own clock and calls `advance` at its deadlines, as a table does."""

    def __init__(self, up: bool = True, **options: Any) -> None:
        self.options = CammeghOptions(**{"model": "slingshot-2"} | options)
        self.driver = Cammegh("wheel", self.options)
        self.seconds = 0.0
        self.said: list[AnyReading] = []
        self._shown = 0
        if up:
            self.link_up()

    @property
    def at(self) -> Instant:
        """Now."""
        return instant(self.seconds)

    def link_up(self) -> "Line":
        self.said += self.driver.link_up(self.at)
        return self

    def link_lost(self, reason: str = "unplugged") -> "Line":
        self.said += self.driver.link_lost(reason, self.at)
        return self

    def wait(self, seconds: float) -> "Line":
        """Nothing comes for so long; deadlines are met at their own instants."""
        self.seconds += seconds
        at = self.at
        while (deadline := self.driver.deadline) is not None and deadline <= at.mono:
            self.said += self.driver.advance(at.later(deadline - at.mono))
        return self

    def raw(self, data: bytes, after: float = 0.0) -> "Line":
        """Bytes, so many seconds from now."""
        self.wait(after)
        self.said += self.driver.receive(data, self.at)
        return self

    def text(self, line: str, after: float = 0.05) -> "Line":
        """A line of any kind, shortly after the last one."""
        return self.raw(line.encode("ascii") + b"\r\n", after)

    def status(
        self,
        state: int,
        counter: int = 12,
        number: int | str | None = 31,
        *,
        w: int = 0,
        v: int = 170,
        d: int = 0,
        n: int = 1,
        ext: str = "",
        every: float = 0.5,
    ) -> "Line":
        """So many equal status lines."""
        shown = "" if number is None else number
        for _ in range(n):
            self.text(f"*X;{state};{counter:03d};{shown:>2};{w:X};{v:03d};{d}{ext}", every)
        return self

    def betting(self, counter: int = 12, number: int | None = 31, d: int = 1) -> "Line":
        """State 2 of an ordinary game: the rotor runs on, brakes, and is driven the other way."""
        self.status(2, counter, number, d=1 - d, n=4)
        self.status(2, counter, number, d=1 - d, v=60).status(2, counter, number, d=0, v=0, n=3)
        return self.status(2, counter, number, d=d, v=90).status(2, counter, number, d=d, n=2)

    def launch(self, counter: int = 12, number: int | None = 31, d: int = 1) -> "Line":
        """States 3 and 4."""
        return self.status(3, counter, number, d=d, n=5).status(4, counter, number, d=d, n=12)

    def settle(self, number: int, counter: int = 12, d: int = 1, n: int = 6) -> "Line":
        """The bare number and state 5."""
        return self.text(str(number)).status(5, counter, number, d=d, n=n)

    def game(self, number: int, counter: int = 12, previous: int | None = 31, d: int = 1) -> "Line":
        """A whole ordinary game."""
        self.betting(counter, previous, d).launch(counter, previous, d)
        return self.settle(number, counter, d)

    def new(self) -> list[AnyReading]:
        """What was said since the last call."""
        fresh, self._shown = self.said[self._shown :], len(self.said)
        return fresh

    def new_names(self) -> list[str]:
        """The kinds of it, in order."""
        return [type(reading).__name__ for reading in self.new()]

    def all(self, kind: type[R]) -> list[R]:
        """Everything said of one kind."""
        return [reading for reading in self.said if isinstance(reading, kind)]


def instant(seconds: float) -> Instant:
    """The instant so many seconds after the beginning."""
    return Instant(round(seconds * 1e9), 1_700_000_000_000_000 + round(seconds * 1e6))


def names(readings: list[AnyReading]) -> Iterator[str]:
    """Their kinds."""
    return (type(reading).__name__ for reading in readings)


def playing(**options: Any) -> Line:
    """A wheel in state 2 of game 12 that is heard since a while; what it said so far is out of the way."""
    line = Line(**options).text("").status(2, d=0, n=3)
    line.new()
    return line


def running(**options: Any) -> Line:
    """The same in state 4, launched anticlockwise."""
    line = playing(**options).betting(d=1)
    line.status(3, d=1, n=5).status(4, d=1, n=4)
    line.new()
    return line


def pockets(line: Line) -> list[tuple[str, int | None, str | None]]:
    return [(r.pocket, r.game, r.rotor) for r in line.all(PocketSettled)]


def ext(laps: int = 0, ball: str = "?", ticks: str = "?????", pocket: str = "??", flags: int = 0x22) -> str:
    return f";{flags:04X};{laps:02X};{ball};{ticks};{pocket}"


def launched(**fields: Any) -> Line:
    line = Line(**EXTENDED).status(2, ext=ext(), n=3)
    line.status(3, d=1, ext=ext(**fields))
    line.new()
    return line
