"""Cammegh roulette wheels (Slingshot 2, Mercury 360): a line's bytes in, a frozen message out, and back.

The wire is ASCII, 9600 8N1, lines ended by CR and LF in either order, no checksum, no sequence number:
what resynchronises it is the next line end (`protocols.framing`). The same letters mean different things on
the two models, so a codec is told the model, the protocol and the number of pockets.

- advanced: `*X;S;GGG;NN;W;VVV;D` every 0.5 s, and the number alone on a line before state 5;
- extended (Mercury 360): the same, then `;FFFF;CC;B;TTTTT;PP`;
- basic (Mercury 360): `*S`, `*N`, `*W nn`, sent when they happen.

Checked in this order: length, start, type, fields. What fails is `Damaged`, with a reason; nothing raises.
"""

import re
from dataclasses import dataclass
from typing import Literal

Model = Literal["slingshot-2", "mercury-360"]
Protocol = Literal["advanced", "extended", "basic"]

TICKS = 32_768
"""Units a second of the extended line's ball time."""
LONGEST = 128
"""Bytes; the longest line seen is a firmware banner of 67."""
_KNOWN_LIMIT = 4096
"""Status lines kept decoded: a wheel repeats a few hundred for hours."""


@dataclass(frozen=True, slots=True)
class StatusLine:
    """The heartbeat. `number` is the last winning number, None while unknown."""

    state: int
    """1 start, 2 place bets, 3 ball in rim, 4 no more bets, 5 winning number, 6 closed, 7 dealer lock."""
    counter: int
    number: str | None
    warnings: int
    """Four bits, whose meaning depends on the model."""
    speed: int
    """Rotor rpm × 10."""
    direction: int
    """Rotor: 0 clockwise, 1 anticlockwise; mostly 0 at rest."""


@dataclass(frozen=True, slots=True)
class ExtendedLine(StatusLine):
    """The heartbeat of a Mercury that sees its ball."""

    flags: int
    """1 rotor stopped, 2 speed legal, 4 too fast, 8 too slow, 10h clockwise, 20h anticlockwise,
    40h direction unknown, 80h no ball in wheel, 100h ball in pocket."""
    laps: int
    """Ball revolutions in this game."""
    ball: int | None
    """Ball: 0 clockwise, 1 anticlockwise, None unknown."""
    lap_ticks: int | None
    """The last ball revolution in 1/32768 s."""
    pocket: str | None


@dataclass(frozen=True, slots=True)
class BareNumber:
    """The winning number on a line of its own, just before the first line of state 5."""

    number: str


@dataclass(frozen=True, slots=True)
class GameStarted:
    """Basic protocol: `*S`."""


@dataclass(frozen=True, slots=True)
class NoMoreBets:
    """Basic protocol: `*N`."""


@dataclass(frozen=True, slots=True)
class WinningNumber:
    """Basic protocol: `*W nn`."""

    number: str


@dataclass(frozen=True, slots=True)
class CommandReply:
    """An answer to a command that somebody sent to the wheel."""

    text: str

    @property
    def command(self) -> str:
        """The command that it answers: `*` and one character."""
        return self.text[:2]

    @property
    def firmware(self) -> str | None:
        """The version, if the line states one (`*V V2.50 …`, `*S V2.50`)."""
        found = _VERSION.match(self.text)
        return found[1] if found else None


@dataclass(frozen=True, slots=True)
class BonusLine:
    """A side game's line, `*Y;k;nnn` or `*Y:k:nnn`; not a result."""

    text: str


@dataclass(frozen=True, slots=True)
class ResentNumber:
    """An old number sent again, `*L nn` or `*nn`; not a result."""

    number: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A modem's command, sent by a host program that looks for modems."""

    text: str


@dataclass(frozen=True, slots=True)
class Damaged:
    """Not a line of this wheel."""

    reason: str


Message = (
    StatusLine
    | ExtendedLine
    | BareNumber
    | GameStarted
    | NoMoreBets
    | WinningNumber
    | CommandReply
    | BonusLine
    | ResentNumber
    | Probe
    | Damaged
)

_NUMBER = rb" \d|\d\d"
_STATUS = rb"\*X;([1-7]);(\d{3});(  |" + _NUMBER + rb");([0-9A-Fa-f]);(\d{3});([01])"
_EXTENSION = rb";([0-9A-Fa-f]{4});([0-9A-Fa-f]{2});([01?]);([0-9A-Fa-f]{5}|\?{5});(\?\?|" + _NUMBER + rb")"
_ADVANCED_LINE = re.compile(_STATUS)
_EXTENDED_LINE = re.compile(_STATUS + _EXTENSION)
_STATUS_LENGTH = 19
_EXTENDED_LENGTH = 38
_PRINTABLE = re.compile(rb"[ -~]+")
_BARE = re.compile(rb" ?(\d{1,2})")
_BASIC = re.compile(rb"\*(?:([SN])|W +(\d{1,2}))")
_RESENT = re.compile(rb"\*(?:L ?)? ?(\d{1,2})")
_BONUS = re.compile(rb"\*Y([;:])[0-9A-Za-z]{1,2}\1\d{1,4}")
_REPLY = re.compile(rb"\*[^0-9LXY] +[!-~][ -~]*")
_PROBE = re.compile(rb"AT[ -~]*")
_VERSION = re.compile(r"\*[SV] +(V\d[\w.]*)")


class Codec:
    """One wheel's lines. Raises ValueError for a model, protocol or wheel that does not exist."""

    def __init__(self, model: Model, protocol: Protocol = "advanced", pockets: int = 37) -> None:
        check(model, protocol, pockets)
        self._slingshot = model == "slingshot-2"
        self._protocol = protocol
        self._basic = protocol == "basic"
        self._pattern = _EXTENDED_LINE if protocol == "extended" else _ADVANCED_LINE
        self._length = _EXTENDED_LENGTH if protocol == "extended" else _STATUS_LENGTH
        self._label = _labels(double_zero=pockets == 38).get
        """The label of a pocket as it stands on the line, or None if this wheel has no such pocket."""
        self._counters = range(1, 257) if self._slingshot else range(256)
        self._known: dict[bytes, StatusLine] = {}
        self.known = self._known.get
        """The status line of these bytes, if it was decoded lately; None otherwise. Faster than `decode`."""

    def following(self, counter: int) -> int:
        """The game counter after this one."""
        return counter + 1 if counter + 1 in self._counters else self._counters[0]

    def decode(self, line: bytes) -> Message:
        """One line without its end. Never raises: what is no line of this wheel is `Damaged`."""
        known = self._known.get(line)
        if known is not None:
            return known
        if line.startswith(b"*X"):
            return self._status(line)
        if not 0 < len(line) <= LONGEST:
            return Damaged("length")
        if not _PRINTABLE.fullmatch(line):
            return Damaged("not printable ASCII")
        if line.startswith(b"*"):
            return self._starred(line)
        if found := _BARE.fullmatch(line):
            number = self._label(found[1])
            return BareNumber(number) if number is not None else Damaged("no such pocket")
        if _PROBE.fullmatch(line):
            return Probe(line.decode("ascii"))
        return Damaged("start")

    def _status(self, line: bytes) -> StatusLine | Damaged:
        found = None if self._basic else self._pattern.fullmatch(line)
        if found is None:
            return Damaged(self._no_status(line))
        state, counter, number, warnings, speed, direction = found.groups()[:6]
        label = None if number == b"  " else self._label(number)
        if number != b"  " and label is None:
            return Damaged("no such pocket")
        if int(counter) not in self._counters:
            return Damaged("counter out of range")
        if self._slingshot and state == b"7":
            return Damaged("no such state on this model")
        status = StatusLine(int(state), int(counter), label, int(warnings, 16), int(speed), int(direction))
        message = status if self._protocol == "advanced" else self._extended(status, found.groups()[6:])
        if isinstance(message, StatusLine):
            if len(self._known) >= _KNOWN_LIMIT:
                self._known.clear()
            self._known[line] = message
        return message

    def _no_status(self, line: bytes) -> str:
        """What is wrong with a line that begins like a status line and is none."""
        if len(line) > LONGEST:
            return "length"
        if not _PRINTABLE.fullmatch(line):
            return "not printable ASCII"
        if len(line) != self._length:
            return "length of a status line"
        return "a status line in the basic protocol" if self._basic else "fields of a status line"

    def _extended(self, status: StatusLine, fields: tuple[bytes, ...]) -> ExtendedLine | Damaged:
        flags, laps, ball, ticks, pocket = fields
        label = None if pocket == b"??" else self._label(pocket)
        if pocket != b"??" and label is None:
            return Damaged("no such pocket")
        return ExtendedLine(
            status.state,
            status.counter,
            status.number,
            status.warnings,
            status.speed,
            status.direction,
            flags=int(flags, 16),
            laps=int(laps, 16),
            ball=None if ball == b"?" else int(ball),
            lap_ticks=None if ticks == b"?????" else int(ticks, 16),
            pocket=label,
        )

    def _starred(self, line: bytes) -> Message:
        if not self._slingshot and (found := _BASIC.fullmatch(line)):
            if not self._basic:
                return Damaged(f"a line of the basic protocol in the {self._protocol} one")
            if found[1]:
                return GameStarted() if found[1] == b"S" else NoMoreBets()
            number = self._label(found[2])
            return WinningNumber(number) if number is not None else Damaged("no such pocket")
        if found := _RESENT.fullmatch(line):
            number = self._label(found[1])
            return ResentNumber(number) if number is not None else Damaged("no such pocket")
        text = line.decode("ascii")
        if _BONUS.fullmatch(line):
            return BonusLine(text)
        if _REPLY.fullmatch(line):
            return CommandReply(text)
        return Damaged("unknown type")

    def encode(self, message: Message) -> bytes:
        """The line of a message, without its end. Raises ValueError for one that has no line here.

        `decode` gives the message back.
        """
        match message:
            case ExtendedLine():
                ball = "?" if message.ball is None else str(message.ball)
                ticks = "?????" if message.lap_ticks is None else f"{message.lap_ticks:05X}"
                pocket = "??" if message.pocket is None else f"{message.pocket:>2}"
                line = f"{_heartbeat(message)};{message.flags:04X};{message.laps:02X};{ball};{ticks};{pocket}"
            case StatusLine():
                line = _heartbeat(message)
            case BareNumber(number):
                line = number
            case WinningNumber(number):
                line = f"*W {number:>2}"
            case ResentNumber(number):
                line = f"*L {number:>2}"
            case GameStarted():
                line = "*S"
            case NoMoreBets():
                line = "*N"
            case CommandReply(text) | BonusLine(text) | Probe(text):
                line = text
            case Damaged(reason):
                raise ValueError(f"damage ({reason}) has no line")
        data = line.encode("ascii", "replace")
        if self.decode(data) != message:
            raise ValueError(f"this wheel cannot say {message}")
        return data


def _labels(double_zero: bool) -> dict[bytes, str]:
    """Every form of a pocket's number on the line, with the pocket's label."""
    forms = {form % n: str(n) for n in range(37) for form in (b"%d", b"%2d", b"%02d")}
    del forms[b"00"]
    return forms | ({b"00": "00"} if double_zero else {})


def check(model: str, protocol: str, pockets: int) -> None:
    """Raises ValueError, in words for a configuration, for a wheel that does not exist."""
    if model not in ("slingshot-2", "mercury-360"):
        raise ValueError(f"unknown model {model!r}: slingshot-2 or mercury-360")
    if protocol not in ("advanced", "extended", "basic"):
        raise ValueError(f"unknown protocol {protocol!r}: advanced, extended or basic")
    if model == "slingshot-2" and protocol != "advanced":
        raise ValueError(f"a slingshot-2 speaks the advanced protocol only, not {protocol}")
    if pockets not in (37, 38):
        raise ValueError(f"a roulette wheel has 37 or 38 pockets, not {pockets}")


def _heartbeat(line: StatusLine) -> str:
    return (
        f"*X;{line.state};{line.counter:03d};{line.number or '':>2};{line.warnings:X}"
        f";{line.speed:03d};{line.direction}"
    )
