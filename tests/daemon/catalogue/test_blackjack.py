"""Blackjack and triple blackjack: the bank's drawing, cards too many, pays as printed, and what differs."""

from typing import Any

import msgspec
import pytest
from changed_texts import changed

from daemon.catalogue.cards import Card, parse_all
from daemon.catalogue.errors import CatalogueDataError, LimitRefused
from daemon.catalogue.families.blackjack import Blackjack
from daemon.catalogue.limits import limits
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Ratio, find_rule
from daemon.catalogue.rules.blackjack import Evidence, PlayerHand, judge

SPAIN, CATALONIA, TRIPLE = ("es-1979", "blackjack"), ("es-ct", "blackjack"), ("es-ct", "triple_blackjack")
GAMES = (SPAIN, CATALONIA, TRIPLE)


def game(key: tuple[str, str]) -> Blackjack:
    return load_as(Blackjack, *key)


def cards(codes: str) -> tuple[Card, ...]:
    return parse_all(codes)


def found(key: tuple[str, str], seen: Evidence) -> list[tuple[str, str, str, dict[str, Any]]]:
    return [(each.rule, each.clause, each.effect, each.evidence) for each in judge(game(key), seen)]


# --- the bank ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codes", "total"),
    [("Th 7d 2c", 17), ("Ah 6d 2c", 17), ("Th 2d 5c 4s", 17), ("9h 9d 2c", 18), ("5h 5d Tc Ks", 20)],
)
@pytest.mark.parametrize(
    ("key", "clause"), [(SPAIN, "es-1979 03.V.1.a"), (CATALONIA, "es-ct 3.V.1.a"), (TRIPLE, "es-ct 19.II.a")]
)
def test_a_bank_that_draws_past_seventeen(key: tuple[str, str], clause: str, codes: str, total: int) -> None:
    seen = {"total": total, "did": "draw", "cards": codes.split()}
    assert found(key, Evidence(bank=cards(codes))) == [("blackjack.bank_draws", clause, "finding", seen)]


@pytest.mark.parametrize("codes", ["Th 6d", "Ah 5d", "Ah 5d Tc", "2h 3d"])
def test_a_bank_that_stands_below_seventeen_with_hands_left_to_play_against(codes: str) -> None:
    seen = Evidence(bank=cards(codes), finished=True, opponents=True)
    (finding,) = judge(game(CATALONIA), seen)
    assert (finding.rule, finding.evidence["did"]) == ("blackjack.bank_draws", "stand")
    assert judge(game(CATALONIA), msgspec.structs.replace(seen, finished=None)) == ()
    assert judge(game(SPAIN), msgspec.structs.replace(seen, opponents=None)) == ()


@pytest.mark.parametrize("codes", ["Th 7d", "Ah 6d", "Th 6d 9c", "Ah 5d Tc 2h", "Ah Kd", "5h 5d 6c 5s"])
def test_a_bank_that_plays_as_it_has_to(codes: str) -> None:
    for key in GAMES:
        seen = Evidence(bank=cards(codes), finished=True, opponents=True, bank_before_players=1)
        assert judge(game(key), seen) == ()


def test_only_catalonia_has_the_bank_draw_for_nobody_else() -> None:
    seen = Evidence(bank=cards("Th 6d"), opponents=False, finished=True)
    what = {"opponents": False, "cards": ["Th", "6d"]}
    assert found(CATALONIA, seen) == [
        ("blackjack.bank_needs_opponents", "es-ct 3.V.1.a", "finding", what),
    ]
    assert found(SPAIN, seen) == []
    assert found(CATALONIA, Evidence(bank=cards("Th"), opponents=False)) == []


def test_the_bank_has_one_card_while_the_players_play() -> None:
    assert found(SPAIN, Evidence(bank_before_players=2)) == [
        ("blackjack.bank_plays_last", "es-1979 03.V.1.a", "finding", {"bank_before_players": 2})
    ]


def test_against_three_boxes_the_bank_keeps_its_first_card() -> None:
    good = Evidence(bank=cards("Th 7d"), bank_later=(cards("Th 9c"), cards("Th 5c 2s")))
    assert found(TRIPLE, good) == []
    bad = msgspec.structs.replace(good, bank_later=(cards("Th 9c"), cards("7d Tc")))
    what = {"box": 3, "first": "Th", "cards": ["7d", "Tc"]}
    assert found(TRIPLE, bad) == [("blackjack.bank_keeps_first_card", "es-ct 19.II.a", "finding", what)]
    late = msgspec.structs.replace(good, bank_later=(cards("Th 9c 2d"),))
    assert [rule for rule, *_ in found(TRIPLE, late)] == ["blackjack.bank_draws"]
    assert found(CATALONIA, bad) == []


# --- the players' hands -----------------------------------------------------------------------------------


def hand(codes: str, **more: Any) -> Evidence:
    return Evidence(hands=(PlayerHand(cards=cards("Th 8d")), PlayerHand(cards=cards(codes), **more)))


HANDS: dict[str, tuple[Evidence, str, str, str, dict[str, Any]]] = {
    "a card after twenty-one": (
        hand("Ah Kd 2c"),
        "blackjack.card_past_twenty_one",
        "03.V.1.a",
        "3.V.1.a",
        {"total": 21, "card": "2c", "cards": ["Ah", "Kd", "2c"]},
    ),
    "a second card on a split ace": (
        hand("Ah 2d 3c", split_ace=True),
        "blackjack.cards_on_split_ace",
        "03.V.1.c",
        "3.V.1.c",
        {"cards": ["Ah", "2d", "3c"], "most": 2},
    ),
    "two cards after doubling": (
        hand("5h 5d 2c 3c", doubled=True),
        "blackjack.cards_after_double",
        "03.V.1.d",
        "3.V.1.d",
        {"cards": ["5h", "5d", "2c", "3c"], "most": 3},
    ),
}


@pytest.mark.parametrize("case", HANDS)
def test_cards_that_a_hand_was_not_to_have(case: str) -> None:
    seen, rule, spain, catalonia, what = HANDS[case]
    assert found(SPAIN, seen) == [(rule, f"es-1979 {spain}", "finding", what)]
    assert found(CATALONIA, seen) == [(rule, f"es-ct {catalonia}", "finding", what)]


def test_spain_doubles_with_nine_to_eleven_and_catalonia_with_any_two_cards() -> None:
    eight = hand("5h 3d Kc", doubled=True)
    what = {"total": 8, "totals": [9, 10, 11], "cards": ["5h", "3d", "Kc"]}
    assert found(SPAIN, eight) == [("blackjack.doubled_total", "es-1979 03.V.1.d", "finding", what)]
    assert found(CATALONIA, eight) == []
    for codes in ("5h 4d Kc", "Ah 8d Kc", "Th Ad", "6h 5d 2c"):
        assert found(SPAIN, hand(codes, doubled=True)) == [], codes


def test_catalonias_croupier_says_that_doubling_is_possible_with_nine_to_eleven() -> None:
    said = {total: [] for total in (8, 9, 10, 11, 12)}
    for codes, total in (("5h 3d", 8), ("5h 4d", 9), ("5h 5d", 10), ("5h 6d", 11), ("5h 7d", 12)):
        said[total] = [each[:3] for each in found(CATALONIA, hand(codes, double_announced=False))]
    reminder = [("blackjack.double_announced", "es-ct 3.V.1.d", "reminder")]
    assert said == {8: [], 9: reminder, 10: reminder, 11: reminder, 12: []}
    assert found(CATALONIA, hand("5h 5d", double_announced=True)) == []
    assert found(SPAIN, hand("5h 5d", double_announced=False)) == []


def test_what_is_not_seen_breaks_nothing() -> None:
    for key in GAMES:
        assert found(key, Evidence()) == []
        assert found(key, hand("Th 6d 5c")) == []


# --- the texts ---------------------------------------------------------------------------------------------


def test_pays_as_printed() -> None:
    assert {bet.id: (bet.pays, bet.clause) for bet in game(SPAIN).bets} == {
        "hand": (Ratio(1, 1), "es-1979 03.V.1.a"),
        "insurance": (Ratio(2, 1), "es-1979 03.V.1.b"),
    }
    assert {bet.id: (bet.pays, bet.clause) for bet in game(CATALONIA).bets} == {
        "hand": (Ratio(1, 1), "es-ct 3.V.1.a"),
        "insurance": (Ratio(2, 1), "es-ct 3.V.1.b"),
        "under_13": (Ratio(1, 1), "es-ct 3.V.1.e"),
        "over_13": (Ratio(1, 1), "es-ct 3.V.1.e"),
    }
    for key in GAMES:
        (line,) = game(key).bets[0].table
        assert (line.when, line.pays) == ("blackjack", Ratio(3, 2))
        assert game(key).insurance.most == Ratio(1, 2)
    prizes = [(prize.when, prize.pays.pays, prize.pot) for prize in game(CATALONIA).prizes]
    assert prizes == [
        ("first_card_seven", 2, False),
        ("two_sevens", 10, False),
        ("two_sevens_of_one_suit", 50, False),
        ("three_sevens", 200, False),
        ("three_sevens_of_one_suit", 5000, True),
    ]


def test_only_catalonia_has_surrender_side_bets_and_several_stakes_on_a_box() -> None:
    assert (game(SPAIN).surrender, game(SPAIN).side_bets, game(SPAIN).box_stakes) == (None, (), None)
    catalonia = game(CATALONIA)
    assert catalonia.surrender is not None
    assert (catalonia.surrender.loses, catalonia.surrender.clause) == (Ratio(1, 2), "es-ct 3.V.1.f")
    assert [(side.id, side.clause) for side in catalonia.side_bets] == [
        ("jackpot", "es-ct 3.V.1.g"),
        ("progressive", "es-ct 3.V.2"),
    ]
    assert catalonia.box_stakes is not None
    assert catalonia.box_stakes.most == 3


def test_limits_and_their_change() -> None:
    assert limits(game(SPAIN), 5, 200) == {"hand": 1000}
    with pytest.raises(LimitRefused, match=r"50, 100, 200 \(es-1979 03.V.2.b\)"):
        limits(game(SPAIN), 5, 25)
    assert limits(game(CATALONIA), 5, 25) == {"hand": 125}
    changes = {key: game(key).limit_change for key in GAMES}
    assert [(each.policy, each.clause) if each else None for each in changes.values()] == [
        ("forbidden", "es-1979 03.V.2.a"),
        ("allowed", "es-ct 3.V.3.a"),
        ("allowed", "es-ct 3.V.3.a"),
    ]


def test_the_banks_total_is_announced_before_it_pays() -> None:
    for text, clause in ((SPAIN, "es-1979 03.V.1.a"), (CATALONIA, "es-ct 3.V.1.a")):
        words = game(text).announcements
        assert words is not None
        assert (words.result_order, words.result_clause) == (("bank_total",), clause)


def test_seats() -> None:
    seats = [game(key).seats for key in GAMES]
    assert [(each.most, each.clause) if each else None for each in seats] == [
        (7, "es-1979 03.IV.a"),
        (9, "es-ct 3.IV.1"),
        (9, "es-ct 3.IV.1"),
    ]


def test_triple_blackjack_takes_from_blackjack_what_it_does_not_say() -> None:
    triple, single = game(TRIPLE), game(CATALONIA)
    assert triple.inherits is not None
    assert (triple.inherits.game, triple.inherits.clause) == ("blackjack", "es-ct 19.I")
    assert (triple.packs, triple.stop_card, triple.split) == (single.packs, single.stop_card, single.split)
    assert triple.boxes is not None
    assert (triple.boxes.count, single.boxes) == (3, None)
    rule = find_rule(triple, "shoe.face_up_card")
    assert rule is not None
    assert rule.clause == "es-ct 3.V.4.d"
    assert find_rule(single, "blackjack.bank_keeps_first_card") is None
    assert [(bet.id, bet.clause) for bet in triple.bets[:2]] == [
        ("hand", "es-ct 19.II.a"),
        ("insurance", "es-ct 3.V.1.b"),
    ]


def no_insurance(section: dict[str, Any]) -> None:
    section["bets"] = section["bets"][:1]


def stands_never(section: dict[str, Any]) -> None:
    section["bank"]["stands_from"] = 22


def prizes_of_nothing(section: dict[str, Any]) -> None:
    section["side_bets"] = []


def boxes_alone(section: dict[str, Any]) -> None:
    section["boxes"] = {"clause": "3.I", "count": 3}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (no_insurance, r"bets without a pay: \['insurance'\]"),
        (stands_never, "stands from 22"),
        (prizes_of_nothing, "prizes without a jackpot"),
        (boxes_alone, "go together"),
    ],
)
def test_a_text_that_makes_no_sense_is_refused(change: Any, says: str) -> None:
    with pytest.raises(CatalogueDataError, match=says):
        changed("es-ct", "blackjack", change)
