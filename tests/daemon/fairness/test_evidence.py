"""All the evidence together: levels, the average, and what could have been seen by now."""

from itertools import pairwise
from math import ceil, comb, exp, log

import msgspec
import pytest

from daemon.fairness import evidence, harmonic, sector, uniformity
from daemon.fairness.counts import Identity, WheelCounts, new
from daemon.fairness.evidence import combined, fairness, level, weighed
from daemon.fairness.mixture import share_for

EMPTY = new(Identity(wheel="SN1", ball="b", layout=1, test=False), 37, since=1)


def counts_of(places: tuple[int, ...], distances: tuple[int, ...], highest: float = 0.0) -> WheelCounts:
    changed = {"places": places, "distances": distances, "highest": highest}
    return WheelCounts(**{**{name: getattr(EMPTY, name) for name in EMPTY.__struct_fields__}, **changed})


@pytest.mark.parametrize(
    ("highest", "means"), [(0.0, "ok"), (1.999, "ok"), (2.0, "warn"), (2.999, "warn"), (3.0, "alarm")]
)
def test_levels(highest: float, means: str) -> None:
    assert level(highest) == means


def test_nothing_is_known_of_a_new_wheel() -> None:
    figures = fairness(EMPTY)
    assert (figures.sample, figures.level, figures.log10, figures.highest) == (0, "ok", 0.0, 0.0)
    assert figures.sector.detectable is None
    assert figures.uniformity.log10 == 0.0


def test_the_average_is_one_of_factors_not_of_logarithms() -> None:
    places, distances = (2, *(0,) * 36), (1, *(0,) * 36)
    each = [exp(value) for value in evidence.log_factors(places, distances)]
    average, *four = combined(places, distances)
    assert 0 <= log(sum(each) / 4, 10) - average < 0.001
    for shown, factor in zip(four, each, strict=True):
        assert 0 <= log(factor, 10) - shown + 1e-9 < 0.001 + 1e-9


def test_the_highest_stays() -> None:
    figures = fairness(counts_of(EMPTY.places, EMPTY.distances, highest=3.2))
    assert (figures.log10, figures.highest, figures.level) == (0.0, 3.2, "alarm")


def test_a_wheel_stuck_on_a_place_alarms_within_ten_rounds() -> None:
    figures = fairness(counts_of((9, *(0,) * 36), (8, *(0,) * 36)))
    assert figures.level == "alarm"
    assert figures.distance.sample == 8


def of_rounds(counts: WheelCounts, rounds: int) -> WheelCounts:
    """The same wheel with so many rounds, spread over its places."""
    spread = tuple(rounds // 37 + (place < rounds % 37) for place in range(37))
    return msgspec.structs.replace(counts, places=spread, distances=spread)


def test_it_is_weighed_with_each_round_and_later_with_each_fiftieth_more() -> None:
    counts, samples = EMPTY, []
    for rounds in range(1, 1200):
        counts = weighed(of_rounds(counts, rounds))
        samples.append(counts.sample)
    assert samples[:100] == list(range(1, 101))
    steps = {(a // 50, b - a) for a, b in pairwise(sorted(set(samples))) if a >= 100}
    assert all(fiftieth == step for fiftieth, step in steps)
    assert 100 + 110 < len(set(samples)) < 100 + 150
    assert fairness(of_rounds(counts, 1200)).sample == samples[-1]


def test_a_correction_is_weighed_at_once_and_so_is_a_smaller_count() -> None:
    counts = weighed(of_rounds(EMPTY, 1000))
    corrected = of_rounds(counts, 1001)
    assert weighed(corrected) is corrected
    assert weighed(corrected, anew=True).sample == 1001
    assert weighed(of_rounds(counts, 999)).sample == 999


def at_least(hits: int, trials: int, share: float) -> float:
    """The binomial distribution's upper tail."""
    return 1 - sum(comb(trials, i) * share**i * (1 - share) ** (trials - i) for i in range(hits))


@pytest.mark.parametrize(("hits", "trials"), [(20, 100), (300, 1000), (600, 800)])
def test_a_share_reaches_its_count_nine_times_of_ten(hits: int, trials: int) -> None:
    assert at_least(hits, trials, share_for(hits, trials)) == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("n", [1000, 10_000, 100_000])
def test_the_detectable_sector_alarms_at_the_unlucky_tenth(n: int) -> None:
    excess = sector.detectable(37, n, log(4000))
    assert excess is not None
    share = 9 * (1 + excess) / 37
    hits = ceil(n * share - 1.2816 * (n * share * (1 - share)) ** 0.5)
    places = spread(hits, 9) + spread(n - hits, 28)
    assert combined(tuple(places), (0,) * 37)[0] >= 3
    half = int(n * 9 * (1 + excess / 2) / 37)
    assert combined(tuple(spread(half, 9) + spread(n - half, 28)), (0,) * 37)[0] < 3


@pytest.mark.parametrize("n", [1000, 10_000, 100_000])
def test_the_detectable_place_alarms_at_the_unlucky_tenth(n: int) -> None:
    excess = uniformity.detectable(37, n, log(4000))
    assert excess is not None
    share = (1 + excess) / 37
    hits = ceil(n * share - 1.2816 * (n * share * (1 - share)) ** 0.5)
    assert combined((hits, *spread(n - hits, 36)), (0,) * 37)[0] >= 3
    half = int(n * (1 + excess / 2) / 37)
    assert combined((half, *spread(n - half, 36)), (0,) * 37)[0] < 3


def test_more_rounds_show_less_bias() -> None:
    for statistic in (uniformity, sector, harmonic):
        seen = [statistic.detectable(37, n, log(4000)) for n in (3, 2000, 20_000, 200_000)]
        assert seen[0] is None
        known = [value for value in seen if value is not None]
        assert len(known) == 3
        assert known == sorted(known, reverse=True)
        assert known[-1] < known[0] / 5


def spread(total: int, places: int) -> list[int]:
    """As evenly as whole numbers go."""
    return [total // places + (i < total % places) for i in range(places)]
