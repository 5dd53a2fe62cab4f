"""A fortune wheel at a table: segments with symbols, in the order of the table's own wheel."""

from collections.abc import Iterable, Mapping

from daemon.catalogue import announcements
from daemon.catalogue.bets.fortune_wheel import guidance, outcome, void_guidance
from daemon.catalogue.families.fortune_wheel import FortuneWheel, check_order
from daemon.catalogue.model import Language
from daemon.outcomes import FortuneWheelOutcome
from daemon.play.play import CorrectionRefusedError, Play, needed
from daemon.records import Guidance, Request, RoundRecord
from daemon.rounds.fortune_wheel import FortuneWheelRound, SpinState
from daemon.rounds.round import Policy, RoundSettled


class FortuneWheelPlay(Play[FortuneWheel, FortuneWheelOutcome]):
    """A fortune wheel at one table."""

    role = "fortune_wheel"
    places = "segments"
    own_order = True
    state = SpinState
    result = FortuneWheelOutcome
    void_rule = "fortune_wheel.declared_void"

    def __init__(
        self, game: FortuneWheel, language: Language, policy: Policy, segments: tuple[str, ...] = ()
    ) -> None:
        super().__init__(game, language, policy, segments)
        self.round = FortuneWheelRound(game, self.layout, policy)

    @classmethod
    def layout_of(cls, game: FortuneWheel, segments: tuple[str, ...]) -> tuple[str, ...]:
        check_order(game, segments)
        return segments

    @classmethod
    def layout_clause(cls, game: FortuneWheel) -> str:
        return game.wheel.clause

    @property
    def names(self) -> Mapping[str, str]:
        named = {symbol.id: symbol.names.get(self.language) for symbol in self.game.wheel.symbols}
        return {symbol: name for symbol, name in named.items() if name is not None}

    def outcome(self, settled: RoundSettled) -> FortuneWheelOutcome | None:
        return None if settled.place is None else outcome(self.game, self.layout, settled.place + 1)

    def corrected(self, request: Request) -> FortuneWheelOutcome:
        """The symbol; at which of its segments the wheel stood is not asked."""
        symbol = needed(request, request.symbol, "symbol")
        if symbol not in self.layout:
            raise CorrectionRefusedError(f"this wheel has no symbol {symbol!r}")
        of_symbol = outcome(self.game, self.layout, self.layout.index(symbol) + 1)
        return FortuneWheelOutcome(segment=None, symbol=symbol, pays=of_symbol.pays)

    def announce(self, outcome: FortuneWheelOutcome) -> str:
        return announcements.announce_symbol(self.game, outcome, self.language)

    def guidance(
        self, outcome: FortuneWheelOutcome, record: RoundRecord, before: Iterable[RoundRecord]
    ) -> tuple[Guidance, ...]:
        return guidance(self.game, self.language)

    def void_guidance(self, previous: str | None) -> tuple[Guidance, ...]:
        return void_guidance(self.game, self.language)
