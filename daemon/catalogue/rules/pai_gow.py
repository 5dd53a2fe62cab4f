"""Rules of the pai gows beyond their dice: where the deal began, cards that are left, the set of tiles."""

from collections.abc import Mapping

import msgspec

from daemon.catalogue.families.pai_gow import MahjongPaiGow, PaiGow, PaiGowPoker, first_position
from daemon.catalogue.model import Game, Rule
from daemon.catalogue.rules import judging
from daemon.catalogue.rules.judging import Check, Count, Seen
from daemon.records import Finding


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one round. None is "not seen", which is neither yes nor no."""

    total: Count | None = None
    """The sum of the dice."""
    first: str | None = None
    """The position that got the first hand, by its name in the game's data."""
    hands: Count | None = None
    """Hands that were dealt, the bank's and the croupier's included."""
    cards_left: Count | None = None
    """Cards that were left over after the deal."""
    round_of_set: Count | None = None
    """Which round this is since the tiles were shuffled, counted from 1."""
    bets: tuple[str, ...] | None = None
    """Kinds of bets that were taken."""


def _first_hand(game: PaiGow, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.total is None or evidence.first is None:
        return None
    wanted = first_position(game, evidence.total)
    if evidence.first == wanted:
        return None
    return {"total": evidence.total, "first": evidence.first, "wanted": wanted}


def _cards_left(game: PaiGowPoker, rule: Rule, evidence: Evidence) -> Seen | None:
    if evidence.hands is None or evidence.cards_left is None:
        return None
    wanted = game.packs.cards - evidence.hands * game.hands.cards
    if evidence.cards_left == wanted:
        return None
    return {"hands": evidence.hands, "cards_left": evidence.cards_left, "wanted": wanted}


def _tiles_shuffled(game: MahjongPaiGow, rule: Rule, evidence: Evidence) -> Seen | None:
    rounds = game.shuffling.rounds
    if evidence.round_of_set is None or evidence.round_of_set <= rounds:
        return None
    return {"round_of_set": evidence.round_of_set, "rounds": rounds}


def _bets_off(game: MahjongPaiGow, rule: Rule, evidence: Evidence) -> Seen | None:
    shuffling = game.shuffling
    if evidence.round_of_set is None or evidence.round_of_set < shuffling.bets_off_from:
        return None
    taken = [bet for bet in evidence.bets or () if bet in shuffling.bets_off]
    return {"round_of_set": evidence.round_of_set, "bets": taken} if taken else None


ROUND: Mapping[str, Check] = {
    "pai_gow.first_hand": _first_hand,
    "pai_gow.cards_left": _cards_left,
    "pai_gow.tiles_shuffled": _tiles_shuffled,
    "pai_gow.bets_off": _bets_off,
}


def judge(game: Game, evidence: Evidence) -> tuple[Finding, ...]:
    """What the game's own rules find in one round's evidence, in the text's order."""
    return judging.judge(ROUND, game, evidence)
