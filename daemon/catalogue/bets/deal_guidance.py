"""Games dealt by a plan: what there is to do about a misdeal, and about a bank that does not play."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from daemon.catalogue.bets.payment import collect_losers, pay_in_order
from daemon.catalogue.families.deal import BankDeal
from daemon.catalogue.model import Language
from daemon.catalogue.rules.deal import seats_named
from daemon.catalogue.vocabulary import GUIDANCE, PLACES, GuidancePhrase
from daemon.outcomes import DealOutcome
from daemon.records import Finding, Guidance

_PHRASES: Mapping[str, GuidancePhrase] = {
    "annul_all": "annul_hand",
    "annul_player": "annul_players_hand",
    "forfeit": "forfeit_stake",
    "new_deal": "deal_again",
    "reshuffle": "shuffle_again",
    "stays": "card_stays",
    "discarded": "discard_card",
    "next_card": "card_is_next",
    "replaced": "replace_cards",
    "withdrawn": "withdraw_cards",
    "corrected": "correct_count",
    "covered": "cover_cards",
    "showdown": "show_hands",
}
"""A rule's remedy to what is said of it; of "none" there is nothing to do."""


def misdeal_guidance(findings: Iterable[Finding], language: Language = "en") -> tuple[Guidance, ...]:
    """What each finding's clause has done with the hand or the card, in the findings' order.

    A remedy that several findings have is said once, with the first one's clause.
    """
    said: dict[str, Guidance] = {}
    for finding in findings:
        phrase = _PHRASES.get(finding.evidence.get("remedy", "none"))
        if phrase is None:
            continue
        text = GUIDANCE[language][phrase].format(seats=_seats(finding), hands=_counts(finding, language))
        data = {"remedy": finding.evidence["remedy"], "rule": finding.rule}
        said.setdefault(text, Guidance(text=text, clause=finding.clause, data=data))
    return tuple(said.values())


def payment_guidance(game: BankDeal, outcome: DealOutcome, language: Language = "en") -> tuple[Guidance, ...]:
    """What is paid when the bank does not play, and what is done in which order where the text says so."""
    if outcome.annulled == "all":
        return ()
    return (
        *_bank_stays_out(game, outcome, language),
        *collect_losers(game.losers_first_clause, language),
        *_order(game, language),
    )


def _bank_stays_out(game: BankDeal, outcome: DealOutcome, language: Language) -> Iterator[Guidance]:
    needs = game.qualification
    if outcome.bank_plays is not False or needs is None:
        return
    wins, stands = (
        ", ".join(bet.names[language] for bet in game.bets if needs.otherwise.get(bet.id) == fate)
        for fate in ("wins", "stands")
    )
    phrase: GuidancePhrase = "bank_stays_out_rest" if stands else "bank_stays_out"
    text = GUIDANCE[language][phrase].format(bets=wins, stands=stands)
    yield Guidance(text=text, clause=needs.clause, data={"otherwise": needs.otherwise})


def _order(game: BankDeal, language: Language) -> Iterator[Guidance]:
    if game.payment is not None:
        names = {bet.id: bet.names[language] for bet in game.bets}
        yield pay_in_order(game.payment.order, names, game.payment.clause, language, "pay_in_order")


def _seats(finding: Finding) -> str:
    """The seats that are named, the known ones first; "?" for one that was not seen."""
    named = seats_named(finding)
    known = [str(seat) for seat in sorted(seat for seat in named if seat is not None)]
    return ", ".join([*known, *(["?"] if None in named else [])])


def _counts(finding: Finding, language: Language) -> str:
    """The hands of a wrong count: where, how many cards there are, and how many there should be."""
    return ", ".join(
        f"{_where(hand, language)}: {hand['cards']} → {hand['wanted']}"
        for hand in finding.evidence.get("hands", ())
    )


def _where(hand: Mapping[str, Any], language: Language) -> str:
    place = PLACES[language][hand["place"]]
    return place if hand.get("seat") is None else f"{place} {hand['seat']}"
