"""What the configuration says of a fortune wheel with bare sensors, and what its calibration found."""

from typing import Annotated

import msgspec
from msgspec import Meta

from drivers.tracking.friction import Friction

_Part = Annotated[float, Meta(ge=0.0, lt=1.0)]
COUNTS_A_SEGMENT = 40
"""Counts that the encoder must have for each segment: with fewer, a peg is too few of them."""
BEARING_AT_LEAST = 0.02
"""Part of the slowing that must be the bearing's: how far a wheel gets by that alone is told from it."""


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One wheel with its sensors, as `mesad calibrate` found it; turns and seconds. Kept by serial number."""

    serial: Annotated[str, Meta(pattern=r"^[A-Za-z0-9._+-]{1,16}\Z")]
    """The device whose spins these were."""
    counts: Annotated[int, Meta(ge=100, le=1_000_000)]
    """Of one turn."""
    segments: Annotated[int, Meta(ge=2, le=200)]
    index_at: _Part
    """Where the wheel stands when the index comes: part of a turn clockwise from peg 0 at the pointer."""
    peg_width: Annotated[float, Meta(gt=0.0, lt=0.5)]
    """Over which a peg lifts the pointer, in parts of the pitch."""
    slowing: Annotated[float, Meta(gt=0.0, le=10.0)]
    """Turns a second, each second."""
    slowing_per_speed: Annotated[float, Meta(ge=0.0, le=10.0)]
    """The same for each turn a second."""
    slowing_per_speed2: Annotated[float, Meta(ge=0.0, le=10.0)] = 0.0
    """The same for the square of the turns a second."""
    peg: Annotated[float, Meta(ge=0.0, le=1.0)]
    """Turns² a second²: of speed², the most that one peg takes."""
    excursion: Annotated[float, Meta(gt=0.0, le=0.8)]
    """Turns a second: the most, doubled, by which a free spin strayed from the law of slowing."""
    bounce: Annotated[float, Meta(ge=0.0, lt=0.25)]
    """Turns: the farthest that a peg sends the wheel back."""
    spins: Annotated[int, Meta(ge=1)]
    """From how many it was found."""
    device_calibration: Annotated[int, Meta(ge=0, lt=1 << 32)] = 0
    """The device's own number of its sensors' places then; 0 if it was not known."""

    def __post_init__(self) -> None:
        if self.bearing < BEARING_AT_LEAST * self.slowing:
            raise ValueError(
                "peg: the pegs take as good as all of the slowing: peg * segments / 2 is too near to it"
            )

    @property
    def bearing(self) -> float:
        """Turns a second, each second, that the bearing takes alone: the pegs' energy is in the slowing."""
        return self.slowing - self.peg * self.segments / 2

    @property
    def friction(self) -> Friction:
        """The law of slowing."""
        return Friction(
            self.slowing, self.slowing_per_speed, self.peg, self.excursion, self.slowing_per_speed2
        )


class FortuneWheelOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the configuration says of the wheel."""

    segments: Annotated[int, Meta(ge=2, le=200)]
    counts: Annotated[int, Meta(ge=100, le=1_000_000)]
    """Of the encoder in one turn: four for each of its lines."""
    calibration: Calibration | None = None
    """In the table file the path of what `mesad calibrate` wrote. Without it no spin is judged."""
    push: Annotated[float, Meta(ge=0.05, le=2.0)] = 0.25
    """Turns a second that make a spin: a hand that turns the wheel to clean it is slower."""
    handled: Annotated[float, Meta(ge=0.0, le=2.0)] = 0.5
    """Turns that a slow hand may turn the wheel without that being a spin."""
    still: Annotated[float, Meta(ge=0.5, le=10.0)] = 1.5
    """Seconds without a count after which the wheel rests."""
    index_slack: Annotated[int, Meta(ge=1, le=100)] = 3
    """Counts by which the index may miss."""
    silence: Annotated[float, Meta(ge=1.5, le=60.0)] = 2.0
    """Seconds without a packet after which the device is lost; it has a heartbeat of half a second."""

    def __post_init__(self) -> None:
        least = COUNTS_A_SEGMENT * self.segments
        if self.counts < least:
            raise ValueError(
                f"counts: {self.segments} segments need {least} or more, {COUNTS_A_SEGMENT} for each\n"
                "remedy: counts takes the encoder's counts a turn, four for each of its lines: a finer one?"
            )
        known = self.calibration
        if known is None:
            return
        for key in ("counts", "segments"):
            if getattr(self, key) != getattr(known, key):
                raise ValueError(
                    f"{key} is {getattr(self, key)}, but the calibration's {getattr(known, key)}\n"
                    f"remedy: set {key} = {getattr(known, key)}, if the file is this wheel's; if not, name "
                    "the one that is, or calibrate anew"
                )
        if known.peg_width * self.counts / self.segments < 3:
            raise ValueError(
                "counts are too few to tell a peg from the segments beside it\n"
                "remedy: use a finer encoder, and calibrate anew"
            )
