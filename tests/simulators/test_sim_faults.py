"""Each fault does on the line what its name says, and the truth says what a reader of it can conclude."""

import itertools
import re
from collections import Counter
from dataclasses import dataclass

import pytest

from simulators.devices.cammegh import Model, Protocol, SimulatedWheel
from simulators.faults import FAULTS, Prospect
from simulators.scenarios import at, campaign, possible
from simulators.traffic import Bytes, Game, Item, Replug, Truth, Unplug

STATUS = re.compile(rb"\*X;([1-7]);(\d{3});([ \d]\d|  );([0-9A-F]);(\d{3});([01])(?:;.{18})?")
INDEX = 5


@dataclass(frozen=True)
class Seen:
    t: float
    state: int
    counter: int
    number: str
    warning: int
    speed: int
    rotor: int
    ball: str | None


def text_of(items: tuple[Item, ...]) -> bytes:
    return b"".join(item.data for item in items if isinstance(item, Bytes))


def pieces_of(game: Game) -> list[bytes]:
    return [piece for piece in re.split(rb"[\r\n]+", text_of(game.items)) if piece]


def seen_in(items: tuple[Item, ...]) -> list[Seen]:
    """The whole status lines with the times at which their ends arrive."""
    found: list[Seen] = []
    rest = b""
    for item in items:
        if not isinstance(item, Bytes):
            rest = b""
            continue
        *lines, rest = re.split(rb"[\r\n]", rest + item.data)
        for line in lines:
            if match := STATUS.fullmatch(line):
                ball = chr(line[28]) if len(line) > 19 else None
                head = int(match[1]), int(match[2]), match[3].decode(), int(match[4], 16), int(match[5])
                found.append(Seen(item.t, *head, int(match[6]), ball))
    return found


def bare_in(game: Game) -> list[str]:
    return [piece.decode() for piece in pieces_of(game) if re.fullmatch(rb"\d{1,2}", piece)]


def states_of(game: Game) -> list[int]:
    return [state for state, _ in itertools.groupby(seen.state for seen in seen_in(game.items))]


def wire_of(name: str) -> tuple[Model, Protocol]:
    fault = FAULTS[name]
    model: Model = "slingshot-2" if "slingshot-2" in fault.models else "mercury-360"
    if "advanced" not in fault.protocols:
        return "mercury-360", "extended"
    return model, "advanced"


def play(name: str, seed: int, index: int = INDEX) -> tuple[Game, Game, Game, Game]:
    """The game with the fault, the ones before and after it, and the same game without the fault."""
    model, protocol = wire_of(name)
    games = list(SimulatedWheel(model, protocol, 37, seed, at({index: name})).games(index + 4))
    place = next(place for place, game in enumerate(games) if game.truth.fault)
    clean = list(SimulatedWheel(model, protocol, 37, seed).games(place + 1))[-1]
    assert games[place].truth.fault == name
    assert games[place].truth.expected == FAULTS[name].expected
    return games[place], games[place - 1], games[place + 1], clean


SEEDS = range(12)


def in_state(game: Game, *states: int) -> list[Seen]:
    return [seen for seen in seen_in(game.items) if seen.state in states]


def longest_gap(game: Game, *states: int) -> float:
    seen = seen_in(game.items)
    return max(after.t - before.t for before, after in itertools.pairwise(seen) if before.state in states)


def test_every_fault_is_described_and_all_three_expectations_occur() -> None:
    assert len(FAULTS) >= 40
    assert all(fault.description and fault.name == name for name, fault in FAULTS.items())
    assert {fault.expected for fault in FAULTS.values()} == {"valid", "void", "unseen"}


@pytest.mark.parametrize("name", sorted(FAULTS))
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_fault_is_seeded_and_leaves_the_games_before_it_alone(name: str, seed: int) -> None:
    first, again = play(name, seed), play(name, seed)
    assert first == again
    model, protocol = wire_of(name)
    clean = list(SimulatedWheel(model, protocol, 37, seed).games(INDEX))
    assert list(SimulatedWheel(model, protocol, 37, seed, at({INDEX: name})).games(INDEX)) == clean
    times = [item.t for game in first[:1] for item in game.items]
    assert times == sorted(times)
    assert times[-1] < first[2].items[0].t, "the fault ends within its game"
    assert first[0].items != first[3].items, "something is different on the line"


@pytest.mark.parametrize("seed", SEEDS)
def test_failed_launch(seed: int) -> None:
    game, before, after, _ = play("failed_launch", seed)
    marked = in_state(game, 2)
    runs = [list(run) for bit, run in itertools.groupby(marked, key=lambda seen: seen.warning) if bit == 8]
    assert len(runs) == 1
    assert runs[0][-1].t - runs[0][0].t >= 18
    assert game.truth.launches == 1 + len(
        [run for _, run in itertools.groupby(runs[0], key=lambda seen: seen.rotor)][1:]
    )
    assert game.truth.launches in (2, 3)
    again = before.truth.rotor == game.truth.rotor
    assert again == (game.truth.launches == 2), "each attempt reverses the rotor"
    assert after.truth.rotor != game.truth.rotor
    in_rim = [seen.t for seen in in_state(game, 3) if seen.warning]
    assert all(t - in_state(game, 3)[0].t < 3 for t in in_rim)
    assert all(seen.warning in (0, 1) for seen in in_state(game, 4, 5))


@pytest.mark.parametrize("seed", SEEDS)
def test_ball_with_rotor_then_failed_launch(seed: int) -> None:
    game, before, _, _ = play("ball_with_rotor_then_failed_launch", seed)
    bits = [bit for bit, _ in itertools.groupby(seen.warning for seen in in_state(game, 2, 3))]
    assert bits == [0, 2, 8, 0]
    followed = [seen.t for seen in in_state(game, 2) if seen.warning == 2]
    assert 5.4 < followed[-1] - followed[0] < 6.1
    assert before.truth.rotor == game.truth.rotor
    assert game.truth.launches == 2


@pytest.mark.parametrize("seed", SEEDS)
def test_ball_with_rotor(seed: int) -> None:
    game, before, after, clean = play("ball_with_rotor", seed)
    assert all(seen.warning & 2 for seen in in_state(game, 3, 4))
    assert game.truth.number == clean.truth.number
    assert in_state(game, 5)
    assert before.truth.rotor != game.truth.rotor != after.truth.rotor


@pytest.mark.parametrize("seed", SEEDS)
def test_ball_with_rotor_suppressed(seed: int) -> None:
    game, _, after, _ = play("ball_with_rotor_suppressed", seed)
    rim = in_state(game, 3)
    assert not any(seen.warning for seen in seen_in(game.items))
    assert all(seen.ball == str(seen.rotor) for seen in rim)
    assert all(seen.ball == str(1 - seen.rotor) for seen in in_state(after, 3))


@pytest.mark.parametrize("seed", SEEDS)
def test_same_direction(seed: int) -> None:
    game, before, after, _ = play("same_direction", seed)
    assert game.truth.rotor == before.truth.rotor != after.truth.rotor
    assert {seen.rotor for seen in seen_in(game.items)} == {0 if game.truth.rotor == "cw" else 1}
    assert not any(seen.warning & 8 for seen in seen_in(game.items))
    assert min(seen.speed for seen in in_state(game, 2)) <= 12


@pytest.mark.parametrize("seed", SEEDS)
def test_respin(seed: int) -> None:
    game, before, after, _ = play("respin", seed)
    assert [state for state in states_of(game) if state != 1] == [2, 3, 2, 3, 4, 5]
    assert len({seen.counter for seen in in_state(game, 2, 3, 4, 5)}) == 1
    first, second = (run for state, run in _runs(game) if state == 3)
    assert first[0].rotor != second[0].rotor
    assert before.truth.rotor == game.truth.rotor != after.truth.rotor
    assert game.truth.launches == 2


def _runs(game: Game) -> list[tuple[int, list[Seen]]]:
    grouped = itertools.groupby(seen_in(game.items), key=lambda seen: seen.state)
    return [(state, list(run)) for state, run in grouped]


@pytest.mark.parametrize("seed", SEEDS)
def test_dealer_lock(seed: int) -> None:
    game, *_ = play("dealer_lock", seed)
    assert [state for state in states_of(game) if state != 1] == [2, 3, 4, 7, 5]
    assert {seen.number for seen in in_state(game, 7)} == {in_state(game, 4)[0].number}


def test_ball_removed() -> None:
    endings: Counter[bool] = Counter()
    for seed in SEEDS:
        game, *_ = play("ball_removed", seed)
        runs = [
            list(run) for bit, run in itertools.groupby(in_state(game, 4), lambda seen: seen.warning) if bit
        ]
        assert max(run[-1].t - run[0].t for run in runs) > 5.5
        endings[bool(in_state(game, 5))] += 1
        assert (game.truth.number is None) == (not in_state(game, 5))
    assert len(endings) == 2, "with and without a number"


@pytest.mark.parametrize("seed", SEEDS)
def test_ball_removed_pulse(seed: int) -> None:
    game, *_ = play("ball_removed_pulse", seed)
    runs = [list(run) for bit, run in itertools.groupby(in_state(game, 4), lambda seen: seen.warning) if bit]
    assert len(runs) >= 4
    assert all(len(run) <= 3 for run in runs)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_result(seed: int) -> None:
    game, _, after, _ = play("no_result", seed)
    assert states_of(game)[-3:] == [2, 3, 4]
    assert (game.truth.number, bare_in(game)) == (None, [])
    assert after.truth.counter == game.truth.counter, "the counter goes up on 5 to 2 only"
    assert after.truth.rotor != game.truth.rotor


def test_no_result_on_a_basic_wheel() -> None:
    games = list(SimulatedWheel("mercury-360", "basic", seed=1, faults=at({3: "no_result"})).games(5))
    assert text_of(games[3].items) == b"*S\r\n*N\r\n"
    assert text_of(games[4].items).startswith(b"*S\r\n*N\r\n*W ")


@pytest.mark.parametrize("seed", SEEDS)
def test_blank_number(seed: int) -> None:
    game, _, after, _ = play("blank_number", seed)
    assert {seen.number for seen in in_state(game, 5)} == {"  "}
    assert bare_in(game) == []
    assert game.truth.number is None
    assert {seen.number for seen in in_state(after, 2, 3, 4)} == {"  "}
    assert after.truth.expected == "valid"


def test_result_missed() -> None:
    bare: Counter[int] = Counter()
    for seed in SEEDS:
        game, _, after, _ = play("result_missed", seed)
        assert game.truth.number is not None
        assert not in_state(game, 5)
        assert in_state(after, 2)[0].number == game.truth.number.rjust(2)
        assert after.truth.counter == (game.truth.counter or 0) + 1
        assert in_state(after, 1, 2)[0].t - in_state(game, 4)[-1].t < 4
        bare[len(bare_in(game))] += 1
    assert set(bare) == {0, 1}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "lines"), [("short_state_5", 2), ("long_state_5", 16), ("state_5_single_line", 1)]
)
def test_lengths_of_state_five(name: str, lines: int, seed: int) -> None:
    game, _, after, _ = play(name, seed)
    assert len(in_state(game, 5)) == lines
    assert in_state(after, 2)[0].number == in_state(game, 5)[0].number
    assert in_state(after, 2)[0].counter == (game.truth.counter or 0) + 1


@pytest.mark.parametrize("seed", SEEDS)
def test_same_number_twice(seed: int) -> None:
    game, before, _, _ = play("same_number_twice", seed)
    assert game.truth.number == before.truth.number
    assert game.truth.counter == (before.truth.counter or 0) + 1
    assert set(bare_in(game)) == {game.truth.number}


@pytest.mark.parametrize("seed", SEEDS)
def test_bare_numbers(seed: int) -> None:
    assert bare_in(play("no_bare_number", seed)[0]) == []
    cut, *_ = play("bare_number_cut", seed)
    assert cut.truth.number is not None
    assert len(cut.truth.number) == 2
    assert len(bare_in(cut)) == 1
    assert bare_in(cut)[0] in tuple(cut.truth.number)
    wrong, *_ = play("bare_number_wrong", seed)
    assert len(bare_in(wrong)) == 1
    assert bare_in(wrong) != [wrong.truth.number]
    assert int(bare_in(wrong)[0]) <= 36


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bonus_lines", rb"\*Y([;:])\d\1\d{3}"),
        ("command_replies", rb"\*[PuoTOVF ] .*"),
        ("resent_number", rb"\*(L )?[ \d]\d"),
    ],
)
def test_foreign_lines_come_on_top(name: str, kind: bytes, seed: int) -> None:
    game, _, _, clean = play(name, seed)
    foreign = [piece for piece in pieces_of(game) if re.fullmatch(kind, piece)]
    assert len(foreign) >= 4
    assert [piece for piece in pieces_of(game) if piece not in foreign] == pieces_of(clean)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_bytes_are_no_lines(seed: int) -> None:
    game, _, _, clean = play("random_bytes", seed)
    noise = Counter(pieces_of(game)) - Counter(pieces_of(clean))
    assert len(noise) >= 5
    assert Counter(pieces_of(clean)) - Counter(pieces_of(game)) == Counter()
    assert not any(b"*" in piece or re.fullmatch(rb"\s*\d{1,2}\s*", piece) for piece in noise)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("name", ["glued_fragments", "tail_fragments", "damaged_byte"])
def test_damage_makes_bad_lines_and_hides_no_phase(name: str, seed: int) -> None:
    game, _, _, clean = play(name, seed)
    good = set(pieces_of(clean))
    bad = [piece for piece in pieces_of(game) if piece not in good]
    assert 1 <= len(bad) <= 6
    assert not any(STATUS.fullmatch(piece) or re.fullmatch(rb"\s*\d{1,2}\s*", piece) for piece in bad)
    assert states_of(game) == states_of(clean)
    if name == "glued_fragments":
        assert all(piece.count(b"*X") >= 2 and piece.startswith(b"*X") for piece in bad)
    if name == "tail_fragments":
        assert all(any(line.endswith(piece) for line in good) for piece in bad)
    if name == "damaged_byte":
        before, after = pieces_of(clean), pieces_of(game)
        assert len(text_of(game.items)) == len(text_of(clean.items))
        differing = sum(x != y for x, y in zip(text_of(clean.items), text_of(game.items), strict=True))
        assert 1 <= differing <= 3
        assert len(after) <= len(before)


def test_damaged_digit_is_one_outvoted_field() -> None:
    fields: Counter[str] = Counter()
    phases: Counter[int] = Counter()
    for seed in range(80):
        game, _, _, _ = play("damaged_digit", seed)
        seen = seen_in(game.items)
        odd = []
        for before, line, after in zip(seen, seen[1:], seen[2:], strict=False):
            for field in ("state", "counter", "number", "warning", "rotor"):
                values = [getattr(each, field) for each in (before, line, after)]
                # a single unseen ball is no damage
                if values[0] == values[2] != values[1] and not (field == "warning" and values == [0, 1, 0]):
                    odd.append((field, before.state))
        # just before a change of state the line behind the damaged one looks odd too
        assert len({field for field, _ in odd}) <= 1
        assert len(odd) <= 2
        assert odd or any(line.warning == 1 for line in seen)
        fields.update(field for field, _ in odd)
        phases.update(state for _, state in odd)
        assert all(0 <= int(line.number) <= 36 for line in seen if line.number.strip())
    assert set(fields) == {"state", "counter", "number", "warning", "rotor"}
    assert {2, 3, 4, 5} <= set(phases)


@pytest.mark.parametrize("seed", range(30))
def test_dropped_lines_are_single_and_hide_no_phase(seed: int) -> None:
    game, _, _, clean = play("dropped_lines", seed)
    lost = Counter(pieces_of(clean)) - Counter(pieces_of(game))
    assert 2 <= sum(lost.values()) <= 6
    assert states_of(game) == states_of(clean)
    seen = seen_in(game.items)
    assert max(after.t - before.t for before, after in itertools.pairwise(seen)) < 1.1


@pytest.mark.parametrize("seed", range(30))
def test_half_line_pause_loses_nothing(seed: int) -> None:
    game, *_ = play("half_line_pause", seed)
    steps = [(one, two) for one, two in itertools.pairwise(game.items) if two.t - one.t > 2.9]
    assert len(steps) == 1
    one, two = steps[0]
    assert isinstance(one, Bytes)
    assert isinstance(two, Bytes)
    assert STATUS.fullmatch((one.data + two.data).strip())
    assert two.t - one.t < 3.3
    _numbers_in_order(game)


@pytest.mark.parametrize("seed", range(30))
def test_burst_after_block_loses_nothing(seed: int) -> None:
    game, before, _, clean = play("burst_after_block", seed)
    assert text_of(game.items) == text_of(clean.items)
    bursts = [item for item in game.items if isinstance(item, Bytes) and len(item.data) > 100]
    assert len(bursts) == 1
    gaps = [two.t - one.t for one, two in itertools.pairwise([before.items[-1], *game.items])]
    assert 3.0 < max(gaps) < 3.6


def _numbers_in_order(game: Game) -> None:
    assert [state for state in states_of(game) if state != 1] == [2, 3, 4, 5]


@pytest.mark.parametrize("seed", SEEDS)
def test_silences(seed: int) -> None:
    betting, *_ = play("silence_in_betting", seed)
    assert 9.9 < longest_gap(betting, 2) < 10.1
    seen = in_state(betting, 2)
    ends = next(after for before, after in itertools.pairwise(seen) if after.t - before.t > 5)
    assert ends.speed > 100
    assert ends.rotor != in_state(betting, 3)[0].rotor, "the rotor has not turned yet"
    _numbers_in_order(betting)
    play_, *_ = play("silence_in_play", seed)
    assert 9.9 < longest_gap(play_, 3, 4) < 10.1
    assert len(in_state(play_, 3)) >= 2
    assert longest_gap(play_, 2, 5) < 1
    _numbers_in_order(play_)


@pytest.mark.parametrize("seed", range(30))
def test_links_lost(seed: int) -> None:
    betting, _, _, clean = play("link_lost_in_betting", seed)
    out, back = (item for item in betting.items if not isinstance(item, Bytes))
    assert isinstance(out, Unplug)
    assert isinstance(back, Replug)
    assert 0.5 < back.t - out.t < 4.1
    assert all(item.t < out.t or item.t > back.t for item in betting.items if isinstance(item, Bytes))
    rim = in_state(betting, 3)
    turned = next(seen for seen in in_state(betting, 2) if seen.rotor == rim[0].rotor)
    assert turned.t - back.t > 4
    in_play, _, after, clean = play("link_lost_in_play", seed)
    out, back = (item for item in in_play.items if not isinstance(item, Bytes))
    assert in_state(in_play, 3)[1].t < out.t < back.t < in_state(in_play, 5)[0].t
    assert after.truth.rotor != in_play.truth.rotor
    assert text_of(clean.items) != text_of(in_play.items)


@pytest.mark.parametrize("seed", SEEDS)
def test_link_lost_in_play_of_a_basic_wheel_is_after_no_more_bets(seed: int) -> None:
    games = list(
        SimulatedWheel("mercury-360", "basic", seed=seed, faults=at({2: "link_lost_in_play"})).games(3)
    )
    kinds = [item.data[:2] if isinstance(item, Bytes) else type(item) for item in games[2].items]
    assert kinds == [b"*S", b"*N", Unplug, Replug, b"*W"]


@pytest.mark.parametrize("seed", SEEDS)
def test_five_unplugs(seed: int) -> None:
    game, *_ = play("five_unplugs", seed)
    kinds = [type(item) for item in game.items if not isinstance(item, Bytes)]
    assert kinds == [Unplug, Replug] * 5
    back = [item.t for item in game.items if isinstance(item, Replug)]
    assert in_state(game, 3)[0].t - back[-1] > 10
    for one, two in itertools.pairwise(back):
        assert any(one < seen.t < two for seen in in_state(game, 2))
    _numbers_in_order(game)


def test_joined_mid_line() -> None:
    states: Counter[int] = Counter()
    for seed in range(24):
        game, _, after, _ = play("joined_mid_line", seed)
        back = next(place for place, item in enumerate(game.items) if isinstance(item, Replug))
        tail = game.items[back + 1]
        assert isinstance(tail, Bytes)
        assert 4 <= len(tail.data) < 21
        assert not STATUS.fullmatch(tail.data.strip())
        states.update({seen.state for seen in seen_in(game.items[back:])} & {2, 3, 4})
        assert after.truth.rotor != game.truth.rotor
    assert set(states) == {4}
    first = next(iter(SimulatedWheel(seed=1, faults=at({0: "joined_mid_line"})).games(1)))
    assert all(isinstance(item, Bytes) for item in first.items), "a first game just begins in the middle"
    assert first.truth.expected == "unseen"
    assert set(states_of(first)) <= {4, 5}


def test_restart_in_play() -> None:
    cuts: Counter[bool] = Counter()
    for seed in SEEDS:
        game, _, after, _ = play("restart_in_play", seed)
        assert states_of(game)[-3:] == [2, 3, 4]
        cuts[text_of(game.items).endswith(b"\r\n")] += 1
        assert text_of(after.items).startswith(b"*V ")
        assert states_of(after) == [6, 1, 2, 3, 4, 5]
        assert {(seen.counter, seen.number) for seen in in_state(after, 1, 2, 3, 4)} == {(1, "  ")}
        assert after.items[0].t - game.items[-1].t > 2.9
        assert (game.truth.number, game.truth.rotor, after.truth.rotor) == (None, "cw", "ccw")
    assert set(cuts) == {True, False}


@pytest.mark.parametrize("seed", SEEDS)
def test_wheel_closes_in_play(seed: int) -> None:
    game, _, after, _ = play("wheel_closes_in_play", seed)
    assert states_of(game)[-4:] == [2, 3, 4, 6]
    assert after.truth.counter == game.truth.counter
    assert states_of(after) == [1, 2, 3, 4, 5]
    assert {seen.rotor for seen in in_state(game, 6)} == {0}
    assert (game.truth.number, game.truth.rotor, after.truth.rotor) == (None, "cw", "ccw")


def test_a_mercury_that_closes_counts_from_zero() -> None:
    schedule = at({5: "wheel_closes_in_play"})
    games = list(SimulatedWheel("mercury-360", seed=1, faults=schedule).games(9))
    closed = next(place for place, game in enumerate(games) if game.truth.fault)
    assert {seen.counter for seen in in_state(games[closed], 6)} == {0}
    assert [game.truth.counter for game in games[closed + 1 : closed + 3]] == [0, 1]
    assert games[closed].truth.counter not in (None, 0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["motor_fault", "runaway"])
def test_the_wheel_breaks_down(name: str, seed: int) -> None:
    game, _, after, _ = play(name, seed)
    assert states_of(game)[-4:] == [2, 3, 4, 6]
    assert all(seen.warning == 4 for seen in in_state(game, 6))
    assert [seen.warning for seen in in_state(game, 4)][-10:] == [4] * 10
    fastest = max(seen.speed for seen in in_state(game, 4))
    assert (849 <= fastest <= 984) if name == "runaway" else fastest < 196
    assert in_state(game, 4)[-1].speed == 0
    assert after.truth.rotor != game.truth.rotor


@pytest.mark.parametrize("seed", SEEDS)
def test_speed_warning(seed: int) -> None:
    game, *_ = play("speed_warning", seed)
    for seen in in_state(game, 3, 4, 5):
        assert seen.warning == 1
        assert 60 <= seen.speed < 100


def test_void_signalled() -> None:
    numbers: Counter[bool] = Counter()
    for seed in SEEDS:
        game, *_ = play("void_signalled", seed)
        marked = [seen for seen in in_state(game, 3, 4, 5) if seen.warning & 8]
        assert len([seen for seen in marked if seen.state == 4]) >= 8
        assert seen_in(game.items)[-1].warning & 8
        numbers[bool(in_state(game, 5))] += 1
    assert len(numbers) == 2


# --- an independent reading of whole campaigns --------------------------------------------------


def _outvoted(seen: list[Seen]) -> list[Seen]:
    """Each field of a line as its two neighbours have it, where those agree."""
    clean = seen[:1]
    for before, line, after in zip(seen, seen[1:], seen[2:], strict=False):
        values = {}
        for field in ("state", "counter", "number", "warning", "rotor"):
            values[field] = getattr(line, field)
            if getattr(before, field) == getattr(after, field):
                values[field] = getattr(before, field)
        clean.append(Seen(line.t, **values, speed=line.speed, ball=line.ball))
    return clean + seen[-1:]


class NaiveReader:
    """Judges a game from its own items by the law and the documented meaning of the fields."""

    def __init__(self, model: Model) -> None:
        self._mercury = model == "mercury-360"
        self._last: int | None = None

    def judge(self, game: Game) -> str | None:
        """The number of a valid game; None for any other."""
        seen = _outvoted(seen_in(game.items))
        reasons = self._reasons(game, seen)
        rotors = [line.rotor for line in seen if line.state in (3, 4, 5)]
        self._last = rotors[-1] if rotors else None
        if any(line.state == 6 for line in seen[10:]) or states_of(game)[-1] == 4:
            self._last = None if any(line.state == 6 for line in seen[10:]) else self._last
        if reasons:
            return None
        return next(line.number for line in seen if line.state == 5).strip()

    def _reasons(self, game: Game, seen: list[Seen]) -> list[str]:
        launched = max((place for place, line in enumerate(seen) if line.state == 2), default=0)
        play = [line for line in seen[launched:] if line.state in (3, 4)]
        result = [line for line in seen if line.state == 5]
        if {line.state for line in seen} & {2, 3, 4, 5} != {2, 3, 4, 5}:
            return ["a state is missing"]
        reasons = []
        span = play[0].t, result[0].t
        if any(not isinstance(item, Bytes) and span[0] < item.t < span[1] for item in game.items):
            reasons.append("link")
        if any(two.t - one.t > 5 for one, two in itertools.pairwise(seen) if span[0] <= one.t < span[1]):
            reasons.append("silence")
        numbers = Counter(line.number for line in result)
        number = numbers.most_common(1)[0][0].strip()
        if not number or any(bare != number for bare in bare_in(game)):
            reasons.append("number")
        if sum(bool(line.warning & 2) for line in play) > 3:
            reasons.append("ball with rotor")
        if sum(line.ball == str(line.rotor) for line in play) > 3:
            reasons.append("ball seen with rotor")
        bit, least = (8, 1) if self._mercury else (1, 11)
        runs = [len(list(run)) for on, run in itertools.groupby(play, lambda line: line.warning & bit) if on]
        if max(runs, default=0) >= least:
            reasons.append("bit")
        if self._direction_repeats(seen):
            reasons.append("direction")
        return reasons

    def _direction_repeats(self, seen: list[Seen]) -> bool:
        last = self._last
        launched = None
        for before, line in itertools.pairwise(seen):
            if self._mercury and (before.state, line.state) == (3, 2):
                last = before.rotor
            if not self._mercury and line.state == 2 and line.warning == 8 and before.warning != 8:
                last = line.rotor
            if not self._mercury and line.state == 2 and line.warning == before.warning == 8:
                last = before.rotor if line.rotor != before.rotor else last
            if line.state in (3, 4, 5):
                launched = line.rotor
        return last is not None and launched == last


WIRES: list[tuple[Model, Protocol]] = [
    ("slingshot-2", "advanced"),
    ("mercury-360", "advanced"),
    ("mercury-360", "extended"),
]


@pytest.mark.parametrize(("model", "protocol"), WIRES)
def test_the_truth_is_what_an_independent_reader_makes_of_the_lines(model: Model, protocol: Protocol) -> None:
    reader = NaiveReader(model)
    faults: Counter[str | None] = Counter()
    for game in campaign(11, 1500, 0.4, model=model, protocol=protocol):
        truth = game.truth
        expected = truth.number if truth.expected == "valid" else None
        assert reader.judge(game) == expected, truth
        faults[truth.fault] += 1
    assert set(faults) == {None, *possible(model, protocol)}


def test_a_game_after_any_fault_is_valid_again() -> None:
    truths: list[Truth] = [game.truth for game in campaign(5, 800, 0.5)]
    for before, after in itertools.pairwise(truths):
        if before.fault is not None:
            assert (after.fault, after.expected) == (None, "valid")


def test_faults_that_need_something_wait_for_it() -> None:
    first = Prospect(0, "slingshot-2", "advanced", previous=None, rotor=0, after="power_cut")
    assert not FAULTS["same_number_twice"].fits(first)
    assert not FAULTS["same_direction"].fits(first)
    assert not FAULTS["restart_in_play"].fits(first)
    assert not FAULTS["respin"].fits(first)
    assert FAULTS["no_result"].fits(first)
