"""Sic bo: every bet on all throws of three dice, counted here anew, and the throws that the text voids."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import msgspec
import pytest

from daemon.catalogue.announcements import announce_dice
from daemon.catalogue.bets.settlement import Settled
from daemon.catalogue.bets.sic_bo import edges, guidance, outcome, places, settle
from daemon.catalogue.errors import CatalogueDataError, NotDice
from daemon.catalogue.families.sic_bo import SicBo, check
from daemon.catalogue.limits import limits
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Ratio
from daemon.catalogue.rules.dice import (
    DiceSet,
    DiceThrow,
    DiceUse,
    Die,
    Mishap,
    judge_set,
    judge_throw,
    judge_use,
)

THROWS = list(product(range(1, 7), repeat=3))
SECTION = "es-ct 16.IV.3"


@pytest.fixture(scope="module")
def game() -> SicBo:
    return load_as(SicBo, "es-ct", "sic_bo")


def settled(game: SicBo, faces: tuple[int, ...]) -> dict[tuple[str, tuple[str, ...]], Settled]:
    return {(one.bet, one.place): one for one in settle(game, outcome(game, faces))}


def test_the_pays_as_printed(game: SicBo) -> None:
    printed = {
        bet.id: (bet.pays and (bet.pays.pays, bet.pays.per), bet.places, bet.clause) for bet in game.bets
    }
    place = "es-ct 16.IV.1."
    assert printed == {
        "small": ((1, 1), 1, place + "a"),
        "big": ((1, 1), 1, place + "b"),
        "specific_double": ((8, 1), 6, place + "c"),
        "specific_triple": ((150, 1), 6, place + "d"),
        "any_triple": ((24, 1), 1, place + "e"),
        "total": (None, 14, place + "f"),
        "pair": ((5, 1), 15, place + "g"),
        "number": (None, 6, place + "h"),
    }
    by_id = {bet.id: bet for bet in game.bets}
    assert [(line.when, line.pays.pays) for line in by_id["number"].table] == [
        ("once", 1),
        ("twice", 2),
        ("thrice", 3),
    ]
    assert [(r.pays, r.per) for r in by_id["total"].pays_between] == [(6, 1), (50, 1)]


def test_every_bet_has_as_many_places_as_the_text_counts(game: SicBo) -> None:
    for bet in game.bets:
        assert len(set(places(bet))) == bet.places


def test_every_throw_settles_every_bet_at_every_place(game: SicBo) -> None:
    for faces in THROWS:
        low, middle, high = sorted(faces)
        total, triple = sum(faces), low == high
        shown = Counter(faces)
        wanted: dict[tuple[str, tuple[str, ...]], bool] = {
            ("small", ()): 4 <= total <= 10 and not triple,
            ("big", ()): 11 <= total <= 17,
            ("any_triple", ()): triple,
        }
        for face in range(1, 7):
            place = (str(face),)
            wanted["specific_double", place] = middle == face and face in (low, high)
            wanted["specific_triple", place] = triple and low == face
            wanted["number", place] = face in shown
            for other in range(face + 1, 7):
                wanted["pair", (str(face), str(other))] = face in shown and other in shown
        for sum_ in range(4, 18):
            wanted["total", (str(sum_),)] = total == sum_
        found = settled(game, faces)
        assert {key: one.fate == "wins" for key, one in found.items()} == wanted
        assert {one.fate for one in found.values()} <= {"wins", "loses"}
        for (bet, place), one in found.items():
            if bet == "number" and one.fate == "wins":
                assert one.pays is not None
                assert one.pays.pays == shown[int(place[0])]


def test_three_fours_are_big_as_printed_and_three_twos_are_not_small(game: SicBo) -> None:
    big, small = settled(game, (4, 4, 4)), settled(game, (2, 2, 2))
    assert (big["big", ()].fate, big["specific_double", ("4",)].fate) == ("wins", "wins")
    assert (small["small", ()].fate, small["any_triple", ()].fate) == ("loses", "wins")
    assert "16.IV.1.b" in " ".join(note.clause for note in game.notes)


def test_a_won_total_has_no_pay_because_the_text_gives_only_a_range(game: SicBo) -> None:
    won = settled(game, (1, 1, 2))["total", ("4",)]
    assert (won.fate, won.pays) == ("wins", None)
    assert won.note is not None
    lost = settled(game, (1, 1, 2))["total", ("5",)]
    assert (lost.fate, lost.note) == ("loses", None)


def test_the_outcome_names_the_throw_and_its_winners(game: SicBo) -> None:
    result = outcome(game, (3, 3, 5))
    assert (result.dice, result.total, result.triple) == ((3, 3, 5), 11, False)
    assert [(won.bet, won.place, won.pays) for won in result.bets] == [
        ("big", (), (1, 1)),
        ("specific_double", ("3",), (8, 1)),
        ("total", ("11",), None),
        ("pair", ("3", "5"), (5, 1)),
        ("number", ("3",), (2, 1)),
        ("number", ("5",), (1, 1)),
    ]
    assert outcome(game, (6, 6, 6)).triple is True
    assert announce_dice(game, outcome(game, (6, 4, 3))) == "13, 6, 4, 3"


@pytest.mark.parametrize("faces", [(), (1, 1), (1, 1, 1, 1), (0, 1, 2), (1, 2, 7)])
def test_what_is_no_throw_of_three_dice_has_no_outcome(game: SicBo, faces: tuple[int, ...]) -> None:
    with pytest.raises(NotDice, match="no throw of 3 dice"):
        outcome(game, faces)


def test_the_edges(game: SicBo) -> None:
    """By counting: small wins 105 of 216 and big 107, for the two triples that it is not denied."""
    by_bet: dict[str, set[Fraction]] = {}
    for edge in edges(game):
        by_bet.setdefault(edge.bet, set()).add(edge.edge)
        assert (edge.basis is not None) is (edge.bet == "number")
    assert by_bet == {
        "small": {Fraction(6, 216)},
        "big": {Fraction(2, 216)},
        "specific_double": {Fraction(72, 216)},
        "specific_triple": {Fraction(65, 216)},
        "any_triple": {Fraction(66, 216)},
        "pair": {Fraction(36, 216)},
        "number": {Fraction(17, 216)},
    }
    assert len(edges(game)) == 1 + 1 + 6 + 6 + 1 + 15 + 6


# --- rules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mishap", ["broken", "stacked", "on_chip", "off_table", "outside_arena"])
def test_a_mishap_voids_the_throw(game: SicBo, mishap: Mishap) -> None:
    dice = (Die(face=1), Die(face=2), Die(face=3))
    for throw, seen in (
        (DiceThrow(dice=(*dice[:2], Die(face=3, **{mishap: True}))), [3]),
        (DiceThrow(dice=dice, some_die=(mishap,)), True),
    ):
        found = [(f.rule, f.clause, f.effect, f.evidence) for f in judge_throw(game, throw)]
        assert found == [(f"dice.{mishap}", SECTION, "void", {mishap: seen})]


def test_what_the_text_does_not_name_voids_nothing(game: SicBo) -> None:
    dice = tuple(Die(face=2, touches_die=True, rolled=False, wall_touched=False) for _ in range(3))
    assert judge_throw(game, DiceThrow(dice=dice, touched_at_rest=True)) == ()


def test_a_wrong_throw_is_void_and_one_with_bets_open_is_found(game: SicBo) -> None:
    throw = DiceThrow(incorrect=("shaken once",), bets_closed=False)
    assert [(f.rule, f.effect, f.clause) for f in judge_throw(game, throw)] == [
        ("dice.bets_closed_before_throw", "finding", SECTION),
        ("dice.incorrect_throw", "void", SECTION),
    ]


def test_the_sessions_dice(game: SicBo) -> None:
    good = DiceSet(count=6, edges_mm=(15, 25), colors=1, serials=("a",), last_serials=("b",))
    assert judge_set(game, good) == ()
    for bad, rule in (
        ({"count": 5}, "dice.set_size"),
        ({"edges_mm": (14.9,)}, "dice.edge"),
        ({"colors": 3}, "dice.colors"),
        ({"last_serials": ("a",)}, "dice.set_other_than_last"),
        ({"defective": ("a",)}, "dice.set_intact"),
    ):
        found = judge_set(game, msgspec.structs.replace(good, **bad))
        assert [(f.rule, f.effect, f.clause) for f in found] == [(rule, "refuse", "es-ct 16.II.1")]


def test_a_change_of_dice_is_a_reminder_with_its_words(game: SicBo) -> None:
    (due,) = judge_use(game, DiceUse(throws=200, change_after=200, set_s=99999, thrower_s=99999))
    assert (due.rule, due.effect, due.clause) == ("dice.change_due", "reminder", SECTION)
    assert game.announcements.words["change_dice"].ca == "canvi de daus"


def test_lost_stakes_are_taken_in_first(game: SicBo) -> None:
    assert [(one.text, one.clause) for one in guidance(game, "ca")] == [
        ("Retireu les apostes perdudes; pagueu després", SECTION)
    ]
    assert guidance(load_as(SicBo, "fr-2007", "sic_bo")) == ()


def test_the_maxima_are_the_authorisations(game: SicBo) -> None:
    assert limits(game, 5) is None


@pytest.mark.parametrize(
    ("bet", "change", "says"),
    [
        ("small", {"pays": None}, "one pay, a table of pays or a range"),
        ("small", {"last_sum": None}, "sums and triples are not those"),
        ("pair", {"first_sum": 4, "last_sum": 5}, "sums and triples are not those"),
        ("small", {"triples_win": None}, "sums and triples are not those"),
        ("pair", {"triples_win": False}, "sums and triples are not those"),
        ("total", {"pays_between": (Ratio(6, 1),)}, "a range of pays has two ends"),
        ("number", {"table": ()}, "one pay, a table"),
        ("number", {"table": "reversed"}, "once, twice and thrice"),
    ],
)
def test_data_that_contradicts_itself_is_refused(
    game: SicBo, bet: str, change: dict[str, Any], says: str
) -> None:
    by_id = {one.id: one for one in game.bets}
    if change.get("table") == "reversed":
        change = {"table": by_id[bet].table[::-1]}
    by_id[bet] = msgspec.structs.replace(by_id[bet], **change)
    with pytest.raises(CatalogueDataError, match=says):
        check(msgspec.structs.replace(game, bets=tuple(by_id.values())))
