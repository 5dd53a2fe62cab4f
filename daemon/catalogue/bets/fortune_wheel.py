"""Fortune wheel: what a segment is, what becomes of every bet, and what the house keeps."""

from daemon.catalogue.bets.settlement import Edge, Settled, edges_over, lost, won
from daemon.catalogue.errors import UnknownPocket
from daemon.catalogue.families.fortune_wheel import FortuneWheel
from daemon.catalogue.figures import is_whole
from daemon.catalogue.model import Language
from daemon.catalogue.vocabulary import GUIDANCE
from daemon.outcomes import FortuneWheelOutcome
from daemon.records import Guidance


def outcome(game: FortuneWheel, order: tuple[str, ...], segment: int) -> FortuneWheelOutcome:
    """What a segment of the table's own wheel is, counted from 1 in its order. Raises UnknownPocket."""
    if not is_whole(segment, 1, len(order)):
        raise UnknownPocket(f"the wheel has no segment {segment!r:.60}", game.wheel.clause)
    symbol = order[segment - 1]
    pays = next((bet.pays for bet in game.bets if bet.id == symbol), None)
    return FortuneWheelOutcome(
        segment=segment, symbol=symbol, pays=None if pays is None else (pays.pays, pays.per)
    )


def settle(game: FortuneWheel, symbol: str) -> tuple[Settled, ...]:
    """What a symbol does to the bets on all of them. Raises UnknownPocket where the text has none such."""
    if symbol not in (bet.id for bet in game.bets):
        raise UnknownPocket(f"the wheel has no symbol {symbol!r}", game.wheel.clause)
    return tuple(won(bet) if bet.id == symbol else lost(bet) for bet in game.bets)


def edges(game: FortuneWheel) -> tuple[Edge, ...]:
    """The house edge of the bet on every symbol, every segment being as likely as the others."""
    return edges_over((symbol.segments, settle(game, symbol.id)) for symbol in game.wheel.symbols)


def guidance(game: FortuneWheel, language: Language = "en") -> tuple[Guidance, ...]:
    """What the text has done about a valid spin: the order of payment."""
    if game.lowest_first_clause is None:
        return ()
    return (Guidance(text=GUIDANCE[language]["pay_lowest_first"], clause=game.lowest_first_clause),)


def void_guidance(game: FortuneWheel, language: Language = "en") -> tuple[Guidance, ...]:
    """What follows a void spin where the text says so: the whole cycle again."""
    if game.spun_again_clause is None:
        return ()
    return (Guidance(text=GUIDANCE[language]["spin_again"], clause=game.spun_again_clause),)
