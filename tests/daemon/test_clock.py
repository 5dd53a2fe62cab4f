"""The clock: both clocks read together, steps of the wall clock seen, the kernel's state told."""

import ctypes
import time
from types import SimpleNamespace
from typing import Any

import pytest

from daemon.clock import STEP, Clock, kernel_sync

SECOND = 1_000_000_000


class Hands:
    """Two clocks that a test moves by hand, in nanoseconds."""

    def __init__(self) -> None:
        self.mono = 5 * SECOND
        self.wall = 1_700_000_000 * SECOND
        self.pauses: list[int] = []

    def read_mono(self) -> int:
        return self.mono

    def read_wall(self) -> int:
        value = self.wall
        if self.pauses:  # put aside between one reading and the next
            self.pass_time(self.pauses.pop(0))
        return value

    def pass_time(self, nanoseconds: int) -> None:
        self.mono += nanoseconds
        self.wall += nanoseconds

    def clock(self) -> Clock:
        return Clock(self.read_mono, self.read_wall, lambda: "synced")


def test_an_instant_has_both_clocks_in_their_units() -> None:
    hands = Hands()
    instant = hands.clock().now()
    assert instant.mono == 5 * SECOND
    assert instant.wall == 1_700_000_000 * 1_000_000


def test_the_real_clock_advances_and_agrees_with_the_system() -> None:
    clock = Clock()
    first, second = clock.now(), clock.now()
    assert second.mono >= first.mono
    assert first.wall > 1_700_000_000_000_000
    assert clock.step() is None


@pytest.mark.parametrize("seconds", [-100, 100, 1, -1])
def test_a_step_of_the_wall_clock_is_told_once_with_its_size(seconds: int) -> None:
    hands = Hands()
    clock = hands.clock()
    hands.pass_time(7 * SECOND)
    assert clock.step() is None
    hands.wall += seconds * SECOND
    hands.pass_time(3 * SECOND)
    step = clock.step()
    assert step is not None
    assert step.microseconds == seconds * 1_000_000
    assert step.at.wall == hands.wall // 1000
    assert step.at.mono == hands.mono
    assert clock.step() is None


def test_small_jumps_add_up_to_one_that_is_told() -> None:
    hands = Hands()
    clock = hands.clock()
    told = []
    for _ in range(4):
        hands.wall += (STEP // 3 + 1) * 1000
        hands.pass_time(SECOND)
        told.append(clock.step())
    assert [step is not None for step in told] == [False, False, True, False]
    assert told[2] is not None
    assert told[2].microseconds == 3 * (STEP // 3 + 1)


def test_a_process_put_aside_between_the_readings_is_no_step() -> None:
    hands = Hands()
    clock = hands.clock()
    hands.pauses = [2 * SECOND]
    assert clock.step() is None
    hands.pauses = [2 * SECOND, 90_000_000, 3 * SECOND]
    assert clock.step() is None


def _libc(adjtimex: Any) -> Any:
    return lambda name: SimpleNamespace(adjtimex=adjtimex)


@pytest.mark.parametrize(
    ("state", "told"), [(0, "synced"), (1, "synced"), (4, "synced"), (5, "unsynced"), (-1, "unsynced")]
)
def test_the_kernel_is_asked_without_setting_anything(
    monkeypatch: pytest.MonkeyPatch, state: int, told: str
) -> None:
    asked = []

    def adjtimex(timex: Any) -> int:
        asked.append(bytes(timex._obj))
        return state

    monkeypatch.setattr(ctypes, "CDLL", _libc(adjtimex))
    assert kernel_sync() == told
    assert Clock().sync() == told
    assert len(asked) == 2
    assert all(not any(content) for content in asked), "modes must be 0: read, set nothing"
    assert len(asked[0]) >= 208


def test_without_adjtimex_the_clock_counts_as_unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    assert kernel_sync() == "unsynced"


def test_the_real_kernel_answers() -> None:
    assert kernel_sync() in ("synced", "unsynced")


def test_a_wall_clock_beyond_what_nanoseconds_hold_does_not_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_far() -> int:
        raise OverflowError

    monkeypatch.setattr(time, "time_ns", too_far)
    assert Clock().now().wall == ((1 << 63) - 1) // 1000
