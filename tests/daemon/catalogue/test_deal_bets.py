"""What becomes of bets dealt by a plan against the bank, when the bank plays, and the house's edge."""

from fractions import Fraction
from functools import cache
from math import comb

import pytest

from daemon.catalogue.bets import EDGES
from daemon.catalogue.bets.deal import (
    NOT_SAID,
    UNPAID,
    covers,
    edges,
    plays,
    settle_cards,
    settle_hands,
    settle_table,
    settle_two_cards,
)
from daemon.catalogue.bets.poker_hands import PokerHand, classify
from daemon.catalogue.bets.settlement import Settled
from daemon.catalogue.cards import parse, parse_all
from daemon.catalogue.families.deal import BankDeal, DealBet
from daemon.catalogue.load import load_as

ROYAL, QUADS, FULL = "Ac Kc Qc Jc Tc", "Kc Kd Kh Ks 7c", "8c 8d 8h 2s 2c"
FLUSH, STRAIGHT, TRIPS = "Ac Qc 8c 7c 4c", "Jc Td 9h 8s 7c", "Qc Qd Qh 7s 2c"
TWO, ACES, FOURS, THREES = "Kc Kd 7h 7s Ac", "Ac Ad 9h 7s 4c", "4c 4d 9h 7s Ac", "3c 3d Ah Ks Qc"
ACE_KING, ACE_QUEEN = "Ac Kd 9h 7s 4c", "Ac Qd Jh Ts 8c"


@cache
def game(game_id: str) -> BankDeal:
    return load_as(BankDeal, "es-ct", game_id)


def bet(game_id: str, bet_id: str) -> DealBet:
    return next(bet for bet in game(game_id).bets if bet.id == bet_id)


def hand(game_id: str, cards: str) -> PokerHand:
    return classify(parse_all(cards), game(game_id).ranks)


def told(settled: Settled) -> tuple[str, int | Fraction | None]:
    """The fate, and the pay or the part that is given back."""
    part = settled.pays or settled.back
    return settled.fate, None if part is None else Fraction(part.pays, part.per)


@pytest.mark.parametrize(
    ("game_id", "cards", "does"),
    [
        ("poker_without_draw", ACE_KING, True),
        ("poker_without_draw", ACE_QUEEN, False),
        ("poker_without_draw", THREES, True),
        ("tripoker", "Qc 3d 2h", True),
        ("tripoker", "Jc Td 8h", False),
        ("tripoker", "2c 2d 3h", True),
        ("texas_poker", FOURS, True),
        ("texas_poker", THREES, False),
        ("texas_poker", ACE_KING, False),
        ("texas_poker", TWO, True),
        ("four_card_poker", "2c 3d 4h 6s", True),
        ("texas_holdem_bonus", ACE_QUEEN, True),
    ],
)
def test_what_the_bank_needs_to_play(game_id: str, cards: str, does: bool) -> None:
    dealt = game(game_id)
    assert plays(hand(game_id, cards), dealt.qualification, dealt.ranks) is does


MAIN = [
    # game, player, bank, {bet: fate and pay}
    ("poker_without_draw", TWO, ACES, {"ante": ("wins", 1), "second_bet": ("wins", 2)}),
    ("poker_without_draw", ROYAL, ACES, {"ante": ("wins", 1), "second_bet": ("wins", 100)}),
    ("poker_without_draw", ACES, TWO, {"ante": ("loses", None), "second_bet": ("loses", None)}),
    ("poker_without_draw", ACES, ACES, {"ante": ("stands", None), "second_bet": ("stands", None)}),
    ("poker_without_draw", QUADS, ACE_QUEEN, {"ante": ("wins", 1), "second_bet": ("stands", None)}),
    ("tripoker", "Kc 3d 2h", "Qc 9d 2h", {"ante": ("wins", 1), "bet": ("wins", 1)}),
    ("tripoker", "Tc 3d 2h", "Jc 9d 2h", {"ante": ("wins", 1), "bet": ("stands", None)}),
    ("tripoker", "Qc 9s 2d", "Qd 9d 2h", {"ante": ("stands", None), "bet": ("stands", None)}),
    ("tripoker", "Jc 9s 2d", "Qd 9d 2h", {"ante": ("loses", None), "bet": ("loses", None)}),
    ("four_card_poker", "9c 8d 4h 2s", "9s 8c 4d 2h", {"ante": ("wins", 1), "play": ("wins", 1)}),
    ("four_card_poker", "9c 8d 4h 2s", "9s 8c 5d 2h", {"ante": ("loses", None), "play": ("loses", None)}),
    ("texas_poker", FULL, ACES, {"ante": ("wins", 3), "second_bet": ("wins", 1)}),
    ("texas_poker", STRAIGHT, ACES, {"ante": ("wins", 1), "second_bet": ("wins", 1)}),
    ("texas_poker", FLUSH, THREES, {"ante": ("wins", 2), "second_bet": ("stands", None)}),
    ("texas_poker", ACE_QUEEN, THREES, {"ante": ("wins", 1), "second_bet": ("stands", None)}),
    ("texas_holdem_bonus", STRAIGHT, ACES, {"ante": ("wins", 1), "flop": ("wins", 1), "river": ("wins", 1)}),
    ("texas_holdem_bonus", TRIPS, ACES, {"ante": ("stands", None), "flop": ("wins", 1), "turn": ("wins", 1)}),
    ("texas_holdem_bonus", ACES, ACES, {"ante": ("stands", None), "flop": ("stands", None)}),
    ("texas_holdem_bonus", ACES, TRIPS, {"ante": ("loses", None), "flop": ("loses", None)}),
]


@pytest.mark.parametrize(("game_id", "player", "bank", "fates"), MAIN)
def test_bets_against_the_bank(
    game_id: str, player: str, bank: str, fates: dict[str, tuple[str, int | None]]
) -> None:
    hands = hand(game_id, player), hand(game_id, bank)
    assert {id_: told(settle_hands(game(game_id), bet(game_id, id_), *hands)) for id_ in fates} == fates


def test_what_the_clauses_leave_open_is_said() -> None:
    poker, holdem = "poker_without_draw", "texas_holdem_bonus"
    unqualified = hand(poker, QUADS), hand(poker, ACE_QUEEN)
    assert settle_hands(game(poker), bet(poker, "second_bet"), *unqualified).note == NOT_SAID
    assert settle_hands(game(poker), bet(poker, "ante"), *unqualified).note is None
    assert (
        settle_hands(game(holdem), bet(holdem, "ante"), hand(holdem, TRIPS), hand(holdem, ACES)).note
        == UNPAID
    )
    tripoker = hand("tripoker", "Tc 3d 2h"), hand("tripoker", "Jc 9d 2h")
    assert settle_hands(game("tripoker"), bet("tripoker", "bet"), *tripoker).note is None


def test_the_line_that_pays_gives_the_clause() -> None:
    poker = "poker_without_draw"
    won = settle_hands(game(poker), bet(poker, "second_bet"), hand(poker, FULL), hand(poker, ACES))
    assert won.clause == "es-ct 10.V.1.d"
    tie = settle_hands(game(poker), bet(poker, "ante"), hand(poker, ACES), hand(poker, ACES))
    assert tie.clause == "es-ct 10.V.1"
    four = "four_card_poker"
    equal = hand(four, "9c 8d 4h 2s"), hand(four, "9s 8c 4d 2h")
    assert settle_hands(game(four), bet(four, "play"), *equal).clause == "es-ct 18.V.7"


@pytest.mark.parametrize(
    ("game_id", "bet_id", "cards", "fate"),
    [
        ("poker_without_draw", "insurance", FULL, ("wins", 100)),
        ("poker_without_draw", "insurance", FLUSH, ("loses", None)),
        ("poker_without_draw", "carousel", TRIPS, ("wins", 10)),
        ("trijoker", "third_bet", "Jc Jd 4h 3s 2c", ("wins", 1)),
        ("trijoker", "third_bet", "Tc Td 4h 3s 2c", ("loses", None)),
        ("trijoker", "third_bet", TWO, ("wins", 2)),
        ("triple_game", "poker", "Qc Qd 4h 3s 2c", ("wins", 1)),
        ("triple_game", "poker", "Jc Jd 4h 3s 2c", ("loses", None)),
        ("tripoker", "fortune", "2c 2d 4h", ("wins", 1)),
        ("tripoker", "fortune", "Ac Kd 4h", ("loses", None)),
        ("tripoker", "fortune", "Ac Ad Ah", ("wins", 25)),
        ("tripoker", "ante_bonus", "6c 5d 4h", ("wins", 1)),
        ("tripoker", "ante_bonus", "Ac Ad 4h", ("stands", None)),
        ("four_card_poker", "aces", "Ac Ad 4h 3s", ("wins", 1)),
        ("four_card_poker", "aces", "Kc Kd 4h 3s", ("loses", None)),
        ("four_card_poker", "ante_bonus", "Kc Kd Kh 3s", ("wins", 2)),
        ("texas_poker", "texas_bonus", ACES, ("wins", 7)),
        ("texas_poker", "texas_bonus", STRAIGHT, ("wins", 7)),
        ("texas_poker", "texas_bonus", FLUSH, ("wins", 25)),
        ("texas_poker", "texas_bonus", ROYAL, ("wins", 25)),
        ("texas_poker", "texas_bonus", "Kc Kd 9h 7s 4c", ("loses", None)),
    ],
)
def test_bets_on_a_table_of_pays(game_id: str, bet_id: str, cards: str, fate: tuple[str, int | None]) -> None:
    assert told(settle_table(game(game_id), bet(game_id, bet_id), hand(game_id, cards))) == fate


@pytest.mark.parametrize(
    ("own", "bank", "fate"),
    [
        ("As Ad", "Ac Ah", ("wins", 1000)),
        ("As Ad", "Ac Kh", ("wins", 30)),
        ("As Ks", "Ac Ah", ("wins", 25)),
        ("Js As", "2c 3h", ("wins", 20)),
        ("As Qs", "2c 3h", ("wins", 20)),
        ("Kd As", "2c 3h", ("wins", 15)),
        ("Ks Kd", "2c 3h", ("wins", 10)),
        ("Js Jd", "2c 3h", ("wins", 10)),
        ("Ad Js", "2c 3h", ("wins", 5)),
        ("Ts Td", "2c 3h", ("wins", 3)),
        ("2s 2d", "Ac Ah", ("wins", 3)),
        ("As Td", "Ac Ah", ("loses", None)),
        ("Ks Qs", "2c 3h", ("loses", None)),
    ],
)
def test_the_bonus_on_two_cards(own: str, bank: str, fate: tuple[str, int | None]) -> None:
    mine, theirs = parse_all(own), parse_all(bank)
    settled = settle_two_cards(bet("texas_holdem_bonus", "bonus"), (mine[0], mine[1]), (theirs[0], theirs[1]))
    assert told(settled) == fate


HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("game_id", "bet_id", "higher", "equal", "lower"),
    [
        ("reto", "ante", ("wins", 1), ("loses", HALF), ("loses", None)),
        ("reto", "challenge", ("wins", 1), ("wins", 2), ("loses", None)),
        ("reto", "tie", ("loses", None), ("wins", 10), ("loses", None)),
        ("triple_game", "challenge", ("wins", 1), ("loses", HALF), ("loses", None)),
    ],
)
def test_bets_that_one_card_decides(
    game_id: str, bet_id: str, higher: tuple[str, int], equal: tuple[str, int], lower: tuple[str, None]
) -> None:
    fates = [
        told(settle_cards(game(game_id), bet(game_id, bet_id), parse(player), parse(bank)))
        for player, bank in (("As", "Kd"), ("7s", "7d"), ("2c", "3s"))
    ]
    assert fates == [higher, equal, lower]


def test_a_line_on_cards_covers_no_hand() -> None:
    ranks = game("texas_poker").ranks
    assert not covers("aces", hand("texas_poker", ACES), ranks)
    assert not covers("equal_cards", hand("texas_poker", ACES), ranks)


# --- the house's edge -------------------------------------------------------------------------


def edge(game_id: str, bet_id: str, *place: str) -> Fraction:
    return next(e.edge for e in edges(game(game_id)) if (e.bet, e.place) == (bet_id, place))


def test_the_edges_of_bets_that_the_first_cards_decide() -> None:
    five, three = comb(52, 5), comb(52, 3)
    insurance = 2000 * 4 + 1000 * 36 + 300 * 624 + 100 * 3744
    assert edge("poker_without_draw", "insurance") == 1 - Fraction(insurance + 4 + 36 + 624 + 3744, five)
    fortune = 41 * 48 + 26 * 52 + 7 * 720 + 5 * 1096 + 2 * 3744
    assert edge("tripoker", "fortune") == 1 - Fraction(fortune, three)
    aces = 1098240 // 13
    bonus = 26 * (4 + 36 + 624 + 3744 + 5108) + 8 * (10200 + 54912 + 123552 + aces)
    assert edge("texas_poker", "texas_bonus") == 1 - Fraction(bonus, five)


def test_the_edge_of_the_bonus_counted_by_kinds_of_two_cards() -> None:
    back = 31 * 6 + 26 * 4 + 21 * 8 + 16 * 12 + 11 * 18 + 6 * 24 + 4 * 54
    both_have_aces = Fraction(970 * 6, comb(50, 2))
    assert edge("texas_holdem_bonus", "bonus") == 1 - (back + both_have_aces) / comb(52, 2)


def test_trijokers_third_bet_has_nine_straights() -> None:
    jacks_up = 4 * 1098240 // 13
    won = 501 * 4 + 201 * 32 + 51 * 624 + 12 * 3744 + 9 * 5112 + 6 * 9180 + 4 * 54912 + 3 * 123552
    assert edge("trijoker", "third_bet") == 1 - Fraction(won + 2 * jacks_up, comb(52, 5))
    basis = {e.bet: e.basis for e in edges(game("trijoker"))}
    assert set(basis) == {"third_bet"}
    assert "ace" in str(basis["third_bet"])


def test_the_tie_of_the_reto_by_number_of_packs() -> None:
    assert edge("reto", "tie", "1") == 1 - 11 * Fraction(3, 51)
    assert edge("reto", "tie", "8") == 1 - 11 * Fraction(31, 415)
    assert [e.place for e in edges(game("reto"))] == [(str(packs),) for packs in range(1, 9)]


def test_bets_that_a_player_decides_have_no_edge() -> None:
    with_edge = {id_: {e.bet for e in EDGES["deal"](game(id_))} for id_ in ("four_card_poker", "triple_game")}
    assert with_edge == {"four_card_poker": set(), "triple_game": set()}
    assert {e.bet for e in edges(game("tripoker"))} == {"fortune"}
