"""Two captures of a real wheel through `mesad replay`: every result once, every void and finding explained.

The captures lie beside the project and are not part of it. What a capture's results are is read here straight
from its lines, by other means than the product's.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hall import table_file

RESULT = re.compile(r"^\*X;5;(\d{3});( ?\d|\d\d);")

# Opened at, the number the wheel gave (if it was seen), why the round is void.
GAMES_VOID = [
    ("2025-09-16T06:45:30", None, "round.half_seen"),  # a week passes, then another session in game 002
    ("2025-09-23T07:25:30", "14", "round.half_seen"),  # 34 s are missing: from betting to the winning number
    ("2025-09-23T07:26:10", None, "round.half_seen"),  # 41 s are missing: game 003 ended meanwhile
    ("2025-09-23T07:27:41", None, "round.half_seen"),  # 16 minutes are missing from no more bets on
    ("2025-09-23T07:44:47", None, "round.half_seen"),  # 72 s are missing: game 006 ended meanwhile
    ("2025-09-23T07:47:45", None, "round.half_seen"),  # 80 minutes are missing: game 009 ended meanwhile
    ("2025-09-23T09:07:46", None, "round.half_seen"),  # 65 s are missing from no more bets on
    ("2025-09-23T09:17:53", None, "round.half_seen"),  # 11 minutes are missing from no more bets on
    ("2025-09-23T09:31:18", None, "round.half_seen"),  # 9 minutes are missing from no more bets on
    ("2025-09-23T10:11:08", "22", "round.half_seen"),  # 29 s are missing: from betting to no more bets
]
FAULTS_VOID = [
    ("2025-09-10T06:21:33", None, "round.no_result"),  # fails in mid-throw and closes, as all of these
    ("2025-09-10T06:25:26", None, "round.half_seen"),  # 81 s are missing in mid-throw
    ("2025-09-10T06:28:36", None, "round.no_result"),
    ("2025-09-10T06:38:57", None, "round.no_result"),
    ("2025-09-10T06:59:18", None, "round.no_result"),
    ("2025-09-11T10:50:08", None, "round.no_result"),
    ("2025-09-16T06:08:13", None, "round.no_result"),
    ("2025-09-16T06:10:50", None, "round.no_result"),
    ("2025-09-16T06:15:38", None, "round.no_result"),
    ("2025-09-16T06:27:22", None, "round.no_result"),
    ("2025-09-23T05:43:11", None, "round.no_result"),
    ("2025-09-23T05:48:37", None, "round.half_seen"),  # another session: a day later the counter reads 158
    ("2025-09-24T07:15:03", None, "round.half_seen"),  # the launch is missing (455 s); the throw has no end
    ("2025-11-12T05:46:24", None, "round.no_result"),
    (
        "2025-11-14T05:56:52",
        None,
        "round.half_seen",
    ),  # another session: five days later the counter reads 208
]


def replayed(capture: Path, folder: Path) -> list[dict[str, Any]]:
    """What `mesad replay` says to a capture."""
    table = folder / "table.toml"
    table.write_text(table_file(1883, "/dev/none", folder / "none.db"))
    command = [sys.executable, "-m", "daemon", "replay", str(capture), "--table", str(table)]
    done = subprocess.run(command, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def records(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The round records, in order."""
    return [message["payload"]["data"] for message in said if message["topic"].endswith("/event/round")]


def numbers_given(capture: Path) -> list[str]:
    """The number of each run of state-5 lines under one counter, in the capture's own order."""
    given, running = [], None
    for row in capture.read_text().splitlines():
        line = row.partition("\t")[2]
        found = RESULT.match(line)
        if found and found[1] != running:
            given.append(found[2].strip())
        if line.startswith("*X;"):
            running = found[1] if found else None
    return given


@pytest.mark.parametrize(
    ("name", "results", "void"),
    [("slingshot2-games.tsv", 60, GAMES_VOID), ("slingshot2-faults.tsv", 3, FAULTS_VOID)],
)
def test_a_real_capture(
    shared_captures: Path, tmp_path: Path, name: str, results: int, void: list[tuple[str, str | None, str]]
) -> None:
    given = numbers_given(shared_captures / name)
    assert len(given) == results
    found = records(replayed(shared_captures / name, tmp_path))
    assert [record["outcome"]["number"] for record in found if record["outcome"]] == given
    assert [record["round"] for record in found] == list(range(1, len(found) + 1))
    unexplained = [record for record in found if record["verdict"] != "valid"]
    explained = [
        (record["opened_at"][:19], (record["outcome"] or {}).get("number"), record["findings"][-1]["rule"])
        for record in unexplained
    ]
    assert explained == void
    assert all(len(record["findings"]) == 1 for record in unexplained)
    assert all(record["findings"] == [] for record in found if record["verdict"] == "valid")


def test_retries_before_a_result_are_noted(shared_captures: Path, tmp_path: Path) -> None:
    found = records(replayed(shared_captures / "slingshot2-games.tsv", tmp_path))
    retried = [record["opened_at"][:19] for record in found if record["attempts"] > 1]
    # Games 007, 043 and 052, each with one failed launch before the throw that counted.
    assert retried == ["2025-09-23T07:46:08", "2025-09-23T09:53:22", "2025-09-23T10:00:19"]


def test_replaying_twice_says_the_same(shared_captures: Path, tmp_path: Path) -> None:
    capture = shared_captures / "slingshot2-games.tsv"
    assert replayed(capture, tmp_path) == replayed(capture, tmp_path)
