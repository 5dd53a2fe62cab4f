"""How each family of games is played at a table: a file each. This is where they meet.

What the law says of a family stands in `daemon.catalogue`, how its round goes in `daemon.rounds`. Here the
two are tied to a table: its device, what an outcome is made of, what is called out, what may be corrected.
A new family is a new file beside the others and a line here.
"""

from collections.abc import Mapping
from typing import Any

from daemon.catalogue.lazy import LazyMapping
from daemon.catalogue.model import Game, Language
from daemon.play.play import Play
from daemon.rounds.round import Policy

PLAYED: Mapping[str, type[Play[Any, Any]]] = LazyMapping(
    {
        "roulette": "daemon.play.roulette:RoulettePlay",
        "boule": "daemon.play.boule:BoulePlay",
        "fortune_wheel": "daemon.play.fortune_wheel:FortuneWheelPlay",
    }
)
"""By the game's family. A game of another family has rules in the catalogue, but no table plays it."""


def play_of(game: Game, language: Language, policy: Policy, segments: tuple[str, ...] = ()) -> Play[Any, Any]:
    """How this game is played at one table; `segments` is its own wheel's order, where the family has one.

    Raises KeyError for a family that no table plays.
    """
    return PLAYED[game.family](game, language, policy, segments)
