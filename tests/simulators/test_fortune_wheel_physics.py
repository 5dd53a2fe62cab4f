"""A fortune wheel's motion: energy balance, turns, rest between pegs or on one, pushes and hands."""

from math import exp, pi, sqrt
from random import Random

import pytest

from simulators.physics.fortune_wheel import TURN, Bearing, Hindrance, Push, spin

FREE = Bearing(bearing=0.1, air=0.0, peg=0.0)
"""Slows at one rate and has pegs that take nothing."""


@pytest.mark.parametrize("speed", [3.0, 6.0, -6.0])
def test_without_air_and_pegs_it_is_the_uniformly_slowed_motion(speed: float) -> None:
    run = spin(FREE, 0.3, [Push(0.0, speed)])
    assert run.rest_time == pytest.approx(abs(speed) / 0.1, rel=1e-3)
    assert (run.rest_angle - 0.3) == pytest.approx(speed * abs(speed) / 0.2, rel=1e-3)
    half = run.angle(abs(speed) / 0.2) - 0.3
    assert half == pytest.approx((run.rest_angle - 0.3) * 3 / 4, rel=1e-3)


@pytest.mark.parametrize(
    ("exponent", "left"), [(1.0, 6 * exp(-0.3)), (1.5, (6**-0.5 + 0.15) ** -2), (2.0, 6 / (1 + 6 * 0.3))]
)
def test_air_slows_it_by_a_power_of_its_speed(exponent: float, left: float) -> None:
    run = spin(Bearing(bearing=0.0, air=0.03, peg=0.0, air_exponent=exponent), 0.0, [Push(0.0, 6.0)])
    speed = (run.angle(10.0005) - run.angle(9.9995)) / 1e-3
    assert speed == pytest.approx(left, rel=3e-3)


def test_pegs_take_their_energy_and_no_more() -> None:
    wheel = Bearing(bearing=0.1, air=0.0, peg=0.01, balance=0.0)
    run = spin(wheel, 0.05, [Push(0.0, 5.0)])
    passed = int(run.rest_angle // (TURN / wheel.pegs))
    spent = 2 * 0.1 * (run.rest_angle - 0.05) + 0.01 * passed
    assert spent == pytest.approx(25.0, abs=0.02), "what is left rocks between two pegs"


def test_it_rests_between_two_pegs_and_says_in_which_segment() -> None:
    rng = Random(3)
    for _ in range(100):
        run = spin(Bearing(balance=0.0), rng.random() * TURN, [Push(0.0, rng.uniform(3, 8))])
        assert not run.on_peg
        assert run.segment is not None
        pitch = TURN / run.pegs
        assert 0 < -run.rest_angle % TURN - run.segment * pitch < pitch


def test_a_wheel_whose_energy_is_just_the_pegs_stays_on_it() -> None:
    wheel = Bearing(bearing=0.0, air=0.0, peg=0.04, balance=0.01)
    run = spin(wheel, 0.01, [Push(0.0, sqrt(0.04))])
    assert run.on_peg
    assert run.segment is None
    assert run.rest_angle == pytest.approx(TURN / 54)


def test_a_second_push_adds_to_the_speed_and_turns_count_from_it() -> None:
    run = spin(FREE, 0.0, [Push(0.0, 3.0), Push(5.0, 4.0)])
    before = 3.0 - 0.1 * 5
    assert run.angle(5.0) == pytest.approx(3.0 * 5 - 0.1 * 25 / 2)
    assert run.turns_since(5.0) * TURN == pytest.approx((before + 4.0) ** 2 / 0.2, rel=1e-3)


def test_a_hand_slows_it_while_it_is_there() -> None:
    free = spin(FREE, 0.0, [Push(0.0, 6.0)])
    held = spin(FREE, 0.0, [Push(0.0, 6.0)], [Hindrance(2.0, 3.0, 1.0)])
    assert held.angle(1.9) == free.angle(1.9)
    assert held.rest_time == pytest.approx(free.rest_time - 10.0, rel=1e-3), "1 rad/s is lost, at 0.1 rad/s²"


def test_a_push_backwards_turns_it_round() -> None:
    run = spin(FREE, 0.0, [Push(0.0, 2.0), Push(1.0, -5.0)])
    assert run.turns_since(1.0) < 0
    assert run.rest_angle == pytest.approx(1.95 - 3.1**2 / 0.2, rel=1e-3)


def test_looking_at_a_spin_leaves_it_as_it_was() -> None:
    run = spin(Bearing(), 0.1, [Push(0.0, 4.0)])
    before = repr(vars(run))
    moments = [3.0, 0.0, 0.5, 8.0]
    angles = [run.angle(moment) for moment in moments]
    assert repr(vars(run)) == before
    assert [run.angle(moment) for moment in reversed(moments)] == angles[::-1]
    assert 0.1 == angles[1] < angles[2] < angles[0] < angles[3]


def test_where_it_rests_is_spread_over_all_segments() -> None:
    """Chi-square, 53 degrees of freedom: 93.2 is passed by one fair wheel in two thousand."""
    rng = Random(11)
    counts = [0] * 54
    for _ in range(1620):
        run = spin(Bearing(balance=0.0), rng.random() * 2 * pi, [Push(0.0, rng.uniform(4, 7))])
        assert run.segment is not None
        counts[run.segment] += 1
    assert sum((count - 30) ** 2 / 30 for count in counts) < 93.2


def test_a_spin_begins_with_a_push() -> None:
    with pytest.raises(ValueError, match="begins with a push"):
        spin(FREE, 0.0, [Push(1.0, 3.0)])
