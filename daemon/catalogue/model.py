"""A game as a legal text has it: equipment, rules, bets, limits and words, each with its clause.

Every clause is a string of the text's id and the place in it, as the text numbers itself:
"es-1979 01.IV.3.a", "es-ct 1.IV.3.a", "es-ex 1.1.4.3.a". What a text does not say is absent (None or an
empty tuple), never a default. `daemon.catalogue.load` makes these values from the TOML files.
"""

from typing import Any, Literal

import msgspec

from daemon.catalogue.errors import RuleAbsent
from daemon.records import Effect

Language = Literal["es", "ca", "en"]
Color = Literal["red", "black", "green"]
SimpleChance = Literal["red", "black", "even", "odd", "low", "high"]
Part = Literal["number", "color", "parity", "half"]


class _Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Values as they stand in the TOML files: an unknown key is an error."""


class Ratio(msgspec.Struct, frozen=True, array_like=True):
    """So much per so much staked: ``[35, 1]`` pays 35 to 1, ``[1, 2]`` pays, or returns, a half."""

    pays: int
    per: int


# --- equipment --------------------------------------------------------------------------------


class Layout(_Data, frozen=True, kw_only=True):
    """A wheel's pockets, and how the zeros lie against the numbers on the cloth."""

    id: str
    pockets: tuple[str, ...]
    """Labels in rim order, clockwise seen from above."""
    colors: dict[str, Color]
    """The colour of every pocket by its label."""
    zero_splits: tuple[tuple[str, str], ...]
    """Pairs with a zero that share a line on the usual cloth; the others follow from the three columns."""


class PocketOrder(_Data, frozen=True, kw_only=True):
    """What a text demands of the order and colours of the numbers 1 to 36."""

    clause: str
    black_also: tuple[int, ...]
    """Black though their digits sum to an odd figure."""
    black_except: tuple[int, ...]
    """Not black though their digits sum to an even figure."""


class Wheel(_Data, frozen=True, kw_only=True):
    """The wheel that the text describes."""

    layout: str
    """Id of the layout that answers the description."""
    pockets: int
    zeros: tuple[str, ...]
    pockets_clause: str
    order: PocketOrder


# --- rules ------------------------------------------------------------------------------------


class Rule(_Data, frozen=True, kw_only=True):
    """A rule that a machine can check, as this text has it."""

    id: str
    clause: str
    effect: Effect
    """What breaking it does to the round."""
    parameters: dict[str, Any] = {}


class LimitChange(_Data, frozen=True, kw_only=True):
    """Whether a running table may change its limits. ``after_last_balls`` are announced first."""

    clause: str
    policy: Literal["forbidden", "allowed", "after_last_balls"]
    last_balls: int | None = None


class ProvisionalClosing(_Data, frozen=True, kw_only=True):
    """The table may be closed for a while: bank lidded and locked, the key with the game's director."""

    clause: str


# --- bets -------------------------------------------------------------------------------------


class Bet(_Data, frozen=True, kw_only=True):
    """A bet of the text: on how many numbers, and what it pays."""

    id: str
    kind: Literal["multiple", "simple"]
    numbers: int
    pays: Ratio
    clause: str
    sets: tuple[tuple[str, ...], ...] = ()
    """Sets of numbers that the text itself names, beside those that follow from the cloth."""


class SideBet(_Data, frozen=True, kw_only=True):
    """An additional bet whose prizes the house sets, where it is authorised."""

    id: str
    clause: str
    most: Ratio
    """The most that may be staked, as a part of the table's minimum."""


class Prison(_Data, frozen=True, kw_only=True):
    """The stake on a simple chance may stay in prison instead of half of it being given back."""

    halves_again: bool
    """Each further zero takes half of the stake's value once more."""
    below_minimum_stays: bool
    """A value below the table's minimum has no choice but to stay until it is freed."""
    last_ball_refunds: bool
    """On the session's last ball the part given back must be taken."""


class Zero(_Data, frozen=True, kw_only=True):
    """What becomes of the simple chances when a zero comes."""

    clause: str
    numbers: tuple[str, ...]
    back: Ratio
    """The part of the stake that is given back."""
    prison: Prison | None = None
    reading: str | None = None
    """Why the rule is applied where the clause does not say so in so many words."""


class Payment(_Data, frozen=True, kw_only=True):
    """The order in which winners are paid, in the groups that the text's own punctuation makes."""

    clause: str
    order: tuple[tuple[str, ...], ...]
    all_at_once: bool = False
    """A player with several winning bets is paid for all of them in one go."""


class Maximum(_Data, frozen=True, kw_only=True):
    """The most that may be staked on a bet, in multiples of the minimum; several are a choice."""

    bets: tuple[str, ...]
    times: tuple[int, ...]
    clause: str


class Limits(_Data, frozen=True, kw_only=True):
    """Limits of stakes. No maxima: the authorisation alone sets them."""

    clause: str
    """Where the minimum, or both limits, are left to the authorisation."""
    maxima: tuple[Maximum, ...] = ()
    raise_clause: str | None = None
    """Where the house may raise the maxima after telling the authority."""

    @property
    def multiples(self) -> tuple[int, ...]:
        """What a table may choose from: the multiples of the simple chances, which go first."""
        return self.maxima[0].times if self.maxima else ()


# --- words ------------------------------------------------------------------------------------


class Phrase(_Data, frozen=True, kw_only=True):
    """Words to announce. Those in the text's own language are the text's where it has a clause."""

    es: str
    ca: str
    en: str
    clause: str | None = None


class LastRounds(_Data, frozen=True, kw_only=True):
    """Words for one, two, three and ``{count}`` last balls."""

    es: tuple[str, str, str, str]
    ca: tuple[str, str, str, str]
    en: tuple[str, str, str, str]
    clause: str | None = None


class Announcements(_Data, frozen=True, kw_only=True):
    """What is said aloud at the table."""

    language: Language
    """The text's own language: words in any other are translations."""
    result_clause: str
    result_order: tuple[Part, ...]
    chances_clause: str
    chances: dict[SimpleChance, Phrase]
    zeros: dict[str, Phrase]
    betting_open: Phrase
    no_more_bets: Phrase
    void: Phrase
    last_rounds: LastRounds


# --- the game ---------------------------------------------------------------------------------


class Inheritance(_Data, frozen=True, kw_only=True):
    """The game whose rules hold for whatever this one does not say, and where the text says so."""

    game: str
    clause: str


class Game(_Data, frozen=True, kw_only=True):
    """One game under one text: all that a table needs of the law."""

    text: str
    title: str
    """The text's title."""
    id: str
    family: Literal["roulette"]
    epigraph: str
    kind: Literal["counterparty"]
    names: dict[str, str]
    """The game's name by language."""
    inherits: Inheritance | None
    layout: Layout
    wheel: Wheel
    rules: tuple[Rule, ...]
    bets: tuple[Bet, ...]
    side_bets: tuple[SideBet, ...] = ()
    zero: Zero
    payment: Payment
    limits: Limits
    limit_change: LimitChange
    provisional_closing: ProvisionalClosing | None = None
    announcements: Announcements
    hash: str
    """SHA-256, hexadecimal, over the data of the whole text file and of the layout."""


class AbsentGame(_Data, frozen=True, kw_only=True):
    """A game that this text does not have though others do, and the words that exclude it."""

    id: str
    clause: str
    reason: str


class Text(_Data, frozen=True, kw_only=True):
    """A legal text and the ids of its games."""

    id: str
    title: str
    language: Language
    games: tuple[str, ...]
    absent: tuple[AbsentGame, ...]


def find_rule(game: Game, rule_id: str) -> Rule | None:
    """The rule of this id, or None where the text does not have it."""
    return next((rule for rule in game.rules if rule.id == rule_id), None)


def clause_for(game: Game, rule_id: str) -> str:
    """The clause on which a rule rests under this text. Raises RuleAbsent."""
    rule = find_rule(game, rule_id)
    if rule is None:
        raise RuleAbsent(f"{game.text} has no rule {rule_id!r} for {game.id}")
    return rule.clause
