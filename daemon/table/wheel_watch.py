"""The wheel's fairness: which rounds count, for which wheel, and the faults. On a `Table`: it changes it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from daemon.fairness import counts as wheel_counts
from daemon.fairness import drop_counts
from daemon.fairness.counts import Identity, WheelCounts
from daemon.fairness.evidence import weighed
from daemon.fairness.levels import level
from daemon.outcomes import BouleOutcome, FortuneWheelOutcome, WheelOutcome
from daemon.records import Fault, RoundRecord, timestamp
from daemon.table.state import HISTORY_LENGTH, TableState

if TYPE_CHECKING:
    from daemon.table.table import Table
    from drivers.readings import Instant

BIAS = "wheel_bias"
WHEELS = frozenset({"wheel", "fortune_wheel"})
REMEDY = (
    "for the technician: compare the results with the wheel's own display, then level and measure the wheel; "
    "after work on it, or with another wheel or ball, give [table] wheel or ball a new name"
)
BIAS_TEXT = "the results since round {} are not those of a fair wheel, by 1,000 to 1 or more"
DROP_ZONE = "wheel_drop_zone"
DROP_TEXT = (
    "since round {} the ball leaves the rim rather in one place than in another, by 1,000 to 1 or more"
)
DROP_REMEDY = (
    "for the technician: level the wheel, and see that each rim sensor sees every pass and stands where the "
    "table file says; then give [table] wheel a new name"
)

_replace = msgspec.structs.replace


def place_of(record: RoundRecord, layout: tuple[str, ...]) -> int | None:
    """Where the wheel came to rest, counted from 0 in the layout's order; None if the round does not count.

    A number that stands in several places, corrected by hand, has no known place.
    """
    if record.verdict != "valid":
        return None
    match record.outcome:
        case WheelOutcome(number=number):
            place = layout.index(number) if number in layout else None
        case BouleOutcome(hole=counted) | FortuneWheelOutcome(segment=counted):
            place = None if counted is None else counted - 1
        case _:
            return None
    return place if place is not None and 0 <= place < len(layout) else None


def drop_of(record: RoundRecord) -> drop_counts.Drop | None:
    """Where the ball left the rim; None if the round does not count, or where that was not seen."""
    drop = record.drop
    if record.verdict != "valid" or drop is msgspec.UNSET:
        return None
    return drop_counts.Drop(angle=drop.angle, clockwise=drop.ball == "cw", rim=drop.rim)


def identity(table: Table, known: WheelCounts | None) -> Identity:
    """Whose the next result is: the wheel's name, ball and layout."""
    setup = table.setup
    wheel = setup.wheel or table.wheel_serial
    if wheel is None:  # whoever does not say who it is is still the same
        wheel = known.identity.wheel if known else table.wheel_device
    return Identity(
        wheel=wheel or "",
        ball=setup.ball,
        layout=zlib.crc32("\n".join(table.play.layout).encode()),
        test=setup.test,
    )


def count(table: Table, record: RoundRecord) -> TableState:
    """The table's state with this record, new or revised, counted for its wheel."""
    state = table.state
    known = state.wheel
    if table.play.role not in WHEELS or (record.revision and known is None):
        return state
    if known is None or (not record.revision and known.identity != identity(table, known)):
        known = wheel_counts.new(identity(table, known), len(table.play.layout), record.round)
    else:
        known = weighed(known)  # as a rule it was weighed when it was shown
    place = place_of(record, table.play.layout)
    known = wheel_counts.counted(known, record.round, place, HISTORY_LENGTH)
    drops = drop_counts.counted(known.drops, record.round, drop_of(record), HISTORY_LENGTH)
    known = _replace(known, drops=drops)
    return _replace(state, wheel=weighed(known, anew=True) if record.revision else known)


def weigh(table: Table, at: Instant) -> None:
    """Weigh what was counted; the faults are latched at their alarms, and gone with the wheel.

    Done before the next reading is looked at, so that no result waits for it.
    """
    known = table.state.wheel
    if known is None:
        return
    now = weighed(known)
    if now is not known:
        table.state = _replace(table.state, wheel=now)
    _alarm(table, Alarm(BIAS, now.highest, BIAS_TEXT, now.since, REMEDY), at)
    highest, since = (0.0, now.since) if now.drops is None else (now.drops.highest, now.drops.since)
    _alarm(table, Alarm(DROP_ZONE, highest, DROP_TEXT, since, DROP_REMEDY), at)


class Alarm(NamedTuple):
    """A question to the wheel, and what is said when its answer is yes."""

    code: str
    highest: float
    text: str
    since: int
    remedy: str


def _alarm(table: Table, asked: Alarm, at: Instant) -> None:
    alarm, latched = level(asked.highest) == "alarm", asked.code in table.state.faults
    if alarm and not latched:
        since, text = timestamp(at.wall), asked.text.format(asked.since)
        device = table.wheel_device
        table.latch(Fault(code=asked.code, text=text, remedy=asked.remedy, since=since, device=device), at)
    elif latched and not alarm:
        table.unlatch(asked.code, at)
