"""How fast `mesad replay` judges a capture, and whether twice the lines take twice the time.

    python benchmarks/replay.py --lines 500000

The capture is a simulated campaign, faults included. A run is the whole process, from its start to the last
message; the two lengths alternate.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from simulators.scenarios import campaign
from simulators.traffic import Bytes, items_of

BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
GAMES = 10_000_000
"""More than any capture here has."""

TABLE = """\
[table]
site = "madrid-1"
id = "ruleta-01"
game = "french_roulette"
catalogue = "es-ct"
language = "ca"
[mqtt]
url = "mqtt://127.0.0.1:1883"
[journal]
path = "{folder}/ruleta-01.db"
[[device]]
id = "wheel"
role = "wheel"
driver = "cammegh"
port = "/dev/ttyUSB0"
options = {{ model = "slingshot-2" }}
"""


def rows(seed: int, fault_rate: float) -> Iterator[bytes]:
    """A campaign's lines without end, as rows of a capture: time, TAB, line."""
    held = b""
    for item in items_of(campaign(seed, GAMES, fault_rate)):
        if not isinstance(item, Bytes):
            continue
        *lines, held = (held + item.data).replace(b"\r", b"\n").split(b"\n")
        stamp = (BEGAN + timedelta(seconds=item.t)).isoformat(timespec="milliseconds").encode("ascii")
        for line in lines:
            if line:
                yield stamp + b"\t" + line + b"\n"


def replay(capture: Path, table: Path) -> float:
    """Seconds that one replay takes, all in all."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "daemon", "replay", str(capture), "--table", str(table)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def measure(lines: int, runs: int, seed: int, fault_rate: float, folder: Path) -> None:
    """Write the captures, replay them in turn, print the table."""
    table = folder / "ruleta-01.toml"
    table.write_text(TABLE.format(folder=folder))
    captures = {lines: folder / "once.tsv", 2 * lines: folder / "twice.tsv"}
    source = rows(seed, fault_rate)
    once = list(islice(source, lines))
    captures[lines].write_bytes(b"".join(once))
    captures[2 * lines].write_bytes(b"".join(once) + b"".join(islice(source, lines)))
    seconds: dict[int, list[float]] = {length: [] for length in captures}
    for _ in range(runs):
        for length, capture in captures.items():
            seconds[length].append(replay(capture, table))
    print(f"{'lines':>10}{'runs':>6}{'median s':>10}{'least':>8}{'most':>8}{'lines/s':>10}")
    for length, took in seconds.items():
        median = statistics.median(took)
        print(f"{length:10}{runs:6}{median:10.2f}{min(took):8.2f}{max(took):8.2f}{length / median:10.0f}")
    ratio = statistics.median(seconds[2 * lines]) / statistics.median(seconds[lines])
    print(f"twice the lines take {ratio:.2f} times as long")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=float, default=0.2, help="the share of games with a fault")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(args.lines, args.runs, args.seed, args.faults, Path(folder))


if __name__ == "__main__":
    main()
