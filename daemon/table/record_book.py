"""The table's round records: made, revised, counted and summed up. Pure: state in, state and records out."""

from collections.abc import Iterable

import msgspec

from daemon.catalogue import announcements
from daemon.catalogue.bets.roulette import guidance, guidances, outcome, void_guidance
from daemon.records import Finding, Guidance, Message, Request, RoundRecord, Verdict, WheelOutcome, timestamp
from daemon.rounds.round import RoundSettled
from daemon.table import messages as table_messages
from daemon.table import statistics
from daemon.table.messages import TableSetup, retained
from daemon.table.state import HISTORY_LENGTH, TableState
from drivers.readings import Instant

_replace = msgspec.structs.replace


class RecordBook:
    """The last `HISTORY_LENGTH` rounds, each in its latest revision, oldest first."""

    def __init__(self, setup: TableSetup, recent: Iterable[RoundRecord]) -> None:
        self._setup = setup
        self.records: tuple[RoundRecord, ...] = tuple(recent)[-HISTORY_LENGTH:]
        # What a number pays is much work, and always the same.
        self._guidance = {
            (number, 0, False): g for number, g in guidances(setup.game, setup.language).items()
        }

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
        setup, number, label = self._setup, state.next_round, settled.label
        # A claimed pocket that this wheel does not have stays in the finding that refused it.
        known = label is not None and label in setup.game.layout.colors
        result = outcome(setup.game, label) if label is not None and known else None
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
            last_ball=last_ball,
        )
        return _replace(record, guidance=self._guide(record))

    def revised(
        self,
        state: TableState,
        record: RoundRecord,
        verdict: Verdict,
        number: str | None,
        findings: tuple[Finding, ...],
        request: Request,
        at: Instant,
    ) -> RoundRecord:
        """The next revision of a record, as somebody asked. The machine's findings stay in it."""
        result = outcome(self._setup.game, number) if number is not None else None
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
        return _replace(revised, guidance=self._guide(revised))

    def _announcement(self, verdict: Verdict, result: WheelOutcome | None) -> str:
        """What is called out on a verdict; nothing while a round is held."""
        game, language = self._setup.game, self._setup.language
        if verdict == "valid" and result is not None:
            return announcements.announce_result(game, result, language)
        return announcements.announce_void(game, language) if verdict == "void" else ""

    def _guide(self, record: RoundRecord) -> tuple[Guidance, ...]:
        """What the text tells the croupiers to do about a record."""
        game, language = self._setup.game, self._setup.language
        if record.verdict == "void":
            return void_guidance(game, record.previous, language)
        if record.verdict == "held" or record.outcome is None:
            return ()
        number, zeros = record.outcome.number, self._zeros_before(record.round)
        asked = (number, zeros, record.last_ball)
        if asked not in self._guidance:
            self._guidance[asked] = guidance(
                game, number, language, zeros_before=zeros, last_ball=record.last_ball
            )
        return self._guidance[asked]

    def _zeros_before(self, number: int) -> int:
        """How many valid rounds running gave a zero just before this round."""
        zeros = 0
        rule = self._setup.game.zero
        if rule is None:
            return 0
        for record in reversed(self.records):
            if record.round < number and record.verdict == "valid":
                if number_of(record) not in rule.numbers:
                    break
                zeros += 1
        return zeros

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
            tally = statistics.counted(tally, revised.verdict, number_of(revised), by=-1)
        tally = statistics.counted(tally, record.verdict, number_of(record))
        state = _replace(state, next_seq=record.seq + 1, tally=tally)
        if record.verdict == "valid" and record.round >= state.last_valid_round:
            return _replace(state, last_valid=number_of(record), last_valid_round=record.round)
        if record.round == state.last_valid_round:
            valid = self.last_valid()
            number, round_ = (number_of(valid), valid.round) if valid else (None, 0)
            return _replace(state, last_valid=number, last_valid_round=round_)
        return state

    def summaries(self, state: TableState) -> list[Message]:
        """What sums up the records: `history` and `stats`."""
        stats = statistics.stats(state.tally, self._setup.game.layout.pockets)
        return [table_messages.history(self.records), retained("stats", stats)]


def number_of(record: RoundRecord) -> str | None:
    """The number that the device gave, counted or not."""
    return record.outcome.number if record.outcome else None
