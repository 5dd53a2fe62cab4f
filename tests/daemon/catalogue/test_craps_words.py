"""What is said at a craps table."""

import pytest
from changed_texts import changed

from daemon.catalogue.announcements import (
    announce_change_of_dice,
    announce_last_rounds,
    announce_no_more_bets,
    announce_roll,
    announce_void,
)
from daemon.catalogue.bets.craps import Roll, outcome
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.craps import Craps
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Language

TEXTS = ("es-1979", "es-ct", "es-ex")


def game(text: str) -> Craps:
    return load_as(Craps, text, "craps")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("point", "dice", "language", "said"),
    [
        (None, (4, 4), "es", "8, punto"),
        (None, (3, 4), "es", "7"),
        (None, (6, 6), "en", "12"),
        (8, (5, 3), "ca", "8, el punt es repeteix"),
        (8, (5, 3), "en", "8, point made"),
        (8, (5, 2), "es", "7, los dados cambian de mano"),
        (8, (5, 2), "en", "7, seven out"),
        (8, (2, 2), "en", "4"),
        (8, (5, 6), "en", "11"),
    ],
)
def test_a_roll_is_announced(text: str, point: int | None, dice: Roll, language: Language, said: str) -> None:
    assert announce_roll(game(text), outcome(game(text), point, dice), language) == said


@pytest.mark.parametrize(
    ("text", "language", "closing", "void", "change"),
    [
        ("es-1979", "es", "ya no va más", "tirada nula", "cambio de dados"),
        ("es-ct", "ca", "no hi van més apostes", "tirada nul·la", "canvi de daus"),
        ("es-ex", "es", "ya no va más", "tirada nula", "cambio de dados"),
    ],
)
def test_the_texts_own_words(text: str, language: Language, closing: str, void: str, change: str) -> None:
    craps = game(text)
    assert craps.announcements.language == language
    assert announce_no_more_bets(craps, language) == closing
    assert announce_void(craps, language) == void
    assert announce_change_of_dice(craps, language) == change
    words = craps.announcements
    assert all(one.clause for one in (words.no_more_bets, words.void, words.change_of_dice))
    assert words.result_clause is None
    assert not any(phrase.clause for phrase in words.words.values()), "no text has words for a result"


def test_only_catalonia_announces_the_three_last_rolls() -> None:
    craps = game("es-ct")
    assert craps.last_rolls is not None
    assert craps.closing_rounds.count == 3
    assert announce_last_rounds(craps, 3, "ca") == "les tres últimes tirades"
    assert craps.announcements.last_rounds.clause == "es-ct 6.IV.3"
    for text in ("es-1979", "es-ex"):
        assert game(text).last_rolls is None
        assert game(text).announcements.last_rounds.clause is None


def test_an_event_without_words_is_refused() -> None:
    with pytest.raises(CatalogueDataError, match=r"no words for \['seven_out'\]"):
        changed("es-ct", "craps", lambda craps: craps["announcements"]["words"].pop("seven_out"))
