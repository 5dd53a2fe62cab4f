"""Options of a device that stand in a file of their own, because a command writes it: a calibration."""

from pathlib import Path
from typing import Any

import msgspec

from daemon import toml_file
from daemon.config_file import DeviceSection
from daemon.errors import ConfigurationError
from drivers.driver import DriverInfo


def named(info: DriverInfo, section: DeviceSection, here: Path) -> dict[str, Path]:
    """The options that name files, with their paths; relative ones are meant from the folder `here`."""
    said = ((name, section.options.get(name)) for name in info.files)
    return {name: here / path for name, path in said if isinstance(path, str) and path}


def without(section: DeviceSection, files: dict[str, Path]) -> dict[str, Any]:
    """The other options."""
    return {name: value for name, value in section.options.items() if name not in files}


def read(
    file: Path, key: str, info: DriverInfo, section: DeviceSection, files: dict[str, Path]
) -> dict[str, Any]:
    """All options, with each file's content for its path. Raises ConfigurationError.

    `file` is the table file, `key` the options' place in it.
    """
    options = dict(section.options)
    for name, path in files.items():
        if not path.exists():
            remedy = "run `mesad calibrate` with this table file, or name the right file"
            raise ConfigurationError(file, f"{key}.{name}", f"{path} does not exist", remedy)
        options[name] = msgspec.to_builtins(toml_file.read(path, info.files[name], {}))
    return options
