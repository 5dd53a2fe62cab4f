"""The faults of a device with bare sensors: which stand, how each ends, and under which nothing is judged.

One list holds what the device says of itself (`Fault`, `SelfTest`) and what the host finds in what it hears.
A fault that the device says ends by its word, by its start, or when it is not said again; a failure of its
self-test by the next result alone. What stands is exact; `drivers.sensor_telling` bounds what is told of it.
"""

import msgspec

from drivers.readings import AnyReading, Instant
from drivers.sensor_fit import Needs
from drivers.sensor_telling import FLAP, Telling, TellingState
from protocols.sensor import CHANNELS, Fault

OF_ITSELF = {
    1: ("silent", "does not change though others do"),
    2: ("stuck", "is blinded or stuck"),
    3: ("supply", "supply out of range"),
    4: ("edges_lost", "edges were lost in the device"),
    5: ("clock", "the device's clock is at fault"),
    6: ("memory", "check of the device's memory or firmware failed"),
    7: ("encoder", "the encoder's channels do not alternate"),
}
"""By the code of a `Fault`: its name, after `sensor_`, and words."""
SILENT = 1
OF_ONE_SENSOR = (1, 2)
MAKERS_OWN = 128
"""Codes from which on nobody but the maker knows what they are; they hinder nothing."""
AT_MOST = 64
"""Faults that the device may say of itself at once, more than there are sensible ones of all its channels."""
TOO_MANY = "sensor_faults_too_many"
CALM = 60_000_000
"""µs without a cause after which a fault that the host found is over."""
REPEATED = 35_000_000
"""µs after which a fault that the device does not say again is over: while it lasts it is said every 10 s.

Two such packets running may be lost on the line, and so may the one that ends it."""
EVERY = (1 << len(CHANNELS)) - 1


class Standing(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How a fault stands."""

    hinders: bool = False
    """Nothing can be judged under it."""
    since: int | None = None
    """When its cause was last there, in the device's µs; None for one that ends when the contrary is seen."""
    calm: int = CALM
    """µs without its cause after which it is over."""
    down: int | None = None
    """A channel that tells nothing by it."""
    own: bool = False
    """The device said it of itself."""
    text: str = ""
    """For the technician."""


PLAIN, HINDERS = Standing(), Standing(hinders=True)


class FaultsState(msgspec.Struct, forbid_unknown_fields=True):
    """All that is remembered."""

    standing: dict[str, Standing] = msgspec.field(default_factory=dict)
    earlier: list[str] = msgspec.field(default_factory=list)
    """Those of the device's own that were said before the link came up, and not since."""
    tested: bool = False
    """Whether the results are of this link and start."""
    results: bytes = b""
    """The last self-test's."""
    there: int = EVERY
    """Bit n: the device has channel n, as far as is known. What it did not say is heeded of all."""
    anew: bool = False
    """The device's clock may have begun anew: what is calm is so from the next heartbeat on."""
    telling: TellingState = msgspec.field(default_factory=TellingState)


class Faults:
    """Raises and clears; what it has to say is appended to `said`."""

    def __init__(self, device: str, needs: Needs, said: list[AnyReading]) -> None:
        self.hindering: tuple[str, ...] = ()
        """The codes of those under which nothing can be judged."""
        self._needs = needs
        self._telling = Telling(device, said)
        self.state = FaultsState()

    @property
    def state(self) -> FaultsState:
        """All that is remembered; may be assigned."""
        return self._state

    @state.setter
    def state(self, state: FaultsState) -> None:
        self._state, self._telling.state = state, state.telling
        self._weigh()

    @property
    def codes(self) -> list[str]:
        """Of all that stand."""
        return sorted([*self._state.standing, *([FLAP] if self._telling.flaps else [])])

    def __contains__(self, code: str) -> bool:
        return code in self._state.standing

    # --- any fault ------------------------------------------------------------------------------

    def stand(self, code: str, text: str, at: Instant, how: Standing = PLAIN) -> None:
        """There is such a fault, for the technician in words; raised once."""
        standing = self._state.standing
        before = standing.get(code)
        if before is None:
            self._telling.change(standing, at)
            self._telling.raised(code, text, at)
        standing[code] = msgspec.structs.replace(how, text=text)
        if before is None or (before.hinders, before.down) != (how.hinders, how.down):
            self._weigh()

    def clear(self, code: str, at: Instant) -> None:
        """There is no such fault, or no longer."""
        standing = self._state.standing
        if code in standing:
            self._telling.change(standing, at)
            self._telling.cleared(code, at)
            del standing[code]
            self._weigh()

    def settle(self, code: str, text: str, wrong: bool, at: Instant, how: Standing = PLAIN) -> None:
        """There is such a fault, or there is none."""
        if wrong:
            self.stand(code, text, at, how)
        else:
            self.clear(code, at)

    def tick(self, now: int, at: Instant) -> None:
        """The device's time is `now`: ends what has been calm for as long as it takes."""
        state = self._state
        for code, how in tuple(state.standing.items()):
            if how.since is None:
                continue
            if state.anew:
                state.standing[code] = msgspec.structs.replace(how, since=now)
            elif now - how.since > how.calm:
                self.clear(code, at)
        state.anew = False
        if self._telling.flaps:
            self._telling.look({code: how.text for code, how in state.standing.items()}, at)

    def clock_anew(self) -> None:
        """The device's clock may begin again."""
        self._state.anew = True

    def _weigh(self) -> None:
        spare = self._needs.spare
        standing = self._state.standing
        down = {how.down for how in standing.values()} | self._needs.absent(self._state.there)
        two = len(down & spare) > 1
        self.hindering = tuple(
            sorted(code for code, how in standing.items() if how.hinders or (two and how.down in spare))
        )

    # --- the device's word on itself --------------------------------------------------------------

    def said_of_itself(self, fault: Fault, now: int, at: Instant) -> None:
        """The device's word on itself, which it says again as long as it is so."""
        name, text = OF_ITSELF.get(
            fault.code, (f"fault_{fault.code}", f"the device's own fault {fault.code}")
        )
        code, hinders, down = f"sensor_{name}", fault.code < MAKERS_OWN, None
        if fault.channel < len(CHANNELS):
            channel = CHANNELS[fault.channel]
            code, text = f"{code}_{channel}", f"{channel}: {text}"
            if fault.code in OF_ONE_SENSOR:
                hinders, down = self._fails(fault.channel, silent=fault.code == SILENT)
        if not fault.active:
            self.clear(code, at)
            return
        if code not in self and sum(how.own for how in self._state.standing.values()) >= AT_MOST:
            code, text, hinders = TOO_MANY, f"the device says more than {AT_MOST} faults of itself", True
        elif fault.detail:
            text = f"{text} (detail {fault.detail})"
        if code in self._state.earlier:
            self._state.earlier.remove(code)
        self.stand(code, text, at, Standing(hinders, now, REPEATED, down, own=True))

    def self_test(self, results: bytes, at: Instant) -> None:
        """The device tested itself: a result for each channel, 0 good."""
        self.tested(results)
        self._heed_test(at)

    def tested(self, results: bytes) -> None:
        """The same of a device that is not listened to: heeded when it next says who it is."""
        self._state.results, self._state.tested = results, True

    def identified(self, there: int, another: bool, at: Instant) -> None:
        """The device, or `another`, says which channels it has; only theirs are its test's results."""
        if another and not self._state.tested:
            self._state.results = b""
        if there != self._state.there:
            self._state.there = there
            self._weigh()
        self._heed_test(at)

    def _heed_test(self, at: Instant) -> None:
        state = self._state
        for channel, name in enumerate(CHANNELS):
            result = state.results[channel] if state.results and state.there >> channel & 1 else 0
            text = f"{name}: failed the device's test of itself (result {result})"
            hinders, down = self._fails(channel, silent=True)
            self.settle(f"self_test_{name}", text, result != 0, at, Standing(hinders, down=down))

    def _fails(self, channel: int, *, silent: bool) -> tuple[bool, int | None]:
        """Whether nothing can be judged by it, and the channel if it is a spare that tells nothing."""
        if channel in self._needs.spare:
            return not silent, channel if silent else None
        return channel in self._needs.each, None

    # --- the device's starts --------------------------------------------------------------------

    def link_up(self) -> None:
        """Another start of the device, or another device, may be there from now on."""
        state = self._state
        state.earlier = [code for code, how in state.standing.items() if how.own]
        state.tested, state.there = False, EVERY
        self._weigh()

    def started(self, at: Instant) -> None:
        """The device was started: what it said of itself before is not its word any longer."""
        self.link_up()
        self.started_unseen(at)

    def started_unseen(self, at: Instant) -> None:
        """It was started before the link came up: what it has said since then is its word."""
        state = self._state
        for code in state.earlier:
            self.clear(code, at)
        state.earlier = []
