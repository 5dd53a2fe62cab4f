"""Every fault that the documents name for bare sensors has a remedy of its own."""

import re
from pathlib import Path

import pytest

from drivers.sensor_faults import OF_ITSELF, OF_ONE_SENSOR
from drivers.sensor_remedies import remedy_of
from protocols.sensor import CHANNELS

DOCUMENT = Path(__file__).parents[2] / "docs" / "operating.md"
OTHERS = re.compile(r"journal|publish|wheel_|rim_sensors|rotor_speed")
"""Of the daemon itself, of other wheels, of the statistics."""


def documented() -> list[str]:
    rows = [row for row in DOCUMENT.read_text("utf-8").splitlines() if row.startswith("| fault ")]
    codes = [code for row in rows for code in re.findall(r"`([a-z0-9_]+)(?:_…)?`", row.split("|")[1])]
    return [code for code in codes if not OTHERS.match(code) and not code.isdigit()]


@pytest.mark.parametrize("code", documented())
def test_a_documented_fault_has_a_remedy(code: str) -> None:
    assert remedy_of(code) != remedy_of("pump_broken")


def test_a_channels_fault_has_its_kinds_remedy_and_an_unknown_one_none() -> None:
    for code, (name, _) in OF_ITSELF.items():
        remedy = remedy_of(f"sensor_{name}")
        assert remedy_of(f"sensor_{name}_{CHANNELS[0]}") == remedy
        assert (remedy == remedy_of("sensor")) == (code in OF_ONE_SENSOR), "one that a channel is named with"
    assert remedy_of("sensor_fault_200").startswith("see the manual")
    assert remedy_of("self_test_rim_1") == remedy_of("self_test_pointer") != ""
    assert remedy_of("pump_broken") == "see the device's manual"
