"""The shoe's rules: each breach alone; what is missing breaks nothing; data without equipment is refused."""

from typing import Any

import msgspec
import pytest

from daemon.catalogue.cards import Card
from daemon.catalogue.equipment import Burn, Packs, Shoe, Shuffler, StopCard
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.shoe import ShoeGame, check_shoe
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import REGISTRY
from daemon.catalogue.rules.shoe import HAND, OPENING, Hand, Opening, judge, judge_opening

RULES = tuple(
    Rule(id=id_, clause=f"x {at}", effect="finding") for at, id_ in enumerate((*OPENING, *HAND), start=1)
)
GAME = ShoeGame(
    text="x",
    title="X",
    id="a_game",
    epigraph="1",
    kind="counterparty",
    names={},
    inherits=None,
    rules=RULES,
    hash="",
    packs=Packs(clause="x", deck="french", cards=52, least=6, most=6, indices=True, backs=(3, 3), new=True),
    shoe=Shoe(clause="x", numbered=True, approved=True),
    shufflers=(Shuffler(clause="x", kind="automatic"),),
    stop_card=StopCard(clause="x", beneath=7, ends="annuls_hand"),
    burn=Burn(clause="x", by_first_card=True, figures=10),
)
GOOD = Opening(
    packs=6,
    cards=312,
    backs=(3, 3),
    indices=True,
    new=True,
    numbered=True,
    approved=True,
    shuffling="by_hand",
    stop_card_beneath=7,
    first_card=Card("8c"),
    set_aside=8,
)
DEALT = Hand(shuffling="by_hand", stop_card=False, began_after_stop_card=False, last_announced=False)


def variant(**changes: Any) -> ShoeGame:
    return msgspec.structs.replace(GAME, **changes)


OPENING_CASES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "five packs": ({"packs": 5, "cards": 260}, "shoe.packs", {"packs": 5, "least": 6, "most": 6}),
    "a card missing": ({"cards": 311}, "shoe.card_count", {"cards": 311, "packs": 6, "cards_of_a_pack": 52}),
    "a pack missing, packs unseen": (
        {"packs": None, "cards": 260},
        "shoe.card_count",
        {"cards": 260, "packs": None, "cards_of_a_pack": 52},
    ),
    "one back": ({"backs": (6,)}, "shoe.backs", {"backs": [6], "wanted": [3, 3]}),
    "backs in unlike parts": ({"backs": (4, 2)}, "shoe.backs", {"backs": [2, 4], "wanted": [3, 3]}),
    "no indices": ({"indices": False}, "shoe.indices", {"indices": False}),
    "used cards": ({"new": False}, "shoe.new_cards", {"new": False}),
    "no number": ({"numbered": False}, "shoe.numbered", {"numbered": False}),
    "model not approved": ({"approved": False}, "shoe.approved_model", {"approved": False}),
    "a machine that the text does not know": (
        {"shuffling": "continuous"},
        "shoe.shuffled_as_written",
        {"shuffling": "continuous", "ways": ["by_hand", "automatic"]},
    ),
    "stop card too high": ({"stop_card_beneath": 8}, "shoe.stop_card_depth", {"beneath": 8, "wanted": 7}),
    "stop card too low": ({"stop_card_beneath": 6}, "shoe.stop_card_depth", {"beneath": 6, "wanted": 7}),
    "too few burnt": (
        {"set_aside": 7},
        "shoe.cards_set_aside",
        {"set_aside": 7, "wanted": 8, "first_card": "8c"},
    ),
    "a figure burns ten": (
        {"first_card": Card("Kd"), "set_aside": 0},
        "shoe.cards_set_aside",
        {"set_aside": 0, "wanted": 10, "first_card": "Kd"},
    ),
}


@pytest.mark.parametrize("case", OPENING_CASES)
def test_each_breach_before_the_first_hand(case: str) -> None:
    changes, rule, evidence = OPENING_CASES[case]
    (finding,) = judge_opening(GAME, msgspec.structs.replace(GOOD, **changes))
    clause = next(each.clause for each in RULES if each.id == rule)
    assert (finding.rule, finding.clause, finding.evidence) == (rule, clause, evidence)


HAND_CASES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "begun after the stop card": (
        {"began_after_stop_card": True},
        "shoe.no_hand_after_stop_card",
        {"began_after_stop_card": True},
    ),
    "a card face up": ({"face_up_card": Card("7d")}, "shoe.face_up_card", {"face_up_card": "7d"}),
    "cards stuck": ({"stuck": 2}, "shoe.cards_stuck", {"stuck": 2}),
    "drawn early": ({"drawn_early": 1}, "shoe.drawn_before_bets_closed", {"drawn_early": 1}),
    "put back": ({"put_back": 1}, "shoe.card_put_back", {"put_back": 1}),
}


@pytest.mark.parametrize("case", HAND_CASES)
def test_each_breach_while_a_hand_is_dealt(case: str) -> None:
    changes, rule, evidence = HAND_CASES[case]
    (finding,) = judge(GAME, msgspec.structs.replace(DEALT, **changes))
    clause = next(each.clause for each in RULES if each.id == rule)
    assert (finding.rule, finding.clause, finding.evidence) == (rule, clause, evidence)


def test_the_stop_card_annuls_the_hand_where_the_text_says_so_and_its_last_is_announced() -> None:
    shown = msgspec.structs.replace(DEALT, stop_card=True)
    assert [finding.rule for finding in judge(GAME, shown)] == [
        "shoe.last_hand_announced",
        "shoe.stop_card_annuls_hand",
    ]
    said = msgspec.structs.replace(shown, last_announced=True)
    assert [finding.rule for finding in judge(GAME, said)] == ["shoe.stop_card_annuls_hand"]


def test_nothing_is_found_in_a_good_shoe_nor_in_what_was_not_seen() -> None:
    assert judge_opening(GAME, GOOD) == ()
    assert judge_opening(GAME, Opening()) == ()
    assert judge(GAME, DEALT) == ()
    assert judge(GAME, Hand()) == ()
    assert judge(GAME, Hand(stop_card=True))[0].rule == "shoe.stop_card_annuls_hand"


def test_tens_and_aces_say_how_many_are_burnt() -> None:
    for card, burnt in (("Ts", 10), ("Ac", 1), ("9h", 9)):
        seen = msgspec.structs.replace(GOOD, first_card=Card(card), set_aside=burnt)
        assert judge_opening(GAME, seen) == ()
    assert judge_opening(GAME, Opening(set_aside=3)) == (), "without the first card nobody knows how many"


def test_a_fixed_number_set_aside_needs_no_first_card() -> None:
    game = variant(burn=Burn(clause="x", cards=5))
    assert judge_opening(game, Opening(set_aside=5)) == ()
    (finding,) = judge_opening(game, Opening(set_aside=4))
    assert finding.evidence == {"set_aside": 4, "wanted": 5}


def test_figures_may_burn_another_number_than_they_count() -> None:
    game = variant(burn=Burn(clause="x", by_first_card=True, figures=0))
    assert judge_opening(game, Opening(first_card=Card("Qc"), set_aside=0)) == ()
    assert judge_opening(game, Opening(first_card=Card("9c"), set_aside=9)) == ()


def test_back_colours_have_no_order() -> None:
    packs = Packs(clause="x", deck="french", cards=52, least=6, most=6, backs=(4, 2))
    assert judge_opening(variant(packs=packs), Opening(backs=(2, 4))) == ()


def test_at_least_a_pack_beneath_the_stop_card() -> None:
    game = variant(stop_card=StopCard(clause="x", packs_beneath=1, ends="hand"))
    assert judge_opening(game, Opening(stop_card_beneath=52)) == ()
    assert judge_opening(game, Opening(stop_card_beneath=90)) == ()
    (finding,) = judge_opening(game, Opening(stop_card_beneath=51))
    assert finding.evidence == {"beneath": 51, "least": 52}


def test_where_only_a_manual_shoe_ends_by_the_stop_card_another_goes_on() -> None:
    game = variant(stop_card=StopCard(clause="x", packs_beneath=1, ends="hand", manual_only=True))
    after = Hand(began_after_stop_card=True)
    found = {
        kind: [finding.rule for finding in judge(game, msgspec.structs.replace(after, shuffling=kind))]
        for kind in ("by_hand", "automatic", "continuous", None)
    }
    broken = ["shoe.no_hand_after_stop_card"]
    assert found == {"by_hand": broken, "automatic": broken, "continuous": [], None: []}


def test_a_machine_that_is_required_leaves_no_shuffling_by_hand() -> None:
    game = variant(shufflers=(Shuffler(clause="x", kind="automatic", required=True),))
    assert judge_opening(game, Opening(shuffling="automatic")) == ()
    (finding,) = judge_opening(game, Opening(shuffling="by_hand"))
    assert finding.evidence == {"shuffling": "by_hand", "ways": ["automatic"]}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"burn": None}, "shoe.cards_set_aside has nothing"),
        ({"shoe": None}, "shoe.numbered has nothing"),
        (
            {"stop_card": StopCard(clause="x", beneath=7, ends="hand")},
            "shoe.stop_card_annuls_hand has nothing",
        ),
        ({"packs": Packs(clause="x", deck="french", cards=52, least=6, most=6)}, "shoe.backs has nothing"),
        ({"packs": Packs(clause="x", deck="french", cards=52, least=6, most=5)}, "from 6 to 5 packs"),
        (
            {"packs": Packs(clause="x", deck="french", cards=52, least=6, most=6, backs=(3, 4))},
            "backs of 7 packs",
        ),
    ],
)
def test_rules_about_what_the_text_does_not_describe_are_refused(changes: dict[str, Any], says: str) -> None:
    check_shoe(GAME)
    with pytest.raises(CatalogueDataError, match=says):
        check_shoe(variant(**changes))


def test_all_rules_of_the_shoe_can_stand_in_a_text() -> None:
    assert {*OPENING, *HAND} <= set(REGISTRY)
