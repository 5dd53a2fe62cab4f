"""A game and a text as lines for people: every fact with its clause, what a family adds included."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from daemon.catalogue.model import (
    AbsentGame,
    Bet,
    Game,
    Limits,
    Maximum,
    Norm,
    Note,
    PayLine,
    Payment,
    Rule,
    Staff,
    Text,
)
from daemon.catalogue_view.columns import flow, table
from daemon.catalogue_view.facts import (
    Row,
    field_rows,
    fields_of,
    label,
    parts_in_words,
    ratio,
    rows,
    said,
    words,
)

_HEAD = frozenset(
    {"text", "title", "borrowed", "house", "id", "epigraph", "kind", "names", "inherits", "hash"}
)
_KINDS = {"counterparty": "against the house", "circle": "among the players"}


def game_lines(game: Game) -> Iterator[str]:
    """All that is known of a game under its text."""
    yield from flow(f"{game.id}: {game.names.get('en', game.id)}")
    yield from table(list(_head(game)))
    yield f"  data {game.hash}"
    for field in _sections(game):
        content = getattr(game, field)
        clause = getattr(content, "clause", None) if field not in _SHOWN else None
        yield ""
        yield from flow(_HEADINGS.get(field, label(field)) + (f" ({clause})" if clause else ""))
        yield from table(list(_SHOWN[field](content) if field in _SHOWN else _plain(field, content)))
    if clauses := [(label(n.removesuffix("_clause")), getattr(game, n)) for n in _clause_fields(game)]:
        yield from ("", "further clauses", *table(clauses))
    if absent := [label(name) for name in _TELLING if getattr(game, name, None) is None]:
        yield ""
        yield from flow(f"no rule: {', '.join(absent)}")


def text_lines(text: Text, games: Sequence[Game]) -> Iterator[str]:
    """A text with its games, and those that it only names or that it excludes."""
    yield from flow(f"{text.id}: {text.title}")
    yield from table(
        [(label(name), words(content)) for name, content in fields_of(text, skip=("id", "title", *_LISTED))]
    )
    yield from table(
        [(game.epigraph, game.id, _name(game.names, text.language), game.family) for game in games]
    )
    for reason in dict.fromkeys(game.reason for game in text.named):
        yield from flow(f"named only: {reason}", indent=2)
        yield from table(
            [
                (game.epigraph, game.id, _name(game.names, text.language), game.clause)
                for game in text.named
                if game.reason == reason
            ],
            indent=4,
        )
    for name in ("absent", "norms"):
        if entries := getattr(text, name, ()):
            yield from flow(_TEXT_HEADINGS[name], indent=2)
            yield from table([(e.id, _said_of(e), e.clause) for e in entries], indent=4)


_LISTED = ("games", "named", "absent", "norms")
_TEXT_HEADINGS = {"absent": "excluded", "norms": "for all games"}


def _said_of(entry: AbsentGame | Norm) -> str:
    if isinstance(entry, AbsentGame):
        return entry.reason
    return ", ".join([entry.text, *parts_in_words(entry, skip=("id", "text"))])


def _name(names: Mapping[str, str], language: str) -> str:
    return names.get(language) or names.get("en", "")


# --- a game's parts ----------------------------------------------------------------------------------


def _head(game: Game) -> Iterator[Row]:
    yield ("names", said(game.names), "")
    yield ("text", f"{game.text}: {game.title}", "")
    if game.borrowed:
        yield ("borrowed", f"the rules are those of {game.borrowed}", "")
    if game.house:
        yield ("house", f"made stricter by: {game.house}", "")
    yield ("epigraph", game.epigraph, "")
    yield ("kind", f"{game.kind}, {_KINDS[game.kind]}; {label(game.family)}", "")
    if game.inherits:
        yield ("inherits", f"as {game.inherits.game} in all it does not say itself", game.inherits.clause)


def _sections(game: Game) -> list[str]:
    """The fields to show: what the family adds first, then what all games have."""
    present = [name for name, _ in fields_of(game, skip=(*_HEAD, *_clause_fields(game)))]
    return [*(n for n in present if n not in _ORDER), *(n for n in _ORDER if n in present)]


def _clause_fields(game: Game) -> list[str]:
    """A family's clauses that stand by themselves."""
    return [name for name, _ in fields_of(game) if name.endswith("_clause")]


def _plain(field: str, content: Any) -> Iterator[Row]:
    """A section that nothing here knows; a structure's own clause stands in its heading."""
    if isinstance(content, msgspec.Struct):
        yield from field_rows(content)
        return
    (_, text, clause), *entries = rows(field, content, depth=-1)
    if text:
        yield ("", text, clause)
    yield from entries


def _staff(staff: tuple[Staff, ...]) -> Iterator[Row]:
    for member in staff:
        facts = [_number_of(member), *parts_in_words(member, skip=("role", "least", "most"))]
        yield (label(member.role), ", ".join(facts), member.clause)


def _number_of(member: Staff) -> str:
    if member.most is None and not member.least:
        return "optional"
    if member.most is None:
        return f"{member.least} or more"
    return f"{member.least} to {member.most}" if member.least != member.most else str(member.most)


def _rules(rules: tuple[Rule, ...]) -> Iterator[Row]:
    for rule in rules:
        given = ", ".join(f"{label(name)} {words(value)}" for name, value in rule.parameters.items())
        yield (rule.id, f"{rule.effect}: {given}" if given else rule.effect, rule.clause)


def _bets(bets: tuple[Bet, ...]) -> Iterator[Row]:
    for bet in bets:
        facts = [ratio(bet.pays)] if bet.pays else []
        facts += parts_in_words(bet, skip=_BET_ROWS)
        yield (bet.id, ", ".join(facts), bet.clause)
        if bet.names:
            yield ("    called", said(bet.names), "")
        yield from _misprint(bet.misprint)
        for line in bet.table:
            yield (f"    {label(line.when)}", _pay(line), line.clause or "")
            yield from _misprint(line.misprint)


_BET_ROWS = ("id", "names", "pays", "table", "misprint")


def _pay(line: PayLine) -> str:
    return ", ".join([ratio(line.pays), *parts_in_words(line, skip=("when", "pays", "misprint"))])


def _misprint(why: str | None) -> Iterator[Row]:
    if why:
        yield ("    ! misprint", why, "")


def _notes(notes: tuple[Note, ...]) -> Iterator[Row]:
    return ((note.kind, note.text, note.clause) for note in notes)


def _payment(payment: Payment) -> Iterator[Row]:
    for number, group in enumerate(payment.order, 1):
        yield (f"{number}.", ", ".join(map(label, group)), payment.clause if number == 1 else "")
    if payment.all_at_once:
        yield ("", "a player with several winning bets is paid all at once", "")
    yield from field_rows(payment, skip=("order", "all_at_once"))


def _limits(limits: Limits) -> Iterator[Row]:
    if not limits.maxima and not limits.bands:
        yield ("minimum and maxima", "set by the authorisation", limits.clause)
    else:
        yield ("minimum", "set by the authorisation", limits.clause)
    for maximum in limits.maxima:
        yield (", ".join(map(label, maximum.bets)), _times(maximum), maximum.clause)
    for band in limits.bands:
        within = f"set by the authorisation, from {band.least} to {band.most}"
        yield (", ".join(map(label, band.bets)), within, band.clause)
    if limits.raise_clause:
        yield ("higher maxima", "after telling the authority", limits.raise_clause)
    yield from field_rows(limits, skip=("maxima", "bands", "raise_clause"))


def _times(maximum: Maximum) -> str:
    *others, last = map(str, maximum.times)
    return f"{', '.join(others)} or {last}" if others else last


_SHOWN: dict[str, Any] = {
    "staff": _staff,
    "rules": _rules,
    "bets": _bets,
    "payment": _payment,
    "limits": _limits,
    "notes": _notes,
}
_ORDER = (
    "seats",
    "staff",
    "rules",
    "limit_change",
    "provisional_closing",
    "bets",
    "side_bets",
    "payment",
    "limits",
    "announcements",
    "notes",
)
_HEADINGS = {
    "payment": "order of payment",
    "limits": "limits; maxima in multiples of the minimum",
    "limit_change": "change of limits at a running table",
    "provisional_closing": "provisional closing: allowed",
    "announcements": "announcements (a translation where it is not the text's language)",
}
_TELLING = ("limits", "limit_change", "provisional_closing", "payment", "announcements")
"""Sections whose absence a reader should be told."""
