"""Logging: one event a line, JSON for the system's journal, readable on a terminal.

Every event goes through the standard library's logging under a `mesad.*` name, so libraries that log
with it come out in the same form, and a test or an embedding program can take the lines with a handler.
"""

import logging
import sys
from typing import Any, Literal, TextIO

import msgspec

# structlog loads rich wherever it is installed, for tracebacks that are printed plain here: 5 MB and 0.1 s
sys.modules.setdefault("rich", None)  # type: ignore[arg-type]  # None is how Python notes what is not there
import structlog  # noqa: E402 - the line above has to come first
from structlog.typing import EventDict, Processor, WrappedLogger  # noqa: E402

if sys.modules["rich"] is None:
    del sys.modules["rich"]

Level = Literal["debug", "info", "warning", "error"]


def configure(
    *,
    level: Level = "info",
    stream: TextIO | None = None,
    json: bool | None = None,
    in_thread: bool = False,
) -> None:
    """Send all logging to `stream`, from `level` on; may be called again to change its mind.

    The default stream is standard error, because most commands' standard output is data; `mesad run`
    passes standard output. `json` None means: JSON unless the stream is a terminal. `in_thread` has the
    lines written by a thread: a reader that stops reading, or a full disk, then stops nothing.
    """
    stream = sys.stderr if stream is None else stream
    threshold = logging.getLevelNamesMapping()[level.upper()]
    as_json = not stream.isatty() if json is None else json
    shared: list[Processor] = [
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        cache_logger_on_first_use=False,  # loggers made before this call obey it too
    )
    handler: logging.Handler
    if in_thread:
        from daemon.log_thread import ThreadedHandler

        handler = ThreadedHandler(stream)
    else:
        handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_rendering(as_json, stream.isatty()),
            ],
        )
    )
    root = logging.getLogger()
    for old in root.handlers[:]:
        if isinstance(old.formatter, structlog.stdlib.ProcessorFormatter):
            root.removeHandler(old)
            old.close()
    root.addHandler(handler)
    root.setLevel(threshold)
    logging.captureWarnings(True)


def _rendering(as_json: bool, colors: bool) -> list[Processor]:
    if as_json:
        return [structlog.processors.format_exc_info, _in_order, structlog.processors.JSONRenderer(_dumps)]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=colors, timestamp_key="time", exception_formatter=plain)]


def _in_order(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """What is read first stands first: time, level, logger, event, then the fields as given."""
    first = {key: event.pop(key) for key in ("time", "level", "logger", "event") if key in event}
    return {**first, **event}


def _dumps(event: EventDict, **_options: Any) -> str:
    """One line of JSON; values that JSON does not know are written as their repr."""
    return msgspec.json.encode(event, enc_hook=repr).decode()
