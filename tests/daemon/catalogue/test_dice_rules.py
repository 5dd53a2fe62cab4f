"""The rules of dice, each on its own: what breaks it, what it says was seen, and what breaks nothing."""

from typing import Any, get_args

import msgspec
import pytest

from daemon.catalogue.load import load_game
from daemon.catalogue.model import Game, Rule
from daemon.catalogue.rules import REGISTRY
from daemon.catalogue.rules.dice import (
    PARAMETERS,
    SET,
    THROW,
    USE,
    DiceSet,
    DiceThrow,
    DiceUse,
    Die,
    Mishap,
    judge_set,
    judge_throw,
    judge_use,
    remind,
)

GIVEN: dict[str, dict[str, Any]] = {
    "dice.touches_wall": {"least": 2},
    "dice.replace_set": {"after": ["off_table", "broken", "fouled"]},
    "dice.set_size": {"least": 6, "exact": True},
    "dice.edge": {"least_mm": 20, "greatest_mm": 25},
    "dice.colors": {"colors": 1},
    "dice.sets": {"sets": 3},
    "dice.set_rotated": {"seconds": 3600},
    "dice.thrower_relieved": {"seconds": 3600, "force_majeure_excuses": True},
}
"""Parameters for the rules that take them."""

EDGE = GIVEN["dice.edge"]
Values = dict[str, Any]


def game(*rules: str, **parameters: Any) -> Game:
    """A game that has these rules and no other, with these parameters instead of those that are given."""
    made = tuple(
        Rule(id=rule, clause="x 1", effect="void", parameters={**GIVEN.get(rule, {}), **parameters})
        for rule in rules
    )
    return msgspec.structs.replace(load_game("es-ct", "french_roulette"), rules=made)


def test_the_parameters_are_those_that_the_registry_asks_for() -> None:
    asked = {rule: set(names) for rule, names in PARAMETERS.items()}
    assert {rule: set(given) for rule, given in GIVEN.items()} == asked
    assert {rule for rule in REGISTRY if rule.startswith("dice.")} == {*THROW, *SET, *USE}


@pytest.mark.parametrize("kind", get_args(Mishap))
def test_a_mishap_breaks_its_own_rule_and_says_which_die(kind: Mishap) -> None:
    own = game(*THROW)
    throw = DiceThrow(dice=(Die(face=2), Die(face=5, **{kind: True})))
    broken = {finding.rule: finding.evidence for finding in judge_throw(own, throw)}
    also = {"dice.replace_set"} if kind in GIVEN["dice.replace_set"]["after"] else set()
    assert set(broken) == {f"dice.{kind}", *also}
    assert set(map(str, broken.values())) == {str({kind: [2]})}
    assert judge_throw(own, DiceThrow(dice=(Die(**{kind: False}), Die(**{kind: None})))) == ()


def test_both_dice_are_named_and_a_die_without_a_place_is_said_to_be_one() -> None:
    off = game("dice.off_table")
    both = judge_throw(off, DiceThrow(dice=(Die(off_table=True), Die(off_table=True))))
    assert both[0].evidence == {"off_table": [1, 2]}
    unplaced = judge_throw(off, DiceThrow(dice=(Die(face=1), Die()), some_die=("off_table",)))
    assert unplaced[0].evidence == {"off_table": True}
    assert judge_throw(off, DiceThrow(some_die=("on_rim",))) == ()


@pytest.mark.parametrize(
    ("touched", "least", "missed"),
    [
        ((True, True), 2, None),
        ((True, False), 2, [2]),
        ((False, True), 1, None),
        ((False, False), 1, [1, 2]),
        ((False, False), 2, [1, 2]),
        ((None, True), 2, None),
        ((None, False), 2, [2]),
        ((None, False), 1, None),
        ((None, None), 2, None),
        ((False, False, True), 2, [1, 2]),
        ((False, True, True), 2, None),
    ],
)
def test_so_many_dice_touch_the_wall(
    touched: tuple[bool | None, ...], least: int, missed: list[int] | None
) -> None:
    """A die of which nothing was seen is taken to have touched it: what was not seen breaks nothing."""
    throw = DiceThrow(dice=tuple(Die(wall_touched=one) for one in touched))
    found = judge_throw(game("dice.touches_wall", least=least), throw)
    wanted = [] if missed is None else [{"wall_not_touched": missed, "least": least}]
    assert [finding.evidence for finding in found] == wanted


@pytest.mark.parametrize(
    ("rule", "throw", "seen"),
    [
        ("dice.rolls", DiceThrow(dice=(Die(rolled=False), Die(rolled=True))), {"not_rolled": [1]}),
        ("dice.bets_closed_before_throw", DiceThrow(bets_closed=False), {"no_more_bets": False}),
        ("dice.untouched_until_announced", DiceThrow(touched_at_rest=True), {"touched_at_rest": True}),
        ("dice.lifted_at_rest", DiceThrow(lifted_early=True), {"lifted_early": True}),
        ("dice.incorrect_throw", DiceThrow(incorrect=("motion",)), {"signals": ["motion"]}),
        ("dice.incorrect_throw", DiceThrow(chief_void="thrown short"), {"chief": "thrown short"}),
        (
            "dice.replace_set",
            DiceThrow(dice=(Die(broken=True), Die(off_table=True)), some_die=("fouled",)),
            {"off_table": [2], "broken": [1], "fouled": True},
        ),
    ],
)
def test_the_other_rules_of_a_throw(rule: str, throw: DiceThrow, seen: dict[str, Any]) -> None:
    assert [
        (f.rule, f.clause, f.effect, f.evidence) for f in judge_throw(game(*THROW), throw) if f.rule == rule
    ] == [(rule, "x 1", "void", seen)]


@pytest.mark.parametrize(
    ("rule", "good", "bad", "seen"),
    [
        ("dice.set_size", {"count": 6}, {"count": 5}, {"count": 5, "least": 6, "exact": True}),
        ("dice.set_size", {"count": 6}, {"count": 7}, {"count": 7, "least": 6, "exact": True}),
        (
            "dice.edge",
            {"edges_mm": (20, 25)},
            {"edges_mm": (20, 19.9)},
            {"edges_mm": [19.9], **GIVEN["dice.edge"]},
        ),
        (
            "dice.edge",
            {"edges_mm": (22.5,)},
            {"edges_mm": (25.1,)},
            {"edges_mm": [25.1], **GIVEN["dice.edge"]},
        ),
        ("dice.equal_edges", {"edges_mm": (13, 13)}, {"edges_mm": (13, 14)}, {"edges_mm": [13, 14]}),
        ("dice.colors", {"colors": 1}, {"colors": 2}, {"colors": 2, "wanted": 1}),
        ("dice.transparent", {"transparent": True}, {"transparent": False}, {"transparent": False}),
        ("dice.set_intact", {"defective": ()}, {"defective": ("17",)}, {"defective": ["17"]}),
        (
            "dice.suspected_seized",
            {"suspected_by": None},
            {"suspected_by": "a player"},
            {"suspected_by": "a player"},
        ),
        ("dice.sets", {"sets": 3}, {"sets": 2}, {"sets": 2, "wanted": 3}),
        (
            "dice.set_other_than_last",
            {"serials": ("A1", "A2"), "last_serials": ("B1",)},
            {"serials": ("A1", "A2"), "last_serials": ("A2", "A3")},
            {"used_last_session": ["A2"]},
        ),
    ],
)
def test_the_rules_of_the_set(rule: str, good: Values, bad: Values, seen: Values) -> None:
    assert judge_set(game(rule), DiceSet(**good)) == ()
    assert [finding.evidence for finding in judge_set(game(rule), DiceSet(**bad))] == [seen]


def test_a_set_may_have_more_dice_where_the_clause_says_at_least() -> None:
    at_least = game("dice.set_size", least=5, exact=False)
    assert [bool(judge_set(at_least, DiceSet(count=count))) for count in (4, 5, 6)] == [True, False, False]


@pytest.mark.parametrize(
    ("rule", "good", "bad", "seen"),
    [
        (
            "dice.change_due",
            {"throws": 29, "change_after": 30},
            {"throws": 30, "change_after": 30},
            {"throws": 30, "change_after": 30},
        ),
        ("dice.set_rotated", {"set_s": 3600}, {"set_s": 3601}, {"seconds": 3601, "allowed": 3600}),
        (
            "dice.thrower_relieved",
            {"thrower_s": 3600},
            {"thrower_s": 3601},
            {"seconds": 3601, "allowed": 3600},
        ),
        (
            "dice.set_rotated",
            {"thrower_s": 3601, "force_majeure": "nobody else in the house"},
            {"set_s": 3601, "force_majeure": "nobody else in the house"},
            {"seconds": 3601, "allowed": 3600},
        ),
    ],
)
def test_the_rules_of_use(rule: str, good: Values, bad: Values, seen: Values) -> None:
    assert judge_use(game(*USE), DiceUse(**good)) == ()
    assert [(f.rule, f.evidence) for f in judge_use(game(*USE), DiceUse(**bad))] == [(rule, seen)]


def test_force_majeure_excuses_only_where_the_clause_says_so() -> None:
    strict = game("dice.thrower_relieved", force_majeure_excuses=False)
    assert len(judge_use(strict, DiceUse(thrower_s=3601, force_majeure="nobody else in the house"))) == 1


@pytest.mark.parametrize(
    ("use", "reminded"),
    [
        ({"set_s": 3300, "thrower_s": 3300}, []),
        ({"set_s": 3301, "thrower_s": 10}, ["dice.set_rotated"]),
        ({"set_s": 10, "thrower_s": 3301}, ["dice.thrower_relieved"]),
        ({"set_s": 3601, "thrower_s": 3600}, ["dice.thrower_relieved"]),
        ({"thrower_s": 3500, "force_majeure": "nobody else in the house"}, []),
        ({"throws": 30, "change_after": 30}, []),
    ],
)
def test_what_falls_due_soon_is_a_reminder_and_what_is_overdue_is_not(
    use: Values, reminded: list[str]
) -> None:
    found = remind(game(*USE), DiceUse(**use), notice_s=300)
    assert [finding.rule for finding in found] == reminded
    for finding in found:
        assert (finding.effect, finding.evidence) == ("reminder", {"within_s": 300, "allowed": 3600})


def test_no_change_is_due_where_the_house_sets_no_number() -> None:
    assert judge_use(game(*USE), DiceUse(throws=1000)) == ()


def test_what_was_not_seen_breaks_nothing() -> None:
    assert judge_throw(game(*THROW), DiceThrow(dice=(Die(), Die(), Die()))) == ()
    assert judge_throw(game(*THROW), DiceThrow()) == ()
    assert judge_set(game(*SET), DiceSet()) == ()
    assert judge_use(game(*USE), DiceUse()) == ()


def test_a_rule_that_the_game_does_not_have_finds_nothing() -> None:
    chip = DiceThrow(dice=(Die(on_chip=True), Die()))
    assert judge_throw(game("dice.broken"), chip) == ()
    assert [finding.rule for finding in judge_throw(game("dice.on_chip"), chip)] == ["dice.on_chip"]


@pytest.mark.parametrize(
    ("faces", "shown"),
    [((3, 4), (3, 4)), ((6, 6, 1), (6, 6, 1)), ((3, None), None), ((None, 5, 5), None), ((), None)],
)
def test_faces_are_known_only_when_all_are(
    faces: tuple[int | None, ...], shown: tuple[int, ...] | None
) -> None:
    assert DiceThrow(dice=tuple(Die(face=face) for face in faces)).faces == shown
