"""Where the families meet: every key leads to what it says, and a table imports only what it plays."""

import subprocess
import sys

import pytest

from daemon.catalogue.bets import EDGES
from daemon.catalogue.families import FAMILIES
from daemon.catalogue.lazy import LazyMapping
from daemon.catalogue.rules import CHECKS, REGISTRY, parameters
from daemon.play import PLAYED


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_found_under_its_own_word(family: str) -> None:
    assert FAMILIES[family].game.__struct_config__.tag == family
    assert callable(FAMILIES[family].check)


def test_edges_and_plays_are_of_families_that_there_are() -> None:
    assert set(EDGES) <= set(FAMILIES)
    assert all(callable(EDGES[family]) for family in EDGES)
    assert set(PLAYED) <= set(FAMILIES)
    assert all(PLAYED[family].role for family in PLAYED)


def test_a_rule_is_found_by_the_module_that_its_id_begins_with() -> None:
    assert {rule.partition(".")[0] for rule in REGISTRY} == set(CHECKS)
    assert len(REGISTRY) == len(set(REGISTRY)) > 80
    for rule in REGISTRY:
        assert callable(REGISTRY[rule])
        assert all(way in ("higher", "lower", "fewer", "fixed") for way in parameters(rule).values())
    for unknown in ("wheel.no_wind", "weather.wind", "wheel", "", "daemon.catalogue"):
        assert unknown not in REGISTRY
        assert parameters(unknown) == {}


def test_a_lazy_mapping_imports_a_value_when_it_is_asked_for() -> None:
    lazy: LazyMapping[object] = LazyMapping({"there": "string:digits", "not": "no_such_module:thing"})
    assert list(lazy) == ["there", "not"]
    assert len(lazy) == 2
    assert "not" in lazy
    assert lazy["there"] == "0123456789"
    with pytest.raises(ModuleNotFoundError):
        lazy["not"]
    with pytest.raises(KeyError):
        lazy["other"]


def test_a_roulette_loads_no_other_familys_modules() -> None:
    program = (
        "import sys\n"
        "from daemon import app\n"
        "from daemon.catalogue.load import load_game\n"
        "from daemon.play import play_of\n"
        "game = load_game('es-ct', 'french_roulette')\n"
        "play_of(game, 'ca', 'automatic')\n"
        "print(*sorted(m for m in sys.modules if m.startswith(('daemon.catalogue.', 'daemon.play.'))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ours = ("roulette", "boule")  # the wheels with a ball share their rules
    others = [family for family in (*FAMILIES, "dice", "shoe", "baccarat", "pai_gow") if family not in ours]
    loaded = done.stdout.split()
    assert "daemon.catalogue.families.roulette" in loaded
    assert [name for name in loaded if name.rpartition(".")[2] in others] == []
