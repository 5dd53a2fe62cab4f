"""What trackers and the sensor decoder remember: copied in the middle, they go on as the original does."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.tracking.ball import BallTrack
from drivers.tracking.device_clock import ClockDrift
from drivers.tracking.pocket import PocketTrack
from drivers.tracking.quadrature import Quadrature
from drivers.tracking.rotation import Rotation
from protocols.sensor import Heartbeat, encode
from protocols.sensor_decoder import SensorDecoder

EDGES = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0x00, 0x01, 0x80, 0x81])), max_size=80)


def of_one_time(edges: list[tuple[int, int]]) -> Quadrature:
    """The same edges, those of one time put together by hand."""
    decoder = Quadrature()
    levels: dict[int, bool] = {}
    for at, (after, channel) in enumerate(edges):
        if after and at:
            decoder.edges(levels.get(0), levels.get(1))
            levels = {}
        levels[channel & 1] = channel >= 0x80
    if levels:
        decoder.edges(levels.get(0), levels.get(1))
    return decoder


@given(EDGES)
def test_a_run_of_edges_is_the_same_as_the_steps_one_by_one(edges: list[tuple[int, int]]) -> None:
    times, now = [], 0
    for after, _ in edges:
        now += after
        times.append(now)
    decoder = Quadrature()
    decoder.run(times, bytes(channel for _, channel in edges))
    assert decoder.state == of_one_time(edges).state


@given(EDGES, st.integers(0, 80))
def test_a_quadratures_state_is_all_of_it(edges: list[tuple[int, int]], cut: int) -> None:
    channels = [channel for _, channel in edges]
    whole, first, second = Quadrature(), Quadrature(), Quadrature()
    for at, channel in enumerate(channels):
        whole.run([at], [channel])
    for at, channel in enumerate(channels[:cut]):
        first.run([at], [channel])
    second.state = first.state
    for at, channel in enumerate(channels[cut:]):
        second.run([at], [channel])
    assert second.state == whole.state


def test_a_ball_track_goes_on_from_its_state() -> None:
    rng, angles = Random(3), (0.0, 0.29, 0.63)
    whole, other = BallTrack(angles), BallTrack(angles)
    now = 0
    for _ in range(40):
        now += rng.randrange(50_000, 400_000)
        sensor = rng.randrange(3)
        copy = BallTrack(angles)
        copy.state = other.state
        other = copy
        assert whole.edge(now, sensor) == other.edge(now, sensor)
        assert whole.state == other.state
        assert (whole.sense, whole.laps, whole.speed) == (other.sense, other.laps, other.speed)


def test_a_pocket_track_and_a_rotation_go_on_from_their_states() -> None:
    pockets, others = PocketTrack(37), PocketTrack(37)
    rotation, turned = Rotation(400), Rotation(400)
    for turn in range(4):
        pockets.sight(float(turn), 8 / 37)
        others.sight(float(turn), 8 / 37)
        copy, copied = PocketTrack(37), Rotation(400)
        copy.state, copied.zero = others.state, turned.zero
        others, turned = copy, copied
        assert rotation.index(400 * turn + 9 * (turn == 3)) == turned.index(400 * turn + 9 * (turn == 3))
    assert others.settled == pockets.settled == 8
    assert turned.zero == rotation.zero == 1209


def test_a_sensor_decoder_goes_on_from_its_state_at_any_byte() -> None:
    wire = b"\0" + b"".join(
        encode(Heartbeat(at, at, 0, False, 3300), 1 + at // 5, at + at // 3, (at << 30) % (1 << 32))
        for at in range(12)
    )
    whole = SensorDecoder()
    expected = whole.feed(wire)
    assert len(expected) > 12, "gaps and a restart are among them"
    decoder, messages = SensorDecoder(), []
    for byte in wire:
        copy = SensorDecoder()
        copy.state = decoder.state
        decoder = copy
        messages += decoder.feed(bytes([byte]))
    assert messages == expected


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (Quadrature(), (0, 0, 0, 4, None, None)),
        (
            BallTrack((0.0, 0.3, 0.6)),
            (0, None, None, 3, {}, (0.0, None, 0.0, None, 0.0), (0.0, None, 0.0, None, 0.0)),
        ),
        (SensorDecoder(), ((b"", True, False, 0), 1, None, 0, 0, None, None)),
        (ClockDrift(), ((), 3)),
        (ClockDrift(), (((5, 0), (5, 1)), 3)),
    ],
)
def test_what_is_no_state_is_refused(made: Any, state: Any) -> None:
    with pytest.raises(ValueError, match="state"):
        made.state = state
