"""Misdeals: the same evidence under every game dealt by a plan, judged as each game's own clauses say."""

import msgspec
import pytest
from dealt_games import (
    BANK,
    BONUS,
    CIRCLE,
    DRAW,
    FOUR,
    NORMS,
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
    Verdict,
    found,
    game,
)

from daemon.catalogue.load import load_text
from daemon.catalogue.rules import deal
from daemon.catalogue.rules.deal import ANNULLING, STANDING, Evidence, Exposed, Hand, annulled, judge


def test_these_are_all_games_that_are_dealt_by_a_plan() -> None:
    games = load_text("es-ct").games
    assert [id_ for id_ in games if id_ in BANK or id_ in CIRCLE] == BANK + CIRCLE
    assert [id_ for id_ in BANK if game(id_).kind != "counterparty"] == []
    assert [id_ for id_ in CIRCLE if game(id_).kind != "circle"] == []


# --- cards that show --------------------------------------------------------------------------

PLAYERS = Exposed(place="player", seat=3, card="7h", number=1, by="dealer")
BANKS = Exposed(place="bank", card="7h", number=1)
JACK = Exposed(place="common", card="Jc", number=1)
TEN = Exposed(place="common", card="Ts", number=2)
BOXED = Exposed(place="pack", card="2d")
BY_HIM = Exposed(place="player", seat=3, card="7h", by="player")

SHOWN: list[tuple[str, tuple[Exposed, ...], dict[str, Verdict]]] = [
    (
        "a player's first card, by the dealer",
        (PLAYERS,),
        {
            POKER: ("annul_all", "10.VI"),
            TRIJOKER: ("stays", "11.VII.2"),
            DRAW: ("new_deal", "23.1.III.1.c"),
            SYNTHETIC: ("new_deal", "23.2.5.V.1.c"),
        },
    ),
    (
        "a player's second card, by the dealer",
        (msgspec.structs.replace(PLAYERS, number=2),),
        {
            POKER: ("annul_all", "10.VI"),
            TRIJOKER: ("stays", "11.VII.2"),
            SYNTHETIC: ("new_deal", "23.2.5.V.1.c"),
        },
    ),
    (
        "a card of the bank's",
        (BANKS,),
        {POKER: ("annul_all", "10.VI"), TEXAS: ("new_deal", "20.VIII.1.c"), BONUS: ("annul_all", "22.VI.a")},
    ),
    ("a common jack", (JACK,), {TRIJOKER: ("annul_all", "11.VII.2")}),
    ("a common ten", (TEN,), {TRIJOKER: ("stays", "11.VII.2")}),
    ("a common card that was not read", (Exposed(place="common"),), {}),
    (
        "one card face up in the pack",
        (BOXED,),
        {
            POKER: ("annul_all", "10.VI"),
            TRIJOKER: ("annul_all", "11.VIII.1"),
            TRIPLE: ("discarded", "21.VI.1"),
            BONUS: ("discarded", "22.VI.b"),
            SYNTHETIC: ("new_deal", "23.2.5.V.1.c"),
        },
    ),
    (
        "two cards face up in the pack",
        (BOXED, BOXED),
        {
            POKER: ("annul_all", "10.VI"),
            TRIJOKER: ("annul_all", "11.VIII.1"),
            TRIPLE: ("reshuffle", "21.VI.1"),
            BONUS: ("reshuffle", "22.VI.b"),
            **dict.fromkeys([NORMS, DRAW, *STUDS], ("new_deal", "23.VIII.1.e")),
            SYNTHETIC: ("new_deal", "23.VIII.1.e"),
        },
    ),
    (
        "a player's own card, by mistake",
        (msgspec.structs.replace(BY_HIM, on_purpose=False),),
        {
            POKER: ("forfeit", "10.VI"),
            TRIJOKER: ("none", "11.VIII.2"),
            TEXAS: ("stays", "20.VIII.3.b"),
            BONUS: ("none", "22.III"),
            **dict.fromkeys([NORMS, DRAW, SYNTHETIC], ("stays", "23.VIII.3.e")),
            **dict.fromkeys(STUDS, ("covered", "23.2.1.II.3")),
        },
    ),
    (
        "a player's own card, on purpose",
        (msgspec.structs.replace(BY_HIM, on_purpose=True),),
        {
            POKER: ("forfeit", "10.VI"),
            TRIJOKER: ("none", "11.VIII.2"),
            BONUS: ("none", "22.III"),
            **dict.fromkeys(CIRCLE, ("annul_player", "23.VIII.3.e")),
        },
    ),
]


@pytest.mark.parametrize("game_id", [*BANK, *CIRCLE])
@pytest.mark.parametrize(("cards", "verdicts"), [row[1:] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_cards_that_show(game_id: str, cards: tuple[Exposed, ...], verdicts: dict[str, Verdict]) -> None:
    expected = [verdicts[game_id]] if game_id in verdicts else []
    if game_id == SYNTHETIC and cards == (BOXED, BOXED):
        expected.append(("new_deal", "23.2.5.V.1.c"))
    assert found(game_id, Evidence(exposed=cards)) == expected


def test_the_seventh_card_that_shows_ends_the_raises_between_two_players() -> None:
    seventh = (Exposed(place="player", seat=3, number=7, by="dealer"),)
    assert found(SEVEN, Evidence(exposed=seventh, players_left=2)) == [("showdown", "23.2.1.II.2.a")]
    assert found(SEVEN, Evidence(exposed=seventh, players_left=3)) == []
    assert found(SEVEN, Evidence(exposed=seventh)) == []
    assert found(OMAHA, Evidence(exposed=seventh, players_left=2)) == []


# --- everything else --------------------------------------------------------------------------

OTHER: list[tuple[Evidence, dict[str, Verdict]]] = [
    (
        Evidence(wrong_order=True),
        {
            TEXAS: ("new_deal", "20.VIII.1.a"),
            **dict.fromkeys(CIRCLE, ("new_deal", "23.VIII.1.a")),
            SYNTHETIC: ("new_deal", "23.2.5.V.1.a"),
        },
    ),
    (
        Evidence(cards_missing=True),
        {TEXAS: ("new_deal", "20.VIII.1.d"), **dict.fromkeys(CIRCLE, ("new_deal", "23.VIII.1.f"))},
    ),
    (
        Evidence(pack_defective=True),
        {TEXAS: ("new_deal", "20.VIII.1.e"), **dict.fromkeys(CIRCLE, ("new_deal", "23.VIII.1.g"))},
    ),
    (Evidence(others_card_seen=(4,)), dict.fromkeys(CIRCLE, ("new_deal", "23.VIII.1.d"))),
    (Evidence(empty_seats=(5,)), dict.fromkeys(CIRCLE, ("new_deal", "23.VIII.1.h"))),
    (Evidence(absent_seats=(5,)), dict.fromkeys(CIRCLE, ("stays", "23.VIII.2.b"))),
    (Evidence(drawn_unseen=1), {TRIPLE: ("next_card", "21.VI.1"), BONUS: ("next_card", "22.VI.c")}),
    (
        Evidence(drawn_early=1),
        {
            **dict.fromkeys(STUDS, ("withdrawn", "23.2.1.II.2.b")),
            SYNTHETIC: ("replaced", "23.2.5.V.2.b"),
        },
    ),
    (Evidence(hands_touched=(2, 3)), {TEXAS: ("annul_player", "20.VIII.3.a")}),
    (Evidence(common_turned=2, stock=5), {SYNTHETIC: ("replaced", "23.2.5.V.2.a")}),
    (Evidence(common_turned=2), {SYNTHETIC: ("replaced", "23.2.5.V.2.a")}),
    (Evidence(common_turned=3, stock=1), {SYNTHETIC: ("annul_all", "23.2.5.V.2.a")}),
    (Evidence(common_turned=1, stock=0), {}),
    (
        Evidence(bets_closed=False),
        {
            POKER: ("finding", "10.VI"),
            TRIJOKER: ("finding", "11.VII.2"),
            RETO: ("finding", "14.V"),
            TRIPOKER: ("finding", "15.V"),
            FOUR: ("finding", "18.V.1"),
            TEXAS: ("finding", "20.VI"),
            BONUS: ("finding", "22.V"),
        },
    ),
    (Evidence(shuffles=2), dict.fromkeys(CIRCLE, ("finding", "23.VII.1"))),
    (Evidence(shuffles=3), {}),
    (Evidence(players=3), dict.fromkeys(CIRCLE, ("finding", "23.VII"))),
    (Evidence(players=4), {}),
    (Evidence(cut_exposed=True), dict.fromkeys(CIRCLE, ("finding", "23.VII.1"))),
]


@pytest.mark.parametrize("game_id", [*BANK, *CIRCLE])
@pytest.mark.parametrize(("evidence", "verdicts"), OTHER)
def test_other_evidence(game_id: str, evidence: Evidence, verdicts: dict[str, Verdict]) -> None:
    assert found(game_id, evidence) == ([verdicts[game_id]] if game_id in verdicts else [])


@pytest.mark.parametrize("game_id", [*BANK, *CIRCLE])
def test_evidence_that_is_missing_or_good_breaks_nothing(game_id: str) -> None:
    good = Evidence(
        exposed=(),
        bets_closed=True,
        wrong_order=False,
        cards_missing=False,
        pack_defective=False,
        others_card_seen=(),
        empty_seats=(),
        absent_seats=(),
        drawn_unseen=0,
        drawn_early=0,
        common_turned=1,
        stock=20,
        hands_touched=(),
        shuffles=4,
        cut_exposed=False,
    )
    assert found(game_id, Evidence()) == []
    assert found(game_id, good) == []


# --- whose hands ------------------------------------------------------------------------------


def test_whose_hands_are_annulled() -> None:
    texas, bonus = game(TEXAS), game(BONUS)
    nobody = annulled(judge(bonus, Evidence(drawn_unseen=1)))
    assert (nobody.everybody, nobody.seats, nobody.unknown) == (False, (), False)
    two = annulled(judge(texas, Evidence(hands_touched=(6, 2))))
    assert (two.everybody, two.seats, two.unknown) == (False, (2, 6), False)
    one = annulled(judge(bonus, Evidence(phase="deal", hands=(Hand(place="player", seat=3, cards=3),))))
    assert (one.everybody, one.seats, one.unknown) == (False, (3,), False)
    somebody = annulled(judge(bonus, Evidence(phase="deal", hands=(Hand(place="player", cards=3),))))
    assert (somebody.everybody, somebody.seats, somebody.unknown) == (False, (), True)
    both = Evidence(phase="deal", hands=(Hand(place="player", seat=1, cards=3),), exposed=(BANKS,))
    everybody = annulled(judge(bonus, both))
    assert (everybody.everybody, everybody.seats) == (True, (1,))


# --- the rules as data ------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", [*BANK, *CIRCLE])
def test_a_remedy_is_known_and_goes_with_the_effect(game_id: str) -> None:
    for rule in game(game_id).rules:
        remedy = rule.parameters.get("remedy")
        if rule.id.startswith("deal.") and remedy is not None:
            assert remedy in ANNULLING | STANDING, rule.id
            assert (rule.effect == "annul") == (remedy in ANNULLING), rule.id
        for cure in rule.parameters.get("cured", ()):
            assert cure in {"before_betting", "unseen", "in_order"}, rule.id


def test_every_rule_of_the_deal_is_some_games() -> None:
    used = {rule.id for game_id in (*BANK, *CIRCLE) for rule in game(game_id).rules}
    assert set(deal.ROUND) - used == set()
