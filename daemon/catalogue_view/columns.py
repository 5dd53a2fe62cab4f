"""Text in columns: no line is longer than `WIDTH`, whatever stands in a cell."""

import textwrap
from collections.abc import Sequence

WIDTH = 80
_GAP = 2
_NARROWEST = 8
"""A column that is made narrower keeps at least so much."""

Row = Sequence[str]


def flow(text: str, indent: int = 0, hanging: int = 2) -> list[str]:
    """A paragraph; lines after the first stand further in by `hanging`."""
    return _wrapped(text, WIDTH, " " * indent, " " * (indent + hanging)) or [""]


def table(rows: Sequence[Row], indent: int = 2) -> list[str]:
    """Rows of equally many cells, in columns. A cell may begin with spaces, which set it further in."""
    if not rows:
        return []
    widths = _fitted(list(zip(*rows, strict=True)), indent)
    lines = []
    for row in rows:
        cells = [_cell(text, width) for text, width in zip(row, widths, strict=True)]
        for number in range(max(map(len, cells))):
            parts = [
                (cell[number] if number < len(cell) else "").ljust(width)
                for cell, width in zip(cells, widths, strict=True)
            ]
            lines.append((" " * indent + (" " * _GAP).join(parts)).rstrip())
    return lines


def _fitted(columns: Sequence[Sequence[str]], indent: int) -> list[int]:
    """The columns' widths, the widest made narrower until a line holds all; words are cut only at need."""
    widths = [max(1, *map(len, column)) for column in columns]
    words = [max(1, *(_longest_word(cell) for cell in column)) for column in columns]
    room = WIDTH - indent - _GAP * (len(widths) - 1)
    while sum(widths) > room:
        uncut = [number for number, width in enumerate(widths) if width > words[number]]
        widest = max(uncut or range(len(widths)), key=widths.__getitem__)
        if widths[widest] <= _NARROWEST:
            raise ValueError(f"{len(widths)} columns do not fit into {WIDTH}")
        widths[widest] -= 1
    return widths


def _longest_word(cell: str) -> int:
    plain = cell.lstrip(" ")
    return len(cell) - len(plain) + max(map(len, plain.split()), default=0)


def _cell(text: str, width: int) -> list[str]:
    plain = text.lstrip(" ")
    lead = " " * min(len(text) - len(plain), width // 2)
    return _wrapped(plain, width, lead, lead + ("  " if lead else "")) or [""]


def _wrapped(text: str, width: int, first: str, further: str) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=further, break_on_hyphens=False)
