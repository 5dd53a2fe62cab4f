"""`mesad calibrate` of a roulette or boule: where its pocket sensor meets pocket 0, from balls at rest."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from daemon.cli.listening import ask, in_words, listen, read, write
from daemon.config import DeviceConfig
from daemon.errors import OK, DeviceUnavailableError, UsageError
from drivers.bare_wheel.calibrated import as_toml, calibration, found
from drivers.bare_wheel.lays import SIGHTS, Lay, Lays
from drivers.bare_wheel.options import BareWheelOptions
from drivers.tracking.calibration import CannotCalibrateError

POCKETS = 3
"""Balls that are waited for where the pockets are asked: two show the sense, the third a wrong answer."""


def run(args: argparse.Namespace, device: DeviceConfig, layout: tuple[str, ...]) -> int:
    """Hear where the ball lies, ask or be told the pockets, learn, say what was found, write it."""
    options: BareWheelOptions = device.options
    places = Places(layout)
    for option, said in (("--segment", args.segment), ("--spins", args.spins)):
        if said is not None:
            raise UsageError(f"{option} is for a fortune wheel: --pocket names this wheel's {places.kind}")
    if len(layout) != options.pockets:
        raise UsageError(f"the game has {len(layout)} pockets, the device's options say {options.pockets}")
    named = [places.of(said) for said in args.pocket or ()]
    if not named and (args.source is not None or not sys.stdin.isatty()):
        raise UsageError(f"--pocket must say in which {places.kind} the ball lies, once for each time")
    lays = Lays(options)
    if args.source is not None:
        read(args.table, device, args.source, lays)
        taught = lays.lays
    else:
        dialogue = _Dialogue(lays, named, places)
        asyncio.run(listen(args.table, device, lays, dialogue.step))
        taught, named = dialogue.used, dialogue.named
    try:
        text = _learnt(lays, taught, named, places, options)
    except (CannotCalibrateError, ValueError) as error:
        raise DeviceUnavailableError(f"cannot calibrate: {error}") from error
    write(device.files["calibration"], text)
    return OK


class Places:
    """What a wheel's places are called: by their pockets, at a boule by their holes, counted from 1."""

    def __init__(self, layout: tuple[str, ...]) -> None:
        pockets = len(set(layout)) == len(layout)
        self.kind = "pocket" if pockets else "hole"
        self._numbers = layout if pockets else tuple(str(place) for place in range(1, len(layout) + 1))
        lowest, highest = min(self._numbers, key=int), max(self._numbers, key=int)
        self.range = f"{lowest} to {highest}" + ("" if pockets else ", in the layout's order")
        self.names = [f"{self.kind} {number}" for number in self._numbers]
        """Of each place, from 0."""

    def of(self, said: str) -> int:
        """The place, from 0. Raises UsageError."""
        number = said.strip()
        if number not in self._numbers:
            raise UsageError(f"this wheel has no {self.kind} {said!r}; it has {self.range}")
        return self._numbers.index(number)


def _learnt(
    lays: Lays, taught: Sequence[Lay], named: Sequence[int], places: Places, options: BareWheelOptions
) -> str:
    """The calibration file. Raises CannotCalibrateError."""
    for number, lay in enumerate(taught, 1):
        print(f"ball {number}: {len(lay.angles)} sights over {lay.turns:.1f} turns")
    if lays.serial is None:
        raise CannotCalibrateError("the device never said who it is")
    if lays.faults:
        raise CannotCalibrateError(f"faults came: {in_words(lays.faults.values())}")
    if len(taught) != len(named):
        raise CannotCalibrateError(
            f"{len(taught)} times a ball was seen at rest ({SIGHTS} sights over three turns each), "
            f"and {len(named)} {places.kind}s were named\n  remedy: name the {places.kind} with --pocket for "
            "each time, in their order; and turn the wheel four times and more each time"
        )
    what = found(taught, named, options, places.names)
    for place, off in zip(named, what.off, strict=True):
        print(f"{places.names[place]}: {off:+.2f} pockets off what was found of all")
    if len(set(named)) == 1:
        print(f"one {places.kind} does not show whether the encoder's sense is right: name two or more")
    return as_toml(calibration(what, taught, lays.serial, options, lays.device_calibration), what)


class _Dialogue:
    """With who lays the ball: which pocket comes next, or in which it lies."""

    def __init__(self, lays: Lays, named: list[int], places: Places) -> None:
        self.named = named
        self.used: list[Lay] = []
        """Those whose places are in `named`."""
        self._lays, self._places = lays, places
        self._asks = not named
        self._wanted = POCKETS if self._asks else len(named)
        self._seen: int | None = None
        """Balls seen, those that came while somebody was asked with them."""

    async def step(self) -> bool:
        """Whether the last ball was seen."""
        if self._seen is None:
            self._seen = len(self._lays.lays)
            self._say()
        if len(self._lays.lays) > self._seen:
            self.used.append(self._lays.lays[self._seen])
            print(f"{len(self.used)} of {self._wanted} seen", flush=True)
            if self._asks:
                places = self._places
                asked = f"in which {places.kind} does it lie ({places.range})? "
                self.named.append(await asyncio.to_thread(ask, asked, places.of))
                self._seen = len(self._lays.lays)
            else:
                self._seen += 1
            if len(self.used) < self._wanted:
                self._say()
        return len(self.used) >= self._wanted

    def _say(self) -> None:
        kind, used = self._places.kind, len(self.used)
        where = f"any {kind}" if self._asks else self._places.names[self.named[used]]
        other = "" if not used else ", another than before," if self._asks else ""
        print(f"lay the ball into {where}{other} and turn the wheel four times and more", flush=True)
