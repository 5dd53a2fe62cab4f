"""Every throw in every state of a craps table: what becomes of each bet, and what comes next."""

from itertools import product
from typing import Any

import pytest
from changed_texts import changed

from daemon.catalogue.bets.craps import ROLLS, Roll, next_point, outcome, settle, seven_out
from daemon.catalogue.bets.settlement import Settled
from daemon.catalogue.errors import CatalogueDataError, NotDice
from daemon.catalogue.families.craps import Craps
from daemon.catalogue.load import load_as

TEXTS = ("es-1979", "es-ct", "es-ex")
POINTS = (4, 5, 6, 8, 9, 10)
STATES = (None, *POINTS)
BETS = [
    *("win", "dont_win", "come", "dont_come", "field", "big_6", "big_8", "under_7", "over_7"),
    *("hard_way", "seven", "eleven", "any_craps", "craps_2", "craps_3", "craps_12", "horn"),
    *("win_odds", "dont_win_odds", "come_odds", "dont_come_odds", "place_right", "place_wrong"),
]

ONE_ROLL = {
    "field": {2: 2, 3: 1, 4: 1, 9: 1, 10: 1, 11: 1, 12: 2},
    "under_7": dict.fromkeys((2, 3, 4, 5, 6), 1),
    "over_7": dict.fromkeys((8, 9, 10, 11, 12), 1),
    "seven": {7: 4},
    "eleven": {11: 15},
    "any_craps": {2: 7, 3: 7, 12: 7},
    "craps_2": {2: 30},
    "craps_3": {3: 15},
    "craps_12": {12: 30},
    "horn": {2: 4, 3: 4, 11: 4, 12: 4},
}
"""What wins at the next throw and what it pays to one; all else loses."""
RIGHT_ODDS = {4: (2, 1), 5: (3, 2), 6: (6, 5), 8: (6, 5), 9: (3, 2), 10: (2, 1)}
WRONG_ODDS = {4: (1, 2), 5: (2, 3), 6: (5, 6), 8: (5, 6), 9: (2, 3), 10: (1, 2)}
PLACE_RIGHT = {4: (9, 5), 5: (7, 5), 6: (7, 6), 8: (7, 6), 9: (7, 5), 10: (9, 5)}
PLACE_WRONG = {4: (5, 11), 5: (5, 8), 6: (4, 5), 8: (4, 5), 9: (5, 8), 10: (5, 11)}
HARD = {4: (7, 1), 6: (9, 1), 8: (9, 1), 10: (7, 1)}

Key = tuple[str, tuple[str, ...]]
Answer = tuple[str, tuple[int, int] | None]
LOSES: Answer = ("loses", None)
WAITS: Answer = ("waits", None)


def game(text: str) -> Craps:
    return load_as(Craps, text, "craps")


def against_seven(total: int, number: int, pays: tuple[int, int]) -> Answer:
    return ("wins", pays) if total == number else LOSES if total == 7 else WAITS


def with_seven(total: int, number: int, pays: tuple[int, int]) -> Answer:
    return ("wins", pays) if total == 7 else LOSES if total == number else WAITS


def first(total: int) -> Answer:
    return ("wins", (1, 1)) if total in (7, 11) else LOSES if total in (2, 3, 12) else WAITS


def dont_first(total: int) -> Answer:
    if total == 12:
        return ("stands", None)
    return ("wins", (1, 1)) if total in (2, 3) else LOSES if total in (7, 11) else WAITS


def expected(text: str, point: int | None, dice: Roll) -> dict[Key, Answer]:
    """The texts' words said once more, bet by bet."""
    total = sum(dice)
    want: dict[Key, Answer] = {}
    if point is None:
        want["win", ()], want["dont_win", ()] = first(total), dont_first(total)
    else:
        want["win", ()] = against_seven(total, point, (1, 1))
        want["dont_win", ()] = with_seven(total, point, (1, 1))
        want["come", ()], want["dont_come", ()] = first(total), dont_first(total)
        want["win_odds", (str(point),)] = against_seven(total, point, RIGHT_ODDS[point])
        want["dont_win_odds", (str(point),)] = with_seven(total, point, WRONG_ODDS[point])
    for number in POINTS:
        place = (str(number),)
        want["come", place] = against_seven(total, number, (1, 1))
        want["dont_come", place] = with_seven(total, number, (1, 1))
        want["come_odds", place] = against_seven(total, number, RIGHT_ODDS[number])
        want["dont_come_odds", place] = with_seven(total, number, WRONG_ODDS[number])
        want["place_right", place] = against_seven(total, number, PLACE_RIGHT[number])
        want["place_wrong", place] = with_seven(total, number, PLACE_WRONG[number])
    for number, pays in HARD.items():
        easy = total == number and dice[0] != dice[1]
        want["hard_way", (str(number),)] = LOSES if easy else against_seven(total, number, pays)
    want["big_6", ()] = against_seven(total, 6, (1, 1))
    want["big_8", ()] = against_seven(total, 8, (1, 1))
    for bet, pays_to_one in ONE_ROLL.items():
        printed = {7: 15} if (text, bet) == ("es-ex", "seven") else pays_to_one
        want[bet, ()] = ("wins", (printed[total], 1)) if total in printed else LOSES
    return want


def answers(settled: tuple[Settled, ...]) -> dict[Key, Answer]:
    return {
        (one.bet, one.place): (one.fate, (one.pays.pays, one.pays.per) if one.pays else None)
        for one in settled
    }


def test_two_dice_fall_in_thirty_six_ways() -> None:
    assert sorted(ROLLS) == sorted(product(range(1, 7), range(1, 7)))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("point", STATES)
def test_every_throw_settles_every_bet_at_every_place(text: str, point: int | None) -> None:
    craps = game(text)
    for dice in ROLLS:
        settled = settle(craps, point, dice)
        assert answers(settled) == expected(text, point, dice), dice
        assert len(answers(settled)) == len(settled), "each bet once at each place"


@pytest.mark.parametrize("text", TEXTS)
def test_all_bets_of_the_text_are_there_in_its_order_and_each_answer_has_its_clause(text: str) -> None:
    craps = game(text)
    assert [bet.id for bet in craps.bets] == BETS
    settled = settle(craps, 6, (3, 4))
    assert list(dict.fromkeys(one.bet for one in settled)) == BETS
    clauses = {bet.id: bet.clause for bet in craps.bets}
    assert {(one.bet, one.clause) for one in settled} == set(clauses.items())


@pytest.mark.parametrize(
    ("point", "total", "after"),
    [
        *((None, total, total if total in POINTS else None) for total in range(2, 13)),
        *((point, point, None) for point in POINTS),
        *((point, 7, None) for point in POINTS),
        *((point, total, point) for point in POINTS for total in range(2, 13) if total not in (point, 7)),
    ],
)
def test_the_point_stands_until_it_comes_again_or_a_seven_does(
    point: int | None, total: int, after: int | None
) -> None:
    rolls = [dice for dice in ROLLS if sum(dice) == total]
    assert rolls
    for dice in rolls:
        assert next_point(point, dice) == after
        assert seven_out(point, dice) is (point is not None and total == 7)


def test_a_come_bet_goes_to_its_own_point_and_plays_on_in_the_next_come_out_roll() -> None:
    craps = game("es-ct")
    moved = next(one for one in settle(craps, 8, (2, 2)) if one.bet == "come" and not one.place)
    assert (moved.fate, moved.note) == ("waits", "its point is 4")
    assert ("come", ()) not in answers(settle(craps, None, (2, 2))), "without a point there is no come bet"
    assert answers(settle(craps, None, (3, 4)))["come", ("4",)] == LOSES
    assert answers(settle(craps, None, (3, 4)))["win", ()] == ("wins", (1, 1))


def test_only_a_line_bet_that_gets_its_point_says_so() -> None:
    said = {(one.bet, one.place) for one in settle(game("es-1979"), 8, (2, 2)) if one.note}
    assert said == {("come", ()), ("dont_come", ())}
    said = {(one.bet, one.place) for one in settle(game("es-1979"), None, (2, 2)) if one.note}
    assert said == {("win", ()), ("dont_win", ())}


def test_after_catalonias_last_roll_what_is_undecided_is_given_back() -> None:
    craps = game("es-ct")
    before, last = settle(craps, 6, (2, 2)), settle(craps, 6, (2, 2), last_roll=True)
    waiting = {(one.bet, one.place) for one in before if one.fate == "waits"}
    assert ("win", ()) in waiting
    assert {(one.bet, one.place) for one in last if one.fate == "waits"} == set()
    given_back = {(one.bet, one.place) for one in last if one.clause == "es-ct 6.IV.3"}
    assert given_back == waiting
    assert {one.fate for one in last if one.clause == "es-ct 6.IV.3"} == {"stands"}
    assert [one for one in last if one.fate in ("wins", "loses")] == [
        one for one in before if one.fate in ("wins", "loses")
    ]


@pytest.mark.parametrize("text", ["es-1979", "es-ex"])
def test_the_other_texts_say_nothing_of_stakes_after_the_last_roll(text: str) -> None:
    craps = game(text)
    assert settle(craps, 6, (2, 2), last_roll=True) == settle(craps, 6, (2, 2))


# --- the outcome ----------------------------------------------------------------------------------


def test_the_outcome_of_a_come_out_roll_that_makes_a_point() -> None:
    made = outcome(game("es-1979"), None, (6, 2))
    assert (made.dice, made.total, made.come_out, made.thrown_for, made.point) == ((6, 2), 8, True, None, 8)
    assert made.seven_out is False
    assert {(one.bet, one.place) for one in made.bets if one.fate == "wins"} == {
        ("big_8", ()),
        ("over_7", ()),
        ("place_right", ("8",)),
        ("come", ("8",)),
        ("come_odds", ("8",)),
    }
    assert {one.bet for one in made.bets if one.bet in ("win", "dont_win")} == set(), "they wait"


def test_the_outcome_of_a_seven_out() -> None:
    lost = outcome(game("es-ex"), 9, (1, 6))
    assert (lost.come_out, lost.thrown_for, lost.point, lost.seven_out) == (False, 9, None, True)
    seven = next(one for one in lost.bets if one.bet == "seven")
    assert (seven.fate, seven.pays, seven.clause) == ("wins", (15, 1), "es-ex 1.5.4.1.B.b")
    assert next(one for one in lost.bets if one.bet == "win").fate == "loses"
    assert next(one for one in lost.bets if one.bet == "come" and not one.place).fate == "wins"
    assert next(one for one in lost.bets if one.bet == "dont_come" and one.place == ("4",)).fate == "wins"


def test_twelve_on_the_come_out_roll_leaves_the_dont_bet_standing() -> None:
    bets = {(one.bet, one.place): one for one in outcome(game("es-ct"), None, (6, 6)).bets}
    assert bets["dont_win", ()].fate == "stands"
    assert bets["win", ()].fate == "loses"
    assert bets["craps_12", ()].pays == (30, 1)
    assert bets["field", ()].pays == (2, 1)


@pytest.mark.parametrize("dice", [(0, 6), (7, 1), (3,), (1, 2, 3), ()])
def test_what_two_dice_cannot_show_is_no_outcome(dice: tuple[int, ...]) -> None:
    with pytest.raises(NotDice, match=r"no throw of 2 dice \(es-ct 6.II\)"):
        outcome(game("es-ct"), None, dice)  # type: ignore[arg-type]


# --- data that is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bet", "change", "says"),
    [
        ("win", {"wins": [7]}, r"win: nothing is said of \[11\] \(es-ct 6.IV.1.A\)"),
        ("win", {"wins": [4, 7, 11]}, "are no totals, each once"),
        ("field", {"wins": [2, 13]}, "are no totals, each once"),
        ("win_odds", {"goes_with": "field"}, r"win_odds cannot go with 'field' \(es-ct 6.IV.1.C\)"),
        ("field", {"goes_with": "win"}, "field cannot go with 'win'"),
        ("seven", {"pays": None}, "seven pays nothing"),
        ("seven", {"side": "right"}, "seven is on no side, or on one too many"),
        ("come", {"side": None}, "come is on no side, or on one too many"),
    ],
)
def test_a_bet_that_cannot_be_played_is_refused(bet: str, change: dict[str, object], says: str) -> None:
    def altered(craps: dict[str, Any]) -> None:
        next(one for one in craps["bets"] if one["id"] == bet).update(change)

    with pytest.raises(CatalogueDataError, match=says):
        changed("es-ct", "craps", altered)


def test_what_is_both_allowed_and_ruled_out_is_refused() -> None:
    on_chip = {"id": "dice.on_chip", "clause": "6.IV.3", "effect": "void"}
    with pytest.raises(
        CatalogueDataError, match=r"on_chip is allowed, yet a rule is against it \(es-ct 6.IV.3\)"
    ):
        changed("es-ct", "craps", lambda craps: craps["rules"].append(on_chip))
