"""Rules of the fortune wheel: what one spin's evidence says."""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.families.fortune_wheel import FortuneWheel
from daemon.catalogue.model import Game, Rule, find_rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Count, Parameters, Seen
from daemon.records import Finding
from drivers.readings import Direction, Turns


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one spin, from the first push to rest. None is "not seen", neither yes nor no."""

    direction: Direction | None = None
    """The wheel's sense of rotation as the players see it."""
    pushes: Count | None = None
    """How often the croupier drove the wheel in this spin."""
    turns: Turns | None = None
    """Turns from the start of the spin to rest."""
    turns_after_second: Turns | None = None
    """Turns from the second push to rest, whatever pushes came after it."""
    bets_closed_at_push: Count | None = None
    """Which push "no more bets" went with, counted from 1; 0 where it went with none."""
    bets_closed: bool | None = None
    """Whether bets were closed before the wheel stopped; None where that cannot be known."""
    segment: int | None = None
    """Where the wheel came to rest, counted from 1; None before it did, or where it was not read."""
    on_peg: bool | None = None
    """What retains the wheel rests on a peg between two segments."""
    hindrance: str | None = None
    """Who or what hindered the wheel's free rotation, or how that showed: "reversal", "braked", …"""
    declared_void: str | None = None
    """The reason with which the staff declared the spin void."""


def _clockwise(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    return {"direction": evidence.direction} if evidence.direction == "ccw" else None


def _bets_closed_at_push(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    wanted = rule.parameters["push"]
    if evidence.bets_closed_at_push is None or evidence.bets_closed_at_push == wanted:
        return None
    return {"bets_closed_at_push": evidence.bets_closed_at_push, "wanted": wanted}


def _turns(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    """Only full turns count, and only what proves that they were too few breaks the rule.

    Counted from the second push, a spin without one has made none of them.
    """
    wanted, start = rule.parameters["turns"], rule.parameters["counted_from"]
    seen: Seen = {"wanted": wanted, "counted_from": start}
    if start == "second_push" and evidence.pushes is not None and evidence.pushes < 2:
        return {**seen, "pushes": evidence.pushes, "turns": 0}
    counted = _counted(rule, evidence)
    return None if counted is None or counted.most >= wanted else {**seen, "turns": int(counted.most)}


def _counted(rule: Rule, evidence: Evidence) -> Turns | None:
    return evidence.turns if rule.parameters["counted_from"] == "start" else evidence.turns_after_second


def turns_in_doubt(game: Game, evidence: Evidence) -> Seen | None:
    """What was seen of the turns where that may be just enough for the game's rule or just too few."""
    rule = find_rule(game, "fortune_wheel.turns")
    counted = None if rule is None else _counted(rule, evidence)
    if rule is None or counted is None or not counted.least < rule.parameters["turns"] <= counted.most:
        return None
    between = {"least": round(counted.least, 4), "most": round(counted.most, 4)}
    return {"wanted": rule.parameters["turns"], "counted_from": rule.parameters["counted_from"], **between}


def _on_peg(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    return {"on_peg": True} if evidence.on_peg else None


def _hindered(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    return None if evidence.hindrance is None else {"hindrance": evidence.hindrance}


def _declared_void(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    return None if evidence.declared_void is None else {"declared": evidence.declared_void}


def _bets_closed_before_result(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.segment is None or evidence.bets_closed is not False:
        return None
    return {"no_more_bets": False, "segment": evidence.segment}


def _rests_in_segment(game: FortuneWheel, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.segment is None or 1 <= evidence.segment <= game.wheel.segments:
        return None
    return {"segment": evidence.segment, "segments": game.wheel.segments}


SPIN: Mapping[str, Check] = {
    "fortune_wheel.clockwise": _clockwise,
    "fortune_wheel.bets_closed_at_push": _bets_closed_at_push,
    "fortune_wheel.bets_closed_before_result": _bets_closed_before_result,
    "fortune_wheel.turns": _turns,
    "fortune_wheel.on_peg": _on_peg,
    "fortune_wheel.hindered": _hindered,
    "fortune_wheel.declared_void": _declared_void,
    "fortune_wheel.rests_in_segment": _rests_in_segment,
}

PARAMETERS: Parameters = {
    "fortune_wheel.bets_closed_at_push": {"push": "fixed"},
    "fortune_wheel.turns": {"turns": "higher", "counted_from": "fixed"},
}
"""Parameters that a rule's clause must give. `counted_from` is "start" or "second_push"."""


def judge(game: Game, evidence: Evidence) -> tuple[Finding, ...]:
    """What the game's own rules find in one spin's evidence, in the text's order."""
    return judging.judge(SPIN, game, evidence)
