"""The wheels as built, held against the texts' words, and wheels that break them."""

from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from typing import Any

import pytest

from daemon.catalogue.equipment import Layout
from daemon.catalogue.errors import LayoutRefused
from daemon.catalogue.load import load_game, make_game
from daemon.catalogue.source import ParsedText, read_layouts, read_text

SINGLE = [("es-1979", "french_roulette"), ("es-ct", "french_roulette"), ("es-ex", "american_roulette")]
DOUBLE = [("es-ct", "american_roulette_double_zero"), ("es-ex", "american_roulette_double_zero")]
EVERY = SINGLE + DOUBLE


def layout(text: str, game_id: str) -> Layout:
    return load_game(text, game_id).layout


def round_the_rim(wheel: Layout) -> list[tuple[str, str]]:
    return [*pairwise(wheel.pockets), (wheel.pockets[-1], wheel.pockets[0])]


@pytest.mark.parametrize(("text", "game_id"), EVERY)
def test_the_numbers_are_all_there_once(text: str, game_id: str) -> None:
    zeros = ["0", "00"] if (text, game_id) in DOUBLE else ["0"]
    wheel = layout(text, game_id)
    assert sorted(wheel.pockets) == sorted([*zeros, *map(str, range(1, 37))])
    assert [label for label in wheel.pockets if wheel.colors[label] == "green"] == zeros


@pytest.mark.parametrize(("text", "game_id"), EVERY)
def test_no_two_consecutive_numbers_are_neighbours(text: str, game_id: str) -> None:
    """Holds on both rims for 1 to 36; on the double-zero rim 1 and 2 lie beside 00 and 0, which part them."""
    for one, other in round_the_rim(layout(text, game_id)):
        if not {one, other} & {"0", "00"}:
            assert abs(int(one) - int(other)) != 1


@pytest.mark.parametrize(("text", "game_id"), EVERY)
def test_the_numbers_whose_digits_sum_to_an_even_figure_are_black(text: str, game_id: str) -> None:
    wheel = layout(text, game_id)
    even = {str(n) for n in range(1, 37) if sum(map(int, str(n))) % 2 == 0}
    assert {label for label, color in wheel.colors.items() if color == "black"} == even - {"19"} | {
        "10",
        "29",
    }


@pytest.mark.parametrize(("text", "game_id"), SINGLE)
def test_red_and_black_alternate_all_round_the_single_zero_rim(text: str, game_id: str) -> None:
    """The zero left out: 32 is red, 26 on its other side is black."""
    wheel = layout(text, game_id)
    colors = [wheel.colors[label] for label in wheel.pockets if label != "0"]
    assert all(one != other for one, other in pairwise([*colors, colors[0]]))


@pytest.mark.parametrize(("text", "game_id"), DOUBLE)
def test_on_the_double_zero_rim_red_and_black_alternate_between_the_zeros(text: str, game_id: str) -> None:
    """Two runs of eighteen. Each zero lies between two numbers of one colour: 2 and 28, 1 and 27."""
    wheel = layout(text, game_id)
    at = wheel.pockets.index("00")
    for run in (wheel.pockets[1:at], wheel.pockets[at + 1 :]):
        assert len(run) == 18
        assert all(wheel.colors[one] != wheel.colors[other] for one, other in pairwise(run))
    sides = {wheel.pockets[-1]: wheel.pockets[1], wheel.pockets[at - 1]: wheel.pockets[at + 1]}
    assert sides == {"2": "28", "1": "27"}
    assert all(wheel.colors[one] == wheel.colors[other] for one, other in sides.items())


# Points that any picture of the wheel shows, so that a rim written backwards is seen.
@pytest.mark.parametrize(
    ("text", "game_id", "clockwise"),
    [
        ("es-ct", "french_roulette", ["26", "0", "32", "15", "19"]),
        ("es-ct", "american_roulette_double_zero", ["2", "0", "28", "9", "26"]),
        ("es-ct", "american_roulette_double_zero", ["13", "1", "00", "27", "10"]),
    ],
)
def test_the_rim_runs_clockwise(text: str, game_id: str, clockwise: list[str]) -> None:
    pockets = layout(text, game_id).pockets
    start = pockets.index(clockwise[0])
    assert [pockets[(start + n) % len(pockets)] for n in range(5)] == clockwise


# --- wheels that are refused ----------------------------------------------------------------------

Pockets = list[list[str]]


def swap(pockets: Pockets, one: str, other: str) -> None:
    """Exchange two labels where they lie; the colours stay with the places."""
    for pocket in pockets:
        pocket[0] = {one: other, other: one}.get(pocket[0], pocket[0])


def paint(pockets: Pockets, label: str, color: str) -> None:
    next(pocket for pocket in pockets if pocket[0] == label)[1] = color


def exchange(pockets: Pockets, one: str, other: str) -> None:
    """Exchange two pockets, colours and all."""
    at, to = (next(n for n, pocket in enumerate(pockets) if pocket[0] == label) for label in (one, other))
    pockets[at], pockets[to] = pockets[to], pockets[at]


BROKEN: dict[str, tuple[Callable[[Pockets], Any], str]] = {
    "a pocket too few": (lambda p: p.pop(), "36 pockets where the text has 37"),
    "a pocket too many": (lambda p: p.append(["00", "green"]), "38 pockets where the text has 37"),
    "a number twice": (lambda p: p[1].__setitem__(0, "15"), "not 1 to 36 and 0: 32"),
    "a number beyond 36": (lambda p: p[1].__setitem__(0, "37"), "not 1 to 36 and 0: 32, 37"),
    "a red zero": (lambda p: paint(p, "0", "red"), "0 is red: a zero is neither"),
    "a green number": (lambda p: paint(p, "17", "green"), "17 is green: the text makes it black"),
    "two blacks side by side": (lambda p: paint(p, "32", "black"), "side by side, both of one colour"),
    "consecutive neighbours": (lambda p: exchange(p, "25", "3"), "2 and 3 are consecutive"),
    "black 19": (lambda p: swap(p, "19", "26"), "19 is black: the text makes it red"),
    "red 29": (lambda p: swap(p, "29", "36"), "29 is red: the text makes it black"),
    "red 10": (lambda p: swap(p, "10", "21"), "10 is red: the text makes it black"),
    "red with an even sum": (lambda p: swap(p, "17", "34"), "17 is red: the text makes it black"),
    "black with an odd sum": (lambda p: swap(p, "5", "33"), "5 is black: the text makes it red"),
}


@pytest.mark.parametrize(
    ("text", "clause"), [("es-1979", "es-1979 01.II"), ("es-ct", "es-ct 1.II.1"), ("es-ex", "es-ex 1.1.2.1")]
)
@pytest.mark.parametrize("case", BROKEN)
def test_a_wheel_that_breaks_its_texts_words_is_refused_with_the_clause(
    case: str, text: str, clause: str
) -> None:
    change, says = BROKEN[case]
    layouts = deepcopy(read_layouts())
    change(layouts["single_zero"]["pockets"])
    with pytest.raises(LayoutRefused, match=says) as caught:
        make_game(ParsedText(read_text(text)), layouts, "french_roulette")
    assert caught.value.clause == clause


@pytest.mark.parametrize(("text", "clause"), [("es-ct", "es-ct 2.V"), ("es-ex", "es-ex 1.2.4")])
def test_the_double_zero_wheel_answers_to_both_clauses(text: str, clause: str) -> None:
    layouts = deepcopy(read_layouts())
    layouts["double_zero"]["pockets"].pop()
    with pytest.raises(LayoutRefused, match="37 pockets where the text has 38") as caught:
        make_game(ParsedText(read_text(text)), layouts, "american_roulette_double_zero")
    assert caught.value.clause == clause
    layouts = deepcopy(read_layouts())
    exchange(layouts["double_zero"]["pockets"], "0", "28")
    with pytest.raises(LayoutRefused, match="2 and 28 lie side by side") as caught:
        make_game(ParsedText(read_text(text)), layouts, "american_roulette_double_zero")
    assert caught.value.clause in ("es-ct 1.II.1", "es-ex 1.1.2.1")
