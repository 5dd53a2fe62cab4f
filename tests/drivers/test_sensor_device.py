"""The device itself, as both drivers of bare sensors have it: what it must have, its lid, its snapshots."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from sensor_device_line import (
    ALL,
    COUNTS,
    KINDS,
    SERIALS,
    Line,
    cleared,
    driver,
    games,
    identity,
    raised,
    results,
)

from drivers.readings import AnyReading, ButtonPressed, Instant, LidMoved, VoidSignalled
from drivers.sensor_faults import Faults
from drivers.sensor_fit import Needs
from drivers.sensor_switch import Switch
from protocols.sensor import LEVEL, NUMBERS, Body, Counts, Edges, Fault, Heartbeat, Identity, Index, SelfTest

LID, BUTTON = NUMBERS["lid"], NUMBERS["button"]


def lids(said: list[AnyReading]) -> list[bool]:
    return [each.open for each in said if isinstance(each, LidMoved)]


# --- whether it fits the table file -----------------------------------------------------------------------


@KINDS
@pytest.mark.parametrize(
    ("known", "told", "faults"),
    [(7, 7, []), (7, 8, ["calibration_old"]), (0, 8, []), (7, 0, []), (0, 0, [])],
)
def test_a_calibration_made_before_the_sensors_were_moved_is_old(
    kind: str, known: int, told: int, faults: list[str]
) -> None:
    line = Line(kind, known)
    assert raised(line.say(identity(kind, calibration=told))) == faults
    assert line.hindered == bool(faults)
    assert cleared(line.say(identity(kind, calibration=known))) == faults


@KINDS
def test_with_an_old_calibration_nothing_is_judged(kind: str) -> None:
    def moved(game: int, body: Body) -> list[Body]:
        if not isinstance(body, Identity):
            return [body]
        return [replace(body, calibration=6 if game else 5)]

    said = games(kind, 2, moved, device_calibration=5)
    assert results(said) == [1, 0]
    assert raised(said[1]) == ["calibration_old"]


@KINDS
@pytest.mark.parametrize(("counts", "wrong"), [(0, False), (4, True), (720, True)])
def test_counts_that_are_not_the_table_files_or_too_few_are_a_fault(
    kind: str, counts: int, wrong: bool
) -> None:
    line = Line(kind)
    said = line.say(Identity(SERIALS[kind], "1", 1, counts, 0, ALL))
    assert raised(said) == (["encoder_counts"] if wrong else [])
    assert line.hindered == wrong
    assert cleared(line.say(identity(kind))) == raised(said)


@KINDS
def test_what_the_device_says_no_longer_neither_raises_nor_clears_a_fault(kind: str) -> None:
    line = Line(kind, 7)
    wrong = Identity(SERIALS[kind], "1", 1, 4, 8, ALL)
    assert sorted(raised(line.say(wrong))) == ["calibration_old", "encoder_counts"]
    unknown = replace(wrong, counts=0, calibration=0)
    assert not line.say(unknown)
    line.start_again(replace(unknown, boot=2))
    assert line.driver.device.faults.codes == ["calibration_old", "encoder_counts"]
    line.start_again(replace(unknown, serial="ANOTHER"))
    assert line.driver.device.faults.codes == ["calibration_foreign"], "of another device nothing is known"
    line.start_again(replace(wrong, boot=4))
    assert sorted(cleared(line.say(identity(kind, 4, calibration=7)))) == [
        "calibration_old",
        "encoder_counts",
    ]


@KINDS
def test_a_channel_that_the_wheel_needs_and_the_device_has_not_is_a_fault(kind: str) -> None:
    needed = {"bare": ("index", "pocket"), "fortune": ("index", "pointer")}[kind]
    for name in needed:
        line = Line(kind)
        (fault,) = line.say(identity(kind, channels=ALL & ~(1 << NUMBERS[name])))[1:]
        assert fault.code == "channels_missing"
        assert fault.text.endswith(f": {name}")
        assert line.hindered
        assert cleared(line.say(identity(kind))) == ["channels_missing"]
        assert not line.hindered


@KINDS
def test_an_encoder_is_two_channels_or_counted_by_the_device(kind: str) -> None:
    for channels, counts, missing in (
        (ALL & ~3, COUNTS[kind], False),
        (ALL & ~3, 0, True),
        (ALL & ~1, 0, True),
    ):
        line = Line(kind)
        line.say(Identity(SERIALS[kind], "1", 1, counts, 0, channels))
        assert line.hindered == missing


def test_of_three_rim_sensors_one_may_be_missing() -> None:
    for lacking, missing in (((), False), ((4,), False), ((3, 5), True), ((3, 4, 5), True)):
        channels = ALL & ~sum(1 << each for each in lacking)
        assert (raised(Line("bare").say(identity("bare", channels=channels))) != []) == missing


def test_needs_are_told_with_every_channel_that_is_lacking() -> None:
    needs = Needs(frozenset({2, 6}), frozenset({3, 4, 5}))
    assert needs.lacking(ALL) == []
    assert needs.lacking(ALL & ~0b01001000) == [6]
    assert needs.lacking(ALL & ~0b01011000) == [3, 4, 6]


@KINDS
def test_without_a_needed_channel_nothing_is_judged(kind: str) -> None:
    def poorer(game: int, body: Body) -> list[Body]:
        if game and isinstance(body, Identity):
            return [replace(body, channels=body.channels & ~(1 << NUMBERS["index"]))]
        return [body]

    assert results(games(kind, 2, poorer)) == [1, 0]


@KINDS
def test_of_a_device_that_never_says_who_it_is_nothing_is_judged(kind: str) -> None:
    assert results(games(kind, 2, lambda _, body: [] if isinstance(body, Identity) else [body])) == [0, 0]


@KINDS
def test_its_health_says_who_it_is_and_that_packets_were_missing(kind: str) -> None:
    line = Line(kind)
    assert (line.driver.health().firmware, line.driver.health().serial) == (None, None)
    line.say(identity(kind, serial="S-1"))
    line.lose()
    line.say(Heartbeat(0, 0, 0, False, 0))
    health = line.driver.health()
    assert (health.firmware, health.serial, health.frames) == ("1 (serial S-1)", "S-1", 2)
    assert health.note == "packets that were missing so far: 1"


# --- switches that flutter --------------------------------------------------------------------------------


def flutter(line: Line, channel: int, every: float, seconds: float) -> list[AnyReading]:
    """Edges of a switch, so many seconds apart, with heartbeats among them."""
    said: list[AnyReading] = []
    begins = line.clock
    high = False
    edge = begins + every
    while edge < begins + seconds:
        while line.clock + 0.5 <= edge:
            said += line.beat(0.5)
        high = not high
        if channel == LID:
            line.lid_open = high
        time = round(edge * 1e6)
        line.clock, line.host = edge, line.host + edge - line.clock
        said += line.say(Edges(0, (time,), bytes((channel | (LEVEL if high else 0),))))
        edge += every
    return said


@KINDS
@pytest.mark.parametrize("every", [0.05, 0.1, 0.3, 0.55, 2.5])
def test_a_lid_that_flutters_is_a_fault_and_no_more_is_told_of_it(kind: str, every: float) -> None:
    line = Line(kind)
    line.say(identity(kind))
    line.beat(1)
    said = flutter(line, LID, every, 120)
    assert raised(said) == ["lid_flutters"]
    assert not cleared(said)
    assert len(lids(said)) <= 20
    assert not line.hindered
    told = lids(said)[-1]
    line.lid_open = not told
    said = line.beat(62)
    assert cleared(said) == ["lid_flutters"]
    assert lids(said) == [not told], "how it stands now"


def test_one_move_after_the_calm_is_none_that_flutters() -> None:
    faults = Faults("wheel", Needs(frozenset()), [])
    lid = Switch("lid", faults)
    for number in range(20):
        assert not lid.flutters
        lid.edge(number * 100_000, number % 2 == 0, Instant(0, 0))
    assert lid.flutters
    faults.tick(61_900_001, Instant(0, 0))
    assert not lid.flutters
    assert lid.edge(62_000_000, True, Instant(0, 0))
    assert not lid.flutters


@KINDS
def test_a_lid_that_flutters_by_heartbeats_alone_is_a_fault_too(kind: str) -> None:
    line, said = Line(kind), list[AnyReading]()
    line.say(identity(kind))
    for number in range(400):
        line.lid_open = number % 2 == 0
        said += line.beat(0.5)
    assert raised(said) == ["lid_flutters"]
    assert len(lids(said)) <= 20


@KINDS
def test_a_button_that_flutters_is_pressed_no_more(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind))
    said = flutter(line, BUTTON, 0.1, 60)
    assert raised(said) == ["button_flutters"]
    assert sum(isinstance(each, ButtonPressed) for each in said) <= 10
    assert cleared(line.beat(61)) == ["button_flutters"]
    press = Edges(0, (round(line.clock * 1e6),), bytes((BUTTON | LEVEL,)))
    assert [type(each) for each in line.say(press)] == [ButtonPressed]


@KINDS
def test_hands_move_a_lid_and_press_a_button_as_often_as_they_like(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind))
    for channel in (LID, BUTTON):
        assert not raised(flutter(line, channel, 3.2, 300))
        line.beat(60)
        for _ in range(5):
            assert not raised([*flutter(line, channel, 0.2, 3.7), *line.beat(60)])


@KINDS
@pytest.mark.parametrize("channel", [LID, BUTTON])
def test_bursts_of_moves_are_told_no_oftener_than_moves_without_end(kind: str, channel: int) -> None:
    line, said = Line(kind), list[AnyReading]()
    line.say(identity(kind))
    for _ in range(60):
        said += [*flutter(line, channel, 0.1, 5), *line.beat(5.5)]
    assert len(said) <= 21, "twenty moves and a fault"


@KINDS
def test_a_fluttering_lid_is_one_after_a_start_until_it_is_calm(kind: str) -> None:
    line = Line(kind)
    line.say(identity(kind))
    assert raised(flutter(line, LID, 0.1, 5)) == ["lid_flutters"]
    line.start_again(identity(kind, 2))
    line.lid_open = False
    assert not cleared(line.beat(60))
    assert cleared(line.beat(1)) == ["lid_flutters"]


@pytest.mark.parametrize("every", [60_000, 130_000])
@pytest.mark.parametrize("before", [True, False])
def test_a_throw_under_a_lid_that_flutters_has_a_moved_lid(every: int, before: bool) -> None:
    """`before`: since long before the throw; otherwise from game 1 on."""
    last, high = 0, False

    def fluttering(game: int, body: Body) -> list[Body]:
        nonlocal last, high
        if not isinstance(body, Heartbeat) or not (game or before):
            return [body]
        times = list(range(max(last + every, body.time - 900_000), body.time - 1, every))
        if not times:
            return [body]
        last = times[-1]
        levels = []
        for _ in times:
            high = not high
            levels.append(LID | (LEVEL if high else 0))
        return [Edges(body.lost, tuple(times), bytes(levels)), body]

    said = games("bare", 3, fluttering)
    for game, readings in enumerate(said):
        voids = [each.cause for each in readings if isinstance(each, VoidSignalled)]
        moved = ["the lid was moved while the ball was in play"] if game or before else []
        assert voids == moved, game
    everything = [each for game in said for each in game]
    assert raised(everything) == ["lid_flutters"]
    assert len(lids(everything)) <= 21


# --- what is bounded --------------------------------------------------------------------------------------


@KINDS
def test_index_packets_without_end_say_little(kind: str) -> None:
    line, said = Line(kind), list[AnyReading]()
    line.say(identity(kind))
    for number in range(3000):
        line.clock, line.host = line.clock + 0.004, line.host + 0.004
        time = round(line.clock * 1e6)
        said += line.say(Index(time, number * 137_777), Heartbeat(0, 0, 0, False, 0))
    assert len(said) < 20, said


def test_positions_that_leap_past_the_index_again_and_again_say_little() -> None:
    line, said = Line("bare"), list[AnyReading]()
    line.say(identity("bare"))
    for number in range(3000):
        line.clock, line.host = line.clock + 0.004, line.host + 0.004
        time = round(line.clock * 1e6)
        leapt = Counts(0, (time,), (number * 1000,)), Index(time, number * 1000)
        said += line.say(Heartbeat(0, 0, 0, False, 0), *leapt)
    assert len(said) < 20, said


# --- snapshots --------------------------------------------------------------------------------------------


def broken(kind: str, kept: Any) -> list[Any]:
    """Snapshots of which some part is none, from the first to the last that is taken over."""
    made = []
    for change in (
        lambda state: state["device"]["decoder"][0].__setitem__(3, -1),
        lambda state: state["device"]["decoder"].__setitem__(2, None),
        lambda state: state["device"].__setitem__("now", "late"),
        lambda state: state["device"]["line"]["drift"].__setitem__(0, []),
        lambda state: state["device"]["faults"]["telling"].update(told=[], changes=[]),
        lambda state: (state["rotor"] if kind == "bare" else state)["quadrature"].__setitem__(3, 9),
        lambda state: state.__setitem__("nonsense", 1),
        (lambda state: state["play"]["ball"].__setitem__(3, 7))
        if kind == "bare"
        else (lambda state: state.__setitem__("spins", None)),
        (lambda state: state["play"]["ball"].__setitem__(2, 1 << 60))
        if kind == "bare"
        else (lambda state: state["spins"].__setitem__("kept", [[0, 0], [0, 0]])),
        *([lambda state: state["watch"].__setitem__("unseen", [0, 0])] if kind == "bare" else []),
    ):
        copy = msgspec.json.decode(msgspec.json.encode(kept))
        change(copy)
        made.append(copy)
    return made


@KINDS
def test_a_snapshot_that_is_none_changes_nothing(kind: str) -> None:
    line, other = Line(kind), Line(kind)
    line.beat(3, identity(kind), Fault(6, 255, True, 0), SelfTest(b"\1" * 10))
    kept = msgspec.json.decode(line.driver.snapshot())
    other.beat(1, identity(kind, serial="Y"))
    before = other.driver.snapshot()
    for state in broken(kind, kept):
        with pytest.raises(ValueError, match="snapshot"):
            other.driver.restore(msgspec.json.encode(state))
        assert other.driver.snapshot() == before
    other.driver.restore(line.driver.snapshot())
    assert other.driver.snapshot() == line.driver.snapshot()
    assert other.driver.device.faults.hindering == line.driver.device.faults.hindering
    for body in (SelfTest(bytes(10)), Heartbeat(0, 0, 3, True, 0)):
        assert line.say(body) == _said_like(other, line, body)


def _said_like(other: Line, line: Line, body: Body) -> list[AnyReading]:
    other.boot, other.clock, other.host, other._sequence = (
        line.boot,
        line.clock,
        line.host,
        line._sequence - 1,
    )
    return other.say(body)


@KINDS
def test_a_driver_that_was_restored_says_what_it_has_to_say_once(kind: str) -> None:
    line = Line(kind)
    kept = line.driver.snapshot()
    line.say(identity(kind))
    made = driver(kind)
    made.restore(kept)
    assert made.snapshot() == kept
    assert made.deadline is not None
