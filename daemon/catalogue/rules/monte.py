"""Rules of monte beside the shoe's own: a value that has come out, and a pair that should have been burnt.

A rule answers with what it saw when it was broken, or with None. Evidence that is missing breaks nothing.
"""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.families.monte import Monte
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Parameters, Seen
from daemon.outcomes import MonteOutcome
from daemon.records import Finding

__all__ = ["HAND", "PARAMETERS", "Hand", "judge"]


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a hand: what its cards make, and what the croupier did. None is "not seen"."""

    outcome: MonteOutcome | None = None
    pair_burnt: bool | None = None
    """Whether the first two cards, being alike, were put away."""


def _four_of_a_value(game: Monte, rule: Rule, seen: Hand) -> Seen | None:
    hand = seen.outcome
    if hand is None or hand.reason != "four_of_a_value":
        return None
    return {
        "layout": list(hand.layout),
        "laid_on": [list(on) for on in hand.laid_on],
        "burnt": list(hand.burnt),
    }


def _pair_burnt(game: Monte, rule: Rule, seen: Hand) -> Seen | None:
    if seen.pair_burnt is not False:
        return None
    pairs = [] if seen.outcome is None else list(seen.outcome.burnt)
    return {"pair_burnt": False, "pairs": pairs}


HAND: Mapping[str, Check] = {
    "monte.four_of_a_value": _four_of_a_value,
    "monte.pair_burnt": _pair_burnt,
}

PARAMETERS: Parameters = {}
"""None of these takes any."""


def judge(game: Monte, hand: Hand) -> tuple[Finding, ...]:
    """What the game's own rules find in one hand, in the text's order."""
    return judging.judge(HAND, game, hand)
