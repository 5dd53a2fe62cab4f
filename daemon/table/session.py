"""A table's session: opening and closing, the last rounds announced, the limits of stakes. On a `Table`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from daemon.catalogue import announcements
from daemon.catalogue.limits import limits
from daemon.catalogue.rules.wheel import Closing, judge_closing
from daemon.records import Answer, CommandEvent, FindingEvent, Request, RoundRecord
from daemon.table import messages as table_messages
from daemon.table.state import PendingLimits

if TYPE_CHECKING:
    from daemon.table.table import Table
    from drivers.readings import Instant

_replace = msgspec.structs.replace


def open_session(table: Table, at: Instant) -> int:
    """The table is open; the number of the session that begins.

    Now it is known whether the cylinder was locked since the last one: its lid was seen closed, or not.
    """
    closing = Closing(lid=table.state.sealed)
    for finding in judge_closing(table.setup.game, closing):
        table.record_event("finding", at, FindingEvent.of(finding, None))
    table.state = _replace(table.state, open=True, sealed=None, session=table.state.session + 1)
    return table.state.session


def close_session(table: Table) -> int:
    """The table is closed; the number of the session that ends."""
    sealed = None if table.state.lid_open is None else not table.state.lid_open
    table.state = _replace(table.state, open=False, sealed=sealed, last_rounds=None, pending_limits=None)
    return table.state.session


def move_lid(table: Table, *, is_open: bool) -> None:
    """The lid was moved. While the table is closed, it counts that it was closed once."""
    sealed = table.state.sealed
    if sealed is not None:
        sealed = sealed or not is_open
    table.state = _replace(table.state, lid_open=is_open, sealed=sealed)


def announce_last(table: Table, count: int) -> str:
    """So many last rounds are played from here on; the words that announce them."""
    table.state = _replace(table.state, last_rounds=count)
    return announcements.announce_last_rounds(table.setup.game, count, table.setup.language)


def limits_after(table: Table, pending: PendingLimits) -> None:
    """New limits come into force when the round in hand, or the last one announced, is over."""
    table.state = _replace(table.state, pending_limits=pending)


def count_down(table: Table, record: RoundRecord, at: Instant) -> None:
    """A void round is played again: it is not one of the announced last ones."""
    left, pending = table.state.last_rounds, table.state.pending_limits
    if left is not None and record.verdict != "void":
        left = left - 1 or None
        table.state = _replace(table.state, last_rounds=left)
    if pending is not None and left is None:
        set_limits(table, pending, at)


def set_limits(table: Table, new: PendingLimits, at: Instant) -> None:
    """New limits are in force; whether the text permits them now is the caller's to check."""
    table.state = _replace(table.state, minimum=new.minimum, multiple=new.multiple, pending_limits=None)
    table.show(table_messages.description(table.setup, table.play, limits_of(table)))
    request = Request(by=new.by, minimum=new.minimum, multiple=new.multiple)
    answer = Answer(command="limits", ok=True, data={"limits": limits_of(table), "in_force": True})
    table.record_event("command", at, CommandEvent(command="limits", request=request, answer=answer))


def limits_of(table: Table) -> dict[str, int] | None:
    """Minimum and every bet's maximum now in force, where a minimum is set."""
    if table.state.minimum is None:
        return None
    maxima = limits(table.setup.game, table.state.minimum, table.state.multiple) or {}
    return {"minimum": table.state.minimum, **maxima}
