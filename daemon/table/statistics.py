"""Counts and fairness of a wheel from its valid rounds. Pure."""

from daemon.records import HistoryEntry, RoundRecord, Stats, Verdict
from daemon.table.state import Tally

HOT_AND_COLD = 5


def counted(tally: Tally, verdict: Verdict, number: str | None, by: int = 1) -> Tally:
    """The tally with one round more (or, with `by` = -1, less: a record that was corrected)."""
    valid, void, held = dict(tally.valid), tally.void, tally.held
    if verdict == "valid" and number is not None:
        valid[number] = valid.get(number, 0) + by
    elif verdict == "void":
        void += by
    else:
        held += by
    return Tally(valid=valid, void=void, held=held)


def stats(tally: Tally, pockets: tuple[str, ...]) -> Stats:
    """The published figures, each with its sample size; chi-square only where 5 are expected a pocket."""
    counts = {pocket: tally.valid.get(pocket, 0) for pocket in pockets}
    sample = sum(counts.values())
    expected = sample / len(pockets)
    chi_square = None
    if expected >= 5:
        chi_square = round(sum((n - expected) ** 2 for n in counts.values()) / expected, 3)
    ranked = sorted(counts, key=lambda pocket: -counts[pocket])
    return Stats(
        sample=sample,
        void=tally.void,
        held=tally.held,
        counts=counts,
        hot=tuple(ranked[:HOT_AND_COLD]) if sample else (),
        cold=tuple(ranked[: -HOT_AND_COLD - 1 : -1]) if sample else (),
        chi_square=chi_square,
        degrees_of_freedom=len(pockets) - 1,
    )


def history_entry(record: RoundRecord) -> HistoryEntry:
    """A record in the compact form of `history`."""
    return HistoryEntry(
        round=record.round,
        seq=record.seq,
        revision=record.revision,
        verdict=record.verdict,
        number=record.outcome.number if record.outcome and record.verdict == "valid" else None,
        settled_at=record.settled_at,
        announcement=record.announcement,
    )
