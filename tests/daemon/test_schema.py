"""`mesad schema`: the documents are complete, and the schemas take what is published and nothing else."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from daemon import asyncapi, records, topics
from daemon.cli import main
from daemon.fairness.counts import Identity, new
from daemon.fairness.evidence import fairness
from daemon.outcomes import BouleOutcome, FortuneWheelOutcome, WheelOutcome
from daemon.records import (
    Answer,
    ClockEvent,
    CloudEvent,
    CommandEvent,
    Description,
    DeviceDescription,
    DeviceEvent,
    DeviceStatus,
    Drop,
    Fault,
    FaultEvent,
    Finding,
    FindingEvent,
    Guidance,
    HistoryEntry,
    Phase,
    Request,
    RoundRecord,
    Stats,
    Status,
    encode,
)

NOW = "2026-11-29T19:14:23.123456Z"
RECORD = RoundRecord(
    id="ruleta-01/1234/0",
    seq=5678,
    round=1234,
    revision=0,
    site="madrid-1",
    table="ruleta-01",
    game="french_roulette",
    catalogue="es-ct",
    catalogue_hash="ab" * 32,
    verdict="void",
    outcome=WheelOutcome(number="17", color="black", parity="odd", half="low", dozen=2, column=2),
    findings=(
        Finding(
            rule="wheel.rotor_alternates",
            clause="es-ct 1.IV.3.a",
            effect="void",
            evidence={"previous": "cw", "this": "cw"},
        ),
    ),
    announcement="17, negre, senar, manca",
    guidance=(Guidance(text="half back", clause="es-ct 1.IV.1.B.b"),),
    opened_at=NOW,
    closed_at=None,
    settled_at=NOW,
    duration_ms=41234,
    session=7,
    test=True,
    drop=Drop(angle=0.145, ball="cw", rim=(0.0, 0.29, 0.56)),
)
ENTRY = HistoryEntry(
    round=1, seq=2, revision=0, verdict="held", number=None, settled_at=NOW, announcement="no va més"
)
SAMPLES: dict[str, Any] = {
    "Status": Status(state="ready", session=7, version="0.1.0", clock="synced", test=False),
    "Description": Description(
        site="madrid-1",
        table="ruleta-01",
        game="french_roulette",
        game_names={"es": "Ruleta francesa"},
        catalogue="es-ct",
        catalogue_title="Catàleg de jocs",
        catalogue_hash="ab" * 32,
        layout=("0", "32", "15"),
        colors={"0": "green", "32": "red"},
        limits={"straight": 180},
        language="ca",
        devices=(DeviceDescription(id="wheel", role="wheel", driver="cammegh", port="/dev/ttyUSB0"),),
        version="0.1.0",
        schema_version="1.0.0",
        test=False,
    ),
    "Phase": Phase(round=1, phase="betting", since=NOW),
    "RoundRecord": RECORD,
    "History": (ENTRY, ENTRY),
    "DeviceStatus": DeviceStatus(
        id="wheel",
        state="up",
        since=NOW,
        frames=10,
        bad_frames=1,
        last_frame_at=NOW,
        last_frame_age_ms=12,
    ),
    "Fault": Fault(code="sensor", text="a sensor is lost", remedy="check the cable", since=NOW),
    "CloudEvent": CloudEvent(
        id="1", source="/mesad/v1/madrid-1/ruleta-01", type="mesad.round", time=NOW, data={}
    ),
    "Stats": Stats(
        sample=1,
        void=0,
        held=0,
        counts={"0": 1},
        hot=("0",),
        cold=(),
        chi_square=None,
        degrees_of_freedom=36,
        fairness=fairness(
            new(Identity(wheel="10442", ball=None, layout=1, test=False), places=37, since=1),
        ),
    ),
    "Request": Request(by="table chief", round=12, number="00"),
    "Answer": Answer(command="void", ok=False, reason="no round is open", clause="es-ct 1.IV.3.d"),
    "FindingEvent": FindingEvent.of(RECORD.findings[0], 1234),
    "FaultEvent": FaultEvent(code="wheel_drive", latched=True, text="motor", remedy="manual", device="wheel"),
    "DeviceEvent": DeviceEvent(device="wheel", state="lost", reason="unplugged"),
    "CommandEvent": CommandEvent(
        command="void", request=Request(by="table chief"), answer=Answer(command="void", ok=True)
    ),
    "ClockEvent": ClockEvent(stepped_seconds=-100.0),
}
NAMES = sorted(SAMPLES)


def sample(name: str) -> Any:
    return json.loads(encode(SAMPLES[name]))


def places(node: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    """Every value below a JSON document with its place."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [(path, node), *(found for key, value in items for found in places(value, (*path, key)))]


def resolve(document: Any, reference: str) -> Any:
    node = document
    for part in reference.removeprefix("#/").split("/"):
        node = node[part]
    return node


@pytest.fixture(scope="module")
def document() -> Any:
    return json.loads(msgspec.json.encode(asyncapi.document()))


def test_there_is_a_schema_for_every_payload_and_a_sample_here() -> None:
    assert sorted(asyncapi.json_schemas()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_takes_what_is_published(name: str) -> None:
    schema = asyncapi.json_schemas()[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(sample(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_refuses_a_missing_field_and_any_wrong_type(name: str) -> None:
    schema = asyncapi.json_schemas()[name]
    validator = jsonschema.Draft202012Validator(schema)
    good = sample(name)
    record, wrap = (good[0], lambda wrong: [wrong]) if isinstance(good, list) else (good, lambda wrong: wrong)
    (definition,) = [
        part for title, part in schema["$defs"].items() if set(part["properties"]) == set(record)
    ]
    assert definition["required"]
    for field in definition["required"]:
        without = {key: value for key, value in record.items() if key != field}
        assert not validator.is_valid(wrap(without)), f"{field} may be missing"
    for field, rule in definition["properties"].items():
        takes_anything = not rule.keys() - {"default"}  # free-form data
        wrong = [] if rule.get("type") == "object" else {"no": ["such"]}
        assert takes_anything or not validator.is_valid(wrap(record | {field: wrong})), (
            f"{field} takes {wrong}"
        )


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("Status", "state", "asleep"),
        ("Status", "clock", "late"),
        ("Status", "test", "true"),
        ("Phase", "phase", "lunch"),
        ("RoundRecord", "verdict", "maybe"),
        ("RoundRecord", "seq", "5678"),
        ("RoundRecord", "outcome", {"number": 17}),
        ("RoundRecord", "findings", [{"rule": "x"}]),
        ("DeviceStatus", "state", "sleeping"),
        ("CloudEvent", "specversion", "0.3"),
        ("Answer", "ok", None),
        ("Request", "by", None),
    ],
)
def test_a_schema_refuses_a_value_that_the_contract_does_not_have(name: str, field: str, value: Any) -> None:
    validator = jsonschema.Draft202012Validator(asyncapi.json_schemas()[name])
    assert not validator.is_valid(sample(name) | {field: value})


OUTCOMES = [
    WheelOutcome(number="00", color="green", parity=None, half=None, dozen=None, column=None),
    BouleOutcome(number="5", hole=None, color="yellow", parity=None, half=None),
    FortuneWheelOutcome(segment=54, symbol="figure_1", pays=(45, 1)),
    FortuneWheelOutcome(segment=None, symbol="x", pays=None),
]


@pytest.mark.parametrize("outcome", [None, *OUTCOMES])
def test_a_record_has_one_of_the_outcomes(outcome: Any, document: Any) -> None:
    record = json.loads(encode(msgspec.structs.replace(RECORD, outcome=outcome)))
    jsonschema.Draft202012Validator(asyncapi.json_schemas()["RoundRecord"]).validate(record)
    asyncapi_schema = document["components"]["schemas"]["RoundRecord"] | {
        "components": document["components"]
    }
    jsonschema.Draft202012Validator(asyncapi_schema).validate(record)


def test_the_schema_names_every_outcome_and_takes_no_mixture() -> None:
    schema = asyncapi.json_schemas()["RoundRecord"]
    assert {kind.__name__ for kind in records.OUTCOMES} <= schema["$defs"].keys()
    validator = jsonschema.Draft202012Validator(schema)
    for outcome in OUTCOMES:
        data = json.loads(encode(outcome))
        for field in data:
            without = {key: value for key, value in data.items() if key != field}
            assert not validator.is_valid(sample("RoundRecord") | {"outcome": without}), field


def test_fields_may_be_added() -> None:
    validator = jsonschema.Draft202012Validator(asyncapi.json_schemas()["RoundRecord"])
    validator.validate(sample("RoundRecord") | {"added_later": 1})


def test_the_asyncapi_document_has_every_topic_with_its_bindings_and_an_operation(document: Any) -> None:
    assert document["asyncapi"] == "3.0.0"
    assert {"title", "version", "license"} <= document["info"].keys()
    operations = {o["channel"]["$ref"]: o for o in document["operations"].values()}
    for topic in topics.TOPICS:
        channel = document["channels"][topic.name]
        assert channel["address"] == "mesad/v1/{site}/{table}/" + topic.address
        assert sorted(channel["parameters"]) == sorted(re.findall(r"\{(\w+)\}", channel["address"]))
        operation = operations[f"#/channels/{topic.name}"]
        assert operation["action"] == ("receive" if topic.name == "cmd" else "send")
        assert operation["bindings"]["mqtt"]["qos"] == 1
        assert operation["bindings"]["mqtt"]["retain"] is (topic.name not in ("event", "cmd"))


def test_the_topics_are_those_of_the_contract() -> None:
    assert [topic.address for topic in topics.TOPICS] == [
        "status",
        "description",
        "phase",
        "result",
        "history",
        "device/{id}",
        "fault/{code}",
        "event/{type}",
        "stats",
        "cmd/{name}",
    ]


def test_every_reference_in_the_asyncapi_document_leads_somewhere(document: Any) -> None:
    references = [node["$ref"] for _, node in places(document) if isinstance(node, dict) and "$ref" in node]
    assert len(references) > 40
    for reference in references:
        assert resolve(document, reference) is not None
    used = set(references)
    for kind in ("messages", "schemas"):
        assert {f"#/components/{kind}/{name}" for name in document["components"][kind]} <= used


def test_an_operation_names_messages_of_its_own_channel(document: Any) -> None:
    for operation in document["operations"].values():
        assert operation["messages"]
        for message in operation["messages"]:
            assert message["$ref"].startswith(operation["channel"]["$ref"] + "/messages/")


def test_the_will_is_told_on_the_status_topic(document: Any) -> None:
    will = document["servers"]["broker"]["bindings"]["mqtt"]["lastWill"]
    assert will["topic"] == document["channels"]["status"]["address"]
    assert (will["qos"], will["retain"]) == (1, True)
    assert msgspec.json.decode(will["message"], type=Status).state == "lost"


def test_a_request_has_its_reply(document: Any) -> None:
    operation = document["operations"]["receiveCmd"]
    assert operation["reply"]["address"]["location"] == "$message.header#/responseTopic"
    (answer,) = operation["reply"]["messages"]
    payload = resolve(document, resolve(document, answer["$ref"])["$ref"])["payload"]
    assert payload == {"$ref": "#/components/schemas/Answer"}
    names = document["channels"]["cmd"]["parameters"]["name"]["enum"]
    assert {"no_more_bets", "void", "confirm", "correct", "open", "close", "last_rounds", "limits"} <= set(
        names
    )


def test_a_round_event_carries_a_round_record(document: Any) -> None:
    message = document["components"]["messages"]["CloudEvent.round"]
    schema = message["payload"] | {"components": document["components"]}
    validator = jsonschema.Draft202012Validator(schema)
    event = sample("CloudEvent") | {"data": sample("RoundRecord")}
    validator.validate(event)
    assert not validator.is_valid(event | {"data": {"round": 1}})
    assert not validator.is_valid(event | {"type": "mesad.clock"})


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("status", "status"),
        ("device/wheel-2", "device"),
        ("fault/rotor_speed", "fault"),
        ("event/correction", "event"),
        ("cmd/no_more_bets", "cmd"),
        ("device/", None),
        ("device/a/b", None),
        ("status/x", None),
        ("xstatus", None),
        ("fault/Bad", None),
    ],
)
def test_a_topic_is_found_by_its_pattern(topic: str, name: str | None) -> None:
    found = topics.match(topic)
    assert (found.name if found else None) == name


def test_the_command_prints_the_asyncapi_document_or_the_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["asyncapi"] == "3.0.0"
    assert main(["schema", "--json-schema"]) == 0
    assert sorted(json.loads(capsys.readouterr().out)) == NAMES


def test_the_command_writes_one_schema_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "folder"
    assert main(["schema", "--out", str(out)]) == 0
    assert sorted(file.name for file in out.iterdir()) == sorted(
        ["asyncapi.json", *(f"{name}.schema.json" for name in NAMES)]
    )
    for name in NAMES:
        schema = json.loads((out / f"{name}.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(sample(name))
    assert capsys.readouterr().out == ""


def test_a_folder_that_cannot_be_made_is_told_with_its_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert main(["schema", "--out", str(in_the_way)]) == 73
    assert str(in_the_way) in capsys.readouterr().err
