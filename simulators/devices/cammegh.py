"""A simulated Cammegh wheel: games as bytes in virtual time, and the truth about each of them.

The lines are written here from the documented format, on purpose not with the codec that the drivers
read them with: a simulator that shared it would share, and so hide, its errors.

- advanced: a status line `*X;S;GGG;NN;W;VVV;D` every half second, and the bare number before state 5;
- extended (Mercury 360): the same with `;FFFF;CC;B;TTTTT;PP` behind it;
- basic (Mercury 360): `*S`, `*N` and `*W nn` when they happen, and nothing else.
"""

from collections.abc import Iterator
from random import Random
from typing import Literal

from simulators.devices.cammegh_game import (
    HABITS,
    HEARTBEAT,
    Controller,
    Habits,
    Line,
    Plan,
    between,
    play,
)
from simulators.faults import Fault, Prospect, Schedule, never
from simulators.line_damage import sent
from simulators.traffic import Game, Item, Truth

Model = Literal["slingshot-2", "mercury-360"]
Protocol = Literal["advanced", "extended", "basic"]

END = b"\r\n"
CLOCK = 32_768
"""Counts a second of the extended line's ball time."""


def pocket_labels(pockets: int) -> tuple[str, ...]:
    """The labels of a wheel of 37 or 38 pockets. Raises ValueError on any other number."""
    if pockets not in (37, 38):
        raise ValueError(f"a roulette wheel has 37 or 38 pockets, not {pockets}")
    numbers = tuple(str(number) for number in range(37))
    return (*numbers, "00") if pockets == 38 else numbers


class SimulatedWheel:
    """One wheel, from power-on.

    `faults` says which game goes wrong and how; None for none. The same arguments give the same bytes,
    and a game's draws do not depend on the games before it. Raises ValueError for a combination that
    does not exist.
    """

    def __init__(
        self,
        model: Model = "slingshot-2",
        protocol: Protocol = "advanced",
        pockets: int = 37,
        seed: int = 0,
        faults: Schedule | None = None,
    ) -> None:
        if model not in HABITS:
            raise ValueError(f"unknown wheel model {model!r}: slingshot-2 or mercury-360")
        if protocol not in ("advanced", "extended", "basic"):
            raise ValueError(f"unknown protocol {protocol!r}: advanced, extended or basic")
        if model == "slingshot-2" and protocol != "advanced":
            raise ValueError("a slingshot-2 speaks the advanced protocol only")
        self.model: Model = model
        self.protocol: Protocol = protocol
        self.pockets = pockets
        self.seed = seed
        self._labels = pocket_labels(pockets)
        self._habits: Habits = HABITS[model]
        self._faults = faults or never
        self._wheel = Controller()
        self._index = 0

    def games(self, count: int | None = None) -> Iterator[Game]:
        """The next `count` games (without end for None), each made when it is asked for."""
        while count is None or count > 0:
            yield self._game()
            count = None if count is None else count - 1

    def tail(self) -> tuple[Item, ...]:
        """The first seconds of betting after the last game, from which that game's end can be told."""
        rng = Random(f"{self.seed}/tail")
        lines = self._lines(self._plan(rng), rng, None, rng)
        first = next(number for number, line in enumerate(lines) if line.phase == "betting")
        return tuple(sent(lines[: first + 6]))

    def _game(self) -> Game:
        rng, mishap = Random(f"{self.seed}/{self._index}"), Random(f"{self.seed}/{self._index}/fault")
        plan = self._plan(rng)
        wheel = self._wheel
        fault = self._faults(
            Prospect(
                index=self._index,
                model=self.model,
                protocol=self.protocol,
                previous=wheel.shown,
                rotor=wheel.rotor,
                after=wheel.ending,
            )
        )
        if fault is not None:
            fault.shape(plan, mishap)
        lines = self._lines(plan, rng, fault, mishap)
        items = sent(lines) if fault is None else fault.send(lines, mishap)
        truth = self._truth(plan, lines, fault)
        self._index += 1
        return Game(tuple(items), truth)

    def _lines(self, plan: Plan, rng: Random, fault: Fault | None, mishap: Random) -> list[Line]:
        """The game's lines with their bytes. The wheel is left as the game leaves it."""
        lines = play(plan, self._wheel, self._habits, rng)
        if fault is not None:
            fault.mark(lines, mishap)
        if self.protocol == "basic":
            encode_basic(lines)
        elif self.protocol == "extended":
            encode_extended(lines, plan.ball_follows)
        else:
            encode_advanced(lines, self.model)
        return lines

    def _plan(self, rng: Random) -> Plan:
        """A game without a fault, as the model's habits have it."""
        habits, wheel = self._habits, self._wheel
        number = self._labels[int(rng.random() * len(self._labels))]
        starts = wheel.ending in ("power_cut", "closed") or rng.random() < 0.08
        return Plan(
            number=number,
            bare=number if rng.random() > 0.01 else None,
            bare_end=b"\n\r" if rng.random() < 0.5 else END,
            previous=wheel.shown,
            labels=self._labels,
            start=between(rng, habits.start) if starts else 0,
            betting=between(rng, habits.betting),
            launching=between(rng, habits.launching),
            rim=between(rng, habits.rim),
            running=between(rng, habits.running),
            settled=between(rng, habits.settled if rng.random() > 1 / 7 else habits.settled_early),
        )

    def _truth(self, plan: Plan, lines: list[Line], fault: Fault | None) -> Truth:
        basic = self.protocol == "basic"
        launched = next(line for line in reversed(lines) if line.phase == "rim")
        return Truth(
            index=self._index,
            counter=None if basic else launched.counter,
            number=plan.number if plan.ending == "result" else None,
            expected="valid" if fault is None else fault.expected,
            launches=plan.launches,
            rotor=None if basic else ("cw", "ccw")[launched.rotor],
            fault=None if fault is None else fault.name,
            note="" if fault is None else fault.description,
        )


def _number_field(label: str | None) -> str:
    return "  " if label is None else label.rjust(2)


def _speed_field(line: Line, model: Model) -> int:
    """The speed as the model reports it: a Mercury gives no figure outside 2.0 to 60.0 rpm."""
    return 0 if model == "mercury-360" and not 20 <= line.speed <= 600 else line.speed


def _advanced(line: Line, speed: int) -> str:
    number = _number_field(line.shown)
    return f"*X;{line.state};{line.counter:03d};{number};{line.warning:X};{speed:03d};{line.rotor}"


def encode_advanced(lines: list[Line], model: Model) -> None:
    """Fills in the status lines' bytes."""
    for line in lines:
        if line.state:
            line.data = f"{_advanced(line, _speed_field(line, model))}\r\n".encode("ascii")


def encode_extended(lines: list[Line], follows: bool) -> None:
    """Fills in the status lines' bytes with the ball: `follows` when it runs in the rotor's own sense."""
    ball = Ball()
    for line in lines:
        if line.state:
            speed = _speed_field(line, "mercury-360")
            ball.advance(line)
            line.data = f"{_advanced(line, speed)};{ball.fields(line, follows)}\r\n".encode("ascii")


def encode_basic(lines: list[Line]) -> None:
    """Fills in the few lines of the basic protocol; every other line stays silent."""
    state = 0
    for line in lines:
        line.data = b""
        if line.state != state:
            if line.state == 2 and state != 3:
                line.data = b"*S\r\n"
            elif line.state == 4:
                line.data = b"*N\r\n"
            elif line.state == 5:
                line.data = f"*W {_number_field(line.shown)}\r\n".encode("ascii")
        state = line.state or state


class Ball:
    """The ball of a Mercury's extended line: where it is, how often it went round, how fast."""

    def __init__(self) -> None:
        self._turns = 0.0
        self._period = 0.0
        """Seconds a revolution; 0.0 while the ball is not in the rim."""
        self._fallen = 0

    def advance(self, line: Line) -> None:
        """Move the ball by the half second that ends with this line."""
        if line.phase == "rim":
            if self._period == 0.0:
                self._turns, self._period, self._fallen = 1.0, 0.62, 0
            else:
                self._turns += HEARTBEAT / self._period
            self._period *= 1.03
        elif line.phase == "running" and self._period > 0.0:
            self._fallen += 1
            self._turns += HEARTBEAT / self._period
            self._period = 0.0 if self._fallen == 5 else self._period * 1.05
        elif line.phase not in ("running", "locked", "settled"):
            self._turns, self._period = 0.0, 0.0

    def fields(self, line: Line, follows: bool) -> str:
        """`FFFF;CC;B;TTTTT;PP`."""
        flags = _rotor_flags(line)
        pocket = "??"
        if line.phase == "settled":
            flags |= 0x100
            pocket = "??" if line.shown is None else _number_field(line.shown)
        elif line.phase in ("turning", "launching"):
            flags |= 0x80
        if self._period > 0.0:
            sense = str(line.rotor if follows else 1 - line.rotor)
            time = f"{int(self._period * CLOCK):05X}"
        else:
            sense, time = "?", "?????"
        return f"{flags:04X};{int(self._turns):02X};{sense};{time};{pocket}"


def _rotor_flags(line: Line) -> int:
    if line.speed < 20:
        return 0x01 | 0x40
    speed = 0x02 if 100 <= line.speed <= 300 else 0x04 if line.speed > 300 else 0x08
    return speed | (0x20 if line.rotor else 0x10)
