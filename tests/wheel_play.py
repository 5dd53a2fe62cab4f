"""A wheel's round fed by hand, for the tests of rounds."""

from typing import Any

from daemon.catalogue.load import load_game
from daemon.records import Verdict
from daemon.rounds.round import (
    Event,
    PhaseChanged,
    Policy,
    RoundSettled,
)
from daemon.rounds.wheel import WheelRound
from drivers.readings import (
    SECOND,
    BallLaunched,
    DeviceLost,
    Direction,
    GameAbandoned,
    GameStarted,
    Instant,
    LaunchFailed,
    PocketSettled,
    StatesMissed,
)


class Play:
    """A round fed with readings a second apart, and what came of them."""

    def __init__(
        self, text: str = "es-ct", policy: Policy = "automatic", *, game_id: str = "french_roulette"
    ) -> None:
        self.round = WheelRound(load_game(text, game_id), policy)
        self.state = self.round.start()
        self.now = Instant(0, 1_700_000_000_000_000)
        self.outputs: list[Any] = []

    def __call__(self, *events: type | Event) -> "Play":
        for event in events:
            self.now = self.now.later(SECOND)
            if isinstance(event, type):
                event = event(device="wheel", at=self.now)
            self.state, outputs = self.round.step(self.state, event, self.now)
            self.outputs += outputs
        return self

    def started(self, game: int = 1) -> "Play":
        return self(GameStarted(device="wheel", at=self.now, game=game))

    def launched(self, rotor: Any = "cw", ball: Any = None) -> "Play":
        return self(BallLaunched(device="wheel", at=self.now, rotor=rotor, ball=ball))

    def settled(self, pocket: str = "17", game: int | None = None, rotor: Any = None) -> "Play":
        return self(PocketSettled(device="wheel", at=self.now, pocket=pocket, game=game, rotor=rotor))

    def failed(self, rotor: Any = None) -> "Play":
        return self(LaunchFailed(device="wheel", at=self.now, rotor=rotor))

    def lost(self) -> "Play":
        return self(DeviceLost(device="wheel", at=self.now, reason="unplugged"))

    def missed(self, before: str = "2", now: str = "5") -> "Play":
        return self(StatesMissed(device="wheel", at=self.now, before=before, now=now))

    def abandoned(self) -> "Play":
        return self(GameAbandoned(device="wheel", at=self.now, reason="next game began"))

    def wait(self, nanoseconds: int) -> "Play":
        self.now = self.now.later(nanoseconds)
        self.state, outputs = self.round.advance(self.state, self.now)
        self.outputs += outputs
        return self

    @property
    def records(self) -> list[tuple[Verdict, str | None]]:
        return [(o.verdict, o.label) for o in self.outputs if isinstance(o, RoundSettled)]

    @property
    def last(self) -> RoundSettled:
        return next(o for o in reversed(self.outputs) if isinstance(o, RoundSettled))

    @property
    def phases(self) -> list[str]:
        return [o.phase for o in self.outputs if isinstance(o, PhaseChanged)]

    @property
    def rules(self) -> list[str]:
        return [finding.rule for finding in self.last.findings]


def in_play(text: str = "es-ct", policy: Policy = "automatic", rotor: Direction | None = "cw") -> Play:
    return Play(text, policy).started().launched(rotor)
