"""The contract between a device driver and the rest of the house.

A driver turns the bytes of one device into readings. It is sans I/O: bytes and instants come in as
values, readings go out, and a moment at which it wants to be woken is a number it shows. So the same
driver runs live, in a replay and in a simulated year. What fetches the bytes is a link (`drivers.links`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec

from drivers.readings import AnyReading, Instant

Role = Literal["wheel", "fortune_wheel", "dice", "shoe", "shuffler", "console"]


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What a driver knows of its device's health; published under `device/{id}`."""

    frames: int
    """Good frames since the driver was made."""
    bad_frames: int
    """Pieces of input that were not a frame: damaged, out of range, unknown."""
    last_frame: Instant | None
    firmware: str | None = None
    serial: str | None = None
    """The device's own serial number, where it says it: what is learnt about the device is kept under it."""
    note: str | None = None
    """What a technician should know, e.g. "status lines arrive, but no game has ended for 20 min"."""


class Driver(Protocol):
    """Must: all of these. Might: raise `FaultRaised`, report firmware, use `deadline`."""

    deadline: int | None
    """Monotonic nanoseconds at which `advance` wants to be called, or None."""

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        """The link was opened; anything half-received before is forgotten."""
        ...

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        """The link ended (unplugged, closed, error), for a reason in words."""
        ...

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """Bytes as they arrived, in pieces of any size; never raises on their content."""
        ...

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        """Time has come to `at`, which is `deadline` or later. Never gives a result of a game."""
        ...

    def health(self) -> Health:
        """Counters and facts of the device."""
        ...

    def snapshot(self) -> bytes:
        """The driver's whole state, so that a recorded round can be replayed from its first byte."""
        ...

    def restore(self, snapshot: bytes) -> None:
        """Return to a state that `snapshot` gave. Raises ValueError on anything else."""
        ...


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For drivers without options."""


@dataclass(frozen=True)
class SerialSettings:
    """How a serial device wants its line; a `socket://` port takes none of it."""

    baudrate: int
    bytesize: Literal[5, 6, 7, 8] = 8
    parity: Literal["N", "E", "O"] = "N"
    stopbits: Literal[1, 2] = 1


@dataclass(frozen=True)
class DriverInfo:
    """A driver as the registry knows it: what the configuration may say and how to make one."""

    name: str
    summary: str
    """One line for `mesad devices`."""
    roles: frozenset[Role]
    options: type[msgspec.Struct]
    """A frozen struct with ``forbid_unknown_fields``; decoded from the configuration's `options`."""
    make: Callable[[str, Any], Driver]
    """Device id and decoded options in, driver out."""
    files: Mapping[str, type[msgspec.Struct]] = field(default_factory=dict)
    """Options that the table file may give as the path of a TOML file, which then holds one of these."""
    caution: Callable[[Any], str | None] = lambda options: None
    """What is no mistake in these options, but may leave the wheel unread or read wrongly, and what to do."""
    serial: Callable[[Any], SerialSettings] | None = None
    """Line settings for these options; None for a device that is not serial."""
