"""The fortune wheel's round, reading by reading, under the texts that have the game."""

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spin_play import DEVICE, Spin, hindered, lost, order_of, push, rest, turned, unread

from daemon.rounds.fortune_wheel import TOGETHER, SpinState
from daemon.rounds.machine import CAUSES, VOID_WAITS
from daemon.rounds.round import ChiefVoid, NoMoreBets, Restarted, TableClosed, TableOpened, Unexpected
from drivers.readings import (
    SECOND,
    ButtonPressed,
    DeviceBack,
    DeviceRestarted,
    GameStarted,
    StatesMissed,
    Turns,
    WheelAtRest,
    WheelClosed,
    WheelPushed,
)

BUTTON = ButtonPressed(button="no_more_bets", **DEVICE)
CLAUSES = {"es-ct": "es-ct 24.V.3", "es-ex": "es-ex 1.4.5.3.3", "us-ny": "us-ny Big Six, play"}
SPUN: dict[str, tuple[Any, ...]] = {
    "es-ct": (push(1), turned(1), push(2), *map(turned, (1, 2, 3, 4)), rest()),
    "es-ex": (push(1), *map(turned, (1, 2, 3, 4)), BUTTON, rest(pushes=1, turns=4.6, since=4.6)),
    "us-ny": (push(1), *map(turned, (1, 2, 3)), rest(pushes=1, turns=3.6, since=3.6)),
}
"""A spin that is right in every respect, by text."""
CLOSED_FROM = {"es-ct": 3, "es-ex": 6, "us-ny": 1}
"""How many readings of it close the bets."""


@pytest.mark.parametrize("text", SPUN)
def test_an_ordinary_spin_is_valid_and_goes_through_its_phases(text: str) -> None:
    spin = Spin(text)(*SPUN[text])
    assert spin.records == [("valid", order_of(text)[3])]
    assert (spin.last.place, spin.last.attempts, spin.last.findings) == (3, SPUN[text][-1].pushes, ())
    in_play = [] if text == "us-ny" else ["in_play"]
    assert spin.phases == ["betting", *in_play, "no_more_bets", "result"]
    before = Spin(text)(*SPUN[text][: CLOSED_FROM[text] - 1])
    assert before.state.stage != "no_more_bets"
    assert before(SPUN[text][CLOSED_FROM[text] - 1]).state.stage == "no_more_bets"
    assert spin.last.closed_at == before.state.closed_at
    assert not any(isinstance(output, Unexpected) for output in spin.outputs)


# --- the same evidence under two texts ------------------------------------------------------------

LONG_THEN_SHORT = (
    push(1),
    *map(turned, range(1, 6)),
    push(2),
    turned(1),
    turned(2),
    rest(turns=8.4, since=2.9),
)
ONE_PUSH = (push(1), *map(turned, range(1, 6)), BUTTON, rest(pushes=1, turns=5.5, since=5.5))
TWO_PUSHES = (push(1), turned(1), push(2), *map(turned, range(1, 5)), rest())
ANTICLOCKWISE = (push(1, "ccw"), turned(1), push(2, "ccw"), rest(direction="ccw"))


@pytest.mark.parametrize(
    ("what", "events", "ct", "ex"),
    [
        ("two pushes, nothing said", TWO_PUSHES, ("valid", []), ("valid", ["bets_closed_before_result"])),
        ("two pushes, bets closed", (*TWO_PUSHES[:-1], BUTTON, TWO_PUSHES[-1]), ("valid", []), ("valid", [])),
        ("one push", ONE_PUSH, ("void", ["bets_closed_at_push", "turns"]), ("valid", [])),
        (
            "four turns, but not since the second push",
            (*LONG_THEN_SHORT[:-1], BUTTON, LONG_THEN_SHORT[-1]),
            ("void", ["turns"]),
            ("valid", []),
        ),
        (
            "just short of four turns",
            (push(1), push(2), BUTTON, rest(turns=3.99, since=3.97)),
            ("void", ["turns"]),
            ("void", ["turns"]),
        ),
        (
            "four turns to a hair",
            (push(1), push(2), BUTTON, rest(turns=4.0, since=4.0)),
            ("valid", []),
            ("valid", []),
        ),
        (
            "anticlockwise",
            (*ANTICLOCKWISE[:-1], BUTTON, ANTICLOCKWISE[-1]),
            ("valid", ["clockwise"]),
            ("valid", []),
        ),
        ("on a peg", (push(1), push(2), BUTTON, rest(None)), ("void", ["on_peg"]), ("void", ["on_peg"])),
        (
            "hindered",
            (push(1), push(2), BUTTON, hindered(), rest()),
            ("void", ["hindered"]),
            ("void", ["hindered"]),
        ),
        (
            "turned back before the second push",
            (push(1), hindered("reversed"), push(2), BUTTON, rest()),
            ("void", ["hindered"]),
            ("void", ["hindered"]),
        ),
    ],
)
def test_the_same_evidence_under_two_texts(
    what: str, events: tuple[Any, ...], ct: tuple[str, list[str]], ex: tuple[str, list[str]]
) -> None:
    for text, (verdict, rules) in (("es-ct", ct), ("es-ex", ex)):
        spin = Spin(text)(*events)
        assert [v for v, _ in spin.records] == [verdict], text
        assert spin.rules == [f"fortune_wheel.{rule}" for rule in rules], text
        assert all(finding.clause.startswith(f"{text} ") for finding in spin.last.findings)
        voids = [finding for finding in spin.last.findings if finding.effect == "void"]
        assert {finding.clause for finding in voids} <= {CLAUSES[text]}


def test_new_york_does_not_name_a_hindrance_but_a_wheel_between_spaces_is_void() -> None:
    assert Spin("us-ny")(push(), hindered(), rest(pushes=1)).records[0][0] == "valid"
    spin = Spin("us-ny")(push(), rest(None, pushes=1))
    assert (spin.records, spin.rules) == ([("void", None)], ["fortune_wheel.on_peg"])
    spin = Spin("us-ny")(push(), rest(54, pushes=1))
    assert (spin.records, spin.rules) == ([("void", None)], ["round.rest_unread"])


@pytest.mark.parametrize("text", ["es-ct", "es-ex"])
@pytest.mark.parametrize("place", [-1, 54, 1000])
def test_a_place_that_the_wheel_lacks_is_evidence_of_nothing(text: str, place: int) -> None:
    spin = Spin(text)(*SPUN[text][:-1], msgspec.structs.replace(SPUN[text][-1], place=place))
    assert spin.records == [("void", None)]
    assert spin.last.place is None
    assert spin.rules == ["fortune_wheel.rests_in_segment"]


@pytest.mark.parametrize(("since", "after"), [(1, 3), (3, 1), (2, 6)])
def test_a_third_push_begins_no_new_count(since: int, after: int) -> None:
    """24.V.3 asks for the turns of the second push and orders no third; what it asks for is what it had."""
    spun = (push(1), push(2), *map(turned, range(1, since + 1)), push(3), *map(turned, range(1, after + 1)))
    spin = Spin()(*spun, rest(pushes=3, since=after + 0.2, second=since + after + 0.3))
    assert (spin.records[0][0], spin.rules, spin.last.attempts) == ("valid", [], 3)
    spin = Spin()(push(1), push(2), push(3), rest(pushes=3, since=3.2, second=3.8))
    assert (spin.records[0][0], spin.rules) == ("void", ["fortune_wheel.turns"])
    assert spin.last.findings[0].evidence == {"wanted": 4, "counted_from": "second_push", "turns": 3}


@pytest.mark.parametrize(
    ("turns", "verdict", "rules"),
    [
        ((3.9, 3.99), "void", ["fortune_wheel.turns"]),
        ((3.98, 4.03), "void", ["round.rest_unread"]),
        ((4.0, 4.03), "valid", []),
    ],
)
@pytest.mark.parametrize(
    ("text", "start", "key"), [("es-ct", "second_push", "since"), ("es-ex", "start", "turns")]
)
def test_turns_that_may_be_too_few_are_unread_and_void_by_no_clause_of_their_own(
    text: str, start: str, key: str, turns: tuple[float, float], verdict: Any, rules: list[str]
) -> None:
    end = rest(**{"turns": 9.0, "since": 8.0, key: turns})
    for policy, said in (("automatic", verdict), ("inspector", "valid" if verdict == "valid" else "held")):
        spin = Spin(text, policy)(push(1), push(2), BUTTON, end)  # type: ignore[arg-type]
        assert (spin.records, spin.rules) == ([(said, order_of(text)[3])], rules)
        if rules == ["round.rest_unread"]:
            between = {"least": turns[0], "most": turns[1]}
            assert spin.last.findings[0].evidence == {"wanted": 4, "counted_from": start, **between}


def test_a_rest_says_what_the_second_push_gave_if_there_was_one() -> None:
    for wrong in (
        msgspec.structs.replace(rest(), turns_since_second=None),
        msgspec.structs.replace(rest(pushes=1), turns_since_second=Turns(5.0, 5.0)),
    ):
        spin = Spin()(*map(push, range(1, wrong.pushes + 1)), wrong)
        assert "round.half_seen" in spin.rules


# --- the closing of bets --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds_before", "rules"),
    [(0, []), (TOGETHER, []), (TOGETHER + 1, ["fortune_wheel.bets_closed_at_push"])],
)
def test_words_go_with_a_push_that_follows_soon(seconds_before: int, rules: list[str]) -> None:
    spin = Spin()(push(1), NoMoreBets())(push(2), after=seconds_before)(rest())
    assert [v for v, _ in spin.records] == ["valid"]
    assert spin.rules == rules
    assert spin.phases == ["betting", "in_play", "no_more_bets", "result"]


def test_a_third_push_does_not_take_the_closing_from_the_second() -> None:
    spin = Spin()(push(1), push(2))(push(3), after=SECOND)(rest(pushes=3))
    assert (spin.records[0][0], spin.rules) == ("valid", [])


@pytest.mark.parametrize(("first", "net"), [("ccw", "cw"), ("cw", "ccw"), ("ccw", "ccw"), ("ccw", None)])
def test_the_wheel_is_to_be_pushed_and_to_turn_clockwise_in_catalonia(first: Any, net: Any) -> None:
    spin = Spin()(push(1, first), push(2, first), rest(direction=net))
    assert (spin.records[0][0], spin.rules) == ("valid", ["fortune_wheel.clockwise"])


def test_bets_closed_before_the_first_push_stay_closed() -> None:
    spin = Spin("es-ex")(GameStarted, NoMoreBets(), push(1), BUTTON, rest(pushes=1))
    assert spin.phases == ["betting", "no_more_bets", "result"]
    assert spin.records[0][0] == "valid"


def test_a_device_that_tells_when_bets_open_opens_the_round() -> None:
    spin = Spin()(GameStarted)
    assert (spin.state.stage, spin.phases) == ("betting", ["betting"])
    opened = spin.now
    spin(GameStarted, *SPUN["es-ct"])
    assert spin.phases == ["betting", "in_play", "no_more_bets", "result"]
    assert spin.last.opened_at == opened


# --- what was not seen ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", SPUN)
@pytest.mark.parametrize(
    "what",
    [
        (lost(),),
        (lost(), DeviceBack),
        (DeviceRestarted,),
        (Restarted(),),
        (StatesMissed(before="", now="", **DEVICE),),
    ],
)
def test_a_wheel_that_was_lost_at_any_reading_gives_no_result_of_that_spin(
    text: str, what: tuple[Any, ...]
) -> None:
    for at in range(1, len(SPUN[text])):
        spin = Spin(text)(*SPUN[text][:at], *what, *SPUN[text][at:])
        assert [v for v, _ in spin.records] == ["void"], at
        assert "round.half_seen" in spin.rules


@pytest.mark.parametrize("text", SPUN)
def test_a_device_that_restarts_while_bets_are_open_leaves_them_open(text: str) -> None:
    spun = [event for event in SPUN[text] if event is not GameStarted]
    assert [v for v, _ in Spin(text)(GameStarted, DeviceRestarted, *spun).records] == ["valid"]
    half_seen = Spin(text)(GameStarted, DeviceRestarted, unread())
    assert half_seen.records == [("void", None)]


@pytest.mark.parametrize("text", SPUN)
def test_readings_that_went_by_unseen_give_no_result(text: str) -> None:
    spun = SPUN[text]
    pushes = [n for n, event in enumerate(spun) if isinstance(event, WheelPushed)]
    for at in pushes:
        for until in range(at + 1, len(spun)):
            spin = Spin(text)(*spun[:at], *spun[until:])
            assert "valid" not in [v for v, _ in spin.records], (at, until)
            with_loss = Spin(text)(GameStarted, *spun[:at], lost(), DeviceBack, *spun[until:])
            assert "valid" not in [v for v, _ in with_loss.records], (at, until)


def test_a_spin_that_was_under_way_when_the_table_was_opened_is_nobodys() -> None:
    spin = Spin()(TableOpened(), turned(3), push(2), turned(1), hindered(), rest(), unread())
    assert (spin.records, spin.state.stage) == ([], "closed")
    assert spin(*SPUN["es-ct"]).records == [("valid", order_of("es-ct")[3])]


def test_the_rest_that_could_not_be_read_is_void() -> None:
    spin = Spin()(push(1), push(2), unread("the index did not come"))
    assert (spin.records, spin.rules) == ([("void", None)], ["round.rest_unread"])
    assert spin.last.findings[0].evidence == {"reason": "the index did not come"}
    assert spin.last.findings[0].clause == "es-ct 24.V.3"


def test_a_rest_of_a_spin_whose_pushes_were_not_seen_is_void() -> None:
    assert Spin()(GameStarted, rest()).records == [("void", order_of("es-ct")[3])]
    assert Spin()(GameStarted, unread()).records == [("void", None)]
    assert Spin()(GameStarted, turned(2), rest()).records == [("void", order_of("es-ct")[3])]
    assert Spin()(GameStarted, push(2), rest()).records == [("void", order_of("es-ct")[3])]


def test_a_wheel_that_nobody_spun_gives_nothing() -> None:
    spin = Spin()(rest(pushes=0), GameStarted, rest(pushes=0), push(1), rest(pushes=0, turns=0, since=0))
    assert spin.records == [("void", order_of("es-ct")[3])], "pushed, and at rest as if it had not been"


@pytest.mark.parametrize(
    "wrong",
    [
        {"pushes": 3},
        {"pushes": 1},
        {"turns": math.nan},
        {"since": math.inf},
        {"turns": -0.5},
        {"since": -0.5},
        {"since": 2.9, "turns": 9.0},
        {"turns": (5.0, 4.9)},
        {"second": math.nan},
        {"second": (4.6, 4.5)},
    ],
)
def test_a_rest_that_contradicts_the_spin_is_void(wrong: dict[str, Any]) -> None:
    spin = Spin()(push(1), push(2), *map(turned, (1, 2, 3, 4)), rest(**wrong))
    assert spin.records[0][0] == "void"
    assert "round.half_seen" in spin.rules


@pytest.mark.parametrize("numbers", [(1, 3), (1, 2, 2), (1, 2, 4)])
def test_a_push_that_was_not_told_makes_a_spin_half_seen(numbers: tuple[int, ...]) -> None:
    spin = Spin()(*map(push, numbers))
    assert (spin.state.stage, spin.state.phase) == ("condemned", "void")
    assert spin(rest(pushes=numbers[-1])).records[0][0] == "void"


def test_a_spin_whose_rest_was_not_told_is_void_and_the_next_one_counts() -> None:
    spin = Spin()(push(1), push(2), *SPUN["es-ct"])
    assert [v for v, _ in spin.records] == ["void", "valid"]
    assert spin.settled[0].findings[-1].evidence == {"lost": "the rest of the spin"}
    spin = Spin()(push(1), push(2), GameStarted, *SPUN["es-ct"])
    assert [v for v, _ in spin.records] == ["void", "valid"]
    assert "round.no_result" in [finding.rule for finding in spin.settled[0].findings]


# --- voids ----------------------------------------------------------------------------------------


def test_a_void_is_known_at_once_and_recorded_with_the_segment_when_the_wheel_stands() -> None:
    spin = Spin()(push(1), push(2), hindered())
    assert (spin.records, spin.phases[-1], spin.state.reason) == ([], "void", "fortune_wheel.hindered")
    spin(push(3), turned(1), rest(place=7, pushes=3, since=1.5))
    assert spin.records == [("void", order_of("es-ct")[7])]
    assert spin.rules == ["fortune_wheel.hindered"]
    assert (spin.last.place, spin.last.attempts) == (7, 3)


@pytest.mark.parametrize(
    ("text", "rules"), [("es-ct", ["fortune_wheel.hindered"]), ("us-ny", ["round.rest_unread"])]
)
def test_a_hindered_spin_whose_rest_is_not_proved_is_void_by_the_clause_or_unread(
    text: str, rules: list[str]
) -> None:
    spin = Spin(text)(push(1), push(2), hindered(), unread())
    assert spin.records == [("void", None)]
    assert spin.rules == rules


def test_a_void_spin_that_never_comes_to_rest_is_settled_by_time_without_a_segment() -> None:
    spin = Spin()(push(1), push(2), lost())
    assert spin.wait(VOID_WAITS - 1).records == []
    assert spin.wait(1).records == [("void", None)]
    assert spin(rest()).records == [("void", None)], "too late"


def test_time_makes_no_result_of_a_spin_that_is_not_void() -> None:
    assert Spin()(push(1), push(2), turned(4)).wait(10 * VOID_WAITS).records == []


@pytest.mark.parametrize("policy", ["automatic", "inspector"])
def test_the_chiefs_void_beats_the_sensor(policy: Any) -> None:
    chief = ChiefVoid(by="chief 12", reason="a hand on the wheel")
    for before in range(1, len(SPUN["es-ct"])):
        spun = SPUN["es-ct"]
        spin = Spin(policy=policy)(*spun[:before], chief, *spun[before:])
        assert spin.records == [("void", order_of("es-ct")[3])]
        (finding,) = spin.last.findings
        assert (finding.rule, finding.clause) == ("fortune_wheel.declared_void", "es-ct 24.V.3")
        assert finding.evidence == {"chief": "a hand on the wheel", "by": "chief 12"}


def test_a_void_before_the_first_push_is_over_at_once() -> None:
    spin = Spin()(GameStarted, ChiefVoid(by="chief", reason="misdeal"))
    assert (spin.records, spin.state.stage) == ([("void", None)], "over")
    assert spin(*SPUN["es-ct"]).records[1][0] == "valid"


@pytest.mark.parametrize(
    "events", [(push(1), rest(pushes=1)), (push(1), push(2), unread()), (push(1), push(2), lost(), unread())]
)
def test_the_inspectors_policy_holds(events: tuple[Any, ...]) -> None:
    assert Spin(policy="inspector")(*events).records[0][0] == "held"


def test_commands_are_refused_with_the_reason_where_they_do_not_fit() -> None:
    spin = Spin()
    chief = ChiefVoid(by="chief", reason="x")
    assert spin.round.refuses(spin.state, chief) == "no round is in hand: the table is in phase closed"
    assert "bets are not open" in str(spin.round.refuses(spin.state, NoMoreBets()))
    spin(push(1))
    assert spin.round.refuses(spin.state, chief) is None
    assert "the wheel is in play" in str(spin.round.refuses(spin.state, TableClosed()))
    assert spin(rest(pushes=1))(TableClosed()).state.phase == "closed"
    assert spin(*SPUN["es-ct"]).records[1:] == [], "the table is closed"
    assert spin(GameStarted).state.stage == "closed"
    assert spin(TableOpened(), WheelClosed, *SPUN["es-ct"]).records[-1][0] == "valid"


# --- everything that could come -------------------------------------------------------------------

NOISE: list[tuple[Any, ...]] = [
    *(
        (event,)
        for event in (push(1), push(2), push(3), turned(1), turned(5), hindered(), rest(), rest(None))
    ),
    *(
        (event,)
        for event in (
            rest(since=(3.9, 4.1), turns=(2.9, 4.1)),
            rest(54),
            rest(pushes=1),
            rest(pushes=0),
            rest(since=math.nan),
            rest(turns=1, since=1),
        )
    ),
    *(
        (event,)
        for event in (unread(), lost(), BUTTON, NoMoreBets(), ChiefVoid(by="", reason=""), Restarted())
    ),
    (TableClosed(),),
    (TableOpened(),),
    *((kind(**DEVICE),) for kind in (DeviceBack, DeviceRestarted, GameStarted, WheelClosed)),
    (StatesMissed(before="", now="", **DEVICE),),
]
PIECES = st.one_of(
    st.sampled_from(NOISE), st.sampled_from([*SPUN.values(), (push(1), push(2)), (push(2), rest())])
)
HARMLESS = (
    "WheelPushed",
    "WheelTurned",
    "NoMoreBets",
    "ButtonPressed",
    "DeviceBack",
    "TableOpened",
    "TableClosed",
)


def clean(before: list[Any], end: Any, text: str) -> bool:
    """Whether a rest ends a spin that was seen whole and breaks no rule that voids."""
    began = max(
        (n for n, event in enumerate(before) if isinstance(event, WheelPushed) and event.number == 1),
        default=None,
    )
    if began is None or not isinstance(end, WheelAtRest) or end.place not in range(54):
        return False
    spun = before[began:]
    pushes = [event.number for event in spun if isinstance(event, WheelPushed)]
    if pushes != list(range(1, end.pushes + 1)):
        return False
    if any(type(event).__name__ not in HARMLESS and event != rest(pushes=0) for event in spun):
        return text == "us-ny" and all(
            type(event).__name__ in (*HARMLESS, "WheelHindered") or event == rest(pushes=0) for event in spun
        )
    enough = {
        "es-ct": end.turns_since_second is not None and end.turns_since_second.least >= 4,
        "es-ex": end.turns.least >= 4,
        "us-ny": end.turns.least >= 3,
    }
    return bool(enough[text])


@settings(max_examples=400, deadline=None, derandomize=True)
@given(text=st.sampled_from(list(SPUN)), pieces=st.lists(PIECES, max_size=14))
def test_no_sequence_gives_a_valid_result_without_a_clean_rest(
    text: str, pieces: list[tuple[Any, ...]]
) -> None:
    events = [event for piece in pieces for event in piece]
    spin = Spin(text)
    for n, event in enumerate(events):
        settled = len(spin.settled)
        spin(event)
        for each in spin.settled[settled:]:
            assert each.verdict == "void" or clean(events[:n], event, text)
            assert each.verdict == "valid" or any(finding.effect == "void" for finding in each.findings)
            assert (each.label is None) == (each.place is None)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(pieces=st.lists(PIECES, max_size=10))
def test_a_state_survives_being_kept_at_every_step(pieces: list[tuple[Any, ...]]) -> None:
    plain, kept = Spin(), Spin()
    for event in (event for piece in pieces for event in piece):
        plain(event)
        kept.state = msgspec.json.decode(msgspec.json.encode(kept.state), type=SpinState)
        kept(event)
        assert kept.outputs == plain.outputs
        assert kept.state == plain.state


def test_a_table_chief_who_repeats_himself_makes_no_record_without_end() -> None:
    play = Spin()(push())
    for number in range(100):
        play(ChiefVoid(by="chief", reason=f"dispute {number}"))
    play(rest(pushes=1))
    reasons = [finding.evidence["chief"] for finding in play.last.findings if "chief" in finding.evidence]
    assert len(reasons) == CAUSES
    assert reasons[-1] == "dispute 99"
