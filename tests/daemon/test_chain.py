"""The hash chain: what it covers, and that every later change of it is found."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.journal import chain
from daemon.journal.chain import Anchor, Link, Piece

START = Anchor(0, chain.genesis("madrid-1", "ruleta-01", b"i" * 16, 1_700_000_000_000_000, 0), 0)


def piece(number: int, data: bytes) -> Piece:
    return Piece(number, number // 2, "inputs", 3, 1000 * number, chain.digest(data), data)


def link(
    before: Anchor, pieces: list[Piece], body: bytes, *, kind: str = "round", seq: int | None = None
) -> Link:
    """The entry after `before` which covers the pieces given."""
    covered = pieces[-1].piece if pieces else before.evidence
    header = (before.entry + 1, kind, 7, seq, None, 5, covered)
    lines = chain.digest(b"".join(each.line() for each in pieces))
    return Link(*header, body, chain.entry_hash(before.hash, header, body, lines))


def make_chain(count: int = 6) -> tuple[list[Link], list[Piece]]:
    """A sound chain: entry n covers two pieces of evidence, seq rises."""
    links, pieces, before = [], [], START
    for number in range(1, count + 1):
        fresh = [piece(2 * number - 1, b"a%d" % number), piece(2 * number, b"b%d" % number)]
        links.append(link(before, fresh, b'{"n":%d}' % number, seq=number))
        pieces += fresh
        before = Anchor(number, links[-1].hash, links[-1].evidence)
    return links, pieces


def problems_of(links: list[Link], pieces: list[Piece], anchor: Anchor = START) -> list[str]:
    problems: list[str] = []
    walk = chain.follow(anchor, links, pieces, problems.append)
    return problems + list(chain.unannounced(anchor, START, walk))


def test_a_sound_chain_has_no_problems() -> None:
    links, pieces = make_chain()
    problems: list[str] = []
    walk = chain.follow(START, links, pieces, problems.append)
    assert problems == []
    assert walk.head == Anchor(6, links[-1].hash, 12)
    assert (walk.entries, walk.pieces, walk.without_bytes, walk.uncovered) == (6, 12, 0, 0)


def test_the_hash_is_the_documented_one() -> None:
    """Computed from the description alone, as an auditor would."""
    links, pieces = make_chain(1)
    lines = "".join(
        json.dumps(
            [each.piece, each.round, each.kind, each.items, each.at, each.digest.hex()], separators=(",", ":")
        )
        + "\n"
        for each in pieces
    )
    header = json.dumps([1, "round", 7, 1, None, 5, 2], separators=(",", ":")) + "\n"
    content = START.hash + header.encode()
    content += hashlib.sha256(b'{"n":1}').digest() + hashlib.sha256(lines.encode()).digest()
    assert links[0].hash == hashlib.sha256(content).digest()


@pytest.mark.parametrize(
    "genesis",
    [
        chain.genesis("madrid-2", "ruleta-01", b"i" * 16, 1_700_000_000_000_000, 0),
        chain.genesis("madrid-1", "ruleta-02", b"i" * 16, 1_700_000_000_000_000, 0),
        chain.genesis("madrid-1", "ruleta-01", b"j" * 16, 1_700_000_000_000_000, 0),
        chain.genesis("madrid-1", "ruleta-01", b"i" * 16, 1_700_000_000_000_001, 0),
        chain.genesis("madrid-1", "ruleta-01", b"i" * 16, 1_700_000_000_000_000, 1),
    ],
)
def test_the_genesis_binds_the_chain_to_its_table_and_file(genesis: bytes) -> None:
    assert genesis != START.hash
    links, pieces = make_chain()
    assert any("entry 1" in each for each in problems_of(links, pieces, START._replace(hash=genesis)))


CHANGES: dict[str, Callable[[Link], Link]] = {
    "kind": lambda link: link._replace(kind="finding"),
    "round": lambda link: link._replace(round=8),
    "seq": lambda link: link._replace(seq=None),
    "revision": lambda link: link._replace(revision=1),
    "at": lambda link: link._replace(at=6),
    "evidence": lambda link: link._replace(evidence=5),
    "body": lambda link: link._replace(body=link.body + b" "),
    "hash": lambda link: link._replace(hash=bytes(32)),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("number", [1, 3, 6])
def test_a_changed_entry_is_found(change: str, number: int) -> None:
    links, pieces = make_chain()
    links[number - 1] = CHANGES[change](links[number - 1])
    found = problems_of(links, pieces)
    assert any(f"entry {number}:" in each for each in found)


def test_an_entry_whose_hash_was_recomputed_breaks_the_next() -> None:
    links, pieces = make_chain()
    third = links[2]
    header = (3, third.kind, third.round, third.seq, third.revision, third.at, third.evidence)
    lines = chain.digest(b"".join(each.line() for each in pieces[4:6]))
    links[2] = third._replace(body=b"{}", hash=chain.entry_hash(links[1].hash, header, b"{}", lines))
    assert problems_of(links, pieces) == [
        "entry 4: its hash does not follow from entry 3 and its own contents"
    ]


def test_a_change_is_reported_once() -> None:
    links, pieces = make_chain()
    links[2] = links[2]._replace(body=b"{}")
    assert len(problems_of(links, pieces)) == 1


def test_a_removed_entry_is_found() -> None:
    links, pieces = make_chain()
    del links[2]
    assert "entry 4: the 1 entries before it are missing" in problems_of(links, pieces)


def test_removed_first_entries_are_found() -> None:
    links, pieces = make_chain()
    assert "entry 3: the 2 entries before it are missing" in problems_of(links[2:], pieces)


def test_entries_that_changed_places_are_found() -> None:
    links, pieces = make_chain()
    second, third = links[1], links[2]
    links[1] = third._replace(entry=2)
    links[2] = second._replace(entry=3)
    found = problems_of(links, pieces)
    assert any("entry 2:" in each for each in found)
    assert any("entry 3:" in each for each in found)
    assert any("seq 2 stands after seq 3" in each for each in found)


def test_an_inserted_entry_is_found() -> None:
    links, pieces = make_chain()
    more = link(Anchor(6, bytes(32), 12), [], b"{}")
    assert any("entry 7" in each for each in problems_of([*links, more], pieces))


@pytest.mark.parametrize(
    "change",
    [
        lambda piece: piece._replace(data=piece.data + b"!"),
        lambda piece: piece._replace(data=b"new", digest=chain.digest(b"new")),
        lambda piece: piece._replace(round=99),
        lambda piece: piece._replace(kind="start"),
        lambda piece: piece._replace(items=4),
        lambda piece: piece._replace(at=1),
    ],
)
@pytest.mark.parametrize("number", [1, 6, 12])
def test_changed_evidence_is_found(change: Callable[[Piece], Piece], number: int) -> None:
    links, pieces = make_chain()
    pieces[number - 1] = change(pieces[number - 1])
    assert problems_of(links, pieces)


@pytest.mark.parametrize("number", [1, 6, 12])
def test_removed_evidence_is_found(number: int) -> None:
    links, pieces = make_chain()
    del pieces[number - 1]
    assert f"evidence {number} to {number} is missing" in problems_of(links, pieces)


def test_evidence_after_the_newest_entry_is_counted_and_checked() -> None:
    links, pieces = make_chain()
    pieces += [piece(13, b"x"), piece(14, b"y")._replace(data=b"z")]
    problems: list[str] = []
    walk = chain.follow(START, links, pieces, problems.append)
    assert (walk.uncovered, walk.pieces) == (2, 14)
    assert problems == ["evidence 14 (round 7): its bytes do not match their digest"]


# --- removal by age and size ------------------------------------------------------------------


def removal(entries: int, hash_: bytes, evidence: int) -> bytes:
    return msgspec.json.encode(
        chain.Removed(entries=entries, hash=hash_.hex(), evidence=evidence, reason="age")
    )


def shortened(announced: int = 2, gone: int = 2, emptied: int = 6) -> tuple[Anchor, list[Link], list[Piece]]:
    """A chain that announces the removal of two entries and the bytes of six pieces, and what is gone."""
    links, pieces = make_chain()
    body = removal(announced, links[announced - 1].hash, 6)
    links.append(link(Anchor(6, links[-1].hash, 12), [], body, kind=chain.OWN))
    left = [each._replace(data=None) if each.piece <= emptied else each for each in pieces[2 * gone :]]
    return Anchor(gone, links[gone - 1].hash, 2 * gone), links[gone:], left


def test_announced_removals_leave_a_sound_chain() -> None:
    anchor, links, pieces = shortened()
    assert problems_of(links, pieces, anchor) == []


def test_a_removal_that_is_under_way_is_sound() -> None:
    anchor, links, pieces = shortened(gone=1, emptied=3)
    assert problems_of(links, pieces, anchor) == []


def test_entries_gone_beyond_the_announcement_are_found() -> None:
    anchor, links, pieces = shortened(gone=3)
    assert problems_of(links, pieces, anchor) == [
        "entries up to 3 are gone, but only 2 are announced as removed"
    ]


def test_evidence_emptied_beyond_the_announcement_is_found() -> None:
    anchor, links, pieces = shortened(emptied=8)
    (problem,) = problems_of(links, pieces, anchor)
    assert problem.startswith("evidence 8: its bytes are gone")


def test_an_anchor_that_is_not_the_announced_one_is_found() -> None:
    anchor, links, pieces = shortened()
    assert "the hash kept of removed entry 2 is not the announced one" in problems_of(
        links, pieces, anchor._replace(hash=bytes(32))
    )


def test_digests_of_emptied_evidence_are_still_covered() -> None:
    anchor, links, pieces = shortened()
    pieces[0] = pieces[0]._replace(digest=bytes(32))
    assert problems_of(links, pieces, anchor)


def test_an_unreadable_announcement_is_found() -> None:
    links, pieces = make_chain()
    links.append(link(Anchor(6, links[-1].hash, 12), [], b'{"type":"nonsense"}', kind=chain.OWN))
    assert problems_of(links, pieces) == ["entry 7: unreadable entry of the journal about itself"]


# --- anything at all --------------------------------------------------------------------------


@given(st.data())
def test_any_change_of_any_field_is_found(data: st.DataObject) -> None:
    links, pieces = make_chain(3)
    rows: list[Any] = links if data.draw(st.booleans()) else pieces
    at = data.draw(st.integers(0, len(rows) - 1))
    row = rows[at]
    field = data.draw(st.sampled_from(row._fields))
    old = getattr(row, field)
    new = data.draw(
        {
            int: st.integers(0, 1 << 40),
            bytes: st.binary(max_size=40),
            str: st.sampled_from(["round", "finding", "inputs", "start"]),
            type(None): st.integers(0, 9),
        }[type(old)].filter(lambda value: value != old)
    )
    rows[at] = row._replace(**{field: new})
    if field in ("entry", "piece"):  # as SQLite gives them: in order of their numbers, which are unique
        numbers = [each[0] for each in rows]
        if len(set(numbers)) < len(numbers):
            return
        rows.sort(key=lambda each: each[0])
    assert problems_of(links, pieces)
