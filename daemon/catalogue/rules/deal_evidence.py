"""What may be seen of one deal: the evidence of the rules of hands dealt by a plan."""

from typing import Literal

import msgspec

from daemon.catalogue.families.deal import Place
from daemon.catalogue.rules.judging import Count


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """Cards that one hand was seen to have at the end of a phase."""

    place: Place
    seat: int | None = None
    cards: Count
    looked: bool | None = None
    """Whether its player has looked at a card that is too many, or at one of too few."""
    in_order: bool | None = None
    """Whether the count can be put right without changing the order of the cards."""
    turned: bool | None = None
    """Whether its cards were already turned up."""


class Exposed(msgspec.Struct, frozen=True, kw_only=True):
    """A card that showed its face when it should not."""

    place: Place | Literal["pack"]
    seat: int | None = None
    card: str | None = None
    """Rank and suit, as "Th"; None where it was not read."""
    number: Count | None = None
    """Which of the hand's cards, counted from 1."""
    by: Literal["dealer", "player"] | None = None
    on_purpose: bool | None = None
    """Of a player who shows his own cards."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one deal. None is "not seen", which is neither yes nor no."""

    phase: str | None = None
    """The last phase of the game's plan that was dealt; counts are judged against the plan up to its end."""
    hands: tuple[Hand, ...] | None = None
    """The hands that took part in that phase."""
    burnt: Count | None = None
    """Cards burnt since the deal began."""
    groups: tuple[Count, ...] | None = None
    """Sizes of the groups that the shuffler dealt."""
    bets_closed: bool | None = None
    """Whether bets were closed before the first card."""
    betting_begun: bool | None = None
    """Whether the betting had begun when the error was found."""
    exposed: tuple[Exposed, ...] | None = None
    players: Count | None = None
    """Players at the table, those who leave out this hand included."""
    players_left: Count | None = None
    """Players still in the hand."""
    wrong_order: bool | None = None
    """Cards were not dealt in the order, or the form, that is laid down."""
    cards_missing: bool | None = None
    """Cards were found to be missing from the pack."""
    pack_defective: bool | None = None
    others_card_seen: tuple[int, ...] | None = None
    """Seats of players who got, and saw, a card that was another's at the beginning of the hand."""
    empty_seats: tuple[int, ...] | None = None
    """Seats that got a card though empty, or though their player is not in the hand."""
    absent_seats: tuple[int, ...] | None = None
    """Seats that got a card while their player was away."""
    drawn_unseen: Count | None = None
    """Cards drawn by mistake and not seen by anybody."""
    drawn_early: Count | None = None
    """Cards dealt or turned before the bets of the interval were finished."""
    common_turned: Count | None = None
    """Common cards turned in one interval."""
    stock: Count | None = None
    """Unused cards left."""
    hands_touched: tuple[int, ...] | None = None
    """Seats whose cards came in touch with each other's."""
    shuffles: Count | None = None
    """How often the pack was shuffled before the cut."""
    cut_exposed: bool | None = None
    """Whether cutting showed a card."""
