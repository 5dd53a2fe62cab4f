"""What comes of one input to a table: what to record, and what to publish before and after that."""

from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from daemon.records import EventType, Message


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One link of the journal's chain. `seq` and `revision` stand for round records only."""

    kind: EventType
    at: int
    """Microseconds since 1970 UTC."""
    body: bytes
    """The JSON that was published, or would have been."""
    round: int | None = None
    seq: int | None = None
    revision: int | None = None


class RoundStart(NamedTuple):
    """A round's number, and the table's snapshot from which its recorded inputs can be replayed."""

    round: int
    snapshot: bytes


@dataclass(slots=True)
class Effects:
    """Filled by the table, carried out by its surroundings: live at once; the rest journal first."""

    live: list[Message] = field(default_factory=list)
    """Present state; the latest of a topic counts; nothing of it is a record."""
    entries: list[Entry] = field(default_factory=list)
    """For the journal, in order."""
    durable: list[Message] = field(default_factory=list)
    """Published after the commit, in order, until acknowledged."""
    after: list[Message] = field(default_factory=list)
    """Present state that tells of what was just recorded: published after the commit."""
    summarise: bool = False
    """A record was added: after the commit, `Table.summaries` is shown too."""
    reopen: list[tuple[str, str]] = field(default_factory=list)
    """Devices whose link should be opened anew, with the reason."""
    round_begins: list[RoundStart] = field(default_factory=list)
    """Rounds that begin after this input."""

    @property
    def must_be_recorded(self) -> bool:
        """Whether anything here needs a commit before it may be seen."""
        return bool(self.entries or self.durable or self.after or self.round_begins or self.summarise)
