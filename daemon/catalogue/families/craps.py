"""Craps: two dice, the point, and bets that one throw or a series of throws decides."""

from typing import Literal

from daemon.catalogue.equipment import Dice
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.checks import check_paid, check_said
from daemon.catalogue.families.family import Family
from daemon.catalogue.model import Announcements, Bet, Data, Direction, Game, Limits, Phrase, find_rule

EVENTS = ("point", "point_made", "seven_out")
"""What a throw may do to the point; each has its words."""
TOTALS = range(2, 13)
POINTS = (4, 5, 6, 8, 9, 10)
SEVEN = 7

Course = Literal["line", "roll", "number", "odds"]
"""What decides a bet. line: the first throw, or else its total becomes the point, which or a seven decides;
roll: the next throw; number: its number or a seven; odds: the point of its line bet, or a seven."""

Side = Literal["right", "wrong"]
"""Against a seven, or on it."""

Placing = Literal["come_out", "point", "any"]
"""When a bet may be put down: before a come-out roll, while the table has a point, at any time."""


class CrapsBet(Bet, frozen=True, kw_only=True):
    """A bet: what decides it, and for whom. Its numbers, where it has several, are the lines of its table."""

    kind: Literal["simple", "multiple", "associated", "place"]
    """The text's own classes, for which it has limits of their own."""
    course: Course
    placed: Placing
    wins: tuple[int, ...] = ()
    """Totals that win at once."""
    loses: tuple[int, ...] = ()
    """Totals that lose at once; a bet on one roll loses on all that do not win."""
    stands: tuple[int, ...] = ()
    """Totals that neither win nor lose, nor become a point."""
    side: Side | None = None
    """Which side of the point, or of its number, it is on; a bet on one roll is on neither."""
    doubles: bool | None = None
    """Its number must come as a double; in any other form it loses."""
    goes_with: str | None = None
    """The line bet that must have been made, for odds."""
    may_be_taken_back: bool | None = None
    """Whether a stake that waits may be taken back; None where the text does not say."""
    taken_back_clause: str | None = None


class Allowance(Data, frozen=True, kw_only=True):
    """What the text says in so many words leaves a throw valid."""

    mishap: Literal["on_chip"]
    clause: str


class DicePassing(Data, frozen=True, kw_only=True):
    """To whom the dice go, and when."""

    clause: str
    first: Literal["left_of_croupiers", "left_of_third_base"]
    """Third base is the croupier at that end of the table."""
    direction: Direction | None = None
    seven_out_clause: str
    """Where a seven that loses makes the dice change hands."""


class LostDie(Data, frozen=True, kw_only=True):
    """A die fell to the floor in a series: the thrower goes on with one out of the reserve."""

    clause: str
    reserve: int
    """Dice to choose from, as the text counts them."""
    new_set_if_not_found: bool


class LastRolls(Data, frozen=True, kw_only=True):
    """What follows the last rolls before a table is closed."""

    clause: str
    undecided_returned: bool
    """Stakes without a result after the last one are given back."""


class PointMaximum(Data, frozen=True, kw_only=True):
    """The most that may be staked, in percent, by the point."""

    bets: tuple[str, ...]
    of: Literal["simple_maximum", "stake"]
    """Percent of the table's maximum on the simple bets, or of the stake that the bet goes with."""
    percent: dict[str, int]
    """By point."""
    clause: str


class CrapsLimits(Limits, frozen=True, kw_only=True):
    """Limits of stakes: the authorisation sets the simple bets' maximum in the text's band; others follow."""

    multiple_clause: str
    multiple_win: tuple[int, int]
    """The maximum of a multiple bet is such that it may win at least and at most so many times what a
    maximum on a simple bet wins."""
    points: tuple[PointMaximum, ...]


class CrapsAnnouncements(Announcements, frozen=True, kw_only=True):
    """The words of craps. A result's are not any text's own."""

    change_of_dice: Phrase


class Craps(Game, frozen=True, kw_only=True, tag="craps"):
    """Craps under one text."""

    dice: Dice
    bets: tuple[CrapsBet, ...]
    passing: DicePassing | None = None
    allowances: tuple[Allowance, ...] = ()
    lost_die: LostDie | None = None
    last_rolls: LastRolls | None = None
    limits: CrapsLimits | None = None
    announcements: CrapsAnnouncements


def check(game: Craps) -> None:
    """Raises CatalogueDataError for a bet that cannot be played, or what is both allowed and ruled out."""
    lines = {bet.id for bet in game.bets if bet.course == "line"}
    for bet in game.bets:
        if (bet.course == "odds" and bet.goes_with not in lines) or (bet.course != "odds" and bet.goes_with):
            raise CatalogueDataError(f"{bet.id} cannot go with {bet.goes_with!r}", bet.clause)
        if (bet.side is None) != (bet.course == "roll"):
            raise CatalogueDataError(f"{bet.id} is on no side, or on one too many", bet.clause)
        _check_totals(bet)
    check_paid(game.bets)
    check_said(EVENTS, game.announcements.words)
    for allowance in game.allowances:
        if find_rule(game, f"dice.{allowance.mishap}") is not None:
            raise CatalogueDataError(
                f"{allowance.mishap} is allowed, yet a rule is against it", allowance.clause
            )


def _check_totals(bet: CrapsBet) -> None:
    """A line bet's first throw has one answer for every total; no bet names a total twice."""
    totals = [*bet.wins, *bet.loses, *bet.stands, *(POINTS if bet.course == "line" else ())]
    if len(totals) != len(set(totals)) or not set(totals) <= set(TOTALS):
        raise CatalogueDataError(f"{bet.id}: {sorted(totals)} are no totals, each once", bet.clause)
    if bet.course == "line" and len(totals) != len(TOTALS):
        missing = sorted(set(TOTALS).difference(totals))
        raise CatalogueDataError(f"{bet.id}: nothing is said of {missing}", bet.clause)


FAMILY = Family(Craps, check)
