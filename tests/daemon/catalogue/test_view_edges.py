"""House edges for people: to three places and exact, with what they rest on."""

from fractions import Fraction

import msgspec
import pytest

from daemon.catalogue.bets.settlement import Edge
from daemon.catalogue.load import load_game
from daemon.catalogue.model import PayLine, Ratio
from daemon.catalogue_view.columns import WIDTH
from daemon.catalogue_view.edges import edge_lines, edge_views, percent


@pytest.mark.parametrize(
    ("edge", "text"),
    [
        (Fraction(1, 37), "2.703"),
        (Fraction(-1, 37), "-2.703"),
        (Fraction(0), "0.000"),
        (Fraction(1), "100.000"),
        (Fraction(-1, 10_000_000), "0.000"),
        (Fraction(7, 1000), "0.700"),
    ],
)
def test_a_percentage_has_three_places(edge: Fraction, text: str) -> None:
    assert percent(edge) == text


def test_edges_with_basis_and_misprints() -> None:
    game = load_game("es-ct", "french_roulette")
    straight, split = game.bets[:2]
    lines = (
        PayLine(when="17", pays=Ratio(3, 1), misprint="why 17"),
        PayLine(when="18", pays=Ratio(3, 1), misprint="why 18"),
    )
    bets = (
        msgspec.structs.replace(straight, misprint="the usual is 36"),
        msgspec.structs.replace(split, table=lines),
    )
    game = msgspec.structs.replace(game, bets=bets)
    edges = (
        Edge(bet="straight", edge=Fraction(1, 37), basis="thirty-seven pockets"),
        Edge(bet="split", place=("17",), edge=Fraction(-1, 37)),
        Edge(bet="split", edge=Fraction(1, 3)),
    )
    one, other, whole = edge_views(game, edges)
    assert (one.percent, one.fraction, one.clause) == ("2.703", "1/37", "es-ct 1.IV.1.A.a")
    assert [view.misprints for view in (one, other, whole)] == [
        ("the usual is 36",),
        ("why 17",),
        ("why 17", "why 18"),
    ]
    shown = "\n".join(edge_lines(game, edges))
    for fact in (
        "straight 2.703 % 1/37 es-ct 1.IV.1.A.a",
        "! misprint the usual is 36",
        "basis thirty-seven pockets",
        "split (17) -2.703 % -1/37 es-ct 1.IV.1.A.b ! misprint why 17",
    ):
        assert fact in " ".join(shown.split())
    assert all(len(line) <= WIDTH for line in shown.splitlines())
