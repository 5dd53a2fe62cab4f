"""The pai gows: who gets the first hand by the sum of three dice, and how hands go round from there."""

from daemon.catalogue.families.pai_gow import MahjongPaiGow, PaiGowPoker, first_position
from daemon.catalogue.model import Language
from daemon.catalogue.vocabulary import GUIDANCE
from daemon.records import Guidance, StartOutcome


def start(game: PaiGowPoker | MahjongPaiGow, faces: tuple[int, ...]) -> StartOutcome:
    """What these faces decide. Raises ValueError for what are not the game's dice."""
    if len(faces) != game.dice.count or not set(faces) <= {1, 2, 3, 4, 5, 6}:
        raise ValueError(f"{faces} is no throw of {game.dice.count} dice")
    total, positions = sum(faces), game.dice_deal.positions
    first = first_position(game, total)
    at = positions.index(first)
    return StartOutcome(dice=faces, total=total, start=first, order=positions[at:] + positions[:at])


def guidance(
    game: PaiGowPoker | MahjongPaiGow, outcome: StartOutcome, language: Language = "en"
) -> tuple[Guidance, ...]:
    """To whom the first hand is to go, and in which sense the others follow."""
    phrase = game.announcements.words.get(outcome.start)
    position = {"es": phrase.es, "ca": phrase.ca, "en": phrase.en}[language] if phrase else outcome.start
    text = GUIDANCE[language]["first_hand"].format(position=position)
    return (Guidance(text=text, clause=game.dice_deal.clause, data={"order": list(outcome.order)}),)
