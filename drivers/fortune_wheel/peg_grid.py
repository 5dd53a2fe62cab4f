"""Where a wheel's pegs are by its encoder, and where it stood at each contact of the pointer. Pure."""

from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.fortune_wheel.spin_state import SpinState
from drivers.tracking.ending import NATURAL, Ending
from drivers.tracking.pegs import BOUNCE, Pegs
from drivers.tracking.resting import Rest, rest_place

PEG_SLACK = 3.0
"""Counts by which a peg may lift the pointer elsewhere than it should: rounding, the sensor's jitter."""
SLOW = 3
"""Bounces that must pass within a pitch for a contact to be told from the bounce of the one before."""
SLOW_SPEED = 0.08
"""Turns a second above which a peg's place is not judged: a push might bend the way between two positions."""

FAST_SPEED = 0.7
"""Turns a second above which a pointer may float over the pegs; a wheel makes its last turn slower."""


class PegGrid:
    """The pegs of a calibrated wheel, in pitches: whole where a peg's middle is at the pointer."""

    def __init__(self, options: FortuneWheelOptions) -> None:
        assert options.calibration is not None
        self._known = options.calibration
        self._counts = options.counts
        self._segments = options.segments
        self.slack = PEG_SLACK * options.segments / options.counts
        """Pitches by which a peg may be elsewhere."""
        self._slowest = min(
            options.counts / options.segments / (SLOW * BOUNCE), SLOW_SPEED * options.counts / 1e6
        )
        """Counts each µs below which a peg's place is judged."""
        self._fast = FAST_SPEED * options.counts / 1e6
        """And above which nothing is told from the pegs at all."""

    def at(self, position: float, zero: int) -> float:
        """Where the wheel stands: turns clockwise from where peg 0 is at the pointer, times pegs."""
        return ((position + 0.5 - zero) / self._counts + self._known.index_at) * self._segments

    def rest(self, position: int, zero: int, lifted: bool) -> Rest:
        """What is at the pointer of a wheel that rests."""
        turns = self.at(position, zero) / self._segments
        return rest_place(turns, self._segments, self._known.peg_width, lifted, self.slack)

    def fell_silent(self, ending: Ending, zero: int) -> bool:
        """Whether the positions ended though the wheel cannot have come to rest there."""
        known = self._known
        half = known.peg_width / 2 + self.slack
        left = ending.left(known.friction, self._counts, lambda position: self.at(position, zero), half)
        return left > NATURAL

    def between_pegs(self, pegs: Pegs) -> bool:
        """Whether the wheel has stayed between two pegs since the pointer fell."""
        if pegs.low is None or pegs.high is None:
            return True
        lower = (pegs.low + pegs.high) // 2
        off = self._known.peg_width / 2 - self.slack
        return pegs.low >= lower + off and pegs.high <= lower + 1 - off

    def place(self, state: SpinState, zero: int | None) -> None:
        """Where the wheel stood at each rise that lies between two positions, and where it stands now."""
        kept = state.kept
        while state.rises and state.rises[0].time <= kept[-1][0]:
            rise = state.rises.pop(0)
            after = next(at for at, each in enumerate(kept) if each[0] >= rise.time)
            if after == 0 or zero is None:
                continue
            (since, start), (time, end) = kept[after - 1 : after + 1]
            moved = end - start
            slow = abs(moved) < self._slowest * (time - since)
            pegs = self.at(start + moved * (rise.time - since) / (time - since), zero)
            half = self._known.peg_width / 2
            state.pegs.place(pegs, rise, half if slow else None, self.slack)
            if state.stage == "spinning" and state.push is None and abs(moved) < self._fast * (time - since):
                state.phase.rise(state.sense * pegs, half, self.slack)
        if zero is not None:
            state.pegs.stand(kept[-1][0], self.at(kept[-1][1], zero))
