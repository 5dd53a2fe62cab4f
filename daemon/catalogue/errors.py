"""What the catalogue refuses, each with the clause that it rests on where the text itself says so.

    CatalogueError
    ├── UnknownCatalogue      no such text; says which there are
    ├── GameNotInCatalogue    the text does not have this game; says which it has
    ├── BorrowRefused         a text has the game's rules itself, or borrows from itself
    ├── HouseRefused          a house's own file would loosen the text, or cannot be understood
    ├── LayoutRefused         a wheel whose pockets break the text's own words
    ├── LimitRefused          a minimum or a multiple that the text does not allow
    │   └── MinimumRefused    a minimum that is too low
    ├── TermsRefused          a commission, an insurance or a way of paying that the text does not have
    ├── UnknownPocket         a number that is not on this wheel
    ├── NotACard              a code that is no card of the pack
    ├── NotDice               faces that the game's dice cannot show
    ├── BrokenEvidence        evidence that nobody can have seen: a figure that is none, a count below zero
    ├── NoWords               a language in which nothing is announced
    ├── RuleAbsent            a rule that the text does not have is asked for
    └── CatalogueDataError    a text file that says something mesad does not understand

Who loads the configuration turns them into its own errors, with the file and the key.
"""

import difflib

# ruff: noqa: N818 - the names say what is refused


class CatalogueError(Exception):
    """A refusal: `reason` in words, `clause` as "es-ct 1.IV.3.a" or None where no clause says it."""

    def __init__(self, reason: str, clause: str | None = None) -> None:
        super().__init__(f"{reason} ({clause})" if clause else reason)
        self.reason = reason
        self.clause = clause


class UnknownCatalogue(CatalogueError):
    """No text has this id; `known` lists those that exist."""

    def __init__(self, text: str, known: tuple[str, ...]) -> None:
        super().__init__(f"there is no catalogue {text!r}; there are: {', '.join(known)}")
        self.text = text
        self.known = known


class GameNotInCatalogue(CatalogueError):
    """The text does not have this game; `games` lists those that it has.

    `lenders` are the texts that have the rules of a game which this one only names.
    """

    def __init__(
        self,
        text: str,
        game: str,
        games: tuple[str, ...],
        why: str | None,
        clause: str | None,
        lenders: tuple[str, ...] = (),
    ) -> None:
        reason = f"{text} does not have the game {game!r}"
        near = [name for name in games if game in name] or difflib.get_close_matches(game, games)
        if why:
            reason += f": {why}"
        if near and not why:
            reason += f" (did you mean {' or '.join(near)}?)"
        elif not lenders:
            reason += f"; it has: {', '.join(games)}"
        super().__init__(reason, clause)
        self.text = text
        self.game = game
        self.games = games
        self.lenders = lenders


class BorrowRefused(CatalogueError):
    """Rules may be borrowed only for a game that the table's own text names without having its rules."""


class HouseRefused(CatalogueError):
    """A house's own rules can only make a text stricter; `key` is the place in the house's file."""

    def __init__(self, key: str, reason: str, clause: str | None = None) -> None:
        super().__init__(reason, clause)
        self.key = key


class LayoutRefused(CatalogueError):
    """The pockets' order or colours are not those of the text."""


class LimitRefused(CatalogueError):
    """The text does not allow this minimum or this multiple of it."""


class MinimumRefused(LimitRefused):
    """The minimum is none, or lower than it may be."""


class TermsRefused(CatalogueError):
    """The text has other terms: another commission, no insurance, other ways of paying the bank."""


class UnknownPocket(CatalogueError):
    """The wheel of this game has no pocket of this label."""


class NotACard(CatalogueError):
    """The pack has no card of this code."""


class NotDice(CatalogueError):
    """So many dice with these faces are no throw of this game."""


class BrokenEvidence(CatalogueError):
    """Evidence with a value that nothing can have been seen to be; None is "not seen" and no mistake."""


class NoWords(CatalogueError):
    """Nothing is announced in this language."""


class RuleAbsent(CatalogueError):
    """The text does not have this rule; a rule that is absent is never defaulted."""


class CatalogueDataError(CatalogueError):
    """A text or layout file holds a value of the wrong shape, or names what does not exist."""
