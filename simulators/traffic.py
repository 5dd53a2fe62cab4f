"""What a simulated device puts on its line, in virtual time, and what was true of the game meanwhile.

Virtual time is seconds since the device was switched on; nothing here reads a clock.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Bytes:
    """Bytes that arrive at `t`, in one piece."""

    t: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Unplug:
    """The cable is pulled at `t`: the port is gone, bytes are lost until `Replug`."""

    t: float


@dataclass(frozen=True, slots=True)
class Replug:
    """The cable is back at `t`: the port can be opened again."""

    t: float


Item = Bytes | Unplug | Replug

Expected = Literal["valid", "void", "unseen"]
"""What a correct observer of the line must conclude about a game.

`valid`: exactly one valid result, with the truth's number. `void`: a round is recorded, and it is never
valid. `unseen`: nothing need be recorded, and whatever is recorded is never valid.
"""


@dataclass(frozen=True, slots=True)
class Truth:
    """What really happened in one game, known to the simulator alone."""

    index: int
    """0 for the first game of the simulation."""
    counter: int | None
    """The device's own game counter; None where the wire format has none."""
    number: str | None
    """The pocket that the device settled on, whether it counts or not; None if it settled on none."""
    expected: Expected
    launches: int
    """How often the rotor was driven and a launch attempted, failed ones included."""
    rotor: Literal["cw", "ccw"] | None
    """Direction at the last launch; None where the wire format does not tell."""
    fault: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Game:
    """One game on the line: its items in order of time, and its truth."""

    items: tuple[Item, ...]
    truth: Truth


def items_of(games: Iterable[Game]) -> Iterator[Item]:
    """The items of all games, one after the other."""
    for game in games:
        yield from game.items
