"""The requests under `cmd/`: what each needs, when it is refused, what it does to a `Table`.

Who may ask is the broker's access list; what may be asked now is decided here, and a refusal says why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from daemon.catalogue.errors import CatalogueError
from daemon.catalogue.limits import limits
from daemon.catalogue.model import clause_or_none, find_rule
from daemon.outcomes import Outcome, label_of
from daemon.play.play import CorrectionRefusedError
from daemon.records import Answer, Finding, Request, RoundRecord, Verdict
from daemon.rounds.round import ChiefVoid, NoMoreBets, RoundCommand, TableClosed, TableOpened
from daemon.table import session
from daemon.table.state import PendingLimits

if TYPE_CHECKING:
    from daemon.table.table import Table
    from drivers.readings import Instant

MAX_WORDS = 200
"""Characters in `by` and `reason`."""
MAX_TOPIC = 512
MAX_LAST_ROUNDS = 20
MAX_MINIMUM = 1_000_000_000

_replace = msgspec.structs.replace
_decode = msgspec.json.Decoder(Request).decode


class BadRequestError(Exception):
    """A payload that is no request; the text says what is wrong with it."""


def decode_request(payload: bytes) -> Request:
    """A request from its JSON. Raises BadRequestError with the reason."""
    try:
        request = _decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRequestError(f"not a request: {error}") from None
    except RecursionError:
        raise BadRequestError("not a request: nested too deeply") from None
    if not request.by.strip():
        raise BadRequestError("'by' must say who asks")
    if len(request.by) > MAX_WORDS or len(request.reason or "") > MAX_WORDS:
        raise BadRequestError(f"'by' and 'reason' take at most {MAX_WORDS} characters")
    if len(request.reply_to or "") > MAX_TOPIC or len(request.correlation or "") > MAX_TOPIC:
        raise BadRequestError(f"'reply_to' and 'correlation' take at most {MAX_TOPIC} characters")
    return request


def carry_out(table: Table, name: str, request: Request, at: Instant) -> Answer:
    """Do what is asked, or refuse it with the reason and, where it is the law's, the clause."""
    command = COMMANDS.get(name)
    if command is None:
        known = ", ".join(sorted(COMMANDS))
        return Answer(command=name, ok=False, reason=f"unknown command; there are {known}")
    answer = command(table, request, at)
    return _replace(answer, command=name, correlation=request.correlation)


def _done(data: object = None) -> Answer:
    return Answer(command="", ok=True, data=data)


def _refused(reason: str, clause: str | None = None) -> Answer:
    return Answer(command="", ok=False, reason=reason, clause=clause)


def _round_command(table: Table, command: RoundCommand, at: Instant) -> Answer | None:
    """Pass a command to the round; an answer only if it is refused."""
    if (reason := table.round.refuses(table.state.round, command)) is not None:
        return _refused(reason)
    table.command_round(command, at)
    return None


def _has_reason(request: Request) -> bool:
    return bool((request.reason or "").strip())


def _unknown_round(table: Table, number: int | None) -> Answer:
    if number is None:
        return _refused("no round has been recorded yet")
    return _refused(f"round {number} is not among the last {len(table.book.records)} rounds")


def _no_more_bets(table: Table, request: Request, at: Instant) -> Answer:
    return _round_command(table, NoMoreBets(), at) or _done()


def _void(table: Table, request: Request, at: Instant) -> Answer:
    """The round in hand; with `round`, a recorded one."""
    if request.round is None or request.round == table.state.next_round:
        command = ChiefVoid(by=request.by, reason=request.reason or "")
        return _round_command(table, command, at) or _done({"round": table.state.next_round})
    if not _has_reason(request):
        return _refused("'reason' is needed to void a recorded round")
    record = table.book.find(request.round)
    if record is None:
        return _unknown_round(table, request.round)
    if record.verdict == "void":
        return _refused(f"round {record.round} is void already")
    finding = Finding(
        rule=table.play.void_rule,
        clause=clause_or_none(table.setup.game, table.play.void_rule),
        effect="void",
        evidence={"chief": request.reason or "", "by": request.by},
    )
    return _revise(table, record, "void", record.outcome, (finding,), request, at)


def _confirm(table: Table, request: Request, at: Instant) -> Answer:
    """A held round's result counts after all; the table chief overrules the machine."""
    if request.round is None:
        return _refused("'round' is needed")
    record = table.book.find(request.round)
    if record is None:
        return _unknown_round(table, request.round)
    if record.verdict != "held":
        return _refused(f"round {record.round} is {record.verdict}, not held")
    if record.outcome is None:
        return _refused("the device gave no result; use 'correct' with what it was, or 'void'")
    return _revise(table, record, "valid", record.outcome, (), request, at)


def _correct(table: Table, request: Request, at: Instant) -> Answer:
    """The result of a recorded round, as the table chief saw it."""
    try:
        seen: Outcome = table.play.corrected(request)
    except CorrectionRefusedError as error:
        return _refused(str(error))
    record = table.book.find(request.round)
    if record is None:
        return _unknown_round(table, request.round)
    label = label_of(seen)
    if record.label == label and record.verdict == "valid":
        return _refused(f"round {record.round} is valid with {label} already")
    return _revise(table, record, "valid", seen, (), request, at)


def _revise(
    table: Table,
    record: RoundRecord,
    verdict: Verdict,
    outcome: Outcome | None,
    findings: tuple[Finding, ...],
    request: Request,
    at: Instant,
) -> Answer:
    """Record the next revision of a round."""
    revised = table.book.revised(table.state, record, verdict, outcome, findings, request, at)
    table.add_record(revised, at)
    return _done({"id": revised.id, "verdict": verdict, "number": revised.label})


def _open(table: Table, request: Request, at: Instant) -> Answer:
    if table.state.open:
        return _refused("the table is open")
    refused = _round_command(table, TableOpened(), at)
    if refused:
        return refused
    return _done({"session": session.open_session(table, at)})


def _close(table: Table, request: Request, at: Instant) -> Answer:
    """End of the session. What the text asks of the cylinder then is said in the answer."""
    if not table.state.open:
        return _refused("the table is closed")
    refused = _round_command(table, TableClosed(), at)
    if refused:
        return refused
    ended = session.close_session(table)
    rule = find_rule(table.setup.game, "wheel.cylinder_sealed")
    if rule is None:
        return _done({"session": ended})
    return _done({"session": ended, "then": "lock or seal the cylinder", "clause": rule.clause})


def _last_rounds(table: Table, request: Request, at: Instant) -> Answer:
    if not table.state.open:
        return _refused("the table is closed")
    count = request.count
    if count is None or not 1 <= count <= MAX_LAST_ROUNDS:
        return _refused(f"'count' must be 1 to {MAX_LAST_ROUNDS}")
    if table.state.pending_limits is not None:
        return _refused("the last rounds before new limits are being played")
    return _done({"last_rounds": count, "announcement": session.announce_last(table, count)})


def _limits(table: Table, request: Request, at: Instant) -> Answer:
    """Without `minimum`: the limits in force. With it: new ones, as the text allows them."""
    if request.minimum is None:
        return _done({"limits": session.limits_of(table)})
    if request.minimum > MAX_MINIMUM:
        return _refused(f"'minimum' must be 1 to {MAX_MINIMUM}")
    game = table.setup.game
    multiple = request.multiple if request.multiple is not None else table.state.multiple
    try:
        limits(game, request.minimum, multiple)
    except CatalogueError as error:
        return _refused(str(error), getattr(error, "clause", None))
    change = game.limit_change
    if change is not None and table.state.open and change.policy == "forbidden":
        return _refused("the text forbids changing the limits while the table is open", change.clause)
    new = PendingLimits(minimum=request.minimum, multiple=multiple, by=request.by)
    if change is not None and table.state.open and change.policy == "after_last_balls":
        assert change.last_balls is not None
        session.limits_after(table, new)
        said = {
            "last_rounds": change.last_balls,
            "announcement": session.announce_last(table, change.last_balls),
        }
        return Answer(command="", ok=True, clause=change.clause, data=said)
    clause = change.clause if change else None
    if not table.idle:
        session.limits_after(table, new)  # bets are on the cloth under the old ones
        return Answer(command="", ok=True, clause=clause, data={"in_force": "after this round"})
    session.set_limits(table, new, at)
    return Answer(command="", ok=True, clause=clause, data={"limits": session.limits_of(table)})


def _change_dice(table: Table, request: Request, at: Instant) -> Answer:
    return _refused(f"{table.setup.game.id} is played without dice")


def _recall(table: Table, request: Request, at: Instant) -> Answer:
    """A recorded round again, the last one without `round`."""
    record = table.book.find(request.round)
    return _done(record) if record else _unknown_round(table, request.round)


COMMANDS: dict[str, Callable[[Table, Request, Instant], Answer]] = {
    "no_more_bets": _no_more_bets,
    "void": _void,
    "confirm": _confirm,
    "correct": _correct,
    "open": _open,
    "close": _close,
    "last_rounds": _last_rounds,
    "limits": _limits,
    "change_dice": _change_dice,
    "recall": _recall,
}
