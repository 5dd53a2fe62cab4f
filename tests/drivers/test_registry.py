"""Which drivers there are, and what happens to those that cannot be had."""

import subprocess
import sys
import tomllib
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from drivers import registry, skeleton
from drivers.cammegh.driver import DRIVER as CAMMEGH
from drivers.registry import UnknownDriver, UnusableDriver


@pytest.fixture
def announce(monkeypatch: pytest.MonkeyPatch):
    """Installs nothing, but makes it look as if these entry points, and no others, were."""
    announced: list[EntryPoint] = []

    def entry_points(**wanted: str) -> metadata.EntryPoints:
        return metadata.EntryPoints(announced).select(**wanted)

    monkeypatch.setattr(registry, "entry_points", entry_points)

    def add(name: str, value: str, group: str = registry.GROUP) -> None:
        announced.append(EntryPoint(name, value, group))

    return add


@pytest.fixture
def vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a module `acme_wheel` that can be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "acme_wheel", raising=False)

    def write(code: str) -> None:
        (tmp_path / "acme_wheel.py").write_text(code)

    yield write
    sys.modules.pop("acme_wheel", None)


OURS = tuple(sorted(registry.BUILT_IN))

GOOD = """
from dataclasses import replace
from drivers import skeleton
DRIVER = replace(skeleton.DRIVER, name="acme")
"""


def test_a_built_in_driver_is_found_by_its_name_even_where_no_entry_points_can_be_seen(announce):
    assert registry.find("cammegh") is CAMMEGH
    assert registry.names() == OURS


def test_our_own_entry_point_is_no_conflict(announce):
    announce("cammegh", "drivers.cammegh.driver:DRIVER")
    assert registry.find("cammegh") is CAMMEGH
    assert registry.drivers().count(CAMMEGH) == 1
    assert tuple(info.name for info in registry.drivers()) == OURS


def test_what_the_project_file_announces_is_what_is_built_in():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"][registry.GROUP] == registry.BUILT_IN


def test_every_built_in_driver_can_be_loaded():
    for name in registry.BUILT_IN:
        assert registry.find(name).name == name


def test_a_vendors_driver_is_found_through_its_entry_point(announce, vendor):
    vendor(GOOD)
    announce("acme", "acme_wheel:DRIVER")
    assert registry.find("acme").name == "acme"
    assert [info.name for info in registry.drivers()] == ["acme", *OURS]


def test_an_entry_point_of_another_group_is_not_ours(announce, vendor):
    vendor(GOOD)
    announce("acme", "acme_wheel:DRIVER", group="acme.drivers")
    with pytest.raises(UnknownDriver):
        registry.find("acme")


def test_an_unknown_name_is_answered_with_the_known_ones_and_the_nearest(announce):
    announce("acme", "acme_wheel:DRIVER")
    with pytest.raises(UnknownDriver, match=r"did you mean 'cammegh'\?.*known: acme, ") as refused:
        registry.find("camegh")
    assert refused.value.known == ("acme", *OURS)
    assert refused.value.name == "camegh"
    assert "acme_wheel" not in sys.modules, "a name is looked up without loading anything"


def test_a_stranger_under_a_built_in_name_is_refused_and_never_loaded(announce, vendor):
    vendor("raise SystemExit('loaded')")
    announce("cammegh", "acme_wheel:DRIVER")
    with pytest.raises(
        UnusableDriver, match=r"more than once.*acme_wheel:DRIVER.*drivers\.cammegh\.driver:DRIVER"
    ):
        registry.find("cammegh")
    with pytest.raises(UnusableDriver):
        registry.drivers()
    assert "acme_wheel" not in sys.modules


def test_two_strangers_with_one_name_are_refused(announce):
    announce("acme", "acme_wheel:DRIVER")
    announce("acme", "other_wheel:DRIVER")
    with pytest.raises(UnusableDriver, match="more than once"):
        registry.find("acme")


@pytest.mark.parametrize(
    ("code", "value", "problem"),
    [
        ("raise RuntimeError('no licence')", "acme_wheel:DRIVER", "cannot be loaded: no licence"),
        ("", "acme_wheel:DRIVER", "cannot be loaded"),
        (GOOD, "acme_whee:DRIVER", "cannot be loaded"),
        ("DRIVER = 3", "acme_wheel:DRIVER", "is not a DriverInfo"),
        ("", "acme_wheel", "is not a DriverInfo"),
        ("from drivers.skeleton import DRIVER", "acme_wheel:DRIVER", "calls itself 'skeleton'"),
    ],
)
def test_a_driver_that_cannot_be_used_is_named_with_the_cause(announce, vendor, code, value, problem):
    vendor(code)
    announce("acme", value)
    with pytest.raises(UnusableDriver, match=problem) as refused:
        registry.find("acme")
    assert value in str(refused.value)


def test_loading_the_registry_loads_no_driver():
    code = "import sys, drivers.registry; print(*(m for m in sys.modules if m.startswith('drivers.')))"
    root = Path(__file__).parents[2]
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) == {"drivers.registry", "drivers.driver", "drivers.readings"}


def test_the_skeleton_can_be_announced_but_is_not(announce):
    assert "skeleton" not in {point.name for point in metadata.entry_points(group=registry.GROUP)}
    with pytest.raises(UnknownDriver):
        registry.find("skeleton")
    announce("skeleton", "drivers.skeleton:DRIVER")
    assert registry.find("skeleton") is skeleton.DRIVER
