"""A switch that a hand moves, a lid's or a button: its moves without bounces; if it flutters. Pure."""

import msgspec

from drivers.readings import Instant
from drivers.sensor_faults import Faults, Standing
from drivers.tracking.contact import Contact
from drivers.tracking.pegs import BOUNCE

MOVES, WITHIN = 20, 60_000_000
"""Moves within so many µs that no hand makes: ten times opened and closed, pressed and let go."""
CALM = WITHIN
"""µs without a move after which it is believed again: after less, one burst after another would be told."""


class SwitchState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered of a switch."""

    contact: Contact = msgspec.field(default_factory=Contact)
    level: bool | None = None
    """As last heard."""
    moves: int = 0
    since: int = 0
    """When the first of the moves was."""
    moved: int | None = None
    """When the last of them was."""


class Switch:
    """One switch; times are the device's µs."""

    def __init__(self, name: str, faults: Faults) -> None:
        self.state = SwitchState()
        self._faults = faults
        self._fault, self._text = (
            f"{name}_flutters",
            f"the {name}'s switch changes as often as no hand moves it",
        )

    @property
    def flutters(self) -> bool:
        """Whether it changes without end: what it says is told to nobody."""
        return self._fault in self._faults

    def edge(self, time: int, high: bool, at: Instant) -> bool:
        """An edge; whether it is a move of its own and none of a bounce."""
        state = self.state
        state.level = high
        # one that never rests for as long as a bounce lasts moves nonetheless
        counts = (state.moved is None or time - state.moved > BOUNCE) and self._move(time, at)
        return state.contact.edge(time) or counts

    def rests(self, time: int, high: bool, at: Instant) -> bool:
        """How it stands by a heartbeat; whether that is no moment of a bounce."""
        state = self.state
        if not state.contact.rests(time):
            return False
        if high != state.level:
            if state.level is not None:
                self._move(time, at)
            state.level = high
        return True

    def _move(self, time: int, at: Instant) -> bool:
        """Counts; whether it flutters."""
        state = self.state
        over = state.moves >= MOVES and not self.flutters
        if over or not state.moves or time - state.since > WITHIN:
            state.moves, state.since = 0, time
        state.moves, state.moved = state.moves + 1, time
        if state.moves >= MOVES or self.flutters:
            self._faults.stand(self._fault, self._text, at, Standing(since=time, calm=CALM))
        return self.flutters
