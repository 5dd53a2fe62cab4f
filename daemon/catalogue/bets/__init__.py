"""Bets by family of games: a file each. This is where those meet whose house edge is known."""

from collections.abc import Callable, Mapping
from typing import Any

from daemon.catalogue.bets import (
    boule,
    craps,
    deal,
    fortune_wheel,
    french_bank,
    mahjong_pai_gow,
    monte_edges,
    punto_banco,
    roulette,
    sic_bo,
    trente_et_quarante,
)
from daemon.catalogue.bets.settlement import Edge

EDGES: Mapping[str, Callable[[Any], tuple[Edge, ...]]] = {
    "boule": boule.edges,
    "fortune_wheel": fortune_wheel.edges,
    "craps": craps.edges,
    "deal": deal.edges,
    "french_bank": french_bank.edges,
    "mahjong_pai_gow": mahjong_pai_gow.edges,
    "monte": monte_edges.edges,
    "sic_bo": sic_bo.edges,
    "roulette": roulette.edges,
    "trente_et_quarante": trente_et_quarante.edges,
    "punto_banco": punto_banco.edges,
}
"""Family to the function that takes its game and gives the edge of every bet that has one."""
