"""Options of a device that stand in a file of their own, because a command writes it: a calibration."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from daemon import toml_file
from daemon.config_file import TAKES, DeviceSection
from daemon.errors import ConfigurationError
from drivers import registry
from drivers.driver import DriverInfo

PLACES = ("pockets", "segments")
"""Keys of options and files that say of what kind a wheel is."""


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
    held: dict[str, Any] = {}
    refused = None
    try:
        held = _read(file, key, info, files) if read else {}
    except ConfigurationError as error:
        refused = error
    try:  # the mistakes that there are beside a file that is not there yet are not left for later
        options = toml_file.decode(file, said, info.options, TAKES, at=key)
        check(options)
    except ConfigurationError as error:
        raise (error.with_further(refused) if refused else error) from None
    if refused:
        raise refused
    return toml_file.decode(file, said | held, info.options, TAKES, at=key) if held else options


def _read(file: Path, key: str, info: DriverInfo, files: dict[str, Path]) -> dict[str, Any]:
    """What stands in the files, by option. Raises ConfigurationError: one, as a command writes them whole."""
    read: dict[str, Any] = {}
    for name, path in files.items():
        try:
            read[name] = msgspec.to_builtins(toml_file.read(path, info.files[name], {}))
        except ConfigurationError as error:
            what, remedy = _refused(file, info, name, path, error)
            raise ConfigurationError(file, f"{key}.{name}", f"{path}{what}", remedy) from error
    return read


def _refused(
    file: Path, info: DriverInfo, name: str, path: Path, error: ConfigurationError
) -> tuple[str, str]:
    """What is wrong with a file that was not taken, and what to do."""
    if isinstance(error.__cause__, FileNotFoundError):
        return " does not exist", "run `mesad calibrate` with this table file, or name the right file"
    if isinstance(error.__cause__, OSError):
        return f": {error.problem}", error.remedy
    if path.samefile(file):
        what = "it is this table file"
    elif error.key is None:
        what = error.problem
    else:
        what = _foreign(toml_file.parse(path), info, name) or f"{error.key}: {error.problem}"
    return f": {what}", "name the file that `mesad calibrate` wrote for this wheel, or calibrate it anew"


def unlike(path: Path, info: DriverInfo, name: str, options: Any) -> str | None:
    """What a file is that is none for the option of such a wheel; None for one that is, be it damaged, or
    where there is none.
    """
    try:
        held = toml_file.parse(path)
    except ConfigurationError as error:
        absent = isinstance(error.__cause__, FileNotFoundError)
        return None if absent else f"it is no {name} ({error.problem})"
    if what := _foreign(held, info, name):
        return what
    other = [each for each in PLACES if each in held and held[each] != getattr(options, each, None)]
    return f"it is the {name} of a wheel with other {other[0]}" if other else None


def _foreign(held: dict[str, Any], info: DriverInfo, name: str) -> str | None:
    """What a file is that is none for the driver's option; None for one that is, be it damaged."""
    if "table" in held:
        return "it is a table file"
    for driver in registry.BUILT_IN:
        other = registry.find(driver)
        if driver != info.name and name in other.files and _is(held, other.files[name]):
            return f"it is the {name} of a wheel with the driver {driver}"
    known = {field.encode_name for field in msgspec.structs.fields(info.files[name])}
    if held.keys() <= known and 2 * len(held) >= len(known):
        return None
    return f"it is no {name} of a wheel with the driver {info.name}"


def _is(held: dict[str, Any], kind: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(held, kind)
    except msgspec.ValidationError:
        return False
    return True
