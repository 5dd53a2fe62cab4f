"""A house's own file beside the table file: what is taken and refused, and how rounds are judged by it."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from table_hall import Hall

from daemon import config
from daemon.catalogue.house import House, HouseMinimum, HouseRule, tighten
from daemon.catalogue.load import load_all, load_game
from daemon.catalogue.model import find_rule
from daemon.cli import main
from daemon.errors import ConfigurationError

SEALED = "wheel.cylinder_sealed"
ALTERNATES = House(title="Rules of 2026", rule=(HouseRule(id="wheel.rotor_alternates", clause="3.2"),))
FROM_TEN = House(title="Rules of 2026", minimum=HouseMinimum(least=10, clause="5"))
TABLE = """\
[table]
site = "madrid-1"
id = "ruleta-01"
game = "french_roulette"
catalogue = "es-1979"
house = "rules/house.toml"
language = "es"
minimum = 10
[journal]
path = "ruleta-01.db"
[[device]]
id = "wheel"
role = "wheel"
driver = "cammegh"
port = "/dev/null"
options = { model = "slingshot-2" }
"""
HOUSE = """\
title = "Rules of 2026"
[[rule]]
id = "wheel.bets_closed_before_result"
clause = "3.2"
effect = "void"
[[rule]]
id = "wheel.ball_laps"
clause = "3.3"
effect = "void"
parameters = { laps = 5 }
[[maximum]]
bets = ["straight"]
times = [20]
clause = "4"
[minimum]
least = 10
clause = "5"
"""


def write(folder: Path, table: str = TABLE, own: str = HOUSE) -> Path:
    (folder / "rules").mkdir(exist_ok=True)
    (folder / "rules" / "house.toml").write_text(own)
    file = folder / "table.toml"
    file.write_text(table)
    return file


def test_a_table_file_names_the_houses_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = config.load(write(tmp_path))
    assert table.game.house == "Rules of 2026"
    assert table.limits is not None
    assert table.limits["straight"] == 200
    assert main(["check", str(table.file)]) == 0
    assert "house      its own rules make the text stricter: Rules of 2026\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        (
            "times = [20]",
            "times = [40]",
            "maximum[0].times",
            "higher than the text's 30 (es-1979 01.IV.2.A.b)",
        ),
        ('effect = "void"\n[[rule]]', 'effect = "reminder"\n[[rule]]', "rule[0].effect", "01.IV.3.b"),
        ("laps = 5", "turns = 5", "rule[1].parameters", "takes these parameters: laps"),
        ('title = "Rules of 2026"', "", "title", "is missing"),
        ("least = 10", "least = 0", "minimum.least", "at least 1"),
        ("least", "lest", "minimum.lest", "is not a key"),
        ('clause = "5"', "", "minimum.clause", "is missing"),
        ("[minimum]", "[maxima]", "maxima", "is not a key"),
    ],
)
def test_a_mistake_is_told_by_the_house_file_and_its_key(
    tmp_path: Path, old: str, new: str, key: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in HOUSE
    file = write(tmp_path, own=HOUSE.replace(old, new, 1))
    with pytest.raises(ConfigurationError) as caught:
        config.load(file)
    assert (caught.value.file, caught.value.key) == (tmp_path / "rules" / "house.toml", key)
    assert says in caught.value.problem
    assert main(["check", str(file)]) == 78
    assert f"rules/house.toml: {key}: " in capsys.readouterr().err


@pytest.mark.parametrize(("closures", "taken"), [('["seal"]', True), ('["tape"]', False)])
def test_what_a_further_rule_may_list_is_known_from_all_texts(
    tmp_path: Path, closures: str, taken: bool
) -> None:
    own = f"""\
title = "Rules of 2026"
[[rule]]
id = "{SEALED}"
clause = "3.4"
effect = "finding"
parameters = {{ closures = {closures} }}
"""
    table = TABLE.replace("es-1979", "us-sd").replace("french_roulette", "american_roulette_double_zero")
    table = table.replace("minimum = 10\n", "").replace('"slingshot-2"', '"slingshot-2", pockets = 38')
    file = write(tmp_path, table, own)
    assert find_rule(load_game("us-sd", "american_roulette_double_zero"), SEALED) is None
    if taken:
        assert find_rule(config.load(file).game, SEALED) is not None
    else:
        with pytest.raises(ConfigurationError, match="the texts that have the rule have 'locked_lid'"):
            config.load(file)


def test_a_house_file_that_is_not_there(tmp_path: Path) -> None:
    file = write(tmp_path, TABLE.replace("house.toml", "casa.toml"))
    with pytest.raises(ConfigurationError, match=r"casa\.toml: cannot be read"):
        config.load(file)


def test_a_minimum_below_the_houses_is_told_by_the_tables_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        config.load(write(tmp_path, TABLE.replace("minimum = 10", "minimum = 9")))
    assert caught.value.key == "table.minimum"
    assert "(house: 5)" in caught.value.problem


def test_a_round_is_judged_by_the_houses_rules_and_cites_them() -> None:
    game = load_game("es-ct", "french_roulette")
    hall = Hall(change=lambda game: tighten(game, ALTERNATES))
    record = hall.play("17", rotor="cw").play("18", game=2, rotor="cw").records[-1]
    assert [finding.clause for finding in record.findings] == ["es-ct 1.IV.3.a; house: 3.2"]
    assert record.catalogue_hash == hall.setup.game.hash != game.hash
    assert hall.last("description")["house"] == "Rules of 2026"
    assert Hall().last("description")["house"] is None


def test_new_limits_obey_the_house() -> None:
    hall = Hall(change=lambda game: tighten(game, FROM_TEN), minimum=10)
    refusal = hall.ask("limits", minimum=5)
    assert (refusal.ok, refusal.clause) == (False, "house: 5")
    assert hall.ask("limits", minimum=20).ok


def test_the_example_in_the_documentation_is_taken() -> None:
    text = (Path(__file__).parents[3] / "docs" / "catalogue.md").read_text("utf-8")
    (example,) = [block for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[[rule]]" in block]
    own = msgspec.convert(tomllib.loads(example), House)
    for game_id in ("french_roulette", "american_roulette"):
        game = tighten(load_game("es-1979", game_id), own, load_all().values())
        assert [rule.clause for rule in game.rules if "house:" in rule.clause] == [
            "es-1979 01.IV.3.b; house: 3.2",
            "house: 3.3",
        ]
