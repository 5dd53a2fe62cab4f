"""Rules of blackjack's hands: how the bank draws, and cards that a hand was not to have."""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.cards import Card, blackjack_total
from daemon.catalogue.families.blackjack import Blackjack
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Count, Seen
from daemon.records import Finding


class PlayerHand(msgspec.Struct, frozen=True, kw_only=True):
    """One player's hand. None is "not seen"."""

    cards: tuple[Card, ...]
    doubled: bool | None = None
    split_ace: bool | None = None
    """Its first card is an ace of a pair that was split."""
    double_announced: bool | None = None
    """The croupier has said that doubling is possible."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a round of hands. None is "not seen"."""

    hands: tuple[PlayerHand, ...] = ()
    bank: tuple[Card, ...] = ()
    bank_later: tuple[tuple[Card, ...], ...] = ()
    """The bank's hands against the second box and the third."""
    opponents: bool | None = None
    """A hand that has not passed twenty-one is left against the bank."""
    bank_before_players: Count | None = None
    """Cards that the bank had while a player's hand was still being played."""
    finished: bool | None = None
    """The bank has ended its hand."""


def _bank_draws(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    """A bank that drew though it had to stand, or stood though it had to draw."""
    stands_from = game.bank.stands_from
    for cards in (evidence.bank, *evidence.bank_later):
        early = next((n for n in range(1, len(cards)) if blackjack_total(cards[:n]) >= stands_from), None)
        if early is not None:
            return {"total": blackjack_total(cards[:early]), "did": "draw", "cards": list(cards)}
        if cards and evidence.finished and evidence.opponents and blackjack_total(cards) < stands_from:
            return {"total": blackjack_total(cards), "did": "stand", "cards": list(cards)}
    return None


def _bank_needs_opponents(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.opponents is not False or len(evidence.bank) < 2:
        return None
    return {"opponents": False, "cards": list(evidence.bank)}


def _bank_plays_last(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.bank_before_players is None or evidence.bank_before_players <= 1:
        return None
    return {"bank_before_players": evidence.bank_before_players}


def _bank_keeps_first_card(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    for box, cards in enumerate(evidence.bank_later, start=2):
        if cards and evidence.bank and cards[0] != evidence.bank[0]:
            return {"box": box, "first": evidence.bank[0], "cards": list(cards)}
    return None


def _card_past_twenty_one(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    for hand in evidence.hands:
        if len(hand.cards) > 2 and (total := blackjack_total(hand.cards[:-1])) >= 21:
            return {"total": total, "card": hand.cards[-1], "cards": list(hand.cards)}
    return None


def _cards_after_double(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    for hand in evidence.hands:
        if hand.doubled and len(hand.cards) > 2 + game.double.cards:
            return {"cards": list(hand.cards), "most": 2 + game.double.cards}
    return None


def _cards_on_split_ace(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    for hand in evidence.hands:
        if hand.split_ace and len(hand.cards) > 1 + game.split.cards_on_ace:
            return {"cards": list(hand.cards), "most": 1 + game.split.cards_on_ace}
    return None


def _doubled_total(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    """Doubling with a total that the text does not name; an ace counts one or eleven as suits the player."""
    for hand in evidence.hands:
        if hand.doubled and game.double.totals and len(hand.cards) > 2:
            best = blackjack_total(hand.cards[:2])
            other = best - 10 if any(card[0] == "A" for card in hand.cards[:2]) else best
            if not {best, other}.intersection(game.double.totals):
                return {"total": best, "totals": list(game.double.totals), "cards": list(hand.cards)}
    return None


def _double_announced(game: Blackjack, rule: Rule, evidence: Evidence) -> Seen | None:
    for hand in evidence.hands:
        if hand.double_announced is False and len(hand.cards) >= 2:
            total = blackjack_total(hand.cards[:2])
            if total in game.double.announced:
                return {"total": total, "cards": list(hand.cards)}
    return None


HAND: Mapping[str, Check] = {
    "blackjack.bank_draws": _bank_draws,
    "blackjack.bank_needs_opponents": _bank_needs_opponents,
    "blackjack.bank_plays_last": _bank_plays_last,
    "blackjack.bank_keeps_first_card": _bank_keeps_first_card,
    "blackjack.card_past_twenty_one": _card_past_twenty_one,
    "blackjack.cards_after_double": _cards_after_double,
    "blackjack.cards_on_split_ace": _cards_on_split_ace,
    "blackjack.doubled_total": _doubled_total,
    "blackjack.double_announced": _double_announced,
}


def judge(game: Blackjack, evidence: Evidence) -> tuple[Finding, ...]:
    """What the game's own rules find in a round of hands, in the text's order."""
    return judging.judge(HAND, game, evidence)
