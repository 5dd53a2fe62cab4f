"""The plan of a deal: how many cards each hand has at the end of a phase, and which of them are face up."""

import pytest

from daemon.catalogue.families.deal import DealPlan, Step, burns_due, cards_due, cards_up

HOLDEM = DealPlan(
    clause="0",
    steps=(
        Step(phase="deal", to=("player", "bank"), rounds=2, face="down"),
        Step(phase="flop", act="burn"),
        Step(phase="flop", to=("common",), cards=3, face="up"),
        Step(phase="turn", act="burn"),
        Step(phase="turn", to=("common",), face="up"),
    ),
)
DRAWN = DealPlan(
    clause="0",
    steps=(
        Step(phase="deal", to=("player",), rounds=4, face="down"),
        Step(phase="deal", to=("player",), face="up"),
        Step(phase="exchange", act="exchange", to=("player",), face="down"),
        Step(phase="drawing", act="draw", to=("player",), face="up"),
        Step(phase="filling", to=("player",), until=8, face="up"),
        Step(phase="last", act="turn", to=("player",)),
    ),
)


@pytest.mark.parametrize(
    ("phase", "player", "bank", "common", "burnt"),
    [("deal", 2, 2, 0, 0), ("flop", 2, 2, 3, 1), ("turn", 2, 2, 4, 2)],
)
def test_cards_add_up_phase_by_phase(phase: str, player: int, bank: int, common: int, burnt: int) -> None:
    assert cards_due(HOLDEM, "player", phase) == player
    assert cards_due(HOLDEM, "bank", phase) == bank
    assert cards_due(HOLDEM, "common", phase) == common
    assert burns_due(HOLDEM, phase) == burnt


def test_where_the_hand_decides_no_count_is_due_until_the_plan_says_one_again() -> None:
    assert DRAWN.phases == ("deal", "exchange", "drawing", "filling", "last")
    due = [cards_due(DRAWN, "player", phase) for phase in DRAWN.phases]
    assert due == [5, 5, None, 8, 8]


def test_which_cards_are_face_up() -> None:
    assert cards_up(HOLDEM, "player") == ()
    assert cards_up(HOLDEM, "common") == (1, 2, 3, 4)
    assert cards_up(DRAWN, "player") == (5, 6, 7, 8)


def test_a_phase_that_the_plan_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no phase 'river'; it has: deal, flop, turn"):
        cards_due(HOLDEM, "player", "river")
    with pytest.raises(ValueError, match="no phase 'river'"):
        burns_due(HOLDEM, "river")
