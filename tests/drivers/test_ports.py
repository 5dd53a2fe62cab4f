"""Which device a port leads to, who holds it, and what its errors tell the technician."""

import contextlib
import errno
import fcntl
import grp
import os
import socket
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import serial
from patience import PATIENCE, wait_for

from drivers.links import ports
from drivers.links.ports import BadPortError, PortBusyError

HOLD_OPEN = """
import sys
port = open(sys.argv[1], 'rb', buffering=0)
print('open', flush=True)
sys.stdin.read()
"""
HOLD_LOCKED = """
import sys, serial
port = serial.Serial(sys.argv[1], exclusive=True)
print('locked', flush=True)
sys.stdin.read()
"""
WAIT_FOR_LOCK = """
import fcntl, sys
file = open(sys.argv[1])
print('waiting', flush=True)
fcntl.flock(file, fcntl.LOCK_EX)
"""


@contextlib.contextmanager
def another_program(code: str, *arguments: str) -> Iterator[int]:
    """Another process that has said it is ready; gives its pid, ends with the block."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline(), "it ended at once"
        yield process.pid
        process.communicate(timeout=PATIENCE)


# --- what is a port ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("port", "address"),
    [
        ("socket://10.0.0.5:4001", ("10.0.0.5", 4001)),
        ("socket://moxa-3.table:950", ("moxa-3.table", 950)),
        ("socket://[fe80::1]:4001", ("fe80::1", 4001)),
        ("/dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0-port0", None),
        ("/dev/ttyUSB0", None),
    ],
)
def test_a_port_is_a_path_or_a_socket(port: str, address: tuple[str, int] | None):
    assert ports.socket_address(port) == address


@pytest.mark.parametrize(
    "port",
    [
        "",
        "/dev/tty\0USB0",
        "socket://10.0.0.5",
        "socket://10.0.0.5:",
        "socket://10.0.0.5:0",
        "socket://10.0.0.5:70000",
        "socket://10.0.0.5:x",
        "socket://:4001",
        f"socket://{'a' * 64}.example:4001",
        "socket://wheel..example:4001",
        "socket://10.0.0.5:4001/x",
        "socket://10.0.0.5:4001?logging=debug",
        "socket://user:secret@10.0.0.5:4001",
        "socket://[10.0.0.5:4001",
        "rfc2217://10.0.0.5:4001",
        "hwgrep://0403:6001",
        "loop://",
        "tcp://10.0.0.5:4001",
    ],
)
def test_anything_else_is_refused_before_it_is_opened(port: str):
    with pytest.raises(BadPortError):
        ports.socket_address(port)


def test_a_port_that_would_write_to_the_device_is_refused_with_the_way_out():
    with pytest.raises(BadPortError, match=r"only listens.*socket://"):
        ports.socket_address("rfc2217://10.0.0.5:4001")


# --- identity ----------------------------------------------------------------------------------


def test_two_paths_to_one_device_are_one(pty_pair: Any, tmp_path: Path):
    (tmp_path / "by-path").symlink_to(pty_pair.path)
    (tmp_path / "by-id").symlink_to(tmp_path / "by-path")
    assert ports.resolve(str(tmp_path / "by-id")) == ports.resolve(pty_pair.path)
    number = Path(pty_pair.path).stat().st_rdev
    assert ports.resolve(pty_pair.path) == f"{pty_pair.path} ({os.major(number)}:{os.minor(number)})"


def test_two_devices_are_two(pty_pairs: Any):
    assert ports.resolve(pty_pairs().path) != ports.resolve(pty_pairs().path)


def test_an_open_device_is_what_was_opened_even_if_the_path_leads_elsewhere_by_now(
    pty_pairs: Any, tmp_path: Path
):
    first, second = pty_pairs(), pty_pairs()
    path = tmp_path / "wheel"
    path.symlink_to(first.path)
    fd = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        path.unlink()
        path.symlink_to(second.path)
        number = Path(first.path).stat().st_rdev
        assert f"({os.major(number)}:{os.minor(number)})" in ports.resolve_open(str(path), fd)
    finally:
        os.close(fd)


def test_a_socket_is_its_address():
    assert ports.resolve("socket://10.0.0.5:4001") == "10.0.0.5:4001"
    assert ports.resolve("socket://[fe80::1]:4001") == "[fe80::1]:4001"


def test_a_missing_device_leads_nowhere(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        ports.resolve(str(tmp_path / "wheel"))
    assert ports.fingerprint(str(tmp_path / "wheel")) is None
    assert ports.holder(str(tmp_path / "wheel")) is None


def test_a_device_made_anew_at_its_path_looks_new_and_otherwise_the_same(pty_pairs: Any, tmp_path: Path):
    path = tmp_path / "wheel"
    path.symlink_to(pty_pairs().path)
    before = ports.fingerprint(str(path))
    assert before == ports.fingerprint(str(path))
    path.unlink()
    path.symlink_to(pty_pairs().path)
    assert ports.fingerprint(str(path)) not in (None, before)


def test_new_permissions_look_new(pty_pair: Any):
    before = ports.fingerprint(pty_pair.path)
    Path(pty_pair.path).chmod(0o660)
    assert ports.fingerprint(pty_pair.path) != before


# --- holders -----------------------------------------------------------------------------------


def test_nobody_holds_a_free_port(pty_pair: Any):
    assert ports.holder(pty_pair.path) is None
    assert ports.holder("socket://10.0.0.5:4001") is None


def test_the_program_that_locked_the_port_is_named_through_any_path_to_it(pty_pair: Any, tmp_path: Path):
    (tmp_path / "wheel").symlink_to(pty_pair.path)
    with another_program(HOLD_LOCKED, pty_pair.path) as pid:
        held_by = ports.holder(str(tmp_path / "wheel"))
    assert held_by is not None
    assert held_by.startswith(f"pid {pid} (")
    assert "exclusive=True" in held_by, "its command line is given"


def test_a_program_that_has_it_open_without_a_lock_is_found_too(pty_pair: Any):
    with another_program(HOLD_OPEN, pty_pair.path) as pid:
        held_by = ports.holder(pty_pair.path)
    assert held_by is not None
    assert held_by.startswith(f"pid {pid} (")


def test_this_process_is_named_when_another_of_its_tables_holds_the_port(pty_pair: Any):
    with serial.Serial(pty_pair.path, exclusive=True):
        held_by = ports.holder(pty_pair.path)
    assert held_by is not None
    assert held_by.startswith(f"pid {os.getpid()} (")


def test_a_command_line_cannot_write_control_characters_into_the_message(pty_pair: Any):
    with another_program(HOLD_OPEN, pty_pair.path, "\x1b[2J\nfaked: line", "x" * 500):
        held_by = ports.holder(pty_pair.path)
    assert held_by is not None
    assert held_by.isprintable()
    assert len(held_by) < 150


def test_waiting_for_a_lock_is_not_holding_it(tmp_path: Path):
    path = tmp_path / "file"
    path.touch()
    with path.open() as mine:
        fcntl.flock(mine, fcntl.LOCK_EX)
        with another_program(WAIT_FOR_LOCK, str(path)) as pid:
            waits = f"-> FLOCK  ADVISORY  WRITE {pid}"
            wait_for(lambda: waits in Path("/proc/locks").read_text())
            held_by = ports.holder(str(path))
            fcntl.flock(mine, fcntl.LOCK_UN)
    assert held_by is not None
    assert held_by.startswith(f"pid {os.getpid()} ")


def test_the_busy_error_names_port_holder_and_remedy():
    error = PortBusyError("/dev/ttyUSB0", "pid 12 (mesad run a.toml)")
    assert str(error).startswith("/dev/ttyUSB0: in use by pid 12 (mesad run a.toml); stop that program")
    assert "another program" in str(PortBusyError("/dev/ttyUSB0", None))


# --- what errors mean --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        (errno.ENOENT, "adapter is plugged in"),
        (errno.EIO, "cable"),
        (errno.ENXIO, "cable"),
        (errno.ENODEV, "power"),
        (errno.ECONNREFUSED, "port number"),
        (errno.ECONNRESET, "power"),
        (errno.ETIMEDOUT, "network cable"),
        (errno.EHOSTUNREACH, "network cable"),
        (errno.ENOTTY, "not a serial device"),
        (errno.ELOOP, "in a circle"),
        (errno.ENAMETOOLONG, "longer than"),
        (errno.ENOTDIR, "no directory"),
    ],
)
def test_an_error_says_what_to_check_and_keeps_its_code(code: int, hint: str):
    meaning = ports.meaning(OSError(code, os.strerror(code)), "/dev/ttyUSB0")
    assert hint in meaning
    assert errno.errorcode[code] in meaning or code == errno.ETIMEDOUT


def test_no_permission_names_the_group_to_join_or_the_rule_to_install(pty_pair: Any):
    denied = PermissionError(errno.EACCES, "denied")
    Path(pty_pair.path).chmod(0o660)
    group = grp.getgrgid(Path(pty_pair.path).stat().st_gid).gr_name
    assert f"usermod -a -G {group}" in ports.meaning(denied, pty_pair.path)
    Path(pty_pair.path).chmod(0o600)
    assert "60-mesad.rules" in ports.meaning(denied, pty_pair.path)
    assert "dialout" in ports.meaning(denied, "/dev/nowhere")


def test_a_server_whose_name_is_not_known_says_to_check_the_name():
    unknown = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    meaning = ports.meaning(unknown, "socket://wheel.invalid:4001")
    assert "Name or service not known" in meaning
    assert "in numbers" in meaning


def test_an_unknown_error_keeps_its_own_words():
    assert "Name or service not known" in ports.meaning(
        OSError(-2, "Name or service not known"), "socket://x:1"
    )


def test_pyserials_errors_keep_the_kernels_number(tmp_path: Path):
    with pytest.raises(serial.SerialException) as missing:
        serial.Serial(str(tmp_path / "wheel"))
    assert ports.code_of(missing.value) == errno.ENOENT
    with pytest.raises(serial.SerialException) as plain:
        serial.Serial("/dev/null")
    assert ports.code_of(plain.value) == errno.ENOTTY
    assert ports.code_of(termios.error(errno.EIO, "x")) == errno.EIO
    assert ports.code_of(ValueError("x")) is None
