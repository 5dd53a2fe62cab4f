"""What all tables share: the bank locked, the last rounds, a chief's tables, the tables in service."""

import msgspec
import pytest

from daemon.catalogue.load import load_all, load_game, load_text
from daemon.catalogue.model import Game, Staff
from daemon.catalogue.rules.session import (
    ChiefsTables,
    ProvisionalClosing,
    TableClosing,
    TablesInService,
    judge_chiefs_tables,
    judge_provisional_closing,
    judge_table_closing,
    judge_tables_in_service,
)

GAMES = load_all()
ROULETTE = GAMES["es-ct", "french_roulette"]
AMERICAN = GAMES["es-ct", "american_roulette"]


# --- provisional closing ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        (ProvisionalClosing(), []),
        (ProvisionalClosing(bank_covered=True, bank_locked=True, key_with_director=True), []),
        (ProvisionalClosing(bank_covered=False), [("session.bank_locked", {"covered": False})]),
        (
            ProvisionalClosing(bank_covered=True, bank_locked=False),
            [("session.bank_locked", {"covered": True, "locked": False})],
        ),
        (
            ProvisionalClosing(bank_locked=False, key_with_director=False),
            [
                ("session.bank_locked", {"locked": False}),
                ("session.key_with_director", {"key_with_director": False}),
            ],
        ),
    ],
)
def test_the_bank_is_covered_and_locked_and_the_key_with_the_director(
    seen: ProvisionalClosing, found: list[tuple[str, dict[str, bool]]]
) -> None:
    findings = judge_provisional_closing(ROULETTE, seen)
    assert [(finding.rule, finding.evidence) for finding in findings] == found
    assert {(finding.clause, finding.effect) for finding in findings} <= {("es-ct 1.V", "finding")}


def test_only_catalonia_has_a_rule_for_it() -> None:
    wide_open = ProvisionalClosing(bank_covered=False, bank_locked=False, key_with_director=False)
    having = {key[0] for key, game in GAMES.items() if judge_provisional_closing(game, wide_open)}
    assert having == {"es-ct"}
    (first, _) = judge_provisional_closing(AMERICAN, wide_open)
    assert first.clause == "es-ct 2.VII"


# --- last rounds -----------------------------------------------------------------------------------


def test_the_games_with_last_rounds_before_closing() -> None:
    having = {key: game.closing_rounds for key, game in GAMES.items() if game.closing_rounds}
    assert {key: (r.count, r.announced_by, r.clause) for key, r in having.items()} == {
        ("es-ct", "craps"): (3, None, "es-ct 6.IV.3"),
        ("es-ct", "trijoker"): (3, "table_chief", "es-ct 11.VII.3"),
    }


@pytest.mark.parametrize(
    ("seen", "rules"),
    [
        (TableClosing(), []),
        (TableClosing(played=0, announced_by="croupier"), []),
        (TableClosing(announced=3, played=3, announced_by="table_chief"), []),
        (TableClosing(announced=5, played=5), []),
        (TableClosing(announced=0, announced_by="croupier"), ["session.last_rounds_announced"]),
        (TableClosing(announced=2, played=2), ["session.last_rounds_announced"]),
        (TableClosing(announced=3, played=2), ["session.last_rounds_played"]),
        (TableClosing(announced=3, played=4), []),
        (TableClosing(announced=3, announced_by="croupier"), ["session.last_rounds_announcer"]),
    ],
)
def test_three_last_hands_are_announced_by_the_chief_and_played(seen: TableClosing, rules: list[str]) -> None:
    findings = judge_table_closing(GAMES["es-ct", "trijoker"], seen)
    assert [finding.rule for finding in findings] == rules
    assert {(finding.clause, finding.effect) for finding in findings} <= {("es-ct 11.VII.3", "finding")}


def test_craps_names_nobody_who_announces_them() -> None:
    seen = TableClosing(announced=2, played=1, announced_by="croupier")
    assert [(f.rule, f.evidence) for f in judge_table_closing(GAMES["es-ct", "craps"], seen)] == [
        ("session.last_rounds_announced", {"announced": 2, "wanted": 3}),
        ("session.last_rounds_played", {"announced": 2, "played": 1}),
    ]


def test_a_roulette_closes_without_last_rounds() -> None:
    assert judge_table_closing(ROULETTE, TableClosing(announced=0, played=0)) == ()


# --- a chief's tables --------------------------------------------------------------------------------


def chief(*games: Game, adjoining: bool | None = None) -> list[tuple[str, object, object]]:
    findings = judge_chiefs_tables(load_text("es-ct"), ChiefsTables(games=games, adjoining=adjoining))
    assert {(finding.rule, finding.effect) for finding in findings} <= {("session.chief_tables", "finding")}
    return [(f.clause, f.evidence["tables"], f.evidence["most"]) for f in findings]


def test_four_adjoining_tables_of_a_game_and_six_in_all() -> None:
    assert chief(*[ROULETTE] * 4) == []
    assert chief(*[ROULETTE] * 5) == [("es-ct 1.III.1", 5, 4)]
    assert chief(*[ROULETTE] * 3, *[AMERICAN] * 3) == []
    assert chief(*[ROULETTE] * 3, *[AMERICAN] * 4) == [("es-ct normes generals 1", 7, 6)]
    assert chief(*[ROULETTE] * 5, *[AMERICAN] * 5, adjoining=True) == [
        ("es-ct 1.III.1", 5, 4),
        ("es-ct 2.III", 5, 4),
        ("es-ct normes generals 1", 10, 6),
    ]


def test_the_clause_on_adjoining_tables_says_nothing_of_others() -> None:
    assert chief(*[ROULETTE] * 5, adjoining=False) == []


@pytest.mark.parametrize(("adjoining", "most"), [(False, 2), (True, 4), (None, 4)])
def test_a_text_with_a_figure_for_either(adjoining: bool | None, most: int) -> None:
    inspector = Staff(role="inspector", tables=2, adjoining_tables=4, clause="es-ct 3.III")
    game = msgspec.structs.replace(ROULETTE, staff=(inspector,))
    assert chief(*[game] * most, adjoining=adjoining) == []
    assert chief(*[game] * (most + 1), adjoining=adjoining) == [("es-ct 3.III", most + 1, most)]


def test_a_croupiers_tables_are_not_a_chiefs() -> None:
    croupier = Staff(role="croupier", tables=1, clause="es-ct 23.III.2")
    assert chief(*[msgspec.structs.replace(ROULETTE, staff=(croupier,))] * 2) == []


def test_extremadura_leaves_it_to_the_management() -> None:
    text, game = load_text("es-ex"), load_game("es-ex", "french_roulette")
    norm = next(norm for norm in text.norms if norm.id == "chief_tables")
    assert (norm.most, norm.clause) == (None, "es-ex art. 3.1")
    assert judge_chiefs_tables(text, ChiefsTables(games=(game,) * 20)) == ()
    assert judge_chiefs_tables(load_text("es-1979"), ChiefsTables(games=(game,) * 20)) == ()


# --- tables in service -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ball", "cards", "evidence"),
    [
        (1, 1, None),
        (None, None, None),
        (1, None, None),
        (0, None, {"ball": 0}),
        (2, 0, {"ball": 2, "cards": 0}),
    ],
)
def test_extremadura_wants_a_table_of_ball_and_one_of_cards(
    ball: int | None, cards: int | None, evidence: dict[str, int] | None
) -> None:
    seen = TablesInService(ball=ball, cards=cards)
    findings = judge_tables_in_service(load_text("es-ex"), seen)
    assert [finding.evidence for finding in findings] == ([evidence] if evidence else [])
    assert {(f.rule, f.clause) for f in findings} <= {("session.tables_in_service", "es-ex art. 3.3")}
    assert judge_tables_in_service(load_text("es-ct"), seen) == ()


def test_the_games_whose_tables_extremadura_lets_alternate_are_games_that_it_names() -> None:
    text = load_text("es-ex")
    norm = next(norm for norm in text.norms if norm.id == "reversible_tables")
    assert len(norm.games) == 10
    assert set(norm.games) <= {game.id for game in text.named}
