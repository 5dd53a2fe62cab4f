"""Games dealt by a plan: who gets which cards when, when the bank plays, what hands are worth.

Against the bank (poker without draw, trijoker, reto, …) and among the players (circle poker).
"""

from collections.abc import Iterator
from typing import Literal

from daemon.catalogue.model import Data

Place = Literal["player", "bank", "common"]
"""Whose cards: each player's, the bank's, or those that all hands share."""


class Step(Data, frozen=True, kw_only=True):
    """One step of a deal."""

    phase: str
    """The part of the game that it belongs to: deal, flop, turn, river, draw, …"""
    act: Literal["deal", "draw", "exchange", "burn", "turn"] = "deal"
    """Draw: as many as the hand asks for. Exchange: as many as it discards. Turn: cards that lie there
    are turned up. Burn: cards are set aside unseen."""
    to: tuple[Place, ...] = ()
    """Who gets cards, in this order; all players before the next place."""
    cards: int = 1
    """So many at a time."""
    rounds: int = 1
    """How many times it goes round."""
    until: int | None = None
    """Cards are dealt until the hand has so many, instead of a number of cards."""
    face: Literal["up", "down"] | None = None
    clause: str | None = None
    """Where it differs from the plan's."""


class DealPlan(Data, frozen=True, kw_only=True):
    """The order in which a text has the cards dealt."""

    clause: str
    direction: Literal["clockwise", "counter_clockwise"] | None = None
    first: Literal["left_of_dealer", "left_of_hand"] | None = None
    """Who gets the first card: the player on the dealer's left, or on the left of who has the hand."""
    steps: tuple[Step, ...]

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases in which something is dealt, burnt or turned, in order."""
        return tuple(dict.fromkeys(step.phase for step in self.steps))


def cards_due(plan: DealPlan, place: Place, phase: str) -> int | None:
    """Cards that a hand at this place has at the end of a phase; None where the hand itself decides.

    Raises ValueError for a phase that the plan does not have.
    """
    due: int | None = 0
    for step in _until(plan, phase):
        if place not in step.to:
            continue
        if step.act == "draw":
            due = None
        elif step.act == "deal" and step.until is not None:
            due = step.until
        elif step.act == "deal" and due is not None:
            due += step.cards * step.rounds
    return due


def burns_due(plan: DealPlan, phase: str) -> int:
    """Cards that have been burnt by the end of a phase. Raises ValueError as `cards_due` does."""
    return sum(step.cards * step.rounds for step in _until(plan, phase) if step.act == "burn")


def cards_up(plan: DealPlan, place: Place) -> tuple[int, ...]:
    """Which of a hand's cards are dealt face up, counted from 1, as far as the plan alone decides."""
    up: list[int] = []
    dealt = 0
    for step in plan.steps:
        if place not in step.to or step.act != "deal":
            continue
        count = step.cards * step.rounds if step.until is None else step.until - dealt
        if step.face == "up":
            up.extend(range(dealt + 1, dealt + count + 1))
        dealt += count
    return tuple(up)


def _until(plan: DealPlan, phase: str) -> Iterator[Step]:
    if phase not in plan.phases:
        raise ValueError(f"the plan has no phase {phase!r}; it has: {', '.join(plan.phases)}")
    last = plan.phases.index(phase)
    return (step for step in plan.steps if plan.phases.index(step.phase) <= last)
