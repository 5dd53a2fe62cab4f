"""Games dealt by a plan: from the cards of a hand to what is published of it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from daemon.catalogue.bets.deal import plays, settle_cards, settle_hands, settle_table, settle_two_cards
from daemon.catalogue.bets.poker_hands import PokerHand, best, best_of
from daemon.catalogue.bets.settlement import Settled, result_of
from daemon.catalogue.cards import Card, parse_all, rank
from daemon.catalogue.families.circle_poker import CirclePoker
from daemon.catalogue.families.deal import BankDeal, DealBet, DealtGame, Place, cards_due
from daemon.catalogue.rules.deal import Annulled
from daemon.outcomes import DealOutcome, DealtHand, RankedHand

NOBODY = Annulled(everybody=False, seats=(), unknown=False)

Cards = tuple[Card, ...]


def against_bank(game: BankDeal, hands: Iterable[DealtHand], annulled: Annulled = NOBODY) -> DealOutcome:
    """A hand against the bank: every hand's worth, and every bet at every seat that is not annulled.

    Bets are settled as far as the cards are there. Raises NotACard for a card that the pack does not have.
    """
    dealt = tuple(hands)
    shared, bank, players = _split(dealt)
    made = {seat: _made(game, "player", cards, shared) for seat, cards in players.items()}
    compared = any(bet.against == "bank" and bet.on == "hand" for bet in game.bets)
    bank_made = _made(game, "bank", bank, shared) if compared else None
    bank_plays = None if bank_made is None else plays(bank_made, game.qualification, game.ranks)
    settled = (
        (seat, one)
        for seat, cards in players.items()
        if not annulled.everybody and seat not in annulled.seats
        for bet in game.bets
        if (one := _settled(game, bet, _Seat(cards, bank, shared, made[seat], bank_made))) is not None
    )
    return DealOutcome(
        hands=dealt,
        ranks=tuple(_ranked(made, bank_made)),
        annulled="all" if annulled.everybody else annulled.seats,
        bank_plays=bank_plays,
        bets=tuple(result_of(one, () if seat is None else (str(seat),)) for seat, one in settled),
    )


def among_players(
    game: CirclePoker, hands: Iterable[DealtHand], annulled: Annulled = NOBODY, *, stripped: bool = False
) -> DealOutcome:
    """A hand for a pot: every player's worth, and who has the highest of those that are not annulled.

    `stripped` where fewer cards than a whole pack are played with by choice. Raises NotACard.
    """
    dealt = tuple(hands)
    shared, _, players = _split(dealt)
    made = {seat: _circle_hand(game, cards, shared, stripped) for seat, cards in players.items()}
    strengths = {
        seat: hand.strength
        for seat, hand in made.items()
        if hand is not None and not annulled.everybody and seat not in annulled.seats
    }
    highest = max(strengths.values(), default=None)
    return DealOutcome(
        hands=dealt,
        ranks=tuple(_ranked(made, None)),
        annulled="all" if annulled.everybody else annulled.seats,
        winners=tuple(
            seat for seat, strength in strengths.items() if seat is not None and strength == highest
        ),
    )


class _Seat(NamedTuple):
    """What one seat's bets are settled by."""

    own: Cards
    bank: Cards
    shared: Cards
    hand: PokerHand | None
    bank_hand: PokerHand | None


def _split(hands: Iterable[DealtHand]) -> tuple[Cards, Cards, dict[int | None, Cards]]:
    """The common cards, the bank's, and every seat's."""
    shared: Cards = ()
    bank: Cards = ()
    players: dict[int | None, Cards] = {}
    for hand in hands:
        cards = parse_all(hand.cards)
        if hand.place == "common":
            shared = cards
        elif hand.place == "bank":
            bank = cards
        else:
            players[hand.seat] = cards
    return shared, bank, players


def _complete(game: DealtGame, place: Place, own: Cards, shared: Cards) -> bool:
    """Whether all cards that the plan deals to a hand are there."""
    plan, last, in_common = game.deal, game.deal.phases[-1], bool(shared)
    due = cards_due(plan, place, last, in_common=in_common) or 0
    common = cards_due(plan, "common", last, in_common=in_common) or 0
    return len(own) >= due and len(shared) >= common and len(own) + len(shared) >= game.ranks.cards


def _made(game: BankDeal, place: Place, own: Cards, shared: Cards) -> PokerHand | None:
    if not game.ranks.order or not _complete(game, place, own, shared):
        return None
    return best((*own, *shared), game.ranks)


def _circle_hand(game: CirclePoker, own: Cards, shared: Cards, stripped: bool) -> PokerHand | None:
    if not _complete(game, "player", own, shared):
        return None
    use = game.hand_use
    if use is None or use.own is None:
        return best((*own, *shared), game.ranks, stripped=stripped)
    return best_of(own, shared, game.ranks, use=use.own, stripped=stripped)


def _settled(game: BankDeal, bet: DealBet, seat: _Seat) -> Settled | None:
    """What becomes of one bet, or None as long as what decides it is not there."""
    if bet.on == "points" or (bet.against == "table" and not bet.table):
        return None
    if bet.on == "first_two":
        return _by_two_cards(bet, seat)
    if bet.on == "first_five":
        if len(seat.own) < 2 or len(seat.shared) < 3:
            return None
        return settle_table(game, bet, best((*seat.own[:2], *seat.shared[:3]), game.ranks))
    if bet.on in ("first_card", "second_card"):
        return _by_one_card(game, bet, seat)
    if seat.hand is None:
        return None
    if bet.against == "table":
        return settle_table(game, bet, seat.hand)
    return None if seat.bank_hand is None else settle_hands(game, bet, seat.hand, seat.bank_hand)


def _by_one_card(game: BankDeal, bet: DealBet, seat: _Seat) -> Settled | None:
    at = 0 if bet.on == "first_card" else 1
    if len(seat.own) <= at or len(seat.bank) <= at:
        return None
    settled = settle_cards(game, bet, seat.own[at], seat.bank[at])
    other = next((other for other in game.bets if other.id == bet.tie_follows), None)
    if other is None or rank(seat.own[at]) != rank(seat.bank[at]):
        return settled
    decided = _by_one_card(game, other, seat)
    if decided is None:
        return settled
    return Settled(bet=bet.id, fate="stands" if decided.fate == "wins" else "loses", clause=bet.clause)


def _by_two_cards(bet: DealBet, seat: _Seat) -> Settled | None:
    if len(seat.own) < 2 or len(seat.bank) < 2:
        return None
    return settle_two_cards(bet, (seat.own[0], seat.own[1]), (seat.bank[0], seat.bank[1]))


def _ranked(made: dict[int | None, PokerHand | None], bank: PokerHand | None) -> Iterator[RankedHand]:
    for seat, hand in made.items():
        if hand is not None:
            yield RankedHand(place="player", seat=seat, hand=hand.hand, ranks=hand.ranks)
    if bank is not None:
        yield RankedHand(place="bank", hand=bank.hand, ranks=bank.ranks)
