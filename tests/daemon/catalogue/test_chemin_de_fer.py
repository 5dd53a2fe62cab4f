"""Chemin de fer and baccarat with two tableaux: choices, hands out of a stream, and the texts."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from changed_texts import changed
from hypothesis import given
from hypothesis import strategies as st

from daemon.catalogue.bets.baccarat import (
    Action,
    Awaited,
    bank_actions,
    bank_actions_against,
    deal,
    outcome,
    player_actions,
    two_outcomes,
)
from daemon.catalogue.cards import Card, pack, parse_all
from daemon.catalogue.errors import CatalogueDataError, LimitRefused
from daemon.catalogue.families.baccarat import Drawing
from daemon.catalogue.families.chemin_de_fer import CheminDeFer
from daemon.catalogue.families.punto_banco import PuntoBanco
from daemon.catalogue.families.two_tableaux import TwoTableaux
from daemon.catalogue.limits import limits
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Ratio, find_rule
from daemon.catalogue.rules.baccarat import Evidence, judge
from daemon.outcomes import TwoTableauxOutcome

DRAW, STAND, BOTH = ("draw",), ("stand",), ("draw", "stand")


def chemin() -> CheminDeFer:
    return load_as(CheminDeFer, "es-ct", "chemin_de_fer")


def tableaux() -> TwoTableaux:
    return load_as(TwoTableaux, "es-ct", "baccarat_two_tableaux")


def drawing() -> Drawing:
    found = chemin().drawing
    assert found is not None
    return found


def cards(codes: str) -> tuple[Card, ...]:
    return parse_all(codes)


# --- who may choose -----------------------------------------------------------------------------------


def test_the_player_draws_to_four_chooses_with_five_and_stands_on_six() -> None:
    for rules in (drawing(), tableaux().drawing):
        assert [player_actions(rules, total) for total in range(10)] == [DRAW] * 5 + [BOTH] + [STAND] * 4


def test_who_holds_the_whole_bank_chooses_with_every_total_but_a_natural() -> None:
    free = [player_actions(drawing(), total, banco=True) for total in range(10)]
    assert free == [BOTH] * 8 + [STAND] * 2
    punto = load_as(PuntoBanco, "es-ct", "punto_y_banca").drawing
    assert player_actions(punto, 3, banco=True) == DRAW


def test_by_the_table_the_bank_has_two_choices_and_is_else_as_in_punto_y_banca() -> None:
    punto = load_as(PuntoBanco, "es-ct", "punto_y_banca").drawing
    for rules in (drawing(), tableaux().drawing):
        for total, third in product(range(10), [None, *range(10)]):
            wanted = BOTH if (total, third) in ((5, 4), (3, 9)) else bank_actions(punto, total, third)
            assert bank_actions(rules, total, third) == wanted, (total, third)


def test_without_the_table_the_bank_draws_with_zero_and_else_chooses() -> None:
    for third in (None, *range(10)):
        free = [bank_actions(drawing(), total, third, by_table=False) for total in range(10)]
        assert free == [DRAW] + [BOTH] * 7 + [STAND] * 2
    punto = load_as(PuntoBanco, "es-ct", "punto_y_banca").drawing
    assert bank_actions(punto, 6, 2, by_table=False) == STAND, "no choice where the text has none"


def test_against_two_tableaux_the_table_binds_where_it_says_the_same() -> None:
    rules = tableaux().drawing
    assert bank_actions_against(rules, 6, [6, 7]) == DRAW
    assert bank_actions_against(rules, 6, [6, 5]) == BOTH
    assert bank_actions_against(rules, 6, [None, 5]) == STAND
    assert bank_actions_against(rules, 5, [4, 4], bound=True) == DRAW
    assert bank_actions_against(rules, 6, [6], by_table=False) == BOTH
    assert bank_actions_against(rules, 6, [6], by_table=False, bound=True) == DRAW
    assert bank_actions_against(rules, 6, [5], by_table=False, bound=True) == STAND


# --- hands out of a stream -----------------------------------------------------------------------------


def test_a_five_waits_for_the_players_choice_and_the_bank_for_its_own() -> None:
    game = chemin()
    assert game.deal is not None
    five = cards("2h Ks 3h 5s 4d 9c")

    def coup(count: int, **calls: Action) -> Any:
        return deal(game.deal, drawing(), five[:count], calls=calls)  # type: ignore[arg-type]

    assert coup(3).awaits == Awaited("first_cards")
    assert coup(4).awaits == Awaited("choice", "player")
    assert coup(6).awaits == Awaited("choice", "player"), "no card says who chose it"
    assert coup(4, player="draw").awaits == Awaited("card", "player")
    assert coup(5, player="draw").awaits == Awaited("choice", "bank"), "five against a four"
    assert coup(5, player="draw", bank="stand").awaits is None
    whole = coup(6, player="draw", bank="draw")
    assert (whole.awaits, whole.surplus) == (None, ())
    assert whole.hands == {"player": ("2h", "3h", "4d"), "bank": ("Ks", "5s", "9c")}
    stood = coup(5, player="stand")
    assert stood.hands == {"player": ("2h", "3h"), "bank": ("Ks", "5s", "4d")}, "the bank draws with five"


def test_a_hand_in_which_nobody_may_choose_needs_no_word() -> None:
    game = chemin()
    assert game.deal is not None
    coup = deal(game.deal, drawing(), cards("2h Ks 2d 4s 6d 9c"))
    assert coup.awaits is None
    seen = outcome(drawing(), coup.hands["player"], coup.hands["bank"])
    assert (seen.player_total, seen.bank_total, seen.winner, seen.natural) == (0, 3, "bank", False)
    tie = outcome(drawing(), cards("Kh 7d"), cards("Ks 7s"))
    assert tie.winner == "tie"


def test_the_two_tableaux_get_their_cards_before_the_bank() -> None:
    game = tableaux()
    stream = cards("2h 3c Ks 2d Td 4s 6d 7c 9c")
    awaited = [deal(game.deal, game.drawing, stream[:count]).awaits for count in range(4, 10)]
    assert awaited == [
        Awaited("first_cards"),
        Awaited("first_cards"),
        Awaited("card", "first"),
        Awaited("card", "second"),
        Awaited("card", "bank"),
        None,
    ]
    assert deal(game.deal, game.drawing, stream).hands == {
        "first": ("2h", "2d", "6d"),
        "second": ("3c", "Td", "7c"),
        "bank": ("Ks", "4s", "9c"),
    }


def test_a_tableau_that_stands_leaves_the_next_card_to_the_bank() -> None:
    game = tableaux()
    coup = deal(game.deal, game.drawing, cards("2h 3c Ks 2d 4d 6s 6d 7c"))
    assert (coup.hands["first"], coup.hands["second"]) == (("2h", "2d", "6d"), ("3c", "4d"))
    assert coup.awaits == Awaited("choice", "bank"), "the table says draw against six, stand against none"


def test_one_tableaus_natural_lets_the_other_play_and_binds_the_bank() -> None:
    game = tableaux()
    stream = cards("Kh 3c Ks 9d Td 3s 9h Tc")
    coup = deal(game.deal, game.drawing, stream)
    assert coup.hands == {"first": ("Kh", "9d"), "second": ("3c", "Td", "9h"), "bank": ("Ks", "3s", "Tc")}
    assert coup.awaits is None, "three against a nine is a choice, but not for a bank that is bound"
    seen = two_outcomes(game.drawing, *(coup.hands[hand] for hand in ("first", "second", "bank")))
    assert seen == TwoTableauxOutcome(
        first=("Kh", "9d"),
        second=("3c", "Td", "9h"),
        bank=("Ks", "3s", "Tc"),
        first_total=9,
        second_total=2,
        bank_total=3,
        first_winner="player",
        second_winner="bank",
        natural=True,
    )


def test_a_tableau_with_a_natural_does_not_count_for_what_the_bank_has_to_do() -> None:
    game = tableaux()
    coup = deal(game.deal, game.drawing, cards("Kh 3c Ks 9d Td 3s 8h"), by_table=False)
    assert coup.hands["second"] == ("3c", "Td", "8h")
    assert (coup.awaits, coup.hands["bank"]) == (None, ("Ks", "3s")), "three stands against an eight"


def test_naturals_of_all_who_play_against_the_bank_end_the_hand_as_the_banks_does() -> None:
    game = tableaux()
    both = deal(game.deal, game.drawing, cards("Kh 3c Ks 9d 5d 3s"))
    assert both.awaits is None
    bank = deal(game.deal, game.drawing, cards("Kh 3c Ks 2d 5d 8s 4c"))
    assert (bank.awaits, bank.surplus) == (None, ("4c",))


def test_only_with_two_tableaux_an_eight_of_two_cards_beats_a_nine_of_three() -> None:
    eight, nine = cards("Ks 8s"), cards("2h 2d 5c")
    assert two_outcomes(tableaux().drawing, nine, cards("Kh 8d"), eight).first_winner == "bank"
    assert two_outcomes(tableaux().drawing, nine, cards("Kh 8d"), eight).second_winner == "tie"
    assert two_outcomes(tableaux().drawing, eight, cards("2c 3h"), nine).first_winner == "player"
    assert outcome(drawing(), nine, eight).winner == "player"


STREAMS = st.lists(st.sampled_from(pack()), max_size=12).map(tuple)
CALLS = st.dictionaries(
    st.sampled_from(["player", "first", "second", "bank"]), st.sampled_from(["draw", "stand"])
)


@given(cards=STREAMS, calls=CALLS, banco=st.booleans(), by_table=st.booleans())
def test_every_card_of_a_stream_is_somebodys_or_waits(
    cards: tuple[Card, ...], calls: Any, banco: bool, by_table: bool
) -> None:
    one, two = chemin(), tableaux()
    assert one.deal is not None
    for order, rules in ((one.deal, drawing()), (two.deal, two.drawing)):
        coup = deal(order, rules, cards, calls=calls, banco=banco, by_table=by_table)
        held = [card for hand in coup.hands.values() for card in hand]
        assert all(len(hand) <= 3 for hand in coup.hands.values())
        assert Counter(held) + Counter(coup.surplus) <= Counter(cards)
        if coup.awaits is None:
            assert Counter(held) + Counter(coup.surplus) == Counter(cards)
            assert all(len(hand) >= 2 for hand in coup.hands.values())
        elif coup.awaits.need != "choice":
            assert Counter(held) == Counter(cards), "a card is awaited only when none is left over"


# --- the texts ---------------------------------------------------------------------------------------------


def test_what_the_house_keeps_of_the_banks_winnings() -> None:
    assert [(each.part, each.bank, each.clause) for each in chemin().deductions] == [
        (Ratio(1, 20), None, "es-ct 8.V")
    ]
    assert [(each.part, each.bank, each.clause) for each in tableaux().deductions] == [
        (Ratio(1, 50), "limited", "es-ct 9.V.3"),
        (Ratio(1, 80), "open", "es-ct 9.V.3"),
    ]
    stake = chemin().bank_stake
    assert stake is not None
    assert (stake.least_times, stake.most_times, stake.garage_over_times) == (1, 100, 50)


def test_three_at_most_may_bet_with_the_bank() -> None:
    backers = chemin().backers
    assert backers is not None
    assert (backers.most, backers.clause) == (3, "es-ct 8.VI")


def test_with_two_tableaux_the_authorisation_has_the_limits() -> None:
    assert limits(tableaux(), 5) is None
    with pytest.raises(LimitRefused) as caught:
        limits(tableaux(), 5, 100)
    assert caught.value.clause == "es-ct 9.V.1"


def test_the_two_games_need_other_shoes() -> None:
    one, other = chemin(), tableaux()
    assert one.stop_card is not None
    assert other.stop_card is not None
    assert (one.stop_card.beneath, other.stop_card.beneath) == (7, 10)
    assert (one.packs.new, other.packs.new) == (None, True)
    assert find_rule(one, "shoe.new_cards") is None
    assert find_rule(other, "shoe.new_cards") is not None
    assert {one.kind, other.kind} == {"circle"}


def test_spains_chemin_de_fer_is_cut_short_and_says_so() -> None:
    game = load_as(CheminDeFer, "es-1979", "chemin_de_fer")
    assert (game.drawing, game.deal, game.stop_card, game.announcements) == (None, None, None, None)
    assert [(note.kind, note.clause) for note in game.notes if note.kind == "missing"] == [
        ("missing", "es-1979 08.V")
    ]
    assert judge(game, Evidence(hands={"player": cards("2h 4h 3d"), "bank": cards("Ks 7s")})) == ()


@pytest.mark.parametrize("part", ["drawing", "deal"])
def test_a_rule_of_drawing_without_its_rules_is_refused(part: str) -> None:
    with pytest.raises(CatalogueDataError, match=r"baccarat\.natural_ends has no rules of drawing"):
        changed("es-ct", "chemin_de_fer", lambda game: game.pop(part))


@pytest.mark.parametrize(
    ("game_id", "part"), [("chemin_de_fer", "seats"), ("baccarat_two_tableaux", "players_per_hand")]
)
def test_enough_players_without_their_number_are_refused(game_id: str, part: str) -> None:
    with pytest.raises(CatalogueDataError, match="how many players are enough is not said"):
        changed("es-ct", game_id, lambda game: game.pop(part))


def test_two_tableaux_with_one_hand_are_refused() -> None:
    one_hand = {"order": ["first", "bank", "first", "bank"]}
    with pytest.raises(CatalogueDataError, match="the first tableau, the second and the bank"):
        changed("es-ct", "baccarat_two_tableaux", lambda game: game["deal"].update(one_hand))
