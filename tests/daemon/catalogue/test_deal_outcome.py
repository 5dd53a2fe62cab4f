"""From the cards of a hand to what is published of it: worth, bets at each seat, annulled hands, winners."""

import pytest

from daemon.catalogue.bets.deal_outcome import against_bank, among_players
from daemon.catalogue.errors import NotACard
from daemon.catalogue.families.circle_poker import CirclePoker
from daemon.catalogue.families.deal import BankDeal
from daemon.catalogue.load import load_as
from daemon.catalogue.rules.deal import Annulled
from daemon.outcomes import DealOutcome, DealtHand

ALL = Annulled(everybody=True, seats=(), unknown=False)
ONE = Annulled(everybody=False, seats=(1,), unknown=False)
NOBODY = Annulled(everybody=False, seats=(), unknown=False)


def hands(bank: str, common: str, *players: str) -> list[DealtHand]:
    """The bank's and the common cards, and the players' at seats 1, 2, …; none where there is no card."""
    dealt = [DealtHand(place="player", seat=at, cards=tuple(p.split())) for at, p in enumerate(players, 1)]
    if bank:
        dealt.append(DealtHand(place="bank", cards=tuple(bank.split())))
    if common:
        dealt.append(DealtHand(place="common", cards=tuple(common.split())))
    return dealt


def played(game_id: str, *cards: str, annulled: Annulled = NOBODY) -> DealOutcome:
    return against_bank(load_as(BankDeal, "es-ct", game_id), hands(*cards), annulled)


def at_circle(game_id: str, *cards: str, annulled: Annulled = NOBODY, stripped: bool = False) -> DealOutcome:
    game = load_as(CirclePoker, "es-ct", game_id)
    return among_players(game, hands("", *cards), annulled, stripped=stripped)


def fates(outcome: DealOutcome) -> dict[tuple[str, str], str]:
    """Seat and bet to fate, with its pay or what is given back."""
    found = {}
    for one in outcome.bets:
        pays = one.pays or one.back
        found["".join(one.place), one.bet] = one.fate + (f" {pays[0]}/{pays[1]}" if pays else "")
    return found


def worth(outcome: DealOutcome) -> dict[str, str]:
    return {f"{one.place} {one.seat}" if one.seat else one.place: one.hand for one in outcome.ranks}


def test_poker_without_draw_at_two_seats() -> None:
    outcome = played("poker_without_draw", "Ac Kd 9h 7s 4c", "", "8c 8d 8h 2s 2c", "Ad Qc 9d 7h 4d")
    assert worth(outcome) == {"player 1": "full_house", "player 2": "high_card", "bank": "high_card"}
    assert outcome.bank_plays is True
    assert fates(outcome) == {
        ("1", "ante"): "wins 1/1",
        ("1", "second_bet"): "wins 7/1",
        ("1", "insurance"): "wins 100/1",
        ("1", "carousel"): "wins 100/1",
        ("2", "ante"): "loses",
        ("2", "second_bet"): "loses",
        ("2", "insurance"): "loses",
        ("2", "carousel"): "loses",
    }
    assert outcome.ranks[0].ranks == ("8", "2")
    assert (outcome.annulled, outcome.winners) == ((), ())


def test_a_bank_that_does_not_play() -> None:
    outcome = played("tripoker", "Jc Td 8h", "", "2c 3d 5h")
    assert outcome.bank_plays is False
    assert fates(outcome) == {
        ("1", "fortune"): "loses",
        ("1", "ante"): "wins 1/1",
        ("1", "bet"): "stands",
        ("1", "ante_bonus"): "stands",
    }


def test_trijoker_adds_the_two_common_cards() -> None:
    outcome = played("trijoker", "", "Jd 7h", "Jc 7c 2d")
    assert worth(outcome) == {"player 1": "two_pairs"}
    assert fates(outcome) == {("1", bet): "wins 2/1" for bet in ("first_bet", "second_bet", "third_bet")}
    assert outcome.bank_plays is None


def test_four_cards_of_five_against_four_of_six() -> None:
    outcome = played("four_card_poker", "2c 2d 2h 2s 9c 9d", "", "Ac Kc Qc 3c 4d")
    assert worth(outcome) == {"player 1": "flush", "bank": "four_of_a_kind"}
    assert fates(outcome)["1", "aces"] == "wins 6/1"
    assert fates(outcome)["1", "play"] == "loses"


def test_the_texas_bonus_goes_by_the_flop_and_the_ante_by_all_seven_cards() -> None:
    outcome = played("texas_poker", "5h 4d", "Ah 9c 3d 9s 9h", "As 2c", "9d 5d")
    assert worth(outcome) == {
        "player 1": "full_house",
        "player 2": "four_of_a_kind",
        "bank": "three_of_a_kind",
    }
    assert fates(outcome) == {
        ("1", "ante"): "wins 3/1",
        ("1", "second_bet"): "wins 1/1",
        ("1", "texas_bonus"): "wins 7/1",
        ("2", "ante"): "wins 10/1",
        ("2", "second_bet"): "wins 1/1",
        ("2", "texas_bonus"): "loses",
    }


def test_what_is_not_there_yet_is_not_settled() -> None:
    assert fates(played("texas_poker", "5h 4d", "Ah 9c 3d", "As 2c")) == {("1", "texas_bonus"): "wins 7/1"}
    assert fates(played("texas_poker", "5h 4d", "", "As 2c")) == {}
    assert fates(played("reto", "", "", "As")) == {}
    assert fates(played("texas_holdem_bonus", "Ah", "", "As Ac")) == {}
    assert fates(played("texas_holdem_bonus", "Ah Kd", "", "As")) == {}
    assert worth(played("poker_without_draw", "", "", "8c 8d 8h 2s")) == {}


def test_the_bonus_goes_by_the_first_two_cards() -> None:
    outcome = played("texas_holdem_bonus", "Ah Ad", "2c 7d 9s Jc 3h", "As Ac", "Kc Qd")
    assert fates(outcome)["1", "bonus"] == "wins 1000/1"
    assert fates(outcome)["2", "bonus"] == "loses"
    assert fates(outcome)["1", "ante"] == "stands"
    assert fates(outcome)["2", "flop"] == "loses"


def test_the_reto_and_its_challenge() -> None:
    """Who wins the challenge has the first bet back, who loses it loses both, who forgoes it loses half."""
    outcome = played("reto", "7h 9d", "", "Ks", "7d Ts", "7c 9c", "2c", "7s 8s", "7d")
    assert fates(outcome) == {
        ("1", "ante"): "wins 1/1",
        ("1", "tie"): "loses",
        ("2", "ante"): "stands",
        ("2", "challenge"): "wins 1/1",
        ("2", "tie"): "wins 10/1",
        ("3", "ante"): "stands",
        ("3", "challenge"): "wins 2/1",
        ("3", "tie"): "wins 10/1",
        ("4", "ante"): "loses",
        ("4", "tie"): "loses",
        ("5", "ante"): "loses",
        ("5", "challenge"): "loses",
        ("5", "tie"): "wins 10/1",
        ("6", "ante"): "loses 1/2",
        ("6", "tie"): "wins 10/1",
    }
    assert outcome.ranks == ()


def test_the_triple_game_leaves_blackjack_to_the_houses_rules() -> None:
    outcome = played("triple_game", "Kh 2s 2c 2h 3s 3d", "", "As 2d 3c 4h 5s 9d")
    assert fates(outcome) == {("1", "challenge"): "wins 1/1", ("1", "poker"): "loses"}
    assert worth(outcome) == {"player 1": "high_card"}, "whether the ace is the lowest card is not said"


@pytest.mark.parametrize(("annulled", "seats", "said"), [(ALL, set(), "all"), (ONE, {"2"}, (1,))])
def test_annulled_hands_are_not_settled(annulled: Annulled, seats: set[str], said: object) -> None:
    outcome = played(
        "poker_without_draw", "Ac Kd 9h 7s 4c", "", "8c 8d 8h 2s 2c", "Ad Qc 9d 7h 4d", annulled=annulled
    )
    assert outcome.annulled == said
    assert {seat for seat, _ in fates(outcome)} == seats
    assert len(outcome.hands) == len(outcome.ranks) == 3, "but shown"


def test_a_card_that_no_pack_has_is_refused() -> None:
    with pytest.raises(NotACard):
        played("tripoker", "Jc Td 1h", "", "2c 3d 5h")


# --- circle poker -----------------------------------------------------------------------------

BOARD = "Qc Jc Tc 4d 4s"


def test_omaha_and_holdem_use_their_cards_differently() -> None:
    assert worth(at_circle("circle_omaha", BOARD, "Ac Kd 2h 3s", "4c 9d 8h 2d")) == {
        "player 1": "straight",
        "player 2": "straight",
    }
    assert at_circle("circle_omaha", BOARD, "Ac Kd 2h 3s", "4c 9d 8h 2d").winners == (1,)
    holdem = at_circle("circle_holdem", BOARD, "Ac 2c", "4c Qd")
    assert (worth(holdem), holdem.winners) == ({"player 1": "flush", "player 2": "full_house"}, (2,))


def test_equal_hands_share_the_pot() -> None:
    assert at_circle("circle_holdem", BOARD, "Ah Kd", "As Kh", "9c 2d").winners == (1, 2)


def test_an_annulled_hand_does_not_win() -> None:
    assert at_circle("circle_holdem", BOARD, "Ah Kd", "2s 2h", annulled=ONE).winners == (2,)
    everybody = at_circle("circle_holdem", BOARD, "Ah Kd", "2s 2h", annulled=ALL)
    assert (everybody.winners, everybody.annulled) == ((), "all")


def test_draw_poker_with_a_stripped_pack() -> None:
    flush, full = "Ac Qc 9c 8c 7c", "9d 9h 9s 8s 8d"
    assert at_circle("circle_draw_poker", "", flush, full).winners == (2,)
    assert at_circle("circle_draw_poker", "", flush, full, stripped=True).winners == (1,)


def test_synthetic_poker_takes_two_and_three() -> None:
    outcome = at_circle("circle_synthetic_poker", "Ac Kc Qc Jc Tc", "8d 8h", "Ad Ah")
    assert worth(outcome) == {"player 1": "pair", "player 2": "three_of_a_kind"}


def test_a_stud_hand_is_ranked_when_its_last_card_is_there() -> None:
    six = "2c 2d 9h 9s 9c Ad"
    assert at_circle("circle_seven_stud", "", six).winners == ()
    assert worth(at_circle("circle_seven_stud", "", six + " Kh")) == {"player 1": "full_house"}


def test_a_seventh_card_in_common_is_everybodys() -> None:
    outcome = at_circle("circle_seven_stud", "Kh", "2c 2d 9h 9s 9c Ad", "Kc Kd 3h 4s 5c 7d")
    assert worth(outcome) == {"player 1": "full_house", "player 2": "three_of_a_kind"}
    assert outcome.winners == (1,)
    assert at_circle("circle_five_stud", "Kh", "Kc Kd 9h 8s").winners == (), "its own deal has none"
