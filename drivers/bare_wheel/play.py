"""The game as the sensors show it: launch, turns in the rim, the fall, the pocket, and the ball's removal.

Pure; all times are the device's own µs. A throw of which part went by unseen is said to be so once
(`StatesMissed`) and never settles: its pocket is told as `PocketUnread`. So is the pocket in which a ball is
found when the stream is joined. Time alone makes no result.
"""

from itertools import groupby

from drivers.bare_wheel.options import BareWheelOptions
from drivers.bare_wheel.play_state import NAMES, PlayState, Stage
from drivers.bare_wheel.rotor import Rotor
from drivers.bare_wheel.watch import Watch
from drivers.readings import (
    AnyReading,
    BallLap,
    BallLaunched,
    BallLeavingRim,
    BallLeftRim,
    BallMissing,
    BallWithRotor,
    Direction,
    GameStarted,
    Instant,
    LaunchFailed,
    PlaceSettled,
    PocketUnread,
    RotorSpeedOutOfRange,
    StatesMissed,
    VoidSignalled,
)
from drivers.tracking.ball import BallTrack
from drivers.tracking.pocket import PocketTrack

SECOND = 1_000_000
RIM_SILENT = 2 * SECOND
"""µs after which passes belong to different balls, or to none. A simulated ball goes from one sensor to
the next in 1.8 s at most, on a boule at its slowest."""
LATE = 150_000
"""µs by which edges may come behind the device's clock: by the protocol it sends them within 100 ms."""
ATTEMPT = 3
"""Passes that make an attempt to launch; fewer are a hand, or the ball laid down."""
LAUNCH_ANYWAY = 9
"""Passes after which it is a launch even if its sense is not clear: three turns, as fewer are a failed
launch. Five show the sense of every simulated throw; the rotor's is not known while it stands."""
RETHROWN = 5 * SECOND
"""µs between the last pass of one throw and the first of the next, at least: more than a running ball may
go unseen (twice `RIM_SILENT`), less than any throw takes to fall and be seen at rest for three turns."""
ABRUPT = 1.6
"""Times the leaving speed: a ball that was faster did not leave the rim by itself. Simulated ones have
0.8 to 1.01 times, a degree out of level and with a pass missed too; the rest is for a `leaving` that is
set too low."""
GONE = 2.1
"""Turns over which no pocket was seen occupied: twice round, as one sight may be missed."""
CONTRADICTED = 6.0, 12 * SECOND
"""Turns, and µs since the ball left the rim, after which pockets that contradict each other are given up.
The simulated ball has come to rest after 10.6 s in a boule, after 4.5 s and two turns in a roulette."""
EARLY = 16
"""Sights that are kept while the ball may still be in the rim."""
THROWN = "the ball was thrown again before it was seen at rest"
BETWEEN = "the ball was seen between two pockets"
OCCUPIED = "a pocket was occupied while the ball ran in the rim"
NOWHERE = "no pocket was seen occupied: the ball left the wheel, or the pocket sensor sees nothing"


class Play:
    """One wheel's game. What it has to say is appended to `said`."""

    def __init__(
        self, device: str, options: BareWheelOptions, rotor: Rotor, watch: Watch, said: list[AnyReading]
    ) -> None:
        self._device, self._options = device, options
        self._rotor, self._watch, self._said = rotor, watch, said
        self.hindrance: str | None = None
        """Why no pocket can be told now, be it seen ever so well."""
        self._state = PlayState()
        self._ball = BallTrack(options.rim)
        self._pockets = PocketTrack(options.pockets)

    @property
    def state(self) -> PlayState:
        """All that is remembered; may be assigned."""
        state = self._state
        state.ball, state.pockets = self._ball.state, self._pockets.state
        return state

    @state.setter
    def state(self, state: PlayState) -> None:
        self._state = state
        self._new_ball()
        if state.ball is not None:
            self._ball.state = state.ball
        self._pockets.state = state.pockets

    @property
    def in_play(self) -> bool:
        """Whether a throw is under way."""
        return self._state.stage in ("running", "fallen")

    @property
    def half_seen(self) -> bool:
        """Whether a throw is under way of which part was not seen."""
        return self.in_play and self._state.unseen

    def join(self) -> None:
        """What happened up to now was not seen, or belongs to another run of the device."""
        self._state = PlayState()
        self._new_ball()
        self._pockets.clear()

    # --- the ball in the rim --------------------------------------------------------------------

    def passes(self, time: int, sensor: int, at: Instant) -> bool:
        """The ball reached a rim sensor (0, 1, 2); whether it was a pass of its own."""
        state, ball = self._state, self._ball
        if state.stage != "running" and ball.last is not None and time - ball.last > RIM_SILENT:
            self._give_up_attempt(at)
            ball = self._ball
        if not ball.edge(time, sensor):
            return False
        state.last_pass = time
        if state.stage == "running":
            self._run_on(at)
        elif state.stage == "joining":
            if ball.passes == ATTEMPT:
                state.stage = "running"
                self._pockets.clear()
                self._miss_once("the throw's beginning", at)
        elif ball.passes >= LAUNCH_ANYWAY or (ball.sense is not None and self._rotor_is_sure(time)):
            self._launch(at)
        return True

    def _launch(self, at: Instant) -> None:
        ball, rotor, before = self._ball, self._sense(self._state.last_pass), self._state
        assert ball.first is not None
        again = before.fell is not None and ball.first - before.fell < RETHROWN
        if again and before.stage == "fallen":
            before.stage = "running"  # it had never left the rim
            self._miss_once("passes of the ball in the rim", at)
            return
        if before.stage == "fallen":
            self._lose_ball(at, thrown=True)
        if before.stage != "ready" and not again:  # it is thrown again though its removal was not seen
            self._say(GameStarted(device=self._device, at=at))
        state = self._enter("running")
        state.last_pass, state.rotor, state.lap_time = before.last_pass, rotor, ball.first
        self._pockets.clear()
        if state.gap is not None and ball.first - state.gap < RIM_SILENT:
            self._miss_once(f"{state.lacking}, at the launch", at)
        if again:
            self._miss_once("passes of the ball in the rim", at)
        if not self._rotor.known:
            self._miss_once("the encoder's index", at)
        self._say(BallLaunched(device=self._device, at=at, rotor=rotor, ball=ball.sense))
        if state.spoiled is not None and state.spoiled >= ball.first:
            self._void(state.spoiler, at)
        self._look_at_senses(at)
        self._run_on(at)

    def _run_on(self, at: Instant) -> None:
        """Another pass of the running ball."""
        state, ball = self._state, self._ball
        if state.early:
            state.foreign += len(state.early)
            state.early = ()
        laps = ball.laps
        if laps is not None and laps > state.laps:
            seconds = (state.last_pass - state.lap_time) / SECOND / (ball.run - state.lap_run)
            state.laps, state.lap_time, state.lap_run = laps, state.last_pass, ball.run
            rotor = self._sense(state.last_pass)
            lap = BallLap(
                device=self._device, at=at, laps=laps, ball=ball.sense, rotor=rotor, seconds=seconds
            )
            self._say(lap)
            self._look_at_senses(at)
        if state.foreign >= 2:
            self._void(OCCUPIED, at)
        # with fewer turns it is a launch that may fall short, and bets stay open for the next one
        thrown = state.laps >= self._options.launch_laps
        if thrown and not state.leaving and ball.speed is not None and ball.speed <= self._options.leaving:
            self._leave(at)

    def _look_at_senses(self, at: Instant) -> None:
        state, sense = self._state, self._ball.sense
        self._look_at_rotor(at)
        if sense is not None and sense == self._sense(state.last_pass) and not state.with_rotor:
            state.with_rotor = True
            self._say(BallWithRotor(device=self._device, at=at))

    def _look_at_rotor(self, at: Instant) -> None:
        """Once a throw: the rotor was turned round, or turned outside its range."""
        state, now = self._state, self._state.last_pass
        rotor, limits = self._sense(now), self._options.rotor_rpm
        if rotor is not None and state.rotor not in (None, rotor):
            self._void("the rotor was turned round while the ball was in play", at)
        state.rotor = state.rotor or rotor
        speed = self._rotor.speed(now)
        if limits is None or state.out_of_range or speed is None or state.stage != "running":
            return
        if not limits[0] <= abs(speed) * 60 <= limits[1]:
            state.out_of_range = True
            self._say(RotorSpeedOutOfRange(device=self._device, at=at, rpm=round(abs(speed) * 60, 2)))

    def _leave(self, at: Instant) -> None:
        self._state.leaving = True
        self._say(BallLeavingRim(device=self._device, at=at))

    def _fall(self, at: Instant) -> None:
        """The rim sees the ball no longer."""
        state, ball = self._state, self._ball
        speed, early, angle = ball.speed, state.early, ball.left_at
        short = state.laps < self._options.launch_laps
        if ball.sense is None:
            short = ball.passes < 3 * self._options.launch_laps
        if short and not state.unseen:
            self._fail(at)
            return
        if ball.sense is None:
            self._miss_once("which way the ball ran", at)
        self._new_ball()
        if not state.leaving:
            if speed is not None and speed > ABRUPT * self._options.leaving:
                self._void("the ball left the rim before it slowed", at)
            self._leave(at)
        if angle is not None and ball.sense is not None and not state.unseen and not state.signalled:
            rim = self._options.rim
            self._say(
                BallLeftRim(device=self._device, at=at, angle=round(angle, 6), ball=ball.sense, rim=rim)
            )
        state.stage, state.early, state.last_sight = "fallen", (), state.last_pass
        state.fell = state.last_pass
        state.fallen_turns = self._turns_now()
        self._rotor.mark()
        for sight in early:
            self.sight(*sight, at)

    def _fail(self, at: Instant) -> None:
        rotor = self._state.rotor or self._sense(self._state.last_pass)
        self._say(LaunchFailed(device=self._device, at=at, rotor=rotor))
        self._rest()

    def _give_up_attempt(self, at: Instant) -> None:
        """A few passes and then none: a launch that fell short, or no launch at all."""
        attempted = self._ball.passes >= ATTEMPT
        self._new_ball()
        if attempted and self._state.stage == "ready":
            self._fail(at)

    # --- the ball in a pocket -------------------------------------------------------------------

    def sight(self, time: int, turns: float, place: float, at: Instant) -> None:
        """An occupied pocket passed the sensor: the shaft's turns then, and where on the ring (turns)."""
        state = self._state
        if state.stage == "running":
            if time < state.last_pass:
                state.foreign += 1
            elif len(state.early) < EARLY:
                state.early = (*state.early, (time, turns, place))
            return
        state.last_sight = time
        self._rotor.mark()
        if not self._pockets.sight(turns, place):
            state.between = True
        if state.stage != "fallen":
            return
        settled = self._pockets.settled
        if settled is not None:
            self._settle(settled, at)
        elif self._contradicted(time, turns):
            self._unread(self._pockets.pockets, "pockets contradict each other", at)

    def _contradicted(self, time: int, turns: float) -> bool:
        """Whether two pockets are seen in turn, long after a ball would have come to rest in one."""
        fell = time if self._state.fell is None else self._state.fell
        late = abs(turns - self._state.fallen_turns) > CONTRADICTED[0] and time - fell > CONTRADICTED[1]
        runs = [pocket for pocket, _ in groupby(self._pockets.pockets)]
        return late and len(runs) > len(set(runs))

    def _settle(self, place: int, at: Instant) -> None:
        state = self._state
        state.last_pass = state.last_sight
        self._look_at_rotor(at)
        if state.unseen or state.foreign >= 2:
            self._unread((place,), "part of the throw was not seen" if state.unseen else OCCUPIED, at)
            return
        if self.hindrance is not None:
            self._unread((place,), self.hindrance, at)
            return
        self._say(PlaceSettled(device=self._device, at=at, place=place, rotor=state.rotor))
        self._rest()

    def _unread(self, places: tuple[int, ...], reason: str, at: Instant) -> None:
        claims = tuple(f"place {place}" for place in sorted(set(places)))
        rotor = self._state.rotor
        self._say(PocketUnread(device=self._device, at=at, claims=claims, reason=reason, rotor=rotor))
        self._rest()

    def _rest(self) -> None:
        """From here on only the ball's removal is waited for."""
        before = self._state
        self._enter("rest").fell = before.last_pass if before.fell is None else before.fell
        self._new_ball()
        self._pockets.clear()
        self._rotor.mark()

    # --- what time shows ------------------------------------------------------------------------

    def tick(self, now: int, at: Instant) -> None:
        """The device's clock has come to `now`; what is no longer seen by then is gone."""
        state, ball, rotor, now = self._state, self._ball, self._rotor, now - LATE
        if state.stage == "running":
            patience = RIM_SILENT if not ball.speed else min(RIM_SILENT * 2, int(1.2 * SECOND / ball.speed))
            if now - state.last_pass > patience:
                self._fall(at)
        elif ball.last is not None and now - ball.last > RIM_SILENT:
            self._give_up_attempt(at)
        elif state.stage == "fallen":
            self._miss_ball(now, at)
        elif state.stage == "ready" or ball.last is not None:
            return  # while there is an attempt, it may be the rest of a throw that began unseen
        elif state.stage == "joining" and (settled := self._pockets.settled) is not None:
            self._unread((settled,), "the throw was not seen", at)
        elif rotor.known and rotor.scanned > GONE:
            self._enter("ready")
            self._say(GameStarted(device=self._device, at=at))

    def _miss_ball(self, now: int, at: Instant) -> None:
        unseen = now - self._state.last_sight
        limit = int(self._options.missing * SECOND)
        if unseen > 2 * limit or (unseen > limit and self._rotor.scanned > 1.5):
            self._lose_ball(at)

    def _lose_ball(self, at: Instant, *, thrown: bool = False) -> None:
        """No pocket is told to have the ball, which may be `thrown` again already.

        It has left the one in which it was seen only if it is gone by itself.
        """
        state, attempt = self._state, self._ball
        seen = state.fell is not None and state.last_sight > state.fell
        if state.unseen:
            self._unread((), "part of the throw was not seen", at)
        elif not seen:
            self._watch.pocket_unseen(at)
            self._unread((), NOWHERE, at)
        elif state.between or thrown:
            self._unread((), BETWEEN if state.between else THROWN, at)
        else:
            self._say(BallMissing(device=self._device, at=at))
            self._rest()
        self._ball = attempt

    # --- what was not seen, and what spoils the throw ---------------------------------------------

    def missed(self, what: str, now: int, at: Instant) -> None:
        """Part of the stream is missing, in words: a throw under way is half seen, told already or not."""
        self._state.gap, self._state.lacking = now, what
        if self.in_play:
            self._pockets.clear()
            self._miss_once(what, at)

    def spoil(self, cause: str, time: int, at: Instant) -> None:
        """Something happened at a time that no throw may suffer, whether it is told already or not."""
        self._state.spoiled, self._state.spoiler = time, cause
        if self.in_play:
            self._void(cause, at)

    def _miss_once(self, what: str, at: Instant) -> None:
        if not self._state.unseen:
            self._state.unseen = True
            self._say(StatesMissed(device=self._device, at=at, before=what, now=NAMES[self._state.stage]))

    def _void(self, cause: str, at: Instant) -> None:
        if not self._state.signalled:
            self._state.signalled = True
            self._say(VoidSignalled(device=self._device, at=at, cause=cause))

    # --- small things ---------------------------------------------------------------------------

    def _say(self, reading: AnyReading) -> None:
        self._said.append(reading)

    def _enter(self, stage: Stage) -> PlayState:
        """A stage anew; what a throw may suffer from that has begun already is kept."""
        old = self._state
        self._state = PlayState(stage, old.gap, old.lacking, old.spoiled, old.spoiler)
        return self._state

    def _rotor_is_sure(self, time: int) -> bool:
        return self._options.turning == "sensor" or self._sense(time) is not None

    def _sense(self, time: int) -> Direction | None:
        return self._rotor.sense(time)

    def _turns_now(self) -> float:
        latest = self._rotor.latest
        return 0.0 if latest is None else self._rotor.turns(latest)

    def _new_ball(self) -> None:
        self._ball = BallTrack(self._options.rim)
