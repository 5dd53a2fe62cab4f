"""The number of a Cammegh wheel and its witnesses; damaged lines, of which none changes a game."""

import pytest
from cammegh_line import MERCURY, Line, names, playing, pockets, running

from drivers.readings import (
    GameAbandoned,
    GameStarted,
    LaunchFailed,
    PocketSettled,
    PocketUnread,
)

# --- the number ----------------------------------------------------------------------------------


def test_bare_number_and_first_line_of_state_5_are_enough() -> None:
    line = running().text("17").status(5, number=17, d=1)
    assert pockets(line) == [("17", 12, "ccw")]


def test_without_a_bare_number_the_second_line_is_needed() -> None:
    line = running().status(5, number=17, d=1)
    assert line.new() == []
    line.status(5, number=17, d=1)
    assert pockets(line) == [("17", 12, "ccw")]


@pytest.mark.parametrize("leaving", [(2, 13), (1, 12), (6, 12)])
def test_a_single_line_of_state_5_and_the_next_state_with_the_same_number(leaving: tuple[int, int]) -> None:
    state, counter = leaving
    line = running().status(5, number=17, d=1).status(state, counter, 17, v=0 if state == 6 else 170, n=2)
    assert pockets(line) == [("17", 12, "ccw")]


@pytest.mark.parametrize("lines", range(2, 17))
def test_state_5_of_any_length_is_one_result(lines: int) -> None:
    line = running().settle(17, n=lines).betting(13, 17, d=0)
    assert [type(r).__name__ for r in line.new()] == ["PocketSettled", "GameStarted"]


@pytest.mark.parametrize("bare", ["3", "1", "32"])
def test_a_bare_number_that_contradicts_makes_the_pocket_unread(bare: str) -> None:
    line = running().text(bare).status(5, number=31, d=1, n=5).status(2, 13, n=2)
    assert pockets(line) == []
    (unread,) = line.all(PocketUnread)
    assert unread.claims == (bare, "31")
    assert "contradicts" in unread.reason
    assert unread.game == 12
    assert unread.rotor == "ccw"


def test_a_stale_bare_number_is_ignored() -> None:
    line = running().text("5").status(4, d=1, n=6).status(5, number=17, d=1, n=3)
    assert pockets(line) == [("17", 12, "ccw")]


def test_a_damaged_first_line_yields_to_bare_number_and_two_lines() -> None:
    line = running().text("17").status(5, number=11, d=1).status(5, number=17, d=1)
    assert pockets(line) == []
    line.status(5, number=17, d=1)
    assert pockets(line) == [("17", 12, "ccw")]


def test_a_bare_number_within_state_5_is_no_witness() -> None:
    line = running().status(5, number=17, d=1).text("3").status(5, number=17, d=1)
    assert pockets(line) == [("17", 12, "ccw")]


def test_a_bare_number_of_an_abandoned_game_is_not_the_next_ones() -> None:
    """Held-up lines arrive together, so their age tells nothing."""
    line = running().text("5")
    for state, number in ((2, 31), (3, 31), (4, 31), (5, 17)):
        line.status(state, number=number, n=3, every=0.001)
    assert [r.pocket for r in line.all(PocketSettled)] == ["17"]


def test_lines_of_state_5_that_never_agree_leave_the_pocket_unread() -> None:
    line = running()
    for number in (17, 11, 17, 11):
        line.status(5, number=number, d=1)
    line.status(2, 13, 17, n=2)
    (unread,) = line.all(PocketUnread)
    assert unread.claims == ("17", "11")
    assert pockets(line) == []


@pytest.mark.parametrize("state", [6, 1])
def test_a_damaged_last_line_before_the_wheel_closes_is_no_result(state: int) -> None:
    """4, 4, then one line that reads 5 with the old number, then out of play with the old number."""
    line = running().status(5, d=1).status(state, v=0, n=4)
    assert pockets(line) == []
    assert line.all(PocketUnread) == []
    assert len(line.all(GameAbandoned)) == 1


def test_a_damaged_last_line_before_a_silence_is_no_result() -> None:
    line = running().status(5, d=1).wait(20)
    line.status(6, v=0, n=4)
    assert pockets(line) == []
    assert len(line.all(PocketUnread)) == 1


def test_a_line_of_state_5_alone_is_no_result_in_another_state_of_play() -> None:
    line = running(**MERCURY).status(5, d=1).status(7, d=1, n=4)
    assert line.new_names() == ["WaitingForDealer"]
    assert line.driver.health().bad_frames == 1


def test_a_blank_number_is_no_result() -> None:
    line = running().status(5, number=None, d=1, n=6)
    assert line.new() == []
    line.status(2, 13, None, n=2)
    unread, started = line.new()
    assert isinstance(unread, PocketUnread)
    assert unread.claims == ()
    assert isinstance(started, GameStarted)


@pytest.mark.parametrize("shown", ["00", "37", "99"])
def test_a_pocket_that_the_wheel_does_not_have_is_damage(shown: str) -> None:
    line = running().status(5, number=shown, d=1, n=3)
    assert line.new() == []
    assert line.driver.health().bad_frames == 3


def test_the_double_zero_of_38_pockets() -> None:
    line = running(pockets=38).text("00").status(5, number="00", d=1)
    assert [r.pocket for r in line.all(PocketSettled)] == ["00"]


# --- damage --------------------------------------------------------------------------------------


def test_glued_fragments_give_no_state_and_the_next_clean_line_counts() -> None:
    line = playing().text("*X;4;14*X;*X;4;146; 9;0;158;0").text("6; 9;0;158;0").text("00;0")
    assert line.new() == []
    assert line.driver.health().bad_frames == 3
    assert line.status(3).new_names() == ["BallLaunched"]


@pytest.mark.parametrize("end", [b"\n\r", b"\r\n", b"\r", b"\n"])
def test_the_line_after_the_bare_number_is_read_whatever_ended_it(end: bytes) -> None:
    line = running().raw(b"17" + end + b"*X;5;012;17;0;158;1" + end)
    assert pockets(line) == [("17", 12, "ccw")]


def test_joined_in_mid_line() -> None:
    line = Line().raw(b"2;31;0;158;0\r\n")
    assert line.driver.health().bad_frames == 0
    assert line.raw(b"*X;2;012;31;0;158;0\r\n").new_names() == ["DeviceBack"]


def _altered(text: str) -> list[str]:
    """Every line that differs in one field and is still well-formed."""
    digits = "0123456789"
    columns = ((3, "1234567"), (5, "012"), (6, "0139"), (7, digits), (12, "0123468AF"), (18, "01"))
    lines = [text[:at] + other + text[at + 1 :] for at, allowed in columns for other in allowed]
    lines += [f"{text[:9]}{number:>2}{text[11:]}" for number in (0, 1, 7, 11, 13, 17, 30, 36)]
    lines += [text[:14] + speed + text[17:] for speed in ("000", "009", "170", "655", "983")]
    return [line for line in lines if line != text]


def _lines(state: int, n: int, counter: int = 12, number: int = 31, **fields: int) -> list[str]:
    w, v, d = fields.get("w", 0), fields.get("v", 170), fields.get("d", 1)
    return [f"*X;{state};{counter:03d};{number:>2};{w:X};{v:03d};{d}"] * n


TURN = [*_lines(2, 3, d=0), *_lines(2, 3, d=0, v=0), *_lines(2, 4)]
RESULT = ["17", *_lines(5, 4, number=17)]
FAILED_LAUNCH = [*_lines(2, 4, w=8, d=0), *_lines(2, 3, w=8, v=0), *_lines(2, 3, w=8)]
SCRIPTS = {
    "launch failed": [
        *TURN[:3],
        *FAILED_LAUNCH,
        *_lines(3, 4),
        *_lines(4, 8),
        *RESULT,
        *_lines(2, 4, 13, 17),
    ],
    "opened": [*_lines(6, 6, v=0), *_lines(1, 4, d=0), *TURN, *_lines(3, 4), *_lines(4, 8), *RESULT],
    "by way of 1": [
        *TURN,
        *_lines(3, 4),
        *_lines(4, 8),
        *RESULT,
        *_lines(1, 4, 12, 17),
        *_lines(2, 4, 13, 17),
    ],
    "closed": [*TURN, *_lines(3, 4), *_lines(4, 8), *RESULT[1:], *_lines(6, 4, 12, 17)],
    "re-spin": [
        *TURN,
        *_lines(3, 4, d=0),
        *TURN,
        *_lines(3, 4),
        *_lines(4, 8),
        *RESULT,
        *_lines(2, 4, 13, 17),
    ],
    "dealer": [*TURN, *_lines(3, 4), *_lines(4, 4), *_lines(7, 4), *RESULT, *_lines(2, 4, 13, 17)],
}


def _play(model: str, script: list[str]) -> Line:
    line = Line(model=model).text("")
    for text in script:
        line.text(text, after=0.5)
    return line


def _without(line: Line, kind: str) -> list[str]:
    return [name for name in names(line.said) if name != kind]


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_single_damaged_field_changes_a_game(name: str) -> None:
    """Every field of every line in turn. At most a state is announced too early."""
    model = "mercury-360" if name in ("dealer", "re-spin") else "slingshot-2"
    script = SCRIPTS[name]
    whole = _play(model, script)
    assert pockets(whole) == [("17", 12, "ccw")]
    tried = 0
    for place, text in enumerate(script):
        for other in _altered(text) if text.startswith("*X") else ():
            line = _play(model, [*script[:place], other, *script[place + 1 :]])
            tried += 1
            case = (place, text, other)
            assert pockets(line) == pockets(whole), case
            assert [r.rotor for r in line.all(LaunchFailed)] == [r.rotor for r in whole.all(LaunchFailed)], (
                case
            )
            early = {"3": "BallLaunched", "4": "BallLeavingRim", "7": "WaitingForDealer"}.get(other[3], "")
            assert _without(line, early) == _without(whole, early), case
            assert 0 <= len(line.said) - len(whole.said) <= (1 if early else 0), case
    assert tried > 1000
