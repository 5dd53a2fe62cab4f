"""Faults that the host finds at a bare wheel: how long each stands, over starts and pulled cables."""

from sensor_device_line import Line, cleared, raised

from drivers.readings import AnyReading
from protocols.sensor import LEVEL, Edges, Fault, Heartbeat


def test_what_the_host_found_is_calm_for_a_minute_after_a_pulled_cable_too() -> None:
    line = Line("bare")
    line.beat(3000)
    line.clock += 0.1
    assert raised(line.say(Heartbeat(0, 0, 9, False, 0))) == ["edges_lost"]
    line.replug()
    assert not cleared(line.beat(60))
    assert cleared(line.beat(1)) == ["edges_lost"]


def test_a_rim_sensor_that_sees_the_ball_again_after_a_restart_is_silent_no_longer() -> None:
    line = Line("bare")
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
    line = Line("bare")
    line.beat(1)
    assert raised(line.say(Fault(4, 255, True, 0))) == ["sensor_edges_lost"]
    said: list[AnyReading] = []
    for lost in range(1, 75):
        line.clock, line.host = line.clock + 0.5, line.host + 0.5
        said += line.say(Heartbeat(0, 0, lost, False, 0))
    assert (raised(said), cleared(said)) == (["edges_lost"], ["sensor_edges_lost"])
