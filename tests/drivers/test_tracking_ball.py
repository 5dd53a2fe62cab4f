"""The ball's turns, sense and pocket from its passes, with edges that are missed, doubled and late."""

from bisect import bisect_right
from collections.abc import Sequence
from math import radians
from random import Random

import pytest

from drivers.tracking.ball import BallTrack
from drivers.tracking.pocket import PocketTrack
from simulators.physics.roulette_ball import TURN, Launch, RimRun, Track

ANGLES = (0.0, 0.29, 0.63)


def launch(rng: Random, track: Track | None = None) -> tuple[RimRun, list[tuple[int, int, float]]]:
    """A launch and its passes in order: µs, sensor, turns since the launch."""
    run = RimRun(track or Track(), Launch(rng.random() * TURN, rng.uniform(8, 15), rng.choice((1, -1))))
    passes = []
    for sensor, angle in enumerate(ANGLES):
        first = (run.launch.sense * (angle - run.launch.angle / TURN)) % 1.0
        seen = run.passes(angle * TURN)
        passes += [(round(1e6 * time), sensor, first + turn) for turn, (time, _) in enumerate(seen)]
    return run, sorted(passes)


def noisy(rng: Random, passes: list[tuple[int, int, float]], missed: float) -> list[tuple[int, int, float]]:
    """The same with some passes missed, some edges doubled, all late by up to 0.3 ms."""
    seen = []
    for time, sensor, turns in passes:
        if rng.random() >= missed:
            late = time + rng.randrange(300)
            seen.append((late, sensor, turns))
            if rng.random() < 0.05:
                seen.append((late + rng.randrange(200, 30_000), sensor, turns))
    return sorted(seen)


def track(edges: list[tuple[int, int, float]]) -> BallTrack:
    ball = BallTrack(ANGLES)
    for time, sensor, _ in edges:
        ball.edge(time, sensor)
    return ball


@pytest.mark.parametrize("missed", [0.0, 0.03, 0.1])
def test_turns_and_sense_are_exact_whatever_the_sensors_miss(missed: float) -> None:
    rng = Random(5)
    for number in range(300):
        run, passes = launch(rng)
        edges = noisy(rng, passes, missed)
        ball = track(edges)
        assert ball.sense == ("cw" if run.launch.sense > 0 else "ccw"), number
        assert ball.laps == int(edges[-1][2] - edges[0][2] + 1e-9), number


def test_the_speed_is_that_of_the_last_step() -> None:
    _, passes = launch(Random(1))
    ball = track(passes)
    (t1, _, a1), (t2, _, a2) = passes[-2:]
    assert ball.speed == pytest.approx((a2 - a1) / (t2 - t1) * 1e6)


def test_a_few_passes_tell_no_sense_and_no_turns() -> None:
    _, passes = launch(Random(1))
    ball = track(passes[:4])
    assert (ball.sense, ball.laps, ball.speed) == (None, None, None)
    assert (ball.first, ball.last, ball.passes) == (passes[0][0], passes[3][0], 4)


def test_a_second_edge_of_a_pass_is_none() -> None:
    ball = BallTrack(ANGLES)
    assert ball.edge(1000, 0)
    assert not ball.edge(40_000, 0)
    assert ball.passes == 1


def test_a_contact_bounces_for_75_ms_and_no_ball_comes_round_in_less_than_a_fifth_of_a_second() -> None:
    for after, own in ((75_000, False), (199_999, False), (200_000, True), (333_000, True)):
        ball = BallTrack(ANGLES)
        ball.edge(1000, 0)
        assert ball.edge(1000 + after, 0) == own


@pytest.mark.parametrize("speed", [2.1, 3.0, 4.5])
def test_the_turns_of_the_fastest_ball_are_all_counted(speed: float) -> None:
    run = RimRun(Track(), Launch(0.3, speed * TURN, -1))
    ball = BallTrack(ANGLES)
    seen = run.sights([each * TURN for each in ANGLES])
    for time, sensor, _, _ in seen:
        ball.edge(round(time * 1e6), sensor)
    assert ball.sense == "ccw"
    assert ball.laps == int((seen[-1][3] - seen[0][3]) / TURN + 1e-9)


def test_the_ball_left_the_rim_between_its_last_sensor_and_the_next() -> None:
    rng = Random(8)
    for _ in range(300):
        run, passes = launch(rng)
        middle, drop = track(passes).left_at, run.drop / TURN
        assert middle is not None
        bounds = [bisect_right(ANGLES, angle % 1.0) % 3 for angle in (middle, drop)]
        assert bounds[0] == bounds[1]


@pytest.mark.parametrize("missing", [-2, -3])
def test_where_it_left_is_not_said_if_a_sensor_missed_it_in_its_last_turn(missing: int) -> None:
    _, passes = launch(Random(1))
    assert track(passes).left_at is not None
    seen = list(passes)
    del seen[missing]
    ball = track(seen)
    assert ball.sense is not None
    assert ball.left_at is None
    assert track(passes[:4]).left_at is None, "its sense is not known"


def two_sensors(arc: float, speed: float, sense: int, angle: float) -> BallTrack:
    """A launch at a speed (turns a second) that two sensors see, so far apart; the third is dead."""
    run = RimRun(Track(), Launch(angle * TURN, speed * TURN, sense))
    ball = BallTrack((0.0, arc, 0.99))
    for time, each, _, _ in run.sights([0.0, arc * TURN]):
        ball.edge(round(time * 1e6), each)
    return ball


@pytest.mark.parametrize("sense", [1, -1])
def test_two_sensors_tell_the_sense_where_their_distance_is_no_simple_part(sense: int) -> None:
    for arc in (0.27, 0.29, 0.44):
        for speed in (1.0, 1.4, 1.8):
            for angle in (0.1, 0.6, 0.9):
                assert two_sensors(arc, speed, sense, angle).sense == ("cw" if sense > 0 else "ccw")


@pytest.mark.parametrize("sense", [1, -1])
def test_where_the_wrong_sense_fits_at_several_times_the_speed_the_speed_decides_or_none_is_told(
    sense: int,
) -> None:
    for arc in (1 / 5, 1 / 4, 1 / 3, 2 / 5, 1 / 2):
        for speed in (0.8, 1.1, 1.5, 1.9):
            for angle in (0.1, 0.6, 0.9):
                assert two_sensors(arc, speed, sense, angle).sense in (None, "cw" if sense > 0 else "ccw")
    for angle in (0.1, 0.6, 0.9):
        assert two_sensors(1 / 5, 1.9, sense, angle).sense is not None, "nothing runs at 7.6 turns a second"


@pytest.mark.parametrize("arc", [1 / 2, 1 / 3, 1 / 4, 1 / 5])
def test_two_sensors_that_explain_both_senses_tell_none_though_one_fits_a_little_better(arc: float) -> None:
    rng = Random(7)
    for _ in range(200):
        run = RimRun(Track(), Launch(rng.random() * TURN, rng.uniform(0.8, 1.2) * TURN, 1))
        ball = BallTrack((0.0, arc, 0.99))
        for time, each, _, _ in run.sights([0.0, arc * TURN]):
            ball.edge(round(time * 1e6) + rng.randrange(300), each)
        assert ball.sense != "ccw"


def senses(
    track: Track, slowest: float, angles: Sequence[float], seen: Sequence[int], late: int
) -> set[str | None]:
    """The senses told at the end of clockwise throws that some of the sensors see, up to `late` µs late."""
    told, rng = set(), Random(5)
    for _ in range(300):
        run = RimRun(track, Launch(rng.random() * TURN, rng.uniform(slowest, 2.0) * TURN, 1))
        ball = BallTrack(angles)
        for time, each, _, _ in run.sights([angles[sensor] * TURN for sensor in seen]):
            ball.edge(round(time * 1e6) + rng.randrange(late), seen[each])
        told.add(ball.sense)
    return told


def test_a_sense_is_told_by_two_sensors_of_a_tilted_wheel_and_the_wrong_one_by_no_late_edges() -> None:
    assert senses(Track(tilt=radians(0.5)), 1.3, (0.0, 0.29, 0.56), (1, 2), 60) == {"cw"}
    assert senses(Track(), 0.8, (0.0, 1 / 3, 0.99), (0, 1), 2000) == {"cw", None}


# --- the pocket -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
def test_a_pocket_is_settled_once_it_was_seen_over_three_turns(sign: int) -> None:
    rng = Random(6)
    pockets = PocketTrack(37)
    for turn in range(4):
        assert pockets.settled is None
        pockets.sight(sign * (turn + 0.3), (12 / 37 + rng.uniform(-0.2, 0.2) / 37) % 1)
    assert pockets.settled == 12


def test_a_ball_that_still_jumps_settles_three_turns_after_its_last_jump() -> None:
    pockets = PocketTrack(37)
    for turn in range(3):
        pockets.sight(float(turn), 5 / 37)
    for turn in range(3, 7):
        assert pockets.settled is None
        pockets.sight(float(turn), 9 / 37)
    assert pockets.settled == 9
    pockets.sight(7.0, 10 / 37)
    assert pockets.settled is None


def test_a_sight_between_two_pockets_is_none_and_the_last_pocket_is_beside_the_first() -> None:
    pockets = PocketTrack(37)
    pockets.sight(0.0, 4.5 / 37)
    assert pockets.pockets == ()
    for turn in range(4):
        pockets.sight(float(turn), 36.8 / 37)
    assert pockets.settled == 0


@pytest.mark.parametrize(("off", "seen"), [(0.3, (9,)), (0.39, (9,)), (0.41, ()), (0.5, ())])
def test_a_sight_is_the_pockets_up_to_a_tenth_of_its_width_from_the_wall(
    off: float, seen: tuple[int, ...]
) -> None:
    for sign in (1, -1):
        pockets = PocketTrack(37)
        pockets.sight(0.0, (9 + sign * off) / 37)
        assert pockets.pockets == seen


def test_a_pocket_seen_twice_a_turn_apart_only_is_not_settled_by_doubled_edges() -> None:
    pockets = PocketTrack(37)
    for turns in (0.0, 0.001, 0.002, 1.0, 1.001, 1.002):
        pockets.sight(turns, 3 / 37)
    assert pockets.settled is None
    pockets.clear()
    assert pockets.settled is None
