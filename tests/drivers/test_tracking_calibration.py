"""What free spins teach: the simulated wheel's true figures, and refusals where they teach too little."""

from functools import cache
from itertools import pairwise
from math import pi

import msgspec
import pytest
from fortune_wheel_line import COUNTED, RAW, WHIRLING, calibrated, fed, instant, scenario, spins

from drivers.fortune_wheel.calibrated import Named, TooNearToPegError, as_toml, calibration, index_of
from drivers.fortune_wheel.driver import FortuneWheelDriver
from drivers.fortune_wheel.options import Calibration, FortuneWheelOptions
from drivers.fortune_wheel.recording import Recording
from drivers.readings import RestUnread, WheelAtRest, WheelHindered
from drivers.tracking import calibration as taught
from drivers.tracking.calibration import (
    AnticlockwiseError,
    CannotCalibrateError,
    FreeSpin,
    TooLittleSeenError,
    calibrate,
)
from drivers.tracking.free_run import ALLOWANCE, FreeRun
from simulators.devices.sensor_fortune_wheel import Build, SensorFortuneWheel
from simulators.physics.fortune_wheel import Bearing

HEAVY = Build(Bearing(pegs=52, bearing=0.14, air=0.02, peg=0.01), counts=4096, index_at=0.72, peg_width=0.1)
WHEELS = {
    "counts": COUNTED,
    "edges": RAW,
    "heavy": HEAVY,
    "whirling": WHIRLING,
    "often": Build(sampled=0.003),
}


def recorded(build, seed, plan, count):
    """The spins of a recording, the truth of the last, and where the wheel then stands."""
    recording = Recording()
    options = FortuneWheelOptions(segments=build.bearing.pegs, counts=build.counts)
    driver = FortuneWheelDriver("wheel", options, recording)
    driver.link_up(instant(0.0))
    truth = None
    for game in SensorFortuneWheel(build, seed, plan).games(count):
        truth = game.truth
        for item in game.items:
            fed(driver, item)
    return recording, truth


@cache
def ten(build):
    """Ten free spins of a wheel, the last of which does not rest beside a peg."""
    seed = 0
    while True:
        recording, truth = recorded(build, seed, scenario("one_strong_push"), 10)
        found = calibrate(recording.spins, build.counts, build.bearing.pegs)
        try:
            place = truth.segment
            pegs = build.bearing.pegs
            index = index_of(found, build.counts, pegs, [Named(*recording.place, place)])
            return found, calibration(found, build.serial, build.counts, pegs, index.at)
        except TooNearToPegError:
            seed += 1


@pytest.mark.parametrize("build", WHEELS.values(), ids=WHEELS)
def test_ten_free_spins_find_the_wheels_true_figures(build):
    found, known = ten(build)
    true = calibrated(build)
    assert len(found.used) >= 9
    for speed in (0.0, 0.1, 0.3, 0.6, 0.9):
        own = known.friction.slowing(speed)
        assert own == pytest.approx(true.friction.slowing(speed), rel=0.03 if speed == 0.0 else 0.015)
    assert known.peg == pytest.approx(true.peg, rel=0.5)
    assert known.peg_width == pytest.approx(true.peg_width, abs=0.005)
    off = (known.index_at - true.index_at + 0.5) % 1.0 - 0.5
    assert abs(off) < 1.0 / build.counts
    assert 7.9 / build.counts < known.excursion < 32.0 / build.counts
    assert known.bounce < 0.5 / build.bearing.pegs
    assert found.constant.spread < 0.02 * true.slowing


@pytest.mark.parametrize("build", WHEELS.values(), ids=WHEELS)
def test_a_wheel_is_judged_by_what_was_found(build):
    _, known = ten(build)
    driver = FortuneWheelDriver(
        "wheel",
        FortuneWheelOptions(segments=known.segments, counts=known.counts, calibration=known),
    )
    driver.link_up(instant(0.0))
    for game, said in spins(build, 77, 6, driver=driver):
        (rest,) = [each for each in said if isinstance(each, WheelAtRest | RestUnread)]
        assert isinstance(rest, WheelAtRest), rest
        assert rest.place == game.truth.segment
        assert rest.pushes == game.truth.pushes
        assert not [each for each in said if isinstance(each, WheelHindered)]


def test_the_file_is_what_the_option_takes():
    found, known = ten(COUNTED)
    assert msgspec.toml.decode(as_toml(known, found), type=Calibration) == known


def test_air_between_the_two_laws_is_both():
    """The law is not the wheel's own, but as good as it at every speed."""
    wheel = Bearing(air=0.02, air_exponent=1.5)
    found, known = ten(Build(wheel))
    assert len(found.used) >= 9
    assert min(known.slowing_per_speed, known.slowing_per_speed2) > 0.01
    for speed in (0.1, 0.3, 0.6, 0.9):
        own = known.slowing + known.slowing_per_speed * speed + known.slowing_per_speed2 * speed**2
        bearing = wheel.bearing + wheel.peg * wheel.pegs / (4 * pi)
        assert own * 2 * pi == pytest.approx(bearing + wheel.air * (speed * 2 * pi) ** 1.5, rel=0.02)


def test_the_excursion_is_the_limit_that_a_hand_must_pass():
    """What a run gained or lost is held against the figure in the file itself, single pegs apart."""
    _, known = ten(COUNTED)
    law = known.friction
    for lost, proof in ((0.9, None), (1.1, "lost")):
        track = FreeRun()
        track.step(0, 1.0, law)
        own = law.slowing(0.99) * 0.05
        dropped = lost * law.limit(0.95) + (1 + ALLOWANCE) * own
        assert track.step(50_000, 1.0 - dropped, law) == proof
        assert known.excursion <= law.limit(0.95) < known.excursion + known.peg


def test_a_law_without_the_square_is_one_too():
    found, known = ten(COUNTED)
    lines = as_toml(known, found).splitlines(keepends=True)
    old = "".join(line for line in lines if not line.startswith("slowing_per_speed2"))
    assert len(old) < len("".join(lines))
    law = msgspec.toml.decode(old, type=Calibration).friction
    assert law.slowing(2.0) == known.slowing + 2 * known.slowing_per_speed


def test_spins_that_were_hindered_are_left_out_and_named():
    names = ["one_strong_push", "hand_light", "one_strong_push", "clean", "coat"]
    recording, _ = recorded(COUNTED, 3, lambda at: (names[at % 5], None), 15)
    found = calibrate(recording.spins, COUNTED.counts, 54)
    hindered = {at for at in range(15) if names[at % 5] in ("hand_light", "coat")}
    assert set(found.left_out) == hindered
    assert set(found.left_out.values()) == {"hindered"}


@pytest.mark.parametrize("name", ["coat", "hand_light", "third_push"])
def test_spins_that_were_all_hindered_or_pushed_again_are_refused_as_spins_and_not_one_by_one(name):
    recording, _ = recorded(COUNTED, 5, scenario(name), 10)
    with pytest.raises(CannotCalibrateError, match="even the better spins leave their law"):
        calibrate(recording.spins, COUNTED.counts, 54)


def test_too_few_spins_are_refused():
    recording, _ = recorded(COUNTED, 1, scenario("one_strong_push"), 5)
    with pytest.raises(CannotCalibrateError, match="5 free spins are too few, 6 are needed"):
        calibrate(recording.spins, COUNTED.counts, 54)


def test_spins_seen_in_part_are_refused():
    recording, _ = recorded(COUNTED, 1, scenario("one_strong_push", "gap"), 7)
    with pytest.raises(CannotCalibrateError, match=r"0 free spins are too few.*packets are missing"):
        calibrate(recording.spins, COUNTED.counts, 54)


def test_a_wheel_that_was_only_handled_teaches_nothing():
    recording, _ = recorded(COUNTED, 1, scenario("cleaning"), 8)
    with pytest.raises(CannotCalibrateError, match="too slow or too short"):
        calibrate(recording.spins, COUNTED.counts, 54)


def test_a_wheel_beside_a_peg_names_no_segment():
    recording, _ = recorded(COUNTED, 2, scenario("one_strong_push"), 6)
    found = calibrate(recording.spins, COUNTED.counts, 54)
    zero = recording.place[1]
    at_peg = round(zero + found.phase.value * COUNTED.counts / 54)
    with pytest.raises(TooNearToPegError, match="too near to a peg"):
        index_of(found, COUNTED.counts, 54, [Named(at_peg, zero, 3)])


def test_what_a_pegs_bounce_could_be_is_forgiven_though_none_was_seen():
    found, _ = ten(COUNTED)
    free = msgspec.structs.replace(found, bounce=0.0)
    known = calibration(free, "W", COUNTED.counts, 54, 0.3)
    wheel = COUNTED.bearing
    farthest = wheel.restitution**2 * wheel.peg / (2 * wheel.bearing) / (2 * pi)
    assert known.bounce > farthest


@pytest.mark.parametrize("part", [0.99, 1.0, 1.02])
def test_pegs_that_would_take_all_of_the_slowing_are_refused(part):
    found, known = ten(COUNTED)
    heavy = msgspec.structs.replace(found, peg=part * 2 * found.constant.value / 54)
    with pytest.raises(CannotCalibrateError, match="as good as all"):
        calibration(heavy, "W", COUNTED.counts, 54, 0.3)
    # 27 * 2**-7 has no rounding in it
    text = as_toml(msgspec.structs.replace(known, slowing=27 * 2**-7, peg=0.005), found)
    with pytest.raises(msgspec.ValidationError, match="as good as all"):
        msgspec.toml.decode(text.replace("0.00500000", repr(2**-7 * part)), type=Calibration)
    light = text.replace("0.00500000", repr(2**-7 * 0.97))
    assert msgspec.toml.decode(light, type=Calibration).bearing == pytest.approx(0.81 * 2**-7)


@pytest.mark.parametrize("change", [0.02, -0.02])
def test_a_wheel_that_speeds_up_between_its_pegs_teaches_nothing(change):
    """Pieces of the way, each in the middle of a pitch."""
    moments = [at / 20 for at in range(45)]
    way = [(round(t * 1e6), round((0.1 + 0.3 * t + change * t * t / 2) * 1000)) for t in moments]
    way.append((2_300_000, 990))
    spins = [FreeSpin(tuple((t, 1000 * at + place) for t, place in way), (), 0) for at in range(25)]

    def peg():
        return taught._peg(spins, lambda position, zero: position / 1000, (0.05, 0.0, 0.0), 0.08)

    if change < 0:
        assert peg() == pytest.approx(0.03, rel=0.05)
    else:
        with pytest.raises(CannotCalibrateError, match="out of balance"):
            peg()


def mirrored(spin):
    """As an encoder sees it whose channels are exchanged."""
    positions = tuple((time, -1 - position) for time, position in spin.positions)
    return msgspec.structs.replace(spin, positions=positions, zero=-1 - spin.zero)


def test_an_encoder_that_counts_the_other_way_is_refused_with_its_remedy():
    recording, _ = recorded(COUNTED, 3, scenario("one_strong_push"), 8)
    with pytest.raises(
        AnticlockwiseError, match=r"8 of 8 spins came anticlockwise.*exchange.*channels A and B"
    ):
        calibrate([mirrored(spin) for spin in recording.spins], COUNTED.counts, 54)


def test_a_spin_the_other_way_is_left_out():
    recording, _ = recorded(COUNTED, 3, scenario("one_strong_push"), 8)
    spins = [*recording.spins[:3], mirrored(recording.spins[3]), *recording.spins[4:]]
    assert calibrate(spins, COUNTED.counts, 54).left_out == {3: "anticlockwise"}


def bouncing(spin):
    """Each edge of the pointer comes, goes after 0.3 ms and comes again after 0.7 ms."""
    edges = [(time + after, high is (after != 300)) for time, high in spin.edges for after in (0, 300, 700)]
    return msgspec.structs.replace(spin, edges=tuple(sorted(edges)))


def test_a_pointer_that_bounces_at_every_edge_has_its_pegs_where_they_are():
    quiet = [
        msgspec.structs.replace(spin, edges=tuple(own_edges(spin, COUNTED)))
        for spin in recorded(COUNTED, 3, scenario("one_strong_push"), 10)[0].spins
    ]
    loud = [bouncing(spin) for spin in quiet]
    found, still = (calibrate(spins, COUNTED.counts, 54) for spins in (loud, quiet))
    assert found.phase.value == pytest.approx(still.phase.value, abs=1e-3)
    assert found.peg_width.value == pytest.approx(still.peg_width.value, abs=1e-3)
    assert found.peg_width.value == pytest.approx(COUNTED.peg_width, abs=0.005)


def own_edges(spin, build):
    """Of a pointer that does not bounce: where the wheel passes a peg's two edges, by its positions."""
    pegs, lifted = build.bearing.pegs, None
    for (since, start), (time, end) in pairwise(spin.positions):
        for at in range(20):
            place = (start + (end - start) * at / 20 + 0.5 - spin.zero) / build.counts + build.index_at
            off = abs(place * pegs - round(place * pegs))
            if lifted is not (off < build.peg_width / 2):
                lifted = off < build.peg_width / 2
                yield round(since + (time - since) * at / 20), lifted


def rest(place, misread=0, sense=1):
    """A wheel that rests in the middle of a segment, by the law of ten(COUNTED): index and pegs as there."""
    known = ten(COUNTED)[1]
    turns = -(place + 0.5) / 54 - known.index_at
    return Named(round(sense * turns * COUNTED.counts - 0.5), 0, (place + misread) % 54)


def index(*named):
    return index_of(ten(COUNTED)[0], COUNTED.counts, 54, named)


def test_segments_that_were_named_show_index_and_sense_or_contradict_each_other():
    known = ten(COUNTED)[1]
    one, two = index(rest(7)), index(rest(7), rest(20))
    assert one.at == pytest.approx(known.index_at, abs=1e-6)
    assert (one.sense_shown, two.sense_shown) == (False, True)
    assert not index(rest(7), rest(7)).sense_shown, "the same segment twice shows nothing of the sense"
    assert not index(rest(7), rest(34)).sense_shown, "nor do two half a turn apart"
    with pytest.raises(TooLittleSeenError, match=r"\(8, 22\) contradict each other"):
        index(rest(7), rest(20, misread=1))
    again = index(rest(7), rest(20, misread=1), rest(31))
    assert again.at == pytest.approx(known.index_at, abs=1e-6)
    assert again.sense_shown
    beside = Named(rest(7).position + round(COUNTED.counts / 54 / 2), 0, 7)
    assert index(beside, rest(20)).at == pytest.approx(known.index_at, abs=1e-6)


def test_segments_that_agree_only_with_the_other_sense_are_told_as_such():
    found = ten(COUNTED)[0]
    other = msgspec.structs.replace(
        found, phase=msgspec.structs.replace(found.phase, value=-found.phase.value % 1.0)
    )
    with pytest.raises(CannotCalibrateError, match="counts the other way: exchange its channels A and B"):
        index_of(other, COUNTED.counts, 54, [rest(7, sense=-1), rest(20, sense=-1)])
