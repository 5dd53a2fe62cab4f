"""What the host finds wrong with a roulette's or boule's sensors: a slipping encoder, a blind sensor."""

from typing import Annotated

import msgspec

from drivers.readings import Instant
from drivers.sensor_faults import CALM, Faults, Standing
from drivers.sensor_fit import ENCODER, Needs
from protocols.sensor import NUMBERS

RIM = range(NUMBERS["rim_1"], NUMBERS["rim_3"] + 1)
"""Channels of the rim sensors: any two of them are enough."""
NEEDS = Needs(ENCODER | {NUMBERS["index"], NUMBERS["pocket"]}, spare=frozenset(RIM))
BLIND_AFTER = 6
"""Passes at the other two rim sensors without one at this: it missed two running. One it may miss: they
are four then."""
UNSEEN_AFTER = 3
"""Throws running that left the rim while the pocket sensor told nothing at all."""
INVALID_LIMIT = 10
"""Invalid steps of the encoder within `CALM` that make a fault. It tells of bad wiring and judges
nothing: the index proves the position, turn by turn."""
INDEXED = 10_000_000
"""µs with the index in each turn after which its sensor is well again."""


class WatchState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered."""

    overdue: bool = False
    """The index did not come in a turn, nor since."""
    invalid: int = 0
    invalid_since: int = 0
    unseen: Annotated[list[int], msgspec.Meta(min_length=3, max_length=3)] = msgspec.field(
        default_factory=lambda: [0, 0, 0]
    )
    """For each rim sensor the others' passes since its own last edge."""
    unseen_throws: int = 0
    """Throws that no pocket was seen with, since the pocket sensor last saw anything."""


class Watch:
    """One wheel's; what it finds stands among the device's faults."""

    def __init__(self, faults: Faults) -> None:
        self.state = WatchState()
        self._faults = faults

    def restart(self) -> None:
        """The device, or its link, is new: its counts and its clock may begin again."""
        self.state = WatchState(unseen_throws=self.state.unseen_throws)

    def index_came(self) -> None:
        """The index passed."""
        self.state.overdue = False

    def index_overdue(self, overdue: bool, now: int, at: Instant) -> bool:
        """Whether the shaft is more than a turn past the last index by now; whether that is news."""
        news = overdue and not self.state.overdue
        if overdue or self.state.overdue:
            self.state.overdue = True
            text = "the encoder's index did not come in the last turn"
            self._faults.stand("index_silent", text, at, Standing(since=now, calm=INDEXED))
        return news

    def slipped(self, counts: int, now: int, at: Instant) -> None:
        """The index came where it should not."""
        self._faults.stand(
            "encoder_slip", f"the encoder is {counts} counts off at its index", at, Standing(since=now)
        )

    def invalid_steps(self, number: int, now: int, at: Instant) -> None:
        """So many more steps of the encoder in which both channels changed, or one did twice."""
        state = self.state
        if now - state.invalid_since > CALM:
            state.invalid, state.invalid_since = 0, now
        state.invalid += number
        if state.invalid >= INVALID_LIMIT:
            text = "the encoder's channels often change at once"
            self._faults.stand("encoder_invalid", text, at, Standing(since=now))

    def rim_pass(self, sensor: int, at: Instant) -> list[int]:
        """A pass at a rim sensor (0, 1, 2); those that have just been found to see nothing."""
        blind = []
        unseen = self.state.unseen
        for each in range(3):
            if each == sensor:
                self._faults.clear(f"rim_{each + 1}_silent", at)
                unseen[each] = 0
            else:
                unseen[each] += 1
                if unseen[each] == BLIND_AFTER:
                    blind.append(each)
                    self._faults.stand(f"rim_{each + 1}_silent", f"rim sensor {each + 1} sees no ball", at)
        return blind

    def pocket_edge(self, at: Instant) -> None:
        """The pocket sensor saw something: it is not blind."""
        if self.state.unseen_throws:
            self.state.unseen_throws = 0
            self._faults.clear("pocket_silent", at)

    def pocket_unseen(self, at: Instant) -> None:
        """A ball left the rim and was seen in no pocket: it jumped out, or the pocket sensor is blind."""
        self.state.unseen_throws += 1
        if self.state.unseen_throws >= UNSEEN_AFTER:
            text = f"pocket sensor saw nothing of {UNSEEN_AFTER} balls and more, one after the other"
            self._faults.stand("pocket_silent", text, at)
