"""Rules of the wheels with a ball: what one throw's evidence says, and what the closed table's says."""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.model import Game, Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Count, Parameters, Seen, Stricter, void_called
from daemon.records import Finding
from drivers.readings import Direction


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one throw. None is "not seen", which is neither yes nor no."""

    previous_rotor: Direction | None = None
    """The rotor's sense at the previous actuation; a void throw was one too."""
    rotor: Direction | None = None
    ball: Direction | None = None
    ball_with_rotor: bool | None = None
    """Whether the ball was seen to run in the rotor's own sense."""
    bets_closed: bool | None = None
    """Whether bets were closed before the result; None where that cannot be known."""
    ball_missing: bool = False
    """The ball left the cylinder or was taken out."""
    foreign_object: bool = False
    """A chip or another object fell into the cylinder while the ball ran."""
    defective: tuple[str, ...] = ()
    """The device's own signals that the throw was no throw."""
    chief_void: str | None = None
    """The table chief's reason for voiding the throw."""
    pocket: str | None = None
    laps: Count | None = None
    """Full turns of the ball along its track in the whole throw; None while it runs."""


class Closing(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of the cylinder at the end of the session."""

    lid: bool | None
    """The locked lid or the seal is on."""
    security_system: bool = False
    """Another security system reports the cylinder secured."""


def _rotor_alternates(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.rotor is None or evidence.rotor != evidence.previous_rotor:
        return None
    return {"previous": evidence.previous_rotor, "this": evidence.rotor}


def _ball_against_rotor(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    same_sense = evidence.rotor is not None and evidence.rotor == evidence.ball
    if not same_sense and not evidence.ball_with_rotor:
        return None
    seen = {"rotor": evidence.rotor, "ball": evidence.ball, "ball_with_rotor": evidence.ball_with_rotor}
    return {key: value for key, value in seen.items() if value is not None}


def _bets_closed_before_result(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.pocket is None or evidence.bets_closed is not False:
        return None
    return {"no_more_bets": False, "pocket": evidence.pocket}


def _ball_rests_in_pocket(game: Roulette, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.pocket is None or evidence.pocket in game.layout.colors:
        return None
    return {"pocket": evidence.pocket, "layout": game.layout.id, "pockets": len(game.layout.pockets)}


def _foreign_object(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    return {"foreign_object": True} if evidence.foreign_object else None


def _ball_left_cylinder(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    return {"ball_missing": True} if evidence.ball_missing else None


def _defective_throw(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    return void_called(evidence.defective, evidence.chief_void)


def _ball_laps(game: Game, rule: Rule, evidence: Evidence) -> Seen | None:
    wanted = rule.parameters["laps"]
    if evidence.laps is None or evidence.laps >= wanted:
        return None
    return {"laps": evidence.laps, "wanted": wanted}


def _cylinder_sealed(game: Game, rule: Rule, closing: Closing) -> Seen | None:
    if closing.lid is not False:
        return None
    if closing.security_system and "security_system" in rule.parameters["closures"]:
        return None
    return {"lid": False, "security_system": closing.security_system}


ROUND: Mapping[str, Check] = {
    "wheel.rotor_alternates": _rotor_alternates,
    "wheel.ball_against_rotor": _ball_against_rotor,
    "wheel.bets_closed_before_result": _bets_closed_before_result,
    "wheel.ball_rests_in_pocket": _ball_rests_in_pocket,
    "wheel.foreign_object": _foreign_object,
    "wheel.ball_left_cylinder": _ball_left_cylinder,
    "wheel.defective_throw": _defective_throw,
    "wheel.ball_laps": _ball_laps,
}
CLOSING: Mapping[str, Check] = {"wheel.cylinder_sealed": _cylinder_sealed}

_VOID_CLAUSE: Mapping[str, Stricter] = {"void_clause": "fixed"}
PARAMETERS: Parameters = {
    "wheel.rotor_alternates": _VOID_CLAUSE,
    "wheel.ball_against_rotor": _VOID_CLAUSE,
    "wheel.ball_laps": {"laps": "higher"},
    "wheel.cylinder_sealed": {"closures": "fewer"},
}
"""Parameters that a rule's clause must give. `void_clause` makes the breach a defective throw: it stands only
with the effect void."""


def judge(game: Game, evidence: Evidence) -> tuple[Finding, ...]:
    """What the game's own rules find in one throw's evidence, in the text's order."""
    return judging.judge(ROUND, game, evidence)


def judge_closing(game: Game, closing: Closing) -> tuple[Finding, ...]:
    """What the game's own rules find in the evidence of the session's end."""
    return judging.judge(CLOSING, game, closing)
