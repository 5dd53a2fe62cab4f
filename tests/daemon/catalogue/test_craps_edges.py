"""What the house keeps of each bet of craps, worked out by hand beside what the module says."""

from fractions import Fraction

import pytest

from daemon.catalogue.bets import EDGES
from daemon.catalogue.bets.craps import ROLLS, edges, next_point, settle
from daemon.catalogue.bets.settlement import Edge
from daemon.catalogue.families.craps import Craps
from daemon.catalogue.load import load_as

TEXTS = ("es-1979", "es-ct", "es-ex")

BY_HAND: dict[tuple[str, tuple[str, ...]], Fraction] = {
    ("win", ()): Fraction(7, 495),
    ("dont_win", ()): Fraction(27, 1925),
    ("come", ()): Fraction(7, 495),
    ("dont_come", ()): Fraction(27, 1925),
    ("field", ()): Fraction(20 - (14 * 1 + 2 * 2), 36),
    ("big_6", ()): Fraction(6 - 5, 11),
    ("big_8", ()): Fraction(6 - 5, 11),
    ("under_7", ()): Fraction(21 - 15, 36),
    ("over_7", ()): Fraction(21 - 15, 36),
    ("hard_way", ("4",)): Fraction(8 - 7, 9),
    ("hard_way", ("6",)): Fraction(10 - 9, 11),
    ("hard_way", ("8",)): Fraction(10 - 9, 11),
    ("hard_way", ("10",)): Fraction(8 - 7, 9),
    ("seven", ()): Fraction(30 - 6 * 4, 36),
    ("eleven", ()): Fraction(34 - 2 * 15, 36),
    ("any_craps", ()): Fraction(32 - 4 * 7, 36),
    ("craps_2", ()): Fraction(35 - 30, 36),
    ("craps_3", ()): Fraction(34 - 2 * 15, 36),
    ("craps_12", ()): Fraction(35 - 30, 36),
    ("horn", ()): Fraction(30 - 6 * 4, 36),
    **{(f"{line}_odds", (str(n),)): Fraction(0) for line in ("win", "come") for n in (4, 5, 6, 8, 9, 10)},
    **{
        (f"dont_{line}_odds", (str(n),)): Fraction(0) for line in ("win", "come") for n in (4, 5, 6, 8, 9, 10)
    },
    **{("place_right", (str(n),)): (6 - 3 * Fraction(9, 5)) / 9 for n in (4, 10)},
    **{("place_right", (str(n),)): (6 - 4 * Fraction(7, 5)) / 10 for n in (5, 9)},
    **{("place_right", (str(n),)): (6 - 5 * Fraction(7, 6)) / 11 for n in (6, 8)},
    **{("place_wrong", (str(n),)): (3 - 6 * Fraction(5, 11)) / 9 for n in (4, 10)},
    **{("place_wrong", (str(n),)): (4 - 6 * Fraction(5, 8)) / 10 for n in (5, 9)},
    **{("place_wrong", (str(n),)): (5 - 6 * Fraction(4, 5)) / 11 for n in (6, 8)},
}
"""Losing ways less winning ways times the pay, over the ways that decide; the lines' are well known."""


def by_place(text: str) -> dict[tuple[str, tuple[str, ...]], Edge]:
    return {(edge.bet, edge.place): edge for edge in edges(load_as(Craps, text, "craps"))}


@pytest.mark.parametrize("text", TEXTS)
def test_every_bets_edge(text: str) -> None:
    wanted = dict(BY_HAND)
    if text == "es-ex":
        wanted["seven", ()] = Fraction(30 - 6 * 15, 36)
    assert {key: edge.edge for key, edge in by_place(text).items()} == wanted


def test_the_lines_by_the_ways_in_which_the_dice_fall() -> None:
    """Seven or eleven, or a point of three, four or five ways before the six of a seven."""
    points = [Fraction(ways, 36) * Fraction(ways, ways + 6) for ways in (3, 4, 5, 5, 4, 3)]
    wins = Fraction(8, 36) + sum(points)
    assert wins == Fraction(244, 495)
    assert by_place("es-1979")["win", ()].edge == 1 - 2 * wins
    twelve = Fraction(1, 36)
    dont_wins = 1 - wins - twelve
    assert dont_wins == Fraction(949, 1980)
    assert by_place("es-1979")["dont_win", ()].edge == (wins - dont_wins) / (1 - twelve)


def test_twelve_is_left_out_of_the_dont_bets_edge_and_said_so() -> None:
    said = {key: edge.basis for key, edge in by_place("es-ct").items() if edge.basis}
    assert Fraction(27, 1980) == Fraction(3, 220)
    basis = "stakes that stand on 12 are left out; counted in, it is 3/220"
    assert said == {("dont_win", ()): basis, ("dont_come", ()): basis}


def test_the_misprint_shows_in_the_table() -> None:
    """No bet favours the player but the seven that Extremadura prints at fifteen to one."""
    favours = {(text, *key) for text in TEXTS for key, edge in by_place(text).items() if edge.edge < 0}
    assert favours == {("es-ex", "seven", ())}
    flagged = {(text, bet.id) for text in TEXTS for bet in load_as(Craps, text, "craps").bets if bet.misprint}
    assert flagged == {("es-ex", "seven")}


def test_the_win_bets_edge_is_what_settling_throw_by_throw_comes_to() -> None:
    """All series of up to sixty throws, weighted, played through the table's own states."""
    craps = load_as(Craps, "es-1979", "craps")
    fates = {
        (point, dice): next(one.fate for one in settle(craps, point, dice) if one.bet == "win")
        for point in (None, 4, 5, 6, 8, 9, 10)
        for dice in ROLLS
    }
    waiting: dict[int | None, Fraction] = {None: Fraction(1)}
    won = lost = Fraction(0)
    for _ in range(60):
        still: dict[int | None, Fraction] = {}
        for point, weight in waiting.items():
            for dice in ROLLS:
                fate = fates[point, dice]
                share = weight / 36
                if fate == "waits":
                    after = next_point(point, dice)
                    still[after] = still.get(after, Fraction(0)) + share
                elif fate == "wins":
                    won += share
                else:
                    lost += share
        waiting = still
    undecided = sum(waiting.values())
    assert won + lost + undecided == 1
    assert undecided < Fraction(1, 10**6)
    assert abs((lost - won) - Fraction(7, 495)) <= undecided


def test_the_registry_has_them() -> None:
    craps = load_as(Craps, "es-ct", "craps")
    assert EDGES["craps"](craps) == edges(craps)
