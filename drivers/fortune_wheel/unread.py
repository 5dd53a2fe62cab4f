"""Why what was seen of a spin is not enough to tell where the wheel rests. Pure."""

from drivers.fortune_wheel.options import FortuneWheelOptions
from drivers.fortune_wheel.peg_grid import PegGrid
from drivers.fortune_wheel.spin_state import SpinState

BY_HAND = "a hand moved the wheel when it had all but come to rest"
FELL_SILENT = "the positions ended while it still turned: the sensors fell silent, or it was stopped dead"
UNPROVED = "a hand slowed the wheel, or its encoder slipped, and the index did not come since"
NUDGE = 0.25
"""Turns: what makes less of them is no further push of the spin, but a hand that moves the wheel."""
A_TURN = 1.1
"""Turns in which the index must have come."""


def unread(
    state: SpinState,
    options: FortuneWheelOptions,
    grid: PegGrid,
    position: int,
    zero: int | None,
    lifted: bool | None,
) -> str | None:
    """The reason in words for a wheel that came to stand at `position`, in counts; None if all was seen.

    `zero` is where the index comes, `lifted` whether the pointer is; None where that is not known.
    """
    if state.doubt is not None or state.standing is not None:
        return state.doubt or state.standing
    if zero is None:
        return "the index was never seen"
    if state.pushes > 1 and abs(position - state.pushed[1]) < NUDGE * options.counts:
        return BY_HAND
    turns = abs(position - state.origin) / options.counts
    if turns > A_TURN and (
        state.indexed_at is None or abs(position - state.indexed_at) > A_TURN * options.counts
    ):
        return "the index did not come in the last turn"
    if lifted is None:
        return "the pointer does not settle" if state.pegs.lifted is not None else "no sight of the pointer"
    here = grid.at(position, zero)
    beside = state.pegs.peg is not None and abs(here - state.pegs.peg) < 1 + grid.slack
    if turns * options.segments > 2 and not beside:
        return "the last peg did not lift the pointer"
    if state.unproved:
        return UNPROVED
    if state.pegs.astray or state.phase.adrift or not grid.between_pegs(state.pegs):
        return "pegs did not come where they should"
    if not state.hindered and grid.fell_silent(state.ending, zero):
        return FELL_SILENT
    return None
