"""What is found in a throw's evidence: by the game's rules, and where its text has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from daemon.catalogue.model import clause_or_none, find_rule
from daemon.catalogue.rules.wheel import Evidence, judge
from daemon.records import Finding

if TYPE_CHECKING:
    from daemon.catalogue.families.boule import Boule
    from daemon.catalogue.families.roulette import Roulette
    from daemon.rounds.wheel import WheelState

_ROTOR_RULES = ("wheel.rotor_alternates", "wheel.ball_against_rotor")


def rule_findings(
    game: Roulette | Boule, state: WheelState, label: str | None, *, settled: bool
) -> tuple[Finding, ...]:
    """What the clauses find. The rotor's sense is judged once, at the end, when it is sure."""
    thrown_to_its_end = settled and label is not None and state.stage != "condemned"
    evidence = Evidence(
        previous_rotor=state.previous_rotor,
        rotor=state.rotor if settled else None,
        ball=state.ball,
        ball_with_rotor=state.ball_with_rotor,
        bets_closed=(state.closed_at is not None) if thrown_to_its_end else None,
        ball_missing=state.ball_missing,
        defective=state.defective,
        pocket=label,
        laps=state.laps if thrown_to_its_end else None,
    )
    return judge(game, evidence)


def findings(game: Roulette | Boule, state: WheelState, label: str | None) -> tuple[Finding, ...]:
    """All that is found in a throw that is over, in the order in which it stands in the record."""
    notes: tuple[Finding, ...] = ()
    if state.rotor_rpm is not None:
        notes = (
            Finding(
                rule="device.rotor_speed",
                clause="none: the maker's range of speeds",
                effect="finding",
                evidence={"rpm": state.rotor_rpm},
            ),
        )
    ruled = rule_findings(game, state, label, settled=True)
    unjudged = _rotor_unseen(game, state) if label is not None else ()
    return (*ruled, *state.condemned, *unjudged, *notes, *_unruled(game, state))


def _rotor_unseen(game: Roulette | Boule, state: WheelState) -> tuple[Finding, ...]:
    """Rules that could not be judged, as the device never told the rotor's sense: noted, it voids nothing."""
    rules = [each for each in _ROTOR_RULES if find_rule(game, each) is not None]
    if not rules or state.rotor is not None or state.condemned:
        return ()
    clause = clause_or_none(game, rules[0])
    return (
        Finding(rule="round.rotor_unseen", clause=clause, effect="finding", evidence={"not_judged": rules}),
    )


def _unruled(game: Roulette | Boule, state: WheelState) -> tuple[Finding, ...]:
    """What the device said of the throw and this text has no rule for: noted, it voids nothing."""
    seen: dict[str, dict[str, Any]] = {}
    if state.defective:
        seen["wheel.defective_throw"] = {"signals": list(state.defective)}
    if state.ball_missing:
        seen["wheel.ball_left_cylinder"] = {"ball_missing": True}
    return tuple(
        Finding(rule=rule, clause=clause_or_none(game, rule), effect="finding", evidence=evidence)
        for rule, evidence in seen.items()
        if find_rule(game, rule) is None
    )
