"""The Cammegh driver around the play: options, presence, basic protocol, other lines, health, snapshots."""

from typing import Any

import msgspec
import pytest
from cammegh_line import BASIC, EXTENDED, Line, ext, playing, pockets, running

from drivers.cammegh.driver import DRIVER, CammeghOptions
from drivers.driver import SerialSettings
from drivers.readings import (
    DeviceLost,
    PocketSettled,
    StatesMissed,
    UnsolicitedReply,
)

# --- options -------------------------------------------------------------------------------------


def test_the_driver_is_described() -> None:
    options = msgspec.convert({"model": "slingshot-2"}, DRIVER.options)
    assert options == CammeghOptions(model="slingshot-2", protocol="advanced", pockets=37, silence=5.0)
    assert DRIVER.name == "cammegh"
    assert DRIVER.roles == {"wheel"}
    assert DRIVER.serial is not None
    assert DRIVER.serial(options) == SerialSettings(9600)
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
    assert line.new_names() == ["DeviceLost"]
    assert line.status(2).new_names() == ["DeviceBack"]
    assert line.driver.health().bad_frames == 0


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
