"""Faults of a wheel with bare sensors: how long each stands, over restarts and pulled cables."""

import msgspec
from bare_wheel_line import driver, instant, of

from drivers.bare_wheel.driver import BareWheel
from drivers.readings import AnyReading, FaultCleared, FaultRaised
from protocols.sensor import CHANNELS, LEVEL, Body, Edges, Fault, Heartbeat, Identity, SelfTest, encode

SUPPLY = Fault(3, 255, True, 1)
MEMORY = Fault(6, 255, True, 1)
ALL = (1 << len(CHANNELS)) - 1


class Line:
    """A device's packets by hand, at the device's own seconds."""

    def __init__(self) -> None:
        self.driver: BareWheel = driver()
        self.driver.receive(b"\0", instant(0.0))
        self.boot = 1
        self.clock = 0.0
        """Seconds of the device."""
        self._host = 0.0
        self._sequence = 0

    def say(self, *bodies: Body) -> list[AnyReading]:
        said: list[AnyReading] = []
        for body in bodies:
            packet = encode(body, self.boot, self._sequence, round(self.clock * 1e6))
            said += self.driver.receive(packet, instant(self._host))
            self._sequence += 1
        return said

    def beat(self, seconds: float, *bodies: Body) -> list[AnyReading]:
        """The heartbeats of so many seconds, and then something."""
        said: list[AnyReading] = []
        until = self.clock + seconds
        while self.clock + 0.5 <= until:
            self.clock, self._host = self.clock + 0.5, self._host + 0.5
            said += self.say(Heartbeat(0, 0, 0, False, 0))
        return said + self.say(*bodies)

    def start_again(self, *bodies: Body) -> list[AnyReading]:
        """The device is switched off and on."""
        self.boot, self.clock, self._sequence = self.boot + 1, 0.5, 0
        return self.say(*bodies)

    def replug(self) -> None:
        self.driver.link_lost("unplugged", instant(self._host))
        self.driver.link_up(instant(self._host + 1))
        self.driver.receive(b"\0", instant(self._host + 1))

    @property
    def spoils(self) -> bool:
        """Whether what the device said of itself makes a throw half seen."""
        return bool(msgspec.json.decode(self.driver.snapshot())["watch"]["spoiling"])


def raised(said: list[AnyReading]) -> list[str]:
    return [fault.code for fault in of(FaultRaised, said)]


def cleared(said: list[AnyReading]) -> list[str]:
    return [fault.code for fault in of(FaultCleared, said)]


def test_a_fault_that_the_device_says_again_every_ten_seconds_stands_however_long() -> None:
    line = Line()
    said = line.beat(5, MEMORY)
    for _ in range(30):
        said += line.beat(10, MEMORY)
    assert (raised(said), cleared(said), line.spoils) == (["self_check"], [], True)
    assert cleared(line.beat(10, Fault(6, 255, False, 0))) == ["self_check"]
    assert not line.spoils


def test_a_fault_whose_end_was_lost_on_the_line_ends_when_it_is_not_said_again() -> None:
    line = Line()
    line.beat(5, MEMORY)
    assert not cleared(line.beat(34.5)), "two of the packets that say it again may be lost"
    assert line.spoils
    assert cleared(line.beat(1)) == ["self_check"]
    assert not line.spoils


def test_a_device_that_was_switched_off_and_on_has_the_faults_that_it_says_after_it() -> None:
    line = Line()
    line.say(SUPPLY, MEMORY, Identity("X", "1", 1, 0, 0, ALL), SelfTest(b"\0\0\1" + bytes(7)))
    assert line.spoils
    said = line.start_again(Identity("X", "1", 2, 0, 0, ALL), SelfTest(bytes(10)))
    assert sorted(cleared(said)) == ["self_check", "self_test_index", "supply"]
    assert not line.spoils
    assert raised(line.beat(1, SUPPLY)) == ["supply"]


def test_a_restart_that_nobody_heard_shows_in_the_devices_count_of_starts() -> None:
    line = Line()
    line.say(Identity("X", "1", 1, 0, 0, ALL), SelfTest(b"\0\0\1" + bytes(7)))
    line.replug()
    assert not cleared(line.say(Identity("X", "1", 1, 0, 0, ALL))), "only the cable was pulled"
    line.replug()
    assert cleared(line.start_again(Identity("X", "1", 2, 0, 0, ALL))) == ["self_test_index"]
    line.say(SelfTest(b"\0\0\1" + bytes(7)))
    line.replug()
    assert cleared(line.say(Identity("Y", "1", 2, 0, 0, ALL))) == ["self_test_index"], "another device"


def test_what_the_device_found_in_itself_outlives_a_pulled_cable_until_it_is_not_said_again() -> None:
    line = Line()
    line.beat(500, MEMORY)
    line.replug()
    assert not cleared(line.beat(34.5))
    assert line.spoils
    assert cleared(line.beat(2)) == ["self_check"]


def test_what_the_host_found_is_calm_for_a_minute_after_a_pulled_cable_too() -> None:
    line = Line()
    line.beat(3000)
    line.clock += 0.1
    assert raised(line.say(Heartbeat(0, 0, 9, False, 0))) == ["edges_lost"]
    line.replug()
    assert not cleared(line.beat(60))
    assert cleared(line.beat(1)) == ["edges_lost"]


def test_a_rim_sensor_that_sees_the_ball_again_after_a_restart_is_silent_no_longer() -> None:
    line = Line()
    one, two, three = (bytes((channel | LEVEL, channel)) for channel in (3, 4, 5))

    def passes(*which: bytes) -> list[AnyReading]:
        said = []
        for each in which:
            time = round((line.clock + 0.4) * 1e6)
            said += line.beat(0.5, Edges(0, (time, time + 9000), each))
        return said

    assert raised(passes(*(one, two) * 3)) == ["rim_3_silent"]
    line.start_again()
    assert cleared(passes(three)) == ["rim_3_silent"]


def test_edges_that_the_host_missed_do_not_keep_a_fault_of_the_devices_own_alive() -> None:
    line = Line()
    line.beat(1)
    assert raised(line.say(Fault(4, 255, True, 0))) == ["device_edges_lost"]
    cleared_codes: list[str] = []
    for lost in range(1, 5):
        line.clock += 15
        cleared_codes += cleared(line.say(Heartbeat(0, 0, lost, False, 0)))
    assert cleared_codes == ["device_edges_lost"]
