"""How often a link tries again, and how it tells: values and times in, decisions out, no waiting here."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_draw = random.SystemRandom().random


@dataclass(frozen=True)
class LinkTiming:
    """A link's times, all in seconds."""

    first_delay: float = 0.1
    """Longest wait before the first new attempt; doubles from there."""
    longest_delay: float = 5.0
    look_every: float = 0.25
    """How often a missing path is looked for."""
    open_within: float = 5.0
    """How long opening or connecting may take."""
    steady_after: float = 5.0
    """How long a link must have been up for its earlier failures to count as over."""
    reopen_spacing: tuple[float, ...] = (5.0, 10.0, 20.0, 40.0, 60.0)
    """Least time from one opening to a reopening on demand, the first, second … in a row."""


class Backoff:
    """Waits between attempts: doubling up to a longest, each drawn from its upper half.

    The draw keeps the tables of a house from trying in step after they all lost the same server.
    """

    def __init__(self, first: float, longest: float, draw: Callable[[], float] = _draw) -> None:
        """`draw` gives numbers from 0 to 1."""
        self._first = first
        self._longest = longest
        self._draw = draw
        self._next = first

    def delay(self) -> float:
        """How long to wait now, in seconds."""
        bound = self._next
        self._next = min(bound * 2, self._longest)
        return bound * (0.5 + 0.5 * self._draw())

    def reset(self) -> None:
        """Start again from the first: the link is steady, or there is new hardware to try."""
        self._next = self._first


class ReopenSpacing:
    """When a port may be reopened because its device is silent: ever less often while that does not help.

    Opening a port does nothing for a device that is switched off, and resets some boards into their boot
    text, so neither silence nor that text may bring about a quick succession of openings.
    """

    def __init__(self, steps: tuple[float, ...]) -> None:
        self._steps = steps
        self._step = 0
        self._opened = 0.0
        self._asked = 0.0

    def opened(self, now: float) -> None:
        """The port was opened, for whatever reason."""
        self._opened = now

    def ask(self, now: float) -> float:
        """A reopening is wanted; answers from when on it may happen, not before `now`.

        The steps begin again once nobody has asked for as long as the longest of them.
        """
        if now - max(self._opened, self._asked) > self._steps[-1]:
            self._step = 0
        self._asked = now
        return max(now, self._opened + self._steps[self._step])

    def take(self) -> None:
        """It is being reopened on demand."""
        self._step = min(self._step + 1, len(self._steps) - 1)


_KINDS = 32


class FailureLog:
    """Tells of failures without flooding: each kind once, repeats counted at DEBUG, one line at the end."""

    def __init__(self, log: Any, **fields: Any) -> None:
        """`log` is a structlog logger; all lines carry the `fields`."""
        self._log = log
        self._fields = fields  # not bound to the logger: that would fix its configuration as it is now
        self._told: set[str] = set()
        self._count = 0

    def failed(self, event: str, reason: str, error: BaseException | None = None) -> None:
        """A failure: WARNING the first time, ERROR with the traceback where `error` is a defect."""
        kind = f"{event}: {reason if error is None else type(error).__qualname__}"
        self._count += 1
        if kind in self._told or len(self._told) == _KINDS:
            self._log.debug(event, **self._fields, reason=reason, failures=self._count)
            return
        self._told.add(kind)
        if error is None:
            self._log.warning(event, **self._fields, reason=reason)
        else:
            self._log.error(event, **self._fields, reason=reason, exc_info=error)

    def recovered(self, event: str) -> None:
        """All is well: INFO with the number of failures since the last time; nothing if there were none."""
        if self._count:
            self._log.info(event, **self._fields, failures=self._count)
        self._told.clear()
        self._count = 0
