"""The table's memory: what is kept across restarts and from which a recorded round is replayed."""

from typing import Annotated, Any

import msgspec

from daemon.fairness.counts import WheelCounts
from daemon.play.play import Play
from daemon.table.terms import Terms
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
    """Everything the table remembers. `round` is the family's own state: see `read_state`."""

    family: str = "roulette"
    """The family of the game that was played; the first releases knew one, and did not say so."""
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
    wheel: WheelCounts | None = None
    """What the fairness of the present wheel is reckoned from; None before its first round."""
    lid_open: bool | None = None
    """As the lid's switch last said; None where there is none."""
    sealed: bool | None = None
    """While the table is closed: whether the lid was seen closed since; None where there is no switch."""
    round: Any = None


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The table between two inputs, complete: a replay that starts here gives the same records."""

    state: TableState
    drivers: dict[str, bytes]
    """Each driver's own snapshot by device id."""
    leftover: tuple[AnyReading, ...] = ()
    """Readings of the last piece of input that belong to the round which begins here."""
    terms: Terms | None = None
    """See `read_terms`."""

    def of(self, device: str) -> bytes:
        """A driver's own snapshot. Raises ValueError for a device that there was not."""
        if device not in self.drivers:
            raise ValueError(f"it knows no device {device}")
        return self.drivers[device]


encode_state = msgspec.json.Encoder().encode
_decode_state = msgspec.json.Decoder(TableState).decode
_decode_snapshot = msgspec.json.Decoder(Snapshot).decode


def new_state(play: Play[Any, Any], **known: Any) -> TableState:
    """The state of a table that was never in play; `known` are fields that are known all the same."""
    return TableState(family=play.game.family, round=play.round.start(), **known)


def read_state(data: bytes, play: Play[Any, Any]) -> TableState:
    """A kept state. Of another family's game only the numbers go on. Raises msgspec.DecodeError."""
    return _understood(_decode_state(data), play)


def read_snapshot(data: bytes, play: Play[Any, Any]) -> Snapshot:
    """A kept snapshot, its state as `read_state` gives it. Raises msgspec.DecodeError."""
    kept = _decode_snapshot(data)
    return msgspec.structs.replace(kept, state=_understood(kept.state, play))


def _understood(state: TableState, play: Play[Any, Any]) -> TableState:
    if state.family == play.game.family:
        return msgspec.structs.replace(state, round=msgspec.convert(state.round, play.state))
    numbers = ("next_round", "next_seq", "next_event", "session", "open", "faults")
    return new_state(play, **{name: getattr(state, name) for name in numbers})
