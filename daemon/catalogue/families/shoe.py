"""What all games dealt from a shoe have: packs, the shoe, what shuffles, the stop card, burnt cards."""

from typing import Literal

from daemon.catalogue.equipment import Burn, Packs, Shoe, Shuffler, StopCard
from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.model import Data, Game


class BoxStakes(Data, frozen=True, kw_only=True):
    """How many stakes may lie on one place, those of other players included."""

    clause: str
    most: int


class PayingOrder(Data, frozen=True, kw_only=True):
    """Round the table, in which direction losers are collected and winners paid."""

    clause: str
    direction: Literal["right_to_left", "left_to_right"]


class ShoeGame(Game, frozen=True, kw_only=True):
    """A game dealt from a shoe; families of such games are made from this one."""

    packs: Packs
    shoe: Shoe | None = None
    shufflers: tuple[Shuffler, ...] = ()
    """The machines that the text knows; none where it knows only shuffling by hand."""
    stop_card: StopCard | None = None
    burn: Burn | None = None
    box_stakes: BoxStakes | None = None
    paying: PayingOrder | None = None


def check_shoe(game: ShoeGame) -> None:
    """Raises CatalogueDataError for rules about what is not described, and packs that do not add up."""
    packs = game.packs
    if not 1 <= packs.least <= packs.most:
        raise CatalogueDataError(f"from {packs.least} to {packs.most} packs", packs.clause)
    if packs.backs and not packs.least <= sum(packs.backs) <= packs.most:
        raise CatalogueDataError(f"backs of {sum(packs.backs)} packs", packs.backs_clause or packs.clause)
    described = {
        "shoe.backs": bool(packs.backs),
        "shoe.indices": packs.indices is not None,
        "shoe.new_cards": packs.new is not None,
        "shoe.numbered": game.shoe is not None and game.shoe.numbered,
        "shoe.approved_model": game.shoe is not None and game.shoe.approved,
        "shoe.cards_set_aside": game.burn is not None,
        "shoe.stop_card_depth": game.stop_card is not None,
        "shoe.no_hand_after_stop_card": game.stop_card is not None,
        "shoe.last_hand_announced": game.stop_card is not None,
        "shoe.stop_card_annuls_hand": game.stop_card is not None and game.stop_card.ends == "annuls_hand",
    }
    for rule in game.rules:
        if not described.get(rule.id, True):
            raise CatalogueDataError(f"{rule.id} has nothing in the text's equipment to go by", rule.clause)
