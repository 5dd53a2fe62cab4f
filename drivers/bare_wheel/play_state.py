"""What a wheel with bare sensors remembers of its game, as plain values."""

from typing import Literal

import msgspec

from drivers.readings import Direction
from drivers.tracking.ball import TrackState
from drivers.tracking.pocket import PocketState

Stage = Literal["joining", "ready", "running", "fallen", "rest"]
NAMES: dict[Stage, str] = {
    "joining": "nothing seen yet",
    "ready": "place bets",
    "running": "ball in the rim",
    "fallen": "ball out of the rim",
    "rest": "ball at rest",
}


class PlayState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered of the game."""

    stage: Stage = "joining"
    gap: int | None = None
    """When part of the stream was last missing, or nothing could be judged."""
    lacking: str = "packets"
    """What was missing then, in words."""
    spoiled: int | None = None
    """When something last happened that no throw may suffer."""
    spoiler: str = ""
    """What it was."""
    unseen: bool = False
    """Part of this throw was not seen."""
    signalled: bool = False
    """The throw was said to be void."""
    leaving: bool = False
    with_rotor: bool = False
    out_of_range: bool = False
    rotor: Direction | None = None
    laps: int = 0
    lap_time: int = 0
    lap_run: float = 0.0
    last_pass: int = 0
    fell: int | None = None
    """The last pass before the rim saw the ball no longer."""
    fallen_turns: float = 0.0
    last_sight: int = 0
    between: bool = False
    """Since it left the rim, the ball was seen on the wall between two pockets."""
    foreign: int = 0
    """Sights of an occupied pocket while the ball ran in the rim."""
    early: tuple[tuple[int, float, float], ...] = ()
    """Sights since the last pass, while the ball may still be in the rim: time, turns, place on the ring."""
    ball: TrackState | None = None
    pockets: PocketState = ()
