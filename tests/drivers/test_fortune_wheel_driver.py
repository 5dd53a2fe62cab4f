"""Fortune wheels from bare sensors: every way to play, every fault of the sensors, cuts anywhere."""

from dataclasses import replace
from random import Random

import msgspec
import pytest
from fortune_wheel_line import COUNTED, RAW, WHIRLING, calibrated, fed, instant, made, scenario, spins

from drivers.driver import DriverInfo
from drivers.fortune_wheel.driver import DRIVER, FortuneWheelDriver
from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.fortune_wheel.recording import Recording
from drivers.fortune_wheel.unread import UNPROVED
from drivers.readings import (
    SECOND,
    ButtonPressed,
    DeviceBack,
    DeviceLost,
    DeviceRestarted,
    FaultCleared,
    FaultRaised,
    LidMoved,
    RestUnread,
    WheelAtRest,
    WheelHindered,
    WheelPushed,
    WheelTurned,
)
from drivers.registry import find
from protocols import sensor as wire
from simulators.devices.fortune_wheel_play import SCENARIOS
from simulators.devices.sensor_fortune_wheel import FAULTS, Build, SensorFortuneWheel
from simulators.physics.fortune_wheel import Bearing
from simulators.traffic import Bytes

A, B, POINTER = (wire.NUMBERS[name] for name in ("quadrature_a", "quadrature_b", "pointer"))
BUILDS = pytest.mark.parametrize("build", [COUNTED, RAW], ids=["counts", "edges"])


def of(kind, said):
    return [each for each in said if isinstance(each, kind)]


def check(truth, said):
    """One spin's readings against what was true of it."""
    pushed, hindered, rests = (
        of(WheelPushed, said),
        of(WheelHindered, said),
        of((WheelAtRest, RestUnread), said),
    )
    if not truth.is_spin:
        assert not pushed + rests
        return
    (rest,) = rests
    if truth.scenario == "nudged":
        assert hindered or isinstance(rest, RestUnread)
        return
    assert bool(hindered) == truth.hindered
    if truth.hindered and isinstance(rest, RestUnread):
        assert rest.reason == UNPROVED, "in the last turn"
        return
    assert isinstance(rest, WheelAtRest), (truth, rest)
    assert (rest.place, rest.direction) == (truth.segment, truth.direction)
    assert rest.turns.least <= truth.turns <= rest.turns.most
    assert rest.turns.most - rest.turns.least < 0.06, "the first began unseen"
    assert rest.pushes == len(pushed)
    if not truth.hindered:
        assert rest.pushes == truth.pushes
        assert rest.turns_since_push.least <= truth.turns_since_push <= rest.turns_since_push.most
        assert rest.turns_since_push.most - rest.turns_since_push.least < 0.25
        check_second(truth, rest)
        last = [each.turns for each in said[said.index(pushed[-1]) :] if isinstance(each, WheelTurned)]
        assert last == list(range(1, int(rest.turns_since_push.least) + 1)), "every whole turn once"


def check_second(truth, rest):
    """The turns since the second push, a third one or not."""
    second = rest.turns_since_second
    if truth.turns_since_second is None:
        assert second is None
    else:
        assert second.least <= truth.turns_since_second <= second.most
        assert (second == rest.turns_since_push) == (truth.pushes == 2)


@pytest.mark.parametrize("build", [COUNTED, RAW, WHIRLING], ids=["counts", "edges", "whirling"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_way_to_play_is_seen_as_it_was(name, build):
    for game, said in spins(build, 3, 2, scenario(name)):
        check(game.truth, said)


@pytest.mark.parametrize("sampled", [0.01, 0.002, 0.001])
def test_however_closely_a_device_samples_its_encoder_a_spin_is_seen_as_it_was(sampled):
    for game, said in spins(replace(COUNTED, sampled=sampled), 3, 3):
        check(game.truth, said)


@BUILDS
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_sensors_in_mid_spin_is_never_a_rest_and_the_next_spin_is_one(fault, build):
    def plan(index):
        return "clean", fault if index % 2 == 0 else None

    for game, said in spins(build, 5, 4, plan):
        if game.truth.fault is None:
            check(game.truth, said)
            continue
        rests = of((WheelAtRest, RestUnread), said)
        assert len(rests) == 1
        assert isinstance(rests[0], RestUnread) or of(WheelHindered, said), rests


@pytest.mark.parametrize("sampled", [0.05, 0.01, 0.003])
def test_the_spin_after_one_whose_sensors_were_cut_is_seen_whole(sampled):
    def plan(index):
        return "clean", "sensors_cut" if index % 2 == 0 else None

    for game, said in spins(replace(COUNTED, sampled=sampled), 3, 4, plan):
        assert not of((FaultRaised, WheelHindered), said)
        if game.truth.fault is None:
            check(game.truth, said)


def test_a_restart_and_a_pulled_cable_are_told():
    (_, said), *_ = spins(COUNTED, 2, 1, scenario("clean", "restart"))
    assert len(of(DeviceRestarted, said)) == 1
    assert not of(WheelHindered, said), "positions that began anew are no hand"
    (_, said), *_ = spins(COUNTED, 2, 1, scenario("clean", "unplug"))
    assert [type(each) for each in of((DeviceBack, DeviceLost), said)] == [DeviceBack, DeviceLost, DeviceBack]


def test_pegs_that_come_where_the_calibration_has_none_make_it_unread():
    moved = msgspec.structs.replace(calibrated(COUNTED), index_at=COUNTED.index_at + 0.3 / 54)
    options = FortuneWheelOptions(segments=54, counts=COUNTED.counts, calibration=moved)
    driver = DRIVER.make("wheel", options)
    driver.link_up(instant(0.0))
    (_, said), *_ = spins(COUNTED, 3, 1, driver=driver)
    (rest,) = of((WheelAtRest, RestUnread), said)
    assert rest == RestUnread(device="wheel", at=rest.at, reason="pegs did not come where they should")


@pytest.mark.parametrize("segments", [12, 52])
def test_other_wheels_have_other_segments(segments):
    build = Build(bearing=Bearing(pegs=segments, peg=0.006 * 54 / segments))
    for game, said in spins(build, 8, 4):
        check(game.truth, said)


def one_spin(build, seed=4):
    return next(iter(SensorFortuneWheel(build, seed).games(1)))


@BUILDS
def test_whole_or_byte_by_byte_the_readings_are_the_same(build):
    whole, single = made(build), made(build)
    for item in one_spin(build).items:
        together = whole.receive(item.data, instant(item.t))
        apart = [each for byte in item.data for each in single.receive(bytes([byte]), instant(item.t))]
        assert list(together) == apart
    assert whole.snapshot() == single.snapshot()


@BUILDS
def test_a_snapshot_anywhere_goes_on_as_if_nothing_had_been(build):
    items = one_spin(build).items
    for at in Random(1).sample(range(len(items)), 8):
        first = made(build)
        for item in items[:at]:
            fed(first, item)
        kept = first.snapshot()
        second = made(build)
        second.restore(kept)
        assert second.snapshot() == kept
        for item in items[at : at + 200]:
            assert fed(first, item) == fed(second, item)
        assert first.snapshot() == second.snapshot()


@pytest.mark.parametrize("snapshot", [b"", b"{}", b"[]", b'{"decoder":1}'])
def test_what_is_no_snapshot_is_refused(snapshot):
    with pytest.raises(ValueError, match="snapshot"):
        made(COUNTED).restore(snapshot)


def test_a_cable_pulled_at_any_byte_leaves_no_rest_that_counts():
    game = one_spin(COUNTED)
    data = [(item.t, bytes([byte])) for item in game.items for byte in item.data]
    moving = [item.t for item in game.items if isinstance(item, Bytes)]
    first, last = moving[0] + 4.0, moving[-1] - 4.5
    for cut in Random(7).sample([at for at, (t, _) in enumerate(data) if first < t < last], 12):
        driver, said = made(COUNTED), []
        for at, (t, byte) in enumerate(data):
            if at == cut:
                said += driver.link_lost("pulled", instant(t))
                said += driver.link_up(instant(t))
            said += driver.receive(byte, instant(t))
        assert not of(WheelAtRest, said)
        assert len(of(RestUnread, said)) == 1


def joined(build, driver, said, part):
    """Two spins, the first of them heard from some part of its packets on."""
    first, second = SensorFortuneWheel(build, 4).games(2)
    for item in first.items[round(len(first.items) * part) :]:
        said += fed(driver, item)
    assert second.truth.scenario == "clean"
    return first, second


@BUILDS
@pytest.mark.parametrize("part", [0.14, 0.2, 0.5, 0.8])
def test_a_wheel_found_turning_is_waited_out_and_its_next_spin_is_told(build, part):
    driver, said = made(build), []
    _, second = joined(build, driver, said, part)
    assert not of((WheelPushed, WheelTurned, WheelHindered, WheelAtRest, RestUnread), said)
    check(second.truth, [each for item in second.items for each in fed(driver, item)])


def test_a_wheel_that_stood_before_the_link_was_lost_and_is_found_turning_was_pushed():
    driver, said = made(COUNTED), []
    for item in one_spin(COUNTED, 9).items:
        fed(driver, item)
    driver.link_lost("pulled", instant(50.0))
    driver.link_up(instant(50.0))
    joined(COUNTED, driver, said, 0.5)
    assert [type(each) for each in of((WheelPushed, WheelAtRest, RestUnread), said)] == [
        WheelPushed,
        RestUnread,
    ]


@pytest.mark.parametrize("how", ["pulled", "silent"])
def test_a_push_under_way_when_the_device_is_lost_is_told_before(how):
    whole, said = made(COUNTED), []
    items = one_spin(COUNTED).items
    cut = next(at for at, item in enumerate(items) if of(WheelPushed, fed(whole, item))) - 2
    driver = made(COUNTED)
    for item in items[:cut]:
        said += fed(driver, item)
    assert not of(WheelPushed, said)
    last = instant(items[cut].t)
    said = driver.link_lost("pulled", last) if how == "pulled" else driver.advance(last.later(3 * SECOND))
    assert [type(each) for each in said] == [WheelPushed, DeviceLost]
    assert {each.at for each in said} == {said[1].at}


def test_silence_of_two_seconds_is_a_lost_device():
    driver, said = made(COUNTED), []
    items = one_spin(COUNTED).items[:40]
    for item in items:
        said += fed(driver, item)
    last = instant(items[-1].t)
    assert driver.deadline == last.mono + 2_000_000_000
    assert driver.advance(last) == ()
    assert of(DeviceLost, driver.advance(last.later(2_000_000_000)))
    assert driver.advance(last.later(3_000_000_000)) == ()


def test_any_bytes_are_taken_and_counted():
    driver, rng = made(COUNTED), Random(6)
    for at in range(300):
        driver.receive(rng.randbytes(rng.randrange(1, 600)), instant(at / 10))
    assert driver.health().bad_frames > 100
    assert len(driver.snapshot()) < 4000


# --- packets by hand --------------------------------------------------------------------------------


class Line:
    """A driver with packets as a device would send them."""

    def __init__(self, build=COUNTED):
        self.driver = made(build)
        self.boot, self.sequence = 1, 0
        self.driver.receive(b"\0", instant(0))

    def __call__(self, body, seconds):
        data = wire.encode(body, self.boot, self.sequence, int(seconds * 1e6))
        self.sequence += 1
        return self.driver.receive(data, instant(seconds))


def beat(seconds, lost=0, lid=False):
    return wire.Heartbeat(int(seconds * 1e6), int(seconds), lost, lid, 3300)


def test_the_button_and_the_lid():
    line = Line()
    pressed = bytes([wire.LEVEL | 9, 9, wire.LEVEL | 9])
    said = line(wire.Edges(0, (100, 2_000, 4_000), pressed), 0.1)
    assert len(of(ButtonPressed, said)) == 1, "a bounce is no second press"
    assert of(ButtonPressed, line(wire.Edges(0, (600_000,), pressed[:1]), 0.7))
    assert [each.open for each in of(LidMoved, line(beat(1.0, lid=True), 1.0))] == [True]
    assert not of(LidMoved, line(beat(1.5, lid=True), 1.5))
    assert [each.open for each in of(LidMoved, line(wire.Edges(0, (2_000_000,), b"\x08"), 2.0))] == [False]


def edges(channel, *moments):
    """Edges of a contact that is low: times in ms."""
    levels = bytes(channel | (wire.LEVEL if at % 2 == 0 else 0) for at in range(len(moments)))
    return wire.Edges(0, tuple(1000 * each for each in moments), levels)


def test_a_button_held_long_that_bounces_as_it_is_let_go_was_pressed_once():
    line = Line()
    assert len(of(ButtonPressed, line(edges(9, 100, 102, 105, 700, 703, 709), 0.8))) == 1
    assert len(of(ButtonPressed, line(edges(9, 800, 950, 1100), 1.2))) == 2, "quick, but no bounce"


def test_a_lid_that_bounces_was_moved_once_and_how_it_came_to_rest_the_heartbeat_says():
    line = Line()
    assert [each.open for each in of(LidMoved, line(edges(8, 100, 102, 105), 0.11))] == [True]
    assert not of(LidMoved, line(beat(0.15), 0.15)), "a moment of the bounce"
    assert [each.open for each in of(LidMoved, line(beat(0.5), 0.5))] == [False]
    assert not of(LidMoved, line(beat(1.0), 1.0))


def test_faults_are_raised_once_and_cleared():
    line = Line()
    fault = wire.Fault(2, 7, True, 0)
    (raised,) = of(FaultRaised, line(fault, 1.0))
    assert raised.code == "sensor_stuck_pointer"
    assert not of(FaultRaised, line(fault, 2.0))
    (cleared,) = of(FaultCleared, line(wire.Fault(2, 7, False, 0), 3.0))
    assert cleared.code == raised.code


def test_spins_after_the_start_are_judged_again():
    line = Line()
    line(wire.Identity(COUNTED.serial, "1", 0, 4000, 0, 0x84), 0.1)
    line(wire.Fault(3, 255, True, 0), 0.1)
    for game, said in spins(COUNTED, 3, 2, driver=line.driver):
        check(game.truth, said)


@pytest.mark.parametrize(
    ("serial", "counts", "code"),
    [("WHEEL-0002", 4000, "calibration_foreign"), ("WHEEL-0001", 4096, "encoder_counts")],
)
def test_a_device_that_is_not_the_calibrated_one_is_a_fault(serial, counts, code):
    (raised,) = of(FaultRaised, Line()(wire.Identity(serial, "1", 1, counts, 0, 0x84), 0.1))
    assert raised.code == code


def test_while_a_needed_sensor_is_faulty_no_spin_is_judged():
    driver = made(COUNTED)
    foreign = Build(serial="ANOTHER")
    for game, said in spins(foreign, 3, 2, driver=driver):
        assert game.truth.is_spin
        (rest,) = of((WheelAtRest, RestUnread), said)
        assert isinstance(rest, RestUnread)
        assert "calibration_foreign" in rest.reason


def test_without_a_calibration_it_says_so_and_judges_nothing():
    driver = DRIVER.make("wheel", FortuneWheelOptions(segments=54, counts=4000))
    driver.link_up(instant(0))
    (_, said), *_ = spins(COUNTED, 1, 1, driver=driver)
    assert [each.code for each in of(FaultRaised, said)] == ["not_calibrated"]
    assert not of((WheelAtRest, RestUnread, WheelPushed), said)
    assert "mesad calibrate" in (driver.health().note or "")
    assert driver.health().serial == COUNTED.serial


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"counts": 2160}, "counts is 4000"),
        ({"segments": 52}, "segments is 54"),
        ({"peg_width": 0.02}, "too few"),
    ],
)
def test_options_that_contradict_their_calibration_are_refused(change, words):
    known = msgspec.structs.replace(calibrated(COUNTED), **change)
    with pytest.raises(ValueError, match=words):
        FortuneWheelOptions(segments=54, counts=4000, calibration=known)


def test_the_registry_knows_it():
    info = find("fortune-wheel")
    assert isinstance(info, DriverInfo)
    assert info.roles == {"fortune_wheel"}
    assert info.serial is not None
    assert info.serial(None).baudrate == 115_200


def nonsense(rng, clock):
    """A packet that is well formed and says anything at all, at most times near its clock."""
    many = rng.randrange(1, 20)
    time = clock - rng.randrange(10**6 if rng.random() < 0.9 else 10**7)
    return rng.choice(
        (
            wire.Edges(
                rng.randrange(3),
                tuple(time + at * rng.randrange(1, 3000) for at in range(1))
                + tuple(time + 10**4 for _ in range(many)),
                bytes(rng.choice((0, 1, 2, 7, 8, 9)) | rng.choice((0, wire.LEVEL)) for _ in range(many + 1)),
            ),
            wire.Counts(
                rng.randrange(3),
                tuple(time + at * 4_000 for at in range(many)),
                tuple(at * rng.randrange(-500, 500) for at in range(many)),
            ),
            wire.Index(time, rng.randrange(-9999, 9999)),
            wire.Heartbeat(time, 0, rng.randrange(3), rng.random() < 0.5, 0),
            wire.Fault(rng.randrange(256), rng.choice((0, 7, 255)), rng.random() < 0.5, 0),
        )
    )


@pytest.mark.parametrize("seed", range(4))
def test_well_formed_nonsense_raises_nothing_grows_nothing_and_comes_out_the_same_however_cut(seed):
    rng = Random(seed)
    whole, single = made(COUNTED), made(COUNTED)
    boot = sequence = listened = 0
    clock = 10**8
    for at in range(600):
        # seldom enough that the device is listened to in between
        clock = rng.randrange(1 << 32) if rng.random() < 0.002 else clock + rng.randrange(10**5)
        body = nonsense(rng, clock)
        if rng.random() < 0.002:
            boot, sequence = boot + 1, 0
        data = wire.encode(body, boot, sequence, clock)
        sequence += 1 + (rng.random() < 0.05)
        together = whole.receive(data, instant(at / 10))
        apart = [each for byte in data for each in single.receive(bytes([byte]), instant(at / 10))]
        assert list(together) == apart
        assert not of(WheelAtRest, together)
        listened += "device_restarts" not in whole.device.faults
    assert listened > 300
    kept = whole.snapshot()
    assert kept == single.snapshot()
    assert len(kept) < 30_000
    single.restore(kept)


def test_a_packet_that_comes_twice_spoils_no_spin():
    driver, said = made(COUNTED), []
    for number, item in enumerate(one_spin(COUNTED).items, 1):
        twice = isinstance(item, Bytes) and number % 50 == 0
        data = item.data.split(b"\0")[-2] + b"\0" if twice and item.data.count(b"\0") else b""
        said += fed(driver, item)
        if data:
            said += driver.receive(data, instant(item.t))
    assert len(of(WheelAtRest, said)) == 1
    assert driver.health().bad_frames > 3


def watched():
    """A driver whose link came up, and its watcher, which keeps what it is told."""
    watcher = Positions()
    driver = FortuneWheelDriver("wheel", FortuneWheelOptions(segments=54, counts=2160), watcher)
    driver.link_up(instant(0.0))
    driver.receive(b"\0", instant(0.0))
    return driver, watcher


def say(driver, body, clock):
    sequence = driver.health().frames
    driver.receive(wire.encode(body, 1, sequence, clock), instant(clock / 1e6))


class Positions(Recording):
    """Keeps what it is told of positions."""

    def __init__(self):
        super().__init__()
        self.told = []

    def position(self, time, position, zero):
        super().position(time, position, zero)
        self.told.append((time, position))


def test_a_packet_that_ends_with_the_pointer_tells_where_its_encoder_edges_led():
    driver, watcher = watched()
    channels = bytes((A, B, A | wire.LEVEL, POINTER | wire.LEVEL))
    say(driver, wire.Edges(0, (1_000_000, 1_010_000, 1_020_000, 1_030_000), channels), 1_050_000)
    assert watcher.told[-1][0] == 1_020_000


def test_a_heartbeat_that_overtakes_edges_stands_no_later_than_they_may_still_come():
    """By the protocol edges come within 100 ms, and packets of different kinds may overlap by as much."""
    driver, watcher = watched()
    say(driver, wire.Edges(0, (1_000_000,), bytes((A | wire.LEVEL,))), 1_050_000)
    say(driver, wire.Heartbeat(1_160_000, 1, 0, False, 3300), 1_160_000)
    say(driver, wire.Edges(0, (1_070_000,), bytes((B | wire.LEVEL,))), 1_165_000)
    times = [time for time, _ in watcher.told]
    assert times == sorted(times)
    assert len(times) == 3


def test_raw_edges_that_heartbeats_overtake_make_no_clean_spin_unread():
    for game, said in spins(RAW, 102, 25):
        check(game.truth, said)
