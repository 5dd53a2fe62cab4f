"""Baccarat's hands: who must draw, who may choose, and which hand each card out of the shoe belongs to."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from daemon.catalogue.cards import Card, baccarat_total, baccarat_value
from daemon.catalogue.families.baccarat import DealOrder, Drawing
from daemon.records import BaccaratOutcome, BaccaratWinner

Action = Literal["draw", "stand"]
Awaited = Literal["first_cards", "player_choice", "player_card", "bank_choice", "bank_card"]

_BOTH: tuple[Action, ...] = ("draw", "stand")


class Coup(msgspec.Struct, frozen=True, kw_only=True):
    """The cards of one hand as far as they have come, and what is still to come."""

    player: tuple[Card, ...]
    bank: tuple[Card, ...]
    awaits: Awaited | None
    """None when the hand is complete."""
    surplus: tuple[Card, ...] = ()
    """Cards beyond those that the hand was to have."""


def player_actions(drawing: Drawing, total: int, *, banco: bool = False) -> tuple[Action, ...]:
    """What the player may do with a total of two cards. `banco`: he holds the whole bank and is left free."""
    if total in drawing.naturals.totals:
        return ("stand",)
    if total in drawing.player.free or (banco and drawing.player.banco_clause is not None):
        return _BOTH
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
        return _BOTH
    if third is None:
        return ("draw",) if total in bank.after_stand else ("stand",)
    if (total, third) in bank.free:
        return _BOTH
    return ("draw",) if third in bank.after_card[total] else ("stand",)


def deal(
    deal_order: DealOrder,
    drawing: Drawing,
    cards: Sequence[Card],
    *,
    player: Action | None = None,
    bank: Action | None = None,
    banco: bool = False,
    by_table: bool = True,
) -> Coup:
    """The hands that cards make in the order in which they left the shoe.

    `player` and `bank` are what those two were heard to choose; where nothing was heard the rules decide, and
    where the rules leave the choice the hand waits for it. A shoe alone cannot see whom a card was given to:
    a card too many is surplus, whoever got it.
    """
    order = deal_order.order
    held: dict[str, list[Card]] = {"player": [], "bank": []}
    for hand, card in zip(order, cards, strict=False):
        held[hand].append(card)
    rest = list(cards[len(order) :])

    def coup(awaits: Awaited | None) -> Coup:
        surplus = tuple(rest) if awaits is None else ()
        return Coup(player=tuple(held["player"]), bank=tuple(held["bank"]), awaits=awaits, surplus=surplus)

    if len(cards) < len(order):
        return coup("first_cards")
    totals = {hand: baccarat_total(held[hand]) for hand in held}
    if any(total in drawing.naturals.totals for total in totals.values()):
        return coup(None)
    decided = _decided(player_actions(drawing, totals["player"], banco=banco), player)
    if decided is None:
        return coup("player_choice")
    third = None
    if decided == "draw":
        if not rest:
            return coup("player_card")
        held["player"].append(rest.pop(0))
        third = baccarat_value(held["player"][2])
    decided = _decided(bank_actions(drawing, totals["bank"], third, by_table=by_table), bank)
    if decided is None:
        return coup("bank_choice")
    if decided == "draw":
        if not rest:
            return coup("bank_card")
        held["bank"].append(rest.pop(0))
    return coup(None)


def outcome(
    drawing: Drawing, player: Sequence[Card], bank: Sequence[Card], *, naturals_win: bool = False
) -> BaccaratOutcome:
    """Who has won with these cards. `naturals_win`: two cards that are a natural beat any three.

    Raises ValueError for a hand of fewer than two cards or more than three.
    """
    for hand in (player, bank):
        if not 2 <= len(hand) <= 3:
            raise ValueError(f"{len(hand)} cards are no hand of baccarat")
    naturals = [len(hand) == 2 and baccarat_total(hand) in drawing.naturals.totals for hand in (player, bank)]
    return BaccaratOutcome(
        player=tuple(player),
        bank=tuple(bank),
        player_total=baccarat_total(player),
        bank_total=baccarat_total(bank),
        winner=_winner(player, bank, (naturals[0], naturals[1]), naturals_win),
        natural=any(naturals),
    )


def _winner(
    player: Sequence[Card], bank: Sequence[Card], naturals: tuple[bool, bool], naturals_win: bool
) -> BaccaratWinner:
    if naturals_win and naturals == (True, False) and len(bank) == 3:
        return "player"
    if naturals_win and naturals == (False, True) and len(player) == 3:
        return "bank"
    difference = baccarat_total(player) - baccarat_total(bank)
    return "player" if difference > 0 else "bank" if difference < 0 else "tie"


def _decided(may: tuple[Action, ...], heard: Action | None) -> Action | None:
    if heard is not None:
        return heard
    return may[0] if len(may) == 1 else None
