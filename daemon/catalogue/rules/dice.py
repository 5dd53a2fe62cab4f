"""Rules of the games with dice: what one throw's evidence says, what the set's says, what its use says.

Dice are named by their place in the throw, counted from 1.
"""

from collections.abc import Mapping
from math import inf
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from daemon.catalogue.errors import BrokenEvidence
from daemon.catalogue.model import Game, Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Count, Measure, Parameters, Seen, void_called
from daemon.records import Finding

# --- evidence -------------------------------------------------------------------------------------

Mishap = Literal[
    "broken",
    "fouled",
    "stacked",
    "touches_die",
    "cocked",
    "wedged",
    "on_chip",
    "on_rim",
    "off_table",
    "in_reserve",
    "outside_arena",
    "foreign_object",
    "not_in_cup",
    "stayed_in_cup",
]
"""What may happen to a die; each is a field of `Die`, where it is described."""


Face = Annotated[int, Meta(ge=1, le=6)]


class Die(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one die in one throw. None is "not seen", which is neither yes nor no."""

    face: Face | None = None
    """1 to 6, once the die is at rest."""
    wall_touched: bool | None = None
    """It struck the end of the table opposite the thrower."""
    rolled: bool | None = None
    """It rolled; False where it only slid or was set down."""
    broken: bool | None = None
    """Broken, or with any other damage."""
    fouled: bool | None = None
    """With something on it that is not the die's own."""
    stacked: bool | None = None
    """On another die."""
    touches_die: bool | None = None
    """Beside another die and not clear of it."""
    cocked: bool | None = None
    """It leans, and does not lie flat on one side."""
    wedged: bool | None = None
    """More than one of its sides rests on chips or on another object."""
    on_chip: bool | None = None
    on_rim: bool | None = None
    off_table: bool | None = None
    in_reserve: bool | None = None
    """In the place of the dice in reserve."""
    outside_arena: bool | None = None
    """On the table, but outside the zone marked for the throw."""
    foreign_object: bool | None = None
    """It touched an object that is not the table's while it fell or rolled."""
    not_in_cup: bool | None = None
    """It was not put into the cup before the throw."""
    stayed_in_cup: bool | None = None
    """The cup kept it back when it was thrown."""


class DiceThrow(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one throw."""

    dice: tuple[Die, ...] = ()
    """One for each die that the game throws, those of which nothing was seen included."""
    some_die: tuple[Mishap, ...] = ()
    """What was seen, or said by the croupier, to have happened to a die, without which one."""
    bets_closed: bool | None = None
    """Whether bets were closed when the dice were thrown; None where that cannot be known."""
    touched_at_rest: bool | None = None
    """Somebody lifted, turned or touched the dice between their coming to rest and the announcement."""
    lifted_early: bool | None = None
    """Somebody lifted a die before all were at rest and could be read."""
    incorrect: tuple[str, ...] = ()
    """The device's own signals that the throw was no throw."""
    chief_void: str | None = None
    """The reason for which the table's staff voided the throw."""

    @property
    def faces(self) -> tuple[int, ...] | None:
        """What the dice show, or None where that of any is not known: two faces of three are no result."""
        faces = tuple(die.face for die in self.dice if die.face is not None)
        return faces if faces and len(faces) == len(self.dice) else None


class DiceSet(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the dice that a session is to be played with, those in reserve included."""

    count: Count | None = None
    edges_mm: tuple[Measure, ...] = ()
    """Every edge length that was measured or is recorded."""
    colors: Count | None = None
    """Different colours among the dice of one throw."""
    transparent: bool | None = None
    serials: tuple[str, ...] = ()
    """The maker's numbers on the dice, or one for a set that has one."""
    last_serials: tuple[str, ...] = ()
    """The same of the last session's dice; empty where they are not known."""
    defective: tuple[str, ...] = ()
    """Serials, or places in the set, of dice found to be defective."""
    suspected_by: str | None = None
    """Who has said that they suspect a defect: the inspection or any player."""
    sets: Count | None = None
    """Whole sets at the table."""


class DiceUse(msgspec.Struct, frozen=True, kw_only=True):
    """How long the dice and their thrower have been in use."""

    throws: Count | None = None
    """Throws since the dice were changed, void ones included."""
    change_after: Count | None = None
    """The number of throws after which the house changes them; no text sets it."""
    set_s: Measure | None = None
    """Seconds that this set has been in play."""
    thrower_s: Measure | None = None
    """Seconds that this croupier has thrown."""
    force_majeure: str | None = None
    """Why the thrower could not be relieved, where that was beyond the house's power."""


# --- the throw ------------------------------------------------------------------------------------


def _mishap(kind: Mishap) -> Check:
    def check(game: Game, rule: Rule, throw: DiceThrow) -> Seen | None:
        return happened(throw, kind)

    return check


def happened(throw: DiceThrow, kind: Mishap) -> Seen | None:
    """Which dice this happened to, or that it happened to one; None where it was not seen."""
    dice = [place for place, die in enumerate(throw.dice, 1) if getattr(die, kind)]
    if dice:
        return {kind: dice}
    return {kind: True} if kind in throw.some_die else None


def _touches_wall(game: Game, rule: Rule, throw: DiceThrow) -> Seen | None:
    missed = [place for place, die in enumerate(throw.dice, 1) if die.wall_touched is False]
    least = rule.parameters["least"]
    if not missed or len(throw.dice) - len(missed) >= least:
        return None
    return {"wall_not_touched": missed, "least": least}


def _rolls(game: Game, rule: Rule, throw: DiceThrow) -> Seen | None:
    slid = [place for place, die in enumerate(throw.dice, 1) if die.rolled is False]
    return {"not_rolled": slid} if slid else None


def _bets_closed_before_throw(game: Game, rule: Rule, throw: DiceThrow) -> Seen | None:
    return {"no_more_bets": False} if throw.bets_closed is False else None


def _untouched_until_announced(game: Game, rule: Rule, throw: DiceThrow) -> Seen | None:
    return {"touched_at_rest": True} if throw.touched_at_rest else None


def _lifted_at_rest(game: Game, rule: Rule, throw: DiceThrow) -> Seen | None:
    return {"lifted_early": True} if throw.lifted_early else None


def _incorrect_throw(game: Game, rule: Rule, throw: DiceThrow) -> Seen | None:
    return void_called(throw.incorrect, throw.chief_void)


def _replace_set(game: Game, rule: Rule, throw: DiceThrow) -> Seen | None:
    seen: Seen = {}
    for kind in rule.parameters["after"]:
        seen |= happened(throw, kind) or {}
    return seen or None


THROW: Mapping[str, Check] = {
    **{f"dice.{kind}": _mishap(kind) for kind in get_args(Mishap)},
    "dice.touches_wall": _touches_wall,
    "dice.rolls": _rolls,
    "dice.bets_closed_before_throw": _bets_closed_before_throw,
    "dice.untouched_until_announced": _untouched_until_announced,
    "dice.lifted_at_rest": _lifted_at_rest,
    "dice.incorrect_throw": _incorrect_throw,
    "dice.replace_set": _replace_set,
}
"""A mishap's rule is named after it: `dice.broken` is broken by a broken die."""


# --- the set, at the session's opening and whenever it is replaced ---------------------------------


def _set_size(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    least, exact = rule.parameters["least"], rule.parameters["exact"]
    if dice.count is None or dice.count == least or (dice.count > least and not exact):
        return None
    return {"count": dice.count, "least": least, "exact": exact}


def _edge(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    least, greatest = rule.parameters["least_mm"], rule.parameters["greatest_mm"]
    outside = [edge for edge in dice.edges_mm if not least <= edge <= greatest]
    return {"edges_mm": outside, "least_mm": least, "greatest_mm": greatest} if outside else None


def _equal_edges(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    return {"edges_mm": list(dice.edges_mm)} if len(set(dice.edges_mm)) > 1 else None


def _colors(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    wanted = rule.parameters["colors"]
    return None if dice.colors in (None, wanted) else {"colors": dice.colors, "wanted": wanted}


def _transparent(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    return {"transparent": False} if dice.transparent is False else None


def _set_intact(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    return {"defective": list(dice.defective)} if dice.defective else None


def _suspected_seized(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    return None if dice.suspected_by is None else {"suspected_by": dice.suspected_by}


def _set_other_than_last(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    again = [serial for serial in dice.serials if serial in dice.last_serials]
    return {"used_last_session": again} if again else None


def _sets(game: Game, rule: Rule, dice: DiceSet) -> Seen | None:
    wanted = rule.parameters["sets"]
    return None if dice.sets in (None, wanted) else {"sets": dice.sets, "wanted": wanted}


SET: Mapping[str, Check] = {
    "dice.set_size": _set_size,
    "dice.edge": _edge,
    "dice.equal_edges": _equal_edges,
    "dice.colors": _colors,
    "dice.transparent": _transparent,
    "dice.set_intact": _set_intact,
    "dice.suspected_seized": _suspected_seized,
    "dice.set_other_than_last": _set_other_than_last,
    "dice.sets": _sets,
}


# --- their use, while the table runs ----------------------------------------------------------------


def _change_due(game: Game, rule: Rule, use: DiceUse) -> Seen | None:
    if use.throws is None or use.change_after is None or use.throws < use.change_after:
        return None
    return {"throws": use.throws, "change_after": use.change_after}


def _set_rotated(game: Game, rule: Rule, use: DiceUse) -> Seen | None:
    return _overdue(use.set_s, rule)


def _thrower_relieved(game: Game, rule: Rule, use: DiceUse) -> Seen | None:
    excused = rule.parameters["force_majeure_excuses"] and use.force_majeure is not None
    return None if excused else _overdue(use.thrower_s, rule)


def _overdue(seconds: float | None, rule: Rule) -> Seen | None:
    if seconds is None or seconds <= rule.parameters["seconds"]:
        return None
    return {"seconds": seconds, "allowed": rule.parameters["seconds"]}


USE: Mapping[str, Check] = {
    "dice.change_due": _change_due,
    "dice.set_rotated": _set_rotated,
    "dice.thrower_relieved": _thrower_relieved,
}


# --- parameters and judging -------------------------------------------------------------------------

PARAMETERS: Parameters = {
    "dice.touches_wall": {"least": "higher"},
    "dice.replace_set": {"after": "fixed"},
    "dice.set_size": {"least": "higher", "exact": "fixed"},
    "dice.edge": {"least_mm": "higher", "greatest_mm": "lower"},
    "dice.colors": {"colors": "fixed"},
    "dice.sets": {"sets": "fixed"},
    "dice.set_rotated": {"seconds": "lower"},
    "dice.thrower_relieved": {"seconds": "lower", "force_majeure_excuses": "fixed"},
}
"""Parameters that a rule's clause must give. `least` of the wall: so many dice must touch it; `after`: the
mishaps after which the whole set is replaced; `exact` of the set: so many dice, not at least so many."""


def judge_throw(game: Game, throw: DiceThrow) -> tuple[Finding, ...]:
    """What the game's own rules find in one throw's evidence, in the text's order."""
    return judging.judge(THROW, game, throw)


def judge_set(game: Game, dice: DiceSet) -> tuple[Finding, ...]:
    """What the game's own rules find in the evidence of the session's dice."""
    return judging.judge(SET, game, dice)


def judge_use(game: Game, use: DiceUse) -> tuple[Finding, ...]:
    """What the game's own rules find in how long the dice and their thrower have been in use."""
    return judging.judge(USE, game, use)


def remind(game: Game, use: DiceUse, notice_s: float) -> tuple[Finding, ...]:
    """The changes of dice or thrower that fall due within `notice_s` seconds, as reminders.

    How early to remind is the house's own choice; what is overdue already is `judge_use`'s to find. Raises
    BrokenEvidence as that does, and for a notice that is no time.
    """
    if not 0 <= notice_s < inf:
        raise BrokenEvidence(f"{notice_s} is no time of notice")
    overdue = {finding.rule for finding in judge_use(game, use)}
    later = msgspec.structs.replace(
        use, set_s=_after(use.set_s, notice_s), thrower_s=_after(use.thrower_s, notice_s)
    )
    return tuple(
        msgspec.structs.replace(
            due, effect="reminder", evidence={"within_s": notice_s, "allowed": due.evidence["allowed"]}
        )
        for due in judge_use(game, later)
        if due.rule not in overdue
    )


def _after(seconds: float | None, notice_s: float) -> float | None:
    return None if seconds is None else seconds + notice_s
