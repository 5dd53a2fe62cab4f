"""The simulated fortune wheel with bare sensors: what is on its line, and what is said of it."""

import asyncio
import json
import socket
from itertools import pairwise
from math import pi
from pathlib import Path
from random import Random

import pytest
from fortune_wheel_line import COUNTED, RAW, scenario

from protocols import sensor as wire
from protocols.sensor_decoder import SensorDecoder
from simulators import run
from simulators.devices.fortune_wheel_play import MARGIN, SCENARIOS, fits, play
from simulators.devices.sensor_fortune_wheel import (
    FAULTS,
    POINTER,
    SensorFortuneWheel,
    encoder_edges,
    levels,
    pointer_edges,
)
from simulators.physics.fortune_wheel import Bearing, Push, spin
from simulators.traffic import Bytes, Replug, Unplug


def messages(build, name="clean", fault=None, spins=1):
    decoder = SensorDecoder()
    decoder.feed(b"\0")
    data = b"".join(
        item.data
        for game in SensorFortuneWheel(build, 1, scenario(name, fault)).games(spins)
        for item in game.items
        if isinstance(item, Bytes)
    )
    return decoder.feed(data)


@pytest.mark.parametrize("build", [COUNTED, RAW])
def test_the_line_is_whole_and_says_who_it_is(build):
    said = messages(build, spins=2)
    assert not [each for each in said if isinstance(each, wire.Damaged | wire.Gap | wire.Restarted)]
    identity = said[0]
    assert isinstance(identity, wire.Identity)
    assert (identity.serial, identity.counts) == (build.serial, build.counts)
    beats = [each.time for each in said if isinstance(each, wire.Heartbeat)]
    assert all(abs(later - earlier - 500_000) < 30 for earlier, later in pairwise(beats)), "a crystal's clock"


def test_the_same_seed_gives_the_same_bytes_and_another_others():
    first, again, other = (
        [item for game in SensorFortuneWheel(COUNTED, seed).games(2) for item in game.items]
        for seed in (5, 5, 6)
    )
    assert first == again != other


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_is_what_it_is_called(name):
    rng = Random(2)
    for _ in range(5):
        played = play(name, Bearing(), rng.random(), rng, 0.08)
        assert fits(name, played, 0.08)
        if name == "clean":
            assert played.turns_since_second >= 4
        if name == "about_four_turns":
            assert abs(played.turns_since_second - 4) < MARGIN
        if name == "third_push":
            assert played.turns_since_second > abs(played.motion.turns_since(played.last_push))
        if not played.is_spin:
            assert abs(played.motion.rest_angle - played.motion.pieces[0].angle) < pi


def test_the_encoders_edges_step_through_its_four_states_and_count_the_turns():
    motion = spin(Bearing(), 0.4, [Push(0.0, 3.0), Push(4.0, -6.0)])
    edges = encoder_edges(motion, 400)
    position = round((0.4 / (2 * pi)) * 400 - 0.5)
    before = levels(position)
    for _, channel, high in edges:
        now = list(before)
        now[channel] = high
        step = next(step for step in (1, -1) if levels(position + step) == tuple(now))
        position, before = position + step, tuple(now)
    assert abs(position - motion.rest_angle / (2 * pi) * 400) < 1.5
    assert [time for time, *_ in edges] == sorted(time for time, *_ in edges)


def test_the_pointers_edges_alternate_bounce_for_75_ms_at_most_and_end_where_it_rests():
    motion = spin(Bearing(), 0.4, [Push(0.0, 4.0)])
    edges = pointer_edges(motion, COUNTED, Random(3))
    assert [high for *_, high in edges] == [(at + 1) % 2 for at in range(len(edges))]
    assert {channel for _, channel, _ in edges} == {POINTER}
    assert edges[-1][2] == 0
    pegs = int((motion.rest_angle - 0.4) / (2 * pi) * 54)
    assert len(edges) > 2.5 * pegs, "some bounce"
    gaps = [later[0] - earlier[0] for earlier, later in pairwise(edges) if later[0] > motion.rest_time - 3]
    assert not [gap for gap in gaps if 0.075 < gap < 0.08]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_on_the_line(fault):
    clean = messages(RAW)
    said = messages(RAW, fault=fault)
    kinds = {type(each) for each in said}
    lost = max(each.lost for each in said if isinstance(each, wire.Heartbeat))
    edges = [sum(len(each.times) for each in some if isinstance(each, wire.Edges)) for some in (clean, said)]
    items = [type(item) for item in next(SensorFortuneWheel(RAW, 1, scenario("clean", fault)).games(1)).items]
    seen = {
        "gap": wire.Gap in kinds,
        "damaged": wire.Damaged in kinds or wire.Gap in kinds,
        "lost_edges": lost > 0 and edges[1] == edges[0] - lost,
        "missed_edge": edges[1] == edges[0] - 1,
        "doubled_edge": edges[1] == edges[0] + 1,
        "restart": wire.Restarted in kinds,
        "slip": edges[0] - edges[1] >= 12 and lost == 0,
        "slow_slip": edges[0] - edges[1] == 40 and lost == 0,
        "unplug": items.count(Unplug) == items.count(Replug) == 1,
        "pointer_dead": edges[1] < edges[0] - 100,
        "index_dead": 0 < edges[0] - edges[1] < 40,
        "sensors_cut": 20 < edges[0] - edges[1] < 1000 and lost == 0,
    }
    assert seen[fault]


# --- as mesad simulate runs it --------------------------------------------------------------------------


def test_plans_are_told_by_name_rate_and_game():
    assert run.spins_of(None, 1)(5) == ("clean", None)
    assert [run.spins_of("coat@2", 1)(at)[0] for at in range(4)] == ["clean", "clean", "coat", "clean"]
    assert run.spins_of("gap:1", 1)(0) == ("clean", "gap")
    mixed = [run.spins_of("mixed:0.5", 1)(at) for at in range(200)]
    assert 60 < mixed.count(("clean", None)) < 140
    assert len(set(mixed)) == len(run.spin_faults()) + 1
    assert set(run.spin_faults()) == (set(SCENARIOS) | set(FAULTS)) - {"clean"}
    for wrong in ("none", "coat:2", "mixed@1"):
        with pytest.raises(ValueError, match=r"none|coat|mixed"):
            run.spins_of(wrong, 1)


async def test_it_plays_on_a_port_with_its_truths_in_a_file(tmp_path: Path) -> None:
    truths, data, ready = tmp_path / "truths", bytearray(), asyncio.Event()
    where: list[str] = []

    def appeared(path: str) -> None:
        where.append(path)
        ready.set()

    playing = asyncio.create_task(
        run.simulate(
            "fortune-wheel",
            seed=4,
            rounds=1,
            speed=400,
            fault="too_few_turns:1",
            port="tcp",
            truth_path=truths,
            on_ready=appeared,
        )
    )
    await ready.wait()
    host, _, port = where[0].removeprefix("socket://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), family=socket.AF_INET)
    while piece := await reader.read(4096):
        data += piece
    await playing
    writer.close()
    (truth,) = [json.loads(line) for line in truths.read_text().splitlines()]
    assert (truth["scenario"], truth["pushes"]) == ("too_few_turns", 2)
    assert truth["turns_since_push"] < 4
    decoder = SensorDecoder()
    assert len(decoder.feed(bytes(data))) > 500
    assert decoder.damaged == 0
