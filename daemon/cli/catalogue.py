"""`mesad catalogue`: the legal texts, their games, and what a game's text says, each with its clause."""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from daemon.catalogue.bets.roulette import places
from daemon.catalogue.errors import GameNotInCatalogue, UnknownCatalogue
from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.load import catalogues, load_game, load_text
from daemon.catalogue.model import Game, Ratio, Text
from daemon.catalogue.vocabulary import BETS
from daemon.errors import OK, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "text", nargs="?", metavar="TEXT", help="a text's id, e.g. es-ct; all texts if left out"
    )
    parser.add_argument("game", nargs="?", metavar="GAME", help="a game of the text, e.g. french_roulette")
    parser.add_argument("--json", action="store_true", help="the data as JSON")


def main(args: argparse.Namespace) -> int:
    """Print the texts, a text's games, or all that is known of a game."""
    try:
        if args.text is None:
            found: Any = [load_text(text) for text in catalogues()]
            lines = [line for text in found for line in _text(text)]
        elif args.game is None:
            found = load_text(args.text)
            lines = list(_text(found))
        else:
            found = load_game(args.text, args.game)
            lines = list(_game(found))
    except (UnknownCatalogue, GameNotInCatalogue) as error:
        raise UsageError(str(error)) from error
    if args.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return OK


def _text(text: Text) -> Iterator[str]:
    yield f"{text.id}: {text.title}"
    yield from (f"  {game}" for game in text.games)
    yield from (f"  not {absent.id}: {absent.reason} ({absent.clause})" for absent in text.absent)


def _game(game: Game) -> Iterator[str]:
    yield f"{game.id}: {game.names['en']}"
    yield f"  {game.text}: {game.title}, epigraph {game.epigraph}"
    yield f"  data {game.hash}"
    if game.inherits:
        yield f"  as {game.inherits.game} in all it does not say itself ({game.inherits.clause})"
    if isinstance(game, Roulette):
        yield from _equipment(game)
    yield "rules"
    for rule in game.rules:
        given = {name: value for name, value in rule.parameters.items() if not name.endswith("clause")}
        yield f"  {rule.id}: {rule.effect} ({rule.clause})" + (f" {given}" if given else "")
    change = game.limit_change
    balls = f", {change.last_balls} last balls announced" if change and change.last_balls else ""
    yield (
        f"  change of limits: {change.policy}{balls} ({change.clause})"
        if change
        else "  change of limits: no rule"
    )
    closing = game.provisional_closing
    yield (
        f"  provisional closing: allowed ({closing.clause})" if closing else "  provisional closing: no rule"
    )
    if isinstance(game, Roulette):
        yield from _bets(game)
    yield from _limits(game)


def _equipment(game: Roulette) -> Iterator[str]:
    wheel, layout = game.wheel, game.layout
    yield "equipment"
    yield f"  wheel: {wheel.pockets} pockets, zeros {', '.join(wheel.zeros)} ({wheel.pockets_clause})"
    yield f"  layout {layout.id}, clockwise: {' '.join(layout.pockets)}"
    yield f"  order and colours ({wheel.order.clause})"


def _bets(game: Roulette) -> Iterator[str]:
    names = BETS["en"]
    yield "bets"
    for bet in game.bets:
        size = f"{len(places(game, bet))} x {bet.numbers} numbers"
        yield f"  {names[bet.id]}: pays {_ratio(bet.pays)}, {size} ({bet.clause})"
    for side in game.side_bets:
        most = f"at most {_ratio(side.most)} of the minimum"
        yield f"  {side.id}: prizes set by the house, {most} ({side.clause})"
    zero = game.zero
    prison = " or in prison" if zero.prison else ""
    yield f"  simple chances on {' or '.join(zero.numbers)}: {_ratio(zero.back)} back{prison} ({zero.clause})"
    order = "; ".join(", ".join(names[bet] for bet in group) for group in game.payment.order)
    yield f"  paid in this order: {order} ({game.payment.clause})"


def _limits(game: Game) -> Iterator[str]:
    yield "limits, in multiples of the minimum"
    if game.limits is None:
        yield "  no rule"
        return
    if not game.limits.maxima:
        yield f"  set by the authorisation ({game.limits.clause})"
    for maximum in game.limits.maxima:
        bets = ", ".join(BETS["en"][bet] for bet in maximum.bets)
        yield f"  {bets}: {' or '.join(map(str, maximum.times))} ({maximum.clause})"
    if game.limits.raise_clause:
        yield f"  the house may raise them after telling the authority ({game.limits.raise_clause})"


def _ratio(ratio: Ratio) -> str:
    return f"{ratio.pays}/{ratio.per}" if ratio.per > ratio.pays else f"{ratio.pays} to {ratio.per}"
