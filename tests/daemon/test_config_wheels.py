"""Table files of boules and fortune wheels: roles, the order of the segments, what commands make of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from spin_play import DEVICE, order_of, push, rest, turned
from table_hall import JsonDriver

from daemon import config
from daemon.cli import main
from daemon.errors import CONFIGURATION, ConfigurationError
from drivers import registry
from drivers.driver import DriverInfo
from drivers.readings import ButtonPressed, DeviceBack

ORDER = order_of("es-ct")


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A driver that is told how many places its wheel has."""

    segments: int | None = None
    holes: int | None = None


@pytest.fixture(autouse=True)
def driver(monkeypatch: pytest.MonkeyPatch) -> None:
    info = DriverInfo(
        name="json",
        summary="readings as JSON",
        roles=frozenset({"wheel", "fortune_wheel"}),
        options=Options,
        make=lambda device, options: JsonDriver(device),
    )
    find = registry.find
    monkeypatch.setattr(registry, "find", lambda name: info if name == "json" else find(name))


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    def write(role: str = "fortune_wheel", options: str = "{}", **changes: Any) -> Path:
        values = {
            "site": "madrid-1",
            "id": "roda-01",
            "game": "fortune_wheel",
            "catalogue": "es-ct",
            "language": "ca",
            "segments": list(ORDER),
            **changes,
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items() if value is not None]
        file = tmp_path / "table.toml"
        file.write_text(
            "[table]\n" + "\n".join(lines) + '\n[journal]\npath = "roda-01.db"\n[[device]]\nid = "wheel"\n'
            f'role = "{role}"\ndriver = "json"\nport = "/dev/null"\noptions = {options}\n'
        )
        return file

    return write


def refused(file: Path, key: str) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        config.load(file)
    error = caught.value
    assert (error.exit_code, error.key) == (CONFIGURATION, key)
    assert f"{file}: {key}: " in str(error)
    assert error.remedy
    return error


def test_a_fortune_wheel_is_resolved_with_its_own_order(table: Callable[..., Path]) -> None:
    resolved = config.load(table(minimum=2))
    assert (resolved.game.id, resolved.segments, resolved.layout) == ("fortune_wheel", ORDER, ORDER)
    assert resolved.devices[0].role == "fortune_wheel"
    assert resolved.limits is None
    assert config.load(table(options="{ segments = 54 }")).segments == ORDER


def test_an_order_without_the_counts_is_taken_where_the_text_has_none(table: Callable[..., Path]) -> None:
    file = table(catalogue="us-ny", language="en", segments=[f"s{n}" for n in range(54)])
    assert len(config.load(file).layout) == 54


SWAPPED = [("15" if n == ORDER.index("24") else symbol) for n, symbol in enumerate(ORDER)]


@pytest.mark.parametrize(
    ("segments", "problem"),
    [
        (None, "is missing: no text has the order of the symbols (es-ct 24.II.2)"),
        ([], "is missing: no text has the order of the symbols (es-ct 24.II.2)"),
        (list(ORDER[:-1]), "53 segments where the text has 54 (es-ct 24.II.2)"),
        ([*ORDER, "24"], "55 segments where the text has 54 (es-ct 24.II.2)"),
        (SWAPPED, "segments of each symbol: 24 on 23, not 24; 15 on 16, not 15 (es-ct 24.V.1)"),
        (["joker_red", *ORDER[1:]], "no symbols of this wheel: joker_red"),
    ],
)
def test_an_order_that_breaks_the_text_is_refused_with_its_clause(
    table: Callable[..., Path], segments: Any, problem: str
) -> None:
    error = refused(table(segments=segments), "table.segments")
    assert problem in error.problem
    assert "mesad catalogue" in error.remedy


def test_symbols_are_strings(table: Callable[..., Path]) -> None:
    refused(table(segments=[24, *ORDER[1:]]), "table.segments[0]")


@pytest.mark.parametrize(("game", "places"), [("french_roulette", "pockets"), ("boule", "holes")])
def test_no_other_game_has_an_order_of_its_own(table: Callable[..., Path], game: str, places: str) -> None:
    error = refused(table("wheel", game=game), "table.segments")
    assert error.problem == f"the {places} of {game} are the text's"


@pytest.mark.parametrize(
    ("game", "role", "needed"),
    [("fortune_wheel", "wheel", "fortune_wheel"), ("boule", "fortune_wheel", "wheel")],
)
def test_a_game_has_a_device_of_its_own_role(
    table: Callable[..., Path], game: str, role: str, needed: str
) -> None:
    segments = list(ORDER) if game == "fortune_wheel" else None
    error = refused(table(role, game=game, segments=segments), "device[0].role")
    assert needed in error.remedy


def test_a_driver_is_told_as_many_places_as_the_game_has(table: Callable[..., Path]) -> None:
    error = refused(table(options="{ segments = 52 }"), "device[0].options.segments")
    assert error.problem == "is 52, but fortune_wheel has 54 (es-ct 24.II.2)"
    boule = table("wheel", "{ holes = 9 }", game="boule", segments=None)
    assert refused(boule, "device[0].options.holes").problem == "is 9, but boule has 18 (es-ct 4.II)"
    right = table("wheel", "{ holes = 18 }", game="boule", segments=None)
    assert len(config.load(right).layout) == 18


def test_a_roulettes_device_is_no_boules(table: Callable[..., Path]) -> None:
    file = table("wheel", '{ model = "slingshot-2" }', game="boule", segments=None)
    file.write_text(file.read_text().replace('driver = "json"', 'driver = "cammegh"'))
    refused(file, "device[0].options.pockets")


def test_a_game_that_no_table_plays_is_refused_with_those_that_are(table: Callable[..., Path]) -> None:
    error = refused(table(game="craps", segments=None), "table.game")
    assert "roulette, boule, fortune_wheel" in error.remedy


def test_the_check_sums_the_wheels_up(table: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(table())]) == 0
    assert "Roda de la fortuna (fortune_wheel), 54 segments" in capsys.readouterr().out
    assert main(["check", str(table("wheel", game="boule", segments=None))]) == 0
    assert "(boule), 18 holes" in capsys.readouterr().out
    assert main(["check", str(table(segments=["24"]))]) == 78
    assert "table.segments: 1 segments where the text has 54" in capsys.readouterr().err


def test_a_capture_is_replayed(
    table: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A capture's lines are readings here; each is followed by a line end, which JSON does not mind."""
    button = ButtonPressed(button="no_more_bets", **DEVICE)
    readings = [DeviceBack(**DEVICE), push(1), push(2), button, *map(turned, (1, 2, 3, 4)), rest(5)]
    capture = tmp_path / "capture.tsv"
    lines = [
        f"2026-11-29T19:14:{n:02d}.000000\t{msgspec.json.encode([r]).decode()}"
        for n, r in enumerate(readings)
    ]
    capture.write_text("\n".join(lines) + "\n")
    assert main(["replay", str(capture), "--table", str(table(test=True))]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    results = [message["payload"] for message in said if message["topic"].endswith("roda-01/result")]
    assert [result["outcome"]["segment"] for result in results] == [6]
    (description,) = [m["payload"] for m in said if m["topic"].endswith("/description")]
    assert tuple(description["layout"]) == ORDER


def test_missing_options_are_told_all_at_once(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(
        f"""[table]
site = "lab"
id = "rueda-01"
game = "fortune_wheel"
catalogue = "es-ct"
language = "ca"
segments = {json.dumps(ORDER)}
[mqtt]
url = "mqtt://127.0.0.1:1883"
[journal]
path = "rueda-01.db"
[[device]]
id = "wheel"
role = "fortune_wheel"
driver = "fortune-wheel"
port = "/dev/null"
"""
    )
    with pytest.raises(ConfigurationError) as caught:
        config.load(file)
    assert (caught.value.key, caught.value.problem) == ("device[0].options.segments", "is missing")
    assert caught.value.remedy == "needed here: segments, counts"


@pytest.mark.parametrize(
    ("options", "key", "problem"),
    [
        ("rim = [0.0, 0.29, 1.0]", "device[0].options.rim[2]", "is 1.0, but must be less than 1.0"),
        ("rim = [0.0, nan, 0.5]", "device[0].options.rim[1]", "is nan, but must be"),
        ('rotor_rpm = ["a", 3]', "device[0].options.rotor_rpm[0]", "should be a number, but is text"),
        ("rotor_rpm = [1, inf]", "device[0].options.rotor_rpm", "the slowest must be above 0 and below"),
        ("rim = [0.5, 0.2, 0.9]", "device[0].options.rim", "the three angles must rise"),
        ("rim = [0.5, 0.2]", "device[0].options.rim", "rim"),
    ],
)
def test_a_bad_element_of_a_list_is_told_by_its_place(
    tmp_path: Path, options: str, key: str, problem: str
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(
        f"""[table]
site = "lab"
id = "ruleta-01"
game = "french_roulette"
catalogue = "es-1979"
language = "es"
[mqtt]
url = "mqtt://127.0.0.1:1883"
[journal]
path = "ruleta-01.db"
[[device]]
id = "wheel"
role = "wheel"
driver = "bare-wheel"
port = "/dev/null"
options = {{ {options} }}
"""
    )
    with pytest.raises(ConfigurationError) as caught:
        config.load(file)
    assert caught.value.key == key
    assert caught.value.problem.startswith(problem) or problem == "rim"
    assert ": :" not in str(caught.value)
