"""The transition tables say what there is to say, and the document shows where play can go."""

import inspect
from pathlib import Path

import pytest
from wheel_play import Play, in_play

from daemon.rounds import fortune_wheel_transitions, wheel_transitions
from daemon.rounds.diagram import diagram, drawings, edges
from drivers import readings

DOCUMENT = Path(__file__).parents[2] / "docs" / "rounds.md"
TABLES = {"wheel": wheel_transitions, "fortune_wheel": fortune_wheel_transitions}
DRAWINGS = drawings()


def test_every_table_is_drawn() -> None:
    assert DRAWINGS.keys() == TABLES.keys()


@pytest.mark.parametrize("name", TABLES)
def test_every_name_in_a_table_is_a_step_or_an_event_that_exists(name: str) -> None:
    rows = [*TABLES[name].TRANSITIONS.values(), TABLES[name].ANY_STAGE]
    members = inspect.getmembers(type(DRAWINGS[name].machine), inspect.isfunction)
    steps = {name.removeprefix("_") for name, _ in members}
    assert {step for row in rows for step in row.values()} - {"."} <= steps
    events = {event for row in rows for event in row}
    commands = {"NoMoreBets", "ChiefVoid", "TableOpened", "TableClosed", "Restarted"}
    assert events - commands <= set(dir(readings))
    unvarying = {"BallLap", "BallLeftRim", "RotorSpeedOutOfRange", "WaitingForDealer", "DeviceBack"}
    assert events - unvarying == {type(event).__name__ for event in DRAWINGS[name].events}


@pytest.mark.parametrize("name", TABLES)
def test_the_document_shows_the_diagram_that_the_machine_gives(name: str) -> None:
    assert diagram(DRAWINGS[name]) in DOCUMENT.read_text("utf-8")


@pytest.mark.parametrize("name", TABLES)
def test_every_stage_is_reached_and_left(name: str) -> None:
    ways = edges(DRAWINGS[name])
    assert {a for a, _ in ways} == {b for _, b in ways} == set(TABLES[name].TRANSITIONS)


def test_stages_are_those_that_play_goes_through() -> None:
    assert Play().state.stage == "closed"
    assert Play().started().state.stage == "betting"
    assert in_play().state.stage == "in_play"
    assert in_play().lost().state.stage == "condemned"
    assert in_play().settled().state.stage == "over"
