"""Games of a Cammegh wheel, step by step: their course, what is missed or joined, restarts."""

import pytest
from cammegh_line import BANNER, MERCURY, Line, playing, pockets, running

from drivers.readings import (
    BallLaunched,
    GameAbandoned,
    GameStarted,
    PocketSettled,
    PocketUnread,
    StatesMissed,
)

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


def test_a_silence_over_the_launch_with_one_line_of_state_5_left() -> None:
    line = running().wait(20)
    line.status(5, number=17).status(2, 13, 17, n=2)
    assert line.new_names() == ["DeviceLost", "DeviceBack", "StatesMissed", "PocketSettled", "GameStarted"]


def test_a_silence_within_state_5() -> None:
    line = running().status(5, number=17, d=1).wait(20)
    line.status(5, number=17, d=1, n=2)
    assert line.new_names() == ["DeviceLost", "DeviceBack", "StatesMissed", "PocketSettled"]


@pytest.mark.parametrize("now", [(2, 200), (3, 13)])
def test_a_number_seen_once_wants_the_very_next_betting_as_its_witness(now: tuple[int, int]) -> None:
    state, counter = now
    line = running().status(5, number=17, d=1).wait(20)
    line.status(state, counter, 17, n=2)
    assert pockets(line) == []
    assert len(line.all(PocketUnread)) == 1


def test_a_bare_number_from_before_a_silence_is_stale() -> None:
    line = running(**MERCURY).status(7, d=1, n=2).text("5").wait(60)
    line.status(5, number=17, d=1, n=2)
    assert [r.pocket for r in line.all(PocketSettled)] == ["17"]


def test_joining_in_state_3_is_no_launch() -> None:
    line = playing().wait(40)
    line.status(3, n=3)
    assert line.new_names() == ["DeviceLost", "DeviceBack", "StatesMissed"]


def test_a_jump_over_one_line_of_state_5() -> None:
    line = playing().status(3, n=4).status(5, number=17).status(2, 13, 17, n=2)
    assert line.new_names() == ["BallLaunched", "StatesMissed", "PocketSettled", "GameStarted"]


def test_a_jump_over_the_launch_takes_nothing_from_the_launch_before() -> None:
    line = playing().game(17, d=0)
    line.status(2, 13, 17, n=4).status(5, 13, 18, d=1, n=3)
    assert pockets(line)[-1] == ("18", 13, "ccw")


def test_no_more_bets_is_said_again_in_the_game_after_an_abandoned_one() -> None:
    line = running().status(2, n=3).status(4, n=2)
    assert line.new_names() == ["GameAbandoned", "GameStarted", "StatesMissed", "BallLeavingRim"]


def test_a_mercury_resets_its_counter_when_it_closes() -> None:
    line = running(**MERCURY).status(6, v=0, n=2).status(6, 0, v=0, n=4).status(1, 0, n=3).status(2, 0, n=2)
    assert line.new_names() == ["GameAbandoned", "WheelClosed", "GameStarted"]


# --- restarts ------------------------------------------------------------------------------------


def test_a_power_cycle_in_mid_play() -> None:
    line = running().text(BANNER, after=3).status(6, 1, None, v=0, n=3)
    assert line.new_names() == ["UnsolicitedReply", "DeviceRestarted", "GameAbandoned", "WheelClosed"]
    line.status(1, 1, None, n=3).game(17, 1, None)
    assert pockets(line) == [("17", 1, "ccw")]


def test_a_power_cycle_without_a_banner() -> None:
    line = running().status(1, 1, None, n=3)
    assert line.new_names() == ["DeviceRestarted", "GameAbandoned"]


def test_a_power_cycle_without_a_banner_into_the_closed_state() -> None:
    line = Line().betting(42).launch(42)
    line.new()
    line.status(6, 1, None, v=0, n=3)
    assert line.new_names() == ["DeviceRestarted", "GameAbandoned", "WheelClosed"]


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


def test_an_old_banner_tells_nothing() -> None:
    line = Line().status(6, 1, None, v=0, n=3).text(BANNER).wait(60)
    line.status(6, 1, None, v=0, n=3)
    assert "DeviceRestarted" not in line.new_names()


def test_a_wrap_with_a_blank_number_is_no_restart() -> None:
    line = Line().betting(256).launch(256).status(5, 256, None, n=3).status(2, 1, None, n=3)
    assert "DeviceRestarted" not in line.new_names()


def test_after_a_banner_no_step_counts_at_once() -> None:
    line = playing().text(BANNER).status(3)
    assert line.new_names() == ["UnsolicitedReply"]
    assert line.status(3).new_names() == ["BallLaunched"]


def test_001_again_is_not_taken_for_the_old_001() -> None:
    line = Line().game(17, 1, None).status(2, 2, 17, n=3)
    line.status(6, 1, None, v=0, n=3).status(1, 1, None, n=3).game(17, 1, None)
    assert [(r.pocket, r.game) for r in line.all(PocketSettled)] == [("17", 1), ("17", 1)]
