"""The simulated board that the wheels with bare sensors share: what it sends, when, and its index mark."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from fortune_wheel_line import RAW, scenario

from protocols import cobs
from protocols.sensor import HEAD, LEVEL, NUMBERS, Counts, Edges, Heartbeat, Identity, Index, Message
from protocols.sensor_decoder import SensorDecoder
from simulators.devices.microcontroller import Microcontroller, Seen, Troubles
from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel
from simulators.devices.sensor_wheel import SensorWheel
from simulators.traffic import Bytes, Item

A, B, INDEX, RIM, POINTER = (
    NUMBERS[name] for name in ("quadrature_a", "quadrature_b", "index", "rim_1", "pointer")
)


def sent(items: list[Item]) -> Iterator[tuple[int, Message]]:
    """Each packet's clock and body, as they arrive."""
    decoder = SensorDecoder()
    for item in items:
        if isinstance(item, Bytes):
            for piece in item.data.split(cobs.END)[:-1]:
                packet = cobs.decode(piece) if piece else None
                for body in decoder.feed(piece + cobs.END):
                    assert packet
                    yield HEAD.unpack_from(packet)[4], body


def board(channels: int = 1 << RIM) -> Microcontroller:
    return Microcontroller("1", "SIM-1", 400, channels)


def edges(start: float, many: int, apart: float = 0.005) -> list[tuple[float, int]]:
    return [(start + at * apart, RIM | LEVEL if at % 2 == 0 else RIM) for at in range(many)]


def told(said: list[tuple[int, Message]]) -> int:
    """The edges in all packets."""
    return sum(len(body.times) for _, body in said if isinstance(body, Edges))


@pytest.mark.parametrize("kind", ["fortune wheel", "roulette"])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_the_index_mark_is_so_wide_whichever_way_the_wheel_turns(kind: str, width: int) -> None:
    wheel: SensorWheel | SensorFortuneWheel
    if kind == "roulette":
        wheel = SensorWheel("roulette", "edges", 5, index_width=width)
    else:
        plan = {0: ("clean", None), 1: ("anticlockwise", None), 2: ("clean", None)}
        wheel = SensorFortuneWheel(replace(RAW, index_width=width), 3, plan.__getitem__)
    items = [item for game in wheel.games(3) for item in game.items]
    seen = [each for _, body in sent(items) if isinstance(body, Edges) for each in body.channels]
    rises = [at for at, each in enumerate(seen) if each == INDEX | LEVEL]
    spans = [seen[rise + 1 : seen.index(INDEX, rise)] for rise in rises if INDEX in seen[rise:]]
    steps = [[each & ~LEVEL for each in span if each & ~LEVEL in (A, B)] for span in spans]
    assert len(steps) > 15
    assert {len(each) for each in steps} == {width}


def test_an_index_mark_under_the_sensor_is_left_before_it_is_seen_again() -> None:
    wheel = SensorFortuneWheel(replace(RAW, index_width=400.0), 3, scenario("clean"))
    items = [item for game in wheel.games(3) for item in game.items]
    seen = [each for _, body in sent(items) if isinstance(body, Edges) for each in body.channels]
    levels = [each >= LEVEL for each in seen if each & ~LEVEL == INDEX]
    assert all(one != other for one, other in pairwise(levels))


def test_a_heartbeat_overtakes_edges_that_wait() -> None:
    said = list(sent(board().wire(0.0, 3.0, Seen(edges(0.98, 9)), Troubles())))
    assert told(said) == 9
    order = [type(body) for clock, body in said if 900_000 < clock < 1_100_000]
    assert order == [Heartbeat, Edges]


def test_edges_wait_for_50_ms_at_most_and_58_fill_a_packet() -> None:
    said = list(sent(board().wire(0.0, 3.0, Seen(edges(0.6, 200, 0.0004)), Troubles())))
    packets = [(clock, body) for clock, body in said if isinstance(body, Edges)]
    assert [len(body.times) for _, body in packets] == [58, 58, 58, 26]
    assert all(clock - body.times[0] <= 50_100 for clock, body in packets)


def test_the_edges_that_are_lost_are_those_that_it_says() -> None:
    made = board()
    troubles = Troubles(lost_edges=(0.7, 0.72))
    said = list(sent(made.wire(0.0, 2.0, Seen(edges(0.6, 40)), troubles)))
    assert told(said) == 36
    lost = [body.lost for _, body in said if isinstance(body, Heartbeat)]
    assert lost == [0, 4, 4]
    after = made.wire(2.0, 4.0, Seen(), Troubles())
    assert {body.lost for _, body in sent(after) if isinstance(body, Heartbeat)} == {4}


def test_a_start_begins_clock_sequence_positions_and_losses_anew() -> None:
    positions = [(0.1 + at * 0.05, 7_000 + at) for at in range(60)]
    made = board()
    made.wire(0.0, 0.05, Seen(), Troubles(lost_edges=(0.01, 0.02)))
    items = made.wire(0.05, 3.2, Seen(positions=positions), Troubles(restart=1.5))
    before = [body for clock, body in sent(items)]
    starts = [body.boot for body in before if isinstance(body, Identity)]
    first = next(at for at, body in enumerate(before) if isinstance(body, Identity))
    then = before[first:]
    assert len(starts) == 1
    assert next(body for body in then if isinstance(body, Counts)).positions == (0,)
    assert [body.uptime for body in then if isinstance(body, Heartbeat)] == [0, 0, 1]
    assert {body.lost for body in then if isinstance(body, Heartbeat)} == {0}


def test_a_dead_index_is_dead_for_a_counter_too_and_tells_no_edges() -> None:
    seen = Seen(positions=[(0.1, 0)], pulses=[(0.2, 3), (0.6, 403)])
    said = [body for _, body in sent(board().wire(0.0, 2.0, seen, Troubles(dead={INDEX: 0.4})))]
    assert [body.position for body in said if isinstance(body, Index)] == [3]
    assert not [body for body in said if isinstance(body, Edges)]


def test_the_line_is_late_by_16_ms_at_most_and_keeps_the_order() -> None:
    items = board().wire(0.0, 20.0, Seen(edges(0.6, 400, 0.03)), Troubles())
    times = [item.t for item in items]
    assert times == sorted(times)
    for item in items:
        for clock, _ in sent([Bytes(0.0, cobs.END), item]):
            assert 0.0009 < item.t - clock / 1e6 < 0.033
