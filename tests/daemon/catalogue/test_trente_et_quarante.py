"""Trente et quarante: rows, winners, stakes, words and limits, under the three texts."""

import random
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from changed_texts import changed

from daemon.catalogue.announcements import announce_rows
from daemon.catalogue.bets import EDGES
from daemon.catalogue.bets.settlement import value
from daemon.catalogue.bets.trente_et_quarante import (
    deal,
    edges,
    guidance,
    last_cards_guidance,
    outcome,
    payment_order,
    row_totals,
    settle,
    settle_prison,
)
from daemon.catalogue.cards import Card, color, pack, parse_all, points
from daemon.catalogue.errors import CatalogueDataError, LimitRefused, NotACard, TermsRefused
from daemon.catalogue.families.trente_et_quarante import TrenteEtQuarante, check
from daemon.catalogue.limits import check_maximum, limits
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Language, Ratio
from daemon.catalogue.rules.trente_et_quarante import Hand, judge

TEXTS = ("es-1979", "es-ct", "es-ex")
RULES = {"es-1979": "es-1979 05", "es-ct": "es-ct 5", "es-ex": "es-ex 1.7"}
DEALING = {"es-1979": "es-1979 05.V.3", "es-ct": "es-ct 5.V.3", "es-ex": "es-ex 1.7.5.3"}
BETS = ("black", "red", "color", "inverse")

BLACK_COLOR = "Ks 9d Qc 2h 5h 9s 9h Kd"
BLACK_INVERSE = "Kd 9d Qc 2h 5h 9s 9h Kd"
RED_COLOR = "Kd 9d Qc 5h 9s 9h Kd 4c"
RED_INVERSE = "Ks 9d Qc 5h 9s 9h Kd 4c"
EQUAL = "Kd 9d Qc 5h 9s 9h Kd 6c"
REFAIT = "Kd 9d Qc 2h Kc Qd 9s 2c"


def game_of(text: str) -> TrenteEtQuarante:
    return load_as(TrenteEtQuarante, text, "trente_et_quarante")


def fates(text: str, cards: str, **how: Any) -> list[str]:
    game = game_of(text)
    return [settled.fate for settled in settle(game, outcome(game, parse_all(cards)), **how)]


# --- the rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "totals", "winner", "chance", "refait"),
    [
        (BLACK_COLOR, (31, 33), "black", "color", False),
        (BLACK_INVERSE, (31, 33), "black", "inverse", False),
        (RED_COLOR, (34, 32), "red", "color", False),
        (RED_INVERSE, (34, 32), "red", "inverse", False),
        (EQUAL, (34, 34), None, None, False),
        (REFAIT, (31, 31), None, None, True),
        ("Ks Qs Ts Ks Kd Qd Td Kd", (40, 40), None, None, False),
    ],
)
@pytest.mark.parametrize("text", TEXTS)
def test_the_row_nearer_to_thirty_one_wins(
    text: str, cards: str, totals: tuple[int, int], winner: str | None, chance: str | None, refait: bool
) -> None:
    result = outcome(game_of(text), parse_all(cards))
    assert (result.black_total, result.red_total) == totals
    assert (result.winner, result.color, result.refait) == (winner, chance, refait)
    assert " ".join((*result.black, *result.red)) == cards


def test_the_black_row_takes_the_first_cards_and_a_row_may_begin_with_many_small_ones() -> None:
    game = game_of("es-1979")
    cards = parse_all(["As"] * 31 + ["Kh"] * 4 + ["2c"])
    rows = deal(game, cards)
    assert (len(rows.black), rows.red, rows.complete) == (31, tuple(parse_all("Kh Kh Kh Kh")), True)
    assert rows.surplus == tuple(parse_all("2c"))
    assert not deal(game, cards[:34]).complete
    assert not deal(game, cards[:30]).complete
    for wrong in (cards, cards[:34], cards[:30], ()):
        with pytest.raises(ValueError, match="no whole hand"):
            outcome(game, wrong)
    with pytest.raises(NotACard):
        outcome(game, (*cards[:30], Card("Jk")))


def test_whole_shoes_are_dealt_into_hands_that_all_end_between_31_and_40() -> None:
    game, dice = game_of("es-ct"), random.Random(1914)
    for _ in range(40):
        rest = list(pack()) * 6
        dice.shuffle(rest)
        while (rows := deal(game, rest)).complete:
            result = outcome(game, (*rows.black, *rows.red))
            rest = list(rows.surplus)
            for row, total in ((rows.black, result.black_total), (rows.red, result.red_total)):
                assert total == sum(map(points, row))
                assert 31 <= total <= 40
                assert total - points(row[-1]) <= 30
            if result.winner:
                won, other = sorted((result.black_total, result.red_total))
                assert won < other
                assert (result.color == "color") == (color(rows.black[0]) == result.winner)
            else:
                assert result.black_total == result.red_total


# --- what becomes of stakes -----------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS)
def test_two_of_four_bets_win_and_are_paid_evenly_colour_first(text: str) -> None:
    game = game_of(text)
    for cards, won in ((RED_COLOR, ("color", "red")), (RED_INVERSE, ("inverse", "red"))):
        result = outcome(game, parse_all(cards))
        settled = settle(game, result)
        assert {bet.bet for bet in settled if bet.fate == "wins"} == set(won)
        assert {bet.bet for bet in settled if bet.fate == "loses"} == set(BETS) - set(won)
        assert {value(bet) for bet in settled} == {Fraction(1), Fraction(-1)}
        assert payment_order(game, result) == won


@pytest.mark.parametrize("text", TEXTS)
def test_equal_rows_are_void_save_at_thirty_one_where_half_is_lost(text: str) -> None:
    game = game_of(text)
    assert fates(text, EQUAL) == ["stands"] * 4
    settled = settle(game, outcome(game, parse_all(REFAIT)))
    assert [(bet.fate, bet.back, value(bet)) for bet in settled] == [
        ("loses", Ratio(1, 2), Fraction(-1, 2))
    ] * 4
    assert {bet.clause for bet in settled} == {game.refait.clause}
    assert payment_order(game, outcome(game, parse_all(REFAIT))) == ()


def test_insurance_is_one_per_cent_where_the_text_has_it() -> None:
    for text, clause in (("es-1979", "es-1979 05.V.1"), ("es-ex", "es-ex 1.7.5.1")):
        insurance = game_of(text).insurance
        assert insurance is not None
        assert (insurance.premium, insurance.clause) == (Ratio(1, 100), clause)
        assert fates(text, REFAIT, insured=True) == ["stands"] * 4
        assert fates(text, RED_COLOR, insured=True) == ["loses", "wins", "wins", "loses"]
    assert game_of("es-ct").insurance is None
    with pytest.raises(TermsRefused, match="es-ct has no insurance"):
        fates("es-ct", REFAIT, insured=True)


def prison(cards: str, refaits: int, **how: Any) -> list[tuple[str, Ratio | None]]:
    game = game_of("es-1979")
    settled = settle_prison(game, outcome(game, parse_all(cards)), refaits, **how)
    assert {bet.clause for bet in settled} == {"es-1979 01.IV.1.B.b"}, "as roulette's zero has it"
    return [(bet.fate, bet.back) for bet in settled]


def test_stakes_in_prison_follow_the_rules_of_the_zero() -> None:
    assert prison(RED_COLOR, 1) == [("loses", None), ("stands", None), ("stands", None), ("loses", None)]
    freed = settle_prison(game_of("es-1979"), outcome(game_of("es-1979"), parse_all(RED_COLOR)), 1)
    assert [bet.note for bet in freed] == [None, "freed", "freed", None]
    assert prison(EQUAL, 1) == [("waits", None)] * 4
    assert prison(REFAIT, 1) == [("waits", None)] * 4
    assert prison(REFAIT, 1, last_hand=True) == [("loses", Ratio(1, 4))] * 4
    assert prison(EQUAL, 2, last_hand=True) == [("loses", Ratio(1, 4))] * 4
    assert prison(REFAIT, 2, last_hand=True) == [("loses", Ratio(1, 8))] * 4
    with pytest.raises(ValueError, match="met 0 refaits"):
        prison(REFAIT, 0)


@pytest.mark.parametrize("text", TEXTS)
def test_what_the_croupiers_do(text: str) -> None:
    game = game_of(text)

    def told(cards: str, **how: Any) -> list[tuple[str, str, Any]]:
        guided = guidance(game, outcome(game, parse_all(cards)), **how)
        return [(one.text, one.clause, one.data) for one in guided]

    won, equal, refait = told(RED_COLOR), told(EQUAL), told(REFAIT)
    pay = "Take in the lost stakes; pay in this order, the farthest first: colour, red"
    assert won == [(pay, DEALING[text], {"order": [["color"], ["red"]]})]
    assert equal == [("Equal rows: nobody wins or loses", game.refait.clause, None)]
    insured = text != "es-ct"
    assert [one[0] for one in refait] == [
        "Simple chances: as the player chooses, half given back or the stake in prison",
        *(["Insured stakes: they stand whole"] if insured else []),
    ]
    assert refait[0][1:] == (game.refait.clause, {"back": [[1, 2]], "prison": "choice"})
    freed = told(RED_COLOR, refaits_before=1)[1]
    assert freed[1:] == (game.refait.zero_clause, {"prison": "freed"})
    new, again = told(REFAIT, refaits_before=2)[:2]
    assert new == refait[0], "stakes that were not in prison"
    assert again[0] == "Stakes in prison: same choice, 1/4, 1/8 of the stake back"
    assert again[1] == game.refait.zero_clause
    last = told(REFAIT, refaits_before=1, last_hand=True)
    assert last[0][2] == {"back": [[1, 2], [1, 4]], "prison": "refunded"}
    assert len(last) == len(refait)


@pytest.mark.parametrize("text", TEXTS)
def test_the_last_cards_lie_face_down(text: str) -> None:
    """As es-ct has it: "cara avall"."""
    (counted,) = last_cards_guidance(game_of(text), "es")
    assert counted.text == "Pónganse boca abajo las 5 últimas cartas y cuéntense"
    assert (counted.clause, counted.data) == (DEALING[text], {"cards": 5, "face": "down"})


def face_up(game: TrenteEtQuarante) -> TrenteEtQuarante:
    """The game under a text that had the last cards lie face up."""
    rules = tuple(
        msgspec.structs.replace(rule, parameters={"face": "up"}) if "last_cards" in rule.id else rule
        for rule in game.rules
    )
    return msgspec.structs.replace(game, rules=rules)


def test_the_last_cards_lie_as_the_rule_says() -> None:
    game = face_up(game_of("es-ct"))
    (counted,) = last_cards_guidance(game, "es")
    assert counted.text == "Pónganse boca arriba las 5 últimas cartas y cuéntense"
    assert judge(game, Hand(last_cards=5, last_cards_face_up=True)) == ()
    assert [finding.rule for finding in judge(game, Hand(last_cards=5, last_cards_face_up=False))] == [
        "trente_et_quarante.last_cards_counted"
    ]


# --- the house's edge -----------------------------------------------------------------------------


def test_the_totals_of_a_row_by_counting_every_order_of_values() -> None:
    """Independently: from a sum so far, through every value of thirteen, to the end of the row."""

    def end(total: int, chance: Fraction, ends: dict[int, Fraction]) -> None:
        reached = {total: chance}
        while reached:
            going: dict[int, Fraction] = {}
            for at, part in reached.items():
                for card in pack():
                    target = going if at + points(card) < 31 else ends
                    target[at + points(card)] = target.get(at + points(card), Fraction(0)) + part / 52
            reached = going

    ends: dict[int, Fraction] = {}
    end(0, Fraction(1), ends)
    assert row_totals(game_of("es-1979")) == ends
    assert sum(ends.values()) == 1
    assert sorted(ends) == list(range(31, 41))
    assert sorted(ends.values(), reverse=True) == [ends[total] for total in range(31, 41)]


@pytest.mark.parametrize("text", TEXTS)
def test_every_bet_keeps_half_the_refait_for_the_house(text: str) -> None:
    game = game_of(text)
    totals = row_totals(game)
    refait = totals[31] ** 2
    equal = sum(part**2 for part in totals.values())
    assert EDGES["trente_et_quarante"] is edges
    assert [edge.bet for edge in edges(game)] == list(BETS)
    assert {edge.edge for edge in edges(game)} == {refait / 2 / (1 - equal + refait)}
    assert round(float(refait / 2), 5) == 0.01096, "the figure that is known, over all hands"
    assert round(float(edges(game)[0].edge), 5) == 0.01202, "over hands that are decided"


# --- words and limits -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cards", "language", "said"),
    [
        ("es-1979", RED_COLOR, "es", "negro cuatro, rojo dos, dos rojo y color ganan, color gana"),
        ("es-1979", RED_INVERSE, "es", "negro cuatro, rojo dos, dos rojo e inverso ganan, color pierde"),
        ("es-ct", RED_COLOR, "ca", "negre quatre, vermell dos, dos vermell i color guanyen, color guanya"),
        ("es-ct", REFAIT, "ca", "negre u, vermell u, 31 iguals"),
        ("es-ex", EQUAL, "es", "negro cuatro, rojo cuatro, juego nulo"),
        ("es-ex", RED_INVERSE, "en", "black four, red two, two, red and inverse win, colour loses"),
    ],
)
def test_what_the_croupier_says(text: str, cards: str, language: Language, said: str) -> None:
    game = game_of(text)
    assert announce_rows(game, outcome(game, parse_all(cards)), language) == said
    assert game.announcements.result_clause == DEALING[text]


def test_the_maximum_is_a_thousand_minima_or_in_catalonia_any_from_a_hundred_to_a_thousand() -> None:
    for text in ("es-1979", "es-ex"):
        assert limits(game_of(text), 5) == dict.fromkeys(BETS, 5000)
        with pytest.raises(LimitRefused, match="500 times"):
            limits(game_of(text), 5, 500)
    catalan = game_of("es-ct")
    assert limits(catalan, 5) is None, "the authorisation sets it"
    for times in (100, 437, 1000):
        check_maximum(catalan, "inverse", times)
    for times in (99, 1001):
        with pytest.raises(LimitRefused, match=f"{times} times.*has 100 to 1000") as caught:
            check_maximum(catalan, "black", times)
        assert caught.value.clause == "es-ct 5.V.2"


# --- data that is refused -------------------------------------------------------------------------


def doubled_row(data: dict[str, Any]) -> None:
    data["rows"]["order"] = ["red", "red"]


def low_refait(data: dict[str, Any]) -> None:
    data["refait"]["points"] = 30


def fifth_bet(data: dict[str, Any]) -> None:
    data["bets"].append({"id": "tie", "clause": "5.V.1", "pays": [8, 1]})


def free_bet(data: dict[str, Any]) -> None:
    del data["bets"][0]["pays"]


def wordless(data: dict[str, Any]) -> None:
    del data["announcements"]["words"]["refait"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (doubled_row, "one row is laid twice"),
        (low_refait, "no row ends at 30"),
        (fifth_bet, "the bets are black, red"),
        (free_bet, "black pays nothing"),
        (wordless, r"no words for \['refait'\]"),
    ],
)
def test_data_that_contradicts_itself_is_refused(change: Any, says: str) -> None:
    with pytest.raises(CatalogueDataError, match=says):
        changed("es-ct", "trente_et_quarante", change)
    check(game_of("es-ct"))
