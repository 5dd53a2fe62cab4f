"""The table among its surroundings: what is recorded, what is shown when, and who is answered when."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from table_hall import Hall

from daemon.clock import Clock
from daemon.journal.batch import Batch, CommitResult
from daemon.records import Message
from daemon.table.actor import INPUTS_AT_MOST, TableActor
from drivers.readings import BallLaunched, BallLeavingRim, GameStarted, Instant, PocketSettled


class Surroundings:
    """A journal that commits when the test says so, and a broker that notes what it is given."""

    def __init__(self) -> None:
        self.batches: list[tuple[Batch, Callable[[CommitResult], None]]] = []
        self.said: list[tuple[str, Any]] = []
        self.answers: list[tuple[str, Any, bytes | None]] = []
        self.outbox = 0

    def submit(self, batch: Batch, done: Callable[[CommitResult], None]) -> None:
        self.batches.append((batch, done))

    def commit(self) -> None:
        waiting, self.batches = self.batches, []
        for batch, done in waiting:
            ids = tuple(range(self.outbox + 1, self.outbox + 1 + len(batch.messages)))
            self.outbox += len(ids)
            done(CommitResult(entries=(), outbox=ids))

    def show(self, message: Message) -> None:
        self.said.append((message.topic, msgspec.json.decode(message.payload) if message.payload else None))

    def publish(self, outbox_id: int, message: Message) -> None:
        self.show(message)

    def answer(self, topic: str, payload: bytes, correlation: bytes | None) -> None:
        self.answers.append((topic, msgspec.json.decode(payload), correlation))

    @property
    def topics(self) -> list[str]:
        return [topic for topic, _ in self.said]

    def phases(self) -> list[str]:
        return [said["phase"] for topic, said in self.said if topic == "phase"]


class HallClock(Clock):
    """The time of the hall, which stands still but for what happens in it."""

    def __init__(self, hall: Hall) -> None:
        super().__init__()
        self._hall = hall

    def now(self) -> Instant:
        return self._hall.now


class Rig:
    """An actor around a table in play."""

    def __init__(self) -> None:
        self.hall = Hall()
        self.around = Surroundings()
        self.actor = TableActor(self.hall.table, self.around, self.around, HallClock(self.hall))

    def say(self, *makes: Callable[[Instant], Any]) -> None:
        at = self.hall.now = self.hall.now.later(1_000_000)
        self.actor.link_bytes("wheel", msgspec.json.encode([make(at) for make in makes]), at)

    def game(self, number: str, game: int = 1) -> None:
        self.say(lambda at: GameStarted(device="wheel", at=at, game=game))
        self.say(lambda at: BallLaunched(device="wheel", at=at, rotor=None))
        self.say(lambda at: BallLeavingRim(device="wheel", at=at))
        self.say(lambda at: PocketSettled(device="wheel", at=at, pocket=number, game=game))

    def ask(self, name: str, correlation: bytes = b"1", **request: Any) -> None:
        body = msgspec.json.encode({"by": "chief", **request})
        self.actor.command(name, body, "reply", correlation)


@pytest.fixture
async def rig() -> Any:
    made = Rig()
    yield made
    stopping = asyncio.create_task(made.actor.stop(1.0))
    await asyncio.sleep(0)
    made.around.commit()
    await stopping


async def test_a_result_waits_for_the_journal_and_live_phases_do_not(rig: Rig) -> None:
    rig.game("17")
    assert rig.around.phases() == ["betting", "in_play", "no_more_bets"]
    assert "result" not in rig.around.topics
    rig.around.commit()
    assert rig.around.phases()[-1] == "result"
    assert rig.around.topics.index("event/round") < rig.around.topics.index("result")


async def test_what_was_shown_meanwhile_is_not_put_back_by_a_late_commit(rig: Rig) -> None:
    rig.game("17")
    rig.say(lambda at: GameStarted(device="wheel", at=at, game=2))
    assert rig.around.phases()[-1] == "betting"
    rig.around.commit()
    assert rig.around.phases()[-1] == "betting"


async def test_inputs_are_committed_with_what_came_of_them_under_the_round_in_hand(rig: Rig) -> None:
    rig.game("17")
    inputs = [item for batch, _ in rig.around.batches for item in batch.inputs]
    assert [item.round for item in inputs] == [1, 1, 1, 1]
    assert [batch.round_start[0] for batch, _ in rig.around.batches if batch.round_start] == [2]


async def test_lines_of_a_wheel_at_rest_do_not_pile_up(rig: Rig) -> None:
    rig.around.commit()
    for _ in range(3 * INPUTS_AT_MOST):
        rig.say()
    assert sum(len(batch.inputs) for batch, _ in rig.around.batches) == 0
    assert [batch.round_start[0] for batch, _ in rig.around.batches if batch.round_start] == [1, 1, 1]


async def test_a_request_is_answered_when_it_is_recorded(rig: Rig) -> None:
    rig.ask("limits")
    assert rig.around.answers == []
    rig.around.commit()
    ((topic, answer, correlation),) = rig.around.answers
    assert (topic, answer["ok"], correlation) == ("reply", True, b"1")


async def test_a_request_delivered_twice_is_done_once_and_answered_twice(rig: Rig) -> None:
    rig.game("17")
    rig.around.commit()
    for _ in range(2):
        rig.ask("correct", round=1, number="18", reason="misread")
        rig.around.commit()
    assert len(rig.around.answers) == 2
    assert rig.around.answers[0] == rig.around.answers[1]
    assert [record.revision for record in rig.hall.table.book.records] == [1]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[]",
        b'{"by":""}',
        b'{"reason":"x"}',
        b"\xff",
        b'{"by":"' + b"x" * 300 + b'"}',
        b'{"by":"x","a":' + b"[" * 4000 + b"]" * 4000 + b"}",
    ],
)
async def test_a_bad_request_is_refused_with_a_reason_and_not_recorded(rig: Rig, payload: bytes) -> None:
    rig.actor.command("void", payload, "reply", None)
    ((_, answer, _),) = rig.around.answers
    assert answer["ok"] is False
    assert answer["reason"]
    assert rig.around.batches == []


async def test_summaries_hold_nothing_that_is_not_durable(rig: Rig) -> None:
    rig.game("17")
    ((first, done),) = [(batch, done) for batch, done in rig.around.batches if batch.entries]
    rig.around.batches.clear()
    rig.game("4", 2)
    done(CommitResult(entries=(), outbox=tuple(range(len(first.messages)))))
    assert "history" not in rig.around.topics
    rig.around.commit()
    assert [entry["number"] for entry in dict(rig.around.said)["history"]] == ["4", "17"]


async def test_what_came_in_while_a_round_is_in_hand_is_soon_committed(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.table.actor.INPUTS_IN_PLAY_WAIT", 0.01)
    rig.say(lambda at: GameStarted(device="wheel", at=at, game=1))
    rig.actor._later.cancel()
    rig.actor._later = None
    rig.around.batches.clear()
    rig.say()
    await asyncio.sleep(0.05)
    assert any(batch.inputs for batch, _ in rig.around.batches)
