"""Faults that a device with bare sensors finds in itself: both drivers heed them alike."""

import pytest
from sensor_device_line import ALL, KINDS, Line, cleared, games, identity, raised, results

from drivers.bare_wheel.watch import NEEDS as BALL
from drivers.fortune_wheel.driver import NEEDS as FORTUNE
from drivers.readings import AnyReading, Instant
from drivers.sensor_faults import AT_MOST, Faults
from protocols.sensor import CHANNELS, NUMBERS, Body, Fault, Heartbeat, Identity, SelfTest

SUPPLY = Fault(3, 255, True, 1)
MEMORY = Fault(6, 255, True, 1)
INDEX_FAILED = SelfTest(b"\0\0\1" + bytes(7))
GOOD = SelfTest(bytes(10))
AT = Instant(0, 0)


# --- how they begin and end -------------------------------------------------------------------------------


@KINDS
def test_a_fault_that_the_device_says_again_every_ten_seconds_stands_however_long(kind: str) -> None:
    line = Line(kind)
    said = line.beat(5, MEMORY)
    for _ in range(30):
        said += line.beat(10, MEMORY)
    assert (raised(said), cleared(said), line.hindered) == (["sensor_memory"], [], True)
    assert cleared(line.beat(10, Fault(6, 255, False, 0))) == ["sensor_memory"]
    assert not line.hindered


@KINDS
def test_a_fault_whose_end_was_lost_on_the_line_ends_when_it_is_not_said_again(kind: str) -> None:
    line = Line(kind)
    line.beat(5, MEMORY)
    assert not cleared(line.beat(34.5)), "two of the packets that say it again may be lost"
    assert line.hindered
    assert cleared(line.beat(1)) == ["sensor_memory"]
    assert not line.hindered


@KINDS
def test_a_device_that_was_switched_off_and_on_has_the_faults_that_it_says_after_it(kind: str) -> None:
    line = Line(kind)
    line.say(SUPPLY, MEMORY, identity(kind, serial="ANOTHER"), INDEX_FAILED)
    assert line.hindered
    said = line.start_again(identity(kind, 2, serial="ANOTHER"), GOOD)
    assert sorted(cleared(said)) == ["self_test_index", "sensor_memory", "sensor_supply"]
    assert line.driver.device.faults.codes == ["calibration_foreign"], "the host's own stand"
    assert raised(line.beat(1, SUPPLY)) == ["sensor_supply"]
    assert not cleared(line.say(identity(kind, 2, serial="ANOTHER")))


@KINDS
def test_a_start_that_nobody_heard_shows_in_the_devices_count_of_starts(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind, 1), INDEX_FAILED, SUPPLY)
    line.replug()
    assert not cleared(line.say(identity(kind, 1))), "only the cable was pulled"
    line.replug()
    said = line.start_again(identity(kind, 2))
    assert cleared(said) == ["sensor_supply"]
    line.replug()
    assert "self_test_index" in cleared(line.say(identity(kind, 2, serial="Y"))), "another device"


@KINDS
def test_what_was_said_since_the_link_came_up_is_no_word_of_a_start_before(kind: str) -> None:
    line = Line(kind)
    clock = Fault(5, 255, True, 0)
    line.say(identity(kind, 1), SUPPLY, clock)
    line.replug()
    line.start_again()  # its first packet, the identity, is lost
    assert raised(line.say(INDEX_FAILED, MEMORY, clock)) == ["self_test_index", "sensor_memory"]
    assert cleared(line.beat(10, identity(kind, 2))) == ["sensor_supply"]
    assert line.driver.device.faults.codes == ["self_test_index", "sensor_clock", "sensor_memory"]


@KINDS
def test_what_the_device_found_in_itself_outlives_a_pulled_cable_until_it_is_not_said_again(
    kind: str,
) -> None:
    line = Line(kind)
    line.beat(500, MEMORY)
    line.replug()
    assert not cleared(line.beat(34.5))
    assert line.hindered
    assert cleared(line.beat(2)) == ["sensor_memory"]


@KINDS
def test_a_clock_that_jumps_ends_no_fault_as_nothing_is_tested_again(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind), INDEX_FAILED)
    line.clock += 400
    assert not cleared(line.say(Heartbeat(0, 0, 0, False, 0)))
    assert line.driver.device.faults.codes == ["clock", "self_test_index"]


@KINDS
def test_a_failed_test_stands_until_the_same_device_has_a_new_result(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind), INDEX_FAILED)
    assert not cleared(line.start_again(identity(kind, 2))), "its results are lost on the line"
    line.replug()
    line.start_again()
    assert not cleared(line.beat(30, identity(kind, 3))), "sent before the port was open"
    assert line.hindered
    assert cleared(line.say(GOOD)) == ["self_test_index"]
    assert not line.hindered


@KINDS
@pytest.mark.parametrize("replugged", [True, False])
def test_another_device_has_not_failed_the_test_of_the_one_before(kind: str, replugged: bool) -> None:
    line = Line(kind)
    line.say(identity(kind), INDEX_FAILED)
    if replugged:
        line.replug()
    assert not cleared(line.start_again()), "nobody knows yet which device it is"
    assert cleared(line.say(identity(kind, 9, serial="Y"))) == ["self_test_index"]
    line.say(INDEX_FAILED)
    assert not cleared(line.beat(10, identity(kind, 9, serial="Y")))
    line.start_again(INDEX_FAILED)  # its identity is lost
    assert "self_test_index" not in cleared(line.say(identity(kind))), "the results are of this start"
    assert line.hindered


# --- so many of them --------------------------------------------------------------------------------------


def many() -> list[Fault]:
    """More faults than are kept, of which none hinders."""
    return [Fault(128 + number, 255, True, 0) for number in range(AT_MOST)]


@KINDS
def test_past_the_limit_one_fault_stands_for_the_rest_and_hinders(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind), *many())
    assert not line.hindered
    line.say(MEMORY, *[Fault(code, channel, True, 0) for code in range(8) for channel in range(10)])
    faults = line.driver.device.faults
    assert "sensor_faults_too_many" in faults
    assert line.hindered
    assert faults.codes.count("faults_flap") == 1
    assert len(faults.codes) == AT_MOST + 2
    said = [each for _ in range(7) for each in line.beat(10, *many(), MEMORY)]
    assert "sensor_faults_too_many" in raised(said), "after a minute all that stands is told"
    line.beat(34.5)
    assert "sensor_faults_too_many" in faults
    assert line.hindered
    line.beat(1)
    assert faults.codes == ["faults_flap"], "so many end at once"


@KINDS
def test_a_game_under_a_fault_past_the_limit_has_no_result(kind: str) -> None:
    def failing(game: int, body: Body) -> list[Body]:
        return [*many(), MEMORY, body] if game == 1 and isinstance(body, Identity) else [body]

    assert results(games(kind, 2, failing)) == [1, 0]


@KINDS
def test_tests_of_all_channels_are_never_too_many(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind), *many())
    line.say(SelfTest(b"\1" * 10))
    assert sum(code.startswith("self_test_") for code in line.driver.device.faults.codes) == 10
    assert line.hindered


# --- which hinder -----------------------------------------------------------------------------------------


def hinders(kind: str, *bodies: Body) -> bool:
    line = Line(kind)
    line.say(identity(kind), *bodies)
    return line.hindered


@KINDS
def test_what_hinders_is_a_needed_sensor_or_the_whole_device(kind: str) -> None:
    needed = {"bare": "pocket", "fortune": "pointer"}[kind]
    other = {"bare": "pointer", "fortune": "pocket"}[kind]
    for code in (1, 2):
        assert hinders(kind, Fault(code, NUMBERS[needed], True, 0))
        assert not hinders(kind, Fault(code, NUMBERS[other], True, 0))
        assert not hinders(kind, Fault(code, NUMBERS["lid"], True, 0))
    for code in (0, 3, 4, 5, 6, 7, 127):
        assert hinders(kind, Fault(code, 255, True, 0))
    assert not hinders(kind, Fault(128, 255, True, 0)), "nobody but the maker knows what it is"


def test_one_silent_rim_sensor_does_not_hinder_and_two_do_however_they_are_known() -> None:
    one, two = NUMBERS["rim_1"], NUMBERS["rim_2"]
    assert not hinders("bare", Fault(1, one, True, 0))
    assert not hinders("bare", SelfTest(bytes(3) + b"\1" + bytes(6)))
    assert not hinders("bare", Fault(1, one, True, 0), SelfTest(bytes(3) + b"\1" + bytes(6)))
    assert hinders("bare", Fault(1, one, True, 0), Fault(1, two, True, 0))
    assert hinders("bare", Fault(1, one, True, 0), SelfTest(bytes(4) + b"\1" + bytes(5)))
    assert hinders("bare", Fault(2, one, True, 0)), "its edges were not the ball's"
    line = Line("bare")
    line.say(identity("bare", channels=ALL & ~(1 << one)))
    assert not line.hindered
    line.say(Fault(1, two, True, 0))
    assert line.hindered


# --- the device's test of itself --------------------------------------------------------------------------


@KINDS
def test_only_channels_that_the_device_has_fail_its_test(kind: str) -> None:
    has = ALL & ~(1 << NUMBERS["button"])
    line = Line(kind)
    failed = SelfTest(b"\0\0\1" + bytes(6) + b"\1")
    assert raised(line.say(identity(kind, channels=has), failed)) == ["self_test_index"]


@KINDS
def test_a_test_that_comes_before_the_identity_is_heeded_of_every_channel(kind: str) -> None:
    line = Line(kind)
    assert "self_test_button" in raised(line.say(SelfTest(b"\1" * 10)))
    assert line.hindered
    said = line.beat(10, identity(kind, channels=ALL & ~(1 << NUMBERS["button"])))
    assert cleared(said) == ["self_test_button"]
    assert line.hindered


@KINDS
def test_an_identity_that_is_lost_makes_no_failed_sensor_good(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind, channels=ALL & ~(1 << 2)))
    line.start_again()
    assert "self_test_index" in raised(line.say(INDEX_FAILED)), "which channels it has now is not known"


@KINDS
def test_a_test_of_a_start_that_was_only_counted_is_heeded_once_the_device_is_listened_to(kind: str) -> None:
    line, said = Line(kind), list[AnyReading]()
    for start in range(1, 30):
        said += line.start_again(identity(kind, start), INDEX_FAILED if start > 9 else GOOD)
    assert "device_restarts" in raised(said)
    assert len(said) < 20
    assert "self_test_index" not in line.driver.device.faults
    said = [*line.beat(61), *line.beat(5, identity(kind, 30))]
    assert raised(said) == ["self_test_index"]
    assert line.hindered


@KINDS
def test_an_encoder_that_the_device_counts_itself_has_the_test_of_both_its_channels(kind: str) -> None:
    line = Line(kind)
    said = line.say(identity(kind, channels=ALL & ~3), SelfTest(b"\1" + bytes(9)))
    assert raised(said) == ["self_test_quadrature_a"]
    assert line.hindered


@pytest.mark.parametrize("needs", [BALL, FORTUNE])
def test_every_word_of_a_device_has_a_code_of_its_own(needs: object) -> None:
    said: list[AnyReading] = []
    codes = []
    for code in range(256):
        for channel in (*range(len(CHANNELS)), 255):
            faults = Faults("wheel", needs, said)
            faults.said_of_itself(Fault(code, channel, True, 0), 0, AT)
            codes += faults.codes
    assert len(set(codes)) == 256 * 11
