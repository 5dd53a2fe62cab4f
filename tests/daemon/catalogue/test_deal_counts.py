"""Wrong counts, the shuffler's groups and burnt cards under every game that is dealt by a plan."""

from typing import Any

import pytest
from dealt_games import (
    BANK,
    BONUS,
    CIRCLE,
    DRAW,
    FIVE,
    FOUR,
    HOLDEM,
    OMAHA,
    POKER,
    RETO,
    SEVEN,
    STUDS,
    SYNTHETIC,
    TEXAS,
    TRIJOKER,
    TRIPLE,
    TRIPOKER,
    VARIANTS,
    Verdict,
    found,
    game,
)

from daemon.catalogue.families.deal import cards_due
from daemon.catalogue.rules.deal import Evidence, Hand, judge

# --- counts -----------------------------------------------------------------------------------


def dealt(game_id: str, place: Any, more: int, **seen: Any) -> Evidence:
    """The first phase dealt, a hand at this place with so many cards more than the plan has."""
    plan = game(game_id).deal
    hand = {key: seen.pop(key) for key in ("looked", "in_order", "turned") if key in seen}
    due = cards_due(plan, place, plan.phases[0])
    assert due is not None
    return Evidence(
        phase=plan.phases[0],
        hands=(Hand(place=place, seat=3 if place == "player" else None, cards=due + more, **hand),),
        **seen,
    )


PLAYER_COUNT = {
    POKER: ("annul_all", "10.VI"),
    TRIJOKER: ("annul_all", "11.VIII.1"),
    TEXAS: ("new_deal", "20.VIII.1.b"),
    BONUS: ("annul_player", "22.VI.d"),
    SYNTHETIC: ("new_deal", "23.2.5.V.1.b"),
}
OVER = {
    **PLAYER_COUNT,
    DRAW: ("new_deal", "23.1.III.1.a"),
    **dict.fromkeys(STUDS, ("new_deal", "23.VIII.1.c")),
}
SHORT = {
    **PLAYER_COUNT,
    DRAW: ("new_deal", "23.1.III.1.b"),
    **dict.fromkeys(STUDS, ("new_deal", "23.VIII.1.b")),
}
SILENT_ON_COUNTS = [RETO, TRIPOKER, FOUR, TRIPLE]


@pytest.mark.parametrize("game_id", [*BANK, *VARIANTS])
@pytest.mark.parametrize(("more", "verdicts"), [(1, OVER), (-1, SHORT)])
def test_a_players_wrong_count_found_late(game_id: str, more: int, verdicts: dict[str, Verdict]) -> None:
    evidence = dealt(game_id, "player", more, betting_begun=True, looked=True)
    assert found(game_id, evidence) == ([verdicts[game_id]] if game_id in verdicts else [])
    assert (game_id not in verdicts) == (game_id in SILENT_ON_COUNTS)


@pytest.mark.parametrize("game_id", [*BANK, *VARIANTS])
@pytest.mark.parametrize("more", [1, -1])
def test_a_players_wrong_count_found_before_betting_and_before_he_looked(game_id: str, more: int) -> None:
    evidence = dealt(game_id, "player", more, betting_begun=False, looked=False)
    to_correct = {
        TEXAS: ("corrected", "20.VIII.1.b"),
        DRAW: ("corrected", "23.1.III.1"),
        **dict.fromkeys(STUDS, ("corrected", "23.VIII.1")),
    }
    verdict = to_correct.get(game_id, PLAYER_COUNT.get(game_id))
    assert found(game_id, evidence) == ([verdict] if verdict else [])


def test_only_draw_poker_asks_whether_the_player_has_looked() -> None:
    looked = {"betting_begun": False, "looked": True}
    assert found(DRAW, dealt(DRAW, "player", 1, **looked)) == [("new_deal", "23.1.III.1.a")]
    assert found(SEVEN, dealt(SEVEN, "player", 1, **looked)) == [("corrected", "23.VIII.1")]
    late = {"betting_begun": True, "looked": False}
    assert found(DRAW, dealt(DRAW, "player", 1, **late)) == [("corrected", "23.1.III.1")]
    assert found(SEVEN, dealt(SEVEN, "player", 1, **late)) == [("new_deal", "23.VIII.1.c")]


@pytest.mark.parametrize("game_id", [POKER, RETO, TRIPOKER, FOUR, TEXAS, TRIPLE, BONUS])
@pytest.mark.parametrize("more", [1, -1])
@pytest.mark.parametrize(
    ("seen", "bonus"),
    [
        ({"in_order": True, "turned": False}, "corrected"),
        ({"in_order": False}, "annul_all"),
        ({"turned": True}, "annul_all"),
        ({}, "corrected"),
    ],
)
def test_the_banks_wrong_count(game_id: str, more: int, seen: dict[str, bool], bonus: str) -> None:
    verdicts = {POKER: ("annul_all", "10.VI"), BONUS: (bonus, "22.VI.d")}
    assert found(game_id, dealt(game_id, "bank", more, **seen)) == (
        [verdicts[game_id]] if game_id in verdicts else []
    )


def test_trijokers_two_common_cards_are_counted_too() -> None:
    assert found(TRIJOKER, dealt(TRIJOKER, "common", 1)) == [("annul_all", "11.VIII.1")]
    assert found(TRIJOKER, dealt(TRIJOKER, "common", 0)) == []


@pytest.mark.parametrize("game_id", [*BANK, *VARIANTS])
def test_the_plans_own_counts_break_nothing_in_any_phase(game_id: str) -> None:
    plan = game(game_id).deal
    for phase in plan.phases:
        hands = [
            Hand(place=place, cards=due, looked=True, in_order=False)
            for place in ("player", "bank", "common")
            if (due := cards_due(plan, place, phase)) is not None
        ]
        assert found(game_id, Evidence(phase=phase, hands=tuple(hands), betting_begun=True)) == []


def test_hands_whose_player_decides_have_no_count() -> None:
    drawing = Evidence(phase="drawing", hands=(Hand(place="player", cards=4), Hand(place="bank", cards=9)))
    assert found(TRIPLE, drawing) == []


def test_a_seventh_card_in_common_is_no_wrong_count() -> None:
    def stud(common: int, *players: int) -> Evidence:
        hands = (Hand(place="common", cards=common), *(Hand(place="player", cards=n) for n in players))
        return Evidence(phase="seventh", hands=hands, betting_begun=True)

    assert found(SEVEN, stud(1, 6, 6, 6)) == []
    assert found(SEVEN, stud(0, 7, 7, 7)) == []
    assert found(SEVEN, stud(0, 6, 7, 7)) == [("new_deal", "23.VIII.1.b")]
    assert found(SEVEN, stud(1, 6, 7, 6)) == [("new_deal", "23.VIII.1.c")]
    assert found(FIVE, Evidence(phase="fifth", hands=(Hand(place="common", cards=1),))) == []


# --- the shuffler, burnt cards ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game_id", "right", "wrong", "verdict"),
    [
        (POKER, (5, 5, 5), (5, 6, 5), ("annul_all", "10.VI")),
        (TRIPOKER, (3, 3, 3), (5, 5, 5), ("none", "15.VII")),
        (POKER, (5, 5), (5, 5, 1), ("annul_all", "10.VI")),
        (FOUR, (5, 5, 5), (5, 4, 5), ("none", "18.V.3")),
        (FOUR, (5, 5, 5, 1), (5, 5, 1, 1), ("none", "18.V.3")),
    ],
)
def test_groups_of_the_shuffler(
    game_id: str, right: tuple[int, ...], wrong: tuple[int, ...], verdict: Verdict
) -> None:
    assert found(game_id, Evidence(groups=right)) == []
    assert found(game_id, Evidence(groups=wrong)) == [verdict]
    assert judge(game(game_id), Evidence(groups=wrong))[0].evidence["groups"] == list(wrong)


@pytest.mark.parametrize("game_id", sorted({*BANK, *CIRCLE} - {POKER, TRIPOKER, FOUR}))
def test_where_no_shuffler_deals_groups_any_group_may_come(game_id: str) -> None:
    assert found(game_id, Evidence(groups=(2, 9))) == []


@pytest.mark.parametrize(
    ("game_id", "phase", "burnt", "clause"),
    [
        (RETO, "challenge", 3, "14.V"),
        (BONUS, "flop", 1, "22.V"),
        (BONUS, "turn", 2, "22.V"),
        (BONUS, "river", 3, "22.V"),
        (SEVEN, "deal", 1, "23.2.1.II.2"),
        (SEVEN, "sixth", 4, "23.2.1.II.2"),
        (SEVEN, "seventh", 4, "23.2.1.II.2"),
        (OMAHA, "river", 3, "23.2.2.II"),
        (HOLDEM, "river", 3, "23.2.2.II"),
    ],
)
def test_burnt_cards(game_id: str, phase: str, burnt: int, clause: str) -> None:
    assert found(game_id, Evidence(phase=phase, burnt=burnt)) == []
    assert found(game_id, Evidence(phase=phase, burnt=burnt - 1)) == [("finding", clause)]
    assert found(game_id, Evidence(phase=phase, burnt=burnt + 1)) == [("finding", clause)]
    assert found(game_id, Evidence(phase=phase)) == []


@pytest.mark.parametrize("game_id", [TEXAS, FIVE, DRAW, SYNTHETIC])
def test_a_text_that_burns_no_cards_has_no_rule_for_them(game_id: str) -> None:
    assert found(game_id, Evidence(phase=game(game_id).deal.phases[-1], burnt=7)) == []
