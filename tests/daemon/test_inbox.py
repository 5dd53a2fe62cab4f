"""What may come in, and where an answer may go."""

import pytest

from daemon.mqtt import inbox

ROOT = "mesad/v1/madrid-1/ruleta-01/"
COMMANDS = ROOT + "cmd/"


def test_a_command_is_known_by_the_end_of_its_topic() -> None:
    assert inbox.command(COMMANDS, COMMANDS + "no_more_bets", b"{}", False, None) == "no_more_bets"
    longest = b"x" * inbox.PAYLOAD_LIMIT
    assert inbox.command(COMMANDS, COMMANDS + "void", longest, False, b"c" * 1024) == "void"


@pytest.mark.parametrize(
    ("topic", "payload", "retained", "correlation", "reason"),
    [
        (COMMANDS + "void", b"{}", True, None, "retained"),
        (COMMANDS + "void", b"x" * 8193, False, None, "8192 bytes"),
        (COMMANDS + "void", b"{}", False, b"c" * 1025, "1024 bytes"),
        (COMMANDS, b"{}", False, None, "name"),
        (COMMANDS + "Void", b"{}", False, None, "name"),
        (COMMANDS + "void/now", b"{}", False, None, "name"),
        (COMMANDS + "void\n", b"{}", False, None, "name"),
        (COMMANDS + "v" * 65, b"{}", False, None, "name"),
        (ROOT + "void", b"{}", False, None, "name"),
    ],
)
def test_what_cannot_be_a_command_is_refused(
    topic: str, payload: bytes, retained: bool, correlation: bytes | None, reason: str
) -> None:
    with pytest.raises(inbox.UnacceptableError, match=reason):
        inbox.command(COMMANDS, topic, payload, retained, correlation)


@pytest.mark.parametrize(
    "topic", ["replies/7", "a", "mesadx/v1", ROOT + "reply/7", "café/1", "\U0001f3b2", "t" * 512]
)
def test_an_answer_may_go_to_a_topic_of_the_askers_own(topic: str) -> None:
    assert inbox.answerable(ROOT, topic)


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "replies/+",
        "replies/#",
        "$SYS/broker",
        ROOT + "result",
        ROOT + "status",
        ROOT + "cmd/void",
        ROOT + "reply",
        "mesad/v1/madrid-1/ruleta-02/result",
        "mesad",
        "a\x00b",
        "a\nb",
        "a\ud800",
        "a\x80b",
        "a\x9fb",
        "a\ufdd0b",
        "a\ufdefb",
        "a\ufffeb",
        "a\uffffb",
        "a\U0001fffeb",
        "a\U0010ffffb",
        "t" * 513,
    ],
)
def test_an_answer_goes_to_no_topic_that_is_somebody_elses(topic: str) -> None:
    assert not inbox.answerable(ROOT, topic)
