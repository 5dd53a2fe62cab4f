"""The Cammegh wheels' states and the steps between them that a wheel in order takes.

The wire has no checksum, so a step that is not in the table counts only when a second line agrees with it;
so do those in the table that end something, for nothing is lost by half a second there and much by one
damaged digit.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

START, BETS, RIM, LEAVING, RESULT, CLOSED, LOCKED = 1, 2, 3, 4, 5, 6, 7

NAMES = {
    0: "unknown",
    START: "start",
    BETS: "place bets",
    RIM: "ball in rim",
    LEAVING: "no more bets",
    RESULT: "winning number",
    CLOSED: "closed",
    LOCKED: "dealer lock",
}
"""Names of the states in readings; 0 is no state of the wire."""

IN_PLAY = frozenset({RIM, LEAVING, RESULT, LOCKED})
"""From the launch to the number."""


class Step(NamedTuple):
    """What a legal step does to the game counter, and whether its first line is enough."""

    counter: Literal["same", "next", "either", "any"]
    at_once: bool


STEPS: dict[tuple[int, int], Step] = {
    (START, BETS): Step("either", at_once=False),  # 5→1→2: the counter moves with 2
    (BETS, RIM): Step("same", at_once=True),
    (RIM, LEAVING): Step("same", at_once=True),
    (LEAVING, RESULT): Step("same", at_once=True),  # the number has its own two witnesses
    (LEAVING, LOCKED): Step("same", at_once=True),
    (LOCKED, RESULT): Step("same", at_once=True),
    (RESULT, BETS): Step("next", at_once=True),  # two digits change together: no single damage does that
    (RESULT, START): Step("either", at_once=False),
    (RIM, BETS): Step("same", at_once=False),  # failed launch, re-spin
    (RIM, START): Step("same", at_once=False),
    (LEAVING, BETS): Step(
        "either", at_once=False
    ),  # a game without a result; with the next counter, 5 was missed
    (LEAVING, START): Step("either", at_once=False),
    (CLOSED, START): Step("same", at_once=False),
    **{(state, CLOSED): Step("any", at_once=False) for state in NAMES if state not in (0, CLOSED)},
}


def step(before: tuple[int, int], now: tuple[int, int], following: Callable[[int], int]) -> Step | None:
    """The legal step between two (state, counter) pairs; None for a jump, and for no step at all."""
    found = STEPS.get((before[0], now[0]))
    if found is None or found.counter == "any":
        return found
    if now[1] == before[1]:
        return found if found.counter != "next" else None
    return found if found.counter != "same" and now[1] == following(before[1]) else None
