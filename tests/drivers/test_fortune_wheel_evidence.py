"""What a fortune wheel's sensors prove against the encoder alone: slips, and hands at its very end."""

from dataclasses import replace

import pytest
from fortune_wheel_line import COUNTED, RAW, calibrated, fed, instant, made, scenario, spins
from retold_packets import Retold

from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.fortune_wheel.peg_grid import PegGrid
from drivers.fortune_wheel.unread import BY_HAND, FELL_SILENT
from drivers.readings import RestUnread, WheelAtRest, WheelHindered, WheelPushed
from drivers.tracking.pegs import Pegs
from protocols import sensor as wire
from simulators.devices import sensor_fortune_wheel
from simulators.devices.fortune_wheel_play import SCENARIOS, Played, hand
from simulators.devices.sensor_fortune_wheel import QUIET, SensorFortuneWheel
from simulators.physics.fortune_wheel import Push, spin


@pytest.mark.parametrize("pitches", [1, 2])
@pytest.mark.parametrize("left", [11, 30, 300, 605, 946, 1111])
def test_an_encoder_that_slips_by_whole_pitches_in_the_last_turn_is_never_a_rest(monkeypatch, pitches, left):
    """The pegs are where they belong again, but there was one contact too many. The spin after it counts."""
    edges, slips = sensor_fortune_wheel.encoder_edges, [pitches * RAW.counts // 54]

    def slipped(motion, counts):
        seen = edges(motion, counts)
        counts_lost = slips.pop() if slips else 0
        return seen[: len(seen) - left - counts_lost] + seen[len(seen) - left :]

    monkeypatch.setattr(sensor_fortune_wheel, "encoder_edges", slipped)
    (_, said), (following, after) = spins(RAW, 3, 2)
    assert isinstance(said[-1], RestUnread), said[-1]
    assert isinstance(after[-1], WheelAtRest), after[-1]
    assert after[-1].place == following.truth.segment


@pytest.mark.parametrize("counts", [12, 32, 74, 148])
@pytest.mark.parametrize("before", [0.92, 1.3, 3.0, 6.4])
def test_an_encoder_that_slips_at_once_near_the_rest_is_never_a_rest(monkeypatch, counts, before):
    """Counted in hardware: 74 are a pitch; seconds before the rest."""
    positions = SensorFortuneWheel._positions

    def slipped(self, motion, begins, rng):
        for time, position in positions(self, motion, begins, rng):
            slips = time >= begins + motion.rest_time - before
            yield time, position - counts if slips else position

    monkeypatch.setattr(SensorFortuneWheel, "_positions", slipped)
    (_, said), *_ = spins(COUNTED, 3, 1)
    assert isinstance(said[-1], RestUnread), said[-1]


@pytest.mark.parametrize("build", [COUNTED, RAW], ids=["counts", "edges"])
def test_a_hand_that_drives_a_crawling_wheel_on_by_more_than_a_quarter_turn_is_no_push(monkeypatch, build):
    def nudged(wheel, start, rng):
        pushes = [*hand(0.0, 2.5, rng), *hand(2.5, 2.4, rng)]
        rests = spin(wheel, start, pushes).rest_time
        pushes += [Push(rests - 0.2 + at * 0.2, 0.24) for at in range(3)]
        return Played(spin(wheel, start, pushes), 2, pushes[-1].time, True)

    monkeypatch.setitem(SCENARIOS, "nudged", ("", nudged))
    for game, said in spins(build, 3, 3, scenario("nudged")):
        last = [each for each in said if isinstance(each, WheelPushed)][-1]
        assert last.number == 3, "a hand's touch"
        assert game.truth.turns_since_push > 0.25
        assert said[-1] == RestUnread(device="wheel", at=said[-1].at, reason=BY_HAND)


@pytest.mark.parametrize(
    ("low", "high", "fits"),
    [
        (5.04, 5.96, True),
        (5.02, 5.3, True),
        (5.6, 5.99, True),
        (4.9, 5.1, False),
        (5.5, 6.2, False),
        (None, None, True),
    ],
)
def test_a_wheel_whose_pointer_is_down_is_between_two_pegs(low, high, fits):
    options = FortuneWheelOptions(segments=54, counts=COUNTED.counts, calibration=calibrated(COUNTED))
    assert PegGrid(options).between_pegs(Pegs(lifted=False, low=low, high=high)) == fits


def told(retold, build=COUNTED, seed=3, count=1, driver=None):
    """Each spin with its readings, its packets told otherwise."""
    driver = driver or made(build)
    for game in SensorFortuneWheel(build, seed, scenario("clean")).games(count):
        yield game, [each for item in retold(game.items) for each in fed(driver, item)]


def rest_of(said):
    (rest,) = (each for each in said if isinstance(each, WheelAtRest | RestUnread))
    return rest


@pytest.mark.parametrize("build", [COUNTED, RAW], ids=["counts", "edges"])
@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("before", [1.2, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0])
def test_sensors_that_fall_silent_before_the_wheel_rests_leave_it_unread_and_blame_no_hand(
    build, before, held
):
    """Heartbeats go on, and the encoder's counter may be told on as it stays."""
    for seed in range(4):
        (game,) = SensorFortuneWheel(build, seed, scenario("clean")).games(1)
        cut = game.items[-1].t - QUIET - before
        last = []

        def silenced(t, body, clock, cut=cut, last=last):
            if isinstance(body, wire.Counts) and t >= cut and held:
                return [(replace(body, positions=len(body.times) * tuple(last)), clock)]
            if isinstance(body, wire.Counts):
                last[:] = body.positions[-1:]
            sensor = isinstance(body, wire.Counts | wire.Index | wire.Edges)
            return [] if sensor and t >= cut else [(body, clock)]

        ((_, said),) = told(Retold(silenced), build, seed)
        assert not [each for each in said if isinstance(each, WheelHindered)]
        rest = rest_of(said)
        if not isinstance(rest, RestUnread):
            assert (rest.place, build, before) == (None, RAW, 1.2), "a peg may have held it"
        else:
            assert rest.reason in (FELL_SILENT, "pegs did not come where they should")


def test_a_device_is_not_judged_by_before_it_has_said_who_it_is():
    def nameless(t, body, clock):
        return [] if isinstance(body, wire.Identity) and t < late else [(body, clock)]

    late, driver = 1e9, made(COUNTED)
    retold = Retold(nameless)
    wheel = SensorFortuneWheel(COUNTED, 3, scenario("clean"))

    def spun():
        (game,) = wheel.games(1)
        return game, rest_of([each for item in retold(game.items) for each in fed(driver, item)])

    for _ in range(2):
        _, rest = spun()
        assert rest == RestUnread(device="wheel", at=rest.at, reason="the device has not said who it is")
    late = 0.0
    game, rest = spun()
    assert rest.place == game.truth.segment, "in mid-spin is early enough"
    late = 1e9
    game, rest = spun()
    assert rest.place == game.truth.segment, "once is enough"
    driver.link_lost("unplugged", instant(game.items[-1].t))
    driver.link_up(instant(game.items[-1].t))
    spun()  # soon after it: where the wheel stood was not seen for long enough
    _, rest = spun()
    assert rest.reason == "the device has not said who it is", "another may have been plugged in"
