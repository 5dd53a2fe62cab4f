"""Thousands of simulated games with faults mixed in, each verdict compared with the simulator's truth.

    python tests/campaigns/games.py --games 10000

Virtual time goes through the replay link and the same drivers, rounds and rules as `mesad run`. The exit code
is 1 if a number was wrong, a void came out valid, a valid game was voided, or one was lost or came twice.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from daemon.catalogue.load import load_game
from daemon.records import DeviceDescription, Message, RoundRecord
from daemon.replay import play
from daemon.table.messages import TableSetup
from daemon.table.table import Table
from drivers.links.replay import LinkChange, Played
from drivers.readings import Instant
from drivers.registry import find
from simulators.scenarios import campaign
from simulators.traffic import Bytes, Game, Truth, Unplug

EPOCH = 1_700_000_000_000_000
WHEELS: tuple[tuple[Any, Any, int], ...] = (
    ("slingshot-2", "advanced", 50),
    ("mercury-360", "advanced", 25),
    ("mercury-360", "extended", 25),
)
"""Model, wire format, share of the games in per cent."""
BAD = ("wrong number", "void as valid", "valid voided", "lost", "twice")


@dataclass
class Tally:
    """What came of the games of each fault."""

    games: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    bad: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def judge(self, wheel: str, truth: Truth, records: list[RoundRecord]) -> None:
        """Compare one game's records, in order, with its truth."""
        name = truth.fault or "none"
        self.games[name] += 1
        wrong = _wrong(truth, records)
        if wrong is None:
            self.right[name] += 1
            return
        self.bad[(name, wrong)] += 1
        if len(self.examples) < 12:
            said = [
                (r.verdict, r.outcome.number if r.outcome else None, [f.rule for f in r.findings])
                for r in records
            ]
            self.examples.append(
                f"{wheel} game {truth.index} {name}: {wrong}; truth {truth.expected} {truth.number}; {said}"
            )

    def show(self) -> int:
        """Print the table; the exit code."""
        print(f"{'fault':36}{'games':>8}{'right':>8}" + "".join(f"{bad:>15}" for bad in BAD))
        for name in sorted(self.games):
            counts = "".join(f"{self.bad[(name, bad)]:15}" for bad in BAD)
            print(f"{name:36}{self.games[name]:8}{self.right[name]:8}{counts}")
        totals = [sum(n for (_, bad), n in self.bad.items() if bad == kind) for kind in BAD]
        print(
            f"{'all':36}{sum(self.games.values()):8}{sum(self.right.values()):8}"
            + "".join(f"{n:15}" for n in totals)
        )
        for example in self.examples:
            print(f"  {example}")
        return 1 if self.bad else 0


def _wrong(truth: Truth, records: list[RoundRecord]) -> str | None:
    valid = [record for record in records if record.verdict == "valid"]
    if len(valid) > 1:
        return "twice"
    if truth.expected != "valid":
        if valid:
            return "void as valid"
        return "lost" if truth.expected == "void" and not records else None
    if not records:
        return "lost"
    if not valid:
        return "valid voided"
    number = valid[0].outcome.number if valid[0].outcome else None
    return None if number == truth.number else "wrong number"


def setup(text: str) -> TableSetup:
    """A table for a simulated wheel."""
    return TableSetup(
        site="campaign",
        id="wheel",
        game=load_game(text, "french_roulette"),
        language="es",
        policy="automatic",
        minimum=None,
        multiple=None,
        devices=(DeviceDescription(id="wheel", role="wheel", driver="cammegh", port="replay"),),
        version="campaign",
        test=True,
    )


def instant(t: float) -> Instant:
    """Virtual seconds as an instant."""
    return Instant(int(t * 1_000_000_000), EPOCH + int(t * 1_000_000))


def as_link(games: Iterator[Game], ends: list[tuple[int, Truth]]) -> Iterator[Played]:
    """A simulation's items as a played link; notes where each game ends in wall time."""
    yield instant(0), LinkChange("up", "replay")
    for game in games:
        for item in game.items:
            if isinstance(item, Bytes):
                yield instant(item.t), item.data
            elif isinstance(item, Unplug):
                yield instant(item.t), LinkChange("lost", "unplugged")
            else:
                yield instant(item.t), LinkChange("up", "replay")
        ends.append((instant(game.items[-1].t).wall, game.truth))


def records_of(messages: Iterator[Message]) -> Iterator[RoundRecord]:
    """The round records among messages."""
    for message in messages:
        if message.topic == "event/round":
            yield msgspec.convert(msgspec.json.decode(message.payload)["data"], RoundRecord)


def wall(stamp: str) -> int:
    """A record's time in microseconds since 1970."""
    return round(datetime.fromisoformat(stamp).timestamp() * 1_000_000)


def virtual(games: int, seed: int, rate: float, tally: Tally) -> None:
    """Play and judge games of all kinds of wheel, in virtual time."""
    for model, protocol, share in WHEELS:
        info = find("cammegh")
        options = msgspec.convert({"model": model, "protocol": protocol}, info.options)
        table = Table(setup("es-1979"), {"wheel": info.make("wheel", options)})
        ends: list[tuple[int, Truth]] = []
        simulated = campaign(seed, games * share // 100, rate, model=model, protocol=protocol)
        found = list(records_of(play(table, "wheel", as_link(simulated, ends))))
        assert [record.seq for record in found] == list(range(1, len(found) + 1)), "a gap in the sequence"
        compare(f"{model} {protocol}", ends, found, tally)


def compare(wheel: str, ends: list[tuple[int, Truth]], found: list[RoundRecord], tally: Tally) -> None:
    """A record belongs to the game in whose time its round was opened; the next may open as it ends."""
    waiting = list(reversed(found))
    for end, truth in ends:
        mine = []
        while waiting and wall(waiting[-1].opened_at) < end:
            mine.append(waiting.pop())
        tally.judge(wheel, truth, mine)
    for record in waiting:
        tally.examples.append(f"{wheel}: record {record.id} after the last game: {record.verdict}")
        tally.bad[("none", "twice")] += 1


def main() -> int:
    """Run the campaign and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault-rate", type=float, default=0.35)
    args = parser.parse_args()
    tally = Tally()
    began = time.perf_counter()
    virtual(args.games, args.seed, args.fault_rate, tally)
    code = tally.show()
    print(f"seed {args.seed}, {time.perf_counter() - began:.1f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
