"""Mahjong pai gow: what two tiles are worth, what becomes of the bets at one position, and the edges."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

from msgspec.structs import replace

from daemon.catalogue.bets.settlement import Edge, Fate, Settled, edges_over
from daemon.catalogue.families.pai_gow import MahjongPaiGow
from daemon.catalogue.figures import is_whole

Tiles = tuple[int, int]
"""The values of a hand's two tiles; the white dragon's is 10."""

Worth = tuple[int, int, int]
"""Compares as the hands do: pairs, then 2 and 8, then the last digit of the sum, then the higher tile."""

BASIS = "a full set of tiles, four of each value; at a tie bets on winning and losing stand"


def worth(game: MahjongPaiGow, hand: Tiles) -> Worth:
    """What a hand is worth, to be compared with others. Raises ValueError for what are not tiles."""
    if len(hand) != game.tiles.hand or not all(is_whole(tile) and tile in game.tiles.values for tile in hand):
        raise ValueError(f"{hand} are not {game.tiles.hand} tiles")
    low, high = sorted(hand)
    if low == high:
        return (3, high, high)
    if (low, high) == game.ranks.kong:
        return (2, 0, high)
    return (1, (low + high) % 10, high)


def open_bets(game: MahjongPaiGow, round_of_set: int) -> tuple[str, ...]:
    """The bets that may be placed in this round, counted from 1 since the tiles were shuffled.

    Raises ValueError for a round that a set of tiles does not have.
    """
    shuffling = game.shuffling
    if not is_whole(round_of_set, 1, shuffling.rounds):
        raise ValueError(f"a set of tiles lasts {shuffling.rounds} rounds ({shuffling.clause})")
    off = shuffling.bets_off if round_of_set >= shuffling.bets_off_from else ()
    return tuple(bet.id for bet in game.bets if bet.id not in off)


def settle(
    game: MahjongPaiGow, position: str, player: Tiles, bank: Tiles, round_of_set: int = 1
) -> tuple[Settled, ...]:
    """What becomes of the bets that are open at a player's position. Raises ValueError as the above do."""
    fates = _fates(game, player, bank)
    still_open = open_bets(game, round_of_set)
    return tuple(
        Settled(
            bet=bet.id,
            place=(position,),
            fate=fates[bet.id],
            pays=bet.pays if fates[bet.id] == "wins" else None,
            clause=bet.clause,
        )
        for bet in game.bets
        if bet.id in still_open
    )


def edges(game: MahjongPaiGow) -> tuple[Edge, ...]:
    """The edge of each bet over all hands of a player and the bank."""
    weighted = ((ways, settle(game, "first", player, bank)) for ways, player, bank in _deals(game))
    return tuple(replace(edge, place=()) for edge in edges_over(weighted, basis=BASIS))


def _fates(game: MahjongPaiGow, player: Tiles, bank: Tiles) -> dict[str, Fate]:
    own, banks = worth(game, player), worth(game, bank)
    tie = sorted(player) == sorted(bank)
    return {
        "player_wins": "stands" if tie else "wins" if own > banks else "loses",
        "player_loses": "stands" if tie else "wins" if own < banks else "loses",
        "tie": "wins" if tie else "loses",
        "pair": "wins" if player[0] == player[1] else "loses",
    }


def _deals(game: MahjongPaiGow) -> Iterator[tuple[Fraction, Tiles, Tiles]]:
    """Every pair of hands, with the number of ways in which a full set of tiles deals it."""
    tiles = Counter(dict.fromkeys(game.tiles.values, game.tiles.of_each))
    hands = list(combinations_with_replacement(game.tiles.values, 2))
    for player in hands:
        ways = _ways(tiles, player)
        left = tiles - Counter(player)
        for bank in hands:
            yield ways * _ways(left, bank), player, bank


def _ways(tiles: Counter[int], hand: Tiles) -> Fraction:
    one, other = hand
    if one != other:
        return Fraction(tiles[one] * tiles[other])
    return Fraction(tiles[one] * (tiles[one] - 1), 2)
