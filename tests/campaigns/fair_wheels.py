"""Fair wheels watched after every spin: how many ever alarm; biased wheels: how soon they are found.

    python tests/campaigns/fair_wheels.py --wheels 1000 --spins 100000 --biased 500

What is reckoned comes from `daemon.fairness` itself. No spin is left unwatched, though not every one is
reckoned: a block of spins is passed over where what it adds cannot have lifted any factor to a level at any
spin in it; else it is halved, down to the single spin. One core, the standard library.

Prints how many fair wheels ever reached 100 and 1,000, by each statistic and by the published average; after
how many spins a quarter of the rim that is 20 % too likely raised the alarm; and how often the bias that
`detectable` names had raised it by then. Exit code 1 if more fair wheels alarm than the stated rate explains
(where it holds the chance of that is below 1 in 10,000), or a bias is found later or less often than stated.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from math import comb, cos, fsum, inf, log, pi
from operator import mul
from pathlib import Path
from random import Random
from statistics import quantiles

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from daemon.fairness import evidence, harmonic, sector, uniformity  # noqa: E402
from daemon.fairness.mixture import log_mean  # noqa: E402

WARN, ALARM = log(100), log(1000)
BLOCK = 2048
"""Spins that are looked at together at most."""
MEDIAN, NINE_OF_TEN = 3000, 5000
"""Spins within which a quarter of the rim that is 20 % too likely is to be found."""
NAMES = ("uniformity", "sector", "harmonic", "distance")

Counts = Sequence[int]


# --- what a Bayes factor cannot exceed between two counts -----------------------------------------------


def most_uniformity(before: Counts, after: Counts) -> float:
    """Each result multiplies by k(a + count)/(ka + n): the largest count, the least n; below 1 left out."""
    k, n = len(before), sum(before)
    added = [(late, late - early) for early, late in zip(before, after, strict=True) if late > early]
    return log_mean(
        [
            factor + fsum([many * max(0.0, log(k * (a + late) / (k * a + n))) for late, many in added])
            for a, factor in zip(uniformity.FLATTENING, uniformity.log_factors(before), strict=True)
        ]
    )


def most_sector(before: Counts, after: Counts) -> float:
    """Hits, which raise it, as after; misses, which lower it, as before."""
    k, n, logs = len(before), sum(before), []
    early, late = ([0, *accumulate((*counts, *counts))] for counts in (before, after))
    for width in sector.widths(k):
        hits = [late[i + width] - late[i] for i in range(k)]
        misses = [n - early[i + width] + early[i] for i in range(k)]
        for excess in sector.EXCESSES:
            inside, outside = log(1 + excess), log((k - width * (1 + excess)) / (k - width))
            logs += [hit * inside + miss * outside for hit, miss in zip(hits, misses, strict=True)]
    return log_mean(logs)


@lru_cache
def waves(k: int, amplitude: float) -> tuple[list[float], list[float]]:
    """What a result adds by place from the phase on, twice round: where that raises, and where it lowers."""
    wave = [log(1 + amplitude * cos(2 * pi * i / k)) for i in range(k)] * 2
    return [max(0.0, w) for w in wave], [min(0.0, w) for w in wave]


def most_harmonic(before: Counts, after: Counts) -> float:
    """Results at places that raise it as after, at places that lower it as before."""
    k, logs = len(before), []
    for amplitude in harmonic.AMPLITUDES:
        up, down = waves(k, amplitude)
        logs += [
            sum(map(mul, after, up[i : i + k])) + sum(map(mul, before, down[i : i + k])) for i in range(k)
        ]
    return log_mean(logs)


EXACT = (uniformity.log_factor, sector.log_factor, harmonic.log_factor, uniformity.log_factor)
MOST = (most_uniformity, most_sector, most_harmonic, most_uniformity)


# --- watching -----------------------------------------------------------------------------------------


def next_level(highest: float) -> float:
    return WARN if highest < WARN else ALARM if highest < ALARM else inf


class Watch:
    """One wheel, watched after each spin. Of the levels it is exact which were reached, and when."""

    def __init__(self, results: Sequence[int], places: int, until_alarm: bool = False) -> None:
        self.highest = dict.fromkeys(("average", *NAMES), 0.0)
        self.alarmed: int | None = None
        """The spin after which the average reached 1,000."""
        self._results = results
        self._distances = [(b - a) % places for a, b in pairwise(results)]
        counts: tuple[Counts, Counts] = ([0] * places, [0] * places)
        for start in range(0, len(results), BLOCK):
            end = min(start + BLOCK, len(results))
            counts = self._scan(start, end, counts, [inf] * len(NAMES))
            if until_alarm and self.alarmed is not None:
                break

    def _scan(
        self, start: int, end: int, counts: tuple[Counts, Counts], bounds: list[float]
    ) -> tuple[Counts, Counts]:
        """Look at the spins after `start` up to `end`; the counts at the end. `bounds` hold for them all."""
        after = self._counted(start, end, counts)
        single = end - start == 1
        bounds = [
            self._reckon(index, counts, after, single) if bound >= self._level(name) else bound
            for index, (name, bound) in enumerate(zip(NAMES, bounds, strict=True))
        ]
        clear = all(bound < next_level(self.highest[name]) for name, bound in zip(NAMES, bounds, strict=True))
        if single:
            self._note(end, after, bounds)
        elif not clear or log_mean(bounds) >= next_level(self.highest["average"]):
            middle = (start + end) // 2
            half = self._scan(start, middle, counts, bounds)
            self._scan(middle, end, half, bounds)
        return after

    def _level(self, name: str) -> float:
        """Below this the statistic reaches no level, nor does the average through it."""
        return min(next_level(self.highest[name]), next_level(self.highest["average"]))

    def _reckon(
        self, index: int, counts: tuple[Counts, Counts], after: tuple[Counts, Counts], single: bool
    ) -> float:
        kind = NAMES[index] == "distance"
        return EXACT[index](after[kind]) if single else MOST[index](counts[kind], after[kind])

    def _note(self, spin: int, after: tuple[Counts, Counts], values: list[float]) -> None:
        """Levels that are reached after this very spin."""
        if log_mean(values) >= next_level(self.highest["average"]):
            values = [EXACT[index](after[name == "distance"]) for index, name in enumerate(NAMES)]
            average = log_mean(values)
            self.highest["average"] = max(self.highest["average"], average)
            if self.alarmed is None and average >= ALARM:
                self.alarmed = spin
        for index, name in enumerate(NAMES):
            if values[index] >= next_level(self.highest[name]):
                exact = EXACT[index](after[name == "distance"])
                self.highest[name] = max(self.highest[name], exact)

    def _counted(self, start: int, end: int, counts: tuple[Counts, Counts]) -> tuple[Counts, Counts]:
        places, distances = list(counts[0]), list(counts[1])
        for place in self._results[start:end]:
            places[place] += 1
        for distance in self._distances[max(0, start - 1) : end - 1]:
            distances[distance] += 1
        return places, distances


def watch(results: Sequence[int], places: int, until_alarm: bool = False) -> Watch:
    """Watch a wheel after each of these spins."""
    return Watch(results, places, until_alarm)


# --- wheels -------------------------------------------------------------------------------------------


def fair(random: Random, places: int, spins: int) -> list[int]:
    return random.choices(range(places), k=spins)


def with_sector(random: Random, places: int, spins: int, width: int, excess: float) -> list[int]:
    """A sector of this width, somewhere, so much too likely."""
    start = random.randrange(places)
    rest = (places - width * (1 + excess)) / (places - width)
    weights = [1 + excess if (i - start) % places < width else rest for i in range(places)]
    return random.choices(range(places), weights, k=spins)


def with_wave(random: Random, places: int, spins: int, amplitude: float) -> list[int]:
    """A first harmonic of this amplitude."""
    phase = random.randrange(places)
    weights = [1 + amplitude * cos(2 * pi * (i - phase) / places) for i in range(places)]
    return random.choices(range(places), weights, k=spins)


def with_distance(random: Random, places: int, spins: int, excess: float) -> list[int]:
    """One distance from the last result so much too likely."""
    results = [0]
    for step in with_sector(random, places, spins - 1, 1, excess):
        results.append((results[-1] + step) % places)
    return results


# --- the campaign -------------------------------------------------------------------------------------


def most_of(wheels: int, rate: float) -> int:
    """How many of so many wheels may get there: more do with a probability below 1 in 10,000."""
    at_most, below = -1, 0.0
    while below < 0.9999:
        at_most += 1
        below += comb(wheels, at_most) * rate**at_most * (1 - rate) ** (wheels - at_most)
    return at_most


def fair_campaign(random: Random, wheels: int, spins: int, places: int) -> bool:
    """Whether no more fair wheels alarm than stated; prints how many did."""
    began = time.perf_counter()
    seen = [watch(fair(random, places, spins), places) for _ in range(wheels)]
    took = time.perf_counter() - began
    print(f"{wheels} fair wheels of {places} places, watched after each of {spins} spins; {took:.0f} s")
    print(
        f"{'':12}{'ever 100':>10}{'ever 1000':>10}   stated: {wheels / 100:g} and {wheels / 1000:g} at most"
    )
    good = True
    for name in ("average", *(key for key in seen[0].highest if key != "average")):
        warned = sum(w.highest[name] >= WARN for w in seen)
        alarmed = sum(w.highest[name] >= ALARM for w in seen)
        good &= warned <= most_of(wheels, 0.01) and alarmed <= most_of(wheels, 0.001)
        print(f"{name:12}{warned:10}{alarmed:10}")
    return good


def sector_campaign(random: Random, wheels: int, places: int, excess: float = 0.2) -> bool:
    """Whether a biased quarter of the rim is found as soon as stated; prints after how many spins."""
    width, found = sector.quarter(places), []
    for _ in range(wheels):
        alarmed = watch(with_sector(random, places, 20_000, width, excess), places, until_alarm=True).alarmed
        found.append(alarmed or 20_001)
    tenths = quantiles(found, n=10)
    print(
        f"{wheels} wheels with {width} of {places} places {excess:.0%} too likely: alarm after "
        f"{tenths[4]:.0f} spins (median), {tenths[8]:.0f} (90 %), {max(found)} (all)"
    )
    return tenths[4] <= MEDIAN and tenths[8] <= NINE_OF_TEN


def detectable_campaign(random: Random, wheels: int, spins: int, places: int) -> bool:
    """Whether the bias that `detectable` names alarms 9 times of 10; prints how often it did."""
    level = evidence.ALARM * log(10) + log(evidence.STATISTICS)
    one = uniformity.detectable(places, spins, level)
    distance = uniformity.detectable(places, spins - 1, level)
    run, wave = sector.detectable(places, spins, level), harmonic.detectable(places, spins, level)
    assert one is not None
    assert distance is not None
    assert run is not None
    assert wave is not None
    width = sector.quarter(places)
    kinds: dict[str, tuple[float, Callable[[], list[int]]]] = {
        "one place": (one, lambda: with_sector(random, places, spins, 1, one)),
        f"{width} places": (run, lambda: with_sector(random, places, spins, width, run)),
        "a wave": (wave, lambda: with_wave(random, places, spins, wave)),
        "one distance": (distance, lambda: with_distance(random, places, spins, distance)),
    }
    good = True
    for name, (bias, play) in kinds.items():
        found = sum(watch(play(), places, until_alarm=True).alarmed is not None for _ in range(wheels))
        # below 0.9 by chance alone no more often than 1 in 10,000
        good &= wheels - found <= most_of(wheels, 0.1)
        print(
            f"{wheels} wheels with the bias detectable after {spins} spins, {name} {bias:+.1%}: {found} alarm"
        )
    return good


def main() -> int:
    """Play the campaign; 0 if all is as stated."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheels", type=int, default=1000, help="fair ones; 0: none")
    parser.add_argument("--spins", type=int, default=100_000)
    parser.add_argument("--biased", type=int, default=500, help="biased ones; 0: none")
    parser.add_argument("--places", type=int, default=37)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = Random(args.seed)
    good = True
    if args.biased:
        good &= sector_campaign(random, args.biased, args.places)
        for spins in (2000, 20_000):
            good &= detectable_campaign(random, args.biased // 5, spins, args.places)
    if args.wheels:
        good &= fair_campaign(random, args.wheels, args.spins, args.places)
    print("as stated" if good else "NOT as stated")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
