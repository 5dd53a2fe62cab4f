"""Monte: what the card that decides a phase does to every bet.

A bet's place is the square that it is on; for sides it is the own squares and those played against:
("1", "2") is the first card against the second, ("12", "34") the upper row against the lower.
"""

from collections.abc import Iterator
from fractions import Fraction

from daemon.catalogue.bets.monte import ROWS, SQUARES, row_of
from daemon.catalogue.bets.settlement import Settled
from daemon.catalogue.families.monte import Monte, MonteBet, Phase, Square
from daemon.catalogue.model import Ratio
from daemon.outcomes import MonteMatch, MonteOutcome

Group = tuple[Square, ...]
Sides = tuple[Group, Group]
"""The squares of a bet of sides: its own, and those that it plays against."""

COLUMNS: tuple[tuple[Square, Square], ...] = ((1, 3), (2, 4))
DIAGONALS: tuple[tuple[Square, Square], ...] = ((1, 4), (2, 3))
_PRINTED: dict[Square, Square] = {1: 1, 2: 2, 3: 3, 4: 4}
_MIRRORED: dict[Square, Square] = {1: 2, 2: 1, 3: 4, 4: 3}
"""The squares of the clauses on doubled cards, which are printed for the first of the row."""


# --- places ---------------------------------------------------------------------------------------


def sides_of(phase: Phase, squares: Group = SQUARES) -> tuple[Sides, ...]:
    """The sides that can be bet on: one card against another of its row or column, two against the other two.

    In the second phase there is only the row that is left, which `squares` says.
    """
    if phase == "second":
        one, other = squares
        return (((one,), (other,)), ((other,), (one,)))
    single = [((one,), (other,)) for one, other in (*ROWS, *COLUMNS)]
    double = (ROWS, COLUMNS, DIAGONALS)
    return tuple(sides for own, against in (*single, *double) for sides in ((own, against), (against, own)))


def place_of(sides: Sides) -> tuple[str, ...]:
    """How such a bet's place is written."""
    return tuple("".join(map(str, squares)) for squares in sides)


# --- what becomes of bets -------------------------------------------------------------------------


def settle(game: Monte, hand: MonteOutcome, phase: Phase) -> tuple[Settled, ...]:
    """What the card that decided this phase does to every bet that was on the table, in the text's order.

    In the first phase the bets on the row that goes on wait; the second settles them with those made in it.
    Raises ValueError for a phase that is not decided.
    """
    decided = hand.decided_by[0 if phase == "first" else 1 :]
    if not decided:
        raise ValueError(f"nothing has decided the {phase} phase: the hand is {hand.phase}")
    return tuple(_settle(game, hand, phase, decided[0]))


def _settle(game: Monte, hand: MonteOutcome, phase: Phase, by: MonteMatch) -> Iterator[Settled]:
    squares = SQUARES if phase == "first" else row_of(by.square)
    for bet in game.bets:
        if bet.on == "sides" and (bet.phase == phase or phase == "second"):
            for sides in sides_of(phase, squares):
                yield _on_sides(game, bet, hand, by, sides)
        elif bet.on != "sides" and bet.phase == phase:
            for square in squares:
                yield _on_square(game, bet, hand, by, square)


def _on_square(game: Monte, bet: MonteBet, hand: MonteOutcome, by: MonteMatch, square: Square) -> Settled:
    place = (str(square),)
    if bet.on == "value" and (clause := annulled_on_value(game, hand, by)) is not None:
        return Settled(bet=bet.id, place=place, fate="stands", clause=clause, note="annulled")
    hit = by.square == square and bet.match in (None, by.match)
    if not hit or (bet.on == "at_once" and not by.at_once):
        return Settled(bet=bet.id, place=place, fate="loses", clause=bet.clause)
    return _wins(game, bet, hand, by, place)


def _on_sides(game: Monte, bet: MonteBet, hand: MonteOutcome, by: MonteMatch, sides: Sides) -> Settled:
    place = place_of(sides)
    own, against = sides
    if by.square not in (*own, *against):
        if row_of(own[0]) == row_of(against[0]):
            return Settled(bet=bet.id, place=place, fate="waits", clause=bet.clause, note="second phase")
        return Settled(bet=bet.id, place=place, fate="stands", clause=bet.clause, note="not decided")
    if (clause := annulled_for_sides(game, hand, by, sides)) is not None:
        return Settled(bet=bet.id, place=place, fate="stands", clause=clause, note="annulled")
    if by.square in against:
        return Settled(bet=bet.id, place=place, fate="loses", clause=bet.clause)
    return _wins(game, bet, hand, by, place)


def _wins(game: Monte, bet: MonteBet, hand: MonteOutcome, by: MonteMatch, place: tuple[str, ...]) -> Settled:
    pays = bet_pays(bet, hand)
    levied = by.at_once and bet.id not in game.levy.spared
    if levied:
        pays -= pays * game.levy.part.fraction
    return Settled(
        bet=bet.id,
        place=place,
        fate="wins",
        pays=Ratio.of(pays),
        clause=bet.clause,
        note=f"less {game.levy.part.pays}/{game.levy.part.per}: {game.levy.clause}" if levied else None,
    )


def bet_pays(bet: MonteBet, hand: MonteOutcome) -> Fraction:
    """What a bet pays to one on this layout, before the house keeps anything."""
    doubled = sum(map(len, hand.laid_on)) if "doubled" in bet.less_for else 0
    burnt = len(hand.burnt) if "burnt" in bet.less_for else 0
    return bet.pays.fraction - doubled - burnt


# --- matches that count for neither side ----------------------------------------------------------


def annulled_for_sides(game: Monte, hand: MonteOutcome, by: MonteMatch, sides: Sides) -> str | None:
    """The clause by which the deciding card counts for neither side of such a bet, or None.

    `by` must match a square of one of the sides. Doubled cards annul matches of those that they play against.
    """
    first, second = (len(on) for on in hand.laid_on[:2])
    most = (max(first, second), min(first, second))
    annulment = next((one for one in game.sides_annulments if one.laid_on == most), None)
    if annulment is None or (not annulment.diagonals and set(sides) == set(DIAGONALS)):
        return None
    turned = _PRINTED if first >= second else _MIRRORED
    for entry in annulment.annulled:
        if by.square != turned[entry.of] or by.match not in entry.matches:
            continue
        own, against = sides if by.square in sides[0] else sides[::-1]
        if turned[entry.by] in against or (entry.either_side and turned[entry.by] in own):
            return annulment.clause
    return None


def annulled_on_value(game: Monte, hand: MonteOutcome, by: MonteMatch) -> str | None:
    """The clause by which other, doubled cards make the deciding one count for no bet on a value, or None."""
    for annulment in game.value_annulments:
        others = [len(on) for square, on in enumerate(hand.laid_on, start=1) if square != by.square]
        if annulment.laid_on in others and by.match in annulment.matches:
            return annulment.clause
    return None
