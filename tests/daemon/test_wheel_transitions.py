"""The transition table leads where it says, and the document shows it."""

from pathlib import Path

from wheel_play import Play, in_play

from daemon.rounds.wheel_transitions import ANY_STAGE, LEADS_TO, TRANSITIONS, diagram

DOCUMENT = Path(__file__).parents[2] / "docs" / "rounds.md"


def test_every_stage_answers_to_the_same_words() -> None:
    steps = {step for row in [*TRANSITIONS.values(), ANY_STAGE] for step in row.values()}
    assert steps - {"."} == set(LEADS_TO) | {"dealer", "deafen"}


def test_the_document_shows_the_diagram_that_the_table_gives() -> None:
    assert diagram() in DOCUMENT.read_text("utf-8")


def test_stages_are_those_that_play_goes_through() -> None:
    assert Play().state.stage == "closed"
    assert Play().started().state.stage == "betting"
    assert in_play().state.stage == "in_play"
    assert in_play().lost().state.stage == "condemned"
    assert in_play().settled().state.stage == "over"
