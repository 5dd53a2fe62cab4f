"""What goes wrong with a simulated fortune wheel's sensors and their device: one fault in a spin."""

from dataclasses import dataclass
from random import Random

from protocols.sensor import LEVEL, NUMBERS
from simulators.devices.microcontroller import Edge, Seen, Troubles

A, B, INDEX, POINTER = (NUMBERS[name] for name in ("quadrature_a", "quadrature_b", "index", "pointer"))
CUT = (1.2, 6.0)
"""Seconds before the rest between which the sensors are cut: later, a wheel is as good as at rest."""
CREEPS = (0.2, 4.0)
"""Seconds that a slow slip lasts."""
CREPT = (0.8, 3.0)
"""Seconds before the rest at which it is over: the wheel turns on with the pegs where they belong again."""
MENDED = 1.2
"""Seconds after the rest at which a cable is put back, and sensors that were cut work again."""

FAULTS = {
    "gap": "packets are lost in mid-spin",
    "damaged": "a packet arrives damaged in mid-spin",
    "lost_edges": "the device had no room for edges, and says so",
    "missed_edge": "an edge is missing and the device does not know (raw edges), or says so (counts)",
    "doubled_edge": "an edge comes twice (raw edges), or both channels change at once (counts)",
    "restart": "the device is started anew in mid-spin",
    "slip": "the encoder slips on its shaft in mid-spin",
    "slow_slip": "the encoder creeps on its shaft, by a segment in all, in the spin's last seconds",
    "unplug": "the cable is pulled in mid-spin, and put back",
    "pointer_dead": "the pointer's sensor falls silent in mid-spin",
    "index_dead": "the index's sensor falls silent in mid-spin",
    "sensors_cut": "all of the wheel's sensors fall silent in the spin's last seconds",
}
"""What can go wrong with the sensors, by name. A spin with one of them must never be judged valid."""


@dataclass(slots=True)
class Struck:
    """A spin as its sensors show it in spite of a fault; times as in `Seen`."""

    seen: Seen
    troubles: Troubles
    slipped: int = 0
    """Counts by which a counter in hardware is off from then on."""


def strike(fault: str | None, seen: Seen, begins: float, rests: float, pitch: int, rng: Random) -> Struck:
    """The fault comes with the first thing that is seen from some moment between hand and rest on.

    `pitch`: counts from one peg to the next.
    """
    struck = Struck(seen, Troubles())
    if fault is None:
        return struck
    # a wheel at a crawl may touch no peg any more, and a slow one turn no whole turn
    latest = {"pointer_dead": 0.8, "index_dead": 0.3}.get(fault, 0.95)
    wanted = begins + rng.uniform(0.5, (rests - begins) * latest)
    if fault == "slow_slip":
        over = rests - rng.uniform(*CREPT)
        _creep(struck, over - rng.uniform(*CREEPS), over, rng.choice((-pitch, pitch)))
        return struck
    if fault == "sensors_cut":
        wanted = rests - rng.uniform(*CUT)
    shown = (*seen.edges, *seen.positions, *seen.pulses)
    _apply(fault, struck, min(time for time, _ in shown if time >= wanted), rests, rng)
    return struck


def _apply(fault: str, struck: Struck, now: float, rests: float, rng: Random) -> None:
    seen, troubles = struck.seen, struck.troubles
    match fault:
        case "gap":
            troubles.dropped = now, now + rng.uniform(0.06, 0.25)
        case "damaged":
            troubles.damaged = now
        case "lost_edges":
            lost = [time for time, _ in seen.edges if time >= now][: rng.randrange(1, 30)]
            troubles.lost_edges = now, max([now, *lost]) + 1e-6
        case "missed_edge" | "doubled_edge" if seen.positions:
            troubles.invalid = now, 1
        case "missed_edge":
            _leave_out(seen, now, 1)
        case "doubled_edge":
            time, channel = next(edge for edge in seen.edges if edge[0] >= now and _encoders(edge))
            seen.edges.append((time + 5e-6, channel))
            seen.edges.sort(key=lambda edge: edge[0])
        case "restart":
            troubles.restart = now
        case "slip":
            slip = 4 * rng.randrange(3, 60)
            left = sum(_encoders(edge) and edge[0] >= now for edge in seen.edges)
            _leave_out(seen, now, min(slip, left // 4 * 4))  # whole periods: the levels go on as they were
            struck.slipped = -slip
            seen.positions = _moved(seen.positions, now, -slip)
            seen.pulses = _moved(seen.pulses, now, -slip)
        case "unplug":
            troubles.unplug = now, rests + MENDED
        case "pointer_dead" | "index_dead":
            troubles.dead = {POINTER if fault == "pointer_dead" else INDEX: now}
        case "sensors_cut":
            _cut(struck, now, rests)


def _cut(struck: Struck, now: float, rests: float) -> None:
    """The counter stays where it is, which is sent once; bare channels show at last where they stand."""
    seen = struck.seen
    after = [each for each in seen.positions if each[0] >= now]
    before = [each for each in seen.positions if each[0] < now]
    levels = {channel & ~LEVEL: channel for _, channel in seen.edges if channel & ~LEVEL in (A, B)}
    kept = [edge for edge in seen.edges if edge[0] < now]
    shown = {channel & ~LEVEL: channel for _, channel in kept if channel & ~LEVEL in (A, B)}
    back: list[Edge] = [(rests + MENDED, levels[name]) for name in levels if levels[name] != shown.get(name)]
    if after:
        struck.slipped = before[-1][1] - after[-1][1]
        before.append((after[0][0], before[-1][1]))
    struck.seen = Seen(kept + back, before, [each for each in seen.pulses if each[0] < now])


def _creep(struck: Struck, since: float, until: float, by: int) -> None:
    """The counter is off by more and more. Of raw edges whole periods do not come: it is left behind."""
    seen = struck.seen

    def crept(shown: list[tuple[float, int]]) -> list[tuple[float, int]]:
        return [
            (time, at + round(by * min(1.0, max(0.0, (time - since) / (until - since)))))
            for time, at in shown
        ]

    seen.positions, seen.pulses, struck.slipped = crept(seen.positions), crept(seen.pulses), by
    edges = [edge for edge in seen.edges if _encoders(edge) and since <= edge[0] < until]
    periods = min(abs(by), len(edges)) // 4
    gone = {edge for period in range(periods) for edge in edges[len(edges) * period // periods :][:4]}
    seen.edges = [edge for edge in seen.edges if edge not in gone]


def _encoders(edge: Edge) -> bool:
    return edge[1] & ~LEVEL in (A, B)


def _leave_out(seen: Seen, now: float, many: int) -> None:
    """So many edges of the encoder do not come."""
    kept = []
    for edge in seen.edges:
        if many and edge[0] >= now and _encoders(edge):
            many -= 1
        else:
            kept.append(edge)
    seen.edges = kept


def _moved(shown: list[tuple[float, int]], now: float, by: int) -> list[tuple[float, int]]:
    return [(time, at + by if time >= now else at) for time, at in shown]
