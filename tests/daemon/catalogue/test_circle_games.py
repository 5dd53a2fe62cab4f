"""Circle poker as data: the house's part, the variants, whom they inherit from, and the order of hands."""

from fractions import Fraction
from functools import cache
from typing import get_args

import pytest
from changed_texts import changed
from dealt_games import CIRCLE

from daemon.catalogue.errors import CatalogueDataError
from daemon.catalogue.families.circle_poker import CirclePoker
from daemon.catalogue.families.deal import HandRank, cards_due
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Ratio
from daemon.catalogue.rules.shoe import Opening, judge_opening


@cache
def circle(game_id: str) -> CirclePoker:
    return load_as(CirclePoker, "es-ct", game_id)


def number(ratio: Ratio | None) -> Fraction | None:
    return None if ratio is None else Fraction(ratio.pays, ratio.per)


@pytest.mark.parametrize("game_id", CIRCLE)
def test_the_houses_part_and_the_session(game_id: str) -> None:
    game = circle(game_id)
    assert [(share.of, share.per, number(share.least), number(share.most)) for share in game.house_share] == [
        (("pot",), "betting_interval", None, Fraction(5, 100)),
        (("table_maximum", "buy_in"), "session", Fraction(10, 100), Fraction(20, 100)),
    ]
    assert game.ranks.cards == 5
    session = game.session
    assert (session.hours, session.last_hands, session.turns_with_the_hand) == (1, 2, 2)
    assert [limit.kind for limit in game.betting_limits] == ["limit", "split_limit", "pot_limit", "no_limit"]


@pytest.mark.parametrize(
    ("game_id", "intervals", "own", "common", "of", "raises", "cards"),
    [
        ("circle_draw_poker", 2, 5, None, 5, None, 32),
        ("circle_seven_stud", 5, None, None, 7, 3, None),
        ("circle_omaha", 4, 2, 3, 9, 3, None),
        ("circle_holdem", 4, None, None, 7, 3, None),
        ("circle_five_stud", 4, 5, None, 5, 3, 32),
        ("circle_synthetic_poker", 5, 2, 3, 7, None, 28),
    ],
)
def test_the_variants(
    game_id: str,
    intervals: int,
    own: int | None,
    common: int | None,
    of: int,
    raises: int | None,
    cards: int | None,
) -> None:
    game = circle(game_id)
    use = game.hand_use
    assert use is not None
    assert (use.own, use.common, use.of) == (own, common, of)
    last = game.deal.phases[-1]
    mine, shared = (cards_due(game.deal, place, last) for place in ("player", "common"))
    assert (mine or 0) + (shared or 0) == of
    assert len(game.betting_intervals) == intervals
    assert (game.raises.most if game.raises else None) == raises
    assert (game.stripped.cards if game.stripped else None) == cards


def test_how_much_of_the_pot_may_be_bet() -> None:
    for game_id in CIRCLE:
        parts = {limit.kind: number(limit.most) for limit in circle(game_id).betting_limits}
        if game_id == "circle_seven_stud":
            assert set(parts.values()) == {None}, "by its own intervals instead"
        else:
            half, whole = Fraction(1, 2), Fraction(1)
            assert parts == {"limit": None, "split_limit": half, "pot_limit": whole, "no_limit": None}


def test_whom_the_variants_inherit_from() -> None:
    parents = {id_: circle(id_).inherits for id_ in CIRCLE}
    assert {id_: (of.game, of.clause) if of else None for id_, of in parents.items()} == {
        "circle_poker": None,
        "circle_draw_poker": ("circle_poker", "es-ct 23"),
        "circle_seven_stud": ("circle_poker", "es-ct 23"),
        "circle_omaha": ("circle_seven_stud", "es-ct 23.2.2.I"),
        "circle_holdem": ("circle_omaha", "es-ct 23.2.3.II"),
        "circle_five_stud": ("circle_seven_stud", "es-ct 23.2.4.I"),
        "circle_synthetic_poker": ("circle_poker", "es-ct 23"),
    }


def test_what_only_one_variant_has() -> None:
    opening = {id_: circle(id_).opening for id_ in CIRCLE}
    assert {id_: has.pairs for id_, has in opening.items() if has} == {
        "circle_draw_poker": ("J", "Q", "K", "A")
    }
    buy_in = {id_: circle(id_).buy_in for id_ in CIRCLE}
    assert {id_: [(b.kind, b.least, b.most) for b in has] for id_, has in buy_in.items() if has} == {
        "circle_synthetic_poker": [("initial", 10, 200), ("refill", 5, 100)]
    }
    stud = {limit.kind: limit.intervals for limit in circle("circle_seven_stud").betting_limits}
    assert stud["split_limit"] == {
        "deal": "low",
        "fourth": "low",
        "fifth": "high",
        "sixth": "high",
        "seventh": "high",
    }
    assert stud["pot_limit"] == {"sixth": "half_pot", "seventh": "pot"}


def test_the_order_of_the_hands_where_fewer_cards_are_played_with() -> None:
    for game_id in CIRCLE:
        ranks = circle(game_id).ranks
        order = ranks.stripped_order or ranks.order
        flush_first = order.index("flush") < order.index("full_house")
        assert flush_first == (game_id not in ("circle_seven_stud", "circle_omaha", "circle_holdem"))
    assert circle("circle_draw_poker").ranks.order == get_args(HandRank)


@pytest.mark.parametrize(
    ("cards", "refused"),
    [(52, False), (32, False), (51, True), (31, True), (33, True), (104, True)],
)
def test_draw_poker_is_played_with_a_whole_pack_or_with_thirty_two_cards(cards: int, refused: bool) -> None:
    found = judge_opening(circle("circle_draw_poker"), Opening(packs=1, cards=cards))
    assert [(finding.rule, finding.clause, finding.effect) for finding in found] == (
        [("shoe.card_count", "es-ct 23.1.I", "refuse")] if refused else []
    )
    if refused:
        assert found[0].evidence == {"cards": cards, "packs": 1, "cards_of_a_pack": 52, "or_stripped": 32}


@pytest.mark.parametrize(("game_id", "cards"), [("circle_seven_stud", 32), ("circle_five_stud", 52)])
def test_the_other_variants_have_one_pack_only(game_id: str, cards: int) -> None:
    (found,) = judge_opening(circle(game_id), Opening(packs=1, cards=cards))
    assert found.rule == "shoe.card_count"


def test_a_pack_without_its_low_cards_is_told_in_one_way() -> None:
    with pytest.raises(CatalogueDataError, match=r"two accounts of a pack .*\(es-ct 23.1.I\)"):
        changed("es-ct", "circle_draw_poker", lambda game: game["stripped"].update(cards=28))


def test_two_players_raise_as_often_as_they_like() -> None:
    raises = circle("circle_seven_stud").raises
    assert raises is not None
    assert (raises.most, raises.free_among, raises.free_among_clause) == (3, 2, "es-ct 23.VII.2")


def test_the_word_for_passing() -> None:
    for game_id in CIRCLE:
        said = circle(game_id).announcements
        assert said is not None
        assert (said.words["pass"].ca, said.words["pass"].clause) == ("passo", "es-ct 23.VII.2.b")
