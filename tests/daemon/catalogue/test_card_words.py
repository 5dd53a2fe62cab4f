"""What is announced of baccarat's hands, and whose rules a text borrows that only names such a game."""

import pytest

from daemon.catalogue.announcements import announce_hands, announce_no_more_bets, announce_third_card
from daemon.catalogue.bets.baccarat import outcome, two_outcomes
from daemon.catalogue.cards import parse_all
from daemon.catalogue.families.chemin_de_fer import CheminDeFer
from daemon.catalogue.families.punto_banco import PuntoBanco
from daemon.catalogue.families.two_tableaux import TwoTableaux
from daemon.catalogue.load import load_as, load_game
from daemon.catalogue.model import Language

SIX_FIVE = (parse_all("Kh 6d"), parse_all("Ks 5c"))


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("es-1979", "es", ("jugador", "carta para la banca", "el jugador se planta 6")),
        ("es-ct", "ca", ("punt", "carta per a la banca", "el punt es planta amb 6")),
        ("es-ct", "en", ("player", "card for the bank", "player stands on 6")),
    ],
)
def test_punto_y_banca(text: str, language: Language, said: tuple[str, str, str]) -> None:
    game = load_as(PuntoBanco, text, "punto_y_banca")
    won = outcome(game.drawing, *SIX_FIVE)
    assert said == (
        announce_hands(game, won, language),
        announce_third_card(game, "bank", "draw", 5, language),
        announce_third_card(game, "player", "stand", 6, language),
    )
    with pytest.raises(ValueError, match="a tie has no cards"):
        announce_third_card(game, "tie", "stand", 6, language)


def test_a_tie_and_a_winning_bank_have_words_of_their_own() -> None:
    game = load_as(PuntoBanco, "es-ct", "punto_y_banca")
    tie = outcome(game.drawing, parse_all("Kh 6d"), parse_all("Ks 6c"))
    bank = outcome(game.drawing, parse_all("Kh 6d"), parse_all("Ks 7c"))
    assert announce_hands(game, tie, "ca") == "igualtat"
    assert announce_hands(game, bank, "ca") == "banca"
    assert announce_no_more_bets(game, "ca") == "no hi van més apostes"


def test_among_the_players_every_total_is_said() -> None:
    chemin = load_as(CheminDeFer, "es-ct", "chemin_de_fer")
    assert chemin.drawing is not None
    assert announce_hands(chemin, outcome(chemin.drawing, *SIX_FIVE), "ca") == "punt 6, banquer 5"
    two = load_as(TwoTableaux, "es-ct", "baccarat_two_tableaux")
    seen = two_outcomes(two.drawing, parse_all("Kh 9d"), *SIX_FIVE)
    assert announce_hands(two, seen, "ca") == "primer drap 9, segon drap 6, banquer 5"


def test_without_words_in_the_text_nothing_can_be_said() -> None:
    game = load_as(CheminDeFer, "es-1979", "chemin_de_fer")
    rules = load_as(PuntoBanco, "es-1979", "punto_y_banca").drawing
    with pytest.raises(ValueError, match="es-1979 has no words to announce chemin_de_fer with"):
        announce_hands(game, outcome(rules, *SIX_FIVE), "es")


@pytest.mark.parametrize(
    ("text", "game_id"),
    [
        ("es-ex", "blackjack"),
        ("es-ex", "punto_y_banca"),
        ("es-ex", "mini_punto_y_banca"),
        ("es-ex", "midi_punto_y_banca"),
        ("es-ex", "chemin_de_fer"),
        ("es-ex", "baccarat_two_tableaux"),
        ("fr-2007", "blackjack"),
        ("fr-2007", "punto_y_banca"),
        ("fr-2007", "baccarat_two_tableaux"),
    ],
)
def test_texts_that_only_name_a_game_borrow_catalonias_rules(text: str, game_id: str) -> None:
    own, borrowed = load_game("es-ct", game_id), load_game(text, game_id, borrow="es-ct")
    assert (borrowed.text, borrowed.borrowed, borrowed.rules) == (text, "es-ct", own.rules)
