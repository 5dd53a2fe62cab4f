"""Byte stuffing: known forms, every packet back again, damage and cutting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import cobs
from protocols.cobs import PacketSplitter


@pytest.mark.parametrize(
    ("packet", "stuffed"),
    [
        (b"\0", b"\x01\x01"),
        (b"\0\0", b"\x01\x01\x01"),
        (b"\x11\x22\0\x33", b"\x03\x11\x22\x02\x33"),
        (b"\x11\x22\x33\x44", b"\x05\x11\x22\x33\x44"),
        (b"\x11\0\0\0", b"\x02\x11\x01\x01\x01"),
        (bytes(range(1, 254)), b"\xfe" + bytes(range(1, 254))),
        (bytes(range(1, 255)), b"\xff" + bytes(range(1, 255))),
        (bytes(range(1, 255)) + b"\0", b"\xff" + bytes(range(1, 255)) + b"\x01\x01"),
        (bytes(range(1, 256)), b"\xff" + bytes(range(1, 255)) + b"\x02\xff"),
        (b"\0" + bytes(range(1, 255)), b"\x01\xff" + bytes(range(1, 255))),
    ],
)
def test_known_forms(packet: bytes, stuffed: bytes) -> None:
    assert cobs.encode(packet) == stuffed
    assert cobs.decode(stuffed) == packet


@given(st.binary(max_size=600))
def test_every_packet_comes_back_and_no_form_holds_a_zero(packet: bytes) -> None:
    stuffed = cobs.encode(packet)
    assert b"\0" not in stuffed
    assert cobs.decode(stuffed) == packet
    assert len(stuffed) <= len(packet) + max(1, -(-len(packet) // 254))


@pytest.mark.parametrize("stuffed", [b"\x03\x11", b"\xff\x01", b"\x01\x09abc"])
def test_a_distance_past_the_end_is_no_packet(stuffed: bytes) -> None:
    assert cobs.decode(stuffed) is None


def test_the_first_piece_may_be_a_tail_and_is_neither_taken_nor_counted() -> None:
    splitter = PacketSplitter(20)
    assert splitter.feed(b"\x02\x11\0\x02\x22\0") == [b"\x22"]
    assert splitter.damaged == 0


def test_a_long_piece_is_dropped_to_its_end_and_counted_once() -> None:
    splitter = PacketSplitter(5)
    assert splitter.feed(b"\0" + b"\x07" * 40) == []
    assert splitter.feed(b"\x07" * 40 + b"\0\x02\x22\0") == [b"\x22"]
    assert splitter.damaged == 1


def test_a_splitter_goes_on_from_its_state() -> None:
    one, other = PacketSplitter(20), PacketSplitter(20)
    one.feed(b"\0\x03\x11")
    other.state = one.state
    assert one.feed(b"\x22\0") == other.feed(b"\x22\0") == [b"\x11\x22"]
    with pytest.raises(ValueError, match="not a packet splitter's state"):
        other.state = (b"a\0b", False, False, 0)


@given(st.lists(st.binary(max_size=40), max_size=8), st.data())
def test_however_a_stream_is_cut_it_gives_the_same(pieces: list[bytes], data: st.DataObject) -> None:
    stream = b"\0".join(pieces)
    whole, cut = PacketSplitter(24), PacketSplitter(24)
    expected = whole.feed(stream)
    packets, at = [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, len(stream) - at))
        packets += cut.feed(stream[at : at + size])
        at += size
    assert (packets, cut.state) == (expected, whole.state)
