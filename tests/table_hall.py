"""A table in play with a driver whose bytes are readings in JSON, for the tests of tables."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from daemon.catalogue.load import load_game
from daemon.records import DeviceDescription, Message, Request, RoundRecord
from daemon.replay import messages
from daemon.table.effects import Effects
from daemon.table.messages import TableSetup
from daemon.table.table import Table
from drivers.driver import Health
from drivers.readings import (
    SECOND,
    AnyReading,
    BallLaunched,
    BallLeavingRim,
    DeviceBack,
    DeviceLost,
    GameStarted,
    Instant,
    PocketSettled,
)

SILENCE = 5 * SECOND
_readings = msgspec.json.Decoder(list[AnyReading])


class JsonDriver:
    """Bytes are a JSON list of readings; five seconds without any is silence."""

    def __init__(self, device: str = "wheel") -> None:
        self.device = device
        self.deadline: int | None = None
        self.frames = 0
        self.last: Instant | None = None

    def link_up(self, at: Instant) -> Sequence[AnyReading]:
        return []

    def link_lost(self, reason: str, at: Instant) -> Sequence[AnyReading]:
        self.deadline = None
        return [DeviceLost(device=self.device, at=at, reason=reason)]

    def receive(self, data: bytes, at: Instant) -> Sequence[AnyReading]:
        self.frames += 1
        self.last = at
        self.deadline = at.mono + SILENCE
        return _readings.decode(data)

    def advance(self, at: Instant) -> Sequence[AnyReading]:
        self.deadline = None
        return [DeviceLost(device=self.device, at=at, reason="silence")]

    def health(self) -> Health:
        return Health(frames=self.frames, bad_frames=0, last_frame=self.last)

    def snapshot(self) -> bytes:
        return msgspec.json.encode([self.deadline, self.frames, self.last])

    def restore(self, snapshot: bytes) -> None:
        self.deadline, self.frames, last = msgspec.json.decode(snapshot)
        self.last = Instant(*last) if last else None


class Hall:
    """A table in play and everything it said."""

    def __init__(
        self,
        text: str = "es-ct",
        game: str = "french_roulette",
        language: Any = "ca",
        borrow: str | None = None,
        change: Callable[[Any], Any] = lambda game: game,
        role: str = "wheel",
        console: bool = False,
        **setup: Any,
    ) -> None:
        devices = [DeviceDescription(id="wheel", role=role, driver="json", port="none")]
        if console:
            devices.append(DeviceDescription(id="console", role="console", driver="json", port="none"))
        values: dict[str, Any] = {"policy": "automatic", "minimum": None, "multiple": None, **setup}
        self.setup = TableSetup(
            site="madrid-1",
            id="ruleta-01",
            game=change(load_game(text, game, borrow=borrow)),
            language=language,
            devices=tuple(devices),
            version="0",
            test=True,
            **values,
        )
        self.now = Instant(1000 * SECOND, 1_700_000_000_000_000)
        self.said: list[Message] = []
        self.log: list[tuple[str, Any]] = []
        self.begins: list[tuple[int, bytes]] = []
        self.table = Table(self.setup, {device.id: JsonDriver(device.id) for device in devices})
        self.take(self.table.start(self.now, restarted=False))
        self.take(self.table.link_up("wheel", "pts", self.now))
        self.readings(lambda at: [DeviceBack(device="wheel", at=at)])

    def take(self, effects: Effects | None) -> None:
        if effects is not None:
            self.said += messages(self.table, effects)
            self.begins += effects.round_begins

    def readings(self, make: Callable[[Instant], list[AnyReading]], after: int = SECOND) -> "Hall":
        self.now = self.now.later(after)
        data = msgspec.json.encode(make(self.now))
        self.log.append(("bytes", (data, self.now)))
        self.take(self.table.link_bytes("wheel", data, self.now))
        return self

    def play(self, number: str, game: int = 1, rotor: Any = None) -> "Hall":
        self.readings(lambda at: [GameStarted(device="wheel", at=at, game=game)])
        self.readings(lambda at: [BallLaunched(device="wheel", at=at, rotor=rotor)])
        self.readings(lambda at: [BallLeavingRim(device="wheel", at=at)])
        return self.readings(lambda at: [PocketSettled(device="wheel", at=at, pocket=number, game=game)])

    def ask(self, name: str, **request: Any) -> Any:
        self.now = self.now.later(SECOND)
        asked = Request(by="chief", **request)
        self.log.append(("command", (name, asked, self.now)))
        answer, effects = self.table.command(name, asked, self.now)
        self.take(effects)
        return answer

    def all(self, topic: str) -> list[Any]:
        return [msgspec.json.decode(m.payload) if m.payload else None for m in self.said if m.topic == topic]

    def last(self, topic: str) -> Any:
        return self.all(topic)[-1]

    @property
    def records(self) -> list[RoundRecord]:
        return [msgspec.convert(event["data"], RoundRecord) for event in self.all("event/round")]
