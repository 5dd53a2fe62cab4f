"""`mesad verify`: whether the journal is what was written, whole and in order."""

import argparse
import sys
from pathlib import Path

from daemon.config import load
from daemon.errors import OK
from daemon.journal.reading import verify

UNSOUND = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The table's file, or a journal's."""
    parser.add_argument("--table", type=Path, metavar="TABLE.toml", help="the table's file")
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help="the journal itself, in place of --table"
    )


def main(args: argparse.Namespace) -> int:
    """Say what was found; 1 where the chain is broken."""
    if (args.table is None) == (args.journal is None):
        from daemon.errors import UsageError

        raise UsageError("give either --table or --journal")
    path = args.journal or load(args.table, here=False).journal.path
    report = verify(path)
    print(f"{path}: {report.entries} entries, {report.first} to {report.last}, head {report.head}")
    for problem in report.problems:
        print(f"problem: {problem}", file=sys.stderr)
    print("sound" if report.sound else "NOT SOUND")
    return OK if report.sound else UNSOUND
