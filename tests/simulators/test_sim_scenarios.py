"""Schedules and campaigns: which game goes wrong, how often, and what memory and time it takes."""

import itertools
import re
import tracemalloc
from collections import Counter

import pytest

from protocols.cammegh import Codec, Damaged
from simulators.devices.cammegh import Model, Protocol, SimulatedWheel
from simulators.faults import FAULTS, named
from simulators.scenarios import at, campaign, noise, possible, rated
from simulators.traffic import Bytes, Game, items_of

WIRES: list[tuple[Model, Protocol]] = [
    ("slingshot-2", "advanced"),
    ("mercury-360", "advanced"),
    ("mercury-360", "extended"),
    ("mercury-360", "basic"),
]


def faults_of(games: list[Game]) -> list[str | None]:
    return [game.truth.fault for game in games]


@pytest.mark.parametrize(("model", "protocol"), WIRES)
def test_a_campaign_deals_every_possible_fault_evenly(model: Model, protocol: Protocol) -> None:
    games = list(campaign(7, 1500, 0.4, model=model, protocol=protocol))
    counts = Counter(name for name in faults_of(games) if name is not None)
    assert set(counts) == set(possible(model, protocol))
    assert max(counts.values()) - min(counts.values()) <= 2
    assert 0.35 < counts.total() / 1500 < 0.45
    assert not any(one and two for one, two in itertools.pairwise(faults_of(games)))
    assert [game.truth.index for game in games] == list(range(1500))


def test_a_campaign_is_one_stream_in_order_of_time() -> None:
    times = [item.t for item in items_of(campaign(2, 300, 0.5))]
    assert times == sorted(times)


def test_a_campaign_is_the_same_for_the_same_seed_only() -> None:
    assert list(campaign(3, 60)) == list(campaign(3, 60))
    assert faults_of(list(campaign(3, 60))) != faults_of(list(campaign(4, 60)))


def test_a_campaign_without_faults_and_with_chosen_ones() -> None:
    assert set(faults_of(list(campaign(1, 50, 0.0)))) == {None}
    chosen = set(faults_of(list(campaign(1, 100, 0.5, names=["no_result", "runaway"]))))
    assert chosen == {None, "no_result", "runaway"}


def test_ten_thousand_games_are_made_as_they_are_asked_for() -> None:
    """In bounded memory."""
    lines = sum(len(game.items) for game in campaign(1, 10_000, 0.3))
    assert lines > 800_000
    tracemalloc.start()
    try:
        for _ in campaign(1, 300, 0.3):
            pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


def test_at_puts_a_fault_in_its_game_or_the_next_that_can_have_it() -> None:
    names = {0: "same_number_twice", 4: "no_result", 5: "long_state_5"}
    games = list(SimulatedWheel(seed=1, faults=at(names)).games(8))
    assert faults_of(games) == [
        None,
        "same_number_twice",
        None,
        None,
        "no_result",
        "long_state_5",
        None,
        None,
    ]
    late = faults_of(list(SimulatedWheel(seed=1, faults=at({2: "restart_in_play"})).games(6)))
    assert late == [None, None, None, "restart_in_play", None, None], "needs a clockwise launch"


def test_at_does_not_know_other_names() -> None:
    with pytest.raises(ValueError, match="unknown fault 'no_such'; known are: ball_removed, "):
        at({1: "no_such"})


def test_rates_beyond_a_half_are_refused() -> None:
    for rate in (-0.1, 0.51):
        with pytest.raises(ValueError, match="from 0 to"):
            rated(["no_result"], rate, 1)


def test_possible_faults_depend_on_the_wheel_and_the_speed() -> None:
    slingshot, mercury = possible("slingshot-2", "advanced"), possible("mercury-360", "advanced")
    assert "failed_launch" in slingshot
    assert "failed_launch" not in mercury
    assert "respin" in mercury
    assert "respin" not in slingshot
    assert "ball_with_rotor_suppressed" in possible("mercury-360", "extended")
    assert set(slingshot) - set(possible("slingshot-2", "advanced", speed=20)) == {
        name for name in slingshot if FAULTS[name].timed
    }
    assert named("respin").timed is False


@pytest.mark.parametrize(("model", "protocol"), WIRES)
@pytest.mark.parametrize("pockets", [37, 38])
def test_the_products_own_codec_reads_every_line_of_whole_games(
    model: Model, protocol: Protocol, pockets: int
) -> None:
    """Written apart from each other, simulator and codec agree on the format."""
    codec = Codec(model, protocol, pockets)
    names = ("no_result", "bonus_lines", "command_replies", "resent_number", "blank_number")
    able = [name for name in names if name in possible(model, protocol)]
    kinds: Counter[str] = Counter()
    for item in items_of(campaign(1, 120, 0.4, model=model, protocol=protocol, pockets=pockets, names=able)):
        assert isinstance(item, Bytes)
        for line in filter(None, re.split(rb"[\r\n]", item.data)):
            message = codec.decode(line)
            assert not isinstance(message, Damaged), (line, message)
            kinds[type(message).__name__] += 1
    expected = {
        "advanced": {"StatusLine", "BareNumber", "CommandReply", "BonusLine", "ResentNumber"},
        "extended": {"ExtendedLine", "BareNumber", "CommandReply", "BonusLine", "ResentNumber"},
        "basic": {"GameStarted", "NoMoreBets", "WinningNumber"},
    }
    assert set(kinds) == expected[protocol]


def test_noise_is_endless_and_has_every_byte() -> None:
    pieces = list(itertools.islice(noise(1), 500))
    assert set(b"".join(piece.data for piece in pieces)) == set(range(256))
    assert pieces == list(itertools.islice(noise(1), 500))
    bytes_sent = sum(len(piece.data) for piece in pieces)
    assert abs(pieces[-1].t - bytes_sent / 960) < 1e-6
