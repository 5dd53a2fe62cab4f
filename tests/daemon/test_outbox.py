"""What goes out in which order, over connections that begin and end; without any broker."""

from collections.abc import Sequence

from daemon.mqtt.outbox import ANSWERS, IN_FLIGHT, LIVE_SHARE, PAGE, Outbox
from daemon.records import Message


class Journal:
    """The journal's outbox: undelivered messages by id."""

    def __init__(self, outbox: Outbox) -> None:
        self.outbox = outbox
        self.undelivered: dict[int, Message] = {}
        self.last = 0
        self.given = 0

    def write(self, payload: str, topic: str = "event/round") -> int:
        """A message becomes durable; whether anybody is told is another matter."""
        self.last += 1
        retain = not topic.startswith("event/")
        self.undelivered[self.last] = Message(topic, payload.encode(), retain)
        return self.last

    def publish(self, payload: str, topic: str = "event/round") -> int:
        """A message becomes durable and is published."""
        number = self.write(payload, topic)
        self.outbox.publish(number, self.undelivered[number])
        return number

    def pages(self, after: int, limit: int) -> Sequence[tuple[int, Message]]:
        """The undelivered messages after an id."""
        return [entry for entry in sorted(self.undelivered.items()) if entry[0] > after][:limit]

    def refill(self) -> None:
        """Give the outbox what it wants, as often as it wants."""
        while (wanted := self.outbox.wanted()) is not None:
            page = self.pages(*wanted)
            self.given += len(page)
            self.outbox.refill(page, wanted[1], self.outbox.last_published)


class Line:
    """A connection: what was sent on it, and the packets that the broker has not answered for."""

    def __init__(self, journal: Journal, capacity: int = IN_FLIGHT) -> None:
        self.journal = journal
        self.outbox = journal.outbox
        self.sent: list[tuple[str, str]] = []
        self.open: list[int] = []
        self.outbox.connected(capacity)

    def pump(self) -> None:
        """Send what may be sent."""
        while (outgoing := self.outbox.take()) is not None:
            packet = len(self.sent) + 1
            self.sent.append((outgoing.topic, outgoing.payload.decode()))
            self.open.append(packet)
            self.outbox.sent(outgoing, packet, float(packet))

    def acknowledge(self, *, denied: bool = False) -> None:
        """The broker answers for the oldest packet."""
        outgoing = self.outbox.acknowledged(self.open.pop(0), denied=denied)
        assert outgoing is not None
        if outgoing.outbox_id is not None and not denied:
            del self.journal.undelivered[outgoing.outbox_id]

    def settle(self, *denied_topics: str) -> None:
        """Send and acknowledge until nothing is left."""
        while True:
            self.journal.refill()
            self.pump()
            if not self.open:
                return
            self.acknowledge(denied=self.sent[self.open[0] - 1][0] in denied_topics)

    def payloads(self, topic: str) -> list[str]:
        """What was sent on a topic."""
        return [payload for name, payload in self.sent if name == topic]


def test_a_connection_begins_with_the_status_and_goes_on_with_the_live_state() -> None:
    journal = Journal(Outbox())
    journal.write("1")
    for topic in ("phase", "device/wheel", "status"):
        journal.outbox.show(topic, topic.upper().encode())
    line = Line(journal)
    line.settle()
    assert line.sent == [
        ("status", "STATUS"),
        ("phase", "PHASE"),
        ("device/wheel", "DEVICE/WHEEL"),
        ("event/round", "1"),
    ]


def test_all_live_state_is_repeated_on_each_connection_in_its_latest_value() -> None:
    journal = Journal(Outbox())
    journal.outbox.show("phase", b"old")
    Line(journal).settle()
    journal.outbox.disconnected()
    journal.outbox.show("phase", b"older")
    journal.outbox.show("phase", b"new")
    again = Line(journal)
    again.settle()
    assert again.sent == [("phase", "new")]


def test_a_cleared_topic_is_remembered_until_the_broker_has_taken_it() -> None:
    journal = Journal(Outbox())
    journal.outbox.show("fault/sensor", b"broken")
    Line(journal).settle()
    journal.outbox.disconnected()
    journal.outbox.show("fault/sensor", b"")
    lost = Line(journal)
    lost.pump()
    assert lost.sent == [("fault/sensor", "")]
    journal.outbox.disconnected()  # before it was acknowledged
    again = Line(journal)
    again.settle()
    assert again.sent == [("fault/sensor", "")]
    journal.outbox.disconnected()
    forgotten = Line(journal)
    forgotten.settle()
    assert forgotten.sent == []


def test_a_topic_that_is_set_again_while_its_clearing_is_under_way_stays() -> None:
    journal = Journal(Outbox())
    journal.outbox.show("fault/sensor", b"")
    line = Line(journal)
    line.pump()
    journal.outbox.show("fault/sensor", b"broken again")
    line.settle()
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.sent == [("fault/sensor", "broken again")]


def test_a_topic_that_is_cleared_set_and_cleared_again_on_a_blocked_connection_ends_cleared() -> None:
    journal = Journal(Outbox())
    line = Line(journal, 1)
    for value in (b"", b"broken", b""):
        journal.outbox.show("fault/sensor", value)
        line.pump()
    line.settle()
    assert line.sent == [("fault/sensor", ""), ("fault/sensor", "")]


def test_published_messages_go_out_at_once_and_in_order_when_nothing_waits() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    line.settle()
    for number in range(5):
        journal.publish(str(number))
        line.pump()
    assert line.payloads("event/round") == ["0", "1", "2", "3", "4"]
    line.settle()
    assert not journal.undelivered
    assert journal.outbox.idle


def test_a_backlog_of_any_length_goes_through_a_bounded_memory_in_order() -> None:
    journal = Journal(Outbox())
    for number in range(10 * PAGE):
        journal.publish(str(number))
    line = Line(journal)
    most = 0
    while journal.undelivered:
        journal.refill()
        line.pump()
        most = max(most, journal.given - len(line.sent) + len(line.open))
        line.acknowledge()
    assert line.payloads("event/round") == [str(number) for number in range(10 * PAGE)]
    assert most <= PAGE + IN_FLIGHT


def test_what_is_published_on_a_blocked_connection_stays_in_the_journal_beyond_a_page() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    line.settle()
    for number in range(3 * PAGE):
        journal.publish(str(number))
        line.pump()
    line.settle()
    assert line.payloads("event/round") == [str(number) for number in range(3 * PAGE)]
    assert journal.given == 3 * PAGE - PAGE - (IN_FLIGHT - LIVE_SHARE)  # the rest was held in memory


def test_what_is_published_during_a_backlog_comes_after_it_and_once() -> None:
    journal = Journal(Outbox())
    for number in range(3 * PAGE):
        journal.write(str(number))
    line = Line(journal)
    number = 3 * PAGE
    while journal.undelivered:
        if number < 3 * PAGE + 20:
            journal.publish(str(number))
            number += 1
        journal.refill()
        line.pump()
        line.acknowledge()
    assert line.payloads("event/round") == [str(each) for each in range(number)]


def test_a_message_that_is_published_while_the_journal_is_read_is_not_lost() -> None:
    journal = Journal(Outbox())
    journal.write("0")
    line = Line(journal)
    wanted = journal.outbox.wanted()
    assert wanted is not None
    known = journal.outbox.last_published
    page = journal.pages(*wanted)
    journal.publish("1")  # after the page was read
    journal.outbox.refill(page, wanted[1], known)
    line.settle()
    assert line.payloads("event/round") == ["0", "1"]


def test_a_message_that_a_page_brought_before_it_was_published_is_sent_once() -> None:
    journal = Journal(Outbox())
    number = journal.write("0")
    line = Line(journal)
    journal.refill()
    journal.outbox.publish(number, journal.undelivered[number])
    journal.publish("1")
    line.settle()
    assert line.payloads("event/round") == ["0", "1"]


def test_what_was_in_flight_at_a_loss_is_sent_again_and_what_was_taken_is_not() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    line.settle()
    for number in range(4):
        journal.publish(str(number))
    line.pump()
    line.acknowledge()
    line.acknowledge()
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.payloads("event/round") == ["2", "3"]


def test_the_journal_is_not_asked_again_for_what_was_delivered() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    line.settle()
    for number in range(4):
        journal.publish(str(number))
    line.pump()
    for _ in range(4):
        journal.outbox.acknowledged(line.open.pop(0), denied=False)  # the journal has not noted it yet
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.sent == []


def test_acknowledgements_out_of_order_lose_nothing() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    line.settle()
    for number in range(3):
        journal.publish(str(number))
    line.pump()
    line.open.reverse()
    line.acknowledge()
    line.acknowledge()
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.payloads("event/round") == ["0"]


def test_live_state_does_not_wait_behind_a_backlog() -> None:
    journal = Journal(Outbox())
    for number in range(5 * PAGE):
        journal.write(str(number))
    line = Line(journal)
    journal.refill()
    line.pump()
    assert len(line.open) == IN_FLIGHT - LIVE_SHARE
    journal.outbox.show("phase", b"now")
    line.pump()
    assert line.sent[-1] == ("phase", "now")


def test_live_state_of_a_blocked_connection_is_the_latest_of_each_topic() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    for number in range(1000):
        journal.outbox.show("phase", str(number).encode())
        line.pump()
    assert len(line.open) == IN_FLIGHT
    line.settle()
    assert len(line.sent) == IN_FLIGHT + 1
    assert line.sent[-1] == ("phase", "999")


def test_no_more_is_in_flight_than_the_broker_takes() -> None:
    for capacity in (1, 2, 3):
        journal = Journal(Outbox())
        for number in range(10):
            journal.write(str(number))
        journal.outbox.show("status", b"ready")
        journal.outbox.show("phase", b"now")
        line = Line(journal, capacity)
        while journal.undelivered or line.open:
            journal.refill()
            line.pump()
            assert len(line.open) <= capacity
            line.acknowledge()
        assert line.sent[0] == ("status", "ready")
        assert line.payloads("event/round") == [str(number) for number in range(10)]


def test_a_published_retained_topic_is_repeated_on_a_connection_whose_backlog_is_empty() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    journal.publish("17", "result")
    line.settle()
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.sent == [("result", "17")]


def test_a_restored_result_is_sent_after_the_backlog_and_never_before() -> None:
    journal = Journal(Outbox())
    for result in ("15", "16", "17"):
        journal.write(result, "result")
    journal.outbox.show("result", b"17")
    journal.outbox.show("history", b"[17]")
    line = Line(journal)
    line.pump()  # before the journal has given anything
    line.settle()
    assert line.sent == [("history", "[17]"), ("result", "15"), ("result", "16"), ("result", "17")]


def test_an_old_result_that_was_denied_does_not_stay_over_a_newer_one() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    line.settle()
    journal.publish("16", "result")
    line.settle("result")
    journal.publish("17", "result")
    line.settle()
    assert [message.payload for message in journal.undelivered.values()] == [b"16"]
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.sent == [("result", "16"), ("result", "17")]
    assert not journal.undelivered


def test_the_same_holds_for_a_new_process_that_restored_the_newest() -> None:
    journal = Journal(Outbox())
    journal.write("16", "result")  # was denied; 17 came later and was delivered
    journal.outbox.show("result", b"17")
    line = Line(journal)
    line.settle()
    assert line.sent == [("result", "16"), ("result", "17")]
    journal.publish("18", "result")
    line.settle()
    assert line.sent[2:] == [("result", "18")]


def test_a_denied_message_lets_the_others_pass_and_is_tried_on_the_next_connection() -> None:
    journal = Journal(Outbox())
    for number in range(3):
        journal.write(str(number), f"event/{number}")
    line = Line(journal)
    line.settle("event/1")
    assert [topic for topic, _ in line.sent] == ["event/0", "event/1", "event/2"]
    assert list(journal.undelivered) == [2]
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.sent == [("event/1", "1")]
    assert not journal.undelivered


def denied_line(journal: Journal, *denied: str) -> Line:
    """A connection on which two messages on each of three topics were tried, and some topics denied."""
    for number in range(6):
        journal.write(str(number), f"event/{'abc'[number % 3]}")
    line = Line(journal)
    line.settle(*denied)
    line.sent.clear()
    return line


def rewind(line: Line, *denied: str) -> None:
    """Go back in the journal, as soon as that may be, and send what it then gives."""
    line.outbox.drain()
    while not line.outbox.drained:
        line.acknowledge()
    line.outbox.rewind()
    line.settle(*denied)


def test_what_was_denied_goes_out_in_order_and_once_when_its_topic_is_taken_again() -> None:
    journal = Journal(Outbox())
    line = denied_line(journal, "event/a", "event/b")
    assert not journal.outbox.owed
    journal.publish("6", "event/a")
    line.settle("event/b")
    assert journal.outbox.owed
    rewind(line, "event/b")
    assert line.sent == [("event/a", "6"), ("event/a", "0"), ("event/a", "3")]
    assert not journal.outbox.owed
    assert list(journal.undelivered) == [2, 5]
    line.sent.clear()
    journal.publish("7", "event/b")
    line.settle()
    rewind(line)
    assert line.payloads("event/b") == ["7", "1", "4"]
    assert not journal.undelivered
    assert journal.outbox.idle


def test_a_probe_is_one_message_of_each_denied_topic() -> None:
    journal = Journal(Outbox())
    journal.outbox.show("phase", b"open")
    line = denied_line(journal, "event/a", "event/b", "phase")
    journal.outbox.probe()
    line.settle("event/a", "phase")
    assert line.sent == [("phase", "open"), ("event/a", "0"), ("event/b", "1")]
    assert journal.outbox.owed
    rewind(line)
    assert line.sent[3:] == [("event/b", "4")]
    assert list(journal.undelivered) == [1, 4]


def test_going_back_repeats_nothing_that_is_in_flight_or_that_the_journal_still_has() -> None:
    journal = Journal(Outbox())
    line = denied_line(journal, "event/a")
    for number in range(6, 9):
        journal.publish(str(number), "event/a")
    line.pump()
    kept = dict(journal.undelivered)
    line.acknowledge()
    journal.publish("9", "event/a")
    assert journal.outbox.owed
    journal.outbox.drain()
    assert not journal.outbox.drained
    while not journal.outbox.drained:
        line.acknowledge()
    assert len(line.sent) == 3
    journal.undelivered = kept | journal.undelivered  # its thread has not written the last deliveries yet
    journal.outbox.rewind()
    line.settle()
    assert line.payloads("event/a") == ["6", "7", "8", "0", "3", "9"]


def test_what_is_still_owed_when_the_connection_ends_goes_out_on_the_next() -> None:
    journal = Journal(Outbox())
    line = denied_line(journal, "event/a")
    journal.publish("6", "event/a")
    line.settle()
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.payloads("event/a") == ["0", "3"]


def test_an_old_result_that_is_taken_late_does_not_stay_over_the_newest() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    for number in (15, 16):
        journal.publish(str(number), "result")
        line.settle("result")
    journal.publish("17", "result")
    line.settle()
    line.sent.clear()
    rewind(line)
    assert line.sent == [("result", "15"), ("result", "16"), ("result", "17")]


def test_a_message_that_is_too_long_is_tried_on_the_next_connection() -> None:
    journal = Journal(Outbox())
    journal.write("too long")
    journal.write("1")
    line = Line(journal)
    journal.refill()
    outgoing = journal.outbox.take()
    assert outgoing is not None
    journal.outbox.too_long(outgoing)
    journal.outbox.probe()
    line.settle()
    assert line.payloads("event/round") == ["1"]
    journal.publish("2")
    line.settle()
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.payloads("event/round") == ["too long"]


def test_answers_go_to_whoever_listens_and_are_not_kept() -> None:
    journal = Journal(Outbox())
    assert not journal.outbox.answer("replies/1", b"nobody", None)
    line = Line(journal, 1)
    journal.outbox.show("phase", b"now")
    line.pump()
    for number in range(ANSWERS + 5):
        assert journal.outbox.answer("replies/1", str(number).encode(), b"c")
    line.settle()
    assert line.payloads("replies/1") == [str(number) for number in range(5, ANSWERS + 5)]
    assert journal.outbox.answer("replies/1", b"late", None)
    journal.outbox.disconnected()
    again = Line(journal)
    again.settle()
    assert again.payloads("replies/1") == []


def test_the_oldest_unacknowledged_message_is_known() -> None:
    journal = Journal(Outbox())
    line = Line(journal)
    assert journal.outbox.oldest() is None
    journal.outbox.show("phase", b"1")
    line.pump()
    journal.outbox.show("phase", b"2")
    line.pump()
    assert journal.outbox.oldest() == 1.0
    line.acknowledge()
    assert journal.outbox.oldest() == 2.0
    assert journal.outbox.acknowledged(99, denied=False) is None
    line.acknowledge()
    assert journal.outbox.oldest() is None
