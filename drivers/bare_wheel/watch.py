"""What is wrong with the device: its own faults, lost edges, a slipping encoder, a blind sensor."""

import msgspec

from drivers.readings import AnyReading, FaultCleared, FaultRaised, Instant
from protocols.sensor import CHANNELS, NUMBERS, Fault

NAMES = {
    1: ("sensor_silent", "does not change though others do"),
    2: ("sensor_stuck", "is blinded or stuck"),
    3: ("supply", "supply out of range"),
    4: ("device_edges_lost", "edges were lost in the device"),
    5: ("device_clock", "the device's clock is at fault"),
    6: ("self_check", "check of the device's memory or firmware failed"),
    7: ("encoder", "the encoder's channels do not alternate"),
}
SPOILS = frozenset({2, 4, 5, 6, 7})
"""Faults of which the evidence of a throw may be wrong. One silent rim sensor leaves it exact."""
RIM = range(NUMBERS["rim_1"], NUMBERS["rim_3"] + 1)
"""Channels of the rim sensors: any two of them are enough."""
INDEX_SILENT = "index_silent"
COUNTS = "encoder_counts"
BLIND_AFTER = 6
"""Passes at the other two rim sensors without one at this: it missed two running. One it may miss: they
are four then."""
UNSEEN_AFTER = 3
"""Throws running that left the rim while the pocket sensor told nothing at all."""
INVALID_LIMIT = 10
"""Invalid steps of the encoder within `CALM` that make a fault. It tells of bad wiring and judges
nothing: the index proves the position, turn by turn."""
FOREIGN = "calibration_foreign"
CALM = 60_000_000
"""µs without a cause after which a fault that the host found is cleared."""
REPEATED = 35_000_000
"""µs after which a fault that the device does not say again is over: while it lasts it is said every 10 s.

Two such packets running may be lost on the line, and so may the one that ends it."""


class WatchState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered."""

    raised: dict[str, int | None] = msgspec.field(default_factory=dict)
    """Faults by code: when their cause was last there, None for those that end when the contrary is seen."""
    own: list[str] = msgspec.field(default_factory=list)
    """Those that the device found in itself."""
    anew: bool = False
    """The device's clock may have begun anew: what is calm is so from the next heartbeat on."""
    lost: int | None = None
    """The device's 16-bit count of lost edges, the last one heard."""
    invalid: int = 0
    invalid_since: int = 0
    spoiling: list[str] = msgspec.field(default_factory=list)
    """Of the device's own faults, those with which the evidence of a throw may be wrong."""
    unseen: list[int] = msgspec.field(default_factory=lambda: [0, 0, 0])
    """For each rim sensor the others' passes since its own last edge."""
    unseen_throws: int = 0
    """Throws that no pocket was seen with, since the pocket sensor last saw anything."""


class Watch:
    """Raises and clears; what it has to say is appended to `said`."""

    def __init__(self, device: str, said: list[AnyReading]) -> None:
        self.state = WatchState()
        self._device = device
        self._said = said

    def restart(self) -> None:
        """The device, or its link, is new: its counts and its clock may begin again."""
        state = self.state
        state.lost, state.unseen, state.invalid, state.invalid_since = None, [0, 0, 0], 0, 0
        state.anew = True

    def started_anew(self, at: Instant) -> None:
        """The device was started again: what it found in itself before is not its word any longer."""
        for code in tuple(self.state.own):
            self._clear(code, at)

    @property
    def spoilt(self) -> bool:
        """Whether the device calls something broken without which no throw is seen as it is."""
        return bool(self.state.spoiling)

    def device_fault(self, fault: Fault, now: int, at: Instant) -> None:
        """The device's word on itself, which it says again as long as it is so."""
        name, text = NAMES.get(fault.code, (f"device_{fault.code}", f"the device's own fault {fault.code}"))
        if fault.channel < len(CHANNELS):
            channel = CHANNELS[fault.channel]
            name, text = f"{name}_{channel}", f"{channel}: {text}"
        spoils = fault.code in SPOILS or (fault.code == 1 and fault.channel not in RIM)
        if fault.active:
            self._raise_own(name, f"{text} (detail {fault.detail})", spoils, now, at)
        else:
            self._clear(name, at)

    def self_test(self, results: bytes, there: int, at: Instant) -> None:
        """A result for each channel, 0 good; bit n of `there`: the device has channel n."""
        for channel, result in enumerate(results):
            if there >> channel & 1:
                name = CHANNELS[channel]
                text = f"{name}: failed the device's test of itself (result {result})"
                if result:
                    self._raise_own(f"self_test_{name}", text, channel not in RIM, None, at)
                else:
                    self._clear(f"self_test_{name}", at)

    def _raise_own(self, code: str, text: str, spoils: bool, since: int | None, at: Instant) -> None:
        state = self.state
        self._raise(code, text, since, at)
        if code in state.raised and code not in state.own:
            state.own.append(code)
            if spoils:
                state.spoiling.append(code)

    def calibrated_for(self, known: str, serial: str, at: Instant) -> None:
        """Whose the calibration is, and which device this is: another's tells no pocket."""
        if known == serial:
            self._clear(FOREIGN, at)
            return
        self._raise(FOREIGN, f"the calibration is that of {known}, the device is {serial}", None, at)
        if FOREIGN in self.state.raised and FOREIGN not in self.state.spoiling:
            self.state.spoiling.append(FOREIGN)

    def index_overdue(self, at: Instant) -> bool:
        """The shaft went more than a turn without the index; whether this is news."""
        if INDEX_SILENT in self.state.raised:
            return False
        self._raise(INDEX_SILENT, "the encoder's index did not come in the last turn", None, at)
        return True

    def index_came(self, at: Instant) -> None:
        """The index passed."""
        self._clear(INDEX_SILENT, at)

    def counts_differ(self, counts: int, at: Instant) -> None:
        """The device's encoder has other counts than the table file says, or too few to tell the pockets."""
        text = f"the encoder has {counts} counts a turn: too few for the pockets, or not the table file's"
        self._raise(COUNTS, text, None, at)

    def counts_fit(self, at: Instant) -> None:
        """The device's encoder is the expected one."""
        self._clear(COUNTS, at)

    def lost_edges(self, lost: int, now: int, at: Instant) -> int:
        """The device's count of lost edges; how many more they are."""
        before, self.state.lost = self.state.lost, lost
        more = 0 if before is None else (lost - before) % 65536
        if more:
            self._raise("edges_lost", NAMES[4][1], now, at)
        return more

    def slipped(self, counts: int, now: int, at: Instant) -> None:
        """The index came where it should not."""
        self._raise("encoder_slip", f"the encoder is {counts} counts off at its index", now, at)

    def invalid_steps(self, number: int, now: int, at: Instant) -> None:
        """So many more steps of the encoder in which both channels changed, or one did twice."""
        state = self.state
        if now - state.invalid_since > CALM:
            state.invalid, state.invalid_since = 0, now
        state.invalid += number
        if state.invalid >= INVALID_LIMIT:
            self._raise("encoder_invalid", "the encoder's channels often change at once", now, at)

    def rim_pass(self, sensor: int, at: Instant) -> list[int]:
        """A pass at a rim sensor (0, 1, 2); those that have just been found to see nothing."""
        blind = []
        unseen = self.state.unseen
        for each in range(3):
            if each == sensor:
                self._clear(f"rim_{each + 1}_silent", at)
                unseen[each] = 0
            else:
                unseen[each] += 1
                if unseen[each] == BLIND_AFTER:
                    blind.append(each)
                    self._raise(f"rim_{each + 1}_silent", f"rim sensor {each + 1} sees no ball", None, at)
        return blind

    def pocket_edge(self, at: Instant) -> None:
        """The pocket sensor saw something: it is not blind."""
        if self.state.unseen_throws:
            self.state.unseen_throws = 0
            self._clear("pocket_silent", at)

    def pocket_unseen(self, at: Instant) -> None:
        """A ball left the rim and was seen in no pocket: it jumped out, or the pocket sensor is blind."""
        self.state.unseen_throws += 1
        if self.state.unseen_throws >= UNSEEN_AFTER:
            text = f"pocket sensor saw nothing of {UNSEEN_AFTER} balls and more, one after the other"
            self._raise("pocket_silent", text, None, at)

    def tick(self, now: int, at: Instant) -> None:
        """Clears what has been calm for a minute, and what the device no longer says of itself."""
        state = self.state
        timed = {code: since for code, since in state.raised.items() if since is not None}
        if state.anew:
            state.anew = False
            state.raised |= dict.fromkeys(timed, now)
            return
        for code, since in timed.items():
            if now - since > (REPEATED if code in state.own else CALM):
                self._clear(code, at)

    def _raise(self, code: str, text: str, since: int | None, at: Instant) -> None:
        if code not in self.state.raised and len(self.state.raised) < 64:
            self._said.append(FaultRaised(device=self._device, at=at, code=code, text=text))
            self.state.raised[code] = since
        elif code in self.state.raised:
            self.state.raised[code] = since

    def _clear(self, code: str, at: Instant) -> None:
        if code in self.state.raised:
            del self.state.raised[code]
            for codes in (self.state.own, self.state.spoiling):
                if code in codes:
                    codes.remove(code)
            self._said.append(FaultCleared(device=self._device, at=at, code=code))
