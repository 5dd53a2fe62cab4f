"""Boule: the basin held against the texts' words, all eighteen holes, every bet on them, and the edge."""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from daemon.catalogue.announcements import announce_no_more_bets, announce_result
from daemon.catalogue.bets.boule import edges, guidance, number_in, outcome, places, settle
from daemon.catalogue.bets.settlement import value
from daemon.catalogue.errors import CatalogueDataError, LayoutRefused, LimitRefused, UnknownPocket
from daemon.catalogue.families.boule import Boule
from daemon.catalogue.limits import check_maximum, limits
from daemon.catalogue.load import load_as, make_game
from daemon.catalogue.model import Language
from daemon.catalogue.rules.wheel import Evidence, judge
from daemon.catalogue.source import ParsedText, read_layouts, read_text

PLACES = {
    "es-1979": {
        "bets": "es-1979 04.V.a",
        "five": "es-1979 04.V.a",
        "play": "es-1979 04.V.c",
        "limits": "es-1979 04.V.b",
    },
    "es-ct": {"bets": "es-ct 4.V.1", "five": "es-ct 4.V.1", "play": "es-ct 4.V.3", "limits": "es-ct 4.V.2"},
    "es-ex": {
        "bets": "es-ex 1.3.5.1.a",
        "five": "es-ex 1.3.5.1.b",
        "play": "es-ex 1.3.5.3",
        "limits": "es-ex 1.3.5.2",
    },
}
TEXTS = list(PLACES)
CHANCES = {
    "red": {"2", "4", "7", "9"},
    "black": {"1", "3", "6", "8"},
    "even": {"2", "4", "6", "8"},
    "odd": {"1", "3", "7", "9"},
    "low": {"1", "2", "3", "4"},
    "high": {"6", "7", "8", "9"},
}


def boule(text: str) -> Boule:
    return load_as(Boule, text, "boule")


# --- the basin --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS)
def test_the_basin_has_eighteen_holes_each_number_twice_in_the_texts_colours(text: str) -> None:
    game = boule(text)
    assert Counter(game.layout.pockets) == Counter({str(n): 2 for n in range(1, 10)})
    assert {n for n, color in game.layout.colors.items() if color == "black"} == CHANCES["black"]
    assert {n for n, color in game.layout.colors.items() if color == "red"} == CHANCES["red"]
    assert game.layout.colors["5"] == "yellow"


def test_every_number_lies_opposite_to_itself() -> None:
    pockets = boule("es-ct").layout.pockets
    assert pockets[:9] == pockets[9:]


def reload(text: str, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Boule:
    """The game made of the package's data after a change to its section and its layout."""
    data, layouts = deepcopy(read_text(text)), deepcopy(read_layouts())
    change(data["games"]["boule"], layouts["boule"])
    game = make_game(ParsedText(data), layouts, "boule")
    assert isinstance(game, Boule)
    return game


def one_ring(game: dict[str, Any], layout: dict[str, Any]) -> None:
    layout["pockets"] = layout["pockets"][:9]


def a_four_for_a_five(game: dict[str, Any], layout: dict[str, Any]) -> None:
    layout["pockets"][4] = ["4", "red"]


def a_zero(game: dict[str, Any], layout: dict[str, Any]) -> None:
    layout["pockets"][4] = layout["pockets"][13] = ["0", "yellow"]


def a_red_one(game: dict[str, Any], layout: dict[str, Any]) -> None:
    layout["pockets"] = [[n, "red" if n == "1" else color] for n, color in layout["pockets"]]


def a_black_five(game: dict[str, Any], layout: dict[str, Any]) -> None:
    layout["pockets"] = [[n, "black" if n == "5" else color] for n, color in layout["pockets"]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (one_ring, r"9 holes where the text has 18 \(es-ex 1.3.2\)"),
        (a_four_for_a_five, "each as often as the others"),
        (a_zero, "holes are not 1 to 9"),
        (a_red_one, "1 is red: the text makes it black"),
        (a_black_five, "5 is black: it is neither red nor black"),
    ],
)
def test_a_basin_that_breaks_the_texts_words_is_refused(change: Any, says: str) -> None:
    with pytest.raises(LayoutRefused, match=says):
        reload("es-ex", change)


def test_a_chance_without_a_word_and_a_bet_without_a_pay_are_refused() -> None:
    def wordless(game: dict[str, Any], layout: dict[str, Any]) -> None:
        del game["announcements"]["chances"]["odd"]

    def unpaid(game: dict[str, Any], layout: dict[str, Any]) -> None:
        del game["bets"][0]["pays"]

    with pytest.raises(CatalogueDataError, match=r"no words for \['odd'\]"):
        reload("es-ct", wordless)
    with pytest.raises(CatalogueDataError, match=r"straight pays nothing"):
        reload("es-ct", unpaid)


# --- all holes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS)
def test_every_hole_has_its_number_colour_parity_and_half(text: str) -> None:
    game = boule(text)
    for hole in range(1, 19):
        number = number_in(game, hole)
        found = outcome(game, number, hole)
        assert (found.number, found.hole) == (str((hole - 1) % 9 + 1), hole)
        if number == "5":
            assert (found.color, found.parity, found.half) == ("yellow", None, None)
            continue
        said = {found.color, found.parity, found.half}
        assert said == {chance for chance, numbers in CHANCES.items() if number in numbers}


@pytest.mark.parametrize("hole", [0, 19, -1])
def test_a_hole_that_is_not_there(hole: int) -> None:
    with pytest.raises(UnknownPocket, match=r"no hole .* \(es-1979 04.II\)"):
        number_in(boule("es-1979"), hole)


@pytest.mark.parametrize("number", ["0", "10", "00", ""])
def test_a_number_that_is_not_there(number: str) -> None:
    with pytest.raises(UnknownPocket):
        settle(boule("es-1979"), number)


@pytest.mark.parametrize("text", TEXTS)
def test_every_bet_on_every_number(text: str) -> None:
    """Nine numbers at 7 to 1, six chances at 1 to 1, of which the five loses all."""
    game, clauses = boule(text), PLACES[text]
    assert {bet.id: places(game, bet) for bet in game.bets if bet.id != "straight"} == {
        chance: (tuple(sorted(numbers)),) for chance, numbers in CHANCES.items()
    }
    for number in map(str, range(1, 10)):
        fates = {(s.bet, s.place): s for s in settle(game, number)}
        assert len(fates) == 15
        for (bet, place), settled in fates.items():
            assert settled.fate == ("wins" if number in place else "loses")
            assert value(settled) == (-1 if number not in place else 7 if bet == "straight" else 1)
        won = [s for s in fates.values() if s.fate == "wins"]
        assert len(won) == (1 if number == "5" else 4)
        assert fates["straight", (number,)].clause == clauses["bets"]
        assert fates["red", ("2", "4", "7", "9")].clause == clauses["five"]


def test_a_chance_that_the_five_loses_is_lost_by_the_fives_own_clause() -> None:
    def elsewhere(game: dict[str, Any], layout: dict[str, Any]) -> None:
        game["five_clause"] = "1.3.5.1"

    clauses = {(s.bet, s.clause) for s in settle(reload("es-ex", elsewhere), "5") if s.fate == "loses"}
    assert ("red", "es-ex 1.3.5.1") in clauses
    assert ("straight", "es-ex 1.3.5.1.a") in clauses
    assert ("red", "es-ex 1.3.5.1.b") in {(s.bet, s.clause) for s in settle(boule("es-ex"), "1")}


@pytest.mark.parametrize("text", TEXTS)
def test_the_house_keeps_a_ninth_of_every_bet(text: str) -> None:
    """A number: 1/9 of 7 against 8/9 of 1. A chance: 4/9 won, 5/9 lost. France pays the same."""
    for game in (boule(text), boule("fr-2007")):
        found = edges(game)
        assert len(found) == 15
        assert {edge.edge for edge in found} == {Fraction(1, 9)}


@pytest.mark.parametrize("text", TEXTS)
def test_the_five_has_its_guidance(text: str) -> None:
    game = boule(text)
    [guide] = guidance(game, "5", "es")
    assert (guide.text, guide.clause) == ("Suertes sencillas: pierden todas", PLACES[text]["five"])
    assert [guidance(game, str(n)) for n in (1, 4, 6, 9)] == [()] * 4


# --- limits, words, rules ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS)
def test_the_authorisation_sets_the_maxima_within_the_texts_bands(text: str) -> None:
    game, clause = boule(text), PLACES[text]["limits"]
    assert limits(game, 5) is None
    for bet, inside, outside in (("straight", (40, 100), (39, 101)), ("odd", (200, 500), (199, 501))):
        for times in inside:
            check_maximum(game, bet, times)
        for times in outside:
            with pytest.raises(LimitRefused, match=f"{times} times") as caught:
                check_maximum(game, bet, times)
            assert caught.value.clause == clause


def test_a_text_without_bands_refuses_no_maximum() -> None:
    check_maximum(boule("fr-2007"), "straight", 1)


@pytest.mark.parametrize(
    ("text", "language", "number", "said"),
    [
        ("es-1979", "es", "7", "7, rojo, impar, pasa"),
        ("es-1979", "es", "5", "5"),
        ("es-ct", "ca", "4", "4, vermell, parell, falta"),
        ("es-ex", "en", "8", "8, black, even, high"),
        ("fr-2007", "es", "8", "8"),
    ],
)
def test_a_result_is_its_number_and_simple_chances(
    text: str, language: Language, number: str, said: str
) -> None:
    game = boule(text)
    assert announce_result(game, outcome(game, number), language) == said


def test_only_the_castilian_texts_ask_first_whether_the_bets_are_made() -> None:
    asked = {text: "bets_made" in boule(text).announcements.words for text in TEXTS}
    assert asked == {"es-1979": True, "es-ct": False, "es-ex": True}
    assert announce_no_more_bets(boule("es-ct"), "ca") == "no hi van més apostes"


@pytest.mark.parametrize("text", TEXTS)
def test_a_result_without_closing_is_a_finding_and_no_throw_is_void_for_its_course(text: str) -> None:
    game, clause = boule(text), PLACES[text]["play"]
    open_bets = judge(game, Evidence(bets_closed=False, pocket="7"))
    assert [(f.rule, f.clause, f.effect) for f in open_bets] == [
        ("wheel.bets_closed_before_result", clause, "finding")
    ]
    course = Evidence(
        previous_rotor="cw",
        rotor="cw",
        ball="cw",
        ball_missing=True,
        foreign_object=True,
        defective=("x",),
        laps=1,
    )
    assert judge(game, course) == (), "none of it stands in the epigraph"
    assert [f.clause for f in judge(game, Evidence(bets_closed=True, pocket="0"))] == [clause]
    assert judge(boule("fr-2007"), Evidence(bets_closed=False, pocket="0")) == ()


def test_who_throws() -> None:
    """Catalonia has the table chief throw in one place and the croupier in another: a note says so."""
    notes = {text: [n.text for n in boule(text).notes if "throw" in n.text] for text in TEXTS}
    assert any("table chief throws" in text for text in notes["es-ct"])
    assert any("in rotation" in text for text in notes["es-1979"])
    assert any("in rotation" in text for text in notes["es-ex"])
    closing = {text: boule(text).provisional_closing for text in TEXTS}
    assert {text for text, found in closing.items() if found} == {"es-ct"}
