"""A wheel whose sensors are whole on the line and not what they should be: no pocket is told by them."""

from collections.abc import Callable, Iterable, Iterator
from zlib import crc32

import pytest
from bare_wheel_line import KINDS, driver, feed, of
from sensor_packets import changed, without

from drivers.bare_wheel.options import BareWheelOptions
from drivers.bare_wheel.rotor import Rotor
from drivers.readings import (
    AnyReading,
    BallLaunched,
    BallLeftRim,
    BallMissing,
    FaultCleared,
    FaultRaised,
    PlaceSettled,
    PocketUnread,
    StatesMissed,
)
from protocols import cobs
from protocols import sensor as wire
from simulators import sensor_mishaps
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_wheel import Kind, SensorWheel
from simulators.traffic import Bytes, Item


def played(
    wheel: SensorWheel,
    games: int,
    change: Callable[[int, wire.Body], Iterable[wire.Body]],
    **options: object,
) -> list[list[AnyReading]]:
    """The readings of each game; `change` gets the game's number too."""
    made, number = driver({**wheel.options, **options}), 0

    def sent(index: int, items: Iterable[Item]) -> Iterator[Item]:
        nonlocal number
        for item in changed(items, lambda body: change(index, body), number):
            number += 1
            yield item

    return [feed(made, sent(index, game.items)) for index, game in enumerate(wheel.games(games))]


@pytest.mark.parametrize(("kind", "encoder"), KINDS)
def test_without_the_index_no_pocket_is_told_until_it_is_back(kind: Kind, encoder: Encoder) -> None:
    said = played(
        SensorWheel(kind, encoder, 5),
        5,
        lambda game, body: without("index", body) if game in (1, 2) else [body],
    )
    assert len(of(PlaceSettled, said[0])) == 1
    assert not of(PlaceSettled, said[1] + said[2])
    assert [fault.code for fault in of(FaultRaised, said[1] + said[2])] == ["index_silent"]
    for readings in said[1:3]:
        assert len(of(PocketUnread, readings)) == 1
        assert [missed.before for missed in of(StatesMissed, readings)] == ["the encoder's index"]
        assert not of(BallMissing, readings)
    assert "index_silent" in [fault.code for fault in of(FaultCleared, said[3])]
    assert len(of(PlaceSettled, said[4])) == 1


@pytest.mark.parametrize(("at", "wrong"), [(1, 99), (-1, 0x2A)], ids=["kind", "fields"])
@pytest.mark.parametrize("encoder", ["counts", "edges"])
def test_a_packet_of_edges_whose_checksum_is_right_and_its_fields_are_not_makes_it_half_seen(
    encoder: Encoder, at: int, wrong: int
) -> None:
    wheel = SensorWheel("roulette", encoder, 3)
    made = driver(wheel.options)
    for number, game in enumerate(wheel.games(8)):
        begins = game.truth.launched + 0.6 * number  # in the rim, while it falls, and at rest
        wrongs = 0
        said: list[AnyReading] = []
        for item in game.items:
            if isinstance(item, Bytes) and item.t > begins and not wrongs:
                packet = bytearray(cobs.decode(item.data.rstrip(b"\0")) or b"")
                if packet[1] == 2:
                    packet[at if at > 0 else -5] = wrong
                    whole = bytes(packet[:-4]) + crc32(packet[:-4]).to_bytes(4, "little")
                    item, wrongs = Bytes(item.t, cobs.encode(whole) + b"\0"), 1
            said += feed(made, [item])
        assert wrongs == 1
        assert not of(PlaceSettled, said)
        assert len(of(StatesMissed, said)) == 1


@pytest.mark.parametrize("encoder", ["counts", "edges"])
@pytest.mark.parametrize("counts", [20, 40, 74, 184])
def test_an_encoder_too_coarse_for_the_pockets_tells_none(encoder: Encoder, counts: int) -> None:
    games = played(SensorWheel("roulette", encoder, 3, counts=counts), 3, lambda _, body: [body])
    said = [reading for game in games for reading in game]
    assert len(of(BallLaunched, said)) >= 2
    assert not of(PlaceSettled, said)
    assert not of(BallMissing, said)
    assert [fault.code for fault in of(FaultRaised, said)] == ["encoder_counts"]


def test_counts_that_are_not_the_table_files_are_a_fault() -> None:
    said = played(SensorWheel("roulette", "counts", 3), 1, lambda _, body: [body], counts=800)
    assert [fault.code for fault in of(FaultRaised, said[0])] == ["encoder_counts"]


def test_the_table_file_is_held_to_five_counts_a_pocket() -> None:
    with pytest.raises(ValueError, match="counts: 37 pockets need 185 or more"):
        BareWheelOptions(counts=184)
    assert BareWheelOptions(counts=185).counts == 185


@pytest.mark.parametrize("slack", [12, 1000])
def test_a_slip_of_a_pocket_is_one_however_wide_the_mark_is_said_to_be(slack: int) -> None:
    def slips(game: int, body: wire.Body) -> list[wire.Body]:
        if game and isinstance(body, wire.Counts):
            return [wire.Counts(body.invalid, body.times, tuple(each + 11 for each in body.positions))]
        if game and isinstance(body, wire.Index):
            return [wire.Index(body.time, body.position + 11)]
        return [body]

    said = played(SensorWheel("roulette", "counts", 5), 2, slips, slack=slack)
    assert "encoder_slip" in [fault.code for fault in of(FaultRaised, said[1])]


def test_of_what_failed_the_devices_test_of_itself_nothing_is_told() -> None:
    wheel = SensorWheel("roulette", "counts", 3)
    bad = wire.SelfTest(b"\1" * len(wire.CHANNELS))
    good = wire.SelfTest(b"\0" * len(wire.CHANNELS))

    def tested(game: int, body: wire.Body) -> list[wire.Body]:
        if isinstance(body, wire.SelfTest):
            return [good if game >= 2 else bad]
        return [body]

    said = played(wheel, 5, tested)
    raised = of(FaultRaised, said[0])
    assert {"self_test_index", "self_test_pocket"} <= {fault.code for fault in raised}
    assert "self_test_pointer" not in {fault.code for fault in raised}, "it has none"
    assert all("failed the device's test of itself" in fault.text for fault in raised)
    assert not of(PlaceSettled, said[0] + said[1])
    assert len(of(PocketUnread, said[1])) == 1
    assert len(of(PlaceSettled, said[4])) == 1


@pytest.mark.parametrize(("code", "channel"), [(6, 255), (2, 6), (7, 0), (1, 2)])
def test_a_fault_said_once_while_bets_are_placed_spoils_the_throw(code: int, channel: int) -> None:
    fault, told = wire.Fault(code, channel, True, 0), False

    def failing(game: int, body: wire.Body) -> list[wire.Body]:
        nonlocal told
        if game == 1 and not told:
            told = True
            return [fault, body]
        return [body]

    said = played(SensorWheel("roulette", "counts", 3), 3, failing)
    assert [len(of(PlaceSettled, readings)) for readings in said] == [1, 0, 1]


def test_a_fault_that_the_device_says_again_every_ten_seconds_spoils_every_throw() -> None:
    def failing(game: int, body: wire.Body) -> list[wire.Body]:
        return [wire.Fault(6, 255, True, 0), body] if game and isinstance(body, wire.Identity) else [body]

    said = played(SensorWheel("roulette", "counts", 3), 3, failing)
    assert [len(of(PlaceSettled, readings)) for readings in said] == [1, 0, 0]


def test_a_silent_rim_sensor_does_not_as_two_are_enough() -> None:
    def failing(game: int, body: wire.Body) -> list[wire.Body]:
        return [wire.Fault(1, 4, True, 0), body] if isinstance(body, wire.Identity) else [body]

    said = played(SensorWheel("roulette", "counts", 3), 2, failing)
    assert [len(of(PlaceSettled, readings)) for readings in said] == [1, 1]


@pytest.mark.parametrize("mishap", ["rim_dead", "packet_damaged", "rim_covered"])
def test_where_the_ball_left_the_rim_is_told_only_if_all_its_sensors_saw_it(mishap: str) -> None:
    wheel = SensorWheel("roulette", "counts", 3, sensor_mishaps.at({1: mishap, 2: mishap}))
    made = driver(wheel.options)
    assert [len(of(BallLeftRim, feed(made, game.items))) for game in wheel.games(3)] == [1, 0, 0]


@pytest.mark.parametrize(("counts", "allowed"), [(185, 1), (240, 1), (4000, 16)])
def test_an_index_that_misses_by_more_than_a_part_of_a_pocket_is_a_slip(counts: int, allowed: int) -> None:
    for off, slips in ((allowed, 0), (-allowed, 0), (allowed + 1, 1), (-allowed - 1, 1)):
        rotor = Rotor(BareWheelOptions(counts=counts, slack=1000))
        rotor.count(wire.Counts(0, (0,), (0,)))
        assert rotor.index(100) is None
        assert (rotor.index(100 + counts + off) is not None) == slips


def test_a_ball_seen_between_two_pockets_has_not_left_the_cylinder() -> None:
    """The pocket sensor stands half a pocket from where the table file says."""
    wheel = SensorWheel("roulette", "counts", 5)
    offset = (float(str(wheel.options["offset"])) + 0.5 / 37) % 1.0
    games = played(wheel, 4, lambda _, body: [body], offset=offset)
    told = [[type(each) for each in of(PocketUnread | BallMissing, said)] for said in games]
    reasons = [each.reason for said in games for each in of(PocketUnread, said)]
    assert told.count([PocketUnread]) >= 2
    assert set(reasons) == {"the ball was seen between two pockets"}


def test_more_edges_of_the_pocket_sensor_than_can_wait_are_not_dropped_without_a_word() -> None:
    wheel = SensorWheel("roulette", "counts", 3)
    pulses = bytes([wire.LEVEL | 6, 6] * 25)

    def flooded(game: int, body: wire.Body) -> list[wire.Body]:
        if game == 1 and isinstance(body, wire.Edges):
            late = tuple(body.times[-1] + each for each in range(50))
            return [body, *[wire.Edges(body.lost, late, pulses)] * 3]
        return [body]

    said = played(wheel, 2, flooded)
    assert "edges of the pocket sensor, more than can wait" in {
        missed.before for missed in of(StatesMissed, said[1])
    }
    assert not of(PlaceSettled, said[1])
