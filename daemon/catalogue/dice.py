"""Throws of dice: every one that there is, and what is none."""

from itertools import product

from daemon.catalogue.equipment import Dice
from daemon.catalogue.errors import NotDice
from daemon.catalogue.figures import is_whole

FACES = range(1, 7)


def throws(count: int) -> tuple[tuple[int, ...], ...]:
    """Every way in which so many dice fall, each as likely as the others."""
    return tuple(product(FACES, repeat=count))


def check_throw(dice: Dice, faces: object) -> None:
    """Raises NotDice, with the clause on the game's dice, for another number of faces or for no faces."""
    if (
        not isinstance(faces, tuple | list)
        or len(faces) != dice.count
        or not all(is_whole(face, 1, 6) for face in faces)
    ):
        raise NotDice(f"{faces!r:.60} is no throw of {dice.count} dice", dice.clause)
