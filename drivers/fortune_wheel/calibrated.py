"""From what free spins taught of a wheel to the calibration that its driver takes. Pure."""

from math import floor

from drivers.fortune_wheel.options import BEARING_AT_LEAST, Calibration
from drivers.tracking.calibration import CannotCalibrateError, Found

CLEAR = 0.2
"""Parts of the pitch by which the wheel must stand off a peg for its segment to be named."""


class TooNearToPegError(CannotCalibrateError):
    """Which segment is at the pointer cannot be said; one spin more may do."""


def calibration(
    found: Found,
    serial: str,
    counts: int,
    segments: int,
    standing: tuple[int, int],
    place: int,
    device_calibration: int = 0,
) -> Calibration:
    """The driver's calibration, given which segment is at the pointer.

    `standing` is the wheel's position and the index's, `place` the segment there, from 0. Raises
    TooNearToPegError for a wheel that stands so, CannotCalibrateError for one that does not slow between its
    pegs.
    """
    position, zero = standing
    pitches = (position + 0.5 - zero) * segments / counts - found.phase.value
    if abs(pitches - round(pitches)) < CLEAR:
        raise TooNearToPegError("the pointer is too near to a peg to say which segment it is in")
    index_at = (floor(-pitches) - place - found.phase.value) / segments % 1.0
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
