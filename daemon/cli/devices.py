"""`mesad devices`: the serial ports of this machine, who holds them, and the drivers there are."""

import argparse
import sys
from pathlib import Path

import msgspec
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from daemon.errors import OK
from drivers import registry
from drivers.driver import DriverInfo
from drivers.links import ports

BY_PATH = Path("/dev/serial/by-path")


class Port(msgspec.Struct, frozen=True, kw_only=True):
    """A serial port as the system knows it."""

    port: str
    """The name to configure: the one that stays with the socket it is plugged into, where there is one."""
    device: str
    description: str | None
    vendor: str | None
    product: str | None
    serial: str | None
    held_by: str | None
    drivers: tuple[str, ...]
    """Those that would take it. Serial devices do not say what they are, so all that use a serial line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--json", action="store_true", help="the ports as JSON, one a line")


def main(args: argparse.Namespace) -> int:
    """Print the ports, then the drivers."""
    drivers, broken = _drivers()
    found = _ports(drivers)
    if args.json:
        sys.stdout.writelines(f"{msgspec.json.encode(port).decode()}\n" for port in found)
        return OK
    if not found:
        print(
            "no serial port: is the adapter plugged in? A serial-to-TCP server is given as socket://HOST:PORT"
        )
    for port in found:
        print("\n".join(_lines(port)))
    print("drivers")
    for info in drivers:
        print(f"  {info.name}: {info.summary} (role {', '.join(sorted(info.roles))})")
    for problem in broken:
        print(f"  {problem}")
    return OK


def _drivers() -> tuple[list[DriverInfo], list[str]]:
    """The drivers that there are, and what is wrong with those that cannot be had."""
    found, broken = [], []
    for name in registry.names():
        try:
            found.append(registry.find(name))
        except registry.DriverError as error:
            broken.append(str(error))
    return found, broken


def _ports(drivers: list[DriverInfo]) -> list[Port]:
    takers = tuple(info.name for info in drivers if info.serial is not None)
    names = _names_by_path()
    return [
        _port(port, names, takers) for port in sorted(list_ports.comports(), key=lambda port: port.device)
    ]


def _port(port: ListPortInfo, names: dict[Path, str], takers: tuple[str, ...]) -> Port:
    return Port(
        port=names.get(Path(port.device).resolve(), port.device),
        device=port.device,
        description=None if port.description in (None, "n/a") else port.description,
        vendor=None if port.vid is None else f"{port.vid:04x}",
        product=None if port.pid is None else f"{port.pid:04x}",
        serial=port.serial_number,
        held_by=ports.holder(port.device),
        drivers=takers,
    )


def _names_by_path() -> dict[Path, str]:
    """The names under by-path by the device that each leads to; the shortest where there are several."""
    links = sorted(BY_PATH.iterdir(), key=lambda link: -len(link.name)) if BY_PATH.is_dir() else []
    return {link.resolve(): str(link) for link in links}


def _lines(port: Port) -> list[str]:
    usb = f"{port.vendor}:{port.product}" if port.vendor else ""
    serial = f"serial number {port.serial}" if port.serial else ""
    facts = ", ".join(fact for fact in (port.device, port.description, usb, serial) if fact)
    return [
        port.port,
        f"  {facts}",
        f"  in use by {port.held_by}" if port.held_by else "  free, as far as this user can see",
        f"  would be taken by: {', '.join(port.drivers) or 'no driver'}",
    ]
