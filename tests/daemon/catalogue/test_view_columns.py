"""Text in columns: what is in a cell comes out whole, and no line is too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.catalogue_view.columns import WIDTH, flow, table

CELL = st.text(alphabet="ab c", max_size=120)


def test_columns_are_as_wide_as_what_they_hold() -> None:
    assert table([("rule", "void", "es-ct 1"), ("    turns", "4", "")]) == [
        "  rule       void  es-ct 1",
        "      turns  4",
    ]


def test_a_long_cell_goes_on_below_itself() -> None:
    assert table([("bet", "word " * 20, "es-ct 1.IV"), ("x", "y", "z")]) == [
        "  bet  " + "word " * 11 + "word    es-ct 1.IV",
        "       " + "word " * 7 + "word",
        "  x    y" + " " * 62 + "z",
    ]


def test_an_id_is_not_cut_while_another_column_has_words_to_part() -> None:
    long_id = "a_very_long_id_of_some_game_or_rule"
    lines = table([(long_id, "plain words that go on and on " * 3, "es-1979 01.IV.3.c")])
    assert lines[0].startswith(f"  {long_id}  plain")
    assert lines[0].endswith("es-1979 01.IV.3.c")


def test_a_paragraph_hangs() -> None:
    assert flow("one " * 30, indent=2) == ["  " + "one " * 18 + "one", "    " + "one " * 10 + "one"]
    assert flow("") == [""]


@given(st.lists(st.tuples(CELL, CELL, CELL), max_size=4))
def test_no_line_is_too_long_and_no_letter_is_lost(rows: list[tuple[str, str, str]]) -> None:
    lines = table(rows)
    assert all(len(line) <= WIDTH and line == line.rstrip() for line in lines)
    assert sorted("".join(lines).replace(" ", "")) == sorted(
        "".join(cell for row in rows for cell in row).replace(" ", "")
    )


def test_too_many_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="20 columns do not fit into 80"):
        table([["x" * 40] * 20])
