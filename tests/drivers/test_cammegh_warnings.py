"""Warnings of both Cammegh models, and what the extended line adds."""

import pytest
from cammegh_line import MERCURY, Line, ext, launched, playing, pockets, running

from drivers.readings import (
    BallLap,
    BallLaunched,
    BallMissing,
    BallWithRotor,
    FaultCleared,
    FaultRaised,
    LaunchFailed,
    PocketSettled,
    PocketUnread,
    RotorSpeedOutOfRange,
    VoidSignalled,
)

# --- warnings ------------------------------------------------------------------------------------


def test_the_ball_is_missing_after_5_s_unseen() -> None:
    line = running().status(4, w=1, d=1, n=10)
    assert line.all(BallMissing) == []
    line.status(4, w=1, d=1)
    assert len(line.all(BallMissing)) == 1
    line.status(4, w=1, d=1, n=20)
    assert len(line.all(BallMissing)) == 1


def test_pulses_of_the_ball_bit_are_normal() -> None:
    line = running()
    for _ in range(20):
        line.status(4, w=1, d=1).status(4, d=1)
    assert line.new() == []
    line.status(4, w=1, d=1, n=9).status(4, d=1, n=2).status(4, w=1, d=1, n=9)
    assert line.new() == []


def test_a_held_up_burst_counts_by_its_lines() -> None:
    line = running().status(4, w=1, d=1, n=11, every=0.001)
    assert len(line.all(BallMissing)) == 1


def test_the_ball_is_missing_by_the_clock_where_lines_are_few() -> None:
    line = running().status(4, w=1, d=1, n=6, every=1.0)
    assert len(line.all(BallMissing)) == 1


def test_the_ball_may_be_missing_twice() -> None:
    line = running().status(4, w=1, d=1, n=12).status(4, d=1, n=4).status(4, w=1, d=1, n=12)
    assert len(line.all(BallMissing)) == 2


def test_warnings_of_a_game_that_was_joined_in_the_middle_are_not_told() -> None:
    line = Line().status(4, w=2, d=1, n=20).status(4, w=1, d=1, n=20)
    assert line.new_names() == ["DeviceBack", "StatesMissed"]


def test_bit_2_means_the_ball_in_play_only() -> None:
    line = playing().betting(d=1).status(2, w=2, d=1, n=6).status(3, w=2, d=1)
    assert line.all(BallWithRotor) == []
    line.status(3, w=2, d=1)
    assert len(line.all(BallWithRotor)) == 1
    line.status(4, w=2, d=1, n=8).settle(17)
    assert len(line.all(BallWithRotor)) == 1
    assert line.all(PocketSettled)


def test_a_warning_on_the_last_lines_is_heard_before_the_number() -> None:
    line = running().status(4, d=1, n=2).text("17").status(5, number=17, w=2, d=1, n=3)
    assert line.new_names() == ["BallWithRotor", "PocketSettled"]


def test_bit_4_is_a_fault_until_two_lines_without_it() -> None:
    line = running().status(4, w=4, v=0, d=1)
    assert line.new() == []
    line.status(4, w=4, v=0, d=1, n=5).status(4, v=0, d=1).status(4, w=4, v=0, d=1, n=2)
    (raised,) = line.new()
    assert isinstance(raised, FaultRaised)
    assert raised.code == "wheel_drive"
    line.status(6, w=4, v=0, n=2).status(6, v=0, n=2)
    *_, cleared = line.new()
    assert isinstance(cleared, FaultCleared)
    assert cleared.code == "wheel_drive"


def test_a_fault_stays_over_a_silence() -> None:
    line = playing().status(2, w=4, n=3).wait(30)
    line.status(2, w=4, n=3)
    assert line.new_names() == ["FaultRaised", "DeviceLost", "DeviceBack"]
    assert line.status(2, n=2).new_names() == ["FaultCleared"]


def test_a_silence_parts_lines_that_would_count_together() -> None:
    line = playing().status(2, w=4).wait(20)
    line.status(2, w=4).status(2, n=4)
    assert line.all(FaultRaised) == []
    line.status(2, w=4, n=3).wait(20)
    line.status(2).status(2, w=4, n=3)
    assert line.all(FaultCleared) == []


def test_a_runaway_rotor_is_a_fault() -> None:
    line = running().status(4, v=655, d=1)
    assert line.new() == []
    line.status(4, v=170, d=1).status(4, v=655, d=1).status(4, v=983, d=1)
    (raised,) = line.new()
    assert isinstance(raised, FaultRaised)
    assert raised.code == "rotor_speed"
    line.status(4, v=300, d=1, n=2)
    assert line.new_names() == ["FaultCleared"]


def test_a_runaway_of_a_closed_wheel_ends_with_the_first_two_lines_at_rest() -> None:
    line = playing().status(6, v=0, n=3)
    line.new()
    line.status(6, v=800, n=2)
    assert line.new_names() == ["FaultRaised"]
    line.status(6, v=0, n=2)
    assert line.new_names() == ["FaultCleared"]


def test_a_mercurys_bit_1_is_its_speed_not_its_ball() -> None:
    line = running(**MERCURY).status(4, w=1, v=85, d=1, n=20)
    (speed,) = line.new()
    assert isinstance(speed, RotorSpeedOutOfRange)
    assert speed.rpm == 8.5


def test_a_slow_mercury_is_told_of_once_a_launch_and_not_while_betting() -> None:
    line = running(**MERCURY).status(4, w=1, v=85, d=1, n=4).settle(17)
    line.status(2, 13, 17, w=1, v=30, n=4)
    line.status(3, 13, 17, w=1, v=90, n=4).status(4, 13, 17, w=1, v=88, n=4)
    assert [r.rpm for r in line.all(RotorSpeedOutOfRange)] == [8.5, 9.0]


def test_a_mercurys_other_bits() -> None:
    line = running(**MERCURY).status(4, w=2, d=1, n=2)
    assert line.new_names() == ["BallWithRotor"]
    line.status(4, w=4, d=1, n=3).status(4, d=1, n=2)
    assert [r.code for r in line.all(FaultRaised)] == ["rim_sensors"]
    assert [r.code for r in line.all(FaultCleared)] == ["rim_sensors"]
    line.status(4, w=8, d=1, n=3)
    assert len(line.all(VoidSignalled)) == 1
    assert line.all(LaunchFailed) == []


def test_a_mercurys_bit_8_in_betting_is_nothing() -> None:
    line = playing(**MERCURY).status(2, w=8, n=6)
    assert line.new() == []


# --- the extended line ---------------------------------------------------------------------------


def test_laps_of_the_ball() -> None:
    line = launched(laps=1, ball="0", ticks="04000")
    line.status(3, d=1, ext=ext(2, "0", "08000")).status(3, d=1, ext=ext(2, "0", "08000"))
    line.status(4, d=1, ext=ext(4, "0", "0C000"))
    assert line.all(BallLaunched)[0].ball == "cw"
    assert [(r.laps, r.ball, r.rotor, r.seconds) for r in line.all(BallLap)] == [
        (1, None, "ccw", 0.5),
        (2, "cw", "ccw", 1.0),
        (4, "cw", "ccw", 1.5),
    ]


def test_one_damaged_count_of_laps_or_sense_is_not_believed() -> None:
    line = launched(laps=1, ball="0").status(3, d=1, ext=ext(2, "0"))
    line.status(3, d=1, ext=ext(0x82, "1")).status(3, d=1, ext=ext(3, "0")).status(3, d=1, ext=ext(4, "0"))
    assert [(r.laps, r.ball) for r in line.all(BallLap)] == [(1, None), (2, "cw"), (3, "cw"), (4, "cw")]


@pytest.mark.parametrize("again", [20, 21])
def test_laps_that_jump_twice_are_believed(again: int) -> None:
    line = launched(laps=1).status(4, d=1, ext=ext(1), n=3)
    line.status(4, d=1, ext=ext(20)).status(4, d=1, ext=ext(again))
    assert [r.laps for r in line.all(BallLap)] == [1, again]


def test_no_ball_in_the_wheel_for_5_s() -> None:
    line = launched().status(4, d=1, ext=ext(flags=0xA2), n=10)
    assert line.all(BallMissing) == []
    line.status(4, d=1, ext=ext(flags=0xA2), n=2)
    assert len(line.all(BallMissing)) == 1


def test_the_pocket_field_crosses_the_number() -> None:
    line = launched().status(4, d=1, ext=ext(), n=4)
    line.status(5, number=17, d=1, ext=ext(pocket="17"), n=2)
    assert pockets(line) == [("17", 12, "ccw")]
    line = launched().status(4, d=1, ext=ext(), n=4)
    line.status(5, number=17, d=1, ext=ext(pocket="11"), n=2)
    assert line.all(PocketUnread)[0].claims == ("17", "11")


def test_one_damaged_pocket_field_only_delays() -> None:
    line = launched().status(4, d=1, ext=ext(), n=4)
    line.text("17").status(5, number=17, d=1, ext=ext(pocket="11"))
    assert pockets(line) == []
    line.status(5, number=17, d=1, ext=ext(pocket="17"), n=2)
    assert pockets(line) == [("17", 12, "ccw")]
