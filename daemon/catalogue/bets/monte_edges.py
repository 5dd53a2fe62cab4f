"""Monte: the house's edge of every bet, exact for any four squares that lie on the table.

Bets are made on what lies there, so an edge belongs to a layout. All cards that are not on the table are
still in the pack, in any order. Of N such cards M match a square: each of the M is as likely to decide the
first phase, and it comes at once with M/N. The card after it is a match with M/N again, since the others fall
into the gaps between matches alike; it decides the second phase where it is one of the other row's.
"""

from collections.abc import Iterator
from fractions import Fraction

from msgspec.structs import replace

from daemon.catalogue.bets.monte import SQUARES, match_of, outcome, row_of
from daemon.catalogue.bets.monte_stakes import settle
from daemon.catalogue.bets.settlement import Edge, Settled, house_edge
from daemon.catalogue.cards import Card, pack, parse_all
from daemon.catalogue.families.monte import Monte
from daemon.outcomes import MonteMatch, MonteOutcome

_PLAIN = ("1o", "2o", "3o", "4o")
_SHOWN = (("1",), ("1", "2"), ("1", "3"), ("12", "34"))
"""Places that stand for all others while no card is doubled or burnt."""

Key = tuple[str, tuple[str, ...]]
"""A bet and its place."""


def edges(game: Monte) -> tuple[Edge, ...]:
    """The edge of every bet on four squares without doubled or burnt cards.

    None where the text breaks off before it says how a hand is played: what decides a bet is not known then.
    """
    if game.laying is None:
        return ()
    layout = outcome(game, parse_all(_PLAIN, "spanish"))
    return tuple(edge for edge in layout_edges(game, layout) if edge.place in _SHOWN)


def layout_edges(game: Monte, layout: MonteOutcome) -> tuple[Edge, ...]:
    """The edge of every bet at every place on this layout; bets that nothing can decide are left out.

    Raises ValueError for a hand that does not wait for its first phase.
    """
    if layout.phase != "first":
        raise ValueError(f"no bets are made on a hand that is {layout.phase}")
    weighted: dict[Key, list[tuple[Fraction, Settled]]] = {}
    for weight, hand in _first_phases(game, layout):
        for settled in settle(game, hand, "first"):
            weighted.setdefault((settled.bet, settled.place), []).append((weight, settled))
        for further, ended in _second_phases(game, layout, hand):
            for settled in settle(game, ended, "second"):
                weighted.setdefault((settled.bet, settled.place), []).append((weight * further, settled))
    doubled = sum(map(len, layout.laid_on))
    basis = f"one pack of {game.packs.cards}; {doubled} cards doubled, {len(layout.burnt)} burnt"
    return tuple(
        Edge(bet=bet, place=place, edge=house_edge(fates), basis=basis)
        for (bet, place), fates in weighted.items()
        if any(settled.fate in ("wins", "loses") for _, settled in fates)
    )


def _first_phases(game: Monte, layout: MonteOutcome) -> Iterator[tuple[Fraction, MonteOutcome]]:
    matches = _matches(game, layout)
    at_once = Fraction(len(matches), len(_left(game, layout)))
    for match in matches:
        for first, chance in ((True, at_once), (False, 1 - at_once)):
            decided = replace(match, at_once=first)
            yield chance / len(matches), replace(layout, phase="second", decided_by=(decided,))


def _second_phases(
    game: Monte, layout: MonteOutcome, hand: MonteOutcome
) -> Iterator[tuple[Fraction, MonteOutcome]]:
    matches = _matches(game, layout)
    decided = row_of(hand.decided_by[0].square)
    others = [match for match in matches if row_of(match.square) != decided]
    next_matches = Fraction(len(matches), len(_left(game, layout)))
    at_once = next_matches * Fraction(len(others), len(matches) - 1)
    for match in others:
        for first, chance in ((True, at_once), (False, 1 - at_once)):
            both = (*hand.decided_by, replace(match, at_once=first))
            yield chance / len(others), replace(hand, phase="ended", decided_by=both)


def _left(game: Monte, layout: MonteOutcome) -> list[Card]:
    out = {*layout.layout, *layout.burnt, *(card for on in layout.laid_on for card in on)}
    return [card for card in pack(game.packs.deck) if card not in out]


def _matches(game: Monte, layout: MonteOutcome) -> list[MonteMatch]:
    found = (match_of(game, layout, card, SQUARES) for card in _left(game, layout))
    return [match for match in found if match is not None]
