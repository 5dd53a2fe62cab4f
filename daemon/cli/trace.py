"""`mesad trace ROUND -o FILE`: everything that came in during a round, for judging it again."""

import argparse
import sys
from pathlib import Path

import msgspec

from daemon.composition import table_setup
from daemon.config import load
from daemon.errors import CannotCreateError, UsageError
from daemon.journal.reading import MOST, round_trace, rounds_before
from daemon.play import play_of
from daemon.records import RoundRecord
from daemon.replay import TRACE_VERSION, TraceHead, write_trace
from daemon.table.state import HISTORY_LENGTH, read_snapshot
from daemon.version import VERSION


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The round, the table whose journal has it, and the file to write."""
    parser.add_argument("round", type=int, metavar="ROUND", help="the number of the round")
    parser.add_argument("--table", type=Path, required=True, metavar="TABLE.toml", help="the table's file")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the trace to write")


def main(args: argparse.Namespace) -> int:
    """Write the trace; say what it holds, and whether it is complete."""
    if not 1 <= args.round <= MOST:
        raise UsageError(f"{args.round} is no round's number: they count from 1")
    config = load(args.table, here=False)
    trace = round_trace(config.journal.path, args.round)
    setup = table_setup(config)
    recent: list[bytes] = []
    if trace.snapshot is not None:
        play = play_of(setup.game, setup.language, setup.policy, setup.segments)
        began = read_snapshot(trace.snapshot, play).state.next_seq
        recent = rounds_before(config.journal.path, began, HISTORY_LENGTH)
    head = TraceHead(
        mesad_trace=TRACE_VERSION,
        site=setup.site,
        table=setup.id,
        round=args.round,
        game=setup.game.id,
        catalogue=setup.game.text,
        catalogue_hash=setup.game.hash,
        version=VERSION,
        snapshot=trace.snapshot or b"",
        recent=tuple(msgspec.json.decode(body, type=RoundRecord) for body in reversed(recent)),
    )
    try:
        write_trace(head, iter(trace.inputs), iter(trace.records), args.output)
    except OSError as error:
        raise CannotCreateError(f"cannot write {args.output}: {error.strerror}") from error
    print(f"round {args.round}: {len(trace.inputs)} inputs, {len(trace.records)} records in {args.output}")
    if not trace.complete:
        start = "" if trace.snapshot is not None else "; the state before the round is missing"
        print(
            f"not complete: {trace.inputs_removed} inputs were removed by age or size, "
            f"{trace.inputs_lost} were lost{start}: it cannot be judged again to the byte",
            file=sys.stderr,
        )
    return 0
