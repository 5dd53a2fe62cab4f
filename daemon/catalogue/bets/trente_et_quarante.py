"""Trente et quarante: rows from a stream of cards, what becomes of stakes, what is said, the house's edge."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

import msgspec

from daemon.catalogue.bets.settlement import Edge, Settled, house_edge
from daemon.catalogue.cards import Card, color, pack, points
from daemon.catalogue.families.trente_et_quarante import Chance, Row, TrenteEtQuarante
from daemon.catalogue.model import Bet, Language, Phrase, Ratio
from daemon.records import TrenteEtQuaranteOutcome

_ABOVE_THIRTY: Mapping[Language, tuple[str, ...]] = {
    "es": ("uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"),
    "ca": ("u", "dos", "tres", "quatre", "cinc", "sis", "set", "vuit", "nou", "deu"),
    "en": ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
}
"""How a row's score is called: by what it has above thirty."""


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

    Raises NotACard for a card without points.
    """
    rest = tuple(cards)
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
    ValueError for an insured stake where the text has no insurance.
    """
    if insured and game.insurance is None:
        raise ValueError(f"{game.text} has no insurance for {game.id}")
    return tuple(_settled(game, bet, result, insured) for bet in game.bets)


def _settled(
    game: TrenteEtQuarante, bet: Bet, result: TrenteEtQuaranteOutcome, insured: bool = False
) -> Settled:
    refait = game.refait
    if result.refait and insured and game.insurance is not None:
        return Settled(bet=bet.id, fate="stands", clause=game.insurance.clause, note="insured")
    if result.refait:
        note = "or the whole stake goes to prison, as the player chooses"
        return Settled(bet=bet.id, fate="loses", back=refait.back, clause=refait.clause, note=note)
    if result.winner is None:
        return Settled(bet=bet.id, fate="stands", clause=refait.clause)
    if bet.id in (result.winner, result.color):
        return Settled(bet=bet.id, fate="wins", pays=bet.pays, clause=bet.clause)
    return Settled(bet=bet.id, fate="loses", clause=bet.clause)


def settle_prison(
    game: TrenteEtQuarante, result: TrenteEtQuaranteOutcome, refaits: int, *, last_hand: bool = False
) -> tuple[Settled, ...]:
    """What a hand does to stakes that have been in prison for so many refaits, by the zero's rules.

    Winners are freed without gain (they stand), losers are lost, a hand without a winner leaves them. A
    further refait halves what they are worth: they wait, or on the session's last hand what is left of them
    must be taken. Raises ValueError below one refait.
    """
    if refaits < 1:
        raise ValueError(f"a stake in prison met {refaits} refaits")
    prison, back = game.refait.prison, game.refait.back
    met = refaits + (1 if result.refait and prison.halves_again else 0)
    left = Ratio(back.pays**met, back.per**met)
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


# --- what is said ---------------------------------------------------------------------------------


def announcement(game: TrenteEtQuarante, result: TrenteEtQuaranteOutcome, language: Language) -> str:
    """Both rows' scores, then the winning chances and whether colour wins; or that nobody does."""
    called = {"black": result.black_total, "red": result.red_total}
    scores = {row: _ABOVE_THIRTY[language][total - 31] for row, total in called.items()}
    words = game.announcements.words
    if result.winner is None:
        ids = ["rows", "refait" if result.refait else "equal"]
    else:
        colors = "color_wins" if result.color == "color" else "color_loses"
        ids = ["rows", f"{result.winner}_{result.color}", colors]
    said = (_in(words[id_], language) for id_ in ids)
    winner_score = scores[result.winner] if result.winner else ""
    return ", ".join(part.format(**scores, points=winner_score) for part in said)


def _in(phrase: Phrase, language: Language) -> str:
    return {"es": phrase.es, "ca": phrase.ca, "en": phrase.en}[language]


# --- the house's edge -----------------------------------------------------------------------------


def edges(game: TrenteEtQuarante) -> tuple[Edge, ...]:
    """The edge of every bet, exact for rows of independent cards; stakes without insurance, halves taken."""
    weighted = tuple(_weighted_outcomes(game))
    basis = "every card drawn from whole packs; on the refait the part given back is taken"
    return tuple(
        Edge(
            bet=bet.id,
            edge=house_edge((weight, _settled(game, bet, result)) for weight, result in weighted),
            basis=basis,
        )
        for bet in game.bets
    )


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
