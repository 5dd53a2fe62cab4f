"""Sights of an occupied pocket: their middle, bounces, edges that are missing, widths that no ball has."""

from drivers.bare_wheel.sights import Sights


def seen(*edges: tuple[float, bool], last: float = 99.0) -> list[tuple[int, float]]:
    """What edges at these positions (in pockets), a position further on at the end, are sights of."""
    sights, found = Sights(), []
    for number, (position, high) in enumerate(edges):
        found.append(sights.edge(number, position, high))
    found.append(sights.passed(last))
    return [sight for sight in found if sight is not None]


def test_a_sight_has_the_middle_of_its_edges_and_the_time_of_its_fall() -> None:
    assert seen((4.75, True), (5.25, False)) == [(1, 5.0)]
    assert seen((5.25, True), (4.75, False), last=-9.0) == [(1, 5.0)], "the other way round"


def test_a_sight_is_over_once_the_sensor_is_beyond_it() -> None:
    sights = Sights()
    assert sights.edge(0, 1.0, True) is None
    assert sights.edge(1, 1.5, False) is None
    assert sights.passed(1.7) is None
    assert sights.passed(1.9) == (1, 1.25)
    assert sights.passed(3.0) is None, "once"


def test_bounces_at_either_edge_make_no_sights_of_their_own() -> None:
    assert seen((4.75, True), (4.76, False), (4.77, True), (5.25, False)) == [(3, 5.0)]
    assert seen((4.75, True), (5.25, False), (5.26, True), (5.27, False)) == [(3, (4.75 + 5.27) / 2)]


def test_while_the_sensor_still_sees_the_ball_after_a_bounce_no_sight_is_over() -> None:
    sights = Sights()
    for number, (position, high) in enumerate(((4.75, True), (4.76, False), (4.77, True))):
        sights.edge(number, position, high)
    assert sights.passed(5.2) is None
    sights.edge(3, 5.25, False)
    assert sights.passed(5.6) == (3, 5.0)


def test_two_pockets_side_by_side_are_two_sights() -> None:
    assert seen((4.75, True), (5.25, False), (5.75, True), (6.25, False)) == [(1, 5.0), (3, 6.0)]


def test_an_edge_that_is_missing_costs_its_sight_and_no_other() -> None:
    assert seen((4.75, True), (41.75, True), (42.25, False)) == [(2, 42.0)]
    assert seen((5.25, False), (41.75, True), (42.25, False)) == [(2, 42.0)]


def test_what_is_wider_than_a_pocket_is_no_ball() -> None:
    sights = Sights()
    sights.edge(0, 1.0, True)
    sights.edge(1, 3.0, False)
    assert sights.passed(9.0) is None
