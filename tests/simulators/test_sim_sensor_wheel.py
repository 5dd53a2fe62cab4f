"""The simulated wheels with bare sensors: seeded, true to their own truth on the line, able in real time."""

import itertools
from collections import Counter
from pathlib import Path

import pytest

from protocols.sensor import (
    CHANNELS,
    LEVEL,
    Counts,
    Damaged,
    Edges,
    Gap,
    Heartbeat,
    Identity,
    Index,
    Message,
    Restarted,
    SelfTest,
)
from protocols.sensor_decoder import SensorDecoder
from simulators import sensor_mishaps
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_wheel import Kind, SensorGame, SensorWheel
from simulators.physics.shaft import Shaft
from simulators.run import mishaps_of, sensor_wheel, simulate
from simulators.traffic import Bytes, Unplug


def messages(game: SensorGame, decoder: SensorDecoder) -> list[Message]:
    return [m for item in game.items if isinstance(item, Bytes) for m in decoder.feed(item.data)]


@pytest.mark.parametrize("kind", ["roulette", "boule"])
@pytest.mark.parametrize("encoder", ["counts", "edges"])
def test_the_line_is_whole_and_in_time(kind: Kind, encoder: Encoder) -> None:
    decoder, kinds = SensorDecoder(), Counter[type]()
    for game in SensorWheel(kind, encoder, 5).games(3):
        times = [item.t for item in game.items]
        assert times == sorted(times)
        said = messages(game, decoder)
        kinds.update(map(type, said))
        beats = [m.time for m in said if isinstance(m, Heartbeat)]
        assert all(400_000 < late - early < 600_000 for early, late in itertools.pairwise(beats))
    assert kinds[Gap] == kinds[Restarted] == kinds[Damaged] == 0
    assert kinds[Identity] > 3
    assert kinds[SelfTest] == kinds[Identity]
    assert (kinds[Counts] > 100, kinds[Index] > 10) == (encoder == "counts",) * 2
    assert kinds[Edges] > 50


@pytest.mark.parametrize("encoder", ["counts", "edges"])
def test_the_same_seed_gives_the_same_bytes_and_another_others(encoder: Encoder) -> None:
    one, same, other = (
        [game.items for game in SensorWheel("roulette", encoder, seed).games(2)] for seed in (3, 3, 4)
    )
    assert one == same
    assert one != other


def test_the_passes_on_the_line_are_those_of_the_truth() -> None:
    decoder = SensorDecoder()
    for game in SensorWheel("roulette", seed=8).games(4):
        rises = sum(
            each >= LEVEL and CHANNELS[each & 0x7F].startswith("rim")
            for m in messages(game, decoder)
            if isinstance(m, Edges)
            for each in m.channels
        )
        assert game.truth.laps is not None
        assert 3 * game.truth.laps - 3 <= rises <= 3 * game.truth.laps + 10, "a few bounce, a few are missed"


def test_mishaps_reach_the_line() -> None:
    seen = {}
    for name in ("packets_lost", "packet_damaged", "restarted", "unplugged", "edges_lost"):
        decoder = SensorDecoder()
        _, game = SensorWheel("roulette", seed=2, mishaps=sensor_mishaps.at({1: name})).games(2)
        kinds = Counter(type(m) for m in messages(game, decoder))
        seen[name] = kinds[Gap], kinds[Restarted]
        assert game.truth.fault == name
        assert any(isinstance(item, Unplug) for item in game.items) == (name == "unplugged")
    assert seen["packets_lost"][0] == seen["packet_damaged"][0] == seen["unplugged"][0] == 1
    assert seen["restarted"] == (0, 1)
    assert seen["edges_lost"] == (0, 0), "the device itself says so"


def test_a_shaft_comes_to_its_marks_when_it_stands_on_them() -> None:
    shaft = Shaft(0.2, 0.4, -0.002)
    shaft.drive(10.0, -0.4, 1.5, 0.002)
    found = list(shaft.meets(0.05, 0.1, 0.0, 30.0))
    assert len(found) > 80
    for time, n, sense in found:
        assert shaft.angle(time) == pytest.approx(0.05 + 0.1 * n, abs=1e-9)
        assert shaft.speed(time) * sense > 0
    assert [time for time, _, _ in found] == sorted(time for time, _, _ in found)


def test_mishaps_never_come_two_running_and_all_of_them_come() -> None:
    names = sensor_mishaps.possible("boule")
    schedule = sensor_mishaps.rated(names, 0.4, 1)
    drawn = [schedule(index) for index in range(400)]
    assert drawn[0] is None
    assert not any(one and other for one, other in itertools.pairwise(drawn))
    assert {mishap.name for mishap in drawn if mishap} == set(names)
    assert "ball_with_rotor" not in names


@pytest.mark.parametrize("fault", ["nothing", "weak_launch:2", "mixed@3", "ball_with_rotor"])
def test_a_fault_that_a_boule_cannot_have_is_refused(fault: str) -> None:
    with pytest.raises(ValueError, match=r"fault|rate|NAME"):
        mishaps_of(fault, "boule", 0)


def test_a_wheel_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="edges"):
        sensor_wheel("roulette", "magic", 37, None, 0)


async def test_a_roulette_in_real_time_writes_its_truths(tmp_path: Path) -> None:
    paths: list[str] = []
    truths = tmp_path / "truths"
    lost = await simulate(
        "roulette",
        fault="rim_dead@0",
        rounds=1,
        speed=2000,
        port="tcp",
        truth_path=truths,
        wait_for_reader=False,
        on_ready=paths.append,
    )
    assert paths[0].startswith("socket://")
    assert lost > 10_000
    assert '"fault": "rim_dead"' in truths.read_text()
