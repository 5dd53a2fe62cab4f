"""Rules of the shoe: what is seen before its first hand, and what is seen while a hand is dealt.

The figures are the game's own equipment (`families/shoe.py`), so a rule needs no parameters: packs, back
colours, the depth of the stop card. Evidence that is missing is None and breaks nothing.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from daemon.catalogue.cards import Card, points
from daemon.catalogue.equipment import StopCard
from daemon.catalogue.families.shoe import ShoeGame
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Parameters, Seen
from daemon.records import Finding

__all__ = ["HAND", "OPENING", "PARAMETERS", "Hand", "Opening", "Shuffling", "judge", "judge_opening"]

Shuffling = Literal["by_hand", "automatic", "continuous"]
"""By hand, by a machine that fills a manual shoe at a time, or by one that takes cards back as it deals."""


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a shoe before its first hand. None is "not seen", which is neither yes nor no."""

    packs: int | None = None
    cards: int | None = None
    """Cards counted in all of them."""
    backs: tuple[int, ...] | None = None
    """Packs of each back colour."""
    indices: bool | None = None
    new: bool | None = None
    """All cards come from packs that were opened for this shoe."""
    numbered: bool | None = None
    """The shoe bears its number in the house."""
    approved: bool | None = None
    """The shoe's model has the authority's approval."""
    shuffling: Shuffling | None = None
    stop_card_beneath: int | None = None
    """Cards that lie beneath the stop card."""
    first_card: Card | None = None
    """The card turned first, where its value says how many are burnt."""
    set_aside: int | None = None
    """Cards set aside or burnt before the first hand, the turned one not counted."""


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen while one hand was dealt. None is "not seen"."""

    shuffling: Shuffling | None = None
    stop_card: bool | None = None
    """The stop card showed in this hand."""
    began_after_stop_card: bool | None = None
    """The stop card had shown in an earlier hand of this shoe."""
    last_announced: bool | None = None
    """It was announced that this hand is the shoe's last."""
    face_up_card: Card | None = None
    """A card that lay face up in the shoe and was not taken out of play."""
    stuck: int | None = None
    """Cards that came out of the shoe sticking together."""
    drawn_early: int | None = None
    """Cards drawn before bets were closed."""
    put_back: int | None = None
    """Drawn cards that were put back into the shoe."""


# --- before the first hand --------------------------------------------------------------------------


def _packs(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    packs = game.packs
    if seen.packs is None or packs.least <= seen.packs <= packs.most:
        return None
    return {"packs": seen.packs, "least": packs.least, "most": packs.most}


def _card_count(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    if seen.cards is None:
        return None
    packs = game.packs
    most = packs.most if seen.packs is None else seen.packs
    least = packs.least if seen.packs is None else seen.packs
    for each in filter(None, (packs.cards, packs.stripped)):
        if least * each <= seen.cards <= most * each and seen.cards % each == 0:
            return None
    either = {} if packs.stripped is None else {"or_stripped": packs.stripped}
    return {"cards": seen.cards, "packs": seen.packs, "cards_of_a_pack": packs.cards, **either}


def _backs(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    if seen.backs is None or sorted(seen.backs) == sorted(game.packs.backs):
        return None
    return {"backs": sorted(seen.backs), "wanted": sorted(game.packs.backs)}


def _indices(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    if seen.indices is None or seen.indices == game.packs.indices:
        return None
    return {"indices": seen.indices}


def _new_cards(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    return {"new": False} if seen.new is False and game.packs.new else None


def _numbered(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    return {"numbered": False} if seen.numbered is False else None


def _approved_model(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    return {"approved": False} if seen.approved is False else None


def _shuffled_as_written(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    if seen.shuffling is None:
        return None
    by_hand = not any(machine.required for machine in game.shufflers)
    ways = [*(["by_hand"] if by_hand else []), *(machine.kind for machine in game.shufflers)]
    return None if seen.shuffling in ways else {"shuffling": seen.shuffling, "ways": ways}


def _stop_card_depth(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    stop = game.stop_card
    if stop is None or seen.stop_card_beneath is None or not _holds(stop, seen.shuffling):
        return None
    if stop.beneath is not None and seen.stop_card_beneath != stop.beneath:
        return {"beneath": seen.stop_card_beneath, "wanted": stop.beneath}
    least = (stop.packs_beneath or 0) * game.packs.cards
    return {"beneath": seen.stop_card_beneath, "least": least} if seen.stop_card_beneath < least else None


def _cards_set_aside(game: ShoeGame, rule: Rule, seen: Opening) -> Seen | None:
    burn = game.burn
    if burn is None or seen.set_aside is None:
        return None
    if not burn.by_first_card:
        wanted = burn.cards
    elif seen.first_card is None:
        return None
    else:
        value = points(seen.first_card)
        wanted = burn.figures if value == 10 and burn.figures is not None else value
    if wanted is None or seen.set_aside == wanted:
        return None
    turned = {} if seen.first_card is None else {"first_card": seen.first_card}
    return {"set_aside": seen.set_aside, "wanted": wanted, **turned}


# --- while a hand is dealt --------------------------------------------------------------------------


def _no_hand_after_stop_card(game: ShoeGame, rule: Rule, seen: Hand) -> Seen | None:
    if not seen.began_after_stop_card or not _ends(game, seen):
        return None
    return {"began_after_stop_card": True}


def _last_hand_announced(game: ShoeGame, rule: Rule, seen: Hand) -> Seen | None:
    if not seen.stop_card or seen.last_announced is not False or not _ends(game, seen):
        return None
    return {"stop_card": True, "last_announced": False}


def _stop_card_annuls_hand(game: ShoeGame, rule: Rule, seen: Hand) -> Seen | None:
    return {"stop_card": True} if seen.stop_card and _ends(game, seen) else None


def _face_up_card(game: ShoeGame, rule: Rule, seen: Hand) -> Seen | None:
    return None if seen.face_up_card is None else {"face_up_card": seen.face_up_card}


def _cards_stuck(game: ShoeGame, rule: Rule, seen: Hand) -> Seen | None:
    return {"stuck": seen.stuck} if seen.stuck else None


def _drawn_before_bets_closed(game: ShoeGame, rule: Rule, seen: Hand) -> Seen | None:
    return {"drawn_early": seen.drawn_early} if seen.drawn_early else None


def _card_put_back(game: ShoeGame, rule: Rule, seen: Hand) -> Seen | None:
    return {"put_back": seen.put_back} if seen.put_back else None


def _ends(game: ShoeGame, seen: Hand) -> bool:
    return game.stop_card is not None and _holds(game.stop_card, seen.shuffling)


def _holds(stop: StopCard, shuffling: Shuffling | None) -> bool:
    """Whether the stop card ends the shoe; where only a manual shoe ends by it, that must have been seen."""
    return not stop.manual_only or shuffling in ("by_hand", "automatic")


OPENING: Mapping[str, Check] = {
    "shoe.packs": _packs,
    "shoe.card_count": _card_count,
    "shoe.backs": _backs,
    "shoe.indices": _indices,
    "shoe.new_cards": _new_cards,
    "shoe.numbered": _numbered,
    "shoe.approved_model": _approved_model,
    "shoe.shuffled_as_written": _shuffled_as_written,
    "shoe.stop_card_depth": _stop_card_depth,
    "shoe.cards_set_aside": _cards_set_aside,
}
HAND: Mapping[str, Check] = {
    "shoe.no_hand_after_stop_card": _no_hand_after_stop_card,
    "shoe.last_hand_announced": _last_hand_announced,
    "shoe.stop_card_annuls_hand": _stop_card_annuls_hand,
    "shoe.face_up_card": _face_up_card,
    "shoe.cards_stuck": _cards_stuck,
    "shoe.drawn_before_bets_closed": _drawn_before_bets_closed,
    "shoe.card_put_back": _card_put_back,
}

PARAMETERS: Parameters = {}
"""None of these takes any: the equipment has the figures."""


def judge_opening(game: ShoeGame, opening: Opening) -> tuple[Finding, ...]:
    """What the game's own rules find in a shoe before its first hand, in the text's order."""
    return judging.judge(OPENING, game, opening)


def judge(game: ShoeGame, hand: Hand) -> tuple[Finding, ...]:
    """What the game's own rules find in how a hand was dealt, in the text's order."""
    return judging.judge(HAND, game, hand)
