"""Games dealt by a plan as data: every figure of the text typed in once more, and data that is refused."""

from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest

from daemon.catalogue.families.circle_poker import CirclePoker
from daemon.catalogue.families.deal import (
    LINES,
    BankDeal,
    DealtGame,
    burns_due,
    cards_due,
    cards_up,
)
from daemon.catalogue.load import load_as, load_game, load_text
from daemon.catalogue.model import Ratio

BANK = [game_id for game_id in load_text("es-ct").games if isinstance(load_game("es-ct", game_id), BankDeal)]
CIRCLE = [id_ for id_ in load_text("es-ct").games if isinstance(load_game("es-ct", id_), CirclePoker)]


@cache
def bank(game_id: str) -> BankDeal:
    return load_as(BankDeal, "es-ct", game_id)


@cache
def circle(game_id: str) -> CirclePoker:
    return load_as(CirclePoker, "es-ct", game_id)


def any_game(game_id: str) -> DealtGame:
    return circle(game_id) if game_id in CIRCLE else bank(game_id)


def number(ratio: Ratio | None) -> Fraction | None:
    return None if ratio is None else Fraction(ratio.pays, ratio.per)


# --- equipment, seats, the plan -----------------------------------------------------------------


def test_stakes_on_a_box_and_where_paying_begins() -> None:
    poker, trijoker = bank("poker_without_draw"), bank("trijoker")
    assert poker.box_stakes is not None
    assert (poker.box_stakes.most, poker.box_stakes.clause) == (3, "es-ct 10.IV")
    assert trijoker.paying is not None
    assert (trijoker.paying.direction, trijoker.paying.clause) == ("right_to_left", "es-ct 11.VII.3")
    assert (trijoker.box_stakes, poker.paying) == (None, None)


@pytest.mark.parametrize(
    ("game_id", "packs", "cards", "seats", "group"),
    [
        ("poker_without_draw", (1, 1), 52, 7, 5),
        ("trijoker", (1, 1), 52, 7, None),
        ("reto", (1, 8), 52, 9, None),
        ("tripoker", (1, 1), 52, 9, 3),
        ("four_card_poker", (1, 1), 52, 7, 5),
        ("texas_poker", (1, 1), 52, 9, None),
        ("triple_game", (1, 1), 52, 7, None),
        ("texas_holdem_bonus", (1, 1), 52, 9, None),
        *((game_id, (1, 1), 52, None, None) for game_id in CIRCLE[:5]),
        ("circle_five_stud", (1, 1), 32, None, None),
        ("circle_synthetic_poker", (1, 1), 28, None, None),
    ],
)
def test_packs_seats_and_the_shufflers_groups(
    game_id: str, packs: tuple[int, int], cards: int, seats: int | None, group: int | None
) -> None:
    game = any_game(game_id)
    assert (game.packs.least, game.packs.most, game.packs.cards, game.packs.jokers) == (*packs, cards, 0)
    assert game.seats is not None
    assert (game.seats.least, game.seats.most) == (4 if game_id in CIRCLE else None, seats)
    assert [s.group for s in game.shufflers if s.group is not None] == ([group] if group else [])


def test_who_may_shuffle_by_machine_without_a_number_of_cards() -> None:
    """Reto has blackjack's shoe, by hand or automatic; the triple game shuffles either way."""
    machines = [(id_, machine) for id_ in BANK for machine in bank(id_).shufflers if machine.group is None]
    assert [(id_, machine.kind, machine.clause) for id_, machine in machines] == [
        ("reto", "automatic", "es-ct 3.II.2"),
        ("triple_game", "automatic", "es-ct 21.V"),
    ]


def test_stakes_at_one_place() -> None:
    """Epigraphs 14 to 22; in 18 and 22 nobody stakes on another's hand."""
    stakes = {id_: bank(id_).box_stakes for id_ in BANK[2:]}
    assert {id_: (one.most, one.clause) for id_, one in stakes.items() if one} == {
        "four_card_poker": (1, "es-ct 18.II.3"),
        "texas_poker": (3, "es-ct 20.III.2"),
        "texas_holdem_bonus": (1, "es-ct 22.III"),
    }


def test_the_chief_of_the_triple_game_serves_as_many_tables_as_blackjacks() -> None:
    staff = {(one.role, one.tables, one.adjoining_tables, one.clause) for one in bank("triple_game").staff}
    assert ("table_chief", 2, 4, "es-ct 3.III.1") in staff


def test_in_the_triple_game_no_bet_stands_alone() -> None:
    assert {bet.id: bet.needs for bet in bank("triple_game").bets} == {
        "challenge": None,
        "blackjack": "challenge",
        "poker": "challenge",
    }


def test_only_four_card_poker_takes_in_lost_stakes_first() -> None:
    first = {id_: bank(id_).losers_first_clause for id_ in BANK[2:]}
    assert {id_: clause for id_, clause in first.items() if clause} == {"four_card_poker": "es-ct 18.V.11"}


@pytest.mark.parametrize(("game_id", "clause"), [("tripoker", "15.V"), ("texas_poker", "20.V")])
def test_a_pair_is_called_by_one_name_and_in_the_singular(game_id: str, clause: str) -> None:
    said = bank(game_id).announcements
    assert said is not None
    assert (said.words["pair"].ca, said.words["pair"].clause) == ("parella", f"es-ct {clause}")


@pytest.mark.parametrize(
    ("game_id", "phases", "player", "bank_", "common", "bank_up", "burnt"),
    [
        ("poker_without_draw", "deal extra_card showdown", 5, 5, 0, (5,), 0),
        ("trijoker", "deal first_common second_common", 3, 0, 2, (), 0),
        ("reto", "deal challenge", 2, 2, 0, (1, 2), 3),
        ("tripoker", "deal showdown", 3, 3, 0, (), 0),
        ("four_card_poker", "deal showdown", 5, 6, 0, (6,), 0),
        ("texas_poker", "deal flop turn river showdown", 2, 2, 5, (), 0),
        ("triple_game", "challenge blackjack drawing poker", 6, None, 0, (1,), 0),
        ("texas_holdem_bonus", "deal flop turn river showdown", 2, 2, 5, (), 3),
        ("circle_draw_poker", "deal draw", 5, 0, 0, (), 0),
        ("circle_seven_stud", "deal fourth fifth sixth seventh", 7, 0, 0, (), 4),
        ("circle_omaha", "deal flop turn river", 4, 0, 5, (), 3),
        ("circle_holdem", "deal flop turn river", 2, 0, 5, (), 3),
        ("circle_five_stud", "deal third fourth fifth", 5, 0, 0, (), 0),
        (
            "circle_synthetic_poker",
            "deal second_common third_common fourth_common fifth_common",
            2,
            0,
            5,
            (),
            0,
        ),
    ],
)
def test_what_is_dealt_in_the_end(
    game_id: str,
    phases: str,
    player: int,
    bank_: int | None,
    common: int,
    bank_up: tuple[int, ...],
    burnt: int,
) -> None:
    plan = any_game(game_id).deal
    assert plan.phases == tuple(phases.split())
    last = plan.phases[-1]
    assert cards_due(plan, "player", last) == player
    assert cards_due(plan, "bank", last) == bank_
    assert cards_due(plan, "common", last) == common
    assert burns_due(plan, last) == burnt
    assert cards_up(plan, "bank") == bank_up


@pytest.mark.parametrize("game_id", [*BANK, *CIRCLE[1:]])
def test_what_is_turned_up_is_what_was_dealt_face_down(game_id: str) -> None:
    plan = any_game(game_id).deal
    for place in ("bank", "common"):
        turned = sum(step.cards for step in plan.steps if step.act == "turn" and place in step.to)
        down = (cards_due(plan, place, plan.phases[0]) or 0) - sum(
            at <= (cards_due(plan, place, plan.phases[0]) or 0) for at in cards_up(plan, place)
        )
        assert turned == down, place


def test_as_many_cards_as_there_are_may_be_exchanged_save_the_one_that_is_bought() -> None:
    exchanged = {
        id_: [step.cards for step in any_game(id_).deal.steps if step.act == "exchange"]
        for id_ in (*BANK, *CIRCLE)
    }
    assert {id_: cards for id_, cards in exchanged.items() if cards} == {
        "poker_without_draw": [1],
        "circle_draw_poker": [5],
    }


def test_who_serves_the_tables() -> None:
    for game_id in BANK:
        staff = {one.role: (one.least, one.most) for one in bank(game_id).staff}
        assert staff == {"table_chief": (0, 1), "croupier": (1, None)}, game_id
    for game_id in CIRCLE:
        staff = {one.role: (one.least, one.tables) for one in circle(game_id).staff}
        assert staff == {"sector_chief": (1, None), "croupier": (1, 1), "changer": (0, None)}, game_id


def test_how_many_cards_of_a_hand_count() -> None:
    counts = {game_id: bank(game_id).ranks.cards for game_id in BANK}
    assert counts == {**dict.fromkeys(BANK, 5), "reto": 1, "tripoker": 3, "four_card_poker": 4}


def test_face_up_cards_of_the_studs() -> None:
    assert cards_up(circle("circle_seven_stud").deal, "player") == (3, 4, 5, 6)
    assert cards_up(circle("circle_five_stud").deal, "player") == (2, 3, 4, 5)
    assert cards_up(circle("circle_draw_poker").deal, "player") == ()
    assert cards_up(bank("reto").deal, "player") == (1, 2)


# --- bets and pays ----------------------------------------------------------------------------

PAYS: dict[str, dict[str, str]] = {
    "poker_without_draw": {
        "ante": "1",
        "second_bet": "royal_flush 100, straight_flush 25, four_of_a_kind 20, full_house 7, flush 5,"
        " straight 4, three_of_a_kind 3, two_pairs 2, pair 1, high_card 1",
        "insurance": "full_house 100, four_of_a_kind 300, straight_flush 1000, royal_flush 2000",
        "carousel": "royal_flush 12000, straight_flush 2000, four_of_a_kind 400, full_house 100, flush 60,"
        " straight 30, three_of_a_kind 10",
        "progressive": "",
    },
    "trijoker": dict.fromkeys(
        ("first_bet", "second_bet", "third_bet"),
        "royal_flush 500, straight_flush 200, four_of_a_kind 50, full_house 11, flush 8, straight 5,"
        " three_of_a_kind 3, two_pairs 2, pair_of_jacks_or_better 1",
    ),
    "reto": {"ante": "1", "challenge": "higher_card 1, equal_cards 2", "tie": "equal_cards 10"},
    "tripoker": {
        "fortune": "straight_flush 40, three_of_a_kind 25, straight 6, flush 4, pair 1",
        "ante": "1",
        "bet": "1",
        "ante_bonus": "straight_flush 5, three_of_a_kind 4, straight 1",
    },
    "four_card_poker": {
        "aces": "four_of_a_kind 40, straight_flush 30, three_of_a_kind 7, flush 6, straight 4, two_pairs 2,"
        " pair_of_aces 1",
        "ante": "1",
        "play": "1",
        "ante_bonus": "four_of_a_kind 20, straight_flush 15, three_of_a_kind 2",
    },
    "texas_poker": {
        "ante": "royal_flush 100, straight_flush 20, four_of_a_kind 10, full_house 3, flush 2,"
        " straight_or_less 1",
        "second_bet": "1",
        "texas_bonus": "flush_or_better 25, pair_of_aces_to_straight 7",
    },
    "triple_game": {
        "challenge": "1",
        "blackjack": "",
        "poker": "royal_flush 100, straight_flush 25, four_of_a_kind 10, full_house 6, flush 5, straight 4,"
        " three_of_a_kind 3, two_pairs 2, pair_of_queens_or_better 1",
    },
    "texas_holdem_bonus": {
        "ante": "straight_or_better 1",
        "flop": "1",
        "turn": "1",
        "river": "1",
        "bonus": "aces_against_aces 1000, aces 30, ace_king_suited 25, ace_queen_or_jack_suited 20,"
        " ace_king_offsuit 15, pair_of_jacks_to_kings 10, ace_queen_or_jack_offsuit 5,"
        " pair_of_twos_to_tens 3",
    },
}


@pytest.mark.parametrize("game_id", BANK)
def test_every_pay_as_printed(game_id: str) -> None:
    found = {
        bet.id: ", ".join(f"{line.when} {number(line.pays)}" for line in bet.table)
        or str(number(bet.pays) or "")
        for bet in bank(game_id).bets
    }
    assert found == PAYS[game_id]


@pytest.mark.parametrize("game_id", BANK)
def test_every_line_of_pays_is_known_and_a_higher_hand_never_pays_less(game_id: str) -> None:
    """No table of these is odd: where one should be, its line is to say so as a misprint."""
    order = bank(game_id).ranks.order
    for bet in bank(game_id).bets:
        assert {line.when for line in bet.table} <= LINES
        hands = [line for line in bet.table if line.when in order]
        by_rank = sorted(hands, key=lambda line: [*order].index(line.when))
        pays = [number(line.pays) or 0 for line in by_rank]
        assert all(higher >= lower for higher, lower in pairwise(pays)), bet.id
        assert [line.misprint for line in bet.table if line.misprint] == []
        if bet.id not in ("insurance", "challenge"):  # these two print the lowest first
            printed = [number(line.pays) or 0 for line in bet.table]
            assert printed == sorted(printed, reverse=True), bet.id


def test_names_in_three_languages_and_the_hands_words() -> None:
    for game_id in BANK:
        for bet in bank(game_id).bets:
            assert set(bet.names) == {"es", "ca", "en"}, (game_id, bet.id)
        words = bank(game_id).announcements
        assert words is not None
        assert set(bank(game_id).ranks.order) <= set(words.words), game_id
    for game_id in CIRCLE:
        words = circle(game_id).announcements
        assert words is not None
        assert set(circle(game_id).ranks.order) <= set(words.words), game_id


@pytest.mark.parametrize(
    ("game_id", "bet_id", "of", "least", "most"),
    [
        ("poker_without_draw", "insurance", "minimum", None, Fraction(1, 2)),
        ("poker_without_draw", "carousel", "minimum", None, Fraction(1, 2)),
        ("poker_without_draw", "progressive", "minimum", None, Fraction(1, 2)),
        ("trijoker", "second_bet", "first_bet", 1, 1),
        ("trijoker", "third_bet", "first_bet", 1, 1),
        ("reto", "challenge", "ante", 1, 1),
        ("tripoker", "bet", "ante", 1, 1),
        ("four_card_poker", "play", "ante", 1, 3),
        ("texas_holdem_bonus", "flop", "ante", 2, 2),
        ("texas_holdem_bonus", "turn", "ante", 1, 1),
    ],
)
def test_stakes_that_follow_from_another(
    game_id: str, bet_id: str, of: str, least: int | None, most: Fraction
) -> None:
    stake = next(bet.stake for bet in bank(game_id).bets if bet.id == bet_id)
    assert stake is not None
    assert (stake.of, number(stake.least), number(stake.most)) == (of, least, most)


def test_no_other_bet_has_a_stake_that_follows_from_another() -> None:
    """The second bets of poker against the bank and the river bet are worded so that none can be given."""
    with_stake = [(game_id, bet.id) for game_id in BANK for bet in bank(game_id).bets if bet.stake]
    assert len(with_stake) == 10
    for key in (
        ("poker_without_draw", "second_bet"),
        ("texas_poker", "second_bet"),
        ("texas_holdem_bonus", "river"),
    ):
        assert key not in with_stake


def test_the_pool_of_the_progressive() -> None:
    pools = {bet.id: bet.pool for bet in bank("poker_without_draw").bets if bet.pool}
    assert {id_: [(share.when, number(share.part)) for share in pool] for id_, pool in pools.items()} == {
        "progressive": [("royal_flush", 1), ("straight_flush", Fraction(1, 10))]
    }


@pytest.mark.parametrize(
    ("game_id", "hand", "cards", "otherwise"),
    [
        ("poker_without_draw", "high_card", ("A", "K"), {"ante": "wins"}),
        ("tripoker", "high_card", ("Q",), {"ante": "wins", "bet": "stands"}),
        ("four_card_poker", None, (), {}),
        ("texas_poker", "pair", ("4", "4"), {"ante": "wins", "second_bet": "stands"}),
    ],
)
def test_what_the_bank_needs(
    game_id: str, hand: str | None, cards: tuple[str, ...], otherwise: dict[str, str]
) -> None:
    needs = bank(game_id).qualification
    assert needs is not None
    assert (needs.hand, needs.cards, needs.otherwise) == (hand, cards, otherwise)
    assert [id_ for id_ in BANK if bank(id_).qualification] == [
        "poker_without_draw",
        "tripoker",
        "four_card_poker",
        "texas_poker",
    ]


@pytest.mark.parametrize(
    ("game_id", "tie"),
    [
        ("poker_without_draw", {"ante": "stands", "second_bet": "stands"}),
        ("trijoker", {}),
        ("reto", {"ante": "half_lost", "challenge": "wins"}),
        ("tripoker", {"ante": "stands", "bet": "stands"}),
        ("four_card_poker", {"ante": "wins", "play": "wins"}),
        ("texas_poker", {"ante": "stands", "second_bet": "stands"}),
        ("triple_game", {"challenge": "half_lost"}),
        ("texas_holdem_bonus", dict.fromkeys(("ante", "flop", "turn", "river"), "stands")),
    ],
)
def test_equal_hands(game_id: str, tie: dict[str, str]) -> None:
    assert {bet.id: bet.tie for bet in bank(game_id).bets if bet.tie} == tie
