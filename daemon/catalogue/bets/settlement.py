"""What becomes of bets: the answer that every family gives, and the house edge that follows from it."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

import msgspec

from daemon.catalogue.model import Ratio

Fate = Literal["wins", "loses", "stands", "waits"]
"""Stands: neither won nor lost, the player may take it back. Waits: not decided yet, it stays where it is."""


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """What an outcome does to one bet at one place."""

    bet: str
    place: tuple[str, ...] = ()
    """What was bet on, where a bet has several places: numbers, a die's face, a point."""
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
    place: tuple[str, ...] = ()
    edge: Fraction
    """Part of the stake, when stakes that stand are not counted as decided; negative favours the player."""
    basis: str | None = None
    """What was assumed, where the text leaves something open."""


def value(settled: Settled) -> Fraction:
    """What a stake of one gains by this fate, a loss being negative. Raises ValueError for one that waits."""
    if settled.fate == "waits":
        raise ValueError(f"{settled.bet} waits: it has no value yet")
    if settled.fate == "stands":
        return Fraction(0)
    if settled.fate == "wins":
        assert settled.pays is not None
        return Fraction(settled.pays.pays, settled.pays.per)
    kept = Fraction(0) if settled.back is None else Fraction(settled.back.pays, settled.back.per)
    return kept - 1


def house_edge(weighted: Iterable[tuple[int | Fraction, Settled]]) -> Fraction:
    """The edge of one bet over all outcomes, each with its weight; those that decide nothing are left out."""
    total = gained = Fraction(0)
    for weight, settled in weighted:
        if settled.fate in ("wins", "loses"):
            total += weight
            gained += weight * value(settled)
    return -gained / total
