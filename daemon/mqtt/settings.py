"""Where the broker is and how it is entered: the `[mqtt]` section of a table file.

Apart from the client itself so that checking a configuration does not load the MQTT library.
"""

import socket
import ssl
import stat
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

import msgspec

PORT = 1883
TLS_PORT = 8883
CONNECT_TIMEOUT = 3.0
"""Seconds for the TCP connection, and again for the TLS handshake."""
PASSWORD_LIMIT = 65_535
"""Bytes that a CONNECT packet can carry as the password."""


class MqttSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The broker and the credentials. Raises ValueError where the parts do not go together."""

    url: str = f"mqtt://127.0.0.1:{PORT}"
    """`mqtt://host[:port]` or `mqtts://host[:port]`; never with a name or a password in it."""
    protocol: Literal["auto", "5", "3.1.1"] = "auto"
    """"auto" speaks MQTT 5 and falls back to 3.1.1 where the broker does not know it."""
    username: str | None = None
    password_file: str | None = None
    """Read at each connect, so that a changed password needs no restart."""
    ca: str | None = None
    """PEM file of the authorities that are trusted; the system's own where absent."""
    cert: str | None = None
    key: str | None = None
    keepalive: Annotated[int, msgspec.Meta(ge=2, le=3600)] = 10
    """Seconds: the broker gives the table up, and publishes its will, after one and a half of them."""
    client_id: str = ""
    """Empty: `mesad-{site}-{table}`. It must stay the same, so that a dead connection is taken over."""

    def __post_init__(self) -> None:
        parts = self._parts()
        if parts.scheme not in ("mqtt", "mqtts"):
            raise ValueError("url must begin with mqtt:// or mqtts://")
        if parts.username is not None or parts.password is not None:
            raise ValueError("url must hold no name or password: use username and password_file")
        if not parts.hostname:
            raise ValueError("url names no host")
        if parts.path not in ("", "/") or parts.query or parts.fragment:
            raise ValueError("url must end after the port")
        if parts.port == 0:
            raise ValueError("url has port 0")
        if not self.tls and (self.ca or self.cert or self.key):
            raise ValueError("ca, cert and key are for mqtts:// only")
        if bool(self.cert) != bool(self.key):
            raise ValueError("cert and key go together")
        if self.password_file and not self.username:
            raise ValueError("password_file needs a username")

    def _parts(self) -> SplitResult:
        parts = urlsplit(self.url)
        try:
            _ = parts.port
        except ValueError:
            raise ValueError("url has a port that is not one (1 to 65535)") from None
        return parts

    @property
    def tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self._parts().scheme == "mqtts"

    @property
    def host(self) -> str:
        """The broker's name or address."""
        return self._parts().hostname or ""

    @property
    def port(self) -> int:
        """The broker's port: 1883, or 8883 with TLS, where the URL has none."""
        return self._parts().port or (TLS_PORT if self.tls else PORT)


def read_password(path: str | Path) -> str:
    """The password in a file, less one line end. Raises ValueError, which never quotes the content."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(PASSWORD_LIMIT + 3)
    except OSError as error:
        raise ValueError(f"password_file {path} cannot be read: {error.strerror}") from None
    password = content.removesuffix(b"\n").removesuffix(b"\r")
    if not password:
        raise ValueError(f"password_file {path} is empty")
    if len(password) > PASSWORD_LIMIT:
        raise ValueError(f"password_file {path} is longer than {PASSWORD_LIMIT} bytes")
    try:
        return password.decode()
    except UnicodeDecodeError:
        raise ValueError(f"password_file {path} is not UTF-8") from None


def exposure(path: str | Path) -> str | None:
    """Who but its owner can read the file ("its group", "everybody"); None where nobody or no file."""
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return None
    if mode & stat.S_IROTH:
        return "everybody"
    return "its group" if mode & stat.S_IRGRP else None


class _Socket(ssl.SSLSocket):
    """Closes itself when the handshake fails, which nobody else would."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


def tls_context(settings: MqttSettings) -> ssl.SSLContext:
    """What the settings say of certificates, read from the files anew. Raises ValueError naming the file."""
    try:
        context = ssl.create_default_context(cafile=settings.ca)
    except OSError as error:
        raise ValueError(f"ca {settings.ca}: {error.strerror or error}") from error
    try:
        if settings.cert and settings.key:
            context.load_cert_chain(settings.cert, settings.key)
    except OSError as error:
        raise ValueError(f"cert {settings.cert}, key {settings.key}: {error.strerror or error}") from error
    context.sslsocket_class = _Socket
    return context


def in_words(error: Exception, settings: MqttSettings) -> str:
    """Why no connection came about, for a technician."""
    place = f"{settings.host}:{settings.port}"
    if isinstance(error, ssl.SSLCertVerificationError):
        trusted = settings.ca or "the system's authorities"
        return f"the certificate of {place} is not trusted ({error.verify_message}) by {trusted}"
    if isinstance(error, ssl.SSLError):
        return f"TLS with {place} fails: {error.reason or error}"
    if isinstance(error, socket.gaierror):
        return f"the name {settings.host} is unknown: {error.strerror}"
    if isinstance(error, ConnectionRefusedError):
        return f"nothing listens at {place}"
    if isinstance(error, TimeoutError):
        return f"{place} does not answer within {CONNECT_TIMEOUT:g} s"
    if isinstance(error, OSError):
        return f"{place} is not reached: {error.strerror or error}"
    return str(error)
