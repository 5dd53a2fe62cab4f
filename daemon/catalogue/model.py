"""A game as a legal text has it: equipment, rules, bets, limits and words, each with its clause.

Every clause is a string of the text's id and the place in it, as the text numbers itself:
"es-1979 01.IV.3.a", "es-ct 1.IV.3.a", "es-ex 1.1.4.3.a". What a text does not say is absent (None or an
empty tuple), never a default. `daemon.catalogue.load` makes these values from the TOML files.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, TypeVar

import msgspec

from daemon.catalogue.errors import NoWords, RuleAbsent
from daemon.records import Effect

W = TypeVar("W")
Language = Literal["es", "ca", "en"]
"""What is announced at a table."""
Direction = Literal["clockwise", "counter_clockwise"]
"""The ways round a table, seen from above."""
TextLanguage = Literal["es", "ca", "en", "fr", "pt"]
"""What a text is written in."""


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Values as they stand in the TOML files: an unknown key is an error."""


class Ratio(msgspec.Struct, frozen=True, array_like=True):
    """So much per so much staked: ``[35, 1]`` pays 35 to 1, ``[1, 2]`` pays, or returns, a half."""

    pays: int
    per: int

    @classmethod
    def of(cls, fraction: Fraction) -> "Ratio":
        """The ratio of so much of the stake, in its lowest terms."""
        return cls(fraction.numerator, fraction.denominator)

    @property
    def fraction(self) -> Fraction:
        """So much of the stake."""
        return Fraction(self.pays, self.per)


# --- rules ------------------------------------------------------------------------------------


class Rule(Data, frozen=True, kw_only=True):
    """A rule that a machine can check, as this text has it."""

    id: str
    clause: str
    effect: Effect
    """What breaking it does to the round."""
    parameters: dict[str, Any] = {}


class LimitChange(Data, frozen=True, kw_only=True):
    """Whether a running table may change its limits. ``after_last_balls`` are announced first."""

    clause: str
    policy: Literal["forbidden", "allowed", "after_last_balls"]
    last_balls: int | None = None


class ProvisionalClosing(Data, frozen=True, kw_only=True):
    """The table may be closed for a while: bank lidded and locked, the key with the game's director."""

    clause: str


class ClosingRounds(Data, frozen=True, kw_only=True):
    """The last rounds that are announced before a table is closed."""

    clause: str
    count: int
    announced_by: str | None = None
    """The role that announces them, where the text says."""


# --- bets -------------------------------------------------------------------------------------


class PayLine(Data, frozen=True, kw_only=True):
    """One line of a bet's own table of pays: what has to come, as an id that the game's bets know."""

    when: str
    pays: Ratio
    clause: str | None = None
    """Where it differs from the bet's."""
    misprint: str | None = None
    """Why the figure, kept as printed, looks wrong."""


class Bet(Data, frozen=True, kw_only=True):
    """A bet of the text and what it pays: one ratio, or a table by what comes."""

    id: str
    clause: str
    names: dict[str, str] = {}
    """By language; where the text has a word of its own, in its language it is that."""
    pays: Ratio | None = None
    table: tuple[PayLine, ...] = ()
    misprint: str | None = None
    """Why the pay, kept as printed, looks wrong."""


class SideBet(Data, frozen=True, kw_only=True):
    """An additional bet whose prizes the house sets, where it is authorised."""

    id: str
    clause: str
    most: Ratio
    """The most that may be staked, as a part of the table's minimum."""


class Payment(Data, frozen=True, kw_only=True):
    """The order in which winners are paid, in the groups that the text's own punctuation makes."""

    clause: str
    order: tuple[tuple[str, ...], ...]
    all_at_once: bool = False
    """A player with several winning bets is paid for all of them in one go."""


class Maximum(Data, frozen=True, kw_only=True):
    """The most that may be staked on a bet, in multiples of the minimum; several are a choice."""

    bets: tuple[str, ...]
    times: tuple[int, ...]
    clause: str


class Band(Data, frozen=True, kw_only=True):
    """Between which multiples of the minimum the authorisation sets the most that may be staked on a bet."""

    bets: tuple[str, ...]
    least: int
    most: int
    clause: str


class Limits(Data, frozen=True, kw_only=True):
    """Limits of stakes. No maxima: the authorisation alone sets them, within the bands if there are any."""

    clause: str
    """Where the minimum, or both limits, are left to the authorisation."""
    maxima: tuple[Maximum, ...] = ()
    bands: tuple[Band, ...] = ()
    least: int | None = None
    """The least that a table's minimum may be, in currency units, where a house says so."""
    least_clause: str | None = None
    raise_clause: str | None = None
    """Where the house may raise the maxima after telling the authority."""
    stakes_in_multiples_clause: str | None = None
    """Where the house may have stakes in multiples of the minimum only."""

    @property
    def multiples(self) -> tuple[int, ...]:
        """What a table may choose from: the multiples of the simple chances, which go first."""
        return self.maxima[0].times if self.maxima else ()


# --- words ------------------------------------------------------------------------------------


def _said(language: Language, words: Mapping[str, W]) -> W:
    """The words in one language. Raises NoWords for any other."""
    if language not in words:
        raise NoWords(f"nothing is announced in {language!r:.60}")
    return words[language]


class Phrase(Data, frozen=True, kw_only=True):
    """Words to announce. Those in the text's own language are the text's where it has a clause."""

    es: str
    ca: str
    en: str
    clause: str | None = None

    def said_in(self, language: Language) -> str:
        """The words in one language. Raises NoWords for any other."""
        return _said(language, {"es": self.es, "ca": self.ca, "en": self.en})


class LastRounds(Data, frozen=True, kw_only=True):
    """Words for one, two, three and ``{count}`` last balls."""

    es: tuple[str, str, str, str]
    ca: tuple[str, str, str, str]
    en: tuple[str, str, str, str]
    clause: str | None = None

    def said_in(self, language: Language) -> tuple[str, str, str, str]:
        """The words in one language. Raises NoWords for any other."""
        return _said(language, {"es": self.es, "ca": self.ca, "en": self.en})


class Announcements(Data, frozen=True, kw_only=True):
    """What is said aloud at the table."""

    language: TextLanguage
    """The text's own language: words in any other are translations."""
    result_clause: str | None = None
    """Where the text says how a result is announced."""
    result_order: tuple[str, ...] = ()
    """The parts of a result in the order in which they are said."""
    words: dict[str, Phrase] = {}
    """What a result is made of, and other words of the game, by id."""
    betting_open: Phrase
    no_more_bets: Phrase
    void: Phrase
    last_rounds: LastRounds


# --- people and places -----------------------------------------------------------------------


class Seats(Data, frozen=True, kw_only=True):
    """How many players may sit or play; None where the text leaves that end open."""

    least: int | None = None
    most: int | None = None
    clause: str


class Staff(Data, frozen=True, kw_only=True):
    """Somebody who serves the table, where a device or a command depends on it."""

    role: str
    """inspector, table_chief, croupier, thrower, changer, …"""
    least: int = 1
    most: int | None = None
    tables: int | None = None
    """For how many tables at most one of them may serve."""
    adjoining_tables: int | None = None
    """For how many, where they lie side by side."""
    clause: str


# --- the game ---------------------------------------------------------------------------------


class Inheritance(Data, frozen=True, kw_only=True):
    """The game whose rules hold for whatever this one does not say, and where the text says so."""

    game: str
    clause: str


class Note(Data, frozen=True, kw_only=True):
    """What a reader of the text should know: how an open wording is taken, what is misprinted or missing."""

    kind: Literal["reading", "misprint", "missing"]
    clause: str
    text: str


class Game(Data, frozen=True, kw_only=True, tag_field="family"):
    """One game under one text: all that a table needs of the law. Each family adds what is its own."""

    text: str
    title: str
    """The text's title."""
    borrowed: str | None = None
    """The text that these rules are borrowed from, where the table's own text only names the game."""
    house: str | None = None
    """The house's own rules that make the text stricter, by their title."""
    id: str
    epigraph: str
    kind: Literal["counterparty", "circle"]
    """Against the house, or among the players."""
    names: dict[str, str]
    """The game's name by language."""
    inherits: Inheritance | None
    rules: tuple[Rule, ...]
    bets: tuple[Bet, ...] = ()
    side_bets: tuple[SideBet, ...] = ()
    payment: Payment | None = None
    limits: Limits | None = None
    limit_change: LimitChange | None = None
    provisional_closing: ProvisionalClosing | None = None
    closing_rounds: ClosingRounds | None = None
    seats: Seats | None = None
    staff: tuple[Staff, ...] = ()
    announcements: Announcements | None = None
    notes: tuple[Note, ...] = ()
    hash: str
    """SHA-256, hexadecimal, over the text's head and all data of this game, inherited ones and layout too.

    A house's own rules go into it; a game that is borrowed has the one that it has in its own text.
    """

    @property
    def family(self) -> str:
        """The family of games, which decides devices, round and bets."""
        return str(self.__struct_config__.tag)


class AbsentGame(Data, frozen=True, kw_only=True):
    """A game that this text does not have though others do, and the words that exclude it."""

    id: str
    clause: str
    reason: str


class NamedGame(Data, frozen=True, kw_only=True):
    """A game that this text names without its rules being in what mesad has of it."""

    id: str
    names: dict[str, str]
    epigraph: str
    clause: str
    """Where it is named."""
    reason: str


class Norm(Data, frozen=True, kw_only=True):
    """What a text says of all its games together."""

    id: str
    clause: str
    text: str
    """What it says, in plain words."""
    most: int | None = None
    """So many at most, where it gives a number."""
    games: tuple[str, ...] = ()
    """The games that it lists, where it does."""


class Text(Data, frozen=True, kw_only=True):
    """A legal text and the ids of its games."""

    id: str
    title: str
    language: TextLanguage
    rests_on: str
    """What the data was made from, and how far it goes."""
    norms: tuple[Norm, ...] = ()
    games: tuple[str, ...]
    named: tuple[NamedGame, ...] = ()
    absent: tuple[AbsentGame, ...] = ()


def find_rule(game: Game, rule_id: str) -> Rule | None:
    """The rule of this id, or None where the text does not have it."""
    return next((rule for rule in game.rules if rule.id == rule_id), None)


def clause_for(game: Game, rule_id: str) -> str:
    """The clause on which a rule rests under this text. Raises RuleAbsent."""
    rule = find_rule(game, rule_id)
    if rule is None:
        raise RuleAbsent(f"{game.text} has no rule {rule_id!r} for {game.id}")
    return rule.clause


def clause_or_none(game: Game, rule_id: str) -> str:
    """The clause on which a rule rests; in a text without it, words that say so and begin with "none:"."""
    rule = find_rule(game, rule_id)
    return f"none: {game.text} has no rule {rule_id}" if rule is None else rule.clause
