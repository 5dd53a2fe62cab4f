"""The law of slowing from decelerations: found again, not bent by nonsense, its air never negative."""

from random import Random

import pytest

from drivers.tracking.slowing_law import slowing_law

TRUE = (0.02, 0.015, 0.06)
SPEEDS = [0.05 + 0.003 * at for at in range(300)]


def points(law, noise=0.0):
    rng = Random(4)
    return [(v, law[0] + law[1] * v + law[2] * v * v + rng.gauss(0, noise)) for v in SPEEDS]


@pytest.mark.parametrize("law", [TRUE, (0.02, 0.035, 0.0), (0.01, 0.0, 0.1)])
def test_bearing_air_and_whirling_air_are_told_apart(law):
    assert slowing_law(points(law)) == pytest.approx(law, abs=1e-6)


@pytest.mark.parametrize("off", [0.2, -0.3])
def test_a_quarter_of_nonsense_does_not_bend_it(off):
    spoilt = [(v, y + off if at % 4 == 0 else y) for at, (v, y) in enumerate(points(TRUE, 1e-4))]
    found = slowing_law(spoilt)
    assert found is not None
    for speed in (0.05, 0.2, 0.5, 0.9):
        assert found[0] + found[1] * speed + found[2] * speed**2 == pytest.approx(
            TRUE[0] + TRUE[1] * speed + TRUE[2] * speed**2, rel=0.01
        )


@pytest.mark.parametrize(("law", "none"), [((0.02, 0.04, -0.006), 2), ((0.02, -0.004, 0.05), 1)])
def test_a_term_that_would_be_negative_is_left_out(law, none):
    found = slowing_law(points(law))
    assert found is not None
    assert found[none] == 0.0
    assert found[3 - none] > 0


def test_a_wheel_that_slows_the_less_the_faster_it_is_has_no_such_law():
    assert slowing_law(points((0.05, -0.02, 0.0))) is None
