"""A wheel's counts: kept round by round they are those of the rounds as they stand now."""

from itertools import pairwise
from random import Random

import msgspec

from daemon.fairness.counts import Identity, WheelCounts, counted, new

WHEEL = Identity(wheel="SN1", ball=None, layout=1, test=False)
KEEP = 10


def plain(rounds: dict[int, int | None], k: int) -> tuple[list[int], list[int]]:
    """The same by the definition, from all rounds at once."""
    valid = [place for _, place in sorted(rounds.items()) if place is not None]
    places = [valid.count(place) for place in range(k)]
    steps = [(b - a) % k for a, b in pairwise(valid)]
    return places, [steps.count(distance) for distance in range(k)]


def both(counts: WheelCounts) -> tuple[list[int], list[int]]:
    return list(counts.places), list(counts.distances)


def test_rounds_voids_and_corrections_are_as_if_judged_so_at_first() -> None:
    random = Random(3)
    counts, rounds = new(WHEEL, 37, since=5), {}
    for number in range(5, 400):
        place = None if random.random() < 0.2 else random.randrange(37)
        rounds[number] = place
        counts = counted(counts, number, place, KEEP)
        if random.random() < 0.5:
            other = random.randrange(max(5, number - KEEP + 1), number + 1)
            rounds[other] = None if random.random() < 0.3 else random.randrange(37)
            counts = counted(counts, other, rounds[other], KEEP)
        assert both(counts) == plain(rounds, 37)
    assert len(counts.recent) == KEEP


def test_an_earlier_wheels_round_changes_nothing() -> None:
    counts = counted(new(WHEEL, 18, since=100), 100, 7, KEEP)
    assert counted(counts, 99, 3, KEEP) == counts


def test_numbers_that_jump_leave_no_hole_to_fill() -> None:
    counts = counted(new(WHEEL, 18, since=1), 1, 7, KEEP)
    counts = counted(counts, 10_000_001, 9, KEEP)
    assert both(counts) == plain({1: 7, 2: 9}, 18)
    assert (counts.first, counts.recent, counts.before) == (10_000_001, (9,), 7)


def test_through_the_journal_and_back() -> None:
    counts = counted(counted(new(WHEEL, 18, since=1), 1, None, KEEP), 2, 17, KEEP)
    assert msgspec.json.decode(msgspec.json.encode(counts), type=WheelCounts) == counts
