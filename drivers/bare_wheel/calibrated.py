"""From where a ball lay to the angle at which pocket 0 and the pocket sensor meet. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from drivers.bare_wheel.lays import Lay
from drivers.bare_wheel.options import BareWheelOptions, Calibration
from drivers.tracking.angles import apart, circular_median
from drivers.tracking.calibration import CannotCalibrateError

SCATTER = 0.15
"""Pockets by which the sights of one ball at rest may lie from their middle, half of them."""
DISAGREE = 0.4
"""Pockets by which one may lie from where the others have it: a ball lies up to 0.3 beside the middle."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the lays taught."""

    offset: float
    spread: float
    """Pockets, of one sight about its ball's middle."""
    off: tuple[float, ...]
    """Pockets, signed, by which each lay is off what was found of all."""


def found(
    lays: Sequence[Lay], places: Sequence[int], options: BareWheelOptions, names: Sequence[str]
) -> Found:
    """The offset, given in which place (from 0) the ball lay each time. Raises CannotCalibrateError.

    `names` is what people call each place: "pocket 6", "hole 3".
    """
    pockets = options.pockets
    middles = [circular_median(lay.angles) for lay in lays]
    spread = max(
        median(abs(apart(angle, middle)) for angle in lay.angles) * pockets
        for lay, middle in zip(lays, middles, strict=True)
    )
    if spread > SCATTER:
        raise CannotCalibrateError(
            f"the sights of one ball at rest lie {spread:.2f} pockets from their middle, {SCATTER} at most: "
            "is the encoder slipping, or does the sensor see more than the ball?"
        )
    sign = 1 if options.turning == "sensor" else -1
    offset, off = _fit(middles, places, pockets, sign)
    if max(map(abs, off)) > DISAGREE:
        mirrored = max(map(abs, _fit([-middle for middle in middles], places, pockets, -sign)[1]))
        each = ", ".join(f"{names[place]}: {one:+.1f}" for place, one in zip(places, off, strict=True))
        hint = (
            "they agree with the encoder's channels swapped, or with the other value of `turning`"
            if mirrored <= DISAGREE
            else "was a pocket named wrongly, or is `pockets` wrong?"
        )
        raise CannotCalibrateError(f"the pockets contradict each other ({each} pockets off): {hint}")
    return Found(offset, spread, tuple(off))


def _fit(
    middles: Sequence[float], places: Sequence[int], pockets: int, sign: int
) -> tuple[float, tuple[float, ...]]:
    """The offset of all, and by how many pockets each is off it."""
    each = [sign * (middle - place / pockets) for middle, place in zip(middles, places, strict=True)]
    offset = circular_median(each)
    return offset, tuple(apart(one, offset) * pockets for one in each)


def calibration(
    what: Found, lays: Sequence[Lay], serial: str, options: BareWheelOptions, device_calibration: int = 0
) -> Calibration:
    """As the driver takes it."""
    return Calibration(
        serial=serial,
        pockets=options.pockets,
        turning=options.turning,
        offset=round(what.offset, 6) % 1.0,
        sights=sum(len(lay.angles) for lay in lays),
        device_calibration=device_calibration,
    )


def as_toml(known: Calibration, what: Found) -> str:
    """The file that the table file's option names."""
    how = f"sights spread {what.spread:.3f} pockets, a ball lay {max(map(abs, what.off)):.2f} off at most"
    lines = [
        "# What `mesad calibrate` found. Calibrate again when the pocket sensor, encoder or index was moved.",
        f'serial = "{known.serial}"',
        f"pockets = {known.pockets}",
        f'turning = "{known.turning}"',
        f"offset = {known.offset!r}  # of a turn; {how}",
        f"sights = {known.sights}",
        f"device_calibration = {known.device_calibration}  # the device's; another: sensors were moved",
    ]
    return "\n".join(lines) + "\n"
