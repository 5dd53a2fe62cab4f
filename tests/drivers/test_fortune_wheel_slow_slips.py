"""An encoder that slips in the last turn, slowly or as if a hand had slowed the wheel: never a wrong rest."""

import pytest
from fortune_wheel_line import COUNTED, scenario, spins

from drivers.fortune_wheel.unread import UNPROVED
from drivers.readings import FaultRaised, RestUnread, WheelAtRest, WheelHindered
from drivers.tracking.peg_phase import ADRIFT, MET, PegPhase
from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel

PITCH = COUNTED.counts / 54
HALF, SLACK = 0.05, 0.04


SLIPS = [
    (seed, lasts, 2.0, pitches) for seed in (3, 4) for lasts in (0.2, 0.5, 1.0, 2.0) for pitches in (1, -1, 2)
]
SLIPS += [(3, 3.0, 3.8, -1), (4, 3.0, 3.8, 1), (4, 3.0, 3.8, -1), (9, 3.0, 3.8, -1), (13, 4.0, 3.2, -1)]
"""The spin; its slip after the last index: how long it lasts, when it is over before the rest, by what."""


@pytest.mark.parametrize(("seed", "lasts", "over", "pitches"), SLIPS)
def test_an_encoder_that_slips_by_whole_pitches_in_the_last_turn_is_never_a_rest(
    monkeypatch, seed, lasts, over, pitches
):
    positions = SensorFortuneWheel._positions

    def slipped(self, motion, begins, rng):
        for time, position in positions(self, motion, begins, rng):
            part = (time - (begins + motion.rest_time - over - lasts)) / lasts
            yield time, position - round(pitches * PITCH * min(1.0, max(0.0, part)))

    monkeypatch.setattr(SensorFortuneWheel, "_positions", slipped)
    (_, said), *_ = spins(COUNTED, seed, 1)
    assert isinstance(said[-1], RestUnread), said[-1]


def test_after_a_hand_a_rest_is_told_once_the_index_has_come_again():
    """Of hands that brake the wheel somewhere in its spin."""
    kinds = set()
    for game, said in spins(COUNTED, 3, 12, scenario("hand_hard")):
        assert [each for each in said if isinstance(each, WheelHindered)]
        rest = said[-1]
        kinds.add(type(rest))
        if isinstance(rest, WheelAtRest):
            assert rest.place == game.truth.segment
        else:
            assert rest.reason == UNPROVED
    assert kinds == {WheelAtRest, RestUnread}


def test_a_slip_that_the_index_shows_is_a_fault_for_the_technician():
    said = [each for _, some in spins(COUNTED, 5, 4, scenario("clean", "slip")) for each in some]
    assert "encoder_slip" in [each.code for each in said if isinstance(each, FaultRaised)]
    clean = [each for _, some in spins(COUNTED, 5, 2) for each in some]
    assert not [each for each in clean if isinstance(each, FaultRaised)]


def phase(*rises):
    made = PegPhase()
    for place in rises:
        made.rise(place - HALF, HALF, SLACK)
    made.rise(1000.0, HALF, SLACK)
    return made


def test_pegs_that_lift_the_pointer_elsewhere_running_are_adrift():
    assert phase(*(n + 0.3 for n in range(ADRIFT))).adrift
    assert not phase(*(n + 0.3 for n in range(ADRIFT - 1))).adrift
    assert not phase(*(n + 0.1 for n in range(40))).adrift
    assert phase(*(n - 0.3 for n in range(ADRIFT))).adrift


def test_a_pitch_with_a_rise_in_its_place_is_no_witness_against_and_one_without_a_rise_none_at_all():
    bounced = [place for n in range(40) for place in (n, n + 0.2, n + 0.4)]
    assert not phase(*bounced).adrift
    assert phase(*(3 * n + 0.3 for n in range(ADRIFT))).adrift
    lucky = [n if n % (MET + 1) == 0 else n + 0.3 for n in range(60)]
    assert not phase(*lucky).adrift


def test_the_index_begins_anew():
    made = PegPhase()
    for n in range(ADRIFT - 1):
        made.rise(n + 0.3, HALF, SLACK)
    made.clear()
    for n in range(ADRIFT - 1):
        made.rise(n + 0.3, HALF, SLACK)
    assert not made.adrift
