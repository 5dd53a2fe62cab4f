"""Logging: JSON a line for the system's journal, a readable form for people, one form for all libraries."""

import io
import json
import logging
import os
import select
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from patience import PATIENCE, ends

from daemon.log import Level, configure


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Takes what a test configured away again."""
    root = logging.getLogger()
    handlers, level, before = root.handlers[:], root.level, structlog.get_config()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)
    structlog.configure(**before)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_is_one_line_of_json_with_what_is_read_first_in_front() -> None:
    stream = io.StringIO()
    logger = structlog.get_logger("mesad.table")  # made before, as at a module's top: it obeys all the same
    configure(stream=stream)
    logger.bind(table="ruleta-01").info("round_settled", number="17", raw=b"\x01", at={1})
    (line,) = lines(stream)
    assert list(line)[:4] == ["time", "level", "logger", "event"]
    assert line["time"].endswith("Z")
    assert (line["level"], line["logger"], line["event"]) == ("info", "mesad.table", "round_settled")
    assert (line["table"], line["number"]) == ("ruleta-01", "17")


def test_a_value_that_json_does_not_know_is_written_as_its_repr() -> None:
    stream = io.StringIO()
    configure(stream=stream)
    structlog.get_logger("mesad.x").warning("odd", value=complex(1, 2))
    assert lines(stream)[0]["value"] == "(1+2j)"


def test_the_libraries_logging_comes_out_in_the_same_form() -> None:
    stream = io.StringIO()
    configure(stream=stream)
    logging.getLogger("mqtt").warning("lost %s", "broker")
    (line,) = lines(stream)
    assert (line["level"], line["logger"], line["event"]) == ("warning", "mqtt", "lost broker")


def test_warnings_are_logged_too() -> None:
    stream = io.StringIO()
    configure(stream=stream)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old ways", stacklevel=1)
    assert "old ways" in lines(stream)[0]["event"]


def test_an_exception_keeps_its_traceback_in_the_line() -> None:
    stream = io.StringIO()
    configure(stream=stream)
    try:
        raise ValueError("seen")
    except ValueError:
        structlog.get_logger("mesad.x").exception("failed")
    (line,) = lines(stream)
    assert line["level"] == "error"
    assert "Traceback" in line["exception"]
    assert "ValueError: seen" in line["exception"]


@pytest.mark.parametrize(("level", "told"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_what_is_below_the_level_is_left_out(level: Level, told: int) -> None:
    stream = io.StringIO()
    logger = structlog.get_logger("mesad.x")
    configure(stream=io.StringIO(), level="error")
    logger.debug("used before, under another level")
    configure(stream=stream, level=level)
    logger.debug("a")
    logger.info("b")
    logger.warning("c")
    logger.error("d")
    assert len(lines(stream)) == told


def test_a_terminal_gets_a_readable_form_unless_json_is_asked_for() -> None:
    stream = Terminal()
    logger = structlog.get_logger("mesad.x")
    configure(stream=stream)
    logger.info("port_opened", port="/dev/ttyUSB0")
    said = stream.getvalue()
    assert "port_opened" in said
    assert not said.startswith("{")
    again = Terminal()
    configure(stream=again, json=True)
    logger.info("port_opened")
    assert lines(again)[0]["event"] == "port_opened"
    assert stream.getvalue() == said  # the second call took the place of the first


def test_in_a_thread_a_reader_that_stops_reading_stops_nothing_and_is_told_what_it_missed() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with os.fdopen(writing, "w") as stream, os.fdopen(reading, "rb", buffering=0) as reader:
        configure(stream=stream, in_thread=True)
        logger = structlog.get_logger("mesad.x")

        def say() -> None:
            for number in range(3000):
                logger.info("said", number=number, text="x" * 1000)

        assert ends(say)
        said = b""
        while b"left out" not in said or not said.endswith(b"\n"):
            assert select.select([reader], [], [], PATIENCE)[0]  # the other thread's turn
            said += reader.read(65536) or b""
        found = [json.loads(line) for line in said.splitlines()]
        kept = [line["number"] for line in found if line["event"] == "said"]
        assert kept == list(range(len(kept)))
        assert found[-1]["event"].endswith(f"({3000 - len(kept)})")
        assert found[-1]["level"] == "warning"
        logging.getLogger().handlers[-1].close()


def test_in_a_thread_the_last_lines_are_written_at_the_end_and_an_end_never_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daemon.log_thread.LAST_WORDS_WAIT", PATIENCE)
    stream = io.StringIO()
    configure(stream=stream, in_thread=True)
    structlog.get_logger("mesad.x").info("last words")
    logging.getLogger().handlers[-1].close()
    assert lines(stream)[-1]["event"] == "last words"
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as nobody_reads:
        configure(stream=nobody_reads, in_thread=True)
        structlog.get_logger("mesad.x").info("much", text="x" * 200_000)
        monkeypatch.setattr("daemon.log_thread.LAST_WORDS_WAIT", 0.1)
        assert ends(logging.getLogger().handlers[-1].close)
        os.close(reading)  # the thread that still writes gets its error


def test_standard_error_is_the_default_because_data_goes_to_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure()
    structlog.get_logger("mesad.x").info("hello")
    said = capsys.readouterr()
    assert said.out == ""
    assert json.loads(said.err)["event"] == "hello"


def test_rich_is_not_loaded_where_it_is_installed_and_can_be_later(tmp_path: Path) -> None:
    (tmp_path / "rich").mkdir()
    (tmp_path / "rich" / "__init__.py").write_text("print('loaded')")
    code = "import daemon.log\nprint('logging')\nimport rich\n"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    assert done.stdout.split() == ["logging", "loaded"], done.stderr
