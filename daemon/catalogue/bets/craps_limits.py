"""Craps' limits: the most that may be staked on every bet, once the maximum of the simple ones is set."""

from fractions import Fraction
from typing import Literal

import msgspec

from daemon.catalogue.bets.craps import places
from daemon.catalogue.errors import LimitRefused
from daemon.catalogue.families.craps import Craps, CrapsBet, CrapsLimits
from daemon.catalogue.limits import check_maximum, check_minimum
from daemon.catalogue.model import Ratio


class StakeMaximum(msgspec.Struct, frozen=True, kw_only=True):
    """The most that may be staked on a bet at one place; the house sets it between `least` and `most`."""

    bet: str
    place: tuple[str, ...]
    of: Literal["money", "stake"]
    """In the table's currency units, or in parts of the stake that the bet goes with."""
    least: Fraction
    most: Fraction
    clause: str


def maxima(game: Craps, minimum: int, multiple: int) -> tuple[StakeMaximum, ...]:
    """The maximum of every bet of the text for a minimum and the simple bets' multiple of it, or the house's.

    Raises LimitRefused for a minimum too low, a multiple outside the text's bounds, a text without limits.
    """
    limits = game.limits
    if limits is None:
        raise LimitRefused(f"{game.text} says nothing of limits for {game.id}")
    check_minimum(game, minimum)
    for bet in game.bets:
        check_maximum(game, bet.id, multiple)
    simple = Fraction(minimum * multiple)
    of_text = (_maximum(limits, bet, place, simple) for bet in game.bets for place in places(bet))
    return tuple(_lowered(limits, one, minimum) for one in of_text)


def _lowered(limits: CrapsLimits, one: StakeMaximum, minimum: int) -> StakeMaximum:
    """A house's own maximum in its place, where it is lower; parts of a stake follow from its own."""
    own = next((maximum for maximum in limits.maxima if one.bet in maximum.bets), None)
    most = None if own is None else Fraction(minimum * max(own.times))
    if own is None or most is None or one.of == "stake" or most >= one.most:
        return one
    return msgspec.structs.replace(one, least=min(one.least, most), most=most, clause=own.clause)


def _maximum(limits: CrapsLimits, bet: CrapsBet, place: tuple[str, ...], simple: Fraction) -> StakeMaximum:
    by_point = next((points for points in limits.points if bet.id in points.bets), None)
    if by_point is not None:
        part = Fraction(by_point.percent[place[0]], 100)
        most = part if by_point.of == "stake" else part * simple
        of: Literal["money", "stake"] = "stake" if by_point.of == "stake" else "money"
        return StakeMaximum(bet=bet.id, place=place, of=of, least=most, most=most, clause=by_point.clause)
    least = most = simple
    clause = next((band.clause for band in limits.bands if bet.id in band.bets), limits.clause)
    if bet.kind == "multiple":
        pays = _pays(bet, place)
        stake = simple * pays.per / pays.pays
        least, most = (stake * times for times in limits.multiple_win)
        clause = limits.multiple_clause
    return StakeMaximum(bet=bet.id, place=place, of="money", least=least, most=most, clause=clause)


def _pays(bet: CrapsBet, place: tuple[str, ...]) -> Ratio:
    pays = next((line.pays for line in bet.table if (line.when,) == place), bet.pays)
    assert pays is not None, "the family's check"
    return pays
