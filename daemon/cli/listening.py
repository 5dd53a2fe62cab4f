"""Hearing a device without the daemon, from its port or a file, for a command that learns and writes."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from daemon import option_files
from daemon.config import DeviceConfig
from daemon.errors import (
    AlreadyRunningError,
    CannotCreateError,
    ConfigurationError,
    DeviceUnavailableError,
    UsageError,
)
from drivers.driver import SerialSettings
from drivers.links.ports import PortBusyError
from drivers.links.serial import SerialLink
from drivers.readings import Instant
from drivers.sensor_fit import COUNTS
from drivers.sensor_spoilt import Spoiling

PATIENCE = 10.0
"""Seconds without a packet from a device that has a heartbeat."""
UNNAMED = 30.0
"""Seconds for which a device that speaks may not say who it is; it is due every 10 s."""
CHUNK = 256
"""Bytes of a file that are heard at once: few, so that a short fault is not over with them."""

Answer = TypeVar("Answer")
Step = Callable[[], Awaitable[bool]]
"""Called again and again while the device is heard; whether enough was heard."""


class Recorder(Protocol):
    """Keeps what a device says; told as a link's listener is."""

    @property
    def packets(self) -> int:
        """Good ones so far."""
        ...

    @property
    def serial(self) -> str | None:
        """The device's, once it has said it."""
        ...

    @property
    def hindering(self) -> Mapping[str, Spoiling]:
        """What is wrong with the device, by code, so that it can teach nothing."""
        ...

    def link_up(self, at: Instant, identity: str) -> None:
        """The port is open."""
        ...

    def link_bytes(self, data: bytes, at: Instant) -> None:
        """Bytes as they came."""
        ...

    def link_lost(self, reason: str, at: Instant) -> None:
        """The port is gone."""
        ...


def read(table: Path, device: DeviceConfig, source: Path, recorder: Recorder) -> None:
    """Bytes from a file. The device's own clock is in them; when they came does not matter.

    Raises UsageError for a file with no packet in it, and as `_check_fit` does.
    """
    start, size = Instant(0, 0), 0
    recorder.link_up(start, str(source))
    try:
        with source.open("rb") as file:
            while data := file.read(CHUNK):
                size += len(data)
                recorder.link_bytes(data, start)
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from error
    if not recorder.packets:
        raise UsageError(
            f"{source}: no packet of the sensor protocol was found in its {size} bytes: "
            "record what comes from the port (`cat PORT > FILE`)"
        )
    _check_fit(table, device, recorder)


async def listen(table: Path, device: DeviceConfig, recorder: Recorder, step: Step) -> None:
    """From the port until enough was heard; `step` is called once the device has said who it is."""
    settings = device.driver.serial(device.options) if device.driver.serial else SerialSettings(115_200)
    link = SerialLink(device.port, settings, recorder)
    running = asyncio.create_task(link.run(), name="link")
    try:
        await _until(running, table, device, recorder, step, link)
    finally:
        link.close()
        with contextlib.suppress(asyncio.CancelledError, PortBusyError):
            await running


async def _until(
    running: asyncio.Task[None],
    table: Path,
    device: DeviceConfig,
    recorder: Recorder,
    step: Step,
    link: SerialLink,
) -> None:
    loop = asyncio.get_running_loop()
    began = heard = loop.time()
    packets = recorder.packets
    while True:
        _check_fit(table, device, recorder)
        if recorder.serial is not None and await step():
            return
        await asyncio.sleep(0.1)
        if running.done():
            try:
                running.result()
            except PortBusyError as busy:
                raise AlreadyRunningError(f"port {link.port}", busy.holder or "another program") from busy
            raise DeviceUnavailableError(f"{link.port} was closed")
        if recorder.packets != packets:
            heard, packets = loop.time(), recorder.packets
            if recorder.serial is None and heard - began > UNNAMED:
                raise DeviceUnavailableError(f"{link.port}: the device never said who it is")
        elif loop.time() - heard > PATIENCE:
            raise DeviceUnavailableError(f"{link.port}: {link.reason or 'the device says nothing'}")


def _check_fit(table: Path, device: DeviceConfig, recorder: Recorder) -> None:
    """That the device is what the table file says and can be judged by.

    Raises ConfigurationError, DeviceUnavailableError.
    """
    if fault := recorder.hindering.get(COUNTS):
        raise ConfigurationError(table, option_key(device, "counts"), fault.text, fault.remedy)
    if recorder.hindering:
        raise DeviceUnavailableError(f"cannot calibrate: {in_words(recorder.hindering.values())}")


def option_key(device: DeviceConfig, option: str) -> str:
    """Where an option stands in the table file, among those of several devices."""
    return f"device {device.id}: options.{option}"


def in_words(faults: Iterable[Spoiling]) -> str:
    """What they are, and what to do."""
    return "\n  ".join(f"{fault.text}\n  remedy: {fault.remedy}" for fault in faults)


def ask(question: str, understand: Callable[[str], Answer]) -> Answer:
    """An answer from the terminal; asked again where `understand` raises UsageError."""
    while True:
        try:
            return understand(input(question))
        except UsageError as error:
            print(error, file=sys.stderr)
        except EOFError:
            raise UsageError("nobody answered: say it with the option (see --help)") from None


def check_place(device: DeviceConfig, name: str) -> None:
    """That the option's file can be written, told before anybody spins, and writes over its like only.

    Raises CannotCreateError.
    """
    file = device.files[name]
    if not os.access(file.parent, os.W_OK):
        raise CannotCreateError(f"cannot write {file}: no folder that this user may write to")
    if what := option_files.unlike(file, device.driver, name, device.options):
        raise CannotCreateError(f"{file} is not written over: {what}; name another in the device's options")


def write(file: Path, text: str) -> None:
    """Shown, and written whole or not at all."""
    print(text, end="")
    beside = file.with_name(file.name + ".new")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):  # the first error is the one that counts
            beside.unlink(missing_ok=True)
        raise CannotCreateError(f"cannot write {file}: {error.strerror}") from error
    print(f"written to {file}")
