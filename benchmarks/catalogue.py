"""How long the catalogue takes to load: the whole of it, and one game as a table loads it.

    python benchmarks/catalogue.py --runs 30

Each run is a process of its own, so that nothing is warm but the disk's cache. The times are the call's
alone, on the clock and of the processor (which a busy machine disturbs less); the imports stand in a
column of their own, the interpreter's start in none. The two calls alternate.
"""

import argparse
import statistics
import subprocess
import sys
from typing import NamedTuple

TARGET = 30.0
"""Milliseconds for the whole catalogue."""

PROGRAM = """\
import sys, time
began = time.perf_counter()
from daemon.catalogue.families import FAMILIES
from daemon.catalogue.load import load_all, load_game
from daemon.catalogue.rules import REGISTRY
[FAMILIES[family] for family in FAMILIES], list(REGISTRY)  # imported when asked for; not what is measured
imported, cpu = time.perf_counter(), time.process_time()
found = [load_game(*sys.argv[1:])] if sys.argv[1:] else load_all()
ended, cpu_ended = time.perf_counter(), time.process_time()
print(imported - began, ended - imported, cpu_ended - cpu, len(found))
"""


class Run(NamedTuple):
    """What one process says: three times in seconds, and how many games it loaded."""

    imports: float
    clock: float
    processor: float
    games: int


def run(*game: str) -> Run:
    """Load a text's game in a fresh process; without one, the whole catalogue."""
    command = [sys.executable, "-c", PROGRAM, *game]
    imports, clock, processor, games = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.split()
    return Run(float(imports), float(clock), float(processor), int(games))


def measure(runs: int, text: str, game: str) -> None:
    """Run the calls in turn, print the table and whether the target is met."""
    calls: dict[str, tuple[str, ...]] = {"whole": (), "one game": (text, game)}
    took: dict[str, list[Run]] = {name: [] for name in calls}
    run()  # writes the byte code
    for _ in range(runs):
        for name, call in calls.items():
            took[name].append(run(*call))
    print(
        f"{'':10}{'games':>6}{'runs':>5}{'median ms':>11}{'least':>7}{'most':>7}{'CPU ms':>8}{'imports':>9}"
    )
    for name, rows in took.items():
        clock = [1000 * row.clock for row in rows]
        processor, imports = (1000 * statistics.median(r[i] for r in rows) for i in (2, 0))
        print(
            f"{name:10}{rows[0].games:6}{runs:5}{statistics.median(clock):11.2f}{min(clock):7.2f}"
            f"{max(clock):7.2f}{processor:8.2f}{imports:9.1f}"
        )
    whole = 1000 * statistics.median(row.clock for row in took["whole"])
    print(f"the whole catalogue takes {whole:.1f} ms; wanted is less than {TARGET:.0f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--text", default="es-ct")
    parser.add_argument("--game", default="french_roulette")
    args = parser.parse_args()
    measure(args.runs, args.text, args.game)


if __name__ == "__main__":
    main()
