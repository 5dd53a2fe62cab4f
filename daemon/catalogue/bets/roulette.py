"""Roulette: what a number is, which bets it wins, what they pay, and what the text has done about it.

The places of the bets follow from the cloth: three columns of twelve rows, the zeros above them. Sets of
numbers that a text itself names come from its data.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import msgspec
from msgspec.structs import replace

from daemon.catalogue.bets.payment import check_met, give_back, parts_back, pay_in_order
from daemon.catalogue.bets.settlement import Edge, Place, Settled, edges_over, lost, won
from daemon.catalogue.errors import UnknownPocket
from daemon.catalogue.families.roulette import CHANCES, Roulette, RouletteBet
from daemon.catalogue.figures import is_text
from daemon.catalogue.model import Language, Ratio, find_rule
from daemon.catalogue.vocabulary import BETS, GUIDANCE, GuidancePhrase
from daemon.outcomes import WheelOutcome
from daemon.records import Guidance

SPECIAL_LINE = "special_line"


class Win(msgspec.Struct, frozen=True):
    """A bet that wins on a number: at which places, and what it pays."""

    bet: str
    places: tuple[Place, ...]
    pays: Ratio | None
    clause: str


def outcome(game: Roulette, number: str) -> WheelOutcome:
    """What a pocket's number is in the chances; a zero is in none. Raises UnknownPocket."""
    color = game.layout.colors.get(number) if is_text(number) else None
    if color is None or color == "yellow":  # which no roulette has: it is checked when it is loaded
        rests = find_rule(game, "wheel.ball_rests_in_pocket")
        clause = rests.clause if rests else game.wheel.pockets_clause
        raise UnknownPocket(f"the wheel has no pocket {number!r:.60}", clause)
    if number in game.wheel.zeros:
        return WheelOutcome(number=number, color=color, parity=None, half=None, dozen=None, column=None)
    value = int(number)
    return WheelOutcome(
        number=number,
        color=color,
        parity="odd" if value % 2 else "even",
        half="low" if value <= 18 else "high",
        dozen=1 if value <= 12 else 2 if value <= 24 else 3,
        column=1 if value % 3 == 1 else 2 if value % 3 == 2 else 3,
    )


# --- which bets win -----------------------------------------------------------------------------


def places(game: Roulette, bet: RouletteBet) -> tuple[Place, ...]:
    """Every place on the cloth where this bet can be put."""
    drawn = _DRAWN.get(bet.id)
    return (*(drawn(game) if drawn else ()), *bet.sets)


def wins(game: Roulette, number: str) -> tuple[Win, ...]:
    """The bets that win on this number, in the order in which the text lists them. Raises UnknownPocket."""
    outcome(game, number)
    won = []
    for bet in game.bets:
        hit = tuple(place for place in places(game, bet) if number in place)
        if hit:
            won.append(Win(bet.id, hit, bet.pays, bet.clause))
    return tuple(won)


def _rows(game: Roulette) -> list[Place]:
    return [(str(n), str(n + 1), str(n + 2)) for n in range(1, 37, 3)]


def _straights(game: Roulette) -> list[Place]:
    return [(label,) for label in (*game.wheel.zeros, *map(str, range(1, 37)))]


def _splits(game: Roulette) -> list[Place]:
    across = [(str(n), str(n + 1)) for n in range(1, 37) if n % 3]
    down = [(str(n), str(n + 3)) for n in range(1, 34)]
    return [*game.layout.zero_splits, *across, *down]


def _corners(game: Roulette) -> list[Place]:
    return [(str(n), str(n + 1), str(n + 3), str(n + 4)) for n in range(1, 33) if n % 3]


def _six_lines(game: Roulette) -> list[Place]:
    rows = _rows(game)
    return [(*one, *other) for one, other in pairwise(rows)]


def _columns(game: Roulette) -> list[Place]:
    return [tuple(str(n) for n in range(first, 37, 3)) for first in (1, 2, 3)]


def _dozens(game: Roulette) -> list[Place]:
    return [tuple(str(n) for n in range(first, first + 12)) for first in (1, 13, 25)]


def _adjoining(thirds: Callable[[Roulette], list[Place]]) -> Callable[[Roulette], list[Place]]:
    def pairs(game: Roulette) -> list[Place]:
        first, second, third = thirds(game)
        return [first + second, second + third]

    return pairs


def _chance(chance: str, part: str) -> Callable[[Roulette], list[Place]]:
    def numbers(game: Roulette) -> list[Place]:
        return [tuple(str(n) for n in range(1, 37) if getattr(outcome(game, str(n)), part) == chance)]

    return numbers


_DRAWN: Mapping[str, Callable[[Roulette], list[Place]]] = {
    "straight": _straights,
    "split": _splits,
    "street": _rows,
    "corner": _corners,
    "six_line": _six_lines,
    "column": _columns,
    "dozen": _dozens,
    "double_column": _adjoining(_columns),
    "double_dozen": _adjoining(_dozens),
    **{chance: _chance(chance, part) for chance, part in CHANCES.items()},
}


# --- what becomes of bets -------------------------------------------------------------------------


def settle(game: Roulette, number: str) -> tuple[Settled, ...]:
    """What a number does to every bet at every place; bets whose pay is not known are left out.

    Where the player may choose between half of the stake and prison, half is what is said, and the note has
    the choice. Raises UnknownPocket.
    """
    outcome(game, number)
    return tuple(
        _settled(game, bet, place, number)
        for bet in game.bets
        if bet.pays is not None
        for place in places(game, bet)
    )


def _settled(game: Roulette, bet: RouletteBet, place: Place, number: str) -> Settled:
    if number in place:
        return won(bet, place)
    zero = game.zero
    if bet.kind != "simple" or zero is None or number not in zero.numbers:
        return lost(bet, place)
    note = "or, as the player chooses, the whole stake stays in prison" if zero.prison else None
    return Settled(bet=bet.id, place=place, fate="loses", back=zero.back, clause=zero.clause, note=note)


def edges(game: Roulette) -> tuple[Edge, ...]:
    """The house edge of every bet at every place, every pocket being as likely as the others."""
    found = edges_over((1, settle(game, number)) for number in game.layout.pockets)
    if game.zero is None or game.zero.prison is None:
        return found
    simple = {bet.id for bet in game.bets if bet.kind == "simple"}
    basis = "on a zero half is taken back, no prison"
    return tuple(replace(edge, basis=basis) if edge.bet in simple else edge for edge in found)


# --- what the croupiers do ------------------------------------------------------------------------


def payment_order(game: Roulette, number: str) -> tuple[tuple[str, ...], ...]:
    """The winning bets in the text's order of payment, in its groups. Raises UnknownPocket."""
    won = {win.bet for win in wins(game, number)}
    if game.payment is None:
        return ()
    groups = (tuple(bet for bet in group if bet in won) for group in game.payment.order)
    return tuple(group for group in groups if group)


def guidance(
    game: Roulette, number: str, language: Language = "en", *, zeros_before: int = 0, last_ball: bool = False
) -> tuple[Guidance, ...]:
    """What the text has done about this number: order of payment, simple chances on a zero, special line.

    `zeros_before` counts the zeros that came running up to this throw, for the stakes in prison;
    `last_ball` says that it is the session's last. Raises UnknownPocket, and BrokenEvidence for what is no
    count of zeros.
    """
    check_met(zeros_before)
    return (
        *_payment_guidance(game, number, language),
        *_zero_guidance(game, number, language, zeros_before, last_ball),
        *_special_line_guidance(game, number, language),
    )


def guidances(game: Roulette, language: Language = "en") -> dict[str, tuple[Guidance, ...]]:
    """The guidance for every pocket when no zero came before: so much work that it is done beforehand."""
    return {number: guidance(game, number, language) for number in game.layout.pockets}


def void_guidance(game: Roulette, previous: str | None, language: Language = "en") -> tuple[Guidance, ...]:
    """What follows a void throw where the text says so: the ball goes back and is thrown again."""
    if game.thrown_again_clause is None:
        return ()
    phrase: GuidancePhrase = "throw_again" if previous is not None else "throw_again_unplaced"
    text = GUIDANCE[language][phrase].format(number=previous)
    return (Guidance(text=text, clause=game.thrown_again_clause, data={"previous": previous}),)


def _payment_guidance(game: Roulette, number: str, language: Language) -> tuple[Guidance, ...]:
    if game.payment is None:
        return ()
    order = payment_order(game, number)
    phrase: GuidancePhrase = "pay_in_order_at_once" if game.payment.all_at_once else "pay_in_order"
    return (pay_in_order(order, BETS[language], game.payment.clause, language, phrase),)


def _zero_guidance(
    game: Roulette, number: str, language: Language, zeros_before: int, last_ball: bool
) -> tuple[Guidance, ...]:
    zero = game.zero
    if zero is None:
        return ()
    prison = zero.prison
    words = GUIDANCE[language]
    if number not in zero.numbers:
        if prison is None or not zeros_before or number in game.wheel.zeros:
            return ()
        return (Guidance(text=words["prison_freed"], clause=zero.clause, data={"prison": "freed"}),)
    if prison is None:
        data: dict[str, Any] = {"back": [[zero.back.pays, zero.back.per]]}
        if zero.reading is not None and number != zero.numbers[0]:
            data["reading"] = zero.reading
        return (Guidance(text=words["zero_half"], clause=zero.clause, data=data),)
    parts = parts_back(zero.back, zeros_before + 1)
    if last_ball and prison.last_ball_refunds:
        return (give_back(words["zero_last_ball"], zero.clause, parts, choice=False),)
    first = give_back(words["zero_prison"], zero.clause, parts[:1], choice=True)
    if not zeros_before or not prison.halves_again:
        return (first,)
    return (first, give_back(words["zero_again"], zero.clause, parts[1:], choice=True))


def _special_line_guidance(game: Roulette, number: str, language: Language) -> tuple[Guidance, ...]:
    return tuple(
        Guidance(
            text=GUIDANCE[language]["special_line"].format(
                numbers="-".join(place), pays=bet.pays.pays, per=bet.pays.per
            ),
            clause=bet.clause,
            data={"numbers": list(place), "pays": [bet.pays.pays, bet.pays.per]},
        )
        for bet in game.bets
        if bet.id == SPECIAL_LINE and bet.pays is not None
        for place in bet.sets
        if number in place
    )
