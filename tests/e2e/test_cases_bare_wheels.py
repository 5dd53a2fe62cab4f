"""Roulettes and boules with bare sensors on the real path: a simulated device, the daemon, a broker."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from brokers import Mosquitto
from hall import Board, Daemon, mesad, simulated

from daemon.composition import make_drivers, table_setup
from daemon.config import TableConfig, load
from daemon.replay import play_trace, read_trace
from daemon.tap import TappedDriver
from drivers.driver import Driver
from drivers.readings import AnyReading, BallLap, BallLaunched, PlaceSettled

SPEED = 40.0
"""Times real time: a game lasts little more than a second."""
UNHURRIED = 3.0
"""The same where the port has to be found again before the next launch, 1.4 real seconds after its return."""
OPTIONS = {
    "roulette": {"pockets": 37},
    "boule": {"pockets": 18, "turning": "sensor", "leaving": 0.3},
}
GAMES = {"roulette": "french_roulette", "boule": "boule"}
HOUSE = """\
title = "Internal rules"
[[rule]]
id = "wheel.ball_laps"
clause = "1"
effect = "{effect}"
parameters = {{ laps = 60 }}
"""


@pytest.fixture
def kind() -> str:
    """Which wheel it is; parametrised where it is another."""
    return "roulette"


@pytest.fixture
def daemon(tmp_path: Path, broker: Mosquitto, wheel_port: int, kind: str) -> Iterator[Daemon]:
    """A daemon with a wheel of this kind."""
    device: dict[str, Any] = {"driver": "bare-wheel", "options": OPTIONS[kind]}
    made = Daemon(tmp_path, broker.port, f"socket://127.0.0.1:{wheel_port}", game=GAMES[kind], **device)
    yield made
    made.end()


def under_house(daemon: Daemon, effect: str) -> None:
    """The house looks at the ball's turns: no ball makes as many as it asks for."""
    house = daemon.folder / "house.toml"
    house.write_text(HOUSE.format(effect=effect))
    text = daemon.config.read_text()
    daemon.config.write_text(text.replace("[policy]", f'house = "{house.name}"\n[policy]'))


async def played(
    broker: Mosquitto, daemon: Daemon, wheel_port: int, *how: object, games: int = 2, speed: float = SPEED
) -> tuple[Board, list[dict[str, Any]]]:
    """A board that heard so many games, of each a record at least, and each game's truth."""
    async with Board(broker.port) as board:
        daemon.start()
        await board.until(lambda board: (board.last("status") or {}).get("state") is not None)
        more = ("--seed", 6, "--speed", speed)
        truths = await simulated(board, daemon, wheel_port, *how, *more, games=games, records=games)
        await asyncio.to_thread(daemon.stop)
    return board, truths


def rules(record: Mapping[str, Any]) -> dict[str, Any]:
    """The rules that a record cites, each with its evidence."""
    return {finding["rule"]: finding["evidence"] for finding in record["findings"]}


def counted(board: Board, truth: Mapping[str, Any]) -> str:
    """The label of the pocket in which the ball really lay."""
    return str(board.last("description")["layout"][truth["place"]])


def read_again(config: TableConfig, file: Path) -> tuple[list[AnyReading], list[Any]]:
    """The readings and the round records that a round's recorded bytes give again."""
    head, inputs, _ = read_trace(file)
    heard: list[AnyReading] = []

    def listened_to() -> Mapping[str, Driver]:
        return {device: TappedDriver(driver, heard) for device, driver in make_drivers(config).items()}

    said = list(play_trace(table_setup(config), listened_to, head, inputs))
    return heard, [json.loads(m.payload)["data"] for m in said if m.topic == "event/round"]


@pytest.mark.parametrize(
    ("kind", "encoder"), [("roulette", "counts"), ("roulette", "edges"), ("boule", "counts")]
)
async def test_a_clean_round_is_one_record_with_its_pocket_turns_and_senses(
    broker: Mosquitto, daemon: Daemon, wheel_port: int, tmp_path: Path, kind: str, encoder: str
) -> None:
    under_house(daemon, "finding")
    board, truths = await played(broker, daemon, wheel_port, kind, "--encoder", encoder)
    assert [truth["expected"] for truth in truths] == ["valid", "valid"]
    assert board.verdicts == [("valid", counted(board, truth)) for truth in truths]
    config = load(daemon.config)
    for record, truth in zip(board.records, truths, strict=True):
        assert rules(record) == {"wheel.ball_laps": {"laps": truth["laps"], "wanted": 60}}
        assert record["outcome"].get("hole") == (truth["place"] + 1 if kind == "boule" else None)
        file = tmp_path / f"{record['round']}.trace"
        await mesad("trace", record["round"], "--table", daemon.config, "-o", file)
        heard, again = read_again(config, file)
        assert [each for each in again if each["round"] == record["round"]] == [record]
        [launched] = [each for each in heard if isinstance(each, BallLaunched)]
        assert (launched.ball, launched.rotor) == (truth["ball"], truth["rotor"])
        assert [each.laps for each in heard if isinstance(each, BallLap)][-1] == truth["laps"]
        assert [each.place for each in heard if isinstance(each, PlaceSettled)] == [truth["place"]]


@pytest.mark.parametrize(
    ("kind", "fault", "rule", "seen"),
    [
        ("roulette", "unplugged", "round.half_seen", "the serial server closed"),
        ("roulette", "packets_lost", "round.half_seen", "packets"),
        ("roulette", "restarted", "round.half_seen", "restarted"),
        ("roulette", "foreign_object", "wheel.defective_throw", "a pocket was occupied"),
        ("roulette", "ball_left_cylinder", "round.pocket_unread", "the ball left the wheel, or the pocket"),
        ("roulette", "pocket_dead", "round.pocket_unread", "the ball left the wheel, or the pocket sensor"),
        ("roulette", "ball_out_of_pocket", "wheel.ball_left_cylinder", "ball_missing"),
        ("boule", "unplugged", "round.half_seen", "the serial server closed"),
        ("boule", "edges_lost", "round.half_seen", "edges"),
        ("boule", "foreign_object", "round.pocket_unread", "before it was seen at rest"),
    ],
)
async def test_a_throw_that_was_not_seen_whole_is_void_and_the_next_one_counts(
    broker: Mosquitto, daemon: Daemon, wheel_port: int, kind: str, fault: str, rule: str, seen: str
) -> None:
    speed = UNHURRIED if fault == "unplugged" else SPEED
    board, truths = await played(broker, daemon, wheel_port, kind, "--fault", f"{fault}@0", speed=speed)
    assert [truth["expected"] for truth in truths] == ["void", "valid"]
    void, valid = board.records
    assert (void["verdict"], valid["verdict"]) == ("void", "valid")
    assert seen in json.dumps(rules(void)[rule])
    assert valid["outcome"]["number"] == counted(board, truths[1])
    assert [result["round"] for result in board.all("result") if result] == [valid["round"]]


@pytest.mark.parametrize(
    ("fault", "rule", "evidence"),
    [
        (
            "same_direction",
            "wheel.rotor_alternates",
            lambda before, this: {"previous": before["rotor"], "this": this["rotor"]},
        ),
        (
            "ball_with_rotor",
            "wheel.ball_against_rotor",
            lambda before, this: {"rotor": this["rotor"], "ball": this["rotor"], "ball_with_rotor": True},
        ),
    ],
)
async def test_a_sense_against_the_text_is_the_voids_evidence(
    broker: Mosquitto, daemon: Daemon, wheel_port: int, fault: str, rule: str, evidence: Any
) -> None:
    board, truths = await played(broker, daemon, wheel_port, "roulette", "--fault", f"{fault}@1")
    _, void = board.records
    assert board.verdicts == [(v, counted(board, t)) for v, t in zip(("valid", "void"), truths, strict=True)]
    assert rules(void) == {rule: evidence(*truths)}


async def test_case_34_steps_at_which_both_channels_change_are_counted_and_move_nothing(
    broker: Mosquitto, daemon: Daemon, wheel_port: int
) -> None:
    board, truths = await played(broker, daemon, wheel_port, "roulette", "--fault", "encoder_invalid@0")
    assert board.verdicts == [("valid", counted(board, truth)) for truth in truths]
    assert {event["data"]["code"] for event in board.all("event/fault")} == {"encoder_invalid"}


async def test_case_34_an_encoder_that_lost_steps_gives_no_result(
    broker: Mosquitto, daemon: Daemon, wheel_port: int
) -> None:
    how = ("roulette", "--encoder", "edges", "--fault", "encoder_slipped@0")
    board, truths = await played(broker, daemon, wheel_port, *how)
    void, valid = board.records
    assert (void["verdict"], valid["verdict"]) == ("void", "valid")
    assert "round.half_seen" in rules(void)
    assert valid["outcome"]["number"] == counted(board, truths[1])


async def test_case_35_a_rotor_that_is_rocked_with_its_ball_makes_no_steps_and_no_turns(
    broker: Mosquitto, daemon: Daemon, wheel_port: int
) -> None:
    how = ("roulette", "--encoder", "edges", "--fault", "rotor_rocked@0")
    board, truths = await played(broker, daemon, wheel_port, *how)
    assert board.verdicts == [("valid", counted(board, truth)) for truth in truths]
    assert [rules(record) for record in board.records] == [{}, {}]
    assert not board.all("event/fault")


@pytest.mark.parametrize("kind", ["roulette", "boule"])
async def test_case_36_a_ball_with_fewer_turns_than_the_rule_is_void(
    broker: Mosquitto, daemon: Daemon, wheel_port: int, kind: str
) -> None:
    under_house(daemon, "void")
    board, truths = await played(broker, daemon, wheel_port, kind, games=1)
    assert board.verdicts == [("void", counted(board, truths[0]))]
    assert rules(board.records[0]) == {"wheel.ball_laps": {"laps": truths[0]["laps"], "wanted": 60}}
    assert not board.last("result")


@pytest.mark.parametrize("kind", ["roulette", "boule"])
async def test_case_36_a_ball_that_falls_short_is_no_throw(
    broker: Mosquitto, daemon: Daemon, wheel_port: int, kind: str
) -> None:
    board, truths = await played(broker, daemon, wheel_port, kind, "--fault", "weak_launch@0", games=1)
    assert board.verdicts == [("valid", counted(board, truths[0]))]
    assert board.records[0]["attempts"] == truths[0]["launches"] == 2
