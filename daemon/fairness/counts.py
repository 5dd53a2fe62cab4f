"""A wheel's results by place and by distance: what is kept, round by round, corrections included. Pure."""

from itertools import pairwise

import msgspec

from daemon.fairness.drop_counts import DropCounts

_replace = msgspec.structs.replace


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What must stay the same for results to be one wheel's."""

    wheel: str
    ball: str | None
    layout: int
    """A checksum of the labels in their order."""
    test: bool
    """Made by a simulator or in a test, not in play."""


class WheelCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The valid rounds of one wheel, counted."""

    identity: Identity
    since: int
    """The number of the first round that may count."""
    places: tuple[int, ...]
    """Rounds by place, in rim order."""
    distances: tuple[int, ...]
    """Rounds by the distance, in places and in rim order, from the valid round before."""
    first: int
    """The number of the first round in `recent`."""
    recent: tuple[int | None, ...] = ()
    """Places of the last rounds, None for a round that does not count: those that can still be corrected."""
    before: int | None = None
    """Place of the last round that counts before `recent`."""
    highest: float = 0.0
    """Decimal logarithm of the highest Bayes factor so far; a correction does not take it back."""
    factors: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """Decimal logarithms when they were last weighed: the average, uniformity, sector, harmonic, distance."""
    sample: int = 0
    """Rounds that were counted then."""
    steps: int = 0
    """Distances that were counted then."""
    drops: DropCounts | None = None
    """Where the balls left the rim; None where no device has told."""


def new(identity: Identity, places: int, since: int) -> WheelCounts:
    """Nothing counted yet."""
    empty = (0,) * places
    return WheelCounts(identity=identity, since=since, places=empty, distances=empty, first=since)


def counted(counts: WheelCounts, number: int, place: int | None, keep: int) -> WheelCounts:
    """With this round at this place, or at none; whether it is new or was counted otherwise before.

    `keep` is how many of the last rounds can still be corrected. An older round, or one before `since`,
    changes nothing.
    """
    index = number - counts.first
    if index < 0:
        return counts
    if index > len(counts.recent) + keep:  # numbers jump where a journal was replaced by an older copy
        before = next((p for p in reversed(counts.recent) if p is not None), counts.before)
        counts, index = _replace(counts, first=number, recent=(), before=before), 0
    recent = [*counts.recent, *([None] * (index + 1 - len(counts.recent)))]
    was, recent[index] = recent[index], place
    earlier = next((p for p in reversed(recent[:index]) if p is not None), counts.before)
    later = next((p for p in recent[index + 1 :] if p is not None), None)
    places, distances = list(counts.places), list(counts.distances)
    for here, by in ((was, -1), (place, 1)):
        if here is not None:
            places[here] += by
        for a, b in pairwise(p for p in (earlier, here, later) if p is not None):
            distances[(b - a) % len(places)] += by
    gone = recent[: max(0, len(recent) - keep)]
    before = next((p for p in reversed(gone) if p is not None), counts.before)
    return _replace(
        counts,
        places=tuple(places),
        distances=tuple(distances),
        first=counts.first + len(gone),
        recent=tuple(recent[len(gone) :]),
        before=before,
    )
