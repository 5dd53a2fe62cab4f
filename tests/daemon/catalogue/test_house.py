"""A house's own rules: what makes a text stricter is taken, each kind of loosening is refused."""

from typing import Any

import msgspec
import pytest

from daemon.catalogue.errors import HouseRefused, MinimumRefused
from daemon.catalogue.house import House, tighten
from daemon.catalogue.limits import limits
from daemon.catalogue.load import load_all, load_game
from daemon.catalogue.model import Band, Game, Limits, Rule, Seats, find_rule

SEALED = "wheel.cylinder_sealed"
CLOSED = "wheel.bets_closed_before_result"
GAMES = load_all()


def house(**sections: Any) -> House:
    return msgspec.convert({"title": "Rules of 2026", **sections}, House)


def rule(id_: str, **change: Any) -> House:
    return house(rule=[{"id": id_, "clause": "3.2", **change}])


def maximum(bets: list[str], times: list[int]) -> House:
    return house(maximum=[{"bets": bets, "times": times, "clause": "4"}])


def tightened(game: Game, own: House, rule_id: str) -> Rule:
    found = find_rule(tighten(game, own, GAMES.values()), rule_id)
    assert found is not None
    return found


def refused(game: Game, own: House) -> HouseRefused:
    with pytest.raises(HouseRefused) as caught:
        tighten(game, own, GAMES.values())
    return caught.value


def ruled(parameters: dict[str, Any]) -> Game:
    """A roulette whose one rule has a parameter of each direction."""
    own = Rule(id="dice.own", clause="es-ct 99", effect="finding", parameters=parameters)
    return msgspec.structs.replace(GAMES["es-ct", "french_roulette"], rules=(own,))


# --- rules ----------------------------------------------------------------------------------------


def test_a_stricter_effect_cites_the_text_and_the_house() -> None:
    found = tightened(load_game("es-ct", "french_roulette"), rule(CLOSED, effect="void"), CLOSED)
    assert (found.effect, found.clause) == ("void", "es-ct 1.IV.3.b; house: 3.2")


@pytest.mark.parametrize("effect", ["finding", "reminder"])
def test_a_weaker_effect_is_refused_with_the_texts_clause(effect: str) -> None:
    error = refused(load_game("es-ct", "french_roulette"), rule("wheel.foreign_object", effect=effect))
    assert (error.key, error.clause) == ("rule[0].effect", "es-ct 1.IV.3.d")
    assert f"{effect} is not stricter than the text's void" in str(error)


def test_one_way_of_ending_a_round_is_not_stricter_than_another() -> None:
    error = refused(load_game("es-ct", "french_roulette"), rule("wheel.foreign_object", effect="refuse"))
    assert "refuse is not stricter than the text's void" in error.reason
    assert error.clause == "es-ct 1.IV.3.d"


def test_an_effect_that_the_game_does_not_know_is_refused() -> None:
    error = refused(load_game("es-ct", "french_roulette"), rule(CLOSED, effect="annul"))
    assert error.key == "rule[0].effect"
    assert "no rule of french_roulette has the effect annul, only void" in str(error)


@pytest.mark.parametrize(
    ("way", "old", "stricter", "looser"),
    [
        ("higher", 4, [4, 5], [3, "5", True, [5], None, 4.5, 5.0, float("nan"), float("inf"), 10**400]),
        ("lower", 4, [4, 3, 0], [5, "3", False, 0.5, -1, -(10**400), float("-inf")]),
        (
            "fewer",
            ["lid", "seal"],
            [["lid"], ["seal", "lid"], []],
            [["lid", "tape"], ["lid", "lid"], "lid", 1],
        ),
        ("fixed", "1.IV", ["1.IV"], ["1.V", 1]),
        ("fixed", 1, [1], [True, 1.0, 2]),
        ("fixed", [1, 2], [[1, 2]], [[True, 2], [2, 1], [1.0, 2]]),
    ],
)
def test_a_parameter_changes_only_to_the_stricter_side(
    way: str, old: Any, stricter: list[Any], looser: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("house", "load"):
        monkeypatch.setattr(f"daemon.catalogue.{module}.parameters", lambda rule_id: {"figure": way})
    monkeypatch.setattr("daemon.catalogue.load.REGISTRY", {"dice.own": None})
    game = ruled({"figure": old})
    for value in stricter:
        found = tightened(game, rule("dice.own", parameters={"figure": value}), "dice.own")
        assert found.parameters == {"figure": value}
        assert found.clause == "es-ct 99; house: 3.2"
    for value in looser:
        error = refused(game, rule("dice.own", parameters={"figure": value}))
        assert (error.key, error.clause) == ("rule[0].parameters.figure", "es-ct 99")
        assert f"the text has {old!r}" in str(error)


def test_a_stricter_effect_must_bring_what_it_needs() -> None:
    """A throw in the wrong sense is void only as a defective throw, so the clause on those must be named."""
    alternates = "wheel.rotor_alternates"
    own = Rule(id=alternates, clause="es-ct 1.IV.3.a", effect="finding")
    others = [rule for rule in GAMES["es-ct", "french_roulette"].rules if rule.id != alternates]
    game = msgspec.structs.replace(GAMES["es-ct", "french_roulette"], rules=(own, *others))
    error = refused(game, rule(alternates, effect="void"))
    assert error.key == "rule"
    assert "takes the parameters ['void_clause']" in str(error)
    whole = rule(alternates, effect="void", parameters={"void_clause": "3.3"})
    assert tightened(game, whole, alternates).parameters == {"void_clause": "house: 3.3"}


def test_the_texts_own_closures_can_only_become_fewer() -> None:
    game = load_game("es-ct", "french_roulette")
    found = tightened(game, rule(SEALED, parameters={"closures": ["locked_lid"]}), SEALED)
    assert found.parameters == {"closures": ["locked_lid"]}
    error = refused(game, rule(SEALED, parameters={"closures": ["locked_lid", "tape"]}))
    assert (error.key, error.clause) == ("rule[0].parameters.closures", "es-ct 1.IV.3.e")


def test_a_parameter_that_the_rule_does_not_take_is_refused() -> None:
    error = refused(load_game("es-ct", "french_roulette"), rule(SEALED, parameters={"tape": 1}))
    assert error.key == "rule[0].parameters.tape"
    assert error.clause == "es-ct 1.IV.3.e"


def test_one_rule_twice_is_refused() -> None:
    both = [{"id": SEALED, "clause": "1"}, {"id": SEALED, "clause": "2"}]
    assert refused(load_game("es-ct", "french_roulette"), house(rule=both)).key == "rule[1].id"


def test_a_further_rule_cites_the_house_alone() -> None:
    game = load_game("es-ct", "french_roulette")
    own = rule("wheel.ball_laps", effect="void", parameters={"laps": 5})
    found = tightened(game, own, "wheel.ball_laps")
    assert (found.clause, found.effect, found.parameters) == ("house: 3.2", "void", {"laps": 5})
    assert tighten(game, own).rules[:-1] == game.rules


@pytest.mark.parametrize(
    ("change", "key", "says"),
    [
        ({"effect": "void", "parameters": {"laps": "five"}}, "rule[0].parameters.laps", "whole number"),
        ({"effect": "void", "parameters": {"laps": 0}}, "rule[0].parameters.laps", "from 1 to"),
        ({"effect": "void", "parameters": {"laps": -1}}, "rule[0].parameters.laps", "from 1 to"),
        ({"effect": "void", "parameters": {"laps": 1.5}}, "rule[0].parameters.laps", "whole number"),
        ({"effect": "void", "parameters": {"laps": 10**400}}, "rule[0].parameters.laps", "is 1000"),
        ({"effect": "void"}, "rule[0].parameters", "takes these parameters: laps"),
        ({"parameters": {"laps": 5}}, "rule[0].effect", "is missing: es-ct does not have the rule"),
        ({"effect": "annul", "parameters": {"laps": 5}}, "rule[0].effect", "only void"),
    ],
)
def test_a_further_rule_must_be_whole(change: dict[str, Any], key: str, says: str) -> None:
    error = refused(load_game("es-ct", "french_roulette"), rule("wheel.ball_laps", **change))
    assert error.key == key
    assert says in str(error)


@pytest.mark.parametrize("id_", ["wheel.no_such_rule", "dice.touches_wall", "wheel"])
def test_a_rule_that_nothing_checks_at_this_game_is_refused(id_: str) -> None:
    error = refused(load_game("es-ct", "french_roulette"), rule(id_, effect="void"))
    assert error.key == "rule[0].id"
    assert f"nothing checks '{id_}' at french_roulette; there are wheel.ball_against_rotor" in str(error)


def test_a_rule_whose_check_needs_another_family_is_refused() -> None:
    """Its check would look for what this game's data does not have."""
    error = refused(GAMES["es-ct", "trijoker"], rule("shoe.stop_card_depth", effect="refuse"))
    assert error.key == "rule[0].id"
    assert "nothing checks 'shoe.stop_card_depth' at trijoker" in str(error)
    missing = without(GAMES["es-ct", "trijoker"], "shoe.approved_model")
    kin = rule("shoe.approved_model", effect="refuse")
    assert tightened(missing, kin, "shoe.approved_model").clause == "house: 3.2"
    with pytest.raises(HouseRefused, match="nothing checks"):
        tighten(missing, kin)


def test_a_rule_of_dice_fits_every_game_of_dice() -> None:
    own = rule("dice.set_rotated", effect="reminder", parameters={"seconds": 1800})
    assert tightened(GAMES["es-ct", "craps"], own, "dice.set_rotated").parameters == {"seconds": 1800}


def without(game: Game, rule_id: str) -> Game:
    return msgspec.structs.replace(game, rules=tuple(rule for rule in game.rules if rule.id != rule_id))


def test_what_a_further_rule_lists_is_what_other_texts_have() -> None:
    game = without(load_game("es-ct", "french_roulette"), SEALED)
    own = rule(SEALED, effect="finding", parameters={"closures": ["seal"]})
    assert tightened(game, own, SEALED).parameters == {"closures": ["seal"]}
    for wrong in (["tape"], "seal"):
        error = refused(game, rule(SEALED, effect="finding", parameters={"closures": wrong}))
        assert error.key == "rule[0].parameters.closures"
        assert "the texts that have the rule have 'locked_lid', 'seal'" in str(error)


def test_a_clause_that_a_further_rule_names_is_the_houses() -> None:
    game = without(load_game("es-ct", "french_roulette"), "wheel.rotor_alternates")
    own = rule("wheel.rotor_alternates", effect="void", parameters={"void_clause": "3.3"})
    found = tightened(game, own, "wheel.rotor_alternates")
    assert found.parameters == {"void_clause": "house: 3.3"}
    wrong = rule("wheel.rotor_alternates", effect="void", parameters={"void_clause": 3})
    assert refused(game, wrong).key == "rule[0].parameters.void_clause"


# --- limits and seats ----------------------------------------------------------------------------


def test_lower_maxima_bet_by_bet() -> None:
    game = load_game("es-1979", "french_roulette")
    lower = tighten(game, maximum(["column", "straight"], [20]))
    assert lower.limits is not None
    clauses = {bet: m.clause for m in lower.limits.maxima for bet in m.bets}
    assert clauses["column"] == "es-1979 01.IV.2.A.b; house: 4"
    assert clauses["dozen"] == "es-1979 01.IV.2.A.b"
    had, has = limits(game, 5), limits(lower, 5)
    assert had is not None
    assert has == {**had, "column": 100, "straight": 100}
    assert lower.limits.multiples == game.limits.multiples


@pytest.mark.parametrize(
    ("bets", "times", "key", "says"),
    [
        (["straight"], [31], "maximum[0].times", "31 is higher than the text's 30 (es-1979 01.IV.2.A.b)"),
        (["straight"], [10, 20], "maximum[0].times", "as many figures as the first maxima, 1"),
        (["neighbours"], [10], "maximum[0].bets", "has no bet 'neighbours'; it has straight, split"),
        (["straight", "straight"], [10], "maximum[0].bets", "straight stands twice"),
    ],
)
def test_maxima_that_are_refused(bets: list[str], times: list[int], key: str, says: str) -> None:
    error = refused(load_game("es-1979", "french_roulette"), maximum(bets, times))
    assert error.key == key
    assert says in str(error)


def test_one_bet_in_two_maxima_is_refused() -> None:
    both = [{"bets": ["split"], "times": [1], "clause": "1"}] * 2
    assert refused(load_game("es-1979", "french_roulette"), house(maximum=both)).key == "maximum[1].bets"


def test_any_choice_of_the_text_may_become_lower_and_none_higher() -> None:
    game = load_game("es-ex", "french_roulette")
    assert tighten(game, maximum(["straight"], [10, 20, 25, 25])).limits is not None
    error = refused(game, maximum(["straight"], [10, 21, 25, 25]))
    assert "21 is higher than the text's 20" in str(error)


def test_maxima_where_the_text_leaves_them_to_the_authorisation() -> None:
    game = tighten(load_game("es-ct", "french_roulette"), maximum(["red", "black"], [100]))
    assert limits(game, 5) == {"red": 500, "black": 500}
    assert game.limits is not None
    assert game.limits.maxima[0].clause == "house: 4"
    assert game.limits.clause == "es-ct 1.IV.2.a"


@pytest.mark.parametrize("times", [19, 101])
def test_maxima_outside_the_texts_band_are_refused(times: int) -> None:
    band = Band(bets=("red",), least=20, most=100, clause="es-ct 99.V")
    banded = Limits(clause="es-ct 99", bands=(band,))
    game = msgspec.structs.replace(load_game("es-ct", "french_roulette"), limits=banded)
    error = refused(game, maximum(["black", "red"], [times]))
    assert (error.key, error.clause) == ("maximum[0].times", "es-ct 99.V")
    assert f"{times} times the minimum on red: the text has 20 to 100" in str(error)
    assert limits(tighten(game, maximum(["black", "red"], [100])), 5) == {"black": 500, "red": 500}


def test_a_higher_minimum() -> None:
    own = house(minimum={"least": 10, "clause": "5"})
    game = tighten(load_game("es-1979", "french_roulette"), own)
    assert limits(game, 10) is not None
    with pytest.raises(MinimumRefused, match="9 is less than 10") as caught:
        limits(game, 9)
    assert caught.value.clause == "house: 5"
    least = Limits(clause="es-ct 99", least=12, least_clause="es-ct 98")
    error = refused(msgspec.structs.replace(game, limits=least), own)
    assert (error.key, error.clause) == ("minimum.least", "es-ct 98")


def test_a_game_of_whose_limits_the_text_says_nothing() -> None:
    silent = msgspec.structs.replace(load_game("es-ct", "french_roulette"), limits=None)
    game = tighten(silent, house(minimum={"least": 10, "clause": "5"}))
    assert game.limits == Limits(clause="house: 5", least=10, least_clause="house: 5")


@pytest.mark.parametrize(
    ("seats", "says"),
    [
        (Seats(most=5, clause="es-ct 99"), "6 is more than the text's 5 (es-ct 99)"),
        (Seats(least=7, clause="es-ct 99"), "6 is less than the 7 needed (es-ct 99)"),
    ],
)
def test_more_seats_or_too_few_are_refused(seats: Seats, says: str) -> None:
    game = msgspec.structs.replace(load_game("es-ct", "french_roulette"), seats=seats)
    error = refused(game, house(seats={"most": 6, "clause": "6"}))
    assert (error.key, str(error)) == ("seats.most", says)


def test_fewer_seats() -> None:
    own = house(seats={"most": 6, "clause": "6"})
    game = load_game("es-ct", "french_roulette")
    seven = msgspec.structs.replace(game, seats=Seats(least=1, most=7, clause="es-ct 99"))
    assert tighten(seven, own).seats == Seats(least=1, most=6, clause="es-ct 99; house: 6")
    open_ = msgspec.structs.replace(game, seats=None)
    assert tighten(open_, own).seats == Seats(most=6, clause="house: 6")


# --- the hash, and every game ---------------------------------------------------------------------


def test_the_hash_is_of_the_text_and_the_houses_own_data() -> None:
    game = load_game("es-ct", "french_roulette")
    hashes = [
        tighten(game, own).hash
        for own in (house(), rule(SEALED), rule(SEALED, effect="void"), house(title="Rules of 2027"))
    ]
    assert len({game.hash, *hashes}) == 5
    assert tighten(game, house()).hash == hashes[0]
    assert tighten(load_game("es-ex", "french_roulette"), house()).hash != hashes[0]


@pytest.mark.parametrize("key", GAMES, ids="/".join)
def test_a_house_that_demands_nothing_changes_nothing_but_the_hash(key: tuple[str, str]) -> None:
    game = GAMES[key]
    assert msgspec.structs.replace(tighten(game, house()), house=None, hash=game.hash) == game
