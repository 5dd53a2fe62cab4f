"""Chemin de fer: the bank goes round the table, and one player's hand is against it."""

from daemon.catalogue.families.baccarat import CircleBaccarat, check_circle
from daemon.catalogue.families.family import Family


class CheminDeFer(CircleBaccarat, frozen=True, kw_only=True, tag="chemin_de_fer"):
    """Chemin de fer under one text."""


def check(game: CheminDeFer) -> None:
    """Raises CatalogueDataError: see `check_circle`."""
    check_circle(game)


FAMILY = Family(CheminDeFer, check)
