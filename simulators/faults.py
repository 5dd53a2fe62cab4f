"""The faults that a simulated wheel can be given, by name, with what a correct observer makes of each."""

from collections.abc import Callable
from dataclasses import dataclass

from simulators import line_damage as damage
from simulators import wheel_mishaps as mishaps
from simulators.devices.cammegh_game import Ending
from simulators.traffic import Expected


@dataclass(frozen=True, slots=True)
class Prospect:
    """What is known of the next game before it is played."""

    index: int
    model: str
    protocol: str
    previous: str | None
    """The number shown from the game before."""
    rotor: int
    """The rotor's direction now, 0 clockwise; the launch is going to be the other way."""
    after: Ending
    """How the game before ended; "power_cut" for the first."""


def _any_game(prospect: Prospect) -> bool:
    return True


def _runs_clockwise(prospect: Prospect) -> bool:
    """A stopped rotor reads clockwise, and the launch after it is anticlockwise: so is a right alternation
    only after a clockwise launch. Any other would leave open what the law says of the next game."""
    return prospect.rotor == 1


def _follows_a_game(prospect: Prospect) -> bool:
    return prospect.after in ("result", "abandoned")


def _follows_a_number(prospect: Prospect) -> bool:
    return prospect.after == "result" and prospect.previous is not None


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a game goes wrong. The three functions act on the plan, the lines and the wire."""

    name: str
    expected: Expected
    description: str
    shape: mishaps.Shape = mishaps.as_planned
    mark: mishaps.Mark = mishaps.as_played
    send: damage.Send = damage.sent
    models: frozenset[str] = frozenset({"slingshot-2", "mercury-360"})
    protocols: frozenset[str] = frozenset({"advanced", "extended"})
    needs: Callable[[Prospect], bool] = _any_game
    timed: bool = False
    """What is expected rests on real durations: it holds at speed 1 only."""

    def fits(self, prospect: Prospect) -> bool:
        """Whether the next game can have this fault."""
        return self.speaks(prospect.model, prospect.protocol) and self.needs(prospect)

    def speaks(self, model: str, protocol: str) -> bool:
        """Whether a wheel of this model and protocol can have this fault at all."""
        return model in self.models and protocol in self.protocols


Schedule = Callable[[Prospect], Fault | None]
"""Says for each game, asked once and in order, which fault it has."""


def never(prospect: Prospect) -> None:
    """The schedule without faults."""


_SLINGSHOT = frozenset({"slingshot-2"})
_MERCURY = frozenset({"mercury-360"})
_ALL = frozenset({"advanced", "extended", "basic"})

_LIST = (
    # launches
    Fault(
        "failed_launch",
        "valid",
        "a launch fails with bit 8 for about 20 s, the wheel reverses and launches again",
        shape=mishaps.failed_launch,
        models=_SLINGSHOT,
    ),
    Fault(
        "ball_with_rotor",
        "void",
        "bit 2 through states 3 and 4, and a number all the same",
        shape=mishaps.ball_follows,
        mark=mishaps.mark_ball_with_rotor,
    ),
    Fault(
        "ball_with_rotor_suppressed",
        "void",
        "the ball runs with the rotor, which only the extended fields tell",
        shape=mishaps.ball_follows,
        protocols=frozenset({"extended"}),
    ),
    Fault(
        "ball_with_rotor_then_failed_launch",
        "valid",
        "bit 2 for 6 s of betting, failed launch, then a right one",
        shape=mishaps.ball_with_rotor_then_failed_launch,
        models=_SLINGSHOT,
    ),
    Fault(
        "same_direction",
        "void",
        "the rotor is not reversed, and no launch failed between",
        shape=mishaps.same_direction,
        needs=_follows_a_game,
    ),
    Fault(
        "respin",
        "valid",
        "a launch is given up, 3 to 2, and repeated under the same counter",
        shape=mishaps.respin,
        models=_MERCURY,
    ),
    Fault("dealer_lock", "valid", "state 7 between 4 and 5", shape=mishaps.dealer_lock, models=_MERCURY),
    # the ball and the result
    Fault(
        "ball_removed",
        "void",
        "bit 1 without a break for more than 5 s of state 4",
        shape=mishaps.ball_removed,
        mark=mishaps.mark_ball_removed,
        models=_SLINGSHOT,
        timed=True,
    ),
    Fault(
        "ball_removed_pulse",
        "valid",
        "bit 1 in state 4 for one or two lines at a time",
        mark=mishaps.mark_ball_unseen,
        models=_SLINGSHOT,
    ),
    Fault("no_result", "void", "from state 4 straight to state 2", shape=mishaps.no_result, protocols=_ALL),
    Fault("blank_number", "void", "state 5 with a blank number", shape=mishaps.blank_number),
    Fault(
        "result_missed",
        "void",
        "all lines of state 5 are lost; the counter has gone up",
        shape=mishaps.settles_briefly,
        send=damage.result_missed,
    ),
    Fault("short_state_5", "valid", "state 5 for two lines", shape=mishaps.settles_for(2)),
    Fault("long_state_5", "valid", "state 5 for sixteen lines", shape=mishaps.settles_for(16)),
    Fault(
        "state_5_single_line",
        "valid",
        "state 5 for one line, then state 2 with the same number",
        shape=mishaps.settles_for(1),
    ),
    Fault(
        "same_number_twice",
        "valid",
        "the number of the game before once more",
        shape=mishaps.same_number_twice,
        needs=_follows_a_number,
        protocols=_ALL,
    ),
    Fault("no_bare_number", "valid", "no line with the number alone", shape=mishaps.no_bare_number),
    Fault(
        "bare_number_cut",
        "void",
        "the bare number is cut to one digit and contradicts the status line",
        shape=mishaps.bare_number_cut,
    ),
    Fault(
        "bare_number_wrong",
        "void",
        "the bare number contradicts the status line",
        shape=mishaps.bare_number_wrong,
    ),
    # lines that mean something else
    Fault("bonus_lines", "valid", "bonus lines between the status lines", send=damage.bonus_lines),
    Fault(
        "command_replies", "valid", "answers to commands that nobody here sent", send=damage.command_replies
    ),
    Fault("resent_number", "valid", "old numbers sent again", send=damage.resent_number),
    # damage on the line
    Fault("glued_fragments", "valid", "pieces of several lines arrive as one", send=damage.glued_fragments),
    Fault("tail_fragments", "valid", "lines of which only the end arrives", send=damage.tail_fragments),
    Fault(
        "damaged_byte", "valid", "a byte that cannot be right in up to three lines", send=damage.damaged_byte
    ),
    Fault(
        "damaged_digit",
        "valid",
        "one field of one line is wrong, the line well-formed",
        shape=mishaps.settles_for(8),
        send=damage.damaged_digit,
    ),
    Fault("dropped_lines", "valid", "a few single lines are lost", send=damage.dropped_lines),
    Fault("random_bytes", "valid", "noise between the lines", send=damage.random_bytes, protocols=_ALL),
    Fault(
        "half_line_pause",
        "valid",
        "half a line, 3 s of nothing, the other half",
        shape=mishaps.settles_for(14),
        send=damage.half_line_pause,
        timed=True,
    ),
    Fault(
        "burst_after_block",
        "valid",
        "the lines of 3 s arrive late and at once",
        send=damage.burst_after_block,
        timed=True,
    ),
    Fault(
        "silence_in_betting",
        "valid",
        "10 s of silence before the rotor reverses",
        shape=mishaps.waits(26),
        send=damage.silence_in_betting,
        timed=True,
    ),
    Fault(
        "silence_in_play",
        "void",
        "10 s of silence in states 3 and 4",
        send=damage.silence_in_play,
        timed=True,
    ),
    # the cable
    Fault(
        "link_lost_in_betting",
        "valid",
        "the cable is out for some seconds before the rotor reverses",
        shape=mishaps.waits(24),
        send=damage.link_lost_in_betting,
        timed=True,
    ),
    Fault(
        "link_lost_in_play",
        "void",
        "the cable is out for some seconds of states 3 and 4",
        send=damage.link_lost_in_play,
        protocols=_ALL,
    ),
    Fault(
        "five_unplugs",
        "valid",
        "the cable is out five times during betting",
        shape=mishaps.waits(50),
        send=damage.five_unplugs,
        timed=True,
    ),
    Fault(
        "joined_mid_line",
        "unseen",
        "the line is heard only from the middle of states 4 or 5 on",
        send=damage.joined_mid_line,
    ),
    # the wheel itself
    Fault(
        "restart_in_play",
        "void",
        "power cycle in state 4: banner, counter 001, number blank",
        shape=mishaps.power_cut,
        send=damage.power_cut,
        needs=_runs_clockwise,
    ),
    Fault(
        "wheel_closes_in_play",
        "void",
        "from state 4 to 6, later 1 and 2",
        shape=mishaps.wheel_closes,
        needs=_runs_clockwise,
    ),
    Fault(
        "motor_fault",
        "void",
        "the rotor stops in state 4, bit 4, state 6",
        shape=mishaps.breaks_down,
        mark=mishaps.mark_motor_fault,
        models=_SLINGSHOT,
        needs=_runs_clockwise,
    ),
    Fault(
        "runaway",
        "void",
        "the rotor runs away to some 95 rpm, bit 4, state 6",
        shape=mishaps.breaks_down,
        mark=mishaps.mark_runaway,
        models=_SLINGSHOT,
        needs=_runs_clockwise,
    ),
    Fault(
        "speed_warning",
        "valid",
        "the rotor runs at less than 10 rpm, bit 1 of a Mercury",
        mark=mishaps.mark_speed_outside,
        models=_MERCURY,
    ),
    Fault(
        "void_signalled",
        "void",
        "the wheel calls the throw void, bit 8 of a Mercury",
        shape=mishaps.void_signalled,
        mark=mishaps.mark_void_signalled,
        models=_MERCURY,
    ),
)

FAULTS = {fault.name: fault for fault in _LIST}
"""Every fault by its name."""


def named(name: str) -> Fault:
    """The fault of this name. Raises ValueError, listing the names, if there is none."""
    if name not in FAULTS:
        raise ValueError(f"unknown fault {name!r}; known are: {', '.join(sorted(FAULTS))}")
    return FAULTS[name]
