"""How often a link tries, and what it says about it."""

import itertools
from typing import Any

import structlog
from structlog.testing import capture_logs

from drivers.links.reconnect import Backoff, FailureLog, ReopenSpacing


def delays(draw: float, count: int) -> list[float]:
    backoff = Backoff(0.1, 5.0, lambda: draw)
    return [round(backoff.delay(), 6) for _ in range(count)]


def test_waits_double_up_to_the_cap_and_stay_there():
    assert delays(1.0, 8) == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_each_wait_is_drawn_from_its_upper_half():
    assert delays(0.0, 8) == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.5, 2.5]


def test_two_links_that_lost_the_same_server_do_not_try_in_step():
    one, other = Backoff(0.1, 5.0), Backoff(0.1, 5.0)
    assert [one.delay() for _ in range(8)] != [other.delay() for _ in range(8)]


def test_after_a_reset_the_waits_begin_again():
    backoff = Backoff(0.1, 5.0, lambda: 1.0)
    for _ in range(10):
        backoff.delay()
    backoff.reset()
    assert backoff.delay() == 0.1


def reopenings(ask_every: float, until: float, spacing: ReopenSpacing) -> list[float]:
    """The moments at which a device that stays silent is reopened when asked for every so often."""
    moments = []
    now, due = 0.0, None
    spacing.opened(0.0)
    for now in itertools.takewhile(lambda moment: moment <= until, itertools.count(ask_every, ask_every)):
        if due is None:
            due = spacing.ask(now)
        if due <= now:
            moments.append(now)
            spacing.take()
            spacing.opened(now)
            due = None
    return moments


def test_a_device_that_is_switched_off_is_reopened_ever_less_often():
    moments = reopenings(1.0, 400.0, ReopenSpacing((5.0, 10.0, 20.0, 40.0, 60.0)))
    gaps = [later - earlier for earlier, later in itertools.pairwise([0.0, *moments])]
    assert gaps == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0, 60.0, 60.0, 60.0]


def test_asking_once_an_opening_is_enough_and_keeps_the_spacing():
    moments = reopenings(4.0, 400.0, ReopenSpacing((5.0, 10.0, 20.0, 40.0, 60.0)))
    gaps = [later - earlier for earlier, later in itertools.pairwise([0.0, *moments])]
    assert all(gap >= least for gap, least in zip(gaps, [5, 10, 20, 40, 60, 60], strict=False))
    assert len(moments) <= 9


def test_a_link_that_was_well_for_long_is_reopened_at_once_and_the_steps_begin_again():
    spacing = ReopenSpacing((5.0, 10.0, 60.0))
    spacing.opened(0.0)
    for now in (5.0, 15.0):
        assert spacing.ask(now) == now
        spacing.take()
        spacing.opened(now)
    assert spacing.ask(16.0) == 75.0, "the third in a row waits the longest"
    assert spacing.ask(1000.0) == 1000.0
    spacing.take()
    spacing.opened(1000.0)
    assert spacing.ask(1001.0) == 1010.0, "the second in a row again"


def levels(lines: list[Any]) -> list[str]:
    return [line["log_level"] for line in lines]


def test_the_first_failure_warns_the_repeats_are_counted_and_the_end_is_one_line():
    failures = FailureLog(structlog.get_logger("mesad.link"), port="/dev/x")
    with capture_logs() as lines:
        for _ in range(4):
            failures.failed("port not opened", "no such device")
        failures.recovered("link recovered")
        failures.recovered("link recovered")
    assert levels(lines) == ["warning", "debug", "debug", "debug", "info"]
    assert all(line["port"] == "/dev/x" for line in lines)
    assert lines[3]["failures"] == 4
    assert lines[4]["failures"] == 4


def test_another_kind_of_failure_is_told_too_and_everything_again_after_recovery():
    failures = FailureLog(structlog.get_logger("mesad.link"))
    with capture_logs() as lines:
        for reason in ("cable", "permission", "cable"):
            failures.failed("port not opened", reason)
        failures.recovered("link recovered")
        failures.failed("port not opened", "cable")
    assert levels(lines) == ["warning", "warning", "debug", "info", "warning"]


def test_a_defect_is_told_once_with_its_traceback():
    failures = FailureLog(structlog.get_logger("mesad.link"))
    defects = [ValueError("line 1"), ValueError("line 2")]
    with capture_logs() as lines:
        for defect in defects:
            failures.failed("link lost", str(defect), defect)
    assert levels(lines) == ["error", "debug"]
    assert lines[0]["exc_info"] is defects[0]


def test_reasons_without_end_neither_flood_the_log_nor_the_memory():
    failures = FailureLog(structlog.get_logger("mesad.link"))
    with capture_logs() as lines:
        for number in range(1000):
            failures.failed("port not opened", f"in use by pid {number}")
    assert levels(lines).count("warning") == 32
