"""What a wheel's free spins teach of it: its law of slowing, its pegs, where its index is. Pure.

Each spin is positions, edges of the pointer and where the index came. A spin that was pushed again, hindered
or seen only in part is left out; too few that are left teach nothing. Turns and seconds, counts and µs.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import floor
from statistics import median

import msgspec

from drivers.tracking.angles import apart, circular_median
from drivers.tracking.free_run import FreeRun
from drivers.tracking.friction import Friction
from drivers.tracking.pegs import BOUNCE
from drivers.tracking.slowing_law import Law, slowing_law, value

ENOUGH = 6
"""Spins that must be left."""
WINDOW = 4
"""Positions back from which a speed is taken, as when a spin is judged."""
APART = 1.0
"""Seconds between two speeds whose difference is a deceleration."""
ODD = 4.0
"""Times by which a spin must leave the law farther than spins do, to be left out."""
UNFREE = 12.0
"""Times the spread of single steps by which a free run's sum of steps does not leave the law: it was 4 at the
most with twenty simulated wheels that ran freely, 70 and more where each was slowed by a coat."""
ROUNDED = 8.0
"""Counts a second that mean nothing: a count more or less within a speed's 0.2 s is five."""
CONTACTS = 20
"""Contacts of the pointer, clear of bounce, that must be seen."""
HELD = 2
"""Times as long as all its bouncing that a peg must hold the pointer in a contact that is clear of it."""
MORE = 5
"""Spins more that are asked for where there is too little of something."""


class FreeSpin(msgspec.Struct, frozen=True):
    """One spin as it was recorded, from its first motion to rest."""

    positions: tuple[tuple[int, int], ...]
    edges: tuple[tuple[int, bool], ...]
    """Of the pointer: time, and whether it was lifted."""
    zero: int | None
    """Position at the index; None if that never came."""
    flaw: str | None = None
    """Why it was seen only in part."""


class Spread(msgspec.Struct, frozen=True):
    """A figure and by how much single spins or contacts differ from it."""

    value: float
    spread: float


class Found(msgspec.Struct, frozen=True):
    """What the spins taught."""

    constant: Spread
    per_speed: float
    per_speed2: float
    peg: float
    excursion: float
    """Turns a second: twice the most by which a run that was used strayed from the law."""
    bounce: float
    phase: Spread
    """Parts of a pitch from the index to the next peg at the pointer, the wheel turning clockwise."""
    peg_width: Spread
    """In parts of the pitch."""
    used: tuple[int, ...]
    """Which spins, from 0."""
    left_out: dict[int, str]
    """Which not, and why."""


class CannotCalibrateError(ValueError):
    """The spins teach too little; the text says why."""


class TooLittleSeenError(CannotCalibrateError):
    """More spins would teach enough: about `more` of them."""

    def __init__(self, why: str, more: int = MORE) -> None:
        super().__init__(why)
        self.more = more


class AnticlockwiseError(CannotCalibrateError):
    """The wheel was spun the other way than was asked, or its encoder counts the other way."""

    def __init__(self, against: int, spins: int) -> None:
        super().__init__(
            f"{against} of {spins} spins came anticlockwise by the encoder: if the wheel was spun clockwise "
            "as the players see it, exchange the encoder's channels A and B, or the sign of the positions"
        )


def calibrate(spins: Sequence[FreeSpin], counts: int, segments: int) -> Found:
    """What these spins teach. Raises CannotCalibrateError."""
    left_out = {at: spin.flaw for at, spin in enumerate(spins) if spin.flaw is not None}
    runs = {at: list(free_run(spin, counts)) for at, spin in enumerate(spins) if at not in left_out}
    for at in [at for at, run in runs.items() if len(run) < 20 or run[0][1] < 0.2]:
        left_out[at] = "too slow or too short"
        del runs[at]
    against = [at for at in runs if anticlockwise(spins[at], counts)]
    if 2 * len(against) > len(runs):
        raise AnticlockwiseError(len(against), len(runs))
    for at in against:
        left_out[at] = "anticlockwise"
        del runs[at]
    _enough(runs, left_out)
    law, phase, width = _learn([spins[at] for at in runs], list(runs.values()), counts, segments)
    peaks = {at: peak(run, law) for at, run in runs.items()}
    usual = max(median(max(gained, lost) for gained, lost in peaks.values()), 1.0 / counts)
    for at, (gained, lost) in peaks.items():
        if max(gained, lost) > ODD * usual:
            left_out[at] = "pushed again" if gained > lost else "hindered"
            del runs[at]
    _enough(runs, left_out)
    used = [spins[at] for at in runs]
    law, phase, width = _learn(used, list(runs.values()), counts, segments)
    single = [median(change - law.air(speed) for speed, change in _changes(run)) for run in runs.values()]
    highest = max(max(peak(run, law)) for run in runs.values())
    noise = max(_spread([step for run in runs.values() for step in _unexplained(run, law)]), 1.0 / counts)
    if highest > UNFREE * noise:
        raise CannotCalibrateError(
            f"even the better spins leave their law by {highest:.4f} turns a second, where single speeds "
            f"differ by {noise:.4f}: most were pushed again or hindered, or the wheel is out of balance"
        )
    return Found(
        constant=Spread(law.constant, _spread(single)),
        per_speed=law.per_speed,
        per_speed2=law.per_speed2,
        peg=law.peg,
        excursion=max(2 * highest, ROUNDED / counts),
        bounce=max(_bounce(spin) for spin in used) / counts,
        phase=phase,
        peg_width=width,
        used=tuple(runs),
        left_out=dict(sorted(left_out.items())),
    )


def anticlockwise(spin: FreeSpin, counts: int) -> bool:
    """Whether it came so by more than a turn, by the encoder."""
    return spin.positions[-1][1] < spin.positions[0][1] - counts


def _learn(
    spins: Sequence[FreeSpin], runs: Sequence[Sequence[tuple[int, float]]], counts: int, segments: int
) -> tuple[Friction, Spread, Spread]:
    """The law of slowing, where the pegs are, and how wide they are."""
    law = _law(runs)
    phase, width = _pegs(spins, counts, segments)

    def grid(position: int, zero: int) -> float:
        return (position + 0.5 - zero) * segments / counts - phase.value

    pitches = (law[0] * segments, law[1], law[2] / segments)
    peg = 2 * _peg(spins, grid, pitches, width.value) / segments**2
    return Friction(law[0], law[1], peg, 0.0, law[2]), phase, width


def _enough(runs: dict[int, list[tuple[int, float]]], left_out: dict[int, str]) -> None:
    if len(runs) < ENOUGH:
        why = "; ".join(f"spin {at + 1}: {reason}" for at, reason in sorted(left_out.items()))
        raise TooLittleSeenError(
            f"{len(runs)} free spins are too few, {ENOUGH} are needed" + (f" ({why})" if why else ""),
            ENOUGH - len(runs),
        )


# --- speeds and friction ----------------------------------------------------------------------------


def free_run(spin: FreeSpin, counts: int) -> Iterator[tuple[int, float]]:
    """Times and speeds, not signed, from a little after the greatest speed on until it turns back."""
    kept = spin.positions
    sense = 1 if kept[-1][1] > kept[0][1] else -1
    speeds = [
        ((since + time) // 2, sense * (end - start) / counts / ((time - since) / 1e6))
        for (since, start), (time, end) in zip(kept, kept[WINDOW:], strict=False)
        if time > since
    ]
    if not speeds:
        return
    top = max(speeds, key=lambda each: each[1])[0]
    for time, speed in speeds:
        if speed <= 0.0 and time > top:
            return
        if time >= top + 300_000:
            yield time, speed


def _changes(run: Sequence[tuple[int, float]]) -> list[tuple[float, float]]:
    """Speeds and decelerations, each over about a second."""
    found = []
    at = 0
    for time, speed in run:
        while run[at + 1][0] <= time - APART * 1e6:
            at += 1
        seconds = (time - run[at][0]) / 1e6
        if seconds >= APART:
            found.append(((speed + run[at][1]) / 2, (run[at][1] - speed) / seconds))
    return found


def _law(runs: Sequence[Sequence[tuple[int, float]]]) -> Law:
    """How the wheel slows, from all its runs."""
    points = sorted(point for run in runs for point in _changes(run) if point[0] > 0.05)
    thinned = points[:: max(1, len(points) // 300)]
    if len(thinned) < 20 or thinned[-1][0] - thinned[0][0] < 0.1:
        raise TooLittleSeenError("the spins show too few speeds")
    law = slowing_law(thinned)
    if law is None or law[0] <= 0:
        raise CannotCalibrateError("the wheel does not slow as a wheel does: is something driving it?")
    return law


def peak(run: Sequence[tuple[int, float]], law: Friction) -> tuple[float, float]:
    """The most that a run gained and lost though its law does not explain it, single pegs forgiven."""
    track = FreeRun()
    gained = lost = 0.0
    for time, speed in run:
        if speed < max(law.crawl, 0.02):
            break
        track.step(time, speed, law)
        forgiven = law.limit(speed)
        gained, lost = max(gained, track.gained - forgiven), max(lost, track.lost - forgiven)
    return gained, lost


def _unexplained(run: Sequence[tuple[int, float]], law: Friction) -> Iterator[float]:
    """What each step of a run leaves unexplained, above the crawl."""
    for (since, before), (time, speed) in pairwise(run):
        if speed > law.crawl:
            yield speed - before + law.slowing((speed + before) / 2) * (time - since) / 1e6


def _peg(spins: Sequence[FreeSpin], grid: Callable[[int, int], float], law: Law, width: float) -> float:
    """What the pegs add to the slowing, in pitches a second, each second: what the bearing does not explain.

    Between two pegs the bearing slows alone. `grid` gives for a position and that of the index where the
    wheel is, whole at the pegs; `law` is in pitches too.
    """
    constant = law[0]
    bearings: list[float] = []
    for spin in spins:
        for piece in _between_pegs(spin, grid, width / 2 + 0.05):
            speed, change = _bend(piece)
            bearings.append(-change * (1 if speed > 0 else -1) - value(law, abs(speed)) + constant)
    if len(bearings) < CONTACTS:
        raise TooLittleSeenError("the wheel was too seldom slow between two pegs to tell what a peg takes")
    if median(bearings) <= 0:
        raise CannotCalibrateError(
            "between two pegs the wheel does not slow by itself: it is out of balance, or something drives it"
        )
    return max(constant - median(bearings), 0.02 * constant)


def _between_pegs(
    spin: FreeSpin, grid: Callable[[int, int], float], margin: float
) -> Iterator[list[tuple[float, float]]]:
    """Pieces of the way, each between two pegs and long enough to show how it slows: seconds, pitches."""
    if spin.zero is None:
        return
    piece: list[tuple[float, float]] = []
    for time, position in spin.positions:
        place = grid(position, spin.zero)
        if margin < place % 1 < 1 - margin and (not piece or floor(place) == floor(piece[-1][1])):
            piece.append((time / 1e6, place))
            continue
        if len(piece) >= 6 and abs(piece[-1][1] - piece[0][1]) > 0.4:
            yield piece
        piece = []


def _bend(piece: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Speed in the middle and acceleration of positions: the least squares' parabola."""
    middle = sum(t for t, _ in piece) / len(piece)
    times = [t - middle for t, _ in piece]
    s2, s3, s4 = (sum(t**power for t in times) for power in (2, 3, 4))
    n, y = len(piece), [p for _, p in piece]
    y0, y1, y2 = (sum(p * t**power for t, p in zip(times, y, strict=True)) for power in (0, 1, 2))
    # normal equations with the first moment 0, solved for the two that are wanted
    a, b, c, d = s2, s3, s3, s4 - s2 * s2 / n
    right = y2 - s2 * y0 / n
    determinant = a * d - b * c
    return (y1 * d - b * right) / determinant, 2 * (a * right - c * y1) / determinant


def _bounce(spin: FreeSpin) -> int:
    """Counts by which the wheel came back from the farthest it had got."""
    sense = 1 if spin.positions[-1][1] > spin.positions[0][1] else -1
    way = [sense * position for _, position in spin.positions]
    return max(way) - way[-1]


# --- pegs -------------------------------------------------------------------------------------------


def _lifts(spin: FreeSpin) -> list[tuple[int, int]]:
    """When a peg lifted the pointer and when it let it fall, of contacts that are clear of their bounce.

    Before and after such a one the pointer was down for longer than it bounces, so that its first edge is the
    peg's. In the bouncing that follows the longest time up is the peg's hold, which ends where the peg does.
    """
    contacts: list[list[tuple[int, int]]] = []
    for (before, _), (rose, up), (fell, _) in zip(spin.edges, spin.edges[1:], spin.edges[2:], strict=False):
        if not up:
            continue
        if rose - before > BOUNCE:
            contacts.append([])
        if contacts:
            contacts[-1].append((rose, fell))
    found = []
    for contact in contacts[:-1]:  # of the last it is not known whether it is over
        rose, fell = max(contact, key=lambda each: each[1] - each[0])
        first, last = contact[0][0], contact[-1][1]
        if fell - rose >= HELD * (last - first - (fell - rose)):
            found.append((first, fell))
    return found


def _pegs(spins: Sequence[FreeSpin], counts: int, segments: int) -> tuple[Spread, Spread]:
    """Where the pegs are by the index, and how wide, in parts of the pitch."""
    middles: list[float] = []
    widths: list[float] = []
    for spin in spins:
        if spin.zero is None:
            continue
        for rose, fell in _lifts(spin):
            first, last = _at(spin.positions, rose), _at(spin.positions, fell)
            if first is not None and last is not None and 0 < abs(last - first) < counts / segments / 2:
                middles.append(((first + last) / 2 + 0.5 - spin.zero) * segments / counts)
                widths.append(abs(last - first) * segments / counts)
    if len(middles) < CONTACTS:
        raise TooLittleSeenError(
            f"{len(middles)} contacts of the pointer can be told from its bounce and have a place by the "
            f"index, {CONTACTS} are needed"
        )
    phase = circular_median(middles)
    off = [apart(middle, phase) for middle in middles]
    return Spread(phase, _spread(off)), Spread(median(widths), _spread(widths))


def _at(positions: Sequence[tuple[int, int]], time: int) -> float | None:
    """The position at a moment between two."""
    for (since, start), (until, end) in pairwise(positions):
        if since <= time <= until:
            return start + (end - start) * (time - since) / max(1, until - since)
    return None


def _spread(values: Sequence[float]) -> float:
    """Of one value about the others, outliers not counted."""
    middle = median(values)
    return 1.4826 * median(abs(value - middle) for value in values)
