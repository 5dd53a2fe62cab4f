"""Bets by family of games: a file each. This is where those meet whose house edge is known."""

from collections.abc import Callable, Mapping
from typing import Any

from daemon.catalogue.bets.settlement import Edge
from daemon.catalogue.lazy import LazyMapping

EDGES: Mapping[str, Callable[[Any], tuple[Edge, ...]]] = LazyMapping(
    {
        "boule": "daemon.catalogue.bets.boule:edges",
        "craps": "daemon.catalogue.bets.craps:edges",
        "deal": "daemon.catalogue.bets.deal:edges",
        "fortune_wheel": "daemon.catalogue.bets.fortune_wheel:edges",
        "french_bank": "daemon.catalogue.bets.french_bank:edges",
        "mahjong_pai_gow": "daemon.catalogue.bets.mahjong_pai_gow:edges",
        "monte": "daemon.catalogue.bets.monte_edges:edges",
        "punto_banco": "daemon.catalogue.bets.punto_banco:edges",
        "roulette": "daemon.catalogue.bets.roulette:edges",
        "sic_bo": "daemon.catalogue.bets.sic_bo:edges",
        "trente_et_quarante": "daemon.catalogue.bets.trente_et_quarante:edges",
    }
)
"""Family to the function that takes its game and gives the edge of every bet that has one."""
