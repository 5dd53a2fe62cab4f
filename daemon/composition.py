"""From a checked configuration to the pure parts of a table, for all commands that play one."""

from collections.abc import Mapping

from daemon.config import TableConfig
from daemon.played import terms_of
from daemon.table.messages import TableSetup
from daemon.version import VERSION
from drivers.driver import Driver


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
