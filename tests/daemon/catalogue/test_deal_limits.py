"""Limits, closings and words of the games dealt by a plan, and Extremadura's names for them."""

from functools import cache

import pytest
from dealt_games import BANK, CIRCLE

from daemon.catalogue.announcements import announce_last_rounds
from daemon.catalogue.errors import LimitRefused
from daemon.catalogue.limits import check_maximum, limits
from daemon.catalogue.load import load_game, load_text
from daemon.catalogue.model import Game


@cache
def game_of(game_id: str) -> Game:
    return load_game("es-ct", game_id)


@pytest.mark.parametrize(
    ("game_id", "multiples"),
    [
        ("poker_without_draw", (10, 20, 25, 30)),
        ("trijoker", (10, 20, 30)),
        ("reto", (10, 20, 30)),
        ("texas_holdem_bonus", (5, 10, 20, 30)),
        ("tripoker", ()),
        ("four_card_poker", ()),
    ],
)
def test_multiples_of_the_minimum(game_id: str, multiples: tuple[int, ...]) -> None:
    game = game_of(game_id)
    assert game.limits is not None
    assert game.limits.multiples == multiples
    if multiples:
        first = game.limits.maxima[0].bets[0]
        assert [(limits(game, 5, times) or {})[first] for times in multiples] == [5 * t for t in multiples]
        with pytest.raises(LimitRefused):
            limits(game, 5, 15)
    else:
        assert limits(game, 5) is None


@pytest.mark.parametrize(("game_id", "bet"), [("texas_poker", "texas_bonus"), ("triple_game", "poker")])
def test_bands_of_the_maximum(game_id: str, bet: str) -> None:
    for times in (5, 50):
        check_maximum(game_of(game_id), bet, times)
    for times in (4, 51):
        with pytest.raises(LimitRefused, match="the text has 5 to 50"):
            check_maximum(game_of(game_id), bet, times)


def test_changing_the_limits_of_a_running_table() -> None:
    changes = {id_: game_of(id_).limit_change for id_ in (*BANK, *CIRCLE)}
    policies = {id_: (change.policy, change.last_balls) for id_, change in changes.items() if change}
    assert policies == {
        "poker_without_draw": ("allowed", None),
        "four_card_poker": ("allowed", None),
        "texas_holdem_bonus": ("after_last_balls", 5),
        **dict.fromkeys(CIRCLE, ("allowed", None)),
    }


def test_only_three_of_these_epigraphs_have_a_provisional_closing() -> None:
    closings = {id_: game_of(id_).provisional_closing for id_ in (*BANK, *CIRCLE)}
    assert {id_: closing.clause for id_, closing in closings.items() if closing} == {
        "poker_without_draw": "es-ct 10.VIII",
        "trijoker": "es-ct 11.IX",
        **dict.fromkeys(CIRCLE, "es-ct 23.XI"),
    }


@pytest.mark.parametrize(
    ("game_id", "words", "clause"),
    [
        ("poker_without_draw", "no hi van més apostes", "es-ct 10.VI"),
        ("trijoker", "no hi van més apostes", "es-ct 11.VII.2"),
        ("texas_poker", "no va més", "es-ct 20.VI"),
        ("texas_holdem_bonus", "no hi va més", "es-ct 22.V"),
        ("reto", "no hi van més apostes", None),
    ],
)
def test_each_epigraphs_own_closing_words(game_id: str, words: str, clause: str | None) -> None:
    said = game_of(game_id).announcements
    assert said is not None
    assert (said.no_more_bets.ca, said.no_more_bets.clause) == (words, clause)


def test_last_hands_are_announced_where_the_text_says_so() -> None:
    said = {id_: game_of(id_).announcements for id_ in (*BANK, *CIRCLE)}
    clauses = {id_: words.last_rounds.clause for id_, words in said.items() if words}
    assert {id_: clause for id_, clause in clauses.items() if clause} == {
        "trijoker": "es-ct 11.VII.3",
        "texas_holdem_bonus": "es-ct 22.IV.b",
    }
    bonus = game_of("texas_holdem_bonus")
    assert announce_last_rounds(bonus, 5, "ca") == "les 5 últimes passades"


# --- Extremadura ------------------------------------------------------------------------------


def test_extremadura_numbers_what_it_names() -> None:
    named = {game.epigraph: game.id for game in load_text("es-ex").named}
    assert list(named) == [
        *("1.9", "1.10", "1.11", "1.11.A", "1.11.B"),
        *(f"1.{number}" for number in range(12, 19)),
        *("2.1.A", "2.1.B"),
        *(f"2.2.{letter}" for letter in "ABCDEF"),
    ]
    assert {game.clause for game in load_text("es-ex").named} == {
        f"es-ex art. 1.1, {place}" for place in named
    }
    lent = set(load_text("es-ct").games)
    assert [id_ for id_ in named.values() if id_ not in lent] == ["draw_poker_against_bank"]
    assert (named["1.17"], named["2.2.E"]) == ("texas_holdem_bonus", "circle_holdem")
