"""The families of games: a file each, with what only its games have. This is where they meet.

A family's file holds its `Game` and a `check`, which refuses data that contradicts itself or the text's own
words. A new family is a new file beside the others and a line here.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from daemon.catalogue.families import (
    blackjack,
    boule,
    chemin_de_fer,
    circle,
    craps,
    deal,
    fortune_wheel,
    french_bank,
    monte,
    pai_gow,
    punto_banco,
    roulette,
    sic_bo,
    trente_et_quarante,
    two_tableaux,
)
from daemon.catalogue.model import Game


class Family(NamedTuple):
    """What the loader needs of a family."""

    game: type[Game]
    check: Callable[[Any], None]
    """Raises CatalogueError; takes the family's own game."""


FAMILIES: Mapping[str, Family] = {
    "boule": Family(boule.Boule, boule.check),
    "fortune_wheel": Family(fortune_wheel.FortuneWheel, fortune_wheel.check),
    "circle_poker": Family(circle.CirclePoker, circle.check),
    "craps": Family(craps.Craps, craps.check),
    "deal": Family(deal.BankDeal, deal.check),
    "french_bank": Family(french_bank.FrenchBank, french_bank.check),
    "mahjong_pai_gow": Family(pai_gow.MahjongPaiGow, pai_gow.check_mahjong),
    "pai_gow_poker": Family(pai_gow.PaiGowPoker, pai_gow.check_poker),
    "monte": Family(monte.Monte, monte.check),
    "roulette": Family(roulette.Roulette, roulette.check),
    "sic_bo": Family(sic_bo.SicBo, sic_bo.check),
    "trente_et_quarante": Family(trente_et_quarante.TrenteEtQuarante, trente_et_quarante.check),
    "punto_banco": Family(punto_banco.PuntoBanco, punto_banco.check),
    "chemin_de_fer": Family(chemin_de_fer.CheminDeFer, chemin_de_fer.check),
    "two_tableaux": Family(two_tableaux.TwoTableaux, two_tableaux.check),
    "blackjack": Family(blackjack.Blackjack, blackjack.check),
}
"""By the word that stands as `family` in the texts."""
