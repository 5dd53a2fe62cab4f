"""Rules of trente et quarante beside the shoe's own: the rows, a card exposed by mistake, the last cards."""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.cards import Card
from daemon.catalogue.families.trente_et_quarante import TrenteEtQuarante
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Count, Parameters, Seen
from daemon.records import Finding


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one hand's rows and, after the stop card, of the last cards. None is "not seen"."""

    black_total: Count | None = None
    red_total: Count | None = None
    """Points of the rows when the croupier announced them."""
    surplus: Count | None = None
    """Cards laid after both rows were complete."""
    exposed: Card | None = None
    """A card that was uncovered by mistake."""
    exposed_burnt: bool | None = None
    """Whether it was burnt at once."""
    last_cards: Count | None = None
    """Cards counted beneath the stop card."""
    last_cards_face_up: bool | None = None


def _rows_complete(game: TrenteEtQuarante, rule: Rule, hand: Hand) -> Seen | None:
    totals = {"black": hand.black_total, "red": hand.red_total}
    short = {row: total for row, total in totals.items() if total is not None and total < game.rows.until}
    if not short and not hand.surplus:
        return None
    return {"until": game.rows.until, **short, **({"surplus": hand.surplus} if hand.surplus else {})}


def _exposed_card_burnt(game: TrenteEtQuarante, rule: Rule, hand: Hand) -> Seen | None:
    if hand.exposed is None or hand.exposed_burnt is not False:
        return None
    return {"exposed": hand.exposed, "burnt": False}


def _last_cards_counted(game: TrenteEtQuarante, rule: Rule, hand: Hand) -> Seen | None:
    wanted = None if game.stop_card is None else game.stop_card.beneath
    face_up = rule.parameters["face"] == "up"
    found: Seen = {}
    if wanted is not None and hand.last_cards is not None and hand.last_cards != wanted:
        found |= {"last_cards": hand.last_cards, "wanted": wanted}
    if hand.last_cards_face_up is not None and hand.last_cards_face_up != face_up:
        found |= {"face_up": hand.last_cards_face_up}
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
