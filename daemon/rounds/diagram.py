"""The wheel's round as a drawing, from the machine itself: every way that play can take is taken once."""

from itertools import product
from typing import Any

from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.load import load_as
from daemon.rounds.round import ChiefVoid, Event, NoMoreBets, Restarted, TableClosed, TableOpened
from daemon.rounds.wheel import WheelRound, WheelState
from drivers import readings
from drivers.readings import SECOND, Instant

_AT: Any = {"device": "wheel", "at": Instant(0, 0)}
EVENTS: tuple[Event, ...] = (
    readings.GameStarted(game=1, **_AT),
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
    readings.StatesMissed(before="", now="", **_AT),
    readings.WheelClosed(**_AT),
    readings.DeviceLost(reason="", **_AT),
    readings.DeviceRestarted(**_AT),
    ChiefVoid(by="", reason=""),
    NoMoreBets(),
    readings.ButtonPressed(button="no_more_bets", **_AT),
    TableOpened(),
    TableClosed(),
    Restarted(),
)
DEPTH = 7
"""Steps from the beginning within which everything that differs is met."""


def edges() -> dict[tuple[str, str], set[str]]:
    """Each pair of stages between which play can go, with the events that take it there."""
    machine = WheelRound(load_as(Roulette, "es-ct", "french_roulette"), "automatic")
    found: dict[tuple[str, str], set[str]] = {}
    now = Instant(SECOND, SECOND)
    frontier, seen = {_essence(machine.start()): machine.start()}, set[object]()
    for _ in range(DEPTH):
        following: dict[object, WheelState] = {}
        for (essence, state), event in product(frontier.items(), EVENTS):
            seen.add(essence)
            after = machine.step(state, event, now)[0]
            if after.stage != state.stage:
                found.setdefault((state.stage, after.stage), set()).add(type(event).__name__)
            if _essence(after) not in seen:
                following[_essence(after)] = after
            waited = machine.advance(after, now.later(3600 * SECOND))[0]
            if waited.stage != after.stage:
                found.setdefault((after.stage, waited.stage), set()).add("(60 s)")
        frontier = following
    return found


def _essence(state: WheelState) -> object:
    """What of a state decides where it can go."""
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


def diagram() -> str:
    """A Mermaid state diagram, an edge for each pair of stages with what leads along it."""
    lines = ["stateDiagram-v2", "    [*] --> closed"]
    lines += [f"    {a} --> {b}: {', '.join(sorted(events))}" for (a, b), events in sorted(edges().items())]
    return "\n".join(lines) + "\n"
