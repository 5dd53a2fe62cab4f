"""The skeleton driver: what any driver's test looks like."""

import random

import msgspec
import pytest

from drivers.readings import SECOND, Instant, PocketSettled, PocketUnread
from drivers.skeleton import DRIVER

START = Instant(1000 * SECOND, 1_700_000_000_000_000)
GAME = b"G\r\n.\r\nB\r\nX\r\nN 17\r\n"


def made(**options):
    driver = DRIVER.make("wheel", msgspec.convert(options, DRIVER.options))
    assert driver.link_up(START) == ()
    driver.receive(b"\r\n", START)
    return driver


def kinds(readings):
    return [type(reading).__name__ for reading in readings]


def fed(driver, data, at=START):
    """The readings of these bytes, as kinds."""
    return kinds(driver.receive(data, at))


WHOLE_GAME = ["DeviceBack", "GameStarted", "BallLaunched", "BallLeavingRim", "PocketSettled"]


def test_a_whole_game():
    said = made().receive(GAME, START)
    assert kinds(said) == WHOLE_GAME
    settled = said[-1]
    assert isinstance(settled, PocketSettled)
    assert (settled.device, settled.at, settled.pocket) == ("wheel", START, "17")


def test_it_does_not_matter_how_the_bytes_are_cut():
    driver = made()
    assert [kind for byte in GAME for kind in fed(driver, bytes([byte]))] == WHOLE_GAME


def test_a_line_said_again_is_no_second_event():
    driver = made()
    assert fed(driver, b"G\nG\nB\nB\nX\nX\nN 17\nN 17\nN 17\n") == WHOLE_GAME


def test_the_same_pocket_twice_running_is_two_results():
    driver = made()
    assert fed(driver, GAME * 2).count("PocketSettled") == 2


def test_a_stream_joined_in_mid_line_gives_nothing_until_the_line_ends():
    driver = DRIVER.make("wheel", DRIVER.options())
    driver.link_up(START)
    assert fed(driver, b"17\r\n") == []
    assert driver.health().bad_frames == 0


@pytest.mark.parametrize("before", [b"", b"G\n", b"G\nB\n", b"X\n"])
def test_a_game_seen_in_part_gives_no_result(before):
    driver = made()
    said = driver.receive(before + b"N 17\n", START)
    assert not any(isinstance(reading, PocketSettled) for reading in said)
    assert isinstance(said[-1], PocketUnread)
    assert said[-1].claims == ("17",)


@pytest.mark.parametrize("interruption", ["link", "silence"])
def test_a_game_is_not_resumed_after_an_interruption(interruption):
    driver = made()
    fed(driver, b"G\nB\nX\n")
    later = START.later(6 * SECOND)
    if interruption == "link":
        assert kinds(driver.link_lost("unplugged", later)) == ["DeviceLost"]
        driver.link_up(later)
    else:
        assert kinds(driver.advance(later)) == ["DeviceLost"]
    assert fed(driver, b"\nN 17\n", later) == ["DeviceBack", "PocketUnread"]


def test_silence_is_loss_and_said_once():
    driver = made(silence=2.0)
    fed(driver, b".\n", START.later(SECOND))
    assert driver.deadline == START.mono + 3 * SECOND
    assert driver.advance(START.later(3 * SECOND - 1)) == ()
    assert kinds(driver.advance(START.later(3 * SECOND))) == ["DeviceLost"]
    assert driver.deadline is None
    assert driver.link_lost("unplugged", START.later(4 * SECOND)) == ()


def test_every_loss_is_said_and_every_return():
    driver = made()
    for second in range(3):
        assert fed(driver, b".\n.\n", START.later(second * SECOND)) == ["DeviceBack"]
        assert kinds(driver.link_lost("unplugged", START.later(second * SECOND))) == ["DeviceLost"]
        driver.link_up(START.later(second * SECOND))
        driver.receive(b"\n", START)


def test_half_a_line_before_an_interruption_and_half_after_it_are_no_line():
    driver = made()
    fed(driver, b"G\nB\nX\nN 1")
    driver.link_lost("unplugged", START)
    driver.link_up(START)
    assert fed(driver, b"7\n") == []


def test_a_device_that_never_speaks_is_lost_too():
    driver = made()
    assert kinds(driver.advance(START.later(5 * SECOND))) == ["DeviceLost"]


def test_a_fault_stays_until_it_is_cleared():
    driver = made()
    said = driver.receive(b"E 12\nE 12\nE 3\nE 0\nE 0\n", START)
    told = [(type(reading).__name__, getattr(reading, "code", "")) for reading in said]
    assert told == [
        ("DeviceBack", ""),
        ("FaultRaised", "skeleton_12"),
        ("FaultCleared", "skeleton_12"),
        ("FaultRaised", "skeleton_3"),
        ("FaultCleared", "skeleton_3"),
    ]


@pytest.mark.parametrize(
    "line", [b"N 37", b"N 00", b"N 05", b"N  5", b"N -1", b"N", b"g", b"E 100", b"N 17 "]
)
def test_what_is_no_frame_is_counted_and_says_nothing(line):
    driver = made()
    assert fed(driver, line + b"\n") == []
    assert driver.health().bad_frames == 1
    assert driver.health().frames == 0


def test_any_bytes_at_all_are_taken_in_bounded_memory():
    driver, noise = made(), random.Random(5)
    for _ in range(300):
        driver.receive(noise.randbytes(200), START)
    assert driver.health().bad_frames > 0
    driver.receive(b"\n" + b"x" * 100_000, START)
    assert len(driver.snapshot()) < 500


def test_a_restored_driver_goes_on_in_mid_line_and_mid_game():
    one, other = made(), made()
    fed(one, GAME[:12])
    other.restore(one.snapshot())
    assert other.snapshot() == one.snapshot()
    assert other.deadline == one.deadline
    assert fed(other, GAME[12:]) == fed(one, GAME[12:])


@pytest.mark.parametrize("snapshot", [b"", b"{}", b'{"lines":["",true,false,-1]}', b"\xff"])
def test_what_is_no_snapshot_is_refused(snapshot):
    with pytest.raises(ValueError, match="not a snapshot of this wheel"):
        made().restore(snapshot)


@pytest.mark.parametrize("options", [{"silence": 1}, {"silence": "5"}, {"speed": 9600}])
def test_options_are_checked(options):
    with pytest.raises(msgspec.ValidationError):
        made(**options)


def test_what_the_registry_shows_of_it():
    assert DRIVER.serial is not None
    assert DRIVER.serial(DRIVER.options()).baudrate == 9600
