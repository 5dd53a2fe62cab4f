"""House edges for people: to three places and exact, with what they rest on."""

from fractions import Fraction

import msgspec
import pytest

from daemon.catalogue.bets import EDGES
from daemon.catalogue.bets.settlement import Edge
from daemon.catalogue.load import load_all, load_game
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
        "straight 2.703% 1/37 es-ct 1.IV.1.A.a",
        "! misprint the usual is 36",
        "basis of straight: thirty-seven pockets",
        "split (17) -2.703% -1/37 es-ct 1.IV.1.A.b ! misprint why 17",
    ):
        assert fact in " ".join(shown.split())
    assert all(len(line) <= WIDTH for line in shown.splitlines())


def test_places_that_are_alike_stand_in_one_row() -> None:
    game = load_game("es-ct", "french_roulette")
    two = [Edge(bet="split", place=(number,), edge=Fraction(1, 37)) for number in ("1", "2")]
    nine = [Edge(bet="straight", place=(str(number),), edge=Fraction(1, 37)) for number in range(9)]
    other = Edge(bet="straight", place=("9",), edge=Fraction(1, 9))
    dozen = Edge(bet="straight", place=tuple(map(str, range(12))), edge=Fraction(1, 8))
    lines = list(edge_lines(game, [*two, *nine, other, dozen]))
    assert [line.split("  ")[1] for line in lines[1:]] == [
        "split (1; 2)",
        "straight (9 places)",
        "straight (9)",
        "straight",
    ]


def test_a_basis_stands_once_with_the_bets_that_rest_on_it() -> None:
    game = load_game("es-ct", "french_roulette")
    edges = [Edge(bet=bet, edge=Fraction(1, 37), basis="half back") for bet in ("red", "black")]
    assert list(edge_lines(game, edges))[-2:] == ["", "  basis: half back"]
    some = [*edges, Edge(bet="low", edge=Fraction(1, 37)), Edge(bet="high", edge=Fraction(1, 37), basis="x")]
    assert list(edge_lines(game, some))[-3:] == ["", "  basis of red, black: half back", "  basis of high: x"]


def test_a_long_fraction_goes_over_several_lines() -> None:
    game = load_game("es-ct", "french_roulette")
    edge = Edge(bet="straight", edge=Fraction(7**60, 3**120))
    lines = list(edge_lines(game, [edge]))
    assert all(len(line) <= WIDTH for line in lines)
    digits = "".join("".join(lines[1:]).split())
    assert f"{7**60}/{3**120}" in digits.replace("es-ct1.IV.1.A.a", "")
    assert "0.000%" in lines[1]
    assert lines[1].endswith("es-ct 1.IV.1.A.a")


@pytest.mark.parametrize(
    "key", [key for key, game in load_all().items() if game.family in EDGES], ids="/".join
)
def test_every_games_edges_fit_into_eighty_columns(key: tuple[str, str]) -> None:
    game = load_game(*key)
    edges = EDGES[game.family](game)
    lines = list(edge_lines(game, edges))
    assert [line for line in lines if len(line) > WIDTH] == []
    shown = " ".join(" ".join(lines).split())
    for edge in edges:
        assert edge.bet.replace("_", " ") in shown
