"""Games dealt by a plan: who gets which cards when, when the bank plays, what hands are worth.

Here are those against the bank (poker without draw, trijoker, reto, …); those among players are circle poker.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, get_args

import msgspec

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.checks import check_bets
from daemon.catalogue.families.family import Family
from daemon.catalogue.families.shoe import ShoeGame, check_shoe
from daemon.catalogue.model import Bet, Data, Direction, Ratio

HandRank = Literal[
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "figures",
    "two_pairs",
    "pair",
    "high_card",
]
"""Hands of poker, by the same word in all games. Figures are five cards from the jack up, in draw poker."""

LINES: frozenset[str] = frozenset(get_args(HandRank)) | {
    "flush_or_better",
    "pair_of_aces_to_straight",
    "straight_or_better",
    "straight_or_less",
    "pair_of_aces",
    "pair_of_queens_or_better",
    "pair_of_jacks_or_better",
    "aces_against_aces",
    "aces",
    "ace_king_suited",
    "ace_queen_or_jack_suited",
    "ace_king_offsuit",
    "pair_of_jacks_to_kings",
    "ace_queen_or_jack_offsuit",
    "pair_of_twos_to_tens",
    "higher_card",
    "equal_cards",
}
"""What a line of pays may ask for: a hand, a span of hands, two cards of one's own, or one card."""

Place = Literal["player", "bank", "common"]
"""Whose cards: each player's, the bank's, or those that all hands share."""


class Step(Data, frozen=True, kw_only=True):
    """One step of a deal."""

    phase: str
    """The part of the game that it belongs to: deal, flop, turn, river, draw, …"""
    act: Literal["deal", "draw", "exchange", "burn", "turn"] = "deal"
    """Draw: as many as the hand asks for. Exchange: as many as it discards, at most `cards`. Turn: cards that
    lie there are turned up. Burn: cards are set aside unseen."""
    to: tuple[Place, ...] = ()
    """Who gets cards, in this order; all players before the next place."""
    cards: int = 1
    """So many each time round."""
    rounds: int = 1
    """How many times it goes round. One round of several cards says nothing of how they are given."""
    until: int | None = None
    """Cards are dealt until the hand has so many, instead of a number of cards."""
    face: Literal["up", "down"] | None = None
    or_common_clause: str | None = None
    """Where one card for all is dealt in place of one each, if the pack runs short."""
    clause: str | None = None
    """Where it differs from the plan's."""


class DealPlan(Data, frozen=True, kw_only=True):
    """The order in which a text has the cards dealt."""

    clause: str
    direction: Direction | None = None
    first: Literal["left_of_dealer", "left_of_hand"] | None = None
    """Who gets the first card: the player on the dealer's left, or on the left of who has the hand."""
    steps: tuple[Step, ...]

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases in which something is dealt, burnt or turned, in order."""
        return tuple(dict.fromkeys(step.phase for step in self.steps))


class Ranks(Data, frozen=True, kw_only=True):
    """Which hands there are, from the highest, and how cards rank."""

    clause: str
    cards: int
    """Cards of a hand that counts."""
    order: tuple[HandRank, ...] = ()
    """Empty where a single card decides, or the text prints no order."""
    stripped_order: tuple[HandRank, ...] = ()
    """The order where fewer cards than a whole pack are played with, if it is another."""
    stripped_order_clause: str | None = None
    card_order: str
    """The cards' ranks from the highest, as the text prints them."""
    card_order_clause: str
    ace_low: bool | None = None
    """Whether the ace may also be the lowest card; None where the text leaves it open."""
    ties_clause: str | None = None
    """Where equal hands are told apart."""


class Qualification(Data, frozen=True, kw_only=True):
    """What the bank needs to play."""

    clause: str
    hand: HandRank | None = None
    """The least hand; None where the text says that it always plays."""
    cards: tuple[str, ...] = ()
    """The least ranks that this hand is made of: ["A", "K"] is an ace and a king."""
    otherwise: dict[str, Literal["wins", "stands"]] = msgspec.field(default_factory=dict)
    """What becomes of each bet when it does not play, where the text says."""


class Stake(Data, frozen=True, kw_only=True):
    """How much may be staked on a bet, as a part of another bet or of the table's minimum."""

    of: str
    """The other bet's id, or "minimum"."""
    least: Ratio | None = None
    most: Ratio | None = None
    clause: str | None = None
    """Where it differs from the bet's."""


class PoolShare(Data, frozen=True, kw_only=True):
    """What a hand wins of an accumulated prize."""

    when: str
    part: Ratio


class DealBet(Bet, frozen=True, kw_only=True):
    """A bet of a dealt game."""

    against: Literal["bank", "table"]
    """Settled against the bank's hand, or by the player's own cards and a table of pays."""
    on: Literal["hand", "first_two", "first_five", "first_card", "second_card", "points"] = "hand"
    """What decides it: the best hand in the end, the player's first two cards, those and the first three
    common ones, one card, or points as at blackjack."""
    stake: Stake | None = None
    needs: str | None = None
    """The bet without which it cannot be made."""
    optional: bool = False
    """The house may offer it."""
    free: bool = False
    """It has no stake of its own: it pays on the bet that it needs."""
    least_pays: bool = False
    """The table gives the least that is paid."""
    pool: tuple[PoolShare, ...] = ()
    tie: Literal["wins", "stands", "half_lost"] | None = None
    """What becomes of it when the hands are equal."""
    tie_clause: str | None = None
    tie_follows: str | None = None
    """The bet that decides it after a tie, if made: it is given back where that wins, and lost with it."""


class DealtGame(ShoeGame, frozen=True, kw_only=True):
    """A game with a plan for its deal and an order of its hands; families of such games are made from it."""

    deal: DealPlan
    ranks: Ranks


class BankDeal(DealtGame, frozen=True, kw_only=True, tag="deal"):
    """A game dealt by a plan against the bank."""

    bets: tuple[DealBet, ...]
    qualification: Qualification | None = None
    losers_first_clause: str | None = None
    """Where lost stakes are taken in before anything is paid."""


def check(game: BankDeal) -> None:
    """Raises CatalogueDataError for lines, bets and hands that are not there."""
    check_dealt(game)
    bets = {bet.id for bet in game.bets}
    for bet in game.bets:
        check_lines(bet, (*(line.when for line in bet.table), *(share.when for share in bet.pool)))
        named = (bet.stake.of if bet.stake else None, bet.needs, bet.tie_follows)
        if unknown := {other for other in named if other and other != "minimum"} - bets:
            raise CatalogueDataError(
                f"{bet.id} rests on bets that are not there: {sorted(unknown)}", bet.clause
            )
    bank = game.qualification
    if bank is None:
        return
    check_bets(game, bank.otherwise, "settled", bank.clause)
    if unknown := set(bank.cards).difference(game.ranks.card_order):
        raise CatalogueDataError(f"no cards of this game: {sorted(unknown)}", bank.clause)


def check_lines(bet: Bet, lines: Iterable[str]) -> None:
    """Raises CatalogueDataError for a line of pays that no game knows, or that stands twice."""
    lines = list(lines)
    if unknown := set(lines) - LINES:
        raise CatalogueDataError(f"{bet.id} pays on what nobody knows: {sorted(unknown)}", bet.clause)
    if len(lines) != len(set(lines)):
        raise CatalogueDataError(f"a line of {bet.id} stands twice", bet.clause)


def check_dealt(game: DealtGame) -> None:
    """Raises CatalogueDataError for packs, plans and ranks that contradict themselves."""
    check_shoe(game)
    for order in (game.ranks.order, game.ranks.stripped_order):
        if len(order) != len(set(order)):
            raise CatalogueDataError("a hand stands twice in the order", game.ranks.clause)
    for step in game.deal.steps:
        if (step.act == "burn") == bool(step.to):
            raise CatalogueDataError(f"{step.act} in {step.phase}: to whom?", step.clause or game.deal.clause)
        if step.act in ("deal", "draw") and step.face is None:
            raise CatalogueDataError(f"{step.act} in {step.phase}: face up?", step.clause or game.deal.clause)


def cards_due(plan: DealPlan, place: Place, phase: str, *, in_common: bool = False) -> int | None:
    """Cards that a hand at this place has at the end of a phase; None where the hand itself decides.

    `in_common` where cards lie there for all, also where they stand for one each. Raises ValueError for a
    phase that the plan does not have.
    """
    due: int | None = 0
    for step in _until(plan, phase):
        for_all = in_common and step.or_common_clause is not None
        if place not in (("common",) if for_all else step.to):
            continue
        if step.act == "draw":
            due = None
        elif step.act == "deal" and step.until is not None:
            due = step.until
        elif step.act == "deal" and due is not None:
            due += step.cards * step.rounds
    return due


def burns_due(plan: DealPlan, phase: str) -> int:
    """Cards that have been burnt by the end of a phase. Raises ValueError as `cards_due` does."""
    return sum(step.cards * step.rounds for step in _until(plan, phase) if step.act == "burn")


def cards_up(plan: DealPlan, place: Place) -> tuple[int, ...]:
    """Which of a hand's cards are dealt face up, counted from 1, as far as the plan alone decides."""
    up: list[int] = []
    dealt = 0
    for step in plan.steps:
        if place not in step.to or step.act != "deal":
            continue
        count = step.cards * step.rounds if step.until is None else step.until - dealt
        if step.face == "up":
            up.extend(range(dealt + 1, dealt + count + 1))
        dealt += count
    return tuple(up)


def _until(plan: DealPlan, phase: str) -> Iterator[Step]:
    if phase not in plan.phases:
        raise ValueError(f"the plan has no phase {phase!r}; it has: {', '.join(plan.phases)}")
    last = plan.phases.index(phase)
    return (step for step in plan.steps if plan.phases.index(step.phase) <= last)


FAMILY = Family(BankDeal, check)
