"""Recorded input through the same drivers, rounds and rules: no device, no broker, no journal, no clock.

Two sources: a capture (lines with the times at which they were logged) and mesad's own trace of a round
(everything that came in, from a snapshot of the table on).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated

import msgspec

from daemon.clock import STEP
from daemon.journal.batch import Input
from daemon.records import Message, Request, RoundRecord
from daemon.table.effects import Effects
from daemon.table.messages import TableSetup
from daemon.table.table import Table
from daemon.table.terms import Terms
from drivers.driver import Driver
from drivers.links.replay import CaptureError, LinkChange, Played, read_capture
from drivers.readings import SECOND, Instant

TRACE_VERSION = 1
MAX_TRACE_LINE = 1 << 20
LATEST = 7_258_118_400_000_000
"""Microseconds from 1970 to 2200: no input was taken later."""
_STEP = STEP * 1000  # in nanoseconds: told as a running table tells it

MakeDrivers = Callable[[], Mapping[str, Driver]]


class TraceHead(msgspec.Struct, frozen=True, kw_only=True):
    """First line of a trace: which round, under which law, from which state."""

    mesad_trace: int
    site: str
    table: str
    round: int
    game: str
    catalogue: str
    catalogue_hash: str
    version: str
    snapshot: bytes
    recent: tuple[RoundRecord, ...] = ()
    """The rounds before it as they stood then, oldest first: what commands and guidance refer to."""
    segments: tuple[str, ...] = ()
    """The order of the table's own wheel; in traces from before `terms` that of the table file of then."""
    terms: Terms | None = None
    """Under which the round was played; None if the journal does not say it."""
    ended: Terms | None = None
    """Under which it ended, where mesad was restarted during it and the table file was another by then."""


class TraceInput(msgspec.Struct, frozen=True, kw_only=True):
    """Further lines: what came in, in order. `text` repeats `data` for human eyes where it is text."""

    kind: str
    device: str
    mono: Annotated[int, msgspec.Meta(ge=0, le=2**62)]
    wall: Annotated[int, msgspec.Meta(ge=0, le=LATEST)]
    data: bytes
    text: str | None = None


def messages(table: Table, effects: Effects | None) -> Iterator[Message]:
    """What would have been published, in the order of its meaning."""
    if effects is not None:
        yield from effects.live
        yield from effects.durable
        yield from effects.after
        if effects.summarise:
            yield from table.summaries()


def play_capture(
    setup: TableSetup, make_drivers: MakeDrivers, device: str, capture: Path
) -> Iterator[Message]:
    """A capture's lines as the bytes of one device of the table. Raises CaptureError."""
    lines = read_capture(capture)
    first = next(lines, None)
    if first is None:
        raise CaptureError(f"{capture}: holds no lines")
    up: Played = (first[0], LinkChange("up", str(capture)))
    return play(Table(setup, make_drivers()), device, chain((up, first), lines))


def play(table: Table, device: str, link: Iterable[Played]) -> Iterator[Message]:
    """What a fresh table says to a link that is played to one of its devices, from its first words on."""
    started = False
    distance = 0
    link_bytes = table.link_bytes
    for at, item in link:
        if not started:
            started, distance = True, at.wall * 1000 - at.mono
            yield from messages(table, table.start(at, restarted=False))
        elif (moved := at.wall * 1000 - at.mono - distance) <= -_STEP or moved >= _STEP:
            distance += moved
            yield from messages(table, table.clock_stepped(moved / SECOND, at))
        if isinstance(item, bytes):
            effects = link_bytes(device, item, at)
            if effects is not None:
                yield from messages(table, effects)
        elif item.kind == "up":
            yield from messages(table, table.link_up(device, item.what, at))
        else:
            yield from messages(table, table.link_lost(device, item.what, at))


def write_trace(head: TraceHead, inputs: Iterator[Input], records: Iterator[bytes], file: Path) -> int:
    """A round's trace as JSON lines: head, inputs, and the records as they were. Gives the inputs' count."""
    count = 0
    encode = msgspec.json.Encoder().encode
    with file.open("wb") as out:
        out.write(encode(head) + b"\n")
        for entry in inputs:
            text = entry.data.decode("ascii", "backslashreplace") if entry.data else None
            line = TraceInput(
                kind=entry.kind,
                device=entry.device,
                mono=entry.mono,
                wall=entry.wall,
                data=entry.data,
                text=text,
            )
            out.write(encode(line) + b"\n")
            count += 1
        for record in records:
            out.write(b'{"record":' + record + b"}\n")
    return count


def is_trace(file: Path) -> bool:
    """Whether a file begins like a trace."""
    with file.open("rb") as content:
        return content.read(16).startswith(b'{"mesad_trace"')


def read_trace(file: Path) -> tuple[TraceHead, list[TraceInput], list[RoundRecord]]:
    """A trace's head, inputs and recorded records. Raises CaptureError naming the line.

    The first input stands on line 2 and the others on those after it.
    """
    inputs: list[TraceInput] = []
    records: list[RoundRecord] = []
    head: TraceHead | None = None
    with file.open("rb") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(MAX_TRACE_LINE + 1), b""), 1):
            try:
                if len(line) > MAX_TRACE_LINE:
                    raise CaptureError(f"{file}:{number}: line longer than {MAX_TRACE_LINE} bytes")
                if head is None:
                    head = msgspec.json.decode(line, type=TraceHead)
                elif line.startswith(b'{"record"'):
                    records.append(msgspec.json.decode(line, type=dict[str, RoundRecord])["record"])
                elif records:
                    raise CaptureError(f"{file}:{number}: after a record only records stand")
                else:
                    inputs.append(msgspec.json.decode(line, type=TraceInput))
            except (msgspec.DecodeError, RecursionError) as error:
                raise CaptureError(f"{file}:{number}: not a line of a trace: {error}") from None
    if head is None or head.mesad_trace != TRACE_VERSION:
        raise CaptureError(f"{file}: not a trace of version {TRACE_VERSION}")
    if not inputs:
        raise CaptureError(f"{file}: ends after its first line: there is nothing to judge again")
    return head, inputs, records


def play_trace(
    setup: TableSetup,
    make_drivers: MakeDrivers,
    head: TraceHead,
    inputs: list[TraceInput],
    source: str = "trace",
    *,
    ended: tuple[TableSetup, MakeDrivers] | None = None,
) -> Iterator[Message]:
    """A recorded round judged again; `ended` is the table of the run that ended it, where that had another.

    Raises CaptureError naming `source` and its line.
    """
    if (setup.game.id, setup.game.text) != (head.game, head.catalogue):
        raise CaptureError(
            f"{source}: is of {head.game} under {head.catalogue}; the table file says {setup.game.id}, "
            f"{setup.game.text}"
        )
    if head.segments and head.segments != setup.segments:
        raise CaptureError(
            f"{source}: was taken with another order of segments than table.segments of the table file: "
            f"{' '.join(head.segments)}"
        )
    if not head.snapshot:
        raise CaptureError(f"{source}:1: holds no state to begin from: the round cannot be judged again")
    restart = max((line for line, item in enumerate(inputs, 2) if item.kind == "start"), default=0)
    line = 1
    try:
        drivers = make_drivers()
        table = Table(setup, drivers, recent=head.recent)
        at = Instant(inputs[0].mono, inputs[0].wall)
        table.start(at, restarted=False)
        yield from messages(table, table.restore(head.snapshot, at))
        for line, item in enumerate(inputs, 2):
            at = Instant(item.mono, item.wall)
            if item.kind == "start":
                if line == restart and ended is not None:
                    setup, make_drivers = ended
                drivers = make_drivers()
                table = Table(setup, drivers, table.state, table.book.records)
            yield from messages(table, _play_input(table, drivers, item, at))
    except CaptureError as error:
        raise CaptureError(f"{source}:{line}: {error}") from None
    # A state that was altered, or is another version's, can break any of the core's own assumptions.
    except Exception as error:
        raise CaptureError(
            f"{source}:{line}: the state in line 1 is not one that this version can go on from "
            f"({type(error).__name__}: {str(error)[:200]})"
        ) from error


def _play_input(table: Table, devices: Collection[str], item: TraceInput, at: Instant) -> Effects | None:
    if item.kind in ("bytes", "link_up", "link_lost") and item.device not in devices:
        raise CaptureError(f"the trace has a device {item.device!r}, which the table has not")
    match item.kind:
        case "bytes":
            return table.link_bytes(item.device, item.data, at)
        case "link_up":
            return table.link_up(item.device, _words(item), at)
        case "link_lost":
            return table.link_lost(item.device, _words(item), at)
        case "tick":
            return table.advance(at)
        case "command":
            return table.command(item.device, _request(item), at)[1]
        case "start":
            return table.start(at, restarted=item.data == b"restarted")
        case _:
            raise CaptureError(f"the trace holds an input of unknown kind {item.kind!r}")


def _words(item: TraceInput) -> str:
    try:
        return item.data.decode()
    except UnicodeDecodeError:
        raise CaptureError(f"the data of a {item.kind} is not UTF-8") from None


def _request(item: TraceInput) -> Request:
    try:
        return msgspec.json.decode(item.data, type=Request)
    except (msgspec.DecodeError, RecursionError) as error:
        raise CaptureError(f"the trace holds a command that is none: {error}") from None
