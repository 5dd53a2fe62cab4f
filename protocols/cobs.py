"""Consistent Overhead Byte Stuffing: packets of any bytes in a stream, each ended by a zero byte.

A packet's zero bytes are replaced by distances to the next one, so that a zero in the stream can only be an
end. What resynchronises a reader after any damage is therefore the next zero (Cheshire and Baker, 1999).
"""

END = b"\0"


def encode(packet: bytes) -> bytes:
    """A packet in its stuffed form, the ending zero not included: one byte longer for each begun 254."""
    stuffed = bytearray()
    blocks = packet.split(b"\0")
    for number, block in enumerate(blocks, 1):
        while len(block) >= 254:
            stuffed += b"\xff" + block[:254]
            block = block[254:]
            if not block and number == len(blocks):
                return bytes(stuffed)  # a full block ends the packet by itself
        stuffed.append(len(block) + 1)
        stuffed += block
    return bytes(stuffed)


def decode(stuffed: bytes) -> bytes | None:
    """The packet of a stuffed form without its ending zero; None where the distances lead past the end."""
    packet = bytearray()
    at, end = 0, len(stuffed)
    while at < end:
        distance = stuffed[at]
        following = at + distance
        if distance == 0 or following > end:
            return None
        packet += stuffed[at + 1 : following]
        at = following
        if distance < 255 and at < end:
            packet.append(0)
    return bytes(packet)


class PacketSplitter:
    """Splits a stream into packets. The same bytes give the same packets, however they are cut up.

    Until the first zero after `reopen` (or after it was made) the stream may have been joined in the middle
    of a packet, so that piece is dropped and not counted. Never holds more than `limit` bytes of stuffed
    form; a longer piece is dropped to its end and counted once, as is one whose distances make no sense.
    """

    def __init__(self, limit: int) -> None:
        self.damaged = 0
        """Pieces that were dropped: too long, or no stuffed form."""
        self._limit = limit
        self._held = b""
        self._joining = True
        self._dropping = False

    @property
    def state(self) -> tuple[bytes, bool, bool, int]:
        """All that it remembers, as plain values to copy; may be assigned."""
        return self._held, self._joining, self._dropping, self.damaged

    @state.setter
    def state(self, state: tuple[bytes, bool, bool, int]) -> None:
        held, joining, dropping, damaged = state
        if len(held) > self._limit or END in held or damaged < 0 or (held and (dropping or joining)):
            raise ValueError("not a packet splitter's state")
        self._held, self._joining, self._dropping, self.damaged = held, joining, dropping, damaged

    def reopen(self) -> None:
        """The stream begins anew: what was half received is forgotten."""
        self._held = b""
        self._joining = True
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The packets that `data` completes, none of them empty."""
        *pieces, rest = data.split(END)
        packets = []
        for piece in pieces:
            whole, self._held = self._held + piece, b""
            joining, dropping = self._joining, self._dropping
            self._joining = self._dropping = False
            if joining or dropping or not whole:
                continue  # a piece that is too long was counted when it became so
            packet = decode(whole) if len(whole) <= self._limit else None
            if packet is None:
                self.damaged += 1
            elif packet:
                packets.append(packet)
        if rest and not self._joining and not self._dropping:
            self._held += rest
            if len(self._held) > self._limit:
                self._held = b""
                self._dropping = True
                self.damaged += 1
        return packets
