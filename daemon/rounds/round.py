"""What every family's round shares: the commands that reach it and what it gives out.

A round is a pure state machine: (state, reading or command, instant) to (state, outputs). Its state is
one frozen struct, so that it can be kept, restored and replayed.
"""

from typing import Any, Literal, Protocol

import msgspec

from daemon.records import Drop, Finding, PhaseName, Verdict
from drivers.readings import Instant, Reading

Policy = Literal["automatic", "inspector"]
"""Who voids: the machine at once, or the machine proposes and the table chief confirms."""


class TableOpened(msgspec.Struct, frozen=True, tag=True):
    """The table chief opened the table; rounds are judged from the next game on."""


class TableClosed(msgspec.Struct, frozen=True, tag=True):
    """The table chief closed the table; what the devices say opens no round."""


class NoMoreBets(msgspec.Struct, frozen=True, tag=True):
    """The croupier announced that bets are closed."""


class ChiefVoid(msgspec.Struct, frozen=True, tag=True):
    """The table chief voids the round in hand."""

    by: str
    reason: str


class Restarted(msgspec.Struct, frozen=True, tag=True):
    """The daemon itself began again: what happened meanwhile was not seen."""


RoundCommand = TableOpened | TableClosed | NoMoreBets | ChiefVoid | Restarted


class PhaseChanged(msgspec.Struct, frozen=True):
    """The round entered a phase."""

    phase: PhaseName
    at: Instant
    reason: str | None
    game: int | None


class RoundSettled(msgspec.Struct, frozen=True, kw_only=True):
    """A round is over: everything the record needs that the round knows."""

    verdict: Verdict
    label: str | None
    """What the device gave: a pocket's label, a segment's symbol."""
    place: int | None = None
    """Where, counted from 0 in the layout's order, from a device that knows places."""
    drop: Drop | None = None
    """Where a ball left the rim, from a device that sees it."""
    findings: tuple[Finding, ...]
    opened_at: Instant
    closed_at: Instant | None
    settled_at: Instant
    attempts: int
    reason: str | None


class Unexpected(msgspec.Struct, frozen=True, kw_only=True):
    """A reading that no transition expects here; noted, without effect."""

    phase: PhaseName
    reading: str
    data: dict[str, Any]


RoundOutput = PhaseChanged | RoundSettled | Unexpected
Event = Reading | RoundCommand


class RoundState(Protocol):
    """What the table reads of a round's state, whatever its family; the rest is the round's own."""

    @property
    def stage(self) -> str:
        """The round's own stage; "closed" and "over" are those in which no round is in hand."""
        ...

    @property
    def phase(self) -> PhaseName:
        """The published phase."""
        ...

    @property
    def reason(self) -> str | None:
        """Why it is in this phase."""
        ...

    @property
    def game(self) -> int | None:
        """The device's own game counter, where it has one."""
        ...


class Round(Protocol):
    """A family's state machine. States are what its own `start` and `step` gave."""

    def start(self) -> Any:
        """The state of a table that was never in play."""
        ...

    def step(self, state: Any, event: Event, at: Instant) -> tuple[Any, list[RoundOutput]]:
        """One reading or command at its instant: the next state and what comes of it."""
        ...

    def deadline(self, state: Any) -> int | None:
        """Monotonic nanoseconds at which `advance` is wanted."""
        ...

    def advance(self, state: Any, at: Instant) -> tuple[Any, list[RoundOutput]]:
        """Time is `at`; it never makes a result."""
        ...

    def refuses(self, state: Any, command: RoundCommand) -> str | None:
        """Why the round cannot take this command now, or None."""
        ...
