"""Boule, and wheels whose device knows places: rounds, records, and what never becomes a result."""

from typing import Any

import pytest
from table_hall import Hall
from wheel_play import Play

from daemon.rounds.round import ChiefVoid, NoMoreBets
from drivers.readings import (
    BallLaunched,
    BallLeavingRim,
    BallMissing,
    ButtonPressed,
    DeviceBack,
    DeviceLost,
    DeviceRestarted,
    GameStarted,
    LidMoved,
    PlaceSettled,
    VoidSignalled,
)

TEXTS = {"es-1979": "es-1979 04.V.c", "es-ct": "es-ct 4.V.3", "es-ex": "es-ex 1.3.5.3"}
RIM = ("1", "2", "3", "4", "5", "6", "7", "8", "9")


def boule(text: str = "es-ct", **options: Any) -> Play:
    return Play(text, game_id="boule", **options)


def place(number: int) -> PlaceSettled:
    return PlaceSettled(device="wheel", at=Play().now, place=number)


def throw(play: Play, hole: int) -> Play:
    return play.started()(BallLaunched(device="wheel", at=play.now, rotor=None))(BallLeavingRim, place(hole))


@pytest.mark.parametrize("text", TEXTS)
def test_the_place_where_the_ball_rests_is_the_layouts_number(text: str) -> None:
    for hole, label in enumerate(boule(text).round._game.layout.pockets):
        play = throw(boule(text), hole)
        assert play.records == [("valid", label)]
        assert play.last.place == hole
        assert play.last.findings == ()
        assert play.phases == ["betting", "in_play", "no_more_bets", "result"]


@pytest.mark.parametrize(("text", "clause"), TEXTS.items())
@pytest.mark.parametrize("hole", [-1, 18, 37])
def test_a_place_that_the_basin_lacks_is_evidence_of_nothing(text: str, clause: str, hole: int) -> None:
    play = throw(boule(text), hole)
    assert play.records == [("void", None)]
    (finding,) = play.last.findings
    assert (finding.rule, finding.clause) == ("round.pocket_unread", clause)
    assert finding.evidence == {"place": hole, "layout": "boule", "pockets": 18}
    assert throw(boule(text, policy="inspector"), hole).records == [("held", None)]


def test_a_number_that_the_basin_lacks_is_void_even_where_no_rule_asks_for_a_hole() -> None:
    play = boule("fr-2007").started().launched(None).settled("10")
    assert (play.records, play.rules) == ([("void", "10")], ["round.pocket_unread"])
    assert boule("fr-2007").started().launched(None).settled("9").records == [("valid", "9")]


@pytest.mark.parametrize("text", TEXTS)
def test_no_sense_of_rotation_is_asked_of_a_basin_that_stands_still(text: str) -> None:
    play = boule(text).started().launched("cw", "cw")(BallLeavingRim, place(3))
    play.started(2).launched("cw", "cw")(BallLeavingRim, place(3))
    assert [verdict for verdict, _ in play.records] == ["valid", "valid"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_ball_that_was_missing_voids_under_no_text_of_the_boule(text: str) -> None:
    void = VoidSignalled(device="wheel", at=Play().now, cause="object in the basin")
    play = boule(text).started().launched(None)(BallMissing, void, BallLeavingRim, place(0))
    assert [verdict for verdict, _ in play.records] == ["valid"]
    assert [(finding.rule, finding.effect, finding.clause) for finding in play.last.findings] == [
        (rule, "finding", f"none: {text} has no rule {rule}")
        for rule in ("wheel.defective_throw", "wheel.ball_left_cylinder")
    ]


def test_a_result_without_a_closing_of_bets_is_a_finding() -> None:
    play = boule().started().launched(None)(place(4))
    assert play.records[0][0] == "valid"
    assert play.rules == ["wheel.bets_closed_before_result"]


def test_the_croupiers_button_closes_the_bets_once() -> None:
    button = ButtonPressed(device="wheel", at=Play().now, button="no_more_bets")
    play = boule()(button).started().launched(None)(button, button, BallLeavingRim, place(4), button)
    assert play.phases == ["betting", "in_play", "no_more_bets", "result"]
    assert play.rules == []
    assert len(play.outputs) == 5


GAME: list[Any] = [GameStarted, BallLaunched, BallLeavingRim, PlaceSettled]


def as_event(kind: Any, play: Play) -> Any:
    fields: dict[Any, dict[str, Any]] = {
        GameStarted: {"game": 1},
        BallLaunched: {"rotor": None},
        PlaceSettled: {"place": 4},
        DeviceLost: {"reason": "gone"},
    }
    return kind(device="wheel", at=play.now, **fields.get(kind, {}))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "what", [(DeviceLost, DeviceBack), (DeviceRestarted,), (DeviceLost, DeviceRestarted)]
)
@pytest.mark.parametrize("missed", [0, 1, 2])
@pytest.mark.parametrize("at", range(4))
def test_a_wheel_that_was_lost_at_any_reading_gives_no_result_of_that_throw(
    text: str, what: tuple[Any, ...], missed: int, at: int
) -> None:
    """Lost before the reading `at`; as many readings as `missed` go by unseen."""
    play = boule(text)
    for kind in [*GAME[:at], *what, *GAME[at + missed :]]:
        play(as_event(kind, play))
    whole = at <= GAME.index(BallLaunched) and GAME.index(BallLaunched) not in range(at, at + missed)
    seen_opening = GameStarted in GAME[:at] or GameStarted in GAME[at + missed :]
    if whole and seen_opening:
        assert [verdict for verdict, _ in play.records] == ["valid"]  # the whole throw was seen
    else:
        assert "valid" not in [verdict for verdict, _ in play.records]


def test_a_state_survives_being_kept_at_every_step() -> None:
    import msgspec

    events: list[Any] = [*GAME, ChiefVoid(by="chief", reason="x"), *GAME[:2], NoMoreBets(), *GAME[2:]]
    plain, kept = boule(), boule()
    for kind in events:
        event = as_event(kind, plain) if isinstance(kind, type) else kind
        plain(event)
        kept.state = msgspec.json.decode(msgspec.json.encode(kept.state), type=type(kept.state))
        kept(event)
        assert kept.outputs == plain.outputs


# --- the table ------------------------------------------------------------------------------------


def table(text: str = "es-ct", hole: int = 4, **setup: Any) -> Hall:
    hall = Hall(text, "boule", **setup)
    hall.readings(lambda at: [GameStarted(device="wheel", at=at)])
    hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor=None)])
    hall.readings(lambda at: [BallLeavingRim(device="wheel", at=at)])
    return hall.readings(lambda at: [PlaceSettled(device="wheel", at=at, place=hole)])


def test_a_boules_record_has_what_the_contract_promises() -> None:
    hall = table(hole=4)
    number = hall.last("description")["layout"][4]
    outcome = hall.last("result")["outcome"]
    assert set(outcome) == {"number", "hole", "color", "parity", "half"}
    assert (outcome["number"], outcome["hole"]) == (number, 5)
    assert hall.last("stats")["counts"][number] == 1
    assert sorted(hall.last("stats")["counts"]) == list(RIM)
    assert hall.last("history")[0]["number"] == number
    assert hall.records[0].label == number


@pytest.mark.parametrize(
    ("text", "clause"), [("es-1979", "04.V.a"), ("es-ct", "4.V.1"), ("es-ex", "1.3.5.1.b")]
)
def test_a_five_is_in_no_chance_and_all_of_them_lose(text: str, clause: str) -> None:
    hall = Hall(text, "boule", language="es")
    hole = hall.table.play.layout.index("5")
    hall = table(text, hole, language="es")
    outcome = hall.last("result")["outcome"]
    assert (outcome["number"], outcome["color"], outcome["parity"], outcome["half"]) == (
        "5",
        "yellow",
        None,
        None,
    )
    (guidance,) = hall.last("result")["guidance"]
    assert (guidance["clause"], guidance["text"]) == (f"{text} {clause}", "Suertes sencillas: pierden todas")


def test_the_chief_corrects_a_boules_number_without_a_hole() -> None:
    hall = table()
    assert "no hole '0'" in hall.ask("correct", round=1, number="0", reason="x").reason
    assert hall.ask("correct", round=1, number="9", reason="misread").data["number"] == "9"
    assert hall.last("result")["outcome"]["hole"] is None
    assert hall.ask("void", round=1, reason="no throw").ok
    assert hall.last("event/correction")["data"]["findings"][-1]["rule"] == "wheel.defective_throw"
    assert hall.last("result") is None


def test_a_roulettes_device_may_know_places_too() -> None:
    hall = Hall()
    hall.readings(lambda at: [GameStarted(device="wheel", at=at)])
    hall.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor="cw")])
    hall.readings(lambda at: [BallLeavingRim(device="wheel", at=at)])
    hall.readings(lambda at: [PlaceSettled(device="wheel", at=at, place=1)])
    assert hall.last("result")["outcome"]["number"] == hall.last("description")["layout"][1] == "32"


def lid(hall: Hall, is_open: bool) -> Hall:
    return hall.readings(lambda at: [LidMoved(device="wheel", at=at, open=is_open)])


def closings(hall: Hall) -> list[str]:
    found = [event["data"] for event in hall.all("event/finding")]
    return [finding["clause"] for finding in found if finding["rule"] == "wheel.cylinder_sealed"]


def test_a_cylinder_that_was_not_locked_between_two_sessions_is_a_finding() -> None:
    hall = lid(Hall(), True)
    hall.ask("close")
    hall.ask("open")
    assert closings(hall) == ["es-ct 1.IV.3.e"]


def test_a_lid_closed_at_the_sessions_end_or_after_it_is_none() -> None:
    hall = lid(lid(Hall(), True), False)
    hall.ask("close")
    lid(hall, True).ask("open")  # it is unlocked for the next session
    hall.ask("close")
    lid(hall, False)
    lid(hall, True).ask("open")
    assert closings(hall) == []


def test_where_no_lid_is_seen_nothing_is_said_of_it() -> None:
    hall = Hall()
    hall.ask("close")
    hall.ask("open")
    assert closings(hall) == []
