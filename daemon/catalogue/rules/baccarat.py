"""Rules of baccarat's hands: who drew against the rules of drawing, what befell cards, and enough players."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from daemon.catalogue.bets.baccarat import (
    Action,
    Coup,
    bank_actions_against,
    bound_by_natural,
    ended_by_naturals,
    is_natural,
    player_actions,
    third_value,
)
from daemon.catalogue.cards import Card, baccarat_total
from daemon.catalogue.families.baccarat import BaccaratGame, CircleBaccarat, Drawing, HandName
from daemon.catalogue.families.two_tableaux import TwoTableaux
from daemon.catalogue.model import Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Count, Parameters, Seen
from daemon.records import Finding


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one hand. None is "not seen"."""

    hands: dict[HandName, tuple[Card, ...]] = {}
    surplus: tuple[Card, ...] = ()
    """Cards drawn that were to be in neither hand."""
    finished: bool | None = None
    """The croupier has ended the hand, so that a card still missing will not come."""
    calls: dict[HandName, Action] = {}
    """What the hands were heard to choose."""
    banco: bool = False
    """The player holds the whole bank and is left free to draw."""
    by_table: bool = True
    """The bank plays by the rules of drawing where it might choose not to."""
    exposed: Count | None = None
    """Cards of the player that were shown by mistake while they were dealt."""
    exposed_by: Literal["croupier", "bank"] | None = None
    """Whose mistake it was: the banker's binds less than the croupier's."""
    bank_first_cards: Count | None = None
    """Cards that the bank gave itself before any third card."""
    lost: tuple[Literal["player_first", "player_third", "first", "second", "bank"], ...] = ()
    """Whose cards fell into the basket unseen; of the player of one hand, which of his cards."""
    threw_away: HandName | None = None
    """Who threw cards into the basket before the others had seen them."""
    misdeal: str | None = None
    """A fault in dealing, in the inspector's words, that cannot be put right without harm to anybody."""
    players: tuple[Count, ...] | None = None
    """Players at the table, or at each tableau."""
    open_bank: bool | None = None
    """The bank answers for every stake."""
    sessions_today: Count | None = None
    """Sessions of today with an open bank, this one included."""
    shoes_in_session: Count | None = None
    """Shoes begun in this session, this one included."""


def evidence_of(coup: Coup, **more: Any) -> Evidence:
    """A hand out of the shoe as evidence, with whatever else was seen, by the fields' names."""
    return Evidence(hands=coup.hands, surplus=coup.surplus, **more)


# --- drawing ----------------------------------------------------------------------------------------


def _natural_ends(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    drawing = game.drawing
    if drawing is None or not ended_by_naturals(drawing, evidence.hands):
        return None
    further = [card for cards in evidence.hands.values() for card in cards[2:]] + list(evidence.surplus)
    totals = {hand: baccarat_total(cards[:2]) for hand, cards in evidence.hands.items()}
    return {"totals": totals, "cards": further} if further else None


def _player_third_card(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    drawing = game.drawing
    if drawing is None or not _dealt(evidence) or ended_by_naturals(drawing, evidence.hands):
        return None
    wrong = []
    free = evidence.banco and not _shown_by_croupier(drawing, evidence)
    for hand, cards in evidence.hands.items():
        total, did = baccarat_total(cards[:2]), _did(cards, evidence)
        if hand != "bank" and did and did not in player_actions(drawing, total, banco=free):
            wrong.append({"hand": hand, "total": total, "did": did, "cards": list(cards)})
    return {"wrong": wrong} if wrong else None


def _bank_third_card(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    drawing = game.drawing
    if drawing is None or not _dealt(evidence) or ended_by_naturals(drawing, evidence.hands):
        return None
    bank, did = evidence.hands["bank"], _did(evidence.hands["bank"], evidence)
    against = {hand: cards for hand, cards in evidence.hands.items() if hand != "bank"}
    thirds = {hand: third_value(cards) for hand, cards in against.items() if not is_natural(drawing, cards)}
    by_croupier = _shown_by_croupier(drawing, evidence)
    may = bank_actions_against(
        drawing,
        baccarat_total(bank[:2]),
        list(thirds.values()),
        by_table=evidence.by_table or by_croupier or _both_shown(drawing, evidence),
        bound=bound_by_natural(drawing, list(against.values())) or (by_croupier and evidence.exposed == 2),
    )
    if did is None or did in may:
        return None
    return {"total": baccarat_total(bank[:2]), "thirds": thirds, "did": did, "cards": list(bank)}


def _surplus_card(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    if not evidence.surplus or game.drawing is None or ended_by_naturals(game.drawing, evidence.hands):
        return None
    return {
        "surplus": list(evidence.surplus),
        "hands": {hand: list(cards) for hand, cards in evidence.hands.items()},
    }


def _shown_by_croupier(drawing: Drawing, evidence: Evidence) -> bool:
    """Whether cards that the croupier showed bind both hands to the rules of drawing."""
    by_croupier = bool(evidence.exposed) and evidence.exposed_by == "croupier"
    return by_croupier and drawing.bank.exposed_clause is not None


def _both_shown(drawing: Drawing, evidence: Evidence) -> bool:
    """Whether both of the player's cards were shown, which binds the bank to the table whoever did it."""
    return evidence.exposed == 2 and drawing.bank.bank_exposed_clause is not None


def _dealt(evidence: Evidence) -> bool:
    return "bank" in evidence.hands and all(len(cards) >= 2 for cards in evidence.hands.values())


def _did(hand: tuple[Card, ...], evidence: Evidence) -> Action | None:
    """What a hand did about its third card; None while that is not known."""
    if len(hand) > 2:
        return "draw"
    return "stand" if evidence.finished else None


# --- what befalls cards -------------------------------------------------------------------------------


def _card_not_called(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    """A card given to a player who stood is the bank's where it has to draw, and refused where it stands."""
    player, bank = evidence.hands.get("player", ()), evidence.hands.get("bank", ())
    if evidence.calls.get("player") != "stand" or len(player) < 3 or len(bank) < 2:
        return None
    total = baccarat_total(bank[:2])
    return {"card": player[2], "bank_total": total, "goes_to": "bank" if total <= 5 else "nobody"}


def _bank_dealt_too_many(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.bank_first_cards is None or evidence.bank_first_cards <= 2:
        return None
    return {"bank_first_cards": evidence.bank_first_cards, "bank_total": 0}


def _two_third_cards(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    """Of two third cards the player's better one counts, and the bank's worse one."""
    player, bank = evidence.hands.get("player", ()), evidence.hands.get("bank", ())
    if len(player) > 3:
        better = max(player[2:4], key=lambda card: baccarat_total((*player[:2], card)))
        return {"hand": "player", "cards": list(player[2:4]), "counts": better}
    if len(bank) > 3:
        worse = min(bank[2:4], key=lambda card: baccarat_total((*bank[:2], card)))
        return {"hand": "bank", "cards": list(bank[2:4]), "counts": worse}
    return None


def _cards_lost(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    return {"lost": list(evidence.lost)} if evidence.lost else None


def _bank_threw_cards_away(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    return _threw_away(rule, evidence) if evidence.threw_away == "bank" else None


def _player_threw_cards_away(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    return _threw_away(rule, evidence) if evidence.threw_away not in (None, "bank") else None


def _threw_away(rule: Rule, evidence: Evidence) -> Seen:
    return {"threw_away": evidence.threw_away, "counts": rule.parameters["counts"]}


def _misdeal(game: BaccaratGame, rule: Rule, evidence: Evidence) -> Seen | None:
    return None if evidence.misdeal is None else {"misdeal": evidence.misdeal}


def _enough_players(game: CircleBaccarat, rule: Rule, evidence: Evidence) -> Seen | None:
    wanted = game.players_per_hand or game.seats
    least = 0 if wanted is None else wanted.least or 0
    if evidence.players is None or all(count >= least for count in evidence.players):
        return None
    return {"players": list(evidence.players), "least": least}


def _open_bank_played_out(game: TwoTableaux, rule: Rule, evidence: Evidence) -> Seen | None:
    bank = game.open_bank
    if bank is None or not evidence.open_bank:
        return None
    counted = {"sessions_today": evidence.sessions_today, "shoes_in_session": evidence.shoes_in_session}
    most = {"sessions_today": bank.sessions, "shoes_in_session": bank.shoes}
    over = {key: count for key, count in counted.items() if count is not None and count > most[key]}
    return {**over, "most": [most[key] for key in over]} if over else None


HAND: Mapping[str, Check] = {
    "baccarat.natural_ends": _natural_ends,
    "baccarat.player_third_card": _player_third_card,
    "baccarat.bank_third_card": _bank_third_card,
    "baccarat.surplus_card": _surplus_card,
    "baccarat.card_not_called": _card_not_called,
    "baccarat.bank_dealt_too_many": _bank_dealt_too_many,
    "baccarat.two_third_cards": _two_third_cards,
    "baccarat.cards_lost": _cards_lost,
    "baccarat.bank_threw_cards_away": _bank_threw_cards_away,
    "baccarat.player_threw_cards_away": _player_threw_cards_away,
    "baccarat.misdeal": _misdeal,
    "baccarat.enough_players": _enough_players,
    "baccarat.open_bank_played_out": _open_bank_played_out,
}
PARAMETERS: Parameters = {
    "baccarat.bank_threw_cards_away": {"counts": "fixed"},
    "baccarat.player_threw_cards_away": {"counts": "fixed"},
}
"""`counts` says what the hand is then: "lost", or "zero", its total. The others go by the game's own data."""


def judge(game: BaccaratGame, evidence: Evidence) -> tuple[Finding, ...]:
    """What the game's own rules find in a hand, in the text's order."""
    return judging.judge(HAND, game, evidence)
