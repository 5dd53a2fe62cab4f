"""What the checks of several families ask of a game's data. Each raises CatalogueDataError."""

from collections.abc import Collection, Iterable

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.model import Bet, Game


def check_paid(bets: Iterable[Bet]) -> None:
    """Every bet has a pay, or a table of pays."""
    for bet in bets:
        if bet.pays is None and not bet.table:
            raise CatalogueDataError(f"{bet.id} pays nothing", bet.clause)


def check_bets(game: Game, named: Iterable[str], how: str, clause: str | None = None) -> None:
    """Bets that a section names are bets of the game; `how` says in a word what it names them for."""
    if unknown := set(named).difference(bet.id for bet in game.bets):
        raise CatalogueDataError(f"{how} but not among the bets: {sorted(unknown)}", clause)


def check_said(wanted: Iterable[str], words: Collection[str], clause: str | None = None) -> None:
    """There are words for everything that is announced."""
    if unnamed := set(wanted).difference(words):
        raise CatalogueDataError(f"no words for {sorted(unnamed)}", clause)
