"""Cards as the contract writes them: two characters, rank and suit.

French packs in English letters (`As`, `Th`, `2c`), Spanish packs in their own: ranks 1 to 7, S(ota),
C(aballo) and R(ey), suits o(ros), c(opas), e(spadas) and b(astos), as in `1o`, `Sc`, `Rb`. `2c` is a card of
both, so whoever reads a card says of which pack.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NewType

from daemon.catalogue.errors import NotACard
from daemon.catalogue.figures import is_text

Deck = Literal["french", "spanish"]

Card = NewType("Card", str)
"""A card that a pack has: made by `parse` or `pack`, never of unchecked text."""

JOKER = Card("Jk")
"""A French pack's joker, where a game is played with one: no rank and no suit."""

RANKS: Mapping[Deck, str] = {"french": "A23456789TJQK", "spanish": "1234567SCR"}
ACE_HIGH = "AKQJT98765432"
"""French ranks from the highest, where the ace is above the king."""
SUITS: Mapping[Deck, str] = {"french": "cdhs", "spanish": "oceb"}

_PACKS: Mapping[Deck, tuple[Card, ...]] = {
    deck: tuple(Card(rank + suit) for suit in SUITS[deck] for rank in RANKS[deck]) for deck in RANKS
}
_KNOWN: Mapping[Deck, frozenset[str]] = {deck: frozenset(cards) for deck, cards in _PACKS.items()}
_POINTS: Mapping[str, int] = {
    **{rank: at for at, rank in enumerate("A23456789T", 1)},
    "J": 10,
    "Q": 10,
    "K": 10,
}


def parse(code: str, deck: Deck = "french", *, jokers: bool = False) -> Card:
    """The card of this code. Raises NotACard for whatever that pack does not have, other case included."""
    if is_text(code) and code in _KNOWN[deck]:
        return Card(code)
    if jokers and deck == "french" and code == JOKER:
        return JOKER
    raise NotACard(f"{code!r:.60} is no card of a {deck} pack")


def parse_all(codes: Iterable[str] | str, deck: Deck = "french", *, jokers: bool = False) -> tuple[Card, ...]:
    """The cards of these codes, which may also stand in one string with spaces. Raises NotACard."""
    if not isinstance(codes, Iterable):
        raise NotACard(f"{codes!r:.60} are no cards of a {deck} pack")
    each = codes.split() if isinstance(codes, str) else codes
    return tuple(parse(code, deck, jokers=jokers) for code in each)


def pack(deck: Deck = "french", *, jokers: int = 0) -> tuple[Card, ...]:
    """Every card of one pack, suit by suit, with so many jokers at the end."""
    return _PACKS[deck] + (JOKER,) * jokers


def rank(card: Card) -> str:
    """The rank's letter or figure."""
    return card[0]


def suit(card: Card) -> str:
    """The suit's letter."""
    return card[1]


def color(card: Card) -> Literal["red", "black"]:
    """The colour of a French suit. Raises NotACard for a card without one."""
    if card not in _KNOWN["french"]:
        raise NotACard(f"{card!r} has no French suit")
    return "red" if card[1] in "dh" else "black"


def points(card: Card) -> int:
    """What a French card counts where figures are ten and the ace is one. Raises NotACard for any other."""
    if card not in _KNOWN["french"]:
        raise NotACard(f"{card!r} has no points")
    return _POINTS[card[0]]


def baccarat_value(card: Card) -> int:
    """What a French card counts at baccarat: tens and figures nothing, the ace one. Raises NotACard."""
    return points(card) % 10


def baccarat_total(cards: Iterable[Card]) -> int:
    """The units of the cards' sum at baccarat, 0 to 9. Raises NotACard."""
    return sum(map(baccarat_value, cards)) % 10


def blackjack_total(cards: Iterable[Card]) -> int:
    """The best sum at blackjack: one ace counts eleven where that does not pass 21. Raises NotACard."""
    held = tuple(cards)
    hard = sum(map(points, held))
    soft = any(card[0] == "A" for card in held) and hard + 10 <= 21
    return hard + 10 if soft else hard


def is_blackjack(cards: Iterable[Card]) -> bool:
    """Whether these are twenty-one with two cards. Raises NotACard."""
    held = tuple(cards)
    return len(held) == 2 and blackjack_total(held) == 21
