"""What the configuration says of a wheel with bare sensors."""

from math import inf
from typing import Annotated, Literal

import msgspec

COUNTS_A_POCKET = 5
"""Counts that the encoder must have for each pocket: with fewer, an edge lies too far from its pocket."""

Angle = Annotated[float, msgspec.Meta(ge=0, lt=1)]
"""Parts of a turn, clockwise."""


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the pocket sensor stands by the index, as `mesad calibrate` found and wrote it."""

    serial: str
    """Of the device."""
    pockets: int
    turning: Literal["pockets", "sensor"]
    offset: Angle
    sights: Annotated[int, msgspec.Meta(ge=1)]
    """Of balls at rest, from which it was found."""
    device_calibration: Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)] = 0
    """The device's own number of its sensors' places then; 0 if it was not known."""


class BareWheelOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the sensors stand, and what the wheel's ball and rotor may do. Raises ValueError on nonsense."""

    pockets: Literal[37, 38, 18] = 37
    turning: Literal["pockets", "sensor"] = "pockets"
    """What the encoder turns with: the ring of pockets, or a sensor under a basin that stands still."""
    rim: tuple[Angle, Angle, Angle] = (0.0, 0.29, 0.56)
    """Rim sensors 1, 2, 3 clockwise from any mark, at unequal distances: so only one sense fits.

    If no distance is near 1/5, 1/4, 1/3, 2/5 or 1/2 of a turn, any two of them are enough."""
    offset: Angle = 0.0
    """The encoder's angle from the index at which pocket 0 and the pocket sensor meet."""
    calibration: Calibration | None = None
    """The same from a file that `mesad calibrate` wrote, in place of `offset`."""
    counts: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    """Counts a turn, for a device that does not say; 0 leaves it to the device."""
    slack: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 2
    """Counts by which the index may miss: the width of its mark. At most 0.15 of a pocket is taken."""
    leaving: Annotated[float, msgspec.Meta(gt=0, le=5)] = 0.5
    """Turns a second; a slower ball is about to leave the rim."""
    launch_laps: Annotated[int, msgspec.Meta(ge=1, le=20)] = 3
    """Turns of the ball below which a launch is a failed one."""
    missing: Annotated[float, msgspec.Meta(ge=3, le=120)] = 12.0
    """Seconds for which neither rim nor pocket sees the ball before it counts as missing."""
    silence: Annotated[float, msgspec.Meta(ge=1.5, le=60)] = 2.0
    """Seconds without a packet after which the device counts as lost; its heart beats every half second."""
    rotor_rpm: tuple[float, float] | None = None
    """Slowest and fastest that the rotor should turn while the ball runs; None says nothing of it."""
    baudrate: Annotated[int, msgspec.Meta(ge=9600, le=4_000_000)] = 115_200

    def __post_init__(self) -> None:
        if self.counts and self.counts < COUNTS_A_POCKET * self.pockets:
            least = COUNTS_A_POCKET * self.pockets
            raise ValueError(
                f"counts: {self.pockets} pockets need {least} or more, five for each\n"
                "remedy: counts takes the encoder's counts a turn, four for each line; 0 takes the device's"
            )
        first, second, third = self.rim
        if not first < second < third:
            raise ValueError(
                "rim: the three angles must rise\n"
                "remedy: number the sensors clockwise, the first one at the least angle"
            )
        arcs = sorted((second - first, third - second, 1 - third + first))
        if arcs[0] < 0.1 or arcs[2] - arcs[0] < 0.1:
            raise ValueError(
                "rim: no distance may be below 0.1 of a turn, nor all three be within 0.1 of each other\n"
                "remedy: measure where the sensors stand, or move one of them: [0.0, 0.29, 0.56] is good"
            )
        known = self.calibration
        if known is not None and self.offset:
            raise ValueError("offset: it stands in the calibration, too\nremedy: remove one of the two")
        if known is not None and (known.pockets, known.turning) != (self.pockets, self.turning):
            raise ValueError(
                f'calibration: it is that of {known.pockets} pockets, turning "{known.turning}"\n'
                "remedy: name the file that `mesad calibrate` wrote for this wheel, or calibrate it anew; "
                "or set pockets and turning so, if they are wrong"
            )
        if self.rotor_rpm is not None and not 0 < self.rotor_rpm[0] < self.rotor_rpm[1] < inf:
            raise ValueError(
                "rotor_rpm: the slowest must be above 0 and below the fastest\n"
                "remedy: rotor_rpm takes [slowest, fastest], in turns a minute"
            )

    @property
    def meets(self) -> float:
        """The offset, whoever found it."""
        return self.offset if self.calibration is None else self.calibration.offset
