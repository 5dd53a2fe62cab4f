"""Which games go wrong: schedules of faults, and whole campaigns of games with their truths."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from simulators.devices.cammegh import Model, Protocol, SimulatedWheel
from simulators.faults import FAULTS, Fault, Prospect, Schedule, named
from simulators.traffic import Bytes, Game


def at(faults: Mapping[int, str]) -> Schedule:
    """The fault of this name in the game of this index.

    A game that cannot have its fault (a repeated number in the first game) passes it on to the next one
    that can and has none of its own.
    """
    waiting = {index: named(name) for index, name in faults.items()}

    def schedule(prospect: Prospect) -> Fault | None:
        due = sorted(index for index in waiting if index <= prospect.index)
        for index in sorted(due, key=lambda index: (index != prospect.index, index)):
            if waiting[index].fits(prospect):
                return waiting.pop(index)
        return None

    return schedule


def rated(names: Sequence[str], rate: float, seed: int) -> Schedule:
    """Faults in a share `rate` of the games, the names in even numbers and never in two games running.

    The game after a faulty one is whole because some faults are only told by it (a missed result by the
    next counter). So `rate` is at most 0.5. Raises ValueError for another.
    """
    if not 0.0 <= rate <= 0.5:
        raise ValueError(f"the rate of faults must be from 0 to 0.5, not {rate}")
    faults = [named(name) for name in names]
    rng = Random(f"{seed}/schedule")
    chance = rate / (1.0 - rate)
    deck: list[Fault] = []
    last = -2

    def schedule(prospect: Prospect) -> Fault | None:
        nonlocal deck, last
        if prospect.index == last + 1 or rng.random() >= chance:
            return None
        if len(deck) < len(faults):
            fresh = faults.copy()
            rng.shuffle(fresh)
            deck += fresh
        for fault in deck:
            if fault.fits(prospect):
                deck.remove(fault)
                last = prospect.index
                return fault
        return None

    return schedule


def possible(model: Model, protocol: Protocol, speed: float = 1.0) -> tuple[str, ...]:
    """The names of a wheel's possible faults; at other speeds than 1 without those that rest on durations."""
    return tuple(
        name
        for name, fault in FAULTS.items()
        if fault.speaks(model, protocol) and (speed == 1.0 or not fault.timed)
    )


def campaign(
    seed: int,
    games: int,
    fault_rate: float = 0.2,
    *,
    model: Model = "slingshot-2",
    protocol: Protocol = "advanced",
    pockets: int = 37,
    names: Sequence[str] | None = None,
) -> Iterator[Game]:
    """So many games of one wheel, lazily, with faults of all `names` (None for all possible) mixed in.

    A last item-only tail is not part of it: see `SimulatedWheel.tail`.
    """
    chosen = possible(model, protocol) if names is None else names
    schedule = rated(chosen, fault_rate, seed)
    return SimulatedWheel(model, protocol, pockets, seed, schedule).games(games)


def noise(seed: int, rate: float = 960.0) -> Iterator[Bytes]:
    """Random bytes without end, every value alike, at `rate` bytes a second."""
    rng = Random(seed)
    t = 0.0
    while True:
        data = rng.randbytes(rng.randrange(1, 64))
        t += len(data) / rate
        yield Bytes(t, data)
