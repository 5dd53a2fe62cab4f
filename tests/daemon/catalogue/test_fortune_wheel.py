"""Fortune wheel: a table's own order, the same spin under the texts, all symbols, and the edge."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from changed_texts import changed
from spin_play import seen

from daemon.catalogue.announcements import announce_no_more_bets, announce_symbol
from daemon.catalogue.bets.fortune_wheel import edges, guidance, outcome, settle, void_guidance
from daemon.catalogue.bets.settlement import value
from daemon.catalogue.errors import CatalogueDataError, GameNotInCatalogue, LayoutRefused, UnknownPocket
from daemon.catalogue.families.fortune_wheel import FortuneWheel, check_order
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Ratio
from daemon.catalogue.rules.fortune_wheel import SPIN, Evidence, judge, turns_in_doubt

TEXTS = ("es-ct", "es-ex")
SINGLE = {"es-ct": ("figure_1", "figure_2"), "es-ex": ("joker_red", "joker_black")}
COUNTS = {"24": (24, 1), "15": (15, 2), "7": (7, 5), "4": (4, 10), "2": (2, 20)}
"""Symbol to its segments and what it pays to one; the two single symbols pay 45."""


def wheel(text: str) -> FortuneWheel:
    return load_as(FortuneWheel, text, "fortune_wheel")


def order(text: str) -> tuple[str, ...]:
    """A wheel that answers the counts, as a table might have it: like symbols kept apart round the rim."""
    left = {symbol: many for symbol, (many, _) in COUNTS.items()} | dict.fromkeys(SINGLE[text], 1)
    rim: list[str] = []
    while any(left.values()):
        rim += [symbol for symbol, many in left.items() if many]
        left = {symbol: max(many - 1, 0) for symbol, many in left.items()}
    return tuple(rim)


# --- the wheel --------------------------------------------------------------------------------------


def test_the_spanish_text_of_1979_does_not_have_the_game() -> None:
    with pytest.raises(GameNotInCatalogue) as caught:
        wheel("es-1979")
    assert caught.value.clause is None, "nothing in it excludes the game either"


@pytest.mark.parametrize(("text", "clause"), [("es-ct", "es-ct 24.V.1"), ("es-ex", "es-ex 1.4.5.1")])
def test_fifty_four_segments_and_what_they_pay(text: str, clause: str) -> None:
    game = wheel(text)
    assert {s.id: s.segments for s in game.wheel.symbols} == {
        **{symbol: many for symbol, (many, _) in COUNTS.items()},
        **dict.fromkeys(SINGLE[text], 1),
    }
    assert sum(s.segments for s in game.wheel.symbols) == game.wheel.segments == 54
    sizes = game.wheel.diameter_cm, game.wheel.least_diameter_cm
    assert sizes == ((None, 150) if text == "es-ct" else (152, None))
    assert [(bet.id, bet.pays) for bet in game.bets] == [
        *((symbol, Ratio(pays, 1)) for symbol, (_, pays) in COUNTS.items()),
        *((symbol, Ratio(45, 1)) for symbol in SINGLE[text]),
    ]
    assert {bet.clause for bet in game.bets} == {clause}


@pytest.mark.parametrize("text", TEXTS)
def test_an_order_with_the_texts_counts_is_taken_however_it_goes_round(text: str) -> None:
    rim = order(text)
    check_order(wheel(text), rim)
    check_order(wheel(text), rim[17:] + rim[:17])
    check_order(wheel(text), tuple(sorted(rim)))


@pytest.mark.parametrize(
    ("text", "change", "says"),
    [
        ("es-ct", lambda rim: rim[:-1], r"53 segments where the text has 54 \(es-ct 24.II.2\)"),
        ("es-ct", lambda rim: (*rim, "24"), "55 segments"),
        ("es-ct", lambda rim: ("15", *rim[1:]), r"24 on 23, not 24; 15 on 16, not 15 \(es-ct 24.V.1\)"),
        ("es-ct", lambda rim: ("joker_red", *rim[1:]), "no symbols of this wheel: joker_red; it has 24, 15"),
        ("es-ex", lambda rim: ("24", *rim[:5], "24", *rim[7:]), r"joker_black on 0, not 1 \(es-ex 1.4.5.1\)"),
        ("es-ex", lambda rim: ("figure_1", *rim[1:]), r"figure_1; .*joker_red"),
        ("es-ex", lambda rim: (), r"0 segments where the text has 54 \(es-ex 1.4.2.2\)"),
    ],
)
def test_an_order_that_is_not_the_texts_is_refused_with_the_clause(
    text: str, change: Callable[[tuple[str, ...]], tuple[str, ...]], says: str
) -> None:
    with pytest.raises(LayoutRefused, match=says):
        check_order(wheel(text), change(order(text)))


def test_data_that_contradicts_itself_is_refused() -> None:
    def one_more(game: dict[str, Any]) -> None:
        game["wheel"]["symbols"][0]["segments"] = 25

    def no_bet(game: dict[str, Any]) -> None:
        game["bets"].pop()

    def unpaid(game: dict[str, Any]) -> None:
        del game["bets"][2]["pays"]

    for change, says in (
        (one_more, "symbols for 55 of 54 segments"),
        (no_bet, "every symbol is a bet"),
        (unpaid, "7 pays nothing"),
    ):
        with pytest.raises(CatalogueDataError, match=says):
            changed("es-ct", "fortune_wheel", change)


# --- the same spin under the texts ------------------------------------------------------------------

GOOD = Evidence(
    direction="cw",
    pushes=2,
    turns=seen(11.4),
    turns_after_second=seen(5.2),
    bets_closed_at_push=2,
    bets_closed=True,
    segment=17,
    on_peg=False,
)
FOUND = dict[str, tuple[str, ...]]
"""Text to what it finds: the rule without its family, and its effect."""
CASES: dict[str, tuple[Evidence, FOUND]] = {
    "as it should be": (GOOD, {}),
    "nothing seen": (Evidence(), {}),
    "anticlockwise": (msgspec.structs.replace(GOOD, direction="ccw"), {"es-ct": ("clockwise finding",)}),
    "four turns in all, two after the second push": (
        msgspec.structs.replace(GOOD, turns=seen(4.0), turns_after_second=seen(2.0)),
        {"es-ct": ("turns void",)},
    ),
    "one push, which was strong": (
        msgspec.structs.replace(
            GOOD, pushes=1, turns=seen(9.0), turns_after_second=None, bets_closed_at_push=0
        ),
        {"es-ct": ("bets_closed_at_push finding", "turns void"), "us-ny": ("bets_closed_at_push finding",)},
    ),
    "just short of four turns": (
        msgspec.structs.replace(GOOD, turns=seen(3.99), turns_after_second=seen(3.99)),
        {"es-ct": ("turns void",), "es-ex": ("turns void",)},
    ),
    "just four turns": (msgspec.structs.replace(GOOD, turns=seen(4.0), turns_after_second=seen(4.0)), {}),
    "four turns or just short of them": (
        msgspec.structs.replace(GOOD, turns=seen((3.98, 4.0)), turns_after_second=seen((3.98, 4.0))),
        {},
    ),
    "just short of three turns": (
        msgspec.structs.replace(GOOD, turns=seen(2.99), turns_after_second=seen(2.99)),
        {"es-ct": ("turns void",), "es-ex": ("turns void",), "us-ny": ("turns void",)},
    ),
    "bets closed with the first push": (
        msgspec.structs.replace(GOOD, bets_closed_at_push=1),
        {"es-ct": ("bets_closed_at_push finding",)},
    ),
    "bets never closed": (
        msgspec.structs.replace(GOOD, bets_closed_at_push=0, bets_closed=False),
        {
            "es-ct": ("bets_closed_at_push finding",),
            "es-ex": ("bets_closed_before_result finding",),
            "us-ny": ("bets_closed_at_push finding",),
        },
    ),
    "on the peg": (
        msgspec.structs.replace(GOOD, segment=None, on_peg=True),
        {"es-ct": ("on_peg void",), "es-ex": ("on_peg void",), "us-ny": ("on_peg void",)},
    ),
    "hindered": (
        msgspec.structs.replace(GOOD, hindrance="reversal"),
        {"es-ct": ("hindered void",), "es-ex": ("hindered void",)},
    ),
    "declared void": (
        msgspec.structs.replace(GOOD, declared_void="a sleeve touched the rim"),
        {"es-ct": ("declared_void void",), "es-ex": ("declared_void void",)},
    ),
    "a segment that is not there": (
        msgspec.structs.replace(GOOD, segment=55),
        {"es-ct": ("rests_in_segment void",), "es-ex": ("rests_in_segment void",)},
    ),
    "pushes not counted": (msgspec.structs.replace(GOOD, pushes=None, turns_after_second=None), {}),
    "turns not counted": (msgspec.structs.replace(GOOD, turns=None, turns_after_second=None), {}),
    "not known whether bets were closed": (msgspec.structs.replace(GOOD, bets_closed=None), {}),
    "an open wheel still turning": (Evidence(bets_closed=False, bets_closed_at_push=None), {}),
}
AS_BIG_SIX = {"pushes": 1, "bets_closed_at_push": 1}
"""Big Six has one push, with which bets are closed."""


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("text", ["es-ct", "es-ex", "us-ny"])
def test_the_same_spin_under_the_texts(text: str, case: str) -> None:
    evidence, expected = CASES[case]
    if text == "us-ny" and evidence.bets_closed_at_push == 2:
        evidence = msgspec.structs.replace(evidence, **AS_BIG_SIX)
    found = judge(wheel(text), evidence)
    assert [f"{f.rule.removeprefix('fortune_wheel.')} {f.effect}" for f in found] == list(
        expected.get(text, ())
    )
    assert all(f.clause.startswith(f"{text} ") for f in found)


def test_one_spin_is_void_in_catalonia_and_stands_in_extremadura() -> None:
    """Six turns from the start, three of them after the second push."""
    spin = msgspec.structs.replace(GOOD, turns=seen(6.0), turns_after_second=seen(3.0))
    [found] = judge(wheel("es-ct"), spin)
    assert (found.rule, found.clause, found.effect) == ("fortune_wheel.turns", "es-ct 24.V.3", "void")
    assert found.evidence == {"wanted": 4, "counted_from": "second_push", "turns": 3}
    assert judge(wheel("es-ex"), spin) == ()


@pytest.mark.parametrize(
    ("turns", "doubt"),
    [((3.9, 3.9999), False), ((3.9, 4.0), True), ((3.99994, 4.2), True), ((4.0, 4.2), False)],
)
def test_turns_are_in_doubt_where_they_may_be_enough_or_too_few(
    turns: tuple[float, float], doubt: bool
) -> None:
    for text, key, start in (("es-ct", "turns_after_second", "second_push"), ("es-ex", "turns", "start")):
        spin = msgspec.structs.replace(GOOD, **{key: seen(turns)})
        between = {"least": round(turns[0], 4), "most": round(turns[1], 4)}
        assert turns_in_doubt(wheel(text), spin) == (
            {"wanted": 4, "counted_from": start, **between} if doubt else None
        )
        assert turns_in_doubt(wheel(text), Evidence()) is None


def test_what_was_seen_goes_into_the_findings() -> None:
    spin = msgspec.structs.replace(
        GOOD, direction="ccw", pushes=1, turns=seen(3.7), turns_after_second=seen(3.7), segment=99
    )
    spin = msgspec.structs.replace(
        spin, bets_closed_at_push=1, hindrance="braked", declared_void="seen", on_peg=True
    )
    found = {f.rule.removeprefix("fortune_wheel."): f.evidence for f in judge(wheel("es-ct"), spin)}
    assert found == {
        "clockwise": {"direction": "ccw"},
        "bets_closed_at_push": {"bets_closed_at_push": 1, "wanted": 2},
        "turns": {"wanted": 4, "counted_from": "second_push", "pushes": 1, "turns": 0},
        "rests_in_segment": {"segment": 99, "segments": 54},
        "on_peg": {"on_peg": True},
        "hindered": {"hindrance": "braked"},
        "declared_void": {"declared": "seen"},
    }
    clauses = {f.rule.removeprefix("fortune_wheel."): f.clause for f in judge(wheel("es-ex"), spin)}
    assert clauses == {
        "turns": "es-ex 1.4.5.3.3",
        "rests_in_segment": "es-ex 1.4.5.3.2",
        "on_peg": "es-ex 1.4.5.3.3",
        "hindered": "es-ex 1.4.5.3.3",
        "declared_void": "es-ex 1.4.5.3.3",
    }


def test_every_check_has_a_text_that_asks_for_it() -> None:
    asked = {rule.id for text in TEXTS for rule in wheel(text).rules}
    assert asked == set(SPIN)


# --- symbols ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS)
def test_every_segment_is_a_symbol_that_wins_alone(text: str) -> None:
    game, rim = wheel(text), order(text)
    for segment in range(1, 55):
        found = outcome(game, rim, segment)
        assert (found.segment, found.symbol) == (segment, rim[segment - 1])
        pays = COUNTS.get(found.symbol, (1, 45))[1]
        assert found.pays == (pays, 1)
        fates = settle(game, found.symbol)
        assert {s.bet: value(s) for s in fates} == {
            **dict.fromkeys([*COUNTS, *SINGLE[text]], Fraction(-1)),
            found.symbol: Fraction(pays),
        }


@pytest.mark.parametrize("segment", [0, 55, -1])
def test_a_segment_that_is_not_there(segment: int) -> None:
    with pytest.raises(UnknownPocket):
        outcome(wheel("es-ct"), order("es-ct"), segment)


def test_a_symbol_that_is_not_there() -> None:
    with pytest.raises(UnknownPocket, match="no symbol '3'"):
        settle(wheel("es-ct"), "3")


@pytest.mark.parametrize("text", TEXTS)
def test_what_the_house_keeps_of_each_symbol(text: str) -> None:
    """By hand, of 54: 30-24, 39-30, 47-35, 50-40, 52-40, 53-45 and 53-45 are lost on the whole."""
    kept = [Fraction(lost, 54) for lost in (6, 9, 12, 10, 12, 8, 8)]
    assert [(edge.bet, edge.edge) for edge in edges(wheel(text))] == list(
        zip([*COUNTS, *SINGLE[text]], kept, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "pay", "again"),
    [("es-ct", "24.V.3", "24.V.3"), ("es-ex", "1.4.5.3.4", "1.4.5.3.3")],
)
def test_winners_are_paid_from_lowest_to_highest_and_a_void_spin_begins_anew(
    text: str, pay: str, again: str
) -> None:
    [paid] = guidance(wheel(text), "es")
    assert (paid.text, paid.clause) == ("Páguense las ganadoras de menor a mayor", f"{text} {pay}")
    [spun] = void_guidance(wheel(text), "en")
    assert (spun.text, spun.clause) == ("Begin the whole cycle again with a new spin", f"{text} {again}")
    assert guidance(wheel("us-ny")) == ()
    assert void_guidance(wheel("us-ny")) == ()


def test_a_result_is_said_by_its_symbol() -> None:
    catalan, castilian = wheel("es-ct"), wheel("es-ex")
    at = {s: i for i, s in enumerate(order("es-ex"), 1)}
    said = [
        announce_symbol(castilian, outcome(castilian, order("es-ex"), at[s]), "es")
        for s in ("24", "joker_red")
    ]
    assert said == ["24", "Jocker rojo"]
    first = outcome(catalan, order("es-ct"), order("es-ct").index("figure_1") + 1)
    assert announce_symbol(catalan, first, "ca") == "primera figura"
    assert announce_no_more_bets(catalan, "ca") == "no hi van més apostes"
    assert castilian.announcements.result_clause == "es-ex 1.4.5.3.2"
    assert catalan.announcements.result_clause is None, "it does not say how"


# --- Big Six ----------------------------------------------------------------------------------------


def test_big_six_has_the_number_of_spaces_and_no_more_than_was_read() -> None:
    game = wheel("us-ny")
    check_order(game, ("1",) * 54)
    with pytest.raises(LayoutRefused, match=r"52 segments where the text has 54 \(us-ny Big Six, wheel\)"):
        check_order(game, ("1",) * 52)
    assert (game.bets, game.limits, edges(game)) == ((), None, ())
    assert outcome(game, ("1",) * 54, 3).pays is None
    assert announce_symbol(game, outcome(game, ("1",) * 54, 3), "en") == "1"
