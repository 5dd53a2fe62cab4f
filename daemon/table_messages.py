"""The table's present state as the contract's messages. Pure: values in, messages out."""

import msgspec

from daemon.catalogue.model import Game, Language
from daemon.records import (
    ROOT,
    SCHEMA_VERSION,
    CloudEvent,
    Description,
    DeviceDescription,
    DeviceStatus,
    EventType,
    Fault,
    Message,
    RoundRecord,
    Status,
    encode,
    timestamp,
)
from daemon.rounds.round import Policy
from daemon.statistics import history_entry
from drivers.driver import Health
from drivers.readings import Instant


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

    @property
    def root(self) -> str:
        """The table's topic root, with its slash."""
        return f"{ROOT}/{self.site}/{self.id}/"

    @property
    def source(self) -> str:
        """The table as the source of CloudEvents."""
        return f"/{ROOT}/{self.site}/{self.id}"


def retained(topic: str, payload: object) -> Message:
    """A retained message of the table."""
    return Message(topic, encode(payload), retain=True)


def event(setup: TableSetup, kind: EventType, identity: str, at: int, data: object) -> Message:
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


def description(setup: TableSetup, limits: dict[str, int] | None) -> Message:
    """What the table is, from setup and the limits now in force."""
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
            layout=game.layout.pockets,
            colors=dict(game.layout.colors),
            limits=limits,
            language=setup.language,
            devices=setup.devices,
            version=setup.version,
            schema_version=SCHEMA_VERSION,
            test=setup.test,
        ),
    )


def will(setup: TableSetup, session: int) -> Message:
    """What the broker says for a daemon that vanished."""
    lost = Status(
        state="lost",
        session=session,
        version=setup.version,
        clock="unsynced",
        test=setup.test,
        reason="no sign",
    )
    return retained("status", lost)


def stopped(setup: TableSetup, session: int) -> Message:
    """The last word of a daemon that ends in good order."""
    last = Status(
        state="disconnected",
        session=session,
        version=setup.version,
        clock="unsynced",
        test=setup.test,
        reason="mesad was stopped",
    )
    return retained("status", last)


def history(records: list[RoundRecord]) -> Message:
    """The compact history, newest round first."""
    return retained("history", [history_entry(record) for record in reversed(records)])


class DeviceView(msgspec.Struct, frozen=True, kw_only=True):
    """A device's link as the table knows it."""

    state: str = "connecting"
    since: Instant
    reason: str | None = None
    identity: str | None = None


def device_status(device: str, view: DeviceView, health: Health, at: Instant) -> Message:
    """`device/{id}`: link state and health as of `at`."""
    last = health.last_frame
    return retained(
        f"device/{device}",
        msgspec.convert(
            {
                "id": device,
                "state": view.state,
                "since": timestamp(view.since.wall),
                "frames": health.frames,
                "bad_frames": health.bad_frames,
                "last_frame_at": timestamp(last.wall) if last else None,
                "last_frame_age_ms": max(0, at.mono - last.mono) // 1_000_000 if last else None,
                "firmware": health.firmware,
                "note": health.note,
                "reason": view.reason,
            },
            DeviceStatus,
        ),
    )


def fault(code: str, latched: Fault | None) -> Message:
    """`fault/{code}`: the latched fault, or the empty message that clears it."""
    return Message(f"fault/{code}", encode(latched) if latched else b"", retain=True)
