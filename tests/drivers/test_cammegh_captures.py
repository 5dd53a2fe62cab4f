"""The Cammegh driver on real captures, and on lines at random: whole, byte by byte and from snapshots."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from cammegh_line import instant
from cammegh_twins import CammeghTwins
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.cammegh.driver import Cammegh, CammeghOptions
from drivers.readings import (
    AnyReading,
    BallLaunched,
    FaultRaised,
    Instant,
    LaunchFailed,
    PocketSettled,
    PocketUnread,
    StatesMissed,
    UnsolicitedReply,
)

SLINGSHOT = CammeghOptions(model="slingshot-2")


def rows(path: Path) -> Iterator[tuple[Instant, str]]:
    """A capture's lines; the monotonic clock stands still where the file's goes back."""
    mono, before = 0, None
    for row in path.read_text().splitlines():
        if row.startswith("#"):
            continue
        time, _, line = row.partition("\t")
        wall = round(datetime.fromisoformat(time).timestamp() * 1_000_000)
        mono += max(0, wall - (before or wall)) * 1000
        before = wall
        yield Instant(mono, wall), line


def played(path: Path) -> tuple[Cammegh, list[AnyReading]]:
    """The capture through the driver, deadlines met between its lines."""
    driver = Cammegh("wheel", SLINGSHOT)
    said = list(driver.link_up(Instant(0, 0)))
    for at, line in rows(path):
        while driver.deadline is not None and driver.deadline <= at.mono:
            said += driver.advance(at.later(driver.deadline - at.mono))
        said += driver.receive(line.encode() + b"\r\n", at)
    return driver, said


def shown(path: Path) -> list[tuple[str, int]]:
    """What the lines of state 5 show, each run of them once: independent of the driver and its codec."""
    found: list[tuple[str, int]] = []
    before = None
    for _, line in rows(path):
        status = re.fullmatch(r"\*X;(\d);(\d{3});(..);.;\d{3};\d", line)
        if status is None:
            continue
        state, counter, number = status[1], int(status[2]), status[3].strip()
        if state == "5" and before != ("5", counter):
            found.append((number, counter))
        before = (state, counter)
    return found


def results(said: list[AnyReading]) -> list[tuple[str, int | None]]:
    return [(r.pocket, r.game) for r in said if isinstance(r, PocketSettled)]


def test_all_60_games_of_the_capture_give_their_number(shared_captures: Path) -> None:
    path = shared_captures / "slingshot2-games.tsv"
    expected = shown(path)
    assert len(expected) == 60
    driver, said = played(path)
    assert results(said) == expected
    assert not any(isinstance(r, PocketUnread) for r in said)
    assert driver.health().bad_frames == 0
    assert driver.health().note is None


def test_the_failed_launches_of_the_capture_are_games_007_043_and_052(shared_captures: Path) -> None:
    _, said = played(shared_captures / "slingshot2-games.tsv")
    failed: list[tuple[int | None, str | None, str | None]] = []
    game, attempt = None, None
    for reading in said:
        if isinstance(reading, LaunchFailed):
            attempt = reading.rotor
        elif isinstance(reading, PocketSettled) and attempt is not None:
            failed.append((reading.game, attempt, reading.rotor))
            attempt = None
        game = getattr(reading, "game", game)
    assert failed == [(7, "ccw", "cw"), (43, "cw", "ccw"), (52, "cw", "ccw")]


def test_the_capture_alternates_launch_by_launch(shared_captures: Path) -> None:
    _, said = played(shared_captures / "slingshot2-games.tsv")
    before: str | None = None
    launches = 0
    for reading in said:
        if isinstance(reading, BallLaunched | LaunchFailed):
            assert reading.rotor is not None
            assert reading.rotor != before
            before = reading.rotor
            launches += 1
        elif type(reading).__name__ in ("DeviceLost", "WheelClosed"):
            before = None
    assert launches == 65


def test_the_silences_of_the_capture_are_half_seen_games(shared_captures: Path) -> None:
    _, said = played(shared_captures / "slingshot2-games.tsv")
    kinds = Counter(type(r).__name__ for r in said)
    assert kinds["DeviceLost"] == 12
    assert kinds["GameStarted"] == 60 + kinds["GameAbandoned"]
    missed = [(r.before, r.now) for r in said if isinstance(r, StatesMissed)]
    assert missed.count(("place bets", "winning number")) == 1
    assert missed.count(("place bets", "no more bets")) == 1
    assert len([r for r in said if isinstance(r, UnsolicitedReply)]) == 1


def test_the_three_results_among_the_faults(shared_captures: Path) -> None:
    path = shared_captures / "slingshot2-faults.tsv"
    driver, said = played(path)
    assert results(said) == shown(path) == [("31", 1), ("32", 1), ("27", 1)]
    codes = Counter(r.code for r in said if isinstance(r, FaultRaised))
    assert set(codes) == {"wheel_drive", "rotor_speed"}
    assert driver.health().firmware == "V2.50"
    assert driver.health().bad_frames == 1
    assert not any(type(r).__name__ == "BallMissing" for r in said)


@pytest.mark.parametrize(("name", "every"), [("games", 1), ("faults", 25)])
def test_a_snapshot_at_any_place_of_a_capture_goes_on_alike(
    shared_captures: Path, name: str, every: int
) -> None:
    driver = Cammegh("wheel", SLINGSHOT)
    driver.link_up(Instant(0, 0))
    other = Cammegh("wheel", SLINGSHOT)
    for number, (at, line) in enumerate(rows(shared_captures / f"slingshot2-{name}.tsv")):
        while driver.deadline is not None and driver.deadline <= at.mono:
            driver.advance(at.later(driver.deadline - at.mono))
        data = line.encode() + b"\r\n"
        if number % every:
            driver.receive(data, at)
            continue
        other.restore(driver.snapshot())
        assert other.deadline == driver.deadline
        assert list(other.receive(data, at)) == list(driver.receive(data, at))
        assert other.snapshot() == driver.snapshot()


def test_the_games_byte_by_byte(shared_captures: Path) -> None:
    path = shared_captures / "slingshot2-games.tsv"
    _, said = played(path)
    driver = Cammegh("wheel", SLINGSHOT)
    bytewise = list(driver.link_up(Instant(0, 0)))
    for at, line in rows(path):
        while driver.deadline is not None and driver.deadline <= at.mono:
            bytewise += driver.advance(at.later(driver.deadline - at.mono))
        for byte in line.encode() + b"\r\n":
            bytewise += driver.receive(bytes([byte]), at)
    assert bytewise == said


# --- lines at random -----------------------------------------------------------------------------

NUMBERS = st.sampled_from(["  ", " 0", "17", "31", "05", "00", "37"])
HEADS = st.builds(
    lambda *fields: "*X;{};{:03d};{};{:X};{:03d};{}".format(*fields),
    st.integers(1, 7),
    st.sampled_from([12, 12, 12, 13, 1, 256, 0]),
    NUMBERS,
    st.sampled_from([0, 0, 0, 1, 2, 4, 8, 15]),
    st.sampled_from([0, 10, 170, 700]),
    st.integers(0, 1),
)
TAILS = st.builds(
    lambda *fields: ";{:04X};{:02X};{};{};{}".format(*fields),
    st.sampled_from([0, 0x80, 0x22]),
    st.integers(0, 9),
    st.sampled_from("01?"),
    st.sampled_from(["?????", "04000", "00000"]),
    st.sampled_from(["??", "17", "31"]),
)
OTHERS = st.sampled_from(
    ["17", "3", "*u OK", "*V V2.50 x", "*L 17", "*Y;1;250", "AT", "*S", "*N", "*W 17", "*X;4;14*X;*X;4;146"]
)
LINES = st.one_of(HEADS, HEADS, HEADS, st.builds(str.__add__, HEADS, TAILS), OTHERS)
PIECES = st.one_of(
    st.builds(
        lambda line, end, n: (line + end).encode() * n,
        LINES,
        st.sampled_from(["\r\n", "\n\r", "\r"]),
        st.integers(1, 3),
    ),
    st.builds(lambda line, cut: line.encode()[:cut], LINES, st.integers(0, 38)),
    st.binary(max_size=8),
)
STEPS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 0.5, 0.5, 3.0, 6.0]), st.one_of(PIECES, PIECES, PIECES, st.none())),
    max_size=60,
)


@pytest.mark.parametrize(
    "options",
    [
        {"model": "slingshot-2"},
        {"model": "mercury-360", "pockets": 38},
        {"model": "mercury-360", "protocol": "extended"},
        {"model": "mercury-360", "protocol": "basic"},
    ],
    ids=lambda options: "-".join(str(value) for value in options.values()),
)
@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_whole_bytewise_and_restored_say_the_same(
    options: dict[str, Any], steps: list[tuple[float, Any]]
) -> None:
    twins = CammeghTwins(CammeghOptions(**options))
    twins.link_up(instant(0))
    seconds, up = 0.0, True
    for after, data in steps:
        seconds += after
        at = instant(seconds)
        twins.wait(at)
        if data is None:
            up = not up
            (twins.link_up if up else twins.link_lost)(at)
        elif up:
            twins.receive(data, at)


def test_every_byte_value_for_long_is_counted_and_kept_in_bounds() -> None:
    twins = CammeghTwins(SLINGSHOT)
    twins.link_up(instant(0))
    noise = bytes(value * 7 % 256 for value in range(4096))
    for step in range(8):
        twins.receive(noise, instant(step / 2))
    assert twins.said == []
    assert twins.whole.health().frames == 0
    assert twins.whole.health().bad_frames > 8
