"""Tables running: each with its journal, its links and its connection to the broker, in one process."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import structlog

from daemon.clock import Clock
from daemon.composition import make_drivers, table_setup
from daemon.config import DeviceConfig, TableConfig
from daemon.errors import AlreadyRunningError
from daemon.journal.batch import Batch, CommitResult, Numbers
from daemon.journal.errors import JournalError
from daemon.journal.journal import Journal
from daemon.mqtt.client import TableClient
from daemon.play import play_of
from daemon.play.play import Play
from daemon.records import Message, RoundRecord
from daemon.table import messages as table_messages
from daemon.table.actor import DeviceInput, TableActor
from daemon.table.messages import TableSetup
from daemon.table.state import HISTORY_LENGTH, TableState, new_state, read_state
from daemon.table.table import Table
from drivers.driver import SerialSettings
from drivers.links.ports import PortBusyError
from drivers.links.serial import SerialLink

log = structlog.get_logger("mesad.app")

LAST_COMMIT_WAITS = 5.0

EVENTS_A_RUN = 1_000_000_000
"""More events than one run can have."""

Watcher = Callable[[TableSetup, Message], None]
"""Told of every message of a table as it goes to the broker; for those that watch from inside."""


class RunningTable:
    """One configured table and all that it needs, from opening its journal to closing it."""

    def __init__(self, config: TableConfig, watcher: Watcher | None = None) -> None:
        """Opens the journal. Raises JournalError, JournalBusyError."""
        self._config = config
        self._setup = table_setup(config)
        self._watcher = watcher
        self._denials: dict[str, str] = {}
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._journal = Journal.open(
            config.journal.path,
            config.site,
            config.id,
            on_trouble=self._journal_trouble,
            on_recovered=lambda: self._actor.clear_fault("journal"),
            on_set_aside=self._journal_set_aside,
            keep_days=config.journal.keep_days,
            keep_mb=config.journal.keep_mb,
        )
        kept = self._journal.last_state()
        self._restarted = kept is not None
        bodies = self._journal.last_rounds(HISTORY_LENGTH)
        recent = [msgspec.json.decode(body, type=RoundRecord) for body in reversed(bodies)]
        play = play_of(config.game, config.language, config.policy, config.segments)
        state = read_state(kept, play) if kept else _begun_after(self._journal.numbers, recent, play)
        self._table = Table(self._setup, make_drivers(config), state, recent)
        self._client = TableClient(
            config.mqtt,
            self._setup.root,
            table_messages.last_word(
                self._setup, self._table.state.session, "lost", "mesad gave no more sign of life"
            ),
            backlog=self._backlog,
            on_command=self._command,
            on_delivered=self._journal.delivered,
            on_state=self._broker_state,
            on_denied=self._denied,
            on_allowed=self._allowed,
        )
        self._clock = Clock()  # each table's own: a step of the wall clock is told once a clock
        self._actor = TableActor(self._table, self, self, self._clock)
        self._links = [self._link(device) for device in config.devices]

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop`. Raises AlreadyRunningError where a port is held by somebody else at the start."""
        self._actor.start(restarted=self._restarted)
        if self._journal.set_aside is not None:
            self._journal_set_aside(self._journal.set_aside)
        name = self._setup.id
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._client.run(), name=f"{name}: broker")
                clock = tasks.create_task(self._actor.watch_clock(), name=f"{name}: clock")
                for link in self._links:
                    tasks.create_task(self._run_link(link), name=f"{name}: link {link.port}")
                end = tasks.create_task(self._end(stop, clock), name=f"{name}: end")
                end.add_done_callback(lambda _: self._failed.cancel())
                tasks.create_task(self._fail(), name=f"{name}: journal")
        finally:
            await self._journal.close()

    async def _fail(self) -> None:
        """Raises what the journal failed of, once it can never write again."""
        with contextlib.suppress(asyncio.CancelledError):
            await self._failed

    async def _end(self, stop: asyncio.Event, clock: asyncio.Task[None]) -> None:
        """When stopped: links, last commit, broker, in this order. What is not delivered stays recorded."""
        await stop.wait()
        clock.cancel()
        for link in self._links:
            link.close()
        await self._actor.stop(LAST_COMMIT_WAITS)
        session = self._table.state.session
        stopped = table_messages.last_word(self._setup, session, "disconnected", "mesad was stopped")
        await self._client.close(stopped)

    # --- what the actor records and publishes ---------------------------------------------------

    def submit(self, batch: Batch, done: Callable[[CommitResult], None]) -> None:
        """See `daemon.table.actor.Recorder`. A journal that can never write again ends the table."""
        try:
            self._journal.submit(batch, done)
        except (JournalError, ValueError) as error:
            if not self._failed.done():
                self._failed.set_exception(error)

    def show(self, message: Message) -> None:
        """See `daemon.table.actor.Publisher`."""
        self._client.show(message)
        if self._watcher is not None:
            self._watcher(self._setup, message)

    def publish(self, outbox_id: int, message: Message) -> None:
        """See `daemon.table.actor.Publisher`."""
        self._client.publish(outbox_id, message)
        if self._watcher is not None:
            self._watcher(self._setup, message)

    def answer(self, topic: str, payload: bytes, correlation: bytes | None) -> None:
        """See `daemon.table.actor.Publisher`."""
        self._client.answer(topic, payload, correlation)

    # --- links ----------------------------------------------------------------------------------

    def _link(self, device: DeviceConfig) -> SerialLink:
        settings = device.driver.serial(device.options) if device.driver.serial else SerialSettings(9600)
        listener = DeviceInput(self._actor, device.id)
        link = SerialLink(
            device.port, settings, listener, clock=self._clock.now, on_waiting=listener.link_waiting
        )
        self._actor.attach(device.id, link)
        return link

    async def _run_link(self, link: SerialLink) -> None:
        try:
            await link.run()
        except PortBusyError as busy:
            raise AlreadyRunningError(f"port {link.port}", busy.holder or "another program") from busy

    # --- what the surroundings tell -------------------------------------------------------------

    async def _backlog(self, after: int, limit: int) -> Sequence[tuple[int, Message]]:
        """The journal's, asked again for as long as the file cannot be read: what is in it is still owed."""
        while True:
            try:
                return await self._journal.backlog(after, limit)
            except JournalError as error:
                log.error("backlog not readable", table=self._setup.id, problem=str(error))
                await asyncio.sleep(1.0)

    def _command(self, name: str, payload: bytes, topic: str | None, correlation: bytes | None) -> None:
        self._actor.command(name, payload, topic, correlation)

    def _broker_state(self, connected: bool, reason: str | None) -> None:
        log.debug("broker", table=self._setup.id, connected=connected, reason=reason)

    def _denied(self, topic: str, reason: str) -> None:
        self._denials[topic] = reason
        self._tell_denials()

    def _allowed(self, topic: str) -> None:
        self._denials.pop(topic, None)
        self._tell_denials()

    def _tell_denials(self) -> None:
        if not self._denials:
            self._actor.clear_fault("publish_denied")
            return
        which = "; ".join(f"{topic}: {reason}" for topic, reason in sorted(self._denials.items()))
        remedy = "allow it in the broker's access list, or raise its packet limit where it says so"
        self._actor.raise_fault("publish_denied", f"the broker refuses {which}", remedy)

    def _journal_trouble(self, text: str) -> None:
        log.error("journal in trouble", table=self._setup.id, problem=text)
        self._actor.raise_fault(
            "journal", text, "make room on the disk, or replace it, while mesad still runs"
        )

    def _journal_set_aside(self, text: str) -> None:
        log.error("journal set aside", table=self._setup.id, problem=text)
        remedy = "see the text; a file that was set aside is kept for examination"
        self._actor.raise_fault("journal_set_aside", text, remedy)


def _begun_after(numbers: Numbers, recent: Sequence[RoundRecord], play: Play[Any, Any]) -> TableState:
    """The state of a table whose journal has none: new, or set aside, and then beyond every number used."""
    return new_state(
        play,
        next_round=numbers.round + 1,
        next_seq=numbers.seq + 1,
        next_event=numbers.session * EVENTS_A_RUN + 1,
        session=max((record.session for record in recent), default=numbers.session) + 1,
    )


async def run_tables(
    configs: Sequence[TableConfig], watcher: Watcher | None = None, stop: asyncio.Event | None = None
) -> None:
    """All tables until `stop`, SIGTERM or SIGINT. Raises a group of what ended the tables."""
    loop = asyncio.get_running_loop()
    tables = [RunningTable(config, watcher) for config in configs]

    stopped = stop or asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    try:
        async with asyncio.TaskGroup() as running:
            for table, config in zip(tables, configs, strict=True):
                running.create_task(table.run(stopped), name=f"table {config.id}")
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
