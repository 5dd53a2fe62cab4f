"""`mesad calibrate` of a roulette or boule: from a recording or a port to the file that a table runs with."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from brokers import free_port
from calibration_files import BOULE
from patience import PATIENCE

from daemon import config
from daemon.cli import main
from daemon.errors import ConfigurationError
from drivers.bare_wheel.options import Calibration
from simulators.devices.sensor_wheel import Kind, SensorWheel
from simulators.run import sensor_wheel
from simulators.traffic import Bytes

TABLE = """\
[table]
site = "madrid-1"
id = "ruleta-01"
game = "{game}"
catalogue = "{text}"
language = "es"
[journal]
path = "ruleta-01.db"
[[device]]
id = "wheel"
role = "wheel"
driver = "bare-wheel"
port = "{port}"
options = {{ {options}{calibration} }}
"""
OPTIONS = {"roulette": "pockets = 37", "boule": 'pockets = 18, turning = "sensor", leaving = 0.3'}
GAMES = {"roulette": ("french_roulette", "es-ct"), "boule": ("boule", "es-1979")}
Write = Callable[..., Path]


@pytest.fixture
def table(tmp_path: Path) -> Write:
    def write(
        kind: Kind = "roulette", port: str = "/dev/null", calibration: str = ', calibration = "w.toml"'
    ) -> Path:
        file = tmp_path / "table.toml"
        game, text = GAMES[kind]
        filled = TABLE.format(game=game, text=text, port=port, options=OPTIONS[kind], calibration=calibration)
        file.write_text(filled)
        return file

    return write


def names(wheel: SensorWheel, places: list[int], layout: tuple[str, ...]) -> list[str]:
    named = [layout[place] if wheel.kind == "roulette" else str(place + 1) for place in places]
    return [part for name in named for part in ("--pocket", name)]


def recorded(folder: Path, wheel: SensorWheel, games: int = 3) -> tuple[list[str], list[int]]:
    """Options that name a file with what came from the port, and where the ball lay."""
    file, places = folder / "balls.bin", list[int]()
    with file.open("wb") as out:
        for game in wheel.games(games):
            out.writelines(item.data for item in game.items if isinstance(item, Bytes))
            assert game.truth.place is not None
            places.append(game.truth.place)
    return ["--from", str(file)], places


@pytest.mark.parametrize("kind", ["roulette", "boule"])
def test_what_balls_at_rest_taught_is_what_the_table_then_runs_with(
    table: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: Kind
) -> None:
    file, wheel = table(kind), SensorWheel(kind, "counts", 5)
    source, places = recorded(tmp_path, wheel)
    layout = config.load(file, calibrated=False).layout
    assert main(["calibrate", str(file), *source, *names(wheel, places, layout)]) == 0
    out = capsys.readouterr().out
    assert "ball 3: " in out
    assert "spread" in out
    known = config.load(file).devices[0].options.calibration
    assert isinstance(known, Calibration)
    assert (known.serial, known.device_calibration) == ("SIM-5", 1)
    true = wheel.options["offset"]
    assert isinstance(true, float)
    assert abs((known.offset - true + 0.5) % 1.0 - 0.5) * len(layout) < 0.2
    assert not (tmp_path / "w.toml.new").exists()


def test_before_it_the_table_does_not_run_and_says_what_to_do(table: Write) -> None:
    with pytest.raises(
        ConfigurationError, match=r"options\.calibration: .*does not exist\n.*mesad calibrate"
    ):
        config.load(table())


def test_what_teaches_too_little_or_contradicts_itself_writes_nothing(
    table: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, wheel = table(), SensorWheel("roulette", "counts", 5)
    source, places = recorded(tmp_path, wheel)
    layout = config.load(file, calibrated=False).layout
    neighbour = [(places[0] + 1) % 37, *places[1:]]
    for named, problem in (
        (places[:2], "2 pockets were named\n  remedy: "),
        (neighbour, f"contradict each other (pocket {layout[neighbour[0]]}: "),
    ):
        assert main(["calibrate", str(file), *source, *names(wheel, named, layout)]) == 69
        assert problem in capsys.readouterr().err
    assert not (tmp_path / "w.toml").exists()


def test_one_pocket_is_enough_but_does_not_show_the_sense(
    table: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, wheel = table(), SensorWheel("roulette", "counts", 5)
    source, places = recorded(tmp_path, wheel, 1)
    layout = config.load(file, calibrated=False).layout
    assert main(["calibrate", str(file), *source, *names(wheel, places, layout)]) == 0
    assert "name two or more" in capsys.readouterr().out


def test_who_names_no_file_no_pocket_or_none_that_there_is_is_told(
    table: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", str(table(calibration="")), "--pocket", "0"]) == 78
    assert 'add calibration = "FILE.toml"' in capsys.readouterr().err
    file = str(table())
    assert main(["calibrate", file]) == 64
    assert "--pocket must say in which pocket the ball lies" in capsys.readouterr().err
    assert main(["calibrate", file, "--pocket", "37"]) == 64
    assert "no pocket '37'; it has 0 to 36\n" in capsys.readouterr().err
    assert main(["calibrate", str(table("boule")), "--pocket", "0"]) == 64
    assert "no hole '0'; it has 1 to 18, in the layout's order" in capsys.readouterr().err


def test_an_option_of_another_wheel_is_named(table: Write, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--segment", "--spins"):
        assert main(["calibrate", str(table("boule")), option, "3"]) == 64
        assert f"{option} is for a fortune wheel: --pocket names this wheel's hole" in capsys.readouterr().err


def test_a_file_that_is_no_recording_is_told_as_such(
    table: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.bin").write_bytes(b"no packet\0" * 10)
    assert main(["calibrate", str(table()), "--from", str(tmp_path / "other.bin"), "--pocket", "1"]) == 64
    assert "no packet of the sensor protocol was found in its 100 bytes" in capsys.readouterr().err


async def simulate(port: int, kind: str) -> asyncio.subprocess.Process:
    """A simulated wheel at a TCP port."""
    where = ["--port", f"tcp:{port}", "--seed", "3", "--speed", "12"]
    run = [sys.executable, "-m", "daemon", "simulate", kind, *where]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    simulated = await asyncio.create_subprocess_exec(*run, stdout=asyncio.subprocess.PIPE, env=env)
    assert simulated.stdout is not None
    await asyncio.wait_for(simulated.stdout.readline(), PATIENCE)
    return simulated


async def test_a_device_with_other_counts_is_told_before_anything_is_asked(
    table: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulated = await simulate(port := free_port(), "roulette")
    file = table(port=f"socket://127.0.0.1:{port}", calibration=', counts = 3000, calibration = "w.toml"')
    try:
        code = await asyncio.to_thread(main, ["calibrate", str(file), "--pocket", "7"])
    finally:
        simulated.terminate()
        await simulated.wait()
    told = capsys.readouterr()
    assert code == 78
    assert " counts a turn: the table file says 3000" in told.err
    assert "remedy: set `counts`" in told.err
    assert "lay the ball" not in told.out


@pytest.mark.parametrize("asked", [False, True])
async def test_from_a_simulated_wheel_on_a_port_to_a_table_that_can_run(
    table: Write, tmp_path: Path, asked: bool
) -> None:
    port = free_port()
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = [sys.executable, "-m", "daemon"]
    simulated = await simulate(port, "roulette")
    terminal, there = os.openpty()
    try:
        file = table(port=f"socket://127.0.0.1:{port}")
        wheel = sensor_wheel("roulette", "counts", 37, None, 3)
        places = [game.truth.place for game in wheel.games(3)]
        named = names(wheel, [p for p in places if p is not None], config.load(file, calibrated=False).layout)
        if asked:
            os.write(terminal, "".join(f"{name}\n" for name in named[1::2]).encode())
        calibrating = await asyncio.create_subprocess_exec(
            *run,
            "calibrate",
            str(file),
            *([] if asked else named),
            stdin=there,
            stdout=asyncio.subprocess.PIPE,
            env=env,
        )
        out, _ = await asyncio.wait_for(calibrating.communicate(), 2 * PATIENCE)
    finally:
        simulated.terminate()
        await simulated.wait()
        os.close(terminal)
        os.close(there)
    assert calibrating.returncode == 0, out
    assert "3 of 3 seen" in out.decode()
    assert out.decode().count("in which pocket does it lie (0 to 36)?") == (3 if asked else 0)
    known = config.load(file).devices[0].options.calibration
    true = wheel.options["offset"]
    assert isinstance(true, float)
    assert abs((known.offset - true + 0.5) % 1.0 - 0.5) * 37 < 0.2


def test_a_table_without_calibration_and_offset_is_noted(
    table: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(table(calibration=""))]) == 0
    assert "note       device[0].options: neither calibration nor offset" in capsys.readouterr().out
    assert main(["check", str(table(calibration=", offset = 0.25"))]) == 0
    assert "neither calibration" not in capsys.readouterr().out


def test_rim_sensors_at_wrong_distances_and_a_boules_calibration_have_remedies(
    table: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(table(calibration=", rim = [0.0, 0.33, 0.66]"))]) == 78
    assert "all three be within 0.1 of each other\n  remedy: measure where" in capsys.readouterr().err
    (tmp_path / "w.toml").write_text(BOULE)
    assert main(["check", str(table())]) == 78
    assert 'it is that of 18 pockets, turning "sensor"\n  remedy: name the file' in capsys.readouterr().err
    assert main(["calibrate", str(table()), "--pocket", "0"]) == 73, "nor is it written over"
    assert "w.toml is not written over: it is the calibration of a wheel with other pockets" in (
        capsys.readouterr().err
    )
