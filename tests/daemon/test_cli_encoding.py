"""Terminals whose encoding has no letter for what a legal text says: it is escaped, and nothing fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def said(*words: str, **environment: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "daemon", "catalogue", *words],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.mark.parametrize("environment", [C_LOCALE, {"PYTHONIOENCODING": "ascii"}])
@pytest.mark.parametrize("words", ["es-ct", "es-ct craps", "diff es-ct es-ex craps", "edge es-ct craps"])
def test_lines_are_escaped(words: str, environment: dict[str, str]) -> None:
    assert said(*words.split(), **environment).isascii()


def test_json_stays_json() -> None:
    plain = said("es-ct", "craps", "--json", PYTHONIOENCODING="utf-8")
    escaped = said("es-ct", "craps", "--json", PYTHONIOENCODING="ascii")
    assert escaped.isascii()
    assert not plain.isascii()
    assert json.loads(escaped) == json.loads(plain)
