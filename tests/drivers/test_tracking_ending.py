"""What a wheel had before it when its positions ended."""

from math import floor, sqrt

import pytest

from drivers.tracking.ending import KEPT, NATURAL, Ending
from drivers.tracking.friction import Friction

COUNTS, PEGS = 4000, 54
PITCH = COUNTS / PEGS
LAW = Friction(constant=0.0184, per_speed=0.0, peg=0.00015, excursion=0.008)
BEARING = LAW.constant - LAW.peg * PEGS / 2
RATE = BEARING * COUNTS


def ended(left, way=60.0, seconds=0.05, sense=1, shift=0.0, rate=RATE, pitch=PITCH):
    """Positions of a wheel that its bearing alone slows, up to `left` counts before its rest."""
    ending = Ending()
    rests = sqrt(2 * (way + left) / rate)
    t = 0.0
    while rests - t > 0 and (before := rate * (rests - t) ** 2 / 2) >= left:
        ending.at(round(t * 1e6), floor(sense * (shift + way + left - before)), pitch)
        t += seconds
    return ending


def between_pegs(position):
    """A wheel that is amidst two pegs all the time."""
    return position / 1e6 + 0.5


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("seconds", [0.05, 0.01, 0.003])
@pytest.mark.parametrize("shift", [0.0, 0.3, 0.5, 0.99])
def test_a_wheel_that_its_bearing_stops_had_nothing_before_it(sense, seconds, shift):
    ending = ended(0.0, seconds=seconds, sense=sense, shift=shift)
    assert ending.left(LAW, COUNTS, between_pegs, 0.1) < 1 < NATURAL


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("seconds", [0.05, 0.01, 0.003])
@pytest.mark.parametrize("left", [15, 40, 200, 2000])
def test_what_a_wheel_had_before_it_is_told_rather_too_low_than_too_high(sense, seconds, left):
    ending = ended(left, seconds=seconds, sense=sense)
    assert max(NATURAL, 0.3 * left) < ending.left(LAW, COUNTS, between_pegs, 0.1) <= left + 1


def test_a_wheel_that_slows_more_than_it_did_is_at_rest_as_well():
    """A tenth more than its bearing and its pegs."""
    ending = ended(0.0, way=120.0, rate=1.1 * LAW.constant * COUNTS)
    assert ending.left(LAW, COUNTS, between_pegs, 0.1) < 1
    ending = ended(0.0, way=120.0, rate=2.5 * LAW.constant * COUNTS)
    assert ending.left(LAW, COUNTS, between_pegs, 0.1) > NATURAL


def at_a_peg(position):
    """A peg is where the positions end."""
    return 1 + (position - 59) / PITCH


def test_a_wheel_that_has_less_than_a_peg_takes_can_stay_on_it():
    """Of its energy a peg takes 20 counts of this wheel's way, half of that again is granted it."""
    within, beyond = 0.8 * LAW.peg * COUNTS / (2 * BEARING), 6 * LAW.peg * COUNTS / (2 * BEARING)
    assert ended(within).left(LAW, COUNTS, between_pegs, 0.1) > NATURAL
    assert ended(within).left(LAW, COUNTS, at_a_peg, 0.1) < NATURAL
    assert ended(beyond).left(LAW, COUNTS, at_a_peg, 0.1) > NATURAL


def test_a_wheel_that_has_just_passed_a_peg_is_known_by_its_speed_before_it():
    ending = ended(500)
    assert ending.left(LAW, COUNTS, lambda position: 1 + (position - 54) / PITCH, 0.05) > 100


def test_a_fast_wheel_passes_a_peg_between_any_two_positions():
    fast = Ending([(at * 50_000, 100 * at) for at in range(10)])
    assert fast.left(LAW, COUNTS, lambda position: position / PITCH, 0.1) > 1000


def test_what_was_before_the_wheel_turned_round_counts_no_more():
    fast = [(at * 50_000, 30 * at) for at in range(10)]
    thrown = [(450_000 + at * 50_000, 270 - at) for at in range(1, 4)]
    assert Ending(fast).left(LAW, COUNTS, between_pegs, 0.1) > 1000
    assert Ending(fast + thrown).left(LAW, COUNTS, between_pegs, 0.1) < 1


def test_an_encoder_that_rocks_on_an_edge_adds_nothing():
    ending = ended(40)
    before = list(ending.way)
    time, position = before[-1]
    for at in range(100):
        ending.at(time + at * 50_000, position - at % 2, PITCH)
    assert ending.way == before
    ending.at(time + 9_000_000, position - 2, PITCH)
    assert ending.way == [*before, (time + 9_000_000, position - 2)]


def test_no_more_is_kept_than_is_needed():
    ending = Ending()
    assert ending.left(LAW, COUNTS, between_pegs, 0.1) == 0
    for at in range(1000):
        ending.at(3000 * at, at, PITCH)
    assert len(ending.way) == KEPT
    assert ending.way[-1] == (2_997_000, 999)
    assert ending.way[-1][1] - ending.way[0][1] > 2 * PITCH
    ending.way.append((2_997_000, 1009))
    assert ending.left(LAW, COUNTS, between_pegs, 0.1) < 1e6, "two at one moment have no speed"
