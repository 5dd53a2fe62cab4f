"""Wheels with bare sensors up to the record: a cable pulled at any byte of a throw gives a void."""

from collections.abc import Iterable
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_day import Recorded

from daemon.catalogue.load import load_game
from daemon.records import DeviceDescription, RoundRecord
from daemon.rounds.round import NoMoreBets, Policy
from daemon.table.effects import Effects
from daemon.table.messages import TableSetup
from daemon.table.table import Table
from drivers.bare_wheel.driver import DRIVER, BareWheel
from drivers.driver import Driver
from drivers.readings import SECOND, BallLeftRim, Instant
from protocols.sensor import Restarted
from protocols.sensor_decoder import SensorDecoder
from simulators import sensor_mishaps
from simulators.devices.microcontroller import Encoder, Troubles
from simulators.devices.sensor_wheel import Kind, Mishap, Plan, SensorGame, SensorWheel
from simulators.physics.roulette import Course
from simulators.traffic import Bytes, Item, Replug, Unplug

GAMES: dict[Kind, str] = {"roulette": "french_roulette", "boule": "boule"}


def instant(t: float) -> Instant:
    return Instant(int(t * SECOND), 1_700_000_000_000_000 + int(t * 1e6))


class Hall:
    """A table with one wheel, fed with a line, and its records."""

    def __init__(self, wheel: SensorWheel, text: str = "es-1979", policy: Policy = "automatic") -> None:
        self.options = msgspec.convert(wheel.options, DRIVER.options)
        self.driver = BareWheel("wheel", self.options)
        device = DeviceDescription(id="wheel", role="wheel", driver="bare-wheel", port="replay")
        setup = TableSetup(
            site="test",
            id="wheel",
            game=load_game(text, GAMES[wheel.kind]),
            language="es",
            policy=policy,
            minimum=None,
            multiple=None,
            devices=(device,),
            version="test",
            test=True,
        )
        self.table = Table(setup, {"wheel": self.driver})
        self.records: list[RoundRecord] = []
        self._take(self.table.start(instant(0.0), restarted=False))
        self.up(0.0)

    def up(self, t: float) -> None:
        self._take(self.table.link_up("wheel", "replay", instant(t)))

    def lose(self, t: float) -> None:
        self._take(self.table.link_lost("wheel", "unplugged", instant(t)))

    def bytes(self, t: float, data: bytes) -> None:
        self._take(self.table.link_bytes("wheel", data, instant(t)))

    def close_bets(self, t: float) -> None:
        self.table.command_round(NoMoreBets(), instant(t))

    def game(self, game: SensorGame) -> "Hall":
        return self.line(game.items)

    def line(self, items: Iterable[Item]) -> "Hall":
        for item in items:
            match item:
                case Bytes(t, data):
                    self.bytes(t, data)
                case Unplug(t):
                    self.lose(t)
                case Replug(t):
                    self.up(t)
        return self

    def _take(self, effects: Effects | None) -> None:
        for entry in effects.entries if effects else ():
            if entry.kind == "round":
                self.records.append(msgspec.json.decode(entry.body, type=RoundRecord))

    @property
    def verdicts(self) -> list[str]:
        return [record.verdict for record in self.records]


def first_two(kind: Kind, encoder: Encoder, seed: int = 6) -> tuple[SensorWheel, SensorGame, SensorGame]:
    wheel = SensorWheel(kind, encoder, seed)
    one, two = wheel.games(2)
    return wheel, one, two


SPINS = {
    (kind, encoder): first_two(kind, encoder)
    for kind, encoder in (("roulette", "counts"), ("roulette", "edges"), ("boule", "counts"))
}


def in_play(game: SensorGame, hall: Hall) -> list[tuple[float, int]]:
    """Every byte of the throw, from its first pass until the place is told, as (time, bytes until then)."""
    places, at = [], 0
    for item in game.items:
        assert isinstance(item, Bytes)
        if hall.records:
            break
        hall.bytes(item.t, item.data)
        if item.t > game.truth.launched + 0.2 and not hall.records:
            places += [(item.t, at + each) for each in range(len(item.data))]
        at += len(item.data)
    return places


CUTS = {key: in_play(one, Hall(wheel)) for key, (wheel, one, _) in SPINS.items()}


@pytest.mark.parametrize("key", SPINS)
@settings(max_examples=40, deadline=None)
@given(st.data(), st.floats(0.01, 12.0))
def test_a_cable_pulled_at_any_byte_of_a_throw_voids_it(key: tuple[Any, Any], data: Any, away: float) -> None:
    wheel, one, two = SPINS[key]
    pulled, cut = data.draw(st.sampled_from(CUTS[key]))
    hall, at, back = Hall(wheel), 0, pulled + away
    for item in (*one.items, *two.items):
        assert isinstance(item, Bytes)
        if at < cut:
            hall.bytes(item.t, item.data[: cut - at])
            at += len(item.data)
            if at >= cut:
                hall.lose(pulled)
        elif item.t >= back:
            if back:
                hall.up(item.t)
                back = 0.0
                assert "valid" not in hall.verdicts
            hall.bytes(item.t, item.data)
    mine = [r for r in hall.records if r.round == 1]
    assert [r.verdict for r in mine] == ["void"]
    assert "round.half_seen" in [finding.rule for finding in mine[0].findings]
    assert len(hall.records) <= 2, "and at most the next spin's own record after it"


@pytest.mark.parametrize("key", SPINS)
def test_uncut_both_spins_are_valid_with_their_places(key: tuple[Any, Any]) -> None:
    wheel, one, two = SPINS[key]
    hall = Hall(wheel).game(one).game(two)
    pockets = hall.table.setup.game.layout.pockets  # type: ignore[union-attr]
    assert [(r.verdict, r.outcome and r.outcome.number) for r in hall.records] == [  # type: ignore[union-attr]
        ("valid", pockets[game.truth.place or 0]) for game in (one, two)
    ]


@pytest.mark.parametrize("after", [-0.5, 0.02, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5])
@pytest.mark.parametrize("kind", GAMES)
def test_a_device_that_starts_anew_about_the_launch_leaves_one_void_record(kind: Kind, after: float) -> None:
    """Before the launch is sure, too, bets are open, and a ball was thrown: its round cannot stand."""

    def strike(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
        troubles.restart = plan.launched + after

    def shape(plan: Plan, rng: Random) -> None:
        plan.trouble = strike

    mishap = Mishap("restarted", "void", "", shape)
    wheel = SensorWheel(kind, "counts", 3, {1: mishap}.get)
    hall = Hall(wheel)
    for game in wheel.games(3):
        hall.game(game)
    assert hall.verdicts == ["valid", "void", "valid"]
    assert [record.round for record in hall.records] == [1, 2, 3]
    assert "round.half_seen" in [finding.rule for finding in hall.records[1].findings]


async def test_a_restart_of_mesad_while_bets_are_open_leaves_the_rounds_evidence_whole() -> None:
    wheel = SensorWheel("roulette", "counts", 3)
    hall, (game,) = Hall(wheel), wheel.games(1)
    items = [item for item in game.items if item.t < game.truth.launched - 0.3]

    def drivers() -> dict[str, Driver]:
        return {"wheel": BareWheel("wheel", hall.options)}

    first = Recorded(hall.table.setup, drivers, items)
    await first.actor.stop(1.0)
    assert first.table.state.round.stage == "betting"
    assert list(first.begins) == [1]
    second = Recorded(hall.table.setup, drivers, [], first.table.state)
    await second.actor.stop(1.0)
    assert second.table.state.round.stage == "betting"
    assert list(second.begins) == [], "what begins a round anew takes its inputs so far away"


# --- a throw of which nothing was seen --------------------------------------------------------------------


def lies(seconds: float) -> Mishap:
    """Before this game the ball lies in its pocket for so much longer."""

    def shape(plan: Plan, rng: Random) -> None:
        plan.taken, plan.driven = plan.taken + seconds, plan.driven + seconds
        plan.launched += seconds

    return Mishap("lies", "valid", "", shape)


def starts_when_fallen() -> Mishap:
    """The device starts anew when the ball has left the rim."""

    def strike(plan: Plan, course: Course, troubles: Troubles, rng: Random) -> None:
        troubles.restart = plan.launched + course.left_rim + 0.1

    def shape(plan: Plan, rng: Random) -> None:
        plan.trouble = strike

    return Mishap("starts", "void", "", shape)


def fallen(wheel: SensorWheel, games: list[SensorGame]) -> list[float]:
    """When each game's ball was out of the rim."""
    made = BareWheel("wheel", msgspec.convert(wheel.options, DRIVER.options))
    made.link_up(instant(0.0))
    return [
        reading.at.mono / SECOND
        for game in games
        for item in game.items
        if isinstance(item, Bytes)
        for reading in made.receive(item.data, instant(item.t))
        if isinstance(reading, BallLeftRim)
    ]


def starts(items: list[Item]) -> int:
    """At which item of a line the device has started anew."""
    decoder = SensorDecoder()
    return next(
        index
        for index, item in enumerate(items)
        if isinstance(item, Bytes) and any(isinstance(each, Restarted) for each in decoder.feed(item.data))
    )


def pulled(items: Iterable[Item], begins: float, ends: float) -> list[Item]:
    """A line on which the cable is out for a while."""
    items = list(items)
    before, after = [i for i in items if i.t < begins], [i for i in items if i.t > ends]
    return [*before, Unplug(begins), Replug(ends), *after]


@pytest.mark.parametrize("before", [2.0, 0.5, -0.2])
@pytest.mark.parametrize(("policy", "verdict"), [("automatic", "void"), ("inspector", "held")])
@pytest.mark.parametrize("kind", GAMES)
def test_a_whole_throw_while_the_cable_is_out_leaves_one_void_record(
    kind: Kind, policy: Policy, verdict: str, before: float
) -> None:
    wheel = SensorWheel(kind, "counts", 3, {2: lies(12.0)}.get)
    games = list(wheel.games(3))
    items = [item for game in games for item in game.items]
    away = games[1].truth.launched - before, fallen(wheel, games)[1] + 2.0
    hall = Hall(wheel, policy=policy).line(pulled(items, *away))
    assert hall.verdicts == ["valid", verdict, "valid"]
    assert [record.round for record in hall.records] == [1, 2, 3]
    [finding] = [f for f in hall.records[1].findings if f.rule == "round.pocket_unread"]
    assert finding.evidence == {
        "claims": [f"place {games[1].truth.place}"],
        "reason": "the throw was not seen",
    }


@pytest.mark.parametrize("bets", ["open", "closed"])
@pytest.mark.parametrize("kind", GAMES)
def test_a_whole_throw_before_the_device_starts_anew_leaves_one_void_record(kind: Kind, bets: str) -> None:
    """What it sent from before the launch until then never came."""
    wheel = SensorWheel(kind, "counts", 3, {1: starts_when_fallen(), 2: lies(12.0)}.get)
    games = list(wheel.games(3))
    deaf = games[1].truth.launched - 0.5
    items = [item for game in games for item in game.items]
    hall = Hall(wheel).line(item for item in items if item.t < deaf)
    if bets == "closed":
        hall.close_bets(deaf)
    hall.line(items[starts(items) :])
    assert hall.verdicts == ["valid", "void", "valid"]
    assert [record.round for record in hall.records] == [1, 2, 3]


@pytest.mark.parametrize("kind", GAMES)
def test_a_ball_in_a_pocket_at_the_tables_start_is_of_no_round(kind: Kind) -> None:
    wheel = SensorWheel(kind, "counts", 3, {1: lies(12.0)}.get)
    games = list(wheel.games(2))
    items = [item for game in games for item in game.items]
    hall = Hall(wheel).line(pulled(items, 1.0, fallen(wheel, games)[0] + 0.1))
    assert hall.verdicts == ["valid"]
    assert [record.round for record in hall.records] == [1]


@pytest.mark.parametrize("policy", ["automatic", "inspector"])
@pytest.mark.parametrize("mishap", [None, "packets_lost"])
@pytest.mark.parametrize("kind", GAMES)
def test_a_ball_found_where_it_was_told_makes_no_second_record(
    kind: Kind, mishap: str | None, policy: Policy
) -> None:
    first = sensor_mishaps.MISHAPS.get(mishap or "")
    wheel = SensorWheel(kind, "counts", 3, {0: first, 1: lies(30.0)}.get)
    one, two = wheel.games(2)
    hall = Hall(wheel, policy=policy).game(one)
    verdicts, phase = hall.verdicts, hall.table.state.round.phase
    assert phase == {"valid": "result"}.get(verdicts[0], verdicts[0])
    rests = one.items[-1].t
    items = pulled(pulled(two.items, rests + 0.3, rests + 1.0), rests + 14.0, rests + 14.5)
    hall.line(item for item in items if item.t < rests + 29.0)
    assert (hall.verdicts, hall.table.state.round.phase) == (verdicts, phase)
    hall.line(item for item in items if item.t >= rests + 29.0)
    assert hall.verdicts == [*verdicts, "valid"]


def test_one_sense_twice_running_is_for_the_texts_to_judge() -> None:
    wheel = SensorWheel("roulette", "counts", 3, sensor_mishaps.at({1: "same_direction"}))
    hall = Hall(wheel)
    for game in wheel.games(2):
        hall.game(game)
    assert hall.verdicts == ["valid", "void"]
    assert [finding.rule for finding in hall.records[1].findings] == ["wheel.rotor_alternates"]


def test_a_second_object_in_the_basin_is_no_result_though_the_text_knows_no_void_throw() -> None:
    wheel = SensorWheel("boule", "counts", 3, sensor_mishaps.at({1: "foreign_object"}))
    hall = Hall(wheel)
    for game in wheel.games(3):
        hall.game(game)
    assert hall.verdicts == ["valid", "void", "valid"]


@pytest.mark.parametrize("sampled", [0.05, 0.01, 0.003, 0.002, 0.001])
@pytest.mark.parametrize(
    ("mishap", "rule"),
    [
        ("same_direction", "wheel.rotor_alternates"),
        ("ball_with_rotor", "wheel.ball_against_rotor"),
        ("rotor_turned_round", "wheel.defective_throw"),
    ],
)
def test_however_closely_a_device_samples_its_encoder_the_senses_are_judged(
    mishap: str, rule: str, sampled: float
) -> None:
    wheel = SensorWheel("roulette", "counts", 3, sensor_mishaps.at({1: mishap}), sampled=sampled)
    hall = Hall(wheel)
    for game in wheel.games(2):
        hall.game(game)
    assert hall.verdicts == ["valid", "void"]
    assert rule in [finding.rule for finding in hall.records[1].findings if finding.effect == "void"]
