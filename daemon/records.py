"""The contract's messages: what boards and the back office get, one class a payload.

`mesad schema` generates AsyncAPI and JSON Schemas from these classes, and every published message is
checked against them in the tests. Fields may be added; a change of meaning is a new root topic.
Times are RFC 3339 strings in UTC with microseconds; labels of pockets are strings ("0", "00").
"""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from daemon.fairness.figures import Fairness
from daemon.outcomes import OUTCOMES, Outcome, label_of, outcome_of

ROOT = "mesad/v1"
SCHEMA_VERSION = "1.0.0"

Verdict = Literal["valid", "void", "held"]
Effect = Literal["void", "annul", "finding", "refuse", "reminder"]
PhaseName = Literal["closed", "betting", "in_play", "no_more_bets", "result", "void", "held"]
TableStatus = Literal["init", "ready", "alert", "closed", "disconnected", "lost"]
LinkState = Literal["connecting", "up", "silent", "lost"]
EventType = Literal["round", "finding", "fault", "device", "command", "correction", "clock"]

encode = msgspec.json.Encoder().encode
"""A message as the JSON bytes that go to the journal and to the broker."""


def timestamp(wall: int) -> str:
    """Microseconds since 1970 as the contract's time string."""
    seconds, microseconds = divmod(wall, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{_date(days)}T{hour:02d}:{minute:02d}:{second:02d}.{microseconds:06d}Z"


@lru_cache(maxsize=8)
def _date(days: int) -> str:
    return (date(1970, 1, 1) + timedelta(days)).isoformat()


class Message(msgspec.Struct, frozen=True):
    """One MQTT message: the topic below `mesad/v1/{site}/{table}/`, the payload, the retain flag."""

    topic: str
    payload: bytes
    retain: bool


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule found: its id, the clause it rests on, what it does to the round, and the evidence."""

    rule: str
    clause: str
    effect: Effect
    evidence: dict[str, Any]

    @property
    def seen(self) -> list[str]:
        """The evidence in words, one line for each of its parts."""
        return in_words(self.evidence)


def in_words(parts: Mapping[str, object]) -> list[str]:
    """Named parts of a record in words, one line for each."""
    return [f"{name.replace('_', ' ')}: {_in_words(part)}" for name, part in parts.items()]


def _in_words(part: object) -> str:
    if isinstance(part, list | tuple):
        return "; ".join(map(_in_words, part))
    return part if isinstance(part, str) else msgspec.json.encode(part).decode()


class Guidance(msgspec.Struct, frozen=True, kw_only=True):
    """What the text tells the croupiers to do about a result; each with its clause."""

    text: str
    clause: str
    data: Any = None


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """Where the ball left the rim: on the stator, in turns clockwise from the mark of the sensors' angles."""

    angle: float
    """The middle of the stretch between two sensors in which it left."""
    ball: Literal["cw", "ccw"]
    """The ball's sense, seen from above."""
    rim: tuple[float, ...]
    """Where the sensors stand."""


class RoundRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One round of the table, judged. `id` is its identity, `seq` its place, `revision` its correction."""

    id: str
    seq: int
    round: int
    revision: int
    site: str
    table: str
    game: str
    catalogue: str
    catalogue_hash: str
    borrowed: str | None = None
    """The text that the game's rules are borrowed from, where the catalogue only names the game."""
    verdict: Verdict
    if TYPE_CHECKING:
        outcome: Outcome | None
    else:
        outcome: Any  # which of the outcomes is told by their fields, and not by a tag: see __post_init__
    """What the device gave, if it gave anything. It counts only when the verdict is "valid"."""
    findings: tuple[Finding, ...]
    announcement: str
    guidance: tuple[Guidance, ...] = ()
    opened_at: str
    closed_at: str | None
    """When bets closed (no more bets)."""
    settled_at: str
    duration_ms: int | None
    """From opening to settling, by the monotonic clock; None when the machine was restarted between."""
    session: int
    test: bool
    previous: str | None = None
    """The last valid number (or symbol) before this round: where a void throw's ball is put back."""
    attempts: int = 0
    """Launches of the ball, failed ones included; at a fortune wheel its pushes."""
    drop: Drop | msgspec.UnsetType = msgspec.UNSET
    """Absent where no device sees it, or did not see it whole."""
    last_ball: bool = False
    """It was the session's last, as announced."""
    corrected_by: str | None = None
    """Who asked for this revision; None for the machine's own record."""
    corrected_at: str | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        """A record that was decoded has its outcome made of the JSON's object."""
        given: Any = self.outcome
        if given is None or isinstance(given, OUTCOMES):
            return
        if not isinstance(given, dict):
            raise ValueError("an outcome is an object or null")
        msgspec.structs.force_setattr(self, "outcome", outcome_of(given))

    @property
    def label(self) -> str | None:
        """What the device gave, counted or not: a number, at a fortune wheel a symbol."""
        return None if self.outcome is None else label_of(self.outcome)

    @property
    def given(self) -> str:
        """The result in words; said to be what the wheel gave where it does not count."""
        if self.label is None:
            return "no result"
        return self.label if self.verdict == "valid" else f"the wheel gave {self.label}"

    def effect_of(self, finding: Finding) -> str:
        """What one of its findings does, in a word: what would void it voids nothing where it is valid."""
        return "overruled" if (self.verdict, finding.effect) == ("valid", "void") else finding.effect


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """Where the round stands."""

    round: int
    phase: PhaseName
    since: str
    previous: str | None = None
    reason: str | None = None
    game: int | None = None
    """The device's own game counter, where it has one."""
    last_rounds: int | None = None
    """Rounds still to be played, when the last ones were announced."""
    announcement: str | None = None
    """What is called out on entering this phase, in the table's language."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The table's state; also the will, with state "lost"."""

    state: TableStatus
    session: int
    version: str
    clock: Literal["synced", "unsynced"]
    test: bool
    reason: str | None = None


class DeviceDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A device of the table as configured."""

    id: str
    role: str
    driver: str
    port: str


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """What the table is: a board needs nothing else to draw it."""

    site: str
    table: str
    game: str
    game_names: dict[str, str]
    catalogue: str
    catalogue_title: str
    catalogue_hash: str
    borrowed: str | None = None
    """The text that the game's rules are borrowed from, where the catalogue only names the game."""
    house: str | None = None
    """The title of the house's own rules that make the text stricter, where there are any."""
    layout: tuple[str, ...]
    """Labels in rim order: pockets clockwise seen from above, segments clockwise on the wheel's face."""
    colors: dict[str, str]
    limits: dict[str, int] | None
    """Minimum and every bet's maximum in the table's currency units, where a minimum is configured."""
    language: str
    devices: tuple[DeviceDescription, ...]
    version: str
    schema_version: str
    test: bool
    layout_checksum: str = ""
    """SHA-256, hexadecimal, of the layout as a JSON array without spaces."""
    names: dict[str, str] = {}
    """What a label is called in the table's language, where that is another word: a wheel's symbols."""


class DeviceStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A device's link and health."""

    id: str
    state: LinkState
    since: str
    frames: int
    bad_frames: int
    last_frame_at: str | None
    last_frame_age_ms: int | None
    firmware: str | None = None
    note: str | None = None
    reason: str | None = None


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A latched fault. The topic is emptied when it is gone."""

    code: str
    text: str
    remedy: str
    since: str
    device: str | None = None


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A round in the compact history, newest first; a corrected round appears as corrected."""

    round: int
    seq: int
    revision: int
    verdict: Verdict
    number: str | None
    """What came, if it counts; at a fortune wheel its symbol."""
    settled_at: str
    announcement: str


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over the valid rounds of this table since the journal began (`sample` of them)."""

    sample: int
    void: int
    held: int
    counts: dict[str, int]
    """By number, at a fortune wheel by symbol."""
    hot: tuple[str, ...]
    cold: tuple[str, ...]
    chi_square: float | None
    """Pearson's statistic against a fair wheel over `sample` rounds; None below 5 expected of the rarest."""
    degrees_of_freedom: int
    fairness: Fairness | None = None
    """None for a table without a wheel, and before a wheel's first round."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A command's payload. `by` is who asks; the rest depends on the command."""

    by: str
    reason: str | None = None
    round: int | None = None
    number: str | None = None
    symbol: str | None = None
    """What a fortune wheel showed; in place of a number."""
    count: int | None = None
    minimum: int | None = None
    multiple: int | None = None
    reply_to: str | None = None
    """For 3.1.1 clients, in place of the response topic of MQTT 5."""
    correlation: str | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request: done, or refused with the reason and, where it is the law's, the clause."""

    command: str
    ok: bool
    reason: str | None = None
    clause: str | None = None
    data: Any = None
    correlation: str | None = None


class FindingEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A finding: of a round's record, or of none."""

    rule: str
    clause: str
    effect: Effect
    evidence: dict[str, Any]
    round: int | None = None

    @classmethod
    def of(cls, finding: Finding, round_: int | None) -> "FindingEvent":
        """A finding as an event: of this round's record, or of none."""
        return cls(
            rule=finding.rule,
            clause=finding.clause,
            effect=finding.effect,
            evidence=finding.evidence,
            round=round_,
        )


class FaultEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A fault was latched, or is gone."""

    code: str
    latched: bool
    text: str | None = None
    remedy: str | None = None
    device: str | None = None

    @classmethod
    def of(cls, fault: Fault) -> "FaultEvent":
        """A fault that was latched, as an event."""
        return cls(code=fault.code, latched=True, text=fault.text, remedy=fault.remedy, device=fault.device)


class DeviceEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A device's link or its hearing changed."""

    device: str
    state: Literal["link_up", "up", "lost", "restarted"]
    reason: str | None = None
    identity: str | None = None
    """The real port behind the configured one."""


class CommandEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A request and its answer, or that what was asked for has come into force."""

    command: str
    request: Request
    answer: Answer


class ClockEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The wall clock was set: by so many seconds, positive forward."""

    stepped_seconds: float


EventData = RoundRecord | FindingEvent | FaultEvent | DeviceEvent | CommandEvent | ClockEvent
"""What the `data` of a CloudEvent can be; `daemon.topics` says which type has which."""


class CloudEvent(msgspec.Struct, frozen=True, kw_only=True):
    """CloudEvents 1.0, structured mode. `id` with `source` is the event's identity: repeats keep it."""

    specversion: Literal["1.0"] = "1.0"
    id: str
    source: str
    type: str
    """`mesad.{round,finding,fault,device,command,correction,clock}`"""
    time: str
    subject: str | None = None
    datacontenttype: Literal["application/json"] = "application/json"
    data: Any
    """See `EventData`."""
