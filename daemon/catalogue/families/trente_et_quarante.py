"""Trente et quarante: two rows of cards, the refait, and the insurance against it."""

from typing import Literal

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.checks import check_paid, check_said
from daemon.catalogue.families.family import Family
from daemon.catalogue.families.roulette import Prison
from daemon.catalogue.families.shoe import ShoeGame, check_shoe
from daemon.catalogue.model import Announcements, Bet, Data, Limits, Payment, Ratio

Row = Literal["black", "red"]
Chance = Literal["color", "inverse"]

WORDS = frozenset(f"{row}_{chance}" for row in ("black", "red") for chance in ("color", "inverse")).union(
    ("rows", "color_wins", "color_loses", "equal", "refait")
)
"""What a result is said with, by id: the scores, winners, colour's fate, hands without a winner."""


class Rows(Data, frozen=True, kw_only=True):
    """How the two rows are laid."""

    clause: str
    order: tuple[Row, Row]
    until: int
    """A row ends with the card that brings it to so many points or past them."""


class Refait(Data, frozen=True, kw_only=True):
    """Both rows at this total: what becomes of the stakes, by the rules of roulette's zero."""

    clause: str
    points: int
    zero_clause: str
    """The rules of the zero that the clause sends to."""
    back: Ratio
    """The part of the stake that is given back."""
    prison: Prison


class Insurance(Data, frozen=True, kw_only=True):
    """A deposit by which a stake is insured, announced by a marker on it."""

    clause: str
    premium: Ratio
    """As a part of the stake."""


class TrenteEtQuarante(ShoeGame, frozen=True, kw_only=True, tag="trente_et_quarante"):
    """Trente et quarante under one text."""

    rows: Rows
    refait: Refait
    insurance: Insurance | None = None
    bets: tuple[Bet, ...]
    payment: Payment
    limits: Limits
    announcements: Announcements


def check(game: TrenteEtQuarante) -> None:
    """Raises CatalogueDataError for packs, rows or bets that contradict themselves."""
    check_shoe(game)
    if game.rows.order[0] == game.rows.order[1]:
        raise CatalogueDataError("one row is laid twice", game.rows.clause)
    if game.refait.points < game.rows.until:
        raise CatalogueDataError(f"no row ends at {game.refait.points}", game.refait.clause)
    if {bet.id for bet in game.bets} != {"black", "red", "color", "inverse"}:
        raise CatalogueDataError("the bets are black, red, colour and inverse", game.rows.clause)
    check_said(WORDS, game.announcements.words, game.announcements.result_clause)
    check_paid(game.bets)


FAMILY = Family(TrenteEtQuarante, check)
