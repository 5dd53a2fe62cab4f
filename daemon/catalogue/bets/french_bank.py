"""French bank: what a throw is, what becomes of the three chances, what follows, and the house's edge."""

from daemon.catalogue.bets.settlement import Edge, Fate, Settled, edges_over, lost, won
from daemon.catalogue.dice import check_throw, throws
from daemon.catalogue.families.french_bank import Chance, FrenchBank, FrenchBankBet
from daemon.catalogue.model import Language, clause_for, find_rule
from daemon.catalogue.vocabulary import DIRECTIONS, GUIDANCE
from daemon.outcomes import FrenchBankOutcome
from daemon.records import Guidance

UNTOUCHED = "dice.untouched_until_announced"


def outcome(game: FrenchBank, faces: tuple[int, ...], *, touched: bool = False) -> FrenchBankOutcome:
    """What these faces are; `touched` says that the dice were moved at rest before the announcement.

    Losers stand then, under a text that has the rule. Raises NotDice.
    """
    check_throw(game.dice, faces)
    total = sum(faces)
    chance = next((bet.id for bet in game.bets if total in bet.sums), None)
    return FrenchBankOutcome(
        dice=faces,
        total=total,
        chance=chance,
        decides=chance is not None,
        losers_stand=touched and chance is not None and find_rule(game, UNTOUCHED) is not None,
    )


def settle(game: FrenchBank, result: FrenchBankOutcome) -> tuple[Settled, ...]:
    """What a throw does to each chance, in the text's order.

    While nothing is decided all wait, or stand where the text lets players take them back.
    """
    return tuple(_settled(game, bet, result) for bet in game.bets)


def _settled(game: FrenchBank, bet: FrenchBankBet, result: FrenchBankOutcome) -> Settled:
    if result.chance == bet.id:
        return won(bet)
    if not result.decides:
        undecided = game.undecided
        fate: Fate = "waits" if undecided is None else "stands"
        return Settled(bet=bet.id, fate=fate, clause=undecided.clause if undecided else bet.clause)
    rule = find_rule(game, UNTOUCHED)
    if result.losers_stand and rule is not None:
        return Settled(bet=bet.id, fate="stands", clause=rule.clause)
    return lost(bet)


def guidance(game: FrenchBank, result: FrenchBankOutcome, language: Language = "en") -> tuple[Guidance, ...]:
    """What the text has done about a throw: thrown again, nobody losing, or losers taken in first."""
    words = GUIDANCE[language]
    if result.chance is None:
        again = words["throw_dice_again"].format(total=result.total)
        thrown_again = Guidance(text=again, clause=game.sums_clause)
        if game.undecided is None:
            return (thrown_again,)
        return (thrown_again, Guidance(text=words["stakes_free"], clause=game.undecided.clause))
    if result.losers_stand:
        text = words["losers_stand"].format(chance=_named(game, result.chance, language))
        return (Guidance(text=text, clause=clause_for(game, UNTOUCHED), data={"pay": result.chance}),)
    if game.collection is None:
        return ()
    first = game.collection.first
    text = words["collect_losers_round"].format(
        first=_named(game, first, language), direction=DIRECTIONS[language][game.collection.direction]
    )
    return (Guidance(text=text, clause=game.collection.clause, data={"first": first}),)


def _named(game: FrenchBank, chance: Chance, language: Language) -> str:
    return game.announcements.words[chance].said_in(language)


def edges(game: FrenchBank) -> tuple[Edge, ...]:
    """The edge of each chance over all throws that decide, none of them touched."""
    return edges_over((1, settle(game, outcome(game, faces))) for faces in throws(game.dice.count))
