"""The settings under which a round was played, and how the table file differs from them now."""

from typing import Any

import msgspec

from daemon.config import DeviceConfig, TableConfig
from daemon.table.terms import DeviceTerms, Terms
from daemon.version import VERSION

UNKNOWN = (
    "the journal does not say which settings the round was played with: those of the table file as it is now "
    "are taken"
)
LAW_CHANGED = "the catalogue, or the house's own rules, are not those under which the round was judged"
CHANGED = "the table file was changed since: "


def terms_of(config: TableConfig) -> Terms:
    """What the table file says now."""
    return Terms(
        version=VERSION,
        game=config.game.id,
        catalogue=config.game.text,
        catalogue_hash=config.game.hash,
        language=config.language,
        policy=config.policy,
        test=config.test,
        segments=config.segments,
        devices={
            device.id: DeviceTerms(driver=device.driver.name, options=msgspec.to_builtins(device.options))
            for device in config.devices
        },
    )


def as_played(config: TableConfig, terms: Terms | None) -> TableConfig:
    """The table with the settings of then, as far as they can be had: not the law, nor another driver."""
    if terms is None:
        return config
    return msgspec.structs.replace(
        config,
        language=terms.language,
        policy=terms.policy,
        test=terms.test,
        segments=terms.segments,
        devices=tuple(_as_played(device, terms.devices.get(device.id)) for device in config.devices),
    )


def _as_played(device: DeviceConfig, then: DeviceTerms | None) -> DeviceConfig:
    options = None if then is None else _options(device, then)
    return device if options is None else msgspec.structs.replace(device, options=options)


def _options(device: DeviceConfig, then: DeviceTerms) -> Any:
    """The options of then; None where the driver is another, or another version's, which had others."""
    if then.driver != device.driver.name:
        return None
    try:
        return msgspec.convert(then.options, device.driver.options)
    except msgspec.ValidationError:
        return None


def changes(config: TableConfig, terms: Terms | None, catalogue_hash: str) -> list[str]:
    """What is another now than when the round was played, in words, a line each; the hash is the law's."""
    now = terms_of(config)
    told = [] if catalogue_hash == now.catalogue_hash else [LAW_CHANGED]
    if terms is None:
        return [UNKNOWN, *told]
    if terms.version != now.version:
        told.append(f"the round was judged by mesad {terms.version}, this is {now.version}")
    for name, was, is_ in (
        ("table.game", terms.game, now.game),
        ("table.catalogue", terms.catalogue, now.catalogue),
        ("table.language", terms.language, now.language),
        ("policy.void", terms.policy, now.policy),
        ("table.test", terms.test, now.test),
    ):
        if was != is_:
            told.append(f"{CHANGED}{name} was {_written(was)} and is {_written(is_)}")
    if terms.segments != now.segments:
        told.append(f"{CHANGED}table.segments was another order: {' '.join(terms.segments)}")
    for name, then in terms.devices.items():
        told += _device_changes(name, then, config)
    return told


def _device_changes(name: str, then: DeviceTerms, config: TableConfig) -> list[str]:
    device = next((each for each in config.devices if each.id == name), None)
    if device is None:
        return [f"{CHANGED}the device {name} (driver {then.driver}) is not in it any more"]
    if device.driver.name != then.driver:
        return [f"{CHANGED}the driver of device {name} was {then.driver} and is {device.driver.name}"]
    options = _options(device, then)
    if options is None:
        return [f"the options of device {name} were those of another version: the present ones are taken"]
    was, is_ = msgspec.to_builtins(options), msgspec.to_builtins(device.options)
    others = sorted(key for key in {*was, *is_} if was.get(key) != is_.get(key))
    return [f"{CHANGED}options of device {name} were others: {', '.join(others)}"] if others else []


def _written(value: object) -> str:
    return msgspec.json.encode(value).decode()
