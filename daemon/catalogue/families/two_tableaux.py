"""Baccarat with two tableaux: one bank against two hands, each for its side of the table."""

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.baccarat import CircleBaccarat, DealOrder, Drawing, check_circle
from daemon.catalogue.families.family import Family
from daemon.catalogue.model import Data


class OpenBank(Data, frozen=True, kw_only=True):
    """How much may be played with a bank that answers for every stake."""

    clause: str
    tables: int
    """In the house."""
    sessions: int
    """A day."""
    shoes: int
    """A session."""


class TwoTableaux(CircleBaccarat, frozen=True, kw_only=True, tag="two_tableaux"):
    """Baccarat with two tableaux under one text."""

    deal: DealOrder
    drawing: Drawing
    open_bank: OpenBank | None = None


def check(game: TwoTableaux) -> None:
    """Raises CatalogueDataError: see `check_circle`; cards go to two tableaux and the bank."""
    check_circle(game)
    if set(game.deal.order) != {"first", "second", "bank"}:
        raise CatalogueDataError("cards go to the first tableau, the second and the bank", game.deal.clause)


FAMILY = Family(TwoTableaux, check)
