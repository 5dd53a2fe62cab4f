"""A ball that no pocket was seen with: did it leave the wheel, or is the sensor blind? Nobody knows."""

from collections.abc import Iterable
from random import Random

from bare_wheel_line import driver, feed, of

from drivers.readings import BallMissing, FaultCleared, FaultRaised, PlaceSettled, PocketUnread
from simulators.devices.microcontroller import Troubles
from simulators.devices.sensor_wheel import Mishap, Mishaps, Plan, SensorWheel
from simulators.physics.roulette import Course


def blind(games: Iterable[int]) -> Mishaps:
    """The pocket sensor sees nothing all through these games, nor what lies there from the last one."""

    def shape(plan: Plan, rng: Random) -> None:
        def strike(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
            troubles.dead = {6: plan.start}

        plan.trouble = strike

    mishap = Mishap("blind", "void", "", shape)
    return dict.fromkeys(games, mishap).get


def test_a_ball_that_no_pocket_was_seen_with_is_not_said_to_have_left_the_wheel() -> None:
    """And where the pocket sensor sees nothing of three balls running, that is a fault until it does."""
    wheel = SensorWheel("roulette", "counts", 3, blind([1, 2, 3, 4]))
    made = driver(wheel.options)
    told = [feed(made, game.items) for game in wheel.games(6)]
    assert not [said for each in told for said in of(BallMissing, each)]
    unread = [said for each in told for said in of(PocketUnread, each)]
    assert len(unread) == 4
    assert {(each.claims, each.reason) for each in unread} == {
        ((), "no pocket was seen occupied: the ball left the wheel, or the pocket sensor sees nothing")
    }
    raised = [[fault.code for fault in of(FaultRaised, said)] for said in told]
    assert sum(raised, []) == ["pocket_silent"]  # noqa: RUF017
    assert ["pocket_silent"] in raised[3:5]
    assert [fault.code for fault in of(FaultCleared, told[5])] == ["pocket_silent"]
    assert [len(of(PlaceSettled, said)) for said in told] == [1, 0, 0, 0, 0, 1]


def test_two_balls_that_no_pocket_was_seen_with_are_no_fault_of_the_sensor() -> None:
    wheel = SensorWheel("roulette", "counts", 3, blind([1, 2, 4, 5]))
    made = driver(wheel.options)
    told = [said for game in wheel.games(7) for said in feed(made, game.items)]
    assert len(of(PocketUnread, told)) == 4
    assert not of(FaultRaised, told)


def test_a_ball_that_was_in_a_pocket_and_is_there_no_more_is_missing() -> None:
    def taken(plan: Plan, rng: Random) -> None:
        plan.cut_rest = 2.5

    wheel = SensorWheel("roulette", "counts", 3, {1: Mishap("taken", "void", "", taken)}.get)
    made = driver(wheel.options)
    _, told, _ = (feed(made, game.items) for game in wheel.games(3))
    assert len(of(BallMissing, told)) == 1
    assert not of(PocketUnread, told)
