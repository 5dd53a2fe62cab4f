"""Craps: what a throw does to the point and to every bet, and what the house keeps of each."""

from collections.abc import Iterator
from fractions import Fraction

from daemon.catalogue.bets.settlement import Edge, Fate, Place, Settled, house_edge, result_of, value
from daemon.catalogue.dice import check_throw, throws
from daemon.catalogue.errors import BrokenEvidence
from daemon.catalogue.families.craps import POINTS, SEVEN, Craps, CrapsBet
from daemon.catalogue.figures import is_whole
from daemon.catalogue.model import PayLine
from daemon.outcomes import CrapsOutcome

Roll = tuple[int, int]
ROLLS: tuple[Roll, ...] = tuple((first, second) for first, second in throws(2))
"""The ways in which two dice fall."""


# --- the table ------------------------------------------------------------------------------------


def next_point(point: int | None, dice: Roll) -> int | None:
    """The point that the next throw is made for; None before a come-out roll."""
    total = sum(dice)
    if point is None:
        return total if total in POINTS else None
    return None if total in (point, SEVEN) else point


def seven_out(point: int | None, dice: Roll) -> bool:
    """Whether this throw is the seven that loses, after which the dice change hands."""
    return point is not None and sum(dice) == SEVEN


def outcome(game: Craps, point: int | None, dice: Roll, *, last_roll: bool = False) -> CrapsOutcome:
    """What this throw is when it is made for `point`, and what it decides. Raises as `settle` does."""
    results = tuple(
        result_of(one) for one in settle(game, point, dice, last_roll=last_roll) if one.fate != "waits"
    )
    return CrapsOutcome(
        dice=dice,
        total=sum(dice),
        come_out=point is None,
        thrown_for=point,
        point=next_point(point, dice),
        seven_out=seven_out(point, dice),
        bets=results,
    )


# --- the bets -------------------------------------------------------------------------------------


def settle(game: Craps, point: int | None, dice: Roll, *, last_roll: bool = False) -> tuple[Settled, ...]:
    """What this throw, made for `point`, does to every bet that may lie on the table, in the text's order.

    A come bet lies at no place until it has a point of its own, then at that. `last_roll` says that the table
    closes after this throw. Raises NotDice, and BrokenEvidence for what is no point.
    """
    check_throw(game.dice, dice)
    if point is not None and not (is_whole(point) and point in POINTS):
        raise BrokenEvidence(f"{point!r:.60} is no point")
    settled = tuple(_settle(bet, number, dice) for bet in game.bets for number in _numbers(game, bet, point))
    closing = game.last_rolls
    if not last_roll or closing is None or not closing.undecided_returned:
        return settled
    return tuple(
        Settled(
            bet=one.bet, place=one.place, fate="stands", clause=closing.clause, note="given back: last roll"
        )
        if one.fate == "waits"
        else one
        for one in settled
    )


def places(bet: CrapsBet) -> tuple[Place, ...]:
    """Every place where a stake of this bet can be put down; the empty one where it has no number."""
    if bet.course in ("number", "odds") and bet.table:
        return tuple((line.when,) for line in bet.table)
    return ((),)


def _numbers(game: Craps, bet: CrapsBet, point: int | None) -> tuple[int | None, ...]:
    """Every number on which a stake of this bet may lie while the table has this point."""
    if bet.course == "number":
        return tuple(int(line.when) for line in bet.table) or bet.wins
    if bet.course == "roll":
        return (None,)
    with_point: tuple[int | None, ...] = () if point is None else (point,)
    if bet.course == "odds":
        line = next(one for one in game.bets if one.id == bet.goes_with)
        return with_point if line.placed == "come_out" else POINTS
    if bet.placed == "come_out":
        return (point,)
    return (*(() if point is None else (None,)), *POINTS)


def _settle(bet: CrapsBet, number: int | None, dice: Roll) -> Settled:
    fate = _fate(bet, number, dice)
    line = _line(bet, sum(dice) if bet.course == "roll" else number)
    becomes_point = fate == "waits" and bet.course == "line" and number is None
    return Settled(
        bet=bet.id,
        place=_place(bet, number),
        fate=fate,
        pays=(bet.pays if line is None else line.pays) if fate == "wins" else None,
        clause=bet.clause if line is None else line.clause or bet.clause,
        note=f"its point is {sum(dice)}" if becomes_point else None,
    )


def _fate(bet: CrapsBet, number: int | None, dice: Roll) -> Fate:
    total = sum(dice)
    if number is None:
        if total in bet.wins:
            return "wins"
        if total in bet.stands:
            return "stands"
        return "loses" if total in bet.loses or bet.course == "roll" else "waits"
    if total not in (number, SEVEN):
        return "waits"
    wanted = number if bet.side == "right" else SEVEN
    double = dice[0] == dice[1]
    return "wins" if total == wanted and (double or not bet.doubles) else "loses"


def _place(bet: CrapsBet, number: int | None) -> Place:
    """The place of a stake: a win bet's is the same all along, a come bet's is its own point."""
    own = bet.table or (bet.course == "line" and bet.placed == "point")
    return (str(number),) if own and number is not None else ()


def _line(bet: CrapsBet, number: int | None) -> PayLine | None:
    return next((line for line in bet.table if line.when == str(number)), None)


# --- what the house keeps ---------------------------------------------------------------------------


def edges(game: Craps) -> tuple[Edge, ...]:
    """The exact edge of every bet at every place where it can be put down, in the text's order."""
    return tuple(_edge(bet, place) for bet in game.bets for place in places(bet))


def _edge(bet: CrapsBet, place: Place) -> Edge:
    start = int(place[0]) if place else bet.wins[0] if bet.course == "number" else None
    ends = list(_ends(bet, start))
    basis = None
    if bet.stands:
        per_stake = -sum((weight * value(settled) for weight, settled in ends), Fraction(0))
        totals = " or ".join(map(str, bet.stands))
        basis = f"stakes that stand on {totals} are left out; counted in, it is {per_stake}"
    return Edge(bet=bet.id, place=place, edge=house_edge(ends), basis=basis)


def _ends(bet: CrapsBet, number: int | None) -> Iterator[tuple[Fraction, Settled]]:
    """How a stake ends, with the weight of each end: throws that change nothing are thrown again."""
    settled = [(_settle(bet, number, dice), sum(dice)) for dice in ROLLS]
    moves = number is None and bet.course == "line"
    counted = [(one, total) for one, total in settled if moves or one.fate != "waits"]
    for one, total in counted:
        if one.fate != "waits":
            yield Fraction(1, len(counted)), one
        else:
            yield from ((weight / len(counted), end) for weight, end in _ends(bet, total))
