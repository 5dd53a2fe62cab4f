"""A wheel with bare sensors: spins as the simulated device sends them, and what the driver makes of them."""

from random import Random
from typing import Any

import msgspec
import pytest
from bare_wheel_line import KINDS, driver, feed, instant, of

from drivers.bare_wheel.driver import DRIVER, BareWheel
from drivers.bare_wheel.options import BareWheelOptions
from drivers.readings import (
    AnyReading,
    BallLap,
    BallLaunched,
    BallLeavingRim,
    BallLeftRim,
    BallMissing,
    BallWithRotor,
    ButtonPressed,
    DeviceBack,
    DeviceLost,
    DeviceRestarted,
    FaultCleared,
    FaultRaised,
    GameStarted,
    LaunchFailed,
    LidMoved,
    PlaceSettled,
    PocketUnread,
    RotorSpeedOutOfRange,
    StatesMissed,
    VoidSignalled,
)
from protocols.sensor import LEVEL, Counts, Edges, Fault, Heartbeat, Identity, Index, encode
from simulators import sensor_mishaps
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_wheel import Kind, Mishap, Plan, SensorGame, SensorWheel
from simulators.traffic import Bytes, Item


def play(
    kind: Kind, encoder: Encoder, mishap: str | None, games: int = 3, seed: int = 3
) -> list[tuple[SensorGame, list[AnyReading]]]:
    """Games of a wheel, the first without a mishap, each with its readings."""
    plan = None if mishap is None else sensor_mishaps.at(dict.fromkeys(range(1, games), mishap))
    wheel = SensorWheel(kind, encoder, seed, plan)
    made = driver(wheel.options)
    return [(game, feed(made, game.items)) for game in wheel.games(games)]


def between(angle: float, rim: tuple[float, ...]) -> float:
    """The sensor from which the stretch begins, clockwise, in which an angle lies."""
    return max((mark for mark in rim if mark <= angle), default=rim[-1])


@pytest.mark.parametrize(("kind", "encoder"), KINDS)
def test_a_spin_is_told_from_its_launch_to_its_pocket(kind: Kind, encoder: Encoder) -> None:
    for game, said in play(kind, encoder, None, 6):
        truth = game.truth
        story = [type(r) for r in said if not isinstance(r, BallLap | DeviceBack | LidMoved)]
        assert story == [GameStarted, BallLaunched, BallLeavingRim, BallLeftRim, PlaceSettled]
        [left] = of(BallLeftRim, said)
        assert left.ball == truth.ball
        assert between(left.angle, left.rim) == between(truth.drop, left.rim)
        launched, settled = of(BallLaunched, said)[0], of(PlaceSettled, said)[0]
        assert (launched.ball, launched.rotor) == (truth.ball, truth.rotor)
        assert (settled.place, settled.rotor) == (truth.place, truth.rotor)
        laps = of(BallLap, said)
        assert [lap.laps for lap in laps] == list(range(1, (truth.laps or 0) + 1))
        assert all(lap.ball == truth.ball and lap.rotor == truth.rotor for lap in laps)
        assert laps[0].seconds < laps[-1].seconds < 5


@pytest.mark.parametrize(("kind", "encoder"), KINDS)
@pytest.mark.parametrize("mishap", sensor_mishaps.MISHAPS)
def test_what_goes_wrong_is_told(kind: Kind, encoder: Encoder, mishap: str) -> None:
    wanted: dict[str, type] = {
        "ball_with_rotor": BallWithRotor,
        "weak_launch": LaunchFailed,
        "rotor_turned_round": VoidSignalled,
        "ball_out_of_rim": PocketUnread,
        "ball_out_of_pocket": BallMissing,
        "ball_left_cylinder": PocketUnread,
        "foreign_object": VoidSignalled,
        "lid_moved": VoidSignalled,
        "rim_covered": StatesMissed,
        "rim_dead": FaultRaised,
        "packets_lost": StatesMissed,
        "packet_damaged": StatesMissed,
        "edges_lost": StatesMissed,
        "restarted": DeviceRestarted,
        "unplugged": DeviceLost,
        "unplugged_betting": DeviceLost,
        "encoder_slipped": StatesMissed,
        "device_fault": StatesMissed,
    }
    if kind not in sensor_mishaps.MISHAPS[mishap].kinds:
        return
    played = play(kind, encoder, mishap)[1:]
    if mishap in wanted:
        everything = [reading for _, said in played for reading in said]
        assert of(wanted[mishap], everything), "a game may tell of the one before it"
    for game, said in played:
        places = [settled.place for settled in of(PlaceSettled, said)]
        if game.truth.expected == "valid":
            assert places == [game.truth.place]
            assert bool(of(VoidSignalled, said)) == (mishap == "lid_moved")
            assert not of(StatesMissed, said)
            assert len(of(BallLeavingRim, said)) == 1, "a launch that falls short closes no bets"
        elif not of(VoidSignalled, said) and not of(BallWithRotor, said) and mishap != "same_direction":
            assert not places, "a throw that was not seen whole settles nowhere"


def test_a_half_seen_throw_ends_with_its_pocket_unread() -> None:
    for _, said in play("roulette", "counts", "packet_damaged")[1:]:
        assert [unread.reason for unread in of(PocketUnread, said)] == ["part of the throw was not seen"]


@pytest.mark.parametrize("kind", ["roulette", "boule"])
def test_an_object_that_was_there_before_the_ball_came_is_not_taken_for_it(kind: Kind) -> None:
    def object_and_no_ball(plan: Plan, rng: Random) -> None:
        plan.foreign = plan.leaves = True

    mishap = Mishap("both", "void", "", object_and_no_ball)
    wheel = SensorWheel(kind, "counts", 3, {1: mishap}.get)
    made = driver(wheel.options)
    _, said = (feed(made, game.items) for game in wheel.games(2))
    assert not of(PlaceSettled, said)
    assert [unread.reason for unread in of(PocketUnread, said)] == [
        "a pocket was occupied while the ball ran in the rim"
    ]


@pytest.mark.parametrize(("ago", "half_seen"), [(0.6, True), (2.5, False)])
def test_packets_missing_just_before_the_first_pass_may_have_held_others(ago: float, half_seen: bool) -> None:
    wheel = SensorWheel("roulette", "counts", 3)
    [game] = wheel.games(1)
    gap = game.truth.launched - ago
    said = feed(driver(wheel.options), [item for item in game.items if not gap < item.t < gap + 0.3])
    assert bool(of(StatesMissed, said)) == half_seen
    assert bool(of(PlaceSettled, said)) != half_seen


def test_a_rotor_outside_its_range_is_told_once_a_throw() -> None:
    wheel = SensorWheel("roulette", "counts", 4, sensor_mishaps.at({1: "rotor_fast"}))
    made = driver(wheel.options | {"rotor_rpm": (10.0, 31.0)})
    said = [feed(made, game.items) for game in wheel.games(2)]
    assert [len(of(RotorSpeedOutOfRange, each)) for each in said] == [0, 1]
    assert of(RotorSpeedOutOfRange, said[1])[0].rpm > 31


# --- the driver's contract ------------------------------------------------------------------------------


def stream(seed: int) -> tuple[dict[str, Any], list[Item]]:
    """Some games with all kinds of mishaps on one line."""
    names = sensor_mishaps.possible("roulette")
    wheel = SensorWheel(
        "roulette", "edges" if seed % 2 else "counts", seed, sensor_mishaps.rated(names, 0.5, seed)
    )
    return wheel.options, [item for game in wheel.games(4) for item in game.items]


def damaged(items: list[Item], seed: int) -> list[Item]:
    """The same with a wrong byte in one packet of fifty, and random bytes between some of them."""
    rng, hurt = Random(seed), list[Item]()
    for item in items:
        if isinstance(item, Bytes) and rng.random() < 0.02:
            at = rng.randrange(len(item.data))
            wrong = item.data[:at] + rng.randbytes(rng.randrange(3)) + item.data[at + 1 :]
            item = Bytes(item.t, wrong + rng.randbytes(rng.choice((0, 0, 300))))
        hurt.append(item)
    return hurt


@pytest.mark.parametrize("hurt", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_whole_or_byte_by_byte_gives_the_same(seed: int, hurt: bool) -> None:
    options, items = stream(seed)
    items = damaged(items, seed) if hurt else items
    whole, bytewise = driver(options), driver(options)
    one: list[AnyReading] = []
    other: list[AnyReading] = []
    for item in items:
        one += feed(whole, [item])
        if isinstance(item, Bytes):
            other += feed(bytewise, (Bytes(item.t, bytes([byte])) for byte in item.data))
        else:
            other += feed(bytewise, [item])
    assert one == other
    assert whole.snapshot() == bytewise.snapshot()
    assert whole.health() == bytewise.health()
    assert whole.health().serial


@pytest.mark.parametrize("seed", range(2))
def test_a_snapshot_goes_on_as_the_driver_would(seed: int) -> None:
    options, items = stream(seed)
    rng = Random(seed)
    original, copied = driver(options), driver(options)
    for item in items:
        if rng.random() < 0.05:
            kept = copied.snapshot()
            copied = BareWheel("wheel", msgspec.convert(options, BareWheelOptions))
            copied.restore(kept)
            assert copied.snapshot() == kept
        assert feed(original, [item]) == feed(copied, [item])
    assert original.snapshot() == copied.snapshot()


@pytest.mark.parametrize("broken", [b"", b"{}", b"[]", b'{"decoder": 1}', b"\xff"])
def test_what_is_no_snapshot_is_refused(broken: bytes) -> None:
    with pytest.raises(ValueError, match="snapshot"):
        driver().restore(broken)


def test_any_bytes_do_no_harm_and_memory_is_bounded() -> None:
    rng = Random(9)
    options, items = stream(1)
    made = driver(options)
    for item in items:
        if not isinstance(item, Bytes):
            continue
        data = bytearray(item.data)
        for _ in range(rng.randrange(3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        made.receive(bytes(data), instant(item.t))
        made.receive(rng.randbytes(rng.randrange(20)), instant(item.t))
    assert made.health().bad_frames > 100
    assert len(made.snapshot()) < 20_000


def test_hostile_packets_that_are_whole_do_no_harm() -> None:
    rng = Random(4)
    made = driver()
    made.receive(b"\0", instant(0.0))
    clock, boot, taken = 0, 1, 0
    for number in range(4000):
        # seldom enough that the device is listened to in between
        clock = rng.randrange(1 << 32) if rng.random() < 0.002 else clock + rng.randrange(100_000)
        boot += rng.random() < 0.002
        body = rng.choice(
            [
                Edges(
                    rng.randrange(65536),
                    tuple(sorted(clock + rng.randrange(60_000) for _ in range(20))),
                    bytes(rng.randrange(10) | rng.choice((0, LEVEL)) for _ in range(20)),
                ),
                Counts(
                    rng.randrange(65536),
                    tuple(clock + at * (number % 1000) for at in range(58)),
                    tuple(number * 300_000 + rng.randrange(-9999, 9999) for _ in range(58)),
                ),
                Index(clock, rng.randrange(-(1 << 31), 1 << 31)),
                Heartbeat(0, 0, rng.randrange(65536), rng.random() < 0.5, 0),
                Identity("X", "1", 0, rng.choice((0, 1, 4, 400, 1 << 31)), 0, 0),
                Fault(rng.randrange(256), rng.choice((0, 4, 6, 255)), rng.random() < 0.5, 0),
            ]
        )
        made.receive(encode(body, boot, number, clock + 57_000), instant(number / 10))
        taken += "device_restarts" not in made.device.faults
    assert made.health().frames == 4000
    assert taken > 2000
    assert len(made.snapshot()) < 20_000


def test_silence_of_two_seconds_is_a_lost_device_and_the_next_packet_its_return() -> None:
    made = driver()
    beat = encode(Heartbeat(0, 1, 0, False, 0), 1, 0, 500_000)
    assert made.receive(b"\0" + beat, instant(1.0)) == (DeviceBack(device="wheel", at=instant(1.0)),)
    assert made.advance(instant(2.999)) == ()
    [lost] = made.advance(instant(3.0))
    assert isinstance(lost, DeviceLost)
    assert made.advance(instant(9.0)) == ()
    made.link_up(instant(10.0))
    again = encode(Heartbeat(0, 1, 0, False, 0), 1, 9, 900_000)
    assert [type(r) for r in made.receive(b"\0" + again, instant(10.1))] == [DeviceBack]


def test_a_restart_forgets_the_throw_the_clock_and_the_positions() -> None:
    wheel = SensorWheel("roulette", "counts", 3)
    [game] = wheel.games(1)
    made = driver(wheel.options)
    feed(made, [item for item in game.items if item.t < game.truth.launched + 5.0])
    before = msgspec.json.decode(made.snapshot())
    assert before["play"]["stage"] == "running"
    again = made.receive(encode(Heartbeat(0, 0, 0, True, 3300), 99_999, 0, 300_000), instant(60.0))
    assert [type(reading) for reading in again] == [DeviceRestarted]
    state = msgspec.json.decode(made.snapshot())
    assert state["play"]["stage"] == "joining"
    assert state["device"]["now"] == 300_000
    assert state["rotor"]["samples"] == [] != before["rotor"]["samples"]
    assert state["rotor"]["zero"] is None


def test_a_silence_forgets_the_throw_even_if_the_link_stays_up() -> None:
    wheel = SensorWheel("roulette", "counts", 3)
    [game] = wheel.games(1)
    cut = game.truth.launched + 5.0
    made = driver(wheel.options)
    feed(made, [item for item in game.items if item.t < cut])
    silent = driver(wheel.options)
    silent.restore(made.snapshot())
    silent.advance(instant(cut + 2.0))
    assert msgspec.json.decode(silent.snapshot())["play"]["stage"] == "joining"
    said = feed(made, [item for item in game.items if item.t > cut + 2.5])
    assert [type(reading) for reading in said[:2]] == [DeviceLost, DeviceBack]
    assert not of(PlaceSettled, said)
    assert [unread.reason for unread in of(PocketUnread, said)] == ["part of the throw was not seen"]


def test_a_fault_that_the_host_found_is_cleared_after_a_minute_even_over_a_restart() -> None:
    made = driver()
    said: list[AnyReading] = []
    told = [(1, 0, 3_000), (1, 4, 3_001), *((2, 0, clock) for clock in range(1, 63))]
    for number, (boot, lost, clock) in enumerate(told):
        packet = encode(Heartbeat(0, 0, lost, False, 0), boot, number, clock * 1_000_000)
        said += made.receive((b"" if number else b"\0") + packet, instant(number))
    assert [r.code for r in of(FaultRaised, said)] == ["edges_lost"]
    assert [r.code for r in of(FaultCleared, said)] == ["edges_lost"]


def test_the_button_is_told_once_however_its_contact_bounces() -> None:
    made = driver()
    edges = [(1000, 9 | LEVEL), (1500, 9), (74_000, 9 | LEVEL), (400_000, 9), (500_000, 9 | LEVEL)]
    packet = Edges(0, tuple(t for t, _ in edges), bytes(c for _, c in edges))
    said = made.receive(b"\0" + encode(packet, 1, 0, 950_000), instant(1.0))
    assert len(of(ButtonPressed, said)) == 2


def test_a_lid_that_bounces_was_moved_once_and_how_it_came_to_rest_the_heartbeat_says() -> None:
    made = driver()
    edges = [(100_000, 8 | LEVEL), (102_000, 8), (105_000, 8 | LEVEL)]
    packet = Edges(0, tuple(t for t, _ in edges), bytes(c for _, c in edges))
    said = [made.receive(b"\0" + encode(packet, 1, 0, 110_000), instant(0.1))]
    for number, clock in enumerate((150_000, 500_000, 1_000_000), 1):
        beat = encode(Heartbeat(0, 0, 0, False, 0), 1, number, clock)
        said.append(made.receive(beat, instant(clock / 1e6)))
    assert [[lid.open for lid in of(LidMoved, each)] for each in said] == [[True], [], [False], []]


def test_a_lid_with_a_switch_is_told_as_it_stands_and_then_when_it_moves() -> None:
    def beat(number: int, is_open: bool) -> bytes:
        return encode(Heartbeat(0, 1, 0, is_open, 0), 1, number, number * 500_000)

    without = driver()
    without.receive(b"\0" + encode(Identity("X", "1", 1, 400, 0, 0b11), 1, 0, 0), instant(0.1))
    assert not of(LidMoved, without.receive(beat(1, False), instant(0.5)))
    made = driver()
    made.receive(b"\0" + encode(Identity("X", "1", 1, 400, 0, 1 << 8), 1, 0, 0), instant(0.1))
    said = [made.receive(beat(at, at in (3, 4)), instant(at / 2)) for at in range(1, 7)]
    assert [[lid.open for lid in of(LidMoved, each)] for each in said] == [
        [False],
        [],
        [True],
        [],
        [False],
        [],
    ]


# --- cases 34 and 35 ----------------------------------------------------------------------------------------


def quadrature(steps: list[tuple[int, int]]) -> BareWheel:
    """A driver that has heard of edges of both channels: time, channel with its level."""
    made = driver({"counts": 400})
    made.receive(b"\0", instant(0.0))
    for at in range(0, len(steps), 50):
        part = steps[at : at + 50]
        packet = Edges(0, tuple(t for t, _ in part), bytes(c for _, c in part))
        made.receive(encode(packet, 1, at // 50, part[-1][0]), instant(part[-1][0] / 1e6))
    return made


def test_case_34_both_channels_at_once_are_counted_and_no_step() -> None:
    steps = [(1, 0), (2, 1)]
    for at in range(30):
        level = 0 if at % 2 else LEVEL
        steps += [(1000 * at + 1000, 0 | level), (1000 * at + 1000, 1 | level)]
    made = quadrature(steps)
    state = msgspec.json.decode(made.snapshot())
    position, invalid, *_ = state["rotor"]["quadrature"]
    assert (position, invalid) == (0, 30)
    assert "encoder_invalid" in made.device.faults


def test_case_35_rocking_on_an_edge_makes_no_steps_and_no_turns() -> None:
    steps = [(1, 0), (2, 1)]
    steps += [(10_000 * at + 10_000, 0 if at % 2 else LEVEL) for at in range(2000)]
    made = quadrature(steps)
    rotor = msgspec.json.decode(made.snapshot())["rotor"]
    assert rotor["quadrature"][0] == 0
    assert (rotor["low"], rotor["high"]) in ((0, 0), (0, 1))


# --- configuration ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"rim": (0.5, 0.2, 0.8)},
        {"rim": (0.0, 0.33, 0.66)},
        {"rim": (0.0, 0.05, 0.5)},
        {"rotor_rpm": (30.0, 10.0)},
        {"pockets": 36},
        {"nonsense": 1},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, DRIVER.options)
