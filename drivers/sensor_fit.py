"""What a wheel needs of its device, and in what a device is another than the table file says. Pure."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from protocols.sensor import CHANNELS, NUMBERS, Identity

ENCODER = frozenset({NUMBERS["quadrature_a"], NUMBERS["quadrature_b"]})
FOREIGN, OLD = "calibration_foreign", "calibration_old"
COUNTS, MISSING = "encoder_counts", "channels_missing"


class Calibrated(Protocol):
    """What every calibration file says of the device with which it was made."""

    @property
    def serial(self) -> str:
        """Of the device."""
        ...

    @property
    def device_calibration(self) -> int:
        """The number that the device gives its sensors' places; 0 if it was not known."""
        ...


class Needs(NamedTuple):
    """The channels by which a wheel is judged."""

    each: frozenset[int]
    spare: frozenset[int] = frozenset()
    """Of these one may fail."""

    def lacking(self, there: int) -> list[int]:
        """The channels for want of which nothing can be judged; bit n of `there`: channel n is there."""
        absent = self.absent(there)
        spares = absent & self.spare
        return sorted(absent - self.spare | (spares if len(spares) > 1 else frozenset()))

    def absent(self, there: int) -> frozenset[int]:
        """The channels of these that are not there, spares with them."""
        return frozenset(channel for channel in self.each | self.spare if not there >> channel & 1)


class Fit(NamedTuple):
    """What the table file says of the device."""

    needs: Needs
    counts: int
    """Of one turn; 0 leaves it to the device."""
    least: int = 0
    """Counts of one turn that the wheel needs."""
    calibration: Calibrated | None = None


def there(identity: Identity) -> int:
    """The channels that a device has, as bits; an encoder that it counts itself has both of its own."""
    encoder = sum(1 << channel for channel in ENCODER) if identity.counts else 0
    return identity.channels | encoder


def misfits(identity: Identity, fit: Fit) -> Iterator[tuple[str, str, bool | None]]:
    """Each way not to fit its wheel: the fault's code, words, whether it is so; None if that is not known."""
    counts, known = identity.counts, fit.calibration
    text = f"the encoder has {counts} counts a turn: "
    text += f"the table file says {fit.counts}" if counts >= fit.least else f"{fit.least} are needed"
    yield COUNTS, text, (counts < fit.least or fit.counts not in (0, counts)) if counts else None
    lacking = fit.needs.lacking(there(identity))
    names = ", ".join(CHANNELS[channel] for channel in lacking)
    yield MISSING, f"the device says that it does not have: {names}", bool(lacking)
    if known is not None:
        text = f"the calibration is that of {known.serial}, the device is {identity.serial}"
        yield FOREIGN, text, known.serial != identity.serial
        numbers = known.device_calibration, identity.calibration
        text = (
            f"sensors were moved since the calibration: the device's number was {numbers[0]}, is {numbers[1]}"
        )
        yield OLD, text, None if 0 in numbers else numbers[0] != numbers[1]
