"""What a host makes of a stream of the sensor protocol's packets (`protocols.sensor`).

Checked in this order: length, version, checksum, sequence, kind, fields, times. What fails is `Damaged`, with
a reason; nothing raises. Of such a packet not even its place in the sequence is taken: so it will be missing.
"""

import struct
from itertools import accumulate
from zlib import crc32

from protocols import cobs
from protocols.sensor import (
    BATCH,
    CHANNELS,
    COUNTS,
    CRC,
    DELTA,
    EDGES_AT_MOST,
    FAULT,
    HEAD,
    HEARTBEAT,
    IDENTITY,
    INDEX,
    KINDS,
    LONGEST,
    POSITIONS_AT_MOST,
    SAMPLE,
    SMALLEST,
    VERSION,
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
    is_name,
    unwrap,
)

LATE = 1_000_000
"""µs by which a time in a packet may lie before its clock: ten times what a device may wait with a packet."""
AHEAD = 10_000
"""µs by which it may lie after it: the clock was read before the body was complete."""
STEP = 1_500_000
"""µs by which the clock goes on at most from one packet to the next: a heartbeat comes each half second."""
_HEARTBEAT_KIND = 1 + KINDS.index(Heartbeat)

DecoderState = tuple[tuple[bytes, bool, bool, int], int | None, int | None, int, int, int | None, int | None]
"""Splitter, last sequence and boot, unwrapped clock, last checksum, last heartbeat, unwrapped position."""


class SensorDecoder:
    """A stream's bytes in, messages out. Keeps the sequence, unwraps the device's clock and its positions."""

    def __init__(self) -> None:
        self._packets = cobs.PacketSplitter(LONGEST + 1)
        self._sequence: int | None = None
        self._boot: int | None = None
        self._clock = 0
        """The last packet's clock, unwrapped."""
        self._checksum = 0
        """The last packet's: one that comes twice is known by it."""
        self._beat: int | None = None
        """The last heartbeat's clock, unwrapped."""
        self._position: int | None = None
        """The encoder's last position, unwrapped."""

    @property
    def damaged(self) -> int:
        """Pieces that were no packets at all; packets that came to nothing are `Damaged`."""
        return self._packets.damaged

    @property
    def state(self) -> DecoderState:
        """All that it remembers, as plain values to copy; may be assigned."""
        heard = self._sequence, self._boot, self._clock, self._checksum
        return self._packets.state, *heard, self._beat, self._position

    @state.setter
    def state(self, state: DecoderState) -> None:
        packets, sequence, boot, clock, checksum, beat, position = state
        if (sequence is None) != (boot is None):
            raise ValueError("not a sensor decoder's state")
        self._packets.state = packets
        self._sequence, self._boot, self._clock = sequence, boot, clock
        self._checksum, self._beat, self._position = checksum, beat, position

    def reopen(self) -> None:
        """The link is new: nothing is expected, no packet is missing, clock and positions begin anew."""
        self._packets.reopen()
        self._sequence = self._boot = self._beat = self._position = None

    def feed(self, data: bytes) -> list[Message]:
        """What the bytes complete."""
        messages: list[Message] = []
        for packet in self._packets.feed(data):
            self._take(packet, messages)
        return messages

    def _take(self, packet: bytes, messages: list[Message]) -> None:
        size = len(packet)
        if not SMALLEST <= size <= LONGEST:
            messages.append(Damaged("length", packet))
            return
        if packet[0] != VERSION:
            messages.append(Damaged("version", packet))
            return
        (checksum,) = CRC.unpack_from(packet, size - 4)
        if crc32(packet[:-4]) != checksum:
            messages.append(Damaged("checksum", packet))
            return
        _, kind, boot, sequence, clock = HEAD.unpack_from(packet)
        if (boot, sequence, checksum) == (self._boot, self._sequence, self._checksum):
            messages.append(Damaged("sequence", packet))  # the last one again: it adds nothing
            return
        if not 1 <= kind <= len(KINDS):
            messages.append(Damaged("kind", packet))
            return
        beats = kind == _HEARTBEAT_KIND
        joins, now = self._joins(boot, sequence, clock, beats)
        body = _READERS[kind - 1](packet[HEAD.size : -4], now)
        if body is None or not _in_time(body, now):
            # nothing is taken from it, its place in the stream neither: so it will be missing
            messages.append(Damaged("fields" if body is None else "times", packet))
            return
        messages += joins
        if any(not isinstance(each, Gap) for each in joins):
            self._beat = self._position = None
        self._boot, self._sequence, self._clock, self._checksum = boot, sequence, now, checksum
        if beats:
            self._beat = now
        messages.append(self._placed(body))

    def _joins(self, boot: int, sequence: int, clock: int, beats: bool) -> tuple[list[Message], int]:
        """What is to be told of how a packet joins on, and its clock: unwrapped, unless it begins anew."""
        if self._sequence is None:
            return [], clock
        missing = (sequence - self._sequence - 1) % 65536
        if boot != self._boot or missing >= 32768:  # back in the sequence: the device counts no starts
            return [Restarted()], clock
        told: list[Message] = [Gap(missing)] if missing else []
        now = unwrap(clock, self._clock)
        still = beats and now == self._beat
        if still or not 0 <= now - self._clock <= STEP * (missing + 1):
            return [*told, ClockJumped()], clock
        return told, now

    def _placed(self, body: Body) -> Body:
        """The same with its positions unwrapped."""
        if isinstance(body, Counts):
            off = self._wraps(body.positions[0])
            if off:
                body = Counts(body.invalid, body.times, tuple(each + off for each in body.positions))
            self._position = body.positions[-1]
        elif isinstance(body, Index):
            off = self._wraps(body.position)
            if off:
                body = Index(body.time, body.position + off)
            self._position = body.position
        return body

    def _wraps(self, position: int) -> int:
        """What to add to a position of 32 bits so that it is the nearest to the last one."""
        return 0 if self._position is None else unwrap(position, self._position) - position


def _in_time(body: Body, clock: int) -> bool:
    """Whether its times lie where those of a packet with this clock may."""
    match body:
        case Edges(times=times) | Counts(times=times):
            return clock - LATE <= times[0] and times[-1] <= clock + AHEAD
        case Index(time=time):
            return -LATE <= time - clock <= AHEAD
        case _:
            return True


def _read_identity(body: bytes, clock: int) -> Identity | None:
    if len(body) != IDENTITY.size:
        return None
    serial, firmware, boot, counts, calibration, channels = IDENTITY.unpack(body)
    names = [_name(serial), _name(firmware)]
    if not names[0] or names[1] is None:
        return None
    return Identity(names[0], names[1], boot, counts, calibration, channels)


def _name(raw: bytes) -> str | None:
    name, _, padding = raw.partition(b"\0")
    text = name.decode("latin-1")
    return text if is_name(text) and not padding.strip(b"\0") else None


def _read_edges(body: bytes, clock: int) -> Edges | None:
    if len(body) < BATCH.size:
        return None
    lost, first, number = BATCH.unpack_from(body)
    if not 1 <= number <= EDGES_AT_MOST or len(body) != BATCH.size + 4 * number:
        return None
    words = struct.unpack_from(f"<{number}I", body, BATCH.size)
    channels = body[BATCH.size + 3 :: 4]
    if any(each & 0x7F >= len(CHANNELS) for each in channels) or words[0] & DELTA:
        return None
    start = unwrap(first, clock)
    return Edges(lost, tuple(accumulate((word & DELTA for word in words), initial=start))[1:], channels)


def _read_counts(body: bytes, clock: int) -> Counts | None:
    if len(body) < COUNTS.size:
        return None
    invalid, first, position, number = COUNTS.unpack_from(body)
    if number >= POSITIONS_AT_MOST or len(body) != COUNTS.size + SAMPLE.size * number:
        return None
    steps = list(SAMPLE.iter_unpack(body[COUNTS.size :]))
    times = accumulate((after for after, _ in steps), initial=unwrap(first, clock))
    positions = accumulate((moved for _, moved in steps), initial=position)
    return Counts(invalid, tuple(times), tuple(positions))


def _read_index(body: bytes, clock: int) -> Index | None:
    if len(body) != INDEX.size:
        return None
    time, position = INDEX.unpack(body)
    return Index(unwrap(time, clock), position)


def _read_heartbeat(body: bytes, clock: int) -> Heartbeat | None:
    if len(body) != HEARTBEAT.size or body[6] > 1:
        return None
    uptime, lost, lid, millivolts = HEARTBEAT.unpack(body)
    return Heartbeat(clock, uptime, lost, bool(lid), millivolts)


def _read_self_test(body: bytes, clock: int) -> SelfTest | None:
    return SelfTest(body) if len(body) == len(CHANNELS) else None


def _read_fault(body: bytes, clock: int) -> Fault | None:
    if len(body) != FAULT.size:
        return None
    code, channel, active, detail = FAULT.unpack(body)
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
