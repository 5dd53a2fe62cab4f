"""Counts of a table's rounds, and what is published of them. Pure."""

from collections import Counter

from daemon.fairness.counts import WheelCounts
from daemon.fairness.evidence import fairness
from daemon.records import HistoryEntry, RoundRecord, Stats, Verdict
from daemon.table.state import Tally

HOT_AND_COLD = 5


def counted(tally: Tally, verdict: Verdict, label: str | None, by: int = 1) -> Tally:
    """The tally with one round more (or, with `by` = -1, less: a record that was corrected)."""
    valid, void, held = dict(tally.valid), tally.void, tally.held
    if verdict == "valid" and label is not None:
        valid[label] = valid.get(label, 0) + by
    elif verdict == "void":
        void += by
    else:
        held += by
    return Tally(valid=valid, void=void, held=held)


def stats(tally: Tally, layout: tuple[str, ...], wheel: WheelCounts | None = None) -> Stats:
    """The published figures, each with its sample size; chi-square only where 5 are expected of every label.

    A label that stands at several places of the layout is expected so many times as often. Hot and cold
    are ranked by how often a label came for each of its places.
    """
    places = Counter(layout)
    counts = {label: tally.valid.get(label, 0) for label in places}
    sample = sum(counts.values())
    expected = {label: sample * many / len(layout) for label, many in places.items()}
    chi_square = None
    if min(expected.values()) >= 5:
        chi_square = round(
            sum((n - expected[label]) ** 2 / expected[label] for label, n in counts.items()), 3
        )
    ranked = sorted(counts, key=lambda label: -counts[label] / places[label])
    return Stats(
        sample=sample,
        void=tally.void,
        held=tally.held,
        counts=counts,
        hot=tuple(ranked[:HOT_AND_COLD]) if sample else (),
        cold=tuple(ranked[: -HOT_AND_COLD - 1 : -1]) if sample else (),
        chi_square=chi_square,
        degrees_of_freedom=len(places) - 1,
        fairness=fairness(wheel) if wheel is not None else None,
    )


def history_entry(record: RoundRecord) -> HistoryEntry:
    """A record in the compact form of `history`."""
    return HistoryEntry(
        round=record.round,
        seq=record.seq,
        revision=record.revision,
        verdict=record.verdict,
        number=record.label if record.verdict == "valid" else None,
        settled_at=record.settled_at,
        announcement=record.announcement,
    )
