"""What can go wrong at the wheel itself: changes to a game's plan, and marks on its lines.

A shape changes the plan before the game is played; a mark changes states' warnings and speeds
afterwards. Both come before the encoding, so what they do is what the wheel truthfully reports.
"""

from collections.abc import Callable, Iterable
from random import Random

from simulators.devices.cammegh_game import (
    BALL_UNSEEN,
    BALL_WITH_ROTOR,
    SENSOR_FAULT,
    SPEED_OUTSIDE,
    VOID_SIGNALLED,
    Failure,
    Line,
    Phase,
    Plan,
    between,
)

Shape = Callable[[Plan, Random], None]
Mark = Callable[[list[Line], Random], None]


def as_planned(plan: Plan, rng: Random) -> None:
    """No change to the plan."""


def as_played(lines: list[Line], rng: Random) -> None:
    """No change to the lines."""


def _in(lines: Iterable[Line], *phases: Phase) -> list[Line]:
    return [line for line in lines if line.phase in phases]


# --- launches -----------------------------------------------------------------------------------


def failed_launch(plan: Plan, rng: Random) -> None:
    """One launch fails, in one game of four two; bit 8 stays for some 20 s and into state 3."""
    for _ in range(2 if rng.random() < 0.25 else 1):
        unmarked, marked = between(rng, (5, 7)), between(rng, (36, 44))
        plan.failures.append(Failure(unmarked, with_rotor=0, marked=marked))
    plan.marked_in_rim = between(rng, (0, 2))


def ball_with_rotor_then_failed_launch(plan: Plan, rng: Random) -> None:
    """The ball runs with the rotor for 6 s, the wheel gives the launch up and repeats it rightly."""
    plan.failures.append(Failure(unmarked=5, with_rotor=12, marked=between(rng, (8, 14))))


def ball_follows(plan: Plan, rng: Random) -> None:
    """The ball runs in the rotor's sense."""
    plan.ball_follows = True


def mark_ball_with_rotor(lines: list[Line], rng: Random) -> None:
    """Bit 2 all through states 3 and 4."""
    for line in _in(lines, "rim", "running"):
        line.warning |= BALL_WITH_ROTOR


def same_direction(plan: Plan, rng: Random) -> None:
    """The rotor is braked and driven on in its old sense."""
    plan.reverses = False


def respin(plan: Plan, rng: Random) -> None:
    """The croupier gives a launch up in state 3 and launches again under the same counter."""
    plan.respins.append(between(rng, (5, 12)))


def dealer_lock(plan: Plan, rng: Random) -> None:
    """State 7 holds the result until the dealer acknowledges."""
    plan.locked = between(rng, (3, 20))


# --- the ball and the result --------------------------------------------------------------------


def ball_removed(plan: Plan, rng: Random) -> None:
    """Half of the games without a ball end without a number too."""
    if rng.random() < 0.5:
        plan.ending = "abandoned"


def mark_ball_removed(lines: list[Line], rng: Random) -> None:
    """Bit 1 without a break for 6 to 9.5 s of state 4."""
    running = _in(lines, "running")
    count = between(rng, (13, 20))
    first = between(rng, (4, len(running) - count - 3))
    for line in running[first : first + count]:
        line.warning |= BALL_UNSEEN


def mark_ball_unseen(lines: list[Line], rng: Random) -> None:
    """Bit 1 for a line or two, several times over, which is normal."""
    running = _in(lines, "running")
    for first in range(between(rng, (3, 8)), len(running) - 2, 8):
        for line in running[first : first + between(rng, (1, 2))]:
            line.warning |= BALL_UNSEEN


def no_result(plan: Plan, rng: Random) -> None:
    """From state 4 straight back to state 2."""
    plan.ending = "abandoned"


def blank_number(plan: Plan, rng: Random) -> None:
    """State 5 comes, but its number stays unknown."""
    plan.number = plan.bare = None


def same_number_twice(plan: Plan, rng: Random) -> None:
    """The last game's number once more."""
    plan.number = plan.bare = plan.previous


def no_bare_number(plan: Plan, rng: Random) -> None:
    """The line with the number alone is switched off."""
    plan.bare = None


def bare_number_cut(plan: Plan, rng: Random) -> None:
    """Only one of the number's two digits arrives on the line with the number alone."""
    plan.number = rng.choice([label for label in plan.labels if len(label) == 2])
    plan.bare = rng.choice(plan.number)


def bare_number_wrong(plan: Plan, rng: Random) -> None:
    """The line with the number alone names another pocket than the status line."""
    plan.bare = rng.choice([label for label in plan.labels if label != plan.number])


def settles_for(lines: int) -> Shape:
    """State 5 lasts so many lines."""

    def shape(plan: Plan, rng: Random) -> None:
        plan.settled = lines

    return shape


def settles_briefly(plan: Plan, rng: Random) -> None:
    """State 5 lasts 1 to 3 s."""
    plan.settled = between(rng, (2, 6))


def waits(lines: int) -> Shape:
    """Betting lasts so many lines longer."""

    def shape(plan: Plan, rng: Random) -> None:
        plan.betting += lines

    return shape


# --- the wheel ----------------------------------------------------------------------------------


def wheel_closes(plan: Plan, rng: Random) -> None:
    """The wheel is closed in state 4."""
    plan.ending, plan.closed, plan.running = "closed", between(rng, (8, 20)), between(rng, (6, 30))


def power_cut(plan: Plan, rng: Random) -> None:
    """The wheel loses its power in state 4 and starts anew."""
    plan.ending, plan.running = "power_cut", between(rng, (6, 40))


def breaks_down(plan: Plan, rng: Random) -> None:
    """The wheel closes itself with the fault's bit set, after half a minute of state 4."""
    plan.ending, plan.running = "closed", between(rng, (64, 80))
    plan.closed, plan.closing_warning = between(rng, (12, 40)), SENSOR_FAULT


def mark_motor_fault(lines: list[Line], rng: Random) -> None:
    """The rotor stops in state 4; bit 4 a few seconds later."""
    running = _in(lines, "running")
    first = between(rng, (6, 20))
    speed = running[first].speed
    for number, line in enumerate(running[first:]):
        line.speed = max(speed - 90 * number, 0)
        line.warning = SENSOR_FAULT if number > 6 else 0


def mark_runaway(lines: list[Line], rng: Random) -> None:
    """The drive runs away to some 95 rpm, the ball's sensor sees nothing, then bit 4 and standstill."""
    running = _in(lines, "running")
    first, held = between(rng, (4, 12)), between(rng, (12, 24))
    speed, top = running[first].speed, between(rng, (850, 983))
    for number, line in enumerate(running[first:]):
        speed = min(speed + 94, top) if number < held else max(speed - 120, 0)
        line.speed = speed
        line.warning = SENSOR_FAULT if speed == 0 else BALL_UNSEEN if number > 6 and number % 4 == 0 else 0


def mark_speed_outside(lines: list[Line], rng: Random) -> None:
    """A rotor at 6 to 9.5 rpm, with bit 1."""
    speed = rng.uniform(80, 95)
    for line in _in(lines, "rim", "running", "locked", "settled"):
        line.speed, line.warning = max(int(speed), 60), line.warning | SPEED_OUTSIDE
        speed *= 0.998


def void_signalled(plan: Plan, rng: Random) -> None:
    """Half of the throws that the wheel calls void end without a number."""
    if rng.random() < 0.5:
        plan.ending = "abandoned"


def mark_void_signalled(lines: list[Line], rng: Random) -> None:
    """Bit 8 from somewhere in states 3 and 4 on."""
    play = _in(lines, "rim", "running", "settled")
    last = sum(line.phase != "settled" for line in play) - 8
    for line in play[between(rng, (2, last)) :]:
        line.warning |= VOID_SIGNALLED
