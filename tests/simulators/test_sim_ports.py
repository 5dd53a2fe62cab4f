"""Pseudo-terminal and TCP port: exact bytes, nothing blocks, unplugging is seen, paths stay."""

import errno
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from patience import PATIENCE, ends, wait_for

from simulators.ports import Port, PseudoTerminal, TcpServer

EVERY_BYTE = bytes(range(256))


class PtyReader:
    def __init__(self, path: str) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def read(self) -> bytes:
        """What there is; raises EOFError at the end, as hang-up is seen one way or the other."""
        try:
            data = os.read(self.fd, 65_536)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise (EOFError if error.errno == errno.EIO else error) from None
        if not data:
            raise EOFError
        return data

    def write(self, data: bytes) -> None:
        os.write(self.fd, data)

    def close(self) -> None:
        os.close(self.fd)


class TcpReader:
    def __init__(self, path: str) -> None:
        url = urlsplit(path)
        assert url.scheme == "socket"
        self.socket = socket.create_connection((url.hostname, url.port), timeout=PATIENCE)
        self.socket.setblocking(False)

    def read(self) -> bytes:
        try:
            data = self.socket.recv(65_536)
        except BlockingIOError:
            return b""
        except ConnectionResetError:
            raise EOFError from None
        if not data:
            raise EOFError
        return data

    def write(self, data: bytes) -> None:
        self.socket.send(data)

    def close(self) -> None:
        self.socket.close()


Reader = PtyReader | TcpReader


@pytest.fixture(params=["pty", "tcp"])
def port(request: pytest.FixtureRequest) -> Iterator[Port]:
    made: Port = PseudoTerminal() if request.param == "pty" else TcpServer()
    yield made
    made.close()


@pytest.fixture
def join(port: Port) -> Iterator[Callable[[], Reader]]:
    readers: list[Reader] = []

    def make() -> Reader:
        reader = (PtyReader if isinstance(port, PseudoTerminal) else TcpReader)(port.path)
        readers.append(reader)
        wait_for(port.listened)
        return reader

    yield make
    for reader in readers:
        reader.close()


def take(reader: Reader, count: int) -> bytes:
    data = bytearray()

    def enough() -> bool:
        data.extend(reader.read())
        return len(data) >= count

    wait_for(enough)
    return bytes(data)


def has_ended(reader: Reader) -> bool:
    try:
        reader.read()
    except EOFError:
        return True
    return False


def test_every_byte_arrives_as_it_was_sent(port: Port, join: Callable[[], Reader]) -> None:
    reader = join()
    for _ in range(20):
        assert port.write(EVERY_BYTE) == 256
        assert take(reader, 256) == EVERY_BYTE


def test_what_nobody_hears_is_lost(port: Port, join: Callable[[], Reader]) -> None:
    assert not port.listened()
    assert port.write(b"too early") == 0
    reader = join()
    port.write(b"in time")
    assert take(reader, 7) == b"in time"


def test_a_reader_that_sleeps_blocks_nothing(port: Port, join: Callable[[], Reader]) -> None:
    reader = join()
    taken: list[int] = []
    line = b"*X;2;001;31;0;146;1\r\n" * 50

    def write() -> None:
        while taken[-1:] != [0]:  # a short write is not the end: the kernel moves on what it took
            taken.append(port.write(line))
            assert len(taken) < 20_000, "the kernel's buffer ends somewhere"

    assert ends(write)
    assert len(take(reader, sum(taken))) == sum(taken)
    wait_for(lambda: port.write(b"again") == 5)


def test_unplugging_ends_reading_and_the_same_path_leads_to_the_new_port(
    port: Port, join: Callable[[], Reader]
) -> None:
    path = port.path
    for _ in range(5):
        reader = join()
        port.write(b"before")
        assert take(reader, 6) == b"before"
        port.unplug()
        wait_for(lambda reader=reader: has_ended(reader))  # type: ignore[misc]
        assert port.write(b"lost") == 0
        assert not port.listened()
        with pytest.raises(OSError, match=r"No such file|refused"):
            join()
        port.replug()
        assert port.path == path
        assert not port.listened(), "old readers are gone"
    reader = join()
    port.write(b"after")
    assert take(reader, 5) == b"after"


def test_what_the_reader_says_is_heard(port: Port, join: Callable[[], Reader]) -> None:
    reader = join()
    assert port.heard() == b""
    reader.write(b"*P\r\n")
    heard = bytearray()

    def all_heard() -> bool:
        heard.extend(port.heard())
        return len(heard) == 4

    wait_for(all_heard)
    assert heard == b"*P\r\n"
    assert port.heard() == b""


def test_a_reader_that_leaves_is_noticed(port: Port, join: Callable[[], Reader]) -> None:
    reader = join()
    if isinstance(reader, TcpReader):
        reader.socket.shutdown(socket.SHUT_RDWR)
        wait_for(lambda: not port.listened())
    else:
        second = PtyReader(port.path)
        assert port.listened()
        second.close()
        assert port.listened(), "the first reader is still there"


def test_plugging_and_closing_twice_does_nothing(port: Port, join: Callable[[], Reader]) -> None:
    reader = join()
    port.replug()
    assert port.listened(), "the reader was not thrown out"
    port.unplug()
    port.unplug()
    assert port.heard() == b""
    port.close()
    port.close()
    wait_for(lambda: has_ended(reader))


def test_a_terminal_does_not_echo(tmp_path: Path) -> None:
    terminal = PseudoTerminal(tmp_path / "wheel")
    reader = PtyReader(terminal.path)
    try:
        terminal.write(b"*X;2\r\n")
        assert take(reader, 6) == b"*X;2\r\n", "CR stays CR"
        assert terminal.heard() == b""
    finally:
        reader.close()
        terminal.close()


def test_the_link_is_where_it_was_asked_for_and_goes_with_the_terminal(tmp_path: Path) -> None:
    link = tmp_path / "ttyWheel"
    terminal = PseudoTerminal(link)
    assert terminal.path == str(link)
    assert str(link.readlink()).startswith("/dev/pts/")
    terminal.unplug()
    assert not link.is_symlink()
    terminal.replug()
    assert link.is_symlink()
    terminal.close()
    assert list(tmp_path.iterdir()) == []


def test_a_terminals_own_directory_goes_with_it() -> None:
    terminal = PseudoTerminal()
    directory = Path(terminal.path).parent
    assert directory.is_dir()
    terminal.close()
    assert not directory.exists()


def test_a_link_left_behind_is_replaced_but_a_file_is_not(tmp_path: Path) -> None:
    stale = tmp_path / "stale"
    stale.symlink_to("/dev/pts/99999")
    PseudoTerminal(stale).close()
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(FileExistsError):
        PseudoTerminal(file)
    assert file.read_text() == "mine"
    with pytest.raises(FileNotFoundError):
        PseudoTerminal(tmp_path / "missing" / "link")


def test_a_tcp_port_serves_several_readers_and_refuses_to_share_its_number() -> None:
    server = TcpServer()
    number = urlsplit(server.path).port
    assert number is not None
    readers = [TcpReader(server.path), TcpReader(server.path)]
    try:
        wait_for(server.listened)
        wait_for(lambda: server.write(b"x") == 1)
        assert all(take(reader, 1).startswith(b"x") for reader in readers)
        with pytest.raises(OSError, match="in use"):
            TcpServer(number)
    finally:
        for reader in readers:
            reader.close()
        server.close()
    TcpServer(number).close()
