"""A fuzz campaign against the Cammegh driver: games as a wheel sends them, damaged as lines are.

    python tests/campaigns/fuzz_cammegh.py --seconds 600 --seed 1

Each execution plays some games of one wheel (and pieces of the real captures, where they lie beside the
project) through three drivers: whole, byte by byte, and restored from a snapshot before every piece. They
must say the same, raise nothing, stay small, and end every game once. Prints executions, lines and findings;
a finding can be repeated by its seed. Exit code 1 if there are any.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT.parent / "shared" / "captures"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import fuzzing  # noqa: E402 - found by the path above
from cammegh_line import instant  # noqa: E402
from cammegh_twins import CammeghTwins  # noqa: E402

from drivers.cammegh.driver import CammeghOptions  # noqa: E402

WHEELS = (
    {"model": "slingshot-2"},
    {"model": "slingshot-2", "pockets": 38, "silence": 4.0},
    {"model": "mercury-360"},
    {"model": "mercury-360", "protocol": "extended"},
    {"model": "mercury-360", "protocol": "basic"},
)
FOREIGN = (
    b"*u OK", b"*P OK", b"*o BUSY", b"*T s 16.0 18.0", b"*V V2.50 Cammegh", b"*S V2.50", b"*  NO", b"*F 12",
    b"*Y;1;250", b"*Y:2:100", b"*L 17", b"*31", b"AT", b"ATE0", b"17", b"0", b"00",
)  # fmt: skip


class Wheel:
    """Lines of a wheel in order, one game after the other; not the product's simulator."""

    def __init__(self, rng: Random, options: dict[str, object]) -> None:
        self.rng = rng
        self.protocol = options.get("protocol", "advanced")
        self.mercury = options["model"] == "mercury-360"
        self.pockets = options.get("pockets", 37)
        self.counter = rng.choice((1, 12, 100, 254, 255))
        self.number = rng.choice(("", " 0", "17", "31"))
        self.rotor = rng.randrange(2)
        self.laps = 0

    def line(self, state: int, w: int = 0, v: int | None = None) -> bytes:
        speed = self.rng.randint(150, 180) if v is None else v
        text = f"*X;{state};{self.counter:03d};{self.number:>2};{w:X};{speed:03d};{self.rotor}"
        if self.protocol == "extended":
            ball = self.rng.choice("01?") if self.rng.random() < 0.1 else str(1 - self.rotor)
            pocket = self.number if state == 5 and self.number else "??"
            text += f";{0x22:04X};{self.laps:02X};{ball};{self.rng.randrange(1 << 18):05X};{pocket:>2}"
        return text.encode()

    def status(self, state: int, n: int, w: int = 0, v: int | None = None) -> Iterator[bytes]:
        for _ in range(n):
            if state in (3, 4):
                self.laps = min(self.laps + self.rng.choice((0, 1, 1, 2)), 255)
            yield self.line(state, w, v)

    def game(self) -> Iterator[bytes]:
        """One game, in one of the ways in which games go."""
        rng = self.rng
        if self.protocol == "basic":
            yield from (b"*S", b"*N", f"*W {rng.randrange(37):>2}".encode())
            return
        yield from self.status(2, rng.randint(2, 5))
        yield from self.turn(0)
        while rng.random() < 0.2:
            yield from self.status(2, rng.randint(1, 4), w=rng.choice((2, 8, 8)))
            yield from self.turn(8)
        yield from self.status(3, rng.randint(1, 5))
        if rng.random() < 0.1:
            return  # the launch is given up
        yield from self.status(4, rng.randint(3, 10))
        yield from self.status(4, rng.randint(0, 13), w=rng.choice((0, 0, 1, 2, 4, 8)))
        end = rng.random()
        if end < 0.1:
            yield from self.closed()
        elif end < 0.15:
            self.counter, self.number = 1, ""
            yield b"*V V2.50 Cammegh"
            yield from self.closed()
        elif end < 0.9:
            yield from self.result()

    def turn(self, w: int) -> Iterator[bytes]:
        yield from self.status(2, 1, w, 60)
        yield from self.status(2, self.rng.randint(1, 3), w, 0)
        self.rotor ^= 1
        self.laps = 0
        yield from self.status(2, 3, w)

    def closed(self) -> Iterator[bytes]:
        yield from self.status(6, self.rng.randint(1, 6), self.rng.choice((0, 4)), 0)
        yield from self.status(1, self.rng.randint(1, 6))

    def result(self) -> Iterator[bytes]:
        rng = self.rng
        if self.mercury and rng.random() < 0.3:
            yield from self.status(7, rng.randint(1, 6))
        number = str(rng.randrange(37)) if self.pockets == 37 or rng.random() < 0.9 else "00"
        if rng.random() < 0.9:
            yield number.encode() if rng.random() < 0.9 else number[:1].encode()
        self.number = number if rng.random() < 0.95 else ""
        yield from self.status(5, rng.randint(1, 8))
        if rng.random() < 0.2:
            yield from self.status(1, 3)
        top = 255 if self.mercury else 256
        self.counter = self.counter + 1 if self.counter < top else (0 if self.mercury else 1)


def mutate(rng: Random, line: bytes) -> bytes:
    """One line, damaged in one of the ways in which lines are."""
    data = bytearray(line)
    place = rng.randrange(len(data))
    kind = rng.randrange(7)
    if kind == 0:
        data[place] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[place] = rng.choice(b"0123456789")
    elif kind == 2:
        del data[place : place + rng.randint(1, 8)]
    elif kind == 3:
        data[place:place] = rng.randbytes(rng.randint(1, 4))
    elif kind == 4:
        data = data[place:] + data[:place]
    elif kind == 5:
        data += line * rng.choice((1, 1, 20))
    else:
        data = bytearray(rng.randbytes(rng.choice((1, 20, 600))))
    return bytes(data)


def capture_lines() -> list[bytes]:
    """Lines of the real captures, if they are there."""
    lines: list[bytes] = []
    for path in sorted(CAPTURES.glob("*.tsv")) if CAPTURES.is_dir() else ():
        rows = path.read_text().splitlines()
        lines += [row.partition("\t")[2].encode() for row in rows if not row.startswith("#")]
    return lines


def lines_of(rng: Random, wheel: Wheel, captured: list[bytes]) -> Iterator[bytes]:
    """The lines of one execution."""
    if captured and wheel.protocol == "advanced" and rng.random() < 0.3:
        start = rng.randrange(len(captured))
        yield from captured[start : start + rng.randint(20, 300)]
    for _ in range(rng.randint(1, 4)):
        yield from wheel.game()


def execute(seed: str, captured: list[bytes], kinds: Counter[str]) -> int:
    """One execution; the number of lines it played. Raises on a finding."""
    rng = Random(seed)
    options = rng.choice(WHEELS)
    twins = CammeghTwins(CammeghOptions(**options))  # type: ignore[arg-type]
    wheel = Wheel(rng, options)
    damage = rng.choice((0.0, 0.02, 0.1, 0.4))
    seconds, played = 0.0, 0
    twins.link_up(instant(seconds))
    held = b""
    for line in lines_of(rng, wheel, captured):
        played += 1
        seconds += rng.choice((0.5, 0.5, 0.5, 0.5, 0.0, 0.48, 3.0)) if rng.random() < 0.99 else 8.0
        twins.wait(instant(seconds))
        if rng.random() < damage:
            line = rng.choice((b"", mutate(rng, line), mutate(rng, line), rng.choice(FOREIGN)))
        held += line + rng.choice((b"\r\n", b"\r\n", b"\n\r", b"\r", b"\n"))
        if rng.random() < 0.1:
            continue  # comes in one piece with the next line
        if rng.random() < 0.05:
            cut = rng.randrange(len(held))
            twins.receive(held[:cut], instant(seconds))
            held = held[cut:]
            seconds += rng.choice((0.0, 1.0, 6.0))
            twins.wait(instant(seconds))
        twins.receive(held, instant(seconds))
        held = b""
        if rng.random() < 0.005:
            twins.link_lost(instant(seconds))
            seconds += rng.choice((0.1, 2.0, 30.0))
            twins.link_up(instant(seconds))
    kinds.update(type(reading).__name__ for reading in twins.said)
    return played


def main() -> int:
    """Play until the time is over."""
    captured = capture_lines()
    return fuzzing.run("fuzz the Cammegh driver", "lines", lambda seed, kinds: execute(seed, captured, kinds))


if __name__ == "__main__":
    sys.exit(main())
