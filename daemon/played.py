"""A round with the settings under which it was played, and how the table file differs from them now."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from daemon.composition import make_drivers, table_setup, terms_of
from daemon.config import DeviceConfig, TableConfig
from daemon.play import PLAYED
from daemon.records import Message
from daemon.replay import MakeDrivers, TraceHead, TraceInput, play_trace
from daemon.table.messages import TableSetup
from daemon.table.terms import DeviceTerms, Terms
from daemon.tap import TappedDriver
from daemon.version import VERSION
from drivers import registry
from drivers.driver import Driver
from drivers.links.replay import CaptureError
from drivers.readings import AnyReading

UNKNOWN = (
    "the journal does not say which settings the round was played with: those of the table file as it is now "
    "are taken"
)
LAW_CHANGED = "the catalogue, or the house's own rules, are not those under which the round was judged"
CHANGED = "the table file was changed since: "
RESTARTED = "mesad was restarted during the round, with another table file, by which it was ended: "


def as_played(config: TableConfig, head: TraceHead, terms: Terms | None) -> TableConfig:
    """The table with the names and settings of then, all but the law; `terms` are of a run of the round.

    Raises CaptureError where a driver of then cannot be had.
    """
    config = msgspec.structs.replace(config, site=head.site, id=head.table)
    if terms is None:
        return config
    return msgspec.structs.replace(
        config,
        language=terms.language,
        policy=terms.policy,
        test=terms.test,
        segments=terms.segments,
        devices=tuple(_as_played(name, then, config) for name, then in terms.devices.items()),
    )


def _as_played(name: str, then: DeviceTerms, config: TableConfig) -> DeviceConfig:
    try:
        driver = registry.find(then.driver)
        options = msgspec.convert(then.options, driver.options)
    except registry.DriverError as error:
        raise CaptureError(f"the round was played with the {error}") from error
    except msgspec.ValidationError as error:
        raise CaptureError(f"this version has not the options of device {name} of then: {error}") from error
    needed = PLAYED[config.game.family].role
    role = then.role or (needed if needed in driver.roles else min(driver.roles))
    port = next((device.port for device in config.devices if device.id == name), "")
    return DeviceConfig(id=name, role=role, driver=driver, port=port, identity=port, options=options)


def judge_again(
    config: TableConfig, head: TraceHead, inputs: list[TraceInput], source: str, heard: list[AnyReading]
) -> Iterator[Message]:
    """A recorded round with the settings that it was played with; what the devices said goes to `heard`.

    Raises CaptureError, naming `source` and its line where one is at fault.
    """

    def run(terms: Terms | None) -> tuple[TableSetup, MakeDrivers]:
        played = as_played(config, head, terms)

        def listened_to() -> Mapping[str, Driver]:
            return {name: TappedDriver(driver, heard) for name, driver in make_drivers(played).items()}

        return table_setup(played), listened_to

    ended = None if head.ended is None else run(head.ended)
    return play_trace(*run(head.terms), head, inputs, source, ended=ended)


def changes(config: TableConfig, head: TraceHead) -> list[str]:
    """What was another when the round began than when it ended or than it is now, in words, a line each."""
    now, terms, ended = terms_of(config), head.terms, head.ended
    runs = [run for run in (terms, ended) if run is not None]
    laws = {head.catalogue_hash, *(run.catalogue_hash for run in runs)}
    told = [] if laws == {now.catalogue_hash} else [LAW_CHANGED]
    names = (("table.site", head.site, config.site), ("table.id", head.table, config.id))
    told += [CHANGED + words for words in _others(names)]
    if terms is None:
        return [UNKNOWN, *told]
    versions = sorted({run.version for run in runs} - {VERSION})
    told += [f"the round was judged by mesad {version}, this is {VERSION}" for version in versions]
    if ended is not None:
        told += [RESTARTED + words for words in _differences(terms, ended)]
    unread = {
        (device.id, name)
        for device in config.devices
        for name in device.files
        if getattr(device.options, name) is None
    }
    return told + [CHANGED + words for words in _differences(terms, now, unread)]


def _differences(was: Terms, now: Terms, unread: Collection[tuple[str, str]] = ()) -> Iterator[str]:
    """In words; of the options, by device, that are `unread` nothing is known now."""
    yield from _others(
        (
            ("table.game", was.game, now.game),
            ("table.catalogue", was.catalogue, now.catalogue),
            ("table.language", was.language, now.language),
            ("policy.void", was.policy, now.policy),
            ("table.test", was.test, now.test),
        )
    )
    if was.segments != now.segments:
        yield f"table.segments was another order: {' '.join(was.segments)}"
    for name, device in was.devices.items():
        if name not in now.devices:
            yield f"the device {name} (driver {device.driver}) was removed"
        elif device.driver != now.devices[name].driver:
            yield f"the driver of device {name} was {device.driver} and became {now.devices[name].driver}"
        else:
            before, after = _options(device), _options(now.devices[name])
            others = {key for key in {*before, *after} if before.get(key) != after.get(key)}
            if told := sorted(key for key in others if (name, key) not in unread):
                yield f"options of device {name} were others: {', '.join(told)}"
    for name, device in now.devices.items():
        if name not in was.devices:
            yield f"the device {name} (driver {device.driver}) was added"


def _options(device: DeviceTerms) -> dict[str, Any]:
    """A device's options, those that its version did not know yet as they are by default."""
    try:
        options = msgspec.convert(device.options, registry.find(device.driver).options)
    except (msgspec.ValidationError, registry.DriverError):
        return device.options
    known: dict[str, Any] = msgspec.to_builtins(options)
    return known


def _others(values: Collection[tuple[str, object, object]]) -> Iterator[str]:
    for name, was, became in values:
        if was != became:
            yield f"{name} was {_written(was)} and became {_written(became)}"


def _written(value: object) -> str:
    return msgspec.json.encode(value).decode()
