"""A throw of which nothing was seen: the ball in a pocket when the device is heard again tells of it."""

from collections.abc import Iterable

import pytest
from bare_wheel_line import KINDS, driver, feed, of
from sensor_packets import changed, joined_by

from drivers.readings import (
    AnyReading,
    BallLaunched,
    BallLeftRim,
    GameStarted,
    PlaceSettled,
    PocketUnread,
    StatesMissed,
)
from protocols import sensor as wire
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_wheel import Kind, SensorGame, SensorWheel
from simulators.traffic import Item, Replug, Unplug


def moment(kind: type, said: Iterable[AnyReading]) -> float:
    return float(of(kind, said)[0].at.mono / 1e9)


def fell(wheel: SensorWheel, game: SensorGame) -> float:
    """When the ball was out of the rim."""
    return moment(BallLeftRim, feed(driver(wheel.options), game.items))


def away(items: Iterable[Item], begins: float, ends: float) -> list[Item]:
    """The items of a line that is pulled and put back."""
    items = list(items)
    before, after = [i for i in items if i.t < begins], [i for i in items if i.t > ends]
    return [*before, Unplug(begins), Replug(ends), *after]


@pytest.mark.parametrize(("kind", "encoder"), KINDS)
def test_a_ball_found_in_a_pocket_is_of_a_throw_that_was_not_seen(kind: Kind, encoder: Encoder) -> None:
    wheel = SensorWheel(kind, encoder, 3)
    one, two = wheel.games(2)
    out = one.truth.launched - 0.5, fell(wheel, one) + 0.1
    said = feed(driver(wheel.options), away(one.items + two.items, *out))
    told = of(GameStarted | PocketUnread | BallLaunched | PlaceSettled | StatesMissed, said)
    assert [type(each) for each in told] == [
        GameStarted,
        PocketUnread,
        GameStarted,
        BallLaunched,
        PlaceSettled,
    ]
    unread = told[1]
    assert (unread.claims, unread.reason) == ((f"place {one.truth.place}",), "the throw was not seen")
    assert told[-1].place == two.truth.place


@pytest.mark.parametrize("fault", [wire.Fault(3, 255, True, 0), wire.Fault(2, 3, True, 0)])
def test_it_is_told_of_a_faulty_device_too(fault: wire.Body) -> None:
    wheel = SensorWheel("boule", "counts", 3)
    one, two = wheel.games(2)
    items = away(one.items + two.items, 1.0, fell(wheel, one) + 0.1)
    said = feed(driver(wheel.options), changed(items, lambda body: [fault, body]))
    assert of(PocketUnread, said)[0].reason == "the throw was not seen"


def test_a_ball_that_still_runs_then_is_seen_in_part_and_told_of_once() -> None:
    wheel = SensorWheel("roulette", "counts", 3)
    one, two = wheel.games(2)
    launched = one.truth.launched
    for back in (launched + 2.0, fell(wheel, one) - 4.0, fell(wheel, one) - 2.5):
        said = feed(driver(wheel.options), away(one.items + two.items, launched - 0.5, back))
        assert len(of(PocketUnread, said)) == 1
        assert [each.place for each in of(PlaceSettled, said)] == [two.truth.place]


def test_passes_that_are_no_attempt_yet_put_off_what_a_pocket_tells() -> None:
    """They may be the last of a throw that runs while an object lies in the pocket: it is seen in part."""
    wheel = SensorWheel("roulette", "counts", 3)
    one, two = wheel.games(2)
    full = moment(PlaceSettled, feed(driver(wheel.options), one.items))
    rest = fell(wheel, one) + 0.1
    passes = [(full + late, 3 + rim) for late, rim in ((-1.5, 0), (-0.2, 1), (1.4, 0))]
    edges = [
        (time, wire.Edges(0, (round(time * 1e6),), bytes([channel | wire.LEVEL]))) for time, channel in passes
    ]
    items = away(one.items + two.items, 1.0, rest)
    said = feed(driver(wheel.options), joined_by(items, edges, lambda body: [body]))
    told = of(StatesMissed | PocketUnread | PlaceSettled, said)
    assert [type(each) for each in told] == [StatesMissed, PocketUnread, PlaceSettled]
    unread = told[1]
    assert (unread.claims, unread.reason) == ((), "part of the throw was not seen"), "no sight is the ball's"
