"""`mesad calibrate`: from recorded bytes or a port to the file that the table file names."""

import io
import os
import re
import threading
import tomllib
import tty
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from fortune_wheel_line import COUNTED, calibrated, scenario
from sensor_packets import changed
from spin_play import order_of

from daemon import config
from daemon.cli import calibrate_spins, main
from daemon.errors import ConfigurationError, DeviceUnavailableError
from drivers.fortune_wheel.options import Calibration, FortuneWheelOptions
from drivers.readings import FaultCleared, FaultRaised, Instant
from drivers.tracking.calibration import TooLittleSeenError
from protocols import sensor as wire
from protocols.sensor import Body, Identity
from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel
from simulators.traffic import Bytes

TABLE = """\
[table]
site = "madrid-1"
id = "rueda-01"
game = "fortune_wheel"
catalogue = "es-ct"
language = "ca"
segments = {segments}
[journal]
path = "rueda-01.db"
[[device]]
id = "wheel"
role = "fortune_wheel"
driver = "fortune-wheel"
port = "{port}"
options = {{ segments = 54, counts = 4000{calibration} }}
"""


class Terminal(io.StringIO):
    """Somebody sits there, but says nothing."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    def write(port: str = "/dev/null", calibration: str = ', calibration = "wheel.toml"') -> Path:
        file = tmp_path / "table.toml"
        segments = str(list(order_of("es-ct"))).replace("'", '"')
        file.write_text(TABLE.format(segments=segments, port=port, calibration=calibration))
        return file

    return write


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
    packets = Path(source[1]).read_bytes().split(b"\0")[:-1]
    told = changed([Bytes(0.0, packet + b"\0") for packet in packets], moved_once)
    Path(source[1]).write_bytes(b"".join(item.data for item in told if isinstance(item, Bytes)))
    file = table()
    assert main(["calibrate", str(file), *source]) == 0
    assert config.load(file).devices[0].options.calibration.device_calibration == 77
    kept = file.parent / "wheel.toml"
    older = [each for each in kept.read_text().splitlines() if not each.startswith("device_calibration")]
    kept.write_text("\n".join(older))
    assert config.load(file).devices[0].options.calibration.device_calibration == 0


def moved_once(body: Body) -> list[Body]:
    """The device's sensors were moved before."""
    return [replace(body, calibration=77) if isinstance(body, Identity) else body]


def test_before_it_the_table_does_not_run_and_says_what_to_do(table: Callable[..., Path]) -> None:
    with pytest.raises(
        ConfigurationError, match=r"options\.calibration: .*does not exist\n.*mesad calibrate"
    ):
        config.load(table())


def test_a_calibration_of_another_wheel_is_refused_with_its_key(table: Callable[..., Path]) -> None:
    file = table()
    wheel = file.parent / "wheel.toml"
    wheel.write_text('serial = "A"\ncounts = "many"\n')
    with pytest.raises(ConfigurationError, match=r"wheel\.toml: counts: should be a whole number"):
        config.load(file)


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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("table.toml", None),
        ("rueda-01.db", b"SQLite format 3\0"),
        ("house.toml", b'[[change]]\nserial = "x"\n'),
        ("notes.toml", b"serial = "),
        ("boule.toml", b'serial = "B"\npockets = 18\nturning = "sensor"\noffset = 0.5\nsights = 12\n'),
        ("none/wheel.toml", None),
    ],
)
def test_no_other_file_is_written_over(
    table: Callable[..., Path],
    recorded: Callable[..., list[str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes | None,
) -> None:
    file = table(calibration=f', calibration = "{name}"')
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    assert main(["calibrate", str(file), *recorded(8)]) == 73
    told = capsys.readouterr()
    assert re.search(r"is not written over: it is .*; name another in|no folder", told.err)
    assert "spin 1" not in told.out, "told before the spins"
    assert {each: each.read_bytes() for each in tmp_path.iterdir() if each.name != "spins.bin"} == before


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
    assert "name two or more" in capsys.readouterr().err
    both = [*given[:2], "--segment", str(before), "--segment", str(last)]
    assert main(["calibrate", str(file), *both]) == 0
    assert "name two or more" not in capsys.readouterr().err
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
    assert "device.options.counts: the encoder has 4000 counts a turn: the table file says 4096" in told.err
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


class Asked:
    """Answers what the dialogue asks, by the truth of the spin."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wrong: dict[int, str]) -> None:
        self.questions: list[str] = []
        self.truth = ""
        self._wrong = wrong
        monkeypatch.setattr("builtins.input", self._answer)

    def _answer(self, question: str) -> str:
        self.questions.append(question)
        return self._wrong.get(len(self.questions), self.truth)


async def played(dialogue: calibrate_spins.Dialogue, recorder: calibrate_spins.Recorder, asked: Asked) -> int:
    """Spins until the dialogue has enough; how many."""
    recorder.link_up(Instant(0, 0), "port")
    for number, game in enumerate(SensorFortuneWheel(COUNTED, 4, scenario("one_strong_push")).games(), 1):
        assert game.truth.segment is not None
        asked.truth = str(game.truth.segment + 1)
        for item in game.items:
            if isinstance(item, Bytes):
                recorder.link_bytes(item.data, Instant(int(item.t * 1e9), 0))
        if await dialogue.step():
            return number
    raise AssertionError


@pytest.mark.parametrize(
    ("wrong", "spins", "why"),
    [
        ({}, 6, None),
        ({2: "9", 3: "peg", 4: "peg"}, 7, "contradict each other"),
        ({1: "peg", 2: "peg", 3: "peg"}, 7, "no two segments"),
    ],
)
async def test_a_dialogue_asks_for_one_more_spin_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wrong: dict[int, str],
    spins: int,
    why: str | None,
) -> None:
    asked = Asked(monkeypatch, wrong)
    recorder = calibrate_spins.Recorder(FortuneWheelOptions(segments=54, counts=4000))
    dialogue = calibrate_spins.Dialogue(recorder, 6, [])
    assert await played(dialogue, recorder, asked) == spins
    known, _, index = dialogue.taught
    assert known.index_at == pytest.approx(calibrated(COUNTED).index_at, abs=1 / 4000)
    assert index.sense_shown
    out = capsys.readouterr().out
    assert "spin the wheel 6 times clockwise as the players see it" in out
    assert ("one more spin, please" in out) == (why is not None)
    assert why is None or why in out


async def test_a_dialogue_ends_once_many_more_spins_taught_too_little(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_little(*_: object) -> None:
        raise TooLittleSeenError("seldom slow", 5)

    monkeypatch.setattr(calibrate_spins, "calibrate", too_little)
    recorder = calibrate_spins.Recorder(FortuneWheelOptions(segments=54, counts=4000))
    dialogue = calibrate_spins.Dialogue(recorder, 6, [4])
    with pytest.raises(DeviceUnavailableError, match=r"seldom slow, after 26 spins\n  remedy: .*--spins 46"):
        await played(dialogue, recorder, Asked(monkeypatch, {}))
    assert capsys.readouterr().out.count("seldom slow: 5 more spins, please") == 4


async def test_a_dialogue_ends_at_the_second_spin_that_comes_the_other_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = calibrate_spins.Recorder(FortuneWheelOptions(segments=54, counts=4000))
    dialogue = calibrate_spins.Dialogue(recorder, 6, [4])
    recorder.link_up(Instant(0, 0), "port")
    first, second = SensorFortuneWheel(COUNTED, 4, scenario("anticlockwise")).games(2)
    for game, ends in ((first, False), (second, True)):
        for item in game.items:
            if isinstance(item, Bytes):
                recorder.link_bytes(item.data, Instant(int(item.t * 1e9), 0))
        if ends:
            with pytest.raises(DeviceUnavailableError, match="2 of 2 spins came anticlockwise"):
                await dialogue.step()
        else:
            assert not await dialogue.step()


def test_a_table_without_a_calibration_is_noted_and_its_other_mistakes_are_told_with_an_absent_one(
    table: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(table(calibration=""))]) == 0
    assert "note       device[0].options: not calibrated: no spin is judged before" in capsys.readouterr().out
    file = table()
    file.write_text(file.read_text().replace("counts = 4000", "counts = 400"))
    assert main(["check", str(file)]) == 78
    told = capsys.readouterr().err
    assert "options.counts: 54 segments need 2160 or more, 40 for each\n  remedy: counts takes" in told
    assert "options.calibration: " in told
    assert "wheel.toml does not exist\n  remedy: run `mesad calibrate`" in told


BOULE = 'serial = "B"\npockets = 18\nturning = "sensor"\noffset = 0.5\nsights = 12\n'


@pytest.mark.parametrize(
    ("held", "what"),
    [
        (BOULE, "it is the calibration of a wheel with the driver bare-wheel"),
        ('[table]\nsite = "x"\n', "it is a table file"),
        ("a = 1\nb = 2\n", "it is no calibration of a wheel with the driver fortune-wheel"),
        ("serial = ", "is not valid TOML: "),
        (None, "it is this table file"),
    ],
)
def test_a_file_that_is_no_calibration_of_the_wheel_is_one_mistake_and_says_what_it_is(
    table: Callable[..., Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    held: str | None,
    what: str,
) -> None:
    name = "table.toml" if held is None else "wheel.toml"
    file = table(calibration=f', calibration = "{name}"')
    if held is not None:
        (tmp_path / name).write_text(held)
    assert main(["check", str(file)]) == 78
    told = capsys.readouterr().err
    assert f"{file}: device[0].options.calibration: {tmp_path / name}: {what}" in told
    assert told.count("remedy: ") == 1
    assert "remedy: name the file that `mesad calibrate` wrote for this wheel, or calibrate it anew" in told


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


def test_a_device_that_never_says_who_it_is_is_not_waited_for(
    table: Callable[..., Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.cli.listening.UNNAMED", 0.3)
    device, port = os.openpty()
    tty.setraw(port)
    over = threading.Event()

    def beat() -> None:
        number = 0
        while not over.wait(0.05):
            body = wire.Heartbeat(number * 50_000, 0, 0, False, 3300)
            os.write(device, wire.encode(body, 1, number, number * 50_000))
            number += 1

    beating = threading.Thread(target=beat)
    beating.start()
    try:
        assert main(["calibrate", str(table(os.ttyname(port))), "--segment", "1"]) == 69
    finally:
        over.set()
        beating.join()
        os.close(device)
        os.close(port)
    told = capsys.readouterr()
    assert "the device never said who it is" in told.err
    assert "spin the wheel" not in told.out


def test_a_clock_that_is_off_by_its_packets_spoils_no_calibration() -> None:
    recorder = calibrate_spins.Recorder(FortuneWheelOptions(segments=54, counts=4000))
    at = Instant(0, 0)
    for code in ("clock", "sensor_supply"):
        recorder._note([FaultRaised(device="wheel", at=at, code=code, text="")])
    assert set(recorder.faults) == {"sensor_supply"}
    recorder._note([FaultCleared(device="wheel", at=at, code="sensor_supply")])
    assert not recorder.faults


async def test_given_segments_that_show_nothing_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = calibrate_spins.Recorder(FortuneWheelOptions(segments=54, counts=4000))
    dialogue = calibrate_spins.Dialogue(recorder, 6, [4, 4])
    with pytest.raises(DeviceUnavailableError, match=r"contradict each other.*\n  remedy: without --segment"):
        await played(dialogue, recorder, Asked(monkeypatch, {}))
    assert len(recorder.spins) == 6
