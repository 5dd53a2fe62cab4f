"""Cammegh roulette wheels: the automatic Slingshot 2 and the croupier-spun Mercury 360.

Listen-only: nothing is ever sent, for commands on the same wire can change pockets, modes and limits. So an
answer to a command is a sign that somebody else sends them.

- advanced and extended have a heartbeat: silence is loss, and the first status line after it is the return.
- basic has none, no counter and no second witness: `*S`, `*N` and `*W nn` are taken as they come.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from drivers.cammegh.play import Play, PlayState
from drivers.cammegh.steps import LEAVING, NAMES, RESULT
from drivers.driver import DriverInfo, Health, SerialSettings
from drivers.readings import (
    SECOND,
    AnyReading,
    BallLeavingRim,
    DeviceBack,
    DeviceLost,
    GameAbandoned,
    GameStarted,
    Instant,
    PocketSettled,
    StatesMissed,
    UnsolicitedReply,
)
from protocols import cammegh as wire
from protocols.framing import LineSplitter

_NO_OUTCOME_FOR = 20 * 60 * SECOND
"""Of status lines in states 2 to 4: then health says so."""


class CammeghOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the configuration says of the wheel."""

    model: Literal["slingshot-2", "mercury-360"]
    protocol: Literal["advanced", "extended", "basic"] = "advanced"
    pockets: Literal[37, 38] = 37
    silence: Annotated[float, msgspec.Meta(gt=3.5, le=3600)] = 5.0
    """Seconds without a status line after which the wheel counts as lost; half a line may pause for 3 s."""

    def __post_init__(self) -> None:
        wire.check(self.model, self.protocol, self.pockets)
        if not 3.5 < self.silence <= 3600:
            raise ValueError(f"silence must be more than 3.5 s and at most an hour, not {self.silence:g}")

    @property
    def heartbeat(self) -> bool:
        """Whether this wheel speaks all the time."""
        return self.protocol != "basic"


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """All that the driver remembers."""

    lines: tuple[bytes, bool, bool, int]
    play: PlayState = msgspec.field(default_factory=PlayState)
    basic: Literal["unknown", "unseen", "place bets", "no more bets", "winning number"] = "unknown"
    """The basic protocol's game; `unseen` is known to have been joined in the middle."""
    deadline: int | None = None
    speaking: bool = False
    lost: bool = False
    frames: int = 0
    bad: int = 0
    last_frame: Instant | None = None
    firmware: str | None = None
    replies: tuple[str, ...] = ()
    """Commands whose answers were reported since the link came up."""


class Cammegh:
    """One wheel. Instants in, readings out; `drivers.driver.Driver` says what each method is for."""

    def __init__(self, device: str, options: CammeghOptions) -> None:
        self.deadline: int | None = None
        self._device = device
        self._options = options
        self._heartbeat = options.heartbeat
        self._silence = round(options.silence * SECOND)
        self._codec = wire.Codec(options.model, options.protocol, options.pockets)
        self._lines = LineSplitter(start=b"*")
        self._said: list[AnyReading] = []
        self._play = Play(device, options.model, self._codec, self._said)
        self._state = _State(lines=self._lines.state)

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        """The link was opened. A wheel without a heartbeat is back with it; another when it is heard."""
        state = self._state
        self._lines.reopen()
        self._play.interrupt()
        state.replies, state.speaking, state.basic = (), False, "unknown"
        if self._heartbeat:
            self.deadline = at.mono + self._silence
        else:
            self._return(at)
        return self._spoken()

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        """The link ended."""
        self._play.interrupt()
        self._lose(reason, at)
        return self._spoken()

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """Bytes as they arrived."""
        known, play, state = self._codec.known, self._play, self._state
        for raw in self._lines.feed(data):
            line = known(raw)
            if line is not None and play.repeats(raw, line):
                state.frames += 1
                state.last_frame = at
                self.deadline = at.mono + self._silence
            else:
                self._take(raw, line or self._codec.decode(raw), at)
        return self._spoken() if self._said else ()

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        """Too long without a status line: the wheel is lost."""
        if self.deadline is None or at.mono < self.deadline:
            return ()
        self._play.interrupt()
        self._lose(f"no status line for {self._options.silence:g} s", at)
        return self._spoken()

    def health(self) -> Health:
        """Frames are lines of any kind that this wheel may say; bad ones may turn out to be so later."""
        state = self._state
        return Health(
            frames=state.frames,
            bad_frames=state.bad + self._lines.overlong + self._play.state.damaged,
            last_frame=state.last_frame,
            firmware=state.firmware,
            note=self._note(),
        )

    def snapshot(self) -> bytes:
        """The whole state as JSON."""
        state = self._state
        state.lines, state.play, state.deadline = self._lines.state, self._play.state, self.deadline
        return msgspec.json.encode(state)

    def restore(self, snapshot: bytes) -> None:
        """Return to a state that `snapshot` gave. Raises ValueError on anything else."""
        try:
            state = msgspec.json.decode(snapshot, type=_State)
        except msgspec.DecodeError as error:
            raise ValueError(f"not a snapshot of a Cammegh wheel: {error}") from error
        pending = state.play.pending
        if pending is not None and not isinstance(self._codec.decode(pending), wire.StatusLine):
            raise ValueError("not a snapshot of this Cammegh wheel: its pending line is none")
        self._lines.state = state.lines
        self._said.clear()
        self._state, self._play.state, self.deadline = state, state.play, state.deadline
        self._play.look_closely()

    # --- lines ----------------------------------------------------------------------------------

    def _take(self, raw: bytes, message: wire.Message, at: Instant) -> None:
        state = self._state
        if isinstance(message, wire.Damaged):
            state.bad += 1
            return
        if isinstance(message, wire.Probe):
            return
        state.frames += 1
        state.last_frame = at
        match message:
            case wire.StatusLine():
                self.deadline = at.mono + self._silence
                if not state.speaking:
                    self._return(at)
                self._play.take(raw, message, at)
            case wire.BareNumber(number):
                self._play.hear_bare(number, at)
            case wire.CommandReply():
                self._reply(message, at)
            case wire.GameStarted():
                self._basic_start(at)
            case wire.NoMoreBets():
                self._basic_no_more_bets(at)
            case wire.WinningNumber(number):
                self._basic_number(number, at)
            case wire.BonusLine() | wire.ResentNumber():
                pass  # never results

    def _reply(self, reply: wire.CommandReply, at: Instant) -> None:
        """Once for each command a link session; a wheel that is commanded answers all the time."""
        state = self._state
        if reply.firmware is not None:
            state.firmware = reply.firmware
            self._play.hear_banner(at)
        if reply.command not in state.replies:
            state.replies = (*state.replies, reply.command)
            self._said.append(UnsolicitedReply(device=self._device, at=at, line=reply.text))

    # --- the basic protocol ---------------------------------------------------------------------

    def _basic_start(self, at: Instant) -> None:
        state = self._state
        if state.basic == "no more bets":
            reason = "the wheel started the next game without a number"
            self._said.append(GameAbandoned(device=self._device, at=at, reason=reason))
        if state.basic != "place bets":
            self._said.append(GameStarted(device=self._device, at=at))
        state.basic = "place bets"

    def _basic_no_more_bets(self, at: Instant) -> None:
        state = self._state
        if state.basic == "place bets":
            self._said.append(BallLeavingRim(device=self._device, at=at))
            state.basic = "no more bets"
        elif state.basic in ("unknown", "winning number"):
            self._missed(state.basic, NAMES[LEAVING], at)
            state.basic = "unseen"

    def _basic_number(self, number: str, at: Instant) -> None:
        state = self._state
        if state.basic in ("unknown", "place bets"):
            self._missed(state.basic, NAMES[RESULT], at)
        if state.basic in ("place bets", "no more bets"):
            self._said.append(PocketSettled(device=self._device, at=at, pocket=number))
        state.basic = "winning number"

    def _missed(self, before: str, now: str, at: Instant) -> None:
        self._said.append(StatesMissed(device=self._device, at=at, before=before, now=now))

    # --- presence -------------------------------------------------------------------------------

    def _return(self, at: Instant) -> None:
        self._state.speaking, self._state.lost = True, False
        self._said.append(DeviceBack(device=self._device, at=at))

    def _lose(self, reason: str, at: Instant) -> None:
        state = self._state
        self.deadline, state.speaking = None, False
        if not state.lost:
            state.lost = True
            self._said.append(DeviceLost(device=self._device, at=at, reason=reason))

    def _spoken(self) -> Sequence[AnyReading]:
        said = tuple(self._said)
        self._said.clear()
        return said

    def _note(self) -> str | None:
        state = self._state
        since = self._play.state.wheel.play_since
        if since is not None and state.last_frame is not None:
            unfinished = state.last_frame.mono - since
            if unfinished > _NO_OUTCOME_FOR:
                minutes = unfinished // (60 * SECOND)
                return f"status lines arrive, but no game has ended for {minutes} min"
        bad = state.bad + self._lines.overlong
        if bad >= 20 and bad > state.frames:
            return "most lines are no lines of this wheel: check model, protocol, pockets and baud rate"
        return None


def _make(device: str, options: CammeghOptions) -> Cammegh:
    return Cammegh(device, options)


def _serial(options: CammeghOptions) -> SerialSettings:
    return SerialSettings(9600)


DRIVER = DriverInfo(
    name="cammegh",
    summary="Cammegh roulette wheels: Slingshot 2 and Mercury 360, RS-232, listen-only",
    roles=frozenset({"wheel"}),
    options=CammeghOptions,
    make=_make,
    serial=_serial,
)
