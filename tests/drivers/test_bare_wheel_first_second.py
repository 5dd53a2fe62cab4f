"""Between a ball's first pass of the rim and its fifth, with which its launch is told, it is in play too."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from bare_wheel_line import KINDS, driver, feed, of
from sensor_packets import changed, joined_by

from drivers.bare_wheel.watch import RIM
from drivers.readings import (
    AnyReading,
    BallLaunched,
    GameStarted,
    LaunchFailed,
    PlaceSettled,
    PocketUnread,
    StatesMissed,
    VoidSignalled,
)
from protocols import sensor as wire
from simulators import sensor_mishaps
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_wheel import Kind, SensorWheel
from simulators.traffic import Item

CHANNELS = len(wire.CHANNELS)
LID = wire.NUMBERS["lid"]
AFTER = (0.05, 0.3, 0.6)
"""Seconds after the first pass, before the fifth of any simulated ball."""


def bodies(items: Iterable[Item]) -> list[wire.Body]:
    told: list[wire.Body] = []

    def kept(body: wire.Body) -> list[wire.Body]:
        told.append(body)
        return []

    assert not list(changed(items, kept))
    return told


def game(kind: Kind, encoder: Encoder, mishap: str | None = None) -> tuple[SensorWheel, list[Item], float]:
    """A wheel, its first game, and when the ball first passed a rim sensor in it."""
    wheel = SensorWheel(kind, encoder, 3, None if mishap is None else sensor_mishaps.at({0: mishap}))
    [first] = wheel.games(1)
    passes = (
        time / 1e6
        for body in bodies(first.items)
        if isinstance(body, wire.Edges)
        for time, channel in zip(body.times, body.channels, strict=True)
        if channel >= wire.LEVEL and channel & 0x7F in RIM
    )
    return wheel, list(first.items), next(passes)


def lid_shut(wheel: SensorWheel, items: Iterable[Item], when: float, again: float) -> list[AnyReading]:
    """The readings of a line on which the lid is shut and, later, opened."""
    shut = False

    def standing(body: wire.Body) -> list[wire.Body]:
        nonlocal shut
        if isinstance(body, wire.Edges) and body.channels[-1] & 0x7F == LID:
            shut = body.channels[-1] == LID
        return [replace(body, lid_open=not shut)] if isinstance(body, wire.Heartbeat) else [body]

    moves = [(when, LID), (again, LID | wire.LEVEL)]
    edges = [(time, wire.Edges(0, (round(time * 1e6),), bytes([channel]))) for time, channel in moves]
    return feed(driver(wheel.options), joined_by(items, edges, standing))


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize(("kind", "encoder"), KINDS)
def test_a_lid_moved_before_the_launch_is_sure_is_signalled_with_it(
    kind: Kind, encoder: Encoder, after: float
) -> None:
    wheel, items, first = game(kind, encoder)
    said = lid_shut(wheel, items, first + after, first + after + 0.2)
    assert [type(each) for each in of(BallLaunched | VoidSignalled, said)] == [BallLaunched, VoidSignalled]
    assert of(VoidSignalled, said)[0].cause == "the lid was moved while the ball was in play"


@pytest.mark.parametrize(("kind", "encoder"), KINDS)
def test_a_lid_shut_before_the_first_pass_is_no_matter(kind: Kind, encoder: Encoder) -> None:
    wheel, items, first = game(kind, encoder)
    said = lid_shut(wheel, items, first - 0.1, 1e9)
    assert len(of(PlaceSettled, said)) == 1
    assert not of(VoidSignalled, said)


def test_a_lid_moved_in_a_launch_that_fell_short_does_not_spoil_the_one_that_stands() -> None:
    wheel, items, first = game("roulette", "counts", "weak_launch")
    said = lid_shut(wheel, items, first + 0.05, first + 0.3)
    assert [len(of(kind, said)) for kind in (LaunchFailed, PlaceSettled)] == [1, 1]
    assert not of(VoidSignalled, said[said.index(of(LaunchFailed, said)[0]) :])


HINDERING: dict[str, wire.Body] = {
    "supply": wire.Fault(3, 255, True, 0),
    "pocket stuck": wire.Fault(2, wire.NUMBERS["pocket"], True, 0),
    "rim stuck": wire.Fault(2, RIM.start, True, 0),
    "encoder": wire.Fault(7, 255, True, 0),
    "self-test": wire.SelfTest(bytes([0, 0, 5]) + bytes(CHANNELS - 3)),
    "channels": wire.Identity("SIM-3", "1", 1, 400, 0, 0b1),
}


def on_and_off(fault: wire.Body, items: Iterable[Item]) -> tuple[wire.Body, wire.Body]:
    """A fault, and what ends it."""
    match fault:
        case wire.Fault():
            return fault, replace(fault, active=False)
        case wire.Identity():
            right = next(body for body in bodies(items) if isinstance(body, wire.Identity))
            return replace(right, channels=fault.channels), right
        case _:
            return fault, wire.SelfTest(bytes(CHANNELS))


def under(
    fault: wire.Body, wheel: SensorWheel, items: list[Item], when: float, seconds: float
) -> list[AnyReading]:
    on, off = on_and_off(fault, items)
    others = [(when, on), (when + seconds, off)]
    return feed(driver(wheel.options), joined_by(items, others, lambda body: [body]))


@pytest.mark.parametrize("after", [-0.8, *AFTER[:2]])
@pytest.mark.parametrize("fault", HINDERING.values(), ids=HINDERING)
@pytest.mark.parametrize(("kind", "encoder"), [KINDS[0], KINDS[3]])
def test_a_hindering_fault_that_is_over_before_the_launch_is_sure_makes_it_half_seen(
    kind: Kind, encoder: Encoder, fault: wire.Body, after: float
) -> None:
    wheel, items, first = game(kind, encoder)
    said = under(fault, wheel, items, first + after, 0.3)
    assert [each.before for each in of(StatesMissed, said)] == [
        "what a faulty device did not see, at the launch"
    ]
    assert not of(PlaceSettled, said)
    assert len(of(PocketUnread, said)) == 1


@pytest.mark.parametrize("fault", HINDERING.values(), ids=HINDERING)
def test_a_hindering_fault_over_long_before_the_first_pass_is_no_matter(fault: wire.Body) -> None:
    wheel, items, first = game("boule", "counts")
    said = under(fault, wheel, items, first - 3.0, 0.5)
    assert [len(of(kind, said)) for kind in (GameStarted, PlaceSettled, StatesMissed)] == [1, 1, 0]
