"""The shaft of a wheel with bare sensors: what its positions tell, however closely a device samples them."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from drivers.bare_wheel.options import BareWheelOptions
from drivers.bare_wheel.rotor import Rotor
from protocols.sensor import POSITIONS_AT_MOST, Counts

TURN = 400


def rotor(**options: Any) -> Rotor:
    made = Rotor(msgspec.convert(options, BareWheelOptions))
    made.of_turn(TURN)
    return made


def turned(made: Rotor, angle: Callable[[float], float], every: int, until: int, start: int = 0) -> int:
    """The turns at a time (s), sampled each so many µs, in full packets; the last sample's time."""
    times = range(start, until, every)
    for at in range(0, len(times), POSITIONS_AT_MOST):
        part = tuple(times[at : at + POSITIONS_AT_MOST])
        made.count(Counts(0, part, tuple(int(angle(time / 1e6) * TURN) for time in part)))
    return times[-1]


@pytest.mark.parametrize("every", [877, 1_000, 3_000, 10_000, 20_000, 50_000])
@pytest.mark.parametrize("speed", [0.4, -0.4])
def test_speed_and_sense_are_known_however_close_the_samples_are(speed: float, every: int) -> None:
    made = rotor()
    now = turned(made, lambda t: speed * t, every, 3_000_000)
    assert made.speed(now) == pytest.approx(speed, rel=0.02)
    assert made.sense(now) == ("cw" if speed > 0 else "ccw")


@pytest.mark.parametrize("every", [200, 1_000, 7_000, 50_000])
def test_an_edge_that_comes_late_finds_its_position(every: int) -> None:
    made = rotor()
    now = turned(made, lambda t: 0.5 * t, every, 3_000_000)
    for back in (0, 1_000, 70_000, 150_000, 600_000):
        time = now - back
        assert made.reaches(time, now)
        assert made.position(time) == pytest.approx(0.5 * time / 1e6 * TURN, abs=1.5)
    assert made.position(now - 5_000_000) is None, "too far back"


def test_what_is_remembered_does_not_grow_with_the_samples() -> None:
    close, far = rotor(), rotor()
    turned(close, lambda t: 0.5 * t, 100, 3_000_000)
    turned(far, lambda t: 0.5 * t, 10_000, 3_000_000)
    assert len(close.state.samples) <= 102
    assert len(far.state.samples) <= 102
    assert close.state.samples[-1][0] - close.state.samples[0][0] >= 1_000_000


@pytest.mark.parametrize(
    ("way", "sense"), [(0.0325, "cw"), (0.0275, None), (-0.0325, "ccw"), (-0.0275, None)]
)
@pytest.mark.parametrize("seconds", [0.25, 0.9])
def test_a_sense_takes_more_than_a_pocket_of_net_turning_however_quick(
    way: float, sense: str | None, seconds: float
) -> None:
    made = rotor()
    end = round(seconds * 1e6)
    turned(made, lambda t: way * t / seconds, end, end + 1)
    assert made.sense(end) == sense


def test_rocking_by_a_count_is_no_sense_at_any_pace() -> None:
    for every in (1_000, 5_000, 50_000):
        made = rotor()
        for at in range(400):
            made.count(Counts(0, (at * every,), (at % 2,)))
            assert made.sense(at * every) is None
