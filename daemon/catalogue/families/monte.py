"""Monte: four squares of cards, two phases, and the matches of a card that the bets are about.

The squares are numbered as they are laid: 1 and 2 in the upper row, 3 and 4 below them. A card that comes
later matches a laid one of its own value by its suit: `camo` is the next suit of the circle, `anti` the one
before, `viudo` the remaining one.
"""

from typing import Literal

from daemon.catalogue.cards import SUITS
from daemon.catalogue.equipment import Packs
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.checks import check_bets, check_said
from daemon.catalogue.families.family import Family
from daemon.catalogue.families.shoe import ShoeGame, check_shoe
from daemon.catalogue.model import Announcements, Bet, Data, Limits, Ratio

Match = Literal["camo", "anti", "viudo"]
Phase = Literal["first", "second"]
Square = Literal[1, 2, 3, 4]
Subject = Literal["at_once", "match", "value", "sides"]

MATCHES: tuple[Match, ...] = ("camo", "viudo", "anti")
"""By how many suits the later card lies beyond the laid one: one, two, three."""


class MonteBet(Bet, frozen=True, kw_only=True):
    """A bet: on what of the deciding card, in which phase, and for what it pays less."""

    on: Subject
    """`at_once`: one match of one laid card, by the phase's first card; `match`: the same by any card;
    `value`: any match of one laid card; `sides`: a card or two against another or the other two."""
    match: Match | None = None
    phase: Phase
    pays: Ratio
    square: str | None = None
    """What stands on the cloth where it is placed."""
    less_for: tuple[Literal["doubled", "burnt"], ...] = ()
    """It pays a point less for each card that was laid on another, or burnt."""


class SuitCircle(Data, frozen=True, kw_only=True):
    """The order of the suits, the last of them followed by the first."""

    clause: str
    suits: tuple[str, ...]


class FirstCardLevy(Data, frozen=True, kw_only=True):
    """What the house keeps of all winnings when the first card after the bets decides."""

    clause: str
    part: Ratio
    spared: tuple[str, ...] = ()
    """Bets that are paid in full all the same."""


class Laying(Data, frozen=True, kw_only=True):
    """How the four squares are filled before the bets."""

    clause: str
    alike_clause: str
    """The first two alike are burnt; a third or fourth like one of them is laid on it and doubles it; when
    all four of its value have come, the hand is annulled."""


class AnnulledMatches(Data, frozen=True, kw_only=True):
    """A laid card whose matches count for neither side where the card that annuls them plays against it."""

    by: Literal[1, 2]
    of: Square
    matches: tuple[Match, ...]
    either_side: bool = False
    """Also where the two play on one side."""


class SidesAnnulment(Data, frozen=True, kw_only=True):
    """What doubled cards annul in bets of sides, as printed; it holds for the mirrored squares too."""

    clause: str
    laid_on: tuple[int, int]
    """Cards laid on the first and on the second: one doubles, two triple."""
    annulled: tuple[AnnulledMatches, ...]
    diagonals: bool = True
    """Whether it has any effect on one diagonal against the other."""


class ValueAnnulment(Data, frozen=True, kw_only=True):
    """What a card on which so many lie annuls of all others in bets on a value."""

    clause: str
    laid_on: int
    matches: tuple[Match, ...]


class Monte(ShoeGame, frozen=True, kw_only=True, tag="monte"):
    """Monte under one text."""

    packs: Packs
    bets: tuple[MonteBet, ...]
    circle: SuitCircle
    levy: FirstCardLevy
    laying: Laying | None = None
    """None where the text breaks off before it."""
    sides_annulments: tuple[SidesAnnulment, ...] = ()
    value_annulments: tuple[ValueAnnulment, ...] = ()
    limits: Limits
    announcements: Announcements


def check(game: Monte) -> None:
    """Raises CatalogueDataError for suits, bets or annulments that make no sense together."""
    check_shoe(game)
    if game.packs.deck != "spanish":
        raise CatalogueDataError("monte is played with Spanish packs", game.packs.clause)
    if sorted(game.circle.suits) != sorted(SUITS["spanish"]):
        raise CatalogueDataError("the circle has every suit once", game.circle.clause)
    wanted = {f"square_{square}" for square in range(1, 5)} if game.laying is not None else set()
    wanted |= {"card", *SUITS["spanish"], *MATCHES}
    check_said(wanted, game.announcements.words)
    for bet in game.bets:
        if (bet.match is not None) != (bet.on in ("at_once", "match")):
            raise CatalogueDataError(f"{bet.id} is on no match, or on one too many", bet.clause)
    check_bets(game, game.levy.spared, "spared", game.levy.clause)
    if game.laying is None and (game.sides_annulments or game.value_annulments):
        raise CatalogueDataError("doubled cards are annulled but never laid")
    for annulment in game.sides_annulments:
        if annulment.laid_on[0] < annulment.laid_on[1]:
            raise CatalogueDataError("the first card carries at least as many", annulment.clause)
        if any(entry.by == entry.of for entry in annulment.annulled):
            raise CatalogueDataError("a card annuls its own matches", annulment.clause)


FAMILY = Family(Monte, check)
