"""Rules of baccarat's hands: who drew, or did not, against the rules of drawing."""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.bets.baccarat import Action, Coup, bank_actions, player_actions
from daemon.catalogue.cards import Card, baccarat_total, baccarat_value
from daemon.catalogue.families.baccarat import BaccaratGame, Drawing
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Parameters, Seen
from daemon.records import Finding

__all__ = ["HAND", "PARAMETERS", "Evidence", "evidence", "judge"]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one hand. None is "not seen"."""

    player: tuple[Card, ...] = ()
    bank: tuple[Card, ...] = ()
    surplus: tuple[Card, ...] = ()
    """Cards drawn that were to be in neither hand."""
    finished: bool | None = None
    """The croupier has ended the hand, so that a card still missing will not come."""
    banco: bool = False
    """The player holds the whole bank and is left free to draw."""
    by_table: bool = True
    """The bank plays by the rules of drawing where it might choose not to."""


def evidence(
    coup: Coup, *, finished: bool | None = None, banco: bool = False, by_table: bool = True
) -> Evidence:
    """A hand out of the shoe as evidence."""
    return Evidence(
        player=coup.player,
        bank=coup.bank,
        surplus=coup.surplus,
        finished=finished,
        banco=banco,
        by_table=by_table,
    )


def _natural_ends(game: BaccaratGame, rule: Rule, seen: Evidence) -> Seen | None:
    drawing = game.drawing
    if drawing is None or not _has_natural(drawing, seen):
        return None
    further = (*seen.player[2:], *seen.bank[2:], *seen.surplus)
    totals = {"player_total": _two(seen.player), "bank_total": _two(seen.bank)}
    return {**totals, "cards": list(further)} if further else None


def _player_third_card(game: BaccaratGame, rule: Rule, seen: Evidence) -> Seen | None:
    drawing = game.drawing
    if drawing is None or len(seen.player) < 2 or len(seen.bank) < 2 or _has_natural(drawing, seen):
        return None
    total = _two(seen.player)
    may = player_actions(drawing, total, banco=seen.banco)
    did = _did(seen.player, seen)
    if did is None or did in may:
        return None
    return {"total": total, "did": did, "cards": list(seen.player)}


def _bank_third_card(game: BaccaratGame, rule: Rule, seen: Evidence) -> Seen | None:
    drawing = game.drawing
    if drawing is None or len(seen.player) < 2 or len(seen.bank) < 2 or _has_natural(drawing, seen):
        return None
    third = baccarat_value(seen.player[2]) if len(seen.player) > 2 else None
    total = _two(seen.bank)
    may = bank_actions(drawing, total, third, by_table=seen.by_table)
    did = _did(seen.bank, seen)
    if did is None or did in may:
        return None
    return {"total": total, "player_third": third, "did": did, "cards": list(seen.bank)}


def _surplus_card(game: BaccaratGame, rule: Rule, seen: Evidence) -> Seen | None:
    if not seen.surplus or game.drawing is None or _has_natural(game.drawing, seen):
        return None
    return {"surplus": list(seen.surplus), "player": list(seen.player), "bank": list(seen.bank)}


def _has_natural(drawing: Drawing, seen: Evidence) -> bool:
    hands = (seen.player, seen.bank)
    return all(len(hand) >= 2 for hand in hands) and any(_two(h) in drawing.naturals.totals for h in hands)


def _two(hand: tuple[Card, ...]) -> int:
    return baccarat_total(hand[:2])


def _did(hand: tuple[Card, ...], seen: Evidence) -> Action | None:
    """What a hand did about its third card; None while that is not known."""
    if len(hand) > 2:
        return "draw"
    return "stand" if seen.finished else None


HAND: Mapping[str, Check] = {
    "baccarat.natural_ends": _natural_ends,
    "baccarat.player_third_card": _player_third_card,
    "baccarat.bank_third_card": _bank_third_card,
    "baccarat.surplus_card": _surplus_card,
}
PARAMETERS: Parameters = {}


def judge(game: BaccaratGame, seen: Evidence) -> tuple[Finding, ...]:
    """What the game's own rules find in a hand, in the text's order."""
    return judging.judge(HAND, game, seen)
