"""A fortune wheel at its table: records, commands, announcements, statistics, replay; what a table keeps."""

from typing import Any

import jsonschema
import msgspec
import pytest
from spin_play import order_of, push, rest, turned
from table_hall import Hall, JsonDriver

from daemon import asyncapi, topics
from daemon.cli.watch import watch_line
from daemon.outcomes import FortuneWheelOutcome, WheelOutcome
from daemon.play import PLAYED, play_of
from daemon.records import RoundRecord
from daemon.table.state import encode_state, read_state
from daemon.table.table import Table
from drivers.readings import SECOND, ButtonPressed, DeviceBack, DeviceLost, Instant, WheelHindered

TEXTS = {"es-ct": ("ca", 24), "es-ex": ("es", 1)}


def hall(text: str = "es-ct", **setup: Any) -> Hall:
    values = {"language": TEXTS[text][0], "segments": order_of(text), **setup}
    return Hall(text, "fortune_wheel", role="fortune_wheel", **values)


def take(table: Hall, *readings: Any, device: str = "wheel") -> Hall:
    for reading in readings:
        table.readings(lambda at, one=reading: [msgspec.structs.replace(one, device=device, at=at)])
    return table


def spin(table: Hall, place: int | None = 3, **values: Any) -> Hall:
    button = ButtonPressed(device="wheel", at=table.now, button="no_more_bets")
    return take(table, push(1), turned(1), push(2), button, *map(turned, (1, 2, 3, 4)), rest(place, **values))


def place_of(symbol: str, text: str = "es-ct") -> int:
    return order_of(text).index(symbol)


@pytest.mark.parametrize("text", TEXTS)
def test_a_record_has_what_the_contract_promises(text: str) -> None:
    table = spin(hall(text), place_of("7", text))
    (record,) = table.records
    assert record.outcome == FortuneWheelOutcome(segment=place_of("7", text) + 1, symbol="7", pays=(5, 1))
    assert table.last("result")["outcome"] == {
        "segment": place_of("7", text) + 1,
        "symbol": "7",
        "pays": [5, 1],
    }
    assert (record.verdict, record.attempts, record.findings) == ("valid", 2, ())
    assert record.announcement == "7"
    assert [guidance.clause for guidance in record.guidance] == [
        {"es-ct": "es-ct 24.V.3", "es-ex": "es-ex 1.4.5.3.4"}[text]
    ]
    assert table.last("history")[0]["number"] == "7"
    phases = [(phase["phase"], phase["round"]) for phase in table.all("phase")]
    assert phases == [("closed", 1), ("betting", 1), ("in_play", 1), ("no_more_bets", 1), ("result", 1)]


@pytest.mark.parametrize(
    ("language", "opened", "closed", "void", "figure", "lowest", "again"),
    [
        (
            "ca",
            "facin joc",
            "no hi van més apostes",
            "jugada nul·la",
            "primera figura",
            "Pagueu les guanyadores de menor a major",
            "Repreneu el cicle complet amb una nova jugada",
        ),
        (
            "es",
            "hagan juego",
            "no va más",
            "jugada nula",
            "primera figura",
            "Páguense las ganadoras de menor a mayor",
            "Reanúdese el ciclo completo con una nueva jugada",
        ),
        (
            "en",
            "place your bets",
            "no more bets",
            "void spin",
            "first picture",
            "Pay the winners from the lowest to the highest",
            "Begin the whole cycle again with a new spin",
        ),
    ],
)
def test_what_is_called_out_and_done_in_three_languages(
    language: Any, opened: str, closed: str, void: str, figure: str, lowest: str, again: str
) -> None:
    table = spin(spin(hall(language=language), place_of("figure_1")), None)
    said = {phase["phase"]: phase["announcement"] for phase in table.all("phase")}
    assert (said["betting"], said["no_more_bets"], said["void"]) == (opened, closed, void)
    valid, broken = table.records
    assert (valid.announcement, [guidance.text for guidance in valid.guidance]) == (figure, [lowest])
    assert (broken.announcement, [guidance.text for guidance in broken.guidance]) == (void, [again])
    assert broken.previous == "figure_1"


def test_the_description_has_the_order_its_checksum_and_the_symbols_names() -> None:
    told = hall().last("description")
    assert tuple(told["layout"]) == order_of("es-ct")
    assert told["names"]["figure_2"] == "segona figura"
    other = (*order_of("es-ct")[1:], order_of("es-ct")[0])
    assert hall(segments=other).last("description")["layout_checksum"] != told["layout_checksum"]
    assert len(told["layout_checksum"]) == 64


def test_counts_are_by_symbol_and_a_fair_wheel_is_one_that_gives_each_as_often_as_it_stands_there() -> None:
    table = hall()
    for _ in range(5):
        for place in range(54):
            spin(table, place)
    stats = table.last("stats")
    assert (stats["sample"], stats["counts"]["24"], stats["counts"]["figure_1"]) == (270, 120, 5)
    assert (stats["chi_square"], stats["degrees_of_freedom"]) == (0, 6)
    spin(table, place_of("figure_1"))
    assert table.last("stats")["chi_square"] > 0
    assert table.last("stats")["hot"][0] == "figure_1", "six times on one segment, others five"


def test_the_chief_corrects_confirms_and_voids() -> None:
    table = spin(hall(policy="inspector"), place_of("24"), turns=3.0, since=2.0)
    assert table.records[0].verdict == "held"
    assert table.ask("confirm", round=1).data == {"id": "ruleta-01/1/1", "verdict": "valid", "number": "24"}
    assert table.last("result")["outcome"]["segment"] == place_of("24") + 1
    assert (
        table.ask("correct", round=1, number="15", reason="x").reason
        == "'round', 'symbol' and 'reason' are needed"
    )
    assert (
        table.ask("correct", round=1, symbol="joker_red", reason="x").reason
        == "this wheel has no symbol 'joker_red'"
    )
    assert table.ask("correct", round=1, symbol="24", reason="x").reason == "round 1 is valid with 24 already"
    assert table.ask("correct", round=1, symbol="15", reason="misread").ok
    assert table.last("result")["outcome"] == {"segment": None, "symbol": "15", "pays": [2, 1]}
    assert table.ask("void", round=1, reason="a hand").ok
    assert table.records[-1].findings[-1].rule == "fortune_wheel.declared_void"
    assert table.last("result") is None
    assert table.last("stats")["sample"] == 0


def test_the_chiefs_void_of_the_spin_in_hand_beats_the_sensor() -> None:
    table = take(hall(policy="inspector"), push(1), push(2))
    assert table.ask("void", reason="a hand on the wheel").ok
    assert table.last("phase")["phase"] == "void"
    take(table, rest(place_of("2")))
    (record,) = table.records
    assert (record.verdict, record.outcome) == (
        "void",
        FortuneWheelOutcome(segment=place_of("2") + 1, symbol="2", pays=(20, 1)),
    )
    assert table.last("stats")["void"] == 1


def test_the_table_is_closed_between_spins_only() -> None:
    table = take(hall(), push(1))
    assert "the wheel is in play" in table.ask("close").reason
    take(table, push(2), rest())
    assert table.ask("close").data == {"session": 1}
    spin(table)
    assert len(table.records) == 1
    take(table, push(1))
    assert table.ask("open").ok
    take(table, push(2), rest())
    assert len(table.records) == 1, "the wheel was turning when the table was opened"
    assert spin(table).records[-1].session == 2


def test_last_spins_are_announced_in_the_texts_words() -> None:
    table = hall()
    assert table.ask("last_rounds", count=2).data["announcement"] == "les dues últimes jugades"
    spin(spin(table, None))
    assert [record.last_ball for record in table.records] == [False, False]
    assert spin(table).records[-1].last_ball is True


def test_a_lost_wheel_voids_and_a_lost_console_does_not() -> None:
    lost = DeviceLost(device="console", at=Instant(0, 0), reason="unplugged")
    table = hall(console=True)
    take(table, push(1), push(2))
    take(table, lost, device="console")
    take(table, rest())
    assert table.records[0].verdict == "valid"
    take(table, push(1), push(2), lost, DeviceBack(device="wheel", at=Instant(0, 0)), rest())
    assert table.records[1].verdict == "void"


def test_the_consoles_button_closes_the_bets() -> None:
    table = take(hall("es-ex", console=True), push(1))
    button = ButtonPressed(device="console", at=table.now, button="no_more_bets")
    take(table, button, device="console")
    take(table, rest(pushes=1))
    assert (table.records[0].verdict, table.records[0].findings) == ("valid", ())


def test_a_round_replayed_from_its_snapshot_gives_the_same_record_to_the_byte() -> None:
    table = spin(spin(spin(hall()), None), 7)
    events = [m.payload for m in table.said if m.topic == "event/round"]
    assert [number for number, _ in table.begins] == [2, 3, 4]
    for number, snapshot in table.begins[:2]:
        again = Table(table.setup, {"wheel": JsonDriver()})
        again.start(Instant(0, 0), restarted=False)
        said = [*_durable(again.restore(snapshot, table.now))]
        for kind, (data, at) in table.log[1 + 9 * (number - 1) :]:
            assert kind == "bytes"
            said += _durable(again.link_bytes("wheel", data, at))
        assert events[number - 1] in said


def _durable(effects: Any) -> list[bytes]:
    return [m.payload for m in effects.durable if m.topic == "event/round"] if effects else []


@pytest.mark.parametrize("steps", range(1, 9))
def test_a_daemon_that_restarts_in_a_spin_voids_it_once(steps: int) -> None:
    table = spin(hall())
    spun = (push(1), turned(1), push(2), *map(turned, (1, 2, 3, 4)), rest())
    take(table, *spun[:steps])
    again = Table(
        table.setup,
        {"wheel": JsonDriver()},
        read_state(encode_state(table.table.state), table.table.play),
        table.records,
    )
    effects = again.start(table.now.later(SECOND), restarted=True)
    records = [msgspec.json.decode(body)["data"] for body in _durable(effects)]
    in_hand = steps < len(spun)
    assert [record["verdict"] for record in records] == ["void"] * in_hand
    assert again.state.next_round == 3
    assert [m for m in effects.live + effects.after if m.topic == "result"]


# --- what is published ----------------------------------------------------------------------------


def played() -> list[Hall]:
    boule = Hall("es-ct", "boule")
    boule.play("5", 1).play("7", 2)
    boule.ask("correct", round=1, number="4", reason="misread")
    wheel = spin(spin(hall()), None)
    wheel.ask("correct", round=2, symbol="24", reason="it stood beside the peg")
    roulette = Hall().play("17").play("17", 2, rotor="cw").play("17", 3, rotor="cw")
    return [roulette, boule, wheel]


def test_everything_that_is_said_is_of_the_contract() -> None:
    schemas = asyncapi.json_schemas()
    validators = {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.items()}
    for table in played():
        assert len(table.said) > 20
        for message in table.said:
            topic = topics.match(message.topic)
            assert topic is not None, message.topic
            if not message.payload:
                assert topic.emptied or topic.name == "result"
                continue
            payload = msgspec.json.decode(message.payload)
            validators[topic.message].validate(payload)
            if topic.name == "event":
                data = topics.EVENT_DATA[message.topic.removeprefix("event/")]
                validators[data.__name__].validate(payload["data"])


def test_the_terminal_shows_what_came() -> None:
    lines = [
        [watch_line(m.topic, m.payload) for m in table.said if m.topic == "event/round"] for table in played()
    ]
    told = [[line.split("  ", 1)[1] for line in each if line is not None] for each in lines]
    assert told[1] == [
        "round 1: valid  5",
        "round 2: valid  7, vermell, senar, passa",
        "round 1: valid  4, vermell, parell, falta",
    ]
    assert told[2] == [
        "round 1: valid  4",
        "round 2: void  jugada nul·la; fortune_wheel.on_peg (es-ct 24.V.3)",
        "round 2: valid  24; fortune_wheel.on_peg (es-ct 24.V.3)",
    ]


# --- what a table keeps ---------------------------------------------------------------------------


def test_a_table_that_another_game_was_played_at_goes_on_with_its_numbers_only() -> None:
    before = Hall().play("17").play("4", 2)
    before.ask("close")
    kept = encode_state(before.table.state)
    setup = hall().setup
    play = play_of(setup.game, setup.language, setup.policy, setup.segments)
    state = read_state(kept, play)
    assert (state.next_round, state.next_seq, state.open) == (3, 3, False)
    assert (state.last_valid, state.tally.valid, state.round) == (None, {}, play.round.start())
    table = Table(setup, {"wheel": JsonDriver()}, state, before.records)
    effects = table.start(before.now, restarted=True)
    assert table.book.records == ()
    assert not [m for m in effects.live + effects.after if m.topic == "result"]


def test_a_state_that_says_no_family_is_a_roulettes() -> None:
    before = Hall().play("17")
    data = msgspec.json.decode(encode_state(before.table.state))
    for later in ("family", "lid_open", "sealed"):
        del data[later]
    assert read_state(msgspec.json.encode(data), before.table.play) == before.table.state


BOTH = (
    WheelOutcome(number="17", color="black", parity="odd", half="low", dozen=2, column=2),
    FortuneWheelOutcome(segment=3, symbol="24", pays=(1, 1)),
)


def test_a_record_knows_its_outcome_by_its_fields() -> None:
    for table, kind in ((Hall().play("17"), WheelOutcome), (spin(hall()), FortuneWheelOutcome)):
        body = msgspec.json.encode(table.records[0])
        again = msgspec.json.decode(body, type=RoundRecord)
        assert isinstance(again.outcome, kind)
        assert msgspec.json.encode(again) == body
        data = msgspec.json.decode(body)
        both = {field: value for outcome in BOTH for field, value in msgspec.structs.asdict(outcome).items()}
        for wrong in (
            both,
            {},
            {"number": 17},
            {**data["outcome"], "pays": "much", "color": 3},
            17,
            [],
            "17",
        ):
            with pytest.raises(msgspec.ValidationError):
                msgspec.json.decode(msgspec.json.encode(data | {"outcome": wrong}), type=RoundRecord)


def test_every_family_that_is_played_says_what_a_table_needs() -> None:
    assert PLAYED["fortune_wheel"].role == "fortune_wheel"
    assert {family for family, play in PLAYED.items() if play.own_order} == {"fortune_wheel"}


def test_a_hindrance_is_published_at_once() -> None:
    hindered = WheelHindered(device="wheel", at=Instant(0, 0), cause="slowed", deceleration=0.2)
    table = take(spin(hall(), place_of("15")), push(1), push(2), hindered)
    phase = table.last("phase")
    assert (phase["phase"], phase["reason"], phase["previous"]) == ("void", "fortune_wheel.hindered", "15")
    assert len(table.records) == 1
