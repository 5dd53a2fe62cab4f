"""Two texts of one game side by side: what only one has, and what both have otherwise, with both clauses.

Clauses themselves, names and notes are not compared: they differ by nature.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from daemon.catalogue.model import Game, LastRounds, Phrase, Ratio
from daemon.catalogue_view.columns import flow, table
from daemon.catalogue_view.facts import fields_of, is_absent, label, words

_NOT_COMPARED = frozenset(
    {"text", "title", "borrowed", "house", "id", "epigraph", "names", "inherits", "notes", "hash"}
)
_KEYS = ("id", "role", "when", "bets")
"""What an entry of a list is known by, where its class has such a field."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What one text has: the value, and the nearest clause to it."""

    value: Any
    clause: str | None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One place where two texts differ. A side is None where its text has nothing there."""

    section: str
    place: str
    """Below the section, e.g. "dice.on_chip effect"."""
    left: Side | None
    right: Side | None


def differences(left: Game, right: Game) -> tuple[Difference, ...]:
    """Every place where two games differ, in the order of the left one's fields."""
    mine, theirs = dict(fields_of(left, skip=_NOT_COMPARED)), dict(fields_of(right, skip=_NOT_COMPARED))
    if left.family != right.family:
        mine, theirs = {"family": left.family, **mine}, {"family": right.family, **theirs}
    return tuple(
        Difference(section=section, place=" ".join(path), left=one, right=other)
        for section in dict.fromkeys((*mine, *theirs))
        for path, one, other in _compare((), mine.get(section), theirs.get(section), (None, None))
    )


def difference_lines(left: Game, right: Game) -> Iterator[str]:
    """The differences in three columns: the place, the one text, the other."""
    found = differences(left, right)
    yield from flow(f"{left.id}: where {left.text} and {right.text} differ")
    if not found:
        yield from flow("nowhere: only their clauses, names and notes are their own", indent=2)
    for section in dict.fromkeys(difference.section for difference in found):
        yield ""
        rows = [(label(section), left.text, right.text)]
        for difference in found:
            if difference.section == section:
                rows += _rows(difference)
        yield from table(rows, indent=0)


def _rows(difference: Difference) -> Iterator[tuple[str, str, str]]:
    one, other = difference.left, difference.right
    yield ("  " + difference.place, _shown(one), _shown(other))
    if (one and one.clause) or (other and other.clause):
        yield ("", _cited(one), _cited(other))


def _cited(side: Side | None) -> str:
    return f"({side.clause})" if side and side.clause else ""


def _shown(side: Side | None) -> str:
    if side is None:
        return "–"
    return words(_without_clause(side.value)) or "yes"


# --- comparing -------------------------------------------------------------------------------------

_Clauses = tuple[str | None, str | None]
_Found = Iterator[tuple[tuple[str, ...], Side | None, Side | None]]


def _compare(path: tuple[str, ...], left: Any, right: Any, clauses: _Clauses) -> _Found:
    clauses = (_clause(left) or clauses[0], _clause(right) or clauses[1])
    if is_absent(left) and is_absent(right):
        return
    one, other = _parts(left), _parts(right)
    if path and is_absent(left) and isinstance(right, tuple):
        one = {}  # each entry that only the other has gets a row of its own
    if path and is_absent(right) and isinstance(left, tuple):
        other = {}
    if one is None or other is None or (not path and (is_absent(left) or is_absent(right))):
        if _bare(left) != _bare(right):
            yield path, _side(left, clauses[0]), _side(right, clauses[1])
        return
    for key in dict.fromkeys((*one, *other)):
        beside = (_clause(left, key) or clauses[0], _clause(right, key) or clauses[1])
        yield from _compare((*path, _place(key)), one.get(key), other.get(key), beside)


def _place(key: str) -> str:
    return key if "." in key else label(key)


def _parts(value: Any) -> Mapping[str, Any] | None:
    """A value's parts by name, where it has named parts; None where it is compared as a whole."""
    if isinstance(value, msgspec.Struct) and not isinstance(value, Ratio | Phrase | LastRounds):
        return {
            k: v for k, v in fields_of(value, skip=("names", "language"), whole=True) if not _is_clause(k)
        }
    if isinstance(value, Mapping):
        return {str(key): content for key, content in value.items() if not _is_clause(str(key))}
    if isinstance(value, tuple):
        for name in _KEYS:
            keys = [getattr(entry, name, None) for entry in value]
            if all(keys) and len({words(key) for key in keys}) == len(keys):
                return {words(key): entry for key, entry in zip(keys, value, strict=True)}
    return None


def _side(value: Any, clause: str | None) -> Side | None:
    return None if is_absent(value) else Side(value=value, clause=clause)


def _is_clause(name: str) -> bool:
    return name == "clause" or name.endswith("_clause")


def _clause(value: Any, key: str | None = None) -> str | None:
    """A value's own clause, or the one that stands beside its part `key`."""
    found = getattr(value, f"{key}_clause" if key else "clause", None)
    return found if isinstance(found, str) else None


def _bare(value: Any) -> Any:
    """A value as plain data without any clause, for comparing."""
    if isinstance(value, msgspec.Struct):
        data = {name: _bare(content) for name, content in fields_of(value) if not _is_clause(name)}
        return list(data.values()) if type(value).__struct_config__.array_like else data
    if isinstance(value, Mapping):
        return {str(key): _bare(content) for key, content in value.items() if not _is_clause(str(key))}
    if isinstance(value, tuple | list):
        return [_bare(content) for content in value]
    return value


def _without_clause(value: Any) -> Any:
    """The same for showing: the clause is shown apart."""
    if isinstance(value, msgspec.Struct) and getattr(value, "clause", None) is not None:
        names = {name: content for name, content in fields_of(value) if not _is_clause(name)}
        return {key: content for key, content in names.items() if key not in _KEYS} or "yes"
    return value
