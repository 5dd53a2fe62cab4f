"""Every row of the rule inventory beside the project has its entry, or its stated absence, in each text.

`inventory.toml` says where; `../shared/rules.md` is the inventory.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from daemon.catalogue.load import load_game, load_text

HERE = Path(__file__).parent
TEXTS = ("es-1979", "es-ct", "es-ex")
ROWS: list[dict[str, Any]] = tomllib.loads((HERE / "inventory.toml").read_text("utf-8"))["row"]


def name(row: dict[str, Any]) -> str:
    return re.sub(r"\W+", "_", row["words"])


@pytest.fixture(scope="session")
def inventory(shared_rules: str) -> list[list[str]]:
    """The cells of every row of the tables about rules."""
    cells, in_rules = [], False
    for line in shared_rules.splitlines():
        if not line.startswith("|"):
            in_rules = False
        elif line.startswith("| rule "):
            in_rules = True
        elif in_rules and not line.startswith("|---"):
            cells.append([cell.strip().replace("**", "") for cell in line.strip("|").split("|")])
    return cells


def entries(row: dict[str, Any], text: str) -> list[tuple[str, str]]:
    """What must stand in a text: pairs of a game, or @named or @absent, and a thing."""
    found = []
    for entry in row.get("all") or row[text]:
        game, _, things = entry.partition(": ")
        found += [(game, thing) for thing in things.split()]
    return found


def present(text: str, game_id: str, thing: str) -> bool:
    """Whether this stands in the text; see `inventory.toml` for how it is written."""
    head = load_text(text)
    named = [game.id for game in head.named]
    if game_id == "@named":
        return thing in named
    if game_id == "@absent":
        return thing not in (*head.games, *named)
    game: Any = load_game(text, game_id)
    if thing.startswith("$"):
        return thing[1:] in [bet.id for bet in game.bets]
    if thing.startswith("."):
        return bool(getattr(game, thing[1:]))
    found = [rule.clause for rule in game.rules if rule.id == thing.lstrip("!")]
    return not found if thing.startswith("!") else bool(found) and all(found)


def test_every_row_of_the_inventory_has_its_place_here(inventory: list[list[str]]) -> None:
    assert len(inventory) > 50
    for cells in inventory:
        assert len([row for row in ROWS if row["words"] in cells[0]]) == 1, cells[0]
    for row in ROWS:
        assert sum(row["words"] in cells[0] for cells in inventory) == 1, row["words"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("row", ROWS, ids=name)
def test_a_rows_entry_or_stated_absence_is_in_the_text(row: dict[str, Any], text: str) -> None:
    wanted = entries(row, text)
    assert wanted
    assert [(game, thing) for game, thing in wanted if not present(text, game, thing)] == []


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_a_text_has_rules_exactly_where_the_inventory_has_no_dash(
    row: dict[str, Any], inventory: list[list[str]]
) -> None:
    (cells,) = [cells for cells in inventory if row["words"] in cells[0]]
    for text, cell in zip(TEXTS, cells[1:4], strict=True):
        without_rules = all(game.startswith("@") for game, _ in entries(row, text))
        assert without_rules == (cell.startswith("–") or "named only" in cell), (text, cell)


def test_every_game_has_its_announcements_unless_its_text_breaks_off(shared_rules: str) -> None:
    assert "## All tables" in shared_rules
    silent = [
        (text, game_id)
        for text in TEXTS
        for game_id in load_text(text).games
        if load_game(text, game_id).announcements is None
    ]
    assert silent == [("es-1979", "chemin_de_fer")]
    (broken_off,) = [note for note in load_game(*silent[0]).notes if "breaks off" in note.text]
    assert broken_off.kind == "missing"


def test_the_catalan_epigraphs_that_end_with_the_provisional_closing_say_so() -> None:
    """Twelve of the twenty-five do; no other text has it."""
    closing = {
        game.epigraph
        for text in TEXTS
        for game_id in load_text(text).games
        if (game := load_game(text, game_id)).provisional_closing
        and game.provisional_closing.clause.startswith(f"{text} {game.epigraph}.")
    }
    assert closing == {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "23"}
