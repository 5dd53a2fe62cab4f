"""Monte: the house's edge, against a count of every order in which the cards can come."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import pytest

from daemon.catalogue.bets import EDGES
from daemon.catalogue.bets.monte import outcome
from daemon.catalogue.bets.monte_edges import edges, layout_edges
from daemon.catalogue.cards import parse_all
from daemon.catalogue.families.monte import Monte
from daemon.catalogue.load import load_as

CATALAN = load_as(Monte, "es-ct", "monte")
Key = tuple[str, str]


def found(cards: str) -> dict[Key, Fraction]:
    layout = outcome(CATALAN, parse_all(cards, "spanish"))
    return {(edge.bet, "-".join(edge.place)): edge.edge for edge in layout_edges(CATALAN, layout)}


@cache
def comes_at_once(others: int, upper: int, lower: int) -> Mapping[str, Fraction]:
    """How likely a phase's first card decides it, counted card by card through the pack.

    The first phase's, and the second's when the upper or the lower row is the one that is left: the first
    match was then of the other row, so that all of this one's are still to come.
    """
    cards = others + upper + lower
    at_once = {"first": Fraction(upper + lower, cards)}
    left = {"upper": Fraction(0), "lower": Fraction(0)}
    weight = Fraction(1)
    for drawn in range(others + 1):  # cards that match nothing before the first match
        rest = cards - drawn
        match = weight * Fraction(upper + lower, rest)
        left["upper"] += match * Fraction(upper, rest - 1)
        left["lower"] += match * Fraction(lower, rest - 1)
        weight *= Fraction(others - drawn, rest)
    assert weight == 0
    return {**at_once, **left}


def test_the_edges_of_a_plain_layout() -> None:
    assert EDGES["monte"] is edges
    tenth, at_once = Fraction(1, 10), comes_at_once(24, 6, 6)
    first, second = at_once["first"], at_once["upper"]
    assert {(edge.bet, "-".join(edge.place)): edge.edge for edge in edges(CATALAN)} == {
        ("vista_hermosa", "1"): 1 - Fraction(33, 36),
        **{(bet, "1"): 1 - (12 - 11 * tenth * first) / 12 for bet in ("camo", "anti", "viudo")},
        ("salto", "1"): 1 - (4 - 3 * tenth * first) / 4,
        ("cards", "1-3"): tenth * first / 2,
        ("cards", "12-34"): tenth * first / 2,
        ("cards", "1-2"): tenth * (first + second) / 4,
        ("cards_second", "1-2"): tenth * second / 2,
        **{(f"{bet}_second", "1"): 1 - (6 - 5 * tenth * second) / 6 for bet in ("camo", "anti", "viudo")},
    }
    assert {edge.basis for edge in edges(CATALAN)} == {"one pack of 40; 0 cards doubled, 0 burnt"}


def test_the_edges_of_a_plain_layout_in_figures() -> None:
    shown = {(edge.bet, edge.place): edge.edge for edge in edges(CATALAN)}
    assert shown["camo", ("1",)] == Fraction(11, 360)
    assert shown["salto", ("1",)] == Fraction(1, 40)
    assert shown["cards", ("12", "34")] == Fraction(1, 60)
    assert shown["cards", ("1", "2")] == Fraction(17, 1320)
    assert shown["camo_second", ("1",)] == Fraction(1, 66)


@pytest.mark.parametrize(
    ("cards", "others", "upper", "vista"),
    [
        ("5o 2o 5c 4o 3o", 24, 5, 31),
        ("5o 2o 5c 2c 4o 3o", 24, 4, 30),
        ("7o 7c 5o 2o 4o 3o", 22, 6, 30),
    ],
)
def test_the_edges_of_other_layouts(cards: str, others: int, upper: int, vista: int) -> None:
    tenth, at_once = Fraction(1, 10), comes_at_once(others, upper, 6)
    matches = upper + 6
    edge = found(cards)
    camo = 11 - (6 - upper)
    assert edge["anti", "4"] == 1 - (camo + 1 - camo * tenth * at_once["first"]) / matches
    assert edge["vista_hermosa", "4"] == 1 - Fraction(vista + 1, others + matches)
    assert edge["cards", "12-34"] == edge["cards", "34-12"] == tenth * at_once["first"] / 2
    assert edge["cards_second", "3-4"] == tenth * at_once["lower"] / 2
    assert edge["anti_second", "2"] == 1 - (6 - 5 * tenth * at_once["upper"]) / upper


def test_the_edge_of_a_card_against_a_doubled_one_over_both_phases() -> None:
    """One of five matches of the row is annulled; the row decides the first phase five times in eleven."""
    at_once = comes_at_once(24, 5, 6)
    first, second = Fraction(4, 11), Fraction(6, 11) * Fraction(4, 5)
    kept = Fraction(1, 10) * (first * at_once["first"] + second * at_once["upper"]) / 2
    edge = found("5o 2o 5c 4o 3o")
    assert edge["cards", "1-2"] == edge["cards", "2-1"] == kept / (first + second)


def test_five_to_one_favours_the_player_on_a_doubled_row() -> None:
    assert found("5o 2o 5c 4o 3o")["anti_second", "2"] < 0
    assert found("5o 2o 5c 4o 3o")["anti_second", "4"] > 0


def test_a_match_that_is_out_never_comes() -> None:
    edge = found("5o 2o 5c 4o 3o")
    assert edge["camo", "1"] == edge["vista_hermosa", "1"] == 1


def test_no_edges_without_bets_or_without_the_rules_of_a_hand() -> None:
    assert edges(load_as(Monte, "es-ex", "monte")) == ()
    for cards in ("5o 2o", "5o 2o 4o 4c", "5o 2o 4o 3o 4c"):
        with pytest.raises(ValueError, match="no bets are made on a hand that is"):
            found(cards)
