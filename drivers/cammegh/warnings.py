"""Warnings of the Cammegh wheels: which bits mean something in which state, and when they count.

There is no checksum, so a bit counts from the second line running that shows it, and until the second line
running that does not. Speeds beyond any rotor's and a Mercury's "no ball" flag are treated as bits too.
"""

import msgspec

from drivers.cammegh.steps import BETS, LEAVING, LOCKED, RESULT, RIM
from drivers.readings import SECOND, Instant
from protocols.cammegh import ExtendedLine, Model, StatusLine

WITH_ROTOR = 2
"""Both models: the ball runs with the rotor."""
BALL_UNSEEN, WHEEL_DRIVE, LAUNCH_FAILED = 1, 4, 8
"""Slingshot 2."""
SPEED_OUTSIDE, RIM_SENSORS, VOID = 1, 4, 8
"""Mercury 360."""
RUNAWAY, NO_BALL = 16, 32
"""Not on the wire as warnings: Slingshot 2 speeds from 60 rpm; flag 80h of the extended line."""

RUNAWAY_SPEED = 600
"""Rotor rpm × 10; runaways were seen at 655 to 983, play at 142 to 195."""
_NO_BALL_FLAG = 0x80
LINES_A_SECOND = 2

_SLINGSHOT = {
    BETS: LAUNCH_FAILED,  # bit 2 here belongs to an attempt that fails or is recovered
    RIM: BALL_UNSEEN | WITH_ROTOR | LAUNCH_FAILED,
    LEAVING: BALL_UNSEEN | WITH_ROTOR | LAUNCH_FAILED,
    RESULT: WITH_ROTOR,
}
_MERCURY = {
    RIM: SPEED_OUTSIDE | WITH_ROTOR | VOID | NO_BALL,
    LEAVING: SPEED_OUTSIDE | WITH_ROTOR | VOID | NO_BALL,
    LOCKED: SPEED_OUTSIDE | WITH_ROTOR | VOID,
    RESULT: SPEED_OUTSIDE | WITH_ROTOR | VOID,
}
_ALWAYS = {"slingshot-2": WHEEL_DRIVE | RUNAWAY, "mercury-360": RIM_SENSORS}
_BALL = {"slingshot-2": BALL_UNSEEN, "mercury-360": NO_BALL}

BALL_MISSING_AFTER = 5
"""Seconds that the ball must be unseen."""
FAILURE_IGNORED = 3
"""Seconds of state 3 in which a Slingshot's bit 8 still means the attempt before."""


def lasted(since: int, line: int, at: Instant, now: int, seconds: int) -> bool:
    """Whether it is so long since `since` (monotonic) and the line of that number.

    By the instants or by the count of lines, whichever is more: lines that a blocked host held back arrive
    all at once, but the wheel sent them two a second.
    """
    return at.mono - since >= seconds * SECOND or now - line >= seconds * LINES_A_SECOND


class Bits(msgspec.Struct):
    """The warnings' state. `level` holds the bits that count."""

    level: int = 0
    before: int = 0
    """What the last line showed."""
    unseen_since: int = 0
    unseen_line: int = 0
    unseen_told: bool = False


class Warnings:
    """Which bits mean something on this model. Pure: the state is the caller's."""

    def __init__(self, model: Model) -> None:
        slingshot = model == "slingshot-2"
        always = _ALWAYS[model]
        scopes = _SLINGSHOT if slingshot else _MERCURY
        self._slingshot = slingshot
        self._scope = [always | scopes.get(state, 0) for state in range(8)]
        self._ball = _BALL[model]
        self.top_speed = RUNAWAY_SPEED if slingshot else 1000
        """Rotor rpm × 10 below which a speed is no warning."""

    def seen(self, line: StatusLine, early: bool) -> int:
        """The bits of a line that mean something; `early` is within the first 3 s of state 3."""
        bits = line.warnings
        if self._slingshot:
            if line.speed >= RUNAWAY_SPEED:
                bits |= RUNAWAY
            if early:
                bits &= ~LAUNCH_FAILED
        elif isinstance(line, ExtendedLine) and line.flags & _NO_BALL_FLAG:
            bits |= NO_BALL
        return bits & self._scope[line.state]

    def observe(self, bits: Bits, seen: int, at: Instant, number: int) -> tuple[int, int]:
        """Take what line `number` shows; the bits that count from now on, and those that no longer do."""
        old = bits.level
        if seen & self._ball and not (old | bits.before) & self._ball:
            bits.unseen_since, bits.unseen_line = at.mono, number
        bits.level = (old | (seen & bits.before)) & (seen | bits.before)
        bits.before = seen
        if not bits.level & self._ball:
            bits.unseen_told = False
        return bits.level & ~old, old & ~bits.level

    def ball_missing(self, bits: Bits, at: Instant, number: int) -> bool:
        """Whether the ball has been unseen for its 5 s; true once."""
        if bits.unseen_told or not bits.level & self._ball:
            return False
        if not lasted(bits.unseen_since, bits.unseen_line, at, number, BALL_MISSING_AFTER):
            return False
        bits.unseen_told = True
        return True

    def settled(self, bits: Bits) -> bool:
        """Whether another line with the same bits would change nothing."""
        return bits.level == bits.before and (bits.unseen_told or not bits.level & self._ball)

    def rejoin(self, bits: Bits) -> None:
        """Lines are no longer consecutive: what counted still counts, nothing else was seen."""
        bits.before = bits.level
