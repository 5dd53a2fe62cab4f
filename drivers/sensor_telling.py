"""Which changes of a device's faults are told to the technician: each, unless there is no end of them.

The host's clock decides it: it is nothing that is judged.
"""

from collections.abc import Iterable, Mapping

import msgspec

from drivers.readings import SECOND, AnyReading, FaultCleared, FaultRaised, Instant
from drivers.sensor_remedies import remedy_of

FLAP = "faults_flap"
CHANGES, WITHIN = 30, 60 * SECOND
"""Changes that are told within so many ns of the host; more than a device has that fails, and is repaired."""


class TellingState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered of what was told."""

    changes: tuple[int, ...] = ()
    """When the last ones were, monotonic ns."""
    told: tuple[str, ...] | None = None
    """The faults that stood, and were told, before they flapped; None while each change is told."""

    def __post_init__(self) -> None:
        """Raises ValueError for what flaps without changes."""
        if len(self.changes) > CHANGES or (self.told is not None and not self.changes):
            raise ValueError("not what was told of faults")


class Telling:
    """One device's; what it has to say is appended to `said`."""

    def __init__(self, device: str, said: list[AnyReading]) -> None:
        self.state = TellingState()
        self._device, self._said = device, said

    @property
    def flaps(self) -> bool:
        """Whether one fault is told in place of all changes."""
        return self.state.told is not None

    def change(self, before: Iterable[str], at: Instant) -> None:
        """A fault is about to begin or to end; `before`: those that stand until then."""
        state = self.state
        full = len(state.changes) == CHANGES and _within(state.changes[0], at)
        state.changes = (*state.changes, at.mono)[-CHANGES:]
        if full and not self.flaps:
            self.raised(FLAP, f"faults began and ended more than {CHANGES} times within a minute", at)
            state.told = tuple(before)

    def raised(self, code: str, text: str, at: Instant) -> None:
        """There is such a fault, in words."""
        if not self.flaps:
            remedy = remedy_of(code)
            self._said.append(FaultRaised(device=self._device, at=at, code=code, text=text, remedy=remedy))

    def cleared(self, code: str, at: Instant) -> None:
        """There is no such fault any longer."""
        if not self.flaps:
            self._said.append(FaultCleared(device=self._device, at=at, code=code))

    def look(self, standing: Mapping[str, str], at: Instant) -> None:
        """Ends the flapping after a minute without a change; how `standing` (code, words) differs is told."""
        state = self.state
        if state.told is None or _within(state.changes[-1], at):
            return
        told, state.told, state.changes = state.told, None, ()
        for code in (FLAP, *(code for code in told if code not in standing)):
            self.cleared(code, at)
        for code, text in standing.items():
            if code not in told:
                self.raised(code, text, at)


def _within(change: int, at: Instant) -> bool:
    """Whether a change was in the last minute; the clock of the host's next start may be far behind it."""
    return abs(at.mono - change) <= WITHIN
