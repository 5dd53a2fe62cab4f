"""What the broker delivers to a table, judged before anybody reads it: pure, every length bounded."""

import re

PAYLOAD_LIMIT = 8192
CORRELATION_LIMIT = 1024
TOPIC_LIMIT = 512

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_FAULT = re.compile(r"fault/[a-z0-9_]{1,64}")
_NONCHARACTERS = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
_NEVER_IN_A_TOPIC = re.compile(rf"[+#\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_NONCHARACTERS}]")
"""Wildcards, and what MQTT [1.5.4] lets a receiver close the connection over: controls and noncharacters."""


class UnacceptableError(ValueError):
    """A delivery that is not looked at further; the text says why and quotes nothing of it."""


def command(prefix: str, topic: str, payload: bytes, retained: bool, correlation: bytes | None) -> str:
    """The name of the command in a delivery on `prefix`{name}. Raises UnacceptableError.

    A retained one is not acceptable because it would be carried out again on every connection.
    """
    name = topic.removeprefix(prefix)
    if not topic.startswith(prefix) or not _NAME.fullmatch(name):
        raise UnacceptableError("its name is none that a command can have")
    if retained:
        raise UnacceptableError("it is retained")
    if len(payload) > PAYLOAD_LIMIT:
        raise UnacceptableError(f"it is longer than {PAYLOAD_LIMIT} bytes")
    if correlation is not None and len(correlation) > CORRELATION_LIMIT:
        raise UnacceptableError(f"its correlation data is longer than {CORRELATION_LIMIT} bytes")
    return name


def is_fault(topic: str) -> bool:
    """Whether a topic below the table's root is one that a fault can have."""
    return _FAULT.fullmatch(topic) is not None


def answerable(root: str, topic: str) -> bool:
    """Whether an answer may be published to the topic.

    Not to wildcards or a `$` topic, and to nothing under the contract's first level (`mesad/`) but `reply/`
    under the table's own `root`, lest a request make this table speak as itself or as another one.
    """
    if not 0 < len(topic) <= TOPIC_LIMIT or topic.startswith("$") or _NEVER_IN_A_TOPIC.search(topic):
        return False
    contract = root.split("/", 1)[0] + "/"
    return not (topic + "/").startswith(contract) or topic.startswith(root + "reply/")
