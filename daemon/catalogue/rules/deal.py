"""Rules of hands dealt by a plan: wrong counts, cards that show, packs that are not whole.

One deal's evidence is judged by the rules that the game's own text has. Every rule of a misdeal says by its
parameter `remedy` what becomes of the hand, or of the card: the same evidence annuls under one clause and
stands under another.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, get_args

import msgspec

from daemon.catalogue.cards import ACE_HIGH, parse
from daemon.catalogue.equipment import Shuffler
from daemon.catalogue.families.deal import DealPlan, Place, burns_due, cards_due
from daemon.catalogue.model import Game, Rule, Seats
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.deal_evidence import Evidence, Exposed, Hand
from daemon.catalogue.rules.judging import Check, Parameters, Seen, Stricter
from daemon.records import Finding

__all__ = [
    "ANNULLING",
    "PARAMETERS",
    "ROUND",
    "STANDING",
    "Annulled",
    "Evidence",
    "Exposed",
    "Hand",
    "annulled",
    "judge",
    "seats_named",
]

Annulling = Literal["annul_all", "annul_player", "forfeit", "new_deal", "reshuffle"]
"""The hand of all, or one player's, is annulled; one player's is out and his stake lost; all cards are
collected and dealt anew; the hand is annulled and the cards are shuffled again."""
Standing = Literal[
    "none", "stays", "discarded", "next_card", "replaced", "withdrawn", "corrected", "covered", "showdown"
]
"""The text names no consequence. Or the hand goes on, and the card stays, goes to the discards, is the next
one dealt, is replaced, is set aside with one for every player in the hand; the count is put right; the cards
are covered again and the next is dealt face up; or nothing more is raised and the cards are shown."""
ANNULLING: frozenset[str] = frozenset(get_args(Annulling))
STANDING: frozenset[str] = frozenset(get_args(Standing))


class Annulled(msgspec.Struct, frozen=True, kw_only=True):
    """Whose hands are annulled."""

    everybody: bool
    """Or the cards are dealt anew for all."""
    seats: tuple[int, ...]
    """Single players' hands."""
    unknown: bool
    """A player's hand is annulled, but it was not seen at which seat."""


class Dealt(Protocol):
    """A game with a plan for its deal, whatever its family."""

    @property
    def deal(self) -> DealPlan:
        """The plan."""

    @property
    def shufflers(self) -> tuple[Shuffler, ...]:
        """The machines that may deal."""

    @property
    def seats(self) -> Seats | None:
        """How many may play."""


# --- counts -----------------------------------------------------------------------------------


def _miscounts(game: Dealt, evidence: Evidence, places: Iterable[Place]) -> list[tuple[Hand, int]]:
    """The hands at these places whose count is not the plan's, each with the count that is."""
    if evidence.phase is None or evidence.hands is None:
        return []
    in_common = any(hand.place == "common" and hand.cards for hand in evidence.hands)
    due = {place: cards_due(game.deal, place, evidence.phase, in_common=in_common) for place in places}
    return [
        (hand, wanted)
        for hand in evidence.hands
        if (wanted := due.get(hand.place)) is not None and hand.cards != wanted
    ]


def _incurable(hand: Hand, evidence: Evidence, cured: list[str]) -> bool:
    """Whether it was seen that the count cannot be put right in any way that the clause allows."""
    seen = {
        "before_betting": evidence.betting_begun is True,
        "unseen": hand.looked is True,
        "in_order": hand.in_order is False or hand.turned is True,
    }
    return all(seen[cure] for cure in cured)


def _seen_counts(found: list[tuple[Hand, int]], rule: Rule) -> Seen | None:
    if not found:
        return None
    hands = [{**_who(hand), "cards": hand.cards, "wanted": wanted} for hand, wanted in found]
    return {"hands": hands, "remedy": rule.parameters["remedy"]}


def _player_short(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    cured = rule.parameters["cured"]
    found = _miscounts(game, evidence, ("player",))
    return _seen_counts([(h, n) for h, n in found if h.cards < n and _incurable(h, evidence, cured)], rule)


def _player_over(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    cured = rule.parameters["cured"]
    found = _miscounts(game, evidence, ("player",))
    return _seen_counts([(h, n) for h, n in found if h.cards > n and _incurable(h, evidence, cured)], rule)


def _bank_count(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    cured = rule.parameters["cured"]
    found = _miscounts(game, evidence, ("bank",))
    return _seen_counts([(h, n) for h, n in found if _incurable(h, evidence, cured)], rule)


def _common_count(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return _seen_counts(_miscounts(game, evidence, ("common",)), rule)


def _count_to_correct(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    cured = rule.parameters["cured"]
    found = _miscounts(game, evidence, rule.parameters["places"])
    return _seen_counts([(h, n) for h, n in found if not _incurable(h, evidence, cured)], rule)


def _shuffler_group(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    """One group may be what the bank's cards leave over: of six dealt by fives, one comes by itself."""
    wanted = [shuffler.group for shuffler in game.shufflers if shuffler.group is not None]
    if evidence.groups is None or not wanted:
        return None
    odd = [group for group in evidence.groups if group not in wanted]
    bank = cards_due(game.deal, "bank", game.deal.phases[-1]) or 0
    if not odd or odd in [[bank % group] for group in wanted]:
        return None
    return {"groups": list(evidence.groups), "wanted": wanted, "remedy": rule.parameters["remedy"]}


def _burns(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.phase is None or evidence.burnt is None:
        return None
    wanted = burns_due(game.deal, evidence.phase)
    return None if evidence.burnt == wanted else {"burnt": evidence.burnt, "wanted": wanted}


# --- cards that show --------------------------------------------------------------------------


def _who(card: Hand | Exposed) -> Seen:
    return {"place": card.place} if card.seat is None else {"place": card.place, "seat": card.seat}


def _seen_cards(found: Iterable[Exposed], rule: Rule) -> Seen | None:
    cards = [
        _who(card)
        | {key: value for key in ("card", "number", "by") if (value := getattr(card, key)) is not None}
        for card in found
    ]
    return {"exposed": cards, "remedy": rule.parameters["remedy"]} if cards else None


def _exposed(evidence: Evidence, place: str) -> list[Exposed]:
    """The cards at this place that showed without its own player's doing."""
    return [card for card in evidence.exposed or () if card.place == place and card.by != "player"]


def _exposed_player(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return _seen_cards(_exposed(evidence, "player"), rule)


def _exposed_bank(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return _seen_cards(_exposed(evidence, "bank"), rule)


def _reaches(card: Exposed, rank: str) -> bool | None:
    return None if card.card is None else ACE_HIGH.index(parse(card.card)[0]) <= ACE_HIGH.index(rank)


def _exposed_common_from(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    rank = rule.parameters["from_rank"]
    return _seen_cards([c for c in _exposed(evidence, "common") if _reaches(c, rank) is True], rule)


def _exposed_common_below(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    rank = rule.parameters["below_rank"]
    return _seen_cards([c for c in _exposed(evidence, "common") if _reaches(c, rank) is False], rule)


def _exposed_pack(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return _seen_cards(_exposed(evidence, "pack"), rule)


def _boxed_card(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    boxed = _exposed(evidence, "pack")
    return _seen_cards(boxed, rule) if len(boxed) <= rule.parameters["most"] else None


def _boxed_cards(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    boxed = _exposed(evidence, "pack")
    return _seen_cards(boxed, rule) if len(boxed) > rule.parameters["most"] else None


def _first_card_exposed(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return _seen_cards([card for card in _exposed(evidence, "player") if card.number == 1], rule)


def _last_card_exposed(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.players_left != rule.parameters["players"]:
        return None
    last = rule.parameters["card"]
    return _seen_cards([card for card in _exposed(evidence, "player") if card.number == last], rule)


def _shown(evidence: Evidence) -> list[Exposed]:
    return [card for card in evidence.exposed or () if card.place == "player" and card.by == "player"]


def _shown_by_player(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return _seen_cards(_shown(evidence), rule)


def _shown_by_mistake(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return _seen_cards([card for card in _shown(evidence) if card.on_purpose is False], rule)


def _shown_on_purpose(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return _seen_cards([card for card in _shown(evidence) if card.on_purpose], rule)


# --- everything else --------------------------------------------------------------------------


def _when(field: str) -> Check:
    """A rule that is broken when this field of the evidence says so: true, seats, or a number of cards."""

    def check(game: Any, rule: Rule, evidence: Evidence) -> Seen | None:
        value = getattr(evidence, field)
        if not value:
            return None
        return {
            field: list(value) if isinstance(value, tuple) else value,
            "remedy": rule.parameters["remedy"],
        }

    return check


def _common_turned(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.common_turned is None or evidence.common_turned <= 1 or _lacks_stock(evidence):
        return None
    return {"common_turned": evidence.common_turned, "remedy": rule.parameters["remedy"]}


def _common_irreplaceable(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    if not _lacks_stock(evidence):
        return None
    seen = {"common_turned": evidence.common_turned, "stock": evidence.stock}
    return {**seen, "remedy": rule.parameters["remedy"]}


def _lacks_stock(evidence: Evidence) -> bool:
    """Whether more common cards were turned than one, and too few are left to replace them."""
    if evidence.common_turned is None or evidence.stock is None:
        return False
    return evidence.stock < evidence.common_turned - 1


def _bets_closed_before_deal(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return {"no_more_bets": False} if evidence.bets_closed is False else None


def _enough_players(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    least = None if game.seats is None else game.seats.least
    if least is None or evidence.players is None or evidence.players >= least:
        return None
    return {"players": evidence.players, "least": least}


def _shuffles(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    least = rule.parameters["least"]
    if evidence.shuffles is None or evidence.shuffles >= least:
        return None
    return {"shuffles": evidence.shuffles, "least": least}


def _cut_exposed(game: Dealt, rule: Rule, evidence: Evidence) -> Seen | None:
    return {"cut_exposed": True} if evidence.cut_exposed else None


ROUND: Mapping[str, Check] = {
    "deal.player_short": _player_short,
    "deal.player_over": _player_over,
    "deal.bank_count": _bank_count,
    "deal.common_count": _common_count,
    "deal.count_to_correct": _count_to_correct,
    "deal.shuffler_group": _shuffler_group,
    "deal.burns": _burns,
    "deal.exposed_player": _exposed_player,
    "deal.exposed_bank": _exposed_bank,
    "deal.exposed_common_from": _exposed_common_from,
    "deal.exposed_common_below": _exposed_common_below,
    "deal.exposed_pack": _exposed_pack,
    "deal.boxed_card": _boxed_card,
    "deal.boxed_cards": _boxed_cards,
    "deal.first_card_exposed": _first_card_exposed,
    "deal.last_card_exposed": _last_card_exposed,
    "deal.shown_by_player": _shown_by_player,
    "deal.shown_by_mistake": _shown_by_mistake,
    "deal.shown_on_purpose": _shown_on_purpose,
    "deal.wrong_order": _when("wrong_order"),
    "deal.card_missing": _when("cards_missing"),
    "deal.pack_defective": _when("pack_defective"),
    "deal.others_card_seen": _when("others_card_seen"),
    "deal.card_to_empty_seat": _when("empty_seats"),
    "deal.card_to_absent_player": _when("absent_seats"),
    "deal.drawn_unseen": _when("drawn_unseen"),
    "deal.drawn_early": _when("drawn_early"),
    "deal.hands_touched": _when("hands_touched"),
    "deal.common_turned": _common_turned,
    "deal.common_irreplaceable": _common_irreplaceable,
    "deal.bets_closed_before_deal": _bets_closed_before_deal,
    "deal.enough_players": _enough_players,
    "deal.shuffles": _shuffles,
    "deal.cut_exposed": _cut_exposed,
}

_NO_REMEDY = {
    "deal.burns",
    "deal.bets_closed_before_deal",
    "deal.enough_players",
    "deal.shuffles",
    "deal.cut_exposed",
}
_OWN: Mapping[str, Mapping[str, Stricter]] = {
    "deal.player_short": {"cured": "fewer"},
    "deal.player_over": {"cured": "fewer"},
    "deal.bank_count": {"cured": "fewer"},
    "deal.count_to_correct": {"cured": "fixed", "places": "fixed"},
    "deal.exposed_common_from": {"from_rank": "fixed"},
    "deal.exposed_common_below": {"below_rank": "fixed"},
    "deal.boxed_card": {"most": "fixed"},
    "deal.boxed_cards": {"most": "lower"},
    "deal.last_card_exposed": {"card": "fixed", "players": "fixed"},
    "deal.shuffles": {"least": "higher"},
}
PARAMETERS: Parameters = {
    rule: {**_OWN.get(rule, {}), **({} if rule in _NO_REMEDY else {"remedy": "fixed"})} for rule in ROUND
}
"""Parameters that a rule's clause must give. `remedy` is one of ANNULLING or STANDING. `cured` lists what
saves a wrong count: found "before_betting", its player had not looked ("unseen"), the cards' order bears it
("in_order"); it annuls when all of them are seen not to be so, and is to be put right otherwise."""


def judge(game: Game, evidence: Evidence) -> tuple[Finding, ...]:
    """What the game's own rules find in one deal's evidence, in the text's order."""
    return judging.judge(ROUND, game, evidence)


def annulled(findings: Iterable[Finding]) -> Annulled:
    """Whose hands these findings annul."""
    seats: set[int] = set()
    everybody = unknown = False
    for finding in findings:
        if finding.effect != "annul":
            continue
        if finding.evidence["remedy"] not in ("annul_player", "forfeit"):
            everybody = True
            continue
        named = seats_named(finding)
        unknown = unknown or None in named
        seats |= {seat for seat in named if seat is not None}
    return Annulled(everybody=everybody, seats=tuple(sorted(seats)), unknown=unknown)


def seats_named(finding: Finding) -> set[int | None]:
    """The seats that a finding's evidence names; None among them for a hand whose seat was not seen."""
    seen = finding.evidence
    entries = (*seen.get("hands", ()), *seen.get("exposed", ()))
    return {entry.get("seat") for entry in entries} | set(seen.get("hands_touched", ()))
