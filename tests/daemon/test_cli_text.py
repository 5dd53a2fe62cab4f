"""Text of others on a terminal."""

import pytest

from daemon.cli.text import one_line
from daemon.cli.trace import judged
from daemon.records import RoundRecord


@pytest.mark.parametrize("letter", ["\n", "\r", "\x1b", "\x07", "\x00", "\x9b", "\u202e", "\u2028", "\x7f"])
def test_what_moves_the_cursor_or_turns_the_writing_is_not_passed_on(letter: str) -> None:
    assert one_line(f"a{letter}b") == "a?b"


def test_words_of_any_language_are() -> None:
    assert one_line("señora Núria · 日本") == "señora Núria · 日本"


def test_a_reason_cannot_pass_for_a_line_of_the_trace() -> None:
    now = "2026-11-29T19:14:23.123456Z"
    forged = RoundRecord(
        id="ruleta-01/7/1",
        seq=9,
        round=7,
        revision=1,
        site="madrid-1",
        table="ruleta-01",
        game="french_roulette",
        catalogue="es-ct",
        catalogue_hash="ab" * 32,
        verdict="void",
        outcome=None,
        findings=(),
        announcement=None,
        opened_at=now,
        closed_at=None,
        settled_at=now,
        duration_ms=1,
        session=1,
        test=True,
        corrected_by="chief\x1b[2J",
        corrected_at=now,
        reason="x\nround 7, revision 0: valid, 17",
    )
    assert judged(forged)[1] == f"  corrected   by chief?[2J, {now}: x?round 7, revision 0: valid, 17"
