"""Smoke of an installed mesad, from outside: `python tests/smoke.py PATH_TO_MESAD`. Standard library only.

Runs the command in a folder of its own, so that the wheel is what is tested and not the sources beside it.
"""

import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

TABLE = """\
[table]
site = "smoke"
id = "ruleta-01"
game = "french_roulette"
catalogue = "es-ct"
language = "ca"

[mqtt]
url = "mqtt://127.0.0.1:1883"

[journal]
path = "ruleta-01.db"

[[device]]
id = "wheel"
role = "wheel"
driver = "cammegh"
port = "/dev/null"
options = { model = "slingshot-2" }
"""


def capture() -> str:
    """Two games as a wheel reports them every half second: 17, then 0 with the rotor reversed."""
    lines = []
    at = datetime(2026, 1, 1, 20, 0, 0, tzinfo=UTC)
    previous = " 5"
    for game, (number, direction) in enumerate([("17", 0), (" 0", 1)], start=1):
        for state, repeats in ((2, 20), (3, 20), (4, 10), (5, 6)):
            shown = number if state == 5 else previous
            for _ in range(repeats):
                lines.append(
                    f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z\t"
                    f"*X;{state};{game:03d};{shown};0;150;{direction}"
                )
                at += timedelta(milliseconds=500)
        previous = number
    lines.append(f"{at:%Y-%m-%dT%H:%M:%S}.000Z\t*X;2;003;{previous};0;150;1")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Fails with an assertion, and what the command said, at the first thing that is not as it should be."""
    mesad = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:

        def run(*arguments: str, code: int = 0) -> str:
            done = subprocess.run(
                [mesad, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False
            )
            said = f"mesad {' '.join(arguments)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
            assert done.returncode == code, said
            assert "Traceback" not in done.stderr, said
            return done.stdout

        assert "catalogue" in run("--help")
        assert run("--version").startswith("mesad ")
        run("nonsense", code=64)
        table = Path(folder, "table.toml")
        table.write_text(TABLE)
        assert "es-ct" in run("check", "table.toml")
        table.with_name("bad.toml").write_text(TABLE.replace('"french_roulette"', '"poker"'))
        run("check", "bad.toml", code=78)
        run("catalogue", "es-ex", "french_roulette")
        assert json.loads(run("schema"))["asyncapi"] == "3.0.0"
        Path(folder, "capture.tsv").write_text(capture())
        messages = [
            json.loads(line) for line in run("replay", "capture.tsv", "--table", "table.toml").splitlines()
        ]
        numbers = [m["payload"]["outcome"]["number"] for m in messages if m["topic"].endswith("/result")]
        assert numbers == ["17", "0"], numbers
    print("the installed wheel works")


if __name__ == "__main__":
    main()
