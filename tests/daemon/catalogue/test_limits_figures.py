"""Minimum and multiple are whole numbers; what only compares as one is refused, in every game."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.catalogue.errors import LimitRefused, MinimumRefused
from daemon.catalogue.figures import is_whole
from daemon.catalogue.limits import check_maximum, limits
from daemon.catalogue.load import load_all, load_game

GAMES = load_all()
FIGURES = st.none() | st.booleans() | st.integers(-2, 600) | st.floats() | st.text(max_size=2)


@pytest.mark.parametrize("minimum", [0, -1, True, 1.0, 5.5, math.nan, math.inf, None, "5"])
@pytest.mark.parametrize("key", GAMES, ids="/".join)
def test_no_minimum(key: tuple[str, str], minimum: Any) -> None:
    with pytest.raises(MinimumRefused):
        limits(GAMES[key], minimum)


@given(game=st.sampled_from(list(GAMES.values())), minimum=FIGURES, multiple=FIGURES)
def test_maxima_are_whole_numbers_of_units(game: Any, minimum: Any, multiple: Any) -> None:
    try:
        found = limits(game, minimum, multiple)
    except LimitRefused:
        return
    assert is_whole(minimum, 1)
    assert multiple is None or is_whole(multiple, 1)
    assert found is None or all(is_whole(most, minimum) for most in found.values())


def test_a_multiple_is_no_truth_value_and_no_fraction() -> None:
    game = load_game("es-ex", "french_roulette")
    assert game.limits is not None
    first = game.limits.multiples[0]
    assert limits(game, 5, first)
    for multiple in (float(first), str(first), True, math.nan):
        with pytest.raises(LimitRefused):
            limits(game, 5, multiple)


@pytest.mark.parametrize("times", [0, -1, True, 200.0, math.nan, math.inf, None, "200"])
def test_a_maximum_that_is_none(times: Any) -> None:
    with pytest.raises(LimitRefused):
        check_maximum(load_game("es-ct", "craps"), "win", times)
