"""Readings: what a device says about the table, in the field's words, whatever its make.

A turnkey wheel and a bare encoder give the same readings, so nothing downstream asks which it is.
Every reading carries the device's id from the configuration and the instant its bytes arrived.
Readings are frozen values that encode to JSON with their class name as the ``type`` field.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Direction = Literal["cw", "ccw"]
"""Sense of rotation seen from above: clockwise or anticlockwise."""

SECOND = 1_000_000_000
"""One second in the unit of `Instant.mono`."""


class Instant(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """When something happened: durations come from `mono`, dates from `wall`, order from neither."""

    mono: int
    """Monotonic clock, nanoseconds, of no meaning outside this boot."""
    wall: int
    """Microseconds since 1970-01-01 UTC."""

    def later(self, nanoseconds: int) -> "Instant":
        """The instant that many nanoseconds after this one, both clocks moved alike."""
        return Instant(self.mono + nanoseconds, self.wall + nanoseconds // 1000)


class Reading(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag=True):
    """What all readings carry."""

    device: str
    at: Instant


# --- any device -------------------------------------------------------------------------------


class DeviceBack(Reading, frozen=True):
    """The device speaks again (its first good frame after the link came up or after a silence)."""


class DeviceLost(Reading, frozen=True):
    """The device cannot be heard: the link ended, or a device that has a heartbeat fell silent."""

    reason: str


class DeviceRestarted(Reading, frozen=True):
    """The device was powered on or reset in the middle of things; its counters began again."""


class FaultRaised(Reading, frozen=True):
    """A fault that stays until cleared, by its code (`[a-z0-9_]+`), in words for the technician."""

    code: str
    text: str
    remedy: str = "see the device's manual"
    """What to do about it."""


class FaultCleared(Reading, frozen=True):
    """The fault of this code is gone."""

    code: str


class UnsolicitedReply(Reading, frozen=True):
    """An answer to a command that was never sent: somebody else commands the device (tampering)."""

    line: str


# --- wheels with a ball (roulette, boule) -----------------------------------------------------


class WheelClosed(Reading, frozen=True):
    """The wheel is out of play (closed, locked, stopped by its own controller)."""


class GameStarted(Reading, frozen=True):
    """The wheel is ready for a new game: bets may be placed. `game` is the device's own count."""

    game: int | None = None


class LaunchFailed(Reading, frozen=True):
    """A launch attempt that failed and is retried under the same game; it drove the rotor too."""

    rotor: Direction | None


class BallLaunched(Reading, frozen=True):
    """The ball runs in the rim: a launch. Directions are None where the device cannot tell."""

    rotor: Direction | None
    ball: Direction | None = None


class BallLap(Reading, frozen=True):
    """Ball revolutions seen in this launch so far, and the last one's duration in seconds."""

    laps: int
    ball: Direction | None = None
    rotor: Direction | None = None
    seconds: float | None = None


class BallLeavingRim(Reading, frozen=True):
    """The ball is about to leave the rim: no more bets."""


class BallLeftRim(Reading, frozen=True):
    """The rim sees the ball no longer: between which two of its sensors it left.

    Angles of the stator, in turns (0 to below 1) clockwise seen from above, from the mark of its options.
    """

    angle: float
    """The middle of the stretch between the two: the ball left within half the stretch of it."""
    ball: Direction
    rim: tuple[float, ...]
    """Where the sensors stand, rising; each of them saw the ball in its last turn."""


class BallWithRotor(Reading, frozen=True):
    """The ball was seen to run in the rotor's own sense."""


class BallMissing(Reading, frozen=True):
    """The ball left the cylinder, was taken out, or has been unseen for the device's stated time."""


class RotorSpeedOutOfRange(Reading, frozen=True):
    """The rotor turned outside the maker's range for play; recorded, stops nothing."""

    rpm: float


class VoidSignalled(Reading, frozen=True):
    """The device itself calls the throw void; `cause` in its own terms."""

    cause: str


class WaitingForDealer(Reading, frozen=True):
    """The wheel has a number and waits for the dealer's acknowledgement before it gives it."""


class PocketSettled(Reading, frozen=True):
    """The ball rests for good in this pocket. A label, never a number: "0", "00", "17"."""

    pocket: str
    game: int | None = None
    rotor: Direction | None = None


class PlaceSettled(Reading, frozen=True):
    """The ball rests for good in the pocket at this place, from a device that knows places, not labels.

    Counted clockwise, seen from above, from the first pocket of the layout (a roulette's zero), which is 0.
    """

    place: int
    rotor: Direction | None = None


class PocketUnread(Reading, frozen=True):
    """The game ended but its pocket is unknown or contradicted; `claims` holds what was claimed."""

    claims: tuple[str, ...]
    reason: str
    game: int | None = None
    rotor: Direction | None = None


class GameAbandoned(Reading, frozen=True):
    """The wheel went on to the next game, or closed, without giving a result."""

    reason: str


class StatesMissed(Reading, frozen=True):
    """The wheel stands further on than was seen: part of the game went by unseen."""

    before: str
    now: str


# --- fortune wheels ---------------------------------------------------------------------------


class WheelPushed(Reading, frozen=True):
    """A hand drove the wheel: it gained energy. The first push sets it in motion."""

    number: int
    """Pushes of this spin, this one included."""
    direction: Direction
    """Seen from the players' side."""
    speed: float
    """Turns a second, after it."""


class Turns(msgspec.Struct, frozen=True):
    """How far a wheel turned, as far as that was seen: not less than the one, not more than the other."""

    least: Annotated[float, Meta(ge=0, le=1e9)]
    most: Annotated[float, Meta(ge=0, le=1e9)]


class WheelTurned(Reading, frozen=True):
    """Another whole turn since the last push."""

    turns: int
    speed: float
    """Turns a second."""


class WheelHindered(Reading, frozen=True):
    """The wheel did not turn freely: slowed more than its own friction explains, or turned back."""

    cause: Literal["slowed", "reversed"]
    deceleration: float
    """Turns a second, each second, that the wheel's own friction does not explain."""


class WheelAtRest(Reading, frozen=True):
    """The wheel stands still, with what was seen of its spin."""

    place: int | None
    """The segment at the pointer, counted as the configured order is, from 0; None on a peg."""
    direction: Direction | None
    """Of the net turn; None for no turn at all."""
    pushes: int
    turns: Turns
    """Since the spin's start, not signed."""
    turns_since_push: Turns
    """Since the last push."""
    turns_since_second: Turns | None
    """Since the second push, whatever pushes came after it; None without one."""


class RestUnread(Reading, frozen=True):
    """The wheel stands still, but where or after how many turns is not known: part was unseen."""

    reason: str


# --- any table --------------------------------------------------------------------------------


class ButtonPressed(Reading, frozen=True):
    """A button of the table was pressed."""

    button: Literal["no_more_bets"]


class LidMoved(Reading, frozen=True):
    """The lid of the wheel was opened or closed."""

    open: bool


AnyReading = (
    DeviceBack
    | DeviceLost
    | DeviceRestarted
    | FaultRaised
    | FaultCleared
    | UnsolicitedReply
    | WheelClosed
    | GameStarted
    | LaunchFailed
    | BallLaunched
    | BallLap
    | BallLeavingRim
    | BallLeftRim
    | BallWithRotor
    | BallMissing
    | RotorSpeedOutOfRange
    | VoidSignalled
    | WaitingForDealer
    | PocketSettled
    | PlaceSettled
    | PocketUnread
    | GameAbandoned
    | StatesMissed
    | WheelPushed
    | WheelTurned
    | WheelHindered
    | WheelAtRest
    | RestUnread
    | ButtonPressed
    | LidMoved
)
"""Every reading, for decoding recorded ones."""
