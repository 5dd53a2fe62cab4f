"""The table's round records: made, revised, counted and summed up. Pure: state in, state and records out."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from daemon.outcomes import Outcome
from daemon.play.play import Play
from daemon.records import Finding, Guidance, Message, Request, RoundRecord, Verdict, timestamp
from daemon.rounds.round import RoundSettled
from daemon.table import messages as table_messages
from daemon.table import statistics
from daemon.table.messages import TableSetup, retained
from daemon.table.state import HISTORY_LENGTH, TableState
from drivers.readings import Instant

_replace = msgspec.structs.replace


class RecordBook:
    """The last `HISTORY_LENGTH` rounds, each in its latest revision, oldest first."""

    def __init__(self, setup: TableSetup, play: Play[Any, Any], recent: Iterable[RoundRecord]) -> None:
        """Rounds in `recent` of another family's game, which was played here before, are left out."""
        self._setup = setup
        self._play = play
        kept = (r for r in recent if r.outcome is None or isinstance(r.outcome, play.result))
        self.records: tuple[RoundRecord, ...] = tuple(kept)[-HISTORY_LENGTH:]

    def find(self, number: int | None) -> RoundRecord | None:
        """The record of a round, the newest round's without a number; None if it is not in the book."""
        if number is None:
            return self.records[-1] if self.records else None
        return next((record for record in self.records if record.round == number), None)

    def last_valid(self) -> RoundRecord | None:
        """The newest valid round in the book."""
        return next((record for record in reversed(self.records) if record.verdict == "valid"), None)

    # --- making records -------------------------------------------------------------------------

    def settled(self, state: TableState, settled: RoundSettled) -> RoundRecord:
        """The record of the round that is in hand in `state` and has just ended."""
        setup, number = self._setup, state.next_round
        result = self._play.outcome(settled)
        duration = settled.settled_at.mono - settled.opened_at.mono
        last_ball = state.last_rounds == 1 and state.pending_limits is None
        record = RoundRecord(
            id=f"{setup.id}/{number}/0",
            seq=state.next_seq,
            round=number,
            revision=0,
            site=setup.site,
            table=setup.id,
            game=setup.game.id,
            catalogue=setup.game.text,
            catalogue_hash=setup.game.hash,
            borrowed=setup.game.borrowed,
            verdict=settled.verdict,
            outcome=result,
            findings=settled.findings,
            announcement=self._announcement(settled.verdict, result),
            opened_at=timestamp(settled.opened_at.wall),
            closed_at=timestamp(settled.closed_at.wall) if settled.closed_at else None,
            settled_at=timestamp(settled.settled_at.wall),
            duration_ms=duration // 1_000_000 if duration >= 0 else None,
            session=state.session,
            test=setup.test,
            previous=state.last_valid,
            attempts=settled.attempts,
            drop=settled.drop or msgspec.UNSET,
            last_ball=last_ball,
        )
        return _replace(record, guidance=self._guide(record))

    def revised(
        self,
        state: TableState,
        record: RoundRecord,
        verdict: Verdict,
        result: Outcome | None,
        findings: tuple[Finding, ...],
        request: Request,
        at: Instant,
    ) -> RoundRecord:
        """The next revision of a record, as somebody asked. The machine's findings stay in it."""
        revision = record.revision + 1
        revised = _replace(
            record,
            id=f"{self._setup.id}/{record.round}/{revision}",
            seq=state.next_seq,
            revision=revision,
            verdict=verdict,
            outcome=result,
            findings=(*record.findings, *findings),
            announcement=self._announcement(verdict, result),
            corrected_by=request.by,
            corrected_at=timestamp(at.wall),
            reason=request.reason,
        )
        if verdict == "void" and any(later.round > record.round for later in self.records):
            return _replace(revised, guidance=())  # play has gone on: nothing is thrown again
        return _replace(revised, guidance=self._guide(revised))

    def _announcement(self, verdict: Verdict, result: Outcome | None) -> str:
        """What is called out on a verdict; nothing while a round is held."""
        if verdict == "valid" and result is not None:
            return self._play.announce(result)
        return self._play.announce_void() if verdict == "void" else ""

    def _guide(self, record: RoundRecord) -> tuple[Guidance, ...]:
        """What the text tells the croupiers to do about a record."""
        if record.verdict == "void":
            return self._play.void_guidance(record.previous)
        if record.verdict == "held" or record.outcome is None:
            return ()
        return self._play.guidance(record.outcome, record, self._valid_before(record.round))

    def _valid_before(self, number: int) -> Iterator[RoundRecord]:
        """The valid rounds before this one, newest first."""
        return (r for r in reversed(self.records) if r.round < number and r.verdict == "valid")

    # --- keeping them ---------------------------------------------------------------------------

    def add(self, state: TableState, record: RoundRecord) -> TableState:
        """Put a record or revision into the book; the state with its sequence, tally and last number."""
        assert record.seq == state.next_seq
        revised = next((known for known in self.records if known.round == record.round), None)
        tally = state.tally
        if revised is None:
            self.records = (*self.records, record)[-HISTORY_LENGTH:]
        else:
            self.records = tuple(record if known is revised else known for known in self.records)
            tally = statistics.counted(tally, revised.verdict, revised.label, by=-1)
        tally = statistics.counted(tally, record.verdict, record.label)
        state = _replace(state, next_seq=record.seq + 1, tally=tally)
        if record.verdict == "valid" and record.round >= state.last_valid_round:
            return _replace(state, last_valid=record.label, last_valid_round=record.round)
        if record.round == state.last_valid_round:
            valid = self.last_valid()
            number, round_ = (valid.label, valid.round) if valid else (None, 0)
            return _replace(state, last_valid=number, last_valid_round=round_)
        return state

    def summaries(self, state: TableState) -> list[Message]:
        """What sums up the records: `history` and `stats`."""
        stats = statistics.stats(state.tally, self._play.layout, state.wheel)
        return [table_messages.history(self.records), retained("stats", stats)]
