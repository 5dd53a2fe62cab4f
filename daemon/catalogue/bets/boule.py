"""Boule: what a number is, what becomes of every bet on it, and what the house keeps."""

from collections.abc import Mapping

from daemon.catalogue.bets.settlement import Edge, Settled, house_edge
from daemon.catalogue.errors import UnknownPocket
from daemon.catalogue.families.boule import LOSING, NUMBERS, Boule
from daemon.catalogue.model import Bet, Language
from daemon.catalogue.vocabulary import GUIDANCE
from daemon.records import BouleOutcome, Guidance

Place = tuple[str, ...]

_CHANCES: Mapping[str, tuple[str, str]] = {
    "red": ("color", "red"),
    "black": ("color", "black"),
    "even": ("parity", "even"),
    "odd": ("parity", "odd"),
    "low": ("half", "low"),
    "high": ("half", "high"),
}


def number_in(game: Boule, hole: int) -> str:
    """The number of a hole, counted from 1 in the layout's order. Raises UnknownPocket."""
    if not 1 <= hole <= len(game.layout.pockets):
        raise UnknownPocket(f"the basin has no hole {hole}", game.wheel.clause)
    return game.layout.pockets[hole - 1]


def outcome(game: Boule, number: str, hole: int | None = None) -> BouleOutcome:
    """What a number is in the chances; the five is in none. Raises UnknownPocket."""
    color = game.layout.colors.get(number)
    if color is None or color == "green":  # which no boule has
        raise UnknownPocket(f"the basin has no number {number!r}", game.wheel.clause)
    if number == LOSING:
        return BouleOutcome(number=number, hole=hole, color=color, parity=None, half=None)
    return BouleOutcome(
        number=number,
        hole=hole,
        color=color,
        parity="odd" if int(number) % 2 else "even",
        half="low" if int(number) < int(LOSING) else "high",
    )


def places(game: Boule, bet: Bet) -> tuple[Place, ...]:
    """Every place where this bet can be put: a number each, or the four numbers of a chance."""
    if bet.id not in _CHANCES:
        return tuple((number,) for number in NUMBERS)
    field, value = _CHANCES[bet.id]
    return (tuple(number for number in NUMBERS if getattr(outcome(game, number), field) == value),)


def settle(game: Boule, number: str) -> tuple[Settled, ...]:
    """What a number does to every bet at every place. Raises UnknownPocket."""
    outcome(game, number)
    return tuple(_settled(game, bet, place, number) for bet in game.bets for place in places(game, bet))


def _settled(game: Boule, bet: Bet, place: Place, number: str) -> Settled:
    if number in place:
        return Settled(bet=bet.id, place=place, fate="wins", pays=bet.pays, clause=bet.clause)
    by_five = number == LOSING and bet.id in _CHANCES
    return Settled(bet=bet.id, place=place, fate="loses", clause=game.five_clause if by_five else bet.clause)


def edges(game: Boule) -> tuple[Edge, ...]:
    """The house edge of every bet at every place, every hole being as likely as the others."""
    by_hole = [settle(game, number) for number in game.layout.pockets]
    return tuple(
        Edge(bet=same[0].bet, place=same[0].place, edge=house_edge((1, settled) for settled in same))
        for same in zip(*by_hole, strict=True)
    )


def guidance(game: Boule, number: str, language: Language = "en") -> tuple[Guidance, ...]:
    """What the text has done about a number: the five loses all simple chances. Raises UnknownPocket."""
    if outcome(game, number).number != LOSING:
        return ()
    text = GUIDANCE[language]["five_loses"]
    return (Guidance(text=text, clause=game.five_clause, data={"lost": list(_CHANCES)}),)
