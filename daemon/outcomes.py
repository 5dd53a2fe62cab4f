"""What a round gives, a class for each family of games: the `outcome` of the contract's round records.

Labels are strings ("0", "00"), also where they look like numbers. The JSON has no tag: an outcome is told by
its fields, so every class of `OUTCOMES` needs fields that no other has.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec


class WheelOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Where the ball came to rest. Zero is a number, but it is in none of the chances."""

    number: str
    color: Literal["red", "black", "green"]
    parity: Literal["even", "odd"] | None
    half: Literal["low", "high"] | None
    dozen: Literal[1, 2, 3] | None
    column: Literal[1, 2, 3] | None


class FrenchBankOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What three dice are at French bank. A sum that is in no chance decides nothing."""

    dice: tuple[int, ...]
    total: int
    chance: Literal["aces", "small", "big"] | None
    decides: bool
    losers_stand: bool
    """The dice were touched before the announcement: winners are paid and nobody loses."""


class BouleOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """In which hole of the boule the ball came to rest. The five is a number, but it is in no chance."""

    number: str
    hole: int | None
    """Which of the holes, counted from 1 in the layout's order; None where only the number was seen."""
    color: Literal["red", "black", "yellow"]
    parity: Literal["even", "odd"] | None
    half: Literal["low", "high"] | None


class FortuneWheelOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """In which segment the fortune wheel came to rest."""

    segment: int | None
    """Counted from 1, in the order of the table's own wheel; None where only the symbol was seen."""
    symbol: str
    pays: tuple[int, int] | None
    """So much to so much staked on the symbol; None where the text does not say."""


class BetResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a result does to one bet at one place. A stake that stands may be taken back."""

    bet: str
    place: tuple[str, ...] = ()
    """What was bet on, where the bet has several places."""
    fate: Literal["wins", "loses", "stands"]
    pays: tuple[int, int] | None = None
    """So much per so much staked, where it wins."""
    back: tuple[int, int] | None = None
    """The part of a lost stake that is given back all the same."""
    clause: str


class SicBoOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What three dice are at sic bo, and the bets that they win; all others lose."""

    dice: tuple[int, ...]
    total: int
    triple: bool
    bets: tuple[BetResult, ...]
    """Without a pay where the text does not say what it is."""


class CrapsOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A throw of craps. Bets that are not decided yet are not listed."""

    dice: tuple[int, int]
    total: int
    come_out: bool
    """It was a come-out roll: there was no point."""
    thrown_for: int | None
    """The point that there was."""
    point: int | None
    """The point that there is now; None when the next throw is a come-out roll."""
    seven_out: bool
    """The seven that loses: the dice change hands."""
    bets: tuple[BetResult, ...]


class TrenteEtQuaranteOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The two rows, and which won. Rows of one total have no winner, and no colour or inverse."""

    black: tuple[str, ...]
    red: tuple[str, ...]
    black_total: int
    red_total: int
    winner: Literal["black", "red"] | None
    color: Literal["color", "inverse"] | None
    """Whether the winning row is of the colour of the black row's first card."""
    refait: bool
    """Both rows at the total that takes from all stakes."""


BaccaratWinner = Literal["player", "bank", "tie"]


class BaccaratOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A hand of punto y banca or chemin de fer. Totals are the units of the cards' sums."""

    player: tuple[str, ...]
    bank: tuple[str, ...]
    player_total: int
    bank_total: int
    winner: BaccaratWinner
    natural: bool
    """At least one of the hands was a natural."""


class TwoTableauxOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A hand of baccarat with two tableaux: the bank against each. A winning tableau's word is "player"."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    bank: tuple[str, ...]
    first_total: int
    second_total: int
    bank_total: int
    first_winner: BaccaratWinner
    second_winner: BaccaratWinner
    natural: bool
    """At least one of the three hands was a natural."""


class StartOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What three dice are at the pai gows: who gets the first hand, and how it goes round from there."""

    dice: tuple[int, ...]
    total: int
    start: str
    """The position's name, counted from the bank's."""
    order: tuple[str, ...]
    """All positions in the order in which they get their hands."""


class DealtHand(msgspec.Struct, frozen=True, kw_only=True):
    """The cards of one hand, or those that all hands share, in the order in which they were dealt."""

    place: Literal["player", "bank", "common"]
    seat: int | None = None
    cards: tuple[str, ...]


class RankedHand(msgspec.Struct, frozen=True, kw_only=True):
    """What a hand is worth."""

    place: Literal["player", "bank"]
    seat: int | None = None
    hand: str
    """The kind of hand, as the game's order of hands has it."""
    ranks: tuple[str, ...]
    """The ranks that tell it from others of its kind, the weightiest first."""


class DealOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A hand dealt by a plan: what was dealt, what it is worth, and whose hands were annulled."""

    hands: tuple[DealtHand, ...]
    ranks: tuple[RankedHand, ...]
    """Of hands whose cards are all there; none in games in which one card decides."""
    annulled: Literal["all"] | tuple[int, ...]
    """Everybody's hand, or those of these seats."""
    bank_plays: bool | None = None
    """Whether the bank has what it needs to play, once its hand is known."""
    bets: tuple[BetResult, ...] = ()
    """What becomes of each bet at each seat, for whoever made it and did not fold."""
    winners: tuple[int, ...] = ()
    """The seats with the highest hand, among players who play for a pot."""


class MonteMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The card that decided a phase, and which laid card it matches."""

    card: str
    square: Literal[1, 2, 3, 4]
    match: Literal["camo", "anti", "viudo"]
    at_once: bool
    """It was the first card after the bets."""


class MonteOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A hand of monte as far as its cards go. Squares 1 and 2 are the upper row, 3 and 4 lie below them."""

    layout: tuple[str, ...]
    laid_on: tuple[tuple[str, ...], ...]
    """The cards that double or triple each square's card."""
    burnt: tuple[str, ...]
    phase: Literal["laying", "first", "second", "ended", "annulled", "held"]
    """What the hand waits for: cards to lay, the first or second phase's deciding card; or how it ended."""
    decided_by: tuple[MonteMatch, ...]
    """A card for each phase that is over."""
    reason: Literal["four_of_a_value", "third_and_fourth_alike", "card_twice"] | None = None
    """Why it is annulled, or held for the inspector."""


Outcome = WheelOutcome | BouleOutcome | FortuneWheelOutcome
"""What a round gives, by the family of its game."""
OUTCOMES: tuple[type[Outcome], ...] = (WheelOutcome, BouleOutcome, FortuneWheelOutcome)

_REQUIRED = {
    kind: {field.name for field in msgspec.structs.fields(kind) if field.required} for kind in OUTCOMES
}


def outcome_of(data: Mapping[str, Any]) -> Outcome:
    """An outcome from its JSON's object, told by its fields. Raises ValueError, msgspec.ValidationError."""
    fits = [kind for kind, fields in _REQUIRED.items() if fields <= data.keys()]
    if len(fits) != 1:
        raise ValueError("no family of games has an outcome of these fields")
    return msgspec.convert(data, fits[0])


def label_of(outcome: Outcome) -> str:
    """What an outcome is counted as and goes by: the number, at a fortune wheel the symbol."""
    return outcome.symbol if isinstance(outcome, FortuneWheelOutcome) else outcome.number
