"""Trente et quarante: the same evidence of rows, last cards and shoe under the three texts."""

import pytest

from daemon.catalogue.cards import Card
from daemon.catalogue.families.trente_et_quarante import TrenteEtQuarante
from daemon.catalogue.load import load_as
from daemon.catalogue.rules import shoe
from daemon.catalogue.rules.trente_et_quarante import HAND, Hand, judge

DEALING = {"es-1979": "es-1979 05.V.3", "es-ct": "es-ct 5.V.3", "es-ex": "es-ex 1.7.5.3"}
TEXTS = tuple(DEALING)


def game_of(text: str) -> TrenteEtQuarante:
    return load_as(TrenteEtQuarante, text, "trente_et_quarante")


SEEN: dict[str, tuple[Hand, str]] = {
    "a row short": (Hand(black_total=30, red_total=35), "trente_et_quarante.rows_complete"),
    "a card too many": (Hand(black_total=31, red_total=35, surplus=1), "trente_et_quarante.rows_complete"),
    "exposed, not burnt": (
        Hand(exposed=Card("4c"), exposed_burnt=False),
        "trente_et_quarante.exposed_card_burnt",
    ),
    "exposed, burnt": (Hand(exposed=Card("4c"), exposed_burnt=True), ""),
    "exposed, not seen what then": (Hand(exposed=Card("4c")), ""),
    "four beneath": (Hand(last_cards=4), "trente_et_quarante.last_cards_counted"),
    "five beneath": (Hand(last_cards=5), ""),
    "face up": (Hand(last_cards=5, last_cards_face_up=True), "trente_et_quarante.last_cards_counted"),
    "face down": (Hand(last_cards=5, last_cards_face_up=False), ""),
    "nothing seen": (Hand(), ""),
    "all well": (Hand(black_total=31, red_total=40, surplus=0), ""),
}
NOT_BROKEN = {
    ("es-1979", "exposed, not burnt"),
    ("es-ex", "exposed, not burnt"),
}
"""Evidence that breaks a rule under another text but not under this one."""


@pytest.mark.parametrize("case", SEEN)
@pytest.mark.parametrize("text", TEXTS)
def test_the_same_evidence_under_the_three_texts(text: str, case: str) -> None:
    hand, rule = SEEN[case]
    found = judge(game_of(text), hand)
    wanted = [] if not rule or (text, case) in NOT_BROKEN else [(rule, DEALING[text], "finding")]
    assert [(finding.rule, finding.clause, finding.effect) for finding in found] == wanted


def test_what_a_finding_shows() -> None:
    game = game_of("es-ct")
    assert judge(game, Hand(black_total=28, red_total=35))[0].evidence == {"until": 31, "black": 28}
    assert judge(game, SEEN["a card too many"][0])[0].evidence == {"until": 31, "surplus": 1}
    assert judge(game, SEEN["exposed, not burnt"][0])[0].evidence == {"exposed": "4c", "burnt": False}
    both = judge(game, Hand(last_cards=6, last_cards_face_up=True))[0].evidence
    assert both == {"last_cards": 6, "wanted": 5, "face_up": True}


@pytest.mark.parametrize("text", TEXTS)
def test_the_shoe_is_six_packs_of_one_back_without_indices_and_the_stop_card_annuls(text: str) -> None:
    game = game_of(text)
    good = shoe.Opening(packs=6, cards=312, backs=(6,), indices=False, stop_card_beneath=5)
    assert shoe.judge_opening(game, good) == ()
    bad = shoe.Opening(packs=5, cards=311, backs=(3, 3), indices=True, stop_card_beneath=7)
    assert [(finding.rule, finding.effect) for finding in shoe.judge_opening(game, bad)] == [
        ("shoe.packs", "refuse"),
        ("shoe.card_count", "refuse"),
        ("shoe.backs", "refuse"),
        ("shoe.indices", "refuse"),
        ("shoe.stop_card_depth", "finding"),
    ]
    (finding,) = shoe.judge(game, shoe.Hand(stop_card=True))
    assert (finding.rule, finding.effect, finding.clause) == (
        "shoe.stop_card_annuls_hand",
        "annul",
        DEALING[text],
    )
    assert {rule.id for rule in game.rules} - {*shoe.OPENING, *shoe.HAND} <= set(HAND)
