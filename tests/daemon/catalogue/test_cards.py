"""Cards: their two characters, what is refused, and what they count at baccarat and blackjack."""

from collections import Counter

import pytest

from daemon.catalogue.cards import (
    JOKER,
    Card,
    baccarat_total,
    baccarat_value,
    blackjack_total,
    color,
    is_blackjack,
    pack,
    parse,
    parse_all,
    points,
    rank,
    suit,
)
from daemon.catalogue.errors import CatalogueError, NotACard


def test_a_french_pack_has_fifty_two_cards_and_a_spanish_one_forty() -> None:
    french, spanish = pack(), pack("spanish")
    assert (len(french), len(set(french)), len(spanish), len(set(spanish))) == (52, 52, 40, 40)
    assert {"As", "Th", "2c", "Kd"} <= set(french)
    assert {"1o", "7b", "Sc", "Ce", "Rb"} <= set(spanish)
    assert len(pack(jokers=1)) == 53
    assert pack(jokers=1)[-1] == JOKER


def test_every_card_of_a_pack_reads_back() -> None:
    assert tuple(parse(str(card)) for card in pack()) == pack()
    assert parse_all(" ".join(pack("spanish")), "spanish") == pack("spanish")
    assert parse("Jk", jokers=True) == JOKER


@pytest.mark.parametrize(
    "code",
    ["", "T", "10h", "th", "TH", "hT", "1h", "Xx", "T♥", " Th", "Th ", "14", "Sc", "1o", "Jk", "²c", "AS"],
)
def test_what_is_no_french_card_is_refused(code: str) -> None:
    with pytest.raises(NotACard, match="is no card of a french pack") as caught:
        parse(code)
    assert isinstance(caught.value, CatalogueError)


@pytest.mark.parametrize("code", ["8o", "9c", "Th", "As", "sc", "10o", "1O", "Jk", "o1", "", "Kb"])
def test_what_is_no_spanish_card_is_refused(code: str) -> None:
    with pytest.raises(NotACard, match="is no card of a spanish pack"):
        parse(code, "spanish", jokers=True)


def test_one_bad_card_among_good_ones_is_refused() -> None:
    with pytest.raises(NotACard, match="'1h'"):
        parse_all("As 1h Th")


def test_rank_suit_and_color() -> None:
    (card,) = parse_all("Qd")
    assert (rank(card), suit(card), color(card)) == ("Q", "d", "red")
    assert [color(each) for each in parse_all("Ac Ad Ah As")] == ["black", "red", "red", "black"]
    for without in (JOKER, Card("Rb")):
        with pytest.raises(NotACard):
            color(without)
        with pytest.raises(NotACard):
            points(without)


def test_what_cards_count() -> None:
    spades = parse_all("As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks")
    assert [points(card) for card in spades] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert [baccarat_value(card) for card in spades] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]
    assert Counter(map(baccarat_value, pack())) == {0: 16, **dict.fromkeys(range(1, 10), 4)}


@pytest.mark.parametrize(
    ("cards", "total"), [("9s 7d", 6), ("Ks Qs Jd", 0), ("As 8c", 9), ("", 0), ("5c 5d 9h", 9)]
)
def test_baccarat_counts_the_units_alone(cards: str, total: int) -> None:
    assert baccarat_total(parse_all(cards)) == total


@pytest.mark.parametrize(
    ("cards", "total", "natural"),
    [
        ("As Kd", 21, True),
        ("As Ad", 12, False),
        ("As Ad 9c", 21, False),
        ("As 6d", 17, False),
        ("As 6d Kc", 17, False),
        ("As Kd Qc", 21, False),
        ("Ks Qd 2c", 22, False),
        ("As", 11, False),
        ("", 0, False),
    ],
)
def test_blackjack_counts_one_ace_as_eleven_while_it_does_not_pass_twenty_one(
    cards: str, total: int, natural: bool
) -> None:
    held = parse_all(cards)
    assert (blackjack_total(held), is_blackjack(held)) == (total, natural)
