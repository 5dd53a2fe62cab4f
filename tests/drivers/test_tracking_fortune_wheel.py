"""Pushes, free running, pegs and rest, each by itself."""

from math import copysign, sqrt

import pytest

from drivers.tracking.crawl import Crawl
from drivers.tracking.free_run import ALLOWANCE, FreeRun
from drivers.tracking.friction import Friction
from drivers.tracking.jump import jumped
from drivers.tracking.pegs import Pegs, Rise
from drivers.tracking.push import Push
from drivers.tracking.release import released
from drivers.tracking.resting import Stillness, rest_place

LAW = Friction(constant=0.02, per_speed=0.035, peg=0.00015, excursion=0.008)


def run(change, seconds=8.0, speed=1.0, noise=0.0, step=0.05):
    """What comes of a run whose own slowing is changed by so much at each moment; and when."""
    track, t, sign = FreeRun(), 0.0, 1
    while t < seconds and speed > LAW.crawl:
        proof = track.step(round(t * 1e6), speed + sign * noise, LAW)
        if proof:
            return proof, t
        speed -= (LAW.slowing(speed) + change(t)) * step
        t, sign = t + step, -sign
    return None, t


def test_a_free_run_proves_nothing_to_its_end():
    assert run(lambda t: 0.0, seconds=60)[0] is None


def test_noise_and_a_law_that_is_a_little_wrong_prove_nothing():
    assert run(lambda t: 0.0, seconds=60, noise=3 / 8 * LAW.excursion)[0] is None
    for part in (-0.09, 0.09):
        assert run(lambda t, part=part: part * 0.02, seconds=60)[0] is None


@pytest.mark.parametrize(("slowing", "within"), [(0.015, 1.5), (0.2, 0.15)])
def test_a_hand_that_slows_it_is_found_the_sooner_the_harder(slowing, within):
    proof, when = run(lambda t: slowing if t > 2 else 0.0)
    assert proof == "lost"
    assert 2 < when < 2 + within


def test_energy_gained_is_a_push_and_no_hindrance():
    proof, when = run(lambda t: -0.2 if t > 2 else 0.0)
    assert proof == "gained"
    assert 2 < when < 2.2


def test_the_deceleration_is_what_friction_does_not_explain():
    track, speed, t = FreeRun(), 1.0, 0
    while track.step(t, speed, LAW) is None:
        speed -= (LAW.slowing(speed) + 0.1) * 0.05
        t += 50_000
    assert track.deceleration == pytest.approx(0.1, rel=0.15)


def test_a_law_slows_by_bearing_and_air_and_forgives_a_peg_at_a_crawl():
    assert LAW.slowing(2.0) == pytest.approx(0.09)
    assert LAW.limit(LAW.crawl) > LAW.peg / (2 * LAW.crawl) + LAW.excursion / 8
    assert LAW.limit(1.0) < 0.01


@pytest.mark.parametrize(("pegs", "proof"), [(1.45, None), (1.55, "lost"), (-1.45, None), (-1.55, "gained")])
def test_a_peg_may_take_half_as_much_again_as_was_found_of_it_and_no_more(pegs, proof):
    """All at once, above a crawl, by a wheel that has strayed as far as it may."""
    after = 0.05
    strayed = pegs * LAW.peg / (2 * after) + copysign(LAW.excursion, pegs)
    before = after + strayed
    for _ in range(9):
        own = LAW.slowing((before + after) / 2) * 0.05
        before = after + strayed + own * (1 + copysign(ALLOWANCE, pegs))
    track = FreeRun()
    track.step(0, before, LAW)
    assert track.step(50_000, after, LAW) == proof


def test_above_a_crawl_a_peg_takes_what_the_law_has_it_take():
    law = Friction(constant=0.02, per_speed=0.035, peg=0.00015, excursion=0.0)
    takes = law.crawl - sqrt(law.crawl**2 - law.peg)
    assert 1.03 < takes / (law.peg / (2 * law.crawl)) < 1.05


# --- pushes ---------------------------------------------------------------------------------------


def test_a_push_ends_where_the_quickest_stretch_did():
    push, position = Push(0, 0), 0
    for at, counts in enumerate([10, 40, 90, 120, 120, 119, 118, 118]):
        over = push.stretch(at * 50_000, position, (at + 1) * 50_000, position + counts, 1)
        assert over == (at == 7)
        position += counts
    assert (push.time, push.position) == (200_000, 260)
    assert push.speed == 2400


def test_a_push_the_other_way_round():
    push = Push(0, 0)
    assert not push.stretch(0, 0, 50_000, -100, -1)
    assert push.stretch(50_000, -100, 250_000, -480, -1)
    assert (push.position, push.speed) == (-100, 2000)


def test_a_count_more_is_rounding_and_no_further_push():
    push = Push(0, 0)
    push.stretch(0, 0, 50_000, 100, 1)
    push.stretch(50_000, 100, 100_000, 201, 1)
    assert push.position == 100


# --- where the hand lets go ---


def pushed(lets_go, sense=1, fades=1.0, drives=1.5, counts=4000, step=50_000):
    """Positions of a running wheel that a hand drives for 0.3 s, and its true position when that lets go.

    With `fades` below 1 each tenth of a second of the hand gives so much of what the one before gave.
    """
    t, position, speed, kept, true = 0, 0.4, 0.2 * counts, [], None
    while t <= 1_200_000:
        if t % step == 0:
            kept.append((t, sense * int(position)))
        driving = lets_go - 300_000 <= t < lets_go
        if t == lets_go:
            true = sense * position
        hand = drives * counts * fades ** ((t - lets_go + 300_000) / 100_000) if driving else 0.0
        speed += (hand - LAW.slowing(speed / counts) * counts) / 1000
        position, t = position + speed / 1000, t + 1000
    return kept, true


def let_go(kept, sense=1, law=LAW):
    """What is said of the push from its fifth position on, as soon as it is over."""
    push = Push(*kept[4])
    for at in range(5, len(kept)):
        if push.stretch(*kept[at - 1], *kept[at], sense):
            return released(kept[: at + 1], push.time, sense, law, 4000)
    raise AssertionError("the push is never over")


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("fades", [1.0, 0.5])
@pytest.mark.parametrize("lets_go", range(550_000, 600_000, 7_000))
def test_a_hand_lets_go_between_two_positions(lets_go, fades, sense):
    kept, true = pushed(lets_go, sense, fades)
    earliest, latest = let_go(kept, sense)
    assert sense * earliest <= sense * true <= sense * latest
    stretch = abs(kept[-1][1] - kept[-2][1])
    assert abs(latest - earliest) < 4 * stretch


@pytest.mark.parametrize("drives", [0.15, 0.2, 0.3])
@pytest.mark.parametrize("lets_go", range(550_000, 600_000, 7_000))
def test_a_weak_hand_lets_go_between_two_positions_too(lets_go, drives):
    kept, true = pushed(lets_go, drives=drives)
    earliest, latest = let_go(kept)
    assert earliest <= true <= latest + 1, "a position is rounded down"


def test_the_law_draws_the_way_back_and_a_wrong_one_elsewhere():
    """A wheel that is thought to slow by much was quick before: it seems to have been driven to the last."""
    kept, _ = pushed(550_000)
    (earliest, _), (late, _) = (let_go(kept, law=Friction(each, 0.035, 0.00015, 0.001)) for each in (0.02, 3))
    assert late > earliest


def test_a_push_of_which_too_little_was_seen_ended_within_two_stretches():
    kept = [(at * 50_000, at * 100) for at in range(5)]
    assert released(kept, 200_000, 1, LAW, 4000) == (200, 400)
    assert released(kept[:1], 0, 1, LAW, 4000) == (0, 0)


# --- the crawl ---


def crawled(extra=0.0):
    """Whether a wheel that slows by its bearing alone, and is then helped on, is found out."""
    track, progress, speed = Crawl(), 0.0, 0.03
    while speed > 0:
        assert not track.driven(progress, speed, LAW, 0.012, 0.003)
        progress, speed = progress + speed * 0.05 - 0.015 * 0.05**2 / 2, speed - 0.015 * 0.05
    return track.driven(progress + extra, 0.0, LAW, 0.012, 0.003)


def test_a_wheel_at_a_crawl_gets_as_far_as_its_bearing_lets_it_and_no_farther():
    assert not crawled()
    assert not crawled(extra=0.002)
    assert crawled(extra=1 / 54)


def test_a_push_begins_the_crawl_anew():
    track = Crawl()
    track.driven(0.0, 0.01, LAW, 0.012, 0.003)
    track.clear()
    assert not track.driven(1.0, 0.01, LAW, 0.012, 0.003)


# --- pegs -----------------------------------------------------------------------------------------


def test_a_bounce_of_75_ms_is_no_level_and_what_has_held_is():
    pegs = Pegs()
    assert pegs.settled(10**9) is None, "never seen"
    for time in range(0, 75_000, 5_000):
        pegs.edge(time, time % 10_000 == 0)
    assert pegs.settled(140_000) is None
    assert pegs.settled(146_000) is True


def contact(low=None, high=None):
    return Rise(time=0, contact=True, low=low, high=high)


BOUNCED = Rise(time=0, contact=False, low=None, high=None)


def test_only_the_first_rise_of_a_peg_is_where_its_edge_is():
    pegs = Pegs()
    pegs.place(10 - 0.04, contact(), 0.04, 0.02)
    pegs.place(10 + 0.3, BOUNCED, 0.04, 0.02)
    pegs.place(11 - 0.05, contact(), 0.04, 0.02)
    assert pegs.astray == 0
    pegs.place(12 - 0.3, BOUNCED, 0.04, 0.02)
    assert pegs.astray == 1
    pegs.begin()
    assert pegs.astray == 0


def test_a_rise_after_a_pause_is_no_bounce_and_knows_where_the_wheel_was_meanwhile():
    pegs = Pegs()
    assert pegs.edge(100_000, True) == Rise(100_000, False, None, None)
    pegs.edge(110_000, False)
    pegs.stand(120_000, 5.0)
    assert pegs.edge(150_000, True) == Rise(150_000, False, 5.0, 5.0)
    pegs.edge(160_000, False)
    for time, place in [(160_000, 9.0), (200_000, 5.2), (220_000, 5.1), (230_000, 5.3)]:
        pegs.stand(time, place)
    assert pegs.edge(240_000, True) == Rise(240_000, True, 5.1, 5.3)


@pytest.mark.parametrize(
    ("place", "low", "high", "astray"),
    [
        (9.96, 9.8, 9.96, 0),
        (9.96, 9.95, 9.99, 1),
        (10.05, 9.99, 10.2, 0),
        (10.05, 9.8, 10.05, 1),
        (10.05, None, None, 1),
        (10.45, 10.1, 10.45, 1),
    ],
)
def test_a_peg_touched_again_was_left_on_the_side_on_which_it_is_touched(place, low, high, astray):
    pegs = Pegs()
    pegs.place(10 - 0.04, contact(9.1, 9.9), 0.04, 0.05)
    pegs.place(place, contact(low, high), 0.04, 0.05)
    assert pegs.astray == astray


def test_a_peg_that_came_too_fast_is_not_judged_nor_is_its_bounce():
    pegs = Pegs()
    pegs.place(10.3, contact(), None, 0.02)
    pegs.place(10.4, BOUNCED, 0.04, 0.02)
    assert pegs.astray == 0


def test_rises_are_counted_once_for_each_time_the_pointer_is_lifted():
    pegs = Pegs()
    for time, high in enumerate([True, True, False, True]):
        pegs.edge(time, high)
    assert pegs.rises == 2


# --- slips ----------------------------------------------------------------------------------------


def way(*moves, every=50_000):
    """Positions from the counts between them."""
    positions = [1000]
    for move in moves:
        positions.append(positions[-1] + move)
    return [(at * every, position) for at, position in enumerate(positions)]


@pytest.mark.parametrize("lags", [(-4,), (0, 2), (5, 2, 5), (6, 5, 5, 6), (30,)])
def test_a_wheel_that_runs_on_as_before_after_a_gap_has_an_encoder_that_slipped(lags):
    assert jumped(way(11, *lags, 10), 0.0)
    assert not jumped(way(11, *lags), 0.0)


@pytest.mark.parametrize(
    "moves",
    [
        (10,),
        (10, 10, 10),
        (20, 10, 4, 4),
        (0, 10, 30, 30),
        (8, -8, -8),
        (10, 5, 9, 11),
        (20, 2, 2, 2, 2, 2, 20),
    ],
    ids=["too few", "even", "held", "pushed", "sent back", "rounding", "held and pushed again"],
)
def test_a_wheel_that_is_slower_or_quicker_afterwards_was_touched(moves):
    assert not jumped(way(*moves), 0.0)


# --- rest -----------------------------------------------------------------------------------------


def test_rocking_on_an_edge_is_stillness_and_a_step_more_is_not():
    still = Stillness()
    assert still.at(0, 100) == 0
    assert still.at(500, 101) == 500
    assert still.at(900, 99) == 900
    assert still.at(1000, 102) == 0
    still.doubt(1500)
    assert still.at(1700, 102) == 200


@pytest.mark.parametrize(
    ("turns", "lifted", "place"),
    [
        (-0.5 / 54, False, 0),
        (0.5 / 54, False, 53),
        (7 - 12.7 / 54, False, 12),
        (0.0, True, "peg"),
        (-1.03 / 54, True, "peg"),
        (-1.045 / 54, False, 1),
        (-0.5 / 54, True, "contradiction"),
        (0.0, False, "contradiction"),
        (-1.1 / 54, True, "contradiction"),
    ],
)
def test_case_36_a_segment_a_peg_or_what_cannot_be(turns, lifted, place):
    assert rest_place(turns, 54, 0.08, lifted, 0.03) == place


@pytest.mark.parametrize("segments", [12, 52, 54])
def test_a_wheel_that_turns_clockwise_brings_its_segments_backwards(segments):
    seen = [rest_place((at + 0.5) / segments, segments, 0.08, False, 0.03) for at in range(segments)]
    assert seen == list(range(segments - 1, -1, -1))


def test_a_push_that_ends_between_two_positions_is_no_slip():
    """5,000 counts a turn: the hand let go within the first stretch, and the wheel was fastest after it."""
    times = (0, 49_979, 99_939, 149_913, 199_897, 249_890, 299_990)
    kept = list(zip(times, (0, 240, 492, 743, 992, 1241, 1488), strict=True))
    assert not jumped(kept, 0.0)
    assert jumped([*kept[:4], *((time, counts + 20) for time, counts in kept[4:])], 0.0)


def test_a_push_that_ends_in_the_stretch_before_is_no_slip_though_the_wheel_slows_to_its_speed():
    """5,000 counts a turn: pushed in most of the stretch before, 0.2 s later it is as slow again."""
    times = (0, 50_105, 100_040, 150_151, 200_146, 250_020, 300_152)
    kept = list(zip(times, (0, 230, 465, 700, 934, 1167, 1398), strict=True))
    slowing = 0.17 * 5000
    assert not jumped(kept, slowing)
    assert jumped(kept, 0.0), "were there no friction"
    back = [(time, -counts) for time, counts in kept]
    assert not jumped(back, slowing)
    assert jumped([*kept[:4], *((time, counts + 20) for time, counts in kept[4:])], slowing)
