"""`mesad devices`: what is plugged in, by the name that stays, who holds it, which driver would take it."""

import json
import re
from pathlib import Path

import pytest
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from daemon.cli import devices, main
from drivers import registry
from drivers.links import ports


def plugged(path: Path) -> ListPortInfo:
    path.touch()
    info = ListPortInfo(str(path))
    info.description = "FT232R USB UART"
    info.vid, info.pid, info.serial_number = 0x0403, 0x6001, "A50285BI"
    return info


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two serial ports, one of them with names under by-path."""
    adapter, plain = plugged(tmp_path / "ttyUSB0"), ListPortInfo(str(tmp_path / "ttyS0"))
    names = tmp_path / "by-path"
    names.mkdir()
    for name in ("pci-0000:00:14.0-usb-0:1:1.0-port0", "pci-0000:00:14.0-usbv2-0:1:1.0-port0"):
        (names / name).symlink_to("../ttyUSB0")
    monkeypatch.setattr(devices, "BY_PATH", names)
    monkeypatch.setattr(list_ports, "comports", lambda: [adapter, plain])
    monkeypatch.setattr(ports, "holder", lambda port: "pid 7 (minicom)" if port.endswith("USB0") else None)
    return tmp_path


def test_ports_with_what_is_known_of_them(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices"]) == 0
    said = capsys.readouterr().out
    assert f"\n{machine}/by-path/pci-0000:00:14.0-usb-0:1:1.0-port0\n" in said
    assert "ttyUSB0, FT232R USB UART, 0403:6001, serial number A50285BI" in said
    assert "in use by pid 7 (minicom)" in said
    assert f"{machine}/ttyS0\n  {machine}/ttyS0\n  free" in said
    assert re.search(r"would be taken by: .*\bcammegh\b", said)
    assert "drivers\n" in said
    assert "(role wheel)" in said


def test_as_json(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--json"]) == 0
    plain, adapter = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (adapter["vendor"], adapter["product"], adapter["serial"]) == ("0403", "6001", "A50285BI")
    assert adapter["held_by"] == "pid 7 (minicom)"
    assert "cammegh" in adapter["drivers"]
    assert (plain["vendor"], plain["description"], plain["held_by"]) == (None, None, None)
    assert plain["port"] == plain["device"]


def test_a_machine_without_ports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(devices, "BY_PATH", tmp_path / "none")
    monkeypatch.setattr(list_ports, "comports", list)
    assert main(["devices"]) == 0
    said = capsys.readouterr().out
    assert "no serial port" in said
    assert "cammegh" in said


def test_a_driver_that_cannot_be_had_is_told_with_the_others(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, "broken": "drivers.none:DRIVER"})
    assert main(["devices"]) == 0
    said = capsys.readouterr().out
    assert "driver 'broken': " in said
    assert "cannot be loaded" in said
    assert "(role wheel)" in said


def test_this_machine_can_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices"]) == 0
    assert "drivers" in capsys.readouterr().out
