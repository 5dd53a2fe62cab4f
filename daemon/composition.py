"""From a checked configuration to the pure parts of a table, for all commands that play one."""

from collections.abc import Mapping

import msgspec

from daemon.config import TableConfig
from daemon.table.messages import TableSetup
from daemon.table.terms import DeviceTerms, Terms
from daemon.version import VERSION
from drivers.driver import Driver


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
            device.id: DeviceTerms(
                role=device.role, driver=device.driver.name, options=msgspec.to_builtins(device.options)
            )
            for device in config.devices
        },
    )


def table_setup(config: TableConfig) -> TableSetup:
    """What a table needs to know of its configuration."""
    return TableSetup(
        site=config.site,
        id=config.id,
        game=config.game,
        language=config.language,
        policy=config.policy,
        minimum=config.minimum,
        multiple=config.multiple,
        devices=tuple(device.description for device in config.devices),
        version=VERSION,
        test=config.test,
        segments=config.segments,
        wheel=config.wheel,
        ball=config.ball,
        terms=terms_of(config),
    )


def make_drivers(config: TableConfig) -> Mapping[str, Driver]:
    """A fresh driver for each device, by the device's id."""
    return {device.id: device.driver.make(device.id, device.options) for device in config.devices}
