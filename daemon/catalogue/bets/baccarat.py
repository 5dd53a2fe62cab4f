"""Baccarat's hands: who must draw, who may choose, and which hand each card out of the shoe belongs to."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from daemon.catalogue.cards import Card, baccarat_total, baccarat_value, parse_all
from daemon.catalogue.families.baccarat import DealOrder, Drawing, HandName
from daemon.outcomes import BaccaratOutcome, BaccaratWinner, TwoTableauxOutcome

Action = Literal["draw", "stand"]
Need = Literal["first_cards", "choice", "card"]

BOTH: tuple[Action, ...] = ("draw", "stand")


class Awaited(msgspec.Struct, frozen=True):
    """What a hand of cards is still waiting for, and whose it is."""

    need: Need
    hand: HandName | None = None


class Coup(msgspec.Struct, frozen=True, kw_only=True):
    """The cards of one hand as far as they have come, and what is still to come."""

    hands: dict[HandName, tuple[Card, ...]]
    awaits: Awaited | None
    """None when the hand is complete."""
    surplus: tuple[Card, ...] = ()
    """Cards beyond those that the hand was to have."""


# --- who draws --------------------------------------------------------------------------------------


def player_actions(drawing: Drawing, total: int, *, banco: bool = False) -> tuple[Action, ...]:
    """What the player may do with a total of two cards. `banco`: he holds the whole bank and is left free."""
    if total in drawing.naturals.totals:
        return ("stand",)
    if total in drawing.player.free or (banco and drawing.player.banco_clause is not None):
        return BOTH
    return ("draw",) if total in drawing.player.draws else ("stand",)


def bank_actions(
    drawing: Drawing, total: int, third: int | None, *, by_table: bool = True
) -> tuple[Action, ...]:
    """What the bank may do with a total of two cards, the player's third card counting `third` or None.

    `by_table` is False where the text leaves the bank its choice and the table's rules are not played by.
    """
    bank = drawing.bank
    if total in drawing.naturals.totals:
        return ("stand",)
    if total in bank.always:
        return ("draw",)
    if not by_table and bank.choice_clause is not None:
        return BOTH
    if third is None:
        return ("draw",) if total in bank.after_stand else ("stand",)
    if (total, third) in bank.free:
        return BOTH
    return ("draw",) if third in bank.after_card[total].draws_against else ("stand",)


def bank_actions_against(
    drawing: Drawing,
    total: int,
    thirds: Sequence[int | None],
    *,
    by_table: bool = True,
    bound: bool = False,
) -> tuple[Action, ...]:
    """`bank_actions` against one hand or two: where the table says two things, the bank may choose.

    `bound`: the bank has to play by the table, and to draw where the table leaves it the choice.
    """
    each = [bank_actions(drawing, total, third, by_table=by_table or bound) for third in thirds]
    if bound:
        each = [("draw",) if actions == BOTH else actions for actions in each]
    return each[0] if all(actions == each[0] for actions in each) else BOTH


def is_natural(drawing: Drawing, cards: Sequence[Card]) -> bool:
    """Whether the first two cards are a natural."""
    return len(cards) >= 2 and baccarat_total(cards[:2]) in drawing.naturals.totals


def third_value(cards: Sequence[Card]) -> int | None:
    """What a hand's third card counts, None without one."""
    return baccarat_value(cards[2]) if len(cards) > 2 else None


def bound_by_natural(drawing: Drawing, players: Sequence[Sequence[Card]]) -> bool:
    """Whether one tableau's natural binds the bank against the other."""
    return drawing.bank.natural_clause is not None and any(is_natural(drawing, hand) for hand in players)


def ended_by_naturals(drawing: Drawing, hands: Mapping[HandName, Sequence[Card]]) -> bool:
    """Whether naturals leave nobody to draw: the bank's, or those of all who play against it."""
    against = [is_natural(drawing, cards) for hand, cards in hands.items() if hand != "bank"]
    return is_natural(drawing, hands.get("bank", ())) or (bool(against) and all(against))


# --- whose the cards are ------------------------------------------------------------------------------


def deal(
    deal_order: DealOrder,
    drawing: Drawing,
    cards: Sequence[Card],
    *,
    calls: Mapping[HandName, Action] | None = None,
    banco: bool = False,
    by_table: bool = True,
) -> Coup:
    """The hands that cards make in the order in which they left the shoe.

    `calls` are what the hands were heard to choose; where nothing was heard the rules decide, and where the
    rules leave the choice the hand waits for it. A shoe alone cannot see whom a card was given to: a card too
    many is surplus, whoever got it.
    """
    order, heard, cards = deal_order.order, calls or {}, parse_all(cards)
    held: dict[HandName, list[Card]] = {hand: [] for hand in order}
    for hand, card in zip(order, cards, strict=False):
        held[hand].append(card)
    rest = list(cards[len(order) :])
    awaits: Awaited | None = None
    if len(cards) < len(order):
        awaits = Awaited("first_cards")
    elif not ended_by_naturals(drawing, held):
        for hand in sorted(held, key=lambda name: name == "bank"):  # the bank speaks last
            may = _may(drawing, held, hand, banco, by_table)
            action = heard.get(hand) or (may[0] if len(may) == 1 else None)
            if action == "draw" and rest:
                held[hand].append(rest.pop(0))
            elif action != "stand":
                awaits = Awaited("choice" if action is None else "card", hand)
                break
    return Coup(
        hands={hand: tuple(own) for hand, own in held.items()},
        awaits=awaits,
        surplus=tuple(rest) if awaits is None else (),
    )


def _may(
    drawing: Drawing, held: Mapping[HandName, Sequence[Card]], hand: HandName, banco: bool, by_table: bool
) -> tuple[Action, ...]:
    total = baccarat_total(held[hand][:2])
    if hand != "bank":
        return player_actions(drawing, total, banco=banco)
    against = [cards for name, cards in held.items() if name != "bank"]
    thirds = [third_value(cards) for cards in against if not is_natural(drawing, cards)]
    bound = bound_by_natural(drawing, against)
    return bank_actions_against(drawing, total, thirds, by_table=by_table, bound=bound)


# --- who has won --------------------------------------------------------------------------------------


def outcome(drawing: Drawing, player: Sequence[Card], bank: Sequence[Card]) -> BaccaratOutcome:
    """Who has won with these cards. Raises ValueError for a hand that has not two or three, NotACard."""
    player, bank = parse_all(player), parse_all(bank)
    for hand in (player, bank):
        if not 2 <= len(hand) <= 3:
            raise ValueError(f"{len(hand)} cards are no hand of baccarat")
    return BaccaratOutcome(
        player=tuple(player),
        bank=tuple(bank),
        player_total=baccarat_total(player),
        bank_total=baccarat_total(bank),
        winner=_winner(drawing, player, bank),
        natural=_stays_natural(drawing, player) or _stays_natural(drawing, bank),
    )


def two_outcomes(
    drawing: Drawing, first: Sequence[Card], second: Sequence[Card], bank: Sequence[Card]
) -> TwoTableauxOutcome:
    """Who has won at each tableau. Raises ValueError as `outcome` does."""
    one, other = outcome(drawing, first, bank), outcome(drawing, second, bank)
    return TwoTableauxOutcome(
        first=one.player,
        second=other.player,
        bank=one.bank,
        first_total=one.player_total,
        second_total=other.player_total,
        bank_total=one.bank_total,
        first_winner=one.winner,
        second_winner=other.winner,
        natural=one.natural or other.natural,
    )


def _stays_natural(drawing: Drawing, cards: Sequence[Card]) -> bool:
    return len(cards) == 2 and is_natural(drawing, cards)


def _winner(drawing: Drawing, player: Sequence[Card], bank: Sequence[Card]) -> BaccaratWinner:
    if drawing.naturals.beat_three_cards_clause is not None:
        if _stays_natural(drawing, player) and len(bank) == 3:
            return "player"
        if _stays_natural(drawing, bank) and len(player) == 3:
            return "bank"
    difference = baccarat_total(player) - baccarat_total(bank)
    return "player" if difference > 0 else "bank" if difference < 0 else "tie"
