"""Wheels of texts that say less, or more, than the three: a table that plays them invents nothing."""

from typing import Any

import pytest
from changed_texts import changed
from table_hall import Hall
from wheel_play import Play

from daemon.catalogue.bets.roulette import guidance, outcome, payment_order, void_guidance
from daemon.catalogue.errors import CatalogueDataError, LimitRefused, UnknownPocket
from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.limits import limits
from daemon.catalogue.load import load_as, load_text
from daemon.catalogue.rules.wheel import Evidence, judge
from daemon.rounds.round import ChiefVoid
from drivers.readings import BallLap, BallLeavingRim, BallMissing, GameStarted

FRENCH, AMERICAN, DOUBLE = "french_roulette", "american_roulette", "american_roulette_double_zero"
ROULETTES = [
    ("fr-2007", FRENCH, 37),
    ("fr-2007", "electronic_roulette", 37),
    ("fr-2007", DOUBLE, 38),
    ("us-sd", AMERICAN, 37),
    ("us-sd", DOUBLE, 38),
]
THREE = ("es-1979", "es-ct", "es-ex")


def roulette(text: str, game_id: str) -> Roulette:
    return load_as(Roulette, text, game_id)


# --- the data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["fr-2007", "us-sd", "us-ny"])
def test_each_says_what_it_rests_on_and_what_was_not_read(text: str) -> None:
    said = load_text(text).rests_on
    assert "not read" in said or "no regulation was read" in said


@pytest.mark.parametrize(("text", "game_id", "pockets"), ROULETTES)
def test_each_has_its_wheel_and_notes_of_what_is_missing(text: str, game_id: str, pockets: int) -> None:
    game = roulette(text, game_id)
    assert len(game.layout.pockets) == game.wheel.pockets == pockets
    assert any(note.kind == "missing" for note in game.notes)


@pytest.mark.parametrize(("text", "game_id", "pockets"), ROULETTES)
def test_what_the_text_does_not_say_is_not_said(text: str, game_id: str, pockets: int) -> None:
    """No zero rule, no order of payment, no ball put back: no guidance about them on any pocket."""
    game = roulette(text, game_id)
    for number in game.layout.pockets:
        assert guidance(game, number, zeros_before=1, last_ball=True) == ()
        assert payment_order(game, number) == ()
    assert void_guidance(game, "17") == ()
    with pytest.raises(UnknownPocket, match="no pocket '37'"):
        outcome(game, "37")


def test_the_limits_of_france_stand_and_south_dakotas_were_not_read() -> None:
    game = roulette("fr-2007", FRENCH)
    found = limits(game, 2)
    assert found is not None
    assert {bet: found[bet] for bet in ("red", "straight", "street", "dozen", "double_column")} == {
        "red": 2000,
        "straight": 60,
        "street": 200,
        "dozen": 1000,
        "double_column": 4000,
    }
    assert limits(roulette("us-sd", AMERICAN), 5) is None
    with pytest.raises(LimitRefused, match="us-sd says nothing of limits") as caught:
        limits(roulette("us-sd", AMERICAN), 5, 180)
    assert caught.value.clause is None
    with pytest.raises(LimitRefused, match="a minimum of 0 is none"):
        limits(roulette("us-sd", AMERICAN), 0)


def test_a_breach_that_is_no_void_needs_no_clause_that_makes_it_one() -> None:
    """And a void one does: `void_clause` is asked for with that effect only."""
    found = judge(
        roulette("fr-2007", "electronic_roulette"), Evidence(previous_rotor="cw", rotor="cw", ball="cw")
    )
    assert [(f.rule, f.clause, f.effect) for f in found] == [
        ("wheel.rotor_alternates", "fr-2007 67-5", "finding"),
        ("wheel.ball_against_rotor", "fr-2007 67-5", "finding"),
    ]
    with pytest.raises(CatalogueDataError, match=r"takes the parameters \['void_clause'\]"):
        changed("fr-2007", "electronic_roulette", lambda game: game["rules"][0].update(effect="void"))


# --- four turns of the ball -------------------------------------------------------------------------


@pytest.mark.parametrize(("laps", "void"), [(0, True), (3, True), (4, False), (14, False), (None, False)])
def test_south_dakota_alone_asks_for_four_turns_of_the_ball(laps: int | None, void: bool) -> None:
    evidence = Evidence(rotor="cw", ball="ccw", bets_closed=True, pocket="17", laps=laps)
    found = judge(roulette("us-sd", DOUBLE), evidence)
    assert [(f.rule, f.clause, f.effect, f.evidence) for f in found] == (
        [("wheel.ball_laps", "us-sd 20:18:34:05", "void", {"laps": laps, "wanted": 4})] if void else []
    )
    for text in THREE:
        assert judge(roulette(text, FRENCH), evidence) == ()


def throw(text: str, game_id: str, laps: int) -> Play:
    """A ball that goes round so many times, each reported, and comes to rest."""
    play = Play(text, game_id=game_id).started().launched("cw", "ccw")
    for lap in range(1, laps + 1):
        play(BallLap(device="wheel", at=play.now, laps=lap, ball="ccw"))
    return play(BallLeavingRim).settled("17")


@pytest.mark.parametrize(("laps", "verdict"), [(3, "void"), (4, "valid"), (9, "valid")])
def test_the_turns_are_counted_when_the_throw_is_over_not_at_the_first(laps: int, verdict: Any) -> None:
    play = throw("us-sd", DOUBLE, laps)
    assert play.records == [(verdict, "17")]
    assert play.rules == (["wheel.ball_laps"] if verdict == "void" else [])
    assert "void" not in play.phases[:-1]
    assert throw("es-ct", FRENCH, laps).records == [("valid", "17")]


def test_a_ball_that_left_after_two_turns_is_void_for_leaving() -> None:
    play = Play("us-sd", game_id=AMERICAN).started().launched("cw", "ccw")
    play(BallLap(device="wheel", at=play.now, laps=2, ball="ccw"))(BallMissing).settled("17")
    assert play.records == [("void", "17")]
    assert play.rules == ["wheel.ball_left_cylinder"]


# --- a table that plays them ------------------------------------------------------------------------


def test_the_same_rotor_sense_twice_is_void_in_catalonia_a_finding_in_france_and_nothing_in_dakota() -> None:
    verdicts = {}
    for text, game_id in (("es-ct", FRENCH), ("fr-2007", "electronic_roulette"), ("us-sd", AMERICAN)):
        hall = Hall(text, game_id, language="en").play("17", 1, "cw").play("20", 2, "cw")
        record = hall.last("event/round")["data"]
        verdicts[text] = (record["verdict"], [f["effect"] for f in record["findings"]])
    assert verdicts == {
        "es-ct": ("void", ["void"]),
        "fr-2007": ("valid", ["finding"]),
        "us-sd": ("valid", []),
    }


@pytest.mark.parametrize(("text", "game_id", "pockets"), ROULETTES)
def test_a_table_goes_through_its_day_without_a_rule_that_its_text_lacks(
    text: str, game_id: str, pockets: int
) -> None:
    hall = Hall(text, game_id, language="en", minimum=5).play("0").play("0", 2).play("17", 3)
    record = hall.last("result")
    assert (record["verdict"], record["announcement"], record["guidance"]) == ("valid", "17", [])
    assert hall.ask("void", round=2, reason="a chip in the wheel").ok
    voided = hall.last("event/round")["data"]
    assert voided["findings"][-1]["clause"] == f"none: {text} has no rule wheel.defective_throw"
    assert voided["guidance"] == []
    assert hall.ask("correct", round=1, number="4", reason="misread").ok
    closed = hall.ask("close")
    sealed = game_id == FRENCH
    assert closed.data.get("clause") == ("fr-2007 51" if sealed else None)
    assert ("then" in closed.data) is sealed


def test_a_chiefs_void_while_the_ball_runs_names_no_clause_that_is_not_there() -> None:
    play = (
        Play("us-sd", game_id=AMERICAN)
        .started()
        .launched()(ChiefVoid(by="chief", reason="a chip"))
        .settled("9")
    )
    assert play.records == [("void", "9")]
    assert [f.clause for f in play.last.findings] == ["none: us-sd has no rule wheel.defective_throw"]


def test_what_was_not_seen_is_void_whatever_the_text_says_of_it() -> None:
    clauses = {}
    for text, game_id in (("fr-2007", FRENCH), ("us-sd", AMERICAN)):
        play = Play(text, game_id=game_id).started().missed()
        play.lost()
        play.wait(10**12)
        assert play.records == [("void", None)]
        clauses[text] = {f.clause for f in play.last.findings}
    assert clauses == {
        "fr-2007": {"none: fr-2007 has no rule wheel.ball_rests_in_pocket"},
        "us-sd": {"us-sd 20:18:34:05"},
    }


def test_limits_change_where_no_text_forbids_it_and_no_clause_is_cited() -> None:
    free = Hall("us-sd", AMERICAN, language="en", minimum=5).ask("limits", minimum=10)
    assert (free.ok, free.clause) == (True, None)
    busy = Hall("us-sd", AMERICAN, language="en", minimum=5)
    busy.readings(lambda at: [GameStarted(device="wheel", at=at, game=1)])
    waits = busy.ask("limits", minimum=10)
    assert (waits.ok, waits.clause, waits.data) == (True, None, {"in_force": "after this round"})
    refused = Hall("fr-2007", FRENCH, language="es", minimum=5).ask("limits", minimum=10)
    assert (refused.ok, refused.clause) == (False, "fr-2007 53")
