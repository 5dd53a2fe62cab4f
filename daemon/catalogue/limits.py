"""Limits of stakes: from a table's minimum and the chosen multiple to every bet's maximum."""

from daemon.catalogue.errors import LimitRefused, MinimumRefused
from daemon.catalogue.figures import is_whole
from daemon.catalogue.model import Game


def limits(game: Game, minimum: int, multiple: int | None = None) -> dict[str, int] | None:
    """Every bet's maximum for a minimum, both in the table's currency units.

    `multiple` is that of the simple chances, the others go with it; None takes the text's only one. The
    answer is None where the text leaves the maxima to the authorisation or says nothing of limits. Raises
    LimitRefused.
    """
    rules = game.limits
    check_minimum(game, minimum)
    if rules is None:
        if multiple is not None:
            raise LimitRefused(f"{game.text} says nothing of limits for {game.id}: it has no multiples")
        return None
    if not rules.maxima:
        if multiple is not None:
            raise LimitRefused("the authorisation sets the maxima; the text has no multiples", rules.clause)
        return None
    allowed = rules.multiples
    if multiple is None and len(allowed) == 1:
        multiple = allowed[0]
    if not is_whole(multiple) or multiple not in allowed:
        given = f"{multiple!r:.60} times the minimum is not allowed"
        said = "no multiple is given" if multiple is None else given
        choice = ", ".join(map(str, allowed))
        raise LimitRefused(f"{said}: on the simple chances the text has {choice}", rules.maxima[0].clause)
    at = allowed.index(multiple)
    return {bet: maximum.times[at] * minimum for maximum in rules.maxima for bet in maximum.bets}


def check_minimum(game: Game, minimum: int) -> None:
    """A table's minimum, in currency units, held against the least that it may be. Raises MinimumRefused."""
    rules = game.limits
    if not is_whole(minimum, 1):
        raise MinimumRefused(f"a minimum of {minimum!r:.60} is none", rules.clause if rules else None)
    if rules and rules.least is not None and minimum < rules.least:
        raise MinimumRefused(f"a minimum of {minimum} is less than {rules.least}", rules.least_clause)


def check_maximum(game: Game, bet: str, times: int) -> None:
    """A maximum that the authorisation sets, in multiples of the minimum, held against the text's band.

    Raises LimitRefused where the text has a band for this bet and the figure lies outside it, or is none.
    """
    if not is_whole(times, 1):
        clause = game.limits.clause if game.limits else None
        raise LimitRefused(f"{times!r:.60} times the minimum is no maximum", clause)
    for band in game.limits.bands if game.limits else ():
        if bet in band.bets and not band.least <= times <= band.most:
            raise LimitRefused(
                f"{times} times the minimum on {bet}: the text has {band.least} to {band.most}", band.clause
            )
