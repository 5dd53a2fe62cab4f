"""Launches of a Cammegh wheel: senses of the rotor, attempts that fail, each told once."""

import pytest
from cammegh_line import MERCURY, playing, pockets, running

from drivers.readings import (
    BallLaunched,
    LaunchFailed,
    PocketUnread,
)


def test_a_standing_rotor_has_no_sense() -> None:
    line = playing().status(3, v=0)
    assert line.all(BallLaunched)[0].rotor is None


def test_a_damaged_direction_at_the_launch_is_put_right_by_the_result() -> None:
    line = playing().betting(d=1).status(3, d=0).status(3, d=1, n=4).status(4, d=1, n=5).settle(17)
    assert line.all(BallLaunched)[0].rotor == "cw"
    assert pockets(line) == [("17", 12, "ccw")]


def test_a_failed_launch_with_its_retry_is_one_game() -> None:
    """Game 007 of the capture: bit 2 for 6 s, bit 8, reversal, state 3 under the same counter."""
    line = playing().betting(d=1).status(2, w=2, d=1, n=12).status(2, w=8, d=1, n=6)
    line.status(2, w=8, d=0, v=0, n=3).status(2, w=8, d=0, n=3)
    line.launch(d=0).settle(17, d=0)
    readings = line.new()
    assert [type(r).__name__ for r in readings] == [
        "LaunchFailed",
        "BallLaunched",
        "BallLeavingRim",
        "PocketSettled",
    ]
    assert line.all(LaunchFailed)[0].rotor == "ccw"
    assert line.all(BallLaunched)[0].rotor == "cw"
    assert pockets(line) == [("17", 12, "cw")]


def test_each_further_reversal_under_bit_8_is_another_failed_attempt() -> None:
    line = playing().betting(d=1).status(2, w=8, d=1, n=6)
    for sense in (0, 1, 0):
        line.status(2, w=8, d=0, v=0, n=3).status(2, w=8, d=sense, n=8)
    line.launch(d=0)
    assert [r.rotor for r in line.all(LaunchFailed)] == ["ccw", "cw", "ccw"]


def test_a_second_run_of_bit_8_is_a_second_failure() -> None:
    line = playing().betting(d=1).status(2, w=8, d=1, n=3).status(2, d=1, n=3).status(2, w=8, d=1, n=3)
    assert [r.rotor for r in line.all(LaunchFailed)] == ["ccw", "ccw"]


def test_one_line_of_bit_8_is_nothing_nor_is_one_without_it() -> None:
    line = playing().betting(d=1).status(2, w=8, d=1).status(2, d=1, n=2)
    assert line.all(LaunchFailed) == []
    line.status(2, w=8, d=1, n=3).status(2, d=1).status(2, w=8, d=1, n=3)
    assert len(line.all(LaunchFailed)) == 1


@pytest.mark.parametrize("senses", [(1, 1), (0, 1)], ids=["not reversed", "stop not seen"])
def test_an_attempt_is_told_by_a_stop_or_by_a_reversal_alone(senses: tuple[int, int]) -> None:
    line = playing().betting(d=1).status(2, w=8, d=1, n=6)
    for sense in senses:
        if sense == 1 == senses[0]:
            line.status(2, w=8, v=0, n=3)
        line.status(2, w=8, d=sense, n=8)
    assert [r.rotor for r in line.all(LaunchFailed)] == ["ccw", "ccw" if senses[0] else "cw"]


def test_a_launch_seen_on_one_line_that_is_driven_again_has_failed() -> None:
    line = playing().betting(d=1).status(3, d=1).status(2, d=1, n=3)
    line.status(2, v=0, n=3).status(2, d=0, n=3).launch(d=0).settle(17, d=0)
    assert line.new_names() == [
        "BallLaunched",
        "LaunchFailed",
        "BallLaunched",
        "BallLeavingRim",
        "PocketSettled",
    ]
    assert line.all(LaunchFailed)[0].rotor == "ccw"


def test_a_damaged_line_before_the_rotor_turns_is_no_failed_launch() -> None:
    line = playing().game(17, d=1)
    line.status(2, 13, 17, d=1, n=3).status(3, 13, 17, d=1).status(2, 13, 17, d=1, n=2)
    line.betting(13, 17, d=0).launch(13, 17, d=0).settle(18, 13, d=0)
    assert line.all(LaunchFailed) == []
    assert len(line.all(BallLaunched)) == 2
    assert pockets(line)[-1] == ("18", 13, "cw")


def test_a_failure_of_unknown_sense_after_a_silence() -> None:
    line = playing().wait(20)
    line.status(2, w=8, v=0, n=4)
    assert [r.rotor for r in line.all(LaunchFailed)] == [None]


@pytest.mark.parametrize("back", [2, 1])
def test_from_3_back_is_a_failed_launch_of_the_same_game(back: int) -> None:
    line = playing(**MERCURY).betting(d=1).status(3, d=1, n=8).status(back, d=1, n=4)
    if back == 1:
        line.status(2, d=1, n=2)
    line.status(2, d=0, v=0, n=3).status(2, d=0, n=3).launch(d=0).settle(17, d=0)
    assert line.new_names() == [
        "BallLaunched",
        "LaunchFailed",
        "BallLaunched",
        "BallLeavingRim",
        "PocketSettled",
    ]
    assert line.all(LaunchFailed)[0].rotor == "ccw"
    assert pockets(line) == [("17", 12, "cw")]


def test_bit_8_after_a_launch_that_came_back_is_the_same_failure() -> None:
    line = playing().betting(d=1).status(3, d=1, n=4).status(2, w=8, d=1, n=6)
    assert [r.rotor for r in line.all(LaunchFailed)] == ["ccw"]


def test_bit_8_is_ignored_in_the_first_3_s_of_state_3() -> None:
    line = playing().betting(d=1).status(2, w=8, d=1, n=4).status(2, w=8, d=0, v=0, n=3)
    line.status(2, w=8, d=0, n=3).status(3, w=8, d=0, n=5).status(4, d=0, n=20).settle(17, d=0)
    assert len(line.all(LaunchFailed)) == 1
    assert pockets(line) == [("17", 12, "cw")]


def test_bit_8_later_in_state_3_is_a_failure_and_the_wheel_retries() -> None:
    line = playing().betting(d=1).status(3, d=1, n=7).status(3, w=8, d=1, n=3)
    line.status(2, w=8, d=1, n=3).status(2, w=8, v=0, n=3).status(2, w=8, d=0, n=3)
    line.launch(d=0).settle(17, d=0)
    assert [r.rotor for r in line.all(LaunchFailed)] == ["ccw"]
    assert pockets(line) == [("17", 12, "cw")]


def test_bit_8_all_through_state_3_counts_after_its_3_s() -> None:
    line = playing().betting(d=1).status(3, w=8, d=1, n=6)
    assert line.all(LaunchFailed) == []
    line.status(3, w=8, d=1, n=4)
    assert len(line.all(LaunchFailed)) == 1


def test_a_failure_in_play_is_no_game_without_a_result() -> None:
    line = playing().betting(d=1).status(3, d=1, n=7).status(3, w=8, d=1, n=3).status(4, d=1, n=2)
    line.status(2, d=1, n=3)
    assert line.new_names() == ["BallLaunched", "LaunchFailed", "BallLeavingRim"]


def test_a_number_after_an_unseen_retry_is_evidence() -> None:
    line = playing().betting(d=1).status(2, w=8, d=1, n=3).status(5, number=17, n=3)
    assert line.new_names() == ["LaunchFailed", "StatesMissed", "PocketSettled"]


def test_lines_of_a_standing_rotor_do_not_vote() -> None:
    line = running().status(4, v=0, d=0, n=30).settle(17)
    assert pockets(line) == [("17", 12, "ccw")]


def test_a_number_of_a_launch_that_the_wheel_called_failed_is_not_believed() -> None:
    line = running().status(4, w=8, d=1, n=3).settle(17)
    assert [type(r).__name__ for r in line.new()] == ["LaunchFailed", "PocketUnread"]
    assert line.all(PocketUnread)[0].claims == ("17",)
