"""Level wheels watched by where the ball leaves the rim: how many ever alarm; tilted ones: how soon they do.

    python tests/campaigns/level_wheels.py --wheels 1000 --spins 20000 --tilted 200

A level wheel's balls are drawn by the stretches' lengths, a tilted one's come from the physics of the ball in
the rim, the sides that are highest evenly round the stator. They are weighed by `daemon.fairness` when a
table weighs them: with each of the first hundred, then with each fiftieth more. One core, no other library.

Prints how many level wheels ever reached 100 and 1,000, after how many spins a tilted one alarmed, and how
many level wheels alarm of which a sensor stands elsewhere than the table file says, or misses passes. Exit
code 1 if more level wheels alarm than the stated rate explains (where it holds the chance of that is below
1 in 10,000), or a wheel that is 0.2 degrees out of level is found later than stated.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import islice
from math import radians
from pathlib import Path
from random import Random
from statistics import quantiles

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, ROOT / "tests"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from campaigns.fair_wheels import most_of  # noqa: E402

from daemon.fairness import drop_counts, drop_zone  # noqa: E402
from daemon.fairness.drop_counts import Drop, DropCounts  # noqa: E402
from daemon.fairness.levels import ALARM, WARN  # noqa: E402
from simulators.physics.roulette_ball import TURN, Launch, RimRun, Track  # noqa: E402

RIM = (0.0, 0.29, 0.56)
FOUND_WITHIN = 120
"""Spins within which 0.2 degrees are found nine times of ten."""
PATIENCE = 3000

Ball = tuple[int, bool]
"""The stretch in which it left, and whether it ran clockwise."""


def level(random: Random, spins: int, rim: tuple[float, ...] = RIM) -> Iterator[Ball]:
    """A level wheel whose sensors stand there, its senses by turns."""
    stretches = random.choices(range(len(rim)), drop_zone.shares(rim), k=spins)
    for number, stretch in enumerate(stretches):
        yield stretch, number % 2 == 0


def tilted(random: Random, degrees: float, high: float) -> Iterator[Ball]:
    """A wheel so much out of level and highest there, in turns."""
    track, sense = Track(tilt=radians(degrees), high=high * TURN), 1
    while True:
        launch = Launch(random.random() * TURN, random.uniform(1.3, 2.1) * TURN, sense)
        yield drop_zone.stretch(RIM, RimRun(track, launch).drop / TURN), sense > 0
        sense = -sense


def missing(random: Random, spins: int, rate: float) -> Iterator[Ball]:
    """A level wheel whose second sensor misses such a share of the passes, now and then the last one."""
    for stretch, clockwise in level(random, spins):
        last = stretch == 1 if clockwise else stretch == 0
        if last and random.random() < rate:
            stretch = 1 - stretch
        yield stretch, clockwise


def watch(balls: Iterator[Ball], until_alarm: bool = False) -> tuple[DropCounts, int | None]:
    """The counts in the end, and the spin after which they alarmed."""
    counts: DropCounts | None = None
    alarmed, due = None, 1
    for number, (stretch, clockwise) in enumerate(balls, 1):
        middle = (RIM[stretch] + drop_zone.shares(RIM)[stretch] / 2) % 1.0
        counts = drop_counts.counted(counts, number, Drop(angle=middle, clockwise=clockwise, rim=RIM), 1)
        assert counts is not None
        if number < due:
            continue
        due = number + max(1, number // 50)
        counts = drop_counts.weighed(counts)
        if alarmed is None and counts.highest >= ALARM:
            alarmed = number
            if until_alarm:
                break
    assert counts is not None
    return counts, alarmed


def level_campaign(random: Random, wheels: int, spins: int) -> bool:
    """Whether no more level wheels alarm than stated; prints how many did."""
    began = time.perf_counter()
    highest = [watch(level(random, spins))[0].highest for _ in range(wheels)]
    warned, alarmed = (sum(value >= bound for value in highest) for bound in (WARN, ALARM))
    print(
        f"{wheels} level wheels, {spins} spins each: {warned} ever 100 (stated: {wheels / 100:g} at most), "
        f"{alarmed} ever 1000 ({wheels / 1000:g} at most); {time.perf_counter() - began:.0f} s"
    )
    return warned <= most_of(wheels, 0.01) and alarmed <= most_of(wheels, 0.001)


def tilted_campaign(random: Random, wheels: int, degrees: float) -> float:
    """After how many spins nine of ten tilted wheels were found; prints it."""
    found = []
    for wheel in range(wheels):
        balls = islice(tilted(random, degrees, wheel / wheels), PATIENCE)
        found.append(watch(balls, until_alarm=True)[1] or PATIENCE)
    tenths = quantiles(found, n=10)
    print(
        f"{wheels} wheels {degrees} degrees out of level: alarm after {tenths[4]:.0f} spins (median), "
        f"{tenths[8]:.0f} (90 %), {max(found)} (all)"
    )
    return tenths[8]


def mounting_campaign(random: Random, wheels: int, spins: int) -> None:
    """Prints how many level wheels alarm because a sensor is not as the table file has it."""
    for off in (0.003, 0.01, 0.02):
        there = (RIM[0], RIM[1] + off, RIM[2])
        alarmed = sum(watch(level(random, spins, there), True)[1] is not None for _ in range(wheels))
        print(f"{wheels} level wheels with a sensor {off} of a turn off, {spins} spins: {alarmed} alarm")
    for rate in (0.002, 0.02, 0.1):
        alarmed = sum(watch(missing(random, spins, rate), True)[1] is not None for _ in range(wheels))
        print(f"{wheels} level wheels with a sensor that misses {rate:.1%}, {spins} spins: {alarmed} alarm")


def main() -> int:
    """Play the campaign; 0 if all is as stated."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheels", type=int, default=1000, help="level ones; 0: none")
    parser.add_argument("--spins", type=int, default=20_000)
    parser.add_argument("--tilted", type=int, default=200, help="tilted ones of each tilt; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = Random(args.seed)
    good = True
    if args.tilted:
        good &= tilted_campaign(random, args.tilted, 0.2) <= FOUND_WITHIN
        for degrees in (0.1, 0.05):
            tilted_campaign(random, args.tilted, degrees)
        mounting_campaign(random, args.tilted, args.spins)
    if args.wheels:
        good &= level_campaign(random, args.wheels, args.spins)
    print("as stated" if good else "NOT as stated")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
