"""One and the same shoe under the texts' games: what each finds in it, with its own clause and effect."""

import pytest

from daemon.catalogue.cards import Card
from daemon.catalogue.families.shoe import ShoeGame
from daemon.catalogue.load import load_all, load_as
from daemon.catalogue.model import Game
from daemon.catalogue.rules.shoe import HAND, OPENING, Hand, Opening, judge, judge_opening
from daemon.records import Finding

GAMES = (
    ("es-1979", "blackjack"),
    ("es-1979", "punto_y_banca"),
    ("es-1979", "chemin_de_fer"),
    ("es-ct", "blackjack"),
    ("es-ct", "triple_blackjack"),
    ("es-ct", "punto_y_banca"),
    ("es-ct", "chemin_de_fer"),
    ("es-ct", "baccarat_two_tableaux"),
)
Found = dict[tuple[str, str], list[tuple[str, str, str]]]


def told(findings: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    return [(each.rule.removeprefix("shoe."), each.clause.split(" ", 1)[1], each.effect) for each in findings]


def under_all(seen: Hand | Opening) -> Found:
    """What every game finds; those that find nothing are left out."""
    found: Found = {}
    for key in GAMES:
        game = load_as(ShoeGame, *key)
        findings = judge(game, seen) if isinstance(seen, Hand) else judge_opening(game, seen)
        if findings:
            found[key] = told(findings)
    return found


HANDS: dict[str, tuple[Hand, Found]] = {
    "a card face up in the shoe stays in play": (
        Hand(shuffling="by_hand", face_up_card=Card("7d")),
        {
            ("es-1979", "blackjack"): [("face_up_card", "03.V.3.c", "finding")],
            ("es-ct", "blackjack"): [("face_up_card", "3.V.4.d", "finding")],
            ("es-ct", "triple_blackjack"): [("face_up_card", "3.V.4.d", "finding")],
            ("es-ct", "chemin_de_fer"): [("face_up_card", "8.VIII.1", "finding")],
            ("es-ct", "baccarat_two_tableaux"): [("face_up_card", "9.VIII.1", "finding")],
        },
    ),
    "a hand begins after the stop card has shown, in a manual shoe": (
        Hand(shuffling="by_hand", began_after_stop_card=True),
        {
            ("es-1979", "blackjack"): [("no_hand_after_stop_card", "03.V.3.c", "finding")],
            ("es-1979", "punto_y_banca"): [("no_hand_after_stop_card", "07.VII", "finding")],
            ("es-ct", "blackjack"): [("no_hand_after_stop_card", "3.V.4.d", "finding")],
            ("es-ct", "triple_blackjack"): [("no_hand_after_stop_card", "3.V.4.d", "finding")],
            ("es-ct", "punto_y_banca"): [("no_hand_after_stop_card", "7.VII", "finding")],
            ("es-ct", "chemin_de_fer"): [("no_hand_after_stop_card", "8.VII", "finding")],
            ("es-ct", "baccarat_two_tableaux"): [("no_hand_after_stop_card", "9.VII", "finding")],
        },
    ),
    "the same with a continuous shuffler": (
        Hand(shuffling="continuous", began_after_stop_card=True),
        {
            ("es-1979", "blackjack"): [("no_hand_after_stop_card", "03.V.3.c", "finding")],
            ("es-1979", "punto_y_banca"): [("no_hand_after_stop_card", "07.VII", "finding")],
            ("es-ct", "punto_y_banca"): [("no_hand_after_stop_card", "7.VII", "finding")],
            ("es-ct", "chemin_de_fer"): [("no_hand_after_stop_card", "8.VII", "finding")],
            ("es-ct", "baccarat_two_tableaux"): [("no_hand_after_stop_card", "9.VII", "finding")],
        },
    ),
    "the stop card shows and the last hand is not announced, in a manual shoe": (
        Hand(shuffling="by_hand", stop_card=True, last_announced=False),
        {
            ("es-1979", "blackjack"): [("last_hand_announced", "03.V.3.c", "finding")],
            ("es-ct", "blackjack"): [("last_hand_announced", "3.V.4.d", "finding")],
            ("es-ct", "triple_blackjack"): [("last_hand_announced", "3.V.4.d", "finding")],
        },
    ),
    "the same with a continuous shuffler, and the hand is no last one in Catalonia": (
        Hand(shuffling="continuous", stop_card=True, last_announced=False),
        {("es-1979", "blackjack"): [("last_hand_announced", "03.V.3.c", "finding")]},
    ),
    "two cards stick together": (
        Hand(stuck=2),
        {
            ("es-ct", "chemin_de_fer"): [("cards_stuck", "8.VIII.1", "annul")],
            ("es-ct", "baccarat_two_tableaux"): [("cards_stuck", "9.VIII.1", "annul")],
        },
    ),
    "a card is drawn before bets are closed": (
        Hand(drawn_early=1),
        {
            ("es-1979", "punto_y_banca"): [("drawn_before_bets_closed", "07.VII", "finding")],
            ("es-ct", "punto_y_banca"): [("drawn_before_bets_closed", "7.VII", "finding")],
            ("es-ct", "chemin_de_fer"): [("drawn_before_bets_closed", "8.VIII.1", "finding")],
            ("es-ct", "baccarat_two_tableaux"): [("drawn_before_bets_closed", "9.VIII.1", "finding")],
        },
    ),
    "a drawn card is put back": (
        Hand(put_back=1),
        {
            ("es-ct", "chemin_de_fer"): [("card_put_back", "8.VIII.1", "finding")],
            ("es-ct", "baccarat_two_tableaux"): [("card_put_back", "9.VIII.1", "finding")],
        },
    ),
}


@pytest.mark.parametrize("case", HANDS)
def test_one_hand_under_all_texts(case: str) -> None:
    seen, found = HANDS[case]
    assert under_all(seen) == found


OPENINGS: dict[str, tuple[Opening, Found]] = {
    "a continuous shuffler": (
        Opening(shuffling="continuous"),
        {("es-1979", "blackjack"): [("shuffled_as_written", "03.V.3.b", "finding")]},
    ),
    "seven cards beneath the stop card of a manual shoe": (
        Opening(shuffling="by_hand", stop_card_beneath=7),
        {
            ("es-1979", "blackjack"): [("stop_card_depth", "03.V.3.b", "finding")],
            ("es-ct", "blackjack"): [("stop_card_depth", "3.V.4.b", "finding")],
            ("es-ct", "triple_blackjack"): [("stop_card_depth", "3.V.4.b", "finding")],
            ("es-ct", "baccarat_two_tableaux"): [("stop_card_depth", "9.VII", "finding")],
        },
    ),
    "five cards set aside after a turned eight": (
        Opening(first_card=Card("8h"), set_aside=5),
        {
            ("es-1979", "punto_y_banca"): [("cards_set_aside", "07.VII", "finding")],
            ("es-ct", "punto_y_banca"): [("cards_set_aside", "7.VII", "finding")],
        },
    ),
    "eight cards set aside after a turned eight": (
        Opening(first_card=Card("8h"), set_aside=8),
        {
            ("es-1979", "blackjack"): [("cards_set_aside", "03.V.3.c", "finding")],
            ("es-ct", "blackjack"): [("cards_set_aside", "3.V.4.d", "finding")],
            ("es-ct", "triple_blackjack"): [("cards_set_aside", "3.V.4.d", "finding")],
        },
    ),
    "cards with indices": (
        Opening(indices=True),
        {
            ("es-1979", "chemin_de_fer"): [("indices", "08.II.1", "refuse")],
            ("es-ct", "chemin_de_fer"): [("indices", "8.II.1", "refuse")],
            ("es-ct", "baccarat_two_tableaux"): [("indices", "9.II.1", "refuse")],
        },
    ),
    "cards without indices": (
        Opening(indices=False),
        {("es-1979", "punto_y_banca"): [("indices", "07.II.1", "refuse")]},
    ),
    "cards that were played before": (
        Opening(new=False),
        {("es-ct", "baccarat_two_tableaux"): [("new_cards", "9.II.1", "refuse")]},
    ),
}


@pytest.mark.parametrize("case", OPENINGS)
def test_one_shoe_under_all_texts(case: str) -> None:
    seen, found = OPENINGS[case]
    assert under_all(seen) == found


@pytest.mark.parametrize(
    ("seen", "rule"),
    [
        (Opening(packs=8), "packs"),
        (Opening(packs=6, cards=311), "card_count"),
        (Opening(backs=(6,)), "backs"),
        (Opening(numbered=False), "numbered"),
        (Opening(approved=False), "approved_model"),
    ],
)
def test_six_packs_of_two_backs_in_a_numbered_shoe_of_an_approved_model_are_wanted_by_all(
    seen: Opening, rule: str
) -> None:
    found = under_all(seen)
    assert set(found) == set(GAMES)
    assert {(name, effect) for each in found.values() for name, _, effect in each} == {(rule, "refuse")}


def test_a_shoe_as_it_should_be_is_found_nothing_in() -> None:
    for key in GAMES:
        game = load_as(ShoeGame, *key)
        burn, stop = game.burn, game.stop_card
        seen = Opening(
            packs=6,
            cards=312,
            backs=(3, 3),
            indices=game.packs.indices,
            new=True,
            numbered=True,
            approved=True,
            shuffling="by_hand",
            stop_card_beneath=None if stop is None else stop.beneath or 52,
            first_card=Card("9d"),
            set_aside=None if burn is None else burn.cards or 9,
        )
        assert judge_opening(game, seen) == ()


def test_every_rule_of_the_shoe_is_in_some_text() -> None:
    games: list[Game] = list(load_all().values())
    used = {rule.id for game in games for rule in game.rules}
    assert {*OPENING, *HAND} - used == set()
