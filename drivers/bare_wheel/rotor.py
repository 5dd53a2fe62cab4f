"""Where the encoder's shaft stood at each moment, from a device's counts or from the channels' own edges."""

from collections import deque
from collections.abc import Sequence
from typing import Literal

import msgspec

from drivers.bare_wheel.options import COUNTS_A_POCKET, BareWheelOptions
from drivers.readings import Direction
from drivers.tracking.quadrature import Quadrature, QuadratureState
from drivers.tracking.rotation import Rotation, Slip
from protocols.sensor import Counts

STANDS = 150_000
"""µs without counts after which the shaft stands: they come every 50 ms while it turns."""
WINDOW = 1_000_000
"""µs over which speed and sense are told."""
SURE = 0.03
"""Net turns within the window from which on the sense is sure: a little more than a pocket of 37, which are
five counts of the coarsest encoder that will do. Rocking on an edge makes one count."""
_MARK = 0.15
"""Parts of a pocket by which the index may miss at most, its mark's width with it; one count always. A ball
lies up to 0.1 beside its pocket's middle, a coarse encoder tells it 0.1 beside that: at 0.4 is the wall."""
_INDEX_WITHIN = 1.25
"""Turns within which an index comes: one, and what positions may run ahead of it on the line."""
_EVERY = 20_000
"""µs over which two samples are kept, however closely they come. In proportion between them is near enough: a
device may send one each 50 ms."""
_KEPT = 2 * WINDOW // _EVERY + 2
"""The whole window, and so more than an edge of the pocket sensor can be old: 100 ms by the protocol."""


class RotorState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered of the shaft."""

    counts: int
    """Of one turn; 0 while not known."""
    source: Literal["counts", "edges"] | None = None
    invalid: int | None = None
    """The device's own count of invalid steps, the last one heard."""
    low: int = 0
    high: int = 0
    """Positions between which the shaft has been since the last mark."""
    awaited: int | None = None
    """Position from which the next index is at most a turn away."""
    samples: tuple[tuple[int, int], ...] = ()
    quadrature: QuadratureState = (0, 0, 0, None, None, None)
    zero: int | None = None
    """The shaft's position at its index."""


class Rotor:
    """Positions in counts, clockwise positive; times in the device's unwrapped µs."""

    def __init__(self, options: BareWheelOptions) -> None:
        self._options = options
        self._begin(options.counts)

    def _begin(self, counts: int) -> None:
        self._state = RotorState(counts)
        self._samples: deque[tuple[int, int]] = deque(maxlen=_KEPT)
        self._quadrature = Quadrature()
        within = max(1, int(_MARK * counts / self._options.pockets))
        self._rotation = Rotation(max(counts, 1), min(self._options.slack, within))

    @property
    def state(self) -> RotorState:
        """All that is remembered; may be assigned."""
        state = self._state
        state.samples = tuple(self._samples)
        state.quadrature, state.zero = self._quadrature.state, self._rotation.zero
        return state

    @state.setter
    def state(self, state: RotorState) -> None:
        if state.counts < 0:
            raise ValueError("not a rotor's state")
        self._begin(state.counts)
        self._state = state
        self._samples.extend(state.samples)
        self._quadrature.state, self._rotation.zero = state.quadrature, state.zero

    def restart(self) -> None:
        """The device, or what is known of it, begins anew."""
        self._begin(self._state.counts)

    # --- what comes in --------------------------------------------------------------------------

    def of_turn(self, counts: int) -> bool:
        """The device says how many counts a turn has; 0 leaves it to the options, too few are none.

        Whether it is news, with which all that was known is not.
        """
        counts = counts or self._options.counts
        if self.too_coarse(counts):
            counts = 0
        if counts == self._state.counts:
            return False
        self._begin(counts)
        return True

    def too_coarse(self, counts: int) -> bool:
        """Whether so many counts of a turn cannot tell one pocket from the next."""
        return counts < COUNTS_A_POCKET * self._options.pockets

    def count(self, counts: Counts) -> None:
        """Positions by the device's own counter."""
        if self._state.source != "counts":
            self.restart()
            self._state.source = "counts"
        for time, position in zip(counts.times, counts.positions, strict=True):
            self._sample(time, position)

    def invalid_steps(self, counts: Counts) -> int:
        """Invalid steps since the last counts, by the device's 16-bit count."""
        before, self._state.invalid = self._state.invalid, counts.invalid
        return 0 if before is None else (counts.invalid - before) % 65536

    def step(self, times: Sequence[int], channels: Sequence[int]) -> int:
        """A run of the two channels' edges; how many of them were invalid steps or followed a missed edge."""
        if self._state.source == "counts":
            return 0
        quadrature = self._quadrature
        before = quadrature.invalid + quadrature.missed
        quadrature.run(times, channels)
        self._state.source = "edges"
        self._sample(times[-1], quadrature.position)
        return quadrature.invalid + quadrature.missed - before

    def index(self, position: int | None) -> Slip | None:
        """The index passed: at this position, or (None) where the channels' edges have come to."""
        if (position is None) is not (self._state.source == "edges"):
            return None  # the other kind of device's
        position = self._quadrature.position if position is None else position
        self._state.awaited = position
        return self._rotation.index(position)

    def unsure(self) -> None:
        """Part of the stream is missing: no position from the channels' own edges until the index."""
        self._state.awaited = self.latest
        if self._state.source == "edges":
            self._rotation.zero = None

    def _sample(self, time: int, position: int) -> None:
        state = self._state
        if self._samples:
            if time <= self._samples[-1][0]:
                return
            if position < state.low:
                state.low = position
            elif position > state.high:
                state.high = position
            if len(self._samples) > 1 and time - self._samples[-2][0] < _EVERY:
                self._samples.pop()
        else:
            state.low = state.high = position
            state.awaited = position if state.awaited is None else state.awaited
        self._samples.append((time, position))

    # --- what is known --------------------------------------------------------------------------

    @property
    def counted(self) -> bool:
        """Whether positions come behind the moment, so that an edge has to wait for its own."""
        return self._state.source == "counts"

    def reaches(self, time: int, now: int) -> bool:
        """Whether the position at a time can be told; by the channels' own edges, at once or never."""
        if not self.counted:
            return True
        if not self._samples:
            return now - time > STANDS
        return time <= self._samples[-1][0] or now - max(time, self._samples[-1][0]) > STANDS

    def position(self, time: int) -> float | None:
        """Position at a time that is reached, between samples in proportion; None too far back."""
        if not self.counted:
            return self._quadrature.position if self._state.source else None
        later: tuple[int, int] | None = None
        for sample in reversed(self._samples):
            if sample[0] <= time:
                if later is None or later[0] - sample[0] > STANDS:
                    return sample[1]
                part = (time - sample[0]) / (later[0] - sample[0])
                return sample[1] + part * (later[1] - sample[1])
            later = sample
        return None

    def turns(self, position: float) -> float:
        """A position in signed turns, from any beginning."""
        return position / max(self._state.counts, 1)

    def of_turns(self, turns: float) -> float:
        """The position after so many turns."""
        return turns * max(self._state.counts, 1)

    def ring(self, position: float) -> float | None:
        """Where on the ring of pockets the sensor stands, in turns clockwise from pocket 0; None unknown."""
        zero = self._rotation.zero
        if zero is None or not self._state.counts:
            return None
        angle = (position - zero) / self._state.counts - self._options.meets
        return angle % 1.0 if self._options.turning == "sensor" else -angle % 1.0

    @property
    def known(self) -> bool:
        """Whether its angle is known, as far as the index has shown it."""
        return self._rotation.zero is not None and self._state.counts > 0 and not self.overdue

    @property
    def overdue(self) -> bool:
        """Whether the shaft went more than a turn without the index: its angle may be any by now."""
        awaited, latest = self._state.awaited, self.latest
        if awaited is None or latest is None or not self._state.counts:
            return False
        return abs(latest - awaited) > _INDEX_WITHIN * self._state.counts

    def mark(self) -> None:
        """From here on `scanned` counts."""
        if self._samples:
            self._state.low = self._state.high = self._samples[-1][1]

    @property
    def scanned(self) -> float:
        """Turns of the shaft's path from end to end since the mark: over 1, each pocket met the sensor."""
        return (self._state.high - self._state.low) / max(self._state.counts, 1)

    @property
    def latest(self) -> int | None:
        """The last position."""
        if self._state.source == "edges":
            return self._quadrature.position
        return self._samples[-1][1] if self._samples else None

    def speed(self, now: int) -> float | None:
        """Turns a second, signed, over the last second; None while that is not known."""
        motion = self._motion(now)
        return None if motion is None else motion[0] / motion[1]

    def sense(self, now: int) -> Direction | None:
        """Of the rotor; None while it stands, rocks, is unknown, or is no rotor."""
        motion = self._motion(now) if self._options.turning == "pockets" else None
        if motion is None or abs(motion[0]) < SURE:
            return None
        return "cw" if motion[0] > 0 else "ccw"

    def _motion(self, now: int) -> tuple[float, float] | None:
        """Net turns, signed, over so many of the last seconds, one at most; None while that is not known."""
        if len(self._samples) < 2 or not self._state.counts:
            return None
        last = self._samples[-1]
        if now - last[0] > 2 * STANDS:
            return 0.0, 1.0
        first = last
        for sample in reversed(self._samples):
            if last[0] - sample[0] > WINDOW:
                break
            first = sample
        if last[0] - first[0] < WINDOW // 5:
            return None
        return (last[1] - first[1]) / self._state.counts, (last[0] - first[0]) / 1e6
