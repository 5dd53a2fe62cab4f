"""Punto y banca: baccarat against the house, in which neither hand has a choice."""

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.baccarat import BaccaratGame, DealOrder, Drawing, check_baccarat
from daemon.catalogue.families.family import Family
from daemon.catalogue.model import Data, Ratio


class BankTerms(Data, frozen=True, kw_only=True):
    """What a bet on a winning bank brings: a deduction from it, or a lower pay on one total."""

    id: str
    clause: str
    deduction: Ratio | None = None
    """The part of the winnings that the house keeps."""
    total: int | None = None
    """The bank's total on which the bet pays `pays` instead."""
    pays: Ratio | None = None


class TieLimit(Data, frozen=True, kw_only=True):
    """The most that may be staked on a tie, as a part of the table's maximum."""

    clause: str
    part: Ratio


class PuntoBanco(BaccaratGame, frozen=True, kw_only=True, tag="punto_banco"):
    """Punto y banca under one text."""

    deal: DealOrder
    drawing: Drawing
    bank_terms: tuple[BankTerms, ...]
    """A choice where there are several."""
    tie_limit: TieLimit | None = None
    croupier_deals_clause: str | None = None
    """Where the players do not touch the cards."""


def check(game: PuntoBanco) -> None:
    """Raises CatalogueDataError: see `check_baccarat`; no hand may choose, and the bank has its terms."""
    check_baccarat(game)
    drawing = game.drawing
    if drawing.player.free or drawing.bank.free:
        raise CatalogueDataError("nobody chooses at punto y banca", drawing.player.clause)
    if not game.bank_terms:
        raise CatalogueDataError("nothing says what a winning bank brings")
    for terms in game.bank_terms:
        if (terms.deduction is None) == (terms.total is None or terms.pays is None):
            raise CatalogueDataError("a deduction, or a total with its pay", terms.clause)
    if {bet.id for bet in game.bets}.difference({"player", "bank", "tie"}):
        raise CatalogueDataError("bets are on the player, the bank and the tie")


FAMILY = Family(PuntoBanco, check)
