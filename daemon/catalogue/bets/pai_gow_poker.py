"""Pai gow poker: what becomes of a stake when a player's two hands are compared with the bank's."""

from typing import Literal, get_args

from daemon.catalogue.bets.settlement import Settled
from daemon.catalogue.errors import BrokenEvidence, TermsRefused
from daemon.catalogue.families.pai_gow import PaiGowPoker
from daemon.catalogue.figures import is_whole
from daemon.catalogue.model import Ratio

Better = Literal["player", "bank", "equal"]
"""Whose of two hands is worth more."""


def settle(
    game: PaiGowPoker, high: Better, low: Better, *, percent: int, made_wrongly: bool = False
) -> Settled:
    """What becomes of a player's stake when both hands have been compared with the bank's.

    `percent` is the commission that the house has announced. Raises TermsRefused for one that the
    text does not allow.
    """
    (bet,) = game.bets
    allowed = game.commission
    if not is_whole(percent, 0, allowed.percent) or (allowed.fixed and percent != allowed.percent):
        raise TermsRefused(f"a commission of {percent} percent is not allowed", allowed.clause)
    if not {high, low} <= set(get_args(Better)):
        raise BrokenEvidence(f"{high!r:.60} and {low!r:.60} say of no hand whose is better")
    if made_wrongly:
        return Settled(bet=bet.id, fate="loses", clause=game.hands.wrong_loses_clause)
    won = [better == "player" for better in (high, low)]
    if all(won):
        return Settled(bet=bet.id, fate="wins", pays=Ratio(100 - percent, 100), clause=bet.clause)
    if any(won):
        return Settled(bet=bet.id, fate="stands", clause=game.standing_clause)
    equal = "equal" in (high, low)
    return Settled(bet=bet.id, fate="loses", clause=game.ties_to_bank_clause if equal else bet.clause)
