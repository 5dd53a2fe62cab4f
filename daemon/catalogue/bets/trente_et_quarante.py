"""Trente et quarante: rows from a stream of cards, what becomes of stakes, what follows, the house's edge."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import msgspec

from daemon.catalogue.bets.payment import check_met, give_back, parts_back, pay_in_order
from daemon.catalogue.bets.settlement import Edge, Settled, edges_over, lost, won
from daemon.catalogue.cards import Card, color, pack, parse_all, points
from daemon.catalogue.errors import TermsRefused
from daemon.catalogue.families.trente_et_quarante import Chance, Row, TrenteEtQuarante
from daemon.catalogue.model import Bet, Language, find_rule
from daemon.catalogue.vocabulary import GUIDANCE
from daemon.outcomes import TrenteEtQuaranteOutcome
from daemon.records import Guidance


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """A hand as far as its cards go. A row that its cards do not bring to the end is not complete."""

    black: tuple[Card, ...]
    red: tuple[Card, ...]
    complete: bool
    surplus: tuple[Card, ...]
    """Cards after both rows were complete: of the next hand, or laid by mistake."""


# --- the rows -------------------------------------------------------------------------------------


def deal(game: TrenteEtQuarante, cards: Sequence[Card]) -> Rows:
    """The rows that these cards make, in the order in which they left the shoe, burnt cards left out.

    Raises NotACard.
    """
    rest = parse_all(cards)
    laid: dict[Row, tuple[Card, ...]] = {}
    complete = True
    for row in game.rows.order:
        total = count = 0
        while total < game.rows.until and count < len(rest):
            total += points(rest[count])
            count += 1
        complete = total >= game.rows.until
        laid[row], rest = rest[:count], rest[count:]
    return Rows(black=laid["black"], red=laid["red"], complete=complete, surplus=rest)


def outcome(game: TrenteEtQuarante, cards: Sequence[Card]) -> TrenteEtQuaranteOutcome:
    """What one hand's cards are. Raises ValueError for too few or too many of them, NotACard."""
    rows = deal(game, cards)
    if not rows.complete or rows.surplus:
        raise ValueError(f"{len(cards)} cards are no whole hand: {len(rows.surplus)} are left over")
    black_total, red_total = sum(map(points, rows.black)), sum(map(points, rows.red))
    return _outcome(game, rows, black_total, red_total)


def _outcome(game: TrenteEtQuarante, rows: Rows, black_total: int, red_total: int) -> TrenteEtQuaranteOutcome:
    winner: Row | None = None
    chance: Chance | None = None
    if black_total != red_total:  # the lower is the nearer: no row ends below thirty-one
        winner = "black" if black_total < red_total else "red"
        chance = "color" if color(rows.black[0]) == winner else "inverse"
    return TrenteEtQuaranteOutcome(
        black=rows.black,
        red=rows.red,
        black_total=black_total,
        red_total=red_total,
        winner=winner,
        color=chance,
        refait=black_total == red_total == game.refait.points,
    )


# --- what becomes of stakes -----------------------------------------------------------------------


def settle(
    game: TrenteEtQuarante, result: TrenteEtQuaranteOutcome, *, insured: bool = False
) -> tuple[Settled, ...]:
    """What a hand does to every bet; `insured` stakes stand on the refait.

    On the refait a stake loses with a part given back; the player may leave it in prison instead. Raises
    TermsRefused for an insured stake where the text has no insurance.
    """
    if insured and game.insurance is None:
        raise TermsRefused(f"{game.text} has no insurance for {game.id}")
    return tuple(_settled(game, bet, result, insured) for bet in game.bets)


def _settled(game: TrenteEtQuarante, bet: Bet, result: TrenteEtQuaranteOutcome, insured: bool) -> Settled:
    refait = game.refait
    if result.refait and insured and game.insurance is not None:
        return Settled(bet=bet.id, fate="stands", clause=game.insurance.clause, note="insured")
    if result.refait:
        note = "or the whole stake goes to prison, as the player chooses"
        return Settled(bet=bet.id, fate="loses", back=refait.back, clause=refait.clause, note=note)
    if result.winner is None:
        return Settled(bet=bet.id, fate="stands", clause=refait.clause)
    if bet.id in (result.winner, result.color):
        return won(bet)
    return lost(bet)


def settle_prison(
    game: TrenteEtQuarante, result: TrenteEtQuaranteOutcome, refaits: int, *, last_hand: bool = False
) -> tuple[Settled, ...]:
    """What a hand does to stakes that have been in prison for so many refaits, by the zero's rules.

    Winners are freed without gain (they stand), losers are lost, a hand without a winner leaves them. A
    further refait halves what they are worth: they wait, or on the session's last hand what is left of them
    must be taken. Raises ValueError below one refait, BrokenEvidence for what is no count of them.
    """
    check_met(refaits)
    if refaits < 1:
        raise ValueError(f"a stake in prison met {refaits} refaits")
    prison, back = game.refait.prison, game.refait.back
    met = refaits + (1 if result.refait and prison.halves_again else 0)
    left = parts_back(back, met)[-1]
    settled = []
    for bet in game.bets:
        clause = game.refait.zero_clause
        if result.winner is None and last_hand and prison.last_ball_refunds:
            settled.append(Settled(bet=bet.id, fate="loses", back=left, clause=clause))
        elif result.winner is None:
            note = f"worth {left.pays}/{left.per} of the stake"
            settled.append(Settled(bet=bet.id, fate="waits", clause=clause, note=note))
        elif bet.id in (result.winner, result.color):
            settled.append(Settled(bet=bet.id, fate="stands", clause=clause, note="freed"))
        else:
            settled.append(Settled(bet=bet.id, fate="loses", clause=clause))
    return tuple(settled)


def payment_order(game: TrenteEtQuarante, result: TrenteEtQuaranteOutcome) -> tuple[str, ...]:
    """The winning bets in the order in which the text has them paid, one chance after the other."""
    won = (result.winner, result.color)
    return tuple(bet for group in game.payment.order for bet in group if bet in won)


# --- what the croupiers do ------------------------------------------------------------------------


def guidance(
    game: TrenteEtQuarante,
    result: TrenteEtQuaranteOutcome,
    language: Language = "en",
    *,
    refaits_before: int = 0,
    last_hand: bool = False,
) -> tuple[Guidance, ...]:
    """What the text has done about a hand: the order of payment, equal rows, the refait, stakes in prison.

    `refaits_before` counts the refaits since which stakes are still in prison; `last_hand` says that the
    session ends with this one. Raises BrokenEvidence for what is no count of refaits.
    """
    check_met(refaits_before)
    words, refait = GUIDANCE[language], game.refait
    if result.winner is not None:
        freed = Guidance(text=words["prison_freed"], clause=refait.zero_clause, data={"prison": "freed"})
        return (_payment(game, result, language), *((freed,) if refaits_before else ()))
    if not result.refait:
        return (Guidance(text=words["rows_equal"], clause=refait.clause),)
    insured = (Guidance(text=words["insured_stand"], clause=game.insurance.clause),) if game.insurance else ()
    parts = parts_back(refait.back, refaits_before + 1)
    if last_hand and refait.prison.last_ball_refunds:
        refunded = give_back(words["refait_last_hand"], refait.zero_clause, parts, choice=False)
        return (refunded, *insured)
    first = give_back(words["zero_prison"], refait.clause, parts[:1], choice=True)
    if not refaits_before:
        return (first, *insured)
    again = give_back(words["refait_again"], refait.zero_clause, parts[1:], choice=True)
    return (first, again, *insured)


def _payment(game: TrenteEtQuarante, result: TrenteEtQuaranteOutcome, language: Language) -> Guidance:
    groups = [(bet,) for bet in payment_order(game, result)]
    names = {bet.id: bet.names[language] for bet in game.bets}
    return pay_in_order(groups, names, game.payment.clause, language, "pay_farthest_first")


def last_cards_guidance(game: TrenteEtQuarante, language: Language = "en") -> tuple[Guidance, ...]:
    """What follows the stop card: the cards beneath it are laid out and counted, as the text has it."""
    rule = find_rule(game, "trente_et_quarante.last_cards_counted")
    if rule is None or game.stop_card is None:
        return ()
    up = rule.parameters["face"] == "up"
    text = GUIDANCE[language]["count_last_cards_up" if up else "count_last_cards_down"]
    cards = game.stop_card.beneath
    data = {"cards": cards, "face": rule.parameters["face"]}
    return (Guidance(text=text.format(cards=cards), clause=rule.clause, data=data),)


# --- the house's edge -----------------------------------------------------------------------------


def edges(game: TrenteEtQuarante) -> tuple[Edge, ...]:
    """The edge of every bet, exact for rows of independent cards; stakes without insurance, halves taken."""
    basis = "every card drawn from whole packs; on the refait the part given back is taken"
    return edges_over(((weight, settle(game, result)) for weight, result in _weighted_outcomes(game)), basis)


def row_totals(game: TrenteEtQuarante) -> dict[int, Fraction]:
    """The probability of every total of a row whose cards are each drawn from whole packs."""
    whole = pack(game.packs.deck)
    share: dict[int, Fraction] = {}
    for card in whole:
        share[points(card)] = share.get(points(card), Fraction(0)) + Fraction(1, len(whole))
    until = game.rows.until
    reached = {0: Fraction(1)}
    for total in range(until):
        for value, part in share.items():
            reached[total + value] = reached.get(total + value, Fraction(0)) + reached[total] * part
    return {total: chance for total, chance in sorted(reached.items()) if total >= until}


def _weighted_outcomes(game: TrenteEtQuarante) -> Iterator[tuple[Fraction, TrenteEtQuaranteOutcome]]:
    """Every pair of totals with a first card of either colour, which depends on no total."""
    totals = row_totals(game)
    for (black, one), (red, other), first in product(totals.items(), totals.items(), ("As", "Ah")):
        rows = Rows(black=(Card(first),), red=(), complete=True, surplus=())
        yield one * other, _outcome(game, rows, black, red)
