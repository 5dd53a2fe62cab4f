"""A family's round as a drawing, from the machine itself: every way that play can take is taken once."""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

from daemon.catalogue.families.fortune_wheel import FortuneWheel
from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.load import load_as
from daemon.rounds.fortune_wheel import FortuneWheelRound, SpinState
from daemon.rounds.round import (
    ChiefVoid,
    Event,
    NoMoreBets,
    Restarted,
    Round,
    TableClosed,
    TableOpened,
)
from daemon.rounds.wheel import WheelRound, WheelState
from drivers import readings
from drivers.readings import SECOND, Instant

_AT: Any = {"device": "wheel", "at": Instant(0, 0)}


class Drawing(NamedTuple):
    """A machine and what leads through all of it."""

    machine: Round
    events: tuple[Event, ...]
    essence: Callable[[Any], object]
    """What of a state decides where it can go."""
    depth: int
    """Steps from the beginning within which everything that differs is met."""


_ANY_TABLE: tuple[Event, ...] = (
    readings.GameStarted(game=1, **_AT),
    readings.StatesMissed(before="", now="", **_AT),
    readings.WheelClosed(**_AT),
    readings.DeviceLost(reason="", **_AT),
    readings.DeviceRestarted(**_AT),
    readings.ButtonPressed(button="no_more_bets", **_AT),
    ChiefVoid(by="", reason=""),
    NoMoreBets(),
    TableOpened(),
    TableClosed(),
    Restarted(),
)
_WHEEL: tuple[Event, ...] = (
    readings.GameStarted(game=2, **_AT),
    readings.LaunchFailed(rotor="cw", **_AT),
    readings.BallLaunched(rotor="cw", **_AT),
    readings.BallLeavingRim(**_AT),
    readings.BallWithRotor(**_AT),
    readings.BallMissing(**_AT),
    readings.VoidSignalled(cause="", **_AT),
    readings.PocketSettled(pocket="17", game=1, **_AT),
    readings.PlaceSettled(place=17, **_AT),
    readings.PocketUnread(claims=(), reason="", **_AT),
    readings.GameAbandoned(reason="", **_AT),
)
_FORTUNE_WHEEL: tuple[Event, ...] = (
    readings.WheelPushed(number=1, direction="cw", speed=1.0, **_AT),
    readings.WheelPushed(number=2, direction="cw", speed=1.0, **_AT),
    readings.WheelTurned(turns=1, speed=1.0, **_AT),
    readings.WheelHindered(cause="slowed", deceleration=1.0, **_AT),
    readings.WheelAtRest(
        place=0,
        direction="cw",
        pushes=2,
        turns=readings.Turns(6.5, 6.5),
        turns_since_push=readings.Turns(4.5, 4.5),
        turns_since_second=readings.Turns(4.5, 4.5),
        **_AT,
    ),
    readings.RestUnread(reason="", **_AT),
)


def _throw(state: WheelState) -> object:
    return (
        state.stage,
        state.table_open,
        state.launched,
        state.game,
        state.by_chief,
        state.ball_with_rotor,
        state.ball_missing,
        bool(state.defective),
        state.settle_by is None,
    )


def _spin(state: SpinState) -> object:
    return (
        state.stage,
        state.table_open,
        state.pushes,
        state.by_chief,
        state.hindrance,
        bool(state.condemned),
        state.settle_by is None,
    )


def _any_order(game: FortuneWheel) -> tuple[str, ...]:
    return tuple(symbol.id for symbol in game.wheel.symbols for _ in range(symbol.segments))


def drawings() -> dict[str, Drawing]:
    """Every family's round that is drawn, by the name of its module."""
    roulette = load_as(Roulette, "es-ct", "french_roulette")
    wheel = load_as(FortuneWheel, "es-ct", "fortune_wheel")
    spins = FortuneWheelRound(wheel, _any_order(wheel), "automatic")
    return {
        "wheel": Drawing(WheelRound(roulette, "automatic"), (*_ANY_TABLE, *_WHEEL), _throw, 7),
        "fortune_wheel": Drawing(spins, (*_ANY_TABLE, *_FORTUNE_WHEEL), _spin, 6),
    }


def edges(drawing: Drawing) -> dict[tuple[str, str], set[str]]:
    """Each pair of stages between which play can go, with the events that take it there."""
    machine, essence = drawing.machine, drawing.essence
    found: dict[tuple[str, str], set[str]] = {}
    now = Instant(SECOND, SECOND)
    frontier, seen = {essence(machine.start()): machine.start()}, set[object]()
    for _ in range(drawing.depth):
        following: dict[object, Any] = {}
        for (known, state), event in product(frontier.items(), drawing.events):
            seen.add(known)
            after = machine.step(state, event, now)[0]
            if after.stage != state.stage:
                found.setdefault((state.stage, after.stage), set()).add(type(event).__name__)
            if essence(after) not in seen:
                following[essence(after)] = after
            waited = machine.advance(after, now.later(3600 * SECOND))[0]
            if waited.stage != after.stage:
                found.setdefault((after.stage, waited.stage), set()).add("(60 s)")
        frontier = following
    return found


def diagram(drawing: Drawing) -> str:
    """A Mermaid state diagram, an edge for each pair of stages with what leads along it."""
    lines = ["stateDiagram-v2", "    [*] --> closed"]
    lines += [
        f"    {a} --> {b}: {', '.join(sorted(events))}" for (a, b), events in sorted(edges(drawing).items())
    ]
    return "\n".join(lines) + "\n"
