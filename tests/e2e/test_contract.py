"""Every message of an eventful session against the schemas that `mesad schema` gives to integrators."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hall import Board, Wire, clean_game, mesad, status

from daemon.topics import EVENT_DATA, match


@pytest.mark.parametrize("changes", [{"minimum": 5, "void": "inspector"}])
async def test_what_is_published_keeps_the_contract(
    board: Board, wire: Wire, tmp_path: Path, changes: dict[str, Any]
) -> None:
    await wire.game(1, "17", rotor=0)
    await wire.lines(*clean_game(2, "4", "17", rotor=0))
    await board.recorded(2)
    assert board.verdicts == [("valid", "17"), ("held", "4")]
    assert (await board.ask("confirm", round=2))["ok"]
    assert (await board.ask("limits", minimum=10))["ok"]
    assert (await board.ask("last_rounds", count=2))["ok"]
    await wire.lines(*[status(2, 3, " 4", "4")] * 3, *clean_game(3, "0", " 4", rotor=1))
    await board.recorded(4)
    await board.until(lambda board: board.all("fault/wheel_drive"))
    assert (await board.ask("void", round=3, reason="chip"))["ok"]
    await board.recorded(5)
    wire.unplug()
    await board.until(lambda board: board.last("status")["state"] == "disconnected")
    await mesad("schema", "--out", tmp_path / "schemas")
    files = (tmp_path / "schemas").glob("*.schema.json")
    schemas = {file.name.removesuffix(".schema.json"): json.loads(file.read_text()) for file in files}
    topics = {topic for topic, _, _ in board.messages}
    assert {"status", "description", "phase", "result", "history", "stats", "device/wheel"} <= topics
    assert {
        f"event/{kind}" for kind in ("round", "finding", "fault", "device", "command", "correction")
    } <= topics
    checked = set()
    for topic, payload, _ in board.messages:
        if topic.startswith("reply/"):
            jsonschema.validate(payload, schemas["Answer"])
        if payload is None or topic.startswith(("cmd/", "reply/")):
            continue
        described = match(topic)
        assert described is not None, topic
        jsonschema.validate(payload, schemas[described.message])
        if described.message == "CloudEvent":
            data = EVENT_DATA[payload["type"].removeprefix("mesad.")].__name__
            jsonschema.validate(payload["data"], schemas[data])
            checked.add(data)
        checked.add(described.message)
    assert checked - {"ClockEvent"} == set(schemas) - {"Answer", "Request", "ClockEvent"}
