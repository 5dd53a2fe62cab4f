"""Roulette's bets settled: every pocket, every place, what a zero gives back, and what the house keeps."""

from fractions import Fraction

import pytest

from daemon.catalogue.bets import EDGES
from daemon.catalogue.bets.roulette import edges, settle
from daemon.catalogue.bets.settlement import value
from daemon.catalogue.errors import UnknownPocket
from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Ratio

FRENCH, AMERICAN, DOUBLE = "french_roulette", "american_roulette", "american_roulette_double_zero"
SINGLE_ZERO = [(text, game) for text in ("es-1979", "es-ct", "es-ex") for game in (FRENCH, AMERICAN)]
DOUBLE_ZERO = [("es-ct", DOUBLE), ("es-ex", DOUBLE)]
PAYS = {1: 35, 2: 17, 3: 11, 4: 8, 5: 6, 6: 5, 12: 2, 18: 1, 24: Fraction(1, 2)}
"""What a bet on so many numbers pays to one, as all three texts have it."""
SIMPLE = {"red", "black", "even", "odd", "low", "high"}
PLACES = {
    "straight": 37,
    "split": 60,
    "street": 14,
    "corner": 23,
    "six_line": 11,
    "column": 3,
    "dozen": 3,
    "double_column": 2,
    "double_dozen": 2,
    **dict.fromkeys(SIMPLE, 1),
}
"""Places on the cloth of es-ct with a single zero; the zero's trios and four are its own words."""


def roulette(text: str, game_id: str) -> Roulette:
    return load_as(Roulette, text, game_id)


@pytest.mark.parametrize(("text", "game_id"), SINGLE_ZERO + DOUBLE_ZERO)
def test_every_pocket_wins_where_it_lies_and_loses_elsewhere(text: str, game_id: str) -> None:
    game = roulette(text, game_id)
    for number in game.layout.pockets:
        for settled in settle(game, number):
            pays = PAYS[len(settled.place)]
            if number in settled.place:
                assert (settled.fate, value(settled), settled.back) == ("wins", pays, None)
            elif settled.bet in SIMPLE and number in ("0", "00"):
                assert (settled.fate, value(settled)) == ("loses", Fraction(-1, 2))
                assert settled.back == Ratio(1, 2)
                assert settled.clause == game.zero.clause
            else:
                assert (settled.fate, value(settled), settled.back) == ("loses", -1, None)


def test_every_bet_is_settled_at_every_place() -> None:
    for number in ("0", "17", "36"):
        counted: dict[str, int] = {}
        for settled in settle(roulette("es-ct", FRENCH), number):
            counted[settled.bet] = counted.get(settled.bet, 0) + 1
        assert counted == PLACES


def test_only_the_french_roulette_leaves_the_choice_of_prison() -> None:
    for text in ("es-1979", "es-ct", "es-ex"):
        notes = {
            game_id: {s.note for s in settle(roulette(text, game_id), "0") if s.bet in SIMPLE}
            for game_id in (FRENCH, AMERICAN)
        }
        assert notes[AMERICAN] == {None}
        [said] = notes[FRENCH]
        assert said is not None
        assert "prison" in said
        assert {s.note for s in settle(roulette(text, FRENCH), "17")} == {None}


@pytest.mark.parametrize("number", ["00", "37", ""])
def test_a_pocket_that_is_not_there_settles_nothing(number: str) -> None:
    with pytest.raises(UnknownPocket):
        settle(roulette("es-ct", FRENCH), number)


@pytest.mark.parametrize(("text", "game_id"), SINGLE_ZERO)
def test_one_zero_keeps_a_thirty_seventh_and_half_of_it_on_simple_chances(text: str, game_id: str) -> None:
    """By hand: n numbers win (36 - n)/37 and lose (37 - n)/37; a chance wins 18/37 and loses 18.5/37."""
    found = edges(roulette(text, game_id))
    assert {e.edge for e in found if e.bet not in SIMPLE} == {Fraction(1, 37)}
    assert {e.edge for e in found if e.bet in SIMPLE} == {Fraction(1, 74)}
    bases = {e.basis for e in found if e.bet in SIMPLE}
    assert bases == ({"on a zero half is taken back, no prison"} if game_id == FRENCH else {None})
    assert {e.basis for e in found if e.bet not in SIMPLE} == {None}


@pytest.mark.parametrize(("text", "game_id"), DOUBLE_ZERO)
def test_two_zeros_keep_two_thirty_eighths_and_three_of_the_special_line(text: str, game_id: str) -> None:
    """The line: five numbers at 6 to 1 win 30/38 and lose 33/38."""
    found = {(e.bet, e.place): e.edge for e in edges(roulette(text, game_id))}
    assert found.pop(("special_line", ("0", "00", "1", "2", "3"))) == Fraction(3, 38)
    simple = {found.pop(key) for key in [key for key in found if key[0] in SIMPLE]}
    assert simple == {Fraction(1, 38)}
    assert set(found.values()) == {Fraction(2, 38)}


def test_every_wheel_says_what_it_keeps() -> None:
    assert {"roulette", "boule", "fortune_wheel"} <= set(EDGES)
    assert EDGES["roulette"](roulette("es-ct", AMERICAN)) == edges(roulette("es-ct", AMERICAN))


def test_nothing_is_settled_where_the_pays_are_not_known() -> None:
    """A zero of France's roulette: the article on it was not read, so nothing is said of it."""
    for text, game_id in (("fr-2007", FRENCH), ("us-sd", AMERICAN)):
        assert settle(roulette(text, game_id), "0") == ()
        assert edges(roulette(text, game_id)) == ()
