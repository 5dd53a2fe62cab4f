"""From what free spins taught of a wheel to the calibration that its driver takes. Pure."""

from collections import Counter
from collections.abc import Sequence
from math import floor
from typing import NamedTuple

from drivers.fortune_wheel.options import BEARING_AT_LEAST, Calibration
from drivers.tracking.calibration import CannotCalibrateError, Found, TooLittleSeenError

CLEAR = 0.2
"""Parts of the pitch by which the wheel must stand off a peg for its segment to be named."""


class UnreadSegmentError(TooLittleSeenError):
    """Where the segments are is not known; one spin more may do, if its segment is named."""

    def __init__(self, why: str) -> None:
        super().__init__(why, 1)


class TooNearToPegError(UnreadSegmentError):
    """Which segment is at the pointer cannot be said."""


class Named(NamedTuple):
    """A wheel at rest whose segment at the pointer somebody has read."""

    position: int
    zero: int
    """Where it is when the index comes."""
    place: int
    """The segment, from 0."""


class Index(NamedTuple):
    """Where the index is by the segments that were named."""

    at: float
    """Part of a turn clockwise from peg 0 at the pointer."""
    sense_shown: bool
    """Whether the names show that positions rise clockwise: they would not agree with the other sense."""


def index_of(found: Found, counts: int, segments: int, named: Sequence[Named]) -> Index:
    """From the rests that were not beside a peg, of which more than half must agree.

    Raises TooNearToPegError where none is, UnreadSegmentError where they contradict each other,
    CannotCalibrateError where all agree with the other sense.
    """
    clockwise, mirrored = [], []
    for rest in named:
        pitches = (rest.position + 0.5 - rest.zero) * segments / counts - found.phase.value
        if abs(pitches - round(pitches)) >= CLEAR:
            clockwise.append((floor(-pitches) - rest.place) % segments)
            mirrored.append((floor(pitches) - rest.place) % segments)
    if not clockwise:
        raise TooNearToPegError("the pointer is too near to a peg to say which segment it is in")
    ((index, agreeing),) = Counter(clockwise).most_common(1)
    if 2 * agreeing > len(clockwise):
        others = {at for at, said in zip(mirrored, clockwise, strict=True) if said == index}
        return Index((index - found.phase.value) / segments % 1.0, len(others) > 1)
    if len(set(mirrored)) == 1:
        raise CannotCalibrateError(
            "the segments named agree only with an encoder that counts the other way: exchange its channels "
            "A and B, or the sign of the positions (or were the segments counted anticlockwise?)"
        )
    each = ", ".join(str(rest.place + 1) for rest in named)
    raise UnreadSegmentError(f"the segments named ({each}) contradict each other: one was misread")


def calibration(
    found: Found, serial: str, counts: int, segments: int, index_at: float, device_calibration: int = 0
) -> Calibration:
    """The driver's calibration. Raises CannotCalibrateError where the pegs take all of the slowing."""
    bearing = found.constant.value - found.peg * segments / 2
    if bearing <= BEARING_AT_LEAST * found.constant.value:
        raise CannotCalibrateError("the pegs seem to take as good as all of the wheel's slowing")
    # farther than a peg sends a wheel back that gives it all its energy again
    farthest = found.peg / (2 * bearing)
    return Calibration(
        serial=serial,
        counts=counts,
        segments=segments,
        index_at=round(index_at, 6) % 1.0,
        peg_width=round(found.peg_width.value, 4),
        slowing=round(found.constant.value, 7),
        slowing_per_speed=round(found.per_speed, 6),
        slowing_per_speed2=round(found.per_speed2, 6),
        peg=round(found.peg, 8),
        excursion=round(found.excursion, 7),
        bounce=round(min(0.2, max(1.5 * found.bounce, farthest)), 5),
        spins=len(found.used),
        device_calibration=device_calibration,
    )


def as_toml(known: Calibration, found: Found) -> str:
    """The file that the table file's option names."""
    lines = [
        "# What `mesad calibrate` found. Calibrate again when sensors, pegs or the bearing were changed.",
        f'serial = "{known.serial}"',
        f"counts = {known.counts}",
        f"segments = {known.segments}",
        f"index_at = {known.index_at!r}  # of a turn, clockwise from peg 0 at the pointer",
        f"peg_width = {known.peg_width!r}  # of the pitch; spread {found.peg_width.spread:.4f}",
        f"slowing = {known.slowing!r}  # turns/s²; spread {found.constant.spread:.6f}",
        f"slowing_per_speed = {known.slowing_per_speed!r}  # 1/s",
        f"slowing_per_speed2 = {known.slowing_per_speed2!r}  # 1/turn",
        f"peg = {known.peg:.8f}  # turns²/s²",
        f"excursion = {known.excursion!r}  # turns/s",
        f"bounce = {known.bounce!r}  # turns",
        f"spins = {known.spins}",
        f"device_calibration = {known.device_calibration}  # the device's; another: sensors were moved",
    ]
    return "\n".join(lines) + "\n"
