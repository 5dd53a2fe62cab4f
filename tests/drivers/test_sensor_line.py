"""What both drivers of bare sensors make of restarts without end, of wrong clocks and wrapping positions."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest
from fortune_wheel_line import COUNTED, fed, instant, made
from retold_packets import Change, Retold, later, moved

from drivers.bare_wheel.driver import BareWheel
from drivers.bare_wheel.options import BareWheelOptions
from drivers.driver import Driver
from drivers.readings import (
    AnyReading,
    BallLaunched,
    DeviceRestarted,
    FaultCleared,
    FaultRaised,
    LidMoved,
    PlaceSettled,
    PocketUnread,
    RestUnread,
    StatesMissed,
    VoidSignalled,
    WheelAtRest,
    WheelHindered,
)
from protocols.sensor import Body, Counts, Edges, Heartbeat, Index, encode
from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel
from simulators.devices.sensor_wheel import SensorWheel
from simulators.traffic import Bytes, Item


def bare(options: dict[str, Any] | None = None) -> Driver:
    driver = BareWheel("wheel", msgspec.convert(options or {}, BareWheelOptions))
    driver.link_up(instant(0.0))
    return driver


def fortune() -> Driver:
    return made(COUNTED)


DRIVERS = pytest.mark.parametrize("make", [bare, fortune])
Make = Callable[[], Driver]


def of(kind: type | tuple[type, ...], said: Iterable[AnyReading]) -> list[Any]:
    return [reading for reading in said if isinstance(reading, kind)]


def beat(clock: int, *, is_open: bool = False) -> Heartbeat:
    return Heartbeat(clock, 0, 0, is_open, 3300)


class Line:
    """A driver with heartbeats as devices would send them."""

    def __init__(self, make: Make) -> None:
        self.driver = make()
        self.driver.receive(b"\0", instant(0.0))
        self._sequences: dict[int, int] = {}

    def __call__(
        self, seconds: float, clock: float | None = None, boot: int = 1, *, is_open: bool = False
    ) -> list[AnyReading]:
        """A heartbeat at an arrival, with a clock in seconds."""
        now = round((seconds if clock is None else clock) * 1e6)
        sequence = self._sequences.get(boot, 0)
        self._sequences[boot] = sequence + 1
        data = encode(beat(now, is_open=is_open), boot, sequence, now)
        return list(self.driver.receive(data, instant(seconds)))


# --- restarts -------------------------------------------------------------------------------------------


@DRIVERS
def test_a_device_that_starts_again_and_again_is_told_a_few_times_and_then_counted(make: Make) -> None:
    line = Line(make)
    said = [reading for n in range(3000) for reading in line(1 + n / 100, 1.0, boot=n % 256)]
    assert len(of(DeviceRestarted, said)) == 4
    assert [raised.code for raised in of(FaultRaised, said)] == ["device_restarts"]
    assert len(said) == 6, "and that the device is back"
    assert line.driver.health().note == "the device started again 2999 times so far, 2995 times untold"
    assert line.driver.health().frames == 3000


@DRIVERS
def test_two_devices_on_one_line_are_one_that_starts_again_and_again(make: Make) -> None:
    """Each with a lid of its own, its clock and its sequence; with the same byte of starts or another."""
    for boots in ((1, 2), (1, 1)):
        driver, said = make(), list[AnyReading]()
        driver.receive(b"\0", instant(0.0))
        for n in range(400):
            one = encode(beat(n * 500_000), boots[0], n, n * 500_000)
            other = encode(
                beat(n * 500_000 + 7_000_000, is_open=True), boots[1], 900 + n, n * 500_000 + 7_000_000
            )
            said += driver.receive(one, instant(n / 2))
            said += driver.receive(other, instant(n / 2 + 0.25))
        assert len(said) < 15
        assert "device_restarts" in [raised.code for raised in of(FaultRaised, said)]
        assert not of(FaultCleared, said)


@DRIVERS
def test_a_device_that_runs_for_a_minute_is_listened_to_again(make: Make) -> None:
    line, said = Line(make), list[AnyReading]()
    for boot in range(5):
        said += line(1.0 + boot, 1.0, boot)
    assert of(FaultRaised, said)
    assert not of(LidMoved, line(10.0, 2.0, 4, is_open=True))
    quiet = [reading for n in range(51) for reading in line(11.0 + n, 3.0 + n, 4, is_open=True)]
    assert not quiet
    cleared, moved_lid = line(65.1, 54.0, 4, is_open=True)
    assert isinstance(cleared, FaultCleared)
    assert cleared.code == "device_restarts"
    assert isinstance(moved_lid, LidMoved)


@DRIVERS
def test_a_start_now_and_then_is_told_each_time(make: Make) -> None:
    line, said = Line(make), list[AnyReading]()
    for boot in range(30):
        said += line(1.0 + boot * 20.1, 1.0, boot)
    assert len(of(DeviceRestarted, said)) == 29
    assert not of(FaultRaised, said)


# --- the clock's rate -----------------------------------------------------------------------------------


def beats(line: Line, rate: float, seconds: tuple[int, int], rng: Random) -> list[AnyReading]:
    said = list[AnyReading]()
    for n in range(seconds[0] * 2, seconds[1] * 2):
        late = rng.random() * 0.016 + (3.0 if rng.random() < 0.02 else 0.0) * (n % 2)
        said += line(1.0 + n / 2 + min(late, 0.4), n / 2 * rate)
    return said


@DRIVERS
@pytest.mark.parametrize(("rate", "words"), [(0.97, "3.0% slow"), (1.03, "3.0% fast"), (1.25, "25.0% fast")])
def test_a_clock_of_the_wrong_rate_is_a_fault_within_two_minutes(make: Make, rate: float, words: str) -> None:
    line = Line(make)
    said = beats(line, rate, (0, 120), Random(1))
    (raised,) = of(FaultRaised, said)
    assert (raised.code, words in raised.text) == ("clock", True), raised.text
    assert 60 <= (raised.at.mono - instant(1.0).mono) / 1e9 < 90
    assert not of((FaultCleared, DeviceRestarted), said)


@DRIVERS
@pytest.mark.parametrize("rate", [0.985, 0.9999, 1.0, 1.015])
def test_a_clock_that_is_nearly_right_is_no_fault(make: Make, rate: float) -> None:
    assert not of(FaultRaised, beats(Line(make), rate, (0, 600), Random(2)))


@DRIVERS
def test_a_clock_that_is_put_right_clears_its_fault(make: Make) -> None:
    line = Line(make)
    assert of(FaultRaised, beats(line, 1.05, (0, 100), Random(3)))
    line.driver.link_lost("unplugged", instant(102.0))
    line.driver.link_up(instant(103.0))
    line.driver.receive(b"\0", instant(103.0))
    said = beats(line, 1.0, (103, 190), Random(3))
    assert [cleared.code for cleared in of(FaultCleared, said)] == ["clock"]
    assert (said[-1].at.mono - instant(103.0).mono) / 1e9 >= 60


@DRIVERS
def test_a_snapshot_keeps_what_is_known_of_the_line(make: Make) -> None:
    line, copied = Line(make), Line(make)
    for n in range(200):
        assert line(n / 2, n / 2 * 1.04, n // 50) == copied(n / 2, n / 2 * 1.04, n // 50)
        kept = copied.driver.snapshot()
        copied.driver = make()
        copied.driver.restore(kept)
        assert copied.driver.snapshot() == kept == line.driver.snapshot()


# --- the clock's jumps ----------------------------------------------------------------------------------


def jumping(by: int, since: float) -> Change:
    """The device's clock is moved by so many µs at an arrival."""
    return lambda t, body, clock: [(later(body, by), clock + by) if t > since else (body, clock)]


def standing(since: float, until: float) -> Change:
    """The device's clock stands still in between, and then is where it had been."""
    held = round(since * 1e6)

    def change(t: float, body: Body, clock: int) -> list[tuple[Body, int]]:
        if not since < t < until:
            return [(body, clock)]
        if isinstance(body, Edges | Counts):
            body = replace(body, times=(held,) * len(body.times))
        return [(replace(body, time=held) if isinstance(body, Index) else body, held)]

    return change


def once(kind: type, by: int, after: float) -> Change:
    """One packet of a kind has times that are moved by so many µs."""
    done: list[bool] = []

    def change(t: float, body: Body, clock: int) -> list[tuple[Body, int]]:
        if t > after and isinstance(body, kind) and not done:
            done.append(True)
            return [(later(body, by), clock)]
        return [(body, clock)]

    return change


def thrown(change: Callable[[float], Change], games: int = 4, **options: Any) -> list[list[AnyReading]]:
    """What a roulette tells game by game; the change comes 4 s after the second game's launch."""
    wheel = SensorWheel("roulette", "counts", 5, **options)
    played = list(wheel.games(games))
    driver, told = bare(wheel.options), Retold(change(played[1].truth.launched + 4.0))
    return [[each for item in told(game.items) for each in fed(driver, item)] for game in played]


JUMPS = [-1_000_000, -10_000_000, -300_000_000, 3_000_000, 10_000_000, 300_000_000]


@pytest.mark.parametrize("by", JUMPS)
def test_a_throw_in_which_the_clock_jumps_ends_there_and_the_next_is_told(by: int) -> None:
    first, second, third, fourth = thrown(lambda since: jumping(by, since))
    assert of(PlaceSettled, first)
    assert not of(FaultRaised, first)
    assert len(of(DeviceRestarted, second)) == 1
    assert [raised.code for raised in of(FaultRaised, second)] == ["clock"]
    assert not of((PlaceSettled, VoidSignalled), second)
    for after in (third, fourth):
        assert len(of(BallLaunched, after)) == len(of(PlaceSettled, after)) == 1
        assert not of((VoidSignalled, StatesMissed, DeviceRestarted), after)
    assert "clock" in [cleared.code for cleared in of(FaultCleared, second + third + fourth)]


@pytest.mark.parametrize("kind", [Counts, Edges, Index])
@pytest.mark.parametrize("by", [-1_800_000_000, -60_000_000, 100_000, 2_000_000, 60_000_000, 1_800_000_000])
def test_a_throw_with_one_packet_of_other_times_is_half_seen_and_the_next_is_told(
    kind: type, by: int
) -> None:
    first, second, third, _ = thrown(lambda since: once(kind, by, since))
    assert of(PlaceSettled, first)
    assert len(of(StatesMissed, second)) == 1
    assert [unread.reason for unread in of(PocketUnread, second)] == ["part of the throw was not seen"]
    assert [raised.code for raised in of(FaultRaised, second)] == ["clock"]
    assert not of((PlaceSettled, VoidSignalled, DeviceRestarted), second)
    assert len(of(PlaceSettled, third)) == 1
    assert not of((VoidSignalled, StatesMissed), third)


def test_a_clock_that_stands_still_is_a_fault_and_when_it_runs_again_throws_are_told() -> None:
    first, second, third, fourth = thrown(lambda since: standing(since, since + 6.0))
    assert of(PlaceSettled, first)
    assert [raised.code for raised in of(FaultRaised, second)] == ["clock", "device_restarts"]
    assert not of((PlaceSettled, VoidSignalled), second + third)
    assert len(of(PlaceSettled, fourth)) == 1


@pytest.mark.parametrize("by", [-300_000_000, -1_000_000, 3_000_000, 300_000_000])
def test_a_spin_in_which_the_clock_jumps_is_unread_and_the_next_is_told(by: int) -> None:
    games = list(SensorFortuneWheel(COUNTED, 3).games(3))
    told, driver = Retold(jumping(by, games[1].items[0].t + 6.0)), fortune()
    first, second, third = (
        [each for item in told(game.items) for each in fed(driver, item)] for game in games
    )
    assert of(WheelAtRest, first)
    assert [type(each) for each in of((WheelAtRest, RestUnread, WheelHindered), second)] == [RestUnread]
    assert [raised.code for raised in of(FaultRaised, second)] == ["clock"]
    assert [rest.place for rest in of((WheelAtRest, RestUnread), third)] == [games[2].truth.segment]


@pytest.mark.parametrize("by", [-1_800_000_000, 1_000_000, 1_800_000_000])
def test_a_spin_with_one_packet_of_other_times_is_unread_and_the_next_is_told(by: int) -> None:
    games = list(SensorFortuneWheel(COUNTED, 3).games(3))
    told, driver = Retold(once(Counts, by, games[1].items[0].t + 6.0)), fortune()
    _, second, third = ([each for item in told(game.items) for each in fed(driver, item)] for game in games)
    assert [type(each) for each in of((WheelAtRest, RestUnread, WheelHindered), second)] == [RestUnread]
    assert [raised.code for raised in of(FaultRaised, second)] == ["clock"]
    assert [rest.place for rest in of((WheelAtRest, RestUnread), third)] == [games[2].truth.segment]


# --- the sequence, and positions ------------------------------------------------------------------------


def test_a_packet_that_comes_twice_is_taken_once_and_none_is_missing() -> None:
    wheel = SensorWheel("roulette", "counts", 5)
    (game,) = wheel.games(1)
    driver, said, twice = bare(wheel.options), list[AnyReading](), False
    for item in game.items:
        said += fed(driver, item)
        if item.t > game.truth.launched + 4.0 and not twice:
            twice = True
            said += fed(driver, item)
    assert [settled.place for settled in of(PlaceSettled, said)] == [game.truth.place]
    assert (driver.health().bad_frames, driver.health().note) == (1, None)
    assert not of((DeviceRestarted, StatesMissed), said)


@pytest.mark.parametrize("before", [200, 3_000])
@pytest.mark.parametrize("kind", ["roulette", "boule"])
def test_positions_that_wrap_in_a_throw_are_none_that_slip(kind: Any, before: int) -> None:
    wheel = SensorWheel(kind, "counts", 5)
    games = list(wheel.games(3))
    sign = 1 if games[1].truth.rotor != "ccw" else -1
    by = sign * ((1 << 31) - before)
    told, driver = Retold(lambda t, body, clock: [(moved(body, by), clock)]), bare(wheel.options)
    for game in games:
        said = [each for item in told(game.items) for each in fed(driver, item)]
        assert [settled.place for settled in of(PlaceSettled, said)] == [game.truth.place]
        assert not of((FaultRaised, StatesMissed, VoidSignalled), said)


def test_positions_that_wrap_in_a_spin_are_no_hand() -> None:
    games = list(SensorFortuneWheel(COUNTED, 3).games(3))
    for by in ((1 << 31) - 300, 12_000 - (1 << 31)):
        told, driver = Retold(lambda t, body, clock, by=by: [(moved(body, by), clock)]), fortune()
        for game in games:
            said = [each for item in told(game.items) for each in fed(driver, item)]
            assert [rest.place for rest in of((WheelAtRest, RestUnread), said)] == [game.truth.segment]
            assert not of(WheelHindered, said)


def test_it_is_told_as_it_was_where_nothing_is_told_otherwise() -> None:
    wheel = SensorWheel("roulette", "counts", 5)
    (game,) = wheel.games(1)
    told = list(Retold(lambda t, body, clock: [(body, clock)])(game.items))
    assert b"".join(data(item) for item in told) == b"".join(data(item) for item in game.items)


def data(item: Item) -> bytes:
    return item.data if isinstance(item, Bytes) else b""
