"""Throws of dice: every one that there is, and what is none."""

from itertools import product

from daemon.catalogue.equipment import Dice
from daemon.catalogue.errors import NotDice

FACES = range(1, 7)


def throws(count: int) -> tuple[tuple[int, ...], ...]:
    """Every way in which so many dice fall, each as likely as the others."""
    return tuple(product(FACES, repeat=count))


def check_throw(dice: Dice, faces: tuple[int, ...]) -> None:
    """Raises NotDice, with the clause on the game's dice, for another number of faces or for no faces."""
    if len(faces) != dice.count or not set(faces) <= set(FACES):
        raise NotDice(f"{faces} is no throw of {dice.count} dice", dice.clause)
