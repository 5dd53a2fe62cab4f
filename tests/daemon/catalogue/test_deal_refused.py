"""Games dealt by a plan that contradict themselves are refused, with the clause."""

from collections.abc import Callable
from typing import Any

import pytest
from changed_texts import changed

from daemon.catalogue.errors import CatalogueDataError

Section = dict[str, Any]


def unknown_line(game: Section) -> None:
    game["bets"][1]["table"][0]["when"] = "five_of_a_kind"


def line_twice(game: Section) -> None:
    game["bets"][1]["table"][0]["when"] = "pair"


def unknown_pool_line(game: Section) -> None:
    game["bets"][-1]["pool"][0]["when"] = "yahtzee"


def stake_of_nothing(game: Section) -> None:
    game["bets"][2]["stake"]["of"] = "blind"


def needs_nothing(game: Section) -> None:
    game["bets"][1]["needs"] = "blind"


def follows_nothing(game: Section) -> None:
    game["bets"][1]["tie_follows"] = "blind"


def otherwise_unknown(game: Section) -> None:
    game["qualification"]["otherwise"] = {"blind": "wins"}


def bank_needs_a_joker(game: Section) -> None:
    game["qualification"]["cards"] = ["A", "X"]


def hand_twice(game: Section) -> None:
    game["ranks"]["order"].append("pair")


def deals_to_nobody(game: Section) -> None:
    game["deal"]["steps"][0]["to"] = []


def burns_to_somebody(game: Section) -> None:
    game["deal"]["steps"][0]["act"] = "burn"


def faceless(game: Section) -> None:
    del game["deal"]["steps"][0]["face"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (unknown_line, r"second_bet pays on what nobody knows: \['five_of_a_kind'\] \(es-ct 10.V.1\)"),
        (line_twice, "a line of second_bet stands twice"),
        (unknown_pool_line, r"progressive pays on what nobody knows: \['yahtzee'\]"),
        (stake_of_nothing, r"insurance rests on bets that are not there: \['blind'\]"),
        (needs_nothing, r"second_bet rests on bets that are not there: \['blind'\]"),
        (follows_nothing, r"second_bet rests on bets that are not there: \['blind'\]"),
        (otherwise_unknown, r"settled but not among the bets: \['blind'\] \(es-ct 10.VI\)"),
        (bank_needs_a_joker, r"no cards of this game: \['X'\]"),
        (hand_twice, "a hand stands twice in the order"),
        (deals_to_nobody, "deal in deal: to whom?"),
        (burns_to_somebody, "burn in deal: to whom?"),
        (faceless, "deal in deal: face up?"),
    ],
)
def test_a_game_against_the_bank_that_makes_no_sense_is_refused(
    change: Callable[[Section], None], says: str
) -> None:
    refused("poker_without_draw", change, says)


def bets_after_nothing(game: Section) -> None:
    game["betting_intervals"] = ["deal", "river"]


def odd_pack(game: Section) -> None:
    game["stripped"]["cards"] = 30


def opens_with_a_joker(game: Section) -> None:
    game["opening"] = {"clause": "23.1.II", "pairs": ["J", "2"]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (bets_after_nothing, r"betting after phases that are not there: \['river'\]"),
        (odd_pack, r"another number of cards \(es-ct 23.2.4.II\)"),
        (opens_with_a_joker, r"no cards of this game: \['2'\]"),
        (hand_twice, "a hand stands twice in the order"),
    ],
)
def test_a_circle_game_that_makes_no_sense_is_refused(change: Callable[[Section], None], says: str) -> None:
    refused("circle_five_stud", change, says)


def refused(game_id: str, change: Callable[[Section], None], says: str) -> None:
    with pytest.raises(CatalogueDataError, match=says):
        changed("es-ct", game_id, change)
