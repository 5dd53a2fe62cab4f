"""Tables that name a calibration, and what may stand in its file."""

from pathlib import Path

from spin_play import order_of

TABLE = """\
[table]
site = "madrid-1"
id = "rueda-01"
game = "fortune_wheel"
catalogue = "es-ct"
language = "ca"
segments = {segments}
[journal]
path = "rueda-01.db"
[[device]]
id = "wheel"
role = "fortune_wheel"
driver = "fortune-wheel"
port = "{port}"
options = {{ segments = 54, counts = 4000{calibration} }}
"""
BOULE = 'serial = "B"\npockets = 18\nturning = "sensor"\noffset = 0.5\nsights = 12\n'
"""A boule's calibration."""


def fortune_wheel_table(
    folder: Path, port: str = "/dev/null", calibration: str = ', calibration = "wheel.toml"'
) -> Path:
    """The file of a table with a fortune wheel."""
    file = folder / "table.toml"
    segments = str(list(order_of("es-ct"))).replace("'", '"')
    file.write_text(TABLE.format(segments=segments, port=port, calibration=calibration))
    return file
