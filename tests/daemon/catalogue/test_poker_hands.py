"""Hands of poker: each kind under its own game's order, ties, stripped packs, all hands of small packs."""

from collections import Counter
from itertools import combinations, pairwise
from math import comb

import pytest

from daemon.catalogue.bets.poker_hands import PokerHand, best, best_of, classify, hand_counts
from daemon.catalogue.cards import pack, parse_all, rank
from daemon.catalogue.families.circle_poker import CirclePoker
from daemon.catalogue.families.deal import BankDeal, Ranks
from daemon.catalogue.load import load_as


def bank(game_id: str) -> Ranks:
    return load_as(BankDeal, "es-ct", game_id).ranks


def circle(game_id: str) -> Ranks:
    return load_as(CirclePoker, "es-ct", game_id).ranks


POKER, TRIPOKER, FOUR = bank("poker_without_draw"), bank("tripoker"), bank("four_card_poker")
TRIJOKER, RETO = bank("trijoker"), bank("reto")
DRAW, STUD = circle("circle_draw_poker"), circle("circle_seven_stud")
FIVE, SYNTHETIC = circle("circle_five_stud"), circle("circle_synthetic_poker")


def hand(cards: str, ranks: Ranks = POKER, *, stripped: bool = False) -> PokerHand:
    return classify(parse_all(cards), ranks, stripped=stripped)


DESCENDING = [
    ("Ac Kc Qc Jc Tc", "royal_flush"),
    ("9d 8d 7d 6d 5d", "straight_flush"),
    ("5c 4c 3c 2c Ac", "straight_flush"),
    ("Kc Kd Kh Ks 7c", "four_of_a_kind"),
    ("Qc Qd Qh Qs Ac", "four_of_a_kind"),
    ("8c 8d 8h 2s 2c", "full_house"),
    ("7c 7d 7h As Ac", "full_house"),
    ("Ac Qc 8c 7c 4c", "flush"),
    ("Ad Qd 8d 7d 3d", "flush"),
    ("Ac Kd Qh Js Tc", "straight"),
    ("Jc Td 9h 8s 7c", "straight"),
    ("5c 4d 3h 2s Ac", "straight"),
    ("Qc Qd Qh 7s 2c", "three_of_a_kind"),
    ("Kc Kd 7h 7s Ac", "two_pairs"),
    ("Kc Kd 7h 7s Qc", "two_pairs"),
    ("Kc Kd 6h 6s Ac", "two_pairs"),
    ("Qc Qd Ah 9s 6c", "pair"),
    ("Qc Qd Ah 9s 5c", "pair"),
    ("Ac Kd 9h 7s 5c", "high_card"),
    ("Ac Kd 9h 7s 4c", "high_card"),
    ("Ac Qd Jh Ts 9c", "high_card"),
]


def test_five_card_hands_from_the_highest() -> None:
    hands = [hand(cards) for cards, _ in DESCENDING]
    assert [made.hand for made in hands] == [kind for _, kind in DESCENDING]
    assert all(higher.strength > lower.strength for higher, lower in pairwise(hands))
    assert {made.hand for made in hands} == set(POKER.order)


def test_suits_never_tell_hands_apart() -> None:
    assert hand("Qc Qd Ah 9s 6c").strength == hand("Qh Qs Ac 9d 6h").strength


def test_what_tells_equal_hands_apart() -> None:
    assert hand("8c 8d 8h 2s 2c").ranks == ("8", "2")
    assert hand("Kc Kd 7h 7s Ac").ranks == ("K", "7", "A")
    assert hand("5c 4d 3h 2s Ac").ranks == ("5",)
    assert hand("Ac Qc 8c 7c 4c").ranks == ("A", "Q", "8", "7", "4")


def test_the_ace_is_low_only_where_the_text_says_so() -> None:
    assert POKER.ace_low is True
    assert TRIJOKER.ace_low is None
    assert hand("5c 4d 3h 2s Ac", TRIJOKER).hand == "high_card"
    assert hand("Ac Kd Qh Js Tc", TRIJOKER).hand == "straight"
    assert hand("Kc Ad 2h 3s 4c").hand == "high_card", "and never in the middle"


def test_with_fewer_cards_the_flush_goes_before_the_full_house() -> None:
    flush, full = "Ac Qc 9c 8c 7c", "9c 9d 9h 8s 8c"
    for ranks, stripped, flush_first in [
        (STUD, False, False),
        (DRAW, False, False),
        (DRAW, True, True),
        (FIVE, False, True),
    ]:
        higher = (
            hand(flush, ranks, stripped=stripped).strength > hand(full, ranks, stripped=stripped).strength
        )
        assert higher == flush_first


def test_the_ace_goes_below_the_lowest_card_that_is_played_with() -> None:
    assert hand("Ac 7d 8h 9s Tc", FIVE).ranks == ("T",)
    assert hand("Ac 8d 9h Ts Jc", SYNTHETIC).hand == "straight"
    assert hand("Ac 8d 9h Ts Jc", FIVE).hand == "high_card"


def test_figures_stand_in_draw_poker_alone_between_three_of_a_kind_and_two_pairs() -> None:
    figures, two, three = "Kc Kd Qh As Jc", "Tc Td 9h 9s Ac", "2c 2d 2h 9s 7c"
    assert hand(figures, DRAW).hand == "figures"
    assert hand(figures, STUD).hand == "pair"
    assert hand("Kc Kd Qh Qs Jc", DRAW).hand == "figures"
    assert hand("Kc Kd Kh Qs Jc", DRAW).hand == "three_of_a_kind"
    assert hand("Kc Kd Qh As Tc", DRAW).hand == "pair"
    assert hand(three, DRAW).strength > hand(figures, DRAW).strength > hand(two, DRAW).strength
    higher, lower = hand(figures, DRAW), hand("Qc Qd Ah Ks Jc", DRAW)
    assert higher.strength > lower.strength, "the highest pair decides"


def test_hands_of_three_and_four_cards() -> None:
    three = ["9c 8c 7c", "2c 2d 2h", "Ac 2d 3h", "Kc 9c 4c", "Ac Ad 2h", "Ac Kd 9h"]
    assert [hand(cards, TRIPOKER).hand for cards in three] == [*TRIPOKER.order, "high_card"]
    four = [
        "2c 2d 2h 2s",
        "9c 8c 7c 6c",
        "3c 3d 3h As",
        "Kc 9c 4c 2c",
        "5c 4d 3h 2s",
        "3c 3d 2h 2s",
        "Ac Ad Kh Qs",
    ]
    assert [hand(cards, FOUR).hand for cards in four] == list(FOUR.order)
    for cards, ranks in ((three, TRIPOKER), (four, FOUR)):
        strengths = [hand(each, ranks).strength for each in cards]
        assert strengths == sorted(strengths, reverse=True)


def test_the_best_of_more_cards() -> None:
    seven = parse_all("2c 2d 9h 9s 9c Ad Ks")
    assert best(seven, STUD).hand == "full_house"
    assert best(parse_all("2c 3c 4c 5c Kd Kh"), FOUR).hand == "straight_flush"


def test_omaha_takes_two_of_ones_own_cards_and_three_of_the_common_ones() -> None:
    own, common = parse_all("Ac Kd 2h 3s"), parse_all("Qc Jc Tc 4c 4d")
    assert best((*own, *common), STUD).hand == "flush"
    assert best_of(own, common, STUD, use=2).hand == "straight"


def test_a_pack_of_28_cards_has_its_hands_one_by_one() -> None:
    cards = [card for card in pack() if rank(card) in SYNTHETIC.card_order]
    found = Counter(classify(five, SYNTHETIC).hand for five in combinations(cards, 5))
    assert found == hand_counts(5, ranks=7)
    assert sum(found.values()) == comb(28, 5)
    below = Counter({"straight": 1020, "straight_flush": 4})
    assert found - below == Counter(hand_counts(5, ranks=7, ace_low=False)) - Counter(flush=4, high_card=1020)


def test_all_hands_of_three_cards_one_by_one() -> None:
    found = Counter(classify(three, TRIPOKER).hand for three in combinations(pack(), 3))
    assert found == hand_counts(3)
    assert sum(found.values()) == comb(52, 3)


def test_the_hands_of_five_cards_from_a_whole_pack_are_the_well_known_numbers() -> None:
    assert hand_counts(5) == {
        "royal_flush": 4,
        "straight_flush": 36,
        "four_of_a_kind": 624,
        "full_house": 3744,
        "flush": 5108,
        "straight": 10200,
        "three_of_a_kind": 54912,
        "two_pairs": 123552,
        "pair": 1098240,
        "high_card": 1302540,
    }
    assert sum(hand_counts(5).values()) == comb(52, 5)


@pytest.mark.parametrize(
    ("cards", "ranks", "says"),
    [
        ("Ac Kc Qc Jc", POKER, "no hand of 5 cards"),
        ("Ac Ac Qc Jc Tc", POKER, "no hand of 5 cards"),
        ("Ac", RETO, "no order of its hands"),
    ],
)
def test_what_is_no_hand_is_refused(cards: str, ranks: Ranks, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        hand(cards, ranks)


def test_too_few_cards_and_kinds_that_were_not_counted_are_refused() -> None:
    with pytest.raises(ValueError, match="too few cards for a hand of 5"):
        best(parse_all("Ac Kc"), POKER)
    with pytest.raises(ValueError, match="the kinds of 4 cards"):
        hand_counts(4)
