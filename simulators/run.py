"""Simulated devices in real time: virtual time on the clock, bytes on a port, truths in a file."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Protocol, cast, get_args

from simulators import sensor_mishaps
from simulators.devices.cammegh import Model, SimulatedWheel
from simulators.devices.cammegh import Protocol as WireFormat
from simulators.devices.fortune_wheel_play import SCENARIOS, SpinTruth
from simulators.devices.fortune_wheel_troubles import FAULTS as SPIN_FAULTS
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_fortune_wheel import Build, Plan, SensorFortuneWheel
from simulators.devices.sensor_wheel import Kind, Mishaps, SensorTruth, SensorWheel
from simulators.faults import Schedule
from simulators.ports import Port, PseudoTerminal, TcpServer
from simulators.scenarios import at, possible, rated
from simulators.traffic import Bytes, Item, Truth, Unplug

AnyTruth = Truth | SensorTruth | SpinTruth
OnTruth = Callable[[AnyTruth], None]

DEVICES = ("wheel", "roulette", "boule", "fortune-wheel")
MIXED = "mixed"
"""The name for faults of all kinds."""
UNOPENED = 3.0
"""Seconds for which a port may wait for its reader before that is told."""
USUAL_RATE = 0.25
"""Share of the games that go wrong when no other is asked for."""


class Clock(Protocol):
    """What tells the time, in seconds, and waits."""

    def time(self) -> float:
        """Seconds of a clock that never steps."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; 0 lets other tasks run."""
        ...


class LoopClock:
    """The running loop's own clock."""

    def time(self) -> float:
        """The loop's time."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Sleep in the loop."""
        await asyncio.sleep(seconds)


class Player:
    """Puts items on a port at their times, `speed` times as fast; a late item does not make others late.

    Raises ValueError for a speed that is not above 0.
    """

    def __init__(self, port: Port, speed: float = 1.0, clock: Clock | None = None) -> None:
        if not speed > 0:
            raise ValueError(f"speed must be above 0, not {speed}")
        self.taken = self.lost = 0
        """Bytes that the port took, and that it did not."""
        self._port = port
        self._speed = speed
        self._clock = clock or LoopClock()
        self._start = self._clock.time()

    async def reader(self, patience: float = 0.02, on_unopened: Callable[[], None] | None = None) -> None:
        """Wait until somebody has the port open, and begin virtual time there.

        `on_unopened` is called once, when nobody has come for `UNOPENED` seconds.
        """
        while not self._port.listened():
            if on_unopened is not None and self._clock.time() - self._start >= UNOPENED:
                on_unopened()
                on_unopened = None
            await self._clock.sleep(patience)
        self._start = self._clock.time()

    async def play(self, item: Item) -> None:
        """Wait for the item's time and do it."""
        wait = self._start + item.t / self._speed - self._clock.time()
        await self._clock.sleep(max(wait, 0.0))
        if isinstance(item, Bytes):
            taken = self._port.write(item.data)
            self.taken += taken
            self.lost += len(item.data) - taken
        elif isinstance(item, Unplug):
            self._port.unplug()
        else:
            self._port.replug()


async def run_wheel(
    wheel: SimulatedWheel | SensorWheel | SensorFortuneWheel,
    port: Port,
    speed: float = 1.0,
    rounds: int | None = None,
    on_truth: OnTruth | None = None,
    *,
    wait_for_reader: bool = False,
    on_unopened: Callable[[], None] | None = None,
    clock: Clock | None = None,
) -> int:
    """Play so many games of a wheel on a port (without end for None) and the seconds after the last one.

    `on_truth` is called at the end of each game. With `wait_for_reader` the wheel is switched on when
    the port is first opened; `on_unopened` is called when nobody has done so for some seconds. Gives the
    number of bytes that no reader took. The port is left open.
    """
    player = Player(port, speed, clock)
    if wait_for_reader:
        await player.reader(on_unopened=on_unopened)
    for game in wheel.games(rounds):
        for item in game.items:
            await player.play(item)
        if on_truth is not None:
            on_truth(game.truth)
    for item in wheel.tail():
        await player.play(item)
    return player.lost


def _parts(fault: str) -> tuple[str, int | None, float]:
    """Name, game and rate of what `--fault` says. Raises ValueError for another form."""
    name, _, game = fault.partition("@")
    name, _, share = name.partition(":")
    if game and (name == MIXED or not game.isdecimal()):
        raise ValueError(f"{fault!r}: write NAME@GAME with the number of a game, from 0")
    try:
        rate = float(share) if share else USUAL_RATE
    except ValueError:
        raise ValueError(f"{fault!r}: {share!r} is not a rate from 0 to 0.5") from None
    return name, int(game) if game else None, rate


def schedule_of(
    fault: str | None, model: Model, protocol: WireFormat, seed: int, speed: float
) -> Schedule | None:
    """What `--fault` says: NAME or `mixed` in a quarter of the games, NAME:RATE, or NAME@GAME, from 0.

    Raises ValueError for a name that does not exist or that this wheel cannot have.
    """
    if fault is None:
        return None
    name, game, rate = _parts(fault)
    able = possible(model, protocol)
    if name not in (MIXED, *able):
        raise ValueError(
            f"no fault {name!r} on a {model} speaking {protocol}; known are: {', '.join(sorted(able))}"
        )
    if game is not None:
        return at({game: name})
    return rated(possible(model, protocol, speed) if name == MIXED else (name,), rate, seed)


def mishaps_of(fault: str | None, kind: Kind, seed: int) -> Mishaps | None:
    """The same for a wheel with bare sensors."""
    if fault is None:
        return None
    name, game, rate = _parts(fault)
    able = sensor_mishaps.possible(kind)
    if name not in (MIXED, *able):
        raise ValueError(f"no fault {name!r} on a {kind}; known are: {', '.join(sorted(able))}")
    if game is not None:
        return sensor_mishaps.at({game: name})
    return sensor_mishaps.rated(able if name == MIXED else (name,), rate, seed)


def sensor_wheel(kind: str, encoder: str, pockets: int, fault: str | None, seed: int) -> SensorWheel:
    """A roulette or a boule with bare sensors that stand where the driver's options have them by default.

    Raises ValueError for what there is not.
    """
    if kind not in get_args(Kind) or encoder not in get_args(Encoder):
        raise ValueError(f"no {kind!r} with an encoder read by {encoder!r}: counts or edges")
    wheel = cast(Kind, kind)
    mishaps = mishaps_of(fault, wheel, seed)
    places = pockets if kind == "roulette" else None
    return SensorWheel(wheel, cast(Encoder, encoder), seed, mishaps, pockets=places, aligned=True)


def spins_of(fault: str | None, seed: int) -> Plan:
    """The same for a fortune wheel: ways to play wrongly, faults of its sensors. The rate may be up to 1."""
    others = {**{name: (name, None) for name in SCENARIOS}, **{name: ("clean", name) for name in SPIN_FAULTS}}
    clean = others.pop("clean")
    if fault is None:
        return lambda index: clean
    name, game, rate = _parts(fault)
    if name not in (MIXED, *others):
        raise ValueError(f"no fault {name!r} on a fortune wheel; known are: {', '.join(sorted(others))}")
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"{fault!r}: the rate of faults must be from 0 to 1")
    able = tuple(others.values()) if name == MIXED else (others[name],)

    def plan(index: int) -> tuple[str, str | None]:
        rng = Random(f"{seed}/{index}/plan")
        goes_wrong = index == game if game is not None else rng.random() < rate
        return rng.choice(able) if goes_wrong else clean

    return plan


def spin_faults() -> dict[str, str]:
    """What can go wrong with a fortune wheel's spin, by name, in words."""
    return {name: said for name, (said, _) in SCENARIOS.items() if name != "clean"} | SPIN_FAULTS


def fortune_wheel(encoder: str, fault: str | None, seed: int) -> SensorFortuneWheel:
    """A fortune wheel with bare sensors: 4000 counts a turn, or the raw edges of 2160.

    Raises ValueError for what there is not.
    """
    if encoder not in get_args(Encoder):
        raise ValueError(f"no encoder read by {encoder!r}: counts or edges")
    build = Build(counts=2160, raw=True) if encoder == "edges" else Build()
    return SensorFortuneWheel(build, seed, spins_of(fault, seed))


def open_port(where: str | None) -> Port:
    """A port by its name: None or `pty`, `pty:LINK`, `tcp` (a free port), `tcp:PORT`, `tcp:HOST:PORT`.

    Raises ValueError for another form, OSError if it cannot be had.
    """
    kind, _, rest = (where or "pty").partition(":")
    if kind == "pty":
        return PseudoTerminal(Path(rest) if rest else None)
    host, _, port = rest.rpartition(":")
    if kind != "tcp" or not (not rest or (port.isdecimal() and int(port) <= 65_535)):
        raise ValueError(f"{where!r} is no port: pty, pty:LINK, tcp, tcp:PORT or tcp:HOST:PORT")
    return TcpServer(int(port or 0), host or "127.0.0.1")


def truths_in(path: Path) -> OnTruth:
    """What appends each truth to the file as a JSON line. Raises OSError if the file cannot be had."""
    path.touch()

    def append(truth: AnyTruth) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(truth)) + "\n")

    return append


async def simulate(
    device: str,
    *,
    model: str = "slingshot-2",
    protocol: str = "advanced",
    pockets: int = 37,
    encoder: str = "counts",
    fault: str | None = None,
    seed: int = 0,
    rounds: int | None = None,
    speed: float = 1.0,
    port: str | None = None,
    truth_path: Path | None = None,
    wait_for_reader: bool = True,
    on_ready: Callable[[str], None] | None = None,
    on_unopened: Callable[[str], None] | None = None,
) -> int:
    """A virtual device on a port, as `mesad simulate` runs it; gives the number of bytes nobody took.

    `on_ready` is called with the path to open, once the port is there, `on_unopened` with the same if nobody
    has opened it for some seconds. Each game's truth is appended to
    `truth_path` as a JSON line when the game ends. Raises ValueError for arguments that make no device,
    OSError if the port or the file cannot be had.
    """
    wheel: SimulatedWheel | SensorWheel | SensorFortuneWheel
    if device in get_args(Kind):
        wheel = sensor_wheel(device, encoder, pockets, fault, seed)
    elif device == "fortune-wheel":
        wheel = fortune_wheel(encoder, fault, seed)
    elif device != "wheel":
        raise ValueError(f"unknown device {device!r}; known are: {', '.join(DEVICES)}")
    elif model not in get_args(Model) or protocol not in get_args(WireFormat):
        raise ValueError(f"no wheel {model!r} speaking {protocol!r}")
    else:
        make, form = cast(Model, model), cast(WireFormat, protocol)
        wheel = SimulatedWheel(make, form, pockets, seed, schedule_of(fault, make, form, seed, speed))
    on_truth = None if truth_path is None else truths_in(truth_path)
    plugged = open_port(port)
    try:
        if on_ready is not None:
            on_ready(plugged.path)
        return await run_wheel(
            wheel,
            plugged,
            speed,
            rounds,
            on_truth,
            wait_for_reader=wait_for_reader,
            on_unopened=None if on_unopened is None else lambda: on_unopened(plugged.path),
        )
    finally:
        plugged.close()
