"""`mesad catalogue`: the legal texts and their games, where two texts differ, and the house's edge."""

import argparse
import sys
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from daemon.catalogue.bets import EDGES
from daemon.catalogue.errors import GameNotInCatalogue, UnknownCatalogue
from daemon.catalogue.load import catalogues, load_game, load_games, load_text
from daemon.catalogue_view.difference import difference_lines, differences
from daemon.catalogue_view.edges import edge_lines, edge_views
from daemon.catalogue_view.game import game_lines, text_lines
from daemon.errors import OK, UsageError

_USAGE = """\
mesad catalogue [TEXT [GAME]] [--json]
       mesad catalogue diff TEXT TEXT GAME [--json]
       mesad catalogue edge TEXT GAME [--json]"""

Shown = tuple[Any, Iterable[str]]
"""What is printed: the data with --json, else the lines."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.usage = _USAGE
    parser.add_argument(
        "words",
        nargs="*",
        metavar="TEXT GAME",
        help="a text's id, e.g. es-ct, and a game of it, e.g. french_roulette; all texts if left out. "
        "After `diff` two texts and a game: where they differ. After `edge` a text and a game: what the "
        "house keeps of each bet",
    )
    parser.add_argument("--json", action="store_true", help="the data as JSON")


def main(args: argparse.Namespace) -> int:
    """Print the texts, a text's games, all that is known of a game, a difference or the edges."""
    try:
        found, lines = _asked(args.words)
    except (UnknownCatalogue, GameNotInCatalogue) as error:
        raise UsageError(f"{error}; `mesad catalogue` lists texts and games") from error
    if args.json:
        content = msgspec.json.format(msgspec.json.encode(found, enc_hook=_plain), indent=2)
        sys.stdout.write(content.decode() + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return OK


def _asked(words: list[str]) -> Shown:
    match words:
        case ["diff", left, right, game]:
            return _difference(left, right, game)
        case ["diff", *_]:
            raise UsageError("diff takes two texts and a game: mesad catalogue diff es-ct es-ex craps")
        case ["edge", text, game]:
            return _edges(text, game)
        case ["edge", *_]:
            raise UsageError("edge takes a text and a game: mesad catalogue edge es-ct craps")
        case []:
            return _texts(catalogues())
        case [text]:
            (found,), lines = _texts((text,))
            return found, lines
        case [text, game_id]:
            loaded = load_game(text, game_id)
            return loaded, game_lines(loaded)
    raise UsageError("catalogue takes a text and a game at most: mesad catalogue es-ct french_roulette")


def _texts(ids: tuple[str, ...]) -> Shown:
    texts = [load_text(text) for text in ids]
    lines: list[str] = []
    for text in texts:
        lines += [""] if lines else []
        lines += text_lines(text, load_games(text.id))
    return texts, lines


def _difference(left: str, right: str, game: str) -> Shown:
    if left == right:
        raise UsageError(f"diff takes two texts, not {left} twice; there are: {', '.join(catalogues())}")
    one, other = load_game(left, game), load_game(right, game)
    found = {"game": game, "left": left, "right": right, "differences": differences(one, other)}
    return found, difference_lines(one, other)


def _edges(text: str, game_id: str) -> Shown:
    game = load_game(text, game_id)
    edges = EDGES.get(game.family)
    if edges is None:
        known = ", ".join(sorted(EDGES)) or "none"
        raise UsageError(
            f"mesad works out no edge for the family {game.family}, only for: {known}; "
            f"`mesad catalogue {text} {game_id}` shows what the bets pay"
        )
    found = edges(game)
    return edge_views(game, found), edge_lines(game, found)


def _plain(value: Any) -> Any:
    """What JSON has no form for."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    raise NotImplementedError(f"no JSON for {type(value).__name__}")
