"""Rules of trente et quarante beside the shoe's own: the rows, a card exposed by mistake, the last cards.

A rule answers with what it saw when it was broken, or with None. Evidence that is missing breaks nothing.
"""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.cards import Card
from daemon.catalogue.families.trente_et_quarante import TrenteEtQuarante
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Parameters, Seen
from daemon.records import Finding

__all__ = ["HAND", "PARAMETERS", "Hand", "judge"]


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one hand's rows and, after the stop card, of the last cards. None is "not seen"."""

    black_total: int | None = None
    red_total: int | None = None
    """Points of the rows when the croupier announced them."""
    surplus: int | None = None
    """Cards laid after both rows were complete."""
    exposed: Card | None = None
    """A card that was uncovered by mistake."""
    exposed_burnt: bool | None = None
    """Whether it was burnt at once."""
    last_cards: int | None = None
    """Cards counted beneath the stop card."""
    last_cards_face_up: bool | None = None


def _rows_complete(game: TrenteEtQuarante, rule: Rule, seen: Hand) -> Seen | None:
    totals = {"black": seen.black_total, "red": seen.red_total}
    short = {row: total for row, total in totals.items() if total is not None and total < game.rows.until}
    if not short and not seen.surplus:
        return None
    return {"until": game.rows.until, **short, **({"surplus": seen.surplus} if seen.surplus else {})}


def _exposed_card_burnt(game: TrenteEtQuarante, rule: Rule, seen: Hand) -> Seen | None:
    if seen.exposed is None or seen.exposed_burnt is not False:
        return None
    return {"exposed": seen.exposed, "burnt": False}


def _last_cards_counted(game: TrenteEtQuarante, rule: Rule, seen: Hand) -> Seen | None:
    wanted = None if game.stop_card is None else game.stop_card.beneath
    face_up = rule.parameters["face"] == "up"
    found: Seen = {}
    if wanted is not None and seen.last_cards is not None and seen.last_cards != wanted:
        found |= {"last_cards": seen.last_cards, "wanted": wanted}
    if seen.last_cards_face_up is not None and seen.last_cards_face_up != face_up:
        found |= {"face_up": seen.last_cards_face_up}
    return found or None


HAND: Mapping[str, Check] = {
    "trente_et_quarante.rows_complete": _rows_complete,
    "trente_et_quarante.exposed_card_burnt": _exposed_card_burnt,
    "trente_et_quarante.last_cards_counted": _last_cards_counted,
}

PARAMETERS: Parameters = {"trente_et_quarante.last_cards_counted": {"face": "fixed"}}
"""`face` says which way up the last cards lie while they are counted: "up" or "down"."""


def judge(game: TrenteEtQuarante, hand: Hand) -> tuple[Finding, ...]:
    """What the game's own rules find in one hand's rows and last cards, in the text's order."""
    return judging.judge(HAND, game, hand)
