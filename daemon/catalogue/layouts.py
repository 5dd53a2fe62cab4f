"""A wheel's pockets held against the words of a text: how many, alternating, apart, and which are black."""

from collections.abc import Iterator

from daemon.catalogue.equipment import Layout, PocketOrder, Wheel
from daemon.catalogue.errors import LayoutRefused

NUMBERS = range(1, 37)


def check_layout(layout: Layout, wheel: Wheel) -> None:
    """Raises LayoutRefused, with the clause, where the pockets are not those that the text describes."""
    _check_labels(layout, wheel)
    if wheel.order is not None:
        _check_rim(layout, wheel.order)
        _check_black(layout, wheel.order)


def _check_labels(layout: Layout, wheel: Wheel) -> None:
    clause = wheel.pockets_clause
    if len(layout.pockets) != wheel.pockets:
        raise LayoutRefused(f"{len(layout.pockets)} pockets where the text has {wheel.pockets}", clause)
    wanted = {*map(str, NUMBERS), *wheel.zeros}
    if set(layout.pockets) != wanted or len(layout.pockets) != len(wanted):
        odd = sorted(wanted.symmetric_difference(layout.pockets)) or ["a repeated number"]
        raise LayoutRefused(f"pockets are not 1 to 36 and {', '.join(wheel.zeros)}: {', '.join(odd)}", clause)
    if odd := [label for label in layout.pockets if layout.colors[label] == "yellow"]:
        raise LayoutRefused(f"yellow is no colour of a roulette: {', '.join(odd)}", clause)
    for zero in wheel.zeros:
        if layout.colors[zero] != "green":
            raise LayoutRefused(f"{zero} is {layout.colors[zero]}: a zero is neither red nor black", clause)


def _check_rim(layout: Layout, order: PocketOrder) -> None:
    """Neighbours on the rim; a zero between two numbers parts them."""
    for one, other in _neighbours(layout):
        if one.startswith("0") or other.startswith("0"):
            continue
        if layout.colors[one] == layout.colors[other]:
            raise LayoutRefused(f"{one} and {other} lie side by side, both of one colour", order.clause)
        if abs(int(one) - int(other)) == 1:
            raise LayoutRefused(f"{one} and {other} are consecutive and lie side by side", order.clause)


def _check_black(layout: Layout, order: PocketOrder) -> None:
    for number in NUMBERS:
        even_sum = sum(map(int, str(number))) % 2 == 0
        black = (even_sum and number not in order.black_except) or number in order.black_also
        if layout.colors[str(number)] != ("black" if black else "red"):
            raise LayoutRefused(
                f"{number} is {layout.colors[str(number)]}: the text makes it {'black' if black else 'red'}",
                order.clause,
            )


def _neighbours(layout: Layout) -> Iterator[tuple[str, str]]:
    """Pairs side by side on the rim, the last with the first."""
    return zip(layout.pockets, (*layout.pockets[1:], layout.pockets[0]), strict=True)
