"""French bank: three dice out of a cup through a horn into an arena, and three chances on their sum."""

from typing import Literal

from daemon.catalogue.equipment import Dice
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.checks import check_bets, check_said
from daemon.catalogue.families.family import Family
from daemon.catalogue.model import Announcements, Bet, Data, Direction, Game, Ratio

Chance = Literal["aces", "small", "big"]
"""What a sum may be; any other sum is in none of them and decides nothing."""


class FrenchBankBet(Bet, frozen=True, kw_only=True):
    """A chance: the sums that it wins on, and what it pays."""

    id: Chance
    sums: tuple[int, ...]
    pays: Ratio


class DiceSets(Dice, frozen=True, kw_only=True):
    """The sets of three dice, with what their faces and marks must be."""

    opposite_faces: int
    """What two faces that lie opposite each other add up to."""
    numbered: bool | None = None
    """They bear a number, and the mark of the house or the maker; None where the text does not say."""


class Apparatus(Data, frozen=True, kw_only=True):
    """What the dice go through: each thing's own place in the text."""

    cup_clause: str
    horn_clause: str
    arena_clause: str


class Cloth(Data, frozen=True, kw_only=True):
    """What is marked on the cloth beside the chances' names and sums."""

    clause: str
    aces_squares: int
    """Squares for stakes on the aces."""


class Undecided(Data, frozen=True, kw_only=True):
    """What a text says of stakes when a sum is in no chance: they stand, and may be taken back or changed."""

    clause: str


class LineBet(Data, frozen=True, kw_only=True):
    """Chips put on a chance's line stand for a part of their value, and have limits of their own."""

    clause: str
    bets: tuple[Chance, ...]
    counts: Ratio
    """The part of the chips' value that is staked."""
    least: int
    """Chips of at least so many times the table's minimum."""
    most: int
    """Chips of at most so many times the table's maximum."""


class Collection(Data, frozen=True, kw_only=True):
    """How lost stakes are taken in, all of them before anything is paid."""

    clause: str
    direction: Direction
    first: Chance
    before_payment_clause: str


class FrenchBank(Game, frozen=True, kw_only=True, tag="french_bank"):
    """French bank under one text."""

    dice: DiceSets
    apparatus: Apparatus | None = None
    bets: tuple[FrenchBankBet, ...]
    sums_clause: str
    """Where the sums that decide are listed."""
    cloth: Cloth | None = None
    line_bet: LineBet
    undecided: Undecided | None = None
    """None where the text says nothing of sums that are in no chance: stakes wait for the next throw."""
    collection: Collection | None = None
    announcements: Announcements


def check(game: FrenchBank) -> None:
    """Raises CatalogueDataError for a sum that three dice cannot have or that two chances share."""
    sums = [total for bet in game.bets for total in bet.sums]
    possible = range(game.dice.count, 6 * game.dice.count + 1)
    if impossible := set(sums).difference(possible):
        raise CatalogueDataError(f"no sums of {game.dice.count} dice: {sorted(impossible)}")
    if len(sums) != len(set(sums)):
        raise CatalogueDataError(f"{game.id}: two chances share a sum")
    check_said((bet.id for bet in game.bets), game.announcements.words)
    check_bets(game, game.line_bet.bets, "on the line", game.line_bet.clause)
    if game.collection is not None:
        check_bets(game, (game.collection.first,), "collected", game.collection.clause)


FAMILY = Family(FrenchBank, check)
