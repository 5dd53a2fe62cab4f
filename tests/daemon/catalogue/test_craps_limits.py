"""Craps' maxima: the text's bounds, and what follows from the simple bets' maximum."""

import math
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from daemon.catalogue.bets.craps_limits import StakeMaximum, maxima
from daemon.catalogue.errors import LimitRefused, MinimumRefused
from daemon.catalogue.families.craps import Craps
from daemon.catalogue.house import House, tighten
from daemon.catalogue.load import load_as

SECTION = {"es-1979": "es-1979 06.IV.2", "es-ct": "es-ct 6.IV.2", "es-ex": "es-ex 1.5.4.2"}
TEXTS = tuple(SECTION)


def game(text: str) -> Craps:
    return load_as(Craps, text, "craps")


def clause(text: str, letter: str) -> str:
    return SECTION[text] + (f".{letter}" if text == "es-ex" else "")


def by_place(text: str) -> dict[tuple[str, str], StakeMaximum]:
    return {(one.bet, "".join(one.place)): one for one in maxima(game(text), 5, 200)}


@pytest.mark.parametrize(("text", "least"), [("es-1979", 100), ("es-ct", 20), ("es-ex", 100)])
def test_the_simple_bets_maximum_has_bounds(text: str, least: int) -> None:
    for multiple in (least, 1000):
        assert maxima(game(text), 5, multiple)[0].most == 5 * multiple
    for multiple in (least - 1, 1001):
        with pytest.raises(LimitRefused, match=f"the text has {least} to 1000") as caught:
            maxima(game(text), 5, multiple)
        assert caught.value.clause == clause(text, "b")


def test_a_houses_lower_maximum_holds() -> None:
    lower = {"bets": ["big_6"], "times": [30], "clause": "4"}
    own = msgspec.convert({"title": "Rules of 2026", "maximum": [lower]}, House)
    found = {one.bet: one for one in maxima(tighten(game("es-ct"), own), 5, 200)}["big_6"]
    assert (found.most, found.clause) == (150, "house: 4")
    assert by_place("es-ct")["big_6", ""].most > 150


@pytest.mark.parametrize("figure", [0, -5, True, 5.0, math.nan, math.inf, None, "5"])
def test_a_minimum_and_a_multiple_are_whole_numbers(figure: Any) -> None:
    with pytest.raises(LimitRefused):
        maxima(game("es-ct"), figure, 200)
    with pytest.raises(LimitRefused):
        maxima(game("es-ct"), 5, figure)


@pytest.mark.parametrize("text", TEXTS)
def test_the_band_is_that_of_all_simple_bets(text: str) -> None:
    limits = game(text).limits
    assert limits is not None
    assert [band.bets for band in limits.bands] == [
        tuple(bet.id for bet in game(text).bets if bet.kind == "simple")
    ]


def test_a_minimum_of_nothing_is_refused() -> None:
    with pytest.raises(LimitRefused, match=r"a minimum of 0 is none \(es-ex 1.5.4.2.a\)"):
        maxima(game("es-ex"), 0, 200)


def test_a_minimum_below_the_houses_is_refused() -> None:
    house = msgspec.convert({"title": "Rules", "minimum": {"least": 10, "clause": "5"}}, House)
    strict = tighten(game("es-ct"), house)
    assert maxima(strict, 10, 200)[0].most == 2000
    with pytest.raises(MinimumRefused, match=r"a minimum of 9 is less than 10 \(house: 5\)"):
        maxima(strict, 9, 200)


@pytest.mark.parametrize("text", TEXTS)
def test_every_bet_has_a_maximum_at_every_place(text: str) -> None:
    found = by_place(text)
    assert {bet for bet, _ in found} == {bet.id for bet in game(text).bets}
    assert len(found) == 9 + 4 + 7 + 4 * 6 + 2 * 6


@pytest.mark.parametrize("text", TEXTS)
def test_a_multiple_bet_may_win_once_to_three_times_what_a_simple_one_wins(text: str) -> None:
    found = by_place(text)
    for key, pays in {
        ("craps_2", ""): 30,
        ("hard_way", "6"): 9,
        ("hard_way", "4"): 7,
        ("horn", ""): 4,
    }.items():
        assert [found[key].least * pays, found[key].most * pays] == [1000, 3000]
        assert (found[key].of, found[key].clause) == ("money", clause(text, "c"))
    assert found["seven", ""].most == Fraction(3000, 15 if text == "es-ex" else 4)
    assert [found["field", ""].least, found["field", ""].most] == [1000, 1000], "a simple bet"


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("bet", "letter", "of", "four", "five", "six"),
    [
        ("win_odds", "d", "stake", 1, 1, 1),
        ("come_odds", "d", "stake", 1, 1, 1),
        ("dont_win_odds", "e", "stake", 2, Fraction(3, 2), Fraction(6, 5)),
        ("dont_come_odds", "e", "stake", 2, Fraction(3, 2), Fraction(6, 5)),
        ("place_right", "f", "money", 1000, 1000, 1200),
        ("place_wrong", "g", "money", 2200, 1600, 1250),
    ],
)
def test_maxima_by_the_point(
    text: str, bet: str, letter: str, of: str, four: Fraction, five: Fraction, six: Fraction
) -> None:
    found = by_place(text)
    wanted = {"4": four, "5": five, "6": six, "8": six, "9": five, "10": four}
    assert {point: found[bet, point].most for point in wanted} == wanted
    assert {found[bet, point].least == found[bet, point].most for point in wanted} == {True}
    assert {(found[bet, point].of, found[bet, point].clause) for point in wanted} == {
        (of, clause(text, letter))
    }
