"""A round's picture: the story told of readings and messages, and the document that shows it."""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spin_play import Spin, game_of, rest

from daemon.catalogue.load import load_game
from daemon.outcomes import WheelOutcome
from daemon.plot.chart import draw
from daemon.plot.story import Curve, Limit, Mark, Story, tell
from daemon.records import Finding, Message, Phase, RoundRecord, encode, timestamp
from drivers.readings import (
    AnyReading,
    BallLap,
    BallLaunched,
    BallLeavingRim,
    ButtonPressed,
    DeviceBack,
    Instant,
    PlaceSettled,
    PocketSettled,
    StatesMissed,
    Turns,
    WheelAtRest,
    WheelHindered,
    WheelPushed,
    WheelTurned,
)

OPENED = 1_795_000_000_000_000
SVG = "{http://www.w3.org/2000/svg}"


def at(seconds: float) -> dict[str, Any]:
    """A reading's device and moment, so long after the round's opening."""
    return {
        "device": "wheel",
        "at": Instant(7_000_000_000 + round(seconds * 1e9), OPENED + round(seconds * 1e6)),
    }


def stamp(seconds: float) -> str:
    return timestamp(OPENED + round(seconds * 1e6))


def record(**changes: Any) -> RoundRecord:
    plain: dict[str, Any] = {
        "id": "rueda-01/12/0", "seq": 12, "round": 12, "revision": 0, "site": "madrid-1", "table": "rueda-01",
        "game": "fortune_wheel", "catalogue": "es-ct", "catalogue_hash": "ab" * 32, "verdict": "void",
        "outcome": None, "announcement": "tirada nul·la", "opened_at": stamp(0), "closed_at": stamp(9),
        "settled_at": stamp(40), "duration_ms": 40_000, "session": 1, "test": True,
        "findings": (TURNS,),
    }  # fmt: skip
    return RoundRecord(**{**plain, **changes})


def phase(seconds: float, name: str, number: int = 12) -> Message:
    body = encode(Phase(round=number, phase=name, since=stamp(seconds)))  # type: ignore[arg-type]
    return Message("phase", body, True)


TURNS = Finding(
    rule="fortune_wheel.turns",
    clause="es-ct 24.V.3",
    effect="void",
    evidence={"wanted": 4, "counted_from": "second_push", "turns": 3},
)
SINCE: Any = {"turns_since_push": Turns(3.2, 3.2), "turns_since_second": Turns(3.2, 3.2)}
SPIN: list[AnyReading] = [
    WheelPushed(**at(5.0), number=1, direction="cw", speed=0.4),
    WheelPushed(**at(9.0), number=2, direction="cw", speed=0.8),
    WheelTurned(**at(10.5), turns=1, speed=0.7),
    WheelHindered(**at(14.0), cause="slowed", deceleration=0.3),
    WheelAtRest(**at(30.0), place=4, direction="cw", pushes=2, turns=Turns(5.0, 5.0), **SINCE),
]


def spin() -> Story:
    published = [phase(-4, "result", 11), phase(0, "betting"), phase(5, "in_play"), phase(40, "void")]
    return tell(load_game("es-ct", "fortune_wheel"), [record()], SPIN, published)


def test_a_spin_is_told_with_its_speeds_turns_pushes_and_the_rules_limit() -> None:
    story = spin()
    assert story.seconds == 40
    assert story.phases == ((0, "betting"), (5, "in_play"), (40, "void"))
    assert story.speeds == (Curve("wheel", ((5, 0.4), (9, 0.8), (10.5, 0.7), (30, 0.0))),)
    assert story.turns.points == ((5, 0), (9, 0), (10.5, 1), (30, 3.2))
    assert story.limit == Limit(4, "es-ct 24.V.3", push=2)
    assert [mark.text for mark in story.marks] == [
        "push 1 cw", "push 2 cw", "hindered: slowed by 0.30 turns/s²", "segment 5",
    ]  # fmt: skip


@pytest.mark.parametrize("step", [-3600, -1, 1, 3600])
@pytest.mark.parametrize("when", [-8.5, 4, 9.5, 31])
def test_a_clock_that_is_set_in_mid_round_moves_nothing(step: int, when: float) -> None:
    def late(seconds: float) -> float:
        return seconds + (step if seconds > when else 0)

    def told(stepped: Callable[[float], float]) -> Story:
        def heard(seconds: float) -> dict[str, Any]:
            wall = at(stepped(seconds))["at"].wall
            return {"device": "wheel", "at": Instant(at(seconds)["at"].mono, wall)}

        readings: list[AnyReading] = [
            DeviceBack(**heard(-9)),
            ButtonPressed(**heard(-8), button="no_more_bets"),
            WheelPushed(**heard(5), number=1, direction="cw", speed=0.4),
            WheelPushed(**heard(9), number=2, direction="cw", speed=0.8),
            WheelTurned(**heard(10.5), turns=1, speed=0.7),
            WheelAtRest(**heard(40), place=4, direction="cw", pushes=2, turns=Turns(5.0, 5.0), **SINCE),
        ]
        phases = [
            phase(stepped(seconds), name)
            for seconds, name in ((-8, "closed"), (0, "betting"), (5, "in_play"), (40, "void"))
        ]
        return tell(
            load_game("es-ct", "fortune_wheel"), [record(opened_at=stamp(stepped(0)))], readings, phases
        )

    plain, set_anew = told(lambda seconds: seconds), told(late)
    assert plain.phases == ((-8, "closed"), (0, "betting"), (5, "in_play"), (40, "void"))
    assert set_anew.seconds == plain.seconds
    assert set_anew.marks == plain.marks
    assert set_anew.phases == plain.phases


def pushed(*runs: tuple[int, float]) -> list[AnyReading]:
    """A spin of so many pushes, each with the whole turns told after it and all that were made."""
    heard: list[AnyReading] = []
    seconds = 0.0
    for number, (told, _) in enumerate(runs, 1):
        heard.append(WheelPushed(**at(seconds := seconds + 1), number=number, direction="cw", speed=0.8))
        heard += [WheelTurned(**at(seconds := seconds + 1), turns=n + 1, speed=0.7) for n in range(told)]
    made = [turns for _, turns in runs]
    end = rest(4, len(runs), sum(made), made[-1], sum(made[1:]))
    return [*heard, msgspec.structs.replace(end, at=at(seconds + 9)["at"])]


@pytest.mark.parametrize(
    ("text", "runs", "drawn"),
    [
        ("es-ex", [(5, 5.3)], [0, 1, 2, 3, 4, 5, 5.3]),
        ("es-ex", [(2, 2.2), (3, 3.1)], [0, 1, 2, 2, 3, 4, 5, 5.3]),
        ("es-ex", [(1, 1.4), (1, 1.4), (1, 1.1)], [0, 1, 1, 2, 2, 3, 3.9]),
        ("us-ny", [(1, 1.5), (1, 1.6)], [0, 1, 1, 2, 3.1]),
        ("es-ct", [(1, 1.2), (4, 4.6)], [0, 0, 0, 1, 2, 3, 4, 4.6]),
        ("es-ct", [(2, 2.2), (3, 3.4)], [0, 0, 0, 0, 1, 2, 3, 3.4]),
        ("es-ct", [(1, 1.2), (2, 2.2), (3, 3.1)], [0, 0, 0, 1, 2, 2, 3, 4, 5, 5.3]),
        ("es-ct", [(5, 5.3)], [0, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_the_turns_reach_the_limit_where_the_round_finds_them_enough_and_nowhere_else(
    text: str, runs: list[tuple[int, float]], drawn: list[float]
) -> None:
    heard = pushed(*runs)
    judged = Spin(text)(*heard)
    short = [finding for finding in judged.last.findings if finding.rule == "fortune_wheel.turns"]
    story = tell(
        game_of(text), [record(catalogue=text, findings=judged.last.findings)], heard, [phase(0, "betting")]
    )
    assert story.limit is not None
    assert [value for _, value in story.turns.points] == pytest.approx(drawn)
    assert (drawn[-1] < story.limit.turns) == bool(short)
    said = texts(draw(story))
    assert [f"({story.limit.clause}), wanted" in line for line in said].count(True) == len(short)


def test_a_ball_is_told_with_its_laps_and_a_roulette_without_a_rule_has_no_limit() -> None:
    heard: list[AnyReading] = [
        BallLaunched(**at(3), rotor="cw", ball="ccw"),
        BallLap(**at(4), laps=1, seconds=0.5),
        BallLap(**at(6), laps=3, seconds=None),
        BallLeavingRim(**at(12)),
        PocketSettled(**at(20), pocket="17"),
    ]
    story = tell(load_game("es-ct", "french_roulette"), [record(duration_ms=None)], heard, [])
    assert story.speeds == (Curve("ball", ((4, 2.0),)),)
    assert story.turns.points == ((3, 0), (4, 1), (6, 3))
    assert story.limit is None
    assert story.marks[0] == Mark(3, "step", "launch, ball ccw, rotor cw")
    assert story.marks[-1] == Mark(20, "result", "pocket 17")
    laps = tell(load_game("us-sd", "american_roulette"), [record()], heard, []).limit
    assert laps is not None
    assert laps.turns == 4


def test_what_came_before_the_round_is_not_its_own() -> None:
    early = StatesMissed(**at(-3), before="a", now="b")
    assert tell(load_game("es-ct", "french_roulette"), [record()], [early], []).marks == ()


def root_of(document: str) -> ElementTree.Element:
    return ElementTree.fromstring(document)  # noqa: S314 - our own; what is not well-formed raises


def texts(document: str) -> list[str]:
    return [each.text or "" for each in root_of(document).iter(f"{SVG}text")]


def test_the_picture_says_verdict_clause_and_limit_in_words() -> None:
    said = texts(draw(spin()))
    assert "verdict: void (test: simulated devices): tirada nul·la; no result" in said
    assert "void: fortune_wheel.turns (es-ct 24.V.3), wanted: 4, counted from: second_push, turns: 3" in said
    assert "at least 4 turns (es-ct 24.V.3)" in said
    assert {"betting", "in play", "push 2 cw", "wheel"} <= set(said)


def test_the_limit_lies_where_the_turns_axis_has_it() -> None:
    document = draw(spin())
    (limit,) = re.findall(r'y1="([\d.]+)" y2="\1"[^>]*stroke-dasharray="3 3"', document)
    assert float(limit) == pytest.approx(428 + 120 * (1 - 4 / 5), abs=0.1)


def test_a_device_that_measures_no_speed_is_said_to_and_no_findings_too() -> None:
    story = msgspec.structs.replace(spin(), speeds=(), turns=Curve("turns", ()), record=record(findings=()))
    said = texts(draw(story))
    assert said.count("not measured by this device") == 2
    assert "no findings" in said


def test_a_round_of_which_no_phase_was_published_has_no_band() -> None:
    assert "no more bets" not in texts(draw(msgspec.structs.replace(spin(), phases=())))


def test_hostile_words_stay_words() -> None:
    words = "</text><script>alert(1)</script>\x00\x07"
    story = msgspec.structs.replace(
        spin(), marks=(Mark(1.0, "trouble", words),), record=record(announcement=words, table='a"b<c')
    )
    root = root_of(draw(story))
    assert root.find(f".//{SVG}script") is None
    assert "</text><script>alert(1)</script>??" in texts(draw(story))


def test_marks_of_one_moment_stand_in_different_rows() -> None:
    marks = tuple(Mark(5.0, "trouble", f"trouble {number}") for number in range(4))
    document = draw(msgspec.structs.replace(spin(), marks=marks))
    rows = re.findall(r'<text x="[\d.]+" y="([\d.]+)"[^>]*>trouble \d<', document)
    assert len(set(rows)) == 4


def words_of(document: str) -> list[tuple[float, float, float, str]]:
    """Left, right, height and words of each mark, at seven units a letter."""
    found = []
    for each in root_of(document).iter(f"{SVG}text"):
        words, x = each.text or "", float(each.get("x", "0"))
        if each.get("font-size") == "11" and words.startswith("mark"):
            wide = 7.0 * len(words)
            left = x - wide if each.get("text-anchor") == "end" else x
            found.append((left, left + wide, float(each.get("y", "0")), words))
    return found


@given(st.lists(st.tuples(st.floats(0, 40), st.integers(0, 90)), min_size=1, max_size=4))
def test_the_words_of_marks_lie_on_the_page_above_the_curves_and_beside_one_another(
    marks: list[tuple[float, int]],
) -> None:
    told = tuple(Mark(at, "trouble", f"mark {n} " + "x" * wide) for n, (at, wide) in enumerate(sorted(marks)))
    found = words_of(draw(msgspec.structs.replace(spin(), marks=told)))
    assert len(found) == len(told)
    for number, (left, right, y, _) in enumerate(found):
        assert left >= 0
        assert right <= 960
        assert y < 190, "above the first panel's title"
        assert not [
            other for other in found[:number] if other[2] == y and other[0] < right and left < other[1]
        ]


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (0.0, ["0", "0.05", "0.1", "0.15"]),
        (0.9, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (1.0, ["0", "0.5", "1", "1.5"]),
        (3.6, ["0", "1", "2", "3", "4"]),
        (12.1, ["0", "5", "10", "15"]),
    ],
)
def test_a_scale_has_round_steps(most: float, ticks: list[str]) -> None:
    story = msgspec.structs.replace(spin(), speeds=(Curve("ball", ((1.0, most),)),), marks=())
    document = root_of(draw(story))
    axis = [each for each in document.iter(f"{SVG}text") if each.get("x") == "58.0"]
    assert [each.text for each in axis if float(each.get("y", "0")) < 401] == ticks


def test_a_long_finding_is_told_whole_in_lines_that_fit() -> None:
    reason = "part of the stream is missing " * 12
    long = Finding(rule="round.half_seen", clause="es-ct 24.V.3", effect="void", evidence={"lost": reason})
    said = texts(draw(msgspec.structs.replace(spin(), record=record(findings=(long,)))))
    lines = [each for each in said if each.startswith(("void: round", "    "))]
    assert len(lines) > 2
    assert max(map(len, lines)) <= 125
    assert " ".join(" ".join(lines).split()).endswith(reason.strip())


def test_turns_say_from_which_push_they_count() -> None:
    assert "turns since push 2" in texts(draw(spin()))
    plain = msgspec.structs.replace(spin(), limit=None)
    assert "turns" in texts(draw(plain))


def test_the_turns_of_a_wheel_that_is_sent_back_end_there() -> None:
    sent_back = [
        *SPIN[:3],
        WheelHindered(**at(14.0), cause="reversed", deceleration=0.0),
        WheelPushed(**at(15.0), number=3, direction="ccw", speed=0.5),
        WheelTurned(**at(17.0), turns=1, speed=0.4),
        SPIN[-1],
    ]
    story = tell(load_game("es-ct", "fortune_wheel"), [record()], sent_back, [])
    assert story.turns.points == ((5, 0), (9, 0), (10.5, 1))
    assert "hindered: reversed" in [mark.text for mark in story.marks]


def test_a_place_is_told_as_the_pocket_of_the_layout() -> None:
    settled = [PlaceSettled(**at(3), place=2, rotor="cw")]
    assert tell(load_game("es-ct", "french_roulette"), [record()], settled, []).marks[0].text == "pocket 15"
    astray = [PlaceSettled(**at(3), place=40, rotor="cw")]
    assert tell(load_game("es-ct", "boule"), [record()], astray, []).marks[0].text == "place 40"


def test_a_sense_that_no_device_told_is_not_drawn() -> None:
    launched = [BallLaunched(**at(3), rotor=None, ball=None)]
    assert tell(load_game("es-ct", "boule"), [record()], launched, []).marks == (Mark(3, "step", "launch"),)


def test_evidence_is_told_in_words() -> None:
    seen = {"claims": ["place 8", "place 9"], "counted_from": "start", "turns": 3.5, "lost": None}
    finding = Finding(rule="a.b", clause="es-ct 1", effect="void", evidence=seen)
    said = texts(draw(msgspec.structs.replace(spin(), record=record(findings=(finding,)))))
    words = "claims: place 8; place 9, counted from: start, turns: 3.5, lost: null"
    assert f"void: a.b (es-ct 1), {words}" in said


def test_every_revision_is_told_with_who_asked_for_it_and_an_overruled_finding_is_said_to_be() -> None:
    given = WheelOutcome(number="6", color="black", parity="even", half="low", dozen=1, column=3)
    corrected = {"verdict": "valid", "announcement": "7", "revision": 1, "corrected_by": "chief 12"}
    records = [
        record(outcome=given, announcement=""),
        record(outcome=given, corrected_at=stamp(60), reason="the camera shows it", **corrected),
    ]
    held = texts(draw(tell(load_game("es-ct", "french_roulette"), records[:1], [], [])))
    assert "verdict: void (test: simulated devices): the wheel gave 6" in held
    assert not [line for line in held if line.startswith("revision")]
    said = texts(draw(tell(load_game("es-ct", "french_roulette"), records, [], [])))
    assert f"revision 0: void, the wheel gave 6; {stamp(40)}" in said
    assert f"revision 1: valid, 6; by chief 12, {stamp(60)}: the camera shows it" in said
    assert [line for line in said if line.startswith("overruled: fortune_wheel.turns")]
