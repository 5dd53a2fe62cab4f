"""The house edge of a game's bets, as the text pays them, misprints included."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

import msgspec

from daemon.catalogue.bets.settlement import Edge
from daemon.catalogue.model import Game
from daemon.catalogue_view.columns import flow, table
from daemon.catalogue_view.facts import label


class EdgeView(msgspec.Struct, frozen=True, kw_only=True):
    """A bet's edge as a percentage of the stake and as the exact fraction that it is."""

    bet: str
    place: tuple[str, ...]
    percent: str
    fraction: str
    basis: str | None
    misprints: tuple[str, ...]
    """Why figures that the edge rests on look wrong; the edge is that of the figures as printed."""
    clause: str | None


def edge_views(game: Game, edges: Sequence[Edge]) -> tuple[EdgeView, ...]:
    """The edges of a game's bets for showing, in their order."""
    bets = {bet.id: bet for bet in game.bets}
    return tuple(
        EdgeView(
            bet=edge.bet,
            place=edge.place,
            percent=percent(edge.edge),
            fraction=f"{edge.edge.numerator}/{edge.edge.denominator}",
            basis=edge.basis,
            misprints=_misprints(game, edge),
            clause=bets[edge.bet].clause if edge.bet in bets else None,
        )
        for edge in edges
    )


def edge_lines(game: Game, edges: Sequence[Edge]) -> Iterator[str]:
    """A row a bet: percentage, fraction, clause; below it what was assumed and what is misprinted.

    Places of one bet that are alike stand in one row.
    """
    yield from flow(f"{game.id} under {game.text}: what the house keeps of a stake in the long run")
    rows: list[tuple[str, str, str, str]] = []
    bases: dict[str | None, list[str]] = {}
    for view, alike in groupby(edge_views(game, edges), lambda view: msgspec.structs.replace(view, place=())):
        name = label(view.bet) + _places([", ".join(one.place) for one in alike])
        rows.append((name, f"{view.percent:>8}%", _exact(view.fraction), view.clause or ""))
        rows += [("    ! misprint", "", why, "") for why in view.misprints]
        bases.setdefault(view.basis, []).append(name)
    yield from table(rows)
    if any(bases):
        yield ""
    for basis, names in bases.items():
        if basis is not None:
            which = f" of {', '.join(names)}" if len(bases) > 1 else ""
            yield from flow(f"basis{which}: {basis}", indent=2)


_LONGEST = 24
"""Letters of the places that are listed; of more places, the number is said."""


def _places(places: Sequence[str]) -> str:
    listed = "; ".join(places)
    if not any(places) or (len(places) == 1 and len(listed) > _LONGEST):
        return ""
    return f" ({listed if len(listed) <= _LONGEST else f'{len(places)} places'})"


def _exact(fraction: str) -> str:
    """A long fraction in groups of ten digits, so that it can go over several lines."""
    if len(fraction) <= 30:
        return fraction
    return "/".join(" ".join(re.findall(r".{1,10}", number)) for number in fraction.split("/"))


def percent(edge: Fraction) -> str:
    """An edge as a percentage with three places, halves rounded to even."""
    thousandths = round(abs(edge) * 100_000)
    sign = "-" if edge < 0 and thousandths else ""
    return f"{sign}{thousandths // 1000}.{thousandths % 1000:03d}"


def _misprints(game: Game, edge: Edge) -> tuple[str, ...]:
    """The misprints of the bet and, of its table, those at the edge's place or of the table as a whole."""
    found = []
    for bet in game.bets:
        if bet.id == edge.bet:
            found += [bet.misprint] if bet.misprint else []
            found += [
                line.misprint
                for line in bet.table
                if line.misprint and (not edge.place or line.when in edge.place)
            ]
    return tuple(found)
