"""Field cases 7 to 24 on the real path: framing, repeats, and the rules on the wheel."""

import random
from typing import Any

import pytest
from hall import Board, Daemon, Wire, clean_game, status

FULL = clean_game(1, "17")


async def test_case_7_half_a_line_a_pause_and_the_other_half(board: Board, wire: Wire) -> None:
    line = status(5, 1, "17")
    await wire.lines(*clean_game(1, "17", bare=False)[:6])
    await wire.lines(line[:9], every=3.0)
    await wire.lines(line[9:], line, status(2, 2, "17"))
    await board.recorded(1)
    assert board.verdicts == [("valid", "17")]


async def test_case_8_a_stream_joined_in_mid_line(board: Board, wire: Wire) -> None:
    await board.replugged(wire)
    await wire.lines(b"*X;5;012;31;0;158;0"[4:] + b"\r\n", *clean_game(13, "4", "31"))
    await board.recorded(1)
    assert board.verdicts == [("valid", "4")]


async def test_case_8_the_end_of_a_line_is_not_taken_for_a_line(board: Board, wire: Wire) -> None:
    await wire.lines(*clean_game(1, "17", bare=False)[:6])
    await board.phase("no_more_bets")
    await board.replugged(wire)
    await wire.lines(b"7\r\n", *[status(5, 1, "17")] * 3)  # the first is what was left of the number's line
    await board.recorded(1)
    assert board.verdicts == [("void", "17")]


async def test_case_9_random_bytes_do_no_harm(board: Board, wire: Wire, daemon: Daemon) -> None:
    noise = random.Random(9)
    for _ in range(60):
        wire.write(noise.randbytes(512).replace(b"*X", b"xx"))
        await wire.lines(b"")
    await wire.lines(b"\r\n", status(6, 1, rpm=0), status(6, 1, rpm=0), *FULL)
    await board.recorded(1)
    assert board.verdicts == [("valid", "17")]
    assert daemon.process is not None
    assert daemon.process.poll() is None
    wire.unplug()
    await board.until(lambda board: board.last("device/wheel")["state"] == "lost")
    assert board.last("device/wheel")["bad_frames"] > 100
    lost = [event for event in board.all("event/device") if event["data"]["state"] == "lost"]
    assert len(lost) == 1


async def test_case_10_glued_fragments_are_no_state(board: Board, wire: Wire) -> None:
    game = clean_game(1, "17")
    await wire.lines(
        *game[:4], b"*X;4;14*X;*X;4;146; 9;0;158;0\r\n", b"00;0\r\n", b"6; 9;0;158;0\r\n", *game[4:]
    )
    await board.recorded(1)
    assert board.verdicts == [("valid", "17")]


async def test_case_11_line_ends_the_wrong_way_round(board: Board, wire: Wire) -> None:
    game = clean_game(1, "17", bare=False)
    await wire.lines(*game[:6], b"17\n\r" + b"\r" + status(5, 1, "17"), status(5, 1, "17"))
    await board.recorded(1)
    assert board.verdicts == [("valid", "17")]


async def test_case_12_modem_probes_are_ignored(board: Board, wire: Wire) -> None:
    await wire.lines(b"AT\r\n", b"ATI\r\r\n", *FULL[:4], b"AT\r\n", *FULL[4:])
    await board.recorded(1)
    assert board.verdicts == [("valid", "17")]


async def test_case_13_the_same_event_three_times_is_one_and_under_the_next_counter_another(
    board: Board, wire: Wire
) -> None:
    tripled = [line for line in clean_game(1, "17") for _ in range(3)]
    await wire.lines(*tripled, every=0.005)
    await wire.lines(*[line for line in clean_game(2, "17", "17", 1) for _ in range(3)], every=0.005)
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "17")]


async def test_case_14_the_same_number_twice_is_two_results(board: Board, wire: Wire) -> None:
    await wire.game(12, "17")
    await wire.game(13, "17", "17", 1)
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "17")]


@pytest.mark.parametrize("times", [2, 16])
async def test_case_15_a_repeated_result_is_one(board: Board, wire: Wire, times: int) -> None:
    await wire.lines(*FULL[:7], *[status(5, 1, "17")] * times)
    await wire.game(2, "4", "17", 1)
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "4")]


async def test_case_16_no_result_comes_of_time(board: Board, wire: Wire) -> None:
    await wire.lines(*FULL[:6])
    await board.phase("no_more_bets")
    await wire.lines(*[status(4, 1)] * 14, every=0.5)
    assert board.verdicts == []
    assert board.last("phase")["phase"] == "no_more_bets"


async def test_case_17_a_counter_that_wraps_is_no_gap(board: Board, wire: Wire) -> None:
    await wire.game(255, "9", rotor=0)
    await wire.game(256, "17", " 9", 1)
    await wire.game(1, "9", "17", 0)
    await board.recorded(3)
    assert board.verdicts == [("valid", "9"), ("valid", "17"), ("valid", "9")]
    assert all(record["findings"] == [] for record in board.records)


async def test_case_17_a_counter_that_restarts_is_not_held_against_the_old_one(
    board: Board, wire: Wire
) -> None:
    await wire.game(1, "9", rotor=0)
    await wire.game(2, "17", " 9", 1)
    await wire.lines(*[status(6, 1, rpm=0)] * 2, *[status(1, 1)] * 2)
    await wire.game(1, "9", rotor=0)
    await board.recorded(3)
    assert board.verdicts == [("valid", "9"), ("valid", "17"), ("valid", "9")]


async def test_case_18_a_failed_launch_is_noted_and_the_relaunch_counts(board: Board, wire: Wire) -> None:
    await wire.game(1, "17", rotor=0)
    await board.recorded(1)
    await wire.lines(*[status(2, 2, "17", "2", 162, 1)] * 12, every=0.5)
    await wire.lines(*[status(2, 2, "17", "8", 162, 1)] * 4, status(2, 2, "17", "8", 0, 1), every=0.1)
    await wire.lines(*[status(2, 2, "17", "8", 179, 0)] * 2, every=0.1)
    await wire.lines(*[status(3, 2, "17", rotor=0)] * 3, *[status(4, 2, "17", rotor=0)] * 3, b"4\r\n")
    await wire.lines(*[status(5, 2, " 4", rotor=0)] * 2)
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "4")]
    assert board.records[1]["attempts"] == 2


async def test_case_19_a_ball_with_the_rotor_is_no_valid_result(board: Board, wire: Wire) -> None:
    await wire.lines(status(2, 1), status(2, 1), *[status(3, 1, warning="2")] * 3)
    await board.phase("void")
    assert board.last("phase")["announcement"] == "no hi va res"
    await wire.lines(
        *[status(4, 1, warning="2")] * 3, b"17\r\n", *[status(5, 1, "17")] * 3, status(2, 2, "17")
    )
    await board.recorded(1)
    assert board.verdicts == [("void", "17")]
    assert board.records[0]["findings"][0]["clause"] == "es-ct 1.IV.3.a"
    assert board.all("result") == []


async def test_case_20_the_same_sense_twice_is_a_finding_and_with_a_failed_launch_between_none(
    board: Board, wire: Wire
) -> None:
    await wire.game(1, "17", rotor=1)
    await wire.lines(*clean_game(2, "4", "17", rotor=1))
    await board.recorded(2)
    failed = [status(2, 3, " 4", "8", 170, 0)] * 3 + [status(2, 3, " 4", "0", 170, 1)] * 2
    await wire.lines(*failed, *clean_game(3, "8", " 4", rotor=1)[2:])
    await board.recorded(3)
    rules = [[finding["rule"] for finding in record["findings"]] for record in board.records]
    assert rules == [[], ["wheel.rotor_alternates"], []]


@pytest.mark.parametrize("changes", [{"options": {"model": "mercury-360", "protocol": "advanced"}}])
async def test_case_21_a_mercurys_speed_warning_is_a_speed(board: Board, wire: Wire, changes: Any) -> None:
    slow = [status(state, 1, " 3", "1", 85) for state in (3, 3, 3, 4, 4, 4)]
    await wire.lines(
        status(2, 1, " 3"), status(2, 1, " 3"), *slow, b"17\r\n", *[status(5, 1, "17", "1", 85)] * 3
    )
    await board.recorded(1)
    assert board.verdicts == [("valid", "17")]
    assert board.records[0]["findings"][0]["rule"] == "device.rotor_speed"
    assert board.records[0]["findings"][0]["evidence"] == {"rpm": 8.5}


async def test_case_22_both_ways_to_the_next_game_are_normal_and_one_without_a_result_is_void(
    board: Board, wire: Wire
) -> None:
    await wire.game(1, "17", rotor=0)
    await wire.game(2, "4", "17", rotor=1)
    await wire.lines(status(1, 2, " 4"), status(1, 2, " 4"))
    await wire.game(3, "8", " 4", rotor=0)
    await wire.lines(*clean_game(4, "1", " 8", rotor=1)[:6])
    await wire.game(4, "2", " 8", rotor=0)
    await board.recorded(5)
    assert board.verdicts == [("valid", "17"), ("valid", "4"), ("valid", "8"), ("void", None), ("valid", "2")]


async def test_case_23_a_blank_number_is_no_result(board: Board, wire: Wire) -> None:
    await wire.lines(*FULL[:6], *[status(5, 1)] * 4, status(2, 2), status(2, 2))
    await board.recorded(1)
    assert board.verdicts == [("void", None)]
    assert board.records[0]["findings"][0]["rule"] == "round.pocket_unread"


async def test_case_24_other_lines_are_never_results(board: Board, wire: Wire) -> None:
    others = [
        b"*Y;1;017\r\n",
        b"*Y:1:017\r\n",
        b"*P OK\r\n",
        b"*u OK\r\n",
        b"*o BUSY\r\n",
        b"*T s 16.0 18.0\r\n",
    ]
    others += [b"*L 22\r\n", b"*22\r\n", b"*  NO\r\n", b"*F 12\r\n"]
    game = clean_game(1, "17")
    await wire.lines(*others, *game[:4], *others, *game[4:6], *others, *game[6:], *others)
    await wire.game(2, "4", "17", 1)
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("valid", "4")]
    rules = [event["data"]["rule"] for event in board.all("event/finding")]
    assert "device.unsolicited_reply" in rules
