"""`mesad trace ROUND`: how a round was judged; all that came in during it, to be judged again or drawn."""

import argparse
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import msgspec

from daemon.cli.round_table import table_now, told_of
from daemon.cli.text import one_line
from daemon.composition import terms_of
from daemon.config import TableConfig
from daemon.errors import CannotCreateError, UsageError
from daemon.journal.reading import MOST, Trace, round_trace, rounds_before
from daemon.played import judge_again
from daemon.plot.chart import draw
from daemon.plot.story import tell
from daemon.records import RoundRecord, in_words
from daemon.replay import TRACE_VERSION, TraceHead, TraceInput, write_trace
from daemon.table.state import HISTORY_LENGTH, Snapshot
from daemon.table.terms import read_terms
from daemon.version import VERSION
from drivers.links.replay import CaptureError
from drivers.readings import AnyReading


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The round, the table whose journal has it, and the file to write."""
    parser.add_argument("round", type=int, metavar="ROUND", help="the number of the round")
    parser.add_argument("--table", type=Path, required=True, metavar="TABLE.toml", help="the table's file")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the trace to write")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="a picture of the round to draw")


def main(args: argparse.Namespace) -> int:
    """Write the trace, draw the picture, or else say how the round was judged; and whether all is there."""
    if not 1 <= args.round <= MOST:
        raise UsageError(f"{args.round} is no round's number: they count from 1")
    config, mistake = table_now(args.table)
    trace = round_trace(config.journal.path, args.round)
    records = [msgspec.json.decode(body, type=RoundRecord) for body in trace.records]
    head = _head(config, trace, records)
    changed = told_of(config, mistake, head)
    if args.output is None and args.plot is None:
        told = [line for record in records for line in judged(record)]
        print("\n".join(told or [f"round {args.round}: no record yet"]))
        for line in (*rules(config, head.catalogue_hash), *order(head)):
            print(line)
    else:
        _give(args, config, head, trace, records)
    for line in changed:
        print(one_line(line), file=sys.stderr)
    _complain(trace)
    return 0


def _head(config: TableConfig, trace: Trace, records: list[RoundRecord]) -> TraceHead:
    terms, ended, recent = None, None, []
    try:
        if trace.snapshot is not None:
            terms = read_terms(trace.snapshot)
            began = msgspec.json.decode(trace.snapshot, type=Snapshot).state.next_seq
            recent = rounds_before(config.journal.path, began, HISTORY_LENGTH)
        if trace.after is not None and any(each.kind == "start" for each in trace.inputs):
            ended = read_terms(trace.after)
    except msgspec.DecodeError as error:
        raise UsageError(
            f"the state before round {trace.round} is not one that this version reads: {error}"
        ) from error
    law = terms or (records[0] if records else terms_of(config))
    return TraceHead(
        mesad_trace=TRACE_VERSION,
        site=trace.site,
        table=trace.table,
        round=trace.round,
        game=law.game,
        catalogue=law.catalogue,
        catalogue_hash=law.catalogue_hash,
        version=VERSION,
        snapshot=trace.snapshot or b"",
        segments=config.segments if terms is None else terms.segments,
        terms=terms,
        ended=None if ended == terms else ended,
        recent=tuple(msgspec.json.decode(body, type=RoundRecord) for body in reversed(recent)),
    )


def _give(
    args: argparse.Namespace, config: TableConfig, head: TraceHead, trace: Trace, records: list[RoundRecord]
) -> None:
    """The files that are asked for."""
    if args.output is not None:
        _write(args.output, lambda file: write_trace(head, iter(trace.inputs), iter(trace.records), file))
        print(
            f"round {args.round}: {len(trace.inputs)} inputs, {len(trace.records)} records in {args.output}"
        )
    if args.plot is not None:
        picture = _picture(config, head, trace, records)
        _write(args.plot, lambda file: file.write_text(picture, "utf-8"))
        print(f"round {args.round}: drawn in {args.plot}")


def judged(record: RoundRecord) -> list[str]:
    """A record's verdict, findings with clause and evidence, and who corrected it, in lines."""
    about = f"round {record.round}, revision {record.revision}: {record.verdict}, {record.given}"
    lines = [f"{about}; {record.settled_at}"]
    if record.revision == 0:
        lines += _course(record)
    if record.announcement:
        lines.append(f'  called out  "{record.announcement}"')
    if record.corrected_by is not None:
        reason = f": {record.reason}" if record.reason else ""
        lines.append(f"  corrected   by {record.corrected_by}, {record.corrected_at}{reason}")
    for finding in record.findings:
        lines.append(f"  {record.effect_of(finding):10}  {finding.rule} ({finding.clause})")
        lines += [f"              {seen}" for seen in finding.seen]
    lines += [f"  guidance    {each.text} ({each.clause})" for each in record.guidance]
    return [one_line(line) for line in lines]


def _course(record: RoundRecord) -> list[str]:
    """When the round was open, and all that the device gave."""
    closed = f", bets closed {record.closed_at}" if record.closed_at else ""
    lines = [f"  opened      {record.opened_at}{closed}, attempts: {record.attempts}"]
    if record.outcome is not None:
        lines.append(f"  given       {', '.join(in_words(msgspec.structs.asdict(record.outcome)))}")
    return lines


def rules(config: TableConfig, law: str) -> list[str]:
    """The rules by which the round was judged, each with its clause, where they are those of this law."""
    if law != config.game.hash:
        return []
    said = "; ".join(f"{rule.id} ({rule.clause})" for rule in config.game.rules)
    return textwrap.wrap(f"  judged by   {said}", 100, subsequent_indent=" " * 14)


def order(head: TraceHead) -> list[str]:
    """The order of a wheel's segments in lines, where it is the table's own, and whence it is known."""
    segments = head.segments
    if not segments:
        return []
    whence = "as the round was played" if head.terms is not None else "by the table file as it is now"
    said = f"  segments    clockwise from the first, {whence}: {' '.join(segments)}"
    return textwrap.wrap(said, 100, subsequent_indent=" " * 14)


def _complain(trace: Trace) -> None:
    if not trace.complete:
        start = "" if trace.snapshot is not None else "; the state before the round is missing"
        print(
            f"not complete: {trace.inputs_removed} inputs were removed by age or size, "
            f"{trace.inputs_lost} were lost{start}: it cannot be judged again to the byte",
            file=sys.stderr,
        )


def _write(file: Path, write: Callable[[Path], object]) -> None:
    try:
        write(file)
    except OSError as error:
        raise CannotCreateError(f"cannot write {file}: {error.strerror}") from error


def _picture(config: TableConfig, head: TraceHead, trace: Trace, records: list[RoundRecord]) -> str:
    """The round judged again and listened to, in its latest revision. Raises UsageError where that fails."""
    if not records or not trace.inputs or trace.snapshot is None:
        raise UsageError(
            f"round {head.round} cannot be drawn: its record or what came in during it is not in the journal"
        )
    heard: list[AnyReading] = []
    inputs = [
        TraceInput(kind=each.kind, device=each.device, mono=each.mono, wall=each.wall, data=each.data)
        for each in trace.inputs
    ]
    try:
        published = list(judge_again(config, head, inputs, "the journal", heard))
    except CaptureError as error:
        raise UsageError(f"round {head.round} cannot be drawn: {error}") from error
    return draw(tell(config.game, records, heard, published))
