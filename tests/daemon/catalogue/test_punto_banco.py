"""Punto y banca: every case of the third card, hands out of a stream, bets, and the exact chances."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from changed_texts import changed

from daemon.catalogue.bets import EDGES
from daemon.catalogue.bets.baccarat import Awaited, bank_actions, player_actions
from daemon.catalogue.bets.punto_banco import chances, edges, hands, outcome, settle, totals_by_weight
from daemon.catalogue.cards import Card, parse_all
from daemon.catalogue.errors import CatalogueDataError, LimitRefused, TermsRefused
from daemon.catalogue.families.punto_banco import PuntoBanco
from daemon.catalogue.limits import check_maximum, limits
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Ratio
from daemon.catalogue.rules.baccarat import Evidence, evidence_of, judge
from daemon.outcomes import BaccaratOutcome

TEXTS = ("es-1979", "es-ct")
SECTION = {"es-1979": "es-1979 07.VI", "es-ct": "es-ct 7.VI"}
BANK_DRAWS = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}
"""The bank's total, and the player's third cards against which it draws: the game's standard table."""


def game(text: str = "es-ct", game_id: str = "punto_y_banca") -> PuntoBanco:
    return load_as(PuntoBanco, text, game_id)


def cards(codes: str) -> tuple[Card, ...]:
    return parse_all(codes)


# --- the third card -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS)
def test_the_player_draws_to_five_and_stands_on_six(text: str) -> None:
    drawing = game(text).drawing
    assert [player_actions(drawing, total) for total in range(10)] == [("draw",)] * 6 + [("stand",)] * 4


@pytest.mark.parametrize("text", TEXTS)
def test_the_bank_in_every_case_of_a_third_card(text: str) -> None:
    drawing = game(text).drawing
    for total, third in product(range(8), range(10)):
        wanted = ("draw",) if str(third) in BANK_DRAWS[total] else ("stand",)
        assert bank_actions(drawing, total, third) == wanted, (total, third)
    for total in range(10):
        wanted = ("draw",) if total <= 5 else ("stand",)
        assert bank_actions(drawing, total, None) == wanted, total


def card_of(value: int, suit: str) -> Card:
    return Card(("T" if value == 0 else "A" if value == 1 else str(value)) + suit)


def two_cards(total: int, suit: str) -> tuple[Card, Card]:
    """A figure and a card that make this total."""
    return Card(f"K{suit}"), card_of(total, suit)


@pytest.mark.parametrize("text", TEXTS)
def test_every_hand_of_every_total_out_of_a_stream_of_cards(text: str) -> None:
    """All totals of both hands, all third cards of either: who has how many cards, and who wins."""
    under = game(text)
    seen: Counter[tuple[int, int]] = Counter()
    for player, bank, third, fourth in product(range(10), range(10), range(10), range(10)):
        (p1, p2), (b1, b2) = two_cards(player, "h"), two_cards(bank, "s")
        stream = (p1, b1, p2, b2, card_of(third, "d"), card_of(fourth, "c"))
        wanted_player, wanted_bank, used = player, bank, 4
        if player < 8 and bank < 8:
            drew = player <= 5
            if drew:
                wanted_player, used = (player + third) % 10, 5
            if (str(third) in BANK_DRAWS[bank]) if drew else bank <= 5:
                wanted_bank = (bank + (fourth if drew else third)) % 10
                used += 1
        coup = hands(under, stream[:used])
        assert (coup.awaits, coup.surplus) == (None, ()), (player, bank, third, fourth)
        found = outcome(under, coup)
        assert found is not None
        assert (found.player_total, found.bank_total) == (wanted_player, wanted_bank)
        assert found.winner == (
            "player" if wanted_player > wanted_bank else "bank" if wanted_player < wanted_bank else "tie"
        )
        assert found.natural == (max(player, bank) >= 8)
        assert judge(under, evidence_of(coup, finished=True)) == ()
        seen[len(coup.hands["player"]), len(coup.hands["bank"])] += 1
    assert set(seen) == {(2, 2), (2, 3), (3, 2), (3, 3)}


def test_a_hand_grows_card_by_card() -> None:
    under = game()
    stream = cards("2h Ks 3h 4s 6d 9c")
    awaited = [hands(under, stream[:dealt]).awaits for dealt in range(7)]
    first = Awaited("first_cards")
    assert awaited == [first, first, first, first, Awaited("card", "player"), Awaited("card", "bank"), None]
    assert [outcome(under, hands(under, stream[:dealt])) is None for dealt in range(7)] == [True] * 6 + [
        False
    ]
    assert outcome(under, hands(under, stream)) == BaccaratOutcome(
        player=("2h", "3h", "6d"),
        bank=("Ks", "4s", "9c"),
        player_total=1,
        bank_total=3,
        winner="bank",
        natural=False,
    )


# --- cards wrongly drawn or missing ---------------------------------------------------------------------


WRONG: dict[str, tuple[Evidence, str, str, dict[str, Any]]] = {
    "player draws on six": (
        Evidence(hands={"player": cards("2h 4h 3d"), "bank": cards("Ks 7s")}),
        "baccarat.player_third_card",
        "2.a",
        {"wrong": [{"hand": "player", "total": 6, "did": "draw", "cards": ["2h", "4h", "3d"]}]},
    ),
    "player stands on five": (
        Evidence(hands={"player": cards("2h 3h"), "bank": cards("Ks 7s")}, finished=True),
        "baccarat.player_third_card",
        "2.a",
        {"wrong": [{"hand": "player", "total": 5, "did": "stand", "cards": ["2h", "3h"]}]},
    ),
    "bank draws on four against an ace": (
        Evidence(hands={"player": cards("2h 3h Ad"), "bank": cards("Ks 4s 9c")}),
        "baccarat.bank_third_card",
        "2.b",
        {"total": 4, "thirds": {"player": 1}, "did": "draw", "cards": ["Ks", "4s", "9c"]},
    ),
    "bank stands on three against a nine": (
        Evidence(hands={"player": cards("2h 3h 9d"), "bank": cards("Ks 3s")}, finished=True),
        "baccarat.bank_third_card",
        "2.b",
        {"total": 3, "thirds": {"player": 9}, "did": "stand", "cards": ["Ks", "3s"]},
    ),
    "bank stands on five when the player stood": (
        Evidence(hands={"player": cards("2h 4h"), "bank": cards("Ks 5s")}, finished=True),
        "baccarat.bank_third_card",
        "2.b",
        {"total": 5, "thirds": {"player": None}, "did": "stand", "cards": ["Ks", "5s"]},
    ),
    "a card after a natural": (
        Evidence(hands={"player": cards("Kh 8h"), "bank": cards("Ks 2s 7c")}),
        "baccarat.natural_ends",
        "1",
        {"totals": {"player": 8, "bank": 2}, "cards": ["7c"]},
    ),
    "a card too many": (
        Evidence(hands={"player": cards("2h 4h"), "bank": cards("Ks 7s")}, surplus=cards("9c")),
        "baccarat.surplus_card",
        "2",
        {"surplus": ["9c"], "hands": {"player": ["2h", "4h"], "bank": ["Ks", "7s"]}},
    ),
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_draw_is_told_with_the_card_and_proposed_for_annulment(text: str, case: str) -> None:
    seen, rule, place, what = WRONG[case]
    (finding,) = judge(game(text), seen)
    assert (finding.rule, finding.clause, finding.effect, finding.evidence) == (
        rule,
        f"{SECTION[text]}.{place}",
        "annul",
        what,
    )


def test_a_card_still_to_come_is_no_breach_before_the_hand_is_ended() -> None:
    for codes in ("", "2h", "2h Ks 3h", "2h Ks 3h 7s"):
        coup = hands(game(), cards(codes))
        assert judge(game(), evidence_of(coup)) == ()
    coup = hands(game(), cards("2h Ks 3h 7s"))
    assert [finding.rule for finding in judge(game(), evidence_of(coup, finished=True))] == [
        "baccarat.player_third_card"
    ]


def test_a_seventh_card_or_one_after_a_natural_is_surplus_in_the_stream() -> None:
    coup = hands(game(), cards("2h Ks 3h 4s 6d 9c 9d"))
    assert (coup.awaits, coup.surplus) == (None, ("9d",))
    assert [finding.rule for finding in judge(game(), evidence_of(coup))] == ["baccarat.surplus_card"]
    coup = hands(game(), cards("Kh Ks 9h 4s 6d"))
    assert (coup.awaits, coup.surplus) == (None, ("6d",))
    assert [finding.rule for finding in judge(game(), evidence_of(coup))] == ["baccarat.natural_ends"]


# --- bets -------------------------------------------------------------------------------------------------


def fates(text: str, codes: str, terms: str | None = None) -> dict[str, tuple[str, Ratio | None, str]]:
    under = game(text)
    seen = outcome(under, hands(under, cards(codes)))
    assert seen is not None
    return {each.bet: (each.fate, each.pays, each.clause) for each in settle(under, seen, terms)}


PLAYER_WINS, BANK_ON_SEVEN, BANK_ON_SIX, TIE = (
    "Kh Ks 9h 4s",
    "Kh Ks 6h 7s",
    "Kh 4s 3h 2s 2d",
    "Kh Ks 7h 7s",
)


def test_a_winning_bank_is_paid_less_five_per_cent() -> None:
    nineteen = Ratio(19, 20)
    assert fates("es-1979", BANK_ON_SEVEN) == {
        "player": ("loses", None, "es-1979 07.VI.1"),
        "bank": ("wins", nineteen, "es-1979 07.V"),
    }
    assert fates("es-ct", BANK_ON_SEVEN)["bank"] == ("wins", nineteen, "es-ct 7.V.a")
    assert fates("es-ct", BANK_ON_SIX, "commission")["bank"] == ("wins", nineteen, "es-ct 7.V.a")


def test_without_commission_catalonia_pays_a_half_on_six_and_even_on_all_else() -> None:
    assert fates("es-ct", BANK_ON_SIX, "half_on_six")["bank"] == ("wins", Ratio(1, 2), "es-ct 7.V.b")
    assert fates("es-ct", BANK_ON_SEVEN, "half_on_six")["bank"] == ("wins", Ratio(1, 1), "es-ct 7.V.b")
    with pytest.raises(
        TermsRefused, match="es-1979 does not pay the bank by 'half_on_six'; it has: commission"
    ):
        fates("es-1979", BANK_ON_SIX, "half_on_six")


def test_a_winning_player_is_paid_even_and_a_tie_leaves_both_bets() -> None:
    assert fates("es-1979", PLAYER_WINS)["player"] == ("wins", Ratio(1, 1), "es-1979 07.VI.1")
    assert {bet: fate[0] for bet, fate in fates("es-1979", TIE).items()} == {
        "player": "stands",
        "bank": "stands",
    }
    assert fates("es-ct", TIE) == {
        "player": ("stands", None, "es-ct 7.V.b"),
        "bank": ("stands", None, "es-ct 7.V.b"),
        "tie": ("wins", Ratio(8, 1), "es-ct 7.V.b"),
    }
    assert fates("es-ct", PLAYER_WINS)["tie"][0] == "loses"


# --- chances ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("packs", "player", "bank", "tie", "nine_places"),
    [
        (
            6,
            392_220_492_728_832,
            403_095_751_234_560,
            83_552_962_932_288,
            ("0.446278570", "0.458652719", "0.095068711"),
        ),
        (
            8,
            2_230_518_282_592_256,
            2_292_252_566_437_888,
            475_627_426_473_216,
            ("0.446246609", "0.458597423", "0.095155968"),
        ),
    ],
)
def test_the_exact_chances(
    packs: int, player: int, bank: int, tie: int, nine_places: tuple[str, str, str]
) -> None:
    """The numbers of orders of six cards are the ones that are published for the game."""
    found = chances(game(), packs)
    total = player + bank + tie
    assert (found.player, found.bank, found.tie) == (
        Fraction(player, total),
        Fraction(bank, total),
        Fraction(tie, total),
    )
    assert tuple(f"{float(each):.9f}" for each in (found.player, found.bank, found.tie)) == nine_places
    shoe = 52 * packs
    assert total == shoe * (shoe - 1) * (shoe - 2) * (shoe - 3) * (shoe - 4) * (shoe - 5)
    assert sum(totals_by_weight(game().drawing, packs).values()) == total


def test_the_edges_with_ties_counted_are_the_published_ones() -> None:
    """1.2374 %, 1.0558 % and 14.4382 % of a stake from six packs; 1.4579 % of the bank without commission."""
    found = {(edge.bet, *edge.place): edge.edge for edge in edges(game())}
    decided = 1 - chances(game(), 6).tie
    assert set(found) == {("player",), ("bank", "commission"), ("bank", "half_on_six"), ("tie",)}
    assert f"{float(found['player',] * decided):.6f}" == "0.012374"
    assert f"{float(found['bank', 'commission'] * decided):.6f}" == "0.010558"
    assert f"{float(found['tie',]):.6f}" == "0.144382"
    seen = chances(game(), 6)
    assert found["bank", "half_on_six"] * decided == seen.player - seen.bank + seen.bank_on_six / 2


def test_the_edges_are_registered_and_say_what_they_rest_on() -> None:
    assert EDGES["punto_banco"](game("es-1979")) == edges(game("es-1979"))
    assert [edge.bet for edge in edges(game("es-1979"))] == ["player", "bank"]
    assert all(edge.basis is not None and "6 packs" in edge.basis for edge in edges(game("es-1979")))


# --- the texts ---


def test_the_table_that_the_texts_do_not_print_says_where_it_is_from() -> None:
    for text in TEXTS:
        under = game(text)
        assert "standard table" in (under.drawing.bank.source or "")
        assert [note.clause for note in under.notes if note.kind == "missing"] == [f"{SECTION[text]}.2.b"]


def test_limits_are_a_choice_in_spain_and_a_band_in_catalonia() -> None:
    assert limits(game("es-1979"), 5, 50) == {"player": 250, "bank": 250}
    with pytest.raises(LimitRefused, match=r"50, 100 \(es-1979 07.V\)"):
        limits(game("es-1979"), 5, 37)
    assert limits(game(), 5) is None
    rules = game().limits
    assert rules is not None
    assert rules.stakes_in_multiples_clause == "es-ct 7.V"
    check_maximum(game(), "bank", 37)
    with pytest.raises(LimitRefused, match=r"20 to 100 \(es-ct 7.V\)"):
        check_maximum(game(), "bank", 101)
    tie = game().tie_limit
    assert tie is not None
    assert (tie.part, tie.clause) == (Ratio(1, 10), "es-ct 7.V")
    assert game("es-1979").tie_limit is None


@pytest.mark.parametrize(("game_id", "seats"), [("mini_punto_y_banca", 7), ("midi_punto_y_banca", 9)])
def test_smaller_tables_have_seats_and_the_croupier_deals(game_id: str, seats: int) -> None:
    small, whole = game("es-ct", game_id), game()
    assert small.seats is not None
    assert (small.seats.most, small.seats.clause) == (seats, "es-ct 7.II.3")
    assert small.croupier_deals_clause == "es-ct 7.IV"
    assert small.box_stakes is not None
    assert (small.box_stakes.most, small.box_stakes.clause) == (3, "es-ct 7.II.3")
    assert (small.rules, small.drawing, small.bets) == (whole.rules, whole.drawing, whole.bets)
    assert (whole.seats, whole.croupier_deals_clause) == (None, None)


def short_table(section: dict[str, Any]) -> None:
    section["drawing"]["bank"]["after_card"].pop()


def table_out_of_range(section: dict[str, Any]) -> None:
    section["drawing"]["bank"]["after_card"][6]["draws_against"] = [6, 10]


def choice(section: dict[str, Any]) -> None:
    section["drawing"]["player"].update(draws=[0, 1, 2, 3, 4], free=[5])


def terms_of_nothing(section: dict[str, Any]) -> None:
    section["bank_terms"][1] = {"id": "half_on_six", "clause": "7.V.b", "total": 6}


def one_card_each(section: dict[str, Any]) -> None:
    section["deal"]["order"] = ["player", "bank"]


def side_bet(section: dict[str, Any]) -> None:
    section["bets"].append({"id": "pair", "clause": "7.V.b", "pays": [11, 1]})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (short_table, r"a bank's table with rows for \[0, 1, 2, 3, 4, 5, 6\]"),
        (table_out_of_range, r"no values of a card: \[10\]"),
        (choice, "nobody chooses"),
        (terms_of_nothing, r"a deduction, or a total with its pay \(es-ct 7.V.b\)"),
        (one_card_each, "two cards go to each hand"),
        (side_bet, "bets are on"),
    ],
)
def test_a_text_that_makes_no_sense_is_refused(change: Any, says: str) -> None:
    with pytest.raises(CatalogueDataError, match=says):
        changed("es-ct", "punto_y_banca", change)
