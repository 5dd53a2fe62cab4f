"""Boule: what a number is, what becomes of every bet on it, and what the house keeps."""

from daemon.catalogue.bets.settlement import Edge, Place, Settled, edges_over, lost, won
from daemon.catalogue.errors import UnknownPocket
from daemon.catalogue.families.boule import LOSING, NUMBERS, Boule
from daemon.catalogue.families.roulette import CHANCES
from daemon.catalogue.figures import is_text, is_whole
from daemon.catalogue.model import Bet, Language
from daemon.catalogue.vocabulary import GUIDANCE
from daemon.outcomes import BouleOutcome
from daemon.records import Guidance


def number_in(game: Boule, hole: int) -> str:
    """The number of a hole, counted from 1 in the layout's order. Raises UnknownPocket."""
    if not is_whole(hole, 1, len(game.layout.pockets)):
        raise UnknownPocket(f"the basin has no hole {hole!r:.60}", game.wheel.clause)
    return game.layout.pockets[hole - 1]


def outcome(game: Boule, number: str, hole: int | None = None) -> BouleOutcome:
    """What a number is in the chances; the five is in none. Raises UnknownPocket, for another's hole too."""
    color = game.layout.colors.get(number) if is_text(number) else None
    if color is None or color == "green":  # which no boule has
        raise UnknownPocket(f"the basin has no number {number!r:.60}", game.wheel.clause)
    if hole is not None and number_in(game, hole) != number:
        raise UnknownPocket(f"the hole {hole} is not one of the {number}", game.wheel.clause)
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
    part = CHANCES.get(bet.id)
    if part is None:
        return tuple((number,) for number in NUMBERS)
    return (tuple(number for number in NUMBERS if getattr(outcome(game, number), part) == bet.id),)


def settle(game: Boule, number: str) -> tuple[Settled, ...]:
    """What a number does to every bet at every place. Raises UnknownPocket."""
    outcome(game, number)
    return tuple(_settled(game, bet, place, number) for bet in game.bets for place in places(game, bet))


def _settled(game: Boule, bet: Bet, place: Place, number: str) -> Settled:
    if number in place:
        return won(bet, place)
    if number == LOSING and bet.id in CHANCES:
        return Settled(bet=bet.id, place=place, fate="loses", clause=game.five_clause)
    return lost(bet, place)


def edges(game: Boule) -> tuple[Edge, ...]:
    """The house edge of every bet at every place, every hole being as likely as the others."""
    return edges_over((1, settle(game, number)) for number in game.layout.pockets)


def guidance(game: Boule, number: str, language: Language = "en") -> tuple[Guidance, ...]:
    """What the text has done about a number: the five loses all simple chances. Raises UnknownPocket."""
    if outcome(game, number).number != LOSING:
        return ()
    text = GUIDANCE[language]["five_loses"]
    return (Guidance(text=text, clause=game.five_clause, data={"lost": list(CHANCES)}),)
