"""`mesad calibrate` of a roulette or boule: where its pocket sensor meets pocket 0, from balls at rest."""

import argparse
import asyncio
import sys
from pathlib import Path

from daemon.cli.listening import ask, listen, read, write
from daemon.config import DeviceConfig
from daemon.errors import OK, DeviceUnavailableError, UsageError
from drivers.bare_wheel.calibrated import as_toml, calibration, found
from drivers.bare_wheel.lays import SIGHTS, Lays
from drivers.bare_wheel.options import BareWheelOptions
from drivers.tracking.calibration import CannotCalibrateError

POCKETS = 3
"""Balls that are waited for where the pockets are asked: two show the sense, the third a wrong answer."""


def run(args: argparse.Namespace, device: DeviceConfig, layout: tuple[str, ...]) -> int:
    """Hear where the ball lies, ask or be told the pockets, learn, say what was found, write it."""
    options: BareWheelOptions = device.options
    if len(layout) != options.pockets:
        raise UsageError(f"the game has {len(layout)} pockets, the device's options say {options.pockets}")
    places = [_place(said, layout) for said in args.pocket or ()]
    if not places and (args.source is not None or not sys.stdin.isatty()):
        raise UsageError("--pocket must say where the ball lies, once for each time")
    lays = Lays(options)
    if args.source is not None:
        read(args.source, lays)
    else:
        asyncio.run(listen(device, lays, _Dialogue(lays, places, layout).step))
    try:
        text = _learnt(lays, places, layout, options)
    except (CannotCalibrateError, ValueError) as error:
        raise DeviceUnavailableError(f"cannot calibrate: {error}") from error
    print(text, end="")
    file: Path = device.files["calibration"]
    write(file, text)
    print(f"written to {file}")
    return OK


def _learnt(lays: Lays, places: list[int], layout: tuple[str, ...], options: BareWheelOptions) -> str:
    """The calibration file. Raises CannotCalibrateError."""
    for number, lay in enumerate(lays.lays, 1):
        print(f"ball {number}: {len(lay.angles)} sights over {lay.turns:.1f} turns")
    if lays.serial is None:
        raise CannotCalibrateError("the device never said who it is")
    if lays.faults:
        raise CannotCalibrateError(f"faults came: {', '.join(sorted(lays.faults))}")
    if len(lays.lays) != len(places):
        raise CannotCalibrateError(
            f"{len(lays.lays)} times a ball was seen at rest ({SIGHTS} sights over three turns each), "
            f"and {len(places)} pockets were named"
        )
    what = found(lays.lays, places, options)
    for place, off in zip(places, what.off, strict=True):
        print(f"pocket {_name(place, layout)}: {off:+.2f} pockets off what was found of all")
    if len(set(places)) == 1:
        print("one pocket does not show whether the encoder's sense is right: name two or more")
    known = calibration(what, lays.lays, lays.serial, options, lays.device_calibration)
    return as_toml(known, what)


class _Dialogue:
    """With who lays the ball: which pocket comes next, or in which it lies."""

    def __init__(self, lays: Lays, places: list[int], layout: tuple[str, ...]) -> None:
        self._lays = lays
        self._places = places
        self._layout = layout
        self._asks = not places
        self._wanted = POCKETS if self._asks else len(places)
        self._seen = 0
        self._say()

    async def step(self) -> bool:
        """Whether the last ball was seen."""
        if len(self._lays.lays) > self._seen:
            self._seen += 1
            print(f"{self._seen} of {self._wanted} seen", flush=True)
            if self._asks:
                asked = "in which pocket does it lie? "
                self._places.append(await asyncio.to_thread(ask, asked, self._named))
            if self._seen < self._wanted:
                self._say()
        return self._seen >= self._wanted

    def _named(self, said: str) -> int:
        return _place(said, self._layout)

    def _say(self) -> None:
        pocket = "any pocket" if self._asks else f"pocket {_name(self._places[self._seen], self._layout)}"
        other = "" if not self._seen else ", another than before," if self._asks else ""
        print(f"lay the ball into {pocket}{other} and turn the wheel four times and more", flush=True)


def _name(place: int, layout: tuple[str, ...]) -> str:
    return layout[place] if len(set(layout)) == len(layout) else str(place + 1)


def _place(said: str, layout: tuple[str, ...]) -> int:
    """The place of a pocket, from 0: by its number, at a boule by its hole, counted from 1 in the layout."""
    names = [_name(place, layout) for place in range(len(layout))]
    if said.strip() not in names:
        raise UsageError(f"this wheel has no pocket {said!r}; a boule's holes are counted from 1 to 18")
    return names.index(said.strip())
