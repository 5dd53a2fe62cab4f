"""What can go wrong with a wheel that has bare sensors, by name, and what a correct observer makes of it."""

from collections.abc import Callable, Sequence
from random import Random

from simulators.devices.microcontroller import Troubles
from simulators.devices.pocket_sensor import POCKET_CHANNEL
from simulators.devices.sensor_wheel import RIM_CHANNEL, Kind, Mishap, Mishaps, Plan
from simulators.physics.roulette import Course
from simulators.traffic import Expected

ROULETTE = frozenset({"roulette"})
BOTH = frozenset({"roulette", "boule"})
Strike = Callable[[Plan, Course, Troubles, Random], None]


def _device(strike: Strike) -> Callable[[Plan, Random], None]:
    """A mishap of the device, which strikes once the ball's course is known."""

    def shape(plan: Plan, rng: Random) -> None:
        plan.trouble = strike

    return shape


def _while_in_play(plan: Plan, course: Course, rng: Random) -> float:
    """A moment from the launch to the rest, well before the pocket is sure."""
    return plan.launched + rng.uniform(0.1, 1.0) * (course.stays[-1].start - 0.2)


# --- the croupier and the ball ---------------------------------------------------------------------------


def _same_direction(plan: Plan, rng: Random) -> None:
    plan.rotor, plan.ball = -plan.rotor, -plan.ball


def _with_rotor(plan: Plan, rng: Random) -> None:
    plan.ball = plan.rotor


def _weak(plan: Plan, rng: Random) -> None:
    plan.weak = rng.uniform(0.475, 0.525) if plan.rotor else rng.uniform(0.29, 0.315)


def _out_of_rim(plan: Plan, rng: Random) -> None:
    plan.cut_rim = rng.uniform(0.4, 0.6)  # after three turns and more: sooner, the launch falls short


def _out_of_pocket(plan: Plan, rng: Random) -> None:
    plan.cut_rest = rng.uniform(0.2, 2.6)


def _leaves(plan: Plan, rng: Random) -> None:
    plan.leaves = True


def _foreign(plan: Plan, rng: Random) -> None:
    plan.foreign = True


def _turned_round(plan: Plan, rng: Random) -> None:
    plan.turned_round = True


def _rocked(plan: Plan, rng: Random) -> None:
    plan.rocked = True


def _lid(plan: Plan, rng: Random) -> None:
    plan.lid = True


def _fast_rotor(plan: Plan, rng: Random) -> None:
    plan.rotor_speed = rng.uniform(0.56, 0.66)


# --- the device ---------------------------------------------------------------------------------------------


def _covered(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    troubles.covered = (
        plan.launched + course.left_rim * rng.uniform(0.1, 0.3),
        rng.randrange(RIM_CHANNEL, RIM_CHANNEL + 3),
    )


def _rim_dead(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    troubles.dead = {rng.randrange(RIM_CHANNEL, RIM_CHANNEL + 3): plan.start}


def _pocket_dead(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    troubles.dead = {POCKET_CHANNEL: plan.launched}


def _packets_lost(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    start = _while_in_play(plan, course, rng)
    troubles.dropped = start, start + rng.uniform(0.06, 1.2)


def _packets_lost_betting(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    troubles.dropped = plan.taken, plan.taken + rng.uniform(0.06, 0.5)


def _damaged(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    troubles.damaged = _while_in_play(plan, course, rng)


def _edges_lost(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    start = _while_in_play(plan, course, rng)
    troubles.lost_edges = start, start + rng.uniform(0.05, 0.4)


def _restart(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    troubles.restart = _while_in_play(plan, course, rng)


def _unplugged(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    out = _while_in_play(plan, course, rng)
    troubles.unplug = out, out + rng.uniform(0.05, 5.0)


def _unplugged_betting(plan: Plan, rng: Random) -> None:
    plan.driven += 4.0
    plan.launched += 4.0

    def strike(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
        troubles.unplug = plan.taken + 0.2, plan.taken + rng.uniform(0.4, 2.0)

    plan.trouble = strike


def _slip(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    start = plan.launched + rng.uniform(0.1, 0.9) * course.left_rim
    troubles.slip = start, rng.choice((-1, 1)) * rng.randrange(8, 55)


def _invalid(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    troubles.invalid = _while_in_play(plan, course, rng), 20


def _fault(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
    troubles.faults = [(_while_in_play(plan, course, rng), rng.choice((5, 6)), 255)]


def _mishap(
    name: str,
    expected: Expected,
    description: str,
    shape: Callable[[Plan, Random], None],
    kinds: frozenset[str] = BOTH,
    at_boule: Expected | None = None,
) -> tuple[str, Mishap]:
    return name, Mishap(name, expected, description, shape, kinds, at_boule)


MISHAPS: dict[str, Mishap] = dict(
    (
        _mishap("same_direction", "void", "the rotor is driven in the last sense", _same_direction, ROULETTE),
        _mishap("ball_with_rotor", "void", "the ball is thrown in the rotor's sense", _with_rotor, ROULETTE),
        _mishap("weak_launch", "valid", "the ball falls short and is thrown again", _weak),
        _mishap("rotor_fast", "valid", "the rotor turns faster than its range", _fast_rotor, ROULETTE),
        _mishap(
            "rotor_turned_round", "void", "a hand turns the rotor round in play", _turned_round, ROULETTE
        ),
        _mishap("rotor_rocked", "valid", "a hand stops and rocks the rotor at its end", _rocked, ROULETTE),
        _mishap("ball_out_of_rim", "void", "the ball is taken out of the rim", _out_of_rim),
        _mishap("ball_out_of_pocket", "void", "the ball is taken or jumps out of its pocket", _out_of_pocket),
        _mishap("ball_left_cylinder", "void", "the ball jumps out of the cylinder", _leaves),
        _mishap("foreign_object", "void", "something else lies in a pocket", _foreign),
        _mishap("lid_moved", "void", "the lid is moved while the ball runs", _lid, at_boule="valid"),
        _mishap("rim_covered", "void", "something lies before a rim sensor", _device(_covered)),
        _mishap("rim_dead", "valid", "a rim sensor sees nothing; two are enough", _device(_rim_dead)),
        _mishap("pocket_dead", "void", "the pocket sensor sees nothing", _device(_pocket_dead)),
        _mishap("packets_lost", "void", "packets are missing in mid-throw", _device(_packets_lost)),
        _mishap(
            "packets_lost_betting", "valid", "packets are missing before it", _device(_packets_lost_betting)
        ),
        _mishap("packet_damaged", "void", "a packet comes damaged in mid-throw", _device(_damaged)),
        _mishap("edges_lost", "void", "the device had no room for edges", _device(_edges_lost)),
        _mishap("restarted", "void", "the device restarts in mid-throw", _device(_restart)),
        _mishap("unplugged", "void", "the cable is pulled in mid-throw", _device(_unplugged)),
        _mishap("unplugged_betting", "valid", "the cable is pulled and back before it", _unplugged_betting),
        _mishap("encoder_slipped", "void", "the encoder is off by some counts", _device(_slip)),
        _mishap("encoder_invalid", "valid", "invalid steps, but the index is right", _device(_invalid)),
        _mishap("device_fault", "void", "the device finds its clock or memory at fault", _device(_fault)),
    )
)


def possible(kind: Kind) -> tuple[str, ...]:
    """The names of what can go wrong with such a wheel."""
    return tuple(name for name, mishap in MISHAPS.items() if kind in mishap.kinds)


def at(names: dict[int, str]) -> Mishaps:
    """The mishap of this name in the game of this index. Raises KeyError for a name that does not exist."""
    planned = {index: MISHAPS[name] for index, name in names.items()}
    return planned.get


def rated(names: Sequence[str], rate: float, seed: int) -> Mishaps:
    """Mishaps in a share `rate` of the games, the names in even numbers.

    Not in the first game, which shows the rotor's sense, and never in two games running, as after a game that
    was not seen whole nobody knows the rotor's last sense. So `rate` is at most 0.5; ValueError for another.
    """
    if not 0.0 <= rate <= 0.5:
        raise ValueError(f"the rate of mishaps must be from 0 to 0.5, not {rate}")
    rng = Random(f"{seed}/mishaps")
    chance = rate / (1.0 - rate)
    deck: list[str] = []
    last = 0

    def schedule(index: int) -> Mishap | None:
        nonlocal last
        if index == last or index == last + 1 or rng.random() >= chance:
            return None
        last = index
        if not deck:
            deck.extend(names)
            rng.shuffle(deck)
        return MISHAPS[deck.pop()]

    return schedule
