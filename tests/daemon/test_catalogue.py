"""The texts as data: which games, whose clauses, what is inherited, what is refused, and the hash."""

import re
import tomllib
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import msgspec
import pytest

from daemon.catalogue import source
from daemon.catalogue.errors import CatalogueDataError, GameNotInCatalogue, RuleAbsent, UnknownCatalogue
from daemon.catalogue.families.roulette import Roulette
from daemon.catalogue.families.shoe import ShoeGame
from daemon.catalogue.load import load_game, load_text, make_game
from daemon.catalogue.model import Game, ProvisionalClosing, clause_for, find_rule
from daemon.catalogue.rules import wheel
from daemon.catalogue.source import ParsedText, catalogues, open_text, read_layouts, read_text

FRENCH, AMERICAN, DOUBLE = "french_roulette", "american_roulette", "american_roulette_double_zero"
TEXTS = ("es-1979", "es-ct", "es-ex")
"""The texts that mesad has whole, or as far as its copies go; of others it has parts."""
GAMES = [
    ("es-1979", FRENCH),
    ("es-1979", AMERICAN),
    ("es-ct", FRENCH),
    ("es-ct", AMERICAN),
    ("es-ct", DOUBLE),
    ("es-ex", FRENCH),
    ("es-ex", AMERICAN),
    ("es-ex", DOUBLE),
]
NUMBERING = {
    "es-1979": r"es-1979 (?P<epigraph>0[1-8])(\.[IVX]+(\.\d(\.[A-D])?)?(\.[a-z])?)?",
    "es-ct": r"es-ct (?P<epigraph>\d\d?(\.\d){0,2})(\.[IVX]+(\.\d\d?(\.[A-D]|\.\d)?)?(\.[a-z](\.\d)?)?)?",
    "es-ex": r"es-ex (?P<epigraph>1\.[1-8])(\.\d){0,3}(\.[A-D])?(\.[a-z])?",
}
"""How each of them numbers its places: epigraph, Roman section (es-ex: Arabic), paragraph, letters."""


ALL_GAMES = [(text, game_id) for text in NUMBERING for game_id in load_text(text).games]


def clauses(value: Any) -> list[str]:
    """Every clause in a game, however deep."""
    if isinstance(value, dict):
        own = [v for k, v in value.items() if k.endswith("clause") and isinstance(v, str)]
        return own + [c for v in value.values() for c in clauses(v)]
    if isinstance(value, list | tuple):
        return [c for v in value for c in clauses(v)]
    return []


def test_the_texts_and_their_games() -> None:
    assert catalogues()[:3] == TEXTS
    games = [(text, game) for text in TEXTS for game in load_text(text).games]
    assert [key for key in games if isinstance(load_game(*key), Roulette)] == GAMES
    assert load_text("es-ct").title == "Annex 1, Catàleg de jocs (Catalunya)"
    assert load_text("es-ct").language == "ca"


@pytest.mark.parametrize("text", catalogues())
def test_every_text_says_what_it_rests_on_and_cites_itself(text: str) -> None:
    assert len(load_text(text).rests_on) > 40
    for game_id in load_text(text).games:
        found = clauses(msgspec.to_builtins(load_game(text, game_id)))
        assert found
        assert [c for c in found if not c.startswith(f"{text} ")] == []


STAFF_OF = {
    ("es-ct", "texas_poker"): {"10"},
    ("es-ct", "texas_holdem_bonus"): {"10"},
    ("es-ct", "triple_game"): {"3"},
}
"""The epigraphs of other games whose staff these have, as their texts say."""


def epigraphs(text: str, game_id: str) -> set[str]:
    """Epigraphs of a game, of those it inherits from, and of those it sends to for zero, shoe and staff."""
    game = load_game(text, game_id)
    zero = {"french_roulette"} if hasattr(game, "refait") else set()
    shoe = {"03", "3"} if isinstance(game, ShoeGame) and game.shoe else set()
    staff = STAFF_OF.get((text, game_id), set())
    others = zero | ({game.inherits.game} if game.inherits else set())
    return ({game.epigraph} | shoe | staff).union(*(epigraphs(text, other) for other in others))


@pytest.mark.parametrize(("text", "game_id"), ALL_GAMES)
def test_every_clause_is_a_place_of_the_games_own_text(text: str, game_id: str) -> None:
    found = clauses(msgspec.to_builtins(load_game(text, game_id)))
    assert len(found) > (30 if (text, game_id) in GAMES else 10)
    matches = {clause: re.fullmatch(NUMBERING[text], clause) for clause in found}
    assert [clause for clause, match in matches.items() if match is None] == []
    assert {match["epigraph"] for match in matches.values() if match} <= epigraphs(text, game_id)


@pytest.mark.parametrize(("text", "game_id"), ALL_GAMES)
def test_what_a_table_of_any_game_describes_itself_with(text: str, game_id: str) -> None:
    game = load_game(text, game_id)
    assert (game.text, game.id) == (text, game_id)
    assert set(game.names) == {"es", "ca", "en"}
    assert re.fullmatch("[0-9a-f]{64}", game.hash)


@pytest.mark.parametrize(("text", "game_id"), GAMES)
def test_what_a_roulette_table_describes_itself_with(text: str, game_id: str) -> None:
    game = load_game(text, game_id)
    assert (game.kind, game.family) == ("counterparty", "roulette")
    assert len(game.layout.pockets) == (38 if game_id == DOUBLE else 37)
    assert set(game.layout.colors) == set(game.layout.pockets)


@pytest.mark.parametrize(("text", "game_id"), GAMES)
def test_every_rule_is_checked_and_every_check_has_its_rule(text: str, game_id: str) -> None:
    """The three texts all have the eight rules of the wheel; none has another."""
    all_but_laps = {*wheel.ROUND, *wheel.CLOSING} - {"wheel.ball_laps"}
    assert {rule.id for rule in load_game(text, game_id).rules} == all_but_laps


@pytest.mark.parametrize("text", ["es-2099", "", "../layouts", "texts/es-ct", "es-ct.toml"])
def test_an_unknown_catalogue_is_told_with_those_that_exist(text: str) -> None:
    with pytest.raises(UnknownCatalogue, match="there are: es-1979, es-ct, es-ex") as caught:
        load_game(text, FRENCH)
    assert (caught.value.text, caught.value.clause) == (text, None)


def test_a_double_zero_is_refused_where_the_wheel_has_thirty_seven_pockets() -> None:
    with pytest.raises(GameNotInCatalogue, match="thirty-seven pockets") as caught:
        load_game("es-1979", DOUBLE)
    assert caught.value.clause == "es-1979 01.IV.3.c"
    assert caught.value.games == load_text("es-1979").games
    assert "it has: french_roulette, american_roulette" in str(caught.value)
    assert str(caught.value).endswith("(es-1979 01.IV.3.c)")


def test_a_game_of_which_the_text_says_nothing_is_refused_without_a_clause() -> None:
    with pytest.raises(
        GameNotInCatalogue, match="es-ct does not have the game 'bridge'; it has: french"
    ) as caught:
        load_game("es-ct", "bridge")
    assert caught.value.clause is None


def test_a_game_nearly_named_is_pointed_at() -> None:
    with pytest.raises(GameNotInCatalogue, match=r"'roulette' \(did you mean french_roulette or american"):
        load_game("es-ct", "roulette")
    with pytest.raises(GameNotInCatalogue, match=r"'punto_banca' \(did you mean punto_y_banca or mini_p"):
        load_game("es-ct", "punto_banca")


def test_a_rule_that_the_text_does_not_have_is_not_defaulted() -> None:
    game = load_game("es-ct", FRENCH)
    assert find_rule(game, "fortune_wheel.clockwise") is None
    with pytest.raises(RuleAbsent, match=r"es-ct has no rule 'fortune_wheel\.clockwise' for french_roulette"):
        clause_for(game, "fortune_wheel.clockwise")


# --- inheritance ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "game_id", "parent", "clause"),
    [
        ("es-1979", AMERICAN, FRENCH, "es-1979 02"),
        ("es-ct", AMERICAN, FRENCH, "es-ct 2"),
        ("es-ct", DOUBLE, AMERICAN, "es-ct 2"),
        ("es-ex", AMERICAN, FRENCH, "es-ex 1.2"),
        ("es-ex", DOUBLE, AMERICAN, "es-ex 1.2"),
    ],
)
def test_american_roulette_takes_from_the_french_what_it_does_not_say(
    text: str, game_id: str, parent: str, clause: str
) -> None:
    game, french = load_game(text, game_id), load_game(text, FRENCH)
    assert game.inherits is not None
    assert (game.inherits.game, game.inherits.clause) == (parent, clause)
    assert french.inherits is None
    assert game.rules == french.rules, "and with the French epigraph's own clauses"
    assert game.announcements.void == french.announcements.void
    assert game.wheel.order == french.wheel.order


@pytest.mark.parametrize(("text", "clause"), [("es-1979", "02.IV"), ("es-ct", "2.V"), ("es-ex", "1.2.4")])
def test_american_roulette_has_its_own_zero_and_no_prison(text: str, clause: str) -> None:
    zero = load_game(text, AMERICAN).zero
    assert (zero.clause, zero.numbers, zero.prison) == (f"{text} {clause}", ("0",), None)
    assert load_game(text, FRENCH).zero.prison is not None


@pytest.mark.parametrize(("text", "clause"), [("es-ct", "es-ct 2.V"), ("es-ex", "es-ex 1.2.4")])
def test_the_double_zero_adds_a_pocket_and_the_special_line(text: str, clause: str) -> None:
    single, double = load_game(text, AMERICAN), load_game(text, DOUBLE)
    assert double.wheel.pockets_clause == clause
    assert single.wheel.pockets_clause != clause
    assert double.bets[:-1] == single.bets
    assert (double.bets[-1].id, double.bets[-1].clause) == ("special_line", clause)
    assert double.announcements.zeros["00"].clause == clause
    assert "00" not in single.announcements.zeros
    assert double.announcements.chances == single.announcements.chances


# --- what differs between the texts --------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "game_id", "policy", "balls", "clause"),
    [
        ("es-1979", FRENCH, "forbidden", None, "es-1979 01.IV.2.B.a"),
        ("es-1979", AMERICAN, "forbidden", None, "es-1979 01.IV.2.B.a"),
        ("es-ct", FRENCH, "allowed", None, "es-ct 1.IV.2.c"),
        ("es-ct", AMERICAN, "allowed", None, "es-ct 1.IV.2.c"),
        ("es-ex", FRENCH, "after_last_balls", 3, "es-ex 1.1.4.2.B.a"),
        ("es-ex", AMERICAN, "after_last_balls", 3, "es-ex 1.2.5.2.a"),
        ("es-ex", DOUBLE, "after_last_balls", 3, "es-ex 1.2.5.2.a"),
    ],
)
def test_changing_the_limits_of_a_running_table(
    text: str, game_id: str, policy: str, balls: int | None, clause: str
) -> None:
    change = load_game(text, game_id).limit_change
    assert (change.policy, change.last_balls, change.clause) == (policy, balls, clause)


@pytest.mark.parametrize(
    ("text", "game_id", "clause"),
    [
        ("es-1979", FRENCH, None),
        ("es-1979", AMERICAN, None),
        ("es-ct", FRENCH, "es-ct 1.V"),
        ("es-ct", AMERICAN, "es-ct 2.VII"),
        ("es-ct", DOUBLE, "es-ct 2.VII"),
        ("es-ex", FRENCH, None),
        ("es-ex", DOUBLE, None),
    ],
)
def test_only_catalonia_has_a_provisional_closing(text: str, game_id: str, clause: str | None) -> None:
    closing = load_game(text, game_id).provisional_closing
    assert closing == (ProvisionalClosing(clause=clause) if clause else None)


def test_only_catalonias_american_roulette_has_the_jackpot() -> None:
    side = {key: load_game(*key).side_bets for key in GAMES}
    assert [key for key, bets in side.items() if bets] == [("es-ct", AMERICAN), ("es-ct", DOUBLE)]
    assert side["es-ct", AMERICAN][0].clause == "es-ct 2.I"


# --- the hash ------------------------------------------------------------------------------------


def reload(text: str, game_id: str, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Game:
    """The game made of the package's data after a change to copies of the text and the layouts."""
    data, layouts = deepcopy(read_text(text)), deepcopy(read_layouts())
    change(data, layouts)
    return make_game(ParsedText(data), layouts, game_id)


def test_the_hash_follows_the_games_own_data_and_its_layout() -> None:
    french = load_game("es-ct", FRENCH).hash
    assert load_game("es-ct", AMERICAN).hash != french, "another game"
    assert load_game("es-ex", FRENCH).hash != french, "another text"

    def elsewhere(text: dict[str, Any], layouts: dict[str, Any]) -> None:
        text["games"][AMERICAN]["side_bets"][0]["most"] = [1, 3]

    def other_layout(text: dict[str, Any], layouts: dict[str, Any]) -> None:
        layouts["double_zero"]["zero_splits"].pop()

    def own_layout(text: dict[str, Any], layouts: dict[str, Any]) -> None:
        layouts["single_zero"]["zero_splits"].pop()

    def own_rule(text: dict[str, Any], layouts: dict[str, Any]) -> None:
        text["games"][FRENCH]["rules"].pop()

    assert reload("es-ct", FRENCH, elsewhere).hash == french
    assert reload("es-ct", FRENCH, own_rule).hash != french
    inherits = load_game("es-ct", AMERICAN).hash
    assert reload("es-ct", AMERICAN, own_rule).hash != inherits, "what is inherited is part of the game"
    assert reload("es-ct", FRENCH, other_layout).hash == french
    assert reload("es-ct", FRENCH, own_layout).hash != french


def test_the_hash_is_of_the_data_not_of_its_order_or_layout_on_the_page() -> None:
    data = read_text("es-ct")
    turned = {key: data[key] for key in reversed(data)}
    turned["games"] = {key: data["games"][key] for key in reversed(data["games"])}
    assert make_game(ParsedText(turned), read_layouts(), FRENCH).hash == load_game("es-ct", FRENCH).hash


# --- data that is refused -------------------------------------------------------------------------

French = dict[str, Any]


def unknown_rule(french: French) -> None:
    french["rules"].append({"id": "wheel.no_wind", "clause": "1.IV.3.a", "effect": "void"})


def missing_parameter(french: French) -> None:
    french["rules"][-1]["parameters"] = {}


def unknown_key(french: French) -> None:
    french["zero"]["colour"] = "green"


def unknown_effect(french: French) -> None:
    french["rules"][0]["effect"] = "ignore"


def unknown_layout(french: French) -> None:
    french["wheel"]["layout"] = "triple_zero"


def pays_unknown_bet(french: French) -> None:
    french["payment"]["order"][0].append("neighbours")


def pays_twice(french: French) -> None:
    french["payment"]["order"][0].append("straight")


def limits_unknown_bet(french: French) -> None:
    french["limits"]["maxima"] = [{"bets": ["neighbours"], "times": [5], "clause": "1.IV.2.a"}]


def limits_uneven(french: French) -> None:
    french["limits"]["maxima"] = [
        {"bets": ["red"], "times": [180, 360], "clause": "1.IV.2.a"},
        {"bets": ["straight"], "times": [10], "clause": "1.IV.2.a"},
    ]


def zero_elsewhere(french: French) -> None:
    french["zero"]["numbers"] = ["00"]


def zero_unnamed(french: French) -> None:
    french["announcements"]["zeros"] = {}


def own_parent(french: French) -> None:
    french["inherits"] = {"game": AMERICAN, "clause": "1"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (unknown_rule, r"nothing checks the rule 'wheel.no_wind' \(es-ct 1.IV.3.a\)"),
        (missing_parameter, r"takes the parameters \['closures'\] \(es-ct 1.IV.3.e\)"),
        (unknown_key, r"es-ct french_roulette: .*`colour`.*\$.zero"),
        (unknown_effect, r"'ignore'.*\$.rules"),
        (unknown_layout, "there is no layout 'triple_zero'"),
        (pays_unknown_bet, r"paid but not among the bets: \['neighbours'\] \(es-ct 1.IV.3.c\)"),
        (pays_twice, "paid twice"),
        (limits_unknown_bet, r"limited but not among the bets: \['neighbours'\]"),
        (limits_uneven, "as many multiples"),
        (zero_elsewhere, r"no zeros of this wheel: \['00'\] \(es-ct 1.IV.1.B.b\)"),
        (zero_unnamed, r"no words for \['0'\]"),
        (own_parent, "cannot inherit from"),
    ],
)
def test_a_text_that_makes_no_sense_is_refused(change: Callable[[French], None], says: str) -> None:
    with pytest.raises(CatalogueDataError, match=says):
        reload("es-ct", FRENCH, lambda text, layouts: change(text["games"][FRENCH]))


# --- reading --------------------------------------------------------------------------------------


def test_a_table_parses_only_the_game_that_it_plays_and_those_it_inherits_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[str] = []

    def loads(content: str) -> dict[str, Any]:
        data = tomllib.loads(content)
        parsed.append(data.get("id") or "".join(data.get("games", {})) or "layouts")
        return data

    monkeypatch.setattr(source.rtoml, "loads", loads)
    load_game("es-ex", DOUBLE)
    assert parsed == ["es-ex", "layouts", DOUBLE, AMERICAN, FRENCH]


@pytest.mark.parametrize("text", catalogues())
def test_a_text_cut_into_games_holds_what_it_holds_as_a_whole(text: str) -> None:
    whole, cut = read_text(text), open_text(text)
    assert cut.head == {key: value for key, value in whole.items() if key != "games"}
    assert {game: cut.game(game) for game in cut.games} == whole.get("games", {})
