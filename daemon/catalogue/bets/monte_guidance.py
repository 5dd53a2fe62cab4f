"""Monte: what the croupiers do about a hand, each with its clause."""

from daemon.catalogue.bets.monte import in_play, row_of
from daemon.catalogue.bets.monte_stakes import annulled_for_sides, bet_pays
from daemon.catalogue.families.monte import Laying, Monte
from daemon.catalogue.model import Language
from daemon.catalogue.vocabulary import GUIDANCE
from daemon.outcomes import MonteOutcome
from daemon.records import Guidance


def guidance(game: Monte, hand: MonteOutcome, language: Language = "en") -> tuple[Guidance, ...]:
    """What the text has done about the hand as it stands now; nothing while squares are still being laid."""
    laying = game.laying
    if laying is None or hand.phase in ("laying", "annulled"):
        return ()
    if hand.phase == "held":
        return _held(game, hand, language)
    if hand.phase == "first":
        return _layout_pays(game, laying, hand, language)
    return (
        *_turned_down(game, laying, hand, language),
        *_kept(game, hand, language),
        *_next(laying, hand, language),
    )


def _held(game: Monte, hand: MonteOutcome, language: Language) -> tuple[Guidance, ...]:
    inspector = next((one for one in game.staff if one.role == "inspector"), None)
    if inspector is None:
        return ()
    text = GUIDANCE[language]["ask_inspector"]
    return (Guidance(text=text, clause=inspector.clause, data={"reason": hand.reason}),)


def _layout_pays(game: Monte, laying: Laying, hand: MonteOutcome, language: Language) -> tuple[Guidance, ...]:
    """What is left of the pays that doubled and burnt cards lower, where there are any."""
    doubled, burnt = sum(map(len, hand.laid_on)), len(hand.burnt)
    lowered = {bet.id: pays for bet in game.bets if (pays := bet_pays(bet, hand)) != bet.pays.fraction}
    if not lowered:
        return ()
    names = {bet.id: bet.names[language] for bet in game.bets}
    said = ", ".join(f"{names[bet]} {pays}" for bet, pays in lowered.items())
    text = GUIDANCE[language]["layout_pays"].format(doubled=doubled, burnt=burnt, pays=said)
    data = {"pays": {bet: [pays.numerator, pays.denominator] for bet, pays in lowered.items()}}
    return (Guidance(text=text, clause=laying.alike_clause, data=data),)


def _turned_down(game: Monte, laying: Laying, hand: MonteOutcome, language: Language) -> tuple[Guidance, ...]:
    """The card that loses to the matched one of its row, unless the match counts for neither."""
    by = hand.decided_by[-1]
    one, other = row_of(by.square)
    loser = other if by.square == one else one
    if annulled_for_sides(game, hand, by, ((by.square,), (loser,))) is not None:
        return ()
    named = game.announcements.words[f"square_{loser}"].said_in(language)
    text = GUIDANCE[language]["turn_down"].format(square=named)
    return (Guidance(text=text, clause=laying.clause, data={"square": loser}),)


def _kept(game: Monte, hand: MonteOutcome, language: Language) -> tuple[Guidance, ...]:
    if not hand.decided_by[-1].at_once:
        return ()
    part, names = game.levy.part, {bet.id: bet.names[language] for bet in game.bets}
    spared = ", ".join(names[bet] for bet in game.levy.spared)
    text = GUIDANCE[language]["keep_part"].format(part=part.fraction, spared=spared)
    data = {"part": [part.pays, part.per], "spared": list(game.levy.spared)}
    return (Guidance(text=text, clause=game.levy.clause, data=data),)


def _next(laying: Laying, hand: MonteOutcome, language: Language) -> tuple[Guidance, ...]:
    squares = in_play(hand)
    if not squares:
        return ()
    cards = ", ".join(hand.layout[square - 1] for square in squares)
    text = GUIDANCE[language]["second_phase"].format(squares=cards)
    return (Guidance(text=text, clause=laying.clause, data={"squares": list(squares)}),)
