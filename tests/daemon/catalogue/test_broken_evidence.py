"""Evidence that nobody can have seen is refused by every judge, whatever the game."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.catalogue.errors import BrokenEvidence, CatalogueError, NotACard
from daemon.catalogue.load import load_all, load_game
from daemon.catalogue.model import Game
from daemon.catalogue.rules import (
    baccarat,
    blackjack,
    craps,
    deal,
    dice,
    fortune_wheel,
    monte,
    pai_gow,
    session,
    shoe,
    trente_et_quarante,
    wheel,
)
from daemon.catalogue.rules.judging import Check, require_sound
from daemon.records import Finding
from drivers.readings import Turns

GAMES = load_all()

Judge = Callable[[Any, Any], tuple[Finding, ...]]

JUDGES: tuple[tuple[Judge, type[msgspec.Struct], Mapping[str, Check]], ...] = (
    (wheel.judge, wheel.Evidence, wheel.ROUND),
    (wheel.judge_closing, wheel.Closing, wheel.CLOSING),
    (fortune_wheel.judge, fortune_wheel.Evidence, fortune_wheel.SPIN),
    (deal.judge, deal.Evidence, deal.ROUND),
    (dice.judge_throw, dice.DiceThrow, dice.THROW),
    (dice.judge_set, dice.DiceSet, dice.SET),
    (dice.judge_use, dice.DiceUse, dice.USE),
    (craps.judge_change, craps.DiceChange, craps.CHANGE),
    (pai_gow.judge, pai_gow.Evidence, pai_gow.ROUND),
    (shoe.judge_opening, shoe.Opening, shoe.OPENING),
    (shoe.judge, shoe.Hand, shoe.HAND),
    (monte.judge, monte.Hand, monte.HAND),
    (trente_et_quarante.judge, trente_et_quarante.Hand, trente_et_quarante.HAND),
    (baccarat.judge, baccarat.Evidence, baccarat.HAND),
    (blackjack.judge, blackjack.Evidence, blackjack.HAND),
)
"""Every judge with its evidence and the rules that it judges by."""

NEEDED = {"by": "thrower", "point": None, "lid": None}
"""What evidence cannot be made without."""

JUNK = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=2)
VALUES = st.recursive(
    JUNK | st.sampled_from(["As", "Th", "7o", "XX", "player", "bank", "cw"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(JUNK | st.sampled_from(["player", "bank"]), inner, max_size=2)
    ),
    max_leaves=6,
)


def judged_by(rules: Mapping[str, Check]) -> list[Game]:
    """A game of each family whose text has some of these rules."""
    games = [game for game in GAMES.values() if any(rule.id in rules for rule in game.rules)]
    return list({game.family: game for game in games}.values())


@pytest.mark.parametrize(("judge", "kind", "rules"), JUDGES, ids=lambda each: getattr(each, "__name__", ""))
@given(data=st.data())
def test_judges_refuse_what_they_do_not_understand(
    judge: Judge, kind: type[msgspec.Struct], rules: Mapping[str, Check], data: st.DataObject
) -> None:
    names = [field.name for field in msgspec.structs.fields(kind)]
    said = data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=4))
    needed = {name: value for name, value in NEEDED.items() if name in names}
    evidence = kind(**{**needed, **said})
    for game in judged_by(rules):
        try:
            found = judge(game, evidence)
        except CatalogueError:
            continue
        require_sound(evidence)  # what was judged is as its class says
        assert all(isinstance(finding, Finding) for finding in found)


@pytest.mark.parametrize("turns", [math.nan, math.inf, -math.inf, -1.0, True, "5", 10**400, [5.0]])
def test_no_figure_is_not_enough_turns(turns: Any) -> None:
    game = load_game("es-ex", "fortune_wheel")
    for between in (Turns(turns, 5.0), Turns(4.0, turns)):
        evidence = fortune_wheel.Evidence(turns=between, turns_after_second=between, pushes=2)
        with pytest.raises(BrokenEvidence):
            fortune_wheel.judge(game, evidence)


@pytest.mark.parametrize("laps", [-1, math.nan, math.inf, True, 5.0])
def test_no_figure_is_not_enough_laps(laps: Any) -> None:
    with pytest.raises(BrokenEvidence):
        wheel.judge(load_game("es-ct", "french_roulette"), wheel.Evidence(laps=laps))


@pytest.mark.parametrize("face", [0, 7, True, 1.0, math.nan, "1"])
def test_a_die_shows_one_to_six(face: Any) -> None:
    throw = dice.DiceThrow(dice=(dice.Die(face=face), dice.Die(face=1)))
    with pytest.raises(BrokenEvidence):
        dice.judge_throw(load_game("es-ct", "craps"), throw)


def test_what_only_reads_like_a_die_is_none() -> None:
    for die in ({}, {"face": 3}):
        with pytest.raises(BrokenEvidence):
            dice.judge_throw(load_game("es-ct", "craps"), dice.DiceThrow(dice=(die,)))  # type: ignore[arg-type]


@pytest.mark.parametrize("edge", [math.nan, math.inf, -20.0, True])
def test_edges_are_lengths(edge: Any) -> None:
    with pytest.raises(BrokenEvidence):
        dice.judge_set(load_game("es-ct", "craps"), dice.DiceSet(edges_mm=(20.0, edge)))


@pytest.mark.parametrize("notice", [math.nan, math.inf, -1.0])
def test_a_notice_is_a_time(notice: float) -> None:
    with pytest.raises(BrokenEvidence):
        dice.remind(load_game("es-ct", "trijoker"), dice.DiceUse(set_s=0.0), notice)


@pytest.mark.parametrize("code", ["XX", "", "T", "Jk"])
def test_an_exposed_card_is_one_of_the_pack(code: str) -> None:
    game = next(
        game for game in GAMES.values() if any(rule.id == "deal.exposed_common_from" for rule in game.rules)
    )
    with pytest.raises(NotACard):
        deal.judge(game, deal.Evidence(exposed=(deal.Exposed(place="common", card=code),)))


@pytest.mark.parametrize("evidence", [None, {}, "void", 4])
def test_what_is_no_evidence_at_all(evidence: Any) -> None:
    with pytest.raises(BrokenEvidence):
        wheel.judge(load_game("es-ct", "french_roulette"), evidence)


def test_what_tables_share_is_refused_too() -> None:
    game = load_game("es-ct", "craps")
    for judge, evidence in (
        (session.judge_provisional_closing, session.ProvisionalClosing(bank_locked=0)),
        (session.judge_table_closing, session.TableClosing(announced=math.nan)),
        (session.judge_table_closing, session.TableClosing(announced=3, played=-1)),
    ):
        with pytest.raises(BrokenEvidence):
            judge(game, evidence)
