"""Rules that only craps has: changing the dice, and what a text says leaves a throw valid."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from daemon.catalogue.families.craps import Allowance, Craps
from daemon.catalogue.model import Game, Rule
from daemon.catalogue.rules import dice, judging
from daemon.catalogue.rules.dice import DiceThrow
from daemon.catalogue.rules.judging import Check, Seen
from daemon.records import Finding


class DiceChange(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody asks for other dice."""

    by: Literal["thrower", "staff"]
    point: int | None
    """The point that the series is thrown for; None before a come-out roll."""
    die_lost: bool = False
    """A die fell to the floor in this series."""


def _no_change_for_the_point(game: Game, rule: Rule, change: DiceChange) -> Seen | None:
    if change.by != "thrower" or change.point is None or change.die_lost:
        return None
    return {"by": change.by, "point": change.point}


CHANGE: Mapping[str, Check] = {"craps.no_change_for_the_point": _no_change_for_the_point}


def judge_change(game: Craps, change: DiceChange) -> tuple[Finding, ...]:
    """What the game's own rules find in a wish for other dice."""
    return judging.judge(CHANGE, game, change)


def allowances(game: Craps, throw: DiceThrow) -> tuple[Allowance, ...]:
    """What happened in this throw that the text says in so many words leaves it valid."""
    judging.require_sound(throw)
    return tuple(one for one in game.allowances if dice.happened(throw, one.mishap))
