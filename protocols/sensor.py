"""mesad's own sensor protocol, version 1: edges and counts of a wheel's bare sensors, from a microcontroller.

The document is `docs/sensor-protocol.md`. A packet is stuffed (`protocols.cobs`) and ended by a zero byte,
which is what resynchronises a reader. It holds, all numbers little-endian:

    version 1 · kind 1 · boot 1 · sequence 2 · clock 4 · body · CRC-32 4

`clock` and every time in a body are the device's own microseconds, 32 bits, which wrap after 71.6 minutes;
the host's arrival times decide nothing. Here are the messages and the reference encoder; what a host makes of
a stream is `protocols.sensor_decoder`.
"""

import struct
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

from protocols import cobs

VERSION = 1
LONGEST = 254
"""Bytes of a packet, so that stuffing adds exactly one."""
WRAP = 1 << 32
HEAD = struct.Struct("<BBBHI")
CRC = struct.Struct("<I")
SMALLEST = HEAD.size + CRC.size

Channel = Literal[
    "quadrature_a", "quadrature_b", "index", "rim_1", "rim_2", "rim_3", "pocket", "pointer", "lid", "button"
]
CHANNELS: tuple[Channel, ...] = (
    "quadrature_a",
    "quadrature_b",
    "index",
    "rim_1",
    "rim_2",
    "rim_3",
    "pocket",
    "pointer",
    "lid",
    "button",
)
"""By number. A roulette's rim sensors see the ball pass; its pocket sensor sees an occupied pocket pass."""
NUMBERS: dict[Channel, int] = {name: number for number, name in enumerate(CHANNELS)}
"""Each channel's number."""

LEVEL = 0x80
"""Bit of an edge's channel byte: the level after the edge."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the device is; sent at its start and every ten seconds."""

    serial: str
    """1 to 16 letters, digits and `-._+`; with it the wheel's statistics and calibration are kept."""
    firmware: str
    boot: int
    """Starts so far, 32 bits; every packet carries the lowest 8."""
    counts: int
    """Quadrature counts of one turn; 0 without an encoder."""
    calibration: int
    """Identifies the calibration that the device was built with; 0 without one."""
    channels: int
    """Bit n: channel n is there."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges in the order in which they came. `times` are unwrapped by who decodes, in µs."""

    lost: int
    """Edges that the device could not keep, since its start, 16 bits."""
    times: tuple[int, ...]
    channels: bytes
    """For each edge the channel's number, and `LEVEL` where it rose."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Positions that the device's own quadrature counter had."""

    invalid: int
    """Steps at which both channels changed at once, since its start, 16 bits."""
    times: tuple[int, ...]
    positions: tuple[int, ...]
    """Signed counts since its start, unwrapped by who decodes: on the wire they have 32 bits."""


@dataclass(frozen=True, slots=True)
class Index:
    """The index pulse, and where the counter stood at that moment."""

    time: int
    position: int


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Every half second: the device lives. `time` is when."""

    time: int
    uptime: int
    """Seconds since its start."""
    lost: int
    lid_open: bool
    """Meaningful where the device has a lid switch."""
    millivolts: int


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the device found when it tested itself: a result for each channel, 0 good."""

    results: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that stays until it is cleared."""

    code: int
    channel: int
    """255: no channel's."""
    active: bool
    detail: int


@dataclass(frozen=True, slots=True)
class Restarted:
    """The device was started again: its clock, its counters and its positions began anew."""


@dataclass(frozen=True, slots=True)
class ClockJumped:
    """The device's clock went back, leapt ahead or stood still: its times and positions begin anew."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Packets are missing between two that came whole."""

    missing: int


@dataclass(frozen=True, slots=True)
class Damaged:
    """A packet that is not taken for anything, and why."""

    reason: str
    packet: bytes


Body = Identity | Edges | Counts | Index | Heartbeat | SelfTest | Fault
Message = Body | Restarted | ClockJumped | Gap | Damaged

IDENTITY = struct.Struct("<16s16sIIIH")
BATCH = struct.Struct("<HIB")
COUNTS = struct.Struct("<HIiB")
SAMPLE = struct.Struct("<Hh")
INDEX = struct.Struct("<Ii")
HEARTBEAT = struct.Struct("<IHBH")
FAULT = struct.Struct("<BBBH")
KINDS: tuple[type, ...] = (Identity, Edges, Counts, Index, Heartbeat, SelfTest, Fault)
DELTA = 0xFFFFFF
EDGES_AT_MOST = (LONGEST - SMALLEST - BATCH.size) // 4
POSITIONS_AT_MOST = 1 + (LONGEST - SMALLEST - COUNTS.size) // SAMPLE.size


def unwrap(time: int, near: int) -> int:
    """The moment, in unwrapped µs, that has these 32 bits and lies nearest to another; positions alike."""
    return near + (time - near + WRAP // 2) % WRAP - WRAP // 2


# --- device: the reference encoder ----------------------------------------------------------------------


def encode(body: Body, boot: int, sequence: int, clock: int) -> bytes:
    """A message as it goes over the wire, its ending zero included.

    `boot` and `sequence` are the device's counts, `clock` and times in µs, positions and losses the device's
    counts: all of them are wrapped here. That times lie near the clock is for who sends.

    Raises ValueError for what the protocol cannot hold.
    """
    kind = KINDS.index(type(body)) + 1
    raw = HEAD.pack(VERSION, kind, boot % 256, sequence % 65536, clock % WRAP)
    try:
        raw += _write(body)
    except struct.error as error:
        raise ValueError(f"{type(body).__name__}: a field is too large or too small: {error}") from error
    raw += CRC.pack(crc32(raw))
    return cobs.encode(raw) + cobs.END


def _write(body: Body) -> bytes:
    match body:
        case Identity():
            names = _name_written(body.serial), _name_written(body.firmware)
            if not names[0]:
                raise ValueError("a serial has 1 to 16 letters, digits and -._+")
            return IDENTITY.pack(*names, body.boot, body.counts, body.calibration, body.channels)
        case Edges():
            return _write_edges(body)
        case Counts():
            return _write_counts(body)
        case Index():
            return INDEX.pack(body.time % WRAP, unwrap(body.position, 0))
        case Heartbeat():
            return HEARTBEAT.pack(body.uptime, body.lost % 65536, body.lid_open, body.millivolts)
        case SelfTest():
            if len(body.results) != len(CHANNELS):
                raise ValueError(f"a self-test has {len(CHANNELS)} results")
            return body.results
        case Fault():
            if not 0 <= body.channel < len(CHANNELS) and body.channel != 255:
                raise ValueError("a fault's channel is one of those that there are, or 255")
            return FAULT.pack(body.code, body.channel, body.active, body.detail)


def is_name(text: str) -> bool:
    """Whether these are letters of a serial or a firmware's name."""
    return text.isascii() and all(each.isalnum() or each in "-.+_" for each in text)


def _name_written(name: str) -> bytes:
    if len(name) > 16 or not is_name(name):
        raise ValueError("names have at most 16 letters, digits and -._+")
    return name.encode("ascii")


def _write_edges(body: Edges) -> bytes:
    number = len(body.times)
    if not 1 <= number <= EDGES_AT_MOST or number != len(body.channels):
        raise ValueError(f"a packet holds 1 to {EDGES_AT_MOST} edges")
    if any(each & 0x7F >= len(CHANNELS) for each in body.channels):
        raise ValueError("an edge's channel is one of those that there are")
    packed = BATCH.pack(body.lost % 65536, body.times[0] % WRAP, number)
    before = body.times[0]
    for time, channel in zip(body.times, body.channels, strict=True):
        if not 0 <= time - before <= DELTA:
            raise ValueError("edges of one packet follow one another within 16.7 s")
        packed += struct.pack("<I", time - before | channel << 24)
        before = time
    return packed


def _write_counts(body: Counts) -> bytes:
    number = len(body.times)
    if not 1 <= number <= POSITIONS_AT_MOST or number != len(body.positions):
        raise ValueError(f"a packet holds 1 to {POSITIONS_AT_MOST} positions")
    first = unwrap(body.positions[0], 0)
    packed = COUNTS.pack(body.invalid % 65536, body.times[0] % WRAP, first, number - 1)
    for at in range(1, number):
        after, moved = body.times[at] - body.times[at - 1], body.positions[at] - body.positions[at - 1]
        if not 0 <= after <= 0xFFFF:
            raise ValueError("positions of one packet follow one another within 65 ms")
        packed += SAMPLE.pack(after, moved)
    return packed
