"""Roulette's numbers: what they are, which bets they win, what is paid in which order, and the limits."""

from collections import Counter

import pytest

from daemon.catalogue.bets.roulette import (
    guidance,
    outcome,
    payment_order,
    places,
    void_guidance,
    wins,
)
from daemon.catalogue.errors import LimitRefused, UnknownPocket
from daemon.catalogue.limits import limits
from daemon.catalogue.load import load_game
from daemon.catalogue.model import Language
from daemon.outcomes import WheelOutcome
from daemon.records import Guidance

FRENCH, AMERICAN, DOUBLE = "french_roulette", "american_roulette", "american_roulette_double_zero"
TEXTS = ("es-1979", "es-ct", "es-ex")
GAMES = [
    *((text, game_id) for text in TEXTS for game_id in (FRENCH, AMERICAN)),
    ("es-ct", DOUBLE),
    ("es-ex", DOUBLE),
]
BETS = {"es-1979": "es-1979 01.IV.1", "es-ct": "es-ct 1.IV.1", "es-ex": "es-ex 1.1.4.1"}

# --- outcomes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "color", "parity", "half", "dozen", "column"),
    [
        ("17", "black", "odd", "low", 2, 2),
        ("1", "red", "odd", "low", 1, 1),
        ("12", "red", "even", "low", 1, 3),
        ("13", "black", "odd", "low", 2, 1),
        ("18", "red", "even", "low", 2, 3),
        ("19", "red", "odd", "high", 2, 1),
        ("24", "black", "even", "high", 2, 3),
        ("25", "red", "odd", "high", 3, 1),
        ("36", "red", "even", "high", 3, 3),
        ("0", "green", None, None, None, None),
    ],
)
def test_a_number_in_the_chances(
    number: str, color: str, parity: str | None, half: str | None, dozen: int | None, column: int | None
) -> None:
    for text, game_id in GAMES:
        seen = outcome(load_game(text, game_id), number)
        assert (seen.number, seen.color, seen.parity, seen.half, seen.dozen, seen.column) == (
            number,
            color,
            parity,
            half,
            dozen,
            column,
        )


def test_the_double_zero_is_in_no_chance() -> None:
    assert outcome(load_game("es-ct", DOUBLE), "00") == WheelOutcome(
        number="00", color="green", parity=None, half=None, dozen=None, column=None
    )


@pytest.mark.parametrize("number", ["00", "37", "-1", "", "017", "1 ", "zero", "³"])
def test_a_pocket_that_the_wheel_does_not_have_is_refused(number: str) -> None:
    game = load_game("es-ct", FRENCH)
    for ask in (outcome, wins, payment_order, guidance):
        with pytest.raises(UnknownPocket) as caught:
            ask(game, number)
        assert caught.value.clause == "es-ct 1.IV.3.c"


# --- places and pays ------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "game_id"), GAMES)
def test_every_place_covers_the_numbers_that_the_text_says(text: str, game_id: str) -> None:
    game = load_game(text, game_id)
    for bet in game.bets:
        found = places(game, bet)
        assert found
        assert len(set(map(frozenset, found))) == len(found), "no place twice"
        assert {len(set(place)) for place in found} == {bet.numbers}
        assert {label for place in found for label in place} <= set(game.layout.pockets)


@pytest.mark.parametrize(
    ("text", "game_id", "counts"),
    [
        ("es-1979", FRENCH, {"straight": 37, "split": 60, "street": 12, "corner": 22}),
        ("es-ct", FRENCH, {"straight": 37, "split": 60, "street": 14, "corner": 23}),
        ("es-ex", DOUBLE, {"straight": 38, "split": 62, "street": 12, "corner": 22, "special_line": 1}),
    ],
)
def test_how_many_places_the_cloth_has(text: str, game_id: str, counts: dict[str, int]) -> None:
    game = load_game(text, game_id)
    always = {"six_line": 11, "column": 3, "dozen": 3, "double_column": 2, "double_dozen": 2}
    chances = dict.fromkeys(("red", "black", "even", "odd", "low", "high"), 1)
    assert {bet.id: len(places(game, bet)) for bet in game.bets} == counts | always | chances


@pytest.mark.parametrize("text", TEXTS)
def test_what_the_bets_pay_and_where_it_is_written(text: str) -> None:
    paid = {bet.id: (bet.pays.pays, bet.pays.per, bet.clause) for bet in load_game(text, FRENCH).bets}
    multiple = {
        "straight": (35, 1, "A.a"),
        "split": (17, 1, "A.b"),
        "street": (11, 1, "A.c"),
        "corner": (8, 1, "A.d"),
        "six_line": (5, 1, "A.e"),
        "column": (2, 1, "A.f"),
        "dozen": (2, 1, "A.g"),
        "double_column": (1, 2, "A.h"),
        "double_dozen": (1, 2, "A.i"),
    }
    simple = dict.fromkeys(("red", "black", "even", "odd", "low", "high"), (1, 1, "B.a"))
    assert paid == {
        bet: (pays, per, f"{BETS[text]}.{letter}") for bet, (pays, per, letter) in (multiple | simple).items()
    }
    assert {bet.id for bet in load_game(text, FRENCH).bets if bet.kind == "simple"} == set(simple)


def test_a_number_wins_at_these_places() -> None:
    won = {win.bet: win.places for win in wins(load_game("es-1979", FRENCH), "17")}
    assert won["straight"] == (("17",),)
    assert set(won["split"]) == {("16", "17"), ("17", "18"), ("14", "17"), ("17", "20")}
    assert won["street"] == (("16", "17", "18"),)
    assert set(won["corner"]) == {
        ("13", "14", "16", "17"),
        ("14", "15", "17", "18"),
        ("16", "17", "19", "20"),
        ("17", "18", "20", "21"),
    }
    assert len(won["six_line"]) == 2
    assert len(won["double_column"]) == len(won["double_dozen"]) == 2, "the middle third wins either way"
    assert {"black", "odd", "low"} <= set(won)
    assert not {"red", "even", "high"} & set(won)


@pytest.mark.parametrize(
    ("text", "game_id", "number", "bets"),
    [
        ("es-1979", FRENCH, "0", ["straight", "split"]),
        ("es-ct", FRENCH, "0", ["straight", "split", "street", "corner"]),
        ("es-ex", FRENCH, "0", ["straight", "split"]),
        ("es-ex", DOUBLE, "0", ["straight", "split", "special_line"]),
        ("es-ex", DOUBLE, "00", ["straight", "split", "special_line"]),
        ("es-ct", DOUBLE, "00", ["straight", "split", "special_line"]),
    ],
)
def test_what_a_zero_wins(text: str, game_id: str, number: str, bets: list[str]) -> None:
    assert [win.bet for win in wins(load_game(text, game_id), number)] == bets


@pytest.mark.parametrize(("text", "game_id"), GAMES)
def test_the_chances_share_the_numbers_out(text: str, game_id: str) -> None:
    """Each simple chance wins on eighteen numbers; one of each pair, and none on a zero."""
    game = load_game(text, game_id)
    count = Counter(win.bet for number in game.layout.pockets for win in wins(game, number))
    assert {bet.id: count[bet.id] for bet in game.bets if bet.kind == "simple"} == dict.fromkeys(
        ("even", "odd", "red", "black", "low", "high"), 18
    )
    for zero in game.wheel.zeros:
        simple = {bet.id for bet in game.bets if bet.kind == "simple"}
        assert not simple & {win.bet for win in wins(game, zero)}


# --- order of payment -----------------------------------------------------------------------------

SIMPLE = ("red", "black", "even", "odd", "high", "low")
AMERICAN_ORDER = [
    "double_column",
    "column",
    "high",
    "odd",
    "black",
    "red",
    "even",
    "low",
    "double_dozen",
    "dozen",
    "six_line",
    "street",
    "corner",
    "split",
    "straight",
]


@pytest.mark.parametrize(
    ("text", "game_id", "clause", "order"),
    [
        (
            "es-1979",
            FRENCH,
            "es-1979 01.IV.3.c",
            (
                ("column", "dozen", "double_column", "double_dozen"),
                SIMPLE,
                ("street", "six_line", "corner", "split"),
                ("straight",),
            ),
        ),
        (
            "es-ct",
            FRENCH,
            "es-ct 1.IV.3.c",
            (
                ("double_column", "column", "double_dozen", "dozen"),
                SIMPLE,
                ("six_line", "street", "corner", "split"),
                ("straight",),
            ),
        ),
        (
            "es-ex",
            FRENCH,
            "es-ex 1.1.4.3.c",
            (
                ("column", "dozen", "double_column", "double_dozen"),
                SIMPLE,
                ("six_line", "street", "corner", "split"),
                ("straight",),
            ),
        ),
        ("es-1979", AMERICAN, "es-1979 02.III.b", tuple((bet,) for bet in AMERICAN_ORDER)),
        ("es-ct", AMERICAN, "es-ct 2.IV", tuple((bet,) for bet in AMERICAN_ORDER)),
        ("es-ct", DOUBLE, "es-ct 2.IV", tuple((bet,) for bet in AMERICAN_ORDER)),
        ("es-ex", AMERICAN, "es-ex 1.2.3.2", tuple((bet,) for bet in AMERICAN_ORDER)),
        ("es-ex", DOUBLE, "es-ex 1.2.3.2", tuple((bet,) for bet in AMERICAN_ORDER)),
    ],
)
def test_each_text_pays_in_its_own_order(
    text: str, game_id: str, clause: str, order: tuple[tuple[str, ...], ...]
) -> None:
    game = load_game(text, game_id)
    assert (game.payment.clause, game.payment.order) == (clause, order)
    assert game.payment.all_at_once is (game_id != FRENCH)
    unplaced = {bet.id for bet in game.bets} - {bet for group in order for bet in group}
    assert unplaced == ({"special_line"} if game_id == DOUBLE else set())


def test_only_what_the_number_wins_is_paid() -> None:
    assert payment_order(load_game("es-ct", FRENCH), "17") == (
        ("double_column", "column", "double_dozen", "dozen"),
        ("black", "odd", "low"),
        ("six_line", "street", "corner", "split"),
        ("straight",),
    )
    assert payment_order(load_game("es-1979", FRENCH), "0") == (("split",), ("straight",))


# --- guidance -------------------------------------------------------------------------------------


def test_guidance_on_a_plain_number_is_the_order_of_payment() -> None:
    assert guidance(load_game("es-1979", FRENCH), "17", "es") == (
        Guidance(
            text="Páguese por este orden: columna, docena, doble columna, doble docena, negro, impar, falta, "
            "transversal, seisena, cuadro, caballo, pleno",
            clause="es-1979 01.IV.3.c",
            data={
                "order": [
                    ["column", "dozen", "double_column", "double_dozen"],
                    ["black", "odd", "low"],
                    ["street", "six_line", "corner", "split"],
                    ["straight"],
                ]
            },
        ),
    )


@pytest.mark.parametrize(
    ("text", "clause"),
    [("es-1979", "es-1979 01.IV.1.B.b"), ("es-ct", "es-ct 1.IV.1.B.b"), ("es-ex", "es-ex 1.1.4.1.B.b")],
)
def test_french_zero_gives_half_back_or_prison_and_halves_again(text: str, clause: str) -> None:
    game = load_game(text, FRENCH)
    (first,) = guidance(game, "0")[1:]
    assert (first.clause, first.data) == (clause, {"back": [[1, 2]], "prison": "choice"})
    fresh, held = guidance(game, "0", zeros_before=2)[1:]
    assert fresh == first
    assert (held.clause, held.data) == (clause, {"back": [[1, 4], [1, 8]], "prison": "choice"})
    assert "1/4, 1/8" in held.text
    (last,) = guidance(game, "0", zeros_before=1, last_ball=True)[1:]
    assert (last.clause, last.data) == (clause, {"back": [[1, 2], [1, 4]], "prison": "refunded"})
    (freed,) = guidance(game, "17", zeros_before=1)[1:]
    assert (freed.clause, freed.data) == (clause, {"prison": "freed"})
    assert len(guidance(game, "17")) == 1


@pytest.mark.parametrize(
    ("text", "game_id", "clause"),
    [
        ("es-1979", AMERICAN, "es-1979 02.IV"),
        ("es-ct", AMERICAN, "es-ct 2.V"),
        ("es-ct", DOUBLE, "es-ct 2.V"),
        ("es-ex", AMERICAN, "es-ex 1.2.4"),
        ("es-ex", DOUBLE, "es-ex 1.2.4"),
    ],
)
def test_american_zero_gives_half_back(text: str, game_id: str, clause: str) -> None:
    game = load_game(text, game_id)
    zero = guidance(game, "0", zeros_before=1)[1]
    assert (zero.clause, zero.data) == (clause, {"back": [[1, 2]]})
    assert guidance(game, "17", zeros_before=1)[1:] == (), "no stake is in prison"


@pytest.mark.parametrize(("text", "clause"), [("es-ct", "es-ct 2.V"), ("es-ex", "es-ex 1.2.4")])
def test_the_double_zero_is_taken_for_a_zero_and_says_that_it_is_a_reading(text: str, clause: str) -> None:
    _, zero, _ = guidance(load_game(text, DOUBLE), "00")
    assert zero.clause == clause
    assert zero.data["back"] == [[1, 2]]
    assert "heading counts the double zero" in zero.data["reading"]


@pytest.mark.parametrize(("text", "clause"), [("es-ct", "es-ct 2.V"), ("es-ex", "es-ex 1.2.4")])
def test_the_special_line_wins_on_its_five_numbers(text: str, clause: str) -> None:
    game = load_game(text, DOUBLE)
    for number in game.layout.pockets:
        line = [entry for entry in guidance(game, number, "ca") if "Línia especial" in entry.text]
        assert bool(line) is (number in ("0", "00", "1", "2", "3"))
        for entry in line:
            assert entry.clause == clause
            assert entry.text == "Línia especial 0-00-1-2-3: guanya, 6 a 1"
            assert entry.data == {"numbers": ["0", "00", "1", "2", "3"], "pays": [6, 1]}


@pytest.mark.parametrize("language", ["es", "ca", "en"])
@pytest.mark.parametrize(("text", "game_id"), GAMES)
def test_guidance_has_words_for_every_number_in_every_language(
    text: str, game_id: str, language: Language
) -> None:
    game = load_game(text, game_id)
    for number in game.layout.pockets:
        for entry in guidance(game, number, language, zeros_before=1):
            assert "{" not in entry.text
            assert entry.clause.startswith(text)


@pytest.mark.parametrize(
    ("text", "clause"), [("es-1979", "01.IV.3.d"), ("es-ct", "1.IV.3.d"), ("es-ex", "1.1.4.3.d")]
)
def test_after_a_void_the_ball_goes_back_on_the_previous_number(text: str, clause: str) -> None:
    game = load_game(text, FRENCH)
    guide = Guidance(
        text="Poseu la bola al 17 i torneu-la a llençar", clause=f"{text} {clause}", data={"previous": "17"}
    )
    assert void_guidance(game, "17", "ca") == (guide,)
    [unplaced] = void_guidance(game, None)
    assert (unplaced.clause, unplaced.data) == (f"{text} {clause}", {"previous": None})
    assert "no previous number" in unplaced.text


# --- limits ---------------------------------------------------------------------------------------


def expected(simple: int, straight: int, minimum: int) -> dict[str, int]:
    """The texts' figures all keep these proportions to the straight bet."""
    times = {"straight": 1, "split": 2, "street": 3, "corner": 4, "six_line": 6, "column": 12, "dozen": 12}
    times |= {"double_column": 24, "double_dozen": 24}
    chances = dict.fromkeys(SIMPLE, simple * minimum)
    return chances | {bet: many * straight * minimum for bet, many in times.items()}


@pytest.mark.parametrize(
    ("text", "game_id", "multiple", "simple", "straight"),
    [
        ("es-1979", FRENCH, None, 540, 30),
        ("es-1979", FRENCH, 540, 540, 30),
        ("es-1979", AMERICAN, None, 360, 20),
        *(
            ("es-ex", game_id, simple, simple, straight)
            for game_id in (FRENCH, AMERICAN, DOUBLE)
            for simple, straight in ((180, 10), (360, 20), (540, 30), (720, 40))
        ),
    ],
)
def test_maxima_are_multiples_of_the_minimum(
    text: str, game_id: str, multiple: int | None, simple: int, straight: int
) -> None:
    assert limits(load_game(text, game_id), 5, multiple) == expected(simple, straight, 5)


def test_the_figures_as_printed() -> None:
    assert limits(load_game("es-1979", FRENCH), 1) == {
        **dict.fromkeys(SIMPLE, 540),
        "straight": 30,
        "split": 60,
        "street": 90,
        "corner": 120,
        "six_line": 180,
        "column": 360,
        "dozen": 360,
        "double_column": 720,
        "double_dozen": 720,
    }


@pytest.mark.parametrize("game_id", [FRENCH, AMERICAN, DOUBLE])
def test_catalonia_leaves_the_maxima_to_the_authorisation(game_id: str) -> None:
    assert limits(load_game("es-ct", game_id), 5) is None


@pytest.mark.parametrize(
    ("text", "game_id", "minimum", "multiple", "says", "clause"),
    [
        ("es-1979", FRENCH, 5, 360, "360 times the minimum is not allowed.*has 540", "es-1979 01.IV.2.A.a"),
        ("es-1979", AMERICAN, 5, 540, "540 times.*has 360", "es-1979 02.V.a"),
        ("es-ex", FRENCH, 5, None, "no multiple is given.*180, 360, 540, 720", "es-ex 1.1.4.2.A.b"),
        ("es-ex", DOUBLE, 5, 200, "200 times.*180, 360, 540, 720", "es-ex 1.2.5.1.a"),
        ("es-ct", FRENCH, 5, 540, "the authorisation sets the maxima", "es-ct 1.IV.2.a"),
        ("es-ct", AMERICAN, 5, 360, "the authorisation sets the maxima", "es-ct 2.VI.a"),
        ("es-1979", FRENCH, 0, None, "a minimum of 0", "es-1979 01.IV.2.A"),
        ("es-ct", FRENCH, -5, None, "a minimum of -5", "es-ct 1.IV.2.a"),
    ],
)
def test_what_the_text_does_not_allow_is_refused_with_the_clause(
    text: str, game_id: str, minimum: int, multiple: int | None, says: str, clause: str
) -> None:
    with pytest.raises(LimitRefused, match=says) as caught:
        limits(load_game(text, game_id), minimum, multiple)
    assert caught.value.clause == clause


def test_extremadura_lets_the_house_raise_the_maxima_after_telling_the_authority() -> None:
    raised = {(text, game_id): load_game(text, game_id).limits.raise_clause for text, game_id in GAMES}
    assert {key: clause for key, clause in raised.items() if clause} == {
        ("es-ex", FRENCH): "es-ex 1.1.4.2.A.b",
        ("es-ex", AMERICAN): "es-ex 1.2.5.1",
        ("es-ex", DOUBLE): "es-ex 1.2.5.1",
    }
