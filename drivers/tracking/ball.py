"""A ball's turns, sense and speed from sensors in the rim. Pure; times in µs, angles in turns.

The sensors stand at unequal distances, so that only one sense explains the times between them as the motion
of one ball: both senses are followed, and the one in which the ball slows evenly is right. So a pass that a
sensor missed costs no turn, and a second edge of one pass adds none.
"""

from collections.abc import Sequence
from math import log
from typing import Literal

Sense = Literal["cw", "ccw"]

QUICKEST_TURN = 200_000
"""µs; no ball turns in less, so a sooner second pass of one sensor is a bounce of the first. A contact
bounces for 75 ms at most (`docs/sensor-protocol.md`); the fastest ball that is simulated, at 2.1 turns a
second, needs 476."""
SURE_AFTER = 5
"""Passes before a sense is told."""
CLEARER = 4.0
"""Times by which one sense must explain the passes better than the other. Two sensors a third of a turn
apart fit the wrong sense at twice the speed, with a quarter of the right one's error. Three have 58 times
and more at the fifth pass, a degree out of level; two of them, half a degree out of level, still have
4."""


FollowingState = tuple[float, float | None, float, float | None, float]
TrackState = tuple[int, int | None, int | None, int, dict[int, int], FollowingState, FollowingState]

NONSENSE = 0.01
"""Error below which a sense may well be right: two sensors can stand so that both are. On a level wheel
the right sense has 0.003 at most, with edges up to 0.3 ms late; the wrong one 0.3 at least, after five
passes of three."""


class _Following:
    """The passes as one sense explains them."""

    def __init__(self, angles: Sequence[float], sign: int) -> None:
        self.run = 0.0
        """Turns since the first pass."""
        self.speed: float | None = None
        """Turns a second over the last step."""
        self.error = 0.0
        """Sum of squared changes of the slowing: small for one ball, large for the wrong sense."""
        self._arc = 0.0
        self._slowing: float | None = None
        """Logarithm of the speed's fall in a turn: for a ball in a rim much the same all the time."""
        self._angles = angles
        self._sign = sign

    @property
    def state(self) -> FollowingState:
        return self.run, self.speed, self.error, self._slowing, self._arc

    @state.setter
    def state(self, state: FollowingState) -> None:
        self.run, self.speed, self.error, self._slowing, self._arc = state

    def step(self, before: int, sensor: int, seconds: float) -> None:
        """The ball went from one sensor to another in so many seconds."""
        arc = (self._sign * (self._angles[sensor] - self._angles[before])) % 1.0 or 1.0
        if self.speed is not None:
            arc += max(0, round(self.speed * seconds - arc))  # whole turns that no sensor saw
        speed = arc / seconds
        if self.speed is not None:
            slowing = log(self.speed / speed) * 2 / (self._arc + arc)
            if self._slowing is not None:
                self.error += (slowing - self._slowing) ** 2
            self._slowing = slowing
        if speed * QUICKEST_TURN > 1e6:
            self.error += (
                1.0  # at several times the speed the wrong sense may fit as well, but no ball does that
            )
        self.speed, self._arc = speed, arc
        self.run += arc


class BallTrack:
    """One launch of the ball, pass by pass."""

    def __init__(self, angles: Sequence[float]) -> None:
        """`angles` of the three sensors, clockwise from any mark, in parts of a turn."""
        self.passes = 0
        self.first: int | None = None
        """Time of the first pass."""
        self.last: int | None = None
        self._angles = angles
        self._sensor = 0
        self._latest: dict[int, int] = {}
        self._cw = _Following(angles, 1)
        self._ccw = _Following(angles, -1)

    @property
    def state(self) -> TrackState:
        """All that it remembers, as plain values to copy; may be assigned."""
        following = self._cw.state, self._ccw.state
        return self.passes, self.first, self.last, self._sensor, self._latest.copy(), *following

    @state.setter
    def state(self, state: TrackState) -> None:
        self.passes, self.first, self.last, self._sensor, latest = state[:5]
        passed = {self.passes > 0, self.first is not None, self.last is not None, bool(latest)}
        if len(passed) > 1 or not 0 <= self._sensor <= 2 or not latest.keys() <= {0, 1, 2}:
            raise ValueError("not a ball track's state")
        self._latest = latest.copy()
        self._cw.state, self._ccw.state = state[5:]

    def edge(self, time: int, sensor: int) -> bool:
        """The ball reached a sensor (0, 1, 2); whether it is a pass of its own."""
        if time - self._latest.get(sensor, -QUICKEST_TURN) < QUICKEST_TURN:
            return False
        self._latest[sensor] = time
        if self.last is None:
            self.first = time
        elif time > self.last:
            seconds = (time - self.last) / 1e6
            self._cw.step(self._sensor, sensor, seconds)
            self._ccw.step(self._sensor, sensor, seconds)
        self._sensor, self.last = sensor, time
        self.passes += 1
        return True

    @property
    def sense(self) -> Sense | None:
        """None until the passes show it beyond doubt."""
        if self.passes < SURE_AFTER:
            return None
        if self._ccw.error > max(CLEARER * self._cw.error, NONSENSE):
            return "cw"
        return "ccw" if self._cw.error > max(CLEARER * self._ccw.error, NONSENSE) else None

    @property
    def laps(self) -> int | None:
        """Whole turns from the first pass on; None while the sense is not known."""
        following = self._right
        return None if following is None else int(following.run + 1e-9)

    @property
    def speed(self) -> float | None:
        """Turns a second over the last step, not signed; None while the sense is not known."""
        following = self._right
        return None if following is None else following.speed

    @property
    def run(self) -> float:
        """Turns from the first pass to the last; 0 while the sense is not known."""
        following = self._right
        return 0.0 if following is None else following.run

    @property
    def left_at(self) -> float | None:
        """The middle of the stretch from the last sensor that saw the ball to the next, which no longer did.

        None while the sense is not known, and unless each sensor saw the ball in its last turn. Of where in
        the stretch it left its speed tells nothing: on a level wheel all speeds there are alike often, and a
        tilted one holds it longer at one side than at another.
        """
        sense, speed, last = self.sense, self.speed, self.last
        if sense is None or speed is None or last is None or len(self._latest) < len(self._angles):
            return None
        if any(last - seen > 1e6 / speed for seen in self._latest.values()):
            return None
        sign, here = (1 if sense == "cw" else -1), self._angles[self._sensor]
        ahead = min((sign * (angle - here)) % 1.0 for angle in self._angles if angle != here)
        return (here + sign * ahead / 2) % 1.0

    @property
    def _right(self) -> _Following | None:
        return {"cw": self._cw, "ccw": self._ccw, None: None}[self.sense]
