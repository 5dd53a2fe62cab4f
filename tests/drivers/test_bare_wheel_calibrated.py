"""Where the pocket sensor meets pocket 0, from balls at rest: what is found, and what is refused."""

from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from bare_wheel_line import KINDS, driver, feed, instant, of

from drivers.bare_wheel.calibrated import calibration, found
from drivers.bare_wheel.lays import Lay, Lays
from drivers.bare_wheel.options import BareWheelOptions, Calibration
from drivers.readings import FaultCleared, FaultRaised, Instant, PlaceSettled, StatesMissed
from drivers.tracking.angles import circular_median
from drivers.tracking.calibration import CannotCalibrateError
from protocols.sensor import CHANNELS, Body, Fault, Identity, SelfTest, encode
from simulators import sensor_mishaps
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_wheel import Kind, SensorWheel
from simulators.traffic import Bytes

ROULETTE = BareWheelOptions()
BOULE = BareWheelOptions(pockets=18, turning="sensor")

NAMES = [f"hole {place + 1}" for place in range(38)]


def recorded(wheel: SensorWheel, games: int) -> tuple[Lays, list[int]]:
    """What was seen of some games, and where the ball lay each time."""
    uncalibrated = msgspec.convert({**wheel.options, "offset": 0.0}, BareWheelOptions)
    lays, places = Lays(uncalibrated), list[int]()
    lays.link_up(instant(0.0), "sim")
    for game in wheel.games(games):
        for item in game.items:
            assert isinstance(item, Bytes)
            lays.link_bytes(item.data, instant(item.t))
        if game.truth.place is not None:
            places.append(game.truth.place)
    return lays, places


def lay(place: float, options: BareWheelOptions, offset: float, scatter: Sequence[float] = (0.0,) * 5) -> Lay:
    """A ball in a pocket of a wheel whose sensor stands there, its sights so many pockets beside it."""
    sign = 1 if options.turning == "sensor" else -1
    angles = ((place + off) / options.pockets + sign * offset for off in scatter)
    return Lay(tuple(angle % 1.0 for angle in angles), 4.0)


@pytest.mark.parametrize(("kind", "encoder"), KINDS)
def test_what_is_found_is_where_the_sensor_stands_and_the_places_are_right_with_it(
    kind: Kind, encoder: Encoder
) -> None:
    for seed in range(3):
        wheel = SensorWheel(kind, encoder, seed)
        lays, places = recorded(wheel, 3)
        options = msgspec.convert({**wheel.options, "offset": 0.0}, BareWheelOptions)
        what = found(lays.lays, places, options, NAMES)
        true = wheel.options["offset"]
        assert isinstance(true, float)
        assert abs((what.offset - true + 0.5) % 1.0 - 0.5) * options.pockets < 0.2
        assert lays.serial is not None
        assert not lays.faults
        known = calibration(what, lays.lays, lays.serial, options)
        made = driver({**wheel.options, "offset": 0.0, "calibration": msgspec.to_builtins(known)})
        feed(made, wheel.tail())
        for game in wheel.games(4):
            [settled] = of(PlaceSettled, feed(made, game.items)) or [None]
            if game.truth.index > 3:  # the first was joined in the middle
                assert settled is not None
                assert settled.place == game.truth.place


@pytest.mark.parametrize("options", [ROULETTE, BOULE])
def test_the_median_is_taken_round_the_circle(options: BareWheelOptions) -> None:
    assert circular_median([0.98, 0.99, 0.01, 0.02, 0.005]) == pytest.approx(0.005)
    for offset in (0.0, 0.001, 0.4, 0.999):
        what = found([lay(place, options, offset) for place in (0, 5, 11)], [0, 5, 11], options, NAMES)
        assert abs((what.offset - offset + 0.5) % 1.0 - 0.5) < 1e-9
        assert max(map(abs, what.off)) < 1e-6


def test_a_sight_that_lies_elsewhere_moves_nothing() -> None:
    scatter = (0.02, -0.02, 0.0, 0.45, 0.01)
    what = found([lay(4, ROULETTE, 0.3, scatter)], [4], ROULETTE, NAMES)
    assert abs(what.offset - 0.3) * 37 < 0.03


def test_sights_that_scatter_are_refused() -> None:
    with pytest.raises(CannotCalibrateError, match=r"sights of one ball at rest lie 0\.30 pockets"):
        found([lay(4, ROULETTE, 0.3, (0.3, -0.3, 0.3, -0.3, 0.0))], [4], ROULETTE, NAMES)


def test_a_pocket_named_wrongly_is_refused() -> None:
    lays = [lay(place, ROULETTE, 0.3) for place in (2, 17, 30)]
    with pytest.raises(CannotCalibrateError, match=r"hole 19: [+-]1\.0.*named wrongly"):
        found(lays, [2, 18, 30], ROULETTE, NAMES)


@pytest.mark.parametrize("options", [ROULETTE, BOULE])
def test_an_encoder_that_counts_the_wrong_way_is_told_as_such(options: BareWheelOptions) -> None:
    mirrored = []
    for place in (2, 9, 16):
        angles, turns = lay(place, options, 0.3)
        mirrored.append(Lay(tuple(-angle % 1.0 for angle in angles), turns))
    with pytest.raises(CannotCalibrateError, match="the encoder's channels swapped"):
        found(mirrored, [2, 9, 16], options, NAMES)


def test_what_came_in_between_is_no_ball_at_rest() -> None:
    """Hops from pocket to pocket, and an object that is seen too seldom."""
    lays = Lays(ROULETTE)
    rng = Random(1)
    for turn in range(3):
        lays._see(float(turn), rng.random())
    for turn in range(3, 8):
        lays._see(float(turn), 0.5)
    assert [len(each.angles) for each in lays.lays] == [5]
    lays._see(20.0, 0.5)
    assert len(lays.lays) == 1, "after twelve turns without a sight it is another ball"
    for turn in range(21, 24):
        lays._see(float(turn), 0.5)
    assert [len(each.angles) for each in lays.lays] == [5, 4]
    for step in range(30):
        lays._see(40.0 + step / 100, 0.1)
    assert len(lays.lays) == 2, "a rotor that is rocked over the ball does not turn"


def test_faults_while_it_was_heard_are_kept() -> None:
    lays, _ = recorded(SensorWheel("roulette", "counts", 3, sensor_mishaps.at({1: "encoder_slipped"})), 3)
    assert "encoder_slip" in lays.faults
    lays, _ = recorded(SensorWheel("roulette", "counts", 3, sensor_mishaps.at({1: "rim_dead"})), 3)
    assert not lays.faults


def test_the_calibration_of_another_device_tells_no_pocket() -> None:
    wheel = SensorWheel("roulette", "counts", 3)
    known = {
        "serial": "SIM-3",
        "pockets": 37,
        "turning": "pockets",
        "offset": wheel.options["offset"],
        "sights": 15,
    }
    mine, others = (
        {**wheel.options, "offset": 0.0, "calibration": {**known, **c}} for c in ({}, {"serial": "X"})
    )
    games = list(wheel.games(2))
    made = driver(mine)
    said = [feed(made, game.items) for game in games]
    assert [len(of(PlaceSettled, each)) for each in said] == [1, 1]
    assert not of(FaultRaised, said[0])
    made = driver(others)
    said = [feed(made, game.items) for game in games]
    assert [fault.code for fault in of(FaultRaised, said[0])] == ["calibration_foreign"]
    assert not [place for each in said for place in of(PlaceSettled, each)]
    assert of(StatesMissed, said[1])
    again = made.receive(encode(Identity("X", "1", 9, 400, 0, 0x7F), 9, 0, 0), instant(500.0))
    assert [fault.code for fault in of(FaultCleared, again)] == ["calibration_foreign"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"offset": 0.1}, "one of the two"),
        ({"pockets": 38}, "that of 37 pockets"),
        ({"turning": "sensor"}, "turning"),
    ],
)
def test_a_calibration_that_does_not_fit_the_options_is_refused(
    change: dict[str, object], problem: str
) -> None:
    known = Calibration(serial="X", pockets=37, turning="pockets", offset=0.25, sights=9)
    with pytest.raises(ValueError, match=problem):
        BareWheelOptions(calibration=known, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (Fault(200, 255, True, 0), None),
        (Fault(2, CHANNELS.index("rim_1"), True, 0), None),
        (SelfTest(bytes(each in ("lid", "rim_1", "rim_2") for each in CHANNELS)), None),
        (Fault(3, 255, True, 0), "sensor_supply"),
    ],
)
def test_only_faults_that_hinder_spoil_places_and_none_of_rim_sensors(said: Body, code: str | None) -> None:
    lays = Lays(ROULETTE)
    lays.link_up(instant(0.0), "sim")
    for number, body in enumerate((Identity("X", "1", 1, 400, 0, 0x3FF), said)):
        start = b"" if number else b"\0"
        lays.link_bytes(start + encode(body, 1, number, number), instant(0.0))
    assert set(lays.faults) == set(lays.hindering) == ({code} if code else set())


def test_faults_of_places_are_kept_and_those_of_lid_and_clock_are_not() -> None:
    lays = Lays(ROULETTE)
    faults, at = lays._wheel.device.faults, Instant(0, 0)
    for code in ("clock", "lid_flutters", "rim_1_silent", "encoder_invalid"):
        faults.stand(code, "", at)
    lays.link_bytes(b"", at)
    assert set(lays.faults) == {"encoder_invalid"}
    faults.clear("encoder_invalid", at)
    lays.link_bytes(b"", at)
    assert set(lays.faults) == {"encoder_invalid"}
    assert not lays.hindering
