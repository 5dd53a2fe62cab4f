"""Faults that come and go without end: what stands stays exact, and what is told of it is bounded."""

from collections.abc import Callable

import pytest
from sensor_device_line import ALL, KINDS, Line, cleared, driver, games, identity, raised, results

from drivers.readings import AnyReading
from protocols.sensor import LEVEL, NUMBERS, Body, Edges, Fault, Heartbeat, Identity, SelfTest

FLAP = "faults_flap"
NEEDED = {"bare": NUMBERS["pocket"], "fortune": NUMBERS["pointer"]}
BEAT = Heartbeat(0, 0, 0, False, 0)


def supply(number: int) -> Fault:
    """It begins at even numbers and ends at odd ones."""
    return Fault(3, 255, number % 2 == 0, 0)


def flapping(line: Line, many: int, every: float, body: Callable[[int], Body]) -> list[AnyReading]:
    """So many bodies by their numbers, seconds apart."""
    said: list[AnyReading] = []
    for number in range(many):
        line.clock, line.host = line.clock + every, line.host + every
        said += line.say(body(number), BEAT)
    return said


def failed(kind: str) -> SelfTest:
    """A test that a needed channel failed."""
    return SelfTest(bytes(3 * (channel == NEEDED[kind]) for channel in range(10)))


CHANGING: dict[str, Callable[[str, int], Body]] = {
    "supply": lambda kind, number: supply(number),
    "sensor": lambda kind, number: Fault(2, NEEDED[kind], number % 2 == 0, 0),
    "test": lambda kind, number: failed(kind) if number % 2 else SelfTest(bytes(10)),
    "serial": lambda kind, number: identity(kind, serial="OTHER" if number % 2 else ""),
    "channels": lambda kind, number: identity(kind, channels=0 if number % 2 else ALL),
    "codes": lambda kind, number: Fault(3 + number // 2 % 200, 255, number % 2 == 0, 0),
}


@KINDS
@pytest.mark.parametrize("what", CHANGING)
def test_what_comes_and_goes_without_end_says_little(kind: str, what: str) -> None:
    line = Line(kind)
    line.say(identity(kind))
    said = flapping(line, 6000, 0.05, lambda number: CHANGING[what](kind, number))
    assert len(said) < 50, (len(said), raised(said))


def test_a_rim_sensor_that_is_found_blind_again_and_again_says_little() -> None:
    line = Line("bare")
    line.say(identity("bare"))

    def passing(number: int) -> Edges:
        sensor = NUMBERS["rim_2"] if number % 14 == 13 else NUMBERS[f"rim_{1 + number % 2 * 2}"]
        return Edges(0, (round(line.clock * 1e6),), bytes((sensor | LEVEL,)))

    said = flapping(line, 6000, 0.05, passing)
    assert FLAP in raised(said)
    assert len(raised(said) + cleared(said)) <= 31


@KINDS
def test_thirty_changes_within_a_minute_are_told_and_then_one_fault_for_all(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind))
    said = [each for number in range(30) for each in line.beat(2, supply(number))]
    assert (raised(said), cleared(said)) == (["sensor_supply"] * 15, ["sensor_supply"] * 15)
    said = line.beat(2, supply(30))
    assert (raised(said), cleared(said)) == ([FLAP], [])
    assert not [each for number in range(31, 91) for each in line.beat(2, supply(number))]
    line.say(supply(0))
    assert line.hindered, "what stands is exact"
    line.say(supply(1))
    assert not line.hindered


@KINDS
def test_changes_that_are_slower_are_told_however_long(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind))
    said = [each for number in range(300) for each in line.beat(2.5, supply(number))]
    assert raised(said) == ["sensor_supply"] * 150


@KINDS
def test_after_a_calm_minute_what_stands_by_now_is_told(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind), failed(kind), Fault(200, 255, True, 0))
    (before,) = (code for code in line.driver.device.faults.codes if code.startswith("self_test"))
    assert raised(flapping(line, 60, 0.1, supply))[-1] == FLAP
    assert not line.say(SelfTest(bytes(10)), supply(0)), "one goes, one comes"
    said: list[AnyReading] = []
    for _ in range(5):
        said += line.beat(10, supply(0), Fault(200, 255, True, 0))
    assert said == line.beat(9.5), "a minute is not over yet"
    said = line.beat(1)
    assert (raised(said), cleared(said)) == (["sensor_supply"], [FLAP, before])
    assert line.driver.device.faults.codes == ["sensor_fault_200", "sensor_supply"]
    assert (raised(line.say(failed(kind))), cleared(line.say(supply(1)))) == ([before], ["sensor_supply"])


@KINDS
def test_a_snapshot_keeps_what_was_told(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind))
    flapping(line, 61, 0.1, supply)
    kept = line.driver.snapshot()
    line.driver = driver(kind)
    line.driver.restore(kept)
    assert line.driver.snapshot() == kept
    assert FLAP in line.driver.device.faults.codes
    assert not line.beat(30, supply(0))
    restarted = line.driver.snapshot()
    said = line.beat(31)
    assert (raised(said), cleared(said)) == (["sensor_supply"], [FLAP])
    line.driver.restore(restarted)
    line.host = -5000.0
    said = line.beat(0.5)
    assert (raised(said), cleared(said)) == (["sensor_supply"], [FLAP]), "the host's clock begins anew, too"


@KINDS
def test_a_game_under_a_fault_that_is_not_told_has_no_result(kind: str) -> None:
    def failing(game: int, body: Body) -> list[Body]:
        if game == 0 or not isinstance(body, Identity):
            return [body]
        return [*[supply(number) for number in range(41)], body]

    said = games(kind, 2, failing)
    assert results(said) == [1, 0]
    assert raised(said[1])[-1] == FLAP


# --- another run of the device, as its identity alone tells -------------------------------------------------


@KINDS
@pytest.mark.parametrize("change", [{"serial": "OTHER"}, {"starts": 2}])
@pytest.mark.parametrize("back", [True, False])
def test_a_game_in_which_the_identity_is_another_without_a_new_boot_has_no_result(
    kind: str, change: dict[str, object], back: bool
) -> None:
    """By what it says another device was put in, or this one was started: as after a packet that tells it."""
    beats = 0

    def another(game: int, body: Body) -> list[Body]:
        nonlocal beats
        if isinstance(body, Identity):
            return [identity(kind)] if game == 0 else []
        beats += game == 1 and isinstance(body, Heartbeat)
        if beats != MIDDLE[kind] or not isinstance(body, Heartbeat):
            return [body]
        beats += 1
        first = identity(kind, **change)
        return [first, body, identity(kind)] if back else [first, body]

    said = games(kind, 2, another)
    assert results(said) == [1, 0]
    assert [type(each).__name__ for each in said[1]].count("DeviceRestarted") == 1 + back
    assert "device_restarts" not in raised(said[1])


MIDDLE = {"bare": 30, "fortune": 30}
"""Heartbeats of the second game after which its ball runs, or its wheel turns."""


@KINDS
def test_a_device_that_says_another_start_each_time_is_not_listened_to(kind: str) -> None:
    line = Line(kind)
    said = [each for start in range(30) for each in line.beat(1, identity(kind, start))]
    assert "device_restarts" in raised(said)
    assert len(said) < 20
