"""The pai gows: who gets the first hand by the sum of three dice, and how hands go round from there."""

from daemon.catalogue.dice import check_throw
from daemon.catalogue.families.pai_gow import PaiGow, first_position
from daemon.catalogue.model import Language
from daemon.catalogue.vocabulary import DIRECTIONS, GUIDANCE
from daemon.outcomes import StartOutcome
from daemon.records import Guidance


def outcome(game: PaiGow, faces: tuple[int, ...]) -> StartOutcome:
    """What these faces decide. Raises NotDice."""
    check_throw(game.dice, faces)
    total, positions = sum(faces), game.dice_deal.positions
    first = first_position(game, total)
    at = positions.index(first)
    return StartOutcome(dice=faces, total=total, start=first, order=positions[at:] + positions[:at])


def guidance(game: PaiGow, result: StartOutcome, language: Language = "en") -> tuple[Guidance, ...]:
    """To whom the first hand is to go, and which way round the others follow."""
    phrase = game.announcements.words.get(result.start)
    position = phrase.said_in(language) if phrase else result.start
    text = GUIDANCE[language]["first_hand"].format(
        position=position, direction=DIRECTIONS[language][game.dice_deal.direction]
    )
    return (Guidance(text=text, clause=game.dice_deal.clause, data={"order": list(result.order)}),)
