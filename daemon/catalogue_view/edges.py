"""The house edge of a game's bets, as the text pays them, misprints included."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

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
    """A row a bet: percentage, fraction, clause; below it what was assumed and what is misprinted."""
    yield from flow(f"{game.id} under {game.text}: what the house keeps of a stake in the long run")
    rows: list[tuple[str, str, str, str]] = []
    for view in edge_views(game, edges):
        place = f" ({', '.join(view.place)})" if view.place else ""
        rows.append((label(view.bet) + place, f"{view.percent:>8} %", view.fraction, view.clause or ""))
        rows += [("    ! misprint", "", why, "") for why in view.misprints]
        if view.basis:
            rows.append(("    basis", "", view.basis, ""))
    yield from table(rows)


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
