"""A fuzz campaign from its arguments to its figures: executions by seed until the time is over."""

import argparse
import time
import traceback
from collections import Counter
from collections.abc import Callable

Execute = Callable[[str, Counter[str]], int]
"""Plays one execution by its seed, counts its kinds of readings; how much it played. Raises on a finding."""


def run(about: str, played: str, execute: Execute) -> int:
    """Play until the time is over, or one seed again; the exit code. `played` names what `execute` counts."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="repeat one execution by its seed, e.g. 1/250")
    arguments = parser.parse_args()
    kinds = Counter[str]()
    if arguments.only:
        print(execute(arguments.only, kinds), played, dict(kinds))
        return 0
    end = time.monotonic() + arguments.seconds
    executions = amount = findings = 0
    while time.monotonic() < end:
        seed = f"{arguments.seed}/{executions}"
        try:
            amount += execute(seed, kinds)
        except Exception:  # noqa: BLE001 - whatever it raises is a finding, and the campaign goes on
            findings += 1
            print(f"finding {findings}: --only {seed}")
            traceback.print_exc(limit=-3)
        executions += 1
    for kind, count in sorted(kinds.items()):
        print(f"{kind:24}{count:10}")
    print(f"executions {executions}, {played} {amount}, findings {findings}")
    return 1 if findings else 0
