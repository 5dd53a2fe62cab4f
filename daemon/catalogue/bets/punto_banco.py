"""Punto y banca: a hand out of a stream of cards, what it does to the bets, and exact chances.

The chances are counted over the values of cards, without replacement, from a whole shoe.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement

import msgspec

from daemon.catalogue.bets import baccarat
from daemon.catalogue.bets.baccarat import Coup, bank_actions, deal, player_actions
from daemon.catalogue.bets.settlement import Edge, Settled, house_edge
from daemon.catalogue.cards import Card, baccarat_value, pack
from daemon.catalogue.errors import TermsRefused
from daemon.catalogue.families.baccarat import Drawing
from daemon.catalogue.families.punto_banco import BankTerms, PuntoBanco
from daemon.catalogue.figures import is_whole
from daemon.catalogue.model import Bet, Ratio
from daemon.outcomes import BaccaratOutcome, BaccaratWinner

EVEN = Ratio(1, 1)
_PAIRS = tuple(combinations_with_replacement(range(10), 2))
"""Every two values that two cards can have."""

Totals = tuple[int, int]
"""The player's and the bank's."""


class Chances(msgspec.Struct, frozen=True, kw_only=True):
    """How often each comes out of a whole shoe."""

    packs: int
    player: Fraction
    bank: Fraction
    tie: Fraction
    bank_on_six: Fraction
    """The bank wins with a total of six."""


def hands(game: PuntoBanco, cards: Sequence[Card]) -> Coup:
    """Whose the cards are, in the order in which they left the shoe, and what is still to come."""
    return deal(game.deal, game.drawing, cards)


def outcome(game: PuntoBanco, coup: Coup) -> BaccaratOutcome | None:
    """The outcome of a complete hand, None while a card is still to come. Cards too many do not count."""
    if coup.awaits is not None:
        return None
    return baccarat.outcome(game.drawing, coup.hands["player"], coup.hands["bank"])


# --- bets -------------------------------------------------------------------------------------------


def settle(game: PuntoBanco, result: BaccaratOutcome, terms: str | None = None) -> tuple[Settled, ...]:
    """What an outcome does to each of the text's bets. `terms` is the id of those on which the bank is paid.

    None takes the text's first. Raises TermsRefused for terms that the text does not have.
    """
    chosen = _terms(game, terms)
    return tuple(_settled(bet, result.winner, result.bank_total, chosen) for bet in game.bets)


def _settled(bet: Bet, winner: BaccaratWinner, bank_total: int, terms: BankTerms) -> Settled:
    if winner == bet.id:
        pays, clause = bet.pays or EVEN, bet.clause
        if bet.id == "bank":
            pays, clause = _bank_pays(pays, bank_total, terms), terms.clause
        return Settled(bet=bet.id, fate="wins", pays=pays, clause=clause)
    return Settled(bet=bet.id, fate="stands" if winner == "tie" else "loses", clause=bet.clause)


def _bank_pays(pays: Ratio, total: int, terms: BankTerms) -> Ratio:
    if terms.total is not None:
        return terms.pays if terms.pays and total == terms.total else pays
    assert terms.deduction is not None
    return Ratio.of(pays.fraction * (1 - terms.deduction.fraction))


def _terms(game: PuntoBanco, terms: str | None) -> BankTerms:
    found = next((each for each in game.bank_terms if terms in (None, each.id)), None)
    if found is None:
        known = ", ".join(each.id for each in game.bank_terms)
        raise TermsRefused(f"{game.text} does not pay the bank by {terms!r}; it has: {known}")
    return found


# --- chances ------------------------------------------------------------------------------------------


def chances(game: PuntoBanco, packs: int) -> Chances:
    """How often player, bank and tie come from a whole shoe of so many packs, exactly.

    Raises ValueError below one pack.
    """
    if not is_whole(packs, 1):
        raise ValueError(f"{packs!r:.60} packs are no shoe")
    weights = totals_by_weight(game.drawing, packs)
    every = sum(weights.values())

    def part(wanted: Iterator[int]) -> Fraction:
        return Fraction(sum(wanted), every)

    return Chances(
        packs=packs,
        player=part(weight for (player, bank), weight in weights.items() if player > bank),
        bank=part(weight for (player, bank), weight in weights.items() if player < bank),
        tie=part(weight for (player, bank), weight in weights.items() if player == bank),
        bank_on_six=part(weight for (player, bank), weight in weights.items() if player < bank == 6),
    )


def edges(game: PuntoBanco) -> tuple[Edge, ...]:
    """The house edge of every bet from a whole shoe of the text's fewest packs, the bank's on all terms."""
    packs = game.packs.least
    weights = totals_by_weight(game.drawing, packs)
    found = []
    for bet in game.bets:
        for terms in game.bank_terms if bet.id == "bank" else game.bank_terms[:1]:
            settled = (
                (weight, _settled(bet, _higher(totals), totals[1], terms))
                for totals, weight in weights.items()
            )
            place = (terms.id,) if bet.id == "bank" else ()
            basis = f"a whole shoe of {packs} packs, ties not counted as decided for player and bank"
            found.append(Edge(bet=bet.id, place=place, edge=house_edge(settled), basis=basis))
    return tuple(found)


def _higher(totals: Totals) -> BaccaratWinner:
    player, bank = totals
    return "player" if player > bank else "bank" if player < bank else "tie"


@lru_cache(maxsize=8)
def totals_by_weight(drawing: Drawing, packs: int) -> Mapping[Totals, int]:
    """Every pair of final totals and in how many of the orders of six cards it comes."""
    values = Counter(baccarat_value(card) for card in pack())
    shoe = [values[value] * packs for value in range(10)]
    weights: Counter[Totals] = Counter()
    for player in _PAIRS:
        after_player = _without(shoe, player)
        for bank in _PAIRS:
            ways = _orders(shoe, player) * _orders(after_player, bank)
            left = _without(after_player, bank)
            for totals, further in _third_cards(drawing, sum(player) % 10, sum(bank) % 10, left):
                weights[totals] += ways * further
    return dict(weights)


def _orders(left: Sequence[int], pair: tuple[int, int]) -> int:
    """In how many orders two cards of these values can come."""
    one, other = pair
    return left[one] * (left[one] - 1) if one == other else 2 * left[one] * left[other]


def _without(left: Sequence[int], pair: tuple[int, int]) -> list[int]:
    return [count - pair.count(value) for value, count in enumerate(left)]


def _third_cards(
    drawing: Drawing, player: int, bank: int, left: Sequence[int]
) -> Iterator[tuple[Totals, int]]:
    """The final totals after two cards each, with the orders of two further cards that lead there."""
    cards = sum(left)
    whole = cards * (cards - 1)
    if player in drawing.naturals.totals or bank in drawing.naturals.totals:
        yield (player, bank), whole
    elif player_actions(drawing, player) == ("stand",):
        if bank_actions(drawing, bank, None) == ("stand",):
            yield (player, bank), whole
        else:
            for value in range(10):
                yield (player, (bank + value) % 10), left[value] * (cards - 1)
    else:
        for third in range(10):
            after = (player + third) % 10
            if bank_actions(drawing, bank, third) == ("stand",):
                yield (after, bank), left[third] * (cards - 1)
                continue
            for value in range(10):
                yield (after, (bank + value) % 10), left[third] * (left[value] - (value == third))
