"""What is remembered of a fortune wheel's motion, from one packet to the next."""

from itertools import pairwise
from typing import Literal

import msgspec

from drivers.tracking.crawl import Crawl
from drivers.tracking.ending import Ending
from drivers.tracking.free_run import FreeRun
from drivers.tracking.peg_phase import PegPhase
from drivers.tracking.pegs import Pegs, Rise
from drivers.tracking.push import Push
from drivers.tracking.resting import Stillness


class SpinState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered of the wheel's motion."""

    stage: Literal["still", "moved", "spinning"] = "still"
    doubt: str | None = None
    """Why the motion up to now was seen only in part; None if it was seen whole."""
    standing: str | None = None
    """The fault under which no spin can be judged."""
    kept: list[tuple[int, int]] = []
    """The latest positions: time (µs), counts."""
    stillness: Stillness = msgspec.field(default_factory=Stillness)
    quiet_since: int | None = None
    """Since when, in µs, no position has come though none was known."""
    origin: int = 0
    """Where the wheel's motion began, its last turning point before the first push."""
    origin_seen: bool = False
    """Whether the wheel was seen to stand there."""
    sense: int = 0
    """1 clockwise, -1 anticlockwise; 0 before the spin."""
    furthest: int = 0
    """The furthest position in the spin's sense, times the sense."""
    pushes: int = 0
    unseen_start: float = 0.0
    """Counts that the wheel may have moved before its motion was seen to begin."""
    pushed: tuple[int, int] = (0, 0)
    """Where the last push ended: at the earliest, at the latest."""
    second: tuple[int, int] | None = None
    """The same of the second push; None before it."""
    told: int = 0
    """Whole turns since then that were told."""
    push: Push | None = None
    """A push under way."""
    run: FreeRun = msgspec.field(default_factory=FreeRun)
    crawl: Crawl = msgspec.field(default_factory=Crawl)
    ending: Ending = msgspec.field(default_factory=Ending)
    run_from: int = 0
    """Time from which positions belong to the run after the last push."""
    slowed: tuple[int, float] | None = None
    """When something was seen to slow the wheel, and by what (turns a second, each second); not told yet."""
    hindered: list[str] = []
    indexed_at: int | None = None
    """Where the index came last in this spin."""
    pegs: Pegs = msgspec.field(default_factory=Pegs)
    rises: list[Rise] = []
    """The pointer's rises for which the wheel's position is not known yet."""
    phase: PegPhase = msgspec.field(default_factory=PegPhase)
    unproved: bool = False
    """Whether the wheel was slowed or sent back since the index last came: by a hand, or it was a slip."""
    stood: bool = False
    """Whether the wheel was ever seen to stand: one that is found turning is waited out."""
    zero_open: bool = False
    """Whether the last spin was unread, perhaps for a slip: the next index may come anywhere."""

    def __post_init__(self) -> None:
        """Raises ValueError for positions whose times do not rise."""
        if any(time <= before for (before, _), (time, _) in pairwise(self.kept)):
            raise ValueError("not a wheel's positions")
