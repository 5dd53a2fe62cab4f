"""Two texts of one game: what only one has, what both have otherwise, and with which clauses."""

from itertools import combinations

import msgspec
import pytest

from daemon.catalogue.load import load_all, load_game
from daemon.catalogue.model import Data, Game, Limits, Maximum, Note, Rule
from daemon.catalogue_view.columns import WIDTH
from daemon.catalogue_view.difference import Difference, Side, difference_lines, differences

GAMES = load_all()
BOTH = [(a, b) for a, b in combinations(GAMES, 2) if a[1] == b[1]]  # every game that two texts have

_replace = msgspec.structs.replace


class Spread(Data, frozen=True, kw_only=True):
    clause: str
    cards: int


class Other(Game, frozen=True, kw_only=True, tag="test_other"):
    spreads: tuple[Spread, ...] = ()


@pytest.fixture
def game() -> Game:
    return load_game("es-ct", "french_roulette")


def test_a_game_does_not_differ_from_itself(game: Game) -> None:
    assert differences(game, game) == ()
    assert list(difference_lines(game, game))[1].startswith("  nowhere")


def test_clauses_names_and_notes_are_not_compared(game: Game) -> None:
    other = _replace(
        game,
        names={"en": "Wheel"},
        notes=(Note(kind="reading", clause="x", text="y"),),
        rules=tuple(_replace(rule, clause="es-ex 9") for rule in game.rules),
        hash="f" * 64,
    )
    assert differences(game, other) == ()


def test_one_game_of_two_families(game: Game) -> None:
    data = msgspec.structs.asdict(game)
    shared = {name: data[name] for name in Game.__struct_fields__}
    found = differences(game, Other(**shared))
    assert found[0] == Difference(
        section="family",
        place="",
        left=Side(value="roulette", clause=None),
        right=Side(value="test_other", clause=None),
    )


def test_words_are_compared_as_a_whole_and_without_their_clause(game: Game) -> None:
    words = game.announcements
    assert words.void.clause is not None
    other = _replace(words, language="es", void=_replace(words.void, clause="es-ex 9"))
    assert differences(game, _replace(game, announcements=other)) == ()
    other = _replace(words, void=_replace(words.void, es="otra", ca="altra"))
    (found,) = differences(game, _replace(game, announcements=other))
    assert found.place == "void"


def test_a_list_without_names_is_compared_without_its_clauses(game: Game) -> None:
    def spread(clause: str) -> tuple[Spread, ...]:
        return (Spread(clause=clause, cards=2), Spread(clause=clause, cards=2))

    data = {name: getattr(game, name) for name in Game.__struct_fields__}
    assert differences(Other(**data, spreads=spread("a")), Other(**data, spreads=spread("b"))) == ()


def test_a_rule_that_only_one_text_has(game: Game) -> None:
    fewer = _replace(game, rules=game.rules[1:])
    (only,) = differences(game, fewer)
    assert (only.section, only.place, only.right) == ("rules", game.rules[0].id, None)
    assert only.left == Side(value=game.rules[0], clause="es-ct 1.IV.3.a")
    (other,) = differences(fewer, game)
    assert (other.left, other.right) == (None, only.left)


def test_a_rule_that_both_have_otherwise(game: Game) -> None:
    first, *rest = game.rules
    other = _replace(first, clause="es-ex 1.1.4.3.a", effect="finding", parameters={"void_clause": "es-ex 9"})
    assert differences(game, _replace(game, rules=(other, *rest))) == (
        Difference(
            section="rules",
            place=f"{first.id} effect",
            left=Side(value="void", clause="es-ct 1.IV.3.a"),
            right=Side(value="finding", clause="es-ex 1.1.4.3.a"),
        ),
    )


def test_a_bet_that_pays_otherwise(game: Game) -> None:
    bets = [_replace(bet, pays=(2, 1)) if bet.id == "even" else bet for bet in game.bets]
    (found,) = differences(game, _replace(game, bets=tuple(bets)))
    assert (found.section, found.place) == ("bets", "even pays")


def test_a_clause_beside_a_value_is_the_nearest(game: Game) -> None:
    wheel = _replace(game.wheel, pockets=38, pockets_clause="es-ex 1.2.4")
    (found,) = differences(game, _replace(game, wheel=wheel))
    assert found.place == "pockets"
    assert (found.left, found.right) == (
        Side(value=37, clause="es-ct 1.II.1"),
        Side(value=38, clause="es-ex 1.2.4"),
    )


def test_maxima_are_compared_bet_by_bet(game: Game) -> None:
    limits = Limits(clause="a", maxima=(Maximum(bets=("red",), times=(10,), clause="b"),))
    (found,) = differences(game, _replace(game, limits=limits))
    assert (found.section, found.place, found.left) == ("limits", "maxima red", None)


def test_an_order_is_compared_as_a_whole(game: Game) -> None:
    payment = _replace(game.payment, order=game.payment.order[::-1])
    (found,) = differences(game, _replace(game, payment=payment))
    assert found.place == "order"


def test_a_section_that_only_one_text_has(game: Game) -> None:
    (found,) = differences(game, _replace(game, provisional_closing=None))
    assert (found.section, found.place, found.right) == ("provisional_closing", "", None)
    assert found.left is not None
    assert found.left.clause == "es-ct 1.V"


def test_it_is_shown_side_by_side(game: Game) -> None:
    other = load_game("es-ex", "french_roulette")
    shown = "\n".join(difference_lines(game, other))
    assert "limit change  es-ct             es-ex\n" in shown
    assert "  policy      allowed           after_last_balls\n" in shown
    assert "              (es-ct 1.IV.2.c)  (es-ex 1.1.4.2.B.a)\n" in shown
    assert "  last balls  –                 3\n" in shown
    assert "provisional closing  es-ct        es-ex\n" in shown


def test_a_rule_of_one_text_alone_is_shown_with_what_it_says(game: Game) -> None:
    own = Rule(id="wheel.turns", clause="es-ct 24.V.3", effect="void", parameters={"turns": 4})
    shown = "\n".join(difference_lines(_replace(game, rules=(*game.rules, own)), game))
    assert "  wheel.turns  effect void, parameters turns 4  –" in shown
    assert "(es-ct 24.V.3)" in shown


@pytest.mark.parametrize(("one", "other"), BOTH, ids=lambda key: "/".join(key))
def test_every_game_that_two_texts_have(one: tuple[str, str], other: tuple[str, str]) -> None:
    lines = list(difference_lines(GAMES[one], GAMES[other]))
    assert [line for line in lines if len(line) > WIDTH] == []
    mirrored = {(d.section, d.place) for d in differences(GAMES[other], GAMES[one])}
    assert {(d.section, d.place) for d in differences(GAMES[one], GAMES[other])} == mirrored
