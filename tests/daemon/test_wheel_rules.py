"""The wheel's rules: the same evidence under the three texts, and what each evidence does to a round."""

from typing import Any

import msgspec
import pytest

from daemon.catalogue.load import load_game
from daemon.catalogue.model import Game, clause_for
from daemon.catalogue.rules.wheel import CLOSING, ROUND, Closing, Evidence, judge, judge_closing
from daemon.records import Finding

FRENCH, AMERICAN, DOUBLE = "french_roulette", "american_roulette", "american_roulette_double_zero"
TEXTS = ("es-1979", "es-ct", "es-ex")
SECTION = {"es-1979": "es-1979 01.IV.3", "es-ct": "es-ct 1.IV.3", "es-ex": "es-ex 1.1.4.3"}
GOOD = Evidence(
    previous_rotor="cw", rotor="ccw", ball="cw", ball_with_rotor=False, bets_closed=True, pocket="17", laps=14
)

CASES: dict[str, tuple[Evidence, str, str, str, dict[str, Any]]] = {
    "same sense as before": (
        Evidence(previous_rotor="cw", rotor="cw"),
        "wheel.rotor_alternates",
        "a",
        "void",
        {"previous": "cw", "this": "cw"},
    ),
    "same sense as before, anticlockwise": (
        Evidence(previous_rotor="ccw", rotor="ccw", ball="cw"),
        "wheel.rotor_alternates",
        "a",
        "void",
        {"previous": "ccw", "this": "ccw"},
    ),
    "ball in the rotor's sense, by both directions": (
        Evidence(previous_rotor="cw", rotor="ccw", ball="ccw"),
        "wheel.ball_against_rotor",
        "a",
        "void",
        {"rotor": "ccw", "ball": "ccw"},
    ),
    "ball in the rotor's sense, seen as such": (
        Evidence(ball_with_rotor=True),
        "wheel.ball_against_rotor",
        "a",
        "void",
        {"ball_with_rotor": True},
    ),
    "ball seen with the rotor though the directions differ": (
        Evidence(rotor="cw", ball="ccw", ball_with_rotor=True),
        "wheel.ball_against_rotor",
        "a",
        "void",
        {"rotor": "cw", "ball": "ccw", "ball_with_rotor": True},
    ),
    "a result with bets open": (
        Evidence(bets_closed=False, pocket="17"),
        "wheel.bets_closed_before_result",
        "b",
        "finding",
        {"no_more_bets": False, "pocket": "17"},
    ),
    "a pocket that the wheel does not have": (
        Evidence(pocket="37", bets_closed=True),
        "wheel.ball_rests_in_pocket",
        "c",
        "void",
        {"pocket": "37", "layout": "single_zero", "pockets": 37},
    ),
    "a chip in the cylinder": (
        Evidence(foreign_object=True),
        "wheel.foreign_object",
        "d",
        "void",
        {"foreign_object": True},
    ),
    "the ball out of the cylinder": (
        Evidence(ball_missing=True),
        "wheel.ball_left_cylinder",
        "d",
        "void",
        {"ball_missing": True},
    ),
    "the device calls the throw void": (
        Evidence(defective=("ball too slow", "no spin")),
        "wheel.defective_throw",
        "d",
        "void",
        {"signals": ["ball too slow", "no spin"]},
    ),
    "the chief calls the throw void": (
        Evidence(chief_void="a hand on the wheel"),
        "wheel.defective_throw",
        "d",
        "void",
        {"chief": "a hand on the wheel"},
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("game_id", [FRENCH, AMERICAN])
def test_one_evidence_one_finding_with_the_texts_own_clause(text: str, game_id: str, case: str) -> None:
    evidence, rule, letter, effect, seen = CASES[case]
    clause = f"{SECTION[text]}.{letter}"
    assert judge(load_game(text, game_id), evidence) == (
        Finding(rule=rule, clause=clause, effect=effect, evidence=seen),
    )
    assert clause_for(load_game(text, game_id), rule) == clause


@pytest.mark.parametrize("text", TEXTS)
def test_a_regular_throw_finds_nothing(text: str) -> None:
    assert judge(load_game(text, FRENCH), GOOD) == ()


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(),
        Evidence(previous_rotor="cw"),
        Evidence(rotor="cw"),
        Evidence(ball="cw"),
        Evidence(rotor="cw", ball_with_rotor=False),
        Evidence(pocket="0", bets_closed=None),
        Evidence(bets_closed=False),
        Evidence(laps=0),
        Evidence(laps=1, pocket="17"),
    ],
    ids=str,
)
def test_evidence_that_is_missing_breaks_no_rule(evidence: Evidence) -> None:
    """No result is no result with bets open; and none of these texts counts the ball's turns."""
    for text in TEXTS:
        assert judge(load_game(text, FRENCH), evidence) == ()


def test_findings_come_in_the_texts_order_and_all_of_them() -> None:
    everything = Evidence(
        previous_rotor="cw",
        rotor="cw",
        ball="cw",
        bets_closed=False,
        ball_missing=True,
        foreign_object=True,
        defective=("x",),
        chief_void="y",
        pocket="99",
    )
    found = judge(load_game("es-ct", FRENCH), everything)
    assert [finding.rule for finding in found] == [rule for rule in ROUND if rule != "wheel.ball_laps"]
    assert found[-1].evidence == {"signals": ["x"], "chief": "y"}


def test_a_double_zero_is_no_pocket_of_a_single_zero_wheel() -> None:
    evidence = Evidence(bets_closed=True, pocket="00")
    assert [f.clause for f in judge(load_game("es-ct", AMERICAN), evidence)] == ["es-ct 1.IV.3.c"]
    assert judge(load_game("es-ct", DOUBLE), evidence) == ()
    assert judge(load_game("es-ex", DOUBLE), evidence) == ()


# --- the end of the session -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("closing", "found_by"),
    [
        (Closing(lid=True), ()),
        (Closing(lid=None), ()),
        (Closing(lid=None, security_system=False), ()),
        (Closing(lid=False), TEXTS),
        # es-ct alone takes another security system in place of the lid or the seal.
        (Closing(lid=False, security_system=True), ("es-1979", "es-ex")),
    ],
)
def test_the_cylinder_is_closed_at_the_end_of_the_session(
    closing: Closing, found_by: tuple[str, ...]
) -> None:
    found = {text: judge_closing(load_game(text, FRENCH), closing) for text in TEXTS}
    assert tuple(text for text in TEXTS if found[text]) == found_by
    for text in found_by:
        (finding,) = found[text]
        assert (finding.rule, finding.clause) == ("wheel.cylinder_sealed", f"{SECTION[text]}.e")
        assert finding.effect == "finding"
        assert finding.evidence == {"lid": False, "security_system": closing.security_system}


def without(game: Game, rule_id: str) -> Game:
    """The game of a text that does not have this rule."""
    return msgspec.structs.replace(game, rules=tuple(rule for rule in game.rules if rule.id != rule_id))


@pytest.mark.parametrize("case", CASES)
def test_a_rule_that_the_text_does_not_have_is_never_applied(case: str) -> None:
    evidence, rule, *_ = CASES[case]
    assert judge(without(load_game("es-ct", FRENCH), rule), evidence) == ()


def test_a_text_without_the_closing_rule_asks_nothing_of_the_cylinder() -> None:
    (rule,) = CLOSING
    assert judge_closing(without(load_game("es-ct", FRENCH), rule), Closing(lid=False)) == ()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("rule_id", ["wheel.rotor_alternates", "wheel.ball_against_rotor"])
def test_a_throw_in_the_wrong_sense_is_void_as_a_defective_throw(text: str, rule_id: str) -> None:
    game = load_game(text, FRENCH)
    rule = next(rule for rule in game.rules if rule.id == rule_id)
    assert rule.parameters == {"void_clause": clause_for(game, "wheel.defective_throw")}
