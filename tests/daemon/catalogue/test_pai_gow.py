"""The pai gows: every sum of three dice has its start; the commission; hands of tiles; and their rules."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import msgspec
import pytest

from daemon.catalogue.announcements import announce_position
from daemon.catalogue.bets import mahjong_pai_gow, pai_gow_poker
from daemon.catalogue.bets.first_hand import guidance, outcome
from daemon.catalogue.bets.mahjong_pai_gow import edges, open_bets, worth
from daemon.catalogue.errors import CatalogueDataError, LimitRefused, NotDice, TermsRefused
from daemon.catalogue.families.pai_gow import (
    MahjongPaiGow,
    PaiGowPoker,
    Start,
    check_mahjong,
    check_poker,
)
from daemon.catalogue.limits import check_maximum
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Ratio
from daemon.catalogue.rules import deal, pai_gow
from daemon.catalogue.rules.dice import DiceSet, DiceThrow, Die, judge_set, judge_throw

THROWS = list(product(range(1, 7), repeat=3))
replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def poker() -> PaiGowPoker:
    return load_as(PaiGowPoker, "es-ct", "pai_gow_poker")


@pytest.fixture(scope="module")
def mahjong() -> MahjongPaiGow:
    return load_as(MahjongPaiGow, "es-ct", "mahjong_pai_gow")


# --- the dice's start -------------------------------------------------------------------------------


def test_every_throw_starts_pai_gow_poker_somewhere_counted_from_the_bank(poker: PaiGowPoker) -> None:
    starts = {}
    for faces in THROWS:
        seen = outcome(poker, faces)
        assert (seen.dice, seen.total) == (faces, sum(faces))
        starts.setdefault(seen.total, set()).add(seen.start)
    assert starts == {
        3: {"3"},
        4: {"4"},
        5: {"5"},
        6: {"6"},
        7: {"7"},
        8: {"bank"},
        9: {"2"},
        10: {"3"},
        11: {"4"},
        12: {"5"},
        13: {"6"},
        14: {"7"},
        15: {"bank"},
        16: {"2"},
        17: {"3"},
        18: {"4"},
    }


def test_every_throw_starts_mahjong_where_the_text_prints_it(mahjong: MahjongPaiGow) -> None:
    printed = {
        "bank": (5, 9, 13, 17),
        "first": (6, 10, 14, 18),
        "second": (3, 7, 11, 15),
        "third": (4, 8, 12, 16),
    }
    by_sum = {total: position for position, sums in printed.items() for total in sums}
    assert sorted(by_sum) == list(range(3, 19))
    for faces in THROWS:
        assert outcome(mahjong, faces).start == by_sum[sum(faces)]
    assert {one.position: one.sums for one in mahjong.dice_deal.starts} == printed


def test_hands_go_round_counter_clockwise_from_the_start(poker: PaiGowPoker, mahjong: MahjongPaiGow) -> None:
    assert outcome(poker, (1, 1, 3)).order == ("5", "6", "7", "bank", "2", "3", "4")
    assert outcome(mahjong, (1, 1, 1)).order == ("second", "third", "bank", "first")
    assert {poker.dice_deal.direction, mahjong.dice_deal.direction} == {"counter_clockwise"}


def test_the_first_hands_position_is_said_and_guided(poker: PaiGowPoker, mahjong: MahjongPaiGow) -> None:
    assert announce_position(poker, outcome(poker, (6, 6, 5)), "ca") == "17, 3"
    assert announce_position(poker, outcome(poker, (6, 6, 3)), "ca") == "15, banca"
    assert announce_position(mahjong, outcome(mahjong, (1, 2, 3)), "es") == "6, 1.ª posición de jugador"
    (first,) = guidance(mahjong, outcome(mahjong, (1, 1, 3)))
    assert first.text == "First hand: the bank's position; then on counter-clockwise"
    assert (first.clause, first.data) == ("es-ct 17.IV", {"order": ["bank", "first", "second", "third"]})
    (other,) = guidance(poker, outcome(poker, (1, 1, 1)), "es")
    assert (other.text, other.clause) == (
        "Primera mano: 3; se sigue en sentido contrario al reloj",
        "es-ct 12.VI",
    )
    turned = replace(poker, dice_deal=replace(poker.dice_deal, direction="clockwise"))
    assert guidance(turned, outcome(poker, (1, 1, 1)))[0].text == "First hand: 3; then on clockwise"


@pytest.mark.parametrize("faces", [(), (1, 1), (1, 1, 1, 1), (0, 1, 2), (1, 2, 7)])
def test_what_is_no_throw_of_three_dice_starts_nothing(poker: PaiGowPoker, faces: tuple[int, ...]) -> None:
    with pytest.raises(NotDice, match="no throw of 3 dice"):
        outcome(poker, faces)


@pytest.mark.parametrize(
    ("starts", "says"),
    [
        ((("bank", (5, 9, 13)),), "every sum of three dice"),
        ((("bank", (5, 9, 13, 16)),), "16 does not count to 'bank'"),
        ((("bank", (1, 5)),), "1 does not count to 'bank'"),
    ],
)
def test_starts_that_do_not_count_from_the_bank_are_refused(
    mahjong: MahjongPaiGow, starts: Any, says: str
) -> None:
    given = tuple(Start(position=position, sums=sums) for position, sums in starts)
    with pytest.raises(CatalogueDataError, match=says):
        check_mahjong(replace(mahjong, dice_deal=replace(mahjong.dice_deal, starts=given)))


# --- pai gow poker ----------------------------------------------------------------------------------


def test_the_cards_of_pai_gow_poker(poker: PaiGowPoker) -> None:
    packs, hands = poker.packs, poker.hands
    assert (packs.cards, packs.jokers, packs.most, hands.cards, hands.high, hands.low) == (53, 1, 1, 7, 5, 2)
    assert poker.combinations.order[0] == "five_aces"
    assert len(set(poker.combinations.order)) == 11
    assert (poker.seats.most, len(poker.dice_deal.positions)) == (6, 7)


@pytest.mark.parametrize(
    ("high", "low", "fate", "clause"),
    [
        ("player", "player", "wins", "12.V"),
        ("player", "bank", "stands", "12.I"),
        ("bank", "player", "stands", "12.I"),
        ("player", "equal", "stands", "12.I"),
        ("equal", "player", "stands", "12.I"),
        ("equal", "equal", "loses", "12.I"),
        ("equal", "bank", "loses", "12.I"),
        ("bank", "equal", "loses", "12.I"),
        ("bank", "bank", "loses", "12.V"),
    ],
)
def test_both_hands_must_beat_the_banks(
    poker: PaiGowPoker, high: Any, low: Any, fate: str, clause: str
) -> None:
    settled = pai_gow_poker.settle(poker, high, low, percent=5)
    assert (settled.fate, settled.clause) == (fate, f"es-ct {clause}")
    assert settled.pays == (Ratio(95, 100) if fate == "wins" else None)
    wrong = pai_gow_poker.settle(poker, high, low, percent=5, made_wrongly=True)
    assert (wrong.fate, wrong.clause) == ("loses", "es-ct 12.VII.3")


def test_the_commission_is_the_houses_choice_up_to_five_percent(poker: PaiGowPoker) -> None:
    paid = [pai_gow_poker.settle(poker, "player", "player", percent=p).pays for p in range(6)]
    assert paid == [Ratio(100 - percent, 100) for percent in range(6)]
    for percent in (-1, 6):
        with pytest.raises(TermsRefused, match=r"percent is not allowed \(es-ct 12.V\)"):
            pai_gow_poker.settle(poker, "player", "player", percent=percent)


def test_cards_that_do_not_add_up_are_refused(poker: PaiGowPoker) -> None:
    for changes, says in (
        ({"hands": replace(poker.hands, low=3)}, "its two hands"),
        ({"packs": replace(poker.packs, cards=48)}, "too few cards"),
        ({"dice_deal": replace(poker.dice_deal, positions=("2", "bank"))}, "go round from the bank"),
    ):
        with pytest.raises(CatalogueDataError, match=says):
            check_poker(replace(poker, **changes))


# --- mahjong ----------------------------------------------------------------------------------------


def test_hands_of_tiles_from_the_highest_to_the_lowest(mahjong: MahjongPaiGow) -> None:
    """Ten pairs, 2 and 8, then by the last digit of the sum and within it by the higher tile."""
    hands = [*combinations(range(1, 11), 2), *((tile, tile) for tile in range(1, 11))]
    ordered = sorted(hands, key=lambda hand: worth(mahjong, hand), reverse=True)
    assert ordered[:11] == [*((tile, tile) for tile in range(10, 0, -1)), (2, 8)]
    assert ordered[11:16] == [(9, 10), (1, 8), (2, 7), (3, 6), (4, 5)]
    assert ordered[-3:] == [(1, 9), (3, 7), (4, 6)]
    assert len({worth(mahjong, hand) for hand in hands}) == 55, "only the very same tiles are worth the same"
    assert worth(mahjong, (9, 8)) > worth(mahjong, (6, 1)), "the text's own examples"
    assert worth(mahjong, (5, 2)) > worth(mahjong, (3, 4))
    assert worth(mahjong, (8, 2)) == worth(mahjong, (2, 8))


@pytest.mark.parametrize(
    ("player", "bank", "fates"),
    [
        ((9, 10), (1, 7), "wins loses loses loses"),
        ((1, 7), (9, 10), "loses wins loses loses"),
        ((4, 2), (2, 4), "stands stands wins loses"),
        ((3, 3), (4, 2), "wins loses loses wins"),
        ((3, 3), (3, 3), "stands stands wins wins"),
        ((1, 1), (2, 2), "loses wins loses wins"),
        ((2, 8), (9, 10), "wins loses loses loses"),
        ((2, 8), (1, 1), "loses wins loses loses"),
        ((9, 10), (4, 4), "loses wins loses loses"),
    ],
)
def test_what_becomes_of_the_four_bets(mahjong: MahjongPaiGow, player: Any, bank: Any, fates: str) -> None:
    settled = mahjong_pai_gow.settle(mahjong, "second", player, bank)
    assert [one.bet for one in settled] == ["player_wins", "player_loses", "tie", "pair"]
    assert [one.fate for one in settled] == fates.split()
    assert {one.place for one in settled} == {("second",)}
    pays = {"player_wins": (95, 100), "player_loses": (95, 100), "tie": (60, 1), "pair": (6, 1)}
    for one in settled:
        assert (one.pays is not None) is (one.fate == "wins")
        if one.pays is not None:
            assert (one.pays.pays, one.pays.per) == pays[one.bet]


def test_tie_and_pair_are_off_from_the_fourth_round(mahjong: MahjongPaiGow) -> None:
    all_four = ("player_wins", "player_loses", "tie", "pair")
    assert [open_bets(mahjong, number) for number in range(1, 6)] == [all_four] * 3 + [all_four[:2]] * 2
    assert len(mahjong_pai_gow.settle(mahjong, "first", (1, 1), (1, 1), round_of_set=4)) == 2
    for number in (0, 6):
        with pytest.raises(ValueError, match=r"lasts 5 rounds \(es-ct 17.IV\)"):
            open_bets(mahjong, number)


@pytest.mark.parametrize("hand", [(0, 1), (1, 11), (1,), (1, 2, 3)])
def test_what_are_not_two_tiles_is_worth_nothing(mahjong: MahjongPaiGow, hand: Any) -> None:
    with pytest.raises(ValueError, match="are not 2 tiles"):
        worth(mahjong, hand)


def test_the_edges_of_mahjong_by_counting_forty_tiles(mahjong: MahjongPaiGow) -> None:
    """Winning and losing are alike and pay 0.95: a fortieth. Ties and pairs are counted anew.

    A hand of two values comes in 16 ways and 9 are left of it, a pair in 6 and 1 is left; the player's two
    are of forty tiles, the bank's of thirty-eight.
    """
    pairs, hands, others = 10 * 6, 780, 703
    tie = Fraction(45 * 16 * 9 + 10 * 6 * 1, hands * others)
    found = {edge.bet: edge.edge for edge in edges(mahjong)}
    assert found == {
        "player_wins": Fraction(1, 40),
        "player_loses": Fraction(1, 40),
        "tie": 1 - 61 * tie,
        "pair": 1 - 7 * Fraction(pairs, hands),
    }
    assert found["pair"] == Fraction(6, 13)


def test_maxima_are_twenty_to_a_hundred_times_the_minimum(mahjong: MahjongPaiGow) -> None:
    for bet in mahjong.bets:
        for times in (20, 60, 100):
            check_maximum(mahjong, bet.id, times)
        for times in (19, 101):
            with pytest.raises(LimitRefused, match=r"20 to 100 \(es-ct 17.VIII\)"):
                check_maximum(mahjong, bet.id, times)


def test_tiles_that_do_not_suffice_are_refused(mahjong: MahjongPaiGow) -> None:
    for changes, says in (
        ({"shuffling": replace(mahjong.shuffling, rounds=6)}, "do not suffice"),
        ({"tiles": replace(mahjong.tiles, count=44)}, "alike in number"),
        ({"shuffling": replace(mahjong.shuffling, bets_off=("big",))}, "off but not among"),
    ):
        with pytest.raises(CatalogueDataError, match=says):
            check_mahjong(replace(mahjong, **changes))


# --- rules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("evidence", "rule", "clause", "effect", "seen"),
    [
        (
            pai_gow.Evidence(total=10, first="bank"),
            "pai_gow.first_hand",
            "17.IV",
            "finding",
            {"total": 10, "first": "bank", "wanted": "first"},
        ),
        (
            pai_gow.Evidence(round_of_set=6),
            "pai_gow.tiles_shuffled",
            "17.IV",
            "finding",
            {"round_of_set": 6, "rounds": 5},
        ),
        (
            pai_gow.Evidence(round_of_set=4, bets=("player_wins", "tie")),
            "pai_gow.bets_off",
            "17.IV",
            "refuse",
            {"round_of_set": 4, "bets": ["tie"]},
        ),
    ],
)
def test_the_rules_of_mahjong(
    mahjong: MahjongPaiGow, evidence: pai_gow.Evidence, rule: str, clause: str, effect: str, seen: Any
) -> None:
    found = pai_gow.judge(mahjong, evidence)
    assert [(f.rule, f.clause, f.effect, f.evidence) for f in found] == [
        (rule, f"es-ct {clause}", effect, seen)
    ]


def test_the_rules_of_pai_gow_poker(poker: PaiGowPoker) -> None:
    seen = pai_gow.Evidence(total=15, first="2", hands=7, cards_left=3, round_of_set=9, bets=("tie",))
    assert [(f.rule, f.clause, f.effect, f.evidence) for f in pai_gow.judge(poker, seen)] == [
        ("pai_gow.first_hand", "es-ct 12.VI", "finding", {"total": 15, "first": "2", "wanted": "bank"}),
        ("pai_gow.cards_left", "es-ct 12.VI", "finding", {"hands": 7, "cards_left": 3, "wanted": 4}),
    ]


def test_what_is_in_order_or_was_not_seen_breaks_nothing(poker: PaiGowPoker, mahjong: MahjongPaiGow) -> None:
    good = pai_gow.Evidence(total=15, first="bank", hands=4, cards_left=25)
    assert pai_gow.judge(poker, good) == ()
    for evidence in (
        pai_gow.Evidence(),
        pai_gow.Evidence(total=3),
        pai_gow.Evidence(first="bank"),
        pai_gow.Evidence(hands=7),
        pai_gow.Evidence(cards_left=1),
        pai_gow.Evidence(round_of_set=3, bets=("tie", "pair")),
        pai_gow.Evidence(round_of_set=5, bets=("player_wins",)),
        pai_gow.Evidence(bets=("tie",)),
    ):
        assert pai_gow.judge(poker, evidence) == ()
        assert pai_gow.judge(mahjong, evidence) == ()


def test_the_dice_and_the_deal(poker: PaiGowPoker, mahjong: MahjongPaiGow) -> None:
    for game, edges_mm in ((poker, (11.9, 25.1)), (mahjong, (14.9, 25.1))):
        for edge in edges_mm:
            (found,) = judge_set(game, DiceSet(edges_mm=(edge, edge, edge)))
            assert (found.rule, found.effect) == ("dice.edge", "refuse")
        thrown = DiceThrow(dice=(Die(not_in_cup=True), Die(), Die()))
        assert [(f.rule, f.effect) for f in judge_throw(game, thrown)] == [("dice.not_in_cup", "finding")]
        assert [f.rule for f in deal.judge(game, deal.Evidence(bets_closed=False))] == [
            "deal.bets_closed_before_deal"
        ]
    (cloudy,) = judge_set(mahjong, DiceSet(transparent=False))
    assert cloudy.clause == "es-ct 17.II.3"
    assert judge_set(poker, DiceSet(transparent=False)) == ()
    assert judge_throw(poker, DiceThrow(bets_closed=False))[0].clause == "es-ct 12.VI"
    assert judge_throw(mahjong, DiceThrow(bets_closed=False)) == ()
    shown = deal.Evidence(exposed=(deal.Exposed(place="player", seat=3, by="player"),))
    assert [(f.clause, f.effect) for f in deal.judge(poker, shown)] == [("es-ct 12.VII.2", "finding")]


def test_no_wrong_count_annuls_a_hand_of_pai_gow_poker(poker: PaiGowPoker) -> None:
    wrong = deal.Evidence(phase="deal", hands=(deal.Hand(place="player", seat=1, cards=6),))
    assert deal.judge(poker, wrong) == ()
