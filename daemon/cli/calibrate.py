"""`mesad calibrate TABLE.toml`: learn a wheel that has bare sensors, and write what was found.

A fortune wheel is learnt from free spins, a roulette or a boule from balls that lie in known pockets.
"""

import argparse
from pathlib import Path

from daemon.cli import calibrate_pockets, calibrate_spins
from daemon.cli.calibrate_spins import SPINS
from daemon.cli.listening import check_place, option_key
from daemon.config import DeviceConfig, TableConfig, load
from daemon.errors import ConfigurationError
from drivers.tracking.calibration import ENOUGH

FORTUNE_WHEEL, BALL = "fortune-wheel", "bare-wheel"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, how many spins, and what the device cannot know."""
    parser.add_argument("table", type=Path, metavar="TABLE.toml", help="the table whose wheel it is")
    parser.add_argument("--device", help="the wheel's id in the table file; not needed if there is one")
    parser.add_argument(
        "--spins",
        type=int,
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
        action="append",
        metavar="N",
        help="fortune wheel: the segment at the pointer after the last spin, from 1 on as in table.segments; "
        "given twice, those after the last two, which shows that neither was misread; asked at a terminal",
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
    check_place(device, "calibration")
    if device.driver.name == BALL:
        return calibrate_pockets.run(args, device, config.layout)
    return calibrate_spins.run(args, device)


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
        raise ConfigurationError(args.table, option_key(meant[0], "calibration"), "names no file", remedy)
    return meant[0]
