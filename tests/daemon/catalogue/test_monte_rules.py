"""Monte: pays, limits, rules and guidance under the two texts that have it, and data that is refused."""

from typing import Any

import pytest
from changed_texts import changed

from daemon.catalogue.bets.monte import outcome
from daemon.catalogue.bets.monte_guidance import guidance
from daemon.catalogue.cards import parse_all
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.monte import Monte
from daemon.catalogue.limits import limits
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Language
from daemon.catalogue.rules import monte as rules
from daemon.catalogue.rules import shoe

CATALAN = load_as(Monte, "es-ct", "monte")
PLAIN = "5o 2c 4e 3b"


# --- pays and limits ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["es-ct", "es-ex"])
def test_pays_and_limits_are_the_same_in_both_texts(text: str) -> None:
    game = load_as(Monte, text, "monte")
    assert [(bet.id, bet.pays) for bet in game.bets] == [(bet.id, bet.pays) for bet in CATALAN.bets]
    multiples = {bet: most // 2 for bet, most in (limits(game, 2) or {}).items()}
    assert multiples.pop("cards") == multiples.pop("cards_second") == 300
    assert {multiples.pop(match) for match in ("camo", "anti", "viudo")} == {30}
    assert {multiples.pop(f"{match}_second") for match in ("camo", "anti", "viudo")} == {60}
    assert multiples == {"vista_hermosa": 10, "salto": 100}
    assert (game.levy.part.pays, game.levy.part.per) == (10, 100)


# --- rules ----------------------------------------------------------------------------------------

ANNULLED = outcome(CATALAN, parse_all("5o 5c 5e 2o 5b", "spanish"))
GOOD = outcome(CATALAN, parse_all(PLAIN, "spanish"))


@pytest.mark.parametrize(
    ("hand", "found"),
    [
        (rules.Hand(outcome=ANNULLED), [("monte.four_of_a_value", "annul")]),
        (rules.Hand(outcome=GOOD, pair_burnt=False), [("monte.pair_burnt", "finding")]),
        (rules.Hand(outcome=GOOD, pair_burnt=True), []),
        (rules.Hand(outcome=GOOD), []),
        (rules.Hand(outcome=outcome(CATALAN, parse_all("5o 2o 4o 4c", "spanish"))), []),
        (rules.Hand(), []),
    ],
)
def test_the_same_hand_under_both_texts(hand: rules.Hand, found: list[tuple[str, str]]) -> None:
    findings = rules.judge(CATALAN, hand)
    assert [(finding.rule, finding.effect) for finding in findings] == found
    assert {finding.clause for finding in findings} <= {"es-ct 13.VI.4.1"}
    assert rules.judge(load_as(Monte, "es-ex", "monte"), hand) == (), "its text breaks off before"


def test_what_the_findings_show() -> None:
    assert rules.judge(CATALAN, rules.Hand(outcome=ANNULLED))[0].evidence == {
        "layout": ["5e", "2o"],
        "laid_on": [["5b"], []],
        "burnt": ["5o", "5c"],
    }
    kept = rules.judge(CATALAN, rules.Hand(outcome=ANNULLED, pair_burnt=False))
    assert kept[0].evidence == {"pair_burnt": False, "pairs": ["5o", "5c"]}


def test_the_shoe_and_the_packs_under_both_texts() -> None:
    bad = shoe.Opening(packs=1, cards=52, backs=(2,), numbered=False, approved=False)
    found = {
        text: [finding.rule for finding in shoe.judge_opening(load_as(Monte, text, "monte"), bad)]
        for text in ("es-ct", "es-ex")
    }
    common = ["shoe.packs", "shoe.card_count", "shoe.backs"]
    assert found == {
        "es-ct": [*common, "shoe.numbered", "shoe.approved_model"],
        "es-ex": [*common, "shoe.approved_model"],
    }
    good = shoe.Opening(packs=2, cards=80, backs=(1, 1), numbered=True, approved=True)
    assert shoe.judge_opening(CATALAN, good) == ()
    early = shoe.Hand(drawn_early=1)
    assert [finding.clause for finding in shoe.judge(CATALAN, early)] == ["es-ct 13.VI.3"]
    assert shoe.judge(load_as(Monte, "es-ex", "monte"), early) == ()


# --- what the croupiers do ------------------------------------------------------------------------


def told(cards: str, language: Language = "en") -> list[tuple[str, str, Any]]:
    guided = guidance(CATALAN, outcome(CATALAN, parse_all(cards, "spanish")), language)
    return [(one.text, one.clause, one.data) for one in guided]


def test_the_first_phase_turns_the_loser_down_and_the_other_row_goes_on() -> None:
    assert told(f"{PLAIN} 7o 2e") == [
        (
            "The first card loses: turn it down; take in the lost stakes and pay",
            "es-ct 13.VI.3",
            {"square": 1},
        ),
        ("Second phase with cards 4e, 3b", "es-ct 13.VI.3", {"squares": [3, 4]}),
    ]
    assert [data for _, _, data in told(f"{PLAIN} 7o 4b")] == [{"square": 4}, {"squares": [1, 2]}]
    assert [data for _, _, data in told(f"{PLAIN} 7o 2e 6o 4b")] == [{"square": 4}]
    assert told(f"{PLAIN} 7o 4b", "ca")[0][0].startswith("Perd la quarta carta: poseu-la cara avall")


def test_the_tenth_is_kept_of_all_but_the_spared_bets() -> None:
    turned, kept, second = told(f"{PLAIN} 2e")
    assert (turned[2], second[2]) == ({"square": 1}, {"squares": [3, 4]})
    assert kept == (
        "First card: 1/10 of all winnings is kept, save on vista hermosa",
        "es-ct 13.V",
        {"part": [10, 100], "spared": ["vista_hermosa"]},
    )


def test_each_phase_has_its_own_first_card() -> None:
    kept = "First card: 1/10 of all winnings is kept, save on vista hermosa"
    assert kept in [text for text, _, _ in told(f"{PLAIN} 7o 2e 4b")]
    assert kept not in [text for text, _, _ in told(f"{PLAIN} 2e 7o 4b")]


def test_no_card_is_turned_down_by_a_match_that_counts_for_neither() -> None:
    assert [data for _, _, data in told("5o 2o 5c 4o 3o 7o 2c")] == [{"squares": [3, 4]}]
    assert [data for _, _, data in told("5o 2o 5c 4o 3o 7o 2e")] == [{"square": 1}, {"squares": [3, 4]}]


def test_what_doubled_and_burnt_cards_leave_of_the_pays() -> None:
    assert told(PLAIN) == []
    assert told("7o 7c 5o 2o 5c 4o 3o") == [
        (
            "Cards doubled 1, burnt 2: vista hermosa 29, camo 10, anti 10, viudo 10",
            "es-ct 13.VI.4.1",
            {"pays": {"vista_hermosa": [29, 1], "camo": [10, 1], "anti": [10, 1], "viudo": [10, 1]}},
        )
    ]


def test_the_inspector_is_asked_about_what_the_text_leaves_open() -> None:
    held = [("The inspector decides", "es-ct 13.III.1", {"reason": "third_and_fourth_alike"})]
    assert told("5o 2o 4o 4c") == held
    for cards in ("", "5o 2o", "5o 2o 5c 5e 5b"):
        assert told(cards) == []


# --- data that is refused -------------------------------------------------------------------------


def wordless(data: dict[str, Any]) -> None:
    del data["announcements"]["words"]["square_3"]


def french(data: dict[str, Any]) -> None:
    data["packs"]["deck"] = "french"


def suitless(data: dict[str, Any]) -> None:
    data["circle"]["suits"] = ["o", "c", "e", "e"]


def matchless(data: dict[str, Any]) -> None:
    del data["bets"][1]["match"]


def spared_stranger(data: dict[str, Any]) -> None:
    data["levy"]["spared"] = ["tie"]


def never_laid(data: dict[str, Any]) -> None:
    del data["laying"]


def turned(data: dict[str, Any]) -> None:
    data["sides_annulments"][0]["laid_on"] = [0, 1]


def own_matches(data: dict[str, Any]) -> None:
    data["sides_annulments"][0]["annulled"][0]["of"] = 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (wordless, r"no words for \['square_3'\]"),
        (french, "Spanish packs"),
        (suitless, "every suit once"),
        (matchless, "camo is on no match"),
        (spared_stranger, r"spared but not among the bets: \['tie'\]"),
        (never_laid, "never laid"),
        (turned, "at least as many"),
        (own_matches, "annuls its own matches"),
    ],
)
def test_data_that_contradicts_itself_is_refused(change: Any, says: str) -> None:
    with pytest.raises(CatalogueDataError, match=says):
        changed("es-ct", "monte", change)
