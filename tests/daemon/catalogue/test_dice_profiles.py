"""Dice games of texts that say less than the three: South Dakota's craps and France's sic bo."""

import pytest

from daemon.catalogue.announcements import announce_dice
from daemon.catalogue.bets.craps import edges, next_point, outcome, settle
from daemon.catalogue.bets.craps_limits import maxima
from daemon.catalogue.bets.sic_bo import edges as sic_bo_edges
from daemon.catalogue.bets.sic_bo import outcome as sic_bo_outcome
from daemon.catalogue.errors import LimitRefused
from daemon.catalogue.families.craps import Craps
from daemon.catalogue.families.sic_bo import SicBo
from daemon.catalogue.load import load_as
from daemon.catalogue.rules.craps import DiceChange, allowances, judge_change
from daemon.catalogue.rules.dice import DiceSet, DiceThrow, DiceUse, Die, judge_set, judge_throw, judge_use


def craps() -> Craps:
    return load_as(Craps, "us-sd", "craps")


def sic_bo() -> SicBo:
    return load_as(SicBo, "fr-2007", "sic_bo")


@pytest.mark.parametrize(
    ("text", "leaning", "wedged"),
    [
        ("es-1979", "void", "void"),
        ("es-ct", None, None),
        ("es-ex", "void", "void"),
        ("us-sd", None, "void"),
    ],
)
def test_a_die_that_rests_on_chips(text: str, leaning: str | None, wedged: str | None) -> None:
    """Void in two texts, valid in Catalonia, and in South Dakota so long as only one side rests on them."""
    game = load_as(Craps, text, "craps")
    on_one = DiceThrow(dice=(Die(face=3), Die(face=4, on_chip=True, cocked=True)))
    on_two = DiceThrow(dice=(Die(face=3), Die(face=4, on_chip=True, cocked=True, wedged=True)))
    assert [finding.effect for finding in judge_throw(game, on_one)] == ([leaning] if leaning else [])
    assert [finding.effect for finding in judge_throw(game, on_two)] == ([wedged] if wedged else [])


def test_south_dakota_says_so_itself() -> None:
    leaning = DiceThrow(dice=(Die(on_chip=True), Die()))
    assert [(one.mishap, one.clause) for one in allowances(craps(), leaning)] == [
        ("on_chip", "us-sd 20:18:33:07")
    ]
    (void,) = judge_throw(craps(), DiceThrow(dice=(Die(wedged=True), Die())))
    assert (void.rule, void.clause) == ("dice.wedged", "us-sd 20:18:33:07")
    (short,) = judge_throw(craps(), DiceThrow(dice=(Die(wall_touched=False), Die(wall_touched=True))))
    assert (short.rule, short.effect, short.clause) == ("dice.touches_wall", "finding", "us-sd 20:18:33:06")


def test_dice_of_three_quarters_of_an_inch() -> None:
    least, greatest = round(0.750 * 25.4, 3), round(0.775 * 25.4, 3)
    assert craps().dice.edge_mm == (least, greatest)
    for edge in (least, greatest):
        assert judge_set(craps(), DiceSet(edges_mm=(edge,), count=5)) == ()
    found = judge_set(craps(), DiceSet(edges_mm=(19.0, 20.0), count=4))
    assert [(one.rule, one.clause) for one in found] == [
        ("dice.edge", "us-sd 20:18:19:10"),
        ("dice.set_size", "us-sd 20:18:33:05"),
    ]
    assert found[0].evidence["edges_mm"] == [19.0, 20.0]


def test_of_what_was_not_read_nothing_is_said() -> None:
    game = craps()
    assert settle(game, 6, (3, 4)) == ()
    assert edges(game) == ()
    assert outcome(game, 6, (3, 4)).bets == ()
    assert outcome(game, 6, (3, 4)).seven_out is True
    assert next_point(None, (2, 2)) == 4
    with pytest.raises(LimitRefused, match="us-sd says nothing of limits"):
        maxima(game, 5, 100)
    assert judge_change(game, DiceChange(by="thrower", point=6)) == ()
    assert judge_use(game, DiceUse(throws=100, change_after=50)) == ()
    assert judge_throw(game, DiceThrow(dice=(Die(off_table=True), Die(broken=True)), bets_closed=False)) == ()
    assert {note.clause for note in game.notes if note.kind == "missing"} >= {
        "us-sd 20:18:33:02",
        "us-sd 20:18:33:04",
        "us-sd 20:18:33:06",
    }


@pytest.mark.parametrize("mishap", ["broken", "stacked", "cocked"])
def test_frances_sic_bo_is_void_unless_the_dice_lie_flat(mishap: str) -> None:
    throw = DiceThrow(dice=(Die(face=1), Die(face=2), Die(**{mishap: True})))
    found = judge_throw(sic_bo(), throw)
    assert [(one.rule, one.effect, one.clause) for one in found] == [
        (f"dice.{mishap}", "void", "fr-2007 55-23")
    ]
    elsewhere = judge_throw(load_as(SicBo, "es-ct", "sic_bo"), DiceThrow(dice=(Die(cocked=True),)))
    assert elsewhere == (), "no clause of Catalonia's names a die that leans"


def test_a_shaker_that_fails_voids_and_open_bets_do_not() -> None:
    (found,) = judge_throw(sic_bo(), DiceThrow(incorrect=("motion",), bets_closed=False))
    assert (found.rule, found.effect) == ("dice.incorrect_throw", "void")


def test_france_has_the_dice_called_out_from_the_lowest_and_no_sum() -> None:
    assert announce_dice(sic_bo(), sic_bo_outcome(sic_bo(), (6, 4, 3))) == "3, 4, 6"
    assert sic_bo_edges(sic_bo()) == ()
    assert sic_bo().dice.edge_mm is None
    chief = next(one for one in sic_bo().staff if one.role == "table_chief")
    assert chief.tables == 2
