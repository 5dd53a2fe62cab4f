"""The table's present state as the contract's messages. Pure: values in, messages out."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from daemon.catalogue import announcements
from daemon.catalogue.model import Game, Language
from daemon.play.play import Play
from daemon.records import (
    SCHEMA_VERSION,
    CloudEvent,
    Description,
    DeviceDescription,
    EventData,
    EventType,
    Fault,
    Message,
    Phase,
    PhaseName,
    RoundRecord,
    Status,
    TableStatus,
    encode,
    timestamp,
)
from daemon.rounds.round import PhaseChanged, Policy
from daemon.table.statistics import history_entry
from daemon.table.terms import Terms
from daemon.topics import root


class TableSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What the configuration says of a table, resolved."""

    site: str
    id: str
    game: Game
    language: Language
    policy: Policy
    minimum: int | None
    multiple: int | None
    devices: tuple[DeviceDescription, ...]
    version: str
    test: bool
    segments: tuple[str, ...] = ()
    """The order of the table's own wheel, where no text gives one."""
    wheel: str | None = None
    """The wheel's name, where the file gives one: with another the statistics of its fairness begin anew."""
    ball: str | None = None
    """The same of the ball."""
    terms: Terms | None = None
    """What is kept with each round."""

    @property
    def root(self) -> str:
        """The table's topic root, with its slash."""
        return root(self.site, self.id)

    @property
    def source(self) -> str:
        """The table as the source of CloudEvents."""
        return "/" + self.root.rstrip("/")


def retained(topic: str, payload: object) -> Message:
    """A retained message of the table."""
    return Message(topic, encode(payload), retain=True)


def event(setup: TableSetup, kind: EventType, identity: str, at: int, data: EventData) -> Message:
    """An `event/{kind}` message around data; `at` in microseconds since 1970."""
    envelope = CloudEvent(
        id=identity,
        source=setup.source,
        type=f"mesad.{kind}",
        time=timestamp(at),
        subject=setup.id,
        data=data,
    )
    return Message(f"event/{kind}", encode(envelope), retain=False)


def description(setup: TableSetup, play: Play[Any, Any], limits: dict[str, int] | None) -> Message:
    """What the table is, from setup, the game at it and the limits now in force."""
    game = setup.game
    return retained(
        "description",
        Description(
            site=setup.site,
            table=setup.id,
            game=game.id,
            game_names=dict(game.names),
            catalogue=game.text,
            catalogue_title=game.title,
            catalogue_hash=game.hash,
            borrowed=game.borrowed,
            house=game.house,
            layout=play.layout,
            layout_checksum=sha256(encode(play.layout)).hexdigest(),
            colors=dict(play.colors),
            names=dict(play.names),
            limits=limits,
            language=setup.language,
            devices=setup.devices,
            version=setup.version,
            schema_version=SCHEMA_VERSION,
            test=setup.test,
        ),
    )


def last_word(setup: TableSetup, session: int, state: TableStatus, reason: str) -> Message:
    """The status of a table that says no more: the will's, or that of an end in good order."""
    status = Status(
        state=state, session=session, version=setup.version, clock="unsynced", test=setup.test, reason=reason
    )
    return retained("status", status)


def called_out(setup: TableSetup, phase: PhaseName, last_rounds: int | None) -> str | None:
    """What the croupier or the table chief says on entering a phase, in the table's language."""
    match phase:
        case "betting" if last_rounds is not None:
            return announcements.announce_last_rounds(setup.game, last_rounds, setup.language)
        case "betting":
            return announcements.announce_betting_open(setup.game, setup.language)
        case "no_more_bets":
            return announcements.announce_no_more_bets(setup.game, setup.language)
        case "void":
            return announcements.announce_void(setup.game, setup.language)
    return None


def phase(
    setup: TableSetup, changed: PhaseChanged, number: int, previous: str | None, last_rounds: int | None
) -> Message:
    """Where round `number` stands; `previous` is the last valid label."""
    told = Phase(
        round=number,
        phase=changed.phase,
        since=timestamp(changed.at.wall),
        previous=previous,
        reason=changed.reason,
        game=changed.game,
        last_rounds=last_rounds,
        announcement=called_out(setup, changed.phase, last_rounds),
    )
    return retained("phase", told)


def result(valid: RoundRecord | None) -> Message:
    """The last valid round, or the empty message that says that there is none any more."""
    return retained("result", valid) if valid else Message("result", b"", retain=True)


def history(records: Sequence[RoundRecord]) -> Message:
    """The compact history, newest round first."""
    return retained("history", [history_entry(record) for record in reversed(records)])


def fault(code: str, latched: Fault | None) -> Message:
    """`fault/{code}`: the latched fault, or the empty message that clears it."""
    return Message(f"fault/{code}", encode(latched) if latched else b"", retain=True)
