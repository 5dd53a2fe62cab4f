"""`mesad calibrate TABLE.toml`: learn a wheel that has bare sensors, and write what was found.

A fortune wheel is learnt from free spins, a roulette or a boule from balls that lie in known pockets.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from daemon.cli import calibrate_pockets
from daemon.cli.listening import Step, ask, check_place, listen, read, write
from daemon.config import DeviceConfig, TableConfig, load
from daemon.errors import OK, ConfigurationError, DeviceUnavailableError, UsageError
from drivers.fortune_wheel.calibrated import as_toml, calibration
from drivers.fortune_wheel.driver import FortuneWheelDriver
from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.fortune_wheel.recording import Recording
from drivers.readings import Instant
from drivers.tracking.calibration import ENOUGH, CannotCalibrateError, FreeSpin, calibrate

FORTUNE_WHEEL, BALL = "fortune-wheel", "bare-wheel"
SPINS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, how many spins, and what the device cannot know."""
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table whose wheel it is")
    parser.add_argument("--device", help="the wheel's id in the table file; not needed if there is one")
    parser.add_argument(
        "--spins",
        type=int,
        default=SPINS,
        help=f"fortune wheel: spins to wait for, {ENOUGH} or more; default {SPINS}",
    )
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help="bytes recorded from the port; needs --segment or --pocket",
    )
    parser.add_argument(
        "--segment",
        type=int,
        help="fortune wheel: the segment at the pointer after the last spin, from 1 on as in table.segments; "
        "asked at a terminal",
    )
    parser.add_argument(
        "--pocket",
        action="append",
        metavar="N",
        help="roulette, boule: the pocket (the hole, from 1 on) in which the ball lies; once for each time "
        "that it is laid, best three times far apart; asked at a terminal",
    )


def main(args: argparse.Namespace) -> int:
    """Find the wheel that is meant, and learn it."""
    config = load(args.table, calibrated=False)
    device = _device(args, config)
    check_place(device.files["calibration"])
    if device.driver.name == BALL:
        return calibrate_pockets.run(args, device, config.layout)
    return _from_spins(args, device)


def _from_spins(args: argparse.Namespace, device: DeviceConfig) -> int:
    """Record, learn, say what was found, write it."""
    if args.segment is None and not sys.stdin.isatty():  # told before the spins, not after them
        raise UsageError("--segment must say which segment is at the pointer after the last spin")
    segments = device.options.segments
    place = None if args.segment is None else _segment(args.segment, segments)
    file = device.files["calibration"]
    recorder = Recorder(device.options)
    if args.source is not None:
        read(args.source, recorder)
    else:
        if args.spins < ENOUGH:
            raise UsageError(f"--spins must be at least {ENOUGH}")
        print(f"spin the wheel {args.spins} times, each with one push, and let it come to rest", flush=True)
        asyncio.run(listen(device, recorder, _counted(recorder, args.spins)))
    print(
        "\n".join(
            _told(number, spin, device.options.counts) for number, spin in enumerate(recorder.spins, 1)
        ),
        flush=True,
    )
    options = device.options
    try:
        found = calibrate(recorder.spins, options.counts, segments)
        standing = recorder.standing
        if standing is None:
            raise CannotCalibrateError("the wheel turns, or its index was never seen")
        if place is None:
            asked = f"which segment is at the pointer now (1 to {segments})? "
            place = ask(asked, lambda said: _segment(said, segments))
        known = calibration(
            found, recorder.serial, options.counts, segments, standing, place, recorder.device_calibration
        )
        # what the driver would refuse is refused before it is written
        FortuneWheelOptions(segments=segments, counts=options.counts, calibration=known)
    except (CannotCalibrateError, ValueError) as error:
        raise DeviceUnavailableError(f"cannot calibrate: {error}") from error
    for at, reason in found.left_out.items():
        print(f"spin {at + 1} is left out: {reason}")
    text = as_toml(known, found)
    print(text, end="")
    write(file, text)
    print(f"written to {file}")
    return OK


class Recorder:
    """A wheel's bytes as spins; told as a link's listener is."""

    def __init__(self, options: FortuneWheelOptions) -> None:
        self._recording = Recording()
        self._driver = FortuneWheelDriver("wheel", options, self._recording)
        self._counts = options.counts

    @property
    def spins(self) -> list[FreeSpin]:
        """Those that are over."""
        return self._recording.spins

    @property
    def standing(self) -> tuple[int, int] | None:
        """Where the wheel stands: its position and the index's."""
        return self._recording.place

    @property
    def serial(self) -> str:
        """The device's. Raises CannotCalibrateError for one that never said it, or has another encoder."""
        serial, faults = self._driver.device.serial, self._driver.device.faults.codes
        if serial is None:
            raise CannotCalibrateError("the device never said who it is")
        if faults:
            raise CannotCalibrateError(f"faults stand: {', '.join(faults)}")
        return serial

    @property
    def device_calibration(self) -> int:
        """The number that the device gives its sensors' places; 0 if unknown."""
        return self._driver.device.calibration

    @property
    def packets(self) -> int:
        """Good ones so far."""
        return self._driver.health().frames

    def link_up(self, at: Instant, identity: str) -> None:
        """The port is open."""
        self._driver.link_up(at)

    def link_bytes(self, data: bytes, at: Instant) -> None:
        """Bytes as they came."""
        self._driver.receive(data, at)

    def link_lost(self, reason: str, at: Instant) -> None:
        """The port is gone."""
        self._driver.link_lost(reason, at)


def _counted(recorder: Recorder, spins: int) -> Step:
    """Tells of each spin that is over, until there were so many."""
    told = 0

    async def step() -> bool:
        nonlocal told
        if len(recorder.spins) > told:
            told = len(recorder.spins)
            print(f"{told} of {spins}", flush=True)
        return told >= spins

    return step


def _device(args: argparse.Namespace, config: TableConfig) -> DeviceConfig:
    """The wheel that is meant. Raises ConfigurationError."""
    usable = [device for device in config.devices if device.driver.name in (FORTUNE_WHEEL, BALL)]
    meant = [device for device in usable if args.device in (None, device.id)]
    if len(meant) != 1:
        ids = ", ".join(device.id for device in usable) or "none"
        remedy = (
            f"name one with --device: {ids}" if usable else f"the wheel's driver is {FORTUNE_WHEEL} or {BALL}"
        )
        raise ConfigurationError(args.table, "device", "no single wheel that can be calibrated", remedy)
    if "calibration" not in meant[0].files:
        remedy = 'add calibration = "FILE.toml" to the device\'s options; it is written by this command'
        raise ConfigurationError(args.table, "device.options.calibration", "names no file", remedy)
    return meant[0]


def _told(number: int, spin: FreeSpin, counts: int) -> str:
    seconds = (spin.positions[-1][0] - spin.positions[0][0]) / 1e6
    turns = (spin.positions[-1][1] - spin.positions[0][1]) / counts
    return f"spin {number}: {turns:.1f} turns in {seconds:.1f} s{f', {spin.flaw}' if spin.flaw else ''}"


def _segment(said: str | int, segments: int) -> int:
    """The place of a segment, from 0, by its number from 1. Raises UsageError."""
    word = str(said).strip()
    number = int(word) if word.isascii() and word.isdecimal() else 0
    if not 1 <= number <= segments:
        raise UsageError(f"the wheel has the segments 1 to {segments}, not {said}")
    return number - 1
