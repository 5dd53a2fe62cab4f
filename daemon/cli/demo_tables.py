"""The demonstration's tables: at least one of every family that is played, each with a simulated wheel."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from daemon.catalogue.families.fortune_wheel import FortuneWheel
from daemon.catalogue.load import load_game
from daemon.play import PLAYED

if TYPE_CHECKING:
    from simulators.devices.cammegh import SimulatedWheel
    from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel
    from simulators.devices.sensor_wheel import SensorWheel

FAULTS = "mixed:0.3"
Device = Literal["slingshot-2", "mercury-360", "roulette", "boule", "fortune-wheel"]
DEVICES: Mapping[Device, str] = {
    "slingshot-2": "a Slingshot 2",
    "mercury-360": "a Mercury 360",
    "roulette": "a wheel with bare sensors",
    "boule": "a basin with bare sensors",
    "fortune-wheel": "a wheel with bare sensors",
}


class Shown(NamedTuple):
    """A table of the demonstration: its game and law, and the device that plays it."""

    id: str
    game: str
    catalogue: str
    language: str
    device: Device


TABLES = (
    Shown("ruleta-01", "french_roulette", "es-1979", "es", "slingshot-2"),
    Shown("ruleta-02", "french_roulette", "es-ct", "ca", "mercury-360"),
    Shown("ruleta-03", "american_roulette_double_zero", "es-ex", "es", "slingshot-2"),
    Shown("ruleta-04", "american_roulette", "es-ct", "en", "roulette"),
    Shown("boule-01", "boule", "es-1979", "es", "boule"),
    Shown("rueda-01", "fortune_wheel", "es-ct", "ca", "fortune-wheel"),
)

TABLE_FILE = """\
[table]
site = "demo"
id = "{table.id}"
game = "{table.game}"
catalogue = "{table.catalogue}"
language = "{table.language}"
{order}test = true
[mqtt]
url = "mqtt://127.0.0.1:{broker}"
[journal]
path = "{table.id}.db"
[[device]]
id = "wheel"
role = "{role}"
driver = "{driver}"
port = "{port}"
options = {options}
"""


class Simulated(NamedTuple):
    """A table's simulated wheel, and what its table file says of it."""

    wheel: "SimulatedWheel | SensorWheel | SensorFortuneWheel"
    driver: str
    options: Mapping[str, object]


def set_up(
    table: Shown, folder: Path, broker: int, port: str, seed: int, speed: float
) -> tuple[Path, Simulated]:
    """Writes the table's file, and for a fortune wheel its calibration beside it; the file, and its wheel."""
    game = load_game(table.catalogue, table.game)
    segments = _order(game) if isinstance(game, FortuneWheel) else ()
    places = len(PLAYED[game.family].layout_of(game, segments))
    simulated = _simulated(table, places, folder, seed, speed)
    file = folder / f"{table.id}.toml"
    text = TABLE_FILE.format(
        table=table,
        order=f"segments = {json.dumps(segments)}\n" if segments else "",
        broker=broker,
        role=PLAYED[game.family].role,
        driver=simulated.driver,
        port=port,
        options=f"{{ {', '.join(_lines(simulated.options))} }}",
    )
    file.write_text(text)
    return file, simulated


def _simulated(table: Shown, places: int, folder: Path, seed: int, speed: float) -> Simulated:
    from simulators import run
    from simulators.devices.cammegh import SimulatedWheel

    match table.device:
        case "roulette" | "boule":
            bare = run.sensor_wheel(table.device, "counts", places, FAULTS, seed)
            return Simulated(bare, "bare-wheel", bare.options)
        case "fortune-wheel":
            wheel = run.fortune_wheel("counts", FAULTS, seed)
            known = folder / f"{table.id}.wheel.toml"
            known.write_text("\n".join(_lines(wheel.build.calibration)) + "\n")
            options = {"segments": places, "counts": wheel.build.counts, "calibration": known.name}
            return Simulated(wheel, "fortune-wheel", options)
        case model:
            protocol: Literal["advanced", "extended"] = "advanced" if model == "slingshot-2" else "extended"
            schedule = run.schedule_of(FAULTS, model, protocol, seed, speed)
            turnkey = SimulatedWheel(model, protocol, places, seed, schedule)
            return Simulated(turnkey, "cammegh", {"model": model, "protocol": protocol, "pockets": places})


def _order(game: FortuneWheel) -> tuple[str, ...]:
    """A wheel that answers the text's counts, like symbols kept apart: no text has their order."""
    left = {symbol.id: symbol.segments for symbol in game.wheel.symbols}
    rim: list[str] = []
    while any(left.values()):
        rim += [symbol for symbol, many in left.items() if many]
        left = {symbol: max(many - 1, 0) for symbol, many in left.items()}
    return tuple(rim)


def _lines(values: Mapping[str, object]) -> Iterable[str]:
    return (f"{key} = {json.dumps(value)}" for key, value in values.items())
