"""The round of a fortune wheel: bets, the first push, the closing of bets, the rest, and what voids the spin.

A spin is judged from its first push on, or not at all: one that was under way when the table was opened, or
whose beginning was not seen, is nobody's round. A spin that is void keeps its round open until the wheel
stands, so that the segment stands in the record as evidence; it can no longer become the result.
"""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from daemon.catalogue.families.fortune_wheel import FortuneWheel
from daemon.catalogue.model import find_rule
from daemon.catalogue.rules.fortune_wheel import Evidence, judge, turns_in_doubt
from daemon.records import Finding
from daemon.rounds.fortune_wheel_transitions import ANY_STAGE, TRANSITIONS
from daemon.rounds.machine import Machine, MachineState
from daemon.rounds.round import Event, PhaseChanged, Policy, RoundOutput
from drivers.readings import (
    SECOND,
    Direction,
    GameStarted,
    Instant,
    RestUnread,
    WheelAtRest,
    WheelHindered,
    WheelPushed,
    WheelTurned,
)

TOGETHER = 3 * SECOND
"""An announcement goes with the push that follows it within so long: one croupier does both."""


class SpinState(MachineState, frozen=True, kw_only=True):
    """All that a fortune wheel's round is."""

    closed_with: int = 0
    """The push that bets closed with; 0 for none."""
    pushes: int = 0
    direction: Direction | None = None
    """Of the first push."""
    turned: int = 0
    """Whole turns since the last push, as far as they were told."""
    hindrance: str | None = None


Next = tuple[SpinState, list[RoundOutput]]
_replace = msgspec.structs.replace


class FortuneWheelRound(Machine[SpinState]):
    """Rounds of one fortune wheel under one game of the catalogue and one void policy.

    `order` are the symbols of the table's own wheel, as `WheelAtRest.place` counts them.
    """

    transitions = TRANSITIONS
    any_stage = ANY_STAGE
    refusals: ClassVar[Mapping[str, str]] = {
        **Machine.refusals,
        "TableClosed": "the wheel is in play; close the table when the round is over, or void it first",
    }
    result_rule = "fortune_wheel.rests_in_segment"
    void_rule = "fortune_wheel.declared_void"
    waits_for = "waits for the next spin"
    _game: FortuneWheel

    def __init__(self, game: FortuneWheel, order: tuple[str, ...], policy: Policy) -> None:
        super().__init__(game, policy)
        self._order = order
        closing = find_rule(game, "fortune_wheel.bets_closed_at_push")
        self._closing_push: int | None = closing.parameters["push"] if closing else None
        """The push that closes the bets under this text; None where only the croupier's words do."""

    def start(self) -> SpinState:
        """The state of a table that was never in play."""
        return SpinState()

    def _settle_unread(self, state: SpinState, at: Instant) -> Next:
        return self._settled(state, None, at)

    # --- steps: opening and pushing -------------------------------------------------------------

    def _open(self, state: SpinState, event: Event, at: Instant) -> Next:
        if not state.table_open:
            return state, []
        game = event.game if isinstance(event, GameStarted) else None
        opened = SpinState(stage="betting", phase="betting", game=game, opened_at=at)
        return opened, [PhaseChanged("betting", at, None, game)]

    def _spin(self, state: SpinState, event: Event, at: Instant) -> Next:
        """The first push opens the round where nothing else said that bets are open."""
        assert isinstance(event, WheelPushed)
        if event.number != 1 or not state.table_open:
            return state, []  # of a spin whose beginning was not seen
        state, opened = self._open(state, event, at)
        state, begun = self._begin(state, event, at)
        return state, opened + begun

    def _begin(self, state: SpinState, event: Event, at: Instant) -> Next:
        assert isinstance(event, WheelPushed)
        if event.number != 1:
            return self._half_seen(state, event, at)
        state = _replace(state, pushes=1, direction=event.direction)
        if state.stage == "no_more_bets":
            return self._closed_by(state, at), []
        if self._closing_push == 1:
            return self._close_bets(_replace(state, closed_with=1), event, at)
        return _replace(state, stage="in_play", phase="in_play"), [
            PhaseChanged("in_play", at, None, state.game)
        ]

    def _push(self, state: SpinState, event: Event, at: Instant) -> Next:
        """The wheel is driven again while it turns."""
        assert isinstance(event, WheelPushed)
        if state.pushes == 0:  # bets were closed before the wheel was set in motion
            return self._begin(state, event, at)
        if event.number == 1:
            state = self._missing(state, "round.half_seen", {"lost": "the rest of the spin"})
            return self._next_spin(state, event, at)
        if event.number != state.pushes + 1:
            return self._half_seen(state, event, at)
        state = _replace(state, pushes=event.number, turned=0)
        if state.stage == "no_more_bets":
            return self._closed_by(state, at), []
        if event.number == self._closing_push:
            return self._close_bets(_replace(state, closed_with=event.number), event, at)
        return state, []

    def _closed_by(self, state: SpinState, at: Instant) -> SpinState:
        """Bets are closed already: did the words go with this push?"""
        assert state.closed_at is not None
        together = state.closed_with == 0 and at.mono - state.closed_at.mono <= TOGETHER
        return _replace(state, closed_with=state.pushes) if together else state

    def _push_on(self, state: SpinState, event: Event, at: Instant) -> Next:
        """A void spin is driven on, or is over because the next one begins."""
        assert isinstance(event, WheelPushed)
        if event.number == 1:
            return self._next_spin(state, event, at)
        return _replace(state, pushes=max(state.pushes, event.number)), []

    def _next_spin(self, state: SpinState, event: Event, at: Instant) -> Next:
        state, settled = self._settled(state, None, at)
        state, begun = self._spin(state, event, at)
        return state, settled + begun

    # --- steps: evidence ------------------------------------------------------------------------

    def _turned(self, state: SpinState, event: Event, at: Instant) -> Next:
        assert isinstance(event, WheelTurned)
        return _replace(state, turned=max(state.turned, event.turns)), []

    def _hindered(self, state: SpinState, event: Event, at: Instant) -> Next:
        assert isinstance(event, WheelHindered)
        state = _replace(state, hindrance=state.hindrance or event.cause)
        return self._condemn(state, at) if self._voids(state) else (state, [])

    def _half_seen(self, state: SpinState, event: Event, at: Instant) -> Next:
        match event:
            case WheelPushed(number=number):
                seen: dict[str, Any] = {"pushes": state.pushes, "then": number}
            case WheelTurned(turns=turns):
                seen = {"pushes": state.pushes, "turns": turns}
            case _:
                seen = {"lost": getattr(event, "reason", None) or type(event).__name__}
        return self._condemn(self._missing(state, "round.half_seen", seen), at)

    def _void_unspun(self, state: SpinState, event: Event, at: Instant) -> Next:
        """There is no spin whose end could be waited for: the cycle begins again with the next."""
        return self._settled(self._chief_void(state, event, at)[0], None, at)

    # --- steps: endings -------------------------------------------------------------------------

    def _settle(self, state: SpinState, event: Event, at: Instant) -> Next:
        assert isinstance(event, WheelAtRest)
        if state.pushes == event.pushes == 0:
            return state, []  # nobody spun it
        if state.stage != "condemned" and (seen := _contradiction(state, event)) is not None:
            state = self._missing(state, "round.half_seen", seen)
        return self._settled(state, event, at)

    def _unread(self, state: SpinState, event: Event, at: Instant) -> Next:
        assert isinstance(event, RestUnread)
        if not self._voids(state):  # by a clause, which needs no segment
            state = self._missing(state, "round.rest_unread", {"reason": event.reason})
        return self._settled(state, None, at)

    def _settled(self, state: SpinState, rest: WheelAtRest | None, at: Instant) -> Next:
        place = None if rest is None else rest.place
        if place is not None and not 0 <= place < len(self._order):
            place = None
        findings = self._findings(state, rest, known=place is not None)
        label = None if place is None else self._order[place]
        return self._record(state, findings, at, label=label, place=place, attempts=state.pushes)

    # --- judging --------------------------------------------------------------------------------

    def _findings(self, state: SpinState, rest: WheelAtRest | None, *, known: bool) -> tuple[Finding, ...]:
        """What the clauses find; and, where they do not say it, that there is no segment, or no telling."""
        evidence = self._evidence(state, rest)
        found = (*judge(self._game, evidence), *state.condemned)
        if any(finding.effect == "void" for finding in found):
            return found
        seen = turns_in_doubt(self._game, evidence)
        if not known:
            seen = {"place": None if rest is None else rest.place, "segments": len(self._order)}
        return found if seen is None else (*found, self._unseen("round.rest_unread", seen))

    def _evidence(self, state: SpinState, rest: WheelAtRest | None) -> Evidence:
        """What may be judged. Of a spin that cannot stand, its course is not told by its rest."""
        if rest is None:
            return Evidence(direction=state.direction, hindrance=state.hindrance)
        segment = None if rest.place is None else rest.place + 1
        if state.condemned or state.stage == "condemned":
            return Evidence(segment=segment, on_peg=rest.place is None, hindrance=state.hindrance)
        return Evidence(
            direction="ccw" if "ccw" in (state.direction, rest.direction) else state.direction,
            pushes=rest.pushes,
            turns=rest.turns,
            turns_after_second=rest.turns_since_second,
            bets_closed_at_push=state.closed_with,
            bets_closed=state.closed_at is not None,
            segment=segment,
            on_peg=rest.place is None,
            hindrance=state.hindrance,
        )

    def _voids(self, state: SpinState) -> tuple[Finding, ...]:
        """What voids the spin before it rests: a hindrance."""
        found = judge(self._game, Evidence(hindrance=state.hindrance))
        return tuple(finding for finding in found if finding.effect == "void")


def _contradiction(state: SpinState, rest: WheelAtRest) -> dict[str, Any] | None:
    """What the rest says of the spin against what was seen of it; None where they agree."""
    if rest.pushes != state.pushes:
        return {"pushes": state.pushes, "pushes_at_rest": rest.pushes}
    since, second = rest.turns_since_push, rest.turns_since_second
    if (second is None) != (rest.pushes < 2):
        return {"pushes": rest.pushes, "turns_since_second": second and second.most}
    if not all(0 <= each.least <= each.most < math.inf for each in (rest.turns, since, second or since)):
        return {"turns": str(rest.turns), "turns_since_push": str(since), "turns_since_second": str(second)}
    if since.most < state.turned - 1:  # pegs send it back by less
        return {"turns": state.turned, "turns_since_push": since.most}
    return None
