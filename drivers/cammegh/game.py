"""A Cammegh wheel's games: what each step between states, each outcome and each warning is worth.

Whether a line is to be believed was decided before (`drivers.cammegh.play`). A game begins with `GameStarted`
and ends with exactly one of `PocketSettled`, `PocketUnread` and `GameAbandoned`; what is joined in the middle
is no game.
"""

from typing import Annotated, Literal

import msgspec

from drivers.cammegh.ball import Ball
from drivers.cammegh.pocket import Outcome, Pocket
from drivers.cammegh.rotor import SENSES, Rotor
from drivers.cammegh.steps import BETS, CLOSED, IN_PLAY, LEAVING, LOCKED, NAMES, RESULT, RIM
from drivers.cammegh.warnings import (
    LAUNCH_FAILED,
    RIM_SENSORS,
    RUNAWAY,
    SPEED_OUTSIDE,
    VOID,
    WHEEL_DRIVE,
    WITH_ROTOR,
    Bits,
)
from drivers.readings import (
    SECOND,
    AnyReading,
    BallLaunched,
    BallLeavingRim,
    BallWithRotor,
    DeviceRestarted,
    Direction,
    FaultCleared,
    FaultRaised,
    GameAbandoned,
    GameStarted,
    Instant,
    LaunchFailed,
    PocketSettled,
    PocketUnread,
    RotorSpeedOutOfRange,
    StatesMissed,
    VoidSignalled,
    WaitingForDealer,
    WheelClosed,
)
from protocols.cammegh import ExtendedLine, Model, StatusLine

Phase = Literal["none", "open", "launched", "leaving", "over"]
"""Of the game in hand: none is known; announced; ball in rim; no more bets; its outcome is given."""

_BANNER_COUNTS = 10 * SECOND
"""How long a banner tells of a restart; after power-on it comes with the first lines, after a silence."""
_replace = msgspec.structs.replace
_RUNNING = frozenset({"open", "launched", "leaving"})
_BETWEEN_OUTCOMES = frozenset({BETS, RIM, LEAVING})

_FAULTS = {
    "slingshot-2": {
        WHEEL_DRIVE: ("wheel_drive", "the wheel reports a fault of a sensor, its motor or its encoder"),
        RUNAWAY: ("rotor_speed", "the rotor runs at 60 rpm or more"),
    },
    "mercury-360": {RIM_SENSORS: ("rim_sensors", "the wheel reports that two or more rim sensors are lost")},
}


class WheelState(msgspec.Struct):
    """All that is known of the wheel and its game."""

    state: Annotated[int, msgspec.Meta(ge=0, le=7)] = 0
    """On the wire; 0 while nothing was heard."""
    counter: int = 0
    number: str | None = None
    joining: bool = True
    """The wheel was not heard lately: what it did meanwhile is unknown."""
    lines: int = 0
    """Status lines taken."""
    entered: int = 0
    entered_line: int = 0
    """Monotonic nanoseconds and number of the state's first line."""
    phase: Phase = "none"
    game: int | None = None
    failed: bool = False
    """The present launch attempt was reported as failed."""
    driven: bool = False
    """The rotor was driven anew in this state 2: an attempt has begun."""
    doubtful: bool = False
    """A launch was reported on a line that the next one did not bear out."""
    closing_told: bool = False
    """No more bets was reported for this launch."""
    lock_told: bool = False
    """The dealer's lock was reported for this launch."""
    banner_at: int | None = None
    """When a firmware banner came, if it was after the last status line; monotonic nanoseconds."""
    play_since: int | None = None
    """Since when the wheel is in states 2 to 4 without an outcome."""
    rotor: Rotor = msgspec.field(default_factory=Rotor)
    ball: Ball = msgspec.field(default_factory=Ball)
    bits: Bits = msgspec.field(default_factory=Bits)
    pocket: Pocket = msgspec.field(default_factory=Pocket)

    def copy(self) -> "WheelState":
        """The same, independent of this."""
        return _replace(
            self,
            rotor=_replace(self.rotor),
            ball=_replace(self.ball),
            bits=_replace(self.bits),
            pocket=_replace(self.pocket),
        )


class Games:
    """One wheel's games. What there is to say is appended to `said`."""

    def __init__(self, device: str, model: Model, said: list[AnyReading]) -> None:
        self._device = device
        self._said = said
        self._slingshot = model == "slingshot-2"
        self._faults = _FAULTS[model]

    # --- steps ----------------------------------------------------------------------------------

    def arrive(self, wheel: WheelState, line: StatusLine, at: Instant, legal: bool, follows: bool) -> None:
        """The wheel stands where `line` says. `legal`: one step of the table away from where it stood, with
        nothing unheard between. `follows`: its counter is that of the same game or of the next one."""
        before = NAMES[wheel.state]
        stays = wheel.joining and (line.state, line.counter) == (wheel.state, wheel.counter)
        if self._restarted(wheel, line, legal and follows, at):
            self._say(DeviceRestarted(device=self._device, at=at))
            self._give_up(wheel, "the wheel restarted", at)
            wheel.state, wheel.joining, legal, before = 0, True, False, NAMES[0]
        elif wheel.state == RESULT and wheel.phase == "leaving" and not stays:
            witness = line if follows and line.state not in IN_PLAY else None
            self.outcome(wheel, wheel.pocket.leave(witness, line.counter != wheel.counter), at)
        if line.state in IN_PLAY:
            self._enter_play(wheel, line, before, legal, at)
        elif line.state == CLOSED:
            self._enter_closed(wheel, before, at)
        else:
            self._enter_betting(wheel, line, before, at)
        if line.state in (RESULT, CLOSED):
            wheel.play_since = None
        elif line.state in _BETWEEN_OUTCOMES and wheel.play_since is None:
            wheel.play_since = at.mono
        wheel.state, wheel.counter, wheel.joining = line.state, line.counter, False
        wheel.entered, wheel.entered_line = at.mono, wheel.lines + 1

    def _restarted(self, wheel: WheelState, line: StatusLine, in_order: bool, at: Instant) -> bool:
        """Whether the wheel was switched on again: its counter reads 001 and its number blank.

        That is no news where they did before, unless the wheel's banner came just now; nor where state and
        counter are `in_order`, as when the counter wraps.
        """
        if wheel.state == 0 or line.counter != 1 or line.number is not None:
            return False
        if wheel.banner_at is not None and at.mono - wheel.banner_at <= _BANNER_COUNTS:
            return True
        return not in_order and (wheel.counter != 1 or wheel.number is not None)

    def _enter_closed(self, wheel: WheelState, before: str, at: Instant) -> None:
        self._give_up(wheel, f"the wheel closed after {before}", at)
        if wheel.state != CLOSED or wheel.joining:
            self._say(WheelClosed(device=self._device, at=at))

    def _enter_betting(self, wheel: WheelState, line: StatusLine, before: str, at: Instant) -> None:
        """States 1 and 2. State 1 says nothing: it still shows the old counter."""
        if wheel.phase in _RUNNING:
            same = line.counter == wheel.game
            if same and wheel.phase != "open" and not wheel.joining and wheel.state == RIM:
                self._launch_failed(wheel, wheel.rotor.launched or wheel.rotor.direction, at)
            if not same or (wheel.phase != "open" and wheel.joining):
                self._missed(before, line.state, at)
            if not same or wheel.phase != "open":
                self._give_up(wheel, self._no_result(wheel, line, before), at)
        if line.state == BETS and wheel.phase != "open":
            wheel.phase, wheel.game = "open", line.counter
            wheel.failed = wheel.doubtful = wheel.closing_told = wheel.lock_told = False
            self._say(GameStarted(device=self._device, at=at, game=line.counter))
        wheel.driven = False
        wheel.pocket.forget_bare()

    def _no_result(self, wheel: WheelState, line: StatusLine, before: str) -> str:
        if line.counter == wheel.game:
            return f"the wheel went from {before} to {NAMES[line.state]} without a result"
        shows = "no number" if line.number is None else line.number
        return f"its state 5 was not seen; the wheel is at {line.counter:03d} now and shows {shows}"

    def _enter_play(self, wheel: WheelState, line: StatusLine, before: str, legal: bool, at: Instant) -> None:
        """States 3, 4, 5 and 7. A game is taken on only if it was there before, under the same counter."""
        running = wheel.phase in _RUNNING
        if wheel.phase == "over" and line.state == wheel.state and line.counter == wheel.counter:
            return  # it still shows what it gave
        if not running or line.counter != wheel.game:
            if running or not legal:
                self._missed(before if running or not wheel.joining else NAMES[0], line.state, at)
            self._give_up(wheel, f"the wheel is at {line.counter:03d} now, {NAMES[line.state]}", at)
            wheel.phase = "none"
            return
        if not legal:
            self._missed(before, line.state, at)
            wheel.failed = False
        if line.state == RIM:
            self._launch(wheel, line, legal, at)
            return
        if not legal and wheel.phase == "open":
            self._forget_launch(wheel)
        if line.state != RESULT and not wheel.closing_told:
            wheel.closing_told = True
            self._say(BallLeavingRim(device=self._device, at=at))
        if line.state == LOCKED:
            wheel.pocket.begin_lock(at)
            if not wheel.lock_told:
                wheel.lock_told = True
                self._say(WaitingForDealer(device=self._device, at=at))
        elif line.state == RESULT and wheel.state != RESULT:
            wheel.pocket.begin(wheel.number, at)
        if not wheel.failed or line.state == RESULT:
            wheel.phase = "leaving"

    def _launch(self, wheel: WheelState, line: StatusLine, legal: bool, at: Instant) -> None:
        told, wheel.doubtful = wheel.doubtful, False
        self._forget_launch(wheel)
        wheel.phase, wheel.failed = "launched", False
        wheel.closing_told = wheel.lock_told = False
        if legal and not told:
            rotor = SENSES[line.direction] if line.speed else None
            ball = line.ball if isinstance(line, ExtendedLine) else None
            self._say(
                BallLaunched(
                    device=self._device, at=at, rotor=rotor, ball=None if ball is None else SENSES[ball]
                )
            )

    def _forget_launch(self, wheel: WheelState) -> None:
        wheel.rotor.launch()
        wheel.ball = Ball()

    def _missed(self, before: str, now: int, at: Instant) -> None:
        self._say(StatesMissed(device=self._device, at=at, before=before, now=NAMES[now]))

    def _give_up(self, wheel: WheelState, reason: str, at: Instant) -> None:
        """The game in hand, if there is one, is over without a number."""
        if wheel.phase in _RUNNING:
            if wheel.state == RESULT:
                self.outcome(wheel, wheel.pocket.leave(None, counted=False), at)
            else:
                self._say(GameAbandoned(device=self._device, at=at, reason=reason))
        wheel.phase = "none"

    # --- launches -------------------------------------------------------------------------------

    def new_attempt(self, wheel: WheelState, attempted: Direction | None, at: Instant) -> None:
        """In state 2 the rotor was driven anew; `attempted` is the sense it had before."""
        if wheel.phase == "open":
            still_failing = bool(wheel.bits.level & LAUNCH_FAILED) and not wheel.failed
            if still_failing or (wheel.doubtful and wheel.driven):
                self._launch_failed(wheel, attempted, at)
        wheel.failed, wheel.driven = False, True

    def _launch_failed(self, wheel: WheelState, rotor: Direction | None, at: Instant) -> None:
        """Once for each attempt."""
        if not wheel.failed:
            self._say(LaunchFailed(device=self._device, at=at, rotor=rotor))
        wheel.phase, wheel.failed, wheel.doubtful = "open", True, False

    # --- outcome --------------------------------------------------------------------------------

    def outcome(self, wheel: WheelState, outcome: Outcome, at: Instant) -> None:
        """State 5 gave what it gives."""
        label, claims, reason = outcome
        if label is not None and wheel.failed:
            claims, label = (label,), None
            reason = "the wheel called the launch failed and gave a number without another"
        rotor = wheel.rotor.launched
        if label is not None:
            self._say(PocketSettled(device=self._device, at=at, pocket=label, game=wheel.game, rotor=rotor))
        else:
            self._say(
                PocketUnread(
                    device=self._device, at=at, claims=claims, reason=reason, game=wheel.game, rotor=rotor
                )
            )
        wheel.phase = "over"

    # --- warnings -------------------------------------------------------------------------------

    def warn(self, wheel: WheelState, rises: int, falls: int, line: StatusLine, at: Instant) -> None:
        """Warning bits that count from now on, and those that no longer do."""
        for bit, (code, text) in self._faults.items():
            if rises & bit:
                self._say(FaultRaised(device=self._device, at=at, code=code, text=text))
            elif falls & bit:
                self._say(FaultCleared(device=self._device, at=at, code=code))
        if rises & WITH_ROTOR and self.ball_runs(wheel):
            self._say(BallWithRotor(device=self._device, at=at))
        if self._slingshot:
            self._warn_of_launch(wheel, rises, falls, at)
            return
        if rises & SPEED_OUTSIDE:
            self._say(RotorSpeedOutOfRange(device=self._device, at=at, rpm=line.speed / 10))
        if rises & VOID and self.ball_runs(wheel):
            cause = "warning 8: ball missing, launched too slowly, or rotor suddenly changed"
            self._say(VoidSignalled(device=self._device, at=at, cause=cause))

    def _warn_of_launch(self, wheel: WheelState, rises: int, falls: int, at: Instant) -> None:
        betting = wheel.state == BETS
        if rises & LAUNCH_FAILED and betting and wheel.phase == "open":
            self._launch_failed(wheel, wheel.rotor.direction, at)
        elif rises & LAUNCH_FAILED and wheel.phase in ("launched", "leaving"):
            self._launch_failed(wheel, wheel.rotor.launched, at)
        elif falls & LAUNCH_FAILED and betting:
            wheel.failed = False

    def ball_runs(self, wheel: WheelState) -> bool:
        """Whether a launch of a game that was taken on is in hand, its state 5 included."""
        return wheel.phase in ("launched", "leaving") or (wheel.phase == "over" and wheel.state == RESULT)

    def _say(self, reading: AnyReading) -> None:
        self._said.append(reading)
