"""The two pai gows, whose three dice decide who gets the first hand: one with cards, one with tiles."""

from collections.abc import Sequence
from typing import Literal

from daemon.catalogue.equipment import Dice, Packs, Shuffler
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.checks import check_bets
from daemon.catalogue.families.deal import DealPlan
from daemon.catalogue.families.family import Family
from daemon.catalogue.model import Announcements, Data, Direction, Game, Limits, Seats

BANK = "bank"


class Start(Data, frozen=True, kw_only=True):
    """A position, and the sums of the dice that give it the first hand."""

    position: str
    sums: tuple[int, ...]


class DiceDeal(Data, frozen=True, kw_only=True):
    """Which position gets the first hand by the sum of the dice."""

    clause: str
    direction: Direction
    """The way in which hands go round from there."""
    positions: tuple[str, ...]
    """All positions in that direction, the bank's first."""
    starts: tuple[Start, ...]
    """As the text prints them; it may leave the others to be counted from the bank."""


class Commission(Data, frozen=True, kw_only=True):
    """What the house keeps of winnings."""

    clause: str
    percent: int
    fixed: bool
    """Exactly this; False: the house may take less, and says how much before play begins."""


class PaiGow(Game, frozen=True, kw_only=True):
    """What both pai gows have; the two families are made from it."""

    dice: Dice
    cup_clause: str
    dice_deal: DiceDeal
    commission: Commission
    limits: Limits
    seats: Seats
    announcements: Announcements


class Joker(Data, frozen=True, kw_only=True):
    """What the joker may stand for."""

    clause: str
    stands_for: tuple[Literal["ace", "straight", "flush", "straight_flush"], ...]


class Hands(Data, frozen=True, kw_only=True):
    """The cards that each position gets, and the two hands that are made of them."""

    clause: str
    cards: int
    high: int
    low: int
    high_above_low: bool
    """The high hand must be worth more than the low one."""
    high_above_low_clause: str
    wrong_loses_clause: str
    """A hand that is made wrongly loses."""


class Combinations(Data, frozen=True, kw_only=True):
    """The combinations of cards in the text's order, the highest first."""

    clause: str
    order: tuple[str, ...]
    second_straight: tuple[str, ...]
    """The straight that comes second, right after the highest."""


class PaiGowPoker(PaiGow, frozen=True, kw_only=True, tag="pai_gow_poker"):
    """Pai gow poker under one text."""

    deal: DealPlan
    shufflers: tuple[Shuffler, ...] = ()
    packs: Packs
    shoe_clause: str
    joker: Joker
    hands: Hands
    combinations: Combinations
    ties_to_bank_clause: str
    """A hand that equals the bank's loses to it."""
    standing_clause: str
    """A player who wins one hand and loses the other neither wins nor loses."""
    players_may_bank_clause: str


class Tiles(Data, frozen=True, kw_only=True):
    """The tiles: how many, and their values."""

    clause: str
    count: int
    values: tuple[int, ...]
    white: int
    """The white dragon's value."""
    hand: int
    """Tiles of a hand."""

    @property
    def of_each(self) -> int:
        """Tiles of one value, all values being alike in number."""
        return self.count // len(self.values)


class Shuffling(Data, frozen=True, kw_only=True):
    """How long a set of tiles lasts, and from which of its rounds on some bets are not taken."""

    clause: str
    rounds: int
    bets_off: tuple[str, ...]
    bets_off_from: int
    bets_off_clause: str


class TileRanks(Data, frozen=True, kw_only=True):
    """How two hands of tiles compare beyond the last digit of their sums."""

    sum_clause: str
    pair_clause: str
    """Any pair is above any hand without one; the higher the tile, the higher the pair."""
    kong: tuple[int, int]
    """The highest hand without a pair."""
    kong_clause: str
    tie_clause: str
    """Nothing but the very same tiles is a tie."""
    higher_tile_clause: str


class MahjongPaiGow(PaiGow, frozen=True, kw_only=True, tag="mahjong_pai_gow"):
    """Mahjong pai gow under one text."""

    tiles: Tiles
    shuffling: Shuffling
    ranks: TileRanks


def first_position(game: PaiGow, total: int) -> str:
    """The position that a sum gives the first hand: counted from the bank's, which is one."""
    positions = game.dice_deal.positions
    return positions[(total - 1) % len(positions)]


def check_poker(game: PaiGowPoker) -> None:
    """Raises CatalogueDataError for starts that are not counted from the bank, or cards that run out."""
    _check_starts(game, range(1, 19))
    if game.hands.cards != game.hands.high + game.hands.low:
        raise CatalogueDataError("a position's cards are its two hands", game.hands.clause)
    if game.hands.cards * len(game.dice_deal.positions) > game.packs.cards:
        raise CatalogueDataError("too few cards for all positions", game.hands.clause)


def check_mahjong(game: MahjongPaiGow) -> None:
    """Raises CatalogueDataError for starts that leave a sum out, or tiles that run out."""
    _check_starts(game, range(3, 19))
    printed = sorted(total for start in game.dice_deal.starts for total in start.sums)
    if printed != list(range(3, 19)):
        raise CatalogueDataError("every sum of three dice has one start", game.dice_deal.clause)
    dealt = game.shuffling.rounds * len(game.dice_deal.positions) * game.tiles.hand
    if dealt > game.tiles.count or game.tiles.count % len(game.tiles.values):
        raise CatalogueDataError("the tiles do not suffice or are not alike in number", game.tiles.clause)
    check_bets(game, game.shuffling.bets_off, "off", game.shuffling.bets_off_clause)


def _check_starts(game: PaiGow, sums: Sequence[int]) -> None:
    deal = game.dice_deal
    if deal.positions[0] != BANK or len(set(deal.positions)) != len(deal.positions):
        raise CatalogueDataError("positions go round from the bank, each once", deal.clause)
    for start in deal.starts:
        for total in start.sums:
            if total not in sums or first_position(game, total) != start.position:
                raise CatalogueDataError(f"{total} does not count to {start.position!r}", deal.clause)


MAHJONG_PAI_GOW = Family(MahjongPaiGow, check_mahjong)
PAI_GOW_POKER = Family(PaiGowPoker, check_poker)
