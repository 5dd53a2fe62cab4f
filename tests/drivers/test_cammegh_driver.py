"""The Cammegh driver, rule by rule, on hand-written lines: play, results, warnings, damage."""

from typing import Any

import msgspec
import pytest
from cammegh_line import Line, names

from drivers.cammegh import DRIVER, CammeghOptions
from drivers.driver import SerialSettings
from drivers.readings import (
    BallLap,
    BallLaunched,
    BallMissing,
    BallWithRotor,
    DeviceLost,
    FaultCleared,
    FaultRaised,
    GameAbandoned,
    GameStarted,
    LaunchFailed,
    PocketSettled,
    PocketUnread,
    RotorSpeedOutOfRange,
    StatesMissed,
    UnsolicitedReply,
    VoidSignalled,
)

MERCURY = {"model": "mercury-360"}
EXTENDED = {"model": "mercury-360", "protocol": "extended"}
BASIC = {"model": "mercury-360", "protocol": "basic"}


def playing(**options: Any) -> Line:
    """A wheel in state 2 of game 12 that is heard since a while; what it said so far is out of the way."""
    line = Line(**options).text("").status(2, d=0, n=3)
    line.new()
    return line


def running(**options: Any) -> Line:
    """The same in state 4, launched anticlockwise."""
    line = playing(**options).betting(d=1)
    line.status(3, d=1, n=5).status(4, d=1, n=4)
    line.new()
    return line


def pockets(line: Line) -> list[tuple[str, int | None, str | None]]:
    return [(r.pocket, r.game, r.rotor) for r in line.all(PocketSettled)]


# --- options -------------------------------------------------------------------------------------


def test_the_driver_is_described() -> None:
    options = msgspec.convert({"model": "slingshot-2"}, DRIVER.options)
    assert options == CammeghOptions(model="slingshot-2", protocol="advanced", pockets=37, silence=5.0)
    assert DRIVER.name == "cammegh"
    assert DRIVER.roles == {"wheel"}
    assert DRIVER.serial is not None
    assert DRIVER.serial(options) == SerialSettings(9600)
    assert DRIVER.heartbeat(options)
    assert not DRIVER.heartbeat(msgspec.convert(BASIC, DRIVER.options))
    assert DRIVER.make("wheel", options).health().frames == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "model"),
        ({"model": "slingshot-1"}, "slingshot-1"),
        ({"model": "slingshot-2", "protocol": "extended"}, "advanced protocol only"),
        ({"model": "slingshot-2", "protocol": "basic"}, "advanced protocol only"),
        ({"model": "slingshot-2", "pockets": 36}, "36"),
        ({"model": "slingshot-2", "silence": 3.5}, "3.5"),
        ({"model": "slingshot-2", "speed": 9600}, "speed"),
    ],
)
def test_wrong_options_are_refused_in_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=words):
        msgspec.convert(options, DRIVER.options)


def test_the_silence_is_checked_without_a_file_too() -> None:
    with pytest.raises(ValueError, match=r"more than 3\.5 s"):
        CammeghOptions(model="slingshot-2", silence=3.0)


# --- presence ------------------------------------------------------------------------------------


def test_the_wheel_is_back_with_its_first_good_line() -> None:
    line = Line().text("").text("28").text("*u OK").text("garbage")
    line.new()
    assert line.status(2).new_names() == ["DeviceBack"]
    assert line.status(2, n=3).new_names() == ["GameStarted"]


def test_silence_is_loss_at_its_deadline_and_said_once() -> None:
    line = playing()
    heard = line.at.mono
    assert line.driver.deadline == heard + 5_000_000_000
    line.wait(60)
    (lost,) = line.new()
    assert isinstance(lost, DeviceLost)
    assert lost.reason == "no status line for 5 s"
    assert lost.at.mono == heard + 5_000_000_000
    assert line.driver.deadline is None
    line.link_lost()
    assert line.new_names() == []


def test_silence_is_of_status_lines_and_advance_before_the_deadline_says_nothing() -> None:
    line = playing(silence=4.0)
    assert list(line.driver.advance(line.at)) == []
    for _ in range(3):
        line.text("*u OK", after=1.5)
    assert "DeviceLost" in line.new_names()


def test_a_wheel_that_never_speaks_is_lost_after_the_silence() -> None:
    line = Line().wait(6)
    assert [type(r).__name__ for r in line.said] == ["DeviceLost"]


def test_a_lost_link_is_loss_and_the_reason_is_its_own() -> None:
    line = playing().link_lost("unplugged")
    (lost,) = line.new()
    assert isinstance(lost, DeviceLost)
    assert lost.reason == "unplugged"
    assert line.driver.deadline is None
    assert line.link_up().new_names() == []
    assert line.status(2).new_names() == ["DeviceBack"]


def test_half_a_line_three_seconds_and_the_other_half_are_one_line() -> None:
    line = running().status(4, d=1).text("17").status(5, number=17, d=1)
    line.raw(b"*X;5;012;1", 0.5).raw(b"7;0;158;1\r\n", 3.0)
    assert pockets(line) == [("17", 12, "ccw")]
    assert line.driver.health().bad_frames == 0


def test_what_was_half_received_is_forgotten_when_the_link_is_opened_anew() -> None:
    line = playing().raw(b"*X;2;012;31", 0.5).link_lost().link_up()
    line.raw(b";0;158;0\r\n", 0.5)
    assert line.driver.health().bad_frames == 0
    assert line.status(2, n=2).driver.health().bad_frames == 0


# --- play ----------------------------------------------------------------------------------------


def test_a_whole_game() -> None:
    line = playing().game(17, d=1)
    assert line.new_names() == ["BallLaunched", "BallLeavingRim", "PocketSettled"]
    assert line.all(BallLaunched)[0].rotor == "ccw"
    assert pockets(line) == [("17", 12, "ccw")]


def test_readings_carry_the_device_and_the_instant_of_their_bytes() -> None:
    line = running()
    line.text("17", after=0.2).status(5, number=17, d=1, every=0.3)
    (settled,) = line.new()
    assert settled.device == "wheel"
    assert settled.at == line.at


@pytest.mark.parametrize("start", [False, True], ids=["5 to 2", "5 to 1 to 2"])
def test_one_game_starts_after_another_with_its_own_counter(start: bool) -> None:
    line = playing().game(17)
    line.new()
    if start:
        line.status(1, 12, 17, n=4)
        assert line.new_names() == []
    line.betting(13, 17, d=0)
    (started,) = line.new()
    assert isinstance(started, GameStarted)
    assert started.game == 13


def test_the_same_number_twice_is_two_results() -> None:
    line = playing().game(17, 12).game(17, 13, 17, d=0)
    assert pockets(line) == [("17", 12, "ccw"), ("17", 13, "cw")]


@pytest.mark.parametrize(("model", "last", "first"), [("slingshot-2", 256, 1), ("mercury-360", 255, 0)])
def test_the_counter_wraps_without_alarm(model: str, last: int, first: int) -> None:
    line = Line(model=model).game(17, last).game(18, first, 17, d=0).game(19, first + 1, 18)
    assert [(r.pocket, r.game) for r in line.all(PocketSettled)] == [
        ("17", last),
        ("18", first),
        ("19", first + 1),
    ]
    assert line.all(StatesMissed) == []


def test_closing_and_opening_again() -> None:
    line = playing().game(17)
    line.new()
    assert line.status(6, 12, 17, v=0, n=9).new_names() == ["WheelClosed"]
    assert line.status(1, 12, 17, n=9).new_names() == []
    line.status(2, 12, 17, n=5)
    (started,) = line.new()
    assert isinstance(started, GameStarted)
    assert started.game == 12


def test_closing_in_mid_play_abandons_the_game() -> None:
    line = running()
    line.status(6, v=0, n=4)
    assert line.new_names() == ["GameAbandoned", "WheelClosed"]


def test_from_4_back_to_2_is_a_game_without_a_result() -> None:
    line = running().status(2, n=4)
    abandoned, started = line.new()
    assert isinstance(abandoned, GameAbandoned)
    assert "without a result" in abandoned.reason
    assert isinstance(started, GameStarted)
    assert started.game == 12


def test_from_4_to_2_with_the_next_counter_state_5_was_missed() -> None:
    line = running().text("20").status(2, 13, 20, n=4)
    missed, abandoned, started = line.new()
    assert isinstance(missed, StatesMissed)
    assert (missed.before, missed.now) == ("no more bets", "place bets")
    assert isinstance(abandoned, GameAbandoned)
    assert "state 5 was not seen" in abandoned.reason
    assert isinstance(started, GameStarted)
    assert started.game == 13
    assert pockets(line) == []


def test_the_dealers_lock_waits_between_4_and_5() -> None:
    line = running(**MERCURY).text("17").status(7, d=1, n=20)
    assert line.new_names() == ["WaitingForDealer"]
    line.status(5, number=17, d=1)
    assert pockets(line) == [("17", 12, "ccw")]  # the bare number was fresh when the lock began


def test_no_result_without_state_5_however_long_it_takes() -> None:
    line = running().text("17").status(4, d=1, n=400)
    assert line.new_names() == []


# --- jumps and joining ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "names"),
    [
        (2, ["DeviceBack", "GameStarted"]),
        (1, ["DeviceBack"]),
        (6, ["DeviceBack", "WheelClosed"]),
        (3, ["DeviceBack", "StatesMissed"]),
        (4, ["DeviceBack", "StatesMissed"]),
        (5, ["DeviceBack", "StatesMissed"]),
    ],
)
def test_joining_in_each_state(state: int, names: list[str]) -> None:
    line = Line().status(state, n=5)
    assert line.new_names() == names
    if "StatesMissed" in names:
        assert line.all(StatesMissed)[0].before == "unknown"


def test_nothing_of_a_game_that_was_joined_in_the_middle_becomes_a_result() -> None:
    line = Line().status(4, d=1, n=5).settle(17)
    assert line.new_names() == ["DeviceBack", "StatesMissed"]
    line.game(18, 13, 17, d=0)
    assert pockets(line) == [("18", 13, "cw")]


def test_one_line_alone_does_not_join() -> None:
    line = Line().status(5, 13, 17).status(2, 12, n=3)
    assert line.new_names() == ["DeviceBack", "GameStarted"]
    assert line.all(GameStarted)[0].game == 12


@pytest.mark.parametrize(
    ("before", "now", "missed"),
    [(2, 4, "no more bets"), (2, 5, "winning number"), (3, 5, "winning number")],
)
def test_a_jump_ahead_counts_with_its_second_line(before: int, now: int, missed: str) -> None:
    line = playing()
    if before == 3:
        line.status(3, n=4)
        line.new()
    line.status(now, number=17 if now == 5 else 31)
    assert line.new() == []
    line.status(now, number=17 if now == 5 else 31)
    first, *_ = line.new()
    assert isinstance(first, StatesMissed)
    assert first.now == missed
    if now == 5:
        assert [r.pocket for r in line.all(PocketSettled)] == ["17"]


def test_back_from_the_number_to_the_rim_is_no_game() -> None:
    line = running().settle(17, n=3)
    line.new()
    line.status(3, number=17, n=4)
    assert line.new_names() == ["StatesMissed"]


def test_a_strange_counter_wants_two_lines() -> None:
    line = running().status(4, 57)
    assert line.new_names() == []
    line.status(4, d=1)
    assert line.driver.health().bad_frames == 1
    line.status(4, 57, n=2)
    assert line.new_names() == ["StatesMissed", "GameAbandoned"]


def test_silence_in_betting_loses_nothing() -> None:
    line = playing().wait(60)
    line.status(2, n=2).betting().launch().settle(17)
    names = line.new_names()
    assert names == ["DeviceLost", "DeviceBack", "BallLaunched", "BallLeavingRim", "PocketSettled"]


def test_a_silence_over_the_launch_gives_the_number_as_evidence_only() -> None:
    line = playing().wait(40)
    line.status(5, number=17, n=3)
    _lost, _back, missed, settled = line.new()
    assert isinstance(missed, StatesMissed)
    assert (missed.before, missed.now) == ("place bets", "winning number")
    assert isinstance(settled, PocketSettled)
    assert settled.pocket == "17"


def test_a_link_lost_in_play_is_half_seen_too() -> None:
    line = running().link_lost().link_up()
    line.status(4, d=1, n=4).settle(17)
    assert line.new_names() == ["DeviceLost", "DeviceBack", "StatesMissed", "PocketSettled"]


def test_a_silence_over_the_number_leaves_no_result() -> None:
    line = running().wait(40)
    line.status(2, 13, 20, n=3)
    assert line.new_names() == ["DeviceLost", "DeviceBack", "StatesMissed", "GameAbandoned", "GameStarted"]


def test_a_silence_over_whole_games_ends_the_one_that_was_open() -> None:
    line = playing().wait(600)
    line.status(2, 19, 20, n=3)
    assert line.new_names() == ["DeviceLost", "DeviceBack", "StatesMissed", "GameAbandoned", "GameStarted"]


def test_a_silence_in_state_5_and_the_next_betting_is_a_second_witness() -> None:
    line = running().status(5, number=17, d=1).wait(20)
    line.status(2, 13, 17, n=2)
    assert pockets(line) == [("17", 12, "ccw")]


def test_a_silence_after_the_number_was_given_misses_nothing() -> None:
    line = running().settle(17, n=3).wait(20)
    line.status(5, number=17, d=1, n=3).status(2, 13, 17, n=3)
    assert line.new_names() == ["PocketSettled", "DeviceLost", "DeviceBack", "GameStarted"]


# --- restarts ------------------------------------------------------------------------------------

BANNER = "*V V2.50 Cammegh / Syoptic - SlingShot 2 Roulette Wheel (c) 03/12/18"


def test_a_power_cycle_in_mid_play() -> None:
    line = running().text(BANNER, after=3).status(6, 1, None, v=0, n=3)
    assert line.new_names() == ["UnsolicitedReply", "DeviceRestarted", "GameAbandoned", "WheelClosed"]
    line.status(1, 1, None, n=3).game(17, 1, None)
    assert pockets(line) == [("17", 1, "ccw")]


def test_a_power_cycle_without_a_banner() -> None:
    line = running().status(1, 1, None, n=3)
    assert line.new_names() == ["DeviceRestarted", "GameAbandoned"]


def test_a_power_cycle_after_a_silence() -> None:
    line = playing().game(17)
    line.new()
    line.wait(30)
    line.status(2, 1, None, n=2)
    assert line.new_names() == ["DeviceLost", "DeviceBack", "DeviceRestarted", "GameStarted"]


def test_a_second_power_cycle_in_game_001_is_told_by_the_banner() -> None:
    line = Line().betting(1, None).launch(1, None).text(BANNER, after=3)
    line.new()
    line.status(6, 1, None, v=0, n=3)
    assert line.new_names() == ["DeviceRestarted", "GameAbandoned", "WheelClosed"]


def test_a_banner_alone_is_somebodys_question() -> None:
    line = Line().betting(1, None).launch(1, None).text(BANNER)
    line.status(4, 1, None, d=1, n=3).settle(17, 1)
    assert line.new_names()[-2:] == ["UnsolicitedReply", "PocketSettled"]
    assert line.driver.health().firmware == "V2.50"


def test_after_a_banner_no_step_counts_at_once() -> None:
    line = playing().text(BANNER).status(3)
    assert line.new_names() == ["UnsolicitedReply"]
    assert line.status(3).new_names() == ["BallLaunched"]


def test_001_again_is_not_taken_for_the_old_001() -> None:
    line = Line().game(17, 1, None).status(2, 2, 17, n=3)
    line.status(6, 1, None, v=0, n=3).status(1, 1, None, n=3).game(17, 1, None)
    assert [(r.pocket, r.game) for r in line.all(PocketSettled)] == [("17", 1), ("17", 1)]


# --- launches ------------------------------------------------------------------------------------


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


def test_a_number_of_a_launch_that_the_wheel_called_failed_is_not_believed() -> None:
    line = running().status(4, w=8, d=1, n=3).settle(17)
    assert [type(r).__name__ for r in line.new()] == ["LaunchFailed", "PocketUnread"]
    assert line.all(PocketUnread)[0].claims == ("17",)


# --- the number ----------------------------------------------------------------------------------


def test_bare_number_and_first_line_of_state_5_are_enough() -> None:
    line = running().text("17").status(5, number=17, d=1)
    assert pockets(line) == [("17", 12, "ccw")]


def test_without_a_bare_number_the_second_line_is_needed() -> None:
    line = running().status(5, number=17, d=1)
    assert line.new() == []
    line.status(5, number=17, d=1)
    assert pockets(line) == [("17", 12, "ccw")]


@pytest.mark.parametrize("leaving", [(2, 13), (1, 12), (6, 12)])
def test_a_single_line_of_state_5_and_the_next_state_with_the_same_number(leaving: tuple[int, int]) -> None:
    state, counter = leaving
    line = running().status(5, number=17, d=1).status(state, counter, 17, v=0 if state == 6 else 170, n=2)
    assert pockets(line) == [("17", 12, "ccw")]


@pytest.mark.parametrize("lines", range(2, 17))
def test_state_5_of_any_length_is_one_result(lines: int) -> None:
    line = running().settle(17, n=lines).betting(13, 17, d=0)
    assert [type(r).__name__ for r in line.new()] == ["PocketSettled", "GameStarted"]


@pytest.mark.parametrize("bare", ["3", "1", "32"])
def test_a_bare_number_that_contradicts_makes_the_pocket_unread(bare: str) -> None:
    line = running().text(bare).status(5, number=31, d=1, n=5).status(2, 13, n=2)
    assert pockets(line) == []
    (unread,) = line.all(PocketUnread)
    assert unread.claims == (bare, "31")
    assert "contradicts" in unread.reason
    assert unread.game == 12
    assert unread.rotor == "ccw"


def test_a_stale_bare_number_is_ignored() -> None:
    line = running().text("5").status(4, d=1, n=6).status(5, number=17, d=1, n=3)
    assert pockets(line) == [("17", 12, "ccw")]


def test_a_damaged_first_line_yields_to_bare_number_and_two_lines() -> None:
    line = running().text("17").status(5, number=11, d=1).status(5, number=17, d=1, n=2)
    assert pockets(line) == [("17", 12, "ccw")]


def test_lines_of_state_5_that_never_agree_leave_the_pocket_unread() -> None:
    line = running()
    for number in (17, 11, 17, 11):
        line.status(5, number=number, d=1)
    line.status(2, 13, 17, n=2)
    (unread,) = line.all(PocketUnread)
    assert unread.claims == ("17", "11")
    assert pockets(line) == []


@pytest.mark.parametrize("state", [6, 1])
def test_a_damaged_last_line_before_the_wheel_closes_is_no_result(state: int) -> None:
    """4, 4, then one line that reads 5 with the old number, then out of play with the old number."""
    line = running().status(5, d=1).status(state, v=0, n=4)
    assert pockets(line) == []
    assert line.all(PocketUnread) == []
    assert len(line.all(GameAbandoned)) == 1


def test_a_damaged_last_line_before_a_silence_is_no_result() -> None:
    line = running().status(5, d=1).wait(20)
    line.status(6, v=0, n=4)
    assert pockets(line) == []
    assert len(line.all(PocketUnread)) == 1


def test_a_line_of_state_5_alone_is_no_result_in_another_state_of_play() -> None:
    line = running(**MERCURY).status(5, d=1).status(7, d=1, n=4)
    assert line.new_names() == ["WaitingForDealer"]
    assert line.driver.health().bad_frames == 1


def test_a_blank_number_is_no_result() -> None:
    line = running().status(5, number=None, d=1, n=6)
    assert line.new() == []
    line.status(2, 13, None, n=2)
    unread, started = line.new()
    assert isinstance(unread, PocketUnread)
    assert unread.claims == ()
    assert isinstance(started, GameStarted)


@pytest.mark.parametrize("shown", ["00", "37", "99"])
def test_a_pocket_that_the_wheel_does_not_have_is_damage(shown: str) -> None:
    line = running().status(5, number=shown, d=1, n=3)
    assert line.new() == []
    assert line.driver.health().bad_frames == 3


def test_the_double_zero_of_38_pockets() -> None:
    line = running(pockets=38).text("00").status(5, number="00", d=1)
    assert [r.pocket for r in line.all(PocketSettled)] == ["00"]


# --- damage --------------------------------------------------------------------------------------


def test_glued_fragments_give_no_state_and_the_next_clean_line_counts() -> None:
    line = playing().text("*X;4;14*X;*X;4;146; 9;0;158;0").text("6; 9;0;158;0").text("00;0")
    assert line.new() == []
    assert line.driver.health().bad_frames == 3
    assert line.status(3).new_names() == ["BallLaunched"]


@pytest.mark.parametrize("end", [b"\n\r", b"\r\n", b"\r", b"\n"])
def test_the_line_after_the_bare_number_is_read_whatever_ended_it(end: bytes) -> None:
    line = running().raw(b"17" + end + b"*X;5;012;17;0;158;1" + end)
    assert pockets(line) == [("17", 12, "ccw")]


def test_joined_in_mid_line() -> None:
    line = Line().raw(b"2;31;0;158;0\r\n")
    assert line.driver.health().bad_frames == 0
    assert line.raw(b"*X;2;012;31;0;158;0\r\n").new_names() == ["DeviceBack"]


def _altered(text: str) -> list[str]:
    """Every line that differs in one field and is still well-formed."""
    digits = "0123456789"
    columns = ((3, "1234567"), (5, "012"), (6, "0139"), (7, digits), (12, "0123468AF"), (18, "01"))
    lines = [text[:at] + other + text[at + 1 :] for at, allowed in columns for other in allowed]
    lines += [f"{text[:9]}{number:>2}{text[11:]}" for number in (0, 1, 7, 11, 13, 17, 30, 36)]
    lines += [text[:14] + speed + text[17:] for speed in ("000", "009", "170", "655", "983")]
    return [line for line in lines if line != text]


def _lines(state: int, n: int, counter: int = 12, number: int = 31, **fields: int) -> list[str]:
    w, v, d = fields.get("w", 0), fields.get("v", 170), fields.get("d", 1)
    return [f"*X;{state};{counter:03d};{number:>2};{w:X};{v:03d};{d}"] * n


TURN = [*_lines(2, 3, d=0), *_lines(2, 3, d=0, v=0), *_lines(2, 4)]
RESULT = ["17", *_lines(5, 4, number=17)]
FAILED_LAUNCH = [*_lines(2, 4, w=8, d=0), *_lines(2, 3, w=8, v=0), *_lines(2, 3, w=8)]
SCRIPTS = {
    "launch failed": [
        *TURN[:3],
        *FAILED_LAUNCH,
        *_lines(3, 4),
        *_lines(4, 8),
        *RESULT,
        *_lines(2, 4, 13, 17),
    ],
    "opened": [*_lines(6, 6, v=0), *_lines(1, 4, d=0), *TURN, *_lines(3, 4), *_lines(4, 8), *RESULT],
    "by way of 1": [
        *TURN,
        *_lines(3, 4),
        *_lines(4, 8),
        *RESULT,
        *_lines(1, 4, 12, 17),
        *_lines(2, 4, 13, 17),
    ],
    "closed": [*TURN, *_lines(3, 4), *_lines(4, 8), *RESULT[1:], *_lines(6, 4, 12, 17)],
    "re-spin": [
        *TURN,
        *_lines(3, 4, d=0),
        *TURN,
        *_lines(3, 4),
        *_lines(4, 8),
        *RESULT,
        *_lines(2, 4, 13, 17),
    ],
    "dealer": [*TURN, *_lines(3, 4), *_lines(4, 4), *_lines(7, 4), *RESULT, *_lines(2, 4, 13, 17)],
}


def _play(model: str, script: list[str]) -> Line:
    line = Line(model=model).text("")
    for text in script:
        line.text(text, after=0.5)
    return line


def _without(line: Line, kind: str) -> list[str]:
    return [name for name in names(line.said) if name != kind]


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_single_damaged_field_changes_a_game(name: str) -> None:
    """Every field of every line in turn. At most a state is announced too early."""
    model = "mercury-360" if name in ("dealer", "re-spin") else "slingshot-2"
    script = SCRIPTS[name]
    whole = _play(model, script)
    assert pockets(whole) == [("17", 12, "ccw")]
    tried = 0
    for place, text in enumerate(script):
        for other in _altered(text) if text.startswith("*X") else ():
            line = _play(model, [*script[:place], other, *script[place + 1 :]])
            tried += 1
            case = (place, text, other)
            assert pockets(line) == pockets(whole), case
            assert [r.rotor for r in line.all(LaunchFailed)] == [r.rotor for r in whole.all(LaunchFailed)], (
                case
            )
            early = {"3": "BallLaunched", "4": "BallLeavingRim", "7": "WaitingForDealer"}.get(other[3], "")
            assert _without(line, early) == _without(whole, early), case
            assert 0 <= len(line.said) - len(whole.said) <= (1 if early else 0), case
    assert tried > 1000


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


def test_a_runaway_rotor_is_a_fault() -> None:
    line = running().status(4, v=655, d=1)
    assert line.new() == []
    line.status(4, v=170, d=1).status(4, v=655, d=1).status(4, v=983, d=1)
    (raised,) = line.new()
    assert isinstance(raised, FaultRaised)
    assert raised.code == "rotor_speed"
    line.status(4, v=300, d=1, n=2)
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


def ext(laps: int = 0, ball: str = "?", ticks: str = "?????", pocket: str = "??", flags: int = 0x22) -> str:
    return f";{flags:04X};{laps:02X};{ball};{ticks};{pocket}"


def launched(**fields: Any) -> Line:
    line = Line(**EXTENDED).status(2, ext=ext(), n=3)
    line.status(3, d=1, ext=ext(**fields))
    line.new()
    return line


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


def test_laps_that_jump_twice_are_believed() -> None:
    line = launched(laps=1).status(4, d=1, ext=ext(20)).status(4, d=1, ext=ext(21))
    assert [r.laps for r in line.all(BallLap)] == [1, 21]


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


# --- the basic protocol --------------------------------------------------------------------------


def test_basic_games() -> None:
    line = Line(**BASIC)
    assert line.new_names() == ["DeviceBack"]
    assert line.driver.deadline is None
    for number in ("17", " 0"):
        line.text("*S").text("*N", after=30).text(f"*W {number}", after=3600)
    assert line.new_names() == ["GameStarted", "BallLeavingRim", "PocketSettled"] * 2
    assert [(r.pocket, r.game) for r in line.all(PocketSettled)] == [("17", None), ("0", None)]


def test_basic_repeats_and_gaps() -> None:
    line = Line(**BASIC).text("*S").text("*S").text("*N").text("*N").text("*W 17").text("*W 17")
    assert line.new_names() == ["DeviceBack", "GameStarted", "BallLeavingRim", "PocketSettled"]
    line.text("*S").text("*W 18")
    assert line.new_names() == ["GameStarted", "StatesMissed", "PocketSettled"]
    line.text("*S").text("*N").text("*S")
    assert line.new_names() == ["GameStarted", "BallLeavingRim", "GameAbandoned", "GameStarted"]


@pytest.mark.parametrize("heard", [["*N", "*W 17"], ["*W 17"]])
def test_basic_joined_in_the_middle_is_no_result(heard: list[str]) -> None:
    line = Line(**BASIC)
    for text in heard:
        line.text(text)
    assert line.new_names() == ["DeviceBack", "StatesMissed"]
    assert line.all(StatesMissed)[0].before == "unknown"


def test_basic_a_lost_link_ends_what_was_known() -> None:
    line = Line(**BASIC).text("*S").link_lost().link_up().text("").text("*W 17")
    assert line.new_names() == ["DeviceBack", "GameStarted", "DeviceLost", "DeviceBack", "StatesMissed"]


def test_basic_a_pocket_out_of_range_is_damage() -> None:
    line = Line(**BASIC).text("*S").text("*N").text("*W 37")
    assert pockets(line) == []
    assert line.driver.health().bad_frames == 1


# --- other lines, health -------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["*Y;1;250", "*Y:1:250", "*L 17", "*17", "AT", "ATE1 E0", "*F 12"])
def test_other_lines_are_never_results(other: str) -> None:
    line = running()
    for _ in range(3):
        line.text(other)
    line.status(4, d=1).text(other).settle(21).text(other).status(2, 13, 21, n=2).text(other)
    assert pockets(line) == [("21", 12, "ccw")]
    assert line.driver.health().bad_frames == 0


def test_a_reply_is_reported_once_for_each_command_and_link() -> None:
    line = playing()
    for reply in ("*u OK", "*u OK", "*u NO", "*P OK", "*u OK"):
        line.text(reply).status(2)
    assert [r.line for r in line.all(UnsolicitedReply)] == ["*u OK", "*P OK"]
    line.link_lost().link_up().text("").text("*u OK")
    assert [r.line for r in line.all(UnsolicitedReply)] == ["*u OK", "*P OK", "*u OK"]


def test_health_counts_frames_and_damage() -> None:
    line = playing()
    line.text("garbage").raw(b"*X;" + b"9" * 300 + b"\r\n").status(2)
    health = line.driver.health()
    assert health.frames == 4
    assert health.bad_frames == 2
    assert health.last_frame == line.at
    assert health.note is None


def test_health_tells_of_a_wheel_that_ends_no_game() -> None:
    line = playing()
    for _ in range(30):
        line.betting().status(3, n=4).status(4, n=60).status(2, n=20)
    note = line.driver.health().note
    assert note is not None
    assert "no game has ended" in note
    line.betting().launch().settle(17)
    assert line.driver.health().note is None


def test_health_tells_of_a_wrong_setting() -> None:
    line = Line(**EXTENDED).status(2, n=30)
    note = line.driver.health().note
    assert note is not None
    assert "check model, protocol" in note


# --- snapshots -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "snapshot",
    [
        b"",
        b"{}",
        b"[1]",
        b"\xff",
        b'{"lines":["",true,false,0],"other":1}',
        b'{"lines":["Cg==",true,false,0]}',
    ],
)
def test_what_is_no_snapshot_is_refused(snapshot: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Line().driver.restore(snapshot)


def test_a_snapshot_of_another_wheel_is_refused() -> None:
    pending = Line(**EXTENDED).status(2, ext=ext()).driver.snapshot()
    with pytest.raises(ValueError, match="pending"):
        Line().driver.restore(pending)


def test_a_snapshot_is_all_there_is() -> None:
    line = running().text("17")
    other = Line(up=False)
    other.driver.restore(line.driver.snapshot())
    other.seconds = line.seconds
    other.status(5, number=17, d=1)
    assert pockets(other) == [("17", 12, "ccw")]
    assert other.driver.health().frames == line.driver.health().frames + 1
