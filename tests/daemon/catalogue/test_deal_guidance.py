"""What there is to do about a misdeal and about a bank that does not play, with the clause it rests on."""

from typing import get_args

import pytest

from daemon.catalogue.bets.deal_guidance import misdeal_guidance, payment_guidance
from daemon.catalogue.bets.deal_outcome import against_bank
from daemon.catalogue.families.circle_poker import CirclePoker
from daemon.catalogue.families.deal import BankDeal, DealtGame
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Language
from daemon.catalogue.rules.deal import ANNULLING, STANDING, Annulled, Evidence, Exposed, Hand, judge
from daemon.outcomes import DealOutcome, DealtHand
from daemon.records import Finding

SEVEN = load_as(CirclePoker, "es-ct", "circle_seven_stud")
SYNTHETIC = load_as(CirclePoker, "es-ct", "circle_synthetic_poker")


def bank(game_id: str) -> BankDeal:
    return load_as(BankDeal, "es-ct", game_id)


@pytest.mark.parametrize(
    ("game", "evidence", "text", "clause"),
    [
        (
            bank("trijoker"),
            Evidence(exposed=(Exposed(place="common", card="Qh"),)),
            "annulled for all",
            "11.VII.2",
        ),
        (
            bank("trijoker"),
            Evidence(exposed=(Exposed(place="common", card="2h"),)),
            "goes on with the",
            "11.VII.2",
        ),
        (bank("texas_poker"), Evidence(hands_touched=(5, 2)), "annulled: seat 2, 5", "20.VIII.3.a"),
        (
            bank("texas_poker"),
            Evidence(cards_missing=True),
            "Collect all cards and deal again",
            "20.VIII.1.d",
        ),
        (bank("triple_game"), Evidence(drawn_unseen=1), "next to be dealt", "21.VI.1"),
        (bank("triple_game"), Evidence(exposed=(Exposed(place="pack"),)), "with the discards", "21.VI.1"),
        (bank("triple_game"), Evidence(exposed=(Exposed(place="pack"),) * 2), "shuffle all cards", "21.VI.1"),
        (
            bank("poker_without_draw"),
            Evidence(exposed=(Exposed(place="player", seat=4, by="player"),)),
            "Loses the whole stake: seat 4",
            "10.VI",
        ),
        (
            bank("texas_holdem_bonus"),
            Evidence(phase="deal", hands=(Hand(place="bank", cards=3),)),
            "number of cards right: bank: 3 → 2",
            "22.VI.d",
        ),
        (
            SEVEN,
            Evidence(phase="deal", hands=(Hand(place="player", seat=6, cards=2),), betting_begun=False),
            "right: seat 6: 2 → 3",
            "23.VIII.1",
        ),
        (SEVEN, Evidence(drawn_early=1), "set aside the card and one for each", "23.2.1.II.2.b"),
        (
            SEVEN,
            Evidence(exposed=(Exposed(place="player", seat=1, number=7),), players_left=2),
            "No more raises",
            "23.2.1.II.2.a",
        ),
        (
            SEVEN,
            Evidence(exposed=(Exposed(place="player", seat=1, by="player", on_purpose=False),)),
            "Cover the cards again",
            "23.2.1.II.3",
        ),
        (SYNTHETIC, Evidence(common_turned=2, stock=9), "Replace the cards", "23.2.5.V.2.a"),
    ],
)
def test_what_to_do_about_a_misdeal(game: DealtGame, evidence: Evidence, text: str, clause: str) -> None:
    (guidance,) = misdeal_guidance(judge(game, evidence))
    assert text in guidance.text
    assert guidance.clause == f"es-ct {clause}"
    assert guidance.data["remedy"] in ANNULLING | STANDING


def test_a_remedy_is_said_once_and_none_not_at_all() -> None:
    holdem, poker = bank("texas_holdem_bonus"), bank("poker_without_draw")
    shown = Evidence(exposed=(Exposed(place="player", seat=1, by="player"),))
    assert judge(holdem, shown)
    assert misdeal_guidance(judge(holdem, shown)) == ()
    twice = Evidence(groups=(6,), exposed=(Exposed(place="bank"),))
    assert len(judge(poker, twice)) == 2
    assert len(misdeal_guidance(judge(poker, twice))) == 1


def test_a_seat_that_was_not_seen_is_asked_for() -> None:
    hands = (Hand(place="player", cards=3), Hand(place="player", seat=7, cards=1))
    found = judge(bank("texas_holdem_bonus"), Evidence(phase="deal", hands=hands))
    assert [one.text for one in misdeal_guidance(found)] == [
        "Hand annulled: seat 7",
        "Hand annulled: seat ?",
    ]


def test_in_each_language() -> None:
    found = judge(SEVEN, Evidence(phase="deal", hands=(Hand(place="player", seat=6, cards=2),)))
    said = {language: misdeal_guidance(found, language)[0].text for language in get_args(Language)}
    assert said == {
        "es": "Corríjase el número de cartas: puesto 6: 2 → 3",
        "ca": "Corregiu el nombre de cartes: lloc 6: 2 → 3",
        "en": "Put the number of cards right: seat 6: 2 → 3",
    }


def test_every_remedy_has_its_words_save_none() -> None:
    for remedy in ANNULLING | STANDING:
        finding = Finding(rule="deal.any", clause="es-ct 1", effect="annul", evidence={"remedy": remedy})
        assert bool(misdeal_guidance((finding,))) == (remedy != "none"), remedy


def played(game: BankDeal, bank_: str, player: str, annulled: Annulled | None = None) -> DealOutcome:
    hands = (
        DealtHand(place="player", seat=1, cards=tuple(player.split())),
        DealtHand(place="bank", cards=tuple(bank_.split())),
    )
    return against_bank(game, hands, annulled or Annulled(everybody=False, seats=(), unknown=False))


def test_a_bank_that_does_not_play() -> None:
    tripoker, poker = bank("tripoker"), bank("poker_without_draw")
    (stays_out,) = payment_guidance(tripoker, played(tripoker, "Jc Td 8h", "2c 3d 5h"))
    assert stays_out.text == "The bank does not play: pay ante; bet stays as it is"
    assert stays_out.clause == "es-ct 15.V"
    (one,) = payment_guidance(poker, played(poker, "Ac Qd 9h 7s 4c", "2c 3d 5h 8s 9c"))
    assert one.text == "The bank does not play: pay ante"
    assert payment_guidance(tripoker, played(tripoker, "Qc Td 8h", "2c 3d 5h")) == ()


def test_the_order_of_payment_where_the_text_has_one() -> None:
    four = bank("four_card_poker")
    cards = "Qc Td 8h 2s 3c 9d", "2c 3d 5h 8s 9c"
    collect, order = payment_guidance(four, played(four, *cards))
    assert (collect.text, collect.clause) == ("Take in the lost stakes; pay after that", "es-ct 18.V.11")
    assert (order.text, order.clause) == ("Pay in this order: play, ante, aces", "es-ct 18.V.10")
    everybody = Annulled(everybody=True, seats=(), unknown=False)
    assert payment_guidance(four, played(four, *cards, annulled=everybody)) == ()
