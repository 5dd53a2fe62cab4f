"""What no throw, card, segment or table can be is refused by what settles bets and calls results out."""

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.catalogue import announcements
from daemon.catalogue.bets import (
    baccarat,
    boule,
    craps,
    deal,
    first_hand,
    fortune_wheel,
    french_bank,
    mahjong_pai_gow,
    monte,
    pai_gow_poker,
    poker_hands,
    punto_banco,
    roulette,
    sic_bo,
    trente_et_quarante,
)
from daemon.catalogue.cards import pack, parse_all
from daemon.catalogue.errors import (
    BrokenEvidence,
    CatalogueError,
    NotACard,
    NotDice,
    NoWords,
    UnknownPocket,
)
from daemon.catalogue.families.deal import BankDeal
from daemon.catalogue.load import load_all

GAMES = load_all()
FAMILIES: dict[str, Any] = {game.family: game for game in GAMES.values()}
OF_DICE = {
    "craps": lambda game, faces: craps.outcome(game, None, faces),
    "sic_bo": sic_bo.outcome,
    "french_bank": french_bank.outcome,
    "pai_gow_poker": first_hand.outcome,
    "mahjong_pai_gow": first_hand.outcome,
}
NOT_WHOLE = [True, 1.0, 2.5, math.nan, math.inf, None, "1", b"1", [1], (1,)]
SCALARS = st.none() | st.booleans() | st.integers(-2, 60) | st.floats() | st.text(max_size=2)
CODES = st.sampled_from([*pack(), *pack("spanish"), "XX", "", "as", "Jk"]) | SCALARS


@pytest.mark.parametrize("family", OF_DICE)
@pytest.mark.parametrize("face", [0, 7, -1, *NOT_WHOLE])
def test_no_such_face(family: str, face: Any) -> None:
    game = FAMILIES[family]
    faces = (face, *(1,) * (game.dice.count - 1))
    with pytest.raises(NotDice):
        OF_DICE[family](game, faces)


@pytest.mark.parametrize("family", OF_DICE)
@pytest.mark.parametrize("faces", [None, (), (1,) * 9, 5, "111", {1: 1}, [[1]]])
def test_no_throw(family: str, faces: Any) -> None:
    with pytest.raises(NotDice):
        OF_DICE[family](FAMILIES[family], faces)


@pytest.mark.parametrize("point", [0, 7, 11, 12, -6, 6.0, True, math.nan, "6", [6]])
def test_no_point(point: Any) -> None:
    for text in ("es-1979", "es-ct", "es-ex"):
        with pytest.raises(BrokenEvidence):
            craps.outcome(GAMES[text, "craps"], point, (3, 3))


@pytest.mark.parametrize("number", [None, 7, True, "00", "37", "07", "", " 7", [], {}, math.nan, b"7"])
def test_no_pocket(number: Any) -> None:
    single = GAMES["es-ct", "french_roulette"]
    for ask in (roulette.outcome, roulette.settle, roulette.wins, roulette.guidance):
        with pytest.raises(UnknownPocket):
            ask(single, number)
    for ask in (boule.outcome, boule.settle, boule.guidance):
        with pytest.raises(UnknownPocket):
            ask(FAMILIES["boule"], "0" if number == "" or number == 7 else number)


@pytest.mark.parametrize("place", [0, -1, 10**30, *NOT_WHOLE])
def test_no_hole_and_no_segment(place: Any) -> None:
    with pytest.raises(UnknownPocket):
        boule.number_in(FAMILIES["boule"], place)
    with pytest.raises(UnknownPocket):
        fortune_wheel.outcome(FAMILIES["fortune_wheel"], ("24", "15"), place)
    if place is not None:
        with pytest.raises(UnknownPocket):
            boule.outcome(FAMILIES["boule"], "1", place)


def test_a_hole_is_that_of_its_number() -> None:
    game = FAMILIES["boule"]
    for hole, number in enumerate(game.layout.pockets, 1):
        assert boule.outcome(game, number, hole).hole == hole
        with pytest.raises(UnknownPocket):
            boule.outcome(game, "1" if number != "1" else "2", hole)


@pytest.mark.parametrize("count", [-1, 10**30, *NOT_WHOLE])
def test_no_count_of_zeros(count: Any) -> None:
    game = FAMILIES["trente_et_quarante"]
    hand = trente_et_quarante.outcome(game, parse_all("Ts Js Qs As Th Jh Qh Ah"))
    for number in ("0", "7"):
        with pytest.raises(BrokenEvidence):
            roulette.guidance(GAMES["es-ct", "french_roulette"], number, zeros_before=count)
    with pytest.raises(BrokenEvidence):
        trente_et_quarante.guidance(game, hand, refaits_before=count)
    with pytest.raises(BrokenEvidence):
        trente_et_quarante.settle_prison(game, hand, count)


@pytest.mark.parametrize("card", ["XX", "", "as", "1o", 5, None, True, [], math.nan])
def test_no_french_card(card: Any) -> None:
    punto = FAMILIES["punto_banco"]
    hold = next(game for game in GAMES.values() if isinstance(game, BankDeal))
    for cards in ((card,), ("As", "Kh", "9c", "Kd", card), ("As", "Kh", "2c", "Kd", "5s", "6s", card)):
        with pytest.raises(NotACard):
            punto_banco.hands(punto, cards)
        with pytest.raises(NotACard):
            trente_et_quarante.deal(FAMILIES["trente_et_quarante"], cards)
    with pytest.raises(NotACard):
        baccarat.outcome(punto.drawing, ("As", card), ("As", "Kh"))
    with pytest.raises(NotACard):
        poker_hands.best(("As", "Kh", "2c", "Kd", card), hold.ranks)
    with pytest.raises(NotACard):
        deal.settle_cards(hold, hold.bets[0], card, card)


@pytest.mark.parametrize("card", ["XX", "", "As", 5, None, True, []])
def test_no_spanish_card(card: Any) -> None:
    game = next(game for game in GAMES.values() if game.family == "monte" and game.laying)
    with pytest.raises(NotACard):
        monte.outcome(game, ("1o", "2c", "3e", card))


@pytest.mark.parametrize("cards", [None, 5, math.nan])
def test_no_cards_at_all(cards: Any) -> None:
    with pytest.raises(NotACard):
        punto_banco.hands(FAMILIES["punto_banco"], cards)
    with pytest.raises(NotACard):
        parse_all(cards)


def test_a_million_cards_end() -> None:
    many = ("As", "Kh", "2c", "Kd") * 250_000
    assert punto_banco.hands(FAMILIES["punto_banco"], many).surplus
    assert trente_et_quarante.deal(FAMILIES["trente_et_quarante"], many).surplus
    hold = next(game for game in GAMES.values() if isinstance(game, BankDeal))
    with pytest.raises(ValueError, match="no hand is made of 1000000 cards"):
        poker_hands.best(many, hold.ranks)


@pytest.mark.parametrize("packs", [0, -1, *NOT_WHOLE])
def test_no_shoe(packs: Any) -> None:
    with pytest.raises(ValueError, match="are no shoe"):
        punto_banco.chances(FAMILIES["punto_banco"], packs)


@pytest.mark.parametrize("figure", [-1, *NOT_WHOLE])
def test_no_commission_round_or_tile(figure: Any) -> None:
    poker, tiles = FAMILIES["pai_gow_poker"], FAMILIES["mahjong_pai_gow"]
    refused = (CatalogueError, ValueError)
    with pytest.raises(refused):
        pai_gow_poker.settle(poker, "player", "player", percent=figure)
    with pytest.raises(refused):
        mahjong_pai_gow.open_bets(tiles, figure)
    with pytest.raises(refused):
        mahjong_pai_gow.worth(tiles, (figure, 2))


def test_nobodys_hand_is_better() -> None:
    poker = FAMILIES["pai_gow_poker"]
    for better in ("nobody", "", None, 1):
        with pytest.raises(BrokenEvidence):
            pai_gow_poker.settle(poker, "player", better, percent=poker.commission.percent)


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("remaining", [0, -1, *NOT_WHOLE])
def test_no_last_rounds(remaining: Any) -> None:
    with pytest.raises(ValueError, match="cannot be announced"):
        announcements.announce_last_rounds(GAMES["es-ct", "french_roulette"], remaining, "ca")


@pytest.mark.parametrize("total", [30, 41, 0, 31.0, True, None, math.nan])
def test_no_such_rows_are_called(total: Any) -> None:
    game = FAMILIES["trente_et_quarante"]
    hand = trente_et_quarante.outcome(game, parse_all("Ts Js Qs As Th Jh Qh Ah"))
    broken = msgspec.structs.replace(hand, black_total=total)
    with pytest.raises(BrokenEvidence):
        announcements.announce_rows(game, broken, "ca")


@pytest.mark.parametrize("language", ["de", "", None, "ES", 1])
def test_no_such_language(language: Any) -> None:
    game = GAMES["es-ct", "craps"]
    for announce in (
        announcements.announce_void,
        announcements.announce_no_more_bets,
        announcements.announce_betting_open,
        announcements.announce_change_of_dice,
    ):
        with pytest.raises(NoWords):
            announce(game, language)
    with pytest.raises(NoWords):
        announcements.announce_last_rounds(game, 2, language)


# --- whatever comes ---------------------------------------------------------------------------------


@given(cards=st.lists(CODES, max_size=14), spanish=st.lists(CODES, max_size=14))
def test_streams_of_cards_make_hands_or_are_refused(cards: list[Any], spanish: list[Any]) -> None:
    for game, ask, stream in (
        (FAMILIES["punto_banco"], punto_banco.hands, cards),
        (FAMILIES["trente_et_quarante"], trente_et_quarante.deal, cards),
        (FAMILIES["trente_et_quarante"], trente_et_quarante.outcome, cards),
        (FAMILIES["monte"], monte.outcome, spanish),
    ):
        try:
            ask(game, stream)
        except (CatalogueError, ValueError):
            continue
        assert parse_all(stream, "spanish" if game.family == "monte" else "french") == tuple(stream)
