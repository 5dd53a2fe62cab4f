"""`mesad calibrate` of a fortune wheel from its port: what it asks, and when it has enough."""

import pytest
from fortune_wheel_line import COUNTED, calibrated, scenario

from daemon.cli import calibrate_spins
from daemon.errors import DeviceUnavailableError
from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.readings import Instant
from drivers.tracking.calibration import TooLittleSeenError
from simulators.devices.sensor_fortune_wheel import SensorFortuneWheel
from simulators.traffic import Bytes


class Asked:
    """Answers what the dialogue asks, by the truth of the spin."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wrong: dict[int, str]) -> None:
        self.questions: list[str] = []
        self.truth = ""
        self._wrong = wrong
        monkeypatch.setattr("builtins.input", self._answer)

    def _answer(self, question: str) -> str:
        self.questions.append(question)
        return self._wrong.get(len(self.questions), self.truth)


async def played(
    dialogue: calibrate_spins.Dialogue, recorder: calibrate_spins.SpinRecorder, asked: Asked
) -> int:
    """Spins until the dialogue has enough; how many."""
    recorder.link_up(Instant(0, 0), "port")
    for number, game in enumerate(SensorFortuneWheel(COUNTED, 4, scenario("one_strong_push")).games(), 1):
        assert game.truth.segment is not None
        asked.truth = str(game.truth.segment + 1)
        for item in game.items:
            if isinstance(item, Bytes):
                recorder.link_bytes(item.data, Instant(int(item.t * 1e9), 0))
        if await dialogue.step():
            return number
    raise AssertionError


@pytest.mark.parametrize(
    ("wrong", "spins", "why"),
    [
        ({}, 6, None),
        ({2: "9", 3: "peg", 4: "peg"}, 7, "contradict each other"),
        ({1: "peg", 2: "peg", 3: "peg"}, 7, "no two segments"),
    ],
)
async def test_a_dialogue_asks_for_one_more_spin_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wrong: dict[int, str],
    spins: int,
    why: str | None,
) -> None:
    asked = Asked(monkeypatch, wrong)
    recorder = calibrate_spins.SpinRecorder(FortuneWheelOptions(segments=54, counts=4000))
    dialogue = calibrate_spins.Dialogue(recorder, 6, [])
    assert await played(dialogue, recorder, asked) == spins
    known, index = dialogue.taught.known, dialogue.taught.zero
    assert known.index_at == pytest.approx(calibrated(COUNTED).index_at, abs=1 / 4000)
    assert index.sense_shown
    out = capsys.readouterr().out
    assert "spin the wheel 6 times clockwise as the players see it" in out
    assert ("one more spin, please" in out) == (why is not None)
    assert why is None or why in out


async def test_a_dialogue_ends_once_many_more_spins_taught_too_little(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_little(*_: object) -> None:
        raise TooLittleSeenError("seldom slow", 5)

    monkeypatch.setattr(calibrate_spins, "calibrate", too_little)
    recorder = calibrate_spins.SpinRecorder(FortuneWheelOptions(segments=54, counts=4000))
    dialogue = calibrate_spins.Dialogue(recorder, 6, [4])
    with pytest.raises(DeviceUnavailableError, match=r"seldom slow, after 26 spins\n  remedy: .*--spins 46"):
        await played(dialogue, recorder, Asked(monkeypatch, {}))
    assert capsys.readouterr().out.count("seldom slow: 5 more spins, please") == 4


async def test_a_dialogue_ends_at_the_second_spin_that_comes_the_other_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = calibrate_spins.SpinRecorder(FortuneWheelOptions(segments=54, counts=4000))
    dialogue = calibrate_spins.Dialogue(recorder, 6, [4])
    recorder.link_up(Instant(0, 0), "port")
    first, second = SensorFortuneWheel(COUNTED, 4, scenario("anticlockwise")).games(2)
    for game, ends in ((first, False), (second, True)):
        for item in game.items:
            if isinstance(item, Bytes):
                recorder.link_bytes(item.data, Instant(int(item.t * 1e9), 0))
        if ends:
            with pytest.raises(DeviceUnavailableError, match="2 of 2 spins came anticlockwise"):
                await dialogue.step()
        else:
            assert not await dialogue.step()


async def test_given_segments_that_show_nothing_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = calibrate_spins.SpinRecorder(FortuneWheelOptions(segments=54, counts=4000))
    dialogue = calibrate_spins.Dialogue(recorder, 6, [4, 4])
    with pytest.raises(DeviceUnavailableError, match=r"contradict each other.*\n  remedy: without --segment"):
        await played(dialogue, recorder, Asked(monkeypatch, {}))
    assert len(recorder.spins) == 6
