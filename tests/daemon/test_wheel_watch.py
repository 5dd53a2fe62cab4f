"""The wheel's fairness at a table in play: what counts, for which wheel, and the fault."""

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from table_hall import Hall, JsonDriver

from daemon.table.state import encode_state, read_state
from daemon.table.table import Table
from drivers.driver import Health
from drivers.readings import (
    BallLaunched,
    BallLeftRim,
    BallMissing,
    DeviceBack,
    GameStarted,
    LaunchFailed,
    PlaceSettled,
)

POCKETS = Hall().setup.game.layout.pockets  # type: ignore[attr-defined]


def fairness(hall: Hall) -> Any:
    return hall.last("stats")["fairness"]


def restarted(hall: Hall, **change: Any) -> Hall:
    """The same table, its state through the journal, in a new process."""
    hall.setup = msgspec.structs.replace(hall.setup, **change)
    kept = read_state(encode_state(hall.table.state), hall.table.play)
    hall.table = Table(hall.setup, {"wheel": JsonDriver()}, kept, hall.table.book.records)
    hall.take(hall.table.start(hall.now, restarted=True))
    hall.take(hall.table.link_up("wheel", "pts", hall.now))
    return hall.readings(lambda at: [DeviceBack(device="wheel", at=at)])


def play_all(hall: Hall, numbers: Sequence[str]) -> Hall:
    for number in numbers:
        hall.play(number)
    return hall


def test_valid_rounds_count_by_place_and_by_distance() -> None:
    assert fairness(Hall()) is None
    hall = play_all(Hall(), [POCKETS[3], POCKETS[36], POCKETS[2]])
    figures = fairness(hall)
    assert (figures["sample"], figures["since_round"], figures["level"]) == (3, 1, "ok")
    assert [place for place, n in enumerate(figures["places"]) if n] == [2, 3, 36]
    assert [distance for distance, n in enumerate(figures["distances"]) if n] == [3, 33]
    assert figures["wheel"] == "wheel"
    assert figures["ball"] is None
    assert figures["distance"]["sample"] == 2


def test_a_void_does_not_count_and_a_correction_replaces() -> None:
    hall = Hall().play(POCKETS[3])
    hall.readings(lambda at: [GameStarted(device="wheel", at=at, game=2)])
    hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor=None)])
    hall.readings(lambda at: [BallMissing(device="wheel", at=at)])
    hall.play(POCKETS[5], game=3)
    assert fairness(hall)["sample"] == 2
    assert hall.ask("correct", round=1, number=POCKETS[4], reason="misread").ok
    figures = fairness(hall)
    assert [place for place, n in enumerate(figures["places"]) if n] == [4, 5]
    assert [distance for distance, n in enumerate(figures["distances"]) if n] == [1]
    assert hall.ask("void", round=1, reason="coin in the wheel").ok
    assert fairness(hall)["sample"] == 1
    assert sum(fairness(hall)["distances"]) == 0


def test_a_restart_is_as_if_there_was_none() -> None:
    random = Random(5)
    numbers = [random.choice(POCKETS) for _ in range(60)]
    whole = play_all(Hall(), numbers)
    parts = play_all(restarted(play_all(Hall(), numbers[:25])), numbers[25:])
    assert fairness(parts) == fairness(whole)
    assert fairness(whole)["sample"] == 60


@pytest.mark.parametrize("change", [{"ball": "b2"}, {"wheel": "SN2"}, {"test": False}])
def test_another_wheel_or_ball_begins_anew_with_its_first_round(change: dict[str, Any]) -> None:
    hall = restarted(Hall(wheel="SN1", ball="b1").play("17"), **change)
    hall.play("20")
    figures = fairness(hall)
    assert (figures["sample"], figures["since_round"]) == (1, 2)
    assert (figures["wheel"], figures["ball"]) == (change.get("wheel", "SN1"), change.get("ball", "b1"))
    assert hall.ask("correct", round=1, number="5", reason="misread").ok  # the other wheel's
    assert fairness(hall) == figures


def test_a_correction_before_the_new_balls_first_round_is_the_old_ones() -> None:
    hall = restarted(Hall(ball="b1").play("17").play("20"), ball="b2")
    assert hall.ask("correct", round=2, number=POCKETS[5], reason="misread").ok
    figures = fairness(hall)
    assert (figures["ball"], figures["since_round"], figures["sample"]) == ("b1", 1, 2)
    assert figures["places"][5] == 1


def test_the_same_wheel_goes_on() -> None:
    hall = restarted(Hall(wheel="SN1", ball="b1").play("17")).play("20")
    assert fairness(hall)["sample"] == 2


def test_the_device_says_which_wheel_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    serial: list[str | None] = ["W-1"]

    def health(_: JsonDriver) -> Health:
        return Health(frames=0, bad_frames=0, last_frame=None, serial=serial[0])

    monkeypatch.setattr(JsonDriver, "health", health)
    hall = Hall().play("17")
    serial[0] = None
    hall.play("18")  # it does not say: the same one
    assert (fairness(hall)["wheel"], fairness(hall)["sample"]) == ("W-1", 2)
    serial[0] = "W-2"
    hall.play("19")
    assert (fairness(hall)["wheel"], fairness(hall)["sample"]) == ("W-2", 1)
    assert fairness(Hall(wheel="plate").play("1"))["wheel"] == "plate"


def test_an_alarm_latches_a_fault_until_the_wheel_is_another() -> None:
    hall = play_all(Hall(wheel="SN1"), ["17"] * 12)
    assert fairness(hall)["level"] == "alarm"
    fault = hall.last("fault/wheel_bias")
    assert fault["device"] == "wheel"
    assert "technician" in fault["remedy"]
    assert hall.last("status")["state"] == "alert"
    raised = [event for event in hall.all("event/fault") if event["data"]["latched"]]
    assert len(raised) == 1
    restarted(hall).play("3")  # the same wheel: still there
    assert hall.last("fault/wheel_bias") is not None
    restarted(hall, wheel="SN2").play("3").play("5")
    assert hall.last("fault/wheel_bias") is None
    assert fairness(hall)["level"] == "ok"
    assert hall.last("status")["state"] == "ready"


def test_an_alarm_does_not_go_back_with_a_correction() -> None:
    """Else one correction could silence a true one; the counts and the present figure are put right."""
    hall = play_all(Hall(wheel="SN1"), ["17"] * 8)
    before = fairness(hall)
    assert before["log10"] == before["highest"] >= 3
    assert hall.ask("correct", round=8, number="5", reason="misread").ok
    hall.play("20")
    figures = fairness(hall)
    assert figures["log10"] < 3
    assert (figures["highest"], figures["level"]) == (before["highest"], "alarm")
    assert hall.last("fault/wheel_bias") is not None
    restarted(hall, wheel="SN1, levelled").play("3").play("5")
    assert hall.last("fault/wheel_bias") is None


def test_a_replay_from_a_snapshot_counts_the_same() -> None:
    hall = play_all(Hall(), ["17"] * 12)
    number, snapshot = hall.begins[-2]
    again = Table(hall.setup, {"wheel": JsonDriver()})
    again.start(hall.now, restarted=False)
    again.restore(snapshot, hall.now)
    assert number == 12
    assert again.state.wheel is not None
    assert again.state.wheel.places[POCKETS.index("17")] == 11
    for data, at in [args for name, args in hall.log if name == "bytes"][-4:]:
        effects = again.link_bytes("wheel", data, at)
        assert effects is not None
        assert "event/fault" not in [message.topic for message in effects.durable]  # it was latched before
    assert again.state.wheel == hall.table.state.wheel


def test_a_boule_is_counted_by_hole() -> None:
    hall = Hall(game="boule", language="es")
    holes = hall.table.play.layout
    twin = len(holes) - 1 - holes[::-1].index(holes[0])
    assert twin != 0
    for place in (0, twin):
        hall.readings(lambda at: [GameStarted(device="wheel", at=at)])
        hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor=None)])
        hall.readings(lambda at, here=place: [PlaceSettled(device="wheel", at=at, place=here)])  # type: ignore[misc]
    figures = fairness(hall)
    assert len(figures["places"]) == 18
    assert [place for place, n in enumerate(figures["places"]) if n] == [0, twin]
    assert hall.ask("correct", round=2, number=holes[0], reason="misread").ok is False  # it has that number
    assert hall.ask("correct", round=2, number=holes[1], reason="misread").ok
    assert fairness(hall)["sample"] == 1  # which hole it was, nobody said


RIM = (0.0, 0.29, 0.56)


def throw(hall: Hall, angle: float, ball: Any = "cw", place: int = 3) -> Hall:
    """A round with a device that says where the ball left the rim."""
    hall.readings(lambda at: [GameStarted(device="wheel", at=at)])
    hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor=None)])
    hall.readings(lambda at: [BallLeftRim(device="wheel", at=at, angle=angle, ball=ball, rim=RIM)])
    return hall.readings(lambda at: [PlaceSettled(device="wheel", at=at, place=place)])


def test_where_the_ball_left_the_rim_is_in_the_record_and_counted_by_its_sense() -> None:
    hall = Hall().play("17")
    assert hall.records[-1].drop is msgspec.UNSET
    assert fairness(hall)["drop"] is None
    throw(throw(throw(hall, 0.145), 0.78, "ccw"), 0.78)
    drop: Any = hall.records[-1].drop
    assert (drop.angle, drop.ball, drop.rim) == (0.78, "cw", RIM)
    figures = fairness(hall)["drop"]
    assert (figures["cw"], figures["ccw"]) == ([1, 0, 1], [0, 0, 1])
    assert (figures["sample"], figures["since_round"], figures["level"]) == (3, 2, "ok")
    assert figures["uniformity"]["sample"] == 3
    assert hall.ask("correct", round=3, number=POCKETS[4], reason="misread").ok
    assert fairness(hall)["drop"]["ccw"] == [0, 0, 1], "what the number was has nothing to do with it"
    assert hall.ask("void", round=3, reason="coin in the wheel").ok
    assert fairness(hall)["drop"]["ccw"] == [0, 0, 0]
    assert fairness(restarted(hall))["drop"] == fairness(hall)["drop"]


def test_what_a_failed_launch_left_behind_is_not_the_next_balls() -> None:
    hall = Hall()
    hall.readings(lambda at: [GameStarted(device="wheel", at=at)])
    hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor=None)])
    hall.readings(lambda at: [BallLeftRim(device="wheel", at=at, angle=0.145, ball="cw", rim=RIM)])
    hall.readings(lambda at: [LaunchFailed(device="wheel", at=at, rotor=None)])
    hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor=None)])
    hall.readings(lambda at: [PlaceSettled(device="wheel", at=at, place=3)])
    assert (hall.records[-1].verdict, hall.records[-1].drop) == ("valid", msgspec.UNSET)


def test_a_drop_zone_is_a_fault_of_its_own() -> None:
    hall, random = Hall(wheel="SN1"), Random(2)
    for _ in range(40):
        throw(hall, 0.425, place=random.randrange(37))
    figures = fairness(hall)
    assert (figures["level"], figures["drop"]["level"]) == ("ok", "alarm")
    assert "level the wheel" in hall.last("fault/wheel_drop_zone")["remedy"]
    assert not hall.all("fault/wheel_bias")
    assert hall.records[-1].verdict == "valid"
    throw(throw(restarted(hall, wheel="SN2"), 0.425), 0.425)
    assert hall.last("fault/wheel_drop_zone") is None
