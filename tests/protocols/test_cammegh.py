"""The Cammegh codec: every kind of line, back and forth; damage; what a model or protocol does not have."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.cammegh import (
    BareNumber,
    BonusLine,
    Codec,
    CommandReply,
    Damaged,
    ExtendedLine,
    GameStarted,
    Message,
    Model,
    NoMoreBets,
    Probe,
    Protocol,
    ResentNumber,
    StatusLine,
    WinningNumber,
)

SLINGSHOT = Codec("slingshot-2")
AMERICAN = Codec("slingshot-2", pockets=38)
MERCURY = Codec("mercury-360")
EXTENDED = Codec("mercury-360", "extended")
BASIC = Codec("mercury-360", "basic")


@pytest.mark.parametrize(
    ("codec", "line", "message"),
    [
        (SLINGSHOT, b"*X;2;002;31;0;146;1", StatusLine(2, 2, "31", 0, 146, 1)),
        (SLINGSHOT, b"*X;5;256; 9;A;000;0", StatusLine(5, 256, "9", 10, 0, 0)),
        (SLINGSHOT, b"*X;4;001;  ;4;983;0", StatusLine(4, 1, None, 4, 983, 0)),
        (SLINGSHOT, b"*X;5;012; 0;0;158;0", StatusLine(5, 12, "0", 0, 158, 0)),
        (AMERICAN, b"*X;5;012;00;0;158;0", StatusLine(5, 12, "00", 0, 158, 0)),
        (MERCURY, b"*X;7;000;36;F;085;1", StatusLine(7, 0, "36", 15, 85, 1)),
        (
            EXTENDED,
            b"*X;4;255;17;0;182;0;0112;0C;1;0A3F1;??",
            ExtendedLine(4, 255, "17", 0, 182, 0, 0x112, 12, 1, 0xA3F1, None),
        ),
        (
            EXTENDED,
            b"*X;5;001; 5;0;182;0;0080;00;?;?????; 5",
            ExtendedLine(5, 1, "5", 0, 182, 0, 0x80, 0, None, None, "5"),
        ),
        (SLINGSHOT, b"28", BareNumber("28")),
        (SLINGSHOT, b"3", BareNumber("3")),
        (AMERICAN, b"00", BareNumber("00")),
        (BASIC, b"*S", GameStarted()),
        (BASIC, b"*N", NoMoreBets()),
        (BASIC, b"*W 31", WinningNumber("31")),
        (SLINGSHOT, b"*u OK", CommandReply("*u OK")),
        (SLINGSHOT, b"*o BUSY", CommandReply("*o BUSY")),
        (SLINGSHOT, b"*T s 16.0 18.0", CommandReply("*T s 16.0 18.0")),
        (SLINGSHOT, b"*O 6 1 60 1158", CommandReply("*O 6 1 60 1158")),
        (SLINGSHOT, b"*  NO", CommandReply("*  NO")),
        (SLINGSHOT, b"*) NO", CommandReply("*) NO")),
        (SLINGSHOT, b"*F 12", CommandReply("*F 12")),
        (SLINGSHOT, b"*S V2.50", CommandReply("*S V2.50")),
        (SLINGSHOT, b"*Y;2;250", BonusLine("*Y;2;250")),
        (SLINGSHOT, b"*Y:2:250", BonusLine("*Y:2:250")),
        (SLINGSHOT, b"*L 31", ResentNumber("31")),
        (SLINGSHOT, b"*L  9", ResentNumber("9")),
        (SLINGSHOT, b"AT", Probe("AT")),
        (SLINGSHOT, b"ATE1 E0", Probe("ATE1 E0")),
    ],
)
def test_a_line_is_its_message_and_a_message_its_line(codec: Codec, line: bytes, message: Message) -> None:
    assert codec.decode(line) == message
    assert codec.encode(message) == line


@pytest.mark.parametrize(
    ("codec", "line", "message"),
    [
        (SLINGSHOT, b"*X;5;012;05;0;158;0", StatusLine(5, 12, "5", 0, 158, 0)),
        (SLINGSHOT, b"*X;4;012;05;a;158;0", StatusLine(4, 12, "5", 10, 158, 0)),
        (SLINGSHOT, b"05", BareNumber("5")),
        (SLINGSHOT, b"*31", ResentNumber("31")),
        (SLINGSHOT, b"*9", ResentNumber("9")),
        (BASIC, b"*W 05", WinningNumber("5")),
        (BASIC, b"*W 5", WinningNumber("5")),
        (SLINGSHOT, b"*W 31", CommandReply("*W 31")),
    ],
)
def test_other_spellings(codec: Codec, line: bytes, message: Message) -> None:
    assert codec.decode(line) == message


@pytest.mark.parametrize(
    ("codec", "line"),
    [
        (SLINGSHOT, b""),
        (SLINGSHOT, b"*X;4;14*X;*X;4;146; 9;0;158;0"),
        (SLINGSHOT, b"00;0"),
        (SLINGSHOT, b"6; 9;0;158;0"),
        (SLINGSHOT, b"*X;4;012;31;0;158;"),
        (SLINGSHOT, b"*X;4;012;31;0;158;00"),
        (SLINGSHOT, b"*X;0;012;31;0;158;0"),
        (SLINGSHOT, b"*X;8;012;31;0;158;0"),
        (SLINGSHOT, b"*X;4;0 2;31;0;158;0"),
        (SLINGSHOT, b"*X;4;012;3 ;0;158;0"),
        (SLINGSHOT, b"*X;4;012;31;G;158;0"),
        (SLINGSHOT, b"*X;4;012;31;0;15O;0"),
        (SLINGSHOT, b"*X;4;012;31;0;158;2"),
        (SLINGSHOT, b"*X:4:012:31:0:158:0"),
        (SLINGSHOT, b"*X;4;012;31;0;158;\xb0"),
        (SLINGSHOT, b"*X;5;012;00;0;158;0"),  # no double zero on 37 pockets
        (SLINGSHOT, b"*X;5;012;37;0;158;0"),
        (AMERICAN, b"*X;5;012;37;0;158;0"),
        (SLINGSHOT, b"00"),
        (SLINGSHOT, b"37"),
        (SLINGSHOT, b"123"),
        (SLINGSHOT, b"*L 37"),
        (SLINGSHOT, b"*X;7;012;31;0;158;0"),  # a Slingshot has no dealer's lock
        (SLINGSHOT, b"*X;4;000;31;0;158;0"),
        (SLINGSHOT, b"*X;4;257;31;0;158;0"),
        (MERCURY, b"*X;4;256;31;0;158;0"),
        (SLINGSHOT, b"*S"),
        (SLINGSHOT, b"*"),
        (SLINGSHOT, b"*Y;2:250"),
        (SLINGSHOT, b"hello"),
        (SLINGSHOT, b"*u " + b"x" * 200),
        (MERCURY, b"*S"),  # the basic protocol's lines in another one
        (MERCURY, b"*W 31"),
        (MERCURY, b"*X;4;255;17;0;182;0;0112;0C;1;0A3F1;??"),
        (EXTENDED, b"*X;4;255;17;0;182;0"),
        (EXTENDED, b"*X;4;255;17;0;182;0;0112;0C;2;0A3F1;??"),
        (EXTENDED, b"*X;4;255;17;0;182;0;0112;0C;1;0A3F1;37"),
        (EXTENDED, b"*X;4;255;17;0;182;0;0112;0C;1;??3F1;??"),
        (BASIC, b"*X;4;255;17;0;182;0"),
        (BASIC, b"*W 37"),
        (BASIC, b"*W"),
    ],
)
def test_damage_is_damage(codec: Codec, line: bytes) -> None:
    assert isinstance(codec.decode(line), Damaged)


def test_a_damaged_line_is_no_better_the_second_time_nor_after_a_good_one() -> None:
    codec = Codec("slingshot-2")
    assert isinstance(codec.decode(b"*X;4;012;31;0;158;0"), StatusLine)
    for _ in range(2):
        assert isinstance(codec.decode(b"*X;4;012;31;0;158;2"), Damaged)


def test_decoded_lines_are_remembered_within_bounds() -> None:
    codec = Codec("mercury-360")
    lines = [b"*X;4;%03d;31;0;%03d;0" % (n % 256, n // 256 + 100) for n in range(10_000)]
    for line in lines:
        assert codec.decode(line) == codec.decode(line)
    assert codec.known(lines[-1]) == codec.decode(lines[-1])
    assert codec.known(lines[0]) is None
    assert codec.decode(lines[0]) == StatusLine(4, 0, "31", 0, 100, 0)
    codec.decode(b"*X;4;012;31;0;158;2")
    assert codec.known(b"*X;4;012;31;0;158;2") is None


def test_the_firmware_is_read_from_the_lines_that_state_it() -> None:
    banner = "*V V2.50 Cammegh / Syoptic - SlingShot 2 Roulette Wheel (c) 03/12/18"
    assert CommandReply(banner).firmware == "V2.50"
    assert CommandReply("*S V2.50").firmware == "V2.50"
    assert CommandReply("*u OK").firmware is None
    assert CommandReply(banner).command == "*V"


def test_counters_wrap_as_the_model_does() -> None:
    assert [SLINGSHOT.following(n) for n in (1, 255, 256)] == [2, 256, 1]
    assert [MERCURY.following(n) for n in (0, 1, 255)] == [1, 2, 0]


@pytest.mark.parametrize(
    ("model", "protocol", "pockets", "word"),
    [
        ("slingshot-3", "advanced", 37, "model"),
        ("slingshot-2", "extended", 37, "advanced protocol only"),
        ("slingshot-2", "basic", 37, "advanced protocol only"),
        ("mercury-360", "fast", 37, "protocol"),
        ("mercury-360", "advanced", 36, "pockets"),
    ],
)
def test_wheels_that_do_not_exist_are_refused(
    model: Model, protocol: Protocol, pockets: int, word: str
) -> None:
    with pytest.raises(ValueError, match=word):
        Codec(model, protocol, pockets)


@pytest.mark.parametrize(
    ("codec", "message"),
    [
        (SLINGSHOT, StatusLine(7, 12, "31", 0, 158, 0)),
        (SLINGSHOT, StatusLine(4, 12, "37", 0, 158, 0)),
        (SLINGSHOT, StatusLine(4, 12, "31", 0, 1000, 0)),
        (SLINGSHOT, GameStarted()),
        (SLINGSHOT, CommandReply("no reply")),
        (SLINGSHOT, BareNumber("00")),
        (SLINGSHOT, Damaged("length")),
        (EXTENDED, StatusLine(4, 12, "31", 0, 158, 0)),
    ],
)
def test_what_a_wheel_cannot_say_is_not_encoded(codec: Codec, message: Message) -> None:
    with pytest.raises(ValueError, match=r"cannot say|no line"):
        codec.encode(message)


LABELS = st.integers(0, 36).map(str)
STATUS = st.builds(
    StatusLine,
    st.integers(1, 6),
    st.integers(1, 255),
    st.none() | LABELS,
    st.integers(0, 15),
    st.integers(0, 999),
    st.integers(0, 1),
)
EXTENSION = st.builds(
    ExtendedLine,
    st.integers(1, 7),
    st.integers(0, 255),
    st.none() | LABELS,
    st.integers(0, 15),
    st.integers(0, 999),
    st.integers(0, 1),
    st.integers(0, 0xFFFF),
    st.integers(0, 0xFF),
    st.none() | st.integers(0, 1),
    st.none() | st.integers(0, 0xFFFFF),
    st.none() | LABELS,
)


@given(STATUS)
def test_status_lines_round_trip(message: StatusLine) -> None:
    for codec in (Codec("slingshot-2"), Codec("mercury-360"), Codec("slingshot-2", pockets=38)):
        assert codec.decode(codec.encode(message)) == message


@given(EXTENSION)
def test_extended_lines_round_trip(message: ExtendedLine) -> None:
    assert EXTENDED.decode(EXTENDED.encode(message)) == message


@given(
    st.one_of(
        st.binary(max_size=80),
        st.text("*XYLSNWAT0123456789;:? ", max_size=40).map(str.encode),
        st.from_regex(re.compile(rb"\*X;[0-9];[0-9]{3};[ 0-9]{2};[0-9A-G];[0-9]{3};[0-2]"), fullmatch=True),
    )
)
def test_nothing_raises_and_what_is_decoded_is_encoded(line: bytes) -> None:
    for codec in (SLINGSHOT, AMERICAN, MERCURY, EXTENDED, BASIC):
        message = codec.decode(line)
        if not isinstance(message, Damaged):
            assert codec.decode(codec.encode(message)) == message


@pytest.mark.parametrize("name", ["games", "faults"])
def test_the_captures_hold_no_line_that_is_not_known(shared_captures: Path, name: str) -> None:
    damaged = []
    for row in (shared_captures / f"slingshot2-{name}.tsv").read_text().splitlines():
        if not row.startswith("#"):
            line = row.partition("\t")[2].encode()
            if isinstance(SLINGSHOT.decode(line), Damaged):
                damaged.append(line)
    assert damaged == ([b"00;0"] if name == "faults" else [])
