"""The line splitter: ends in any order, joined streams, caps, and the same lines however bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.framing import LINE_LIMIT, LineSplitter


def joined(limit: int = LINE_LIMIT, start: bytes = b"") -> LineSplitter:
    """A splitter that has seen a line end."""
    splitter = LineSplitter(limit, start)
    assert splitter.feed(b"\n") == []
    return splitter


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n", b"\n\r", b"\r\r\n\n"])
def test_either_end_in_any_order_ends_a_line_and_empty_pieces_are_dropped(end: bytes) -> None:
    assert joined().feed(b"17" + end + b"*X" + end) == [b"17", b"*X"]


def test_a_line_is_given_when_its_end_comes() -> None:
    splitter = joined()
    assert splitter.feed(b"*X;5") == []
    assert splitter.feed(b";012") == []
    assert splitter.feed(b"\r") == [b"*X;5;012"]
    assert splitter.feed(b"\n") == []


def test_what_comes_before_the_first_end_is_dropped() -> None:
    splitter = LineSplitter(start=b"*")
    assert splitter.feed(b";5;012;31;0;158;0") == []
    assert splitter.feed(b"\r\n*X;5\r\n") == [b"*X;5"]
    assert splitter.overlong == 0


def test_a_first_piece_that_begins_with_the_start_is_no_tail() -> None:
    assert LineSplitter(start=b"*").feed(b"*S\r\n") == [b"*S"]
    assert LineSplitter(start=b"*").feed(b"1\r\n") == []
    assert LineSplitter().feed(b"*S\r\n") == []


def test_reopening_forgets_the_half_line_and_joins_anew() -> None:
    splitter = joined(start=b"*")
    assert splitter.feed(b"*X;5;0") == []
    splitter.reopen()
    assert splitter.feed(b"12;31\r\n17\r\n") == [b"17"]


def test_an_overlong_line_is_dropped_to_its_end_and_counted_once() -> None:
    splitter = joined(limit=8)
    assert splitter.feed(b"123456789") == []
    assert splitter.state[0] == b""
    assert splitter.feed(b"abcdefghijklm") == []
    assert splitter.feed(b"no\nyes\n") == [b"yes"]
    assert splitter.overlong == 1
    assert splitter.feed(b"123456789\n12345678\n") == [b"12345678"]
    assert splitter.overlong == 2


def test_a_start_is_one_byte() -> None:
    with pytest.raises(ValueError, match="one byte"):
        LineSplitter(start=b"*X")


@pytest.mark.parametrize(
    "state",
    [(b"x" * (LINE_LIMIT + 1), False, False, 0), (b"a\nb", False, False, 0), (b"", False, False, -1)],
)
def test_a_state_that_cannot_be_is_refused(state: tuple[bytes, bool, bool, int]) -> None:
    with pytest.raises(ValueError, match="state"):
        LineSplitter().state = state


STREAMS = st.lists(
    st.one_of(
        st.sampled_from([b"\r", b"\n", b"\r\n", b"*", b"17", b"*X;5", b"0123456789abcdef"]),
        st.binary(max_size=12),
    ),
    max_size=40,
).map(b"".join)


@given(STREAMS, st.sets(st.integers(0, 400)), st.sampled_from([b"", b"*"]))
def test_the_same_bytes_give_the_same_lines_however_they_are_cut(
    stream: bytes, cuts: set[int], start: bytes
) -> None:
    whole = LineSplitter(16, start)
    lines = whole.feed(stream)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    pieces = LineSplitter(16, start)
    bytewise = LineSplitter(16, start)
    assert [line for a, b in pairwise(places) for line in pieces.feed(stream[a:b])] == lines
    assert [line for byte in stream for line in bytewise.feed(bytes([byte]))] == lines
    assert whole.state == pieces.state == bytewise.state
    assert len(whole.state[0]) <= 16
    assert all(0 < len(line) <= 16 for line in lines)


@given(STREAMS, STREAMS)
def test_a_copied_state_goes_on_alike(first: bytes, second: bytes) -> None:
    splitter, other = LineSplitter(16), LineSplitter(16)
    splitter.feed(first)
    other.state = splitter.state
    assert splitter.feed(second) == other.feed(second)
    assert splitter.state == other.state
