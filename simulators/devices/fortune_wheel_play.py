"""What happens at a simulated fortune wheel: what croupier, hand or coat do in a spin, and what was true.

A push is a hand that drives the wheel for a while: some impulses one after the other. The facts of a spin are
kept apart from what any sensor says of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import pi
from random import Random
from typing import Literal

from simulators.physics.fortune_wheel import TURN, Bearing, Hindrance, Push, Spin, spin

ENOUGH = 4
"""Whole turns that the texts ask for."""
MARGIN = 0.1
"""Turns within which a spin has about enough: a hand lets go within as much. It is a scenario of its own."""


@dataclass(frozen=True, slots=True)
class SpinTruth:
    """What really happened, known to the simulator alone."""

    index: int
    scenario: str
    fault: str | None
    """What went wrong with the sensors; None if they saw everything."""
    is_spin: bool
    """False for a wheel that was only handled: no result may come of it."""
    direction: Literal["cw", "ccw"] | None
    pushes: int
    turns: float
    turns_since_push: float
    turns_since_second: float | None
    """Since the second push, whatever pushes came after it; None without one."""
    hindered: bool
    segment: int | None
    """Counted from 0, clockwise on the wheel's face from peg 0; None on a peg."""


@dataclass(frozen=True, slots=True)
class Played:
    """One spin's motion and what is true of it, its times from the hand's first touch on."""

    motion: Spin
    pushes: int
    last_push: float
    """When the hand let go for the last time."""
    hindered: bool
    is_spin: bool = True
    second_push: float | None = None
    """The same of the second push, where it was not the last."""

    @property
    def turns_since_second(self) -> float | None:
        """From the second push to the rest, not signed; None without one."""
        if self.pushes < 2:
            return None
        second = self.last_push if self.second_push is None else self.second_push
        return abs(self.motion.turns_since(second))


def hand(start: float, speed: float, rng: Random) -> list[Push]:
    """A push: five impulses within 0.15 to 0.4 s, the last of them at the end."""
    lasts = rng.uniform(0.15, 0.4)
    return [Push(start + lasts * at / 4, speed / 5) for at in range(5)]


def _speed_at(motion: Spin, time: float) -> float:
    return (motion.angle(time + 1e-4) - motion.angle(time)) / 1e-4


def _two(rng: Random) -> list[Push]:
    """The two pushes of the rule."""
    first = hand(0.0, rng.uniform(2.0, 3.0), rng)
    return first + hand(rng.uniform(1.5, 3.5), rng.uniform(1.2, 4.2), rng)


def _clean(wheel: Bearing, start: float, rng: Random) -> Played:
    pushes = _two(rng)
    return Played(spin(wheel, start, pushes), 2, pushes[-1].time, False)


def _no_second_push(wheel: Bearing, start: float, rng: Random) -> Played:
    pushes = hand(0.0, rng.uniform(2.0, 3.5), rng)
    return Played(spin(wheel, start, pushes), 1, pushes[-1].time, False)


def _one_strong_push(wheel: Bearing, start: float, rng: Random) -> Played:
    pushes = hand(0.0, rng.uniform(4.5, 6.5), rng)
    return Played(spin(wheel, start, pushes), 1, pushes[-1].time, False)


def _too_few_turns(wheel: Bearing, start: float, rng: Random) -> Played:
    pushes = hand(0.0, rng.uniform(1.9, 3.0), rng)
    pushes += hand(rng.uniform(4.0, 9.0), rng.uniform(0.5, 2.6), rng)
    return Played(spin(wheel, start, pushes), 2, pushes[-1].time, False)


def _about_four_turns(wheel: Bearing, start: float, rng: Random) -> Played:
    """The second push is sought with which the wheel makes about the turns that are asked for."""
    first = hand(0.0, rng.uniform(2.0, 3.0), rng)
    begins, seed = rng.uniform(4.0, 9.0), rng.random()
    wanted = ENOUGH + rng.uniform(-MARGIN, MARGIN)
    weak, strong = 0.5, 4.2
    for _ in range(12):
        speed = (weak + strong) / 2
        pushes = first + hand(begins, speed, Random(seed))
        played = Played(spin(wheel, start, pushes), 2, pushes[-1].time, False)
        made = played.turns_since_second
        assert made is not None
        weak, strong = (weak, speed) if made > wanted else (speed, strong)
    return played


def _anticlockwise(wheel: Bearing, start: float, rng: Random) -> Played:
    pushes = [Push(push.time, -push.speed) for push in _two(rng)]
    return Played(spin(wheel, start, pushes), 2, pushes[-1].time, False)


def _third_push(wheel: Bearing, start: float, rng: Random) -> Played:
    pushes = _two(rng)
    second = pushes[-1].time
    pushes += hand(second + rng.uniform(1.5, 8.0), rng.uniform(0.5, 2.0), rng)
    return Played(spin(wheel, start, pushes), 3, pushes[-1].time, False, second_push=second)


def _held(slowing: tuple[float, float], lasting: tuple[float, float]) -> "Scenario":
    """A hand or a coat that rubs on the wheel, at the latest while that still turns at 0.8 rad/s."""

    def play(wheel: Bearing, start: float, rng: Random) -> Played:
        pushes = _two(rng)
        free = spin(wheel, start, pushes)
        latest = next(piece.time for piece in reversed(free.pieces) if abs(piece.speed) > 0.8)
        begins = rng.uniform(pushes[-1].time + 1.0, latest)
        hindrance = Hindrance(begins, begins + rng.uniform(*lasting), rng.uniform(*slowing))
        return Played(spin(wheel, start, pushes, [hindrance]), 2, pushes[-1].time, True)

    return play


def _reversed(wheel: Bearing, start: float, rng: Random) -> Played:
    """A hand stops the wheel and sends it back."""
    pushes = _two(rng)
    free = spin(wheel, start, pushes)
    when = rng.uniform(pushes[-1].time + 1.0, free.rest_time - 1.0)
    back = [
        Push(push.time, -push.speed) for push in hand(when, _speed_at(free, when) + rng.uniform(0.5, 3), rng)
    ]
    return Played(spin(wheel, start, pushes + back), 3, back[-1].time, True, second_push=pushes[-1].time)


def _nudged(wheel: Bearing, start: float, rng: Random) -> Played:
    """A hand moves the wheel on, or back, by a segment or more when it all but stands or just stopped."""
    pushes = _two(rng)
    free = spin(wheel, start, pushes)
    when = free.rest_time + rng.uniform(-0.3, 0.9)
    # three short touches, so that it comes on by one to three segments
    sense = rng.choice((-1, 1))
    nudge = [Push(when + at * 0.2, sense * rng.uniform(0.15, 0.25)) for at in range(3)]
    return Played(spin(wheel, start, pushes + nudge), 2, pushes[-1].time, True)


def _on_peg(wheel: Bearing, start: float, rng: Random) -> Played:
    """Only a wheel that rests on a peg will do."""
    sticky = replace(wheel, balance=0.4)
    while True:
        pushes = _two(rng)
        played = Played(spin(sticky, start, pushes), 2, pushes[-1].time, False)
        if played.motion.on_peg:
            return played


def _rocking(wheel: Bearing, start: float, rng: Random) -> Played:
    """Somebody rocks the resting wheel, by less than half a turn in all."""
    pushes, sense = [], 1
    for at in range(rng.randrange(2, 8)):
        pushes.append(Push(at * 0.6, sense * (0.25 if at == 0 else 0.5)))
        sense = -sense
    return Played(spin(wheel, start, pushes), 0, 0.0, False, is_spin=False)


def _cleaning(wheel: Bearing, start: float, rng: Random) -> Played:
    """Somebody turns the wheel slowly by hand and holds it."""
    sense = rng.choice((-1, 1))
    lasts = rng.randrange(2, 5)
    pushes = [Push(at * 0.5, sense * rng.uniform(0.15, 0.3)) for at in range(lasts)]
    stop = Hindrance(lasts * 0.5, lasts * 0.5 + 9, 1.0)
    return Played(spin(wheel, start, pushes, [stop]), 0, 0.0, False, is_spin=False)


Scenario = Callable[[Bearing, float, Random], Played]
SCENARIOS: dict[str, tuple[str, Scenario]] = {
    "clean": ("two pushes, and turns clearly enough after the second", _clean),
    "no_second_push": ("one push and no other", _no_second_push),
    "too_few_turns": ("clearly less than four turns after the second push", _too_few_turns),
    "about_four_turns": ("a little less or more than four turns after the second push", _about_four_turns),
    "one_strong_push": ("one push, but turns enough", _one_strong_push),
    "anticlockwise": ("a spin as it should be, the other way round", _anticlockwise),
    "hand_light": ("a hand brushes the wheel", _held((0.12, 0.3), (0.8, 1.5))),
    "hand_hard": ("a hand brakes the wheel", _held((1.0, 5.0), (0.3, 0.8))),
    "coat": ("a coat drags on the wheel", _held((0.06, 0.12), (2.0, 4.0))),
    "on_peg": ("the pointer rests on a peg", _on_peg),
    "reversed": ("a hand stops the wheel and sends it back", _reversed),
    "nudged": ("a hand helps the wheel on, or back, when it all but stands", _nudged),
    "third_push": ("a third push, perhaps late", _third_push),
    "rocking": ("the resting wheel is rocked", _rocking),
    "cleaning": ("the wheel is turned slowly by hand, to clean it", _cleaning),
}
"""By name: what it is in words, and how it is played."""


def fits(name: str, played: Played, width: float) -> bool:
    """Whether what came of a scenario is what it is called. `width` of a peg in parts of the pitch."""
    since = abs(played.motion.turns_since(played.last_push))
    on_peg = rests_on_peg(played.motion, width)
    if name in ("clean", "anticlockwise", "one_strong_push"):
        return not on_peg and since >= ENOUGH + MARGIN
    if name == "too_few_turns":
        return not on_peg and since <= ENOUGH - MARGIN
    if name == "about_four_turns":
        return not on_peg and abs(since - ENOUGH) < MARGIN
    return True


def rests_on_peg(motion: Spin, width: float) -> bool:
    """The pointer stays lifted: where peg and wheel are in balance, or within the width of a peg."""
    place = motion.rest_angle / (TURN / motion.pegs)
    return motion.on_peg or abs(place - round(place)) < width / 2


def truth_of(
    index: int, name: str, fault: str | None, played: Played, start: float, width: float
) -> SpinTruth:
    """The facts of a spin."""
    motion = played.motion
    net = motion.rest_angle - start
    on_peg = rests_on_peg(motion, width)
    return SpinTruth(
        index=index,
        scenario=name,
        fault=fault,
        is_spin=played.is_spin,
        direction=None if net == 0 else "cw" if net > 0 else "ccw",
        pushes=played.pushes,
        turns=abs(net) / (2 * pi),
        turns_since_push=abs(motion.turns_since(played.last_push)),
        turns_since_second=played.turns_since_second,
        hindered=played.hindered,
        segment=None if on_peg else int(-motion.rest_angle // (TURN / motion.pegs)) % motion.pegs,
    )


def play(name: str, wheel: Bearing, start: float, rng: Random, width: float) -> Played:
    """A scenario, tried until it comes out as what it is called. Raises ValueError for an unknown name."""
    if name not in SCENARIOS:
        raise ValueError(f"no scenario {name!r}; known are: {', '.join(SCENARIOS)}")
    while True:
        played = SCENARIOS[name][1](wheel, start, rng)
        if fits(name, played, width):
            return played


def names() -> Sequence[str]:
    """The scenarios, the clean one first."""
    return tuple(SCENARIOS)
