"""The campaign of fair and biased wheels, small and with a seed; and that it leaves no spin unwatched."""

from math import log
from random import Random

import pytest
from campaigns.fair_wheels import ALARM, WARN, fair, most_of, watch, with_distance, with_sector, with_wave

from daemon.fairness import evidence, harmonic, sector, uniformity
from daemon.fairness.mixture import log_mean


def by_every_spin(results: list[int], places: int) -> tuple[int | None, bool]:
    """The spin after which the average reached 1,000, and whether it ever reached 100: each one reckoned."""
    by_place, by_distance = [0] * places, [0] * places
    alarmed, warned = None, False
    for spin, place in enumerate(results):
        by_place[place] += 1
        if spin:
            by_distance[(place - results[spin - 1]) % places] += 1
        value = log_mean(evidence.log_factors(tuple(by_place), tuple(by_distance)))
        warned |= value >= WARN
        if alarmed is None and value >= ALARM:
            alarmed = spin + 1
    return alarmed, warned


@pytest.mark.parametrize("seed", range(3))
def test_blocks_are_passed_over_only_where_nothing_happens(seed: int) -> None:
    results = with_sector(Random(seed), 37, 700, 9, 0.5)
    seen = watch(results, 37)
    alarmed, warned = by_every_spin(results, 37)
    assert (seen.alarmed, seen.highest["average"] >= WARN) == (alarmed, warned)
    results = with_distance(Random(seed), 18, 500, 1.5)
    assert watch(results, 18).alarmed == by_every_spin(results, 18)[0]


@pytest.mark.parametrize("places", [18, 37, 54])
def test_fair_wheels_do_not_alarm(places: int) -> None:
    random = Random(places)
    seen = [watch(fair(random, places, 3000), places) for _ in range(20)]
    for name in seen[0].highest:
        assert sum(w.highest[name] >= WARN for w in seen) <= most_of(20, 0.01)
        assert sum(w.highest[name] >= ALARM for w in seen) <= most_of(20, 0.001)
    assert most_of(20, 0.001) < 4


def test_a_sector_that_is_a_fifth_too_likely_is_found() -> None:
    random = Random(1)
    found = sorted(watch(with_sector(random, 37, 8000, 9, 0.2), 37, True).alarmed or 8000 for _ in range(9))
    assert found[4] <= 3500
    assert found[-1] < 8000


def test_the_detectable_bias_is_found_nine_times_of_ten() -> None:
    random, level, spins = Random(2), log(4000), 600
    biases = [module.detectable(37, spins, level) for module in (uniformity, sector, harmonic)]
    one, run, wave = (bias for bias in biases if bias is not None)
    for play in (
        lambda: with_sector(random, 37, spins, 1, one),
        lambda: with_sector(random, 37, spins, 9, run),
        lambda: with_wave(random, 37, spins, wave),
        lambda: with_distance(random, 37, spins, one),
    ):
        assert sum(watch(play(), 37, True).alarmed is not None for _ in range(10)) >= 7
    half = [watch(with_sector(random, 37, spins, 9, run / 2), 37, True).alarmed for _ in range(10)]
    assert sum(alarmed is not None for alarmed in half) < 5
