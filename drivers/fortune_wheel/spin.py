"""One wheel's spins, from positions and the pointer's edges: pushes, turns, hands, rest. Pure.

Still, then moved (by whom and what for is not yet known), then spinning, then still again. A spin of which a
part was not seen ends with `RestUnread`, whatever else was seen of it. A wheel that is found turning, and was
never seen to stand, is waited out: nothing is told of that spin.
"""

from itertools import pairwise
from typing import Literal

from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.fortune_wheel.peg_grid import PegGrid
from drivers.fortune_wheel.spin_state import SpinState
from drivers.fortune_wheel.turned import turned, turned_since
from drivers.fortune_wheel.unread import BY_HAND, unread
from drivers.readings import (
    AnyReading,
    Direction,
    Instant,
    RestUnread,
    WheelAtRest,
    WheelHindered,
    WheelPushed,
    WheelTurned,
)
from drivers.tracking.jump import jumped, speed_of
from drivers.tracking.push import Push
from drivers.tracking.release import released
from drivers.tracking.resting import Stillness

EVERY = 40_000
"""µs at least between positions that are kept."""
KEPT = 16
WINDOW = 4
"""Positions back from which a speed is taken."""
START = 2
"""Counts that a wheel must have moved to be moved."""
LEAST = 0.8
"""Part of the bearing's own slowing that it has in any case."""
ENCODER_LATE = 750_000
"""µs for which a wheel at its very end can creep on within a count, and the pointer bounce."""
GOES_ON = 100_000
"""µs for which a wheel that a hand slows must be seen to go on: one whose sensors fall silent does not."""
APART = 0.05
"""Seconds between two positions of a wheel that turns: what it moved before the first is not seen."""
IMPOSSIBLE = 5.0
"""Turns a second that no hand gives a wheel."""


class Spins:
    """Takes positions, the index's places and the pointer's edges in order; appends to `said`."""

    def __init__(self, device: str, options: FortuneWheelOptions, said: list[AnyReading]) -> None:
        assert options.calibration is not None
        self.state = SpinState()
        self.at = Instant(0, 0)
        """When the bytes arrived that are being taken."""
        self._device = device
        self._options = options
        self._law = options.calibration.friction
        self._counts = options.counts
        self._still = round(options.still * 1e6)
        self._said = said
        self._back = options.calibration.bounce * options.counts + 2
        self._bearing = options.calibration.bearing * LEAST
        self._grid = PegGrid(options)

    # --- what is seen ---------------------------------------------------------------------------

    def position(self, time: int, position: int, zero: int | None) -> None:
        """Where the wheel stands, in counts; `zero` is where the index comes, None if not known."""
        state = self.state
        kept = state.kept
        if state.zero_open:
            zero = None
        state.quiet_since = None
        if state.stage == "spinning":
            state.ending.at(time, position, self._counts / self._options.segments)
        if kept and time - kept[-1][0] < EVERY:
            return
        if (
            kept
            and abs(position - kept[-1][1]) > IMPOSSIBLE * self._counts * (time - kept[-1][0]) / 1e6 + START
        ):
            self.doubt("no wheel moves so fast")
        kept.append((time, position))
        if len(kept) > KEPT:
            del kept[0]
        self._grid.place(state, zero)
        if state.stage == "spinning" and state.doubt is None and jumped(kept, self._slowing()):
            self.doubt("the encoder slipped")
        still = state.stillness.at(time, position)
        if state.stage == "spinning" and state.pegs.edged > time - still + ENCODER_LATE:
            self.doubt("the pointer moves though the encoder stands")
        if state.stage == "still":
            self._while_still(position, still)
        elif still >= self._still:
            self._rest(time, position, zero)
        elif state.stage == "moved":
            self._while_moved(position)
        else:
            self._while_spinning(time, position)

    def quiet(self, time: int) -> None:
        """Nothing is known of where the wheel stands, but were it to turn, it would be said by now."""
        state = self.state
        if state.quiet_since is None:
            state.quiet_since = time
        elif time - state.quiet_since >= self._still:
            self._rest(time, 0, None)

    def index(self, position: int) -> None:
        """The index came."""
        state = self.state
        state.indexed_at, state.zero_open, state.unproved = position, False, False
        state.phase.clear()

    def pointer(self, time: int, high: bool) -> None:
        """The pointer was lifted, or fell."""
        state = self.state
        rise = state.pegs.edge(time, high)
        if rise is not None and state.stage == "spinning":
            state.rises.append(rise)
            if len(state.rises) > 4 * KEPT:
                del state.rises[0]

    def doubt(self, reason: str) -> None:
        """Something was not seen, or cannot be right."""
        state = self.state
        if state.doubt is None:
            state.doubt = reason
        state.quiet_since = None
        if state.kept:
            state.stillness.doubt(state.kept[-1][0])

    def stand(self, reason: str | None) -> None:
        """A fault under which no spin can be judged, or the end of it."""
        self.state.standing = reason

    def begin_anew(self) -> None:
        """The device's clock and positions have begun anew: nothing that was seen joins on."""
        state = self.state
        if state.push is not None:  # it has been one, however far it came: what follows is not seen
            self._let_go(state.push)
        state.kept.clear()
        state.rises.clear()
        state.stillness = Stillness()
        state.crawl.clear()
        state.ending.way.clear()
        if state.stage == "moved":
            state.stage = "still"  # what moves it on is told from where it then stands
        state.pegs.lifted, state.indexed_at, state.push = None, None, None
        state.run.clear()
        state.run_from = 0
        state.pegs.edged = 0
        state.pegs.low = state.pegs.high = None
        state.zero_open, state.slowed = False, None

    # --- the stages -----------------------------------------------------------------------------

    def _while_still(self, position: int, still: int) -> None:
        state = self.state
        if still >= self._still:
            state.doubt, state.origin, state.stood = None, position, True
            state.origin_seen = True
        elif len(state.kept) == 1:
            state.origin, state.origin_seen = position, False
        if abs(position - state.origin) > START:
            state.stage, state.furthest = "moved", position

    def _while_moved(self, position: int) -> None:
        """Somebody moves the wheel: a spin once it is as fast, or has come as far, as only a spin does."""
        state = self.state
        if len(state.kept) < 2:
            return
        sense = 1 if state.furthest > state.origin else -1
        if sense * (position - state.furthest) >= 0:
            state.furthest = position
        elif sense * (state.furthest - position) > START:
            state.origin, state.furthest = state.furthest, position
            sense = -sense
        (since, start), (time, end) = state.kept[-2:]
        speed = sense * (end - start) / self._counts / ((time - since) / 1e6)
        if speed >= self._options.push or abs(position - state.origin) > self._options.handled * self._counts:
            self._begin(sense, since, start, time)

    def _begin(self, sense: int, since: int, start: int, time: int) -> None:
        state = self.state
        state.stage, state.sense, state.pushes, state.told = "spinning", sense, 0, 0
        state.pushed = state.origin, state.origin
        state.second, state.unseen_start = None, 0.0
        state.hindered, state.slowed, state.indexed_at = [], None, None
        state.ending.way.clear()
        state.furthest = sense * start
        state.pegs.begin()
        state.phase.clear()
        state.unproved = False
        state.rises.clear()
        state.push = Push(since, start)
        state.push.stretch(since, start, *state.kept[-1], sense)

    def _while_spinning(self, time: int, position: int) -> None:
        state = self.state
        progress = state.sense * position
        if len(state.kept) < 2:  # positions have begun anew in mid-spin
            state.origin, state.pushed, state.furthest, state.told = position, (position,) * 2, progress, 0
            return
        state.furthest = max(state.furthest, progress)
        if state.furthest - progress > self._back:
            self._turned_back(time, position)
        elif state.push is not None:
            (since, start) = state.kept[-2]
            if state.push.stretch(since, start, time, position, state.sense):
                self._let_go(state.push)
        else:
            self._runs_freely()
        turns = int(state.sense * (position - state.pushed[1]) / self._counts)
        if turns > state.told and state.push is None:
            state.told = turns
            self._tell(WheelTurned(device=self._device, at=self.at, turns=turns, speed=abs(self._speed()[1])))

    def _let_go(self, push: Push) -> None:
        """The hand has let go: turns count from here, and so does what friction alone explains."""
        state = self.state
        state.push = None
        state.pushes += 1
        state.pushed = released(state.kept, push.time, state.sense, self._law, self._counts)
        state.told = 0
        if state.pushes == 1 and not state.origin_seen:
            state.unseen_start = push.speed * APART
        elif state.pushes == 2:
            state.second = state.pushed
        state.run_from = push.time
        state.run.clear()
        state.crawl.clear()
        speed = push.speed / self._counts
        direction = _direction(state.sense)
        self._tell(
            WheelPushed(
                device=self._device, at=self.at, number=state.pushes, direction=direction, speed=speed
            )
        )
        if push.of_crawl and speed < self._options.push:
            self.doubt(BY_HAND)

    def _runs_freely(self) -> None:
        state = self.state
        if state.slowed is not None and state.ending.way[-1][0] - state.slowed[0] > GOES_ON:
            self._hinder("slowed", state.slowed[1])
            state.slowed = None
        middle, speed = self._speed()
        speed *= state.sense
        if middle == 0:
            return
        crawl = self._law.crawl
        if speed < crawl:
            state.run.clear()
            progress = state.sense * state.kept[-1][1] / self._counts
            driven = state.crawl.driven(progress, speed, self._law, self._bearing, self._back / self._counts)
            if driven and state.doubt is None:  # once: a doubt begins the wait for rest anew
                self.doubt(BY_HAND)
            return
        if state.crawl.reach is not None and speed > crawl + self._law.limit(crawl):
            self._pushed_again(state.kept[0][0])
            return
        proof = state.run.step(middle, speed, self._law)
        if proof == "lost":
            state.slowed = state.slowed or (state.kept[-1][0], state.run.deceleration)
            state.run.clear()
        elif proof == "gained":
            self._pushed_again(state.run.gaining_since)

    def _pushed_again(self, since: int) -> None:
        """The rise was found later than it began: what was kept is gone through again from there."""
        state = self.state
        all_stretches = list(pairwise(state.kept))
        stretches = [pair for pair in all_stretches if pair[0][0] >= since] or all_stretches[-1:]
        slowest = min(stretches, key=lambda pair: state.sense * speed_of(*pair))
        crawled = state.crawl.reach is not None
        push = state.push = Push(*slowest[0], of_crawl=crawled)
        over = False
        for (before, start), (time, end) in stretches[stretches.index(slowest) :]:
            over = push.stretch(before, start, time, end, state.sense)
        if over:
            self._let_go(push)

    def _turned_back(self, time: int, position: int) -> None:
        """Further back than a peg ever sent it."""
        state = self.state
        _, speed = self._speed()
        self._hinder("reversed", max(0.0, state.run.deceleration))
        state.furthest = state.sense * position
        state.push = None
        state.run.clear()
        state.crawl.clear()
        if -state.sense * speed > self._law.crawl:
            state.sense = -state.sense
            state.furthest = state.sense * position
            state.push = Push(time, position)
        state.run_from = time

    def _hinder(self, cause: Literal["slowed", "reversed"], deceleration: float) -> None:
        """Told once for each cause and spin."""
        self.state.unproved = True
        if cause not in self.state.hindered:
            self.state.hindered.append(cause)
            self._tell(WheelHindered(device=self._device, at=self.at, cause=cause, deceleration=deceleration))

    def _tell(self, reading: AnyReading) -> None:
        """Said of a wheel whose spin can be somebody's round."""
        if self.state.stood:
            self._said.append(reading)

    def _speed(self) -> tuple[int, float]:
        """The speed (turns a second, signed) over the window, and the time of its middle; 0 if too short."""
        kept, state = self.state.kept, self.state
        first = max(0, len(kept) - 1 - WINDOW)
        (since, start), (time, end) = kept[first], kept[-1]
        if since < state.run_from or len(kept) <= WINDOW:
            return 0, (end - start) / self._counts / max(1e-6, (time - since) / 1e6)
        return (since + time) // 2, (end - start) / self._counts / ((time - since) / 1e6)

    def _slowing(self) -> float:
        """What the wheel's own friction takes at its speed now: counts a second, each second."""
        return self._law.slowing(abs(self._speed()[1])) * self._counts

    # --- rest -----------------------------------------------------------------------------------

    def _rest(self, time: int, position: int, zero: int | None) -> None:
        state = self.state
        if state.stage == "spinning":
            self._say_rest(time, position, zero)
        state.stood = True
        state.stage, state.origin, state.doubt, state.sense = "still", position, None, 0
        state.push = None
        state.run.clear()
        state.crawl.clear()
        state.run_from = 0

    def _say_rest(self, time: int, position: int, zero: int | None) -> None:
        """What the spin came to; whatever leaves it open makes it unread."""
        state, counts = self.state, self._counts
        if state.push is not None:
            self._let_go(state.push)
        net = position - state.origin
        lifted, second = state.pegs.settled(time), state.second
        reason = unread(state, self._options, self._grid, position, zero, lifted)
        if reason is None:
            assert zero is not None
            assert lifted is not None
            place = self._grid.rest(position, zero, lifted)
            if place != "contradiction":
                self._tell(
                    WheelAtRest(
                        device=self._device,
                        at=self.at,
                        place=None if place == "peg" else place,
                        direction=None if net == 0 else _direction(net),
                        pushes=state.pushes,
                        turns=turned(abs(net), abs(net) + state.unseen_start, counts),
                        turns_since_push=turned_since(state.pushed, position, state.sense, counts),
                        turns_since_second=second and turned_since(second, position, state.sense, counts),
                    )
                )
                return
            reason = "the pointer and the angle contradict each other"
        state.zero_open = True
        self._tell(RestUnread(device=self._device, at=self.at, reason=reason))


def _direction(sense: int) -> Direction:
    return "cw" if sense > 0 else "ccw"
