"""`mesad export`: the journal's entries as JSON lines or CSV."""

import argparse
import csv
import sys
from pathlib import Path

import msgspec

from daemon.config import load
from daemon.journal.reading import export
from daemon.records import RoundRecord

COLUMNS = (
    "seq",
    "id",
    "round",
    "revision",
    "verdict",
    "number",
    "opened_at",
    "closed_at",
    "settled_at",
    "findings",
    "announcement",
    "session",
    "test",
    "corrected_by",
    "corrected_at",
    "reason",
    "given",
)
"""`number` is a result that counts; `given` is what the device or the chief said, counted or not."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which journal, in which form, and which kinds of entries."""
    parser.add_argument("--table", type=Path, required=True, metavar="TABLE.toml", help="the table's file")
    parser.add_argument(
        "--csv", action="store_true", help="the round records as CSV instead of all as JSON lines"
    )
    parser.add_argument(
        "--kind", action="append", default=[], help="only entries of this kind; may be repeated"
    )


def main(args: argparse.Namespace) -> int:
    """Entries on standard output, oldest first."""
    journal = load(args.table, here=False).journal.path
    if args.csv:
        _csv(journal)
        return 0
    encode = msgspec.json.Encoder().encode
    for entry in export(journal, args.kind):
        sys.stdout.buffer.write(encode(entry) + b"\n")
    return 0


def _csv(journal: Path) -> None:
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(COLUMNS)
    for entry in export(journal, ("round", "correction")):
        record = msgspec.convert(entry["body"], RoundRecord)
        values = {
            **{name: getattr(record, name, None) for name in COLUMNS},
            "number": (record.label if record.verdict == "valid" else None) or "",
            "given": record.label or "",
            "findings": "; ".join(f"{finding.rule} ({finding.clause})" for finding in record.findings),
        }
        rows.writerow([values[name] for name in COLUMNS])
