"""Monte: what the deciding card does to every bet, by the text's own clauses and examples."""

from fractions import Fraction

import pytest

from daemon.catalogue.bets.monte import outcome
from daemon.catalogue.bets.monte_stakes import settle, sides_of
from daemon.catalogue.bets.settlement import Settled, value
from daemon.catalogue.cards import pack, parse_all
from daemon.catalogue.families.monte import Monte, Phase
from daemon.catalogue.load import load_as

CATALAN = load_as(Monte, "es-ct", "monte")
PLAIN = "5o 2c 4e 3b"
FIVE = "5o 2o 5c 4o 3o"
"""The five is doubled; the two lies beside it, the four below it and the three below the two."""
FIVE_AND_TWO = "5o 2o 5c 2c 4o 3o"
FIVE_TRIPLED = "5o 2o 5c 5e 4o 3o"
FIVE_TRIPLED_TWO = "5o 2o 5c 5e 2c 4o 3o"
BOTH_TRIPLED = "5o 2o 5c 5e 2c 2e 4o 3o"

Key = tuple[str, str]


def settled(cards: str, phase: Phase = "first") -> dict[Key, Settled]:
    """Every bet by its id and place ("1", "1-2", "12-34"), after these cards."""
    hand = outcome(CATALAN, parse_all(cards, "spanish"))
    return {(bet.bet, "-".join(bet.place)): bet for bet in settle(CATALAN, hand, phase)}


def fates(cards: str, places: str, bet: str = "cards", phase: Phase = "first") -> str:
    """The initials of what becomes of a bet at these places: Wins, Loses, Stands, Waits as "-"."""
    after = settled(cards, phase)
    initials = {"wins": "W", "loses": "L", "stands": "S", "waits": "-"}
    return "".join(initials[after[bet, place].fate] for place in places.split())


def won(cards: str, bet: str, place: str, phase: Phase = "first") -> Fraction:
    return value(settled(cards, phase)[bet, place])


# --- without doubled cards ------------------------------------------------------------------------


def test_every_place_of_both_phases() -> None:
    first = settled(f"{PLAIN} 5c")
    assert [place for bet, place in first if bet == "cards"] == [
        *("1-2", "2-1", "3-4", "4-3", "1-3", "3-1", "2-4", "4-2"),
        *("12-34", "34-12", "13-24", "24-13", "14-23", "23-14"),
    ]
    squares = {bet: [p for b, p in first if b == bet] for bet in ("vista_hermosa", "camo", "salto")}
    assert {tuple(places) for places in squares.values()} == {("1", "2", "3", "4")}
    second = settled(f"{PLAIN} 5c 4b", "second")
    assert sorted(second) == [
        *(("anti_second", "3"), ("anti_second", "4"), ("camo_second", "3"), ("camo_second", "4")),
        *(("cards", "3-4"), ("cards", "4-3"), ("cards_second", "3-4"), ("cards_second", "4-3")),
        *(("viudo_second", "3"), ("viudo_second", "4")),
    ]


def test_the_first_phase_settles_all_but_the_row_that_goes_on() -> None:
    cards = f"{PLAIN} 7o 2e"
    assert fates(cards, "2-1 1-2 2-4 4-2 12-34 34-12 24-13 13-24 23-14 14-23") == "WLWLWLWLWL"
    assert fates(cards, "3-4 4-3") == "--", "the lower row goes on"
    assert fates(cards, "1-3 3-1") == "SS", "its upper card is turned down"
    assert fates(cards, "1 2 3 4", "camo") == "LWLL"
    assert fates(cards, "1 2 3 4", "anti") == fates(cards, "1 2 3 4", "viudo") == "LLLL"
    assert fates(cards, "1 2 3 4", "salto") == "LWLL"
    assert fates(cards, "1 2 3 4", "vista_hermosa") == "LLLL", "it was not the first card"
    lower = f"{PLAIN} 3o"
    assert fates(lower, "4-3 3-4 4-2 2-4 34-12 1-2 2-1 1-3 3-1") == "WLWLW--SS"


def test_the_second_phase_settles_what_waited_and_its_own_bets() -> None:
    cards = f"{PLAIN} 7o 2e 6o 4b"
    for bet in ("cards", "cards_second"):
        assert fates(cards, "3-4 4-3", bet, "second") == "WL"
    assert fates(cards, "3 4", "camo_second", "second") == "WL"
    assert fates(cards, "3 4", "anti_second", "second") == "LL"
    assert won(cards, "camo_second", "3", "second") == 5
    assert won(cards, "cards_second", "3-4", "second") == 1
    for phase, short in (("first", f"{PLAIN} 7o"), ("second", f"{PLAIN} 7o 2e 6o"), ("first", "5o 2o 4o 4c")):
        with pytest.raises(ValueError, match="nothing has decided"):
            settled(short, phase)  # type: ignore[arg-type]


def test_what_the_bets_pay_and_the_tenth_that_the_house_keeps_at_once() -> None:
    later, at_once = f"{PLAIN} 7o 2e", f"{PLAIN} 2e"
    for bet, place, pays in (("camo", "2", 11), ("salto", "2", 3), ("cards", "2-1", 1)):
        assert won(later, bet, place) == pays
        assert won(at_once, bet, place) == Fraction(pays * 9, 10)
        assert won(at_once, bet, "1" if place == "2" else "1-2") == -1, "of winnings only"
    assert settled(at_once)["camo", "2"].note == "less 10/100: es-ct 13.V"
    assert settled(later)["camo", "2"].note is None
    assert won(at_once, "vista_hermosa", "2") == 32, "it is spared"
    assert won(f"{PLAIN} 2b", "vista_hermosa", "2") == -1, "only by the next suit"
    ended = f"{PLAIN} 7o 2e 4b"
    assert won(ended, "camo_second", "3", "second") == Fraction(9, 2)
    assert won(ended, "cards", "3-4", "second") == Fraction(9, 10)


@pytest.mark.parametrize(
    ("cards", "vista", "camo"),
    [
        ("5o 2o 4o 3o", 32, 11),
        ("5o 2o 5c 4o 3o", 31, 10),
        ("5o 2o 5c 5e 4o 3o", 30, 9),
        ("5o 2o 5c 5e 2b 2c 4o 3o", 28, 7),
        ("7o 7c 5o 2o 4o 3o", 30, 11),
        ("7o 7c 6o 6c 5o 2o 5c 4o 3o", 27, 10),
    ],
)
def test_doubled_and_burnt_cards_take_a_point_each(cards: str, vista: int, camo: int) -> None:
    assert won(f"{cards} 4c", "vista_hermosa", "3") == vista
    assert won(f"{cards} Ro 4c", "camo", "3") == camo
    assert won(f"{cards} Ro 4b", "anti", "3") == camo
    assert won(f"{cards} Ro 4e", "viudo", "3") == camo
    assert won(f"{cards} Ro 4b", "salto", "3") == 3, "no deduction is printed"
    assert won(f"{cards} Ro 4b Rc 5b", "anti_second", "1", "second") == 5, "nor here"


# --- what doubled cards annul: the clauses --------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "clause", "annulled"),
    [
        (FIVE, "13.VI.4.2.a", {"1-2": "2c", "1-3": "4c", "12-34": "4c", "13-24": "2c", "14-23": "2c 4c"}),
        (FIVE_AND_TWO, "13.VI.4.2.b", {"1-3": "4c", "2-4": "3c", "12-34": "4c 3c"}),
        (
            FIVE_TRIPLED,
            "13.VI.4.2.c",
            {
                "1-2": "2c 2e",
                "1-3": "4c",
                "12-34": "4c 3c",
                "13-24": "2c 2e 4c 3c",
                "14-23": "2c 2e 4c 3c",
            },
        ),
        (
            FIVE_TRIPLED_TWO,
            "13.VI.4.2.d",
            {
                "1-2": "2e",
                "1-3": "4c 4e",
                "2-4": "3c",
                "12-34": "4c 4e 3c",
                "13-24": "2e",
                "14-23": "2e 4c 4e 3c",
            },
        ),
        (
            BOTH_TRIPLED,
            "13.VI.4.2.d",
            {"1-3": "4c 4e", "2-4": "3c 3e", "12-34": "4c 4e 3c 3e", "14-23": "4c 4e 3c 3e"},
        ),
    ],
)
@pytest.mark.parametrize("mirrored", [False, True])
def test_matches_that_count_for_neither_side(
    cards: str, clause: str, annulled: dict[str, str], mirrored: bool
) -> None:
    """Every card that is left, against every bet of sides, and the same with the second card doubled."""
    turned = str.maketrans("1234", "2143") if mirrored else {}
    if mirrored:
        first, second, *doubling, third, fourth = cards.split()
        cards = " ".join((second, first, *doubling, fourth, third))
    wanted = {
        frozenset("".join(sorted(side)) for side in place.translate(turned).split("-")): set(which.split())
        for place, which in annulled.items()
    }
    out = set(cards.split())
    for own, against in sides_of("first"):
        place = "-".join("".join(map(str, side)) for side in (own, against))
        found = set()
        for card in pack("spanish"):
            if card in out or card[0] not in "5243":
                continue
            bet = settled(f"{cards} {card}")["cards", place]
            if bet.note == "annulled":
                assert (bet.fate, bet.clause) == ("stands", f"es-ct {clause}")
                found.add(str(card))
        assert found == wanted.get(frozenset(place.split("-")), set()), place


def test_the_sides_are_even_chances_save_where_the_text_leaves_them_uneven() -> None:
    uneven = {
        FIVE: {"14-23": (5, 4)},
        FIVE_AND_TWO: {},
        FIVE_TRIPLED: {"1-3": (1, 2)},
        FIVE_TRIPLED_TWO: {"14-23": (3, 2)},
        BOTH_TRIPLED: {},
        PLAIN: {},
    }
    for cards, exceptions in uneven.items():
        out = set(cards.split())
        for place in ("1-2", "3-4", "1-3", "2-4", "12-34", "13-24", "14-23"):
            after = [
                fates(f"{cards} {card}", place)
                for card in pack("spanish")
                if card not in out and card[0] in "5243"
            ]
            chances = (after.count("W"), after.count("L"))
            assert chances == exceptions.get(place, (chances[0], chances[0])), (cards, place)


def test_a_bet_on_a_value_has_even_chances_whatever_is_doubled() -> None:
    for cards, each in ((PLAIN, 3), (FIVE, 2), (FIVE_AND_TWO, 2), (FIVE_TRIPLED, 1), (BOTH_TRIPLED, 1)):
        out = set(cards.split())
        for square in "1234":
            after = [
                fates(f"{cards} {card}", square, "salto")
                for card in pack("spanish")
                if card not in out and card[0] in "5243"
            ]
            assert (after.count("W"), after.count("L")) == (each, 3 * each), (cards, square)


def test_annulled_on_a_value_with_its_clause() -> None:
    doubled = settled(f"{FIVE} 2c")
    for square in "1234":
        bet = doubled["salto", square]
        assert (bet.fate, bet.clause, bet.note) == ("stands", "es-ct 13.VI.4.3.a", "annulled")
    assert settled(f"{FIVE_TRIPLED} 2e")["salto", "2"].clause == "es-ct 13.VI.4.3.b"
    assert fates(f"{FIVE} 5e", "1 2 3 4", "salto") == "WLLL"
    assert fates("5o 2o 5b 4o 3o 5c", "1 2 3 4", "salto") == "WLLL", "its own doubling annuls nothing"
    assert fates("5o 2o 5b 2b 4o 3o 5c", "1 2 3 4", "salto") == "SSSS", "but the other's does"


def test_an_annulled_match_ends_the_phase_and_wins_as_a_match() -> None:
    cards = f"{FIVE} 7o 2c"
    assert fates(cards, "1 2 3 4", "camo") == "LWLL"
    assert won(cards, "camo", "2") == 10
    assert fates(cards, "1-2 2-1 2-4 12-34 3-4") == "SSWW-"


def test_sides_in_the_second_phase_are_annulled_too() -> None:
    cards = f"{FIVE} 4b"
    for bet in ("cards", "cards_second"):
        assert fates(f"{cards} 2c", "1-2 2-1", bet, "second") == "SS"
        assert fates(f"{cards} 2e", "1-2 2-1", bet, "second") == "LW"
        assert fates(f"{cards} 5b", "1-2 2-1", bet, "second") == "WL"
    assert fates(f"{cards} 2c", "1 2", "camo_second", "second") == "LW"
    assert fates(f"{FIVE} 5b 3c", "3-4 4-3", "cards", "second") == "LW", "no doubled card plays there"


# --- what doubled cards annul: the text's examples -------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "card", "places", "fate"),
    [
        # the five doubled: the two against it does not win with its camo, and the five does not lose
        (FIVE, "2c", "2-1 1-2", "SS"),
        (FIVE, "2e", "2-1 1-2", "WL"),
        (FIVE, "2b", "2-1 1-2", "WL"),
        # the three and the four against the two and the five: not with the four's camo, but with all others
        (FIVE, "4c", "34-12 12-34", "SS"),
        (FIVE, "4e", "34-12 12-34", "WL"),
        (FIVE, "3c", "34-12 12-34", "WL"),
        # the five does not lose with the camo of the two and of the four
        (FIVE, "2c", "1-2 13-24", "SS"),
        (FIVE, "4c", "1-3 12-34", "SS"),
        # when the five comes, all that play against it lose
        (FIVE, "5e", "2-1 3-1 34-12 24-13 23-14", "LLLLL"),
        # the five and the two doubled, against the four and the three
        (FIVE_AND_TWO, "4c", "12-34 34-12", "SS"),
        (FIVE_AND_TWO, "3c", "12-34 34-12", "SS"),
        (FIVE_AND_TWO, "4b", "12-34 34-12", "LW"),
        (FIVE_AND_TWO, "3e", "12-34 34-12", "LW"),
        (FIVE_AND_TWO, "5e", "12-34 34-12 1-3", "WLW"),
        (FIVE_AND_TWO, "2b", "12-34 34-12 2-4", "WLW"),
        # diagonals
        (FIVE_AND_TWO, "4c", "14-23 23-14", "LW"),
        # the five tripled, against the two
        (FIVE_TRIPLED, "2c", "2-1 1-2", "SS"),
        (FIVE_TRIPLED, "2e", "2-1 1-2", "SS"),
        (FIVE_TRIPLED, "2b", "2-1 1-2", "WL"),
        # rows, with the camo of the three and the four
        (FIVE_TRIPLED, "3c", "12-34 34-12", "SS"),
        (FIVE_TRIPLED, "4c", "12-34 34-12", "SS"),
        (FIVE_TRIPLED, "3e", "12-34 34-12", "LW"),
        (FIVE_TRIPLED, "4b", "12-34 34-12", "LW"),
        # the five tripled and the two doubled: the four below the five only with its anti
        (FIVE_TRIPLED_TWO, "4c", "12-34 1-3", "SS"),
        (FIVE_TRIPLED_TWO, "4e", "12-34 1-3", "SS"),
        (FIVE_TRIPLED_TWO, "4b", "12-34 1-3", "LL"),
        (FIVE_TRIPLED_TWO, "3c", "12-34 2-4", "SS"),
        (FIVE_TRIPLED_TWO, "3e", "12-34 2-4", "LL"),
        (FIVE_TRIPLED_TWO, "2e", "1-2 2-1", "SS"),
        (FIVE_TRIPLED_TWO, "2b", "1-2 2-1", "LW"),
        (FIVE_TRIPLED_TWO, "5b", "1-2 2-1", "WL"),
        # both tripled: the four and the three only with their anti
        (BOTH_TRIPLED, "4e", "34-12 3-1", "SS"),
        (BOTH_TRIPLED, "3e", "34-12 4-2", "SS"),
        (BOTH_TRIPLED, "4b", "34-12 3-1", "WW"),
        (BOTH_TRIPLED, "5b", "12-34 1-2 1-3 34-12", "WWWL"),
        (BOTH_TRIPLED, "2b", "12-34 2-1 2-4 34-12", "WWWL"),
    ],
)
def test_the_examples_of_the_text(cards: str, card: str, places: str, fate: str) -> None:
    assert fates(f"{cards} {card}", places) == fate
