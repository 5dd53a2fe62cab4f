"""Roulette at a table: a wheel with a ball, whose pockets have numbers."""

from collections.abc import Iterable, Mapping

from daemon.catalogue import announcements
from daemon.catalogue.bets.roulette import guidance, guidances, outcome, void_guidance
from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.model import Language
from daemon.outcomes import WheelOutcome, label_of
from daemon.play.play import CorrectionRefusedError, Play, needed
from daemon.records import Guidance, Request, RoundRecord
from daemon.rounds.round import Policy, RoundSettled
from daemon.rounds.wheel import WheelRound, WheelState


class RoulettePlay(Play[Roulette, WheelOutcome]):
    """A roulette at one table."""

    role = "wheel"
    places = "pockets"
    state = WheelState
    result = WheelOutcome
    void_rule = "wheel.defective_throw"

    def __init__(
        self, game: Roulette, language: Language, policy: Policy, segments: tuple[str, ...] = ()
    ) -> None:
        super().__init__(game, language, policy, segments)
        self.round = WheelRound(game, policy)
        # What a number pays is much work, and always the same.
        self._guidance = {(number, 0, False): g for number, g in guidances(game, language).items()}

    @classmethod
    def layout_of(cls, game: Roulette, segments: tuple[str, ...]) -> tuple[str, ...]:
        return game.layout.pockets

    @classmethod
    def layout_clause(cls, game: Roulette) -> str:
        return game.wheel.pockets_clause

    @property
    def colors(self) -> Mapping[str, str]:
        return self.game.layout.colors

    def outcome(self, settled: RoundSettled) -> WheelOutcome | None:
        # A claimed pocket that this wheel does not have stays in the finding that refused it.
        known = settled.label is not None and settled.label in self.game.layout.colors
        return outcome(self.game, settled.label) if settled.label is not None and known else None

    def corrected(self, request: Request) -> WheelOutcome:
        number = needed(request, request.number, "number")
        if number not in self.layout:
            raise CorrectionRefusedError(f"this wheel has no pocket {number!r}")
        return outcome(self.game, number)

    def announce(self, outcome: WheelOutcome) -> str:
        return announcements.announce_result(self.game, outcome, self.language)

    def guidance(
        self, outcome: WheelOutcome, record: RoundRecord, before: Iterable[RoundRecord]
    ) -> tuple[Guidance, ...]:
        zeros = self._zeros(before)
        asked = (outcome.number, zeros, record.last_ball)
        if asked not in self._guidance:
            self._guidance[asked] = guidance(
                self.game, outcome.number, self.language, zeros_before=zeros, last_ball=record.last_ball
            )
        return self._guidance[asked]

    def void_guidance(self, previous: str | None) -> tuple[Guidance, ...]:
        return void_guidance(self.game, previous, self.language)

    def _zeros(self, before: Iterable[RoundRecord]) -> int:
        """How many valid rounds running gave a zero just before."""
        zeros = 0
        if self.game.zero is None:
            return 0
        for record in before:
            if record.outcome is None or label_of(record.outcome) not in self.game.zero.numbers:
                break
            zeros += 1
        return zeros
