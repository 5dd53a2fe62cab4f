"""`mesad calibrate`: from recorded bytes or a port to the file that the table file names."""

import io
import os
import threading
import tomllib
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import count
from pathlib import Path

import pytest
from calibration_files import fortune_wheel_table
from fortune_wheel_line import COUNTED, calibrated, scenario
from patience import PATIENCE
from sensor_packets import Change, changed

from daemon import config
from daemon.cli import calibrate_spins, main
from drivers.fortune_wheel.options import Calibration, FortuneWheelOptions
from drivers.readings import Instant
from drivers.sensor_faults import HINDERS
from drivers.tracking.calibration import TooLittleSeenError
from protocols import sensor as wire
from protocols.sensor import Body, Identity
from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel
from simulators.traffic import Bytes


class Terminal(io.StringIO):
    """Somebody sits there, but says nothing."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    return partial(fortune_wheel_table, tmp_path)


@cache
def line(spins: int, name: str = "one_strong_push") -> tuple[bytes, int]:
    """A port's bytes, and the segment that is at the pointer at the end, from 1."""
    data, place = b"", None
    for game in SensorFortuneWheel(COUNTED, 0, scenario(name)).games(spins):
        data += b"".join(item.data for item in game.items if isinstance(item, Bytes))
        place = game.truth.segment
    assert place is not None
    return data, place + 1


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., list[str]]:
    def write(*of: object) -> list[str]:
        data, segment = line(*of)  # type: ignore[arg-type]
        file = tmp_path / "spins.bin"
        file.write_bytes(data)
        return ["--from", str(file), "--segment", str(segment)]

    return write


def test_what_recorded_spins_taught_is_what_the_table_then_runs_with(
    table: Callable[..., Path], recorded: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file = table()
    assert main(["calibrate", str(file), *recorded(8)]) == 0
    out = capsys.readouterr().out
    assert "spin 8: " in out
    assert "spread" in out
    known = config.load(file).devices[0].options.calibration
    true = calibrated(COUNTED)
    assert isinstance(known, Calibration)
    assert known.serial == true.serial
    assert known.spins == 8
    assert known.index_at == pytest.approx(true.index_at, abs=1 / 4000)
    assert tomllib.loads((file.parent / "wheel.toml").read_text())["counts"] == 4000
    assert not (file.parent / "wheel.toml.new").exists()


def test_the_devices_own_number_of_its_sensors_places_is_kept(
    table: Callable[..., Path], recorded: Callable[..., list[str]]
) -> None:
    source = recorded(7)
    rewrite(Path(source[1]), moved_once)
    file = table()
    assert main(["calibrate", str(file), *source]) == 0
    assert config.load(file).devices[0].options.calibration.device_calibration == 77
    kept = file.parent / "wheel.toml"
    older = [each for each in kept.read_text().splitlines() if not each.startswith("device_calibration")]
    kept.write_text("\n".join(older))
    assert config.load(file).devices[0].options.calibration.device_calibration == 0


def rewrite(file: Path, change: Change) -> None:
    """The recording with other packets in it."""
    packets = file.read_bytes().split(b"\0")[:-1]
    told = changed([Bytes(0.0, packet + b"\0") for packet in packets], change)
    file.write_bytes(b"".join(item.data for item in told if isinstance(item, Bytes)))


def moved_once(body: Body) -> list[Body]:
    """The device's sensors were moved before."""
    return [replace(body, calibration=77) if isinstance(body, Identity) else body]


@pytest.mark.parametrize(
    ("spins", "name", "problem"),
    [
        (4, "one_strong_push", "4 free spins are too few"),
        (7, "coat", "pushed again or hindered"),
        (7, "cleaning", "too few"),
    ],
)
def test_spins_that_teach_too_little_write_nothing(
    table: Callable[..., Path],
    recorded: Callable[..., list[str]],
    capsys: pytest.CaptureFixture[str],
    spins: int,
    name: str,
    problem: str,
) -> None:
    file = table()
    code = main(["calibrate", str(file), *recorded(spins, name)])
    assert code == 69
    assert problem in capsys.readouterr().err
    assert not (file.parent / "wheel.toml").exists()


def test_who_names_no_file_or_no_segment_is_told(
    table: Callable[..., Path], recorded: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", str(table(calibration="")), "--segment", "1"]) == 78
    assert 'add calibration = "FILE.toml"' in capsys.readouterr().err
    file, given = table(), recorded(6)
    assert main(["calibrate", str(file), *given[:2]]) == 64
    assert "--segment" in capsys.readouterr().err
    assert main(["calibrate", str(file), *given[:2], "--segment", "55"]) == 64
    assert not (file.parent / "wheel.toml").exists()


def test_a_segment_that_nobody_can_be_asked_is_missed_before_the_spins(
    table: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", str(table("/dev/serial/by-path/none"))]) == 64
    assert "--segment" in capsys.readouterr().err


def test_a_port_that_says_nothing_is_no_device(
    table: Callable[..., Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.cli.listening.PATIENCE", 0.3)
    assert main(["calibrate", str(table("/dev/serial/by-path/none")), "--segment", "1"]) == 69
    assert "/dev/serial/by-path/none" in capsys.readouterr().err


def test_a_recording_that_ends_while_the_wheel_turns_tells_no_place(
    table: Callable[..., Path],
    recorded: Callable[..., list[str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, given = table(), recorded(9)
    whole, eight = line(9)[0], len(line(8)[0])
    Path(given[1]).write_bytes(whole[: eight + (len(whole) - eight) // 2])
    assert main(["calibrate", str(file), *given]) == 69
    assert "the wheel turns" in capsys.readouterr().err
    assert not (tmp_path / "wheel.toml").exists()


def test_a_slip_of_the_pen_is_asked_again_and_loses_no_spin(
    table: Callable[..., Path],
    recorded: Callable[..., list[str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, (option, source, _, segment) = table(), recorded(8)
    answers = iter(["abc", "", "3_1", "55", "0", f" {segment} "])
    monkeypatch.setattr("builtins.input", lambda question: next(answers))
    monkeypatch.setattr("sys.stdin", Terminal())
    assert main(["calibrate", str(file), option, source]) == 0
    assert capsys.readouterr().err.count("the wheel has the segments 1 to 54") == 5
    asked = (tmp_path / "wheel.toml").read_text()
    assert main(["calibrate", str(file), *recorded(8)]) == 0, "its own file may be written anew"
    assert (tmp_path / "wheel.toml").read_text() == asked


def test_who_does_not_answer_is_told_of_the_option(
    table: Callable[..., Path],
    recorded: Callable[..., list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal())
    assert main(["calibrate", str(table()), *recorded(8)[:2]]) == 64
    assert "nobody answered" in capsys.readouterr().err


@pytest.mark.parametrize("given", [["--spins", "5"], ["--segment", "55"], ["--segment", "0"]])
def test_what_cannot_be_is_told_before_the_spins(
    table: Callable[..., Path], given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = given if "--segment" in given else [*given, "--segment", "1"]
    assert main(["calibrate", str(table()), *arguments]) == 64
    assert "spin the wheel" not in capsys.readouterr().out


def test_an_encoder_that_counts_the_other_way_writes_nothing(
    table: Callable[..., Path], recorded: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file = table()
    assert main(["calibrate", str(file), *recorded(7, "anticlockwise")]) == 69
    assert "7 of 7 spins came anticlockwise by the encoder" in capsys.readouterr().err
    assert not (file.parent / "wheel.toml").exists()


def test_two_segments_show_the_sense_and_one_misread_is_found(
    table: Callable[..., Path], recorded: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file, given = table(), recorded(8)
    last, before = int(given[3]), line(7)[1]
    assert main(["calibrate", str(file), *given]) == 0
    assert "name two that are neither the same nor opposite\n" in capsys.readouterr().err
    both = [*given[:2], "--segment", str(before), "--segment", str(last)]
    assert main(["calibrate", str(file), *both]) == 0
    assert "do not show the encoder's sense" not in capsys.readouterr().err
    both[3] = str(before % 54 + 1)
    assert main(["calibrate", str(file), *both]) == 69
    assert "contradict each other: one was misread\n  remedy: " in capsys.readouterr().err


def test_other_counts_than_the_devices_are_told_with_their_key(
    table: Callable[..., Path], recorded: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file, given = table(), recorded(6)
    file.write_text(file.read_text().replace("counts = 4000", "counts = 4096"))
    assert main(["calibrate", str(file), *given]) == 78
    told = capsys.readouterr()
    assert (
        "device wheel: options.counts: the encoder has 4000 counts a turn: the table file says 4096"
        in told.err
    )
    assert "spin 1" not in told.out
    file.write_text(file.read_text().replace("counts = 4096", "counts = 2000"))
    assert main(["calibrate", str(file), *given]) == 78
    assert "counts: 54 segments need 2160 or more, 40 for each" in capsys.readouterr().err


def test_what_is_no_recording_or_for_another_wheel_is_told_as_such(
    table: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.bin").write_bytes(b"x" * 7)
    given = ["calibrate", str(table()), "--from", str(tmp_path / "other.bin"), "--segment", "1"]
    assert main(given) == 64
    assert "no packet of the sensor protocol was found in its 7 bytes" in capsys.readouterr().err
    assert main([*given, "--pocket", "3"]) == 64
    assert "--pocket is for a roulette or a boule" in capsys.readouterr().err
    assert main(["calibrate", str(table()), *["--segment", "1"] * 11]) == 64
    assert "--segment names 11 segments, but after 10 spins" in capsys.readouterr().err
    assert main(["calibrate", str(table()), "--spins", "3"]) == 64
    assert "--spins must be at least 6" in capsys.readouterr().err


def test_a_calibration_with_other_counts_is_told_with_its_remedy(
    table: Callable[..., Path], recorded: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file = table()
    assert main(["calibrate", str(file), *recorded(8)]) == 0
    file.write_text(file.read_text().replace("counts = 4000", "counts = 4096"))
    assert main(["check", str(file)]) == 78
    told = capsys.readouterr().err
    assert (
        "is 4096, but the calibration's 4000\n  remedy: set counts = 4000, if the file is this wheel's"
        in told
    )


@contextmanager
def speaking(*bodies: Body) -> Iterator[str]:
    """A port at which a device says this again and again, with its heartbeat."""
    device, port = os.openpty()
    tty.setraw(port)
    over = threading.Event()

    def beat() -> None:
        beats = (wire.Heartbeat(n * 50_000, 0, 0, False, 3300) for n in count())
        each = (body for heartbeat in beats for body in (heartbeat, *bodies))
        for number, body in enumerate(each):
            if over.wait(0.03):
                return
            os.write(device, wire.encode(body, 1, number, number * 50_000))

    beating = threading.Thread(target=beat)
    beating.start()
    try:
        yield os.ttyname(port)
    finally:
        over.set()
        beating.join()
        os.close(device)
        os.close(port)


def test_a_device_that_never_says_who_it_is_is_not_waited_for(
    table: Callable[..., Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.cli.listening.UNNAMED", 0.3)
    with speaking() as port:
        assert main(["calibrate", str(table(port)), "--segment", "1"]) == 69
    told = capsys.readouterr()
    assert "the device never said who it is" in told.err
    assert "spin the wheel" not in told.out


SUPPLY = wire.Fault(3, 255, True, 0)


def test_a_fault_that_hinders_ends_the_dialogue_at_once_with_its_remedy(
    table: Callable[..., Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.cli.listening.UNNAMED", PATIENCE)
    with speaking(SUPPLY) as port:
        assert main(["calibrate", str(table(port)), "--segment", "1"]) == 69
    told = capsys.readouterr()
    assert "cannot calibrate: supply out of range\n  remedy: look at the device's supply" in told.err
    assert "spin the wheel" not in told.out


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (wire.Fault(200, 255, True, 0), None),
        (wire.SelfTest(bytes(each == "lid" for each in wire.CHANNELS)), None),
        (SUPPLY, "cannot calibrate: supply out of range\n  remedy: look at the device's supply"),
    ],
)
def test_only_a_fault_under_which_nothing_can_be_judged_spoils_a_recording(
    table: Callable[..., Path],
    recorded: Callable[..., list[str]],
    capsys: pytest.CaptureFixture[str],
    said: Body,
    problem: str | None,
) -> None:
    source = recorded(7)

    def with_fault(body: Body) -> list[Body]:
        return [replace(body, channels=0x3FF), said] if isinstance(body, Identity) else [body]

    rewrite(Path(source[1]), with_fault)
    assert main(["calibrate", str(table()), *source]) == (69 if problem else 0)
    told = capsys.readouterr().err
    assert problem is None or problem in told
    assert "record it anew" not in told


@pytest.mark.parametrize("code", ["lid_flutters", "clock", "encoder_slip", "encoder_invalid", "edges_lost"])
def test_faults_of_places_are_waited_for_and_those_of_neither_place_nor_device_are_not_heeded(
    code: str,
) -> None:
    recorder = calibrate_spins.SpinRecorder(FortuneWheelOptions(segments=54, counts=4000))
    at = Instant(0, 0)
    recorder.link_bytes(b"\0" + wire.encode(Identity("A", "1", 1, 4000, 0, 0x3FF), 1, 0, 0), at)
    faults = recorder._driver.device.faults
    faults.stand(code, "so it is", at)
    for learnt in ("not_calibrated", "calibration_foreign", "calibration_old"):
        faults.stand(learnt, "", at, HINDERS)
    assert not recorder.hindering, "those are what calibrating ends"
    heeded = code not in ("lid_flutters", "clock")
    with pytest.raises(TooLittleSeenError, match="so it is" if heeded else "too few"):
        calibrate_spins.learn(recorder, {})
    faults.clear(code, at)
    with pytest.raises(TooLittleSeenError, match="too few"):
        calibrate_spins.learn(recorder, {})


def test_the_device_is_named_whose_option_it_is(
    table: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", str(table(calibration="")), "--segment", "1"]) == 78
    assert "table.toml: device wheel: options.calibration: names no file" in capsys.readouterr().err
