"""One throw of three dice under every text and game that has three: what each makes of the evidence."""

from typing import Any, get_args

import pytest

from daemon.catalogue.announcements import (
    announce_betting_open,
    announce_last_rounds,
    announce_no_more_bets,
    announce_void,
    is_translation,
)
from daemon.catalogue.load import load_all, load_game
from daemon.catalogue.model import Language
from daemon.catalogue.rules.dice import DiceThrow, Die, judge_throw

GAMES = {
    "ct": ("es-ct", "french_bank"),
    "ex": ("es-ex", "french_bank"),
    "pt": ("pt", "french_bank"),
    "sic bo": ("es-ct", "sic_bo"),
    "sic bo fr": ("fr-2007", "sic_bo"),
    "pai gow": ("es-ct", "pai_gow_poker"),
    "mahjong": ("es-ct", "mahjong_pai_gow"),
}


LANGUAGES = get_args(Language)


def throw(**first: Any) -> DiceThrow:
    """A throw with closed bets, something having happened to its first die."""
    return DiceThrow(dice=(Die(face=1, **first), Die(face=2), Die(face=4)), bets_closed=True)


WHOLE = (Die(face=1), Die(face=2), Die(face=4))

TABLE: dict[str, tuple[DiceThrow, dict[str, str]]] = {
    "all in order": (throw(), {}),
    "nothing seen": (DiceThrow(dice=(Die(), Die(), Die())), {}),
    "a die on another": (
        throw(stacked=True),
        {"ct": "void 25.V.3.b", "ex": "void 1.6.5.3.b", "sic bo": "void 16.IV.3", "sic bo fr": "void 55-23"},
    ),
    "a tilted die": (
        throw(cocked=True),
        {"ct": "void 25.V.3.b", "ex": "void 1.6.5.3.b", "sic bo fr": "void 55-23"},
    ),
    "a die wedged between chips": (
        throw(wedged=True),
        {"ct": "void 25.V.3.b", "ex": "void 1.6.5.3.b"},
    ),
    "a die that leans on another": (
        throw(touches_die=True),
        {"ct": "void 25.V.3.b", "ex": "void 1.6.5.3.b"},
    ),
    "a die on a chip": (
        throw(on_chip=True),
        {"ct": "void 25.V.3.b", "ex": "void 1.6.5.3.b", "sic bo": "void 16.IV.3"},
    ),
    "a die on the rim": (throw(on_rim=True), {"ct": "void 25.V.3.b", "ex": "void 1.6.5.3.b"}),
    "a die outside the zone": (
        throw(outside_arena=True),
        {"ct": "void 25.V.3.b", "ex": "void 1.6.5.3.b", "sic bo": "void 16.IV.3"},
    ),
    "a die that touched a glass": (
        throw(foreign_object=True),
        {"ct": "void 25.V.4.a", "ex": "void 1.6.5.4.a"},
    ),
    "a die on the floor": (
        throw(off_table=True),
        {
            "ct": "void 25.V.4.b, reminder 25.V.4.b",
            "ex": "void 1.6.5.4.b, reminder 1.6.5.4.b",
            "sic bo": "void 16.IV.3",
        },
    ),
    "a broken die": (
        throw(broken=True),
        {
            "ct": "void 25.V.4.b, reminder 25.V.4.b",
            "ex": "void 1.6.5.4.b, reminder 1.6.5.4.b",
            "sic bo": "void 16.IV.3",
            "sic bo fr": "void 55-23",
        },
    ),
    "a fouled die": (
        throw(fouled=True),
        {"ct": "void 25.V.4.b, reminder 25.V.4.b", "ex": "void 1.6.5.4.b, reminder 1.6.5.4.b"},
    ),
    "a die that was not in the cup": (
        throw(not_in_cup=True),
        {
            "ct": "void 25.V.4.c",
            "ex": "void 1.6.5.4.c",
            "pai gow": "finding 12.II.3",
            "mahjong": "finding 17.IV",
        },
    ),
    "a die that stayed in the cup": (
        throw(stayed_in_cup=True),
        {"ct": "void 25.V.4.d", "ex": "void 1.6.5.4.d"},
    ),
    "a die that slid": (throw(rolled=False), {"ct": "finding 25.V.3.a", "ex": "finding 1.6.5.3.a"}),
    "dice lifted while they move": (
        DiceThrow(dice=WHOLE, lifted_early=True),
        {"ct": "finding 25.V.3.c", "ex": "finding 1.6.5.3.c"},
    ),
    "dice touched before the announcement": (
        DiceThrow(dice=WHOLE, touched_at_rest=True),
        {"ct": "finding 25.V.3.d", "ex": "finding 1.6.5.3.d"},
    ),
    "the device's signal of a bad throw": (
        DiceThrow(dice=WHOLE, incorrect=("motion",)),
        {
            "ct": "void 25.V.4",
            "ex": "void 1.6.5.4",
            "pt": "void 808/2015, 18",
            "sic bo": "void 16.IV.3",
            "sic bo fr": "void 55-23",
        },
    ),
    "bets still open": (
        DiceThrow(dice=WHOLE, bets_closed=False),
        {"pt": "finding 808/2015, 13", "sic bo": "finding 16.IV.3", "pai gow": "finding 12.VI"},
    ),
    "the far wall missed, a die among those in reserve": (throw(wall_touched=False, in_reserve=True), {}),
}


@pytest.mark.parametrize("case", TABLE)
@pytest.mark.parametrize("game", GAMES)
def test_one_throw_under_every_text_and_game(case: str, game: str) -> None:
    evidence, wanted = TABLE[case]
    text, game_id = GAMES[game]
    found = judge_throw(load_game(text, game_id), evidence)
    said = ", ".join(f"{finding.effect} {finding.clause.removeprefix(text + ' ')}" for finding in found)
    assert said == wanted.get(game, "")


@pytest.mark.parametrize("game", GAMES)
def test_what_is_said_around_a_throw_has_words_in_every_language(game: str) -> None:
    table = load_game(*GAMES[game])
    said = {
        language: (
            announce_betting_open(table, language),
            announce_no_more_bets(table, language),
            announce_void(table, language),
            *(announce_last_rounds(table, remaining, language) for remaining in (1, 2, 3, 17)),
        )
        for language in LANGUAGES
    }
    assert all(len(set(words)) == 7 and all(words) for words in said.values())
    assert len(set(said.values())) == 3, "three languages, three sets of words"
    assert all("17" in words[-1] for words in said.values())
    own = {"ct": "ca", "ex": "es", "sic bo": "ca", "pai gow": "ca", "mahjong": "ca"}.get(game)
    assert [language for language in LANGUAGES if not is_translation(table, language)] == [own] * bool(own)


def test_these_are_all_the_games_with_three_dice() -> None:
    three = [key for key, game in load_all().items() if getattr(getattr(game, "dice", None), "count", 0) == 3]
    assert sorted(three) == sorted(GAMES.values())
