"""Blackjack: how the bank plays, what a player may do with a hand, and what the side bets bring at least."""

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.family import Family
from daemon.catalogue.families.shoe import PayingOrder, ShoeGame, check_shoe
from daemon.catalogue.model import Data, Ratio, find_rule


class BankPlay(Data, frozen=True, kw_only=True):
    """How the bank draws; an ace counts eleven where that does not pass twenty-one."""

    clause: str
    stands_from: int
    opponents_only: bool = False
    """It draws only while a hand is left to play against."""
    keeps_first_card_clause: str | None = None
    """Where it begins anew with its first card against each further box."""


class Split(Data, frozen=True, kw_only=True):
    """Two first cards of one value become two hands, each with a stake of its own."""

    clause: str
    again: bool
    """A new pair may be split too."""
    cards_on_ace: int
    twenty_one_is_blackjack: bool
    """Whether twenty-one with a split ace or ten is a blackjack."""


class Double(Data, frozen=True, kw_only=True):
    """The stake is doubled, and the hand gets so many further cards."""

    clause: str
    totals: tuple[int, ...] = ()
    """With these totals of two cards; with any where it is empty."""
    cards: int
    after_split: bool
    announced: tuple[int, ...] = ()
    """Totals with which the croupier has to say that doubling is possible."""


class Insurance(Data, frozen=True, kw_only=True):
    """Against a blackjack of the bank, whose first card is an ace; before the first third card is dealt."""

    clause: str
    most: Ratio
    """The most that may be staked, as a part of the first stake."""


class Surrender(Data, frozen=True, kw_only=True):
    """The player gives the hand up and loses a part of the stake; not where the bank shows an ace."""

    clause: str
    loses: Ratio


class Prize(Data, frozen=True, kw_only=True):
    """What a side bet has to bring at least."""

    when: str
    clause: str
    pays: Ratio
    """So much to so much staked; of the pot it is the least that the pot may be."""
    pot: bool = False
    """The whole pot is won."""


class Boxes(Data, frozen=True, kw_only=True):
    """Boxes that a player may stake on, played one after another with the same cards."""

    clause: str
    count: int


class Blackjack(ShoeGame, frozen=True, kw_only=True, tag="blackjack"):
    """Blackjack under one text."""

    bank: BankPlay
    split: Split
    double: Double
    insurance: Insurance
    surrender: Surrender | None = None
    paying: PayingOrder
    prizes: tuple[Prize, ...] = ()
    """The jackpot's least prizes, of which only the greatest is paid."""
    boxes: Boxes | None = None


def check(game: Blackjack) -> None:
    """Raises CatalogueDataError: see `check_shoe`; what contradicts itself."""
    check_shoe(game)
    if not 12 <= game.bank.stands_from <= 21:
        raise CatalogueDataError(f"a bank that stands from {game.bank.stands_from}", game.bank.clause)
    bets = {bet.id for bet in game.bets}
    if missing := {"hand", "insurance"}.difference(bets):
        raise CatalogueDataError(f"bets without a pay: {sorted(missing)}", game.insurance.clause)
    if game.prizes and not any(side.id == "jackpot" for side in game.side_bets):
        raise CatalogueDataError("prizes without a jackpot", game.prizes[0].clause)
    keeps = find_rule(game, "blackjack.bank_keeps_first_card") is not None
    if keeps != (game.boxes is not None) or keeps != (game.bank.keeps_first_card_clause is not None):
        raise CatalogueDataError("boxes, and a bank that keeps its first card, go together", game.bank.clause)


FAMILY = Family(Blackjack, check)
