"""Games dealt by a plan against the bank: what becomes of each bet, and the house's edge where none decides.

A bet against the bank is settled by two hands, one by a table of pays by the player's own cards. Bets whose
fate hangs on a player's decisions have no edge here.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import comb

from daemon.catalogue.bets.poker_hands import PokerHand, hand_counts, place
from daemon.catalogue.bets.settlement import Edge, Settled, house_edge
from daemon.catalogue.cards import ACE_HIGH, Card, pack, parse, rank, suit
from daemon.catalogue.families.deal import BankDeal, DealBet, HandRank, Qualification, Ranks
from daemon.catalogue.model import PayLine, Ratio

NOT_SAID = "the clause says nothing of this bet; it is left as it is"
UNPAID = "it wins, but nothing is paid for this hand"

_PAIRS = {"pair_of_aces": "A", "pair_of_queens_or_better": "Q", "pair_of_jacks_or_better": "J"}


def covers(when: str, hand: PokerHand, ranks: Ranks) -> bool:
    """Whether a line of pays is this hand's. Lines on two cards or on one cover no hand."""

    def at(kind: HandRank) -> int:
        return place(kind, ranks.order)

    if when == hand.hand:
        return True
    if when in _PAIRS:
        return hand.hand == "pair" and _reaches(hand.ranks[0], _PAIRS[when], ranks)
    if when == "flush_or_better":
        return at(hand.hand) <= at("flush")
    if when == "straight_or_better":
        return at(hand.hand) <= at("straight")
    if when == "straight_or_less":
        return at(hand.hand) >= at("straight")
    if when == "pair_of_aces_to_straight":
        above = at("straight") <= at(hand.hand) < at("pair")
        return above or covers("pair_of_aces", hand, ranks)
    return False


def _reaches(rank_: str, least: str, ranks: Ranks) -> bool:
    return ranks.card_order.index(rank_) <= ranks.card_order.index(least)


def plays(bank: PokerHand, qualification: Qualification | None, ranks: Ranks) -> bool:
    """Whether the bank has what it needs to play; it always has where the text asks for nothing."""
    if qualification is None or qualification.hand is None:
        return True
    needed, has = place(qualification.hand, ranks.order), place(bank.hand, ranks.order)
    if has != needed:
        return has < needed
    least = [-ranks.card_order.index(card) for card in dict.fromkeys(qualification.cards)]
    return [-ranks.card_order.index(card) for card in bank.ranks][: len(least)] >= least


# --- what becomes of a bet --------------------------------------------------------------------


def settle_hands(game: BankDeal, bet: DealBet, player: PokerHand, bank: PokerHand) -> Settled:
    """What becomes of a bet against the bank when the hands of who did not fold are compared."""
    line = next((line for line in bet.table if covers(line.when, player, game.ranks)), None)
    if not plays(bank, game.qualification, game.ranks):
        assert game.qualification is not None
        clause, fate = game.qualification.clause, game.qualification.otherwise.get(bet.id)
        if fate == "wins":
            return _won(bet, line)
        return Settled(bet=bet.id, fate="stands", clause=clause, note=None if fate else NOT_SAID)
    if player.strength > bank.strength:
        return _won(bet, line)
    return _tied(bet, line) if player.strength == bank.strength else _lost(bet)


def settle_cards(game: BankDeal, bet: DealBet, player: Card, bank: Card) -> Settled:
    """What becomes of a bet of a game in which one card of each decides. Raises NotACard."""
    order = game.ranks.card_order
    difference = order.index(rank(parse(bank))) - order.index(rank(parse(player)))
    when = "equal_cards" if difference == 0 else "higher_card" if difference > 0 else "lower_card"
    line = next((line for line in bet.table if line.when == when), None)
    if bet.table:
        return _won(bet, line) if line else _lost(bet)
    return _won(bet, None) if difference > 0 else _lost(bet) if difference < 0 else _tied(bet, None)


def settle_table(game: BankDeal, bet: DealBet, hand: PokerHand) -> Settled:
    """What becomes of a bet on a table of pays; one without a stake of its own stands if it does not win."""
    line = next((line for line in bet.table if covers(line.when, hand, game.ranks)), None)
    return _won(bet, line) if line else _lost(bet)


def settle_two_cards(bet: DealBet, own: tuple[Card, Card], bank: tuple[Card, Card]) -> Settled:
    """What becomes of a bet on a player's own two cards, whose highest line asks for the bank's too."""
    names = set(_two_cards(own, bank))
    line = next((line for line in bet.table if line.when in names), None)
    return _won(bet, line) if line else _lost(bet)


def _two_cards(own: tuple[Card, Card], bank: tuple[Card, Card]) -> Iterator[str]:
    """The lines that two cards are on."""
    first, second = sorted(map(rank, own), key=ACE_HIGH.index)
    suited = "suited" if suit(own[0]) == suit(own[1]) else "offsuit"
    if first == second == "A":
        yield "aces"
        if rank(bank[0]) == rank(bank[1]) == "A":
            yield "aces_against_aces"
    elif first == second:
        yield "pair_of_jacks_to_kings" if first in "KQJ" else "pair_of_twos_to_tens"
    elif first == "A" and second == "K":
        yield f"ace_king_{suited}"
    elif first == "A" and second in "QJ":
        yield f"ace_queen_or_jack_{suited}"


def _won(bet: DealBet, line: PayLine | None) -> Settled:
    pays = bet.pays if line is None else line.pays
    clause = bet.clause if line is None or line.clause is None else line.clause
    if pays is None:
        return Settled(bet=bet.id, fate="stands", clause=clause, note=UNPAID)
    return Settled(bet=bet.id, fate="wins", pays=pays, clause=clause)


def _tied(bet: DealBet, line: PayLine | None) -> Settled:
    clause = bet.tie_clause or bet.clause
    if bet.tie == "wins":
        return _won(bet, line)
    if bet.tie == "half_lost":
        return Settled(bet=bet.id, fate="loses", back=Ratio(1, 2), clause=clause)
    return Settled(bet=bet.id, fate="stands", clause=clause, note=None if bet.tie else NOT_SAID)


def _lost(bet: DealBet) -> Settled:
    return Settled(bet=bet.id, fate="stands" if bet.free else "loses", clause=bet.clause)


# --- the house's edge -------------------------------------------------------------------------

_FIRST_CARDS: Mapping[str, int] = {"insurance": 5, "third_bet": 5, "fortune": 3, "texas_bonus": 5}
"""Bets that nothing but the first cards decides, once they are made: so many, a common one as good as any."""
_BASIS: Mapping[str, str] = {
    "texas_bonus": "nobody folds who would win it",
    "third_bet": "this bet by itself; the ace is not the lowest card, of which the text says nothing",
}


def edges(game: BankDeal) -> tuple[Edge, ...]:
    """The edges of bets that the first cards decide alone; of a tie of two cards one by number of packs."""
    return tuple(edge for bet in game.bets for edge in _edges(game, bet))


def _edges(game: BankDeal, bet: DealBet) -> Iterator[Edge]:
    if bet.id in _FIRST_CARDS:
        weighted = [
            (weight, settle_table(game, bet, hand)) for weight, hand in _dealt(_FIRST_CARDS[bet.id], game)
        ]
        yield Edge(bet=bet.id, edge=house_edge(weighted), basis=_BASIS.get(bet.id))
    elif bet.id == "bonus":
        yield Edge(bet=bet.id, edge=house_edge(_two_card_chances(bet)))
    elif bet.id == "tie":
        for packs in range(game.packs.least, game.packs.most + 1):
            equal, unequal = 4 * packs - 1, 48 * packs
            weighted = [
                (equal, settle_cards(game, bet, _ACE, _ACE)),
                (unequal, settle_cards(game, bet, _ACE, _KING)),
            ]
            yield Edge(
                bet=bet.id, place=(str(packs),), edge=house_edge(weighted), basis="by the number of packs"
            )


_ACE, _KING = parse("As"), parse("Ks")


def _dealt(cards: int, game: BankDeal) -> Iterator[tuple[int | Fraction, PokerHand]]:
    """Every kind of hand of so many cards with its weight, pairs by their rank."""
    for kind, count in hand_counts(cards, ace_low=bool(game.ranks.ace_low)).items():
        tops = game.ranks.card_order if kind == "pair" else ("",)
        for top in tops:
            yield Fraction(count, len(tops)), PokerHand(hand=kind, ranks=(top,), strength=())


def _two_card_chances(bet: DealBet) -> Iterator[tuple[int | Fraction, Settled]]:
    """Every two cards of one pack; two aces once against the other two, else against two that are not."""
    others = comb(50, 2)
    aces = tuple(card for card in pack() if rank(card) == "A")
    kings = (_KING, parse("Kh"))
    for first, second in combinations(pack(), 2):
        own = (first, second)
        left = [ace for ace in aces if ace not in own]
        if len(left) == 2:
            yield 1, settle_two_cards(bet, own, (left[0], left[1]))
        yield others - (len(left) == 2), settle_two_cards(bet, own, kings)
