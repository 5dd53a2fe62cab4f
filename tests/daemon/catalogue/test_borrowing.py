"""Rules borrowed from another text for a game that the table's own text only names."""

import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
from table_hall import Hall

from daemon import config
from daemon.catalogue import source
from daemon.catalogue.errors import BorrowRefused, GameNotInCatalogue, UnknownCatalogue
from daemon.catalogue.load import load_game, load_text
from daemon.catalogue.source import catalogues
from daemon.cli import main
from daemon.composition import table_setup
from daemon.errors import ConfigurationError

NAMING = """\
id = "xx-names"
title = "A text that names"
rests_on = "nothing"
language = "es"
[[named]]
id = "french_roulette"
epigraph = "9"
clause = "art. 9"
names = { es = "La ruleta", ca = "La ruleta", en = "The roulette" }
reason = "its annex was not read"
[[named]]
id = "bridge"
epigraph = "10"
clause = "art. 10"
names = { es = "Bridge", ca = "Bridge", en = "Bridge" }
reason = "its annex was not read"
"""
TABLE = """\
[table]
site = "madrid-1"
id = "ruleta-01"
game = "french_roulette"
catalogue = "xx-names"
borrow = "es-ct"
language = "es"
[journal]
path = "ruleta-01.db"
[[device]]
id = "wheel"
role = "wheel"
driver = "cammegh"
port = "/dev/null"
options = { model = "slingshot-2" }
"""
NAMED = [(text, game.id) for text in catalogues() for game in load_text(text).named]


def clauses(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {v for k, v in value.items() if k.endswith("clause") and isinstance(v, str)}
        return own.union(*(clauses(v) for v in value.values()))
    return set().union(*map(clauses, value)) if isinstance(value, list | tuple) else set()


@pytest.fixture
def naming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder; the catalogue has one text more, which only names the French roulette."""
    package = tmp_path / "catalogue"
    shutil.copytree(str(files("daemon.catalogue") / "texts"), package / "texts")
    shutil.copy(str(files("daemon.catalogue") / "layouts.toml"), package)
    (package / "texts" / "xx-names.toml").write_text(NAMING)
    monkeypatch.setattr(source, "_HERE", package)
    return tmp_path


def refused(folder: Path, *change: str) -> ConfigurationError:
    file = folder / "table.toml"
    file.write_text(TABLE.replace(*change))
    with pytest.raises(ConfigurationError) as caught:
        config.load(file)
    return caught.value


@pytest.mark.parametrize(("text", "game_id"), NAMED)
def test_a_game_that_is_only_named_is_borrowed_from_whoever_has_it(text: str, game_id: str) -> None:
    with pytest.raises(GameNotInCatalogue, match="it names the game, but") as caught:
        load_game(text, game_id)
    assert caught.value.lenders == tuple(t for t in catalogues() if game_id in load_text(t).games)
    named = next(game for game in load_text(text).named if game.id == game_id)
    assert caught.value.clause == named.clause
    for lender in caught.value.lenders:
        game, theirs = load_game(text, game_id, borrow=lender), load_game(lender, game_id)
        assert (game.text, game.borrowed, game.id) == (text, lender, game_id)
        assert game.title == load_text(text).title
        assert named.names.items() <= game.names.items()
        assert (game.rules, game.bets, game.hash) == (theirs.rules, theirs.bets, theirs.hash)
        cited = clauses(msgspec.to_builtins(game))
        assert cited
        assert [clause for clause in cited if not clause.startswith(f"{lender} ")] == []


def test_extremadura_names_what_catalonia_has() -> None:
    names = {game.id for game in load_text("es-ex").named}
    assert len(names) == 20
    assert names - set(load_text("es-ct").games) == {"draw_poker_against_bank"}
    with pytest.raises(GameNotInCatalogue, match="nor has any other"):
        load_game("es-ex", "draw_poker_against_bank")


def test_a_table_of_a_text_that_only_names_the_roulette(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE.replace("xx-names", "pt"))
    game = config.load(file).game
    assert (game.text, game.borrowed) == ("pt", "es-ct")
    assert game.rules[0].clause == "es-ct 1.IV.3.a"


def test_what_cannot_be_borrowed(naming: Path) -> None:
    with pytest.raises(BorrowRefused, match="es-ct has its own rules for french_roulette"):
        load_game("es-ct", "french_roulette", borrow="es-ex")
    with pytest.raises(BorrowRefused, match="cannot borrow from itself"):
        load_game("xx-names", "french_roulette", borrow="xx-names")
    with pytest.raises(UnknownCatalogue):
        load_game("xx-names", "french_roulette", borrow="es-2099")
    with pytest.raises(GameNotInCatalogue, match=r"'bridge'.* nor has any other") as caught:
        load_game("xx-names", "bridge")
    assert caught.value.lenders == ()
    with pytest.raises(GameNotInCatalogue, match="es-ct does not have the game 'bridge'"):
        load_game("xx-names", "bridge", borrow="es-ct")
    with pytest.raises(GameNotInCatalogue, match="xx-names does not have the game 'whist'"):
        load_game("xx-names", "whist", borrow="es-ct")


def test_a_table_file_borrows(naming: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = naming / "table.toml"
    file.write_text(TABLE)
    table = config.load(file)
    assert (table.game.text, table.game.borrowed) == ("xx-names", "es-ct")
    assert table_setup(table).game == table.game
    assert main(["check", str(file)]) == 0
    said = capsys.readouterr().out
    assert "catalogue  xx-names: A text that names\n" in said
    assert "borrowed   the rules are those of es-ct\n" in said


def test_a_game_that_is_only_named_is_refused_with_the_texts_that_have_it(naming: Path) -> None:
    error = refused(naming, 'borrow = "es-ct"\n', "")
    assert error.key == "table.game"
    assert "can be borrowed from es-1979 or es-ct or es-ex or fr-2007" in error.problem
    assert "(xx-names art. 9)" in error.problem
    assert 'add borrow = "es-1979" or borrow = "es-ct"' in error.remedy


def test_borrowing_is_no_remedy_for_a_game_that_no_table_plays(
    naming: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "PLAYED", {k: v for k, v in config.PLAYED.items() if k != "roulette"})
    error = refused(naming, 'borrow = "es-ct"\n', "")
    assert error.key == "table.game"
    assert "mesad judges no rounds of french_roulette yet" in error.problem
    assert "borrow" not in error.problem + error.remedy


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('catalogue = "xx-names"', 'catalogue = "es-ex"', "es-ex has its own rules"),
        ('borrow = "es-ct"', 'borrow = "xx-names"', "cannot borrow from itself"),
        ('borrow = "es-ct"', 'borrow = "es-2099"', "there is no catalogue 'es-2099'"),
        ('game = "french_roulette"', 'game = "bridge"', "es-ct does not have the game 'bridge'"),
        ('borrow = "es-ct"', "borrow = 1", "should be text"),
    ],
)
def test_a_wrong_loan_is_told_by_its_key(naming: Path, old: str, new: str, says: str) -> None:
    error = refused(naming, old, new)
    assert error.key == "table.borrow"
    assert says in error.problem


def test_a_record_says_what_is_borrowed_and_cites_it(naming: Path) -> None:
    hall = Hall("xx-names", borrow="es-ct")
    record = hall.play("17", rotor="cw").play("18", game=2, rotor="cw").records[-1]
    assert (record.catalogue, record.borrowed) == ("xx-names", "es-ct")
    assert record.catalogue_hash == load_game("es-ct", "french_roulette").hash
    assert [finding.clause for finding in record.findings] == ["es-ct 1.IV.3.a"]
    description = hall.last("description")
    assert (description["catalogue"], description["borrowed"]) == ("xx-names", "es-ct")
    assert description["game_names"]["es"] == "La ruleta"


def test_a_record_of_a_table_that_borrows_nothing_says_null() -> None:
    hall = Hall().play("17")
    assert hall.last("event/round")["data"]["borrowed"] is None
    assert hall.last("description")["borrowed"] is None
