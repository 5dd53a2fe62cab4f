"""Rules of the shoe: what is seen before its first hand, and what is seen while a hand is dealt.

The figures are the game's own equipment (`families/shoe.py`), so no rule takes parameters: packs, back
colours, the depth of the stop card.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from daemon.catalogue.cards import Card, points
from daemon.catalogue.equipment import StopCard
from daemon.catalogue.families.shoe import ShoeGame
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Count, Seen
from daemon.records import Finding

Shuffling = Literal["by_hand", "automatic", "continuous"]
"""By hand, by a machine that fills a manual shoe at a time, or by one that takes cards back as it deals."""


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a shoe before its first hand. None is "not seen", which is neither yes nor no."""

    packs: Count | None = None
    cards: Count | None = None
    """Cards counted in all of them."""
    backs: tuple[Count, ...] | None = None
    """Packs of each back colour."""
    indices: bool | None = None
    new: bool | None = None
    """All cards come from packs that were opened for this shoe."""
    numbered: bool | None = None
    """The shoe bears its number in the house."""
    approved: bool | None = None
    """The shoe's model has the authority's approval."""
    shuffling: Shuffling | None = None
    stop_card_beneath: Count | None = None
    """Cards that lie beneath the stop card."""
    first_card: Card | None = None
    """The card turned first, where its value says how many are burnt."""
    set_aside: Count | None = None
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
    stuck: Count | None = None
    """Cards that came out of the shoe sticking together."""
    drawn_early: Count | None = None
    """Cards drawn before bets were closed."""
    put_back: Count | None = None
    """Drawn cards that were put back into the shoe."""


# --- before the first hand --------------------------------------------------------------------------


def _packs(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    packs = game.packs
    if opening.packs is None or packs.least <= opening.packs <= packs.most:
        return None
    return {"packs": opening.packs, "least": packs.least, "most": packs.most}


def _card_count(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    if opening.cards is None:
        return None
    packs = game.packs
    most = packs.most if opening.packs is None else opening.packs
    least = packs.least if opening.packs is None else opening.packs
    for each in filter(None, (packs.cards, packs.stripped)):
        if least * each <= opening.cards <= most * each and opening.cards % each == 0:
            return None
    either = {} if packs.stripped is None else {"or_stripped": packs.stripped}
    return {"cards": opening.cards, "packs": opening.packs, "cards_of_a_pack": packs.cards, **either}


def _backs(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    if opening.backs is None or sorted(opening.backs) == sorted(game.packs.backs):
        return None
    return {"backs": sorted(opening.backs), "wanted": sorted(game.packs.backs)}


def _indices(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    if opening.indices is None or opening.indices == game.packs.indices:
        return None
    return {"indices": opening.indices}


def _new_cards(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    return {"new": False} if opening.new is False and game.packs.new else None


def _numbered(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    return {"numbered": False} if opening.numbered is False else None


def _approved_model(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    return {"approved": False} if opening.approved is False else None


def _shuffled_as_written(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    if opening.shuffling is None:
        return None
    by_hand = not any(machine.required for machine in game.shufflers)
    ways = [*(["by_hand"] if by_hand else []), *(machine.kind for machine in game.shufflers)]
    return None if opening.shuffling in ways else {"shuffling": opening.shuffling, "ways": ways}


def _stop_card_depth(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    stop = game.stop_card
    if stop is None or opening.stop_card_beneath is None or not _holds(stop, opening.shuffling):
        return None
    if stop.beneath is not None and opening.stop_card_beneath != stop.beneath:
        return {"beneath": opening.stop_card_beneath, "wanted": stop.beneath}
    least = (stop.packs_beneath or 0) * game.packs.cards
    return (
        {"beneath": opening.stop_card_beneath, "least": least} if opening.stop_card_beneath < least else None
    )


def _cards_set_aside(game: ShoeGame, rule: Rule, opening: Opening) -> Seen | None:
    burn = game.burn
    if burn is None or opening.set_aside is None:
        return None
    if not burn.by_first_card:
        wanted = burn.cards
    elif opening.first_card is None:
        return None
    else:
        value = points(opening.first_card)
        wanted = burn.figures if value == 10 and burn.figures is not None else value
    if wanted is None or opening.set_aside == wanted:
        return None
    turned = {} if opening.first_card is None else {"first_card": opening.first_card}
    return {"set_aside": opening.set_aside, "wanted": wanted, **turned}


# --- while a hand is dealt --------------------------------------------------------------------------


def _no_hand_after_stop_card(game: ShoeGame, rule: Rule, hand: Hand) -> Seen | None:
    if not hand.began_after_stop_card or not _ends(game, hand):
        return None
    return {"began_after_stop_card": True}


def _last_hand_announced(game: ShoeGame, rule: Rule, hand: Hand) -> Seen | None:
    if not hand.stop_card or hand.last_announced is not False or not _ends(game, hand):
        return None
    return {"stop_card": True, "last_announced": False}


def _stop_card_annuls_hand(game: ShoeGame, rule: Rule, hand: Hand) -> Seen | None:
    return {"stop_card": True} if hand.stop_card and _ends(game, hand) else None


def _face_up_card(game: ShoeGame, rule: Rule, hand: Hand) -> Seen | None:
    return None if hand.face_up_card is None else {"face_up_card": hand.face_up_card}


def _cards_stuck(game: ShoeGame, rule: Rule, hand: Hand) -> Seen | None:
    return {"stuck": hand.stuck} if hand.stuck else None


def _drawn_before_bets_closed(game: ShoeGame, rule: Rule, hand: Hand) -> Seen | None:
    return {"drawn_early": hand.drawn_early} if hand.drawn_early else None


def _card_put_back(game: ShoeGame, rule: Rule, hand: Hand) -> Seen | None:
    return {"put_back": hand.put_back} if hand.put_back else None


def _ends(game: ShoeGame, hand: Hand) -> bool:
    return game.stop_card is not None and _holds(game.stop_card, hand.shuffling)


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


def judge_opening(game: ShoeGame, opening: Opening) -> tuple[Finding, ...]:
    """What the game's own rules find in a shoe before its first hand, in the text's order."""
    return judging.judge(OPENING, game, opening)


def judge(game: ShoeGame, hand: Hand) -> tuple[Finding, ...]:
    """What the game's own rules find in how a hand was dealt, in the text's order."""
    return judging.judge(HAND, game, hand)
