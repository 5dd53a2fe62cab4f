"""What every family's round shares: the commands that reach it and what it gives out.

A round is a pure state machine: (state, reading or command, instant) to (state, outputs). Its state is
one frozen struct, so that it can be kept, restored and replayed.
"""

from typing import Any, Literal

import msgspec

from daemon.records import Finding, PhaseName, Verdict
from drivers.readings import Instant

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
    """What the device gave: a pocket's label."""
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
