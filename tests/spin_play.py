"""A fortune wheel's round fed by hand, for the tests of rounds and tables."""

from functools import cache
from typing import Any

from daemon.catalogue.families.fortune_wheel import FortuneWheel
from daemon.catalogue.load import load_as
from daemon.records import Verdict
from daemon.rounds.fortune_wheel import FortuneWheelRound
from daemon.rounds.round import Event, PhaseChanged, Policy, RoundSettled
from drivers.readings import (
    SECOND,
    DeviceLost,
    Instant,
    RestUnread,
    Turns,
    WheelAtRest,
    WheelHindered,
    WheelPushed,
    WheelTurned,
)

DEVICE: Any = {"device": "wheel", "at": Instant(0, 0)}


@cache
def game_of(text: str) -> FortuneWheel:
    return load_as(FortuneWheel, text, "fortune_wheel")


@cache
def order_of(text: str) -> tuple[str, ...]:
    """A wheel that answers the text's counts, like symbols kept apart round the rim."""
    game = game_of(text)
    left = {symbol.id: symbol.segments for symbol in game.wheel.symbols}
    rim: list[str] = [] if left else [f"space_{n}" for n in range(game.wheel.segments)]
    while any(left.values()):
        rim += [symbol for symbol, many in left.items() if many]
        left = {symbol: max(many - 1, 0) for symbol, many in left.items()}
    return tuple(rim)


def push(number: int = 1, direction: Any = "cw") -> WheelPushed:
    return WheelPushed(number=number, direction=direction, speed=0.8, **DEVICE)


def turned(turns: int) -> WheelTurned:
    return WheelTurned(turns=turns, speed=0.5, **DEVICE)


def hindered(cause: Any = "slowed") -> WheelHindered:
    return WheelHindered(cause=cause, deceleration=0.3, **DEVICE)


def seen(turns: float | tuple[float, float]) -> Turns:
    """Turns that are known to a hair, or to lie between two figures."""
    return Turns(*turns) if isinstance(turns, tuple) else Turns(turns, turns)


def rest(
    place: int | None = 3,
    pushes: int = 2,
    turns: float | tuple[float, float] = 7.2,
    since: float | tuple[float, float] = 4.6,
    second: float | tuple[float, float] | None = None,
    **other: Any,
) -> WheelAtRest:
    """`second` are the turns since the second push where that was not the last."""
    of_second = None if pushes < 2 else seen(since if second is None else second)
    values = {"direction": "cw", **other}
    return WheelAtRest(
        place=place,
        pushes=pushes,
        turns=seen(turns),
        turns_since_push=seen(since),
        turns_since_second=of_second,
        **values,
        **DEVICE,
    )


def unread(reason: str = "packets missing") -> RestUnread:
    return RestUnread(reason=reason, **DEVICE)


def lost() -> DeviceLost:
    return DeviceLost(reason="unplugged", **DEVICE)


class Spin:
    """A round fed with readings five seconds apart, and what came of them."""

    def __init__(self, text: str = "es-ct", policy: Policy = "automatic") -> None:
        self.round = FortuneWheelRound(game_of(text), order_of(text), policy)
        self.state = self.round.start()
        self.now = Instant(0, 1_700_000_000_000_000)
        self.outputs: list[Any] = []

    def __call__(self, *events: type | Event, after: int = 5 * SECOND) -> "Spin":
        for event in events:
            self.now = self.now.later(after)
            made: Any = event(**DEVICE) if isinstance(event, type) else event
            self.state, outputs = self.round.step(self.state, made, self.now)
            self.outputs += outputs
        return self

    def wait(self, nanoseconds: int) -> "Spin":
        self.now = self.now.later(nanoseconds)
        self.state, outputs = self.round.advance(self.state, self.now)
        self.outputs += outputs
        return self

    @property
    def settled(self) -> list[RoundSettled]:
        return [o for o in self.outputs if isinstance(o, RoundSettled)]

    @property
    def records(self) -> list[tuple[Verdict, str | None]]:
        return [(o.verdict, o.label) for o in self.settled]

    @property
    def last(self) -> RoundSettled:
        return self.settled[-1]

    @property
    def phases(self) -> list[str]:
        return [o.phase for o in self.outputs if isinstance(o, PhaseChanged)]

    @property
    def rules(self) -> list[str]:
        return [finding.rule for finding in self.last.findings]
