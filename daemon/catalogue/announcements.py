"""What is said aloud at the table, in Spanish, Catalan or English.

A text's own words stand in its own language; in the others they are translations (`is_translation`).
A game whose text breaks off before its words has none: ValueError.
"""

from __future__ import annotations  # so that the words of one family load no other

from typing import TYPE_CHECKING

from daemon.catalogue.cards import parse
from daemon.catalogue.errors import BrokenEvidence
from daemon.catalogue.figures import is_whole
from daemon.catalogue.model import Announcements, Game, Language
from daemon.catalogue.vocabulary import ABOVE_THIRTY
from daemon.outcomes import (
    BaccaratOutcome,
    BaccaratWinner,
    BouleOutcome,
    CrapsOutcome,
    FortuneWheelOutcome,
    FrenchBankOutcome,
    MonteOutcome,
    SicBoOutcome,
    StartOutcome,
    TrenteEtQuaranteOutcome,
    TwoTableauxOutcome,
    WheelOutcome,
)

if TYPE_CHECKING:
    from daemon.catalogue.bets.baccarat import Action
    from daemon.catalogue.families.boule import Boule
    from daemon.catalogue.families.chemin_de_fer import CheminDeFer
    from daemon.catalogue.families.craps import Craps
    from daemon.catalogue.families.fortune_wheel import FortuneWheel
    from daemon.catalogue.families.french_bank import FrenchBank
    from daemon.catalogue.families.monte import Monte
    from daemon.catalogue.families.pai_gow import PaiGow
    from daemon.catalogue.families.punto_banco import PuntoBanco
    from daemon.catalogue.families.roulette import Roulette, SimpleChance
    from daemon.catalogue.families.sic_bo import SicBo
    from daemon.catalogue.families.trente_et_quarante import TrenteEtQuarante
    from daemon.catalogue.families.two_tableaux import TwoTableaux


def is_translation(game: Game, language: Language) -> bool:
    """Whether the words in this language are translations of the text's."""
    return language != _words(game).language


def announce_result(game: Roulette | Boule, outcome: WheelOutcome | BouleOutcome, language: Language) -> str:
    """The number and the winning simple chances in the text's order; of a zero, its name alone."""
    words = game.announcements
    zero = words.zeros.get(outcome.number)
    if zero is not None:
        return zero.said_in(language)
    color: SimpleChance | None = outcome.color if outcome.color in ("red", "black") else None
    won = {"color": color, "parity": outcome.parity, "half": outcome.half}
    said = []
    for part in words.result_order:
        if part == "number":
            said.append(outcome.number)
        elif (chance := won[part]) is not None:
            said.append(words.chances[chance].said_in(language))
    return ", ".join(said)


def announce_symbol(game: FortuneWheel, outcome: FortuneWheelOutcome, language: Language) -> str:
    """The name of the symbol at which the fortune wheel stopped; its id where the text gives no name."""
    symbol = next((known for known in game.wheel.symbols if known.id == outcome.symbol), None)
    return outcome.symbol if symbol is None else symbol.names.get(language, symbol.id)


def announce_roll(game: Craps, outcome: CrapsOutcome, language: Language) -> str:
    """A roll's total, and what it does to the point; no text says how a roll is announced."""
    total = str(outcome.total)
    if outcome.seven_out:
        event = "seven_out"
    elif outcome.point == outcome.thrown_for:
        return total
    else:
        event = "point" if outcome.come_out else "point_made"
    return f"{total}, {game.announcements.words[event].said_in(language)}"


def announce_chance(game: FrenchBank, outcome: FrenchBankOutcome, language: Language) -> str:
    """The chance that wins; where none does the text's word for it, or the sum alone if it has none."""
    phrase = game.announcements.words.get(outcome.chance or "undecided")
    return str(outcome.total) if phrase is None else phrase.said_in(language)


def announce_dice(game: SicBo, outcome: SicBoOutcome) -> str:
    """The figures of a throw in the text's order, the same in every language."""
    figures = {
        "total": (outcome.total,),
        "dice": outcome.dice,
        "dice_ascending": tuple(sorted(outcome.dice)),
    }
    return ", ".join(str(figure) for part in game.announcements.result_order for figure in figures[part])


def announce_position(game: PaiGow, outcome: StartOutcome, language: Language) -> str:
    """The sum of the dice and the position that it gives the first hand, by its name or its number."""
    phrase = game.announcements.words.get(outcome.start)
    return f"{outcome.total}, {phrase.said_in(language) if phrase else outcome.start}"


def announce_rows(game: TrenteEtQuarante, outcome: TrenteEtQuaranteOutcome, language: Language) -> str:
    """Both rows' scores, then the winning chances and whether colour wins; or that nobody does.

    Raises BrokenEvidence for rows that end elsewhere than at 31 to 40.
    """
    called = {"black": outcome.black_total, "red": outcome.red_total}
    if not all(is_whole(total, 31, 40) for total in called.values()):
        raise BrokenEvidence(f"no rows end at {outcome.black_total!r:.60} and {outcome.red_total!r:.60}")
    scores = {row: ABOVE_THIRTY[language][total - 31] for row, total in called.items()}
    if outcome.winner is None:
        ids = ["rows", "refait" if outcome.refait else "equal"]
    else:
        colors = "color_wins" if outcome.color == "color" else "color_loses"
        ids = ["rows", f"{outcome.winner}_{outcome.color}", colors]
    said = (game.announcements.words[id_].said_in(language) for id_ in ids)
    winner_score = scores[outcome.winner] if outcome.winner else ""
    return ", ".join(part.format(**scores, points=winner_score) for part in said)


def announce_match(game: Monte, outcome: MonteOutcome, language: Language) -> str:
    """The card that decided last and its match; the words for a void hand; nothing before a decision."""
    if outcome.phase == "annulled":
        return game.announcements.void.said_in(language)
    if not outcome.decided_by:
        return ""
    words, last = game.announcements.words, outcome.decided_by[-1]
    figure = words.get(parse(last.card, "spanish")[0])
    value = figure.said_in(language) if figure else last.card[0]
    card = words["card"].said_in(language).format(value=value, suit=words[last.card[1]].said_in(language))
    return f"{card}, {words[last.match].said_in(language)}"


def announce_hands(
    game: PuntoBanco | CheminDeFer | TwoTableaux,
    outcome: BaccaratOutcome | TwoTableauxOutcome,
    language: Language,
) -> str:
    """The winning hand, or every hand's total, as the text has it announced."""
    words = _words(game)
    said = []
    for part in words.result_order:
        value = getattr(outcome, part)
        if part == "winner":
            said.append(words.words[value].said_in(language))
        else:
            said.append(f"{words.words[part.removesuffix('_total')].said_in(language)} {value}")
    return ", ".join(said)


def announce_third_card(
    game: PuntoBanco, hand: BaccaratWinner, action: Action, total: int, language: Language
) -> str:
    """That the player or the bank stands, with the total, or gets a card. Raises ValueError for a tie."""
    if hand not in ("player", "bank") or action not in ("draw", "stand"):
        said = "a tie has no cards" if hand == "tie" else f"{hand!r:.60} cannot {action!r:.60}"
        raise ValueError(said)
    words = _words(game).words
    if action == "draw":
        return words[f"card_for_{hand}"].said_in(language)
    return f"{words[f'{hand}_stands'].said_in(language)} {total}"


def announce_change_of_dice(game: Craps, language: Language) -> str:
    """The words with which other dice are brought."""
    return game.announcements.change_of_dice.said_in(language)


def announce_void(game: Game, language: Language) -> str:
    """The words with which the table chief voids a throw."""
    return _words(game).void.said_in(language)


def announce_no_more_bets(game: Game, language: Language) -> str:
    """The words with which the croupier closes the bets."""
    return _words(game).no_more_bets.said_in(language)


def announce_betting_open(game: Game, language: Language) -> str:
    """The words with which bets are invited."""
    return _words(game).betting_open.said_in(language)


def announce_last_rounds(game: Game, remaining: int, language: Language) -> str:
    """The words for the last balls still to be thrown. Raises ValueError below one."""
    if not is_whole(remaining, 1):
        raise ValueError(f"{remaining!r:.60} last balls cannot be announced")
    templates = _words(game).last_rounds.said_in(language)
    return templates[min(remaining, len(templates)) - 1].format(count=remaining)


def _words(game: Game) -> Announcements:
    if game.announcements is None:
        raise ValueError(f"{game.text} has no words to announce {game.id} with")
    return game.announcements
