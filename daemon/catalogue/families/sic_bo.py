"""Sic bo: three dice out of a cup or a mechanical shaker, and bets on their sum, their faces and triples."""

from typing import Literal

from daemon.catalogue.equipment import Dice
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.family import Family
from daemon.catalogue.model import Announcements, Bet, Data, Game, Ratio

Kind = Literal["sums", "double", "triple", "any_triple", "total", "pair", "number"]


class SicBoBet(Bet, frozen=True, kw_only=True):
    """A bet: what it is on, and at how many places of the cloth it can be put."""

    kind: Kind
    places: int
    first_sum: int | None = None
    last_sum: int | None = None
    """It wins on the sums from the first to the last, or can be put on each of them."""
    triples_win: bool | None = None
    """Of a bet that wins on sums: whether one that three equal dice make wins too."""
    pays_between: tuple[Ratio, ...] = ()
    """Lowest and highest pay, where the text gives no more than these."""
    assumed: str | None = None
    """What the pays take for granted that is not printed."""

    @property
    def sums(self) -> range:
        """The sums that it wins on, or can be put on; empty where it is not on sums."""
        if self.first_sum is None or self.last_sum is None:
            return range(0)
        return range(self.first_sum, self.last_sum + 1)


class Shaker(Data, frozen=True, kw_only=True):
    """What sets the dice in motion."""

    clause: str
    kinds: tuple[Literal["cup", "mechanical"], ...]


class SicBoAnnouncements(Announcements, frozen=True, kw_only=True):
    """The words of sic bo, and which figures of a throw are called out in which order."""

    result_order: tuple[Literal["total", "dice", "dice_ascending"], ...] = ()


class SicBo(Game, frozen=True, kw_only=True, tag="sic_bo"):
    """Sic bo under one text."""

    dice: Dice
    shaker: Shaker
    bets: tuple[SicBoBet, ...]
    losers_first_clause: str | None = None
    """Where lost stakes are taken in before anything is paid."""
    announcements: SicBoAnnouncements


def check(game: SicBo) -> None:
    """Raises CatalogueDataError for a bet whose pay or sums are not what its kind has."""
    for bet in game.bets:
        ways = [bet.pays is not None, bool(bet.table), bool(bet.pays_between)]
        if ways.count(True) != 1:
            raise CatalogueDataError(f"{bet.id} has one pay, a table of pays or a range of pays", bet.clause)
        if len(bet.pays_between) not in (0, 2):
            raise CatalogueDataError(f"{bet.id}: a range of pays has two ends", bet.clause)
        has_sums = bet.first_sum is not None and bet.last_sum is not None
        if has_sums != (bet.kind in ("sums", "total")) or (bet.triples_win is None) != (bet.kind != "sums"):
            raise CatalogueDataError(f"{bet.id}: sums and triples are not those of its kind", bet.clause)
        if bet.kind == "number" and [line.when for line in bet.table] != ["once", "twice", "thrice"]:
            raise CatalogueDataError(f"{bet.id} pays by once, twice and thrice", bet.clause)


FAMILY = Family(SicBo, check)
