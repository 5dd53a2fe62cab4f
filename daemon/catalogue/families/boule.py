"""Boule: a ball in a basin that stands still, nine numbers, and a five that loses all simple chances."""

from collections import Counter

from daemon.catalogue.equipment import Layout
from daemon.catalogue.errors import LayoutRefused
from daemon.catalogue.families.checks import check_paid
from daemon.catalogue.families.family import Family
from daemon.catalogue.families.roulette import WheelAnnouncements, check_words
from daemon.catalogue.model import Data, Game

NUMBERS = tuple(map(str, range(1, 10)))
LOSING = "5"
"""The number between the low and the high ones."""


class Basin(Data, frozen=True, kw_only=True):
    """The basin that the text describes."""

    layout: str
    """Id of the layout that answers the description."""
    clause: str
    holes: int | None = None
    """None where what mesad has of the text does not say how many."""
    black: tuple[int, ...] = ()
    red: tuple[int, ...] = ()
    """The five is never black or red. Both are empty where the text does not say."""


class Boule(Game, frozen=True, kw_only=True, tag="boule"):
    """A boule under one text."""

    layout: Layout
    wheel: Basin
    five_clause: str
    """Where the five makes every simple chance lose."""
    announcements: WheelAnnouncements


def check(game: Boule) -> None:
    """Raises CatalogueDataError or LayoutRefused for what contradicts itself or the text's own words."""
    check_paid(game.bets)
    check_words(game.announcements)
    _check_holes(game.layout, game.wheel)
    _check_colors(game.layout, game.wheel)


def _check_holes(layout: Layout, basin: Basin) -> None:
    if basin.holes is not None and len(layout.pockets) != basin.holes:
        raise LayoutRefused(f"{len(layout.pockets)} holes where the text has {basin.holes}", basin.clause)
    times = Counter(layout.pockets)
    if set(times) != set(NUMBERS) or len(set(times.values())) != 1:
        raise LayoutRefused("holes are not 1 to 9, each as often as the others", basin.clause)


def _check_colors(layout: Layout, basin: Basin) -> None:
    wanted = dict.fromkeys(map(str, basin.black), "black") | dict.fromkeys(map(str, basin.red), "red")
    for number, color in wanted.items():
        if layout.colors[number] != color:
            raise LayoutRefused(
                f"{number} is {layout.colors[number]}: the text makes it {color}", basin.clause
            )
    if layout.colors[LOSING] in ("red", "black"):
        raise LayoutRefused(f"{LOSING} is {layout.colors[LOSING]}: it is neither red nor black", basin.clause)


FAMILY = Family(Boule, check)
