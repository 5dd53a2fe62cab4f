"""Thousands of spins of roulettes and boules with bare sensors, each verdict compared with the truth.

    python tests/campaigns/bare_wheels.py --spins 20000

Sensors are noisy in every spin: late, missed and bouncing edges. In a share of the spins something goes
wrong, every mishap alike often. Bytes go in virtual time through the same driver, table, rounds and rules as
in `mesad run`; half the wheels count their encoder in hardware, half send its edges, and each has its own
geometry. The exit code is 1 if a spin that must be void came out valid, if a valid one had the wrong pocket,
turns or senses, if a spin of either kind has no record or two, or if more than one clean spin in ten thousand
was voided.
"""

import argparse
import sys
import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from daemon.catalogue.load import load_game
from daemon.records import DeviceDescription, RoundRecord
from daemon.replay import play
from daemon.table.messages import TableSetup
from daemon.table.table import Table
from drivers.bare_wheel.driver import DRIVER, BareWheel
from drivers.links.replay import LinkChange, Played
from drivers.readings import AnyReading, BallLap, BallLaunched, Instant, PlaceSettled
from simulators import sensor_mishaps
from simulators.devices.microcontroller import Encoder
from simulators.devices.sensor_wheel import Kind, SensorTruth, SensorWheel
from simulators.traffic import Bytes, Unplug

EPOCH = 1_700_000_000_000_000
TEXT = "es-1979"
GAMES: dict[Kind, str] = {"roulette": "french_roulette", "boule": "boule"}
CHUNK = 500
"""Spins of one wheel; the next ones are another wheel's."""
SAMPLED = (0.05, 0.002, 0.01)
"""Seconds between two positions of an encoder that is counted in hardware."""
VERDICTS = ("valid", "void", "none")
WRONG = ("void as valid", "voided", "lost", "twice", "wrong place", "wrong turns", "wrong sense")


@dataclass
class Matrix:
    """What came of the spins, by what went wrong with them."""

    games: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Of each mishap, by verdict."""
    expected: dict[str, str] = field(default_factory=dict)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def add(self, other: "Matrix") -> None:
        """Another wheel's spins."""
        self.games += other.games
        self.wrong += other.wrong
        self.expected |= other.expected
        self.examples += other.examples[: 12 - len(self.examples)]

    def judge(self, wheel: str, spin: "Spin", pockets: Sequence[str]) -> None:
        """Compare what came of one spin with its truth."""
        truth = spin.truth
        name = truth.fault or "none"
        valid = [record for record in spin.records if record.verdict == "valid"]
        verdict = "valid" if valid else "void" if spin.records else "none"
        self.games[(name, verdict)] += 1
        self.expected[name] = truth.expected
        wrong = _wrong(spin, valid, pockets)
        if wrong is not None:
            self.wrong[(name, wrong)] += 1
            said = [
                (r.verdict, r.outcome and r.outcome.number, [f.rule for f in r.findings])
                for r in spin.records
            ]
            self.examples.append(f"{wheel}: {wrong}; {truth}; {said}")

    def show(self) -> int:
        """Print it; the exit code."""
        print(f"{'mishap':24}{'must be':>9}" + "".join(f"{each:>8}" for each in VERDICTS), end="")
        print("".join(f"{each:>15}" for each in WRONG))
        for name, expected in sorted(self.expected.items()):
            print(f"{name:24}{expected:>9}", end="")
            print("".join(f"{self.games[(name, each)]:8}" for each in VERDICTS), end="")
            print("".join(f"{self.wrong[(name, each)]:15}" for each in WRONG))
        for example in self.examples:
            print(f"  {example}")
        clean = sum(self.games[("none", verdict)] for verdict in VERDICTS)
        voided = self.wrong.pop(("none", "voided"), 0)
        print(f"clean spins {clean}, voided {voided}; other errors {sum(self.wrong.values())}")
        return 1 if self.wrong or voided * 10_000 > clean else 0


@dataclass
class Spin:
    """One spin: its truth, and what was said and recorded from its launch to the next one's."""

    truth: SensorTruth
    records: list[RoundRecord] = field(default_factory=list)
    readings: list[AnyReading] = field(default_factory=list)


def _wrong(spin: Spin, valid: list[RoundRecord], pockets: Sequence[str]) -> str | None:
    truth = spin.truth
    if not spin.records:
        return "lost"
    if valid and truth.expected != "valid":
        return "void as valid"
    if len(spin.records) > 1:
        return "twice"
    if not valid:
        return None if truth.expected != "valid" else "voided"
    [settled] = [r for r in spin.readings if isinstance(r, PlaceSettled)]
    outcome: Any = valid[0].outcome
    assert truth.place is not None
    hole = getattr(outcome, "hole", None)
    if settled.place != truth.place or outcome.number != pockets[truth.place]:
        return "wrong place"
    if hole is not None and hole != truth.place + 1:
        return "wrong place"
    laps = [r.laps for r in spin.readings if isinstance(r, BallLap)]
    if not laps or laps[-1] != truth.laps:
        return "wrong turns"
    launched = [r for r in spin.readings if isinstance(r, BallLaunched)][-1]
    right = (launched.ball, launched.rotor) == (truth.ball, truth.rotor)
    return None if right else "wrong sense"


class Listening(BareWheel):
    """The driver, which keeps what the records do not say."""

    def __init__(self, options: Any) -> None:
        super().__init__("wheel", options)
        self.kept: list[AnyReading] = []

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        """As the driver's."""
        said = super().receive(data, at)
        for reading in said:
            if isinstance(reading, BallLap | BallLaunched | PlaceSettled):
                self.kept.append(reading)
        return said


def setup(kind: Kind) -> TableSetup:
    """A table for a simulated wheel."""
    return TableSetup(
        site="campaign",
        id="wheel",
        game=load_game(TEXT, GAMES[kind]),
        language="es",
        policy="automatic",
        minimum=None,
        multiple=None,
        devices=(DeviceDescription(id="wheel", role="wheel", driver="bare-wheel", port="replay"),),
        version="campaign",
        test=True,
    )


def instant(t: float) -> Instant:
    """Virtual seconds as an instant."""
    return Instant(int(t * 1_000_000_000), EPOCH + int(t * 1_000_000))


def as_link(wheel: SensorWheel, spins: int, seen: list[Spin]) -> Iterator[Played]:
    """A wheel's line as a played link; notes the truths."""
    yield instant(0), LinkChange("up", "replay")
    for game in wheel.games(spins):
        seen.append(Spin(game.truth))
        for item in game.items:
            if isinstance(item, Bytes):
                yield instant(item.t), item.data
            elif isinstance(item, Unplug):
                yield instant(item.t), LinkChange("lost", "unplugged")
            else:
                yield instant(item.t), LinkChange("up", "replay")
    for item in wheel.tail():
        if isinstance(item, Bytes):
            yield instant(item.t), item.data


def wheel_of(kind: Kind, seed: int, spins: int, rate: float) -> Matrix:
    """One wheel's spins, played and judged."""
    mishaps = sensor_mishaps.rated(sensor_mishaps.possible(kind), rate, seed)
    encoder: Encoder = "edges" if seed % 2 else "counts"
    counts = 120 if kind == "boule" else 400 if seed % 3 else 240
    sampled = SAMPLED[seed // 2 % len(SAMPLED)]
    wheel = SensorWheel(kind, encoder, seed, mishaps, counts=counts, sampled=sampled)
    driver = Listening(msgspec.convert(wheel.options, DRIVER.options))
    table = Table(setup(kind), {"wheel": driver})
    seen: list[Spin] = []
    records = [
        msgspec.convert(msgspec.json.decode(message.payload)["data"], RoundRecord)
        for message in play(table, "wheel", as_link(wheel, spins + 1, seen))
        if message.topic == "event/round"
    ]
    _share_out(seen, records, driver.kept)
    matrix = Matrix()
    for spin in seen[:spins]:  # the launch of one more ends the last that is judged
        matrix.judge(f"{kind} {seed} by {encoder}", spin, table.setup.game.layout.pockets)
    return matrix


def _share_out(spins: list[Spin], records: list[RoundRecord], readings: list[AnyReading]) -> None:
    """What was said between two launches belongs to the first of them, a record to the first in its time.

    One that began without a launch, as after a throw that was voided early, is that of the launch before.
    """
    starts = [instant(spin.truth.launched).wall for spin in spins]
    for record in records:
        opened, settled = (
            round(datetime.fromisoformat(each).timestamp() * 1_000_000)
            for each in (record.opened_at, record.settled_at)
        )
        first = bisect_left(starts, opened)
        inside = first < len(starts) and starts[first] <= settled
        spins[first if inside else _before(starts, settled)].records.append(record)
    for reading in readings:
        spins[_before(starts, reading.at.wall)].readings.append(reading)


def _before(starts: list[int], at: int) -> int:
    return max(0, bisect_right(starts, at) - 1)


def _chunk(job: tuple[Kind, int, int, float]) -> Matrix:
    return wheel_of(*job)


def main() -> int:
    """Run the campaign and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spins", type=int, default=20_000, help="of each kind of wheel")
    parser.add_argument("--kind", choices=tuple(GAMES), help="only this kind of wheel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0.35, help="the share of spins with a mishap")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    code = 0
    for kind in [args.kind] if args.kind else GAMES:
        began = time.perf_counter()
        jobs = [
            (kind, args.seed + at // CHUNK, min(CHUNK, args.spins - at), args.rate)
            for at in range(0, args.spins, CHUNK)
        ]
        matrix = Matrix()
        with ProcessPoolExecutor(args.jobs) as pool:
            for part in pool.map(_chunk, jobs):
                matrix.add(part)
        took = time.perf_counter() - began
        each = 1000 * took / args.spins
        print(f"{kind}: {args.spins} spins, seed {args.seed}, {took:.0f} s, {each:.1f} ms each")
        code |= matrix.show()
    return code


if __name__ == "__main__":
    sys.exit(main())
