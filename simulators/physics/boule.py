"""A boule: a rubber ball thrown along the edge of a basin that stands still, and its eighteen holes. Pure.

The plate is about 1.50 m wide; the ball goes round its edge many times, comes down to the holes that stand
around the middle, jumps from hole to hole as long as it is quick enough, and rests in one. The run along the
edge is solved exactly (`roulette_ball`, with rolling friction), the way over the holes is drawn.
"""

from math import radians
from random import Random

from simulators.physics.roulette import Course, Stay, seen
from simulators.physics.roulette_ball import TURN, Launch, RimRun, Track

HOLES = 18
EDGE = Track(radius=0.70, bank=radians(9.0), drag=0.02, friction=0.05)


def spin(
    rng: Random, track: Track, launch: tuple[float, float, int], rim: tuple[float, float, float]
) -> Course:
    """A throw: `launch` is angle (turns), speed (turns a second) and sense."""
    angle, speed, sense = launch
    run = RimRun(track, Launch(angle * TURN, speed * TURN, sense))
    left = run.time
    turn = run.drop / TURN
    time = left + rng.uniform(0.8, 2.0)
    pace = run.track.critical / TURN * 0.7
    turn += sense * pace * (time - left)
    stays: list[Stay] = []
    while rng.random() < 0.75 and len(stays) < 12:  # it touches a hole and is too quick to stay
        stay = rng.uniform(0.03, 0.2)
        stays.append(Stay(time, time + stay, round(turn * HOLES) % HOLES, rng.uniform(-0.3, 0.3)))
        move = rng.uniform(0.2, 0.7)
        turn += sense * pace * move + rng.choice((-1, 0, 1)) / HOLES
        pace *= 0.85
        time += stay + move
    stays.append(Stay(time, float("inf"), round(turn * HOLES) % HOLES, rng.uniform(-0.1, 0.1)))
    return Course(sense, seen(run, rim), left, run.drop / TURN, tuple(stays))
