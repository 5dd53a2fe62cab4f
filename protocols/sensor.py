"""mesad's own sensor protocol, version 1: edges and counts of a wheel's bare sensors, from a microcontroller.

The document is `docs/sensor-protocol.md`. A packet is stuffed (`protocols.cobs`) and ended by a zero byte,
which is what resynchronises a reader. It holds, all numbers little-endian:

    version 1 · kind 1 · boot 1 · sequence 2 · clock 4 · body · CRC-32 4

`clock` and every time in a body are the device's own microseconds, 32 bits, which wrap after 71.6 minutes;
the host's arrival times decide nothing. Checked in this order: length, version, checksum, kind, fields. What
fails is `Damaged`, with a reason; nothing raises.
"""

import struct
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal
from zlib import crc32

from protocols import cobs

VERSION = 1
LONGEST = 254
"""Bytes of a packet, so that stuffing adds exactly one."""
WRAP = 1 << 32

_HEAD = struct.Struct("<BBBHI")
_CRC = struct.Struct("<I")
_SMALLEST = _HEAD.size + _CRC.size

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

LEVEL = 0x80
"""Bit of an edge's channel byte: the level after the edge."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the device is; sent at its start and every ten seconds."""

    serial: str
    """At most 16 letters, digits and hyphens; with it the wheel's statistics and calibration are kept."""
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
    """Signed counts since its start."""


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
class Gap:
    """Packets are missing between two that came whole."""

    missing: int


@dataclass(frozen=True, slots=True)
class Damaged:
    """A packet that is not taken for anything, and why."""

    reason: str
    packet: bytes


Body = Identity | Edges | Counts | Index | Heartbeat | SelfTest | Fault
Message = Body | Restarted | Gap | Damaged

_IDENTITY = struct.Struct("<16s16sIIIH")
_BATCH = struct.Struct("<HIB")
_COUNTS = struct.Struct("<HIiB")
_SAMPLE = struct.Struct("<Hh")
_INDEX = struct.Struct("<Ii")
_HEARTBEAT = struct.Struct("<IHBH")
_FAULT = struct.Struct("<BBBH")
_KINDS: tuple[type, ...] = (Identity, Edges, Counts, Index, Heartbeat, SelfTest, Fault)
_DELTA = 0xFFFFFF
EDGES_AT_MOST = (LONGEST - _SMALLEST - _BATCH.size) // 4
POSITIONS_AT_MOST = 1 + (LONGEST - _SMALLEST - _COUNTS.size) // _SAMPLE.size


# --- host ---------------------------------------------------------------------------------------------

DecoderState = tuple[tuple[bytes, bool, bool, int], int | None, int | None, int]
"""Splitter, last sequence and boot, unwrapped clock."""


class SensorDecoder:
    """A stream's bytes in, messages out. Keeps the sequence and unwraps the device's clock."""

    def __init__(self) -> None:
        self._packets = cobs.PacketSplitter(LONGEST + 1)
        self._sequence: int | None = None
        self._boot: int | None = None
        self._clock = 0
        """The last packet's clock, unwrapped."""

    @property
    def damaged(self) -> int:
        """Pieces that were no packets at all; packets that came to nothing are `Damaged`."""
        return self._packets.damaged

    @property
    def state(self) -> DecoderState:
        """All that it remembers, as plain values to copy; may be assigned."""
        return self._packets.state, self._sequence, self._boot, self._clock

    @state.setter
    def state(self, state: DecoderState) -> None:
        packets, sequence, boot, clock = state
        if (sequence is None) != (boot is None):
            raise ValueError("not a sensor decoder's state")
        self._packets.state = packets
        self._sequence, self._boot, self._clock = sequence, boot, clock

    def reopen(self) -> None:
        """The link is new: nothing is expected, no packet is missing, the clock begins anew."""
        self._packets.reopen()
        self._sequence = self._boot = None

    def feed(self, data: bytes) -> list[Message]:
        """What the bytes complete."""
        messages: list[Message] = []
        for packet in self._packets.feed(data):
            self._take(packet, messages)
        return messages

    def _take(self, packet: bytes, messages: list[Message]) -> None:
        size = len(packet)
        if not _SMALLEST <= size <= LONGEST:
            messages.append(Damaged("length", packet))
            return
        if packet[0] != VERSION:
            messages.append(Damaged("version", packet))
            return
        if crc32(packet[:-4]) != _CRC.unpack_from(packet, size - 4)[0]:
            messages.append(Damaged("checksum", packet))
            return
        _, kind, boot, sequence, clock = _HEAD.unpack_from(packet)
        if not 1 <= kind <= len(_KINDS):
            messages.append(Damaged("kind", packet))
            return
        body = _READERS[kind - 1](packet[_HEAD.size : -4], self._unwrapped(boot, clock))
        if body is None:  # nothing is taken from it, its place in the stream neither: so it will be missing
            messages.append(Damaged("fields", packet))
            return
        self._follow(boot, sequence, clock, messages)
        messages.append(body)

    def _follow(self, boot: int, sequence: int, clock: int, messages: list[Message]) -> None:
        """Keep up with a whole packet's place in the stream."""
        self._clock = self._unwrapped(boot, clock)
        if boot != self._boot:
            if self._boot is not None:
                messages.append(Restarted())
            self._boot = boot
        else:
            assert self._sequence is not None
            if missing := (sequence - self._sequence - 1) % 65536:
                messages.append(Gap(missing))
        self._sequence = sequence

    def _unwrapped(self, boot: int, clock: int) -> int:
        """A packet's clock; that of another run of the device begins anew."""
        return unwrap(clock, self._clock) if boot == self._boot else clock


def unwrap(time: int, near: int) -> int:
    """The moment, in unwrapped µs, that has these 32 bits and lies nearest to another."""
    return near + (time - near + WRAP // 2) % WRAP - WRAP // 2


def _read_identity(body: bytes, clock: int) -> Identity | None:
    if len(body) != _IDENTITY.size:
        return None
    serial, firmware, boot, counts, calibration, channels = _IDENTITY.unpack(body)
    names = [_name(serial), _name(firmware)]
    if not names[0] or names[1] is None:
        return None
    return Identity(names[0], names[1], boot, counts, calibration, channels)


def _name(raw: bytes) -> str | None:
    name, _, padding = raw.partition(b"\0")
    if padding.strip(b"\0") or not all(chr(each).isalnum() or each in b"-.+_" for each in name):
        return None
    return name.decode("ascii") if name.isascii() else None


def _read_edges(body: bytes, clock: int) -> Edges | None:
    if len(body) < _BATCH.size:
        return None
    lost, first, number = _BATCH.unpack_from(body)
    if not 1 <= number <= EDGES_AT_MOST or len(body) != _BATCH.size + 4 * number:
        return None
    words = struct.unpack_from(f"<{number}I", body, _BATCH.size)
    channels = body[_BATCH.size + 3 :: 4]
    if any(each & 0x7F >= len(CHANNELS) for each in channels) or words[0] & _DELTA:
        return None
    start = unwrap(first, clock)
    return Edges(lost, tuple(accumulate((word & _DELTA for word in words), initial=start))[1:], channels)


def _read_counts(body: bytes, clock: int) -> Counts | None:
    if len(body) < _COUNTS.size:
        return None
    invalid, first, position, number = _COUNTS.unpack_from(body)
    if number >= POSITIONS_AT_MOST or len(body) != _COUNTS.size + _SAMPLE.size * number:
        return None
    steps = list(_SAMPLE.iter_unpack(body[_COUNTS.size :]))
    times = accumulate((after for after, _ in steps), initial=unwrap(first, clock))
    positions = accumulate((moved for _, moved in steps), initial=position)
    return Counts(invalid, tuple(times), tuple(positions))


def _read_index(body: bytes, clock: int) -> Index | None:
    if len(body) != _INDEX.size:
        return None
    time, position = _INDEX.unpack(body)
    return Index(unwrap(time, clock), position)


def _read_heartbeat(body: bytes, clock: int) -> Heartbeat | None:
    if len(body) != _HEARTBEAT.size or body[6] > 1:
        return None
    uptime, lost, lid, millivolts = _HEARTBEAT.unpack(body)
    return Heartbeat(clock, uptime, lost, bool(lid), millivolts)


def _read_self_test(body: bytes, clock: int) -> SelfTest | None:
    return SelfTest(body) if len(body) == len(CHANNELS) else None


def _read_fault(body: bytes, clock: int) -> Fault | None:
    if len(body) != _FAULT.size:
        return None
    code, channel, active, detail = _FAULT.unpack(body)
    if active > 1 or (channel >= len(CHANNELS) and channel != 255):
        return None
    return Fault(code, channel, bool(active), detail)


_READERS = (
    _read_identity,
    _read_edges,
    _read_counts,
    _read_index,
    _read_heartbeat,
    _read_self_test,
    _read_fault,
)


# --- device: the reference encoder ----------------------------------------------------------------------


def encode(body: Body, boot: int, sequence: int, clock: int) -> bytes:
    """A message as it goes over the wire, its ending zero included.

    `boot` and `sequence` are the device's counts, `clock` and times in µs, all of them wrapped here.

    Raises ValueError for what the protocol cannot hold.
    """
    kind = _KINDS.index(type(body)) + 1
    raw = _HEAD.pack(VERSION, kind, boot % 256, sequence % 65536, clock % WRAP) + _write(body)
    raw += _CRC.pack(crc32(raw))
    return cobs.encode(raw) + cobs.END


def _write(body: Body) -> bytes:
    match body:
        case Identity():
            names = (body.serial.encode("ascii"), body.firmware.encode("ascii"))
            if not names[0] or max(map(len, names)) > 16:
                raise ValueError("names have 1 to 16 letters")
            return _IDENTITY.pack(*names, body.boot, body.counts, body.calibration, body.channels)
        case Edges():
            return _write_edges(body)
        case Counts():
            return _write_counts(body)
        case Index():
            return _INDEX.pack(body.time % WRAP, body.position)
        case Heartbeat():
            return _HEARTBEAT.pack(body.uptime, body.lost, body.lid_open, body.millivolts)
        case SelfTest():
            return body.results
        case Fault():
            return _FAULT.pack(body.code, body.channel, body.active, body.detail)


def _write_edges(body: Edges) -> bytes:
    number = len(body.times)
    if not 1 <= number <= EDGES_AT_MOST or number != len(body.channels):
        raise ValueError(f"a packet holds 1 to {EDGES_AT_MOST} edges")
    packed = _BATCH.pack(body.lost % 65536, body.times[0] % WRAP, number)
    before = body.times[0]
    for time, channel in zip(body.times, body.channels, strict=True):
        if not 0 <= time - before <= _DELTA:
            raise ValueError("edges of one packet follow one another within 16.7 s")
        packed += struct.pack("<I", time - before | channel << 24)
        before = time
    return packed


def _write_counts(body: Counts) -> bytes:
    number = len(body.times)
    if not 1 <= number <= POSITIONS_AT_MOST or number != len(body.positions):
        raise ValueError(f"a packet holds 1 to {POSITIONS_AT_MOST} positions")
    packed = _COUNTS.pack(body.invalid % 65536, body.times[0] % WRAP, body.positions[0], number - 1)
    for at in range(1, number):
        after, moved = body.times[at] - body.times[at - 1], body.positions[at] - body.positions[at - 1]
        if not 0 <= after <= 0xFFFF:
            raise ValueError("positions of one packet follow one another within 65 ms")
        packed += _SAMPLE.pack(after, moved)
    return packed
