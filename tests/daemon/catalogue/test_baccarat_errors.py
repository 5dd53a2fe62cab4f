"""Errors at chemin de fer and baccarat with two tableaux: each alone, with its clause."""

from typing import Any

import msgspec
import pytest

from daemon.catalogue.bets.baccarat import deal
from daemon.catalogue.cards import Card, parse_all
from daemon.catalogue.families.baccarat import HandName
from daemon.catalogue.families.chemin_de_fer import CheminDeFer
from daemon.catalogue.families.two_tableaux import TwoTableaux
from daemon.catalogue.load import load_as
from daemon.catalogue.rules.baccarat import Evidence, evidence_of, judge


def chemin() -> CheminDeFer:
    return load_as(CheminDeFer, "es-ct", "chemin_de_fer")


def tableaux() -> TwoTableaux:
    return load_as(TwoTableaux, "es-ct", "baccarat_two_tableaux")


def cards(codes: str) -> tuple[Card, ...]:
    return parse_all(codes)


def hands(player: str, bank: str, **more: Any) -> Evidence:
    return Evidence(hands={"player": cards(player), "bank": cards(bank)}, **more)


ERRORS: dict[str, tuple[Evidence, str, str, str, dict[str, Any]]] = {
    "player draws on six": (
        hands("2h 4h 3d", "Ks 7s"),
        "baccarat.player_third_card",
        "8.VI",
        "finding",
        {"wrong": [{"hand": "player", "total": 6, "did": "draw", "cards": ["2h", "4h", "3d"]}]},
    ),
    "bank stands with zero though it may choose": (
        hands("2h 4h", "Ks Ts", by_table=False, finished=True),
        "baccarat.bank_third_card",
        "8.VI",
        "finding",
        {"total": 0, "thirds": {"player": None}, "did": "stand", "cards": ["Ks", "Ts"]},
    ),
    "both cards of the player were shown and the bank stood where it might choose": (
        hands("2h 2d 4d", "Ks 5s", exposed=2, exposed_by="croupier", finished=True),
        "baccarat.bank_third_card",
        "8.VI",
        "finding",
        {"total": 5, "thirds": {"player": 4}, "did": "stand", "cards": ["Ks", "5s"]},
    ),
    "a card for who stood goes to the bank": (
        hands("2h 3h 9d", "Ks 4s", calls={"player": "stand"}),
        "baccarat.card_not_called",
        "8.VIII.2",
        "finding",
        {"card": "9d", "bank_total": 4, "goes_to": "bank"},
    ),
    "a card for who stood is nobody's": (
        hands("2h 3h 9d", "Ks 6s", calls={"player": "stand"}),
        "baccarat.card_not_called",
        "8.VIII.2",
        "finding",
        {"card": "9d", "bank_total": 6, "goes_to": "nobody"},
    ),
    "a fault that cannot be mended": (
        Evidence(misdeal="a card too few"),
        "baccarat.misdeal",
        "8.VIII.2",
        "annul",
        {"misdeal": "a card too few"},
    ),
    "three first cards for the bank": (
        Evidence(bank_first_cards=3),
        "baccarat.bank_dealt_too_many",
        "8.VIII.3",
        "finding",
        {"bank_first_cards": 3, "bank_total": 0},
    ),
    "two third cards for the player": (
        hands("2h 2d 4d 9s", "Ks 7s"),
        "baccarat.two_third_cards",
        "8.VIII.3",
        "finding",
        {"hand": "player", "cards": ["4d", "9s"], "counts": "4d"},
    ),
    "two third cards for the bank": (
        hands("2h 4h", "Ks 2s 4d 9s"),
        "baccarat.two_third_cards",
        "8.VIII.3",
        "finding",
        {"hand": "bank", "cards": ["4d", "9s"], "counts": "9s"},
    ),
    "the player's first cards fall into the basket": (
        Evidence(lost=("player_first",)),
        "baccarat.cards_lost",
        "8.VIII.3",
        "finding",
        {"lost": ["player_first"]},
    ),
    "the bank throws cards away unseen": (
        Evidence(threw_away="bank"),
        "baccarat.bank_threw_cards_away",
        "8.VIII.3",
        "finding",
        {"threw_away": "bank", "counts": "lost"},
    ),
    "the player throws cards away unseen": (
        Evidence(threw_away="player"),
        "baccarat.player_threw_cards_away",
        "8.VIII.4",
        "finding",
        {"threw_away": "player", "counts": "lost"},
    ),
    "three players": (
        Evidence(players=(3,)),
        "baccarat.enough_players",
        "8.VII",
        "refuse",
        {"players": [3], "least": 4},
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_each_error_at_chemin_de_fer(case: str) -> None:
    seen, rule, clause, effect, what = ERRORS[case]
    found = {finding.rule: finding for finding in judge(chemin(), seen)}
    assert set(found) == {rule}
    assert (found[rule].clause, found[rule].effect, found[rule].evidence) == (f"es-ct {clause}", effect, what)


def test_what_is_no_error() -> None:
    game = chemin()
    good = [
        hands("2h 3h", "Ks 7s", finished=True),
        hands("2h 3h 4d", "Ks 7s", finished=True),
        hands("2h 2d 4d", "Ks 5s", finished=True),
        hands("2h 4h 3d", "Ks 7s", banco=True),
        hands("2h 2d 9d", "Ks 6s 2c", by_table=False),
        hands("2h 3h 9d", "Ks 4s", calls={"player": "draw"}),
        Evidence(players=(4,), bank_first_cards=2),
        Evidence(),
    ]
    assert [judge(game, seen) for seen in good] == [()] * len(good)


BANK, PLAYER = "baccarat.bank_third_card", "baccarat.player_third_card"


@pytest.mark.parametrize(
    ("player", "bank", "seen", "croupier", "banker", "nobody_knows"),
    [
        # drawn to six by a bank that need not play by the table
        ("2h 2d 9d", "Ks 6s 2c", {"by_table": False, "exposed": 1}, [BANK], [], []),
        ("2h 2d 9d", "Ks 6s 2c", {"by_table": False, "exposed": 2}, [BANK], [BANK], [BANK]),
        # drawn to six by a player who holds the whole bank
        ("2h 4h 3d", "Ks 7s", {"banco": True, "exposed": 1}, [PLAYER], [], []),
        # the bank stands where the table leaves it the choice
        ("2h 2d 4d", "Ks 5s", {"exposed": 2, "finished": True}, [BANK], [], []),
    ],
)
def test_cards_shown_bind_by_whose_mistake_it_was(
    player: str,
    bank: str,
    seen: dict[str, Any],
    croupier: list[str],
    banker: list[str],
    nobody_knows: list[str],
) -> None:
    """8.VIII.2 of the croupier's mistakes, 8.VIII.3 of the banker's."""
    by = {"croupier": croupier, "bank": banker, None: nobody_knows}
    found = {who: judge(chemin(), hands(player, bank, **seen, exposed_by=who)) for who in by}
    assert {who: [finding.rule for finding in findings] for who, findings in found.items()} == by


@pytest.mark.parametrize(("who", "rule"), [("bank", "bank"), ("first", "player"), ("second", "player")])
def test_with_two_tableaux_cards_thrown_away_count_zero(who: HandName, rule: str) -> None:
    (finding,) = judge(tableaux(), Evidence(threw_away=who))
    assert (finding.rule, finding.clause) == (f"baccarat.{rule}_threw_cards_away", "es-ct 9.VIII.5")
    assert finding.evidence == {"threw_away": who, "counts": "zero"}


def test_errors_with_two_tableaux() -> None:
    game = tableaux()
    lost = judge(game, Evidence(lost=("second",)))
    assert [(each.rule, each.clause, each.effect, each.evidence) for each in lost] == [
        ("baccarat.cards_lost", "es-ct 9.VIII.2", "annul", {"lost": ["second"]})
    ]
    few = judge(game, Evidence(players=(2, 1)))
    assert [(each.rule, each.clause, each.effect) for each in few] == [
        ("baccarat.enough_players", "es-ct 9.VII", "refuse")
    ]
    assert judge(game, Evidence(players=(2, 2))) == ()
    wrong = deal(
        game.deal,
        game.drawing,
        cards("2h 4c Ks 2d 2s 7s 9h"),
        calls={"first": "stand", "second": "draw"},
    )
    (finding,) = judge(game, evidence_of(wrong, finished=True))
    assert finding.evidence == {
        "wrong": [
            {"hand": "first", "total": 4, "did": "stand", "cards": ["2h", "2d"]},
            {"hand": "second", "total": 6, "did": "draw", "cards": ["4c", "2s", "9h"]},
        ]
    }
    free = Evidence(
        hands={"first": cards("Kh 9d"), "second": cards("3c Td 9h"), "bank": cards("Ks 3s")},
        finished=True,
        by_table=False,
    )
    assert [each.rule for each in judge(game, free)] == ["baccarat.bank_third_card"], "the natural binds it"
    unbound = msgspec.structs.replace(free, hands={**free.hands, "first": cards("Kh 2d 5c")})
    assert judge(game, unbound) == ()


def test_an_open_bank_is_played_twice_a_day_with_two_shoes_each() -> None:
    game = tableaux()
    assert judge(game, Evidence(open_bank=True, sessions_today=2, shoes_in_session=2)) == ()
    assert judge(game, Evidence(open_bank=False, sessions_today=3, shoes_in_session=3)) == ()
    assert judge(game, Evidence(sessions_today=3)) == ()
    (late,) = judge(game, Evidence(open_bank=True, sessions_today=3, shoes_in_session=1))
    assert (late.rule, late.clause, late.effect, late.evidence) == (
        "baccarat.open_bank_played_out",
        "es-ct 9.V.2",
        "refuse",
        {"sessions_today": 3, "most": [2]},
    )
    (full,) = judge(game, Evidence(open_bank=True, shoes_in_session=3))
    assert full.evidence == {"shoes_in_session": 3, "most": [2]}
