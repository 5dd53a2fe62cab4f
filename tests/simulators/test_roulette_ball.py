"""The ball's law of motion: closed forms, small steps, and where a level or a tilted wheel drops it."""

from itertools import pairwise
from math import cos, log, pi, radians, sin, tan
from random import Random

import pytest

from simulators.physics.roulette_ball import GRAVITY, TURN, Launch, RimRun, Track


@pytest.mark.parametrize("drag", [0.01, 0.016, 0.03])
@pytest.mark.parametrize("bank", [12.0, 15.0, 20.0])
@pytest.mark.parametrize("speed", [7.0, 11.0, 16.0])
def test_with_drag_alone_turns_and_time_are_those_of_the_closed_forms(
    drag: float, bank: float, speed: float
) -> None:
    track = Track(drag=drag, bank=radians(bank))
    run = RimRun(track, Launch(1.0, speed, -1))
    assert run.turns == pytest.approx(log(speed / track.critical) / (2 * pi * drag), rel=1e-3)
    assert run.time == pytest.approx((1 / track.critical - 1 / speed) / drag, rel=1e-3)


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("drag", [0.016, 0.0])
def test_the_solution_is_that_of_the_law_in_small_steps(sense: int, drag: float) -> None:
    track = Track(drag=drag, friction=0.1, tilt=radians(0.2), high=1.0)
    launch = Launch(0.4, 12.0, sense)
    run = RimRun(track, launch)

    def slope(s: float, w: float) -> float:
        pull = GRAVITY * track.tilt / track.radius * sense * sin(run.angle(s) - track.high)
        return -2 * drag * w - 2 * track.friction + 2 * pull

    w, s, step = launch.speed**2, 0.0, 1e-3
    for _ in range(20_000):
        first = slope(s, w)
        second = slope(s + step / 2, w + step / 2 * first)
        third = slope(s + step / 2, w + step / 2 * second)
        w += step / 6 * (first + 2 * second + 2 * third + slope(s + step, w + step * third))
        s += step
    assert run.squared(s) == pytest.approx(w, rel=1e-9)


def test_a_track_that_slows_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing slows"):
        Track(drag=0.0, friction=0.0)


def test_it_leaves_the_rim_where_the_track_no_longer_holds_it() -> None:
    track = Track(tilt=radians(0.3), high=2.0)
    run = RimRun(track, Launch(0.0, 10.0, 1))
    slope = tan(track.bank) + track.tilt * cos(run.drop - track.high)
    assert run.squared(run.run) == pytest.approx(GRAVITY / track.radius * slope, rel=1e-9)


def test_passes_of_a_sensor_are_a_turn_apart_and_ever_slower() -> None:
    run = RimRun(Track(), Launch(0.0, 11.0, -1))
    passes = run.passes(1.0)
    assert len(passes) in (int(run.turns), int(run.turns) + 1)
    gaps = [later - sooner for (sooner, _), (later, _) in pairwise(passes)]
    assert gaps == sorted(gaps)
    for gap, ((_, before), (_, after)) in zip(gaps, pairwise(passes), strict=True):
        assert TURN / before < gap < TURN / after
    assert passes[-1][0] < run.time


def drops(tilt: float, sense: int, number: int = 3000) -> list[float]:
    rng = Random(7)
    track = Track(tilt=radians(tilt), high=1.0)
    launches = (Launch(rng.random() * TURN, rng.uniform(9, 14), sense) for _ in range(number))
    return sorted(RimRun(track, launch).drop for launch in launches)


@pytest.mark.parametrize("sense", [1, -1])
def test_a_level_wheel_drops_the_ball_anywhere(sense: int) -> None:
    """Kolmogorov-Smirnov: 1.95/sqrt(n) is passed by one fair wheel in a thousand."""
    angles = drops(0.0, sense)
    number = len(angles)
    distance = max(abs(angle / TURN - (at + 0.5) / number) for at, angle in enumerate(angles))
    assert distance < 1.95 / number**0.5


@pytest.mark.parametrize("sense", [1, -1])
def test_a_fifth_of_a_degree_of_tilt_keeps_the_ball_from_a_quarter_to_a_third_of_the_track(
    sense: int,
) -> None:
    angles = drops(0.2, sense)
    widest = max(
        later - sooner for sooner, later in zip(angles, [*angles[1:], angles[0] + TURN], strict=True)
    )
    assert 0.24 < widest / TURN < 0.34
