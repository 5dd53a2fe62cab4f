"""The file of a calibration: what `mesad check` says of it, and what `mesad calibrate` writes over."""

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from calibration_files import BOULE, fortune_wheel_table

from daemon import config
from daemon.cli import main
from daemon.errors import ConfigurationError

DAMAGED = """\
serial = "A"
counts = "many"
segments = 54
index_at = 0.1
peg_width = 0.1
slowing = 0.01
spins = 7
"""
"""A fortune wheel's calibration of which not much is left."""


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    return partial(fortune_wheel_table, tmp_path)


def test_before_it_the_table_does_not_run_and_says_what_to_do(table: Callable[..., Path]) -> None:
    with pytest.raises(
        ConfigurationError, match=r"options\.calibration: .*does not exist\n.*mesad calibrate"
    ):
        config.load(table())


def test_a_calibration_of_another_wheel_is_refused_with_its_key(table: Callable[..., Path]) -> None:
    file = table()
    wheel = file.parent / "wheel.toml"
    wheel.write_text(DAMAGED)
    with pytest.raises(ConfigurationError, match=r"wheel\.toml: counts: should be a whole number"):
        config.load(file)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("table.toml", None),
        ("rueda-01.db", b"SQLite format 3\0"),
        ("house.toml", b'[[change]]\nserial = "x"\n'),
        ("notes.toml", b"serial = "),
        ("boule.toml", BOULE.encode()),
        ("boule-damaged.toml", BOULE.replace("18", '"many"').encode()),
        ("flat.toml", b'serial = "A"\nhost = "db"\nuser = "me"\n'),
        ("little.toml", b'serial = "A"\ncounts = 4000\n'),
        ("more.toml", (DAMAGED + 'host = "db"\n').encode()),
        ("other.toml", DAMAGED.replace("54", "20").encode()),
        ("nested.toml", b"serial = " + b"[" * 5000),
        ("none/wheel.toml", None),
    ],
)
def test_no_other_file_is_written_over(
    table: Callable[..., Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes | None,
) -> None:
    file = table(calibration=f', calibration = "{name}"')
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    assert main(["calibrate", str(file), "--from", "none", "--segment", "1"]) == 73
    told = capsys.readouterr()
    assert re.search(r"is not written over: it is .*; name another in|no folder", told.err)
    assert "spin 1" not in told.out, "told before the spins"
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_damaged_calibration_of_the_wheel_may_be_written_over(
    table: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str
) -> None:
    (tmp_path / "wheel.toml").write_text(DAMAGED, encoding)
    assert main(["calibrate", str(table()), "--from", "none", "--segment", "1"]) == 64
    assert "cannot read none" in capsys.readouterr().err, "the recording comes after the place"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a" * 300, "cannot be read: File name too long\n  remedy: name a file that exists"),
        ("table.toml/wheel.toml", "cannot be read: Not a directory\n"),
        ("loop.toml", "cannot be read: Too many levels of symbolic links\n"),
        ("pipe", "is no table file: a pipe, a device or a socket\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_and_is_not_written(
    table: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, problem: str
) -> None:
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    os.mkfifo(tmp_path / "pipe")
    file = str(table(calibration=f', calibration = "{name}"'))
    assert main(["check", file]) == 78
    assert f"options.calibration: {tmp_path / name}: {problem}" in capsys.readouterr().err
    assert main(["calibrate", file, "--from", "none", "--segment", "1"]) == 73
