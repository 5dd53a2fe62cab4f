"""A Cammegh wheel's status lines, believed or not: what they show goes on to its games.

Pure: lines and instants in, readings out. The wire has no checksum, yet one damaged digit changes no game: a
jump between states, and a step that ends something, wants a second line; a step that counts at once is undone
when the next line goes back; directions, warnings and numbers each want two lines or witnesses.
"""

import msgspec

from drivers.cammegh.game import Games, WheelState
from drivers.cammegh.rotor import AT_SPEED
from drivers.cammegh.steps import BETS, CLOSED, IN_PLAY, LEAVING, LOCKED, RESULT, RIM, Step, step
from drivers.cammegh.warnings import FAILURE_IGNORED, LAUNCH_FAILED, Warnings, lasted
from drivers.readings import AnyReading, BallLap, BallMissing, Instant
from protocols.cammegh import Codec, ExtendedLine, Model, StatusLine


class PlayState(msgspec.Struct):
    """The wheel as it is believed to be, and what is still in doubt."""

    wheel: WheelState = msgspec.field(default_factory=WheelState)
    pending: bytes | None = None
    """A status line that wants a second one to agree with it."""
    undo: WheelState | None = None
    """The wheel before the last line, while that line's step may still turn out to be damage."""
    damaged: int = 0
    """Well-formed lines that turned out to be damaged."""


class Play:
    """One wheel's play. What it has to say is appended to `said`."""

    def __init__(self, device: str, model: Model, codec: Codec, said: list[AnyReading]) -> None:
        self.state = PlayState()
        self._device = device
        self._codec = codec
        self._said = said
        self._games = Games(device, model, said)
        self._warnings = Warnings(model)
        self._head = b""
        self._tail = b""
        self._slowest = 0
        self._fastest = self._warnings.top_speed
        self._votes = False

    def repeats(self, raw: bytes, line: StatusLine) -> bool:
        """Whether a status line says nothing new but the rotor's speed; if so it has been taken."""
        if (
            raw[:14] != self._head
            or raw[17:] != self._tail
            or not self._slowest <= line.speed < self._fastest
        ):
            return False
        wheel = self.state.wheel
        wheel.lines += 1
        if self._votes:
            wheel.rotor.vote(line)
        return True

    def take(self, raw: bytes, line: StatusLine, at: Instant) -> None:
        """A status line, as bytes and decoded."""
        self.look_closely()
        state = self.state
        if state.pending is not None:
            self._weigh_pending(state.pending, line, at)
        if state.wheel.joining:
            state.pending = raw
            return
        now = (line.state, line.counter)
        if now != (state.wheel.state, state.wheel.counter):
            if self._goes_back(now):
                self._go_back()
            if not self._move(line, at):
                state.pending = raw
                return
        else:
            state.undo = None
        self._observe(line, at)
        if state.wheel.phase == "over":
            state.undo = None  # the bare number bore the step out
        self._expect(raw, line, at)

    def look_closely(self) -> None:
        """The next line is to be taken in full, whatever it says."""
        self._head = b""

    def interrupt(self) -> None:
        """The link was opened, or the wheel fell silent: the next lines join it anew."""
        self.look_closely()
        self.state.pending = self.state.undo = None
        wheel = self.state.wheel
        wheel.joining, wheel.play_since = True, None
        if wheel.state != RESULT:
            wheel.pocket.forget_bare()
        wheel.rotor.rejoin()
        self._warnings.rejoin(wheel.bits)

    def hear_bare(self, number: str, at: Instant) -> None:
        """The line with the number alone."""
        wheel = self.state.wheel
        if wheel.joining or wheel.state != RESULT:
            wheel.pocket.hear_bare(number, at, locked=not wheel.joining and wheel.state == LOCKED)

    def hear_banner(self, at: Instant) -> None:
        """The firmware's banner: after power-on, or because somebody asked for it."""
        self.look_closely()
        self.state.wheel.banner_at = at.mono

    # --- believing ------------------------------------------------------------------------------

    def _step(self, now: tuple[int, int], before: tuple[int, int] | None = None) -> Step | None:
        wheel = self.state.wheel
        if before is None:
            before = (wheel.state, wheel.counter)
            if wheel.joining:
                return None
        return step(before, now, self._codec.following)

    def _move(self, line: StatusLine, at: Instant) -> bool:
        """Go where the line says, if that may be done at once."""
        wheel, now = self.state.wheel, (line.state, line.counter)
        if now == (wheel.state, wheel.counter):
            return True
        legal = self._step(now)
        if legal is None or not legal.at_once or wheel.banner_at is not None:
            return False
        before = wheel.copy()
        self._arrive(line, at, legal=True)
        # A counter that moved with the state is two digits: no single damage.
        self.state.undo = before if legal.counter == "same" else None
        return True

    def _goes_back(self, now: tuple[int, int]) -> bool:
        """Whether the last line's step, which no second line has borne out, was damage rather."""
        wheel, undo = self.state.wheel, self.state.undo
        if undo is None:
            return False
        before = (undo.state, undo.counter)
        if now == before:
            return True
        legal = self._step(now)
        if (legal is not None and legal.at_once) or self._step(now, before) is None:
            return False
        # A number that is new was no damage to the state alone.
        return wheel.state != RESULT or wheel.number == undo.number

    def _weigh_pending(self, raw: bytes, line: StatusLine, at: Instant) -> None:
        """The pending line counts if this one agrees with it, or follows from it and not from before."""
        held = self._codec.decode(raw)
        assert isinstance(held, StatusLine)
        self.state.pending = None
        wheel = self.state.wheel
        then, now = (held.state, held.counter), (line.state, line.counter)
        legal = self._step(then) is not None
        if now == then:
            counts = True
        elif wheel.joining:
            # Nothing is known yet, so two fields must have moved together, as they do from 5 to 2.
            counts = now[1] != then[1] and self._step(now, then) is not None
        elif now == (wheel.state, wheel.counter) or self._goes_back(now):
            counts = False
        else:
            counts = self._step(now) is None and self._step(now, then) is not None
        if counts:
            self._arrive(held, at, legal)
            self._observe(held, at)
        else:
            self.state.damaged += 1

    def _arrive(self, line: StatusLine, at: Instant, legal: bool) -> None:
        self.state.undo = None
        wheel = self.state.wheel
        follows = line.counter in (wheel.counter, self._codec.following(wheel.counter))
        self._games.arrive(wheel, line, at, legal, follows)

    def _go_back(self) -> None:
        """The last line's step was damage. What was said on it cannot be unsaid, nor is it said again."""
        wrong, right = self.state.wheel, self.state.undo
        assert right is not None
        if wrong.state == RIM:
            right.doubtful = wrong.phase == "launched"
        elif wrong.state in (LEAVING, LOCKED):
            right.closing_told, right.lock_told = wrong.closing_told, wrong.lock_told
        self.state.wheel, self.state.undo = right, None
        self.state.damaged += 1

    # --- the rest of a line ---------------------------------------------------------------------

    def _observe(self, line: StatusLine, at: Instant) -> None:
        """Take what a line that is believed says besides its state."""
        wheel = self.state.wheel
        wheel.lines += 1
        wheel.number = line.number
        wheel.banner_at = None
        self._follow_rotor(wheel, line, at)
        seen = self._warnings.seen(line, self._early(wheel, at))
        rises, falls = self._warnings.observe(wheel.bits, seen, at, wheel.lines)
        if rises or falls:
            self._games.warn(wheel, rises, falls, line, at)
        ball_runs = self._games.ball_runs(wheel)
        if self._warnings.ball_missing(wheel.bits, at, wheel.lines) and ball_runs:
            self._said.append(BallMissing(device=self._device, at=at))
        if isinstance(line, ExtendedLine) and ball_runs:
            self._follow_ball(wheel, line, at)
        if wheel.state == RESULT and wheel.phase == "leaving":
            in_doubt = wheel.bits.level != wheel.bits.before
            outcome = wheel.pocket.claim(line, wait=in_doubt)
            if outcome is not None:
                self._games.outcome(wheel, outcome, at)

    def _follow_rotor(self, wheel: WheelState, line: StatusLine, at: Instant) -> None:
        if wheel.state in IN_PLAY:
            wheel.rotor.vote(line)
        if wheel.state == CLOSED:
            return
        attempted = wheel.rotor.direction
        if wheel.rotor.follow(line) and wheel.state == BETS:
            self._games.new_attempt(wheel, attempted, at)

    def _follow_ball(self, wheel: WheelState, line: ExtendedLine, at: Instant) -> None:
        if wheel.state not in (RIM, LEAVING):
            return
        lap = wheel.ball.follow(line)
        if lap is not None:
            laps, ball, seconds = lap
            rotor = wheel.rotor.launched
            self._said.append(
                BallLap(device=self._device, at=at, laps=laps, ball=ball, rotor=rotor, seconds=seconds)
            )

    @staticmethod
    def _early(wheel: WheelState, at: Instant) -> bool:
        """Within the time of state 3 in which a failed launch's bit means the attempt before."""
        return wheel.state == RIM and not lasted(
            wheel.entered, wheel.entered_line, at, wheel.lines, FAILURE_IGNORED
        )

    def _expect(self, raw: bytes, line: StatusLine, at: Instant) -> None:
        """Know the next line again if it says the same, provided that it would change nothing."""
        wheel = self.state.wheel
        closed = wheel.state == CLOSED
        if (
            self.state.undo is not None
            or not self._warnings.settled(wheel.bits)
            or line.speed >= self._fastest  # a runaway: the next line may have a rotor's speed again
            or (wheel.state == RESULT and wheel.phase == "leaving")
            or (line.warnings & LAUNCH_FAILED and self._early(wheel, at))
            or not (closed or wheel.rotor.steady(line))
            or (isinstance(line, ExtendedLine) and not wheel.ball.steady(line))
        ):
            return
        self._head, self._tail = raw[:14], raw[17:]
        self._slowest = 0 if closed else AT_SPEED
        self._votes = wheel.state in IN_PLAY
