"""The Bayes factors against exact values, and what makes them tests: of a fair wheel their mean stays 1."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import cos, exp, pi, prod
from random import Random

import pytest

from daemon.fairness import harmonic, sector, uniformity

STATISTICS = (uniformity, sector, harmonic)
LogFactor = Callable[[Sequence[int]], float]


def exact_uniformity(counts: Sequence[int]) -> Fraction:
    """By the definition: rising factorials, averaged over the flattening constants."""
    k, n = len(counts), sum(counts)
    factors = [
        Fraction(k) ** n
        * prod(Fraction(int(a)) + i for count in counts for i in range(count))
        / prod(Fraction(k * int(a)) + i for i in range(n))
        for a in uniformity.FLATTENING
    ]
    return sum(factors) / len(factors)


def exact_sector(counts: Sequence[int]) -> Fraction:
    """By the definition: every start, width and excess."""
    k, n = len(counts), sum(counts)
    factors = []
    for start, width, given in product(range(k), sector.widths(k), sector.EXCESSES):
        excess = Fraction(str(given))
        hits = sum(counts[(start + i) % k] for i in range(width))
        outside = (k - width * (1 + excess)) / (k - width)
        factors.append((1 + excess) ** hits * outside ** (n - hits))
    return sum(factors, Fraction(0)) / len(factors)


def test_two_results_at_one_of_two_places_by_hand() -> None:
    # 4 * a(a + 1) / (2a (2a + 1)) for a = 1, 10, 100, 1000
    by_hand = (Fraction(4, 3) + Fraction(22, 21) + Fraction(202, 201) + Fraction(2002, 2001)) / 4
    assert exp(uniformity.log_factor((2, 0))) == pytest.approx(float(by_hand), rel=1e-12)


def test_two_results_at_one_of_four_places_by_hand() -> None:
    # A wave gives 1 + a²/2 on average over its four phases; a² is 0.053125 on average.
    assert exp(harmonic.log_factor((0, 2, 0, 0))) == pytest.approx(1.0265625, rel=1e-12)
    # A sector of one place gives 1 + d²/3, of two 1 + d²; d² is 0.1705 on average.
    assert sector.widths(4) == (1, 2)
    assert exp(sector.log_factor((0, 2, 0, 0))) == pytest.approx(1 + 0.1705 * 2 / 3, rel=1e-12)


@pytest.mark.parametrize("counts", [(0,) * 37, (1, *(0,) * 36), (3, 0, 2, *(0,) * 33, 4), tuple(range(18))])
def test_exact_values_of_small_samples(counts: tuple[int, ...]) -> None:
    assert exp(uniformity.log_factor(counts)) == pytest.approx(float(exact_uniformity(counts)), rel=1e-9)
    assert exp(sector.log_factor(counts)) == pytest.approx(float(exact_sector(counts)), rel=1e-9)


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("places", [5, 18, 37, 38, 54])
def test_one_result_says_nothing_yet_on_the_average(statistic: object, places: int) -> None:
    """What the next result of a fair wheel makes of the factor is the factor itself, on the average."""
    log_factor: LogFactor = statistic.log_factor  # type: ignore[attr-defined]
    random = Random(places)
    counts = [random.randrange(40) for _ in range(places)]
    now = log_factor(counts)
    ratios = []
    for place in range(places):
        after = [count + (place == other) for other, count in enumerate(counts)]
        ratios.append(exp(log_factor(after) - now))
    assert sum(ratios) / places == pytest.approx(1, rel=1e-9)
    assert max(ratios) > min(ratios)


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda module: module.__name__)
def test_rotated_labels_give_the_same_to_the_last_bit(statistic: object) -> None:
    log_factor: LogFactor = statistic.log_factor  # type: ignore[attr-defined]
    random = Random(7)
    counts = [random.randrange(200, 320) for _ in range(37)]
    values = {log_factor(counts[turn:] + counts[:turn]) for turn in range(37)}
    assert len(values) == 1


def test_each_statistic_finds_its_own_bias() -> None:
    flat = [270] * 37
    one = [*flat[:9], 540, *flat[10:]]
    run = [270 + 54 * (i < 9) for i in range(37)]
    tilted = [round(270 * (1 + 0.15 * cos(2 * pi * i / 37))) for i in range(37)]
    found = {
        name: [round(s.log_factor(counts) / 2.302585, 1) for s in STATISTICS]
        for name, counts in {"flat": flat, "one": one, "run": run, "tilted": tilted}.items()
    }
    assert max(found["flat"]) < -0.4
    assert found["one"][0] > 20
    assert found["run"][1] > 3.6
    assert found["run"][1] > found["run"][0]
    assert found["tilted"][2] > 15
    assert found["tilted"][2] == max(found["tilted"])


def test_enormous_counts_do_not_overflow() -> None:
    counts = (10**9, *(0,) * 36)
    for statistic in STATISTICS:
        assert statistic.log_factor(counts) > 1e8
