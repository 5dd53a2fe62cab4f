"""What is handed to the journal, and what comes back."""

import re

import msgspec

from daemon.records import Message
from daemon.table.effects import Entry


class Input(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One input of a round as it came in: evidence. Stored as a MessagePack array of these six fields."""

    round: int
    device: str
    kind: str
    mono: int
    """Nanoseconds, monotonic."""
    wall: int
    """Microseconds since 1970 UTC."""
    data: bytes


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """One atomic commit: all of it is in the journal, or nothing."""

    inputs: tuple[Input, ...] = ()
    """Evidence, in the order in which it came."""
    round_start: tuple[int, bytes] | None = None
    """A round and the snapshot from which its inputs, those of this batch included, can be replayed."""
    entries: tuple[Entry, ...] = ()
    messages: tuple[Message, ...] = ()
    """To be published after the commit, in order, until the broker has them."""
    state: bytes | None = None
    """The table's state after all this; the next start finds the latest one."""


class CommitResult(msgspec.Struct, frozen=True):
    """A batch is durable: the numbers of its entries and the outbox ids of its messages, both in order."""

    entries: tuple[int, ...]
    outbox: tuple[int, ...]


_HEAD = re.compile("(?:[0-9a-f]{64})?")
_NEWEST = 1 << 53  # the largest number that every reader of JSON takes
_NEWEST_SESSION = 1 << 32  # a table numbers its events from a multiple of it, within 64 bits


class Numbers(msgspec.Struct, frozen=True, kw_only=True):
    """The last numbers used; zero where none was."""

    entry: int = 0
    seq: int = 0
    round: int = 0
    session: int = 0
    outbox: int = 0
    piece: int = 0
    head: str = ""
    """Hash of the last entry, hexadecimal."""

    @property
    def plausible(self) -> bool:
        """Whether a journal can have counted up to here; what is not was garbled or made up."""
        counted = (self.entry, self.seq, self.round, self.outbox, self.piece)
        return (
            all(0 <= number < _NEWEST for number in counted)
            and 0 <= self.session < _NEWEST_SESSION
            and _HEAD.fullmatch(self.head) is not None
        )

    def at_least(self, other: "Numbers") -> "Numbers":
        """The higher of each number, with the head of the one that got further."""
        return Numbers(
            entry=max(self.entry, other.entry),
            seq=max(self.seq, other.seq),
            round=max(self.round, other.round),
            session=max(self.session, other.session),
            outbox=max(self.outbox, other.outbox),
            piece=max(self.piece, other.piece),
            head=self.head if self.entry >= other.entry else other.head,
        )

    def skip(self, margin: int) -> "Numbers":
        """All numbers that much higher, so that none used meanwhile can come again."""
        return Numbers(
            entry=self.entry + margin,
            seq=self.seq + margin,
            round=self.round + margin,
            session=self.session + margin,
            outbox=self.outbox + margin,
            piece=self.piece + margin,
            head=self.head,
        )
