"""A fuzz campaign against the sensor protocol and the drivers of bare wheels: spins on a bad line.

    python tests/campaigns/fuzz_sensor.py --seconds 600 --seed 1

Each execution plays some spins of one wheel through three drivers: whole, byte by byte, and restored from a
snapshot before every piece. They must say the same, raise nothing and stay small. In half of the executions
the line is bad (bits flipped, bytes lost, added or repeated, a cable pulled): then no place may be told that
is not the spin's. In the other half packets are whole and their fields are not what any device would send:
times, counters, positions, identities, channels. Prints executions, packets and findings; a finding can be
repeated by its seed. Exit code 1 if there are any.
"""

import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zlib import crc32

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import fuzzing  # noqa: E402 - found by the path above
import msgspec  # noqa: E402
from driver_twins import Twins  # noqa: E402
from fortune_wheel_line import COUNTED, RAW, calibrated, instant  # noqa: E402

from drivers.bare_wheel.driver import BareWheel  # noqa: E402
from drivers.bare_wheel.options import BareWheelOptions  # noqa: E402
from drivers.driver import Driver  # noqa: E402
from drivers.fortune_wheel.driver import FortuneWheelDriver  # noqa: E402
from drivers.fortune_wheel.options import FortuneWheelOptions  # noqa: E402
from drivers.readings import PlaceSettled, WheelAtRest  # noqa: E402
from protocols import cobs  # noqa: E402
from simulators.devices.sensor_fortune_wheel import Build, SensorFortuneWheel  # noqa: E402
from simulators.devices.sensor_wheel import SensorWheel  # noqa: E402
from simulators.traffic import Bytes  # noqa: E402

SNAPSHOT_LIMIT = 20_000
HEAD = 9
"""Bytes of a packet before its body."""


@dataclass
class Spins:
    """Some spins of a wheel: a driver for it, the packets by their arrival, and where each came to rest."""

    make: Callable[[], Driver]
    packets: list[tuple[float, bytes]]
    begins: list[float]
    places: list[int | None]


def ball_wheel(rng: Random) -> Spins:
    """A roulette or a boule."""
    kind, encoder = rng.choice(("roulette", "boule")), rng.choice(("counts", "edges"))
    wheel = SensorWheel(kind, encoder, rng.randrange(1 << 30), counts=120 if kind == "boule" else 240)  # type: ignore[arg-type]
    options = msgspec.convert(wheel.options, BareWheelOptions)
    games = list(wheel.games(2))
    packets = packets_of(item for game in games for item in (*game.items,))
    packets += packets_of(wheel.tail())
    return Spins(
        lambda: BareWheel("wheel", options),
        packets,
        [game.truth.launched for game in games],
        [game.truth.place for game in games],
    )


def fortune_wheel(rng: Random) -> Spins:
    """A fortune wheel, calibrated."""
    build: Build = rng.choice((COUNTED, RAW))
    options = FortuneWheelOptions(segments=54, counts=build.counts, calibration=calibrated(build))
    games = list(SensorFortuneWheel(build, rng.randrange(1 << 30)).games(2))
    return Spins(
        lambda: FortuneWheelDriver("wheel", options),
        packets_of(item for game in games for item in game.items),
        [game.items[0].t for game in games],
        [game.truth.segment for game in games],
    )


def packets_of(items: Iterator[object] | tuple[object, ...]) -> list[tuple[float, bytes]]:
    """The packets of a line, each with its ending zero."""
    return [
        (item.t, packet + cobs.END)
        for item in items
        if isinstance(item, Bytes)
        for packet in item.data.split(cobs.END)
        if packet
    ]


def damaged(rng: Random, packet: bytes) -> bytes:
    """A packet as a bad line leaves it."""
    data = bytearray(packet)
    place = rng.randrange(len(data))
    kind = rng.randrange(6)
    if kind == 0:
        data[place] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[place] = rng.choice((0, 1, 255, rng.randrange(256)))
    elif kind == 2:
        del data[place : place + rng.randint(1, 8)]
    elif kind == 3:
        data[place:place] = rng.randbytes(rng.randint(1, 4))
    elif kind == 4:
        data[:0] = rng.randbytes(rng.choice((1, 20, 600)))
    else:
        data.clear()
    return bytes(data)


def forged(rng: Random, packet: bytes) -> bytes:
    """A whole packet with fields of another packet's kind, of extremes, or of chance."""
    raw = cobs.decode(packet[:-1])
    assert raw is not None
    data = bytearray(raw[:-4])
    kind = rng.randrange(7)
    place = rng.randrange(HEAD, len(data)) if len(data) > HEAD else 1
    if kind == 0:
        data[place] = rng.choice((0, 1, 127, 128, 255))
    elif kind == 1:
        data[5:HEAD] = rng.choice((0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)).to_bytes(4, "little")
    elif kind == 2:
        data[3:5] = rng.randbytes(2)  # the sequence jumps
    elif kind == 3:
        data[place : place + 4] = rng.choice((b"\0" * 4, b"\xff" * 4, b"\0\0\0\x80", rng.randbytes(4)))
    elif kind == 4:
        data[1] = rng.randrange(1, 8)  # another kind with this one's body
    elif kind == 5:
        data[2] = rng.randrange(256)  # started again
    else:
        data[HEAD:] = rng.randbytes(rng.choice((len(data) - HEAD, rng.randrange(240))))
    return cobs.encode(bytes(data) + crc32(data).to_bytes(4, "little")) + cobs.END


def execute(seed: str, kinds: Counter[str]) -> int:
    """One execution; the number of packets it played. Raises on a finding."""
    rng = Random(seed)
    spins = rng.choice((ball_wheel, ball_wheel, fortune_wheel))(rng)
    spoil, trusted = rng.choice(((damaged, True), (forged, False)))
    rate = rng.choice((0.0005, 0.002, 0.01, 0.1))
    twins = Twins(spins.make, SNAPSHOT_LIMIT)
    twins.link_up(instant(0.0))
    held = b""
    for seconds, packet in spins.packets:
        at = instant(seconds)
        twins.wait(at)
        if rng.random() < rate:
            packet = spoil(rng, packet)
        held += packet
        if rng.random() < 0.1:
            continue  # comes in one piece with the next packet
        if rng.random() < rate / 10:
            cut = rng.randrange(len(held) + 1)
            twins.receive(held[:cut], at)
            held = b""
            twins.link_lost(at)
            twins.link_up(at)
            continue
        twins.receive(held, at)
        held = b""
    if trusted:
        _judge(spins, twins)
    kinds.update(type(reading).__name__ for reading in twins.said)
    return len(spins.packets)


def _judge(spins: Spins, twins: Twins) -> None:
    """No place is told but the spin's own: a checksum stands before every field."""
    starts = [instant(seconds).mono for seconds in spins.begins]
    for reading in twins.said:
        if isinstance(reading, PlaceSettled | WheelAtRest):
            spin = bisect_right(starts, reading.at.mono) - 1
            assert spin >= 0, reading
            assert reading.place == spins.places[spin], (reading, spins.places[spin])


def main() -> int:
    """Play until the time is over."""
    return fuzzing.run("fuzz the sensor protocol and its drivers", "packets", execute)


if __name__ == "__main__":
    sys.exit(main())
