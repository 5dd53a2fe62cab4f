"""Thousands of simulated spins of fortune wheels with bare sensors, judged under two texts.

    python tests/campaigns/fortune_wheels.py --spins 20000

Every wheel is another one (friction and its law, pegs, encoder, index) and is calibrated by its own free
spins first. Half of the spins are clean; the others are played wrongly, or a sensor or its line goes wrong.
What must come of a spin is what the text asks of the truth. One whose turns are within a tenth of four may be
left open: void as unread, not by the clause. A clean spin may not: it has more. The exit code is 1 if a spin
came out valid that must not, if a segment or a turn was wrong, if a wheel could not be calibrated, if more
than one clean spin in ten thousand was voided or left open, or more than half of those of about four turns.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import Pool
from random import Random

from fortune_wheel_line import fed, instant
from spin_play import game_of, order_of

from daemon.rounds.fortune_wheel import FortuneWheelRound
from daemon.rounds.round import RoundSettled
from drivers.driver import Driver
from drivers.fortune_wheel.calibrated import Named, TooNearToPegError, calibration, index_of
from drivers.fortune_wheel.driver import FortuneWheelDriver
from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.fortune_wheel.recording import Recording
from drivers.readings import AnyReading, RestUnread, WheelAtRest, WheelTurned
from drivers.tracking.calibration import CannotCalibrateError, TooLittleSeenError, calibrate
from simulators.devices.fortune_wheel_play import ENOUGH, MARGIN, SCENARIOS, SpinTruth
from simulators.devices.sensor_fortune_wheel import FAULTS, Build, SensorFortuneWheel
from simulators.physics.fortune_wheel import Bearing

TEXTS = ("es-ct", "es-ex")
EACH = 250
"""Spins of one wheel."""
TAUGHT = 10
"""Spins by which it is calibrated."""
BESIDE_A_PEG = 20
"""Times that it may rest too near to a peg after them: it does so in less than half."""
SEGMENTS = 54
SAMPLED = (0.05, 0.01, 0.003)
"""Seconds between two positions of an encoder that is counted in hardware."""
OTHERS = (*((name, None) for name in SCENARIOS if name != "clean"), *(("clean", fault) for fault in FAULTS))
PUSHED = 4.0
"""rad/s."""
COLUMNS = ("valid", "void", "open", "none")
OPEN_MOST = 0.5
"""Share of the spins of about four turns that may be left open."""
WIDEST = 0.3
"""Turns between the least and the most that is said of a spin: a strong push moves the wheel by that much."""


@dataclass
class Tally:
    """Of each way to play and each fault under each text: what it had to come to, and what it came to."""

    came: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    bad: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    clean: int = 0
    after_a_slip: int = 0
    """Good spins voided after one in which the encoder slipped, or was cut off."""
    cut_at_rest: int = 0
    """Spins whose sensors were cut so late that the segment had come, and is the one told."""

    def wrong(self, what: str, example: str) -> None:
        """Something that must not be."""
        self.bad[what] += 1
        if len(self.examples) < 20:
            self.examples.append(f"{what}: {example}")

    def add(self, other: "Tally") -> None:
        """The figures of another wheel."""
        self.came += other.came
        self.bad += other.bad
        self.examples += other.examples
        self.clean += other.clean
        self.after_a_slip += other.after_a_slip
        self.cut_at_rest += other.cut_at_rest


def wheel_of(number: int, seed: int) -> Build:
    """A wheel of the campaign; one in five sends the raw edges of a coarser encoder."""
    rng = Random(f"{seed}/{number}/build")
    raw = number % 5 == 4
    own, air, peg = rng.uniform(0.07, 0.13), rng.uniform(0.025, 0.05), rng.uniform(0.004, 0.01)
    # at the speed of a good push the air takes the same, whatever its law
    exponent = Random(f"{seed}/{number}/air").choice((1.0, 1.25, 1.5, 1.75, 2.0))
    bearing = Bearing(SEGMENTS, own, air * PUSHED ** (1 - exponent), peg, air_exponent=exponent)
    counts = 2160 if raw else rng.choice((4000, 4096, 5000))
    sampled = SAMPLED[number % len(SAMPLED)]
    return Build(
        bearing, counts, raw, rng.random(), rng.uniform(0.08, 0.12), serial=f"W-{number}", sampled=sampled
    )


def calibrated(build: Build, seed: str) -> FortuneWheelOptions:
    """The driver's options after the wheel's own free spins, as `mesad calibrate` would write them.

    Raises CannotCalibrateError for a wheel that free spins do not teach.
    """
    spins = TAUGHT
    for again in range(BESIDE_A_PEG):
        recording = Recording()
        driver = FortuneWheelDriver(
            "wheel", FortuneWheelOptions(segments=SEGMENTS, counts=build.counts), recording
        )
        driver.link_up(instant(0.0))
        simulated = SensorFortuneWheel(build, seed + "+" * again, lambda index: ("one_strong_push", None))  # type: ignore[arg-type]
        for game in simulated.games(spins):
            for item in game.items:
                fed(driver, item)
        place = game.truth.segment
        assert recording.place is not None
        assert place is not None
        try:
            found = calibrate(recording.spins, build.counts, SEGMENTS)
            known = calibration(
                found,
                build.serial,
                build.counts,
                SEGMENTS,
                index_of(found, build.counts, SEGMENTS, [Named(*recording.place, place)]).at,
            )
        except TooNearToPegError:
            continue  # one spins again
        except TooLittleSeenError:
            if spins > TAUGHT:
                raise
            spins = 3 * TAUGHT  # one spins more often
            continue
        return FortuneWheelOptions(segments=SEGMENTS, counts=build.counts, calibration=known)
    raise CannotCalibrateError(f"it rested beside a peg {BESIDE_A_PEG} times")


def plan_of(number: int, seed: int):
    """Clean and other spins by turns."""
    return lambda index: ("clean", None) if index % 2 == 0 else OTHERS[(index // 2 + number) % len(OTHERS)]


def play(
    driver: Driver, build: Build, number: int, seed: int, spins: int
) -> Iterator[tuple[SpinTruth, list[AnyReading]]]:
    """Each spin's truth with the readings of its time."""
    simulated = SensorFortuneWheel(build, seed * 1000 + number, plan_of(number, seed))
    for game in simulated.games(spins):
        yield game.truth, [each for item in game.items for each in fed(driver, item)]


def one_wheel(job: tuple[int, int, int]) -> Tally:
    """A wheel from its calibration to its last spin."""
    number, seed, spins = job
    tally = Tally()
    build = wheel_of(number, seed)
    try:
        driver = FortuneWheelDriver("wheel", calibrated(build, f"{seed}/{number}/free"))
    except CannotCalibrateError as error:
        tally.wrong("not calibrated", f"{build}: {error}")
        return tally
    driver.link_up(instant(0.0))
    machines = {text: FortuneWheelRound(game_of(text), order_of(text), "automatic") for text in TEXTS}
    states = {text: machine.start() for text, machine in machines.items()}
    after: str | None = None
    for truth, said in play(driver, build, number, seed, spins):
        tally.clean += truth.scenario == "clean" and truth.fault is None
        _check_turns(tally, truth, said)
        _check_place(tally, f"wheel {number}", truth, said)
        for text, machine in machines.items():
            settled: list[RoundSettled] = []
            for reading in said:
                state, outputs = machine.advance(states[text], reading.at)
                states[text], more = machine.step(state, reading, reading.at)
                settled += [each for each in (*outputs, *more) if isinstance(each, RoundSettled)]
            _check(tally, f"wheel {number}", text, truth, after, settled, said)
        after = truth.fault
    return tally


def _check(
    tally: Tally,
    wheel: str,
    text: str,
    truth: SpinTruth,
    after: str | None,
    settled: list[RoundSettled],
    said: list[AnyReading],
) -> None:
    """One spin's rounds under one text against what the text's rules find in the truth."""
    valid = [each for each in settled if each.verdict == "valid"]
    came = "valid" if valid else "none" if not settled else "open" if _open(settled[-1]) else "void"
    due = _due(text, truth)
    name = truth.fault or truth.scenario
    tally.came[text, name, due, came] += 1
    rests = [each.reason for each in said if isinstance(each, RestUnread)]
    rounds = [(each.verdict, each.place, each.reason) for each in settled]
    example = f"{wheel} {text} {truth}: {rounds} {rests}"
    if len(settled) > 1:
        tally.wrong("twice", example)
    if valid and valid[0].place != truth.segment:
        tally.wrong("wrong segment", example)
    if settled and settled[-1].reason == "fortune_wheel.turns" and _turns(text, truth) >= ENOUGH:
        tally.wrong("clause without its cause", example)
    if came == due:
        return
    if came == "open" and due != "none" and abs(_turns(text, truth) - ENOUGH) < MARGIN:
        return  # so nearly the turns that nobody can tell
    if due == "valid" and came == "void" and after in ("slip", "sensors_cut"):
        tally.after_a_slip += 1  # that the index now shows: in which of the two spins it was is not known
    elif truth.fault == "sensors_cut" and valid and valid[0].place == truth.segment:
        tally.cut_at_rest += 1
    elif came == "valid":
        tally.wrong("faulty as valid", example)
    elif due == "none":
        tally.wrong("handled as a spin", example)
    elif due == "void":
        tally.wrong("lost", example)
    else:
        tally.wrong("clean as void" if name == "clean" else "good as void", example)


def _due(text: str, truth: SpinTruth) -> str:
    """What must come of a spin that was so, by what the texts say and not by mesad's own rules."""
    if not truth.is_spin:
        return "none"
    if truth.fault is not None:
        return "void"
    if truth.hindered or truth.segment is None:
        return "void"
    return "valid" if _turns(text, truth) >= ENOUGH else "void"


def _turns(text: str, truth: SpinTruth) -> float:
    """What the text counts: es-ct 24.V.3 from the second push, es-ex 1.4.5.3.3 from the start."""
    return truth.turns if text == "es-ex" else truth.turns_since_second or 0.0


def _open(settled: RoundSettled) -> bool:
    """Whether it is void for turns that may be enough or too few."""
    return settled.reason == "round.rest_unread" and "least" in settled.findings[-1].evidence


def _check_turns(tally: Tally, truth: SpinTruth, said: list[AnyReading]) -> None:
    """Of a spin that was seen whole: pushes, turns and every whole turn told once."""
    for rest in said:
        if not isinstance(rest, WheelAtRest) or truth.fault is not None or truth.hindered:
            continue
        example = f"{truth}: {rest}"
        for said_of, true in (
            (rest.turns, truth.turns),
            (rest.turns_since_push, truth.turns_since_push),
            (rest.turns_since_second, truth.turns_since_second),
        ):
            if said_of is None or true is None:
                if said_of != true:
                    tally.wrong("wrong pushes", example)
            elif not said_of.least <= true <= said_of.most or said_of.most - said_of.least > WIDEST:
                tally.wrong("wrong turns", example)
        if rest.pushes != truth.pushes:
            tally.wrong("wrong pushes", example)
        told = max((each.turns for each in said if isinstance(each, WheelTurned)), default=0)
        if int(rest.turns_since_push.least) > told:
            tally.wrong("turn not told", example)


def _check_place(tally: Tally, wheel: str, truth: SpinTruth, said: list[AnyReading]) -> None:
    """A segment that is told is the right one, of a spin that is void as well: it stands in the record."""
    for rest in said:
        if isinstance(rest, WheelAtRest) and rest.place != truth.segment:
            tally.wrong("wrong place told", f"{wheel} {truth}: {rest}")


def show(tally: Tally, spins: int, seconds: float) -> int:
    """Print the confusion matrix; the exit code."""
    for text in TEXTS:
        print(f"{text}: {'played':18}{'due':>8}" + "".join(f"{column:>8}" for column in COLUMNS))
        rows = sorted({(name, due) for each, name, due, _ in tally.came if each == text})
        for name, due in rows:
            counts = "".join(f"{tally.came[text, name, due, column]:8}" for column in COLUMNS)
            print(f"       {name:18}{due:>8}{counts}")
    for example in tally.examples:
        print(f"  {example}")
    voided = tally.bad.pop("clean as void", 0)
    near = Counter[str]()
    for (_, name, _, came), number in tally.came.items():
        if name == "about_four_turns":
            near[came] += number
    print(f"clean spins {tally.clean}, voided or left open {voided} (of {len(TEXTS)} texts together)")
    print(f"spins within {MARGIN} of four turns {near.total()}, left open {near['open']} (likewise)")
    print(f"good spins voided after one with a slip or a cut of the encoder: {tally.after_a_slip}")
    print(f"sensors cut when the segment had come, and valid: {tally.cut_at_rest}")
    print(
        f"{spins} spins in {seconds:.0f} s: "
        + (", ".join(f"{k} {v}" for k, v in tally.bad.items()) or "0 wrong")
    )
    too_many = voided * 10_000 > tally.clean * len(TEXTS) or near["open"] > OPEN_MOST * near.total()
    return 1 if tally.bad or too_many else 0


def main() -> int:
    """Run the campaign and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spins", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    each = min(EACH, args.spins)
    jobs = [
        (number, args.seed, min(each, args.spins - first))
        for number, first in enumerate(range(0, args.spins, each))
    ]
    tally, began = Tally(), time.perf_counter()
    with Pool(args.processes) as pool:
        for part in pool.imap_unordered(one_wheel, jobs):
            tally.add(part)
    return show(tally, args.spins, time.perf_counter() - began)


if __name__ == "__main__":
    sys.exit(main())
