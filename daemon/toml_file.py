"""A TOML file decoded into a class, with every mistake told by file, key and remedy.

The class is a msgspec Struct with ``forbid_unknown_fields``; what the decoder says about a mistake is put
into a configuration's own words here, once for every file that mesad reads.
"""

import difflib
import os
import re
import stat
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar, get_args, get_origin

import msgspec

from daemon.errors import ConfigurationError

T = TypeVar("T", bound=msgspec.Struct)

REMEDY = "\nremedy: "
"""In a class's own complaint, a ValueError: after it stands what to do."""
_LARGEST = 1 << 20  # bytes; a table file has a few hundred
_DEEPEST = 16
"""Levels of keys in keys; a table file has four."""
_TYPES = {
    "str": "text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table of keys",
    "null": "nothing",
}
_PASSWORD = re.compile(r"passw|pwd|secret", re.IGNORECASE)


def read(file: Path, kind: type[T], takes: Mapping[str, str]) -> T:
    """The file as a `kind`. `takes` says what a key takes: "device.port" to "the port's path or URL".

    Raises ConfigurationError for whatever is wrong with the file: the first mistake of each section.
    """
    raw = parse(file)
    mistakes = _mistakes(file, raw, kind, takes)
    if mistakes:
        first, *further = mistakes
        raise ConfigurationError(file, first.key, first.problem, first.remedy, further)
    return decode(file, raw, kind, takes)


def decode(file: Path, raw: Any, kind: type[T], takes: Mapping[str, str], at: str = "") -> T:
    """What stands in the file at the key `at`, as a `kind`. Raises ConfigurationError as `read` does."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        _refuse(file, raw, kind, takes, at, str(error))


def _mistakes(
    file: Path, raw: dict[str, Any], kind: type[Any], takes: Mapping[str, str]
) -> list[ConfigurationError]:
    """The first mistake of each section, each decoded as if it stood alone; then the sections missing."""
    needed = _needed(kind, "")
    found = []
    for name, section in raw.items():
        try:
            decode(file, {name: section}, kind, takes)
        except ConfigurationError as error:
            if error.key == name or error.key not in needed:  # those are missing because it stands alone
                found.append(error)
    for name in needed:
        try:
            if name not in raw:
                _refuse(file, raw, kind, takes, "", f"Object missing required field `{name}`")
        except ConfigurationError as error:
            found.append(error)
    return found


def without_indices(key: str) -> str:
    """A key's path as the table of what keys take has it: "device[0].port" to "device.port"."""
    return re.sub(r"\[\d+\]", "", key)


def parse(file: Path) -> dict[str, Any]:
    """What stands in the file, bounded and plain text. Raises ConfigurationError, by an OSError if unread."""
    content = _content(file)
    try:
        raw = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ConfigurationError(file, None, f"line {line} is not UTF-8", "save the file as UTF-8") from error
    except (ValueError, RecursionError) as error:
        problem = f"is not valid TOML: {error}"
        raise ConfigurationError(file, None, problem, "mend the file at the place named") from error
    _check_text(file, raw)
    return raw


def _content(file: Path) -> bytes:
    """A plain file's; a pipe or a device is not waited for."""
    try:
        with open(file, "rb", opener=_without_waiting) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                problem = "is no table file: a pipe, a device or a socket"
                raise ConfigurationError(file, None, problem, "name the right file")
            content = stream.read(_LARGEST + 1)
    except OSError as error:
        hint = "name a file that exists and that this user may read"
        raise ConfigurationError(file, None, f"cannot be read: {error.strerror}", hint) from error
    if len(content) > _LARGEST:
        raise ConfigurationError(file, None, "is no table file: larger than 1 MiB", "name the right file")
    return content


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def _check_text(file: Path, raw: dict[str, Any]) -> None:
    """No control character anywhere: none is part of a path, a URL or a name, and all would reach the log."""
    rest: list[tuple[str, Any, int]] = [("", raw, 0)]
    while rest:
        key, value, depth = rest.pop()
        if depth > _DEEPEST:
            raise ConfigurationError(file, None, f"has keys {depth} levels deep", "name the right file")
        inner: list[tuple[str, Any]] = []
        if isinstance(value, dict):
            if odd := next((name for name in value if _has_control(name)), None):
                raise ConfigurationError(
                    file, key or None, f"the name {odd[:40]!r} has a control character", "remove it"
                )
            inner = [(_join(key, name), item) for name, item in value.items()]
        elif isinstance(value, list):
            inner = [(f"{key}[{index}]", item) for index, item in enumerate(value)]
        elif isinstance(value, str) and _has_control(value):
            problem = "is not allowed: there is a control character in it, e.g. a line end, a tab or NUL"
            raise ConfigurationError(file, key, problem, "write it as plain text on one line")
        rest += [(name, item, depth + 1) for name, item in reversed(inner)]


_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Control characters, also those that turn the direction of writing, and the two line ends among spaces."""


def _has_control(text: str) -> bool:
    return any(unicodedata.category(letter) in _UNSEEN for letter in text)


def _refuse(
    file: Path, raw: Any, kind: type[Any], takes: Mapping[str, str], at: str, message: str
) -> NoReturn:
    """Put the decoder's message into a configuration's words. Always raises ConfigurationError."""
    what, _, place = message.partition(" - at `$")
    path = place.rstrip("`").removeprefix(".")
    what, _, said = what.partition(REMEDY)

    def refuse(key: str, problem: str, remedy: str | None = None, otherwise: str = "") -> NoReturn:
        whole = _join(at, key)
        if remedy is None:
            plain = without_indices(whole)
            taken = f"{plain} takes {takes[plain]}" if plain in takes else _choice(kind, key)
            remedy = taken or otherwise or "write what is allowed there"
        raise ConfigurationError(file, whole, problem, remedy)

    if found := re.match(r"Object contains unknown field `(.*)`", what):
        name = found[1]
        if _PASSWORD.search(name):
            refuse(_join(path, name), "a password never stands in this file", takes["password"])
        known = _fields(kind, path)
        near = difflib.get_close_matches(name, known, 1)
        remedy = f"did you mean {near[0]}?" if near else "remove it"
        refuse(_join(path, name), "is not a key of mesad", f"{remedy} (known here: {', '.join(known)})")
    if found := re.match(r"Object missing required field `(.*)`", what):
        needed = ", ".join(_needed(kind, path))
        refuse(_join(path, found[1]), "is missing", otherwise=f"needed here: {needed}")
    value = _shown(raw, path)
    if found := re.match(r"Expected `(\w+)(?: \| null)?`, got `(\w+)`", what):
        wanted, given = (_TYPES.get(each, each) for each in found.groups())
        refuse(path, f"should be {wanted}, but is {given}", otherwise=f"write {wanted}")
    if found := re.match(r"Expected `array` of length >= 1", what):
        refuse(path, "is empty")
    if found := re.match(r"Expected `\w+(?: \| null)?` ([<>]=?) (\S+)", what):
        bound = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}[found[1]]
        refuse(path, f"is {value}, but must be {bound} {found[2]}", otherwise=f"write {bound} {found[2]}")
    if found := re.match(r"(Invalid enum value|Expected `\w+(?: \| null)?` (matching|of length))", what):
        refuse(path, f"{value} is not allowed")
    # The class's own check of several keys: its message begins with the key that it means.
    name = re.match(r"\w*", what)
    if "@" in what:  # a URL may have a password before it, and no message repeats one
        refuse(path, "is not valid")
    if name and name[0] in _fields(kind, path):
        refuse(_join(path, name[0]), what.removeprefix(name[0]).strip(" :"), said or None)
    refuse(path, what, said or None)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name


def _class_at(kind: type[Any], path: str) -> type[Any]:
    """The class that decodes what stands at a path, or else the one that it is part of."""
    for name in without_indices(path).split(".") if path else ():
        inner: Any = _type_of(kind, name)
        while inner is not None and not _is_struct(inner):
            inner = next((arg for arg in get_args(inner) if _is_struct(arg) or get_origin(arg)), None)
        if inner is None:
            break
        kind = inner
    return kind


def _type_of(kind: type[Any], name: str) -> Any:
    return next(field.type for field in msgspec.structs.fields(kind) if field.encode_name == name)


def _fields(kind: type[Any], path: str) -> list[str]:
    """The keys that are known at a path."""
    return [field.encode_name for field in msgspec.structs.fields(_class_at(kind, path))]


def _needed(kind: type[Any], path: str) -> list[str]:
    """The keys that must stand at a path."""
    return [field.encode_name for field in msgspec.structs.fields(_class_at(kind, path)) if field.required]


def _choice(kind: type[Any], path: str) -> str | None:
    """What a key takes that nothing is said of, where its type has the words."""
    above, _, name = path.rpartition(".")
    wanted = _type_of(_class_at(kind, above), without_indices(name))
    if get_origin(wanted) is Literal:
        return f"{name} takes " + " or ".join(map(repr, get_args(wanted)))
    return None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _shown(raw: Any, path: str) -> str:
    """The value at a path, shortened to what one line can hold."""
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        raw = raw[int(index)] if index else raw[name]
    text = repr(raw)
    return text if len(text) <= 60 else text[:57] + "…"
