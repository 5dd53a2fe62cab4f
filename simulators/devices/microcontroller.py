"""A simulated microcontroller that reads bare sensors and speaks mesad's sensor protocol, with its troubles.

What its sensors show in virtual time goes in; what stands on the line comes out, packet by packet. The same
arguments give the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
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
from simulators.traffic import Bytes, Item, Replug, Unplug

Encoder = Literal["counts", "edges"]
Edge = tuple[float, int]
"""Virtual seconds, and the channel with `LEVEL` where it rose."""
Position = tuple[float, int]
"""Virtual seconds, and what the encoder's counter shows."""
Span = tuple[float, float]

BEAT = 0.5
COUNTED = 0.05
"""Seconds between two packets of a counted encoder; the positions in them may lie much closer."""
APART = 0.06
"""Seconds between two positions of one packet at most."""
INTRODUCED = 10.0
GATHERED = 0.05
"""Seconds after its first edge at which a packet of edges is sent."""
BOOT = 0.3
LATE = (0.001, 0.016)
"""Seconds by which the line is late."""
INDEX, LID = NUMBERS["index"], NUMBERS["lid"]


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
class Seen:
    """What the sensors of a device show, each in order of time; an encoder either edges or the others."""

    edges: list[Edge] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    pulses: list[Position] = field(default_factory=list)
    """Where the counter stands at each index pulse."""


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
    """One device, from its start at virtual time 0; `counts` of one turn of its encoder.

    `sampled`: seconds between the positions of an encoder that is counted in hardware, at most `COUNTED`.
    """

    def __init__(
        self,
        seed: str,
        serial: str,
        counts: int,
        channels: int,
        sampled: float = COUNTED,
    ) -> None:
        self._rng = Random(seed)
        self._serial = serial
        self._counts = counts
        self._channels = channels
        self._batch = min(round(COUNTED / sampled), POSITIONS_AT_MOST)
        self._boot = self._rng.randrange(1000)
        self._booted = 0.0
        self._sequence = self._invalid = self._lost = 0
        self._base: int | None = None
        """What the counter showed at the start: the device calls it 0."""
        self._rate = 1e6 * (1 + self._rng.uniform(-50e-6, 50e-6))
        self._arrived = 0.0
        self._losing = inf, 0
        """From when on the device says that it lost so many edges more."""

    def wire(self, start: float, end: float, seen: Seen, troubles: Troubles) -> list[Item]:
        """All that is sent between two moments, as it comes over the line."""
        seen = self._kept(seen, troubles)
        restart = troubles.restart
        first_end = end if restart is None else restart
        items = self._run(start, first_end, seen, troubles, begins=start == 0.0)
        if restart is not None:
            items += self._run(restart + BOOT, end, seen, troubles, begins=True)
        self._lost += self._losing[1]
        self._losing = inf, 0
        if troubles.unplug is not None:
            out, back = troubles.unplug
            items = [item for item in items if not out <= item.t < back]
            items += [Unplug(out), Replug(back)]
            items.sort(key=lambda item: item.t)
        return items

    def _kept(self, seen: Seen, troubles: Troubles) -> Seen:
        """What the device takes of what its sensors show, or would if they worked."""
        cover_time, covered = troubles.covered or (inf, -1)
        ends = {**troubles.dead, covered: cover_time}
        edges = [(time, channel) for time, channel in seen.edges if time < ends.get(channel & ~LEVEL, inf)]
        used = {channel & ~LEVEL for _, channel in seen.edges}
        edges += [(time, channel) for channel, time in troubles.dead.items() if channel in used]
        if covered >= 0:
            edges.append((cover_time, covered | LEVEL))
        if troubles.lost_edges is not None:
            begins, over = troubles.lost_edges
            kept = [edge for edge in edges if not begins <= edge[0] < over]
            self._losing = over, max(1, len(edges) - len(kept))
            edges = kept
        edges.sort(key=lambda edge: edge[0])
        pulses = [pulse for pulse in seen.pulses if pulse[0] < ends.get(INDEX, inf)]
        return Seen(edges, seen.positions, pulses)

    def _run(self, start: float, end: float, seen: Seen, troubles: Troubles, *, begins: bool) -> list[Item]:
        """The packets of one run of the device; `begins`: it is started at the first moment."""
        items: list[Item] = []
        due: list[tuple[float, Body]] = []
        if begins:
            self._start(start)
            items.append(self._arriving(start, b"\0"))
        for time in [*([start] if begins else []), *every(INTRODUCED, start, end)]:
            due += [(time, self._identity()), (time, SelfTest(bytes(len(CHANNELS))))]
        due += self._counted(
            _between(seen.positions, start, end), _between(seen.pulses, start, end), troubles
        )
        due += [(time, self._heartbeat(time, troubles)) for time in every(BEAT, start, end)]
        for time, code, channel in troubles.faults:
            if start <= time < end:
                over = min(time + 8.0, end - 0.01)
                due += [(time, Fault(code, channel, True, 1)), (over, Fault(code, channel, False, 0))]
        due = self._gathered(_between(seen.edges, start, end), end) + due
        due.sort(key=lambda each: each[0])
        return items + self._sent(due, troubles)

    def _start(self, time: float) -> None:
        self._boot += 1
        self._booted = time
        self._sequence = self._invalid = self._lost = 0
        self._base = None

    def _clock(self, time: float) -> int:
        """The device's microseconds."""
        return int((time - self._booted) * self._rate)

    # --- what is to be sent ---------------------------------------------------------------------

    def _identity(self) -> Identity:
        return Identity(self._serial, "1.0.0", self._boot, self._counts, 1, self._channels)

    def _heartbeat(self, time: float, troubles: Troubles) -> Heartbeat:
        lid = bool(self._channels & 1 << LID)
        if troubles.lid is not None and troubles.lid[0] <= time < troubles.lid[1]:
            lid = False
        return Heartbeat(0, int(time - self._booted), self._lost_at(time), lid, 3300)

    def _lost_at(self, time: float) -> int:
        since, more = self._losing
        return (self._lost + (more if time >= since else 0)) % 65536

    def _counted(
        self, positions: Sequence[Position], pulses: Sequence[Position], troubles: Troubles
    ) -> list[tuple[float, Body]]:
        """The counter's positions in packets of 50 ms, and the index pulses."""
        shown = [*positions[:1], *pulses[:1]]
        if self._base is None and shown:
            self._base = min(shown)[1]
        base, clock = self._base or 0, self._clock
        since, invalid = troubles.invalid or (inf, 0)
        due: list[tuple[float, Body]] = [(time, Index(clock(time), at - base)) for time, at in pulses]
        for part in _parts(positions, self._batch):
            end = part[-1][0]
            bad = self._invalid + (invalid if end >= since else 0)
            times = tuple(clock(time) for time, _ in part)
            due.append((end, Counts(bad, times, tuple(at - base for _, at in part))))
        if positions and positions[0][0] <= since <= positions[-1][0]:
            self._invalid += invalid
        return due

    def _gathered(self, edges: Sequence[Edge], end: float) -> list[tuple[float, Body]]:
        """The edges in packets, each sent 50 ms after its first edge, or when it is full."""
        due: list[tuple[float, Body]] = []
        at = 0
        while at < len(edges):
            until = min(edges[at][0] + GATHERED, end)
            stop = at + 1
            while stop < len(edges) and stop - at < EDGES_AT_MOST and edges[stop][0] <= until:
                stop += 1
            time = edges[stop - 1][0] if stop - at == EDGES_AT_MOST else until
            times = tuple(self._clock(time) for time, _ in edges[at:stop])
            channels = bytes(channel for _, channel in edges[at:stop])
            due.append((time, Edges(self._lost_at(time), times, channels)))
            at = stop
        return due

    # --- the line -------------------------------------------------------------------------------

    def _sent(self, due: Sequence[tuple[float, Body]], troubles: Troubles) -> list[Item]:
        items: list[Item] = []
        damaged = troubles.damaged
        for time, body in due:
            data = encode(body, self._boot, self._sequence, self._clock(time))
            self._sequence += 1
            if troubles.dropped is not None and troubles.dropped[0] <= time < troubles.dropped[1]:
                continue
            if damaged is not None and time >= damaged:
                at = self._rng.randrange(1, len(data) - 1)
                data = data[:at] + bytes([data[at] % 255 + 1]) + data[at + 1 :]
                damaged = None
            items.append(self._arriving(time, data))
        return items

    def _arriving(self, time: float, data: bytes) -> Bytes:
        self._arrived = max(self._arrived, time + self._rng.uniform(*LATE))
        return Bytes(self._arrived, data)


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


def _between(seen: Sequence[tuple[float, int]], start: float, end: float) -> list[tuple[float, int]]:
    return [each for each in seen if start <= each[0] < end]


def _parts(positions: Sequence[Position], many: int) -> list[list[Position]]:
    """Positions as they share packets: so many at most, and none long after the one before it."""
    parts: list[list[Position]] = []
    for each in positions:
        if not parts or len(parts[-1]) == many or each[0] - parts[-1][-1][0] > APART:
            parts.append([])
        parts[-1].append(each)
    return parts


def every(step: float, start: float, end: float) -> list[float]:
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
