"""Rules of monte beside the shoe's own: a value that has come out, and a pair that should have been burnt."""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.families.monte import Monte
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Seen
from daemon.outcomes import MonteOutcome
from daemon.records import Finding


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a hand: what its cards make, and what the croupier did. None is "not seen"."""

    outcome: MonteOutcome | None = None
    pair_burnt: bool | None = None
    """Whether the first two cards, being alike, were put away."""


def _four_of_a_value(game: Monte, rule: Rule, hand: Hand) -> Seen | None:
    outcome = hand.outcome
    if outcome is None or outcome.reason != "four_of_a_value":
        return None
    return {
        "layout": list(outcome.layout),
        "laid_on": [list(on) for on in outcome.laid_on],
        "burnt": list(outcome.burnt),
    }


def _pair_burnt(game: Monte, rule: Rule, hand: Hand) -> Seen | None:
    if hand.pair_burnt is not False:
        return None
    pairs = [] if hand.outcome is None else list(hand.outcome.burnt)
    return {"pair_burnt": False, "pairs": pairs}


HAND: Mapping[str, Check] = {
    "monte.four_of_a_value": _four_of_a_value,
    "monte.pair_burnt": _pair_burnt,
}


def judge(game: Monte, hand: Hand) -> tuple[Finding, ...]:
    """What the game's own rules find in one hand, in the text's order."""
    return judging.judge(HAND, game, hand)
