"""Boule at a table: a ball in a basin that stands still, whose holes have numbers, each number several."""

from collections.abc import Iterable, Mapping

from daemon.catalogue import announcements
from daemon.catalogue.bets.boule import guidance, outcome
from daemon.catalogue.families.boule import Boule
from daemon.catalogue.model import Language
from daemon.outcomes import BouleOutcome
from daemon.play.play import CorrectionRefusedError, Play, needed
from daemon.records import Guidance, Request, RoundRecord
from daemon.rounds.round import Policy, RoundSettled
from daemon.rounds.wheel import WheelRound, WheelState


class BoulePlay(Play[Boule, BouleOutcome]):
    """A boule at one table."""

    role = "wheel"
    places = "holes"
    state = WheelState
    result = BouleOutcome
    void_rule = "wheel.defective_throw"

    def __init__(
        self, game: Boule, language: Language, policy: Policy, segments: tuple[str, ...] = ()
    ) -> None:
        super().__init__(game, language, policy, segments)
        self.round = WheelRound(game, policy)

    @classmethod
    def layout_of(cls, game: Boule, segments: tuple[str, ...]) -> tuple[str, ...]:
        return game.layout.pockets

    @classmethod
    def layout_clause(cls, game: Boule) -> str:
        return game.wheel.clause

    @property
    def colors(self) -> Mapping[str, str]:
        return self.game.layout.colors

    def outcome(self, settled: RoundSettled) -> BouleOutcome | None:
        number = settled.label
        if number is None or number not in self.game.layout.colors:
            return None
        return outcome(self.game, number, None if settled.place is None else settled.place + 1)

    def corrected(self, request: Request) -> BouleOutcome:
        """The number; in which of its holes the ball lay is not asked."""
        number = needed(request, request.number, "number")
        if number not in self.layout:
            raise CorrectionRefusedError(f"this basin has no hole {number!r}")
        return outcome(self.game, number)

    def announce(self, outcome: BouleOutcome) -> str:
        return announcements.announce_result(self.game, outcome, self.language)

    def guidance(
        self, outcome: BouleOutcome, record: RoundRecord, before: Iterable[RoundRecord]
    ) -> tuple[Guidance, ...]:
        return guidance(self.game, outcome.number, self.language)
