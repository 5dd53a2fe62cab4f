"""The texts' files as the package carries them: found by id and cut into games.

A table parses only the game that it plays and those it inherits from.

A text file is a head (the text itself, the games that it only names or excludes) and one part for each game,
which begins with the game's own header and goes on to the next game's. Parsing is left to a library; only the
cutting is done here, by the headers at the beginnings of lines.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import rtoml

from daemon.catalogue.errors import UnknownCatalogue

Data = dict[str, Any]

_HERE = files("daemon.catalogue")
_GAME = re.compile(r"^\[\[?games\.([a-z0-9_]+)(?:\]|\.)", re.MULTILINE)


class TextSource:
    """One text's file, parsed a part at a time."""

    def __init__(self, toml: str) -> None:
        first = _GAME.search(toml)
        self.head: Data = rtoml.loads(toml[: first.start()] if first else toml)
        self._parts: dict[str, str] = {}
        headers = list(_GAME.finditer(toml))
        ends = [header.start() for header in headers[1:]] + [len(toml)]
        for header, end in zip(headers, ends, strict=False):  # a text without games has an end all the same
            self._parts[header[1]] = self._parts.get(header[1], "") + toml[header.start() : end]

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games, in the text's order."""
        return tuple(self._parts)

    def game(self, game_id: str) -> Data:
        """A game's own data, without what it inherits. Raises KeyError."""
        section: Data = rtoml.loads(self._parts[game_id])["games"][game_id]
        return section


class ParsedText:
    """A text's data as a whole, for who wants all of it: the same face as `TextSource`."""

    def __init__(self, data: Data) -> None:
        self.head: Data = {key: value for key, value in data.items() if key != "games"}
        self._games: Mapping[str, Data] = data.get("games", {})

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games, in the text's order."""
        return tuple(self._games)

    def game(self, game_id: str) -> Data:
        """A game's own data, without what it inherits. Raises KeyError."""
        return self._games[game_id]


def catalogues() -> tuple[str, ...]:
    """The ids of all texts."""
    names = (entry.name for entry in (_HERE / "texts").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def open_text(text_id: str) -> TextSource:
    """A text, of which only what is asked for is parsed. Raises UnknownCatalogue."""
    return TextSource(_read(text_id))


def read_text(text_id: str) -> Data:
    """A text file's data as it stands, all of it. Raises UnknownCatalogue."""
    return rtoml.loads(_read(text_id))


def read_layouts() -> Data:
    """All layouts' data as they stand, by id."""
    return rtoml.loads((_HERE / "layouts.toml").read_text("utf-8"))


def _read(text_id: str) -> str:
    known = catalogues()
    if text_id not in known:  # also keeps any path out of the file name
        raise UnknownCatalogue(text_id, known)
    return (_HERE / "texts" / f"{text_id}.toml").read_text("utf-8")
