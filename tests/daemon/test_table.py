"""The table as a whole, with a driver whose bytes are readings in JSON."""

from typing import Any

import pytest
from table_hall import SILENCE, Hall, JsonDriver

from daemon.records import Message
from daemon.table.effects import Effects
from daemon.table.table import Table
from drivers.readings import (
    SECOND,
    BallLaunched,
    BallLeavingRim,
    BallMissing,
    DeviceBack,
    FaultCleared,
    FaultRaised,
    GameStarted,
    Instant,
    PocketSettled,
    UnsolicitedReply,
)


def test_a_valid_round_is_one_record_with_everything_the_contract_promises() -> None:
    hall = Hall().play("17", rotor="cw")
    (record,) = hall.records
    assert (record.id, record.seq, record.round, record.revision) == ("ruleta-01/1/0", 1, 1, 0)
    assert record.verdict == "valid"
    assert record.outcome is not None
    assert record.outcome.number == "17"
    assert record.announcement == "17, negre, senar, manca"
    assert record.duration_ms == 3000
    assert record.session == 1
    assert record.test is True
    assert record.catalogue_hash == hall.setup.game.hash
    assert record.guidance[0].clause == "es-ct 1.IV.3.c"
    assert hall.last("result")["id"] == record.id
    assert hall.last("history")[0]["number"] == "17"
    assert hall.last("stats")["counts"]["17"] == 1
    phases = [(phase["phase"], phase["round"]) for phase in hall.all("phase")]
    assert phases == [("closed", 1), ("betting", 1), ("in_play", 1), ("no_more_bets", 1), ("result", 1)]


def test_after_a_void_the_previous_number_stays() -> None:
    hall = Hall().play("17")
    hall.readings(lambda at: [GameStarted(device="wheel", at=at, game=2)])
    hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor=None)])
    hall.readings(lambda at: [BallMissing(device="wheel", at=at)])
    assert hall.last("phase")["phase"] == "void"
    assert hall.last("phase")["announcement"] == "no hi va res"
    assert hall.last("phase")["previous"] == "17"
    hall.readings(lambda at: [GameStarted(device="wheel", at=at, game=3)])
    record = hall.records[-1]
    assert (record.verdict, record.outcome, record.previous, record.seq) == ("void", None, "17", 2)
    assert hall.last("result")["outcome"]["number"] == "17"
    assert [entry["verdict"] for entry in hall.last("history")] == ["void", "valid"]


def test_sequence_and_round_numbers_have_no_gaps_over_corrections() -> None:
    hall = Hall().play("17").play("4", 2)
    assert hall.ask("correct", round=1, number="18", reason="misread").ok
    hall.play("9", 3)
    assert [record.seq for record in hall.records] == [1, 2, 3, 4]
    assert [record.id for record in hall.records] == [
        "ruleta-01/1/0",
        "ruleta-01/2/0",
        "ruleta-01/1/1",
        "ruleta-01/3/0",
    ]
    corrected = hall.records[2]
    assert corrected.outcome is not None
    assert (corrected.outcome.number, corrected.corrected_by, corrected.reason) == ("18", "chief", "misread")
    assert hall.last("stats")["counts"]["17"] == 0
    assert hall.last("stats")["sample"] == 3


def test_correcting_an_older_round_does_not_replace_the_newest_result() -> None:
    hall = Hall().play("17").play("4", 2)
    hall.ask("correct", round=1, number="18", reason="misread")
    assert hall.last("result")["outcome"]["number"] == "4"
    assert hall.ask("void", round=2, reason="chip").ok
    assert hall.last("result")["outcome"]["number"] == "18"
    assert hall.ask("void", round=1, reason="chip").ok
    assert hall.last("result") is None


def test_an_older_round_that_is_voided_is_not_thrown_again() -> None:
    hall = Hall().play("17").play("4", 2)
    assert hall.ask("void", round=2, reason="chip").ok
    assert hall.records[-1].guidance  # the ball is put back
    assert hall.ask("void", round=1, reason="chip").ok
    assert hall.records[-1].guidance == ()


def test_a_held_round_waits_for_the_chief() -> None:
    hall = Hall(policy="inspector").play("17", rotor="cw").play("4", 2, rotor="cw")
    assert hall.records[-1].verdict == "held"
    assert hall.last("result")["outcome"]["number"] == "17"
    assert hall.ask("confirm", round=1).reason == "round 1 is valid, not held"
    assert hall.ask("confirm", round=2).ok
    assert hall.last("result")["id"] == "ruleta-01/2/1"
    assert [finding.rule for finding in hall.records[-1].findings] == ["wheel.rotor_alternates"]


def test_refusals_say_why_and_every_command_is_recorded() -> None:
    hall = Hall()
    assert hall.ask("void").reason == "no round is in hand: the table is in phase closed"
    assert hall.ask("no_more_bets").reason.startswith("bets are not open")
    assert hall.ask("confirm").reason == "'round' is needed"
    assert hall.ask("recall").reason == "no round has been recorded yet"
    assert hall.ask("void", round=5, reason=" ").reason == "'reason' is needed to void a recorded round"
    assert hall.ask("correct", number="3", reason="x").reason == "'round', 'number' and 'reason' are needed"
    assert hall.ask("limits", minimum=10**30).reason == "'minimum' must be 1 to 1000000000"
    assert hall.ask("recall", round=9).ok is False
    assert hall.ask("change_dice").reason == "french_roulette is played without dice"
    assert hall.ask("open").reason == "the table is open"
    assert "unknown command" in hall.ask("launch").reason
    hall.play("17")
    assert "no pocket '00'" in hall.ask("correct", round=1, number="00", reason="x").reason
    assert "are needed" in hall.ask("correct", round=1, number="1").reason
    assert "valid with 17 already" in hall.ask("correct", round=1, number="17", reason="x").reason
    assert len(hall.all("event/command")) == 14


def test_the_texts_differ_on_changing_limits_while_the_table_is_open() -> None:
    forbidden = Hall("es-1979", language="es", minimum=5).ask("limits", minimum=10)
    assert (forbidden.ok, forbidden.clause) == (False, "es-1979 01.IV.2.B.a")
    allowed = Hall("es-ct", minimum=5).ask("limits", minimum=10)
    assert (allowed.ok, allowed.clause) == (True, "es-ct 1.IV.2.c")
    hall = Hall("es-ex", language="es", minimum=5, multiple=540)
    counted = hall.ask("limits", minimum=10)
    assert (counted.ok, counted.data) == (
        True,
        {"last_rounds": 3, "announcement": "las tres últimas bolas"},
    )
    for game in (1, 2, 3):
        assert hall.last("description")["limits"]["minimum"] == 5
        hall.play("17", game)
    assert hall.last("description")["limits"]["minimum"] == 10


def test_closing_ends_the_session_and_opening_begins_the_next() -> None:
    hall = Hall().play("17")
    closed = hall.ask("close")
    assert closed.data["clause"] == "es-ct 1.IV.3.e"
    assert hall.last("status")["state"] == "closed"
    hall.play("4", 2)
    assert len(hall.records) == 1
    assert hall.ask("open").data == {"session": 2}
    hall.play("4", 3)
    assert hall.records[-1].session == 2


def test_the_status_tells_what_is_wrong() -> None:
    hall = Hall()
    assert hall.all("status")[0]["state"] == "init"
    assert hall.last("status")["state"] == "ready"
    hall.readings(lambda at: [FaultRaised(device="wheel", at=at, code="wheel_drive", text="motor")])
    assert hall.last("status")["state"] == "alert"
    assert hall.last("fault/wheel_drive")["text"] == "motor"
    hall.readings(lambda at: [FaultCleared(device="wheel", at=at, code="wheel_drive")])
    assert hall.last("fault/wheel_drive") is None
    assert hall.last("status")["state"] == "ready"
    hall.take(hall.table.link_lost("wheel", "unplugged", hall.now))
    assert (hall.last("status")["state"], hall.last("status")["reason"]) == (
        "disconnected",
        "wheel: unplugged",
    )
    assert hall.last("device/wheel")["state"] == "lost"


def test_silence_is_known_at_its_own_time_whatever_comes_next() -> None:
    hall = Hall()
    hall.readings(lambda at: [DeviceBack(device="wheel", at=at)], after=60 * SECOND)
    lost = next(event for event in hall.all("event/device") if event["data"]["state"] == "lost")
    assert lost["time"] == "2023-11-14T22:13:26.000000Z"


def test_silence_asks_for_the_link_to_be_reopened_once() -> None:
    hall = Hall()
    effects = hall.table.advance(hall.now.later(SILENCE))
    assert effects is not None
    assert effects.reopen == [("wheel", "silence")]
    assert hall.table.advance(hall.now.later(2 * SILENCE)) is None


def test_an_unsolicited_reply_is_a_finding() -> None:
    hall = Hall().readings(lambda at: [UnsolicitedReply(device="wheel", at=at, line="*P OK")])
    assert hall.last("event/finding")["data"]["rule"] == "device.unsolicited_reply"


def test_a_round_replayed_from_its_snapshot_gives_the_same_record_to_the_byte() -> None:
    hall = Hall().play("17", 1, rotor="cw").play("4", 2, rotor="cw").play("9", 3, rotor="ccw")
    hall.ask("correct", round=2, number="5", reason="misread")
    events = [m.payload for m in hall.said if m.topic == "event/round"]
    assert [number for number, _ in hall.begins] == [2, 3, 4]
    for number, snapshot in hall.begins[:2]:
        table = Table(hall.setup, {"wheel": JsonDriver()})
        start = Instant(0, 0)
        table.start(start, restarted=False)
        said: list[Message] = []
        for effects in [table.restore(snapshot, start), *_again(table, hall.log[1 + 4 * (number - 1) :])]:
            said += effects.durable if effects else []
        assert events[number - 1] in [m.payload for m in said]


def _again(table: Table, log: list[tuple[str, Any]]) -> list[Effects | None]:
    return [
        table.link_bytes("wheel", *values) if kind == "bytes" else table.command(*values)[1]
        for kind, values in log
    ]


def test_readings_left_over_from_one_piece_belong_to_the_next_round() -> None:
    hall = Hall()
    whole = [
        lambda at: [
            GameStarted(device="wheel", at=at, game=1),
            BallLaunched(device="wheel", at=at, rotor="cw"),
        ],
        lambda at: [
            BallLeavingRim(device="wheel", at=at),
            PocketSettled(device="wheel", at=at, pocket="3", game=1),
            GameStarted(device="wheel", at=at, game=2),
            BallLaunched(device="wheel", at=at, rotor="cw"),
        ],
        lambda at: [
            BallLeavingRim(device="wheel", at=at),
            PocketSettled(device="wheel", at=at, pocket="4", game=2),
        ],
    ]
    for make in whole:
        hall.readings(make)
    assert [record.verdict for record in hall.records] == ["valid", "void"]
    table = Table(hall.setup, {"wheel": JsonDriver()})
    table.start(Instant(0, 0), restarted=False)
    restored = table.restore(hall.begins[0][1], hall.now)
    assert restored is not None
    effects = _again(table, hall.log[-1:])[0]
    assert effects is not None
    again = [m.payload for m in effects.durable if m.topic == "event/round"]
    assert again == [m.payload for m in hall.said if m.topic == "event/round"][1:]


@pytest.mark.parametrize("played", [0, 1])
def test_a_restart_goes_on_with_the_numbers_and_voids_what_was_in_play(played: int) -> None:
    hall = Hall().play("17")
    hall.readings(lambda at: [GameStarted(device="wheel", at=at, game=2)])
    if played:
        hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor="ccw")])
    table = Table(hall.setup, {"wheel": JsonDriver()}, hall.table.state, hall.records)
    effects = table.start(hall.now.later(SECOND), restarted=True)
    records = [m for m in effects.durable if m.topic == "event/round"]
    assert len(records) == played
    assert table.state.next_round == 2 + played
    assert [m for m in effects.live + effects.after if m.topic == "result"]


def test_a_fault_that_a_killed_daemon_left_on_the_broker_is_cleared() -> None:
    hall = Hall().readings(lambda at: [FaultRaised(device="wheel", at=at, code="wheel_drive", text="motor")])
    table = Table(hall.setup, {"wheel": JsonDriver()}, hall.table.state, hall.records)
    effects = table.start(hall.now.later(SECOND), restarted=True)
    assert [m.payload for m in effects.live + effects.after if m.topic == "fault/wheel_drive"] == [b""]


def test_a_device_that_stays_silent_is_recorded_once_and_its_link_reopened_again_and_again() -> None:
    hall = Hall()
    reopened = []
    for _ in range(3):
        hall.now = hall.now.later(2 * SILENCE)
        effects = hall.table.advance(hall.now)
        hall.take(effects)
        reopened += effects.reopen if effects else []
        hall.take(hall.table.link_lost("wheel", "reopened", hall.now))
        hall.take(hall.table.link_up("wheel", "pts", hall.now))
        hall.table._drivers["wheel"].deadline = hall.now.mono + SILENCE  # type: ignore[attr-defined]
    assert len(reopened) == 3
    states = [event["data"]["state"] for event in hall.all("event/device")]
    assert states == ["link_up", "up", "lost"]


def test_an_older_round_that_is_corrected_is_not_the_number_on_the_board() -> None:
    hall = Hall().play("17").play("4", 2)
    hall.ask("correct", round=1, number="18", reason="misread")
    assert hall.table.state.last_valid == "4"


def test_a_void_throw_is_not_one_of_the_last_balls() -> None:
    hall = Hall()
    assert hall.ask("last_rounds", count=2).data["announcement"] == "les dues últimes boles"
    hall.play("17", 1, rotor="cw").play("4", 2, rotor="cw").play("9", 3, rotor="ccw")
    assert [record.verdict for record in hall.records] == ["valid", "void", "valid"]
    assert [record.last_ball for record in hall.records] == [False, True, True]
    assert hall.table.state.last_rounds is None


def test_limits_that_are_changed_while_bets_are_on_the_cloth_hold_from_the_next_round_on() -> None:
    hall = Hall(minimum=5)
    hall.readings(lambda at: [GameStarted(device="wheel", at=at, game=1)])
    assert hall.ask("limits", minimum=10).data == {"in_force": "after this round"}
    assert hall.last("description")["limits"] == {"minimum": 5}
    hall.play("17")
    assert hall.last("description")["limits"] == {"minimum": 10}
