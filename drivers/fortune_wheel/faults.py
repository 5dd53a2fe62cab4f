"""The device's faults in the house's form."""

from collections.abc import Iterator

from drivers.fortune_wheel.options import FortuneWheelOptions
from protocols import sensor as wire

_FAULTS = {
    1: ("still", "does not change though others do"),
    2: ("stuck", "is blinded or stuck"),
    3: ("supply", "supply out of range"),
    4: ("edges_lost", "edges are lost"),
    5: ("clock", "the device's clock is wrong"),
    6: ("memory", "the device's memory or firmware check failed"),
    7: ("encoder", "the encoder's channels do not alternate"),
}


def described(fault: wire.Fault) -> tuple[str, str]:
    """A fault's code and what it is in words."""
    code, text = _FAULTS.get(fault.code, (f"maker_{fault.code}", f"the maker's fault {fault.code}"))
    if fault.channel != 255:
        channel = wire.CHANNELS[fault.channel]
        code, text = f"{code}_{channel}", f"{channel}: {text}"
    return f"sensor_{code}", f"{text} (detail {fault.detail})" if fault.detail else text


def misfits(identity: wire.Identity, options: FortuneWheelOptions) -> Iterator[tuple[str, str, bool]]:
    """Each way in which a device can be another than the table file says: code, words, and whether it is."""
    text = f"the encoder has {identity.counts} counts a turn, the table file says {options.counts}"
    yield "encoder_counts", text, identity.counts not in (0, options.counts)
    known = options.calibration
    if known is not None:
        text = f"the calibration is that of {known.serial}, the device is {identity.serial}"
        yield "calibration_foreign", text, identity.serial != known.serial


def of_device(code: str) -> bool:
    """Whether the device found the fault in itself; the others, the host finds in what it hears."""
    return code.startswith(("sensor_", "self_test_"))
