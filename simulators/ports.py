"""Where a simulated device can be plugged in: a pseudo-terminal or a TCP port.

Both behave like the wire of a UART: writing never blocks and never waits for a reader; what nobody
takes is lost. Both can be unplugged and plugged in again under the same path.
"""

import contextlib
import os
import select
import shutil
import socket
import tempfile
import tty
from pathlib import Path
from typing import Protocol


class Port(Protocol):
    """One end of a wire. All of it is immediate: no call waits."""

    path: str
    """What a reader opens; it stays the same over all plugging."""

    def write(self, data: bytes) -> int:
        """Send; gives how many of the bytes were taken. The others are lost."""
        ...

    def heard(self) -> bytes:
        """What the other end has sent since the last call; empty for a reader that only listens."""
        ...

    def listened(self) -> bool:
        """Whether somebody has the port open."""
        ...

    def unplug(self) -> None:
        """The cable is pulled: readers see the end, the path leads nowhere."""
        ...

    def replug(self) -> None:
        """The cable is back. Raises OSError if the port cannot be had again."""
        ...

    def close(self) -> None:
        """Give everything back. May be called again."""
        ...


class PseudoTerminal:
    """A serial port in raw mode. `path` is a symbolic link to the terminal that is plugged in now.

    `link` is where the link shall be; a directory of its own under the temporary one by default. Raises
    FileExistsError if there is something else than a link already, OSError without a free terminal.
    """

    def __init__(self, link: Path | None = None) -> None:
        self._own: Path | None = None
        if link is None:
            self._own = Path(tempfile.mkdtemp(prefix="mesad-"))
            link = self._own / "tty"
        elif link.exists() and not link.is_symlink():
            raise FileExistsError(f"{link} exists and is not a link to a terminal")
        self._link = link
        self.path = str(link)
        self._master = -1
        self._poll = select.poll()
        try:
            self.replug()
        except OSError:
            self.close()
            raise

    def write(self, data: bytes) -> int:
        """Send; nothing is kept for a reader that comes later."""
        if not self.listened():
            return 0
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0

    def heard(self) -> bytes:
        """What the reader has sent."""
        if self._master < 0:
            return b""
        try:
            return os.read(self._master, 65_536)
        except OSError:  # nothing to read, or nobody on the other side: EAGAIN and EIO
            return b""

    def listened(self) -> bool:
        """Whether somebody has the terminal open: the kernel reports a hang-up otherwise."""
        return self._master >= 0 and not any(event & select.POLLHUP for _, event in self._poll.poll(0))

    def unplug(self) -> None:
        """Readers read the end or EIO, and the path is gone."""
        if self._master >= 0:
            self._poll.unregister(self._master)
            os.close(self._master)
            self._master = -1
            self._link.unlink(missing_ok=True)

    def replug(self) -> None:
        """Another terminal under the same path."""
        if self._master >= 0:
            return
        master, slave = os.openpty()
        try:
            tty.setraw(slave)  # keeps for as long as the master is open
            fresh = self._link.with_name(f"{self._link.name}.{os.getpid()}")
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(os.ttyname(slave))
            fresh.replace(self._link)
        except OSError:
            os.close(master)
            raise
        finally:
            os.close(slave)
        os.set_blocking(master, False)
        self._poll.register(master, 0)
        self._master = master

    def close(self) -> None:
        """The terminal, its link and the link's directory are gone."""
        self.unplug()
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)


class TcpServer:
    """A serial-to-TCP server on `host`; port 0 takes a free one. All clients hear the same bytes.

    `path` is a `socket://` URL. Raises OSError if the port is taken.
    """

    def __init__(self, port: int = 0, host: str = "127.0.0.1") -> None:
        self._host = host
        self._port = port
        self._server: socket.socket | None = None
        self._clients: list[socket.socket] = []
        self._heard = bytearray()
        self.replug()
        self.path = f"socket://{host}:{self._port}"

    def write(self, data: bytes) -> int:
        """Send to every client; gives the least that one of them took, 0 without clients."""
        self._look()
        taken = [self._send(client, data) for client in self._clients.copy()]
        return min(taken, default=0)

    def heard(self) -> bytes:
        """What all clients have sent."""
        self._look()
        data = bytes(self._heard)
        self._heard.clear()
        return data

    def listened(self) -> bool:
        """Whether a client is connected."""
        self._look()
        return bool(self._clients)

    def unplug(self) -> None:
        """All connections end, and none is taken."""
        for client in self._clients:
            client.close()
        self._clients.clear()
        if self._server is not None:
            self._server.close()
            self._server = None

    def replug(self) -> None:
        """Listen again on the same port."""
        if self._server is not None:
            return
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((self._host, self._port))
            server.listen()
            server.setblocking(False)
        except OSError:
            server.close()
            raise
        self._port = server.getsockname()[1]
        self._server = server

    def close(self) -> None:
        """The port is free."""
        self.unplug()

    def _look(self) -> None:
        """Take new clients, hear the old ones, forget those that went."""
        if self._server is not None:
            with contextlib.suppress(BlockingIOError, ConnectionError):
                while True:
                    client, _ = self._server.accept()
                    client.setblocking(False)
                    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self._clients.append(client)
        for client in self._clients.copy():
            try:
                data = client.recv(65_536)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if data:
                self._heard += data[: 65_536 - len(self._heard)]
            else:
                self._forget(client)

    def _send(self, client: socket.socket, data: bytes) -> int:
        try:
            return client.send(data)
        except BlockingIOError:
            return 0
        except OSError:  # it went away just now
            self._forget(client)
            return 0

    def _forget(self, client: socket.socket) -> None:
        client.close()
        self._clients.remove(client)
