"""What no table file may be or hold, whatever its keys mean."""

import os
from pathlib import Path

import msgspec
import pytest

from daemon import toml_file
from daemon.errors import ConfigurationError


class Device(msgspec.Struct, forbid_unknown_fields=True):
    port: str
    options: dict[str, object] = {}


class File(msgspec.Struct, forbid_unknown_fields=True):
    device: list[Device] = []
    username: str = ""


def refused(file: Path) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        toml_file.read(file, File, {"device.port": "a path"})
    return caught.value


def written(folder: Path, text: str) -> Path:
    file = folder / "table.toml"
    file.write_text(text)
    return file


def test_plain_text_of_any_language_is_taken(tmp_path: Path) -> None:
    file = written(tmp_path, 'username = "señora 日本"\n[[device]]\nport = "/dev/ttyUSB0"\n')
    assert toml_file.read(file, File, {}).username == "señora 日本"


@pytest.mark.parametrize("letter", ["\\u0000", "\\n", "\\t", "\\u001b", "\\u007f", "\\u0085"])
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('username = "a{}"', "username"),
        ('[[device]]\nport = "/a"\n[[device]]\nport = "/dev/tty{}USB0"', "device[1].port"),
        ('[[device]]\nport = "/a"\noptions = {{ x = [1, ["{}"]] }}', "device[0].options.x[1][0]"),
    ],
)
def test_a_control_character_in_a_value_is_told_by_its_key(
    tmp_path: Path, text: str, key: str, letter: str
) -> None:
    error = refused(written(tmp_path, text.format(letter)))
    assert error.key == key
    assert "control character" in error.problem
    assert str(error).isprintable() or str(error).count("\n") == 1


def test_a_control_character_in_a_key_is_told_without_repeating_it(tmp_path: Path) -> None:
    error = refused(written(tmp_path, '[[device]]\nport = "/a"\n"a\\u001b[2J" = 1'))
    assert error.key == "device[0]"
    assert "\x1b" not in str(error)


def test_keys_without_end_in_keys_are_refused(tmp_path: Path) -> None:
    deep = ".".join("a" * 3000)
    assert "levels deep" in refused(written(tmp_path, f'[[device]]\nport = "/a"\noptions.{deep} = 1')).problem


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "pipe"])
def test_what_is_no_plain_file_is_refused_without_waiting(tmp_path: Path, device: str) -> None:
    file = Path(device)
    if device == "pipe":
        file = tmp_path / "pipe"
        os.mkfifo(file)
    error = refused(file)
    assert error.key is None
    assert "no table file" in error.problem or "cannot be read" in error.problem
