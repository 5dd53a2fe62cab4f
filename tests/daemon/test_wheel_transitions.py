"""The transition table says what there is to say, and the document shows where play can go."""

import inspect
from pathlib import Path

from wheel_play import Play, in_play

from daemon.rounds.diagram import EVENTS, diagram, edges
from daemon.rounds.wheel import WheelRound
from daemon.rounds.wheel_transitions import ANY_STAGE, TRANSITIONS
from drivers import readings

DOCUMENT = Path(__file__).parents[2] / "docs" / "rounds.md"


def test_every_name_in_the_table_is_a_step_or_an_event_that_exists() -> None:
    rows = [*TRANSITIONS.values(), ANY_STAGE]
    steps = {name.removeprefix("_") for name, _ in inspect.getmembers(WheelRound, inspect.isfunction)}
    assert {step for row in rows for step in row.values()} - {"."} <= steps
    events = {event for row in rows for event in row}
    commands = {"NoMoreBets", "ChiefVoid", "TableOpened", "TableClosed", "Restarted"}
    assert events - commands <= set(dir(readings))
    unvarying = {"BallLap", "RotorSpeedOutOfRange", "WaitingForDealer", "DeviceBack"}
    assert events - unvarying == {type(event).__name__ for event in EVENTS}


def test_the_document_shows_the_diagram_that_the_machine_gives() -> None:
    assert diagram() in DOCUMENT.read_text("utf-8")


def test_stages_are_those_that_play_goes_through() -> None:
    assert Play().state.stage == "closed"
    assert Play().started().state.stage == "betting"
    assert in_play().state.stage == "in_play"
    assert in_play().lost().state.stage == "condemned"
    assert in_play().settled().state.stage == "over"
    assert {a for a, _ in edges()} == set(TRANSITIONS)
