"""Limits of a bare wheel's game: each with a course of the ball on either side of it."""

import pytest
from bare_wheel_line import instant, of

from drivers.bare_wheel.options import BareWheelOptions
from drivers.bare_wheel.play import RETHROWN, RIM_SILENT, Play
from drivers.bare_wheel.rotor import Rotor
from drivers.bare_wheel.watch import NEEDS, Watch
from drivers.readings import (
    AnyReading,
    BallLaunched,
    FaultCleared,
    FaultRaised,
    GameStarted,
    LaunchFailed,
    PlaceSettled,
    PocketUnread,
    StatesMissed,
    VoidSignalled,
)
from drivers.sensor_faults import Faults
from protocols.sensor import Counts
from simulators.physics.roulette_ball import TURN, Launch, RimRun, Track

COUNTS = 400
RIM = (0.0, 0.29, 0.56)
Pass = tuple[float, int]
"""Seconds after the first, and the sensor."""


class Game:
    """A wheel's game, sensor by sensor; the rotor turns evenly, at so many turns a second."""

    def __init__(self, speed: float = 0.4) -> None:
        options = BareWheelOptions(rim=RIM)
        self.said: list[AnyReading] = []
        self.rotor = Rotor(options)
        self.watch = Watch(Faults("wheel", NEEDS, self.said))
        self.play = Play("wheel", options, self.rotor, self.watch, self.said)
        self.speed = speed
        self.now = self.turned = 0.0
        self.rotor.of_turn(COUNTS)
        self.rotor.count(Counts(0, (0,), (0,)))
        self.rotor.index(0)

    def wait(self, until: float) -> None:
        """The rotor's counts every 50 ms, and its index."""
        while self.now + 0.05 <= until:
            before, self.now = int(self.turned), self.now + 0.05
            self.turned += 0.05 * self.speed
            self.rotor.count(Counts(0, (round(self.now * 1e6),), (int(self.turned * COUNTS),)))
            if int(self.turned) != before:
                self.rotor.index(int(self.turned) * COUNTS)
            self.play.tick(round(self.now * 1e6), instant(self.now))

    def ready(self) -> float:
        """Bets may be placed; when a ball may be thrown."""
        self.wait(12.0)
        assert of(GameStarted, self.said)
        return 12.0

    def run(self, begins: float, passes: list[Pass]) -> float:
        """A ball in the rim; the time of its last pass."""
        for after, sensor in passes:
            self.wait(begins + after)
            self.play.passes(round((begins + after) * 1e6), sensor, instant(begins + after))
        return begins + passes[-1][0]

    def see(self, *places: int) -> None:
        """The pocket sensor sees these pockets one after the other, one each turn of the rotor."""
        for place in places:
            self.wait(self.now + 1.0 / abs(self.speed))
            self.play.sight(round(self.now * 1e6), self.turned, place / 37, instant(self.now))


def thrown(slowest: float = 0.0, speed: float = 1.6) -> list[Pass]:
    """A throw clockwise on a level wheel, seen until it is slower than so many turns a second."""
    found = RimRun(Track(), Launch(0.1, speed * TURN, 1)).sights([each * TURN for each in RIM])
    passes = [(time - found[0][0], sensor) for time, sensor, speed, _ in found if speed / TURN > slowest]
    assert len(passes) > 9
    return passes


# --- how fast a ball leaves the rim by itself -------------------------------------------------------------


def left_at(times_leaving: float) -> list[AnyReading]:
    game = Game(-0.4)
    last = game.run(game.ready(), thrown(0.5 * times_leaving))
    game.wait(last + 4.0)
    return game.said


def test_a_ball_that_vanishes_faster_than_any_leaves_the_rim_was_taken_out() -> None:
    [void] = of(VoidSignalled, left_at(1.68))
    assert void.cause == "the ball left the rim before it slowed"


def test_one_that_is_not_much_faster_may_have_left_a_wheel_that_is_set_up_badly() -> None:
    for times in (0.0, 1.0, 1.5):
        assert not of(VoidSignalled, left_at(times))


# --- one throw or two -------------------------------------------------------------------------------------


def thrown_again(after: float) -> list[AnyReading]:
    game = Game(-0.4)
    last = game.run(game.ready(), thrown())
    del game.said[:]
    game.run(last + after, thrown())
    return game.said


def test_passes_soon_after_the_last_are_the_same_balls_which_was_not_seen_whole() -> None:
    for after in (3.6, 4.9):
        said = thrown_again(after)
        assert [missed.before for missed in of(StatesMissed, said)] == ["passes of the ball in the rim"]
        assert not of(BallLaunched, said)


def test_passes_later_than_a_hand_needs_are_another_throw() -> None:
    said = thrown_again(5.1)
    assert not of(StatesMissed, said)
    assert len(of(BallLaunched, said)) == 1
    assert RETHROWN > 2 * RIM_SILENT, "the longest for which a running ball may go unseen"


# --- pockets that contradict each other -------------------------------------------------------------------


def contradicted(seconds: float, turns: int) -> list[AnyReading]:
    """A throw after which two pockets are seen in turn, the last so long after the rim's."""
    game = Game(-0.4)
    last = game.run(game.ready(), thrown())
    game.wait(last + 3.0)
    game.speed = -turns / (seconds - 3.0)
    game.see(*(5 if number % 2 else 9 for number in range(turns)))
    assert game.now - last == pytest.approx(seconds, abs=0.5)
    return game.said


def test_two_pockets_in_turn_are_given_up_only_long_after_any_ball_has_come_to_rest() -> None:
    [unread] = of(PocketUnread, contradicted(13.0, 9))
    assert unread.reason == "pockets contradict each other"
    assert not of(PocketUnread, contradicted(11.0, 9)), "a boule's ball may still roll"
    assert not of(PocketUnread, contradicted(19.0, 5)), "a slow rotor has hardly shown the pockets"
    assert of(PocketUnread, contradicted(19.0, 7))


# --- a launch ---------------------------------------------------------------------------------------------


def test_a_launch_over_a_rotor_that_stands_is_told_after_three_turns_of_three_sensors() -> None:
    for passes, launched in ((8, []), (9, [("cw", None)])):
        game = Game(-0.4)
        game.ready()
        game.speed = 0.0
        game.wait(14.0)
        game.run(14.0, thrown()[:passes])
        assert [(told.ball, told.rotor) for told in of(BallLaunched, game.said)] == launched


def test_passes_as_far_apart_as_a_slow_ball_makes_them_are_one_attempt() -> None:
    for apart, failed in ((1.75, 1), (2.3, 0)):
        game = Game(-0.4)
        game.wait(game.run(game.ready(), [(0.0, 0), (apart, 1), (2 * apart, 2)]) + 3.0)
        assert len(of(LaunchFailed, game.said)) == failed


def test_edges_may_come_a_tenth_of_a_second_after_the_clock() -> None:
    game = Game(-0.4)
    begins = game.ready()
    game.run(begins, [(0.0, 0), (0.7, 1)])
    game.wait(begins + 0.7 + 2.1)
    game.play.passes(round((begins + 0.7 + 1.95) * 1e6), 2, instant(game.now))
    game.wait(game.now + 3.0)
    assert len(of(LaunchFailed, game.said)) == 1, "three passes of one ball"


def test_three_passes_are_an_attempt_and_two_a_hand() -> None:
    for passes, failed in ((2, 0), (3, 1)):
        game = Game(-0.4)
        last = game.run(game.ready(), thrown()[:passes])
        game.wait(last + 3.0)
        assert len(of(LaunchFailed, game.said)) == failed


# --- the pocket -------------------------------------------------------------------------------------------


def test_bets_are_open_when_no_pocket_was_occupied_for_two_turns() -> None:
    game = Game(-0.4)
    last = game.run(game.ready(), thrown())
    game.wait(last + 3.0)
    game.see(12, 12, 12, 12)
    assert of(PlaceSettled, game.said)
    del game.said[:]
    rest = game.now
    game.wait(rest + 2.0 / 0.4)
    assert not of(GameStarted, game.said), "a sight of the ball may be missed, so once round is not enough"
    game.wait(rest + 2.3 / 0.4)
    assert of(GameStarted, game.said)


# --- faults that the host finds ---------------------------------------------------------------------------


def test_a_rim_sensor_is_silent_if_it_missed_two_passes_running_and_not_if_one() -> None:
    for missed, faults in ((1, []), (2, ["rim_2_silent"])):
        said: list[AnyReading] = []
        watch = Watch(Faults("wheel", NEEDS, said))
        for turn in range(8):
            for sensor in (0, 1, 2):
                if sensor != 1 or not 3 <= turn < 3 + missed:
                    watch.rim_pass(sensor, instant(0.0))
        assert [fault.code for fault in of(FaultRaised, said)] == faults
        assert [fault.code for fault in of(FaultCleared, said)] == faults, "it sees the ball again"


def test_ten_invalid_steps_within_a_minute_are_a_fault_and_nine_are_not() -> None:
    for steps, faults in ((9, []), (10, ["encoder_invalid"])):
        said: list[AnyReading] = []
        watch = Watch(Faults("wheel", NEEDS, said))
        for number in range(steps):
            watch.invalid_steps(1, number * 6_000_000, instant(0.0))
        assert [fault.code for fault in of(FaultRaised, said)] == faults
    watch = Watch(Faults("wheel", NEEDS, said := []))
    for number in range(20):
        watch.invalid_steps(1, number * 7_000_000, instant(0.0))
    assert not said, "spread over minutes they are few"
