"""The round of a wheel with a ball: betting, launch, no more bets, the pocket, and what voids it.

A throw that is declared void keeps its round open until the wheel's own game ends, so that the number the
wheel still gives stands in the record as evidence; it can no longer become the result.
"""

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from daemon.catalogue.families.boule import Boule
from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.model import find_rule
from daemon.records import Drop, Finding
from daemon.rounds import wheel_judging as judging
from daemon.rounds.machine import VOID_WAITS, Machine, MachineState, unexpected, with_cause
from daemon.rounds.round import Event, PhaseChanged, Policy, RoundOutput
from daemon.rounds.wheel_transitions import ANY_STAGE, TRANSITIONS
from drivers.readings import (
    BallLap,
    BallLaunched,
    BallLeftRim,
    BallMissing,
    BallWithRotor,
    DeviceLost,
    Direction,
    GameStarted,
    Instant,
    LaunchFailed,
    PlaceSettled,
    PocketSettled,
    PocketUnread,
    RotorSpeedOutOfRange,
    StatesMissed,
    VoidSignalled,
)


class WheelState(MachineState, frozen=True, kw_only=True):
    """All that a wheel's round is; the first of its own outlives the round."""

    previous_rotor: Direction | None = None
    """The rotor's sense at the previous actuation as far as it was seen; a void throw was one too."""

    attempts: int = 0
    launched: bool = False
    rotor: Direction | None = None
    ball: Direction | None = None
    ball_with_rotor: bool | None = None
    ball_missing: bool = False
    laps: int | None = None
    drop: Drop | None = None
    defective: tuple[str, ...] = ()
    rotor_rpm: float | None = None
    """A speed outside the maker's range, if one was reported."""


Next = tuple[WheelState, list[RoundOutput]]
_replace = msgspec.structs.replace


class WheelRound(Machine[WheelState]):
    """Rounds of one roulette or boule under one game of the catalogue and one void policy."""

    transitions = TRANSITIONS
    any_stage = ANY_STAGE
    refusals: ClassVar[Mapping[str, str]] = {
        **Machine.refusals,
        "TableClosed": "a ball is in play; close the table when the round is over, or void it first",
    }
    result_rule = "wheel.ball_rests_in_pocket"
    void_rule = "wheel.defective_throw"
    waits_for = "waits for the next game"
    _game: Roulette | Boule

    def __init__(self, game: Roulette | Boule, policy: Policy) -> None:
        super().__init__(game, policy)

    def start(self) -> WheelState:
        """The state of a table that was never in play."""
        return WheelState()

    def _settle_unread(self, state: WheelState, at: Instant) -> Next:
        return self._settled(state, None, at)

    # --- steps: opening and throwing -----------------------------------------------------------

    def _open(self, state: WheelState, event: Event, at: Instant) -> Next:
        game = event.game if isinstance(event, GameStarted) else state.game
        if not state.table_open:
            return _replace(state, game=game), []
        opened = WheelState(
            stage="betting", phase="betting", previous_rotor=state.previous_rotor, game=game, opened_at=at
        )
        return opened, [PhaseChanged("betting", at, None, game)]

    def _reopen(self, state: WheelState, event: Event, at: Instant) -> Next:
        assert isinstance(event, GameStarted)
        if event.game == state.game:
            return state, []
        state, settled = self._interrupted(state, event, at)
        state, opened = self._open(state, event, at)
        return state, settled + opened

    _drop = Machine[WheelState]._shut  # no ball was thrown: the round number goes to the next opening

    def _launch(self, state: WheelState, event: Event, at: Instant) -> Next:
        assert isinstance(event, BallLaunched)
        if state.launched:
            return state, [unexpected(state, event)]
        bets_closed = state.stage == "no_more_bets"
        state = _replace(
            state,
            stage="no_more_bets" if bets_closed else "in_play",
            phase="no_more_bets" if bets_closed else "in_play",
            launched=True,
            attempts=state.attempts + 1,
            rotor=event.rotor,
            ball=event.ball,
            ball_with_rotor=None,
        )
        return state, [] if bets_closed else [PhaseChanged("in_play", at, None, state.game)]

    def _relaunch(self, state: WheelState, event: Event, at: Instant) -> Next:
        assert isinstance(event, LaunchFailed)
        was_in_play = state.launched
        state = _replace(
            state,
            stage="betting",
            phase="betting",
            launched=False,
            attempts=state.attempts + (0 if was_in_play else 1),
            previous_rotor=event.rotor or (state.rotor if was_in_play else None),
            rotor=None,
            ball=None,
            ball_with_rotor=None,
            ball_missing=False,
            laps=None,
            drop=None,
        )
        return state, [PhaseChanged("betting", at, "launch failed, it is thrown again", state.game)]

    def _defective(self, state: WheelState, event: Event, at: Instant) -> Next:
        state = _replace(state, defective=with_cause(state.defective, "launch failed after bets were closed"))
        state, settled = self._settled(state, None, at)
        state, opened = self._throw_again(state, event, at)
        return state, settled + opened

    def _throw_again(self, state: WheelState, event: Event, at: Instant) -> Next:
        """The ball goes again under the device's same game: the void throw is over, a new round begins."""
        outputs: list[RoundOutput] = []
        if state.stage == "condemned":
            if isinstance(event, BallLaunched) and not state.launched:
                # Voided while betting: this launch is the voided throw itself.
                attempts = state.attempts + 1
                state = _replace(state, launched=True, attempts=attempts, rotor=event.rotor, ball=event.ball)
                return self._await_end(state, event, at)
            state, outputs = self._settled(state, None, at)
        if isinstance(event, LaunchFailed) and event.rotor is not None:
            state = _replace(state, previous_rotor=event.rotor)
        state, opened = self._open(state, event, at)
        if isinstance(event, BallLaunched) and state.stage == "betting":
            state, launched = self._launch(state, event, at)
            opened = launched
        return state, outputs + opened

    def _dealer(self, state: WheelState, event: Event, at: Instant) -> Next:
        return state, [PhaseChanged(state.phase, at, "waits for the dealer's acknowledgement", state.game)]

    # --- steps: evidence ------------------------------------------------------------------------

    def _evidence(self, state: WheelState, event: Event, at: Instant) -> Next:
        if state.stage in ("closed", "over"):
            return state, []
        match event:
            case BallLap(laps=laps, ball=ball, rotor=rotor):
                state = _replace(state, laps=laps, ball=ball or state.ball, rotor=state.rotor or rotor)
            case RotorSpeedOutOfRange(rpm=rpm):
                state = _replace(state, rotor_rpm=rpm)
            case VoidSignalled(cause=cause):
                state = _replace(state, defective=with_cause(state.defective, cause))
            case _ if not state.launched:
                pass  # before the launch the ball's course belongs to an attempt that is not a throw yet
            case BallLeftRim(angle=angle, ball=sense, rim=rim):
                state = _replace(state, drop=Drop(angle=angle, ball=sense, rim=rim))
            case BallWithRotor():
                state = _replace(state, ball_with_rotor=True)
            case BallMissing():
                state = _replace(state, ball_missing=True)
        if state.stage == "condemned" or not self._voids(state):
            return state, []
        return self._condemn(state, at)

    def _half_seen(self, state: WheelState, event: Event, at: Instant) -> Next:
        seen = (
            {"before": event.before, "now": event.now}
            if isinstance(event, StatesMissed)
            else {"lost": getattr(event, "reason", "")}
        )
        state = _replace(state, previous_rotor=None, rotor=None)
        return self._condemn(self._missing(state, "round.half_seen", seen), at)

    def _interrupted(self, state: WheelState, event: Event, at: Instant) -> Next:
        return super()._interrupted(_replace(state, previous_rotor=None, rotor=None), event, at)

    def _await_end(self, state: WheelState, event: Event, at: Instant) -> Next:
        """From here on the void throw's end is waited for, but not for ever."""
        if state.settle_by is None:
            state = _replace(state, settle_by=at.mono + VOID_WAITS)
        return self._deafen(state, event, at) if isinstance(event, DeviceLost) else (state, [])

    def _deafen(self, state: WheelState, event: Event, at: Instant) -> Next:
        # While the wheel or mesad was away, the rotor may have been driven any number of times.
        return _replace(state, previous_rotor=None), []

    # --- steps: endings -------------------------------------------------------------------------

    def _settle(self, state: WheelState, event: Event, at: Instant) -> Next:
        assert isinstance(event, PocketSettled)
        if None not in (event.game, state.game) and event.game != state.game:
            state = self._missing(state, "round.half_seen", {"opened": state.game, "settled": event.game})
        ruled = find_rule(self._game, self.result_rule) is not None
        if not ruled and event.pocket not in self._game.layout.colors:  # which such a rule would have found
            state = self._missing(state, "round.pocket_unread", {"pocket": event.pocket})
        return self._settled(_replace(state, rotor=event.rotor or state.rotor), event.pocket, at)

    def _settle_place(self, state: WheelState, event: Event, at: Instant) -> Next:
        """A place of the layout has a label; what does not follow a launch that was seen is no result."""
        assert isinstance(event, PlaceSettled)
        state = _replace(state, rotor=event.rotor or state.rotor)
        pockets = self._game.layout.pockets
        if not 0 <= event.place < len(pockets):
            seen = {"place": event.place, "layout": self._game.layout.id, "pockets": len(pockets)}
            return self._settled(self._missing(state, "round.pocket_unread", seen), None, at)
        if not state.launched:
            state = self._missing(state, "round.half_seen", {"lost": "the launch", "place": event.place})
        return self._settled(state, pockets[event.place], at, place=event.place)

    def _unread(self, state: WheelState, event: Event, at: Instant) -> Next:
        assert isinstance(event, PocketUnread)
        state = _replace(state, rotor=event.rotor or state.rotor)
        seen = {"claims": list(event.claims), "reason": event.reason}
        return self._settled(self._missing(state, "round.pocket_unread", seen), None, at)

    def _settled(
        self, state: WheelState, label: str | None, at: Instant, *, place: int | None = None
    ) -> Next:
        findings = judging.findings(self._game, state, label)
        over, outputs = self._record(
            state, findings, at, label=label, place=place, drop=state.drop, attempts=state.attempts
        )
        known = state.rotor or (None if state.launched else state.previous_rotor)
        return _replace(over, previous_rotor=known), outputs

    # --- judging --------------------------------------------------------------------------------

    def _voids(self, state: WheelState) -> tuple[Finding, ...]:
        """What voids the throw by now, of what the clauses find."""
        found = judging.rule_findings(self._game, state, None, settled=False)
        return tuple(finding for finding in found if finding.effect == "void")

    def _waits_until(self, state: WheelState, at: Instant) -> int | None:
        """Voided before the launch, the throw itself may be long in coming."""
        return None if state.by_chief and not state.launched else super()._waits_until(state, at)
