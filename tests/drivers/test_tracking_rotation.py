"""An encoder's edges and counts: steps, rocking, invalid steps, index, slips; the drift of clocks."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.tracking.device_clock import ClockDrift, robust_line
from drivers.tracking.quadrature import Quadrature
from drivers.tracking.rotation import Rotation, Slip

CLOCKWISE = ((True, None), (None, True), (False, None), (None, False))
"""A leads B: what changes, step by step, beginning with both low."""


def low() -> Quadrature:
    decoder = Quadrature()
    assert decoder.edges(False, None) is None, "half the levels are no position"
    assert decoder.edges(None, False) == 0
    return decoder


def test_four_counts_a_line_clockwise_and_back() -> None:
    decoder = low()
    for turn in range(3):
        for at, (a, b) in enumerate(CLOCKWISE):
            assert decoder.edges(a, b) == 4 * turn + at + 1
    back = ((None, True), (True, None), (None, False), (False, None))
    for at, (a, b) in enumerate(back * 3):
        assert decoder.edges(a, b) == 11 - at
    assert (decoder.invalid, decoder.missed) == (0, 0)


def test_case_34_both_channels_at_once_are_invalid_and_no_step() -> None:
    decoder = low()
    assert decoder.edges(True, True) == 0
    assert decoder.edges(False, False) == 0
    assert (decoder.position, decoder.invalid) == (0, 2)


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_case_35_rocking_on_an_edge_adds_no_steps(rocking: list[bool]) -> None:
    decoder = low()
    level = False
    for rises in rocking:
        if rises != level:
            decoder.edges(rises, None)
            level = rises
    assert decoder.position == int(level)
    assert decoder.invalid == decoder.missed == 0


def test_an_edge_that_was_missed_is_counted_and_moves_nothing() -> None:
    decoder = low()
    decoder.edges(True, None)
    assert decoder.edges(True, None) == 1
    assert decoder.missed == 1


# --- the index -------------------------------------------------------------------------------------------


def test_an_index_where_it_belongs_is_no_slip_and_the_zero_does_not_creep() -> None:
    wheel = Rotation(1440, slack=2)
    for turn in range(50):
        assert wheel.index(turn * 1440 + turn % 3 - 1) is None
    assert wheel.zero == -1


@pytest.mark.parametrize("off", [-700, -4, 4, 30, 719])
def test_an_index_elsewhere_is_a_slip_and_the_new_zero(off: int) -> None:
    wheel = Rotation(1440, slack=2)
    wheel.index(0)
    assert wheel.index(7 * 1440 + off) == Slip(off)
    assert wheel.zero == 7 * 1440 + off


# --- the clock -------------------------------------------------------------------------------------------


def test_the_robust_line_ignores_a_quarter_of_nonsense() -> None:
    rng = Random(2)
    points = [(float(x), 3 * x + 1 + (1000 * rng.random() if x % 4 == 1 else 0)) for x in range(12)]
    slope, last = robust_line(points)
    assert slope == pytest.approx(3, abs=0.01)
    assert last == pytest.approx(34, abs=0.1)


@pytest.mark.parametrize("parts", [-80.0, 0.0, 120.0])
def test_the_drift_of_the_clocks_is_seen_through_delays(parts: float) -> None:
    rng = Random(4)
    drift = ClockDrift()
    for beat in range(600):
        device = beat * 500_000
        host = device * 1000 * (1 + parts / 1e6) + 1e6 + rng.random() * 16e6
        if beat == 100:
            assert drift.parts_per_million is None
        drift.add(device, int(host))
    assert drift.parts_per_million == pytest.approx(parts, abs=8)
