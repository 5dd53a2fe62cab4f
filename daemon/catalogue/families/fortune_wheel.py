"""Fortune wheel: segments between pegs, each with a symbol to bet on.

No text prints the order of the symbols on the rim: it belongs to the wheel that stands at the table, and
`check_order` holds it against the counts that the text gives.
"""

from collections import Counter
from typing import Literal

import msgspec

from daemon.catalogue.errors import CatalogueDataError, LayoutRefused
from daemon.catalogue.families.checks import check_paid
from daemon.catalogue.families.family import Family
from daemon.catalogue.model import Announcements, Data, Game


class Symbol(Data, frozen=True, kw_only=True):
    """A symbol on the wheel, which is also the bet of the same id."""

    id: str
    segments: int
    """On how many segments it stands."""
    names: dict[str, str] = msgspec.field(default_factory=dict)
    """What it is called, by language."""


class SegmentWheel(Data, frozen=True, kw_only=True):
    """The wheel that the text describes."""

    clause: str
    segments: int
    diameter_cm: int | None = None
    least_diameter_cm: int | None = None
    """The wheel's size, where a text has it: exact, or what it may not fall below."""
    symbols: tuple[Symbol, ...] = ()
    """Empty where what mesad has of the text does not give the counts."""
    counts_clause: str | None = None
    """Where the text says on how many segments each symbol stands."""


class FortuneWheelAnnouncements(Announcements, frozen=True, kw_only=True):
    """The words of the wheel: a result is its symbol."""

    result_order: tuple[Literal["symbol"], ...] = ("symbol",)


class FortuneWheel(Game, frozen=True, kw_only=True, tag="fortune_wheel"):
    """A fortune wheel under one text."""

    wheel: SegmentWheel
    lowest_first_clause: str | None = None
    """Where winners are paid from the lowest to the highest."""
    spun_again_clause: str | None = None
    """Where a void spin is followed by the whole cycle of a new one."""
    announcements: FortuneWheelAnnouncements


def check(game: FortuneWheel) -> None:
    """Raises CatalogueDataError for data that contradicts itself."""
    wheel = game.wheel
    if not wheel.symbols:
        return
    if (total := sum(symbol.segments for symbol in wheel.symbols)) != wheel.segments:
        raise CatalogueDataError(f"symbols for {total} of {wheel.segments} segments", wheel.clause)
    symbols = [symbol.id for symbol in wheel.symbols]
    if sorted(symbols) != sorted(bet.id for bet in game.bets):
        raise CatalogueDataError("every symbol is a bet, and every bet a symbol", wheel.clause)
    check_paid(game.bets)


def check_order(game: FortuneWheel, order: tuple[str, ...]) -> None:
    """A table's own wheel, its symbols in rim order, against the text's counts. Raises LayoutRefused."""
    wheel = game.wheel
    if len(order) != wheel.segments:
        raise LayoutRefused(f"{len(order)} segments where the text has {wheel.segments}", wheel.clause)
    if not wheel.symbols:
        return
    wanted = {symbol.id: symbol.segments for symbol in wheel.symbols}
    clause = wheel.counts_clause or wheel.clause
    found = Counter(order)
    if unknown := sorted(set(found).difference(wanted)):
        known = ", ".join(wanted)
        raise LayoutRefused(f"no symbols of this wheel: {', '.join(unknown)}; it has {known}", clause)
    if wrong := [symbol for symbol, many in wanted.items() if found[symbol] != many]:
        said = "; ".join(f"{symbol} on {found[symbol]}, not {wanted[symbol]}" for symbol in wrong)
        raise LayoutRefused(f"segments of each symbol: {said}", clause)


FAMILY = Family(FortuneWheel, check)
