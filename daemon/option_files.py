"""Options of a device that stand in a file of their own, because a command writes it: a calibration."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from daemon import toml_file
from daemon.config_file import TAKES, DeviceSection
from daemon.errors import ConfigurationError
from drivers import registry
from drivers.driver import DriverInfo


def named(info: DriverInfo, section: DeviceSection, here: Path) -> dict[str, Path]:
    """The options that name files, with their paths; relative ones are meant from the folder `here`."""
    said = ((name, section.options.get(name)) for name in info.files)
    return {name: here / path for name, path in said if isinstance(path, str) and path}


def decoded(
    file: Path,
    key: str,
    info: DriverInfo,
    section: DeviceSection,
    files: dict[str, Path],
    check: Callable[[Any], None],
    *,
    read: bool,
) -> Any:
    """The options; with `read`, what stands in the files of their own among them. Raises ConfigurationError.

    `file` is the table file, `key` the options' place in it. `check` refuses options by what else is there.
    """
    said = {name: value for name, value in section.options.items() if name not in files}
    absent = _absent(file, key, files) if read else None
    try:  # the mistakes that there are beside a file that is not there yet are not left for later
        options = toml_file.decode(file, said, info.options, TAKES, at=key)
        check(options)
    except ConfigurationError as error:
        raise (error.with_further(absent) if absent else error) from None
    if absent:
        raise absent
    if not read or not files:
        return options
    return toml_file.decode(file, said | _read(file, key, info, files), info.options, TAKES, at=key)


def _absent(file: Path, key: str, files: dict[str, Path]) -> ConfigurationError | None:
    """The first of the files that is not there."""
    for name, path in files.items():
        if not path.exists():
            remedy = "run `mesad calibrate` with this table file, or name the right file"
            return ConfigurationError(file, f"{key}.{name}", f"{path} does not exist", remedy)
    return None


def _read(file: Path, key: str, info: DriverInfo, files: dict[str, Path]) -> dict[str, Any]:
    """What stands in the files, by option. Raises ConfigurationError: one, as a command writes them whole."""
    read: dict[str, Any] = {}
    for name, path in files.items():
        try:
            read[name] = msgspec.to_builtins(toml_file.read(path, info.files[name], {}))
        except ConfigurationError as error:
            if path.samefile(file):
                what = "it is this table file"
            elif error.key is None:
                what = error.problem
            else:
                what = foreign(path, info, name) or f"{error.key}: {error.problem}"
            remedy = "name the file that `mesad calibrate` wrote for this wheel, or calibrate it anew"
            raise ConfigurationError(file, f"{key}.{name}", f"{path}: {what}", remedy) from error
    return read


def foreign(path: Path, info: DriverInfo, name: str) -> str | None:
    """What a file is that is none for the driver's option; None for one that is, be it damaged."""
    try:
        held = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return f"it is no {name}"
    if "table" in held:
        return "it is a table file"
    for driver in registry.BUILT_IN:
        other = registry.find(driver)
        if driver != info.name and name in other.files and _is(held, other.files[name]):
            return f"it is the {name} of a wheel with the driver {driver}"
    if "serial" in held and not any(isinstance(value, dict) for value in held.values()):
        return None
    return f"it is no {name} of a wheel with the driver {info.name}"


def _is(held: dict[str, Any], kind: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(held, kind)
    except msgspec.ValidationError:
        return False
    return True
