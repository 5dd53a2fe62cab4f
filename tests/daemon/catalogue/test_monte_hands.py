"""Monte: how cards become squares and phases; every hand ends, is annulled, or waits for the inspector."""

import random
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest

from daemon.catalogue.announcements import announce_match
from daemon.catalogue.bets.monte import in_play, outcome, row_of
from daemon.catalogue.cards import RANKS, SUITS, Card, pack, parse_all
from daemon.catalogue.errors import RuleAbsent
from daemon.catalogue.families.monte import Monte
from daemon.catalogue.load import load_as
from daemon.catalogue.model import Language
from daemon.outcomes import MonteOutcome

CATALAN = load_as(Monte, "es-ct", "monte")


def hand(cards: str) -> MonteOutcome:
    return outcome(CATALAN, parse_all(cards, "spanish"))


# --- the squares ----------------------------------------------------------------------------------


def test_the_first_four_cards_fill_the_squares_row_by_row() -> None:
    assert hand("").phase == "laying"
    assert hand("5o 2c 4e").phase == "laying"
    laid = hand("5o 2c 4e Rb")
    assert laid == MonteOutcome(
        layout=("5o", "2c", "4e", "Rb"), laid_on=((), (), (), ()), burnt=(), phase="first", decided_by=()
    )
    assert in_play(laid) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("cards", "layout", "laid_on", "burnt"),
    [
        ("5o 5c", "", "", "5o 5c"),
        ("5o 5c 2o 4o 1o 3o", "2o 4o 1o 3o", "/ / /", "5o 5c"),
        ("5o 5c 2o 2e 1o 3o", "1o 3o", "/", "5o 5c 2o 2e"),
        ("5o 5c 5e 5b 1o 3o", "1o 3o", "/", "5o 5c 5e 5b"),
        ("5o 2o 5c", "5o 2o", "5c /", ""),
        ("5o 2o 2c", "5o 2o", "/ 2c", ""),
        ("5o 2o 5c 5e 4o 3o", "5o 2o 4o 3o", "5c 5e / / /", ""),
        ("5o 2o 4o 2c 2b 5c 3o", "5o 2o 4o 3o", "5c / 2c 2b / /", ""),
    ],
)
def test_alike_cards_are_burnt_or_double_the_first_two(
    cards: str, layout: str, laid_on: str, burnt: str
) -> None:
    laid = hand(cards)
    assert " ".join(laid.layout) == layout
    assert " / ".join(" ".join(on) for on in laid.laid_on).split() == laid_on.split()
    assert " ".join(laid.burnt) == burnt


@pytest.mark.parametrize(
    "cards",
    ["5o 2o 5c 5e 5b", "5o 2o 2c 5c 2e 2b", "5o 2o 4o 5c 5e 5b", "5o 5c 5e 2o 5b", "2o 2c 5o 2e 4o 2b"],
)
def test_four_of_the_first_or_second_value_annul_the_hand(cards: str) -> None:
    annulled = hand(cards)
    assert (annulled.phase, annulled.reason, in_play(annulled)) == ("annulled", "four_of_a_value", ())
    assert hand(cards[:-3]).phase == "laying"
    assert announce_match(CATALAN, annulled, "ca") == "jugada anul·lada"


def test_what_the_text_does_not_decide_is_held_for_the_inspector() -> None:
    alike = hand("5o 2o 4o 4c")
    assert (alike.phase, alike.reason) == ("held", "third_and_fourth_alike")
    for cards in ("5o 2o 4o 3o 4o", "5o 2o 5o", "5o 2o 4o 3o 6o 6o"):
        twice = hand(cards)
        assert (twice.phase, twice.reason) == ("held", "card_twice"), "a hand is played with one pack"


# --- the phases -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "square", "match"),
    [
        ("5c", 1, "camo"),
        ("5e", 1, "viudo"),
        ("5b", 1, "anti"),
        ("2e", 2, "camo"),
        ("2b", 2, "viudo"),
        ("2o", 2, "anti"),
        ("4b", 3, "camo"),
        ("4o", 3, "viudo"),
        ("4c", 3, "anti"),
        ("3o", 4, "camo"),
        ("3c", 4, "viudo"),
        ("3e", 4, "anti"),
    ],
)
def test_the_first_card_of_a_laid_value_decides_by_its_suit_in_the_circle(
    card: str, square: int, match: str
) -> None:
    for before in ("", "Ro Sb ", "7o 7c 6e "):
        decided = hand(f"5o 2c 4e 3b {before}{card}")
        (by,) = decided.decided_by
        assert (by.card, by.square, by.match, by.at_once) == (card, square, match, before == "")
        assert decided.phase == "second"
        assert in_play(decided) == ((3, 4) if square in (1, 2) else (1, 2))


def test_a_doubled_card_is_matched_by_the_suit_of_the_one_laid_first() -> None:
    assert hand("5o 2c 5e 4e 3b 5b").decided_by[0].match == "anti"
    assert hand("5o 2c 5e 4e 3b 5c").decided_by[0].match == "camo"


def test_the_second_phase_is_decided_by_the_row_that_is_left() -> None:
    ended = hand("5o 2c 4e 3b 7o 2e 5b 2o Rb 4c")
    assert ended.phase == "ended"
    assert [(by.card, by.square, by.at_once) for by in ended.decided_by] == [
        ("2e", 2, False),
        ("4c", 3, False),
    ]
    at_once = hand("5o 2c 4e 3b 3o 2o")
    assert [by.at_once for by in at_once.decided_by] == [True, True], "each phase has its own first card"
    with pytest.raises(ValueError, match="7o came after the hand's end"):
        hand("5o 2c 4e 3b 3o 2o 7o")


# --- every hand -----------------------------------------------------------------------------------


def layings(cards: tuple[Card, ...] = ()) -> Iterator[MonteOutcome]:
    """Every way of values to lay the squares, with at most two burnt pairs: suits as they come in turn."""
    laid = outcome(CATALAN, cards)
    if laid.phase != "laying":
        yield laid
        return
    if len(laid.burnt) == 6:
        return
    used = Counter(card[0] for card in cards)
    known = [*used, next(rank for rank in RANKS["spanish"] if rank not in used)]
    for rank in known:  # a value that has not come is like any other that has not
        if used[rank] < 4:
            yield from layings((*cards, Card(rank + SUITS["spanish"][used[rank]])))


def test_every_laying_is_complete_annulled_or_held() -> None:
    ways = Counter[str]()
    for laid in layings():
        upper, lower = laid.laid_on[:2], laid.laid_on[2:]
        ways[laid.phase] += 1
        assert set(lower) <= {()}, "only the first two are doubled"
        if laid.phase != "first":
            continue
        out = Counter(card[0] for card in (*laid.layout, *laid.burnt, *(c for on in upper for c in on)))
        assert len({card[0] for card in laid.layout}) == 4
        assert all(out[card[0]] <= 3 for card in laid.layout), "some card is left to match each square"
        assert all(len(on) <= 2 for on in upper)
    assert set(ways) == {"first", "annulled", "held"}


def test_every_whole_pack_ends_its_hand() -> None:
    dice, ways = random.Random(1808), Counter[str]()
    for _ in range(4000):
        cards = list(pack("spanish"))
        dice.shuffle(cards)
        drawn = next(
            n for n in range(1, 41) if outcome(CATALAN, cards[:n]).phase in ("ended", "annulled", "held")
        )
        ended = outcome(CATALAN, cards[:drawn])
        ways[ended.phase] += 1
        assert outcome(CATALAN, cards[:drawn]) == ended
        if ended.phase == "ended":
            one, two = (row_of(by.square) for by in ended.decided_by)
            assert one != two
            assert ended.decided_by[1].card == cards[drawn - 1]
            for by in ended.decided_by:
                assert by.card[0] == ended.layout[by.square - 1][0]
                assert by.at_once == (cards.index(Card(by.card)) == first_of(ended, cards, by.card))
    assert set(ways) == {"ended", "annulled", "held"}


def first_of(ended: MonteOutcome, cards: list[Card], card: str) -> int:
    """Where the first card after the bets lay, for the phase that this card decided."""
    before = len(ended.layout) + len(ended.burnt) + sum(map(len, ended.laid_on))
    first = cards.index(Card(ended.decided_by[0].card))
    return before if card == ended.decided_by[0].card else first + 1


# --- words, and the text that breaks off ----------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "language", "said"),
    [
        ("5o 2c 4e Rb Ro", "ca", "rei de ors, camo"),
        ("5o 2c 4e Rb Ro", "es", "rey de oros, camo"),
        ("5o 2c 4e Rb 6o 2o", "en", "2 of coins, anti"),
        ("5o 2c 4e Rb 6o 2o 4o", "ca", "4 de ors, viudo"),
        ("5o 2c 4e Rb 6o", "ca", ""),
    ],
)
def test_the_deciding_card_is_named_with_its_match(cards: str, language: Language, said: str) -> None:
    assert announce_match(CATALAN, hand(cards), language) == said


def test_extremaduras_text_breaks_off_before_a_hand_is_played() -> None:
    game = load_as(Monte, "es-ex", "monte")
    with pytest.raises(RuleAbsent, match="es-ex breaks off before it says how a hand of monte is played"):
        outcome(game, parse_all("5o 2o", "spanish"))
    assert any(note.kind == "missing" and note.clause == "es-ex 1.8.6.3" for note in game.notes)


def test_an_outcome_goes_into_a_message_and_back() -> None:
    ended = hand("5o 5c 1o 2c 1b 4e 3b 3o 2o")
    again = msgspec.json.decode(msgspec.json.encode(ended), type=MonteOutcome)
    assert again == ended
