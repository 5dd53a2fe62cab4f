"""French bank: all throws of three dice, the same evidence under the texts that have it, and its data."""

from fractions import Fraction
from itertools import product
from typing import Any

import msgspec
import pytest

from daemon.catalogue.announcements import announce_chance
from daemon.catalogue.bets.french_bank import edges, guidance, outcome, settle
from daemon.catalogue.bets.settlement import house_edge
from daemon.catalogue.errors import CatalogueDataError, GameNotInCatalogue, NotDice
from daemon.catalogue.families.french_bank import FrenchBank, check
from daemon.catalogue.limits import limits
from daemon.catalogue.load import load_as, load_game, load_text
from daemon.catalogue.rules.dice import (
    DiceSet,
    DiceThrow,
    DiceUse,
    Die,
    Mishap,
    judge_set,
    judge_throw,
    judge_use,
)

TEXTS = {"es-ct": "es-ct 25.V", "es-ex": "es-ex 1.6.5"}
"""Text to the section that its rules of play stand in, of those that have rules for dice."""
ALL_TEXTS = (*TEXTS, "pt")
THROWS = list(product(range(1, 7), repeat=3))


def french_bank(text: str) -> FrenchBank:
    return load_as(FrenchBank, text, "french_bank")


def rest(*faces: int, **mishap: Any) -> DiceThrow:
    """Dice at rest showing these faces, something having happened to the first."""
    first, *others = faces
    return DiceThrow(dice=(Die(face=first, **mishap), *(Die(face=face) for face in others)))


# --- all 216 throws ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ALL_TEXTS)
def test_every_throw_is_aces_small_big_or_decides_nothing(text: str) -> None:
    game = french_bank(text)
    counted: dict[str | None, int] = {}
    for faces in THROWS:
        result = outcome(game, faces)
        total = sum(faces)
        wanted = {3: "aces", 5: "small", 6: "small", 7: "small", 14: "big", 15: "big", 16: "big"}.get(total)
        assert (result.dice, result.total, result.chance) == (faces, total, wanted)
        assert result.decides is (wanted is not None)
        assert result.losers_stand is False
        counted[wanted] = counted.get(wanted, 0) + 1
    assert counted == {"aces": 1, "small": 31, "big": 31, None: 153}


@pytest.mark.parametrize("touched", [False, True])
@pytest.mark.parametrize("text", ALL_TEXTS)
def test_every_throw_settles_every_bet(text: str, touched: bool) -> None:
    """Touched dice cost losers nothing where a text has that rule; Portugal's lets stakes stand meanwhile."""
    game = french_bank(text)
    undecided = "stands" if text == "pt" else "waits"
    for faces in THROWS:
        result = outcome(game, faces, touched=touched)
        fates = {settled.bet: settled.fate for settled in settle(game, result)}
        if result.chance is None:
            assert fates == dict.fromkeys(("aces", "small", "big"), undecided)
        else:
            others = "stands" if touched and text != "pt" else "loses"
            assert fates == {**dict.fromkeys(("aces", "small", "big"), others), result.chance: "wins"}


@pytest.mark.parametrize(("text", "section"), TEXTS.items())
def test_dice_touched_before_the_announcement_pay_the_winner_and_cost_nobody(text: str, section: str) -> None:
    game = french_bank(text)
    result = outcome(game, (1, 1, 1), touched=True)
    assert (result.decides, result.losers_stand) == (True, True)
    assert [(s.bet, s.fate, s.pays, s.clause) for s in settle(game, result)] == [
        ("aces", "wins", game.bets[0].pays, f"{section}.7.a"),
        ("small", "stands", None, f"{section}.3.d"),
        ("big", "stands", None, f"{section}.3.d"),
    ]
    (finding,) = judge_throw(game, msgspec.structs.replace(rest(1, 1, 1), touched_at_rest=True))
    assert (finding.effect, finding.clause) == ("finding", f"{section}.3.d")


def test_where_a_text_does_not_let_losers_stand_they_lose() -> None:
    game = french_bank("es-ct")
    other = msgspec.structs.replace(
        game, rules=tuple(rule for rule in game.rules if rule.id != "dice.untouched_until_announced")
    )
    result = outcome(other, (6, 5, 4), touched=True)
    assert result.losers_stand is False
    assert [s.fate for s in settle(other, result)] == ["loses", "loses", "wins"]


@pytest.mark.parametrize("faces", [(), (1, 1), (1, 1, 1, 1), (0, 1, 2), (1, 2, 7)])
def test_what_is_no_throw_of_three_dice_has_no_outcome(faces: tuple[int, ...]) -> None:
    with pytest.raises(NotDice, match="no throw of 3 dice"):
        outcome(french_bank("es-ct"), faces)


# --- pays and edges ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "section"), TEXTS.items())
def test_the_pays_as_printed(text: str, section: str) -> None:
    assert [(b.id, b.sums, b.pays.pays, b.pays.per, b.clause) for b in french_bank(text).bets] == [
        ("aces", (3,), 61, 1, f"{section}.7.a"),
        ("small", (5, 6, 7), 1, 1, f"{section}.7.b"),
        ("big", (14, 15, 16), 1, 1, f"{section}.7.c"),
    ]


@pytest.mark.parametrize("text", ALL_TEXTS)
def test_every_chance_has_the_same_edge(text: str) -> None:
    """Of 63 throws that decide, 31 each are small and big and one is aces: 31 - 32, and 61 - 62, in 63."""
    assert {edge.bet: edge.edge for edge in edges(french_bank(text))} == {
        "aces": Fraction(1, 63),
        "small": Fraction(1, 63),
        "big": Fraction(1, 63),
    }


def test_a_house_whose_dice_are_always_touched_would_pay_and_never_win() -> None:
    game = french_bank("es-ct")
    settled = [settle(game, outcome(game, faces, touched=True))[1] for faces in THROWS]
    assert house_edge((1, one) for one in settled) == -1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("es-ct", None),
        ("es-ex", {"small": 2000, "big": 2000, "aces": 60}),
        ("pt", {"small": 2000, "big": 2000, "aces": 60}),
    ],
)
def test_extremadura_and_portugal_set_the_same_limits(text: str, wanted: dict[str, int] | None) -> None:
    game = french_bank(text)
    assert (limits(game, 10) if game.limits else None) == wanted
    line = game.line_bet
    assert (line.least, line.most, line.counts.pays, line.counts.per) == (2, 2, 1, 2)


# --- the same evidence under the texts --------------------------------------------------------------

VOID: dict[Mishap, str] = {
    "stacked": "3.b",
    "touches_die": "3.b",
    "cocked": "3.b",
    "wedged": "3.b",
    "on_chip": "3.b",
    "on_rim": "3.b",
    "outside_arena": "3.b",
    "foreign_object": "4.a",
    "off_table": "4.b",
    "broken": "4.b",
    "fouled": "4.b",
    "not_in_cup": "4.c",
    "stayed_in_cup": "4.d",
}
REPLACED = ("off_table", "broken", "fouled")


@pytest.mark.parametrize(("text", "section"), TEXTS.items())
@pytest.mark.parametrize("mishap", VOID)
def test_a_mishap_voids_and_some_of_them_cost_the_set(text: str, section: str, mishap: Mishap) -> None:
    found = judge_throw(french_bank(text), rest(4, 5, 6, **{mishap: True}))
    wanted = [(f"dice.{mishap}", f"{section}.{VOID[mishap]}", "void", {mishap: [1]})]
    if mishap in REPLACED:
        wanted.append(("dice.replace_set", f"{section}.4.b", "reminder", {mishap: [1]}))
    assert [(f.rule, f.clause, f.effect, f.evidence) for f in found] == wanted


@pytest.mark.parametrize(("text", "section"), TEXTS.items())
@pytest.mark.parametrize(
    ("throw", "rule", "paragraph", "effect"),
    [
        (DiceThrow(dice=(Die(rolled=False), Die(), Die())), "dice.rolls", ".3.a", "finding"),
        (DiceThrow(lifted_early=True), "dice.lifted_at_rest", ".3.c", "finding"),
        (DiceThrow(chief_void="a hand in the arena"), "dice.incorrect_throw", ".4", "void"),
    ],
)
def test_what_else_a_throw_may_break(
    text: str, section: str, throw: DiceThrow, rule: str, paragraph: str, effect: str
) -> None:
    found = judge_throw(french_bank(text), throw)
    assert [(f.rule, f.clause, f.effect) for f in found] == [(rule, f"{section}{paragraph}", effect)]


@pytest.mark.parametrize("text", TEXTS)
def test_bets_are_open_until_the_announcement_and_no_wall_is_asked_for(text: str) -> None:
    dice = tuple(Die(face=2, wall_touched=False, rolled=True) for _ in range(3))
    assert judge_throw(french_bank(text), DiceThrow(dice=dice, bets_closed=False)) == ()
    assert judge_throw(french_bank(text), rest(4, 5, 6, in_reserve=True)) == ()


@pytest.mark.parametrize(("text", "place"), [("es-ct", "es-ct 25.II.3"), ("es-ex", "es-ex 1.6.2.3")])
def test_the_sets_of_dice(text: str, place: str) -> None:
    game = french_bank(text)
    assert judge_set(game, DiceSet(sets=3, edges_mm=(12, 12, 12), colors=1, transparent=True)) == ()
    for dice, rule in (
        (DiceSet(sets=2), "dice.sets"),
        (DiceSet(edges_mm=(11.9,) * 3), "dice.edge"),
        (DiceSet(edges_mm=(15.1,) * 3), "dice.edge"),
        (DiceSet(edges_mm=(13, 13, 14)), "dice.equal_edges"),
        (DiceSet(colors=2), "dice.colors"),
        (DiceSet(transparent=False), "dice.transparent"),
        (DiceSet(defective=("2",)), "dice.set_intact"),
    ):
        assert [(f.rule, f.clause, f.effect) for f in judge_set(game, dice)] == [(rule, place, "refuse")]
    (seized,) = judge_set(game, DiceSet(suspected_by="a player"))
    assert (seized.rule, seized.clause) == ("dice.suspected_seized", f"{TEXTS[text]}.2")


@pytest.mark.parametrize(("text", "section"), TEXTS.items())
def test_sets_rotate_and_throwers_are_relieved_by_the_hour(text: str, section: str) -> None:
    game = french_bank(text)
    assert judge_use(game, DiceUse(set_s=3600, thrower_s=3600)) == ()
    found = judge_use(game, DiceUse(set_s=3600.5, thrower_s=3600.5))
    assert [(f.rule, f.clause, f.effect) for f in found] == [
        ("dice.set_rotated", f"{section}.1", "finding"),
        ("dice.thrower_relieved", f"{section}.8", "finding"),
    ]
    excused = judge_use(game, DiceUse(set_s=1, thrower_s=9999, force_majeure="the relief fell ill"))
    assert excused == ()


def test_spain_in_1979_had_no_french_bank() -> None:
    with pytest.raises(GameNotInCatalogue):
        load_game("es-1979", "french_bank")


def test_portugals_text_has_the_bets_and_owns_that_it_has_no_rules_for_dice() -> None:
    game = french_bank("pt")
    assert [(b.id, b.sums, b.pays.pays, b.clause) for b in game.bets] == [
        ("aces", (3,), 61, "pt 808/2015, 24.a"),
        ("small", (5, 6, 7), 1, "pt 808/2015, 24.b"),
        ("big", (14, 15, 16), 1, "pt 808/2015, 24.c"),
    ]
    assert {s.clause for s in settle(game, outcome(game, (4, 4, 4)))} == {"pt 808/2015, 17"}
    assert (game.dice.edge_mm, game.dice.sets, game.apparatus, game.collection) == (None,) * 4
    assert "was not read" in game.notes[0].text
    assert "annex nothing is encoded" in load_text("pt").rests_on
    with pytest.raises(GameNotInCatalogue, match=r"the annex that holds its rules was not read.*2007, 2\.º"):
        load_game("pt", "craps")


# --- words and data ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "faces", "language", "said"),
    [
        ("es-ct", (1, 1, 1), "ca", "asos"),
        ("es-ct", (1, 2, 3), "ca", "petit"),
        ("es-ex", (4, 5, 6), "es", "grande"),
        ("es-ex", (2, 2, 2), "es", "pequeño"),
        ("es-ex", (4, 4, 4), "es", "12"),
        ("es-ct", (6, 6, 6), "en", "18"),
        ("pt", (6, 6, 6), "en", "no decision"),
        ("pt", (6, 5, 5), "es", "grande"),
    ],
)
def test_the_winning_chance_is_announced(text: str, faces: tuple[int, ...], language: Any, said: str) -> None:
    game = french_bank(text)
    assert announce_chance(game, outcome(game, faces), language) == said


@pytest.mark.parametrize(
    ("text", "faces", "touched", "wanted"),
    [
        ("es-ct", (4, 4, 4), False, [("The sum 12 decides nothing: throw the dice again", "25.V.5")]),
        ("es-ex", (4, 4, 4), True, [("The sum 12 decides nothing: throw the dice again", "1.6.5.5")]),
        (
            "pt",
            (1, 1, 2),
            False,
            [
                ("The sum 4 decides nothing: throw the dice again", "808/2015, 15"),
                ("Stakes may be taken back or changed before the next throw", "808/2015, 17"),
            ],
        ),
        (
            "es-ct",
            (1, 2, 3),
            True,
            [("Dice touched before the announcement: pay small; nobody loses", "25.V.3.d")],
        ),
        (
            "es-ex",
            (1, 2, 3),
            False,
            [("Take in what is lost, counter-clockwise and from aces on; pay after that", "1.6.5.6")],
        ),
        ("pt", (1, 2, 3), False, []),
    ],
)
def test_what_the_croupiers_do(
    text: str, faces: tuple[int, ...], touched: bool, wanted: list[tuple[str, str]]
) -> None:
    game = french_bank(text)
    found = guidance(game, outcome(game, faces, touched=touched))
    assert [(one.text, one.clause.removeprefix(text + " ")) for one in found] == wanted


def test_data_that_contradicts_itself_is_refused() -> None:
    game = french_bank("es-ct")
    aces, small, big = game.bets
    replace = msgspec.structs.replace

    def refused(says: str, **changes: Any) -> None:
        with pytest.raises(CatalogueDataError, match=says):
            check(replace(game, **changes))

    refused("no sums of 3 dice", bets=(replace(aces, sums=(2,)), small, big))
    refused("share a sum", bets=(aces, replace(small, sums=(3, 5)), big))
    refused("no words for", announcements=replace(game.announcements, words={}))
    refused("on the line but not among the bets", bets=(aces, small))
    refused("collected but not among the bets", bets=(small, big))
