"""Sic bo: what a throw is, which bets it wins at which places, what follows, and the house's edge."""

from collections.abc import Callable, Mapping
from itertools import combinations

from daemon.catalogue.bets.payment import collect_losers
from daemon.catalogue.bets.settlement import Edge, Place, Settled, edges_over, lost, result_of
from daemon.catalogue.dice import FACES, check_throw, throws
from daemon.catalogue.families.sic_bo import Kind, SicBo, SicBoBet
from daemon.catalogue.model import Language, Ratio
from daemon.outcomes import SicBoOutcome
from daemon.records import Guidance

Faces = tuple[int, ...]

RANGE_ONLY = "the text gives only the range of what totals pay"

_FACES = tuple(map(str, FACES))


def outcome(game: SicBo, faces: Faces) -> SicBoOutcome:
    """What these faces are and which bets they win. Raises NotDice."""
    check_throw(game.dice, faces)
    wins = (one for bet in game.bets for one in _settled(bet, faces) if one.fate == "wins")
    return SicBoOutcome(
        dice=faces,
        total=sum(faces),
        triple=_is_triple(faces),
        bets=tuple(map(result_of, wins)),
    )


def places(bet: SicBoBet) -> tuple[Place, ...]:
    """Every place on the cloth where this bet can be put."""
    match bet.kind:
        case "double" | "triple" | "number":
            return tuple((face,) for face in _FACES)
        case "pair":
            return tuple(combinations(_FACES, 2))
        case "total":
            return tuple((str(total),) for total in bet.sums)
        case "sums" | "any_triple":
            return ((),)


def settle(game: SicBo, result: SicBoOutcome) -> tuple[Settled, ...]:
    """What a throw does to every bet at every place, in the text's order; none of them ever waits."""
    return tuple(one for bet in game.bets for one in _settled(bet, result.dice))


def guidance(game: SicBo, language: Language = "en") -> tuple[Guidance, ...]:
    """What the text has done about a throw: lost stakes are taken in before anything is paid."""
    return collect_losers(game.losers_first_clause, language)


def edges(game: SicBo) -> tuple[Edge, ...]:
    """The edge of every bet at every place over all throws; none where the pay is not fixed."""
    every = throws(game.dice.count)
    return tuple(
        edge
        for bet in game.bets
        if not bet.pays_between
        for edge in edges_over(((1, _settled(bet, faces)) for faces in every), basis=bet.assumed)
    )


def _settled(bet: SicBoBet, faces: Faces) -> tuple[Settled, ...]:
    return tuple(_at(bet, place, faces) for place in places(bet))


def _at(bet: SicBoBet, place: Place, faces: Faces) -> Settled:
    if not _WINS[bet.kind](bet, place, faces):
        return lost(bet, place)
    note = RANGE_ONLY if bet.pays_between else None
    return Settled(
        bet=bet.id, place=place, fate="wins", pays=_pays(bet, place, faces), clause=bet.clause, note=note
    )


def _pays(bet: SicBoBet, place: Place, faces: Faces) -> Ratio | None:
    return bet.table[_count(place, faces) - 1].pays if bet.table else bet.pays


def _count(place: Place, faces: Faces) -> int:
    return faces.count(int(place[0]))


def _is_triple(faces: Faces) -> bool:
    return len(set(faces)) == 1


def _in_sums(bet: SicBoBet, faces: Faces) -> bool:
    return sum(faces) in bet.sums and (bet.triples_win is True or not _is_triple(faces))


_WINS: Mapping[Kind, Callable[[SicBoBet, Place, Faces], bool]] = {
    "sums": lambda bet, place, faces: _in_sums(bet, faces),
    "double": lambda bet, place, faces: _count(place, faces) >= 2,
    "triple": lambda bet, place, faces: _count(place, faces) == len(faces),
    "any_triple": lambda bet, place, faces: _is_triple(faces),
    "total": lambda bet, place, faces: sum(faces) == int(place[0]),
    "pair": lambda bet, place, faces: {int(face) for face in place} <= set(faces),
    "number": lambda bet, place, faces: _count(place, faces) >= 1,
}
