"""Makes games of the texts and layouts that the package carries.

Only the game that is asked for is parsed, and those it inherits from. A text file that names a rule that
nothing checks, a bet that it does not have, or a wheel that breaks its own words is refused here, before any
table runs.
"""

import hashlib
from typing import Any, NoReturn, TypeVar

import msgspec

from daemon.catalogue.errors import BorrowRefused, CatalogueDataError, CatalogueError, GameNotInCatalogue
from daemon.catalogue.families import FAMILIES
from daemon.catalogue.families.checks import check_bets
from daemon.catalogue.model import Game, Text
from daemon.catalogue.rules import REGISTRY, parameters
from daemon.catalogue.source import ParsedText, TextSource, catalogues, open_text, read_layouts, read_text

__all__ = [
    "catalogues",
    "check_game",
    "load_all",
    "load_as",
    "load_game",
    "load_games",
    "load_text",
    "make_game",
]

Data = dict[str, Any]
_T = TypeVar("_T")
_G = TypeVar("_G", bound=Game)

_BY_ID = ("rules", "bets")
"""Lists that an inheriting game adds to, or overrides entry by entry; `without` takes entries out."""
_BY_KEY = ("wheel", "announcements")
"""Tables that an inheriting game overrides key by key; all other sections it replaces as a whole."""


def load_text(text_id: str) -> Text:
    """A text's title and games. Raises UnknownCatalogue."""
    return _text(open_text(text_id))


def load_game(text_id: str, game_id: str, *, borrow: str | None = None) -> Game:
    """A game as this text has it, or as the text `borrow` has it where this one only names it.

    Raises UnknownCatalogue, GameNotInCatalogue, BorrowRefused, LayoutRefused.
    """
    source = open_text(text_id)
    if borrow is None:
        return make_game(source, read_layouts(), game_id)
    text = _text(source)
    if game_id in text.games:
        raise BorrowRefused(f"{text_id} has its own rules for {game_id}: nothing is borrowed for it")
    if borrow == text_id:
        raise BorrowRefused(f"{text_id} cannot borrow from itself")
    named = next((game for game in text.named if game.id == game_id), None)
    if named is None:
        _refuse(text, game_id)
    game = make_game(open_text(borrow), read_layouts(), game_id)
    return msgspec.structs.replace(
        game, text=text.id, title=text.title, borrowed=borrow, names={**game.names, **named.names}
    )


def load_as(family: type[_G], text_id: str, game_id: str) -> _G:
    """`load_game` for who needs a game of one family. Raises CatalogueError for one of another family too."""
    game = load_game(text_id, game_id)
    if not isinstance(game, family):
        raise CatalogueError(f"{game_id} is a game of the family {game.family}, not {family.__name__}")
    return game


def load_games(text_id: str) -> tuple[Game, ...]:
    """Every game of a text, in its order; what a table never needs. Raises UnknownCatalogue."""
    book = _Book(ParsedText(read_text(text_id)), read_layouts())
    return tuple(book.game(game_id) for game_id in book.text.games)


def load_all() -> dict[tuple[str, str], Game]:
    """Every game of every text, by (text, game)."""
    layouts = read_layouts()
    books = [_Book(ParsedText(read_text(text_id)), layouts) for text_id in catalogues()]
    return {(book.text.id, game_id): book.game(game_id) for book in books for game_id in book.text.games}


def make_game(source: TextSource | ParsedText, layouts: Data, game_id: str) -> Game:
    """A game out of a text's and the layouts' data. Raises as `load_game` does, and CatalogueDataError."""
    return _Book(source, layouts).game(game_id)


def check_game(game: Game) -> None:
    """Raises CatalogueDataError or LayoutRefused for a game that contradicts itself."""
    _check_rules(game)
    _check_bets(game)
    FAMILIES[game.family].check(game)


def _refuse(text: Text, game_id: str) -> NoReturn:
    absent = next((game for game in text.absent if game.id == game_id), None)
    named = next((game for game in text.named if game.id == game_id), None)
    if named is not None:
        lenders = tuple(other for other in catalogues() if game_id in open_text(other).games)
        having = f"its rules can be borrowed from {' or '.join(lenders)}" if lenders else "nor has any other"
        why = f"it names the game, but {named.reason}; {having}"
        raise GameNotInCatalogue(text.id, game_id, text.games, why, named.clause, lenders)
    reason, clause = (absent.reason, absent.clause) if absent else (None, None)
    raise GameNotInCatalogue(text.id, game_id, text.games, reason, clause)


class _Book:
    """A text and the layouts, for making its games; what they share is worked out once."""

    def __init__(self, source: TextSource | ParsedText, layouts: Data) -> None:
        self.text = _text(source)
        self._source = source
        self._layouts = layouts
        self._head = msgspec.json.encode(source.head, order="sorted")
        self._sections: dict[str, Data] = {}

    def game(self, game_id: str) -> Game:
        """Raises as `make_game` does."""
        text = self.text
        if game_id not in text.games:
            _refuse(text, game_id)
        where = f"{text.id} {game_id}"
        own = self._resolved(game_id, ())
        layout = _layout(own, self._layouts, where)
        canonical = self._head + msgspec.json.encode([own, layout], order="sorted")
        family = FAMILIES.get(own.get("family", ""))
        if family is None:
            raise CatalogueDataError(f"{where}: there is no family {own.get('family')!r}")
        fields = {
            "inherits": None,
            "rules": [],
            **{key: value for key, value in own.items() if key != "without"},
            **layout,
            "text": text.id,
            "title": text.title,
            "id": game_id,
            "hash": hashlib.sha256(canonical).hexdigest(),
        }
        game = _convert(fields, family.game, where)
        check_game(game)
        return game

    def _resolved(self, game_id: str, seen: tuple[str, ...]) -> Data:
        """A game's section with its clauses in full and what it inherits filled in."""
        section = self._own(game_id)
        if "inherits" not in section:
            return section
        parent_id = section["inherits"]["game"]
        if parent_id not in self.text.games or parent_id in (*seen, game_id):
            raise CatalogueDataError(f"{game_id} cannot inherit from {parent_id!r}")
        return _merged(self._resolved(parent_id, (*seen, game_id)), section)

    def _own(self, game_id: str) -> Data:
        if game_id not in self._sections:
            self._sections[game_id] = _cited(self._source.game(game_id), f"{self.text.id} ")
        return self._sections[game_id]


def _merged(parent: Data, section: Data) -> Data:
    """A game's own section on top of the one that it inherits."""
    merged = {**parent, **section}
    for key in _BY_KEY:
        if key in parent or key in section:
            merged[key] = {**parent.get(key, {}), **section.get(key, {})}
    without = section.get("without", [])
    for key in _BY_ID:
        entries = {entry["id"]: entry for entry in (*parent.get(key, []), *section.get(key, []))}
        merged[key] = [entry for id_, entry in entries.items() if id_ not in without]
    return merged


def _text(source: TextSource | ParsedText) -> Text:
    head = _cited(source.head, f"{source.head.get('id')} ")
    return _convert({**head, "games": list(source.games)}, Text, "text")


def _layout(section: Data, layouts: Data, where: str) -> Data:
    """The layout that a game's wheel names, as the field that it becomes; nothing where it names none."""
    layout_id = section.get("wheel", {}).get("layout")
    if layout_id is None:
        return {}
    if layout_id not in layouts:
        raise CatalogueDataError(f"{where}: there is no layout {layout_id!r}")
    data = layouts[layout_id]
    labels = [label for label, _ in data["pockets"]]
    return {"layout": {**data, "id": layout_id, "pockets": labels, "colors": dict(data["pockets"])}}


def _cited(data: Data, prefix: str) -> Data:
    """The same data, every clause in it preceded by the text's id; beside the parsing most of the work."""
    cited = {}
    for key, value in data.items():
        kind = type(value)
        if kind is str:
            if key == "clause" or key.endswith("_clause"):
                value = prefix + value
        elif kind is dict:
            value = _cited(value, prefix)
        elif kind is list:
            value = _cited_each(value, prefix)
        cited[key] = value
    return cited


def _cited_each(data: list[Any], prefix: str) -> list[Any]:
    if not any(type(value) in (dict, list) for value in data):
        return data
    return [
        _cited(value, prefix)
        if type(value) is dict
        else _cited_each(value, prefix)
        if type(value) is list
        else value
        for value in data
    ]


def _convert(data: Data, wanted: type[_T], where: str) -> _T:
    try:
        return msgspec.convert(data, wanted)
    except msgspec.ValidationError as error:
        raise CatalogueDataError(f"{where}: {error}") from error


def _check_rules(game: Game) -> None:
    for rule in game.rules:
        if rule.id not in REGISTRY:
            raise CatalogueDataError(f"nothing checks the rule {rule.id!r}", rule.clause)
        wanted = set(parameters(rule.id))
        if rule.effect != "void":
            wanted.discard("void_clause")
        if set(rule.parameters) != wanted:
            raise CatalogueDataError(f"{rule.id} takes the parameters {sorted(wanted)}", rule.clause)


def _check_bets(game: Game) -> None:
    bets = [bet.id for bet in game.bets]
    if len(bets) != len(set(bets)):
        raise CatalogueDataError(f"{game.id}: a bet stands twice")
    if game.payment is not None:
        payment = [bet for group in game.payment.order for bet in group]
        check_bets(game, payment, "paid", game.payment.clause)
        if len(payment) != len(set(payment)):
            raise CatalogueDataError("a bet is paid twice", game.payment.clause)
    if game.limits is not None:
        for maximum in game.limits.maxima:
            check_bets(game, maximum.bets, "limited", maximum.clause)
            if len(maximum.times) != len(game.limits.multiples):
                raise CatalogueDataError("as many multiples as the simple chances have", maximum.clause)
        for band in game.limits.bands:
            check_bets(game, band.bets, "limited", band.clause)
