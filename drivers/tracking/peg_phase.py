"""Whether pegs lift the pointer where the encoder has them, pitch by pitch. Pure; places in pitches.

An encoder that slips slowly by just a pitch agrees with the pegs before and afterwards. Meanwhile it does
not: many pegs running lift the pointer where none should be. The pointer may bounce besides, so a pitch tells
against the encoder only if none of its rises is where its peg is; and a pitch without a rise tells nothing,
as a pointer may float over the pegs of a fast wheel.
"""

from math import floor

import msgspec

ADRIFT = 5
"""Pitches that tell against the encoder, more than tell for it."""
MET = 2
"""Of them, what a pitch takes back that tells for it: a bounce may by chance be where a peg belongs."""
NEAR = 0.1
"""Pitches, besides the slack, within which a rise is at its peg's edge: of a wheel between two positions that
are 50 ms apart a straight line does not tell just where it was."""


class PegPhase(msgspec.Struct, forbid_unknown_fields=True):
    """What the pegs have told since the index last came."""

    pitch: int | None = None
    """In which the latest rise was."""
    met: bool = False
    """Whether one of its rises was where its peg is."""
    against: int = 0
    adrift: bool = False

    def rise(self, place: float, half: float, slack: float) -> None:
        """The pointer was lifted at a place that grows as the wheel turns; `half` a peg's width."""
        here = place + half
        pitch = floor(here + 0.5)
        if pitch != self.pitch:
            self._close()
            self.pitch, self.met = pitch, False
        self.met = self.met or abs(here - pitch) <= slack + NEAR

    def clear(self) -> None:
        """The index came: where the wheel stands is known by that."""
        self.pitch, self.met, self.against, self.adrift = None, False, 0, False

    def _close(self) -> None:
        if self.pitch is None:
            return
        self.against = max(0, self.against - MET) if self.met else self.against + 1
        self.adrift = self.adrift or self.against >= ADRIFT
