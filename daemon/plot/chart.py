"""The picture itself: a round's story as an SVG document that a table chief can read and print.

Nothing is told by colour alone: curves differ in dashes and marks in letters. Every text comes escaped.
"""

import textwrap
from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from xml.sax.saxutils import escape

from daemon.plot.story import Curve, Mark, Story
from daemon.records import PhaseName, RoundRecord

WIDTH, LEFT, RIGHT = 960, 64, 24
PLOT = WIDTH - LEFT - RIGHT
MARKS_TOP, MARKS_ROWS, MARKS_PITCH = 126, 4, 14
SPEEDS_TOP, SPEEDS_HEIGHT = 206, 190
TURNS_TOP, TURNS_HEIGHT = 428, 120
TICKS = 5
"""Parts of a scale at most."""
LONGEST = 60
"""Letters of a mark; the rest is in its title."""
LINE = 125
"""Letters of a finding in one line."""
FONT = 'font-family="sans-serif"'

_PHASES: dict[PhaseName, str] = {
    "closed": "#9aa0a6",
    "betting": "#8ab17d",
    "in_play": "#e9c46a",
    "no_more_bets": "#f4a261",
    "result": "#6a9fd8",
    "void": "#d1495b",
    "held": "#b39ddb",
}
_UNMEASURED = "not measured by this device"
_CURVES = {"ball": ("#1d3557", ""), "wheel": ("#2a7f62", ' stroke-dasharray="7 4"'), "turns": ("#444444", "")}
_MARKS = {"step": "#555555", "push": "#2a7f62", "trouble": "#b00020", "result": "#1d3557"}


def draw(story: Story) -> str:
    """The whole document."""
    found = [line for said in (*story.revisions, *_found(story.record)) for line in _wrapped(said)]
    bottom = TURNS_TOP + TURNS_HEIGHT + 52
    height = bottom + 20 * len(found) + 24
    body = [
        *_heading(story),
        *_phases(story),
        *_panel(story, story.speeds, SPEEDS_TOP, SPEEDS_HEIGHT, "turns a second"),
        *_panel(story, (story.turns,), TURNS_TOP, TURNS_HEIGHT, _counted(story)),
        *_limit(story),
        *_marks(story),
        *_seconds(story),
        *(_text(LEFT, bottom + 14 + 20 * row, said, size=13) for row, said in enumerate(found)),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-label="{_safe(_title(story))}">\n'
        f"<title>{_safe(_title(story))}</title>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _title(story: Story) -> str:
    record = story.record
    return f"{record.site}/{record.table}, round {record.round}, revision {record.revision}"


def _heading(story: Story) -> Iterator[str]:
    record = story.record
    law = f"{record.game} under {record.catalogue}, data {record.catalogue_hash[:12]}"
    yield _text(LEFT, 30, _title(story), size=20, weight="bold")
    yield _text(LEFT, 52, f"{law}, opened {record.opened_at}", size=12)
    test = " (test: simulated devices)" if record.test else ""
    said = [record.announcement] if record.announcement else []
    if record.verdict != "valid" or not said:
        said.append(record.given)
    yield _text(LEFT, 76, f"verdict: {record.verdict}{test}: {'; '.join(said)}", size=16, weight="bold")


def _phases(story: Story) -> Iterator[str]:
    """The band of phases, each to where the next one begins."""
    ends = [at for at, _ in story.phases] + [story.seconds]
    for (at, phase), end in zip(story.phases, ends[1:], strict=True):
        x, width = _x(story, at), max(1.0, _x(story, end) - _x(story, at))
        yield (
            f'<rect x="{x:.1f}" y="92" width="{width:.1f}" height="20" fill="{_PHASES[phase]}" '
            f'stroke="white"><title>{phase} from {at:.1f} s</title></rect>'
        )
        if width > 7 * len(phase):
            yield _text(x + 4, 107, phase.replace("_", " "), size=12)


def _panel(story: Story, curves: Sequence[Curve], top: int, height: int, unit: str) -> Iterator[str]:
    """Axes and curves over one height; the turns are drawn as steps' ends joined."""
    step, parts = _scale(story, curves)
    most = step * parts
    yield f'<rect x="{LEFT}" y="{top}" width="{PLOT}" height="{height}" fill="none" stroke="#999999"/>'
    for part in range(parts + 1):
        y = top + height * (1 - part / parts)
        yield f'<line x1="{LEFT}" x2="{LEFT + PLOT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eeeeee"/>'
        yield _text(LEFT - 6, y + 4, f"{step * part:g}", size=11, anchor="end")
    yield _text(LEFT, top - 6, unit, size=12)
    if not any(curve.points for curve in curves):
        yield _text(LEFT + PLOT / 2, top + height / 2, _UNMEASURED, size=12, anchor="middle")
    for number, curve in enumerate(curves):
        color, dashes = _CURVES[curve.name]
        points = " ".join(
            f"{_x(story, at):.1f},{top + height * (1 - value / most):.1f}" for at, value in curve.points
        )
        yield f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>'
        if curve.points and curve.name != "turns":
            yield _text(LEFT + 110 + 70 * number, top - 6, curve.name, size=12, fill=color, weight="bold")


def _limit(story: Story) -> Iterator[str]:
    if story.limit is None:
        return
    step, parts = _scale(story, (story.turns,))
    y = TURNS_TOP + TURNS_HEIGHT * (1 - story.limit.turns / (step * parts))
    yield (
        f'<line x1="{LEFT}" x2="{LEFT + PLOT}" y1="{y:.1f}" y2="{y:.1f}" '
        'stroke="#b00020" stroke-dasharray="3 3"/>'
    )
    said = f"at least {story.limit.turns:g} turns ({story.limit.clause})"
    yield _text(LEFT + PLOT - 4, y - 4, said, size=11, anchor="end", fill="#b00020")


def _marks(story: Story) -> Iterator[str]:
    """Upright lines, each from its own words down; near ones have their words in other rows."""
    ends = [0.0] * MARKS_ROWS
    for mark in _without_repeats(story.marks):
        x, color = _x(story, mark.at), _MARKS[mark.kind]
        words = textwrap.shorten(mark.text, LONGEST, placeholder=" …") or mark.text[:LONGEST]
        wide = 7 * len(words) + 8
        at_the_edge = x + wide > WIDTH
        start = x - wide if at_the_edge else x
        row = min(range(MARKS_ROWS), key=lambda row: max(ends[row] - start, 0.0))
        ends[row] = start + wide
        y = MARKS_TOP + MARKS_PITCH * row
        dashes = "" if mark.kind == "trouble" else ' stroke-dasharray="2 3"'
        yield (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 10}" y2="{TURNS_TOP + TURNS_HEIGHT}" '
            f'stroke="{color}"{dashes}><title>{_safe(mark.text)} at {mark.at:.2f} s</title></line>'
        )
        anchor, beside = ("end", x - 2) if at_the_edge else ("start", x + 2)
        yield _text(beside, y, words, size=11, fill=color, anchor=anchor)


def _without_repeats(marks: Sequence[Mark]) -> Iterator[Mark]:
    """The same words within a second are one mark."""
    told: dict[str, float] = {}
    for mark in marks:
        if mark.at - told.get(mark.text, -10.0) > 1.0:
            yield mark
        told[mark.text] = mark.at


def _seconds(story: Story) -> Iterator[str]:
    step = next(each for each in (1, 2, 5, 10, 30, 60, 300, 1800, 10**9) if story.seconds / each <= 12)
    y = TURNS_TOP + TURNS_HEIGHT
    for at in range(0, int(story.seconds) + 1, step):
        yield _text(_x(story, at), y + 16, f"{at}", size=11, anchor="middle")
    yield _text(LEFT + PLOT, y + 32, "seconds from the opening of the round", size=12, anchor="end")


def _found(record: RoundRecord) -> Iterator[str]:
    if not record.findings:
        yield "no findings"
    for finding in record.findings:
        about = f"{record.effect_of(finding)}: {finding.rule} ({finding.clause})"
        yield ", ".join([about, *finding.seen])


def _wrapped(said: str) -> list[str]:
    """The words, each whole, in lines."""
    return textwrap.wrap(_printable(said), LINE, subsequent_indent="    ")


def _counted(story: Story) -> str:
    """What the turns are that are drawn."""
    if story.limit is not None and story.limit.push > 1:
        return f"turns since push {story.limit.push}"
    return "turns"


def _scale(story: Story, curves: Sequence[Curve]) -> tuple[float, int]:
    """A round step and how many: up to a little more than the greatest value and the rule's limit."""
    limit = story.limit.turns if story.limit is not None and curves and curves[0].name == "turns" else 0.0
    most = 1.1 * max([0.1, limit, *(value for curve in curves for _, value in curve.points)])
    power = 10.0 ** floor(log10(most / TICKS))
    step = next(power * each for each in (1, 2, 5, 10) if most <= power * each * TICKS)
    return step, ceil(most / step)


def _x(story: Story, at: float) -> float:
    return LEFT + PLOT * min(max(at, 0.0), story.seconds) / story.seconds


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: int,
    anchor: str = "start",
    fill: str = "#222222",
    weight: str = "normal",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" {FONT} font-size="{size}" text-anchor="{anchor}" fill="{fill}" '
        f'font-weight="{weight}">{_safe(words)}</text>'
    )


def _safe(words: str) -> str:
    """Escaped, and without the characters that no XML document may hold."""
    return escape(_printable(words), {'"': "&quot;"})


def _printable(words: str) -> str:
    return "".join(each if each >= " " and each not in "\ufffe\uffff" else "?" for each in words)
