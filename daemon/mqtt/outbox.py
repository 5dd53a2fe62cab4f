"""What is to be published and in which order: pure, no broker and no clock in it.

Three kinds of message go out over one connection, all with QoS 1:

- **shown**: the live retained state. One value a topic, the latest wins. All of it again on every
  connection, `status` first. It never waits behind the journal's backlog: some places in flight are its
  own.
- **published**: what the journal keeps until the broker has taken it. Strictly in the order of its ids. At
  most `PAGE` wait in memory; what is beyond them stays in the journal, which is asked for it (`wanted`,
  `refill`). So a broker that is away for a week costs no memory, and a new process needs no other start.
- **answers** to requests: once, to whoever still listens.

The retained topic that is published, `result`, is not repeated at the beginning of a connection: a board
would see today's result, then yesterday's out of the backlog. It is repeated at the end of the backlog, and
only if the last one sent on this connection is not the newest. So boards see it move forward only, and the
broker keeps the newest. `history` and `stats` sum up what is recorded; they are shown after each commit.

A message that the broker denies stays in the journal, and the ones after it go on. It is tried again on the
next connection, and on this one when its topic turns out to be taken again (`owed`): then the journal is
gone through once more from the oldest open message on (`drain`, `rewind`), in order, without the topics that
are still denied. To find out, `probe` tries the oldest denied message of each topic, and no more than that,
however many there are. As an old result may come late then, the rule above puts the newest back after it. A
message that is too long for the broker is not tried again before the next connection.

Delivery is at least once: what was in flight when a connection ended is sent again with the same content.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from daemon.records import Message

PAGE = 64
"""Published messages that wait in memory at most."""
IN_FLIGHT = 20
"""Messages that are sent and not yet acknowledged at most, if the broker takes as many."""
LIVE_SHARE = 8
"""Places of `IN_FLIGHT` that published messages leave free."""
ANSWERS = 32
"""Answers that wait at most; then the oldest is dropped."""
STATUS = "status"
JOURNALED = ("result",)
"""Retained topics that are published, also where the journal holds none of them."""
TAKEN = 256
"""Messages delivered last that are remembered, as the journal's next page may still have them."""


class Outgoing(msgspec.Struct, frozen=True):
    """A message to be sent now. The topic is below the table's root, an answer's is absolute."""

    topic: str
    payload: bytes
    retain: bool
    outbox_id: int | None = None
    answer: bool = False
    correlation: bytes | None = None


@dataclass(slots=True)
class _Newest:
    """The newest value of a retained topic that is published."""

    payload: bytes
    outbox_id: int | None
    """None where it was restored: nothing that the journal still holds is newer."""


class Outbox:
    """The order of sending. The owner puts messages in; the connection takes them out one at a time."""

    def __init__(self) -> None:
        self._live: dict[str, bytes] = {}
        self._unsent: dict[str, None] = {}  # live topics to send on this connection, in order
        self._newest: dict[str, _Newest] = {}
        self._journaled = set(JOURNALED)
        self._said: dict[str, bytes] = {}  # published retained topics: what this connection sent last
        self._answers: deque[Outgoing] = deque()
        self._queue: deque[tuple[int, Message]] = deque()
        self._in_flight: dict[int, tuple[Outgoing, float]] = {}
        self._published_in_flight = 0
        self._connected = False
        self._capacity = 0
        self._caught_up = False
        self._cursor = 0  # the last id that is in the queue or left it, on this connection
        self._last_id = 0  # the last id that was published at all
        self._floor = 0  # every id up to here was delivered
        # On this connection, for all of which the floor stays below what is still to be delivered:
        self._denied: dict[str, Outgoing] = {}  # the oldest by topic
        self._too_long = False  # there was a message that the broker cannot take
        self._owed = False
        self._draining = False
        self._probes: deque[Outgoing] = deque()
        self._tried = 0  # every id up to here was in the queue when the journal was gone back to
        self._taken: deque[int] = deque(maxlen=TAKEN)

    # --- the owner's side ---------------------------------------------------------------------

    def show(self, topic: str, payload: bytes) -> None:
        """The value of a retained topic from now on; an empty one clears it and is then forgotten."""
        if topic in self._journaled:
            self._newest[topic] = _Newest(payload, None)
            return
        self._live[topic] = payload
        if self._connected:
            self._unsent[topic] = None

    def shows(self, topic: str) -> bool:
        """Whether a live topic has a value now."""
        return bool(self._live.get(topic))

    def publish(self, outbox_id: int, message: Message) -> None:
        """A message that is in the journal. Ids rise; one that is known already is ignored."""
        if outbox_id <= self._last_id:
            return
        self._last_id = outbox_id
        if message.retain:
            self._journal_topic(message.topic)
            self._newest[message.topic] = _Newest(message.payload, outbox_id)
        if outbox_id <= self._cursor:
            return  # a page from the journal already brought it
        if self._connected and self._caught_up and len(self._queue) < PAGE:
            self._queue.append((outbox_id, message))
            self._cursor = outbox_id
        else:
            self._caught_up = False

    def answer(self, topic: str, payload: bytes, correlation: bytes | None) -> bool:
        """An answer to a request; False where no connection is there to take it."""
        if not self._connected:
            return False
        if len(self._answers) >= ANSWERS:
            self._answers.popleft()
        self._answers.append(Outgoing(topic, payload, False, answer=True, correlation=correlation))
        return True

    # --- the connection's side ----------------------------------------------------------------

    def connected(self, capacity: int) -> None:
        """A connection begins, on which the broker takes `capacity` messages in flight (1 or more)."""
        self._forget_connection()
        self._connected = True
        self._capacity = max(1, min(capacity, IN_FLIGHT))
        self._unsent.update(dict.fromkeys(self._live))
        self._cursor = self._floor

    def disconnected(self) -> None:
        """The connection is gone, with all that was in flight."""
        self._forget_connection()

    def _forget_connection(self) -> None:
        self._connected = self._caught_up = False
        self._too_long = self._owed = self._draining = False
        self._tried = 0
        self._denied.clear()
        self._probes.clear()
        self._unsent.clear()
        self._said.clear()
        self._answers.clear()
        self._queue.clear()
        self._in_flight.clear()
        self._published_in_flight = 0

    def take(self) -> Outgoing | None:
        """The message to send next, or None when nothing may or needs to be sent now."""
        if not self._connected or len(self._in_flight) >= self._capacity:
            return None
        if self._unsent:
            topic = STATUS if STATUS in self._unsent else next(iter(self._unsent))
            del self._unsent[topic]
            return Outgoing(topic, self._live[topic], True)
        if self._answers:
            return self._answers.popleft()
        if self._draining:
            return None
        if self._queue or self._probes:
            return self._take_published()
        return self._take_repeated() if self._caught_up else None

    def _take_published(self) -> Outgoing | None:
        share = min(LIVE_SHARE, self._capacity // 2)
        if self._published_in_flight >= self._capacity - share:
            return None
        if self._probes:
            outgoing = self._probes.popleft()
        else:
            outbox_id, message = self._queue.popleft()
            outgoing = Outgoing(message.topic, message.payload, message.retain, outbox_id)
        if outgoing.retain:
            self._said[outgoing.topic] = outgoing.payload
        return outgoing

    def _take_repeated(self) -> Outgoing | None:
        for topic, newest in self._newest.items():
            if self._said.get(topic) != newest.payload:
                self._said[topic] = newest.payload
                return Outgoing(topic, newest.payload, True)
        return None

    def sent(self, outgoing: Outgoing, packet: int, now: float) -> None:
        """What `take` gave went out under this packet id, at this time in seconds."""
        self._in_flight[packet] = (outgoing, now)
        self._published_in_flight += outgoing.outbox_id is not None

    def acknowledged(self, packet: int, *, denied: bool) -> Outgoing | None:
        """The broker answered for a packet; gives what it was, or None for one that is not in flight."""
        entry = self._in_flight.pop(packet, None)
        if entry is None:
            return None
        outgoing = entry[0]
        if denied:
            self._note_denied(outgoing)
        elif self._denied and not outgoing.answer:
            earlier = self._denied.pop(outgoing.topic, None)
            self._owed |= earlier is not None and earlier.outbox_id is not None
        if outgoing.outbox_id is not None:
            self._published_in_flight -= 1
            if not denied:
                self._settled(outgoing.outbox_id)
        elif not (outgoing.payload or outgoing.answer or denied or outgoing.topic in self._unsent):
            self._forget_cleared(outgoing.topic)
        return outgoing

    def _forget_cleared(self, topic: str) -> None:
        if self._live.get(topic) == b"":
            del self._live[topic]

    def _note_denied(self, outgoing: Outgoing) -> None:
        if outgoing.answer:
            return
        known = self._denied.get(outgoing.topic)
        if known is None or (known.outbox_id is None and outgoing.outbox_id is not None):
            self._denied[outgoing.topic] = outgoing

    def too_long(self, outgoing: Outgoing) -> None:
        """What `take` gave cannot be sent on this connection."""
        self._too_long |= outgoing.outbox_id is not None

    def _settled(self, outbox_id: int) -> None:
        """Raise the floor over what was delivered, as long as nothing below it is open."""
        self._taken.append(outbox_id)
        if self._denied or self._owed or self._too_long:
            return
        waiting = (entry.outbox_id for entry, _ in self._in_flight.values() if entry.outbox_id is not None)
        if outbox_id < next(waiting, outbox_id + 1):
            self._floor = outbox_id

    # --- what was denied, once more -----------------------------------------------------------

    @property
    def owed(self) -> bool:
        """Whether a topic is taken again, on which the journal still holds what was denied."""
        return self._owed

    def probe(self) -> None:
        """Try each denied topic: with its oldest published message, or the value that is shown."""
        self._probes.clear()
        for topic, outgoing in self._denied.items():
            if outgoing.outbox_id is not None:
                self._probes.append(outgoing)
            elif topic in self._live:
                self._unsent[topic] = None
            else:
                self._said.pop(topic, None)

    def drain(self) -> None:
        """Send nothing published until all of it in flight is answered for, so that `rewind` repeats none."""
        self._draining = True

    @property
    def drained(self) -> bool:
        """Whether `drain` was asked for and `rewind` may follow."""
        return self._draining and not self._published_in_flight

    def rewind(self) -> None:
        """Go back in the journal to the oldest message that is not delivered."""
        self._tried = max(self._tried, self._cursor)
        self._cursor = self._floor
        self._queue.clear()
        self._probes.clear()
        self._caught_up = self._owed = self._draining = False

    def _is_open(self, outbox_id: int, topic: str) -> bool:
        """Whether a message from the journal is to be sent now; those tried before are not always."""
        return outbox_id > self._tried or (outbox_id not in self._taken and topic not in self._denied)

    def oldest(self) -> float | None:
        """When the message was sent that has waited longest for its acknowledgement, if any waits."""
        return next((since for _, since in self._in_flight.values()), None)

    @property
    def idle(self) -> bool:
        """Whether everything that may be sent was sent and answered for."""
        return (
            self._caught_up
            and not self._in_flight
            and not self._unsent
            and not self._queue
            and not self._answers
        )

    # --- the journal's side -------------------------------------------------------------------

    def wanted(self) -> tuple[int, int] | None:
        """What to ask the journal for now: (after this id, at most so many), or None."""
        if not self._connected or self._caught_up or len(self._queue) > PAGE // 2:
            return None
        return self._cursor, PAGE - len(self._queue)

    def refill(self, page: Sequence[tuple[int, Message]], asked: int, last_id: int) -> None:
        """The journal's page: undelivered messages in order of id.

        `asked` is the limit that `wanted` gave, `last_id` is `last_published` from when it was asked: a
        message published meanwhile may be missing from the page without the journal being at its end.
        """
        if not self._connected or self._caught_up:
            return
        for outbox_id, message in page[:asked]:
            if self._is_open(outbox_id, message.topic):
                self._queue.append((outbox_id, message))
            self._cursor = outbox_id
            if message.retain:
                self._journal_topic(message.topic)
                known = self._newest.get(message.topic)
                if known is None or (known.outbox_id is not None and known.outbox_id < outbox_id):
                    self._newest[message.topic] = _Newest(message.payload, outbox_id)
        self._caught_up = len(page) < asked and self._last_id <= max(self._cursor, last_id)

    def _journal_topic(self, topic: str) -> None:
        """From now on the topic is published, so it is not among the live ones."""
        if topic not in self._journaled:
            self._journaled.add(topic)
            self._live.pop(topic, None)
            self._unsent.pop(topic, None)

    @property
    def last_published(self) -> int:
        """The highest id given to `publish`."""
        return self._last_id
