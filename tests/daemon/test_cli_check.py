"""`mesad check`: a summary for each good file, the mistake of each bad one, 78 if there was any."""

import subprocess
import sys
from pathlib import Path

import pytest

from daemon.cli import main

ROOT = Path(__file__).parents[2]
TABLE = """\
[table]
site = "madrid-1"
id = "ruleta-01"
game = "french_roulette"
catalogue = "es-ex"
language = "es"
minimum = 5
multiple = 540

[mqtt]
url = "mqtt://127.0.0.1:1"

[journal]
path = "ruleta-01.db"

[[device]]
id = "wheel"
role = "wheel"
driver = "cammegh"
port = "/dev/null"
options = { model = "slingshot-2" }
"""


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.toml"
    file.write_text(TABLE)
    return file


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.toml"
    file.write_text(TABLE.replace("minimum = 5", "minimum = 0"))
    return file


def test_a_good_file_is_summed_up(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(good)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    first, *rest = said.out.splitlines()
    assert first == f"{good}: ok"
    assert all(line.startswith("  ") for line in rest)
    for fact in (
        "madrid-1/ruleta-01",
        "french_roulette",
        "37 pockets",
        "es-ex: Orden de 5 de noviembre de 2010",
        "minimum 5; 2700 on red, black, ",
        "150 on straight",
        "wheel: wheel, driver cammegh, /dev/null",
        "mqtt://127.0.0.1:1",
        str(good.parent / "ruleta-01.db"),
    ):
        assert fact in said.out


def test_limits_that_are_not_configured_or_left_to_the_authorisation(
    good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good.write_text(TABLE.replace("minimum = 5\nmultiple = 540\n", ""))
    assert main(["check", str(good)]) == 0
    assert "none configured" in capsys.readouterr().out
    good.write_text(TABLE.replace("multiple = 540\n", "").replace("es-ex", "es-ct"))
    assert main(["check", str(good)]) == 0
    assert "minimum 5; maxima set by the authorisation (es-ct 1.IV.2.a)" in capsys.readouterr().out


def test_a_test_table_says_so(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good.write_text(TABLE.replace("[mqtt]", "test = true\n[mqtt]"))
    assert main(["check", str(good)]) == 0
    assert "madrid-1/ruleta-01 (test)" in capsys.readouterr().out


def test_every_file_is_told_of_though_one_is_bad(
    good: Path, bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.toml"
    assert main(["check", str(bad), str(missing), str(good)]) == 78
    said = capsys.readouterr()
    assert f"{good}: ok" in said.out
    assert f"mesad: error: {bad}: table.minimum: is 0, but must be at least 1" in said.err
    assert f"mesad: error: {missing}: cannot be read: No such file or directory" in said.err
    assert said.err.count("remedy: ") == 2


def test_the_mistakes_of_all_sections_are_told_at_once(
    good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TABLE.replace("minimum = 5", "minimum = 0").replace("[mqtt]", "[mqtt]\nqos = 1")
    text = text.replace('role = "wheel"', 'role = "fan"').replace('[journal]\npath = "ruleta-01.db"\n', "")
    good.write_text(text + "\n[extra]\na = 1\n")
    assert main(["check", str(good)]) == 78
    told = [line for line in capsys.readouterr().err.splitlines() if "remedy: " not in line]
    assert [
        line.removeprefix("mesad: error: ").removeprefix(f"{good}: ").split(": ")[0] for line in told
    ] == [
        "table.minimum",
        "mqtt.qos",
        "device[0].role",
        "extra",
        "journal",
    ]


def test_a_section_that_is_none_is_told_beside_the_others(
    good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good.write_text(
        "device = []\n" + TABLE[: TABLE.index("[[device]]")].replace("minimum = 5", "minimum = 0")
    )
    assert main(["check", str(good)]) == 78
    said = capsys.readouterr().err
    assert f"{good}: device: is empty" in said
    assert f"{good}: table.minimum: is 0" in said


def test_what_two_good_files_have_in_common_is_an_error(
    good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.toml"
    other.write_text(TABLE.replace("ruleta-01", "ruleta-02"))
    assert main(["check", str(good), str(other)]) == 78
    said = capsys.readouterr()
    assert f"{good}: ok" in said.out
    assert f"{other}: device[0].port: " in said.err
    assert str(good) in said.err


def test_a_missing_journal_folder_is_a_note_and_no_error(
    good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good.write_text(TABLE.replace("ruleta-01.db", "none/ruleta-01.db"))
    assert main(["check", str(good)]) == 0
    assert "note       journal.path: the folder" in capsys.readouterr().out


def test_nothing_is_made_or_opened_and_no_broker_is_asked(good: Path) -> None:
    """Told by what is there afterwards, and by the libraries that were never loaded."""
    program = (
        "import sys\nfrom daemon.cli import main\n"
        f"code = main(['check', {str(good)!r}])\n"
        "heavy = {'aiomqtt', 'paho', 'sqlite3', 'serial', 'asyncio'} & set(sys.modules)\n"
        "sys.exit(code or len(heavy))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in good.parent.iterdir()] == ["good.toml"]
