"""`mesad catalogue`: texts, games, and a game's rules and pays with their clauses."""

import json
from fractions import Fraction

import msgspec
import pytest

from daemon.catalogue.bets.settlement import Edge
from daemon.catalogue.load import catalogues, load_all, load_game
from daemon.cli import main


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["catalogue", *argv]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_all_texts_with_their_games_and_what_they_exclude(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys)
    for known in ("es-1979: Orden de 9 de octubre de 1979", "\nes-ct: ", "\nes-ex: ", "  french_roulette  "):
        assert known in text
    excluded = next(line for line in text.splitlines() if "american_roulette_double_zero" in line)
    assert excluded.endswith("es-1979 01.IV.3.c")


def test_one_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "es-ct")
    assert text.startswith("es-ct: ")
    assert "es-1979" not in text


def test_a_game_with_equipment_rules_bets_and_limits(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "es-ex", "french_roulette")
    for fact in (
        "pockets 37 es-ex 1.1.2.1",
        "wheel.foreign_object void es-ex 1.1.4.3.d",
        "straight 35 to 1, kind multiple, numbers 1 es-ex 1.1.4.1.A.a",
        "double_dozen 1/2, kind multiple",
        "zero (es-ex 1.1.4.1.B.b)",
        "straight 10, 20, 30 or 40 es-ex 1.1.4.2.A.b",
        "last balls 3",
        "no rule: provisional closing",
    ):
        assert fact in " ".join(text.split())
    assert "set by the authorisation  es-ct 1.IV.2.a" in said(capsys, "es-ct", "french_roulette")


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    texts = json.loads(said(capsys, "--json"))
    assert [text["id"] for text in texts][:3] == ["es-1979", "es-ct", "es-ex"]
    assert json.loads(said(capsys, "es-ct", "--json"))["id"] == "es-ct"
    game = json.loads(said(capsys, "es-ct", "american_roulette_double_zero", "--json"))
    assert len(game["layout"]["pockets"]) == 38
    assert len(game["hash"]) == 64


@pytest.mark.parametrize("key", load_all(), ids="/".join)
def test_every_game_as_json_is_the_game(key: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    game = load_game(*key)
    assert msgspec.json.decode(said(capsys, *key, "--json"), type=type(game)) == game


def test_where_two_texts_differ(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "diff", "es-1979", "es-ex", "french_roulette")
    assert "  policy      forbidden              after_last_balls\n" in text
    assert "(es-1979 01.IV.2.B.a)  (es-ex 1.1.4.2.B.a)\n" in text
    found = json.loads(said(capsys, "diff", "es-1979", "es-ex", "french_roulette", "--json"))
    assert (found["left"], found["right"], found["game"]) == ("es-1979", "es-ex", "french_roulette")
    assert {
        "section": "limit_change",
        "place": "policy",
        "left": {"value": "forbidden", "clause": "es-1979 01.IV.2.B.a"},
        "right": {"value": "after_last_balls", "clause": "es-ex 1.1.4.2.B.a"},
    } in found["differences"]


def test_what_the_house_keeps(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    edge = Edge(bet="straight", edge=Fraction(1, 37))
    monkeypatch.setattr("daemon.cli.catalogue.EDGES", {"roulette": lambda game: (edge,)})
    text = said(capsys, "edge", "es-ct", "french_roulette")
    assert "straight     2.703%  1/37  es-ct 1.IV.1.A.a\n" in text
    (found,) = json.loads(said(capsys, "edge", "es-ct", "french_roulette", "--json"))
    assert (found["bet"], found["percent"], found["fraction"]) == ("straight", "2.703", "1/37")


def test_a_family_without_edges_is_told_with_those_that_have(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.cli.catalogue.EDGES", {"craps": lambda game: ()})
    assert main(["catalogue", "edge", "es-ct", "french_roulette"]) == 64
    assert "no edge for the family roulette, only for: craps" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["diff"],
        ["diff", "es-ct", "es-ex"],
        ["edge"],
        ["edge", "es-ct"],
        ["edge", "a", "b", "c"],
        ["a", "b", "c"],
    ],
)
def test_a_wrong_number_of_words_is_told_with_a_right_one(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["catalogue", *argv]) == 64
    assert "mesad catalogue" in capsys.readouterr().err.partition(":")[2]


def test_one_text_does_not_differ_from_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalogue", "diff", "es-ct", "es-ct", "french_roulette"]) == 64
    assert "takes two texts, not es-ct twice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "hint"),
    [(["es-2050"], "es-1979, es-ct, es-ex"), (["es-1979", "american_roulette_double_zero"], "01.IV.3.c")],
)
def test_what_is_not_there_is_a_wrong_call(
    argv: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["catalogue", *argv]) == 64
    assert hint in capsys.readouterr().err


def test_no_text_is_called_like_a_word_of_the_command() -> None:
    assert {"diff", "edge"}.isdisjoint(catalogues())
