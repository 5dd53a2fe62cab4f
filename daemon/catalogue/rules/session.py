"""Rules that all tables share: provisional closing, last rounds, a chief's tables, tables in service.

They rest on sections that a game or a text has (`provisional_closing`, `closing_rounds`, `staff`, `norms`),
not on entries of a game's `rules`: where the section is absent, so is the rule. Whether a running table may
change its limits is `limit_change`; no text says in which language a table's words are called out.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from daemon.catalogue.model import Game, Norm, Staff, Text
from daemon.catalogue.rules.judging import Count, require_sound
from daemon.records import Finding

CHIEFS = ("table_chief", "inspector")
"""The roles that direct the play at a table; the texts call one and the same person by either."""


class ProvisionalClosing(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a table that is closed for a while. None is "not seen"."""

    bank_covered: bool | None = None
    """The lid is on the bank."""
    bank_locked: bool | None = None
    key_with_director: bool | None = None
    """The game's director has the key, until the table is opened again or closed for good."""


class TableClosing(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of the last rounds when a table was closed for good. None is "not seen"."""

    announced: Count | None = None
    """How many last rounds were announced; 0 where it was seen that none were."""
    played: Count | None = None
    """Rounds that counted since."""
    announced_by: str | None = None
    """The role of who announced them."""


class ChiefsTables(msgspec.Struct, frozen=True, kw_only=True):
    """The tables that one chief serves at the same time, each by its game."""

    games: tuple[Game, ...]
    adjoining: bool | None = None
    """Whether those of one game lie side by side."""


class TablesInService(msgspec.Struct, frozen=True, kw_only=True):
    """How many tables of each kind are open while the casino is open to the public. None is "not known"."""

    ball: Count | None = None
    cards: Count | None = None


def judge_provisional_closing(game: Game, seen: ProvisionalClosing) -> tuple[Finding, ...]:
    """The bank is to be covered and locked, and the key with the director."""
    require_sound(seen)
    if game.provisional_closing is None:
        return ()
    clause, found = game.provisional_closing.clause, []
    open_ = {"covered": seen.bank_covered, "locked": seen.bank_locked}
    if False in open_.values():
        known = {name: value for name, value in open_.items() if value is not None}
        found.append(_finding("session.bank_locked", clause, known))
    if seen.key_with_director is False:
        found.append(_finding("session.key_with_director", clause, {"key_with_director": False}))
    return tuple(found)


def judge_table_closing(game: Game, seen: TableClosing) -> tuple[Finding, ...]:
    """As many last rounds as the text has are announced, by whom it says, and played before closing."""
    require_sound(seen)
    rule, announced = game.closing_rounds, seen.announced
    if rule is None or announced is None:
        return ()
    found = []
    if announced < rule.count:
        evidence = {"announced": announced, "wanted": rule.count}
        found.append(_finding("session.last_rounds_announced", rule.clause, evidence))
    by, wanted = seen.announced_by, rule.announced_by
    if announced and by is not None and wanted is not None and by != wanted:
        roles = {"by": by, "wanted": wanted}
        found.append(_finding("session.last_rounds_announcer", rule.clause, roles))
    if seen.played is not None and seen.played < announced:
        evidence = {"announced": announced, "played": seen.played}
        found.append(_finding("session.last_rounds_played", rule.clause, evidence))
    return tuple(found)


def judge_chiefs_tables(text: Text, seen: ChiefsTables) -> tuple[Finding, ...]:
    """Not more tables of one game than its epigraph allows, and not more in all than the general norm."""
    found = []
    count = Counter(game.id for game in seen.games)
    for game in {game.id: game for game in seen.games}.values():
        for staff in _chiefs(game):
            most = _most_tables(staff, seen.adjoining)
            if most is not None and count[game.id] > most:
                evidence = {"game": game.id, "tables": count[game.id], "most": most}
                found.append(_finding("session.chief_tables", staff.clause, evidence))
    norm = _norm(text, "chief_tables")
    if norm is not None and norm.most is not None and len(seen.games) > norm.most:
        evidence = {"tables": len(seen.games), "most": norm.most}
        found.append(_finding("session.chief_tables", norm.clause, evidence))
    return tuple(found)


def judge_tables_in_service(text: Text, seen: TablesInService) -> tuple[Finding, ...]:
    """At least one table of ball and one of cards, where the text asks for them."""
    require_sound(seen)
    norm = _norm(text, "tables_in_service")
    open_ = {"ball": seen.ball, "cards": seen.cards}
    if norm is None or 0 not in open_.values():
        return ()
    known = {kind: tables for kind, tables in open_.items() if tables is not None}
    return (_finding("session.tables_in_service", norm.clause, known),)


def _chiefs(game: Game) -> Iterator[Staff]:
    return (staff for staff in game.staff if staff.role in CHIEFS)


def _most_tables(staff: Staff, adjoining: bool | None) -> int | None:
    """The most that the clause allows; the larger figure where it was not seen how the tables lie."""
    if adjoining is False or staff.adjoining_tables is None:
        return staff.tables
    return staff.adjoining_tables


def _norm(text: Text, norm_id: str) -> Norm | None:
    return next((norm for norm in text.norms if norm.id == norm_id), None)


def _finding(rule: str, clause: str, evidence: dict[str, Any]) -> Finding:
    return Finding(rule=rule, clause=clause, effect="finding", evidence=evidence)
