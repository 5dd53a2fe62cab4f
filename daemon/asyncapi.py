"""The MQTT contract as an AsyncAPI 3 document and JSON Schemas, generated from the message classes. Pure."""

from typing import Any

import msgspec

from daemon import topics
from daemon.outcomes import OUTCOMES
from daemon.records import ROOT, SCHEMA_VERSION, Answer, Status, encode
from daemon.topics import TOPICS, Topic
from daemon.version import VERSION

_BINDING = "0.2.0"  # of the MQTT bindings: the first with the will's and MQTT 5's fields
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_BASE = f"{ROOT}/{{site}}/{{table}}/"


def json_schemas() -> dict[str, dict[str, Any]]:
    """One self-contained JSON Schema (draft 2020-12) for each kind of payload, by the payload's name."""
    payloads = {topic.message: topic.payload for topic in TOPICS} | {"Answer": Answer}
    payloads |= {data.__name__: data for data in topics.EVENT_DATA.values()}
    return {
        name: {"$schema": _DIALECT, "title": name, "x-version": SCHEMA_VERSION} | _unreferenced(payload)
        for name, payload in payloads.items()
    }


def _unreferenced(payload: Any) -> dict[str, Any]:
    """A type's schema with the classes it is made of in its own `$defs`."""
    (schema,), parts = _schemas([payload], "#/$defs/{name}")
    return {**schema, "$defs": parts} if parts else schema


def _schemas(types: list[Any], template: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The schemas of types, and of the classes in them; a record has one of the outcomes."""
    schemas, classes = msgspec.json.schema_components(types, ref_template=template)
    if "RoundRecord" in classes:
        outcomes, more = msgspec.json.schema_components(OUTCOMES, ref_template=template)
        classes |= more
        outcome = classes["RoundRecord"]["properties"]["outcome"]
        outcome["anyOf"] = [*outcomes, {"type": "null"}]
    return list(schemas), classes


def document() -> dict[str, Any]:
    """The AsyncAPI 3.0 document, from the daemon's side: it sends what boards get, and receives requests."""
    payloads = [topic.payload for topic in TOPICS] + [Answer]
    data = [cls for cls in topics.EVENT_DATA.values() if cls not in payloads]
    template = "#/components/schemas/{name}"
    schemas, classes = _schemas([*payloads, *data], template)
    *published, answer = schemas[: len(payloads)]
    messages: dict[str, Any] = {"Answer": _message("Answer", "Done, or refused with the reason.", answer)}
    messages["Answer"] |= _correlated("correlationData")
    for topic, schema in zip(TOPICS, published, strict=True):
        messages |= _messages(topic, schema)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "mesad",
            "version": SCHEMA_VERSION,
            "description": "What a casino table publishes: its state, its judged rounds, its faults. "
            "Fields may be added; a change of meaning is a new root topic. "
            "Read a result's identity from `id` and its order from `seq`, never from its time.",
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"broker": _server()},
        "channels": {topic.name: _channel(topic) for topic in TOPICS} | {"answer": _answers()},
        "operations": {_operation_name(topic): _operation(topic) for topic in TOPICS},
        "components": {"schemas": classes, "messages": messages},
    }


def _server() -> dict[str, Any]:
    will = Status(state="lost", session=1, version=VERSION, clock="unsynced", test=False)
    return {
        "host": "{host}:{port}",
        "protocol": "mqtt",
        "protocolVersion": "5",
        "description": "The house's broker; mqtts where configured, and 3.1.1 where the broker has no 5.",
        "variables": {"host": {"default": "127.0.0.1"}, "port": {"default": "1883"}},
        "bindings": {
            "mqtt": {
                "lastWill": {
                    "topic": f"{_BASE}status",
                    "qos": topics.QOS,
                    "retain": True,
                    "message": encode(will).decode(),
                },
                "bindingVersion": _BINDING,
            }
        },
    }


def _channel(topic: Topic) -> dict[str, Any]:
    address = _BASE + topic.address
    return {
        "address": address,
        "summary": topic.summary,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in _message_names(topic)},
        "parameters": {
            name: {"description": parameter.summary}
            | ({"enum": parameter.values} if parameter.values else {})
            for name, parameter in topics.PARAMETERS.items()
            if f"{{{name}}}" in address
        },
    }


def _answers() -> dict[str, Any]:
    return {
        "address": None,
        "summary": "Where the asker wants the answer.",
        "messages": {"Answer": {"$ref": "#/components/messages/Answer"}},
    }


def _operation_name(topic: Topic) -> str:
    return ("receive" if topic.received else "send") + topic.name.capitalize()


def _operation(topic: Topic) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "action": "receive" if topic.received else "send",
        "channel": {"$ref": f"#/channels/{topic.name}"},
        "summary": topic.summary,
        "messages": [{"$ref": f"#/channels/{topic.name}/messages/{name}"} for name in _message_names(topic)],
        "bindings": {"mqtt": {"qos": topics.QOS, "retain": topic.retained, "bindingVersion": _BINDING}},
    }
    if topic.received:
        operation["reply"] = {
            "address": {
                "location": "$message.header#/responseTopic",
                "description": "MQTT 5's response topic; a 3.1.1 client says `reply_to` in the payload.",
            },
            "channel": {"$ref": "#/channels/answer"},
            "messages": [{"$ref": "#/channels/answer/messages/Answer"}],
        }
    return operation


def _message_names(topic: Topic) -> list[str]:
    """The channel's messages: events have one for each type, because their data differ."""
    return [f"CloudEvent.{kind}" for kind in topics.EVENT_TYPES] if topic.name == "event" else [topic.message]


def _messages(topic: Topic, schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    if topic.name == "event":
        return {
            name: _message(name, f"An event of the type {kind}.", _event(kind, schema))
            for name, kind in zip(_message_names(topic), topics.EVENT_TYPES, strict=True)
        }
    message = _message(topic.message, topic.summary, schema)
    if topic.received:
        message |= _correlated("responseTopic", "correlationData")
    return {topic.message: message}


def _message(name: str, summary: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "summary": summary, "contentType": "application/json", "payload": payload}


def _event(kind: str, envelope: dict[str, Any]) -> dict[str, Any]:
    """The envelope, with what the contract says of this type's data."""
    known: dict[str, Any] = {"type": {"const": f"mesad.{kind}"}}
    if kind in topics.EVENT_DATA:
        known["data"] = {"$ref": f"#/components/schemas/{topics.EVENT_DATA[kind].__name__}"}
    return {"allOf": [envelope, {"type": "object", "properties": known}]}


def _correlated(*properties: str) -> dict[str, Any]:
    """MQTT 5's properties by which a request and its answer find each other."""
    texts = {name: {"type": "string"} for name in properties}
    return {
        "headers": {"type": "object", "properties": texts},
        "correlationId": {"location": "$message.header#/correlationData"},
        "bindings": {"mqtt": {**texts, "bindingVersion": _BINDING}},
    }
