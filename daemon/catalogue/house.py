"""A house's own rules on top of a text: they can make a game stricter, never looser.

`tighten` gives the game as the house plays it. What the house made stricter cites the text's clause and its
own ("es-ct 24.V.3; house: 3.2"), what it added its own alone ("house: 3.2"). Whatever would loosen the text
is refused with the text's clause.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta

from daemon.catalogue.errors import CatalogueDataError, HouseRefused, LimitRefused
from daemon.catalogue.limits import check_maximum
from daemon.catalogue.load import check_game
from daemon.catalogue.model import Data, Game, Limits, Maximum, Rule, Seats, find_rule
from daemon.catalogue.rules import REGISTRY, parameters
from daemon.catalogue.rules.judging import Stricter
from daemon.records import Effect

_LARGEST = 1_000_000_000
_Title = Annotated[str, Meta(max_length=200, pattern=r"\S")]
_CLAUSE = r"^(?!\s*(house:\s*)?$)[^;]{1,200}\Z"
_Clause = Annotated[str, Meta(pattern=_CLAUSE)]
"""A place in the house's own rules; with a semicolon in it, it might pass for a clause of the text."""
_Count = Annotated[int, Meta(ge=1, le=_LARGEST)]
_G = TypeVar("_G", bound=Game)
_replace = msgspec.structs.replace


class HouseRule(Data, frozen=True, kw_only=True):
    """A rule made stricter, where the text has it; else a further one, with its effect and all parameters."""

    id: Annotated[str, Meta(max_length=100)]
    clause: _Clause
    """Where the house's own rules say it."""
    effect: Effect | None = None
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)


class HouseMaximum(Data, frozen=True, kw_only=True):
    """Lower maxima of some bets, in multiples of the minimum; as many as the text gives to choose from."""

    bets: Annotated[tuple[str, ...], Meta(min_length=1)]
    times: Annotated[tuple[_Count, ...], Meta(min_length=1)]
    clause: _Clause


class HouseMinimum(Data, frozen=True, kw_only=True):
    """The least that a table's minimum may be, in currency units."""

    least: _Count
    clause: _Clause


class HouseSeats(Data, frozen=True, kw_only=True):
    """Fewer seats."""

    most: _Count
    clause: _Clause


class House(Data, frozen=True, kw_only=True):
    """A house file: what the house demands beyond the text of one game."""

    title: _Title
    """The house's own rules, e.g. "Internal rules of 2026"."""
    rule: tuple[HouseRule, ...] = ()
    maximum: tuple[HouseMaximum, ...] = ()
    minimum: HouseMinimum | None = None
    seats: HouseSeats | None = None


def tighten(game: _G, house: House, others: Iterable[Game] = ()) -> _G:
    """The game as the house plays it, with a hash of its own. Raises HouseRefused naming the house's key.

    `others` are the games of all texts: which further rules fit, and what their lists may hold, is seen from
    them.
    """
    canonical = msgspec.json.encode([game.hash, house], order="sorted")
    tightened = _replace(
        game,
        house=house.title,
        rules=_rules(game, house.rule, tuple(others)),
        limits=_limits(game, house),
        seats=_seats(game, house.seats),
        hash=hashlib.sha256(canonical).hexdigest(),
    )
    try:
        check_game(tightened)
    except CatalogueDataError as error:
        raise HouseRefused("rule", str(error)) from error
    return tightened


def _own(clause: str) -> str:
    return f"house: {clause.strip().removeprefix('house:').strip()}"


def _both(text_clause: str, clause: str) -> str:
    return f"{text_clause}; {_own(clause)}"


# --- rules -----------------------------------------------------------------------------------------


def _rules(game: Game, changes: tuple[HouseRule, ...], others: tuple[Game, ...]) -> tuple[Rule, ...]:
    rules = {rule.id: rule for rule in game.rules}
    for number, change in enumerate(changes):
        key = f"rule[{number}]"
        if change.id in (earlier.id for earlier in changes[:number]):
            raise HouseRefused(f"{key}.id", f"{change.id} stands twice")
        known = rules.get(change.id)
        models = tuple(rule for game in others if (rule := find_rule(game, change.id)) is not None)
        if known is None:
            kin = any(other.family == game.family and find_rule(other, change.id) for other in others)
            if not kin and not _takes_any_game(game, change.id):
                raise HouseRefused(f"{key}.id", _nothing_checks(game, change.id))
            rules[change.id] = _further(game, change, models, key)
        else:
            rules[change.id] = _stricter(game, known, change, models, key)
    return tuple(rules.values())


def _stricter(game: Game, rule: Rule, change: HouseRule, models: tuple[Rule, ...], key: str) -> Rule:
    """A rule of the text, made stricter."""
    wanted = parameters(rule.id)
    for name, value in change.parameters.items():
        where = f"{key}.parameters.{name}"
        if name not in wanted:
            raise HouseRefused(where, f"{rule.id} has no such parameter", rule.clause)
        if name in rule.parameters:
            _check_stricter(where, rule, wanted[name], rule.parameters[name], value)
        else:
            _check_kind(where, name, wanted[name], models, value)
    if change.effect is not None:
        _check_effect(f"{key}.effect", game, rule, change.effect)
    return _replace(
        rule,
        clause=_both(rule.clause, change.clause),
        effect=change.effect or rule.effect,
        parameters={**_with_own_clauses(change.parameters), **_unchanged(rule, change)},
    )


def _unchanged(rule: Rule, change: HouseRule) -> dict[str, Any]:
    """The text's parameters that a change leaves, or repeats, as they are."""
    return {
        name: value
        for name, value in rule.parameters.items()
        if _same(value, change.parameters.get(name, value))
    }


def _further(game: Game, change: HouseRule, models: tuple[Rule, ...], key: str) -> Rule:
    """A rule that the text does not have."""
    if change.effect is None:
        raise HouseRefused(f"{key}.effect", f"is missing: {game.text} does not have the rule {change.id}")
    _check_ending(f"{key}.effect", game, change.effect)
    ways = parameters(change.id)
    wanted = set(ways) - ({"void_clause"} if change.effect != "void" else set())
    if set(change.parameters) != wanted:
        takes = ", ".join(sorted(wanted)) or "none"
        raise HouseRefused(f"{key}.parameters", f"{change.id} takes these parameters: {takes}")
    for name, value in change.parameters.items():
        _check_kind(f"{key}.parameters.{name}", name, ways[name], models, value)
    return Rule(
        id=change.id,
        clause=_own(change.clause),
        effect=change.effect,
        parameters=_with_own_clauses(change.parameters),
    )


def _takes_any_game(game: Game, rule_id: str) -> bool:
    """Whether a rule is of the game's own kind, and its check asks nothing of the game's family."""
    kinds = {rule.id.partition(".")[0] for rule in game.rules}
    if rule_id not in REGISTRY or rule_id.partition(".")[0] not in kinds:
        return False
    return get_type_hints(REGISTRY[rule_id])["game"] is Game


def _nothing_checks(game: Game, rule_id: str) -> str:
    fitting = sorted(known for known in REGISTRY if _takes_any_game(game, known))
    return f"nothing checks {rule_id!r} at {game.id}; there are {', '.join(fitting)}"


def _with_own_clauses(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _own(value) if name.endswith("clause") and isinstance(value, str) else value
        for name, value in parameters.items()
    }


def _higher(old: Any, new: Any) -> bool:
    return bool(new >= old)


def _lower(old: Any, new: Any) -> bool:
    return bool(new <= old)


def _fewer(old: Any, new: Any) -> bool:
    """Whether a new list has only what the old one has, each once."""
    if not isinstance(old, list) or not isinstance(new, list):
        return False
    return all(_among(entry, old) for entry in new) and len(set(map(repr, new))) == len(new)


def _among(value: Any, known: Iterable[Any]) -> bool:
    return any(_same(value, other) for other in known)


def _same(old: Any, new: Any) -> bool:
    """Equal, and of one kind all through: true is not 1, and 1.0 is not either."""
    return bool(old == new) and repr(old) == repr(new)


_STRICTER: Mapping[Stricter, tuple[str, Callable[[Any, Any], bool]]] = {
    "higher": ("as high or higher", _higher),
    "lower": ("as low or lower", _lower),
    "fewer": ("some of the text's own", _fewer),
    "fixed": ("as in the text", _same),
}
"""For each direction what a house's value may be, in words, and whether a new value is so."""


def _check_stricter(key: str, rule: Rule, way: Stricter, old: Any, new: Any) -> None:
    words, is_so = _STRICTER[way]
    wanted = _figure_wanted(key, way, new)
    if wanted or not is_so(old, new):
        may_be = f"{words}, {wanted}" if wanted else words
        raise HouseRefused(key, f"is {new!r:.60}, but the text has {old!r}: it may be {may_be}", rule.clause)


_MEASURED = ("seconds", "least_mm", "greatest_mm")
"""Parameters that need not be whole numbers; all others count something."""


def _figure_wanted(key: str, way: Stricter, value: Any) -> str | None:
    """What a figure has to be, where this value is none: a floor above nothing, a ceiling not below it."""
    if way not in ("higher", "lower"):
        return None
    measured = key.rpartition(".")[2] in _MEASURED
    least = 1 if way == "higher" else 0
    kinds = int | float if measured else int
    if isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= _LARGEST:
        return None
    return f"a {'number' if measured else 'whole number'} from {least} to {_LARGEST}"


def _check_kind(key: str, name: str, way: Stricter, models: tuple[Rule, ...], value: Any) -> None:
    """A parameter that the text does not give: a number, words of the house, or what other texts have."""
    if way in ("higher", "lower"):
        if wanted := _figure_wanted(key, way, value):
            raise HouseRefused(key, f"is {value!r:.60}, but must be {wanted}")
        return
    if name.endswith("clause"):
        if not isinstance(value, str) or not re.match(_CLAUSE, value):
            raise HouseRefused(key, f"is {value!r}, which names no place in the house's rules")
        return
    known = [rule.parameters[name] for rule in models if name in rule.parameters]
    if way == "fewer":
        known = [entry for entries in known for entry in entries]
    if not (_fewer(known, value) if way == "fewer" else _among(value, known)):
        choice = ", ".join(dict.fromkeys(map(repr, known))) or "nothing"
        raise HouseRefused(key, f"is {value!r}; the texts that have the rule have {choice}")


_RANK: Mapping[Effect, int] = {"reminder": 0, "finding": 1, "void": 2, "annul": 2, "refuse": 2}


def _check_effect(key: str, game: Game, rule: Rule, effect: Effect) -> None:
    if effect == rule.effect:
        return
    if _RANK[effect] <= _RANK[rule.effect]:
        raise HouseRefused(key, f"{effect} is not stricter than the text's {rule.effect}", rule.clause)
    _check_ending(key, game, effect)


def _check_ending(key: str, game: Game, effect: Effect) -> None:
    """Of the effects that end a round or a request, only one that the game's own rules have."""
    ending = sorted({own.effect for own in game.rules if _RANK[own.effect] == 2})
    if _RANK[effect] == 2 and ending and effect not in ending:
        raise HouseRefused(key, f"no rule of {game.id} has the effect {effect}, only {', '.join(ending)}")


# --- limits and seats ------------------------------------------------------------------------------


def _limits(game: Game, house: House) -> Limits | None:
    limits = game.limits
    if house.minimum:
        clause, least = _own(house.minimum.clause), house.minimum.least
        if limits and limits.least is not None and least < limits.least:
            reason = f"{least} is lower than the text's {limits.least}"
            raise HouseRefused("minimum.least", reason, limits.least_clause)
        limits = _replace(limits or Limits(clause=clause), least=least, least_clause=clause)
    for number, maximum in enumerate(house.maximum):
        key = f"maximum[{number}]"
        _check_bets(game, house.maximum[:number], maximum, key)
        _check_bands(game, maximum, key)
        limits = _lowered(limits or Limits(clause=_own(maximum.clause)), maximum, key)
    return limits


def _check_bets(game: Game, earlier: tuple[HouseMaximum, ...], maximum: HouseMaximum, key: str) -> None:
    known = [bet.id for bet in game.bets]
    for bet in maximum.bets:
        if bet not in known:
            raise HouseRefused(f"{key}.bets", f"{game.id} has no bet {bet!r}; it has {', '.join(known)}")
        if maximum.bets.count(bet) > 1 or any(bet in other.bets for other in earlier):
            raise HouseRefused(f"{key}.bets", f"{bet} stands twice")


def _check_bands(game: Game, maximum: HouseMaximum, key: str) -> None:
    """Where the text says between which figures a maximum lies."""
    for bet in maximum.bets:
        for times in maximum.times:
            try:
                check_maximum(game, bet, times)
            except LimitRefused as error:
                raise HouseRefused(f"{key}.times", error.reason, error.clause) from error


def _lowered(limits: Limits, change: HouseMaximum, key: str) -> Limits:
    """The limits with the maxima of some bets lowered, or set where the text leaves them open."""
    if limits.maxima and len(change.times) != len(limits.multiples):
        wanted = f"as many figures as the first maxima, {len(limits.multiples)}"
        raise HouseRefused(f"{key}.times", f"takes {wanted}", limits.maxima[0].clause)
    maxima: list[Maximum] = []
    open_ = set(change.bets)
    for maximum in limits.maxima:
        kept = tuple(bet for bet in maximum.bets if bet not in change.bets)
        changed = tuple(bet for bet in maximum.bets if bet in change.bets)
        if kept:
            maxima.append(_replace(maximum, bets=kept))
        if changed:
            _check_lower(f"{key}.times", maximum, change.times)
            clause = _both(maximum.clause, change.clause)
            maxima.append(Maximum(bets=changed, times=change.times, clause=clause))
            open_ -= set(changed)
    if open_:
        bets = tuple(bet for bet in change.bets if bet in open_)
        maxima.append(Maximum(bets=bets, times=change.times, clause=_own(change.clause)))
    return _replace(limits, maxima=tuple(maxima))


def _check_lower(key: str, maximum: Maximum, times: tuple[int, ...]) -> None:
    for old, new in zip(maximum.times, times, strict=True):
        if new > old:
            raise HouseRefused(key, f"{new} is higher than the text's {old}", maximum.clause)


def _seats(game: Game, change: HouseSeats | None) -> Seats | None:
    if change is None:
        return game.seats
    seats = game.seats
    if seats is None:
        return Seats(most=change.most, clause=_own(change.clause))
    if seats.most is not None and change.most > seats.most:
        raise HouseRefused("seats.most", f"{change.most} is more than the text's {seats.most}", seats.clause)
    if seats.least is not None and change.most < seats.least:
        raise HouseRefused("seats.most", f"{change.most} is less than the {seats.least} needed", seats.clause)
    return _replace(seats, most=change.most, clause=_both(seats.clause, change.clause))
