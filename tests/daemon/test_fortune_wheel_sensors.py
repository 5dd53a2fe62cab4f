"""A fortune wheel's bytes from its bare sensors through the whole table to its records."""

from collections.abc import Iterator

import msgspec
import pytest
from fortune_wheel_line import COUNTED, RAW, instant, made, scenario
from spin_play import game_of, order_of

from daemon.catalogue.bets.fortune_wheel import outcome
from daemon.records import DeviceDescription, Message, RoundRecord
from daemon.replay import play
from daemon.table.messages import TableSetup
from daemon.table.table import Table
from drivers.links.replay import LinkChange, Played
from simulators.devices.sensor_fortune_wheel import Build, Plan, SensorFortuneWheel, SpinGame
from simulators.traffic import Bytes, Unplug


def setup(text: str) -> TableSetup:
    return TableSetup(
        site="hall",
        id="rueda-01",
        game=game_of(text),
        language="es",
        policy="automatic",
        minimum=None,
        multiple=None,
        devices=(DeviceDescription(id="wheel", role="fortune_wheel", driver="fortune-wheel", port="replay"),),
        version="test",
        test=True,
        segments=order_of(text),
    )


def played(build: Build, seed: int, plan: Plan, spins: int, games: list[SpinGame]) -> Iterator[Played]:
    yield instant(0), LinkChange("up", "replay")
    for game in SensorFortuneWheel(build, seed, plan).games(spins):
        games.append(game)
        for item in game.items:
            if isinstance(item, Bytes):
                yield instant(item.t), item.data
            else:
                yield instant(item.t), LinkChange("lost" if isinstance(item, Unplug) else "up", "the cable")


def records(
    text: str, build: Build, plan: Plan, spins: int, seed: int = 6
) -> list[tuple[SpinGame, RoundRecord]]:
    """The record of each spin, of which there is exactly one."""
    games: list[SpinGame] = []
    table = Table(setup(text), {"wheel": made(build)})
    said: list[Message] = list(play(table, "wheel", played(build, seed, plan, spins, games)))
    found = [
        msgspec.convert(msgspec.json.decode(message.payload or b"")["data"], RoundRecord)
        for message in said
        if message.topic == "event/round"
    ]
    assert len(found) == len(games)
    return list(zip(games, found, strict=True))


@pytest.mark.parametrize("build", [COUNTED, RAW], ids=["counts", "edges"])
@pytest.mark.parametrize("text", ["es-ct", "es-ex"])
def test_a_clean_spin_is_a_valid_record_with_its_symbol(text: str, build: Build) -> None:
    for game, record in records(text, build, scenario("clean"), 2):
        assert record.verdict == "valid"
        assert game.truth.segment is not None
        assert record.outcome == outcome(game_of(text), order_of(text), game.truth.segment + 1)


@pytest.mark.parametrize(
    ("text", "name", "rule"),
    [
        ("es-ct", "on_peg", "fortune_wheel.on_peg"),
        ("es-ex", "on_peg", "fortune_wheel.on_peg"),
        ("es-ct", "too_few_turns", "fortune_wheel.turns"),
        ("es-ct", "no_second_push", "fortune_wheel.turns"),
        ("es-ct", "one_strong_push", "fortune_wheel.turns"),
        ("es-ct", "hand_hard", "fortune_wheel.hindered"),
        ("es-ex", "coat", "fortune_wheel.hindered"),
        ("es-ex", "reversed", "fortune_wheel.hindered"),
    ],
)
def test_case_36_what_a_clause_voids_is_void_by_that_clause(text: str, name: str, rule: str) -> None:
    for game, record in records(text, COUNTED, scenario(name), 2):
        assert record.verdict == "void"
        place = None if record.outcome is None else getattr(record.outcome, "segment", None)
        known = game.truth.segment is not None and not (game.truth.hindered and place is None)
        assert place == (game.truth.segment + 1 if known else None), "as evidence"
        assert [finding.rule for finding in record.findings if finding.effect == "void"] == [rule]


@pytest.mark.parametrize("build", [COUNTED, RAW], ids=["counts", "edges"])
def test_a_spin_of_about_four_turns_is_judged_only_where_its_turns_are_sure(build: Build) -> None:
    found: dict[str | None, list[float]] = {None: [], "round.rest_unread": [], "fortune_wheel.turns": []}
    for game, record in records("es-ct", build, scenario("about_four_turns"), 16):
        made = game.truth.turns_since_second
        assert made is not None
        voids = [finding for finding in record.findings if finding.effect == "void"]
        assert (record.verdict == "valid") == (not voids)
        found[voids[0].rule if voids else None].append(made)
        if voids and voids[0].rule == "round.rest_unread":
            seen = voids[0].evidence
            assert seen["least"] < seen["wanted"] == 4 <= seen["most"]
            assert seen["least"] <= made <= seen["most"]
    assert all(found.values()), "each of the three came"
    assert min(found[None]) >= 4 > max(found["fortune_wheel.turns"])


@pytest.mark.parametrize("text", ["es-ct", "es-ex"])
def test_an_anticlockwise_spin_is_a_finding_only_where_the_text_has_the_rule(text: str) -> None:
    for _, record in records(text, COUNTED, scenario("anticlockwise"), 2):
        assert record.verdict == "valid"
        clockwise = [finding for finding in record.findings if finding.rule == "fortune_wheel.clockwise"]
        assert [finding.effect for finding in clockwise] == (["finding"] if text == "es-ct" else [])


@pytest.mark.parametrize("fault", ["gap", "missed_edge", "doubled_edge", "restart", "unplug", "slip"])
def test_cases_34_and_link_a_spin_seen_in_part_is_void_and_the_next_one_counts(fault: str) -> None:
    def plan(index: int) -> tuple[str, str | None]:
        return "clean", fault if index == 1 else None

    verdicts = [record.verdict for _, record in records("es-ct", COUNTED, plan, 4)]
    assert verdicts[0::3] == ["valid", "valid"]
    assert verdicts[1] == "void"
    assert verdicts[2] == "valid"


@pytest.mark.parametrize("build", [COUNTED, RAW], ids=["counts", "edges"])
@pytest.mark.parametrize("part", [0.14, 0.5])
def test_a_table_that_begins_in_mid_spin_waits_for_the_next(build: Build, part: float) -> None:
    games: list[SpinGame] = []
    items = list(played(build, 4, scenario("clean"), 2, games))
    begun = [items[0], *items[1 + round(len(games[0].items) * part) :]]
    table = Table(setup("es-ct"), {"wheel": made(build)})
    said = [each for each in play(table, "wheel", iter(begun)) if each.topic == "event/round"]
    (record,) = [
        msgspec.convert(msgspec.json.decode(each.payload or b"")["data"], RoundRecord) for each in said
    ]
    assert games[1].truth.segment is not None
    assert record.round == 1
    assert record.outcome == outcome(game_of("es-ct"), order_of("es-ct"), games[1].truth.segment + 1)


def test_case_35_rocking_and_cleaning_are_no_rounds() -> None:
    for name in ("rocking", "cleaning"):
        games: list[SpinGame] = []
        table = Table(setup("es-ct"), {"wheel": made(COUNTED)})
        said = list(play(table, "wheel", played(COUNTED, 1, scenario(name), 4, games)))
        assert len(games) == 4
        assert not [message for message in said if message.topic == "event/round"]
