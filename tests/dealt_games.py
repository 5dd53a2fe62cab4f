"""The games of es-ct that are dealt by a plan, and what their rules find in the evidence of a deal."""

from functools import cache

from daemon.catalogue.families.circle_poker import CirclePoker
from daemon.catalogue.families.deal import BankDeal, DealtGame
from daemon.catalogue.load import load_as
from daemon.catalogue.rules.deal import Evidence, judge

POKER, TRIJOKER, RETO, TRIPOKER = "poker_without_draw", "trijoker", "reto", "tripoker"
FOUR, TEXAS, TRIPLE, BONUS = "four_card_poker", "texas_poker", "triple_game", "texas_holdem_bonus"
NORMS, DRAW, SEVEN, OMAHA = "circle_poker", "circle_draw_poker", "circle_seven_stud", "circle_omaha"
HOLDEM, FIVE, SYNTHETIC = "circle_holdem", "circle_five_stud", "circle_synthetic_poker"

BANK = [POKER, TRIJOKER, RETO, TRIPOKER, FOUR, TEXAS, TRIPLE, BONUS]
CIRCLE = [NORMS, DRAW, SEVEN, OMAHA, HOLDEM, FIVE, SYNTHETIC]
VARIANTS = CIRCLE[1:]
STUDS = [SEVEN, OMAHA, HOLDEM, FIVE]
"""Seven stud and its variants."""

Verdict = tuple[str, str]
"""What becomes of the hand or the card, and the place in the text."""


@cache
def game(game_id: str) -> DealtGame:
    return load_as(CirclePoker if game_id in CIRCLE else BankDeal, "es-ct", game_id)


def found(game_id: str, evidence: Evidence) -> list[Verdict]:
    return [
        (finding.evidence.get("remedy", finding.effect), finding.clause.removeprefix("es-ct "))
        for finding in judge(game(game_id), evidence)
    ]
