"""Records a wheel's spins as its calibration takes them. Pure: bytes go through the driver itself."""

from typing import Protocol

from drivers.fortune_wheel.spin import EVERY
from drivers.readings import Instant
from drivers.tracking.calibration import FreeSpin
from drivers.tracking.resting import Stillness

STILL = 1_500_000
"""µs without motion after which a spin is over."""
MOVED = 5
"""Counts that are motion."""
LONGEST = 20_000
"""Positions, or edges, of one spin; a quarter of an hour of it."""


class Watcher(Protocol):
    """What the driver tells of the sensors."""

    at: Instant

    def position(self, time: int, position: int, zero: int | None) -> None:
        """Where the wheel stands, and where it does when the index comes."""
        ...

    def quiet(self, time: int) -> None:
        """Where it stands is not known, but it does not turn."""
        ...

    def index(self, position: int) -> None:
        """The index came."""
        ...

    def pointer(self, time: int, high: bool) -> None:
        """An edge of the pointer."""
        ...

    def doubt(self, reason: str) -> None:
        """Something was not seen."""
        ...

    def stand(self, reason: str | None) -> None:
        """A fault under which nothing can be judged, or the end of it."""
        ...

    def begin_anew(self) -> None:
        """Clock and positions begin anew."""
        ...


class Recording:
    """A watcher that keeps whole spins."""

    def __init__(self) -> None:
        self.at = Instant(0, 0)
        self.spins: list[FreeSpin] = []
        self.place: tuple[int, int] | None = None
        """Where the wheel stands: its position and the index's; None if not known, or while it turns."""
        self._positions: list[tuple[int, int]] = []
        self._edges: list[tuple[int, bool]] = []
        self._flaw: str | None = None
        self._still = Stillness()
        self._moving = False
        self._zero: int | None = None

    def position(self, time: int, position: int, zero: int | None) -> None:
        """A position; a spin is over once it has been the same for a while."""
        if self._positions and time < self._positions[-1][0] + EVERY:  # as when a spin is judged
            return
        self._zero = zero
        self._positions.append((time, position))
        still = self._still.at(time, position)
        self.place = (position, zero) if zero is not None and still >= STILL else None
        if not self._moving:
            self._moving = abs(position - self._positions[0][1]) > MOVED
            if still >= STILL:
                self._flaw = None
                del self._positions[:-1], self._edges[:]
        elif still >= STILL:
            self._keep()
        if len(self._positions) > LONGEST or len(self._edges) > LONGEST:
            self._flaw = "it never came to rest"
            del self._positions[1:-1], self._edges[:]

    def _keep(self) -> None:
        end = self._still.since or 0
        positions = tuple(each for each in self._positions if each[0] <= end + 300_000)
        self.spins.append(FreeSpin(positions, tuple(self._edges), self._zero, self._flaw))
        self._moving, self._flaw = False, None
        del self._positions[:-1], self._edges[:]

    def quiet(self, time: int) -> None:
        """It does not turn: what comes next is seen from its beginning."""
        if not self._moving:
            self._flaw = None

    def index(self, position: int) -> None:
        """The zero comes with the positions."""

    def pointer(self, time: int, high: bool) -> None:
        """An edge of the pointer; a second to the same level is no edge."""
        if not self._edges or self._edges[-1][1] != high:
            self._edges.append((time, high))

    def doubt(self, reason: str) -> None:
        """The spin in hand is flawed."""
        self._flaw = self._flaw or reason

    def stand(self, reason: str | None) -> None:
        """Faults that stand are doubts already."""

    def begin_anew(self) -> None:
        """What was recorded of the spin in hand is worth nothing."""
        self._positions.clear()
        self._edges.clear()
        self._still, self._moving, self.place = Stillness(), False, None
