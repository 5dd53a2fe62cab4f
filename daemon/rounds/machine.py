"""What every family's machine does alike: look an event up in its table and take the step it names."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Generic, Protocol, TypeVar

import msgspec

from daemon.records import Finding, PhaseName, Verdict
from daemon.rounds.round import Event, Policy, RoundCommand, RoundOutput, Unexpected
from drivers.readings import SECOND, Instant

VOID_WAITS = 60 * SECOND
"""How long a void round waits for the end of the device's game before it is settled without a result."""
CAUSES = 16
"""How many causes a round keeps: a device that repeats itself makes no record without end."""


class MachineState(Protocol):
    """What a machine reads of its state."""

    @property
    def stage(self) -> str:
        """The row of the table."""
        ...

    @property
    def phase(self) -> PhaseName:
        """The published phase."""
        ...

    @property
    def settle_by(self) -> int | None:
        """Monotonic nanoseconds at which a condemned round is settled as it stands."""
        ...

    @property
    def by_chief(self) -> bool:
        """The table chief voided it."""
        ...


S = TypeVar("S", bound=MachineState)
C = TypeVar("C")


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

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._steps: dict[str, Callable[[S, Event, Instant], tuple[S, list[RoundOutput]]]] = {
            name: getattr(self, f"_{name}")
            for row in (self.any_stage, *self.transitions.values())
            for name in row.values()
            if name != "."
        }

    @abstractmethod
    def start(self) -> S:
        """The state of a table that was never in play."""

    def step(self, state: S, event: Event, at: Instant) -> tuple[S, list[RoundOutput]]:
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

    def advance(self, state: S, at: Instant) -> tuple[S, list[RoundOutput]]:
        """The deadline came: a condemned round is settled as it stands; nothing else ever comes of time."""
        if state.settle_by is None or at.mono < state.settle_by:
            return state, []
        return self._given_up(state, at)

    @abstractmethod
    def _given_up(self, state: S, at: Instant) -> tuple[S, list[RoundOutput]]:
        """A condemned round whose end did not come."""

    def refuses(self, state: S, command: RoundCommand) -> str | None:
        """Why the round cannot take this command now, or None."""
        name = type(command).__name__
        if self.transitions[state.stage].get(name) is not None:
            return None
        said = self.refusals.get(name, "not possible in phase {phase}")
        return said.format(phase=state.phase)

    def _verdict(self, state: S, findings: tuple[Finding, ...], *, given: bool) -> Verdict:
        """What is said of a round that is over; without a result given it is never valid."""
        if given and not any(finding.effect == "void" for finding in findings):
            return "valid"
        return "void" if self._policy == "automatic" or state.by_chief else "held"
