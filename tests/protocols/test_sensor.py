"""The sensor protocol: the document's vectors, every message, damage, gaps, restarts, the clock."""

import random
import re
import subprocess
from pathlib import Path
from shutil import which
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import cobs
from protocols.sensor import (
    CHANNELS,
    EDGES_AT_MOST,
    LEVEL,
    LONGEST,
    NUMBERS,
    POSITIONS_AT_MOST,
    WRAP,
    Body,
    ClockJumped,
    Counts,
    Damaged,
    Edges,
    Fault,
    Gap,
    Heartbeat,
    Identity,
    Index,
    Message,
    Restarted,
    SelfTest,
    encode,
    unwrap,
)
from protocols.sensor_decoder import AHEAD, LATE, STEP, SensorDecoder

IDENTITY = Identity("W-0001", "1.0.0", 7, 1440, 0x12345678, 0b1111)


def decoder() -> SensorDecoder:
    """One that has seen an end, so that the next packet is whole."""
    made = SensorDecoder()
    assert made.feed(b"\0") == []
    return made


VECTORS: list[tuple[Body, int, int, str]] = [
    (Heartbeat(500_000, 0, 0, False, 3300), 0, 500_000, "heartbeat"),
    (Edges(0, (1_000_000, 1_000_250), bytes([3 | LEVEL, 3])), 1, 1_000_300, "edges"),
    (Counts(2, (2_000_000, 2_005_000), (-10, -22)), 2, 2_005_100, "counts"),
    (Index(2_100_000, -1440), 3, 2_100_050, "index"),
    (Fault(4, 255, True, 9), 4, 2_200_000, "fault"),
    (SelfTest(bytes(len(CHANNELS))), 5, 2_300_000, "self-test"),
    (IDENTITY, 6, 2_400_000, "identity"),
]


@pytest.mark.parametrize(("body", "sequence", "clock", "name"), VECTORS)
def test_every_message_comes_back(body: Body, sequence: int, clock: int, name: str) -> None:
    assert decoder().feed(encode(body, 7, sequence, clock)) == [body]


def test_a_stream_of_messages_has_no_gaps() -> None:
    stream = b"".join(encode(body, 7, sequence, clock) for body, sequence, clock, _ in VECTORS)
    assert decoder().feed(stream) == [body for body, *_ in VECTORS]


def test_the_largest_packets_fit() -> None:
    edges = Edges(0, tuple(range(EDGES_AT_MOST)), bytes(EDGES_AT_MOST))
    counts = Counts(0, tuple(range(POSITIONS_AT_MOST)), tuple(range(POSITIONS_AT_MOST)))
    for body in (edges, counts):
        wire = encode(body, 0, 0, 100)
        assert LONGEST - 4 < len(wire) - 2 <= LONGEST
        assert decoder().feed(wire) == [body]


@pytest.mark.parametrize(
    "body",
    [
        Edges(0, (), b""),
        Edges(0, tuple(range(EDGES_AT_MOST + 1)), bytes(EDGES_AT_MOST + 1)),
        Edges(0, (0, 20_000_000), bytes(2)),
        Edges(0, (5, 4), bytes(2)),
        Counts(0, (), ()),
        Counts(0, (0, 70_000), (0, 1)),
        Identity("", "1", 0, 0, 0, 0),
        Identity("W" * 17, "1", 0, 0, 0, 0),
        Identity("W 1", "1", 0, 0, 0, 0),
        Identity("Wé", "1", 0, 0, 0, 0),
        Identity("W", "1", 1 << 32, 0, 0, 0),
        Identity("W", "1", 0, -1, 0, 0),
        Counts(0, (0, 1), (0, 40_000)),
        Edges(0, (0,), b"\x0a"),
        Heartbeat(0, -1, 0, False, 0),
        Heartbeat(0, 0, 0, False, 70_000),
        SelfTest(bytes(3)),
        Fault(256, 0, True, 0),
        Fault(1, 10, True, 0),
        Fault(1, 0, True, 1 << 16),
    ],
)
def test_what_the_protocol_cannot_hold_is_not_sent(body: Body) -> None:
    with pytest.raises(ValueError, match=r"packet|names|serial|field|channel|results"):
        encode(body, 0, 0, 0)


def test_what_counts_on_wraps_when_it_is_sent() -> None:
    assert decoder().feed(encode(Heartbeat(0, 0, 65_537, False, 0), 1, 0, 0)) == [
        Heartbeat(0, 0, 1, False, 0)
    ]
    wide = Counts(65_536, (0, 1), (1 << 31, (1 << 31) + 1))
    assert decoder().feed(encode(wide, 1, 0, 0)) == [Counts(0, (0, 1), (-(1 << 31), 1 - (1 << 31)))]


# --- damage -------------------------------------------------------------------------------------------


def raw(body: Body = IDENTITY) -> bytes:
    """A packet before it is stuffed, its checksum left out."""
    packet = cobs.decode(encode(body, 7, 0, 1000)[:-1])
    assert packet is not None
    return packet[:-4]


def sent(packet: bytes) -> bytes:
    """A packet with its checksum, stuffed and ended."""
    return cobs.encode(packet + crc32(packet).to_bytes(4, "little")) + b"\0"


def test_the_checks_come_in_order() -> None:
    good = raw()
    reasons = {
        "length": cobs.encode(b"\x01" * 12) + b"\0",
        "version": sent(b"\x02" + good[1:]),
        "checksum": cobs.encode(good + bytes(4)) + b"\0",
        "kind": sent(good[:1] + b"\x63" + good[2:]),
        "fields": sent(good[:-1]),
        "times": encode(Index(2_000_000, 0), 7, 0, 4_000_000),
    }
    for reason, wire in reasons.items():
        (damaged,) = decoder().feed(wire)
        assert isinstance(damaged, Damaged)
        assert damaged.reason == reason


@pytest.mark.parametrize(
    "body",
    [
        raw(Edges(0, (1, 2), bytes(2)))[:-1],
        raw(Edges(0, (1, 2), bytes(2)))[:-1] + b"\x0a",  # a channel that there is not
        raw(Heartbeat(1000, 0, 0, False, 0))[:-3] + b"\x02\0\0",
        raw(Fault(1, 3, False, 0))[:-4] + b"\x0a\x00\0\0",
        raw(SelfTest(bytes(10)))[:-1],
        raw(Index(1, 1)) + b"\0",
        raw(Identity("W-1", "1", 0, 0, 0, 0)).replace(b"W-1", b"W\x01-"),
        raw(Identity("W-1", "1", 0, 0, 0, 0)).replace(b"W-1\0", b"W-1\0".replace(b"1\0", b"\0Z")),
    ],
)
def test_fields_that_make_no_sense_are_damage(body: bytes) -> None:
    assert [message.reason for message in decoder().feed(sent(body)) if isinstance(message, Damaged)] == [
        "fields"
    ]


@pytest.mark.parametrize(("at", "wrong"), [(1, 0x63), (-1, 0x0A)], ids=["kind", "fields"])
def test_a_packet_of_which_nothing_is_taken_is_missing_in_the_sequence(at: int, wrong: int) -> None:
    packet = cobs.decode(encode(Edges(0, (2, 3), bytes(2)), 7, 1, 5)[:-1])
    assert packet is not None
    body = bytearray(packet[:-4])
    body[at] = wrong
    made = decoder()
    made.feed(encode(Heartbeat(1, 1, 0, False, 3300), 7, 0, 1))
    before = made.state
    [damaged] = made.feed(sent(bytes(body)))
    assert isinstance(damaged, Damaged)
    assert made.state == before
    heard = Heartbeat(9, 1, 0, False, 3300)
    assert made.feed(encode(heard, 7, 2, 9)) == [Gap(1), heard]


def test_any_changed_bit_costs_that_packet_and_no_other() -> None:
    before, after = (encode(Heartbeat(time, 1, 0, False, 3300), 7, n, time) for n, time in ((0, 1), (2, 9)))
    hit = encode(Edges(0, (2, 3, 4), bytes(3)), 7, 1, 5)
    for at in range(8 * (len(hit) - 1)):
        broken = bytearray(hit)
        broken[at // 8] ^= 1 << at % 8
        messages = decoder().feed(before + bytes(broken) + after)
        assert messages[0] == Heartbeat(1, 1, 0, False, 3300)
        assert messages[-2:] == [Gap(1), Heartbeat(9, 1, 0, False, 3300)], at
        assert not any(isinstance(message, Edges) for message in messages)


@given(st.binary(max_size=400), st.randoms(use_true_random=False))
def test_bytes_of_any_kind_do_no_harm_and_cutting_changes_nothing(noise: bytes, rng: random.Random) -> None:
    stream = bytearray()
    for body, sequence, clock, _ in VECTORS:
        stream += encode(body, 7, sequence, clock)
        if rng.random() < 0.5:
            at = rng.randrange(len(noise) + 1)
            stream += noise[at : at + 30]
    whole, bytewise = SensorDecoder(), SensorDecoder()
    messages: list[Message] = []
    for each in stream:
        messages += bytewise.feed(bytes([each]))
    assert whole.feed(bytes(stream)) == messages
    assert whole.damaged == bytewise.damaged


# --- sequence, restart, clock ---------------------------------------------------------------------------


def beat(boot: int, sequence: int, clock: int) -> bytes:
    return encode(Heartbeat(clock, clock // 1_000_000, 0, False, 3300), boot, sequence, clock)


def test_missing_packets_are_counted_over_the_wrap() -> None:
    messages = decoder().feed(beat(1, 65_534, 1) + beat(1, 1, 2))
    assert messages[1] == Gap(2)


def test_a_restart_is_told_by_whatever_comes_first_and_is_no_gap() -> None:
    messages = decoder().feed(beat(255, 40, 9_000_000) + beat(0, 0, 100))
    assert messages[1:] == [Restarted(), Heartbeat(100, 0, 0, False, 3300)]


def again(packet: bytes) -> Damaged:
    """What a packet comes to that is the last one once more."""
    raw_packet = cobs.decode(packet[:-1])
    assert raw_packet is not None
    return Damaged("sequence", raw_packet)


def test_a_packet_that_comes_twice_is_one_too_many_and_none_is_missing() -> None:
    first, second = beat(1, 40, 1_000), beat(1, 41, 2_000)
    messages = decoder().feed(first + first + first + second)
    assert messages[1:] == [again(first), again(first), Heartbeat(2_000, 0, 0, False, 3300)]


@pytest.mark.parametrize("sequence", [40, 39, 0])
def test_a_step_back_in_the_sequence_is_a_start_and_the_stream_goes_on_from_there(sequence: int) -> None:
    messages = decoder().feed(beat(1, 40, 9_000_000) + beat(1, sequence, 700) + beat(1, sequence + 1, 800))
    assert messages[1:] == [
        Restarted(),
        Heartbeat(700, 0, 0, False, 3300),
        Heartbeat(800, 0, 0, False, 3300),
    ]


@pytest.mark.parametrize("step", [-1, -300_000_000, 0, STEP + 1, 300_000_000, 1 << 31])
def test_a_clock_that_does_not_go_on_begins_anew_and_is_followed(step: int) -> None:
    start = 400_000_000
    now = (start + step) % WRAP
    stream = beat(1, 0, start) + beat(1, 1, now)
    stream += encode(Edges(0, (now + 50,), b"\0"), 1, 2, now + 100) + beat(1, 3, now + 500_000)
    messages = decoder().feed(stream)
    assert [type(each) for each in messages] == [Heartbeat, ClockJumped, Heartbeat, Edges, Heartbeat]
    assert messages[2] == Heartbeat(now, now // 1_000_000, 0, False, 3300)
    assert messages[3] == Edges(0, (now + 50,), b"\0")


def test_a_clock_goes_on_further_over_packets_that_are_missing() -> None:
    for last, jumped in ((STEP * 4, False), (STEP * 4 + 1, True)):
        messages = decoder().feed(beat(1, 0, 0) + beat(1, 4, last))
        assert messages[1] == Gap(3)
        assert (ClockJumped() in messages) == jumped


def test_only_heartbeats_must_go_on() -> None:
    messages = decoder().feed(beat(1, 0, 5) + encode(IDENTITY, 1, 1, 5) + encode(IDENTITY, 1, 2, 5))
    assert messages[1:] == [IDENTITY, IDENTITY]


CLOCK = (1 << 32) - 2_000
"""Just before the wrap, so that times after it have wrapped."""


@pytest.mark.parametrize(
    ("body", "taken"),
    [
        (Index(CLOCK - LATE, 0), True),
        (Index(CLOCK - LATE - 1, 0), False),
        (Index(CLOCK + AHEAD, 0), True),
        (Index(CLOCK + AHEAD + 1, 0), False),
        (Edges(0, (CLOCK - LATE, CLOCK), bytes(2)), True),
        (Edges(0, (CLOCK - LATE - 1, CLOCK), bytes(2)), False),
        (Edges(0, (CLOCK, CLOCK + AHEAD), bytes(2)), True),
        (Edges(0, (CLOCK, CLOCK + AHEAD + 1), bytes(2)), False),
        (Counts(0, (CLOCK - LATE,), (0,)), True),
        (Counts(0, (CLOCK + 1_800_000_000,), (0,)), False),
        (Counts(0, (CLOCK - 1_800_000_000,), (0,)), False),
    ],
)
def test_a_packet_with_times_away_from_its_clock_is_damaged_and_missing(body: Body, taken: bool) -> None:
    stream = beat(1, 0, CLOCK - 10) + encode(body, 1, 1, CLOCK) + beat(1, 2, CLOCK + 10)
    _, message, *between, last = decoder().feed(stream)
    assert (message.reason if isinstance(message, Damaged) else message) == (body if taken else "times")
    assert between == ([] if taken else [Gap(1)])
    assert isinstance(last, Heartbeat)


@pytest.mark.parametrize("sense", [1, -1])
def test_positions_go_on_over_their_wrap(sense: int) -> None:
    near = sense * ((1 << 31) - 5)
    bodies = [
        Counts(0, (100, 200), (near - sense, near)),
        Index(300, near + 10 * sense),
        Counts(0, (400, 500), (near + 20 * sense, near + 30 * sense)),
        Counts(0, (600,), (near,)),
    ]
    packets = [encode(body, 1, n, 1_000 + n) for n, body in enumerate(bodies)]
    assert decoder().feed(b"".join(packets)) == bodies
    restarted = decoder().feed(b"".join(packets[:3]) + encode(Index(100, 0), 2, 0, 200))
    assert restarted[-1] == Index(100, 0)


def test_a_decoder_goes_on_from_its_state_at_any_byte() -> None:
    near = (1 << 31) - 5
    stream = b"".join(encode(body, 7, sequence, clock) for body, sequence, clock, _ in VECTORS)
    stream += beat(7, 7, 2_900_000) + beat(7, 7, 2_900_000) + beat(7, 8, 2_900_000) + beat(7, 9, 3_000_000)
    stream += encode(Index(3_000_100, near), 7, 10, 3_000_200) + encode(
        Index(3_000_300, near + 9), 7, 11, 3_000_400
    )
    whole = decoder().feed(stream)
    assert ClockJumped() in whole
    made, messages = decoder(), list[Message]()
    for byte in stream:
        other = SensorDecoder()
        other.state = made.state
        made = other
        messages += made.feed(bytes([byte]))
    assert messages == whole


def test_a_new_link_expects_nothing() -> None:
    made = decoder()
    made.feed(beat(1, 40, 9))
    made.reopen()
    assert made.feed(b"\0" + beat(2, 90, 5)) == [Heartbeat(5, 0, 0, False, 3300)]


def test_the_clock_goes_on_over_its_wrap_and_times_lie_near_it() -> None:
    near = (1 << 32) - 1000
    messages = decoder().feed(
        beat(1, 0, near)
        + encode(Edges(0, (near + 400, near + 1600), bytes(2)), 1, 1, near + 2000)
        + beat(1, 2, near + 5000)
    )
    assert messages[1] == Edges(0, (near + 400, near + 1600), bytes(2))
    assert isinstance(messages[2], Heartbeat)
    assert messages[2].time == near + 5000


@given(st.integers(0, 1 << 40), st.integers(-(1 << 31), (1 << 31) - 1))
def test_unwrapping_finds_what_is_within_half_a_wrap(near: int, away: int) -> None:
    assert unwrap((near + away) % (1 << 32), near) == near + away


# --- the document ---------------------------------------------------------------------------------------

DOCUMENT = Path(__file__).parents[2] / "docs" / "sensor-protocol.md"


@pytest.mark.parametrize(("body", "sequence", "clock", "name"), VECTORS)
def test_the_documents_vectors_are_what_is_sent(body: Body, sequence: int, clock: int, name: str) -> None:
    row = re.search(
        rf"^\| {name} at {clock}.*\| `([0-9a-f]+)` \|$", DOCUMENT.read_text("utf-8"), re.MULTILINE
    )
    assert row is not None
    assert bytes.fromhex(row[1]) == encode(body, 7, sequence, clock)


def test_the_documents_channels_are_the_codes() -> None:
    table = DOCUMENT.read_text("utf-8").partition("## Channels")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([0-9, ]+) \| ([^|]+) \|", table, re.MULTILINE)
    written = [(int(each), name.split()[0]) for numbers, name in rows for each in numbers.split(", ")]
    assert written == [(NUMBERS[channel], channel.split("_")[0]) for channel in CHANNELS]


def test_the_documents_limits_are_the_codes() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert f"more than {LATE / 1e6:g} s before its clock, or more than {AHEAD / 1e3:g} ms after it" in text
    assert f"it goes on by {STEP / 1e6:g} s at most" in text
    assert f"At most {EDGES_AT_MOST} edges" in text
    assert f"At most {POSITIONS_AT_MOST - 1} pairs" in text
    assert f"13 to {LONGEST} bytes" in text


CALLER = """
int main(void) {
    static uint8_t packet[260], out[300];
    int n, c;
    while ((n = getchar()) != EOF) {
        for (int i = 0; i < n; i++) packet[i] = (c = getchar());
        size_t size = frame(packet, n, out);
        fwrite(out, 1, size, stdout);
    }
    return 0;
}
"""


@pytest.mark.skipif(which("cc") is None, reason="there is no C compiler")
def test_the_documents_encoder_in_c_gives_the_same_bytes(tmp_path: Path) -> None:
    code = re.search(r"```c\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert code is not None
    head = "#include <stdint.h>\n#include <stdio.h>\n#include <stddef.h>\n"
    (tmp_path / "frame.c").write_text(head + code[1] + CALLER, "utf-8")
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined"]
    subprocess.run(["cc", *warnings, "-o", "frame", "frame.c"], cwd=tmp_path, check=True)
    rng = random.Random(3)
    packets = [raw(body) for body, *_ in VECTORS]
    packets += [rng.randbytes(size) for size in (9, 10, 100, 249, 250)]
    packets += [without_zeros(rng, size) for size in (247, 249, 250) for _ in range(40)]
    stream = b"".join(bytes([len(packet)]) + packet for packet in packets)
    result = subprocess.run([tmp_path / "frame"], input=stream, capture_output=True, check=True)
    assert result.stdout == b"".join(sent(packet) for packet in packets)
    forms = result.stdout.split(b"\0")[:-1]
    assert max(map(len, forms)) == LONGEST + 1, "the longest is there"
    assert [len(form) for form in forms] == [len(packet) + 5 for packet in packets], (
        "stuffing adds exactly one"
    )


def without_zeros(rng: random.Random, size: int) -> bytes:
    """A packet without any, its checksum included."""
    while True:
        packet = bytes(rng.randrange(1, 256) for _ in range(size))
        if b"\0" not in crc32(packet).to_bytes(4, "little"):
            return packet
