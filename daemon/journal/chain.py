"""The journal's hash chain: every entry's hash covers its contents, the evidence, and the entry before it.

    hash = SHA-256( hash of the entry before          32 bytes
                  | header                            JSON array and a line feed:
                                                      [entry,kind,round,seq,revision,at,evidence]
                  | SHA-256(body)                     32 bytes
                  | SHA-256(lines of the evidence) )  32 bytes

The evidence of an entry is every piece recorded since the entry before it: the pieces numbered above that
one's `evidence` up to its own. Each is one line `[piece,round,kind,items,at,"digest"]`, where the digest is
the SHA-256 of its bytes in hexadecimal. So bytes that were removed by age leave their digest behind, and
what remains can still be checked. JSON is written without spaces, null for what is absent. Before a
journal's first entry stands `genesis`.

What this shows: any later change, removal, insertion or reordering of entries and evidence inside the
chain, by whoever cannot recompute all hashes after it. What no chain can show by itself: that its newest
end was cut off, or that all of it was computed anew by somebody with the program and the file. Against
that, note the head (`mesad verify` prints it) somewhere else from time to time: a chain that still
contains a noted head has not been rewritten up to there. Evidence newer than the newest entry is not
covered until the next entry is.

The lock beside the file is such a note. A file that is sound but ends before the entry noted there is an
older state: a copy put back, or one whose newest end was cut off; the file alone cannot tell which. It is
gone on with, and the next entry is `Restored`, with what the lock knew: that the end is missing stays in
the chain for ever. Entry and piece numbers go on without a gap, as they count the links of this chain; round,
seq, session and outbox numbers go on beyond every one that was used, so that no identity comes twice.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

_json = msgspec.json.Encoder().encode


class Anchor(NamedTuple):
    """An entry as seen from the one that follows it."""

    entry: int
    hash: bytes
    evidence: int
    """The last piece of evidence that the chain covers up to here."""


class Link(NamedTuple):
    """An entry as it stands in the file."""

    entry: int
    kind: str
    round: int | None
    seq: int | None
    revision: int | None
    at: int
    evidence: int
    body: bytes
    hash: bytes


class Piece(NamedTuple):
    """A piece of evidence as it stands in the file; `data` is None once it was removed by age or size."""

    piece: int
    round: int
    kind: str
    items: int
    at: int
    digest: bytes
    data: bytes | None

    def line(self) -> bytes:
        """What an entry's hash covers of it."""
        return _json((self.piece, self.round, self.kind, self.items, self.at, self.digest.hex())) + b"\n"


class Begun(msgspec.Struct, frozen=True, kw_only=True, tag="begun", tag_field="type"):
    """Body of a journal's first entry: why it was begun, and what came over from a file set aside."""

    reason: str
    set_aside: str | None = None
    """The name that the former file has now."""
    numbers: str
    """Where the numbers continue from, in words."""
    head: str | None = None
    """Hash of the former file's last entry, as far as known."""
    messages: int = 0
    """Undelivered messages taken over."""
    state: bool = False
    """Whether the table's state was taken over."""


class Restored(msgspec.Struct, frozen=True, kw_only=True, tag="restored", tag_field="type"):
    """Body of the entry with which an older state of a journal goes on."""

    known: int
    """The last entry that the lock knew of; 0 if there was no lock that could be read."""
    head: str | None
    """Hash of that entry."""
    round: int
    """The last round number that is skipped: the next is one above."""
    seq: int
    numbers: str
    """Where the numbers continue from, in words."""


class Removed(msgspec.Struct, frozen=True, kw_only=True, tag="removed", tag_field="type"):
    """Body of the entry that announces a removal by age or size: what lacks up to here lacks rightly."""

    entries: int
    """Entries up to this one are removed."""
    hash: str
    """Hash of that entry."""
    evidence: int
    """Pieces of evidence up to this one lose their bytes."""
    reason: str


OWN = "journal"
"""Kind of the entries that the journal writes about itself; no message goes out for them."""

_decode_own = msgspec.json.Decoder(Begun | Restored | Removed).decode


def digest(data: bytes) -> bytes:
    """SHA-256 of a piece of evidence, 32 bytes."""
    return hashlib.sha256(data).digest()


def genesis(site: str, table: str, identity: bytes, created: int, before: int) -> bytes:
    """What stands before the first entry: it binds the chain to its table and to this one file.

    `identity` is random, `created` microseconds since 1970, `before` the number one below the first entry's.
    """
    return digest(_json(("mesad journal", site, table, identity.hex(), created, before)) + b"\n")


def entry_hash(previous: bytes, header: tuple[Any, ...], body: bytes, evidence: bytes) -> bytes:
    """The hash of an entry. `header` as in the module's description, `evidence` the digest of its lines."""
    link = hashlib.sha256(previous)
    link.update(_json(header) + b"\n")
    link.update(digest(body))
    link.update(evidence)
    return link.digest()


class Walk(NamedTuple):
    """What a walk along a chain found besides the problems it reported."""

    head: Anchor
    entries: int
    pieces: int
    without_bytes: int
    """Pieces whose bytes were removed, of which only the digest is left."""
    last_without_bytes: int
    """The highest number among them."""
    uncovered: int
    """Pieces newer than the newest entry."""
    removals: tuple[Removed, ...]


def follow(
    anchor: Anchor, links: Iterable[Link], pieces: Iterable[Piece], report: Callable[[str], None]
) -> Walk:
    """Walk the chain from `anchor`, entries and evidence in order of their numbers, reporting each problem.

    After a problem the walk goes on from what stands in the file, so one change is reported once.
    """
    walked = _Pieces(iter(pieces), anchor.evidence, report)
    head, entries, seq = anchor, 0, 0
    removals: list[Removed] = []
    for link in links:
        entries += 1
        missing = link.entry - head.entry - 1
        if missing:
            report(f"entry {link.entry}: the {missing} entries before it are missing")
        lines = b"".join(walked.up_to(link.evidence))
        header = (link.entry, link.kind, link.round, link.seq, link.revision, link.at, link.evidence)
        if link.hash != entry_hash(head.hash, header, link.body, digest(lines)) and not missing:
            report(
                f"entry {link.entry}: its hash does not follow from entry {head.entry} and its own contents"
            )
        if link.seq is not None:
            if link.seq <= seq:
                report(f"entry {link.entry}: seq {link.seq} stands after seq {seq}")
            seq = link.seq
        if link.kind == OWN:
            removals += _removals(link, report)
        head = Anchor(link.entry, link.hash, link.evidence)
    covered = walked.count
    for _ in walked.rest():
        pass
    return Walk(
        head,
        entries,
        walked.count,
        walked.without_bytes,
        walked.last_without_bytes,
        walked.count - covered,
        tuple(removals),
    )


def unannounced(anchor: Anchor, first: Anchor, walk: Walk) -> Iterator[str]:
    """Problems with what lacks: whether the chain itself announces every removal.

    `anchor` is where the remaining chain begins, `first` where the file began (its genesis).
    """
    announced_entries = max((removal.entries for removal in walk.removals), default=first.entry)
    announced_evidence = max((removal.evidence for removal in walk.removals), default=0)
    if anchor.entry == first.entry:
        if anchor.hash != first.hash:
            yield "the chain does not begin at this journal's genesis"
    elif anchor.entry > announced_entries:
        yield f"entries up to {anchor.entry} are gone, but only {announced_entries} are announced as removed"
    for removal in walk.removals:
        if removal.entries == anchor.entry != first.entry and removal.hash != anchor.hash.hex():
            yield f"the hash kept of removed entry {anchor.entry} is not the announced one"
    if walk.last_without_bytes > announced_evidence:
        yield (
            f"evidence {walk.last_without_bytes}: its bytes are gone, but only those up to "
            f"{announced_evidence} are announced as removed"
        )


def _removals(link: Link, report: Callable[[str], None]) -> Iterator[Removed]:
    try:
        own = _decode_own(link.body)
    except msgspec.DecodeError:
        report(f"entry {link.entry}: unreadable entry of the journal about itself")
        return
    if isinstance(own, Removed):
        yield own


class _Pieces:
    """The evidence, taken in step with the entries that cover it."""

    def __init__(self, pieces: Iterator[Piece], last: int, report: Callable[[str], None]) -> None:
        self._pieces = pieces
        self._next = next(pieces, None)
        self._last = last
        self._report = report
        self.count = 0
        self.without_bytes = 0
        self.last_without_bytes = 0

    def up_to(self, number: int) -> Iterator[bytes]:
        """Lines of the pieces up to this number."""
        while self._next is not None and self._next.piece <= number:
            piece, self._next = self._next, next(self._pieces, None)
            self._check(piece)
            yield piece.line()
        if self._last < number:
            self._report(f"evidence {self._last + 1} to {number} is missing")
            self._last = number

    def rest(self) -> Iterator[bytes]:
        """Lines of what is left."""
        while self._next is not None:
            yield from self.up_to(self._next.piece)

    def _check(self, piece: Piece) -> None:
        if piece.piece != self._last + 1:
            self._report(f"evidence {self._last + 1} to {piece.piece - 1} is missing")
        self._last = piece.piece
        self.count += 1
        if piece.data is None:
            self.without_bytes += 1
            self.last_without_bytes = piece.piece
        elif digest(piece.data) != piece.digest:
            self._report(f"evidence {piece.piece} (round {piece.round}): its bytes do not match their digest")
