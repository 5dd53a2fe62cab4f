"""A house's rules that would loosen a text in disguise, or that nothing can be made of."""

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon import toml_file
from daemon.catalogue.errors import HouseRefused
from daemon.catalogue.house import House, tighten
from daemon.catalogue.load import load_all, load_game
from daemon.catalogue.model import Rule, find_rule
from daemon.catalogue.rules import REGISTRY, parameters
from daemon.config_file import HOUSE_TAKES
from daemon.errors import ConfigurationError

GAMES = load_all()
RANK = {"reminder": 0, "finding": 1, "void": 2, "annul": 2, "refuse": 2}
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-3, 40)
    | st.sampled_from([10**400, -(10**400), 2**63, 1e308, math.nan, math.inf, -math.inf, 0.5, 1.0, 4.0])
    | st.sampled_from(["", " ", "J", "lost", "zero", "seal", "locked_lid", "security_system", "annul_all"])
    | st.sampled_from(["house:", "es-ct 1.IV.3.d", "9; es-ct 1.IV.3.d"])
)
VALUES = PLAIN | st.lists(PLAIN, max_size=4)


def not_looser(way: str, old: Any, new: Any) -> bool:
    """Said again, otherwise than in the house's own module."""
    if way == "fewer":
        return {str(entry) for entry in new} <= {str(entry) for entry in old}
    if way == "fixed":
        return type(old) is type(new) and old == new
    assert type(new) in (int, float)
    return old <= new < math.inf if way == "higher" else 0 <= new <= old


@given(data=st.data())
def test_no_change_of_a_rule_is_looser_than_the_text(data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(list(GAMES.values())).filter(lambda game: game.rules))
    rule = data.draw(st.sampled_from(game.rules))
    ways = parameters(rule.id)
    change = data.draw(
        st.fixed_dictionaries(
            {"id": st.just(rule.id), "clause": st.just("3.2")},
            optional={
                "effect": st.sampled_from(list(RANK)),
                "parameters": st.dictionaries(st.sampled_from([*ways, "void_clause"]), VALUES, max_size=3),
            },
        )
    )
    own = msgspec.convert({"title": "Rules of 2026", "rule": [change]}, House)
    try:
        stricter = tighten(game, own, GAMES.values())
    except HouseRefused:
        return
    assert [other.id for other in stricter.rules] == [other.id for other in game.rules]
    found = find_rule(stricter, rule.id)
    assert found is not None
    assert RANK[found.effect] >= RANK[rule.effect]
    for name, old in rule.parameters.items():
        assert not_looser(ways[name], old, found.parameters[name])
    assert found.clause == f"{rule.clause}; house: 3.2"


@given(data=st.data())
def test_a_further_rule_is_refused_or_judges_without_failing(data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(list(GAMES.values())))
    rule_id = data.draw(st.sampled_from(sorted(REGISTRY)).filter(lambda id_: find_rule(game, id_) is None))
    values = {name: data.draw(VALUES) for name in parameters(rule_id)}
    effect = data.draw(st.sampled_from(list(RANK)))
    change = {"id": rule_id, "clause": "3.2", "effect": effect, "parameters": values}
    own = msgspec.convert({"title": "Rules of 2026", "rule": [change]}, House)
    try:
        stricter = tighten(game, own, GAMES.values())
    except HouseRefused:
        return
    assert stricter.rules[:-1] == game.rules
    added = stricter.rules[-1]
    for name, way in parameters(rule_id).items():
        if way in ("higher", "lower"):
            assert type(added.parameters.get(name)) in (int, float)
            assert 0 <= added.parameters[name] <= 10**9


def test_no_number_takes_the_place_of_a_cards_rank() -> None:
    """Such a rule would fail on the first common card that shows."""
    has = next(game for game in GAMES.values() if find_rule(game, "deal.exposed_common_from"))
    kin = [game for game in GAMES.values() if game.family == has.family and game.id != has.id]
    own = further("deal.exposed_common_from", {"from_rank": 3, "remedy": "annul_all"}, "finding")
    assert kin
    for game in kin:
        with pytest.raises(HouseRefused) as caught:
            tighten(game, own, GAMES.values())
        assert caught.value.key == "rule[0].parameters.from_rank"


def further(id_: str, values: dict[str, Any], effect: str = "void") -> House:
    rule = {"id": id_, "clause": "3.2", "effect": effect, "parameters": values}
    return msgspec.convert({"title": "Rules of 2026", "rule": [rule]}, House)


def test_a_parameter_that_repeats_the_texts_clause_stays_the_texts() -> None:
    game = load_game("es-ct", "french_roulette")
    rule = find_rule(game, "wheel.rotor_alternates")
    assert rule is not None
    own = further(rule.id, dict(rule.parameters))
    found = find_rule(tighten(game, own), rule.id)
    assert found is not None
    assert found.parameters == rule.parameters


@pytest.mark.parametrize("clause", ["", " ", "house:", " house: ", "9; es-ct 1.IV.3.d"])
def test_a_void_clause_names_a_place_in_the_houses_rules(clause: str) -> None:
    game = load_game("es-ct", "french_roulette")
    finding = Rule(id="wheel.rotor_alternates", clause="es-ct 1.IV.3.a", effect="finding")
    game = msgspec.structs.replace(game, rules=(finding, *game.rules[1:]))
    with pytest.raises(HouseRefused) as caught:
        tighten(game, further(finding.id, {"void_clause": clause}))
    assert caught.value.key == "rule[0].parameters.void_clause"


CLAUSES = [" ", "house:", " house: ", "9; es-ct 1.IV.3.d", "x" * 201]


@pytest.mark.parametrize(
    ("content", "key"),
    [
        *((f'title = "x"\n[seats]\nmost = 3\nclause = "{clause}"', "seats.clause") for clause in CLAUSES),
        ('title = "  "', "title"),
        ('title = "a\u202eb"', "title"),
        ('title = "a\u2028b"', "title"),
        (f'title = "x"\n[seats]\nmost = 1{"0" * 300}\nclause = "1"', "seats.most"),
        (f'title = "x"\n[minimum]\nleast = 1{"0" * 300}\nclause = "1"', "minimum.least"),
        (f'title = "x"\n[[rule]]\nid = "{"x" * 9000}"\nclause = "1"', "rule[0].id"),
        ('title = "x"\n[[maximum]]\nbets = ["red"]\ntimes = [true]\nclause = "1"', "maximum[0].times[0]"),
        (
            'title = "x"\n[[maximum]]\nbets = ["red"]\ntimes = [10000000000]\nclause = "1"',
            "maximum[0].times[0]",
        ),
    ],
)
def test_what_a_house_file_may_not_say(tmp_path: Path, content: str, key: str) -> None:
    file = tmp_path / "house.toml"
    file.write_text(content, "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        toml_file.read(file, House, HOUSE_TAKES)
    assert (caught.value.file, caught.value.key) == (file, key)
    assert len(str(caught.value)) < 600
