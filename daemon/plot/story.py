"""A round as curves and marks over time, from what was heard and what was published of it. Pure."""

from collections.abc import Iterable, Sequence
from math import inf
from typing import Literal

import msgspec

from daemon.catalogue.families.boule import Boule
from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.model import Game
from daemon.plot.wall_clock import WallClock
from daemon.records import Message, Phase, PhaseName, RoundRecord
from drivers import readings as say
from drivers.readings import SECOND, AnyReading

MarkKind = Literal["step", "push", "trouble", "result"]


class Mark(msgspec.Struct, frozen=True):
    """Something that happened at one moment."""

    at: float
    """Seconds from the round's beginning, as all times here."""
    kind: MarkKind
    text: str


class Curve(msgspec.Struct, frozen=True):
    """Values over time; a gap where there were none is not bridged by whoever draws steps."""

    name: Literal["ball", "wheel", "turns"]
    points: tuple[tuple[float, float], ...]


class Limit(msgspec.Struct, frozen=True):
    """So many turns as a rule of the text asks for."""

    turns: float
    clause: str
    push: int = 1
    """The push from which a wheel's turns count; earlier ones are none."""


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """All that the picture shows."""

    record: RoundRecord
    """As it stands now."""
    revisions: tuple[str, ...]
    """What was said of the round by and by, in lines, and by whom; empty where nobody corrected it."""
    seconds: float
    """How long the round took, from its first phase to its settling."""
    phases: tuple[tuple[float, PhaseName], ...]
    speeds: tuple[Curve, ...]
    """Turns a second."""
    turns: Curve
    """Whole turns of the ball in this launch, or of the wheel from the push that the text counts from."""
    marks: tuple[Mark, ...]
    limit: Limit | None


def tell(
    game: Game, records: Sequence[RoundRecord], heard: Sequence[AnyReading], published: Iterable[Message]
) -> Story:
    """The story of a round that was judged again: its readings in order, and the messages that came of it.

    `records` are its revisions, one or more, the latest last.
    """
    record = records[-1]
    clock = WallClock(heard)
    began = clock.moment(record.opened_at, heard[0].at.mono if heard else None)
    then: int | None = None
    phases: list[tuple[float, PhaseName]] = []
    for message in published:
        if message.topic == "phase" and message.payload:
            phase = msgspec.json.decode(message.payload, type=Phase)
            if phase.round == record.round:
                then = clock.moment(phase.since, then)
                phases.append(((then - began) / SECOND, phase.phase))
    known = [(round((each.at.mono - began) / SECOND, 6), each) for each in heard]
    inside = [(at, each) for at, each in known if at >= -0.001]
    limit = _limit(game)
    speeds, turns = _curves(inside, 1 if limit is None else limit.push)
    marks = tuple(mark for at, each in inside if (mark := _mark(game, at, each)) is not None)
    ends = [at for at, _ in inside] + [at for at, _ in phases]
    return Story(
        record=record,
        revisions=tuple(map(_revision, records)) if len(records) > 1 else (),
        seconds=max([1.0, (record.duration_ms or 0) / 1000, *ends]),
        phases=tuple(phases),
        speeds=speeds,
        turns=turns,
        marks=marks,
        limit=limit,
    )


def _revision(record: RoundRecord) -> str:
    said = f"revision {record.revision}: {record.verdict}, {record.given}"
    if record.corrected_by is None:
        return f"{said}; {record.settled_at}"
    reason = f": {record.reason}" if record.reason else ""
    return f"{said}; by {record.corrected_by}, {record.corrected_at}{reason}"


def _curves(heard: Sequence[tuple[float, AnyReading]], push: int) -> tuple[tuple[Curve, ...], Curve]:
    """Speeds and turns. Of a wheel's turns those count that come after the push of this number.

    Those of a wheel that is sent back end there: no text counts on.
    """
    ball: list[tuple[float, float]] = []
    wheel: list[tuple[float, float]] = []
    turns: list[tuple[float, float]] = []
    pushes, before, last = 0, 0.0, 0.0
    sent_back = inf
    for at, reading in heard:
        match reading:
            case say.BallLaunched() | say.LaunchFailed():
                turns.append((at, 0.0))
            case say.BallLap(laps=laps, seconds=seconds):
                turns.append((at, float(laps)))
                if seconds:
                    ball.append((at, 1 / seconds))
            case say.WheelPushed(number=number, speed=speed):
                wheel.append((at, abs(speed)))
                pushes, before = number, last if number > push else 0.0
                turns.append((at, before))
            case say.WheelTurned(turns=whole, speed=speed):
                wheel.append((at, abs(speed)))
                last = before + whole if pushes >= push else 0.0
                turns.append((at, last))
            case say.WheelHindered(cause="reversed"):
                sent_back = min(sent_back, at)
            case say.WheelAtRest() as rest:
                wheel.append((at, 0.0))
                made = rest.turns if push == 1 else rest.turns_since_second
                turns.append((at, 0.0 if made is None else made.least))
            case say.RotorSpeedOutOfRange(rpm=rpm):
                wheel.append((at, abs(rpm) / 60))
    curves = (Curve("ball", tuple(ball)), Curve("wheel", tuple(wheel)))
    counted = tuple((at, each) for at, each in turns if at <= sent_back)
    return tuple(curve for curve in curves if curve.points), Curve("turns", counted)


_STEPS: dict[type, str] = {
    say.GameStarted: "ready",
    say.BallLeavingRim: "leaving the rim",
    say.BallLeftRim: "out of the rim",
    say.ButtonPressed: "button",
}
_TROUBLES: dict[type, str] = {
    say.BallWithRotor: "ball with the rotor",
    say.BallMissing: "ball missing",
    say.LaunchFailed: "failed launch",
    say.PocketUnread: "pocket unread",
    say.RestUnread: "rest unread",
    say.GameAbandoned: "game abandoned",
    say.StatesMissed: "part unseen",
    say.DeviceLost: "device lost",
    say.DeviceRestarted: "device restarted",
    say.LidMoved: "lid",
}


def _mark(game: Game, at: float, reading: AnyReading) -> Mark | None:
    match reading:
        case say.BallLaunched(ball=ball, rotor=rotor):
            senses = [f"{name} {sense}" for name, sense in (("ball", ball), ("rotor", rotor)) if sense]
            return Mark(at, "step", ", ".join(["launch", *senses]))
        case say.WheelPushed(number=number, direction=direction):
            return Mark(at, "push", f"push {number} {direction}")
        case say.WheelHindered(cause="reversed"):
            return Mark(at, "trouble", "hindered: reversed")
        case say.WheelHindered(deceleration=by):
            return Mark(at, "trouble", f"hindered: slowed by {by:.2f} turns/s²")
        case say.VoidSignalled(cause=cause):
            return Mark(at, "trouble", cause)
        case say.FaultRaised(code=code):
            return Mark(at, "trouble", code)
        case say.PocketSettled(pocket=pocket):
            return Mark(at, "result", f"pocket {pocket}")
        case say.PlaceSettled(place=place):
            return Mark(at, "result", _pocket(game, place))
        case say.WheelAtRest(place=place):
            return Mark(at, "result", "on a peg" if place is None else f"segment {place + 1}")
    kind: MarkKind = "step" if type(reading) in _STEPS else "trouble"
    text = _STEPS.get(type(reading)) or _TROUBLES.get(type(reading))
    return None if text is None else Mark(at, kind, text)


def _pocket(game: Game, place: int) -> str:
    """A place in the words of the game's layout, where that has it."""
    pockets = game.layout.pockets if isinstance(game, Roulette | Boule) else ()
    return f"pocket {pockets[place]}" if 0 <= place < len(pockets) else f"place {place}"


def _limit(game: Game) -> Limit | None:
    for rule in game.rules:
        turns = rule.parameters.get("turns", rule.parameters.get("laps"))
        if turns is not None:
            from_second = rule.parameters.get("counted_from") == "second_push"
            return Limit(float(turns), rule.clause, 2 if from_second else 1)
    return None
