"""What the games of baccarat share: the order of the deal, naturals, and who draws a third card.

A hand's total is the units of its cards' sum. The bank's table goes by its own total and by the third card
that the player was given.
"""

from typing import Literal

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.shoe import ShoeGame, check_shoe
from daemon.catalogue.model import Data, Ratio, Seats

HandName = Literal["player", "bank", "first", "second"]
"""The two hands, or with two tableaux the first, the second and the bank."""

_OF_DRAWING = ("baccarat.natural_ends", "baccarat.player_third_card", "baccarat.bank_third_card")

TOTALS = range(8)
"""Totals of two cards that are no natural."""


class DealOrder(Data, frozen=True, kw_only=True):
    """Whom the first cards go to, one by one."""

    clause: str
    order: tuple[HandName, ...]


class Naturals(Data, frozen=True, kw_only=True):
    """Totals of two cards that end the hand."""

    clause: str
    totals: tuple[int, ...]
    beat_three_cards_clause: str | None = None
    """Where the text says that a natural beats an equal or higher total of three cards."""


class PlayerDraws(Data, frozen=True, kw_only=True):
    """When the player takes a third card; with any other total he stands."""

    clause: str
    draws: tuple[int, ...]
    free: tuple[int, ...] = ()
    """Totals with which he may choose."""
    banco_clause: str | None = None
    """Where who holds the whole bank alone may choose with every total, if that was allowed beforehand."""


class BankRow(Data, frozen=True, kw_only=True):
    """A row of the bank's table: its total, and the player's third cards, by value, that it draws against."""

    total: int
    draws_against: tuple[int, ...]


class BankDraws(Data, frozen=True, kw_only=True):
    """When the bank takes a third card; in all other cases it stands."""

    clause: str
    after_stand: tuple[int, ...]
    """Its totals with which it draws when the player has stood."""
    after_card: tuple[BankRow, ...]
    """A row for each of its totals 0 to 7."""
    free: tuple[tuple[int, int], ...] = ()
    """Its total and the player's third card, where it may choose."""
    free_clause: str | None = None
    always: tuple[int, ...] = ()
    """Totals with which it draws even where it does not play by the table."""
    choice_clause: str | None = None
    """Where the bank may choose freely unless the table is played by."""
    exposed_clause: str | None = None
    """Where a card shown by the croupier's mistake binds all to the rules, and two of the player's bind the
    bank to draw."""
    bank_exposed_clause: str | None = None
    """Where a banker who shows both of the player's cards has to play by the table."""
    natural_clause: str | None = None
    """Where one tableau's natural binds the bank to the table against the other, and to draw where it may."""
    source: str | None = None
    """Where the table was taken from, if it does not stand in the text as mesad has it."""


class Drawing(Data, frozen=True, kw_only=True):
    """Naturals and third cards."""

    naturals: Naturals
    player: PlayerDraws
    bank: BankDraws


class BaccaratGame(ShoeGame, frozen=True, kw_only=True):
    """A game of the baccarat kind; no `drawing` where mesad's copy of the text ends before it."""

    deal: DealOrder | None = None
    drawing: Drawing | None = None


class Deduction(Data, frozen=True, kw_only=True):
    """What the house keeps of the bank's winnings in each hand."""

    clause: str
    part: Ratio
    bank: Literal["limited", "open"] | None = None
    """With which kind of bank, where the text knows two."""


class BankStake(Data, frozen=True, kw_only=True):
    """What may lie in the bank, in multiples of the least stake of a player."""

    clause: str
    least_times: int | None = None
    most_times: int | None = None
    unlimited_clause: str | None = None
    """Where a bank without a maximum may be authorised."""
    garage_over_times: int | None = None
    """Winnings above so much may be kept out of the game by the banker."""
    garage_clause: str | None = None


class CircleBaccarat(BaccaratGame, frozen=True, kw_only=True):
    """Baccarat among the players, one of whom holds the bank."""

    deductions: tuple[Deduction, ...] = ()
    bank_stake: BankStake | None = None
    backers: Seats | None = None
    """How many may bet with the bank in one hand."""
    players_per_hand: Seats | None = None
    """How many players each tableau needs, where the text counts them so."""


def check_circle(game: CircleBaccarat) -> None:
    """Raises CatalogueDataError: see `check_baccarat`; players that are asked for but not counted."""
    check_baccarat(game)
    wanted = game.players_per_hand or game.seats
    for rule in game.rules:
        if rule.id == "baccarat.enough_players" and (wanted is None or wanted.least is None):
            raise CatalogueDataError("how many players are enough is not said", rule.clause)


def check_baccarat(game: BaccaratGame) -> None:
    """Raises CatalogueDataError for what contradicts itself: see `check_shoe`; tables out of range."""
    check_shoe(game)
    needs = [rule for rule in game.rules if rule.id in _OF_DRAWING]
    if game.drawing is None or game.deal is None:
        if needs:
            raise CatalogueDataError(f"{needs[0].id} has no rules of drawing to go by", needs[0].clause)
        return
    player, bank = game.drawing.player, game.drawing.bank
    for totals in (player.draws, player.free, bank.after_stand, bank.always):
        if unknown := set(totals).difference(TOTALS):
            raise CatalogueDataError(f"no totals of two cards: {sorted(unknown)}", player.clause)
    if both := set(player.draws).intersection(player.free):
        raise CatalogueDataError(f"drawn to and free at once: {sorted(both)}", player.clause)
    rows = [row.total for row in bank.after_card]
    if rows != list(TOTALS):
        raise CatalogueDataError(f"a bank's table with rows for {rows}", bank.clause)
    for values in (*(row.draws_against for row in bank.after_card), [third for _, third in bank.free]):
        if unknown := set(values).difference(range(10)):
            raise CatalogueDataError(f"no values of a card: {sorted(unknown)}", bank.clause)
    dealt = [game.deal.order.count(hand) for hand in dict.fromkeys(game.deal.order)]
    if set(dealt) != {2} or "bank" not in game.deal.order:
        raise CatalogueDataError("two cards go to each hand, the bank's too", game.deal.clause)
