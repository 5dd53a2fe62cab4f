"""What can go wrong between the wheel and its reader: lines lost, cut, altered, held up, the cable out.

Each function takes the lines of a game as the wheel sent them and gives the items that arrive. Lines
whose loss would change what a reader can know of the game are spared, unless that is the point.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random

from simulators.devices.cammegh_game import HEARTBEAT, Line, Phase, between
from simulators.traffic import Bytes, Item, Replug, Unplug

Send = Callable[[list[Line], Random], list[Item]]

PAUSE = 3.0
"""Seconds that a held-up line or burst waits."""
SILENT_LINES = 19
"""Lost in a row, they make a silence of 10 s."""

_PLAY: tuple[Phase, ...] = ("rim", "running")
_NUMBER_LIKE = re.compile(rb"\s*\d{0,2}\s*")


def sent(lines: Sequence[Line], rng: Random | None = None) -> list[Item]:
    """Every line as it was sent, at its time."""
    return [Bytes(line.t, line.data) for line in lines if line.data]


def _where(lines: Sequence[Line], *phases: Phase) -> list[int]:
    return [number for number, line in enumerate(lines) if line.phase in phases]


def _runs(lines: Sequence[Line]) -> list[list[int]]:
    """The status lines' places, one list for each unbroken run of a phase."""
    runs: list[list[int]] = []
    before: Phase | None = None
    for number, line in enumerate(lines):
        if line.state and line.phase != before:
            runs.append([])
        if line.state:
            runs[-1].append(number)
        before = line.phase
    return runs


def _spare(lines: Sequence[Line], least: int) -> list[int]:
    """Places in runs of at least so many lines: one less does not hide the phase."""
    return [number for run in _runs(lines) if len(run) >= least for number in run]


def _apart(places: Sequence[int], count: int, rng: Random) -> list[int]:
    """Up to `count` of the places, in order, at least two lines between any two (the bare number is one)."""
    chosen: list[int] = []
    for place in rng.sample(places, min(len(places), 4 * count)):
        if len(chosen) < count and all(abs(place - other) > 2 for other in chosen):
            chosen.append(place)
    return sorted(chosen)


def _from_a_phase(lines: Sequence[Line], places: Sequence[int], rng: Random) -> int:
    """One of the places: first a phase, so that short ones have their turn, then a line of it."""
    phase = rng.choice(sorted({lines[place].phase for place in places}))
    return rng.choice([place for place in places if lines[place].phase == phase])


# --- altered lines ------------------------------------------------------------------------------

_GARBLE = bytes(byte for byte in range(256) if byte not in b"\r\n;* 0123456789abcdefABCDEF")
"""Bytes of which none can stand in a status line, nor end it."""


def damaged_byte(lines: list[Line], rng: Random) -> list[Item]:
    """One to three lines have a byte that cannot be right."""
    for place in _apart(_spare(lines, 3), between(rng, (1, 3)), rng):
        data = bytearray(lines[place].data)
        data[between(rng, (0, len(data) - 1))] = rng.choice(_GARBLE)
        lines[place].data = bytes(data)
    return sent(lines)


def damaged_digit(lines: list[Line], rng: Random) -> list[Item]:
    """One line between two of its own phase has another digit in one field, and is still well-formed."""
    inside = [place for run in _runs(lines) if len(run) >= 3 for place in run[1:-1]]
    alterations = (_other_state, _other_counter, _other_number, _other_warning, _other_direction)
    altered: bytes | None = None
    while altered is None:
        place = _from_a_phase(lines, inside, rng)
        altered = rng.choice(alterations)(lines[place].data, rng)
    lines[place].data = altered
    return sent(lines)


def _with(data: bytes, at: int, allowed: str, rng: Random) -> bytes:
    other = rng.choice(allowed.replace(chr(data[at]), ""))
    return data[:at] + other.encode("ascii") + data[at + 1 :]


def _other_state(data: bytes, rng: Random) -> bytes:
    return _with(data, 3, "123456", rng)


def _other_counter(data: bytes, rng: Random) -> bytes | None:
    altered = _with(data, between(rng, (5, 7)), "0123456789", rng)
    return altered if 1 <= int(altered[5:8]) <= 255 else None


def _other_number(data: bytes, rng: Random) -> bytes | None:
    if data[9:11] == b"  ":
        return None
    altered = _with(data, between(rng, (9, 10)), "0123456789", rng)
    field = altered[9:11].decode("ascii")
    return altered if not field.startswith("0") and int(field) <= 36 else None


def _other_warning(data: bytes, rng: Random) -> bytes:
    return _with(data, 12, "0123456789ABCDEF", rng)


def _other_direction(data: bytes, rng: Random) -> bytes:
    return _with(data, 18, "01", rng)


def glued_fragments(lines: list[Line], rng: Random) -> list[Item]:
    """Pieces of three lines arrive as one, several times, with whole lines between: never silence."""
    runs = [run for run in _runs(lines) if len(run) >= 6]
    starts = [place for run in runs for place in run[1:-3:6]]
    for place in _apart(starts, between(rng, (2, 4)), rng):
        first, second, third = lines[place : place + 3]
        head = first.data[: between(rng, (2, 12))] + second.data[: between(rng, (2, 9))]
        first.data = head + third.data[between(rng, (7, 14)) :]
        second.data = third.data = b""
    return sent(lines)


def tail_fragments(lines: list[Line], rng: Random) -> list[Item]:
    """Lines of which only the end arrives."""
    for place in _apart(_spare(lines, 3), between(rng, (2, 5)), rng):
        lines[place].data = lines[place].data[between(rng, (2, 16)) :]
    return sent(lines)


# --- lines too few, too many, too late ----------------------------------------------------------


def dropped_lines(lines: list[Line], rng: Random) -> list[Item]:
    """Single lines are lost, none of them the last of its phase to be seen."""
    for place in _apart(_spare(lines, 4), between(rng, (3, 6)), rng):
        lines[place].data = b""
    return sent(lines)


def result_missed(lines: list[Line], rng: Random) -> list[Item]:
    """The reader hears nothing of state 5; half of the time the bare number is lost too."""
    lost: tuple[Phase, ...] = ("settled", "bare") if rng.random() < 0.5 else ("settled",)
    return sent([line for line in lines if line.phase not in lost])


def silence_in_betting(lines: list[Line], rng: Random) -> list[Item]:
    """10 s of silence before the rotor brakes. Betting must be long enough."""
    betting = _where(lines, "betting")
    first = betting[between(rng, (2, len(betting) - SILENT_LINES - 3))]
    return sent(lines[:first] + lines[first + SILENT_LINES :])


def silence_in_play(lines: list[Line], rng: Random) -> list[Item]:
    """10 s of silence in states 3 and 4, after the launch was seen and before the result."""
    play = _where(lines, *_PLAY)
    first = play[between(rng, (2, len(play) - SILENT_LINES - 3))]
    return sent(lines[:first] + lines[first + SILENT_LINES :])


def _held_up(lines: list[Line], rng: Random) -> int:
    """Place of a line that may be sent `PAUSE` later, and what follows it, all still within the game."""
    last = lines[-1].t - PAUSE - HEARTBEAT
    places = [number for number, line in enumerate(lines) if line.state and line.t < last]
    return _from_a_phase(lines, places, rng)


def _after_pause(lines: list[Line], first: int) -> int:
    """Place of the first line that the pause from line `first` on does not touch."""
    until = lines[first].t + PAUSE
    return next(number for number, line in enumerate(lines) if line.t > until)


def half_line_pause(lines: list[Line], rng: Random) -> list[Item]:
    """Half a line, 3 s of nothing, then the other half and what had piled up behind it.

    Every other time it is the first line with the result, the hardest one.
    """
    settled = _where(lines, "settled")
    first = settled[0] if settled and rng.random() < 0.5 else _held_up(lines, rng)
    after = _after_pause(lines, first)
    held, cut, until = lines[first], between(rng, (1, 18)), lines[first].t + PAUSE
    items = [*sent(lines[:first]), Bytes(held.t, held.data[:cut]), Bytes(until, held.data[cut:])]
    items += [Bytes(until, line.data) for line in lines[first + 1 : after]]
    return items + sent(lines[after:])


def burst_after_block(lines: list[Line], rng: Random) -> list[Item]:
    """The lines of 3 s arrive all at once at their end."""
    first = _held_up(lines, rng)
    after = _after_pause(lines, first)
    burst = b"".join(line.data for line in lines[first:after])
    return [*sent(lines[:first]), Bytes(lines[first].t + PAUSE, burst), *sent(lines[after:])]


def power_cut(lines: list[Line], rng: Random) -> list[Item]:
    """The last line before the power goes is cut short, half of the time."""
    if rng.random() < 0.5:
        lines[-1].data = lines[-1].data[: between(rng, (1, 18))]
    return sent(lines)


# --- lines that mean something else -------------------------------------------------------------


def _among(lines: list[Line], places: Sequence[int], foreign: Iterator[bytes]) -> list[Item]:
    """The lines with a foreign one a tenth of a second behind each of the places."""
    items: list[Item] = []
    wanted = set(places)
    for number, line in enumerate(lines):
        items += sent([line])
        if number in wanted:
            items.append(Bytes(line.t + 0.1, next(foreign)))
    return items


def _anywhere(lines: list[Line], count: int, rng: Random) -> list[int]:
    """Places behind which there is room: not where the bare number may stand."""
    before_bare = {place - 1 for place in _where(lines, "bare", "banner")}
    places = [number for number, line in enumerate(lines) if line.state and number not in before_bare]
    return rng.sample(places, count)


def bonus_lines(lines: list[Line], rng: Random) -> list[Item]:
    """Bonus lines in both spellings."""

    def foreign() -> Iterator[bytes]:
        while True:
            mark = rng.choice(";:")
            yield f"*Y{mark}{between(rng, (1, 5))}{mark}{between(rng, (0, 500)):03d}\r\n".encode("ascii")

    return _among(lines, _anywhere(lines, 5, rng), foreign())


REPLIES = (
    b"*P OK", b"*u OK", b"*o BUSY", b"*T s 16.0 18.0", b"*O 6 1 60 1158", b"*V V2.41", b"*F 12", b"*  NO",
)  # fmt: skip


def command_replies(lines: list[Line], rng: Random) -> list[Item]:
    """Answers to commands that the reader never sent."""

    def foreign() -> Iterator[bytes]:
        while True:
            yield rng.choice(REPLIES) + b"\r\n"

    return _among(lines, _anywhere(lines, 6, rng), foreign())


def resent_number(lines: list[Line], rng: Random) -> list[Item]:
    """Old numbers are sent again, in both spellings."""

    def foreign() -> Iterator[bytes]:
        while True:
            yield f"{rng.choice(('*L ', '*'))}{between(rng, (0, 36)):2d}\r\n".encode("ascii")

    return _among(lines, _anywhere(lines, 4, rng), foreign())


def noise(rng: Random, most: int = 60) -> bytes:
    """Up to `most` random bytes and a line end, with nothing in them that could be a number's line."""
    while True:
        data = rng.randbytes(between(rng, (1, most)))
        pieces = re.split(rb"[\r\n]", data)
        if b"*" not in data and not any(piece and _NUMBER_LIKE.fullmatch(piece) for piece in pieces):
            return data + b"\r\n"


def random_bytes(lines: list[Line], rng: Random) -> list[Item]:
    """Noise between the lines, each piece with a line end."""

    def foreign() -> Iterator[bytes]:
        while True:
            yield noise(rng)

    return _among(lines, _anywhere(lines, 5, rng), foreign())


# --- the cable ----------------------------------------------------------------------------------


def _without(lines: list[Line], *gaps: tuple[int, int]) -> list[Item]:
    """The lines with the cable out behind each gap's first place and in again before its second."""
    items: list[Item] = []
    start = 0
    for first, after in gaps:
        items += sent(lines[start : first + 1])
        items += [Unplug(lines[first].t + 0.1), Replug(lines[after].t - 0.1)]
        start = after
    return items + sent(lines[start:])


def link_lost_in_play(lines: list[Line], rng: Random) -> list[Item]:
    """The cable is out for 1 to 6 s of states 3 and 4."""
    play = _where(lines, *_PLAY)
    if not lines[play[0]].data:  # the basic protocol: its reader knows of play only from state 4 on
        play = _where(lines, "running")
    out = between(rng, (2, min(12, len(play) - 6)))
    first = between(rng, (2, len(play) - out - 3))
    return _without(lines, (play[first], play[first + out]))


def link_lost_in_betting(lines: list[Line], rng: Random) -> list[Item]:
    """The cable is out for 1 to 4 s, and back 5 s before the rotor brakes. Betting must be long enough."""
    betting = _where(lines, "betting")
    out = between(rng, (2, 8))
    first = between(rng, (1, len(betting) - out - 10))
    return _without(lines, (betting[first], betting[first + out]))


def five_unplugs(lines: list[Line], rng: Random) -> list[Item]:
    """The cable is out five times for 1 s, with 1.5 s between. Betting must be long enough."""
    betting = _where(lines, "betting")
    return _without(lines, *((betting[2 + 5 * turn], betting[4 + 5 * turn]) for turn in range(5)))


def joined_mid_line(lines: list[Line], rng: Random) -> list[Item]:
    """The reader hears the game from the middle of a line in state 4 or 5 on."""
    running, settled = _where(lines, "running"), _where(lines, "settled")
    place = rng.choice(running[4:-2] if rng.random() < 0.5 else settled)
    tail = Bytes(lines[place].t, lines[place].data[between(rng, (1, 16)) :])
    if lines[0].phase == "banner":
        return [tail, *sent(lines[place + 1 :])]
    gone: list[Item] = [*sent(lines[:1]), Unplug(lines[0].t + 0.1), Replug(lines[place].t - 0.1)]
    return [*gone, tail, *sent(lines[place + 1 :])]
