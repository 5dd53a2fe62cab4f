"""The campaigns in small; `make games`, `make kills`, `make fuzz` and `make fair` run them whole."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from campaigns import bare_wheels, fortune_wheels

from simulators.devices.sensor_fortune_wheel import Build
from simulators.physics.fortune_wheel import Bearing

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("script", "arguments", "last_words"),
    [
        ("games.py", ["--games", "1500", "--seed", "11"], "1500    1500"),
        ("fortune_wheels.py", ["--spins", "138", "--seed", "11"], "0 wrong"),
        ("bare_wheels.py", ["--spins", "200", "--seed", "11"], "voided 0; other errors 0"),
        ("real_time.py", ["--wheels", "5", "--games", "2", "--speed", "6", "--silence", "30"], "10      10"),
        ("level_wheels.py", ["--wheels", "30", "--spins", "2000", "--tilted", "10"], "as stated"),
        ("kills.py", ["--kills", "12", "--seed", "11"], "0 problems"),
        ("fuzz_cammegh.py", ["--seconds", "5", "--seed", "11"], "findings 0"),
        ("fuzz_sensor.py", ["--seconds", "5", "--seed", "11"], "findings 0"),
    ],
)
async def test_a_campaign_in_small(script: str, arguments: list[str], last_words: str) -> None:
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, str(TESTS / "campaigns" / script), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS)])},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert last_words in done.stdout


@pytest.mark.parametrize(
    ("bearing", "words"),
    [(0.0, "between two pegs"), (0.09, "beside a peg 2 times")],
    ids=["refused", "beside"],
)
def test_a_wheel_that_cannot_be_calibrated_is_counted_and_no_spin_is_played(
    bearing: float, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = Bearing(bearing=bearing, air=0.05, peg=0.01)
    monkeypatch.setattr(fortune_wheels, "wheel_of", lambda number, seed: Build(wheel))
    monkeypatch.setattr(fortune_wheels, "BESIDE_A_PEG", 2)
    monkeypatch.setattr("drivers.fortune_wheel.calibrated.CLEAR", 1.0)
    tally = fortune_wheels.one_wheel((0, 1, 50))
    assert tally.bad == {"not calibrated": 1}
    assert words in tally.examples[0]
    assert not tally.came


@pytest.mark.parametrize(("copies", "wrong"), [(0, {"lost"}), (1, set()), (2, {"twice"})])
@pytest.mark.parametrize("verdict", ["valid", "void"])
def test_a_record_that_is_lost_or_comes_twice_is_an_error_of_the_campaign(
    verdict: str, copies: int, wrong: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    play = bare_wheels.play

    def altered(*arguments: Any) -> Iterator[Any]:
        for message in play(*arguments):
            is_one = (
                message.topic == "event/round" and json.loads(message.payload)["data"]["verdict"] == verdict
            )
            yield from [message] * (copies if is_one else 1)

    monkeypatch.setattr(bare_wheels, "play", altered)
    matrix = bare_wheels.wheel_of("boule", 4, 10, 0.5)
    assert {name for _, name in matrix.wrong} == wrong
    assert len({name for name, _ in matrix.games}) > 1, "there were mishaps"
    assert matrix.show() == bool(wrong)
