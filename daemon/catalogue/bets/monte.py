"""Monte: a hand from a stream of cards, its squares and its two phases."""

from collections.abc import Sequence

from msgspec.structs import replace

from daemon.catalogue.cards import Card, parse_all, rank, suit
from daemon.catalogue.errors import RuleAbsent
from daemon.catalogue.families.monte import MATCHES, Monte, Square
from daemon.outcomes import MonteMatch, MonteOutcome

SQUARES: tuple[Square, ...] = (1, 2, 3, 4)
ROWS: tuple[tuple[Square, Square], ...] = ((1, 2), (3, 4))

_EMPTY = MonteOutcome(layout=(), laid_on=(), burnt=(), phase="laying", decided_by=())


def outcome(game: Monte, cards: Sequence[Card]) -> MonteOutcome:
    """The hand that these cards make, in the order in which they left the shoe.

    Raises RuleAbsent where the text breaks off before it says how a hand is played, and ValueError for cards
    after the hand's end.
    """
    if game.laying is None:
        clause = game.limits.clause
        raise RuleAbsent(f"{game.text} breaks off before it says how a hand of {game.id} is played", clause)
    hand, seen, since_bets = _EMPTY, set[Card](), 0
    for card in parse_all(cards, "spanish"):
        if hand.phase in ("ended", "annulled", "held"):
            raise ValueError(f"{card} came after the hand's end")
        if card in seen:
            hand = replace(hand, phase="held", reason="card_twice")
            continue
        seen.add(card)
        if hand.phase == "laying":
            hand = _lay(hand, card)
            continue
        match = match_of(game, hand, card, in_play(hand), at_once=since_bets == 0)
        since_bets += 1
        if match is not None:
            hand = _decide(hand, match)
            since_bets = 0
    return hand


# --- the squares ----------------------------------------------------------------------------------


def _lay(hand: MonteOutcome, card: Card) -> MonteOutcome:
    """One more card before the bets: burnt, laid on one of the first two, or laid on the next square."""
    ranks = [laid[0] for laid in hand.layout]
    if len(ranks) == 1 and rank(card) == ranks[0]:
        return replace(hand, layout=(), laid_on=(), burnt=(*hand.burnt, *hand.layout, card))
    if len(ranks) < 2 or rank(card) not in ranks:
        layout = (*hand.layout, card)
        phase = "first" if len(layout) == len(SQUARES) else "laying"
        return _unless_all_four(
            replace(hand, layout=layout, laid_on=(*hand.laid_on, ()), phase=phase), rank(card)
        )
    at = ranks.index(rank(card))
    if at > 1:
        return replace(hand, phase="held", reason="third_and_fourth_alike")
    laid_on = tuple((*on, card) if square == at else on for square, on in enumerate(hand.laid_on))
    return _unless_all_four(replace(hand, laid_on=laid_on), rank(card))


def _unless_all_four(hand: MonteOutcome, value: str) -> MonteOutcome:
    """The hand, or its annulment where no card of one of the first two's value is left in the pack."""
    uncovered = [*hand.layout, *hand.burnt, *(card for on in hand.laid_on for card in on)]
    if value not in [laid[0] for laid in hand.layout[:2]] or [card[0] for card in uncovered].count(value) < 4:
        return hand
    return replace(hand, phase="annulled", reason="four_of_a_value")


# --- the phases -----------------------------------------------------------------------------------


def row_of(square: int) -> tuple[Square, Square]:
    """The row in which a square lies."""
    return ROWS[0] if square in ROWS[0] else ROWS[1]


def in_play(hand: MonteOutcome) -> tuple[Square, ...]:
    """The squares whose value decides next: all of them, then the row that is left, then none."""
    if hand.phase == "first":
        return SQUARES
    if hand.phase == "second":
        return ROWS[1] if row_of(hand.decided_by[0].square) == ROWS[0] else ROWS[0]
    return ()


def match_of(
    game: Monte, hand: MonteOutcome, card: Card, squares: tuple[Square, ...], *, at_once: bool = False
) -> MonteMatch | None:
    """What a card is to those of these squares whose value it has; None where it has none's."""
    for square in squares:
        laid = Card(hand.layout[square - 1])
        if rank(laid) == rank(card):
            circle = game.circle.suits
            beyond = (circle.index(suit(card)) - circle.index(suit(laid))) % len(circle)
            return MonteMatch(card=card, square=square, match=MATCHES[beyond - 1], at_once=at_once)
    return None


def _decide(hand: MonteOutcome, match: MonteMatch) -> MonteOutcome:
    phase = "second" if hand.phase == "first" else "ended"
    return replace(hand, phase=phase, decided_by=(*hand.decided_by, match))
