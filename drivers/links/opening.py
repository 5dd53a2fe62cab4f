"""Opening and closing of ports in a thread of their own: either may hang on a broken adapter or network."""

import asyncio
import errno
import socket
import termios
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import serial

from drivers.driver import SerialSettings
from drivers.links import ports
from drivers.links.ports import PortBusyError, PortError

T = TypeVar("T")

_KEEPALIVE = {
    socket.TCP_KEEPIDLE: 10,
    socket.TCP_KEEPINTVL: 5,
    socket.TCP_KEEPCNT: 3,
}
"""A server that lost its power says nothing: after 25 s of that the connection counts as gone."""


@dataclass(frozen=True)
class OpenPort:
    """A port open for reading without blocking; an empty read means that the other end is gone."""

    port: str
    fd: int
    identity: str
    close: Callable[[], None]
    """May take seconds; to be called once."""


def open_port(port: str, settings: SerialSettings, within: float) -> OpenPort:
    """Open the port, locked against everybody else where it is a device. Blocks; a connection, `within` s.

    Raises PortBusyError, or PortError for what else a device or a network can do.
    """
    address = ports.socket_address(port)
    try:
        return _connect(port, address, within) if address else _open_device(port, settings)
    except OSError as error:
        code = ports.code_of(error)
        if address is None and code in (errno.EWOULDBLOCK, errno.EBUSY):
            raise PortBusyError(port, ports.holder(port)) from error
        raise PortError(port, ports.meaning(error, port)) from error


def _open_device(port: str, settings: SerialSettings) -> OpenPort:
    """As pyserial opens it, with the lock first.

    pyserial then throws away what the kernel holds: it came under other line settings. It leaves DTR
    and RTS as the kernel sets them on opening, raised, and nothing here moves them afterwards.
    """
    device = serial.Serial(
        port,
        baudrate=settings.baudrate,
        bytesize=settings.bytesize,
        parity=settings.parity,
        stopbits=settings.stopbits,
        timeout=0,
        exclusive=True,
    )
    try:
        fd = device.fileno()
        _settle(fd)
        return OpenPort(port, fd, ports.resolve_open(port, fd), device.close)
    except BaseException:
        device.close()
        raise


def _settle(fd: int) -> None:
    """Terminal settings that pyserial leaves to chance or sets for its own way of reading."""
    try:
        mode = termios.tcgetattr(fd)
        mode[0] &= ~termios.BRKINT  # a pulled RS-232 plug is a break, which would throw away what is buffered
        mode[2] &= ~termios.HUPCL  # dropping DTR on closing resets some boards
        mode[6][termios.VMIN] = 1  # with pyserial's 0, "nothing there yet" reads as empty, like "gone"
        mode[6][termios.VTIME] = 0
        termios.tcsetattr(fd, termios.TCSANOW, mode)
    except termios.error as error:
        raise OSError(*error.args) from error


def _connect(port: str, address: tuple[str, int], within: float) -> OpenPort:
    """A plain socket: pyserial's own for `socket://` sleeps on closing, and drops what came first."""
    connection = socket.create_connection(address, timeout=within)
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEPALIVE.items():
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
        connection.setblocking(False)
        return OpenPort(port, connection.fileno(), ports.resolve(port), connection.close)
    except BaseException:
        connection.close()
        raise


def in_thread(
    call: Callable[[], T], name: str, discard: Callable[[T], None] | None = None
) -> asyncio.Future[T]:
    """Run `call` in a thread that nothing waits for at exit; its result or exception comes to the future.

    If the future is cancelled, or the loop closed, before that, a result goes to `discard` instead.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, error: Exception | None) -> None:
        if future.done():
            if error is None and discard is not None:
                discard(result)  # type: ignore[arg-type]  # a T whenever there is no error
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # the same

    def work() -> None:
        result: T | None = None
        failure: Exception | None = None
        try:
            result = call()
        except Exception as error:  # noqa: BLE001 - not swallowed: it is the future's
            failure = error
        try:
            loop.call_soon_threadsafe(deliver, result, failure)
        except RuntimeError:  # the loop is closed
            if failure is None and discard is not None:
                discard(result)  # type: ignore[arg-type]  # the same

    threading.Thread(target=work, name=name, daemon=True).start()
    return future


def begin(port: str, settings: SerialSettings, within: float) -> asyncio.Future[OpenPort]:
    """`open_port` in a thread; cancelling the future closes a port that opens after all."""
    return in_thread(
        lambda: open_port(port, settings, within),
        f"open {port}",
        lambda opened: opened.close(),
    )
