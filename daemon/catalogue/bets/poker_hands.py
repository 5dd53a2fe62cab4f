"""Hands of poker: what some cards are, which of two is higher, and the best that can be made of more cards.

Hands of three, four and five cards, of whole and of stripped packs; the order of the hands and of the cards
is the game's own (`families.deal.Ranks`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

import msgspec

from daemon.catalogue.cards import Card, parse_all, rank, suit
from daemon.catalogue.families.deal import HandRank, Ranks

FIGURES = frozenset("JQKA")


class PokerHand(msgspec.Struct, frozen=True, kw_only=True):
    """What some cards are."""

    hand: HandRank
    ranks: tuple[str, ...]
    """The ranks that tell equal hands apart, the weightiest first."""
    strength: tuple[int, ...]
    """The higher of two hands of one game has the greater; equal hands have the same."""


def classify(cards: Iterable[Card], ranks: Ranks, *, stripped: bool = False) -> PokerHand:
    """What these cards are; what the game's order does not hold goes by its highest card.

    `stripped` takes the order for fewer cards than a whole pack, where it is another. Raises ValueError for
    another number of cards than a hand of this game has, for one card twice, and where a game has no order.
    """
    hand = parse_all(cards)
    if len(hand) != ranks.cards or len(set(hand)) != len(hand):
        raise ValueError(f"{hand} is no hand of {ranks.cards} cards")
    order = ranks.stripped_order if stripped and ranks.stripped_order else ranks.order
    if not order:
        raise ValueError("this game has no order of its hands")
    return _made(_grouped(hand, ranks.card_order), _is_flush(hand), order, ranks)


def best(cards: Iterable[Card], ranks: Ranks, *, stripped: bool = False) -> PokerHand:
    """The highest hand that can be made of these cards. Raises ValueError for too few or more
    than a dozen, and as `classify`."""
    return _highest(combinations(_held(cards), ranks.cards), ranks, stripped)


def best_of(
    own: Sequence[Card], common: Sequence[Card], ranks: Ranks, *, use: int, stripped: bool = False
) -> PokerHand:
    """The highest hand of so many of one's own cards and the rest of the common ones. Raises as `best`."""
    made = (
        (*mine, *shared)
        for mine in combinations(_held(own), use)
        for shared in combinations(_held(common), ranks.cards - use)
    )
    return _highest(made, ranks, stripped)


def hand_counts(cards: int, ranks: int = 13, *, ace_low: bool = True) -> dict[HandRank, int]:
    """How many hands of three or five cards there are of each kind in a pack of so many ranks.

    Raises ValueError for another number of cards.
    """
    straights = ranks - cards + (2 if ace_low else 1)
    unequal = comb(ranks, cards) - straights
    flushes: dict[HandRank, int] = {
        "straight_flush": 4 * straights,
        "flush": 4 * unequal,
        "straight": straights * (4**cards - 4),
        "high_card": unequal * (4**cards - 4),
    }
    if cards == 3:
        return {
            **flushes,
            "three_of_a_kind": ranks * comb(4, 3),
            "pair": ranks * comb(4, 2) * (ranks - 1) * 4,
        }
    if cards != 5:
        raise ValueError(f"the kinds of {cards} cards have not been counted")
    return {
        **flushes,
        "royal_flush": 4,
        "straight_flush": 4 * straights - 4,
        "four_of_a_kind": ranks * (ranks - 1) * 4,
        "full_house": ranks * comb(4, 3) * (ranks - 1) * comb(4, 2),
        "three_of_a_kind": ranks * comb(4, 3) * comb(ranks - 1, 2) * 4**2,
        "two_pairs": comb(ranks, 2) * comb(4, 2) ** 2 * (ranks - 2) * 4,
        "pair": ranks * comb(4, 2) * comb(ranks - 1, 3) * 4**3,
    }


def place(hand: HandRank, order: Sequence[HandRank]) -> int:
    """How far down the order a hand stands, 0 being the highest; what is not in it stands below all."""
    return order.index(hand) if hand in order else len(order)


_MOST_HELD = 12
"""Cards of which a hand is made at most; the games deal nine, and every further one doubles the work."""


def _held(cards: Iterable[Card]) -> tuple[Card, ...]:
    held = tuple(cards)
    if len(held) > _MOST_HELD:
        raise ValueError(f"no hand is made of {len(held)} cards")
    return held


def _highest(hands: Iterable[tuple[Card, ...]], ranks: Ranks, stripped: bool) -> PokerHand:
    made = (classify(hand, ranks, stripped=stripped) for hand in hands)
    highest = max(made, key=lambda hand: hand.strength, default=None)
    if highest is None:
        raise ValueError(f"too few cards for a hand of {ranks.cards}")
    return highest


def _grouped(cards: tuple[Card, ...], card_order: str) -> list[tuple[str, int]]:
    """Ranks and how many cards have them, most cards first and then the highest rank."""
    counts = Counter(rank(card) for card in cards)
    return sorted(counts.items(), key=lambda item: (-item[1], card_order.index(item[0])))


def _is_flush(cards: tuple[Card, ...]) -> bool:
    return len({suit(card) for card in cards}) == 1


def _made(groups: list[tuple[str, int]], flush: bool, order: tuple[HandRank, ...], ranks: Ranks) -> PokerHand:
    shown = tuple(rank_ for rank_, _ in groups)
    top = _straight(shown, ranks)
    kinds = _kinds([count for _, count in groups], flush, top, ranks)
    if set(shown) <= FIGURES:
        kinds.add("figures")
    hand: HandRank = next((kind for kind in order if kind in kinds), "high_card")
    if top is not None and hand in ("royal_flush", "straight_flush", "straight"):
        shown = (top,)
    weights = tuple(-ranks.card_order.index(rank_) for rank_ in shown)
    return PokerHand(hand=hand, ranks=shown, strength=(-place(hand, order), *weights))


def _straight(shown: tuple[str, ...], ranks: Ranks) -> str | None:
    """The highest rank of a straight, of ranks that stand from the highest; None where they are none."""
    joined, cards = "".join(shown), ranks.cards
    if len(shown) != cards:
        return None
    if joined in ranks.card_order:
        return shown[0]
    low = ranks.card_order[0] + ranks.card_order[-(cards - 1) :]
    return shown[1] if ranks.ace_low and joined == low else None


def _kinds(counts: list[int], flush: bool, top: str | None, ranks: Ranks) -> set[HandRank]:
    """Every name that a hand of these groups may go by."""
    kinds: set[HandRank] = {"high_card"}
    if counts[0] == 2:
        kinds.add("two_pairs" if counts[1:2] == [2] else "pair")
    elif counts[0] == 3:
        kinds.add("three_of_a_kind")
        if counts[1:] == [2]:
            kinds.add("full_house")
    elif counts[0] == 4:
        kinds.add("four_of_a_kind")
    if flush:
        kinds.add("flush")
    if top is not None:
        kinds.add("straight")
        if flush:
            kinds.add("straight_flush")
            if top == ranks.card_order[0]:
                kinds.add("royal_flush")
    return kinds
