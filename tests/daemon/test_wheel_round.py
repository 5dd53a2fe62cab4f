"""The wheel's round, reading by reading, under the three texts."""

import pytest
from wheel_play import Play, in_play

from daemon.rounds.machine import CAUSES, VOID_WAITS
from daemon.rounds.round import (
    ChiefVoid,
    NoMoreBets,
    Restarted,
    TableClosed,
    TableOpened,
    Unexpected,
)
from drivers.readings import (
    BallLap,
    BallLeavingRim,
    BallMissing,
    BallWithRotor,
    DeviceBack,
    DeviceRestarted,
    PocketUnread,
    RotorSpeedOutOfRange,
    VoidSignalled,
    WaitingForDealer,
    WheelClosed,
)


def test_an_ordinary_round_is_valid_and_goes_through_its_phases() -> None:
    play = in_play()(BallLeavingRim).settled("0")
    assert play.records == [("valid", "0")]
    assert play.phases == ["betting", "in_play", "no_more_bets", "result"]
    assert play.last.findings == ()
    assert play.last.attempts == 1
    assert play.last.closed_at is not None


def test_the_same_sense_twice_is_void_with_the_texts_clause() -> None:
    for text, clause in (
        ("es-1979", "es-1979 01.IV.3.a"),
        ("es-ct", "es-ct 1.IV.3.a"),
        ("es-ex", "es-ex 1.1.4.3.a"),
    ):
        play = in_play(text)(BallLeavingRim).settled().started(2).launched("cw")(BallLeavingRim).settled("4")
        assert play.records == [("valid", "17"), ("void", "4")]
        finding = play.last.findings[0]
        assert (finding.rule, finding.clause, finding.effect) == ("wheel.rotor_alternates", clause, "void")
        assert finding.evidence == {"previous": "cw", "this": "cw"}


def test_a_throw_whose_rotor_was_never_seen_says_which_rules_were_not_judged() -> None:
    play = in_play("es-1979", rotor=None)(BallLeavingRim).settled("4")
    assert play.records == [("valid", "4")]
    [finding] = play.last.findings
    assert (finding.rule, finding.clause, finding.effect) == (
        "round.rotor_unseen",
        "es-1979 01.IV.3.a",
        "finding",
    )
    assert finding.evidence == {"not_judged": ["wheel.rotor_alternates", "wheel.ball_against_rotor"]}
    seen_late = in_play("es-1979", rotor=None)(BallLeavingRim).settled("4", rotor="cw")
    assert seen_late.last.findings == ()
    unread = in_play("es-1979", rotor=None).missed().settled("4")
    assert [each.rule for each in unread.last.findings] == ["round.half_seen"]


def test_alternating_launches_are_valid_and_a_void_throw_counts_as_one() -> None:
    play = in_play()(BallLeavingRim)(ChiefVoid(by="chief", reason="chip in the cylinder")).settled("9")
    play.started(2).launched("ccw")(BallLeavingRim).settled("4")
    assert play.records == [("void", "9"), ("valid", "4")]


def test_a_failed_launch_between_is_an_actuation_too() -> None:
    play = (
        in_play()(BallLeavingRim)
        .settled()
        .started(2)
        .failed("ccw")
        .launched("cw")(BallLeavingRim)
        .settled("4")
    )
    assert play.records == [("valid", "17"), ("valid", "4")]
    assert play.last.attempts == 2


def test_a_failed_launch_of_unknown_sense_leaves_nothing_to_judge() -> None:
    play = (
        in_play()(BallLeavingRim)
        .settled()
        .started(2)
        .failed(None)
        .launched("cw")(BallLeavingRim)
        .settled("4")
    )
    assert play.last.findings == ()


def test_a_respin_under_the_same_game_is_one_valid_round() -> None:
    play = in_play().failed().launched("ccw")(BallLeavingRim).settled("8", game=1)
    assert play.records == [("valid", "8")]
    assert play.last.attempts == 2


def test_the_sense_seen_at_the_end_overrides_that_of_the_launch() -> None:
    play = in_play()(BallLeavingRim).settled(rotor="cw").started(2).launched("cw")(BallLeavingRim)
    assert play.settled("4", rotor="ccw").records[-1] == ("valid", "4")


@pytest.mark.parametrize(
    ("reading", "rule"),
    [
        (BallWithRotor, "wheel.ball_against_rotor"),
        (BallMissing, "wheel.ball_left_cylinder"),
    ],
)
def test_what_voids_a_throw_is_said_at_once_and_the_late_number_is_evidence(reading: type, rule: str) -> None:
    play = in_play()(reading)
    assert play.phases[-1] == "void"
    assert play.records == []
    play(BallLeavingRim).settled("33")
    assert play.records == [("void", "33")]
    assert rule in play.rules


def test_ball_direction_of_the_extended_line_is_judged() -> None:
    play = Play().started().launched("cw", ball="cw")(BallLeavingRim).settled()
    assert play.records == [("void", "17")]
    assert play.rules == ["wheel.ball_against_rotor"]


def test_the_wheels_own_void_signal_is_a_defective_throw() -> None:
    play = in_play()
    play(VoidSignalled(device="wheel", at=play.now, cause="launched too slowly")).settled("3")
    assert play.records == [("void", "3")]
    assert play.rules == ["wheel.defective_throw"]


def test_before_the_launch_the_balls_course_is_no_throw() -> None:
    play = Play().started()(BallWithRotor, BallMissing).failed("cw").launched("ccw")(BallLeavingRim).settled()
    assert play.records == [("valid", "17")]


def test_the_inspector_policy_holds_what_the_machine_would_void() -> None:
    play = in_play(policy="inspector")(BallMissing)
    assert play.phases[-1] == "held"
    assert play.settled("3").records == [("held", "3")]


def test_the_chiefs_void_is_void_under_either_policy_and_beats_a_late_result() -> None:
    for policy in ("automatic", "inspector"):
        play = in_play(policy=policy)(BallLeavingRim, ChiefVoid(by="chief", reason="chip")).settled("5")
        assert play.records == [("void", "5")]
        assert play.last.findings[-1].clause == "es-ct 1.IV.3.d"
        assert play.last.findings[-1].evidence == {"chief": "chip", "by": "chief"}


def test_a_void_while_betting_voids_the_throw_that_follows() -> None:
    play = Play().started()(ChiefVoid(by="chief", reason="dispute"))
    assert play.wait(10 * VOID_WAITS).records == []
    assert play.launched()(BallLeavingRim).settled("5").records == [("void", "5")]


def test_after_a_void_the_ball_goes_again_under_the_same_game() -> None:
    play = in_play()(ChiefVoid(by="chief", reason="chip")).failed("cw")
    assert play.records == [("void", None)]
    play.launched("ccw")(BallLeavingRim).settled("6", game=1)
    assert play.records == [("void", None), ("valid", "6")]


def test_a_void_without_further_sign_is_settled_in_time_and_nothing_else_ever_is() -> None:
    play = in_play()(ChiefVoid(by="chief", reason="chip"))
    assert play.wait(VOID_WAITS - 1).records == []
    assert play.wait(1).records == [("void", None)]
    waiting = in_play()(BallLeavingRim)
    assert waiting.round.deadline(waiting.state) is None
    assert waiting.wait(1000 * VOID_WAITS).records == []


def test_a_late_number_after_a_settled_void_is_nothing() -> None:
    play = in_play()(ChiefVoid(by="chief", reason="chip")).wait(VOID_WAITS).settled("5")
    assert play.records == [("void", None)]


def test_a_link_lost_in_play_voids_the_round_and_the_number_seen_later_is_evidence() -> None:
    play = in_play()(BallLeavingRim).lost()
    assert play.phases[-1] == "void"
    play(DeviceBack).missed("4", "5").settled("12", game=1)
    assert play.records == [("void", "12")]
    assert play.rules == ["round.half_seen"]
    assert play.last.findings[0].clause == "es-ct 1.IV.3.c"


def test_a_link_lost_while_betting_does_no_harm_if_the_launch_is_seen() -> None:
    play = (
        in_play()(BallLeavingRim)
        .settled()
        .started(2)
        .lost()(DeviceBack)
        .launched("cw")(BallLeavingRim)
        .settled("4")
    )
    assert play.records == [("valid", "17"), ("valid", "4")]  # nothing is known of the rotor meanwhile


def test_a_launch_that_was_missed_is_half_seen() -> None:
    play = Play().started().lost()(DeviceBack).missed("2", "4")(BallLeavingRim).settled("4")
    assert play.records == [("void", "4")]


def test_a_whole_game_that_went_by_unheard_is_void_and_the_next_one_counts() -> None:
    play = Play().started(6).lost()(DeviceBack).started(7).launched()(BallLeavingRim).settled("4", game=7)
    assert play.records == [("void", None), ("valid", "4")]


def test_back_in_the_same_betting_nothing_happened() -> None:
    play = Play().started(6).lost()(DeviceBack).started(6).launched()(BallLeavingRim).settled("4", game=6)
    assert play.records == [("valid", "4")]


def test_opened_in_mid_game_it_waits_for_the_next() -> None:
    play = Play()(DeviceBack).missed("unknown", "4")(BallLeavingRim).settled("4")
    assert play.records == []
    assert play.started(2).launched()(BallLeavingRim).settled("5").records == [("valid", "5")]


def test_an_unread_pocket_is_no_result() -> None:
    play = in_play()(BallLeavingRim)
    play(PocketUnread(device="wheel", at=play.now, claims=("3", "31"), reason="contradiction"))
    assert play.records == [("void", None)]
    assert play.last.findings[0].evidence["claims"] == ["3", "31"]


def test_a_game_without_a_result_is_void_and_the_next_one_counts() -> None:
    play = in_play()(BallLeavingRim).abandoned().started(1).launched("ccw")(BallLeavingRim).settled("5")
    assert play.records == [("void", None), ("valid", "5")]
    closed = in_play()(BallLeavingRim, WheelClosed)
    assert closed.records == [("void", None)]
    assert closed.phases[-1] == "closed"


def test_a_game_given_up_before_the_launch_leaves_no_record() -> None:
    play = Play().started().abandoned().started(2).launched()(BallLeavingRim).settled()
    assert play.records == [("valid", "17")]


def test_a_device_that_restarts_in_play_makes_the_round_void_and_is_waited_for() -> None:
    play = in_play()(DeviceRestarted)
    assert play.records == [("void", None)]
    assert play.phases[-1] == "closed"
    assert play.started().launched()(BallLeavingRim).settled("8").records[-1] == ("valid", "8")


def test_a_device_that_restarts_while_bets_are_open_leaves_them_open() -> None:
    whole = Play().started(3)(DeviceRestarted).started(3).launched()(BallLeavingRim).settled("8", game=3)
    assert whole.records == [("valid", "8")]
    thrown = Play().started(3)(DeviceRestarted).missed()(BallLeavingRim).settled("8", game=3)
    assert thrown.records == [("void", "8")]
    given_up = Play().started(3)(DeviceRestarted).abandoned().started(1)
    assert given_up.records == []
    another = Play().started(3)(DeviceRestarted).started(1)
    assert another.records == [("void", None)], "a game may have gone by"
    assert another.phases[-1] == "betting"


def test_after_the_devices_restart_the_sense_of_the_throw_before_is_not_judged_by() -> None:
    play = in_play()(BallLeavingRim).settled().started(2)(DeviceRestarted)
    assert play.launched("cw")(BallLeavingRim).settled("4", game=2).records[-1] == ("valid", "4")


def test_the_daemons_own_restart_voids_what_was_in_play_only() -> None:
    assert in_play()(Restarted()).records == [("void", None)]
    play = (
        Play().started(3)(Restarted(), DeviceBack).started(3).launched()(BallLeavingRim).settled("8", game=3)
    )
    assert play.records == [("valid", "8")]


@pytest.mark.parametrize("stage", ["over", "betting", "condemned"])
def test_the_sense_before_the_daemons_own_restart_is_not_held_against_the_next_throw(stage: str) -> None:
    """Games may have been played meanwhile; afterwards, what was seen counts again."""
    play = in_play()(BallLeavingRim)
    if stage == "condemned":
        play(ChiefVoid(by="chief", reason="dispute"))
    else:
        play.settled()
    if stage == "betting":
        play.started(2)
    play(Restarted(), DeviceBack).started(2).launched("cw")(BallLeavingRim).settled("8")
    assert play.records[-1] == ("valid", "8")
    assert play.started(3).launched("cw")(BallLeavingRim).settled("9").records[-1] == ("void", "9")


def test_bets_are_closed_by_the_croupier_or_the_wheel_and_a_result_without_is_a_finding() -> None:
    play = in_play()(NoMoreBets(), BallLeavingRim).settled()
    assert play.phases.count("no_more_bets") == 1
    assert play.last.findings == ()
    unclosed = in_play().settled()
    assert unclosed.records == [("valid", "17")]
    assert [(f.rule, f.effect) for f in unclosed.last.findings] == [
        ("wheel.bets_closed_before_result", "finding")
    ]


def test_bets_closed_before_the_launch_stay_closed() -> None:
    play = Play().started()(NoMoreBets()).launched()(BallLeavingRim).settled()
    assert play.phases == ["betting", "no_more_bets", "result"]
    assert play.records == [("valid", "17")]


def test_a_launch_that_fails_after_bets_were_closed_is_a_defective_throw() -> None:
    play = in_play()(BallLeavingRim).failed("cw").launched("ccw")(BallLeavingRim).settled("5")
    assert play.records == [("void", None), ("valid", "5")]


def test_a_speed_outside_the_makers_range_is_noted_and_stops_nothing() -> None:
    play = in_play()
    play(RotorSpeedOutOfRange(device="wheel", at=play.now, rpm=8.5))(BallLeavingRim).settled()
    assert play.records == [("valid", "17")]
    assert play.last.findings[0].evidence == {"rpm": 8.5}


def test_the_dealers_acknowledgement_is_waited_for_in_the_open() -> None:
    play = in_play()(BallLeavingRim, WaitingForDealer).settled()
    assert play.records == [("valid", "17")]
    assert play.phases.count("no_more_bets") == 2


def test_a_closed_table_judges_nothing_and_waits_for_the_next_game_when_opened() -> None:
    play = Play()(TableClosed()).started(4).launched()(BallLeavingRim).settled()
    assert play.records == []
    play(TableOpened()).settled("3")
    assert play.records == []
    assert play.started(5).launched()(BallLeavingRim).settled("3").records == [("valid", "3")]


def test_a_table_is_not_closed_over_a_ball_in_play() -> None:
    play = in_play()
    assert play.round.refuses(play.state, TableClosed()) is not None
    assert play.round.refuses(play.state, NoMoreBets()) is None
    assert Play().round.refuses(Play().state, ChiefVoid(by="c", reason="")) is not None


def test_two_numbers_in_one_game_count_once_and_what_is_unexpected_is_noted() -> None:
    play = in_play()(BallLeavingRim).settled("4").settled("5")
    assert play.records == [("valid", "4")]
    odd = in_play().launched()
    assert any(isinstance(output, Unexpected) for output in odd.outputs)


def test_a_second_launch_is_noted_with_all_that_was_said_of_it() -> None:
    play = in_play()(BallLeavingRim).launched("ccw")
    noted = play.outputs[-1]
    assert isinstance(noted, Unexpected)
    assert (noted.phase, noted.reading) == ("no_more_bets", "BallLaunched")
    assert noted.data["rotor"] == "ccw"
    assert noted.data["device"] == "wheel"


def test_a_number_of_another_game_than_the_one_that_was_opened_does_not_count() -> None:
    play = Play().started(3).launched()(BallLeavingRim).settled("5", game=4)
    assert play.records == [("void", "5")]


def test_a_chiefs_void_does_not_wait_for_ever_for_a_wheel_that_is_gone() -> None:
    play = Play().started()(ChiefVoid(by="chief", reason="dispute")).launched().lost()
    assert play.wait(VOID_WAITS).records == [("void", None)]
    betting = Play().started()(ChiefVoid(by="chief", reason="dispute")).lost()
    assert betting.wait(VOID_WAITS).records == [("void", None)]
    half_seen = Play().started().missed()(ChiefVoid(by="chief", reason="dispute"))
    assert half_seen.wait(VOID_WAITS).records == [("void", None)]


def test_the_rotors_sense_is_not_judged_while_one_line_may_have_shown_it_wrong() -> None:
    play = in_play()(BallLeavingRim).settled(rotor="cw").started(2).launched("cw")
    play(BallLap(device="wheel", at=play.now, laps=1))
    assert play.phases[-1] == "in_play"
    assert play(BallLeavingRim).settled("4", rotor="ccw").records[-1] == ("valid", "4")


def test_a_further_cause_does_not_lengthen_the_wait() -> None:
    play = in_play().lost()
    play.wait(VOID_WAITS // 2)(ChiefVoid(by="chief", reason="no wheel"))
    assert play.wait(VOID_WAITS // 2).records == [("void", None)]


def test_a_device_that_repeats_itself_makes_no_record_without_end() -> None:
    play = in_play()
    for number in range(1000):
        play(VoidSignalled(device="wheel", at=play.now, cause=f"warning {number // 10}"))
    kept = play.state.defective
    assert len(kept) == CAUSES
    assert (kept[:2], kept[-1]) == (("warning 0", "warning 1"), "warning 99")
    play.settled()
    assert play.last.findings[0].evidence == {"signals": list(kept)}


def test_a_table_chief_who_repeats_himself_makes_no_record_without_end() -> None:
    play = Play().started()
    for number in range(1000):
        play(ChiefVoid(by="chief", reason=f"dispute {number // 10}"))
    play.launched()(BallLeavingRim).settled("4")
    assert play.records == [("void", "4")]
    reasons = [finding.evidence["chief"] for finding in play.last.findings]
    assert len(reasons) == CAUSES
    assert (reasons[:2], reasons[-1]) == (["dispute 0", "dispute 1"], "dispute 99")
