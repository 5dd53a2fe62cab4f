"""Games made of the package's texts after a change, for what a text may not say."""

from collections.abc import Callable
from typing import Any

from daemon.catalogue.load import make_game
from daemon.catalogue.model import Game
from daemon.catalogue.source import ParsedText, read_layouts, read_text


def changed(text: str, game_id: str, change: Callable[[dict[str, Any]], object]) -> Game:
    """The game, its own section changed. Raises CatalogueDataError where that makes no sense."""
    data = read_text(text)
    change(data["games"][game_id])
    return make_game(ParsedText(data), read_layouts(), game_id)
