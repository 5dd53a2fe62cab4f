"""Whole spins of roulette and boule: in order, reproducible, without a favourite pocket."""

from collections import Counter
from random import Random

import pytest

from simulators.physics import boule, roulette
from simulators.physics.roulette import Course
from simulators.physics.roulette_ball import TURN, Launch, RimRun, Track
from simulators.physics.shaft import Shaft

RIM = (0.0, 0.29, 0.56)


def roulette_spin(rng: Random, speed: float = 1.6) -> Course:
    rotor = Shaft(rng.random(), 0.4, -0.002)
    return roulette.spin(rng, Track(), rotor, 3.0, (rng.random(), speed, -1), RIM, 37)


def boule_spin(rng: Random, speed: float = 1.0) -> Course:
    return boule.spin(rng, boule.EDGE, (rng.random(), speed, 1), RIM)


@pytest.mark.parametrize("spin", [roulette_spin, boule_spin])
def test_a_course_is_in_order_from_the_rim_to_its_rest(spin) -> None:
    rng = Random(1)
    for _ in range(100):
        course = spin(rng)
        times = [time for time, *_ in course.passes]
        speeds = [speed for _, _, speed, _ in course.passes]
        assert times == sorted(times)
        assert speeds == sorted(speeds, reverse=True)
        assert times[-1] <= course.left_rim < course.stays[0].start
        for stay, after in zip(course.stays, course.stays[1:], strict=False):
            assert stay.start < stay.end < after.start
        assert course.stays[-1].end == float("inf")


@pytest.mark.parametrize(("spin", "pockets"), [(roulette_spin, 37), (boule_spin, 18)])
def test_no_pocket_is_a_favourite(spin, pockets: int) -> None:
    rng = Random(2)
    number = 60 * pockets
    places = Counter(spin(rng, rng.uniform(0.9, 1.8)).place for _ in range(number))
    assert set(places) == set(range(pockets))
    chi = sum((count - 60) ** 2 / 60 for count in places.values())
    assert chi < pockets + 5 * (2 * pockets) ** 0.5


@pytest.mark.parametrize("spin", [roulette_spin, boule_spin])
def test_the_same_seed_gives_the_same_course(spin) -> None:
    assert spin(Random(3)) == spin(Random(3))
    assert spin(Random(3)) != spin(Random(4))


def test_all_sensors_are_passed_in_the_balls_sense_as_each_alone_says() -> None:
    run = RimRun(Track(tilt=0.01, high=1.0), Launch(0.3, 9.0, -1))
    together = run.sights([angle * TURN for angle in RIM])
    assert [each for _, each, _, _ in together[:4]] == [0, 2, 1, 0]
    for each, angle in enumerate(RIM):
        alone = run.passes(angle * TURN)
        mine = [(time, speed) for time, which, speed, _ in together if which == each]
        assert [time for time, _ in mine] == pytest.approx([time for time, _ in alone], rel=1e-6)
        assert [speed for _, speed in mine] == pytest.approx([speed for _, speed in alone])


def test_a_shaft_that_is_driven_the_other_way_stands_for_a_moment() -> None:
    shaft = Shaft(0.0, 0.4, 0.0)
    shaft.drive(2.0, -0.3, 1.4, 0.001)
    assert shaft.angle(2.0) == pytest.approx(0.8)
    assert shaft.speed(2.8) == pytest.approx(0.0, abs=1e-9)
    assert shaft.speed(3.4) == pytest.approx(-0.3)
    assert shaft.speed(10.0) == pytest.approx(-0.3 + 0.001 * 6.6)
    shaft.stop(12.0, 1.0)
    assert shaft.speed(20.0) == 0.0
    assert shaft.angle(20.0) == shaft.angle(14.0)
