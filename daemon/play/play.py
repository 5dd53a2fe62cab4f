"""What a table needs of its game's family: everything in which one family differs from another."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from daemon.catalogue import announcements
from daemon.catalogue.model import Game, Language
from daemon.outcomes import Outcome
from daemon.records import Guidance, Request, RoundRecord
from daemon.rounds.round import Policy, Round, RoundSettled
from drivers.driver import Role

G = TypeVar("G", bound=Game)
O = TypeVar("O", bound=Outcome)  # noqa: E741 - an outcome


class CorrectionRefusedError(Exception):
    """A correction that this game cannot take; the text says why."""


class Play(ABC, Generic[G, O]):
    """A game of one family at one table. Pure."""

    role: ClassVar[Role]
    """The role that exactly one of the table's devices has."""
    other_roles: ClassVar[frozenset[Role]] = frozenset({"console"})
    """Roles that further devices may have."""
    places: ClassVar[str]
    """What the places of the layout are called, in the plural."""
    own_order: ClassVar[bool] = False
    """The order of the places is the table's own: no text gives it, the table's file does."""
    state: ClassVar[type[msgspec.Struct]]
    """The round's state."""
    result: ClassVar[type[Any]]
    """The family's outcome."""
    void_rule: ClassVar[str]
    """The rule on which a void by the table chief rests."""
    round: Round

    def __init__(self, game: G, language: Language, policy: Policy, segments: tuple[str, ...] = ()) -> None:
        self.game = game
        self.language = language
        self.layout = self.layout_of(game, segments)
        """Label of every place, in the order in which the readings count them."""

    # --- the layout -----------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def layout_of(cls, game: G, segments: tuple[str, ...]) -> tuple[str, ...]:
        """The label of every place. Raises LayoutRefused for an order of its own that breaks the text."""

    @classmethod
    @abstractmethod
    def layout_clause(cls, game: G) -> str:
        """Where the text says how many places there are."""

    @property
    def colors(self) -> Mapping[str, str]:
        """The colour of every label, where the text has colours."""
        return {}

    @property
    def names(self) -> Mapping[str, str]:
        """What a label is called in the table's language, where that is another word."""
        return {}

    # --- outcomes -------------------------------------------------------------------------------

    @abstractmethod
    def outcome(self, settled: RoundSettled) -> O | None:
        """What the device gave; None if it gave nothing, or what this game does not have."""

    @abstractmethod
    def corrected(self, request: Request) -> O:
        """What the table chief saw. Raises CorrectionRefusedError."""

    @abstractmethod
    def announce(self, outcome: O) -> str:
        """What is called out for a valid result."""

    @abstractmethod
    def guidance(
        self, outcome: O, record: RoundRecord, before: Iterable[RoundRecord]
    ) -> tuple[Guidance, ...]:
        """What the text has done about a valid result. `before`: the valid rounds before it, newest first."""

    def void_guidance(self, previous: str | None) -> tuple[Guidance, ...]:
        """What follows a void round where the text says so; `previous` is the last valid label."""
        return ()

    def announce_void(self) -> str:
        """What is called out for a void round."""
        return announcements.announce_void(self.game, self.language)


def needed(request: Request, label: str | None, named: str) -> str:
    """The label that a correction says, if it says all that it must. Raises CorrectionRefusedError."""
    if request.round is None or label is None or not (request.reason or "").strip():
        raise CorrectionRefusedError(f"'round', '{named}' and 'reason' are needed")
    return label
