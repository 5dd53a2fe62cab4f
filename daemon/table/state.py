"""The table's memory: what is kept across restarts and from which a recorded round is replayed."""

from typing import Annotated

import msgspec

from daemon.rounds.wheel import WheelState
from drivers.readings import AnyReading

HISTORY_LENGTH = 100


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over the table's rounds since the journal began; corrections included."""

    valid: dict[str, int] = {}
    void: int = 0
    held: int = 0


class PendingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """New limits that wait for the announced last rounds."""

    minimum: int
    multiple: int | None
    by: str


class TableState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the table remembers. `round` is the family's own state."""

    next_round: Annotated[int, msgspec.Meta(ge=1)] = 1
    """The number of the round in hand, or of the next one to open."""
    next_seq: Annotated[int, msgspec.Meta(ge=1)] = 1
    next_event: Annotated[int, msgspec.Meta(ge=1)] = 1
    session: int = 1
    open: bool = True
    last_valid: str | None = None
    """The last valid number: what stays on the board after a void."""
    last_valid_round: int = 0
    last_rounds: int | None = None
    """Rounds still to be played of the announced last ones."""
    minimum: int | None = None
    multiple: int | None = None
    pending_limits: PendingLimits | None = None
    faults: tuple[str, ...] = ()
    """Codes that are latched: a daemon that was killed left them on the broker."""
    tally: Tally = Tally()
    round: WheelState = WheelState()


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The table between two inputs, complete: a replay that starts here gives the same records."""

    state: TableState
    drivers: dict[str, bytes]
    """Each driver's own snapshot by device id."""
    leftover: tuple[AnyReading, ...] = ()
    """Readings of the last piece of input that belong to the round which begins here."""


encode_state = msgspec.json.Encoder().encode
decode_state = msgspec.json.Decoder(TableState).decode
decode_snapshot = msgspec.json.Decoder(Snapshot).decode
