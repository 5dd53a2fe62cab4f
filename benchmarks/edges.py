"""How many edges a second go through the sensor protocol's decoder and the driver, and whether memory stays.

    python benchmarks/edges.py --spins 20 --runs 7

Spins of a simulated roulette whose encoder sends its raw edges are recorded packet by packet; a run replays
the recording through a new driver and counts the processor's time. Then a simulated day of the same wheel is
played, its packets made as they are needed, and the process's resident memory compared before and after.
"""

import argparse
import gc
import resource
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from drivers.bare_wheel.driver import DRIVER, BareWheel
from drivers.readings import Instant, PlaceSettled
from protocols.sensor import Edges
from protocols.sensor_decoder import SensorDecoder
from simulators.devices.sensor_wheel import SensorWheel
from simulators.traffic import Bytes

DAY = 86_400.0
PAGE = resource.getpagesize()


def wheel(counts: int, seed: int) -> SensorWheel:
    """A roulette with so many counts a turn."""
    return SensorWheel("roulette", "edges", seed, counts=counts)


def driver(of: SensorWheel) -> BareWheel:
    """A driver for it, its link open."""
    made = BareWheel("wheel", msgspec.convert(of.options, DRIVER.options))
    made.link_up(Instant(0, 0))
    return made


def packets(of: SensorWheel, spins: int | None) -> Iterator[tuple[Instant, bytes]]:
    """What is on its line, with instants."""
    for game in of.games(spins):
        for item in game.items:
            if isinstance(item, Bytes):
                yield Instant(int(item.t * 1e9), int(item.t * 1e6)), item.data


def edges_in(recording: list[tuple[Instant, bytes]]) -> int:
    """How many edges it holds."""
    decoder = SensorDecoder()
    messages = (message for _, data in recording for message in decoder.feed(data))
    return sum(len(message.times) for message in messages if isinstance(message, Edges))


def replay(of: SensorWheel, recording: list[tuple[Instant, bytes]]) -> tuple[float, int]:
    """Seconds of one core that one replay takes, and places that the driver told."""
    made = driver(of)
    places = 0
    began = time.process_time()
    for at, data in recording:
        said = made.receive(data, at)
        if said:
            places += sum(isinstance(reading, PlaceSettled) for reading in said)
    return time.process_time() - began, places


def speed(spins: int, runs: int, counts: int, seed: int) -> None:
    """Record, replay, print."""
    recorded = wheel(counts, seed)
    recording = list(packets(recorded, spins))
    edges = edges_in(recording)
    took = []
    for _ in range(runs):
        seconds, places = replay(recorded, recording)
        assert places == spins, "every spin must be told"
        took.append(seconds)
    rates = sorted(edges / seconds for seconds in took)
    print(
        f"{'edges':>10}{'packets':>9}{'spins':>7}{'runs':>6}{'median edges/s':>16}{'least':>11}{'most':>11}"
    )
    print(
        f"{edges:10}{len(recording):9}{spins:7}{runs:6}{statistics.median(rates):16.0f}"
        f"{rates[0]:11.0f}{rates[-1]:11.0f}"
    )


def resident() -> int:
    """Resident memory of this process, kB."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE // 1024


def day(counts: int, seed: int) -> None:
    """Play a day, print memory at the first hour's end and at the last one's."""
    made_of = wheel(counts, seed)
    made = driver(made_of)
    marks: list[int] = []
    places = number = 0
    for at, data in packets(made_of, None):
        said = made.receive(data, at)
        number += 1
        places += sum(isinstance(reading, PlaceSettled) for reading in said)
        if at.mono > len(marks) * 3600e9:
            marks.append(resident())
        if at.mono > DAY * 1e9:
            break
    print(f"a day: {number} packets, {places} places told, driver's state {len(made.snapshot())} bytes")
    print(f"resident memory after the first hour {marks[1]} kB, after the last {resident()} kB")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spins", type=int, default=20)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--counts", type=int, default=1440, help="of one turn, in the recording")
    parser.add_argument("--day-counts", type=int, default=240, help="of one turn, in the day")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    speed(args.spins, args.runs, args.counts, args.seed)
    day(args.day_counts, args.seed)


if __name__ == "__main__":
    main()
