"""A roulette's whole spin: the ball in the rim, its fall, the deflectors, the bounces, its rest. Pure.

The rim is solved exactly (`roulette_ball`). What follows is chaotic in a real wheel, so it is drawn: a fall
of one to three seconds, longer if a deflector is met, then hops from pocket to pocket until the ball rests.
Times in seconds after the launch; places on the rotor counted clockwise from pocket 0.
"""

from dataclasses import dataclass
from math import floor
from random import Random

from simulators.physics.roulette_ball import TURN, Launch, RimRun, Track
from simulators.physics.shaft import Shaft

DEFLECTORS = 8


@dataclass(frozen=True, slots=True)
class Stay:
    """The ball lies in a pocket for a while; `offset` in parts of a pocket from its middle."""

    start: float
    end: float
    place: int
    offset: float


@dataclass(frozen=True, slots=True)
class Course:
    """One throw as the sensors could see it."""

    sense: int
    """Of the ball, 1 clockwise."""
    passes: tuple[tuple[float, int, float, float], ...]
    """At the rim's sensors: when, which, speed in turns a second, turns since the launch."""
    left_rim: float
    drop: float
    """Where on the stator it left the rim, in turns clockwise, 0 to below 1."""
    stays: tuple[Stay, ...]
    """The last one has no end of its own."""

    @property
    def place(self) -> int:
        """Where it rests."""
        return self.stays[-1].place


def spin(
    rng: Random,
    track: Track,
    rotor: Shaft,
    launched: float,
    launch: tuple[float, float, int],
    rim: tuple[float, float, float],
    pockets: int,
) -> Course:
    """A throw at a moment of the rotor's time: `launch` is angle and speed (turns) and sense."""
    angle, speed, sense = launch
    run = RimRun(track, Launch(angle * TURN, speed * TURN, sense))
    left = run.time
    drop = run.drop / TURN
    return Course(sense, seen(run, rim), left, drop, tuple(_fall(rng, rotor, launched, run, left, pockets)))


def seen(run: RimRun, rim: tuple[float, float, float]) -> tuple[tuple[float, int, float, float], ...]:
    """The passes of a run at the rim's sensors, as a `Course` has them."""
    sights = run.sights([each * TURN for each in rim])
    return tuple((time, each, speed / TURN, turned / TURN) for time, each, speed, turned in sights)


def _fall(rng: Random, rotor: Shaft, launched: float, run: RimRun, left: float, pockets: int) -> list[Stay]:
    """From the rim to the pocket in which the ball rests."""
    critical = run.track.critical / TURN
    fall = rng.uniform(0.9, 1.8)
    way = critical * fall * rng.uniform(0.8, 1.0)
    if rng.random() < 0.6:  # a deflector: it breaks the ball's way, at one of eight places
        way = round((run.drop / TURN + way) * DEFLECTORS) / DEFLECTORS - run.drop / TURN
        fall += rng.uniform(0.1, 0.5)
    time = left + fall
    angle = run.drop / TURN + run.launch.sense * way
    place = floor((angle - rotor.angle(launched + time)) * pockets + 0.5) % pockets
    stays = []
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))):
        stay = rng.uniform(0.02, 0.25)
        stays.append(Stay(time, time + stay, place, rng.uniform(-0.2, 0.2)))
        time += stay + rng.uniform(0.08, 0.35)
        place = (place + run.launch.sense * rng.randrange(1, 8)) % pockets
    stays.append(Stay(time, float("inf"), place, rng.uniform(-0.15, 0.15)))
    return stays
