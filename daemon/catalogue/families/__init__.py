"""The families of games: a file each, with what only its games have. This is where they meet.

A family's file holds its `Game`, a `check`, which refuses data that contradicts itself or the text's own
words, and both as its `FAMILY`. A new family is a new file beside the others and a line here.
"""

from collections.abc import Mapping

from daemon.catalogue.families.family import Family
from daemon.catalogue.lazy import LazyMapping

FAMILIES: Mapping[str, Family] = LazyMapping(
    {
        "blackjack": "daemon.catalogue.families.blackjack:FAMILY",
        "boule": "daemon.catalogue.families.boule:FAMILY",
        "chemin_de_fer": "daemon.catalogue.families.chemin_de_fer:FAMILY",
        "circle_poker": "daemon.catalogue.families.circle_poker:FAMILY",
        "craps": "daemon.catalogue.families.craps:FAMILY",
        "deal": "daemon.catalogue.families.deal:FAMILY",
        "fortune_wheel": "daemon.catalogue.families.fortune_wheel:FAMILY",
        "french_bank": "daemon.catalogue.families.french_bank:FAMILY",
        "mahjong_pai_gow": "daemon.catalogue.families.pai_gow:MAHJONG_PAI_GOW",
        "monte": "daemon.catalogue.families.monte:FAMILY",
        "pai_gow_poker": "daemon.catalogue.families.pai_gow:PAI_GOW_POKER",
        "punto_banco": "daemon.catalogue.families.punto_banco:FAMILY",
        "roulette": "daemon.catalogue.families.roulette:FAMILY",
        "sic_bo": "daemon.catalogue.families.sic_bo:FAMILY",
        "trente_et_quarante": "daemon.catalogue.families.trente_et_quarante:FAMILY",
        "two_tableaux": "daemon.catalogue.families.two_tableaux:FAMILY",
    }
)
"""By the word that stands as `family` in the texts."""
