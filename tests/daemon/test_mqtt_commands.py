"""The commands that only look at the broker: strange payloads, and brokers in trouble."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from brokers import ACCEPT_5, ACCEPT_311, FeignedBroker, free_port
from hall import table_file

from daemon.cli import main
from daemon.cli.status import broker_lines
from daemon.cli.watch import watch_line
from daemon.mqtt import connection as mqtt
from daemon.records import DeviceStatus, Fault

STRANGE = [b"{}", b"[]", b"no JSON", b"\xff\xfe", b"[" * 100_000, b'{"state":7}']
WHEEL = DeviceStatus(
    id="wheel", state="up", since="x", frames=7, bad_frames=1, last_frame_at=None, last_frame_age_ms=None
)
DRIVE = Fault(code="wheel_drive", text="it stands still", remedy="push it", since="x")


@pytest.mark.parametrize("payload", STRANGE)
def test_status_names_the_topics_whose_payload_it_does_not_know_and_tells_the_rest(payload: bytes) -> None:
    strange = ("status", "phase", "device/old", "fault/odd")
    known = {"device/wheel": msgspec.json.encode(WHEEL), "fault/wheel_drive": msgspec.json.encode(DRIVE)}
    assert broker_lines(dict.fromkeys(strange, payload) | known) == [
        "status     status: not understood",
        "phase      phase: not understood",
        "device     device/old: not understood",
        "device     wheel: up, 7 frames, 1 bad, last never",
        "fault      fault/odd: not understood",
        "fault      wheel_drive: it stands still; push it",
    ]


@pytest.mark.parametrize("topic", ["status", "phase", "device/old", "fault/odd", "event/round"])
@pytest.mark.parametrize("payload", STRANGE)
def test_watch_names_the_topic_whose_payload_it_does_not_know(topic: str, payload: bytes) -> None:
    assert watch_line(topic, payload) == f"{topic}: not understood"


def test_watch_does_not_know_a_time_that_is_none() -> None:
    phase = b'{"phase":"betting","round":1,"since":"yesterday"}'
    assert watch_line("phase", phase) == "phase: not understood"


def test_watch_tells_a_fault_and_its_end() -> None:
    told = watch_line("fault/wheel_drive", msgspec.json.encode(DRIVE))
    assert told == "fault   wheel_drive: it stands still; push it"
    assert watch_line("fault/wheel_drive", b"") == "fault/wheel_drive cleared"


def configured(folder: Path, port: int) -> str:
    """The path of a table file that names a broker at this port."""
    path = folder / "table.toml"
    path.write_text(table_file(port, folder / "wheel", folder / "table.db"))
    return str(path)


@pytest.mark.parametrize("tables", [1, 2])
def test_watch_without_a_broker_says_so_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tables: int
) -> None:
    port = free_port()
    paths = []
    for number in range(tables):
        path = tmp_path / f"{number}.toml"
        path.write_text(
            table_file(port, tmp_path / f"{number}", tmp_path / f"{number}.db", id=f"table-{number}")
        )
        paths.append(str(path))
    assert main(["watch", *paths]) == 69
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        f"mesad: error: no connection to the broker at 127.0.0.1:{port}: [Errno 111] Connection refused"
    ]


@pytest.mark.parametrize("command", ["status", "watch"])
@pytest.mark.parametrize(
    ("accepted", "subscription", "reason"),
    [
        (b"", b"\x01", "no connection to the broker"),
        (ACCEPT_5, b"", "no connection to the broker"),
        (ACCEPT_5, b"\x87", "refuses to tell"),
        (None, b"\x01", "no connection to the broker"),
    ],
    ids=["accepts nobody", "grants nothing", "refuses the subscription", "hangs up"],
)
async def test_a_broker_that_does_not_answer_is_not_one_that_knows_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    accepted: bytes | None,
    subscription: bytes,
    reason: str,
) -> None:
    monkeypatch.setattr(mqtt, "CONNACK_TIMEOUT", 0.3)
    async with FeignedBroker(lambda level: accepted) as broker:
        broker.subscription = subscription
        broker.mute = not subscription
        code = await asyncio.to_thread(main, [command, configured(tmp_path, broker.port)])
    said = capsys.readouterr()
    assert code == 69
    assert reason in said.out + said.err
    assert "knows nothing" not in said.out
    assert "Traceback" not in said.err


async def test_a_broker_of_3_1_1_that_refuses_is_told_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "CONNACK_TIMEOUT", 0.5)
    async with FeignedBroker(lambda level: ACCEPT_311 if level == 4 else None) as broker:
        broker.subscription = b"\x80"
        assert await asyncio.to_thread(main, ["status", configured(tmp_path, broker.port)]) == 69
    assert "refuses to tell" in capsys.readouterr().out
