"""A simulated microcontroller that reads bare sensors and speaks mesad's sensor protocol, with its troubles.

Edges and a shaft's motion in virtual time go in; what stands on the line comes out, packet by packet. The
same arguments give the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor
from random import Random
from typing import Literal

from protocols.sensor import (
    CHANNELS,
    EDGES_AT_MOST,
    LEVEL,
    NUMBERS,
    POSITIONS_AT_MOST,
    Body,
    Counts,
    Edges,
    Fault,
    Heartbeat,
    Identity,
    Index,
    SelfTest,
    encode,
)
from simulators.physics.shaft import Shaft
from simulators.traffic import Bytes, Item, Replug, Unplug

Encoder = Literal["counts", "edges"]
Edge = tuple[float, int]
"""Virtual seconds, and the channel with `LEVEL` where it rose."""
Span = tuple[float, float]

BEAT = 0.5
COUNTED = 0.05
"""Seconds between two packets of a counted encoder; the positions in them may lie much closer."""
INTRODUCED = 10.0
GATHERED = 0.05
"""Seconds after its first edge at which a packet of edges is sent."""
BOOT = 0.3
INDEX = NUMBERS["index"]


@dataclass(frozen=True, slots=True)
class Noise:
    """What every real sensor does."""

    jitter: float = 60e-6
    """Seconds by which an edge comes late at most."""
    missed: float = 0.002
    """Share of the edges that do not come."""
    doubled: float = 0.03
    """Share of the edges that bounce."""
    bounce: float = 0.003
    """Seconds that a bounce lasts at most."""


@dataclass(slots=True)
class Troubles:
    """What goes wrong with a device in one game; times in virtual seconds."""

    dropped: Span | None = None
    """Packets sent meanwhile do not arrive."""
    damaged: float | None = None
    """The first packet from then on arrives with a wrong byte."""
    lost_edges: Span | None = None
    """Edges meanwhile find no room in the device, which says so."""
    restart: float | None = None
    unplug: Span | None = None
    slip: tuple[float, int] | None = None
    """From a moment on the encoder is so many counts off."""
    invalid: tuple[float, int] | None = None
    """At a moment so many steps at which both of the encoder's channels changed."""
    lid: Span | None = None
    """The lid is closed meanwhile; it is open otherwise."""
    faults: list[tuple[float, int, int]] = field(default_factory=list)
    """When, code, channel."""
    dead: dict[int, float] = field(default_factory=dict)
    """Channels that go low at a moment and say nothing more."""
    covered: tuple[float, int] | None = None
    """From a moment on a channel stands high and says nothing more."""


class Microcontroller:
    """One device, from its start at virtual time 0; `counts` of one turn of the shaft, `index` in turns.

    `sampled`: seconds between the positions of an encoder that is counted in hardware, at most `COUNTED`.
    """

    def __init__(
        self,
        seed: str,
        serial: str,
        counts: int,
        index: float,
        encoder: Encoder,
        channels: int,
        sampled: float = COUNTED,
    ) -> None:
        self._rng = Random(seed)
        self._serial = serial
        self._counts = counts
        self._index = (int(index * counts) + 0.5) / counts
        self._encoder = encoder
        self._channels = channels
        self._batch = min(round(COUNTED / sampled), POSITIONS_AT_MOST)
        self._sampled = sampled
        self._boot = self._rng.randrange(1, 1000)
        self._booted = 0.0
        self._sequence = 0
        self._base: int | None = None
        self._slipped = self._invalid = self._lost = 0
        self._rate = 1e6 * (1 + self._rng.uniform(-50e-6, 50e-6))

    @property
    def index(self) -> float:
        """Where its index stands on the shaft, in turns: between two counts."""
        return self._index

    def wire(
        self, start: float, end: float, edges: Sequence[Edge], shaft: Shaft, troubles: Troubles
    ) -> list[Item]:
        """All that is on the line between two moments; `edges` of the slow channels in order of time."""
        edges = self._touched(edges, troubles)
        restart = troubles.restart
        if restart is None:
            items: list[Item] = self._packets(start, end, edges, shaft, troubles, begins=start == 0.0)
        else:
            items = self._packets(start, restart, edges, shaft, troubles, begins=start == 0.0)
            self._start_again(restart + BOOT)
            items += self._packets(restart + BOOT, end, edges, shaft, troubles, begins=True)
        if troubles.unplug is not None:
            out, back = troubles.unplug
            items = [item for item in items if not out <= item.t < back]
            items += [Unplug(out), Replug(back)]
            items.sort(key=lambda item: item.t)
        return items

    def _start_again(self, time: float) -> None:
        self._boot += 1
        self._booted = time
        self._sequence = self._slipped = self._invalid = self._lost = 0
        self._base = None

    # --- what is to be sent ---------------------------------------------------------------------

    def _packets(
        self,
        start: float,
        end: float,
        edges: Sequence[Edge],
        shaft: Shaft,
        troubles: Troubles,
        *,
        begins: bool,
    ) -> list[Item]:
        """Everything of one run of the device, in order, as bytes."""
        due: list[tuple[float, Body]] = []
        if begins:
            due += [(start, self._identity()), (start, SelfTest(bytes(len(CHANNELS))))]
        due += [(t, self._identity()) for t in _every(INTRODUCED, start, end)]
        if self._encoder == "counts":
            due += self._counted(start, end, shaft, troubles)
            edges = [edge for edge in edges if start <= edge[0] < end]
        else:
            turned = self._turned(start, end, shaft, troubles)
            edges = sorted([*(edge for edge in edges if start <= edge[0] < end), *turned])
        for time, code, channel in troubles.faults:
            if start <= time < end:
                over = min(time + 8.0, end - 0.01)
                due += [(time, Fault(code, channel, True, 1)), (over, Fault(code, channel, False, 0))]
        due += self._gathered(edges, end)
        due += [
            (t, Heartbeat(0, int(t - self._booted), self._lost_at(t, troubles), _lid_open(t, troubles), 3300))
            for t in _every(BEAT, start, end)
        ]
        due.sort(key=lambda each: each[0])
        items = self._sent(due, troubles, start if begins else None)
        if troubles.lost_edges is not None and start <= troubles.lost_edges[1] < end:
            self._lost += 5
        return items

    def _lost_at(self, time: float, troubles: Troubles) -> int:
        span = troubles.lost_edges
        return self._lost + (5 if span is not None and time >= span[1] else 0)

    def _sent(self, due: list[tuple[float, Body]], troubles: Troubles, begins: float | None) -> list[Item]:
        items: list[Item] = [] if begins is None else [Bytes(begins, b"\0")]
        boot, booted, rate, damaged = self._boot, self._booted, self._rate, troubles.damaged
        for time, body in due:
            told = body
            if isinstance(body, Edges) and (lost := self._lost_at(time, troubles)):
                told = Edges(lost % 65536, body.times, body.channels)
            data = encode(told, boot, self._sequence, int((time - booted) * rate))
            self._sequence += 1
            if troubles.dropped is not None and troubles.dropped[0] <= time < troubles.dropped[1]:
                continue
            if damaged is not None and time >= damaged:
                at = self._rng.randrange(1, len(data) - 1)
                data = data[:at] + bytes([data[at] % 255 + 1]) + data[at + 1 :]
                damaged = None
            items.append(Bytes(time, data))
        return items

    def _identity(self) -> Identity:
        return Identity(self._serial, "1.0.0", self._boot, self._counts, 1, self._channels)

    def _clock(self, time: float) -> int:
        return int((time - self._booted) * self._rate)

    # --- the shaft ------------------------------------------------------------------------------

    def _counted(
        self, start: float, end: float, shaft: Shaft, troubles: Troubles
    ) -> list[tuple[float, Body]]:
        """The counter's positions in packets of 50 ms while the shaft turns, and the index pulses."""
        counts, clock = self._counts, self._clock
        if self._base is None:
            self._base = floor(shaft.angle(start) * counts)
        base = self._base - self._slipped
        slip_time, slip = troubles.slip or (float("inf"), 0)
        invalid_time, invalid = troubles.invalid or (float("inf"), 0)
        due: list[tuple[float, Body]] = []
        for piece, begins, ends in shaft.spans(start, end):
            if piece.speed == 0 == piece.change:
                continue
            times = _every(self._sampled, begins, ends)
            for at in range(0, len(times), self._batch):
                part = times[at : at + self._batch]
                positions = tuple(
                    floor(piece.angle_at(time) * counts) - base + (slip if time >= slip_time else 0)
                    for time in part
                )
                bad = self._invalid + (invalid if part[-1] >= invalid_time else 0)
                due.append((part[-1], Counts(bad, tuple(clock(time) for time in part), positions)))
        for time, n, _ in shaft.meets(self._index, 1.0, start, end):
            position = floor((self._index + n) * counts) - base
            due.append((time, Index(clock(time), position + (slip if time >= slip_time else 0))))
        self._slipped += slip if start <= slip_time < end else 0
        self._invalid += invalid if start <= invalid_time < end else 0
        return due

    def _turned(self, start: float, end: float, shaft: Shaft, troubles: Troubles) -> list[Edge]:
        """The edges of both channels and of the index."""
        edges = []
        left_out = 0
        for time, n, sense in shaft.meets(0.0, 1.0 / self._counts, start, end):
            if troubles.slip is not None and time >= troubles.slip[0] and left_out < abs(troubles.slip[1]):
                left_out += 1
                continue
            channel = 0 if n % 2 else 1
            high = n % 4 in (1, 2) if sense > 0 else n % 4 in (3, 0)
            edges.append((time, channel | LEVEL if high else channel))
        width = 1.0 / self._counts
        for time, _, sense in shaft.meets(self._index, 1.0, start, end):
            edges.append((time, INDEX | (LEVEL if sense > 0 else 0)))
        for time, _, sense in shaft.meets(self._index + width, 1.0, start, end):
            edges.append((time, INDEX | (LEVEL if sense < 0 else 0)))
        return edges

    # --- edges ----------------------------------------------------------------------------------

    def _touched(self, edges: Sequence[Edge], troubles: Troubles) -> list[Edge]:
        """The edges that the device keeps."""
        kept = []
        lost = troubles.lost_edges
        cover_time, covered = troubles.covered or (float("inf"), -1)
        for time, channel in edges:
            number = channel & ~LEVEL
            if time >= troubles.dead.get(number, float("inf")) or (number == covered and time >= cover_time):
                continue
            if lost is not None and lost[0] <= time < lost[1]:
                continue
            kept.append((time, channel))
        kept += [(time, channel) for channel, time in troubles.dead.items()]
        if covered >= 0:
            kept.append((cover_time, covered | LEVEL))
        kept.sort()
        return kept

    def _gathered(self, edges: Sequence[Edge], end: float) -> list[tuple[float, Body]]:
        """The edges in packets, each sent 50 ms after its first edge or when it is full."""
        due: list[tuple[float, Body]] = []
        at = 0
        while at < len(edges):
            until = min(edges[at][0] + GATHERED, end)
            stop = at
            while stop < len(edges) and stop - at < EDGES_AT_MOST and edges[stop][0] <= until:
                stop += 1
            times = tuple(self._clock(time) for time, _ in edges[at:stop])
            full = stop - at == EDGES_AT_MOST
            due.append(
                (
                    edges[stop - 1][0] if full else until,
                    Edges(0, times, bytes(channel for _, channel in edges[at:stop])),
                )
            )
            at = stop
        return due


def noisy(rng: Random, edges: Sequence[Edge], noise: Noise) -> list[Edge]:
    """Edges as a real sensor gives them: late, missed, bouncing; in order."""
    seen = []
    for time, channel in edges:
        if rng.random() < noise.missed:
            continue
        late = time + rng.random() * noise.jitter
        seen.append((late, channel))
        if rng.random() < noise.doubled:
            first = rng.uniform(0.0001, noise.bounce)
            seen += [(late + first / 2, channel ^ LEVEL), (late + first, channel)]
    seen.sort()
    return seen


def _lid_open(time: float, troubles: Troubles) -> bool:
    return troubles.lid is None or not troubles.lid[0] <= time < troubles.lid[1]


def _every(step: float, start: float, end: float) -> list[float]:
    """The multiples of a step between two moments."""
    first = int(start / step) + 1
    times = []
    time = first * step
    while time < end:
        if time >= start:
            times.append(time)
        first += 1
        time = first * step
    return times
