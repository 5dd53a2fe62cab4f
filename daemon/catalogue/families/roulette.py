"""Roulette: the wheel, what a zero does, and the cloth's bets."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from daemon.catalogue.equipment import Layout, Wheel
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.checks import check_said
from daemon.catalogue.families.family import Family
from daemon.catalogue.layouts import check_layout
from daemon.catalogue.model import Announcements, Bet, Data, Game, Phrase, Ratio

SimpleChance = Literal["red", "black", "even", "odd", "low", "high"]
Part = Literal["number", "color", "parity", "half"]

CHANCES: Mapping[str, Part] = {
    "red": "color",
    "black": "color",
    "even": "parity",
    "odd": "parity",
    "low": "half",
    "high": "half",
}
"""Every simple chance, and the part of a result that it is."""


class RouletteBet(Bet, frozen=True, kw_only=True):
    """A bet: on how many numbers, and what it pays."""

    kind: Literal["multiple", "simple"]
    numbers: int
    sets: tuple[tuple[str, ...], ...] = ()
    """Sets of numbers that the text itself names, beside those that follow from the cloth."""


class Prison(Data, frozen=True, kw_only=True):
    """The stake on a simple chance may stay in prison instead of half of it being given back."""

    halves_again: bool
    """Each further zero takes half of the stake's value once more."""
    below_minimum_stays: bool
    """A value below the table's minimum has no choice but to stay until it is freed."""
    last_ball_refunds: bool
    """On the session's last ball the part given back must be taken."""


class Zero(Data, frozen=True, kw_only=True):
    """What becomes of the simple chances when a zero comes."""

    clause: str
    numbers: tuple[str, ...]
    back: Ratio
    """The part of the stake that is given back."""
    prison: Prison | None = None
    reading: str | None = None
    """Why the rule is applied where the clause does not say so in so many words."""


class WheelAnnouncements(Announcements, frozen=True, kw_only=True):
    """The words of a wheel with numbers: the simple chances and the zeros have their own."""

    result_order: tuple[Part, ...]
    chances_clause: str | None = None
    chances: dict[SimpleChance, Phrase] = msgspec.field(default_factory=dict)
    zeros: dict[str, Phrase] = msgspec.field(default_factory=dict)


class Roulette(Game, frozen=True, kw_only=True, tag="roulette"):
    """A roulette under one text."""

    layout: Layout
    wheel: Wheel
    bets: tuple[RouletteBet, ...] = ()
    zero: Zero | None = None
    thrown_again_clause: str | None = None
    """Where a void throw's ball is put back on the previous number and thrown again."""
    announcements: WheelAnnouncements


def check(game: Roulette) -> None:
    """Raises CatalogueDataError or LayoutRefused for what contradicts itself or the text's own words."""
    zero = game.zero
    if zero is not None and (unknown := set(zero.numbers).difference(game.wheel.zeros)):
        raise CatalogueDataError(f"no zeros of this wheel: {sorted(unknown)}", zero.clause)
    check_said(game.wheel.zeros, game.announcements.zeros)
    check_words(game.announcements)
    check_layout(game.layout, game.wheel)


def check_words(words: WheelAnnouncements) -> None:
    """Raises CatalogueDataError for a chance that a result is said with but that has no word."""
    said = (chance for chance, part in CHANCES.items() if part in words.result_order)
    check_said(said, words.chances, words.chances_clause)


FAMILY = Family(Roulette, check)
