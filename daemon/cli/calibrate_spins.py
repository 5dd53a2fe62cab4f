"""`mesad calibrate` of a fortune wheel: its friction, pegs and index, from free spins."""

import argparse
import asyncio
import sys
from typing import NamedTuple

from daemon.cli.listening import ask, in_words, listen, read, write
from daemon.config import DeviceConfig
from daemon.errors import OK, DeviceUnavailableError, UsageError
from drivers.fortune_wheel.calibrated import (
    Index,
    Named,
    UnreadSegmentError,
    as_toml,
    calibration,
    index_of,
)
from drivers.fortune_wheel.driver import FortuneWheelDriver
from drivers.fortune_wheel.options import Calibration, FortuneWheelOptions
from drivers.fortune_wheel.recording import Recording
from drivers.readings import Instant
from drivers.sensor_spoilt import Spoiling, hindering, passing
from drivers.tracking.calibration import (
    ENOUGH,
    AnticlockwiseError,
    CannotCalibrateError,
    Found,
    FreeSpin,
    TooLittleSeenError,
    anticlockwise,
    calibrate,
)

SPINS = 10
AT_MOST = 20
"""Spins that are asked for besides, one after another, where those so far teach too little."""
ASKED = 3
"""First spins after which the segment is asked, too: two that agree show that none was misread."""


def run(args: argparse.Namespace, device: DeviceConfig) -> int:
    """Record, learn, say what was found, write it."""
    if args.pocket:
        raise UsageError("--pocket is for a roulette or a boule; of this wheel --segment names the place")
    wanted = SPINS if args.spins is None else args.spins
    if wanted < ENOUGH:
        raise UsageError(f"--spins must be at least {ENOUGH}")
    if args.spins is not None and args.source is not None:
        raise UsageError("--spins is for a port: of a file all spins are taken")
    if not args.segment and not sys.stdin.isatty():  # told before the spins, not after them
        raise UsageError("--segment must say which segment is at the pointer after the last spin")
    options: FortuneWheelOptions = device.options
    places = [segment(said, options.segments) for said in args.segment or ()]
    if args.source is None and len(places) > wanted:
        raise UsageError(f"--segment names {len(places)} segments, but after {wanted} spins")
    recorder = SpinRecorder(options)
    if args.source is None:
        dialogue = Dialogue(recorder, wanted, places)
        asyncio.run(listen(args.table, device, recorder, dialogue.step))
        taught = dialogue.taught
    else:
        read(args.table, device, args.source, recorder)
        taught = _from_file(recorder, places)
    for at, reason in taught.found.left_out.items():
        print(f"spin {at + 1} is left out: {reason}")
    write(device.files["calibration"], as_toml(taught.known, taught.found))
    if not taught.zero.sense_shown:
        print(
            "warning: the segments named do not show the encoder's sense, and a wrong one makes every "
            "segment wrong: name two that are neither the same nor opposite",
            file=sys.stderr,
        )
    return OK


class SpinRecorder:
    """A wheel's bytes as spins; told as a link's listener is."""

    def __init__(self, options: FortuneWheelOptions) -> None:
        self.options = options
        self._recording = Recording()
        self._driver = FortuneWheelDriver("wheel", options, self._recording)

    @property
    def spins(self) -> list[FreeSpin]:
        """Those that are over."""
        return self._recording.spins

    @property
    def stands(self) -> bool:
        """Whether the wheel does, at a known place."""
        return self._recording.place is not None

    @property
    def serial(self) -> str | None:
        """The device's, once it has said it."""
        return self._driver.device.serial

    @property
    def device_calibration(self) -> int:
        """The number that the device gives its sensors' places; 0 if unknown."""
        return self._driver.device.calibration

    @property
    def packets(self) -> int:
        """Good ones so far."""
        return self._driver.health().frames

    @property
    def hindering(self) -> dict[str, Spoiling]:
        """Faults that stand under which no spin can be judged, by code."""
        return hindering(self._driver.device.faults)

    @property
    def passing(self) -> dict[str, Spoiling]:
        """Others that stand and make places wrong, by code."""
        return passing(self._driver.device.faults)

    def link_up(self, at: Instant, identity: str) -> None:
        """The port is open."""
        self._driver.link_up(at)

    def link_bytes(self, data: bytes, at: Instant) -> None:
        """Bytes as they came."""
        self._driver.receive(data, at)

    def link_lost(self, reason: str, at: Instant) -> None:
        """The port is gone."""
        self._driver.link_lost(reason, at)


class Taught(NamedTuple):
    """What spins taught, for the file and for who spun."""

    known: Calibration
    found: Found
    zero: Index


def learn(recorder: SpinRecorder, named: dict[int, int]) -> Taught:
    """What the spins so far teach, and the segments `named` (from 0) after some of them (from 0).

    Raises CannotCalibrateError, of which TooLittleSeenError ends with more spins.
    """
    options, spins = recorder.options, list(recorder.spins)
    if recorder.serial is None:
        raise CannotCalibrateError("the device never said who it is")
    if recorder.passing:
        raise TooLittleSeenError(f"faults stand: {in_words(recorder.passing.values())}", 1)
    found = calibrate(spins, options.counts, options.segments)
    rests = [(spins[at].positions[-1][1], spins[at].zero, place) for at, place in named.items()]
    seen = [Named(position, zero, place) for position, zero, place in rests if zero is not None]
    if not named:
        raise UnreadSegmentError("of no spin is it known which segment was at the pointer")
    if not seen:
        raise UnreadSegmentError("where the index comes was not seen of the spin whose segment was named")
    index = index_of(found, options.counts, options.segments, seen)
    known = calibration(
        found, recorder.serial, options.counts, options.segments, index.at, recorder.device_calibration
    )
    # what the driver would refuse is refused before it is written
    FortuneWheelOptions(segments=options.segments, counts=options.counts, calibration=known)
    return Taught(known, found, index)


def _from_file(recorder: SpinRecorder, places: list[int]) -> Taught:
    """All that a recording teaches. The places are those after its last spins."""
    spins = len(recorder.spins)
    for at, spin in enumerate(recorder.spins, 1):
        print(f"spin {at}: {_told(spin, recorder.options.counts)}", flush=True)
    try:
        if len(places) > spins:
            raise TooLittleSeenError(f"{spins} spins were seen, and {len(places)} segments were named")
        if spins and not recorder.stands:
            raise TooLittleSeenError("the wheel turns at the end, or its index was never seen", 1)
        if spins and not places:
            place = ask_segment("which segment is at the pointer now", recorder.options.segments)
            places = [] if place is None else [place]
        return learn(recorder, dict(zip(range(spins - len(places), spins), places, strict=True)))
    except TooLittleSeenError as error:
        remedy = f"record it anew, with {_more(error.more)} or so"
        raise DeviceUnavailableError(f"cannot calibrate: {error}\n  remedy: {remedy}") from error
    except ValueError as error:
        raise DeviceUnavailableError(f"cannot calibrate: {error}") from error


class Dialogue:
    """With who spins the wheel: until the spins teach enough."""

    def __init__(self, recorder: SpinRecorder, wanted: int, places: list[int]) -> None:
        """`places` are those after the last of the spins that are wanted; without any, they are asked."""
        self.taught: Taught
        self._recorder = recorder
        self._wanted, self._most = wanted, wanted + AT_MOST
        self._asks = not places
        self._named = dict(zip(range(wanted - len(places), wanted), places, strict=True))
        self._seen = 0
        self._begun = False

    async def step(self) -> bool:
        """Whether it was enough."""
        if not self._begun:
            self._begun = True
            print(
                f"spin the wheel {self._wanted} times clockwise as the players see it, each with one push, "
                "and let it come to rest",
                flush=True,
            )
        seen = len(self._recorder.spins)
        if seen == self._seen:
            return False
        self._seen = seen
        self._tell()
        if self._asks and (seen <= ASKED or seen >= self._wanted):
            place = await asyncio.to_thread(
                ask_segment,
                f"which segment is at the pointer after spin {seen}",
                self._recorder.options.segments,
            )
            if place is not None:
                self._named[seen - 1] = place
        return seen >= self._wanted and await self._enough()

    def _tell(self) -> None:
        """The spin that is over, and whether all came the wrong way."""
        spins, counts = self._recorder.spins, self._recorder.options.counts
        print(f"{len(spins)} of {self._wanted}: {_told(spins[-1], counts)}", flush=True)
        against = sum(anticlockwise(spin, counts) for spin in spins)
        if against > 1 and 2 * against > len(spins):
            raise DeviceUnavailableError(f"cannot calibrate: {AnticlockwiseError(against, len(spins))}")

    async def _enough(self) -> bool:
        try:
            self.taught = await asyncio.to_thread(learn, self._recorder, dict(self._named))
        except TooLittleSeenError as error:
            self._go_on(error)
            return False
        except ValueError as error:
            raise DeviceUnavailableError(f"cannot calibrate: {error}") from error
        if self._asks and not self.taught.zero.sense_shown and self._seen < self._most:
            self._more("no two segments were named that show the encoder's sense", 1)
            return False
        return True

    def _go_on(self, error: TooLittleSeenError) -> None:
        """Ask for more spins, if they are of use."""
        if self._seen + error.more > self._most:
            raise DeviceUnavailableError(
                f"cannot calibrate: {error}, after {self._seen} spins\n  remedy: see whether wheel and "
                f"sensors are as they should be; or `--spins {self._seen + AT_MOST}`"
            ) from error
        if not self._asks and isinstance(error, UnreadSegmentError):
            remedy = "without --segment, at a terminal, one spin more is asked for"
            raise DeviceUnavailableError(f"cannot calibrate: {error}\n  remedy: {remedy}") from error
        self._more(str(error), error.more)

    def _more(self, why: str, spins: int) -> None:
        self._wanted = self._seen + spins
        print(f"{why}: {_more(spins)}, please", flush=True)


def ask_segment(question: str, segments: int) -> int | None:
    """A place, from 0; None for a pointer that is on a peg."""
    asked = f'{question} (1 to {segments}; "peg" on a peg)? '
    return ask(asked, lambda said: None if said.strip() == "peg" else segment(said, segments))


def segment(said: str, segments: int) -> int:
    """The place of a segment, from 0, by its number from 1. Raises UsageError."""
    word = said.strip()
    number = int(word) if word.isascii() and word.isdecimal() else 0
    if not 1 <= number <= segments:
        raise UsageError(f"the wheel has the segments 1 to {segments}, not {said}")
    return number - 1


def _told(spin: FreeSpin, counts: int) -> str:
    seconds = (spin.positions[-1][0] - spin.positions[0][0]) / 1e6
    turns = (spin.positions[-1][1] - spin.positions[0][1]) / counts
    sense = " anticlockwise by the encoder" if anticlockwise(spin, counts) else ""
    return f"{abs(turns):.1f} turns{sense} in {seconds:.1f} s{f', {spin.flaw}' if spin.flaw else ''}"


def _more(spins: int) -> str:
    return "one more spin" if spins == 1 else f"{spins} more spins"
