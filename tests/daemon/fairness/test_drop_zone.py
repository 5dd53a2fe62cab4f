"""Where the ball leaves the rim: the Bayes factors by hand, what is counted, what could have been seen."""

from collections.abc import Sequence
from fractions import Fraction
from math import cos, exp, log, pi
from random import Random

import msgspec
import pytest

from daemon.fairness import drop_zone
from daemon.fairness.drop_counts import Drop, DropCounts, counted, published, weighed
from daemon.fairness.uniformity import FLATTENING
from daemon.fairness.uniformity import log_factor as of_equal_places

RIM = (0.0, 0.29, 0.56)
KEEP = 10
LEVEL = log(2000)


def ball(stretch: int, clockwise: bool = True, rim: tuple[float, ...] = RIM) -> Drop:
    middle = rim[stretch] + drop_zone.shares(rim)[stretch] / 2
    return Drop(angle=middle % 1.0, clockwise=clockwise, rim=rim)


def drawn(random: Random, amplitude: float = 0.0, phase: float = 0.0) -> int:
    """A stretch of a wheel whose balls leave it with such a wave round the rim."""
    while True:
        angle = random.random()
        if random.random() * (1 + amplitude) < 1 + amplitude * cos(2 * pi * (angle - phase)):
            return drop_zone.stretch(RIM, angle)


def test_stretches_go_from_a_sensor_clockwise_to_the_next() -> None:
    assert drop_zone.shares((0.1, 0.39, 0.66)) == pytest.approx((0.29, 0.27, 0.44))
    assert [drop_zone.stretch((0.1, 0.39, 0.66), angle) for angle in (0.1, 0.38, 0.5, 0.7, 0.05)] == [
        0,
        0,
        1,
        2,
        2,
    ]


def test_with_equal_stretches_it_is_the_factor_of_equal_places() -> None:
    quarters = (0.0, 0.25, 0.5, 0.75)
    for counts in ((0, 0, 0, 0), (3, 0, 1, 7), (100, 90, 120, 80)):
        assert drop_zone.uniformity(counts, quarters) == pytest.approx(of_equal_places(counts), rel=1e-9)


def test_two_balls_in_one_of_unequal_stretches_by_hand() -> None:
    # of the first stretch, a quarter: c(c + 1) / (w(w + 1)) / (1/4)² with c = w/4, w = 2a
    rim = (0.0, 0.25)
    by_hand = []
    for a in map(int, FLATTENING):
        w, c = Fraction(2 * a), Fraction(2 * a, 4)
        by_hand.append(c * (c + 1) / (w * (w + 1)) * 16)
    assert exp(drop_zone.uniformity((2, 0), rim)) == pytest.approx(float(sum(by_hand) / 4), rel=1e-12)


def test_two_balls_in_one_half_of_the_rim_by_the_wave_by_hand() -> None:
    # half a rim's share is 1/2 (1 + (2a/π) sin 2π phase): the square's mean over the phases is 1 + 2a²/π²
    mean = sum(2 * a * a / pi**2 for a in drop_zone.AMPLITUDES) / len(drop_zone.AMPLITUDES)
    assert exp(drop_zone.harmonic((2, 0), (0.0, 0.5))) == pytest.approx(1 + mean, rel=1e-12)


@pytest.mark.parametrize("statistic", [drop_zone.uniformity, drop_zone.harmonic])
@pytest.mark.parametrize("counts", [(0, 0, 0), (17, 3, 40), (300, 250, 460)])
def test_the_next_ball_of_a_level_wheel_says_nothing_on_the_average(
    statistic: drop_zone.Callable[[Sequence[int], drop_zone.Rim], float], counts: tuple[int, int, int]
) -> None:
    ratios = []
    for at, share in enumerate(drop_zone.shares(RIM)):
        after = [count + (at == other) for other, count in enumerate(counts)]
        ratios.append((share, exp(statistic(after, RIM) - statistic(counts, RIM))))
    assert sum(share * ratio for share, ratio in ratios) == pytest.approx(1, rel=1e-9)
    if any(counts):
        assert len({round(ratio, 6) for _, ratio in ratios}) > 1


def test_the_senses_are_kept_apart() -> None:
    """As many balls in each stretch as a level wheel has, but other ones of each sense."""
    cw, ccw = (40, 40, 20), (18, 14, 68)
    together = [a + b for a, b in zip(cw, ccw, strict=True)]
    assert together == [58, 54, 88]
    assert drop_zone.uniformity(together, RIM) < 0
    assert min(drop_zone.log_factors(cw, ccw, RIM)) > log(1000)


def plain(rounds: dict[int, Drop | None]) -> tuple[list[int], list[int]]:
    """The counts by the definition, from all rounds at once."""
    balls = [drop for drop in rounds.values() if drop is not None]
    found = []
    for clockwise in (True, False):
        mine = [drop_zone.stretch(RIM, drop.angle) for drop in balls if drop.clockwise == clockwise]
        found.append([mine.count(stretch) for stretch in range(3)])
    return found[0], found[1]


def test_rounds_voids_and_corrections_are_as_if_judged_so_at_first() -> None:
    random, counts, rounds = Random(3), None, dict[int, Drop | None]()

    def any_ball() -> Drop | None:
        return None if random.random() < 0.2 else ball(random.randrange(3), random.random() < 0.5)

    for number in range(5, 400):
        rounds[number] = any_ball() if number > 5 else ball(0)
        counts = counted(counts, number, rounds[number], KEEP)
        if random.random() < 0.5:
            other = random.randrange(max(5, number - KEEP + 1), number + 1)
            rounds[other] = any_ball()
            counts = counted(counts, other, rounds[other], KEEP)
        assert counts is not None
        assert (list(counts.cw), list(counts.ccw)) == plain(rounds)
    assert counts is not None
    assert len(counts.recent) == KEEP
    assert counts.since == 5


def test_nothing_is_counted_before_the_first_ball_that_was_seen_to_leave() -> None:
    assert counted(None, 7, None, KEEP) is None
    counts = counted(None, 8, ball(1), KEEP)
    assert counts is not None
    assert counts.since == 8
    assert counted(counts, 7, ball(2), KEEP) == counts


def test_other_places_of_the_sensors_begin_anew() -> None:
    counts = counted(counted(None, 1, ball(1), KEEP), 2, ball(1, rim=(0.0, 0.3, 0.56)), KEEP)
    assert counts is not None
    assert (counts.since, sum(counts.cw), counts.rim) == (2, 1, (0.0, 0.3, 0.56))
    assert counted(counts, 1, ball(2), KEEP) == counts, "a correction of the round before"


def test_numbers_that_jump_leave_no_hole_to_fill() -> None:
    counts = counted(counted(None, 1, ball(1), KEEP), 10_000_001, ball(2), KEEP)
    assert counts is not None
    assert (counts.first, counts.recent, counts.cw) == (10_000_001, (2,), (0, 1, 1))


def test_the_figures_are_published_with_their_sample_and_what_they_could_have_seen() -> None:
    counts = None
    random = Random(4)
    for number in range(400):
        counts = counted(counts, number, ball(drawn(random), number % 2 > 0), KEEP)
    assert counts is not None
    figures = published(weighed(msgspec.json.decode(msgspec.json.encode(counts), type=DropCounts)))
    assert (figures.sample, figures.level) == (400, "ok")
    assert figures.uniformity.sample == figures.harmonic.sample == 400
    assert figures.uniformity.detectable is not None
    assert 0.2 < figures.uniformity.detectable < 1.5
    assert figures.harmonic.detectable is not None
    assert 0.2 < figures.harmonic.detectable < 0.8
    assert sum(figures.cw) == sum(figures.ccw) == 200


def test_the_average_is_one_of_factors_not_of_logarithms() -> None:
    counts = DropCounts(rim=RIM, since=1, cw=(9, 1, 20), ccw=(9, 12, 9), first=1)
    uniform, wave = drop_zone.log_factors(counts.cw, counts.ccw, RIM)
    average, *each = weighed(counts).factors
    for shown, factor in zip(
        (average, *each), (log((exp(uniform) + exp(wave)) / 2), uniform, wave), strict=True
    ):
        assert 0 <= factor / log(10) - shown + 1e-9 < 0.001 + 1e-9


@pytest.mark.parametrize("balls", [(150, 150), (400, 0), (1000, 3000)])
def test_the_detectable_wave_is_found_nine_times_of_ten(balls: tuple[int, int]) -> None:
    amplitude = drop_zone.detectable(drop_zone.detectable_harmonic, RIM, balls, LEVEL)
    assert amplitude is not None
    random, found = Random(sum(balls)), []
    for wheel in range(60):
        phase = wheel / 60
        cw, ccw = (_counts([drawn(random, amplitude, phase) for _ in range(n)]) for n in balls)
        found.append(drop_zone.log_factors(cw, ccw, RIM)[1] >= LEVEL)
    assert sum(found) >= 0.9 * len(found)
    assert drop_zone.detectable(drop_zone.detectable_harmonic, RIM, (10, 10), LEVEL) is None


@pytest.mark.parametrize("balls", [(150, 150), (1000, 3000)])
def test_the_detectable_stretch_is_found_nine_times_of_ten(balls: tuple[int, int]) -> None:
    excess = drop_zone.detectable(drop_zone.detectable_uniformity, RIM, balls, LEVEL)
    assert excess is not None
    random, shares = Random(sum(balls)), drop_zone.shares(RIM)
    for at, fair in enumerate(shares):
        share = fair * (1 + excess)
        chances = [share if each == at else s * (1 - share) / (1 - fair) for each, s in enumerate(shares)]
        found = 0
        for _ in range(200):
            cw, ccw = (_counts(random.choices(range(3), chances, k=n)) for n in balls)
            found += drop_zone.log_factors(cw, ccw, RIM)[0] >= LEVEL
        assert found >= 0.9 * 200
    assert drop_zone.detectable(drop_zone.detectable_uniformity, RIM, (0, 0), LEVEL) is None


def _counts(stretches: list[int]) -> list[int]:
    return [stretches.count(each) for each in range(3)]
