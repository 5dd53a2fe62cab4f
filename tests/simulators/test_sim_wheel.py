"""The simulated wheel's lines against the documented format and the captured timings."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from simulators.devices.cammegh import Model, Protocol, SimulatedWheel
from simulators.traffic import Bytes, Game, items_of

STATUS = re.compile(rb"\*X;([1-7]);(\d{3});([ \d]\d|  );([0-9A-F]);(\d{3});([01])(;.*)?")
EXTENSION = re.compile(rb";([0-9A-F]{4});([0-9A-F]{2});([01?]);([0-9A-F]{5}|\?{5});([ \d]\d|\?\?)")


@dataclass
class Seen:
    t: float
    state: int
    counter: int
    number: str
    warning: int
    speed: int
    rotor: int
    extension: bytes


def lines_of(game: Game) -> Iterator[tuple[float, bytes]]:
    for item in game.items:
        assert isinstance(item, Bytes)
        for line in re.split(rb"[\r\n]+", item.data):
            if line:
                yield item.t, line


def seen_in(game: Game) -> list[Seen]:
    found = []
    for t, line in lines_of(game):
        if match := STATUS.fullmatch(line):
            state, counter, number, warning, speed, rotor, extension = match.groups()
            numbers = int(state), int(counter), number.decode(), int(warning, 16), int(speed), int(rotor)
            found.append(Seen(t, *numbers, extension or b""))
    return found


def games(
    model: Model = "slingshot-2",
    protocol: Protocol = "advanced",
    count: int = 300,
    pockets: int = 37,
    seed: int = 0,
) -> list[Game]:
    return list(SimulatedWheel(model, protocol, pockets, seed).games(count))


MODELS: list[tuple[Model, Protocol]] = [
    ("slingshot-2", "advanced"),
    ("mercury-360", "advanced"),
    ("mercury-360", "extended"),
]


@pytest.mark.parametrize(("model", "protocol"), MODELS)
@pytest.mark.parametrize("pockets", [37, 38])
def test_every_line_is_of_the_documented_format(model: Model, protocol: Protocol, pockets: int) -> None:
    kinds: Counter[str] = Counter()
    for game in games(model, protocol, 60, pockets=pockets):
        for _, line in lines_of(game):
            if match := STATUS.fullmatch(line):
                assert len(line) == (19 if protocol == "advanced" else 38)
                assert bool(match[7]) == (protocol == "extended")
                if protocol == "extended":
                    assert EXTENSION.fullmatch(match[7])
                kinds["status"] += 1
            elif re.fullmatch(rb"\d{1,2}", line):
                kinds["bare"] += 1
            else:
                assert line.startswith(b"*V ")
                kinds["banner"] += 1
    assert kinds["status"] > 3000
    assert 55 <= kinds["bare"] <= 60
    assert kinds["banner"] == 1


def test_line_ends_are_cr_lf_and_lf_cr_behind_some_bare_numbers() -> None:
    ends: defaultdict[bool, Counter[bytes]] = defaultdict(Counter)
    for item in items_of(games(count=100)):
        assert isinstance(item, Bytes)
        ends[item.data.startswith(b"*")][item.data[-2:]] += 1
    assert set(ends[True]) == {b"\r\n"}
    assert set(ends[False]) == {b"\r\n", b"\n\r"}


@pytest.mark.parametrize(("model", "protocol"), MODELS)
def test_a_line_every_half_second_without_drift(model: Model, protocol: Protocol) -> None:
    times = [seen.t for game in games(model, protocol, 100) for seen in seen_in(game)]
    first = round(times[0] * 2)
    for number, t in enumerate(times, start=first):
        assert abs(t - number * 0.5) <= 0.0151
    steps = [after - before for before, after in itertools.pairwise(times)]
    assert min(steps) < 0.48
    assert max(steps) > 0.52


def test_times_never_go_back() -> None:
    times = [item.t for item in items_of(games(count=200))]
    assert times == sorted(times)


def test_phases_last_as_long_as_in_the_captures() -> None:
    lengths: defaultdict[int, list[int]] = defaultdict(list)
    for game in games(count=1000):
        for state, run in itertools.groupby(seen_in(game), key=lambda seen: seen.state):
            lengths[state].append(len(list(run)))
    limits = {1: (12, 23), 2: (11, 29), 3: (4, 8), 4: (44, 60), 5: (2, 14)}
    for state, (least, most) in limits.items():
        assert least <= min(lengths[state]), state
        assert max(lengths[state]) <= most, state
    assert set(lengths[5]) == set(range(2, 15))
    assert 20 < len(lengths[1]) < 200, "5 to 1 to 2 is seen now and then"


def test_the_rotor_reverses_shortly_before_the_ball_is_in_the_rim() -> None:
    for game in games(count=200):
        seen = seen_in(game)
        rim = next(line for line in seen if line.state == 3)
        betting = [line for line in seen if line.state == 2]
        turned = next(line for line in betting if line.rotor == rim.rotor)
        assert 1.4 < rim.t - turned.t < 2.1
        assert all(line.rotor == rim.rotor for line in seen if line.state in (3, 4, 5))
        before = [line for line in betting if line.t < turned.t]
        assert {line.rotor for line in before} == {1 - rim.rotor}
        assert before[-1].speed <= 12, "it stands before it turns"


def test_the_rotor_alternates_from_launch_to_launch() -> None:
    directions = [game.truth.rotor for game in games(count=50)]
    assert directions == ["ccw", "cw"] * 25


def test_speeds_in_play_are_those_of_the_captures() -> None:
    speeds = [line.speed for game in games(count=300) for line in seen_in(game) if line.state in (3, 4, 5)]
    assert 142 <= min(speeds) < 146
    assert 190 < max(speeds) <= 195


def test_a_mercury_reports_no_speed_under_two_or_over_sixty_rpm() -> None:
    lines = [line for game in games("mercury-360", count=100) for line in seen_in(game)]
    assert {line.speed for line in lines if line.speed < 20} == {0}
    assert all(180 * 0.8 < line.speed < 285 for line in lines if line.state in (3, 4, 5))


def test_power_on_starts_closed_with_counter_one_and_no_number() -> None:
    first = seen_in(games(count=1)[0])
    assert [state for state, _ in itertools.groupby(line.state for line in first)] == [6, 1, 2, 3, 4, 5]
    assert {line.counter for line in first} == {1}
    assert {line.number for line in first if line.state != 5} == {"  "}
    assert all(line.rotor == 0 and line.speed == 0 for line in first if line.state == 6)


@pytest.mark.parametrize(
    ("model", "wrap"), [("slingshot-2", [255, 256, 1, 2]), ("mercury-360", [254, 255, 0, 1])]
)
def test_the_counter_goes_up_on_entering_state_two_and_wraps(model: Model, wrap: list[int]) -> None:
    played = games(model, count=600)
    counters = [game.truth.counter for game in played]
    at = counters.index(wrap[0])
    assert counters[at : at + 4] == wrap
    for before, game in itertools.pairwise(played):
        for line in seen_in(game):
            assert line.counter == (game.truth.counter if line.state != 1 else before.truth.counter)


def test_the_number_changes_exactly_on_entering_state_five() -> None:
    shown = "  "
    for game in games(count=200, pockets=38):
        assert game.truth.number is not None
        seen = seen_in(game)
        assert {line.number for line in seen if line.state != 5} == {shown}
        shown = game.truth.number.rjust(2)
        assert {line.number for line in seen if line.state == 5} == {shown}


def test_the_bare_number_stands_before_the_first_line_of_state_five() -> None:
    with_bare = 0
    for game in games(count=1000):
        lines = [line for _, line in lines_of(game)]
        bare = [place for place, line in enumerate(lines) if re.fullmatch(rb"\d{1,2}", line)]
        for place in bare:
            assert lines[place].decode() == game.truth.number
            assert lines[place - 1].startswith(b"*X;4;")
            assert lines[place + 1].startswith(b"*X;5;")
        assert len(bare) <= 1
        with_bare += len(bare)
    assert 970 < with_bare < 1000, "missing in about one game of a hundred"


def test_numbers_are_drawn_evenly() -> None:
    counts = Counter(game.truth.number for game in games(count=5700, pockets=38))
    assert len(counts) == 38
    chi_square = sum((count - 150) ** 2 / 150 for count in counts.values())
    assert chi_square < 70  # 37 degrees of freedom: exceeded by one fair wheel in a thousand


def test_an_unseen_ball_of_one_line_is_ordinary() -> None:
    marked = [[line for line in seen_in(game) if line.warning] for game in games(count=300)]
    lengths = Counter(len(lines) for lines in marked)
    assert set(lengths) == {0, 1}
    assert 20 < lengths[1] < 80
    assert all(line.warning == 1 and line.state == 4 for lines in marked for line in lines)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    once, again, other = games(seed=3), games(seed=3), games(seed=4)
    assert once == again
    assert [game.truth.number for game in once] != [game.truth.number for game in other]


def test_without_faults_every_game_is_valid() -> None:
    for number, game in enumerate(games(count=40)):
        truth = game.truth
        assert (truth.index, truth.expected, truth.launches, truth.fault) == (number, "valid", 1, None)


def test_the_tail_shows_that_the_last_game_is_over() -> None:
    wheel = SimulatedWheel(seed=1)
    last = list(wheel.games(5))[-1]
    tail = wheel.tail()
    text = b"".join(item.data for item in tail if isinstance(item, Bytes))
    lines = [match for line in text.split(b"\r\n") if (match := STATUS.fullmatch(line))]
    assert last.truth.number is not None
    assert tail[0].t > last.items[-1].t
    assert [int(match[1]) for match in lines][-6:] == [2] * 6
    assert int(lines[-1][2]) == 6
    assert lines[-1][3].decode() == last.truth.number.rjust(2)


def test_the_extended_line_counts_the_balls_turns_against_the_rotor() -> None:
    for game in games("mercury-360", "extended", 50):
        turns = 0
        for line in seen_in(game):
            match = EXTENSION.fullmatch(line.extension)
            assert match is not None
            flags, laps, sense, time, pocket = match.groups()
            if line.state == 3:
                assert int(sense) == 1 - line.rotor
                assert 0.4 < int(time, 16) / 32768 < 2.5
                assert int(laps, 16) >= max(turns, 1)
                turns = int(laps, 16)
                assert int(flags, 16) == (0x22 if line.rotor else 0x12)
            if line.state == 5:
                assert pocket.decode() == line.number
                assert int(flags, 16) & 0x100
                assert (sense, time) == (b"?", b"?????")
                assert int(laps, 16) >= turns
            else:
                assert pocket == b"??"
        assert turns >= 5


def test_the_basic_protocol_says_three_things_a_game_and_keeps_silent() -> None:
    for game in games("mercury-360", "basic", 40, pockets=38):
        number = game.truth.number
        assert number is not None
        said = [item.data for item in game.items if isinstance(item, Bytes)]
        assert said == [b"*S\r\n", b"*N\r\n", f"*W {number:>2}\r\n".encode()]
        assert (game.truth.counter, game.truth.rotor) == (None, None)


@pytest.mark.parametrize(
    "arguments",
    [
        {"model": "slingshot-3"},
        {"protocol": "simple"},
        {"model": "slingshot-2", "protocol": "basic"},
        {"model": "slingshot-2", "protocol": "extended"},
        {"pockets": 36},
    ],
)
def test_a_wheel_that_does_not_exist_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"unknown|speaks|pockets"):
        SimulatedWheel(**arguments)  # type: ignore[arg-type]
