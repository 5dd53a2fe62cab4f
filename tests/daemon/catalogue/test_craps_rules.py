"""Craps' rules under the three texts: the same throw, set or wish, judged by each, with its clause."""

from typing import Any

import pytest

from daemon.catalogue.families.craps import Craps
from daemon.catalogue.load import load_as
from daemon.catalogue.rules.craps import DiceChange, allowances, judge_change
from daemon.catalogue.rules.dice import (
    DiceSet,
    DiceThrow,
    DiceUse,
    Die,
    judge_set,
    judge_throw,
    judge_use,
)

TEXTS = ("es-1979", "es-ct", "es-ex")
GOOD = Die(face=3, wall_touched=True, rolled=True)


def game(text: str) -> Craps:
    return load_as(Craps, text, "craps")


def throw(**second: Any) -> DiceThrow:
    """A good throw but for what is said of its second die."""
    die = {"face": 4, "wall_touched": True, "rolled": True, **second}
    return DiceThrow(dice=(GOOD, Die(**die)), bets_closed=True)


def verdict(text: str, seen: DiceThrow) -> tuple[str | None, str | None, str | None]:
    """The rule that was broken, what it does to the throw, and its clause."""
    findings = judge_throw(game(text), seen)
    assert len(findings) <= 1
    return (findings[0].rule, findings[0].effect, findings[0].clause) if findings else (None, None, None)


@pytest.mark.parametrize(
    ("text", "chip", "wall"),
    [
        ("es-1979", ("void", "es-1979 06.IV.3"), ("void", "es-1979 06.IV.3")),
        ("es-ct", (None, None), ("finding", "es-ct 6.IV.3")),
        ("es-ex", ("void", "es-ex 1.5.4.3.f"), ("void", "es-ex 1.5.4.3.e")),
    ],
)
def test_one_throw_has_three_verdicts(
    text: str, chip: tuple[str | None, str | None], wall: tuple[str, str]
) -> None:
    on_chip, short = throw(on_chip=True), throw(wall_touched=False)
    assert verdict(text, on_chip)[1:] == chip
    assert verdict(text, short) == ("dice.touches_wall", *wall)
    assert judge_throw(game(text), throw()) == ()
    both = judge_throw(game(text), throw(on_chip=True, wall_touched=False))
    assert {finding.rule: finding.effect for finding in both} == {
        "dice.touches_wall": wall[0],
        **({"dice.on_chip": chip[0]} if chip[0] else {}),
    }


def test_only_catalonia_says_that_a_die_on_a_chip_is_valid() -> None:
    on_chip = throw(on_chip=True)
    assert [(one.mishap, one.clause) for one in allowances(game("es-ct"), on_chip)] == [
        ("on_chip", "es-ct 6.IV.3")
    ]
    assert allowances(game("es-ct"), throw()) == ()
    assert allowances(game("es-1979"), on_chip) == allowances(game("es-ex"), on_chip) == ()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("mishap", ["broken", "stacked", "off_table", "on_rim", "in_reserve"])
def test_what_makes_a_throw_void_in_all_three(text: str, mishap: str) -> None:
    clause = {"es-1979": "06.IV.3", "es-ct": "6.IV.3", "es-ex": "1.5.4.3.f"}[text]
    assert verdict(text, throw(**{mishap: True})) == (f"dice.{mishap}", "void", f"{text} {clause}")


@pytest.mark.parametrize("text", TEXTS)
def test_a_die_that_slides_a_throw_that_was_not_correct_and_open_bets(text: str) -> None:
    assert verdict(text, throw(rolled=False))[:2] == ("dice.rolls", "void")
    assert verdict(text, DiceThrow(dice=(GOOD, GOOD), chief_void="late"))[:2] == (
        "dice.incorrect_throw",
        "void",
    )
    assert verdict(text, DiceThrow(dice=(GOOD, GOOD), bets_closed=False))[:2] == (
        "dice.bets_closed_before_throw",
        "finding",
    )


@pytest.mark.parametrize("text", TEXTS)
def test_mishaps_of_other_dice_games_are_none_here(text: str) -> None:
    others = throw(foreign_object=True, not_in_cup=True, stayed_in_cup=True, outside_arena=True, fouled=True)
    assert judge_throw(game(text), others) == ()


# --- the dice -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("es-1979", {14.9, 15, 19.9, 25.1}),
        ("es-ct", {14.9, 25.1}),
        ("es-ex", {14.9, 15, 19.9, 25.1}),
    ],
)
def test_the_edge_of_a_die(text: str, refused: set[float]) -> None:
    edges = (14.9, 15, 19.9, 20, 25, 25.1)
    clause = {"es-1979": "06.II.1", "es-ct": "6.II", "es-ex": "1.5.2.1"}[text]
    found = {edge: judge_set(game(text), DiceSet(edges_mm=(edge, 22))) for edge in edges}
    assert {edge for edge, findings in found.items() if findings} == refused
    assert {(one.rule, one.effect, one.clause) for findings in found.values() for one in findings} == {
        ("dice.edge", "refuse", f"{text} {clause}")
    }
    rule = next(rule for rule in game(text).rules if rule.id == "dice.edge")
    assert (rule.parameters["least_mm"], rule.parameters["greatest_mm"]) == game(text).dice.edge_mm


@pytest.mark.parametrize(("text", "refused"), [("es-1979", {4, 5, 7}), ("es-ct", {4}), ("es-ex", {4, 5, 7})])
def test_how_many_dice_a_session_has(text: str, refused: set[int]) -> None:
    assert {count for count in (4, 5, 6, 7) if judge_set(game(text), DiceSet(count=count))} == refused
    rule = next(rule for rule in game(text).rules if rule.id == "dice.set_size")
    assert rule.parameters["least"] == game(text).dice.per_session


@pytest.mark.parametrize("text", TEXTS)
def test_last_sessions_dice_other_colours_and_defects_are_refused(text: str) -> None:
    dice = DiceSet(serials=("1", "2"), last_serials=("2",), colors=2, transparent=False, defective=("1",))
    found = {finding.rule: (finding.effect, finding.evidence) for finding in judge_set(game(text), dice)}
    assert found == {
        "dice.colors": ("refuse", {"colors": 2, "wanted": 1}),
        "dice.transparent": ("refuse", {"transparent": False}),
        "dice.set_intact": ("refuse", {"defective": ["1"]}),
        "dice.set_other_than_last": ("refuse", {"used_last_session": ["2"]}),
    }


@pytest.mark.parametrize(
    ("text", "clause"),
    [("es-1979", "es-1979 06.IV.3"), ("es-ct", "es-ct 6.IV.3"), ("es-ex", "es-ex 1.5.4.3.h")],
)
def test_a_change_of_dice_is_only_a_reminder(text: str, clause: str) -> None:
    due = judge_use(game(text), DiceUse(throws=40, change_after=40, set_s=99999, thrower_s=99999))
    assert [(one.rule, one.effect, one.clause) for one in due] == [("dice.change_due", "reminder", clause)]


@pytest.mark.parametrize(
    ("text", "clause"),
    [("es-1979", "es-1979 06.IV.3"), ("es-ct", "es-ct 6.IV.3"), ("es-ex", "es-ex 1.5.4.3.d")],
)
def test_the_thrower_may_not_ask_for_other_dice_while_throwing_for_the_point(text: str, clause: str) -> None:
    refused = judge_change(game(text), DiceChange(by="thrower", point=6))
    assert [(one.rule, one.effect, one.clause, one.evidence) for one in refused] == [
        ("craps.no_change_for_the_point", "refuse", clause, {"by": "thrower", "point": 6})
    ]
    assert judge_change(game(text), DiceChange(by="thrower", point=None)) == ()
    assert judge_change(game(text), DiceChange(by="thrower", point=6, die_lost=True)) == ()
    assert judge_change(game(text), DiceChange(by="staff", point=6)) == ()
