"""Any typed value of the catalogue as words and rows: what a family adds is shown without being known.

A row is (what, value, clause). Absent values (None, empty) are left out: a text does not say them.
A field `x_clause` is the clause of the field `x` beside it.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, get_args

import msgspec

from daemon.catalogue.model import LastRounds, Phrase, Ratio, TextLanguage

Row = tuple[str, str, str]
LANGUAGES = frozenset(get_args(TextLanguage))
"""What words by language are keyed with."""


def fields_of(
    value: msgspec.Struct, skip: Iterable[str] = (), *, whole: bool = False
) -> Iterator[tuple[str, Any]]:
    """The fields that say something, by name, in the order of their class; without those of `skip`.

    A flag or a count that is left at False or 0 says nothing either, unless `whole`.
    """
    for field in msgspec.structs.fields(type(value)):
        content = getattr(value, field.name)
        if field.name in skip or is_absent(content):
            continue
        if whole or not (isinstance(content, int) and not content and content == field.default):
            yield field.name, content


def is_absent(value: Any) -> bool:
    """Whether a value says nothing: None, or an empty collection or text."""
    return value is None or (isinstance(value, str | tuple | list | dict | frozenset) and not value)


def words(value: Any) -> str:
    """A value in one run of text, its clauses included."""
    match value:
        case bool():
            return "yes" if value else "no"
        case Ratio():
            return ratio(value)
        case Phrase():
            return said({"es": value.es, "ca": value.ca, "en": value.en}) + _in_brackets(value.clause)
        case LastRounds():
            each = {"es": value.es, "ca": value.ca, "en": value.en}
            return said({k: " / ".join(v) for k, v in each.items()}) + _in_brackets(value.clause)
        case msgspec.Struct():
            return ", ".join(parts_in_words(value)) + _in_brackets(getattr(value, "clause", None))
        case Mapping():
            return _mapping(value)
        case tuple() | list() | frozenset():
            return _sequence(sorted(value) if isinstance(value, frozenset) else value)
        case float():
            return f"{value:g}"
        case Fraction():
            return f"{value.numerator}/{value.denominator}"
    return str(value)


def parts_in_words(value: msgspec.Struct, skip: Iterable[str] = ()) -> Iterator[str]:
    """The fields of a structure in words, each with the clause beside it; its own clause is left out."""
    for name, content in fields_of(value, skip=(*skip, "clause")):
        if name.endswith("_clause"):
            if is_absent(getattr(value, name.removesuffix("_clause"), None)):
                yield f"{label(name.removesuffix('_clause'))} ({content})"
            continue
        text = words(content) if name == "id" else f"{label(name)} {words(content)}"
        yield text + _in_brackets(getattr(value, f"{name}_clause", None))


def rows(what: str, value: Any, clause: str = "", depth: int = 0) -> Iterator[Row]:
    """A value in rows: structures a row for each field, lists of structures a row for each of them."""
    name = "  " * depth + label(what)
    if isinstance(value, msgspec.Struct) and not isinstance(value, Ratio | Phrase | LastRounds):
        yield (name, "", clause or getattr(value, "clause", None) or "")
        yield from field_rows(value, depth + 1)
    elif isinstance(value, Mapping) and any(isinstance(v, msgspec.Struct) for v in value.values()):
        yield (name, "", clause)
        for key, content in value.items():
            yield from rows(key, content, "", depth + 1)
    elif _is_list_of_structs(value):
        yield (name, "", clause)
        for number, entry in enumerate(value, 1):
            heading = next((field for field in _TITLES if getattr(entry, field, None)), "")
            title = words(getattr(entry, heading)) if heading else f"{number}."
            told = ", ".join(parts_in_words(entry, skip=(heading,)))
            yield (" " * (2 * depth + 2) + title, told, getattr(entry, "clause", None) or "")
    elif isinstance(value, Phrase | LastRounds):
        bare = msgspec.structs.replace(value, clause=None)
        yield (name, words(bare), clause or value.clause or "")
    else:
        yield (name, words(value), clause)


def field_rows(value: msgspec.Struct, depth: int = 0, skip: Iterable[str] = ()) -> Iterator[Row]:
    """The fields of a structure in rows; its own `clause` is the caller's to show."""
    said_with = {name: text for name, text in fields_of(value) if name.endswith("_clause")}
    for name, content in fields_of(value, skip=(*skip, "clause")):
        if name.endswith("_clause"):
            if is_absent(getattr(value, name.removesuffix("_clause"), None)):
                yield ("  " * depth + label(name.removesuffix("_clause")), "", str(content))
            continue
        yield from rows(name, content, said_with.get(f"{name}_clause", ""), depth)


def label(name: str) -> str:
    """A field's name in plain words."""
    return name.replace("_", " ")


def ratio(value: Ratio) -> str:
    """What is paid or given back for what is staked: "35 to 1", or "1/2" below the stake."""
    return f"{value.pays}/{value.per}" if value.per > value.pays else f"{value.pays} to {value.per}"


def said(by_language: Mapping[str, str]) -> str:
    """Words by language; those that are the same in several stand once."""
    shared: dict[str, list[str]] = {}
    for language, text in by_language.items():
        shared.setdefault(text, []).append(language)
    return "; ".join(f"{'/'.join(languages)} {text}" for text, languages in shared.items())


def _mapping(value: Mapping[Any, Any]) -> str:
    """Many keys with few values are listed by value: the numbers that are red, those that are black."""
    if LANGUAGES.issuperset(value):
        return said({key: words(content) for key, content in value.items()})
    texts = {str(key): words(content) for key, content in value.items()}
    if 2 * len(set(texts.values())) <= len(texts) and all(isinstance(v, str | int) for v in value.values()):
        kinds = dict.fromkeys(texts.values())
        return "; ".join(
            f"{kind}: {', '.join(key for key, text in texts.items() if text == kind)}" for kind in kinds
        )
    return ", ".join(f"{label(key)} {text}" for key, text in texts.items())


def _sequence(value: Iterable[Any]) -> str:
    parts = list(value)
    nested = any(isinstance(part, tuple | list | msgspec.Struct) for part in parts)
    plain = all(isinstance(part, str | int) for part in parts)
    return ("; " if nested and not plain else ", ").join(words(part) for part in parts)


def _is_list_of_structs(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(
        isinstance(entry, msgspec.Struct) and not isinstance(entry, Ratio) for entry in value
    )


_TITLES = ("id", "role", "kind", "when")
"""The fields that may head an entry of a list, best first."""


def _in_brackets(clause: str | None) -> str:
    return f" ({clause})" if clause else ""
