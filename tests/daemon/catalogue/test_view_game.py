"""Games as people read them: every fact with its clause, what a family adds included, in 80 columns."""

from typing import Any

import msgspec
import pytest

from daemon.catalogue.equipment import Dice, Packs
from daemon.catalogue.load import load_all, load_game, load_games, load_text
from daemon.catalogue.model import (
    Band,
    Bet,
    Data,
    Game,
    Limits,
    Maximum,
    NamedGame,
    Note,
    PayLine,
    Ratio,
    Seats,
    Staff,
)
from daemon.catalogue.source import catalogues
from daemon.catalogue_view.columns import WIDTH
from daemon.catalogue_view.facts import rows, said, words
from daemon.catalogue_view.game import game_lines, text_lines

GAMES = load_all()


class Peg(Data, frozen=True, kw_only=True):
    clause: str
    width_mm: float
    width_mm_clause: str | None = None
    made_of: tuple[str, ...] = ()


class Novelty(Game, frozen=True, kw_only=True, tag="novelty"):
    """A family with sections that nothing in the view knows."""

    dice: Dice | None = None
    packs: Packs | None = None
    peg: Peg | None = None
    cup_clause: str | None = None
    plan: tuple[Peg, ...] = ()
    colors: dict[str, str] | None = None
    pegs_by_name: dict[str, Peg] | None = None


def novelty(**fields: Any) -> str:
    game = Novelty(
        text="es-ct",
        title="a text",
        id="novelty",
        epigraph="99",
        kind="counterparty",
        names={"en": "Novelty"},
        inherits=None,
        rules=(),
        hash="0" * 64,
        **fields,
    )
    return "\n".join(game_lines(game))


@pytest.mark.parametrize("key", GAMES, ids="/".join)
def test_every_game_is_shown_in_eighty_columns_with_every_clause_that_it_has(key: tuple[str, str]) -> None:
    lines = list(game_lines(GAMES[key]))
    assert [line for line in lines if len(line) > WIDTH] == []
    plain = "".join("".join(lines).split())
    for place in clauses(msgspec.to_builtins(GAMES[key])):
        assert "".join(place.split()) in plain or len(place) > 40, place


def clauses(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {v for k, v in value.items() if k.endswith("clause") and isinstance(v, str)}
        return own.union(*(clauses(v) for v in value.values()))
    return set().union(*map(clauses, value)) if isinstance(value, list | tuple) else set()


@pytest.mark.parametrize("text_id", catalogues())
def test_every_text_is_shown_in_eighty_columns_with_its_games_and_what_it_does_not_have(text_id: str) -> None:
    text = load_text(text_id)
    lines = list(text_lines(text, load_games(text_id)))
    assert [line for line in lines if len(line) > WIDTH] == []
    shown = " ".join(" ".join(lines).split())
    for game in (*text.games, *(g.id for g in text.named), *(g.id for g in text.absent)):
        assert f" {game} " in shown


def test_a_roulettes_facts() -> None:
    shown = "\n".join(game_lines(load_game("es-ex", "french_roulette")))
    for fact in (
        "french_roulette: French roulette",
        "  pockets         37           es-ex 1.1.2.1",
        "  wheel.bets_closed_before_result  finding                      es-ex 1.1.4.3.b",
        "  straight       35 to 1, kind multiple, numbers 1               es-ex 1.1.4.1.A.a",
        "zero (es-ex 1.1.4.1.B.b)",
        "change of limits at a running table (es-ex 1.1.4.2.B.a)",
        "  last balls  3",
        "higher maxima  ",
        "no rule: provisional closing",
    ):
        assert " ".join(fact.split()) in " ".join(shown.split())
    american = "\n".join(game_lines(load_game("es-ct", "american_roulette")))
    assert "as french_roulette in all it does not say itself" in american
    assert "set by the authorisation  es-ct 2.VI.a" in american
    assert "provisional closing: allowed (es-ct 2.VII)" in american
    assert "paid all at once" in american


def test_sections_that_nothing_here_knows() -> None:
    peg = Peg(clause="es-ct 99.II", width_mm=2.5, width_mm_clause="es-ct 99.III", made_of=("oak", "ash"))
    shown = novelty(
        dice=Dice(clause="es-ct 99.I", count=2, edge_mm=(15, 25), per_session=6),
        peg=peg,
        plan=(peg,),
        colors={"1": "red", "2": "black", "3": "red", "4": "black"},
        pegs_by_name={"first": peg},
    )
    for fact in (
        "dice (es-ct 99.I)\n  count        2\n  edge mm      15, 25\n  per session  6\n",
        "peg (es-ct 99.II)\n  width mm  2.5       es-ct 99.III\n  made of   oak, ash\n",
        "plan\n  1.  width mm 2.5 (es-ct 99.III), made of oak, ash  es-ct 99.II\n",
        "colors\n     red: 1, 3; black: 2, 4\n",
        "pegs by name\n  first                 es-ct 99.II\n    width mm  2.5       es-ct 99.III\n",
    ):
        assert fact in shown, shown
    assert "sets" not in shown, "what is absent is not shown"


def test_clauses_that_stand_by_themselves() -> None:
    shown = novelty(cup_clause="es-ct 99.II")
    assert "\n\nfurther clauses\n  cup  es-ct 99.II\n" in shown
    assert shown.count("es-ct 99.II") == 1
    assert "further clauses" not in novelty()


def test_flags_and_counts_that_are_left_alone_are_not_shown() -> None:
    packs = Packs(clause="es-ct 99.I", deck="french", cards=52, least=1, most=1)
    assert "jokers" not in novelty(packs=packs)
    assert "jokers  2" in novelty(packs=msgspec.structs.replace(packs, jokers=2))
    assert "indices  no" in novelty(packs=msgspec.structs.replace(packs, indices=False)), "the text says so"


def test_bets_with_tables_and_misprints() -> None:
    shown = novelty(
        bets=(
            Bet(
                id="field",
                clause="es-ct 99.IV",
                names={"ca": "camp", "es": "campo"},
                table=(
                    PayLine(when="total_2", pays=Ratio(2, 1), clause="es-ct 99.IV.a"),
                    PayLine(when="other", pays=Ratio(1, 1), misprint="should be 2"),
                ),
            ),
            Bet(id="seven", clause="es-ct 99.V", pays=Ratio(15, 1), misprint="a fifth is usual"),
        )
    )
    for fact in (
        "  field           ",
        "called      ca camp; es campo",
        "total 2     2 to 1             es-ct 99.IV.a",
        "other       1 to 1",
        "! misprint  should be 2",
        "  seven           15 to 1            es-ct 99.V",
        "! misprint  a fifth is usual",
    ):
        assert fact in shown, shown


def test_where_the_rules_come_from_and_who_made_them_stricter() -> None:
    shown = novelty(borrowed="es-1979", house="Rules of 2026")
    assert (
        "  borrowed  the rules are those of es-1979\n  house     made stricter by: Rules of 2026\n" in shown
    )
    assert "borrowed" not in novelty()
    assert "house  " not in novelty()


def test_limits_that_the_authorisation_sets() -> None:
    maxima = (Maximum(bets=("pass",), times=(5,), clause="es-ct 99.b"),)
    shown = novelty(limits=Limits(clause="es-ct 99.a", maxima=maxima, least=2, least_clause="es-ct 99.c"))
    assert "  minimum  set by the authorisation  es-ct 99.a\n" in shown
    assert "  pass     5                         es-ct 99.b\n" in shown
    assert "  least    2                         es-ct 99.c\n" in shown
    banded = novelty(limits=Limits(clause="a", bands=(Band(bets=("pass",), least=2, most=9, clause="b"),)))
    assert "  pass     set by the authorisation, from 2 to 9  b\n" in banded
    open_ = novelty(limits=Limits(clause="es-ct 99.a"))
    assert "  minimum and maxima  set by the authorisation  es-ct 99.a\n" in open_


def test_games_that_are_only_named_stand_under_their_reasons() -> None:
    named = [
        NamedGame(id=f"game_{n}", names={"es": f"Juego {n}"}, epigraph=n, clause="es-ex 1", reason=reason)
        for n, reason in (("1", "cut short"), ("2", "not read"), ("3", "cut short"))
    ]
    text = msgspec.structs.replace(load_text("es-ex"), named=tuple(named))
    lines = list(text_lines(text, []))
    assert [line for line in lines if "named only" in line or "Juego" in line] == [
        "  named only: cut short",
        "    1  game_1  Juego 1  es-ex 1",
        "    3  game_3  Juego 3  es-ex 1",
        "  named only: not read",
        "    2  game_2  Juego 2  es-ex 1",
    ]


def test_words_that_several_languages_share_stand_once() -> None:
    assert said({"es": "zero", "ca": "zero", "en": "nil"}) == "es/ca zero; en nil"


def test_people_and_notes() -> None:
    shown = novelty(
        seats=Seats(most=7, clause="es-ct 99.VI"),
        staff=(
            Staff(role="table_chief", tables=4, clause="es-ct 99.VII"),
            Staff(role="croupier", most=1, clause="es-ct 99.VIII"),
            Staff(role="changer", least=0, most=2, clause="es-ct 99.IX"),
            Staff(role="auxiliary", least=0, clause="es-ct 99.X"),
        ),
        notes=(Note(kind="missing", clause="es-ct 99", text="the table of pays is an image"),),
    )
    for fact in (
        "seats (es-ct 99.VI)\n  most  7\n",
        "staff\n  table chief  1 or more, tables 4  es-ct 99.VII\n",
        "  croupier     1                    es-ct 99.VIII\n",
        "  changer      0 to 2               es-ct 99.IX\n",
        "  auxiliary    optional             es-ct 99.X\n",
        "notes\n  missing  the table of pays is an image  es-ct 99",
    ):
        assert fact in shown, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (False, "no"),
        (Ratio(35, 1), "35 to 1"),
        (Ratio(1, 2), "1/2"),
        (("0", "00"), "0, 00"),
        ((("a", "b"), ("c",)), "a, b; c"),
        ({"a": 1, "b": 2}, "a 1, b 2"),
        ({"es": "pleno", "ca": "ple"}, "es pleno; ca ple"),
        ({}, ""),
        (15.0, "15"),
        (frozenset({"b", "a"}), "a, b"),
        (0, "0"),
    ],
)
def test_values_in_words(value: Any, text: str) -> None:
    assert words(value) == text
    assert list(rows("what_it_is", value, "es-ct 1")) == [("what it is", text, "es-ct 1")]
