"""What the loader needs of a family."""

from collections.abc import Callable
from typing import Any, NamedTuple

from daemon.catalogue.model import Game


class Family(NamedTuple):
    """A family's `Game`, and what refuses one that contradicts itself or the text's own words."""

    game: type[Game]
    check: Callable[[Any], None]
    """Raises CatalogueError; takes the family's own game."""
