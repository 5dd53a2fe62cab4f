"""`mesad catalogue`: texts, games, and a game's rules and pays with their clauses."""

import json

import pytest

from daemon.cli import main


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["catalogue", *argv]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_all_texts_with_their_games_and_what_they_exclude(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys)
    for known in ("es-1979: Orden de 9 de octubre de 1979", "es-ct: ", "es-ex: ", "  french_roulette\n"):
        assert known in text
    assert "not american_roulette_double_zero: " in text
    assert "(es-1979 01.IV.3.c)" in text


def test_one_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "es-ct")
    assert text.startswith("es-ct: ")
    assert "es-1979" not in text


def test_a_game_with_equipment_rules_bets_and_limits(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "es-ex", "french_roulette")
    for fact in (
        "37 pockets, zeros 0 (es-ex 1.1.2.1)",
        "wheel.rotor_alternates: void (es-ex 1.1.4.3.a)",
        "straight up: pays 35 to 1, 37 x 1 numbers (es-ex 1.1.4.1.A.a)",
        "double dozen: pays 1/2, 2 x 24 numbers",
        "simple chances on 0: 1/2 back or in prison",
        "180 or 360 or 540 or 720 (es-ex 1.1.4.2.A.b)",
        "3 last balls announced",
        "provisional closing: no rule",
    ):
        assert fact in text
    assert "set by the authorisation (es-ct 1.IV.2.a)" in said(capsys, "es-ct", "french_roulette")


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    texts = json.loads(said(capsys, "--json"))
    assert [text["id"] for text in texts] == ["es-1979", "es-ct", "es-ex"]
    assert json.loads(said(capsys, "es-ct", "--json"))["id"] == "es-ct"
    game = json.loads(said(capsys, "es-ct", "american_roulette_double_zero", "--json"))
    assert len(game["layout"]["pockets"]) == 38
    assert len(game["hash"]) == 64


@pytest.mark.parametrize(
    ("argv", "hint"),
    [(["es-2050"], "es-1979, es-ct, es-ex"), (["es-1979", "american_roulette_double_zero"], "01.IV.3.c")],
)
def test_what_is_not_there_is_a_wrong_call(
    argv: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["catalogue", *argv]) == 64
    assert hint in capsys.readouterr().err
