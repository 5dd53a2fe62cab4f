"""Circle poker: dealt by a plan, played among the players for a pot, of which the house takes its part."""

from typing import Literal

import msgspec

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.deal import DealtGame, check_dealt
from daemon.catalogue.families.family import Family
from daemon.catalogue.model import Data, Ratio


class HouseShare(Data, frozen=True, kw_only=True):
    """One way for the house to take its part; several are a choice."""

    clause: str
    of: tuple[Literal["pot", "table_maximum", "buy_in"], ...]
    """What it is a part of; several are a choice."""
    per: Literal["betting_interval", "session"]
    least: Ratio | None = None
    most: Ratio


class Session(Data, frozen=True, kw_only=True):
    """The time for which a session's share is paid, and how long a game at least lasts."""

    clause: str
    hours: int
    last_hands: int
    """Hands that are played on top."""
    turns_with_the_hand: int
    """Each player who began has the hand so many times, unless the house has made another time public."""


class BettingLimit(Data, frozen=True, kw_only=True):
    """A way in which bets may be limited."""

    clause: str
    kind: Literal["limit", "split_limit", "pot_limit", "no_limit"]
    most: Ratio | None = None
    """The most that may be bet, as a part of the pot."""
    intervals: dict[str, str] = msgspec.field(default_factory=dict)
    """What holds in each betting interval, by its phase, where the variant says."""


class Raises(Data, frozen=True, kw_only=True):
    """How often a player may raise in one betting interval."""

    clause: str
    most: int
    free_among: int | None = None
    """Where only so many players are left, they may raise as often as they like."""
    free_among_clause: str | None = None


class BuyIn(Data, frozen=True, kw_only=True):
    """Chips that a player brings, in multiples of the table's least bet."""

    clause: str
    kind: Literal["initial", "refill"]
    least: int
    most: int


class Opening(Data, frozen=True, kw_only=True):
    """The pair that the pot may be opened with: of the first hand, and after each hand that nobody opened."""

    clause: str
    pairs: tuple[str, ...]
    """Ranks; the last holds from then on."""


class StrippedPack(Data, frozen=True, kw_only=True):
    """A pack with its low cards taken out."""

    clause: str
    cards: int
    ranks: str | None = None
    """The ranks that stay, from the highest; None where the text gives only the number of cards."""
    optional: bool
    """Whether the whole pack may be played with too."""


class HandUse(Data, frozen=True, kw_only=True):
    """Which cards may make up the hand that counts."""

    clause: str
    own: int | None = None
    """So many of one's own; None where any may be taken."""
    common: int | None = None
    of: int
    """Cards that there are to choose from."""


class CirclePoker(DealtGame, frozen=True, kw_only=True, tag="circle_poker"):
    """A variant of circle poker, or the norms that all have in common, which have no plan of their own."""

    house_share: tuple[HouseShare, ...]
    session: Session
    betting_limits: tuple[BettingLimit, ...]
    betting_intervals: tuple[str, ...] = ()
    """The phases after which there is a betting interval, in order."""
    raises: Raises | None = None
    buy_in: tuple[BuyIn, ...] = ()
    opening: Opening | None = None
    stripped: StrippedPack | None = None
    hand_use: HandUse | None = None


def check(game: CirclePoker) -> None:
    """Raises CatalogueDataError for what contradicts itself."""
    check_dealt(game)
    if unknown := set(game.betting_intervals).difference(game.deal.phases):
        raise CatalogueDataError(
            f"betting after phases that are not there: {sorted(unknown)}", game.deal.clause
        )
    stripped, opening = game.stripped, game.opening
    if stripped is not None and stripped.ranks is not None and 4 * len(stripped.ranks) != stripped.cards:
        raise CatalogueDataError("four suits of these ranks are another number of cards", stripped.clause)
    if game.packs.stripped != (stripped.cards if stripped is not None and stripped.optional else None):
        raise CatalogueDataError("two accounts of a pack without its low cards", game.packs.clause)
    if opening is not None and (unknown := set(opening.pairs).difference(game.ranks.card_order)):
        raise CatalogueDataError(f"no cards of this game: {sorted(unknown)}", opening.clause)


FAMILY = Family(CirclePoker, check)
