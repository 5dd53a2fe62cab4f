"""The table's side of MQTT: its messages out, the requests in, one client a table.

What is sent in which order is `daemon.mqtt.outbox`'s to say, what may come in `daemon.mqtt.inbox`'s, what a
connection is `daemon.mqtt.connection`'s. Here is what lies between: the connection's loss and its return.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable, Sequence

import structlog

from daemon.mqtt import inbox
from daemon.mqtt.connection import BROKE, Connection, NotConnectedError, Version
from daemon.mqtt.outbox import STATUS, Outbox, Outgoing
from daemon.mqtt.settings import MqttSettings, exposure
from daemon.records import Message

ACK_TIMEOUT = 10.0
FIRST_DELAY = 0.1
LAST_DELAY = 5.0
STABLE = 5.0
"""Seconds after which a connection counts as a good one, and its loss as a new failure."""
TICK = 1.0
GOODBYE_TIMEOUT = 1.0
PROBE_APART = 120.0
REWIND_APART = 10.0
COMMANDS = "cmd/"
FAULTS = "fault/"

_VERSIONS: dict[str, tuple[Version, ...]] = {"auto": ("5", "3.1.1"), "5": ("5",), "3.1.1": ("3.1.1",)}
_log = structlog.get_logger("mesad.mqtt")


class TableClient:
    """All methods are called on the loop that runs `run`, and none blocks; neither may the callbacks."""

    def __init__(
        self,
        settings: MqttSettings,
        root: str,
        will: Message,
        *,
        backlog: Callable[[int, int], Awaitable[Sequence[tuple[int, Message]]]],
        on_command: Callable[[str, bytes, str | None, bytes | None], None],
        on_delivered: Callable[[int], None],
        on_state: Callable[[bool, str | None], None],
        on_denied: Callable[[str, str], None],
        on_allowed: Callable[[str], None],
    ) -> None:
        """`root` is the table's topic with the slash at its end, e.g. `mesad/v1/madrid-1/ruleta-01/`.

        `will`: what the broker publishes when the table is lost. Its topic is below `root`, as all messages'
        are. `backlog`: the journal's undelivered messages after an id, in order, at most so many. It is asked
        when a connection begins, and whenever more waits than memory holds.
        `on_command`: name, payload (at most 8 KB of anything), where to answer, correlation data.
        `on_delivered`: the broker took the published message of this id.
        `on_state`: connected or not, and why not; told when either changes.
        `on_denied`: the broker refuses this topic (`cmd/+`: to hear it), for this reason; told once until it
        takes it again. `on_allowed`: it takes a topic again that it refused.
        """
        if not root.endswith("/"):
            raise ValueError("root must end in a slash")
        self._settings = settings
        self._root = root
        self._client_id = settings.client_id or "-".join(["mesad", *root.rstrip("/").split("/")[-2:]])
        self._will = Message(root + will.topic, will.payload, will.retain)
        self._backlog = backlog
        self._on_command = on_command
        self._on_delivered = on_delivered
        self._on_state = on_state
        self._on_denied = on_denied
        self._on_allowed = on_allowed
        self._outbox = Outbox()
        self._connection: Connection | None = None
        self._opening: Connection | None = None
        self._knows_5 = False
        self._wake = asyncio.Event()
        self._ended = asyncio.Event()
        self._ended.set()
        self._closing = False
        self._deadline = 0.0
        self._final: bytes | None = None
        self._final_taken = False
        self._state: tuple[bool, str | None] | None = None
        self._failures = 0
        self._warned = False
        self._brief = 0  # connections since the last one that lasted
        self._reasons: set[str | None] = set()  # told since the last connection that lasted
        self._told: set[str | tuple[str, str]] = set()
        self._denied_topics: set[str] = set()
        self._too_long_topics: set[str] = set()  # on this connection; they do not count as allowed again
        self._probe_at = self._rewind_at = 0.0
        self.denied = 0
        """Publishes that the broker refused."""
        self.ignored = 0
        """Commands, and topics to answer to, that were not acceptable."""

    @property
    def connected(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None

    @property
    def protocol(self) -> Version | None:
        """The version of MQTT that the present connection speaks."""
        return self._connection.version if self._connection else None

    # --- messages out -------------------------------------------------------------------------

    def show(self, message: Message) -> None:
        """Live retained state: sent at once, again on each connection, the latest value wins.

        An empty payload clears the topic. Of the one that is published (`result`) the owner shows the newest
        value once, before `run`; it is sent after the backlog.
        """
        self._outbox.show(message.topic, message.payload)
        self._pump()

    def publish(self, outbox_id: int, message: Message) -> None:
        """A message that is in the journal's outbox under this id; ids rise. Sent in order, until taken."""
        self._outbox.publish(outbox_id, message)
        self._pump()

    def answer(self, topic: str, payload: bytes, correlation: bytes | None) -> bool:
        """Answer a request, once. False where there is no connection or the topic is not acceptable."""
        if not self._may_answer(topic) or not self._outbox.answer(topic, payload, correlation):
            return False
        self._pump()
        return True

    def _pump(self) -> None:
        """Send what may be sent, in this very turn of the loop."""
        connection = self._connection
        if connection is None:
            return
        now = time.monotonic()
        while (outgoing := self._outbox.take()) is not None:
            topic = outgoing.topic if outgoing.answer else self._root + outgoing.topic
            if not connection.fits(topic, outgoing.payload, outgoing.correlation):
                self._outbox.too_long(outgoing)
                self._too_long_topics.add(outgoing.topic)
                self._refused(outgoing, f"the broker takes {connection.packet_maximum} bytes at most")
                continue
            packet = connection.send(topic, outgoing.payload, outgoing.retain, outgoing.correlation)
            if packet is None:
                return
            self._outbox.sent(outgoing, packet, now)
        connection.flush()
        outbox = self._outbox
        if self._closing or outbox.owed or outbox.wanted() is not None:
            self._wake.set()

    def _acknowledged(self, packet: int, refusal: str | None) -> None:
        outgoing = self._outbox.acknowledged(packet, denied=refusal is not None)
        if outgoing is None:
            return
        if refusal is not None:
            self._refused(outgoing, refusal)
        else:
            self._allowed(outgoing.topic)
            self._final_taken |= outgoing.topic == STATUS and outgoing.payload == self._final
            if outgoing.outbox_id is not None:
                self._on_delivered(outgoing.outbox_id)
        self._pump()

    def _refused(self, outgoing: Outgoing, reason: str) -> None:
        self.denied += 1
        if outgoing.answer:
            self._ignore("answer", f"the broker refuses it: {reason}")
        elif outgoing.topic not in self._denied_topics:
            self._denied_topics.add(outgoing.topic)
            _log.warning("publish_denied", topic=self._root + outgoing.topic, reason=reason)
            self._on_denied(outgoing.topic, reason)

    def _allowed(self, topic: str) -> None:
        if topic in self._denied_topics and topic not in self._too_long_topics:
            self._denied_topics.discard(topic)
            self._on_allowed(topic)

    # --- requests in --------------------------------------------------------------------------

    def _delivered(
        self, topic: str, payload: bytes, retained: bool, reply: str | None, correlation: bytes | None
    ) -> None:
        if topic.startswith(self._root + FAULTS):
            if retained and payload:
                self._found_fault(topic.removeprefix(self._root))
            return
        if not topic.startswith(self._root + COMMANDS):
            return  # not asked for: some brokers send a newcomer what others subscribed to
        try:
            name = inbox.command(self._root + COMMANDS, topic, payload, retained, correlation)
        except inbox.UnacceptableError as why:
            self._ignore("command", str(why))
            return
        if reply is not None and not self._may_answer(reply):
            reply = None
        try:
            self._on_command(name, payload, reply, correlation)
        except Exception:  # noqa: BLE001  # what a stranger sends must not end the table's publishing
            _log.exception("command_failed", command=name)

    def _found_fault(self, topic: str) -> None:
        """Clear a fault that the broker retains, unless the table shows it now."""
        if inbox.is_fault(topic) and not self._outbox.shows(topic):
            _log.info("old_fault_cleared", topic=self._root + topic)
            self.show(Message(topic, b"", True))

    def _may_answer(self, topic: str) -> bool:
        if inbox.answerable(self._root, topic):
            return True
        self._ignore("answer", "its topic is none that an answer may go to")
        return False

    def _ignore(self, what: str, reason: str) -> None:
        """Count what was not acceptable; say so once for each reason."""
        self.ignored += 1
        log = _log.debug if (what, reason) in self._told else _log.warning
        self._told.add((what, reason))
        log(f"{what}_ignored", reason=reason, ignored=self.ignored)

    def _subscribed(self, filter_: str, refusal: str | None) -> None:
        topic = filter_.removeprefix(self._root)
        if topic.startswith(FAULTS):
            if refusal is not None and topic not in self._told:
                self._told.add(topic)
                _log.warning("old_faults_stay", topic=filter_, reason=refusal)
        elif refusal is None:
            self._allowed(topic)
        elif topic not in self._denied_topics:
            self._denied_topics.add(topic)
            _log.warning("subscription_denied", topic=filter_, reason=refusal)
            self._on_denied(topic, refusal)

    # --- the connection, again and again ------------------------------------------------------

    async def run(self) -> None:
        """Keep a connection for ever: returns after `close`, raises what a callback or the backlog raised."""
        self._ended.clear()
        delay = FIRST_DELAY
        try:
            while not self._closing:
                began = time.monotonic()
                reason = await self._connect_and_serve()
                if self._closing:
                    break
                if self._state == (True, None) and time.monotonic() - began >= STABLE:
                    delay = FIRST_DELAY
                    self._brief = 0
                    self._reasons.clear()
                self._tell(False, self._with_hint(reason))
                self._wake.clear()
                await self._sleep(delay * random.uniform(0.5, 1.0))  # noqa: S311
                delay = min(2 * delay, LAST_DELAY)
        finally:
            self._ended.set()

    def _with_hint(self, reason: str) -> str:
        """Not every broker says why it ends a connection; time and again, there is one likely cause."""
        self._brief += self._state == (True, None)
        if reason != BROKE or self._brief < 3:
            return reason
        return f"{reason}, again and again; does another client call itself {self._client_id}?"

    async def close(self, status: Message, patience: float = 2.0) -> None:
        """Publish the final status, wait up to `patience` seconds for what is on its way, disconnect.

        `run` returns then. What was not delivered is in the journal. An opening that is under way is given
        up, which takes as long as the system needs to let go of it: a few seconds, or the resolver's time.
        """
        self._deadline = time.monotonic() + patience
        self._final = status.payload
        self._closing = True
        self.show(status)
        if self._opening is not None:
            self._opening.give_up()
        self._wake.set()
        await self._ended.wait()

    async def _connect_and_serve(self) -> str:
        """One connection from its beginning to its end; the reason for the end."""
        try:
            connection = await self._open()
        except NotConnectedError as error:
            return error.reason
        try:
            self._begin(connection)
            return await self._serve(connection)
        finally:
            self._connection = None
            self._outbox.disconnected()
            await connection.drop()

    async def _open(self) -> Connection:
        """A connection that the broker accepted. Raises NotConnectedError."""
        self._warn_of_exposure()
        *earlier, last = _VERSIONS[self._settings.protocol]
        for version in earlier:
            try:
                return await self._open_with(version)
            except NotConnectedError as error:
                too_new = error.version == "refused" or (error.version == "unclear" and not self._knows_5)
                if not too_new or self._closing:
                    raise
        return await self._open_with(last)

    async def _open_with(self, version: Version) -> Connection:
        connection = Connection(
            self._settings,
            version,
            self._client_id,
            self._will,
            on_acknowledged=self._acknowledged,
            on_delivery=self._delivered,
            on_subscribed=self._subscribed,
        )
        self._opening = connection
        try:
            await connection.open()
        finally:
            self._opening = None
        self._knows_5 |= version == "5"
        return connection

    def _begin(self, connection: Connection) -> None:
        """What a connection begins with: the status, the live state, the commands; then the backlog."""
        connection.lost.add_done_callback(lambda _: self._wake.set())
        self._connection = connection
        self._too_long_topics.clear()
        self._probe_at, self._rewind_at = time.monotonic() + PROBE_APART, 0.0
        self._outbox.connected(connection.receive_maximum)
        self._pump()
        connection.listen(f"{self._root}{COMMANDS}+")
        connection.listen(f"{self._root}{FAULTS}+", retained=True)
        connection.flush()
        self._tell(True, None)

    async def _serve(self, connection: Connection) -> str:
        """Feed the outbox from the journal and watch the acknowledgements until the connection ends."""
        while not connection.lost.done():
            self._wake.clear()
            self._try_denied(connection)
            if (wanted := self._outbox.wanted()) is not None:
                await self._refill(*wanted)
                continue
            now = time.monotonic()
            oldest = self._outbox.oldest()
            if oldest is not None and now - oldest > ACK_TIMEOUT:
                return f"the broker acknowledged nothing for {ACK_TIMEOUT:g} s"
            if self._closing and (self._outbox.idle or now >= self._deadline):
                return await self._leave(connection)
            await self._sleep(min(TICK, self._deadline - now) if self._closing else TICK)
        return connection.lost.result()

    def _try_denied(self, connection: Connection) -> None:
        """What the broker refused on this connection, once more, where it is time."""
        outbox, now = self._outbox, time.monotonic()
        if now >= self._probe_at and self._denied_topics:
            self._probe_at = now + PROBE_APART
            if f"{COMMANDS}+" in self._denied_topics:
                connection.listen(f"{self._root}{COMMANDS}+")
            outbox.probe()
            self._pump()
        if outbox.owed and now >= self._rewind_at:
            self._rewind_at = now + REWIND_APART
            outbox.drain()
        if outbox.drained:
            outbox.rewind()

    async def _refill(self, after: int, limit: int) -> None:
        last_published = self._outbox.last_published
        page = await self._backlog(after, limit)
        self._outbox.refill(page, limit, last_published)
        self._pump()

    async def _leave(self, connection: Connection) -> str:
        """Say goodbye, but only if the final status was taken: otherwise the will is nearer the truth."""
        if self._final_taken:
            connection.say_goodbye()
            await asyncio.wait([connection.lost], timeout=GOODBYE_TIMEOUT)
        return "closed"

    async def _sleep(self, seconds: float) -> None:
        """Until something needs looking at, at most so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    # --- what is told -------------------------------------------------------------------------

    def _warn_of_exposure(self) -> None:
        path = self._settings.password_file
        if path and path not in self._told and (who := exposure(path)):
            self._told.add(path)
            _log.warning("password_file_readable", path=path, by=who, remedy=f"chmod 600 {path}")

    def _tell(self, connected: bool, reason: str | None) -> None:
        """Tell the owner of a change, and the log of the first failure and of the recovery with the count."""
        if connected:
            log = _log.info if self._warned or self._state is None else _log.debug
            log("broker_connected", protocol=self.protocol, failures=self._failures)
            self._failures, self._warned = 0, False
        else:
            self._failures += 1
            known = reason in self._reasons
            (_log.debug if known else _log.warning)("broker_lost", reason=reason, failures=self._failures)
            self._warned |= not known
            self._reasons.add(reason)
        if self._state != (connected, reason):
            self._state = (connected, reason)
            self._on_state(connected, reason)
