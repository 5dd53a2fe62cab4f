"""What waits for the journal's writing thread: batches in order, and deliveries to be noted."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from typing import Literal

from daemon.journal.batch import Batch, CommitResult, Input
from daemon.journal.writer import Lost, Work

GROUP = 256
"""Batches in one transaction at most."""

ACKNOWLEDGED = 1.0
"""Seconds that a delivery waits at most for a commit to go along with."""

Done = Callable[[CommitResult], None]
Turn = Literal["condemned", "commit", "chore", "end"]

_INPUT_COST = 120  # bytes that an input takes in memory besides its data, about


class Waiting:
    """A batch on its way to the disk, and who wants to know."""

    __slots__ = ("batch", "committed", "done", "lost", "since", "size", "writing")

    def __init__(self, batch: Batch, done: Done) -> None:
        self.batch = batch
        self.done = done
        self.since = time.monotonic()
        self.lost: tuple[Lost, ...] = ()
        self.writing = False
        self.committed = False
        self.size = _kept_size(batch) + _inputs_size(batch)

    def work(self) -> Work:
        """As the writer takes it."""
        return Work(self.batch, self.lost)

    def give_up_inputs(self) -> tuple[int, int]:
        """Forget the raw inputs, but not that there were some: how many, and the bytes won."""
        given_up, won = len(self.batch.inputs), _inputs_size(self.batch)
        self.lost = tuple(_lost(self.batch.inputs))
        self.size -= won
        self.batch = Batch(
            round_start=self.batch.round_start,
            entries=self.batch.entries,
            messages=self.batch.messages,
            state=self.batch.state,
        )
        return given_up, won


class BatchQueue:
    """Between the event loop, which never waits here, and the thread, which does."""

    def __init__(self, memory: int) -> None:
        """`memory`: bytes above which raw inputs are given up."""
        self._memory = memory
        self._changed = threading.Condition()
        self._waiting: deque[Waiting] = deque()
        self._with_inputs: deque[Waiting] = deque()
        self._bytes = 0
        self._delivered: list[int] = []
        self._delivered_since = 0.0
        self._problem: str | None = None
        self._end: float | None = None

    # --- the loop's side ----------------------------------------------------------------------

    def put(self, waiting: Waiting) -> int:
        """Hand a batch in; how many raw inputs, of this or older batches, were given up for it."""
        with self._changed:
            self._waiting.append(waiting)
            self._bytes += waiting.size
            if waiting.batch.inputs:
                self._with_inputs.append(waiting)
            given_up = self._relieve() if self._bytes > self._memory else 0
            self._changed.notify()
        return given_up

    def delivered(self, ids: Iterable[int]) -> None:
        """Note deliveries, with the next commit or soon."""
        with self._changed:
            if not self._delivered:
                self._delivered_since = time.monotonic()
                self._changed.notify()  # the thread may be waiting for longer than these may
            self._delivered += ids

    def condemn(self, problem: str) -> None:
        """The file was found damaged by somebody else than the thread."""
        with self._changed:
            self._problem = problem
            self._changed.notify()

    def end(self, deadline: float) -> None:
        """Nothing more comes; what is not written by this monotonic second is given up."""
        with self._changed:
            self._end = deadline
            self._changed.notify()

    def oldest(self) -> float | None:
        """Since which monotonic second the oldest batch waits."""
        with self._changed:
            return self._waiting[0].since if self._waiting else None

    def __len__(self) -> int:
        with self._changed:
            return len(self._waiting)

    # --- the thread's side --------------------------------------------------------------------

    def turn(self, chore_due: float) -> Turn:
        """Wait for what is to be done next."""
        with self._changed:
            while True:
                if self._problem is not None:
                    return "condemned"
                if self._waiting:
                    return "commit"
                now = time.monotonic()
                if self._delivered and (self._end is not None or now >= self._delivered_since + ACKNOWLEDGED):
                    return "commit"
                if self._end is not None:
                    return "end"
                if now >= chore_due:
                    return "chore"
                due = min(chore_due, self._delivered_since + ACKNOWLEDGED) if self._delivered else chore_due
                self._changed.wait(due - now)

    def problem(self) -> str:
        """What the file was condemned for."""
        with self._changed:
            problem, self._problem = self._problem, None
            assert problem is not None
            return problem

    def take(self) -> tuple[list[Waiting], list[int]]:
        """The next batches for one transaction, and the deliveries to note with it."""
        with self._changed:
            taken = list(islice(self._waiting, GROUP))
            for waiting in taken:
                waiting.writing = True
            return taken, list(self._delivered)

    def succeeded(self, taken: list[Waiting], delivered: list[int]) -> None:
        """What `take` gave is durable."""
        with self._changed:
            for waiting in taken:
                self._waiting.popleft()
                waiting.committed = True
                self._bytes -= waiting.size
                waiting.writing = False
            while self._with_inputs and self._with_inputs[0].committed:
                self._with_inputs.popleft()
            del self._delivered[: len(delivered)]
            self._delivered_since = time.monotonic()

    def failed(self, taken: list[Waiting]) -> None:
        """What `take` gave waits on."""
        with self._changed:
            for waiting in taken:
                waiting.writing = False

    def pause(self, seconds: float) -> bool:
        """Wait before another try; whether there is to be none, because the end has come."""
        until = time.monotonic() + seconds
        with self._changed:
            while (now := time.monotonic()) < until:
                if self._end is not None and now >= self._end:
                    return True
                self._changed.wait(min(until, self._end or until) - now)
            return self._end is not None and time.monotonic() >= self._end

    def _relieve(self) -> int:
        """Give up raw inputs, oldest first, until an eighth of the memory is free again."""
        given_up = 0
        in_flight = []  # these may be durable in a moment
        while self._with_inputs and self._bytes > self._memory * 7 // 8:
            waiting = self._with_inputs.popleft()
            if waiting.writing:
                in_flight.append(waiting)
                continue
            inputs, won = waiting.give_up_inputs()
            given_up += inputs
            self._bytes -= won
        self._with_inputs.extendleft(reversed(in_flight))
        return given_up


def _inputs_size(batch: Batch) -> int:
    return sum(len(given.data) for given in batch.inputs) + _INPUT_COST * len(batch.inputs)


def _kept_size(batch: Batch) -> int:
    return (
        sum(len(entry.body) for entry in batch.entries)
        + sum(len(message.payload) for message in batch.messages)
        + len(batch.state or b"")
        + (len(batch.round_start[1]) if batch.round_start else 0)
    )


def _lost(inputs: tuple[Input, ...]) -> Iterator[Lost]:
    for round_, group in groupby(inputs, key=lambda given: given.round):
        run = list(group)
        yield Lost(round_, len(run), sum(len(given.data) for given in run), run[0].wall)
