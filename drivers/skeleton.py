"""A driver to copy: a complete one, for a wheel that does not exist.

The imaginary wheel sends a line for each thing that happens, ended by CR LF, 9600 8N1:

    .       nothing new, once a second          X       no more bets
    G       place your bets                     N 17    the ball rests in 17
    B       the ball is in the rim              E 12    fault 12; E 0 when it is gone

A driver must
- be pure: bytes and instants in, readings out; no clock, no files, no threads, no logging of its own;
- keep all it remembers in one value that `snapshot` gives and `restore` takes, so that the recorded bytes of
  a round give the same readings again;
- take any bytes at all without raising, hold a bounded number of them, and count what is no frame, checking
  length, start, checksum, type and only then the fields (here the protocol has no more than a form to check);
- forget on `link_up` what was half received, and give no result of a game that it has not seen whole: a
  stream may be joined in the middle, and a blocked line loses pieces;
- give pockets as labels ("0", "00", "17"), each game's once, and never one because time has passed;
- say `DeviceBack` with the first good frame, and `DeviceLost` once.

It might
- set `deadline` to be woken at, if the device speaks all the time, so that silence means loss;
- raise and clear faults, report firmware, restarts, answers to commands that nobody here sent;
- tell more of the game (laps, directions, speeds): the rules use what there is.

To make one of your own: copy this file and `tests/drivers/test_skeleton.py`; put the wire format into a
module of its own if it is more than a pattern, as `protocols.cammegh` is; record a capture of the real
device, with a header saying where it comes from, and test with that. Then announce it, in your own
distribution, under the name by which table files will call it:

    [project.entry-points."mesad.drivers"]
    acme-wheel = "acme_mesad.wheel:DRIVER"

`DriverInfo.name` must then be "acme-wheel" too.

This one is announced nowhere, so no table can be configured with it; its test does so for itself.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from drivers.driver import DriverInfo, Health, SerialSettings
from drivers.readings import (
    SECOND,
    AnyReading,
    BallLaunched,
    BallLeavingRim,
    DeviceBack,
    DeviceLost,
    FaultCleared,
    FaultRaised,
    GameStarted,
    Instant,
    PocketSettled,
    PocketUnread,
)
from protocols.framing import LineSplitter

_LINE = re.compile(rb"\.|G|B|X|N (?P<pocket>[0-9]|[12][0-9]|3[0-6])|E (?P<fault>0|[1-9][0-9]?)")


class SkeletonOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a table file may say under `options`; every key with its range, and a default if one is right."""

    silence: Annotated[float, msgspec.Meta(ge=2.0, le=3600)] = 5.0
    """Seconds without a line after which the wheel counts as lost."""


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """All that the driver remembers."""

    lines: tuple[bytes, bool, bool, int]
    deadline: int | None = None
    speaking: bool = False
    lost: bool = False
    game: Literal["unseen", "open", "in play", "leaving", "over"] = "unseen"
    fault: str | None = None
    frames: int = 0
    bad: int = 0
    last_frame: Instant | None = None


class Skeleton:
    """One such wheel; `drivers.driver.Driver` says what each method is for."""

    def __init__(self, device: str, options: SkeletonOptions) -> None:
        self._device = device
        self._silence = round(options.silence * SECOND)
        self._lines = LineSplitter(limit=16)
        self._state = _State(lines=self._lines.state)

    @property
    def deadline(self) -> int | None:
        """When silence becomes loss."""
        return self._state.deadline

    @deadline.setter
    def deadline(self, deadline: int | None) -> None:
        self._state.deadline = deadline

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        """An open port is not yet a wheel: that it is back is said when it speaks."""
        self._lines.reopen()
        self.deadline = at.mono + self._silence
        return ()

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        """The link ended."""
        return self._lose(reason, at)

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """Bytes as they arrived."""
        said: list[AnyReading] = []
        for line in self._lines.feed(data):
            match = _LINE.fullmatch(line)
            if match is None:
                self._state.bad += 1
                continue
            self._heard(at, said)
            said += self._take(match, at)
        return said

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        """Too long without a line: the wheel is lost, and with it the game, whatever it says next."""
        if self.deadline is None or at.mono < self.deadline:
            return ()
        return self._lose(f"no line for {self._silence / SECOND:g} s", at)

    def health(self) -> Health:
        """Lines, good and bad."""
        bad = self._state.bad + self._lines.overlong
        return Health(frames=self._state.frames, bad_frames=bad, last_frame=self._state.last_frame)

    def snapshot(self) -> bytes:
        """The whole state as JSON."""
        self._state.lines = self._lines.state
        return msgspec.json.encode(self._state)

    def restore(self, snapshot: bytes) -> None:
        """Return to a state that `snapshot` gave. Raises ValueError on anything else."""
        try:
            state = msgspec.json.decode(snapshot, type=_State)
            self._lines.state = state.lines
        except ValueError as error:  # the decoder's errors are of this kind too
            raise ValueError(f"not a snapshot of this wheel: {error}") from error
        self._state = state

    def _heard(self, at: Instant, said: list[AnyReading]) -> None:
        state = self._state
        state.frames += 1
        state.last_frame = at
        self.deadline = at.mono + self._silence
        if not state.speaking:
            state.speaking, state.lost = True, False
            said.append(DeviceBack(device=self._device, at=at))

    def _lose(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        state = self._state
        self.deadline, state.speaking, state.game = None, False, "unseen"
        if state.lost:
            return ()
        state.lost = True
        return (DeviceLost(device=self._device, at=at, reason=reason),)

    def _take(self, match: re.Match[bytes], at: Instant) -> Sequence[AnyReading]:
        """What a good line means here and now; the same line again means nothing new."""
        state, device = self._state, self._device
        kind = match[0][:1]
        if kind == b"N":
            return self._result(match["pocket"].decode(), at)
        if kind == b"E":
            return self._fault(match["fault"].decode(), at)
        if kind == b"G" and state.game != "open":
            state.game = "open"
            return (GameStarted(device=device, at=at),)
        if kind == b"B" and state.game == "open":
            state.game = "in play"
            return (BallLaunched(device=device, at=at, rotor=None),)
        if kind == b"X" and state.game == "in play":
            state.game = "leaving"
            return (BallLeavingRim(device=device, at=at),)
        return ()

    def _result(self, pocket: str, at: Instant) -> Sequence[AnyReading]:
        before, self._state.game = self._state.game, "over"
        if before == "over":
            return ()
        if before == "leaving":
            return (PocketSettled(device=self._device, at=at, pocket=pocket),)
        reason = f"the game was seen only in part ({before})"
        return (PocketUnread(device=self._device, at=at, claims=(pocket,), reason=reason),)

    def _fault(self, number: str, at: Instant) -> Sequence[AnyReading]:
        """Faults by their code in the house's form; the device knows one at a time."""
        before = self._state.fault
        now = None if number == "0" else f"skeleton_{number}"
        if now == before:
            return ()
        self._state.fault = now
        said: list[AnyReading] = []
        if before is not None:
            said.append(FaultCleared(device=self._device, at=at, code=before))
        if now is not None:
            said.append(FaultRaised(device=self._device, at=at, code=now, text=f"the wheel's fault {number}"))
        return said


def _serial(options: SkeletonOptions) -> SerialSettings:
    return SerialSettings(9600)


DRIVER = DriverInfo(
    name="skeleton",
    summary="a wheel that does not exist, for writers of drivers",
    roles=frozenset({"wheel"}),
    options=SkeletonOptions,
    make=Skeleton,
    serial=_serial,
)
