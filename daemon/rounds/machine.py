"""What every family's machine does alike: how its table is read, and the steps that all tables name.

A round that cannot stand is condemned: it waits for the end of the device's game, so that what the device
still gives stands in the record as evidence, but not for ever, and it can no longer become a result.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Literal, TypeVar

import msgspec

from daemon.catalogue.model import Game, clause_or_none
from daemon.records import Drop, Finding, PhaseName, Verdict
from daemon.rounds.round import (
    ChiefVoid,
    Event,
    NoMoreBets,
    PhaseChanged,
    Policy,
    RoundCommand,
    RoundOutput,
    RoundSettled,
    TableClosed,
    TableOpened,
    Unexpected,
)
from drivers.readings import SECOND, ButtonPressed, Instant

VOID_WAITS = 60 * SECOND
"""How long a void round waits for the end of the device's game before it is settled without a result."""
CAUSES = 16
"""How many causes a round keeps: a device that repeats itself makes no record without end."""

Stage = Literal["closed", "betting", "in_play", "no_more_bets", "condemned", "over"]
"""The rows of every table."""


class MachineState(msgspec.Struct, frozen=True, kw_only=True):
    """What every round is, whatever its family; the first three outlive the round."""

    stage: Stage = "closed"
    phase: PhaseName = "closed"
    table_open: bool = True

    game: int | None = None
    """The device's own game counter, where it has one."""
    opened_at: Instant | None = None
    closed_at: Instant | None = None
    condemned: tuple[Finding, ...] = ()
    """Why the round cannot stand, from what the rules do not see: half seen, chief's void, no result."""
    by_chief: bool = False
    """The table chief voided it."""
    settle_by: int | None = None
    """Monotonic nanoseconds at which a condemned round is settled as it stands."""
    reason: str | None = None


S = TypeVar("S", bound=MachineState)
C = TypeVar("C")
Next = tuple[S, list[RoundOutput]]
"""What a step gives: the next state and what comes of it."""
_replace = msgspec.structs.replace


def unexpected(state: MachineState, event: Event) -> Unexpected:
    """The note that nothing here expects this event, with all that it said."""
    return Unexpected(phase=state.phase, reading=type(event).__name__, data=msgspec.to_builtins(event))


def with_cause(causes: tuple[C, ...], cause: C) -> tuple[C, ...]:
    """The causes and this one, each once; of more than `CAUSES`, the first ones and the latest."""
    return causes if cause in causes else (*causes[: CAUSES - 1], cause)


class Machine(ABC, Generic[S]):
    """A round as a table of transitions: a value names a step, a method; a dot is nothing to do."""

    transitions: ClassVar[Mapping[str, Mapping[str, str]]]
    any_stage: ClassVar[Mapping[str, str]]
    refusals: ClassVar[Mapping[str, str]] = {
        "NoMoreBets": "bets are not open: the round is in phase {phase}",
        "ChiefVoid": "no round is in hand: the table is in phase {phase}",
        "TableOpened": "the table is open",
    }
    """Why a command is refused that has no transition, by the command's name; `{phase}` is filled in."""
    result_rule: ClassVar[str]
    """The rule that makes a result: its clause asks for what was not seen."""
    void_rule: ClassVar[str]
    """The rule by which the table chief voids."""
    waits_for: ClassVar[str]
    """Why an open table has no round in hand."""

    def __init__(self, game: Game, policy: Policy) -> None:
        self._game = game
        self._policy = policy
        self._steps: dict[str, Callable[[S, Event, Instant], Next[S]]] = {
            name: getattr(self, f"_{name}")
            for row in (self.any_stage, *self.transitions.values())
            for name in row.values()
            if name != "."
        }

    # --- what a family says of itself -----------------------------------------------------------

    @abstractmethod
    def start(self) -> S:
        """The state of a table that was never in play."""

    @abstractmethod
    def _settle_unread(self, state: S, at: Instant) -> Next[S]:
        """The round is over, and the device gave nothing."""

    @abstractmethod
    def _voids(self, state: S) -> tuple[Finding, ...]:
        """What voids the round by now, of what the clauses find."""

    def _waits_until(self, state: S, at: Instant) -> int | None:
        """How long the end of a round is waited for that is condemned now; None for ever."""
        return at.mono + VOID_WAITS

    # --- what is asked of a round ---------------------------------------------------------------

    def step(self, state: S, event: Event, at: Instant) -> Next[S]:
        """One reading or command at its instant: the next state and what comes of it."""
        name = type(event).__name__
        step = self.transitions[state.stage].get(name) or self.any_stage.get(name)
        if step == ".":
            return state, []
        if step is None:
            return state, [unexpected(state, event)]
        return self._steps[step](state, event, at)

    def deadline(self, state: S) -> int | None:
        """Monotonic nanoseconds at which `advance` is wanted."""
        return state.settle_by

    def advance(self, state: S, at: Instant) -> Next[S]:
        """The deadline came: a condemned round is settled as it stands; nothing else ever comes of time."""
        if state.settle_by is None or at.mono < state.settle_by:
            return state, []
        return self._settle_unread(state, at)

    def refuses(self, state: S, command: RoundCommand) -> str | None:
        """Why the round cannot take this command now, or None."""
        name = type(command).__name__
        if self.transitions[state.stage].get(name) is not None:
            return None
        said = self.refusals.get(name, "not possible in phase {phase}")
        return said.format(phase=state.phase)

    # --- steps: no round in hand ----------------------------------------------------------------

    def _wait(self, state: S, event: Event, at: Instant) -> Next[S]:
        table_open = state.table_open or isinstance(event, TableOpened)
        return self._idle(self.waits_for, at, table_open=table_open)

    def _shut(self, state: S, event: Event, at: Instant) -> Next[S]:
        table_open = state.table_open and not isinstance(event, TableClosed)
        return self._idle("the wheel is closed", at, table_open=table_open)

    def _idle(self, reason: str, at: Instant, *, table_open: bool) -> Next[S]:
        reason = reason if table_open else "the table is closed"
        return _replace(self.start(), table_open=table_open, reason=reason), [
            PhaseChanged("closed", at, reason, None)
        ]

    # --- steps: in hand -------------------------------------------------------------------------

    def _close_bets(self, state: S, event: Event, at: Instant) -> Next[S]:
        by_croupier = isinstance(event, NoMoreBets | ButtonPressed)
        reason = "announced by the croupier" if by_croupier else None
        state = _replace(state, stage="no_more_bets", phase="no_more_bets", closed_at=at)
        return state, [PhaseChanged("no_more_bets", at, reason, state.game)]

    def _chief_void(self, state: S, event: Event, at: Instant) -> Next[S]:
        assert isinstance(event, ChiefVoid)
        finding = Finding(
            rule=self.void_rule,
            clause=clause_or_none(self._game, self.void_rule),
            effect="void",
            evidence={"chief": event.reason, "by": event.by},
        )
        return self._condemn(self._because(_replace(state, by_chief=True), finding), at)

    def _condemn(self, state: S, at: Instant) -> Next[S]:
        """The round cannot stand, for a cause in its state. Its record waits for the end of the game."""
        phase: PhaseName = "void" if self._policy == "automatic" or state.by_chief else "held"
        reason = (state.condemned or self._voids(state))[-1].rule
        settle_by = self._waits_until(state, at) if state.settle_by is None else state.settle_by
        state = _replace(state, stage="condemned", phase=phase, settle_by=settle_by, reason=reason)
        return state, [PhaseChanged(phase, at, reason, state.game)]

    # --- steps: endings -------------------------------------------------------------------------

    def _interrupted(self, state: S, event: Event, at: Instant) -> Next[S]:
        seen = {"lost": "the wheel was not heard meanwhile"}
        return self._settle_unread(self._missing(state, "round.half_seen", seen), at)

    def _restart(self, state: S, event: Event, at: Instant) -> Next[S]:
        outputs: list[RoundOutput] = []
        if state.stage in ("in_play", "no_more_bets", "condemned"):
            state = self._missing(state, "round.half_seen", {"lost": "the device restarted"})
            state, outputs = self._settle_unread(state, at)
        state, waiting = self._wait(state, event, at)
        return state, outputs + waiting

    def _no_result(self, state: S, event: Event, at: Instant) -> Next[S]:
        seen = {"after": state.phase, "then": getattr(event, "reason", None) or type(event).__name__}
        return self._end(self._missing(state, "round.no_result", seen), event, at)

    def _end(self, state: S, event: Event, at: Instant) -> Next[S]:
        """The device's game is over without a result; what ended it may begin the next one."""
        state, outputs = self._settle_unread(state, at)
        following = self.transitions[state.stage].get(type(event).__name__, ".")
        if following != ".":
            state, more = self._steps[following](state, event, at)
            outputs = outputs + more
        return state, outputs

    # --- records and verdicts -------------------------------------------------------------------

    def _record(
        self,
        state: S,
        findings: tuple[Finding, ...],
        at: Instant,
        *,
        label: str | None,
        place: int | None,
        drop: Drop | None = None,
        attempts: int,
    ) -> Next[S]:
        """The round is over: its record, and the state after it."""
        assert state.opened_at is not None
        verdict = self._verdict(state, findings, given=label is not None)
        phase: PhaseName = "result" if verdict == "valid" else verdict
        reason = next((f.rule for f in reversed(findings) if f.effect == "void"), None)
        settled = RoundSettled(
            verdict=verdict,
            label=label,
            place=place,
            drop=drop,
            findings=findings,
            opened_at=state.opened_at,
            closed_at=state.closed_at,
            settled_at=at,
            attempts=attempts,
            reason=reason,
        )
        over = _replace(
            self.start(),
            stage="over",
            phase=phase,
            table_open=state.table_open,
            game=state.game,
            reason=reason,
        )
        return over, [settled, PhaseChanged(phase, at, reason, state.game)]

    def _verdict(self, state: S, findings: tuple[Finding, ...], *, given: bool) -> Verdict:
        """What is said of a round that is over; without a result given it is never valid."""
        if given and not any(finding.effect == "void" for finding in findings):
            return "valid"
        return "void" if self._policy == "automatic" or state.by_chief else "held"

    def _because(self, state: S, finding: Finding) -> S:
        return _replace(state, condemned=with_cause(state.condemned, finding))

    def _missing(self, state: S, rule: str, seen: dict[str, Any]) -> S:
        """The clause that makes a result asks for what was not seen."""
        return self._because(state, self._unseen(rule, seen))

    def _unseen(self, rule: str, seen: dict[str, Any]) -> Finding:
        clause = clause_or_none(self._game, self.result_rule)
        return Finding(rule=rule, clause=clause, effect="void", evidence=seen)
