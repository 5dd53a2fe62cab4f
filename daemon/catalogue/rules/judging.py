"""What every family's rules share: how a rule answers, and how an answer becomes a finding.

A rule is a function of (game, rule, evidence) that answers with what it saw when it was broken, or with None.
Evidence that is missing is None and breaks nothing: whether a round without it may stand is for the round to
decide.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from daemon.catalogue.errors import BrokenEvidence
from daemon.catalogue.model import Game, Rule
from daemon.records import Finding

Seen = dict[str, Any]
"""What was seen when a rule was broken; goes into the finding as its evidence."""

Count = Annotated[int, Meta(ge=0)]
"""Of evidence: how many were seen."""

Measure = Annotated[float, Meta(ge=0, le=1e9)]
"""Of evidence: turns, seconds, millimetres; finite, and so never "not a number"."""

Check = Callable[[Any, Rule, Any], Seen | None]

Stricter = Literal["higher", "lower", "fewer", "fixed"]
"""Which way a parameter makes its rule stricter: a higher or lower number, fewer of a list, or none."""

Parameters = Mapping[str, Mapping[str, Stricter]]
"""Rule id to the parameters that its clause must give; a rule that does not stand there takes none."""


def void_called(signals: tuple[str, ...], chief_void: str | None) -> Seen | None:
    """That the device signalled no throw, or the staff voided it, each with its reason; None for neither."""
    seen: Seen = {}
    if signals:
        seen["signals"] = list(signals)
    if chief_void is not None:
        seen["chief"] = chief_void
    return seen or None


def judge(checks: Mapping[str, Check], game: Game, evidence: Any) -> tuple[Finding, ...]:
    """What the game's own rules, of those that `checks` holds, find in the evidence, in the text's order.

    Raises BrokenEvidence for evidence that is not as its class describes it.
    """
    require_sound(evidence)
    return tuple(
        Finding(rule=rule.id, clause=rule.clause, effect=rule.effect, evidence=seen)
        for rule in game.rules
        if rule.id in checks and (seen := checks[rule.id](game, rule, evidence)) is not None
    )


def require_sound(evidence: Any) -> None:
    """Raises BrokenEvidence for evidence whose values are not of the kinds that its class says."""
    if not isinstance(evidence, msgspec.Struct):
        raise BrokenEvidence(f"{evidence!r:.60} is no evidence")
    try:
        sound = msgspec.convert(msgspec.to_builtins(evidence, builtin_types=(bytes,)), type(evidence))
    except (msgspec.ValidationError, TypeError, ValueError, RecursionError) as error:
        raise BrokenEvidence(f"evidence is not sound: {error}") from error
    if sound != evidence:  # a mapping, say, that reads like the class that should stand there
        raise BrokenEvidence("evidence is not sound: its values are of other classes")
