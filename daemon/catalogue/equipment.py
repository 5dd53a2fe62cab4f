"""What stands and lies on a table, as a text describes it: wheels, dice, packs, shoes, shufflers.

Every value says where it is written. What a text leaves open is None or empty.
"""

from typing import Literal

from daemon.catalogue.cards import Deck
from daemon.catalogue.model import Data

Color = Literal["red", "black", "green", "yellow"]


# --- wheels -----------------------------------------------------------------------------------


class Layout(Data, frozen=True, kw_only=True):
    """A wheel's pockets, and how the zeros lie against the numbers on the cloth."""

    id: str
    pockets: tuple[str, ...]
    """Labels in rim order, clockwise seen from above."""
    colors: dict[str, Color]
    """The colour of every pocket by its label."""
    zero_splits: tuple[tuple[str, str], ...] = ()
    """Pairs with a zero that share a line on the usual cloth; the others follow from the three columns."""


class PocketOrder(Data, frozen=True, kw_only=True):
    """What a text demands of the order and colours of the numbers 1 to 36."""

    clause: str
    black_also: tuple[int, ...]
    """Black though their digits sum to an odd figure."""
    black_except: tuple[int, ...]
    """Not black though their digits sum to an even figure."""


class Wheel(Data, frozen=True, kw_only=True):
    """The wheel that the text describes."""

    layout: str
    """Id of the layout that answers the description."""
    pockets: int
    zeros: tuple[str, ...]
    pockets_clause: str
    order: PocketOrder | None = None


# --- dice -------------------------------------------------------------------------------------


class Dice(Data, frozen=True, kw_only=True):
    """The dice of a game."""

    clause: str
    count: int
    """Dice of one throw."""
    edge_mm: tuple[float, float] | None = None
    """Least and greatest length of an edge, where the text has them."""
    sets: int | None = None
    """Sets that are kept at the table."""
    per_session: int | None = None
    """Dice that a session has at hand, the ones in play included."""
    per_session_clause: str | None = None
    colors: int | None = None
    """Different colours that the dice of one throw have, where the text says."""


# --- cards ------------------------------------------------------------------------------------


class Packs(Data, frozen=True, kw_only=True):
    """The packs that are played with at one time."""

    clause: str
    deck: Deck
    cards: int
    """Cards of one pack, jokers included."""
    stripped: int | None = None
    """Cards of a pack without its low ones, where one may be played with instead."""
    least: int
    most: int
    jokers: int = 0
    """Jokers of one pack."""
    indices: bool | None = None
    """Whether the cards bear indices; None where the text leaves it open."""
    backs: tuple[int, ...] = ()
    """Packs of each back colour: [3, 3] is three of one colour and three of another."""
    backs_clause: str | None = None
    new: bool | None = None
    """Whether they must be new."""


class Shoe(Data, frozen=True, kw_only=True):
    """The shoe that cards are drawn from."""

    clause: str
    numbered: bool = False
    approved: bool = False
    """Its model needs the authority's approval."""


class Shuffler(Data, frozen=True, kw_only=True):
    """A machine that shuffles."""

    clause: str
    kind: Literal["automatic", "continuous"]
    required: bool = False
    """False: it may be used in place of shuffling by hand."""
    group: int | None = None
    """Cards that it deals at a time."""


class StopCard(Data, frozen=True, kw_only=True):
    """The card that ends a shoe."""

    clause: str
    beneath: int | None = None
    """Cards that lie beneath it."""
    packs_beneath: int | None = None
    """Whole packs that at least lie beneath it."""
    ends: Literal["hand", "annuls_hand"]
    """When it shows: the hand in progress is the last, or it is annulled."""
    manual_only: bool = False
    """It ends a manual shoe only: one that shuffles on as it deals has no end."""


class Burn(Data, frozen=True, kw_only=True):
    """Cards that are set aside or burnt before the first hand."""

    clause: str
    cards: int | None = None
    """So many; None where the first card's value says how many."""
    by_first_card: bool = False
    figures: int | None = None
    """What tens and figures count for, where the first card's value decides."""
