"""A simulated encoder with an index mark on a shaft: what a counter in hardware shows, or bare edges."""

from math import floor, inf

from protocols.sensor import LEVEL, NUMBERS
from simulators.devices.microcontroller import COUNTED, Edge, Encoder, Position, Seen, every
from simulators.physics.shaft import Shaft

A, B, INDEX = NUMBERS["quadrature_a"], NUMBERS["quadrature_b"], NUMBERS["index"]


class ShaftEncoder:
    """`counts` of one turn; `index` is where its mark begins, clockwise, in turns, `index_width` in counts.

    `sampled`: seconds between the positions of one that is counted in hardware.
    """

    def __init__(
        self, kind: Encoder, counts: int, index: float, index_width: float = 1.0, sampled: float = COUNTED
    ) -> None:
        self._kind = kind
        self._counts = counts
        self.index = (int(index * counts) + 0.5) / counts
        """Where its index comes on the shaft, in turns: between two counts."""
        self._width = index_width / counts
        self._sampled = sampled
        self._slipped = 0

    def seen(self, start: float, end: float, shaft: Shaft, slip: tuple[float, int] | None) -> Seen:
        """What it shows between two moments; from the slip's moment on it is so many counts off."""
        since, slipped = slip or (inf, 0)
        if self._kind == "edges":
            return Seen(self._edges(start, end, shaft, since, abs(slipped)))

        def shown(time: float, angle: float) -> Position:
            off = self._slipped + (slipped if time >= since else 0)
            return time, floor(angle * self._counts) + off

        positions = [
            shown(time, piece.angle_at(time))
            for piece, begins, ends in shaft.spans(start, end)
            if not piece.speed == 0 == piece.change
            for time in every(self._sampled, begins, ends)
        ]
        pulses = [shown(time, self.index + n) for time, n, _ in shaft.meets(self.index, 1.0, start, end)]
        self._slipped += slipped if start <= since < end else 0
        return Seen([], positions, pulses)

    def _edges(self, start: float, end: float, shaft: Shaft, since: float, left_out: int) -> list[Edge]:
        """The edges of channels and index; so many of the channels' do not come from a moment on."""
        edges = []
        for time, n, sense in shaft.meets(0.0, 1.0 / self._counts, start, end):
            if time >= since and left_out:
                left_out -= 1
                continue
            channel = A if n % 2 else B
            high = n % 4 in (1, 2) if sense > 0 else n % 4 in (3, 0)
            edges.append((time, channel | LEVEL if high else channel))
        for angle, inwards in ((self.index, 1), (self.index + self._width, -1)):
            for time, _, sense in shaft.meets(angle, 1.0, start, end):
                edges.append((time, INDEX | LEVEL if sense == inwards else INDEX))
        return edges
