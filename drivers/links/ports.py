"""Ports: which device a port leads to, who holds it, and what its errors mean at the table.

A port is the path of a serial device or pseudo-terminal, or `socket://HOST:PORT` for a serial-to-TCP
server. The errors:

    PortError                   the port cannot be opened now; its text says why and what to check
    ├── BadPortError            it never can: not a port (configuration)
    └── PortBusyError           another program, or another table of this one, holds it
"""

import errno
import grp
import os
import socket
import stat
import termios
from pathlib import Path
from urllib.parse import urlsplit

PROC = Path("/proc")

Fingerprint = tuple[int, ...]
"""Tells one appearance of a device from the next: changes when its node is made anew."""


class PortError(Exception):
    """The port cannot be opened now. The text is for the technician: what is wrong, what to check."""

    def __init__(self, port: str, problem: str) -> None:
        super().__init__(f"{port}: {problem}")
        self.port = port
        self.problem = problem


class BadPortError(PortError):
    """What the configuration names is not a port that a link can open."""


class PortBusyError(PortError):
    """Somebody else holds the port. `holder` says who (`pid 123 (program …)`), None if it is hidden."""

    def __init__(self, port: str, holder: str | None) -> None:
        who = holder or "another program (run `fuser -v` as root to see which)"
        super().__init__(port, f"in use by {who}; stop that program, or give this device a port of its own")
        self.holder = holder


def socket_address(port: str) -> tuple[str, int] | None:
    """Host and port number of a `socket://` port, None for a device path. Raises BadPortError.

    Of pyserial's other URLs, `rfc2217://` is refused because it writes to set the line up, and whatever
    reaches a wheel can change how it plays; `hwgrep://` because it takes the first of several equal
    adapters; the rest are for debugging.
    """
    scheme, separator, _ = port.partition("://")
    if not separator:
        if not port or "\0" in port:
            raise BadPortError(port, "expected a device path or socket://HOST:PORT")
        return None
    if scheme == "rfc2217":
        raise BadPortError(port, "mesad only listens: set the line on the serial server, then use socket://")
    if scheme != "socket":
        raise BadPortError(
            port, "expected a device path, such as /dev/serial/by-path/…, or socket://HOST:PORT"
        )
    try:
        parts = urlsplit(port)
        host, number = parts.hostname, parts.port
    except ValueError as error:
        raise BadPortError(port, f"expected socket://HOST:PORT ({error})") from error
    if host and not _encodable(host):
        raise BadPortError(port, "its host is not a name that a network can have")
    extras = parts.path or parts.query or parts.fragment or parts.username is not None
    if not host or not number or extras:
        raise BadPortError(port, "expected socket://HOST:PORT and nothing else")
    return host, number


def _encodable(host: str) -> bool:
    """Whether a look-up can be asked for a host at all: no label empty or longer than 63."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


def resolve(port: str) -> str:
    """What the port leads to, the same for every path to one device.

    `/dev/ttyUSB0 (188:0)` for a device, `HOST:PORT` for a socket. Raises OSError while the device is
    not there, BadPortError for what is not a port.
    """
    address = socket_address(port)
    if address is not None:
        host, number = address
        return f"[{host}]:{number}" if ":" in host else f"{host}:{number}"
    return _name(port, Path(port).stat().st_rdev)


def resolve_open(port: str, fd: int) -> str:
    """`resolve` for a device that is open as `fd`: what was opened, wherever the path leads by now."""
    return _name(port, os.fstat(fd).st_rdev)


def _name(path: str, device: int) -> str:
    return f"{os.path.realpath(path)} ({os.major(device)}:{os.minor(device)})"


def fingerprint(port: str) -> Fingerprint | None:
    """None while a device's path is missing; otherwise changes when there is a new reason to try it.

    That is a new node at the path, or new permissions on it. Empty for a socket, which has neither.
    """
    if socket_address(port) is not None:
        return ()
    try:
        found = Path(port).stat()
    except OSError:
        return None
    node = (found.st_dev, found.st_ino, found.st_rdev, found.st_ctime_ns)
    return (*node, found.st_mode, found.st_uid, found.st_gid)


# --- who holds it ------------------------------------------------------------------------------


def holder(port: str) -> str | None:
    """Who holds the device that this path leads to: `pid 123 (program …)`; None if nobody visible does.

    First whoever has it locked, then whoever has it open (other users' programs are visible to root
    only). Reads all of /proc in the second case: not for the event loop.
    """
    if socket_address(port) is not None:
        return None
    try:
        device = Path(port).stat()
    except OSError:
        return None
    pid = _locked_by(device)
    if pid is None:
        pid = _open_by(device)
    return None if pid is None else _program(pid)


def _locked_by(device: os.stat_result) -> int | None:
    """The process with a flock on this inode, from lines as `1: FLOCK ADVISORY WRITE 123 00:06:45 0 EOF`."""
    inode = f"{os.major(device.st_dev):02x}:{os.minor(device.st_dev):02x}:{device.st_ino}"
    for line in _read(PROC / "locks").splitlines():
        fields = line.split()
        if len(fields) >= 6 and fields[1] == "FLOCK" and fields[5] == inode:
            pid = int(fields[4])
            return pid if pid > 0 else None  # 0 or less: a process outside this container
    return None


def _open_by(device: os.stat_result) -> int | None:
    """A process other than this one that has the device open."""
    if not stat.S_ISCHR(device.st_mode):
        return None
    for process in PROC.iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            links = list((process / "fd").iterdir())
        except OSError:
            continue  # it has ended, or is another user's
        if any(_leads_to(link, device.st_rdev) for link in links):
            return int(process.name)
    return None


def _leads_to(link: Path, device: int) -> bool:
    try:
        found = link.stat()
    except OSError:
        return False  # closed since it was listed
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == device


def _program(pid: int) -> str:
    words = _read(PROC / str(pid) / "cmdline").replace("\0", " ").strip()[:120]
    command = "".join(letter if letter.isprintable() else "?" for letter in words)
    return f"pid {pid} ({command})" if command else f"pid {pid}"


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


# --- what its errors mean ----------------------------------------------------------------------

_UNPLUGGED = "the device went away: check its cable, the USB adapter and its power"
_BROKEN = "the serial server closed the connection: check its power and how many clients it allows"
_NETWORK = "check the network cable, the serial server's power, and the address"

_MEANING = {
    errno.ENOENT: "no such device: check that the adapter is plugged in, and its cable and power",
    errno.EIO: _UNPLUGGED,
    errno.ENXIO: _UNPLUGGED,
    errno.ENODEV: _UNPLUGGED,
    errno.EBADF: _UNPLUGGED,
    errno.ENOTTY: "not a serial device: check the path",
    errno.EISDIR: "not a serial device: check the path",
    errno.ECONNREFUSED: "the serial server refuses: check its port number, and whether another client has it",
    errno.ECONNRESET: _BROKEN,
    errno.EPIPE: _BROKEN,
    errno.ETIMEDOUT: f"the serial server does not answer: {_NETWORK}",
    errno.EHOSTUNREACH: f"the serial server cannot be reached: {_NETWORK}",
    errno.ENETUNREACH: f"the serial server cannot be reached: {_NETWORK}",
    errno.ELOOP: "its symbolic links lead round in a circle: check where the path leads",
    errno.ENAMETOOLONG: "the path is longer than any path can be: check it",
    errno.ENOTDIR: "a part of the path is no directory: check the path",
    errno.EMFILE: "too many open files: raise the service's LimitNOFILE",
}


def code_of(error: BaseException) -> int | None:
    """The errno behind an error of opening or reading, pyserial's included; None if there is none."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno is not None:
            return seen.errno
        if isinstance(seen, termios.error) and seen.args and isinstance(seen.args[0], int):
            return seen.args[0]  # pyserial drops the number of these
        seen = seen.__cause__ or seen.__context__
    return None


def meaning(error: OSError, port: str) -> str:
    """An error of opening or reading `port` in the technician's words, with what to check."""
    if isinstance(error, TimeoutError):
        return _MEANING[errno.ETIMEDOUT]
    if isinstance(error, socket.gaierror):
        return (
            f"no address is known for the serial server's name ({error.strerror}): check the name and the "
            "name server, or give its address in numbers"
        )
    code = code_of(error)
    if code in (errno.EACCES, errno.EPERM):
        return _permission(port)
    known = _MEANING.get(code) if code is not None else None
    if code is None or known is None:
        return str(error) or type(error).__name__
    return f"{known} ({errno.errorcode[code]})"


def ended(port: str) -> str:
    """The meaning of a read that gives nothing: whoever was at the other end is gone."""
    return _UNPLUGGED if socket_address(port) is None else _BROKEN


def _permission(port: str) -> str:
    try:
        device = Path(port).stat()
        group = grp.getgrgid(device.st_gid).gr_name
    except (OSError, KeyError):
        return "no permission: add the daemon's user to the device's group (usermod -a -G dialout USER)"
    if device.st_mode & 0o060 != 0o060:
        mode = stat.filemode(device.st_mode)
        return f"no permission: its mode is {mode}; install the udev rule 60-mesad.rules"
    return (
        f"no permission: add the daemon's user to the group {group} (usermod -a -G {group} USER), restart it"
    )
