"""Reads the texts and layouts that the package carries and makes games of them.

Only the text that is asked for is read. A text file that names a rule that nothing checks, a bet that it
does not have, or a wheel that breaks its own words is refused here, before any table runs.
"""

import hashlib
import tomllib
from importlib.resources import files
from typing import Any, TypeVar

import msgspec

from daemon.catalogue.errors import CatalogueDataError, GameNotInCatalogue, UnknownCatalogue
from daemon.catalogue.layouts import check_layout
from daemon.catalogue.model import Game, Layout, Text
from daemon.catalogue.rules import PARAMETERS, REGISTRY

Data = dict[str, Any]
_T = TypeVar("_T")

_HERE = files("daemon.catalogue")
_BY_ID = ("rules", "bets")
"""Lists that an inheriting game adds to, or overrides entry by entry."""
_BY_KEY = ("wheel", "announcements")
"""Tables that an inheriting game overrides key by key; all other sections it replaces as a whole."""


def catalogues() -> tuple[str, ...]:
    """The ids of all texts."""
    names = (entry.name for entry in (_HERE / "texts").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_text(text_id: str) -> Text:
    """A text's title and games. Raises UnknownCatalogue."""
    return _text(read_text(text_id))


def load_game(text_id: str, game_id: str) -> Game:
    """A game as this text has it. Raises UnknownCatalogue, GameNotInCatalogue, LayoutRefused."""
    return make_game(read_text(text_id), read_layouts(), game_id)


def read_text(text_id: str) -> Data:
    """A text file's data as it stands. Raises UnknownCatalogue."""
    known = catalogues()
    if text_id not in known:  # also keeps any path out of the file name
        raise UnknownCatalogue(text_id, known)
    return tomllib.loads((_HERE / "texts" / f"{text_id}.toml").read_text("utf-8"))


def read_layouts() -> Data:
    """All layouts' data as they stand, by id."""
    return tomllib.loads((_HERE / "layouts.toml").read_text("utf-8"))


def make_game(text_data: Data, layouts_data: Data, game_id: str) -> Game:
    """A game out of a text's and the layouts' data. Raises as `load_game` does, and CatalogueDataError."""
    text = _text(text_data)
    if game_id not in text.games:
        absent = next((game for game in text.absent if game.id == game_id), None)
        why, clause = (absent.reason, absent.clause) if absent else (None, None)
        raise GameNotInCatalogue(text.id, game_id, text.games, why, clause)
    section = _with_clauses(_resolve(text_data["games"], game_id, ()), text.id)
    layout_id = section.get("wheel", {}).get("layout")
    if layout_id not in layouts_data:
        raise CatalogueDataError(f"{text.id} {game_id}: there is no layout {layout_id!r}")
    layout_data = layouts_data[layout_id]
    canonical = msgspec.json.encode([text_data, {layout_id: layout_data}], order="sorted")
    game = _convert(
        {
            "inherits": None,
            **section,
            "text": text.id,
            "title": text.title,
            "id": game_id,
            "layout": _layout(layout_id, layout_data),
            "hash": hashlib.sha256(canonical).hexdigest(),
        },
        Game,
        f"{text.id} {game_id}",
    )
    _check_rules(game)
    _check_bets(game)
    check_layout(game.layout, game.wheel)
    return game


def _text(data: Data) -> Text:
    games = data.get("games", {})
    absent = _with_clauses(data.get("absent", []), str(data.get("id")))
    head = {key: value for key, value in data.items() if key not in ("games", "absent")}
    return _convert({**head, "games": list(games), "absent": absent}, Text, "text")


def _layout(layout_id: str, data: Data) -> Layout:
    pockets = data["pockets"]
    fields = {**data, "id": layout_id, "pockets": [label for label, _ in pockets], "colors": dict(pockets)}
    return _convert(fields, Layout, f"layout {layout_id}")


def _resolve(games: Data, game_id: str, seen: tuple[str, ...]) -> Data:
    """A game's section with what it inherits filled in."""
    section: Data = games[game_id]
    if "inherits" not in section:
        return section
    parent_id = section["inherits"]["game"]
    if parent_id not in games or parent_id in (*seen, game_id):
        raise CatalogueDataError(f"{game_id} cannot inherit from {parent_id!r}")
    parent = _resolve(games, parent_id, (*seen, game_id))
    merged = {**parent, **section}
    for key in _BY_KEY:
        merged[key] = {**parent.get(key, {}), **section.get(key, {})}
    for key in _BY_ID:
        entries = {entry["id"]: entry for entry in (*parent.get(key, []), *section.get(key, []))}
        merged[key] = list(entries.values())
    return merged


def _with_clauses(data: Any, text_id: str) -> Any:
    """The same data, every clause in it preceded by the text's id."""
    if isinstance(data, list):
        return [_with_clauses(value, text_id) for value in data]
    if not isinstance(data, dict):
        return data
    return {
        key: f"{text_id} {value}"
        if isinstance(value, str) and (key == "clause" or key.endswith("_clause"))
        else _with_clauses(value, text_id)
        for key, value in data.items()
    }


def _convert(data: Data, wanted: type[_T], where: str) -> _T:
    try:
        return msgspec.convert(data, wanted)
    except msgspec.ValidationError as error:
        raise CatalogueDataError(f"{where}: {error}") from error


def _check_rules(game: Game) -> None:
    for rule in game.rules:
        if rule.id not in REGISTRY:
            raise CatalogueDataError(f"nothing checks the rule {rule.id!r}", rule.clause)
        wanted = PARAMETERS.get(rule.id, frozenset())
        if set(rule.parameters) != wanted:
            raise CatalogueDataError(f"{rule.id} takes the parameters {sorted(wanted)}", rule.clause)


def _check_bets(game: Game) -> None:
    bets = [bet.id for bet in game.bets]
    payment = [bet for group in game.payment.order for bet in group]
    if unknown := set(payment).difference(bets):
        raise CatalogueDataError(f"paid but not among the bets: {sorted(unknown)}", game.payment.clause)
    if len(payment) != len(set(payment)):
        raise CatalogueDataError("a bet is paid twice", game.payment.clause)
    for maximum in game.limits.maxima:
        if unknown := set(maximum.bets).difference(bets):
            raise CatalogueDataError(f"limited but not among the bets: {sorted(unknown)}", maximum.clause)
        if len(maximum.times) != len(game.limits.multiples):
            raise CatalogueDataError("as many multiples as the simple chances have", maximum.clause)
    if unknown := set(game.zero.numbers).difference(game.wheel.zeros):
        raise CatalogueDataError(f"no zeros of this wheel: {sorted(unknown)}", game.zero.clause)
    if unknown := set(game.wheel.zeros).difference(game.announcements.zeros):
        raise CatalogueDataError(f"zeros without a word: {sorted(unknown)}")
