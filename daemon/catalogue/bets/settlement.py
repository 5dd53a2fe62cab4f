"""What becomes of bets: the answer that every family gives, and the house edge that follows from it."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

import msgspec

from daemon.catalogue.model import Bet, Ratio
from daemon.outcomes import BetResult

Fate = Literal["wins", "loses", "stands", "waits"]
"""Stands: neither won nor lost, the player may take it back. Waits: not decided yet, it stays where it is."""

Place = tuple[str, ...]
"""What was bet on, where a bet has several places: numbers, a die's face, a point; else empty."""


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """What an outcome does to one bet at one place."""

    bet: str
    place: Place = ()
    fate: Fate
    pays: Ratio | None = None
    """What it wins."""
    back: Ratio | None = None
    """The part of a lost stake that is given back all the same."""
    clause: str
    note: str | None = None


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """What the house keeps of a bet in the long run, exact or as near as `basis` says."""

    bet: str
    place: Place = ()
    edge: Fraction
    """Part of the stake, when stakes that stand are not counted as decided; negative favours the player."""
    basis: str | None = None
    """What was assumed, where the text leaves something open."""


def won(bet: Bet, place: Place = ()) -> Settled:
    """A bet that wins what its one pay says, by its own clause."""
    return Settled(bet=bet.id, place=place, fate="wins", pays=bet.pays, clause=bet.clause)


def lost(bet: Bet, place: Place = ()) -> Settled:
    """A bet that loses the whole stake, by its own clause."""
    return Settled(bet=bet.id, place=place, fate="loses", clause=bet.clause)


def result_of(settled: Settled, place: Place | None = None) -> BetResult:
    """The same for a record; `place` where it is another there. Raises ValueError for a bet that waits."""
    if settled.fate == "waits":
        raise ValueError(f"{settled.bet} waits: it has no result yet")
    return BetResult(
        bet=settled.bet,
        place=settled.place if place is None else place,
        fate=settled.fate,
        pays=None if settled.pays is None else (settled.pays.pays, settled.pays.per),
        back=None if settled.back is None else (settled.back.pays, settled.back.per),
        clause=settled.clause,
    )


# --- what the house keeps ---------------------------------------------------------------------------


def value(settled: Settled) -> Fraction:
    """What a stake of one gains by this fate, a loss being negative. Raises ValueError for one that waits."""
    if settled.fate == "waits":
        raise ValueError(f"{settled.bet} waits: it has no value yet")
    if settled.fate == "stands":
        return Fraction(0)
    if settled.fate == "wins":
        assert settled.pays is not None
        return settled.pays.fraction
    return (Fraction(0) if settled.back is None else settled.back.fraction) - 1


def house_edge(weighted: Iterable[tuple[int | Fraction, Settled]]) -> Fraction:
    """The edge of one bet over all outcomes, each with its weight; those that decide nothing are left out."""
    total = gained = Fraction(0)
    for weight, settled in weighted:
        if settled.fate in ("wins", "loses"):
            total += weight
            gained += weight * value(settled)
    return -gained / total


def edges_over(
    outcomes: Iterable[tuple[int | Fraction, Sequence[Settled]]], basis: str | None = None
) -> tuple[Edge, ...]:
    """The edges of all bets over all outcomes, each with its weight and what it does to the bets in order.

    Empty without outcomes.
    """
    weighted = list(outcomes)
    weights = [weight for weight, _ in weighted]
    return tuple(
        Edge(
            bet=same[0].bet,
            place=same[0].place,
            edge=house_edge(zip(weights, same, strict=True)),
            basis=basis,
        )
        for same in zip(*(settled for _, settled in weighted), strict=True)
    )
