"""What is said aloud, under each text and in each language."""

import pytest

from daemon.catalogue.announcements import (
    announce_betting_open,
    announce_last_rounds,
    announce_no_more_bets,
    announce_result,
    announce_void,
    is_translation,
)
from daemon.catalogue.bets.roulette import outcome
from daemon.catalogue.load import load_game
from daemon.catalogue.model import Language

FRENCH, AMERICAN, DOUBLE = "french_roulette", "american_roulette", "american_roulette_double_zero"
TEXTS = ("es-1979", "es-ct", "es-ex")


@pytest.mark.parametrize(
    ("number", "language", "said"),
    [
        ("17", "ca", "17, negre, senar, manca"),
        ("17", "es", "17, negro, impar, falta"),
        ("17", "en", "17, black, odd, low"),
        ("36", "ca", "36, vermell, parell, passa"),
        ("36", "es", "36, rojo, par, pasa"),
        ("36", "en", "36, red, even, high"),
        ("0", "ca", "zero"),
        ("0", "es", "cero"),
        ("0", "en", "zero"),
    ],
)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("game_id", [FRENCH, AMERICAN])
def test_the_number_and_the_winning_simple_chances(
    text: str, game_id: str, number: str, language: Language, said: str
) -> None:
    game = load_game(text, game_id)
    assert announce_result(game, outcome(game, number), language) == said


@pytest.mark.parametrize("text", ["es-ct", "es-ex"])
@pytest.mark.parametrize(
    ("number", "language", "said"),
    [
        ("00", "es", "doble cero"),
        ("00", "ca", "doble zero"),
        ("00", "en", "double zero"),
        ("0", "es", "cero"),
    ],
)
def test_the_zeros_of_a_double_zero_wheel(text: str, number: str, language: Language, said: str) -> None:
    game = load_game(text, DOUBLE)
    assert announce_result(game, outcome(game, number), language) == said


@pytest.mark.parametrize(
    ("text", "language", "void", "no_more_bets", "betting"),
    [
        ("es-1979", "es", "tirada nula", "no va más", "hagan sus apuestas"),
        ("es-1979", "ca", "tirada nul·la", "no hi van més apostes", "facin joc"),
        ("es-1979", "en", "void throw", "no more bets", "place your bets"),
        ("es-ct", "ca", "no hi va res", "no hi van més apostes", "facin joc"),
        ("es-ct", "es", "no va nada", "no va más", "hagan juego"),
        ("es-ct", "en", "nothing stands", "no more bets", "place your bets"),
        ("es-ex", "es", "tirada nula", "no va más", "hagan sus apuestas"),
        ("es-ex", "ca", "tirada nul·la", "no hi van més apostes", "facin joc"),
        ("es-ex", "en", "void throw", "no more bets", "place your bets"),
    ],
)
def test_void_and_no_more_bets_in_each_texts_words(
    text: str, language: Language, void: str, no_more_bets: str, betting: str
) -> None:
    for game_id in (FRENCH, AMERICAN):
        game = load_game(text, game_id)
        assert announce_void(game, language) == void
        assert announce_no_more_bets(game, language) == no_more_bets
        assert announce_betting_open(game, language) == betting


@pytest.mark.parametrize(("text", "own"), [("es-1979", "es"), ("es-ct", "ca"), ("es-ex", "es")])
def test_words_in_another_language_than_the_texts_are_translations(text: str, own: Language) -> None:
    game = load_game(text, DOUBLE if text == "es-ct" else AMERICAN)
    languages: tuple[Language, ...] = ("es", "ca", "en")
    assert [language for language in languages if not is_translation(game, language)] == [own]


@pytest.mark.parametrize(
    ("remaining", "language", "said"),
    [
        (1, "es", "última bola"),
        (2, "es", "las dos últimas bolas"),
        (3, "es", "las tres últimas bolas"),
        (5, "es", "las 5 últimas bolas"),
        (1, "ca", "última bola"),
        (3, "ca", "les tres últimes boles"),
        (4, "ca", "les 4 últimes boles"),
        (2, "en", "last two balls"),
        (10, "en", "last 10 balls"),
    ],
)
@pytest.mark.parametrize("text", TEXTS)
def test_the_last_balls(text: str, remaining: int, language: Language, said: str) -> None:
    assert announce_last_rounds(load_game(text, FRENCH), remaining, language) == said


@pytest.mark.parametrize("remaining", [0, -1])
def test_no_last_balls_are_no_announcement(remaining: int) -> None:
    with pytest.raises(ValueError, match="cannot be announced"):
        announce_last_rounds(load_game("es-ex", FRENCH), remaining, "es")


def test_only_extremadura_writes_of_the_last_balls() -> None:
    games = [*((text, FRENCH) for text in TEXTS), ("es-ct", DOUBLE), ("es-ex", DOUBLE)]
    written = [load_game(*key).announcements.last_rounds.clause for key in games]
    assert written == [None, None, "es-ex 1.1.4.2.B.a", None, "es-ex 1.2.5.2.a"]
