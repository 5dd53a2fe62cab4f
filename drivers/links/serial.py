"""A serial port or serial-to-TCP server as a link: open, listen, and open again for as long as it runs.

It never writes: what reaches a wheel on this wire can change pockets, modes and limits.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable

import structlog

from drivers.driver import SerialSettings
from drivers.links import opening, ports
from drivers.links.link import Clock, LinkState, Listener, system_clock
from drivers.links.opening import OpenPort
from drivers.links.ports import PortBusyError, PortError
from drivers.links.reconnect import Backoff, FailureLog, LinkTiming, ReopenSpacing
from drivers.readings import Instant

CHUNK = 4096
READS = 16
"""Reads in a row before the loop gets its turn: a flooding device cannot starve the other tables."""

Waiting = Callable[[str, Instant], None]
"""Told why the port is not open, in words for the technician, and since when; once for each reason."""

_log = structlog.get_logger("mesad.link")


class SerialLink:
    """One port and its listener. Everything is called from the event loop's own thread."""

    state: LinkState
    reason: str | None
    """Why the port is not open, in words for the technician; None while it is."""

    def __init__(
        self,
        port: str,
        settings: SerialSettings,
        listener: Listener,
        *,
        clock: Clock = system_clock,
        timing: LinkTiming | None = None,
        on_waiting: Waiting | None = None,
    ) -> None:
        """`port` is a device path or `socket://HOST:PORT`, else BadPortError. Opens nothing yet.

        `on_waiting` is called while the port is not open, when an attempt fails for a new reason; what
        ended an open port is the listener's `link_lost`.
        """
        ports.socket_address(port)
        self.port = port
        self.state = "connecting"
        self.reason = None
        self._settings = settings
        self._listener = listener
        self._clock = clock
        self._timing = timing or LinkTiming()
        self._on_waiting = on_waiting
        self._backoff = Backoff(self._timing.first_delay, self._timing.longest_delay)
        self._spacing = ReopenSpacing(self._timing.reopen_spacing)
        self._failures = FailureLog(_log, port=port)
        self._running = False
        self._closed = False
        self._wake = asyncio.Event()
        self._attempt: asyncio.Future[OpenPort] | None = None
        self._connection: _Connection | None = None
        self._opened_before = False
        self._reopening: asyncio.TimerHandle | None = None
        self._pieces_then = 0  # of the connection, when a reopening was asked for last
        self._seen: ports.Fingerprint | None = None

    async def run(self) -> None:
        """Keep the port open until `close` or cancellation, once; the port is closed when it returns.

        Raises PortBusyError if somebody else holds the port at the very first attempt. A missing device
        is no error: the link waits for it, "connecting". Later failures of any kind are tried again.
        """
        if self._running:
            raise RuntimeError("a link runs once")
        self._running = True
        first = True
        while not self._closed:
            self._wake.clear()
            await self._try(first)
            first = False
            await self._pause()

    def wake(self) -> None:
        """Something was plugged in: try now instead of waiting. Without effect while the port is open."""
        if self._connection is None:
            self._wake.set()

    def read_now(self) -> None:
        """Hand on at once what has arrived, through the listener, before it is judged how long it was silent.

        After a stall of the process the timers run before the reading. Without effect if the port is not
        open, or from within the listener's own `link_bytes`.
        """
        if self._connection is not None:
            self._connection.read(to_the_end=True)

    def reopen(self, reason: str) -> None:
        """The device is silent: close the port and open it again, as soon as the spacing allows.

        May be called as often as the silence is noticed. Forgotten if bytes come before its time or
        wait to be read at its time, or if the port is not open.
        """
        if self._connection is None:
            return
        loop = asyncio.get_running_loop()
        self._pieces_then = self._connection.pieces
        due = self._spacing.ask(loop.time())
        if self._reopening is None:
            self._reopening = loop.call_at(due, self._reopen, self._connection, reason)

    def close(self) -> None:
        """End for good; `run` returns shortly after. The listener of an open port gets its `link_lost`."""
        self._closed = True
        if self._connection is not None:
            self._connection.end("closed by mesad")
        if self._attempt is not None:
            self._attempt.cancel()
        self._wake.set()

    # --- opening -------------------------------------------------------------------------------

    async def _try(self, first: bool) -> None:
        """One attempt and, if it succeeds, the life of the connection."""
        self._seen = ports.fingerprint(self.port)
        try:
            opened = await self._open()
        except PortBusyError as error:
            if first:
                raise
            self._not_opened(error.problem)
        except PortError as error:
            self._not_opened(error.problem)
        except Exception as error:  # noqa: BLE001 - a defect of ours, logged whole; the table needs its link
            self._not_opened(_defect(error), error)
        else:
            if opened is not None and self._closed:
                await self._shut(opened)
            elif opened is not None:
                await self._serve(opened)

    async def _open(self) -> OpenPort | None:
        """None if the link was closed meanwhile."""
        within = self._timing.open_within
        self._attempt = attempt = opening.begin(self.port, self._settings, within)
        try:
            # the thread's own bound comes first, with the better message
            done, _ = await asyncio.wait({attempt}, timeout=within + 0.5)
            if not done:
                raise PortError(
                    self.port, f"not open after {within:g} s: unplug the adapter and plug it in again"
                )
            return None if attempt.cancelled() else attempt.result()
        except asyncio.CancelledError:
            if attempt.done() and not attempt.cancelled() and attempt.exception() is None:
                attempt.result().close()
            raise
        finally:
            attempt.cancel()
            self._attempt = None

    def _not_opened(self, reason: str, error: Exception | None = None) -> None:
        known, self.reason = self.reason, reason
        self._failures.failed("port not opened", reason, error)
        if self._on_waiting is not None and reason != known and not self._closed:
            try:
                self._on_waiting(reason, self._clock())
            except Exception as defect:  # noqa: BLE001 - logged whole; the table needs its link
                self._failures.failed("reason not taken", _defect(defect), defect)

    async def _serve(self, opened: OpenPort) -> None:
        """Listen on an open port until it ends, then see that it is closed before another attempt."""
        loop = asyncio.get_running_loop()
        connection = _Connection(loop, opened, self._listener, self._clock, self._lost)
        self._connection, self.state, self.reason = connection, "up", None
        self._spacing.opened(loop.time())
        tell = _log.debug if self._opened_before else _log.info
        tell("port open", port=self.port, leads_to=opened.identity)
        self._opened_before = True
        steady = asyncio.create_task(self._watch(connection), name=f"watch {self.port}")
        try:
            connection.start()
            await connection.over.wait()
        except asyncio.CancelledError:
            self._closed = True
            raise
        finally:
            connection.end("the link was stopped")
            steady.cancel()
            await self._shut(opened)

    async def _watch(self, connection: "_Connection") -> None:
        """Once the link has been up for a while its waits begin small again; once it also speaks, say so."""
        while True:
            await asyncio.sleep(self._timing.steady_after)
            self._backoff.reset()
            if connection.pieces:
                self._failures.recovered("link recovered")
                return

    def _reopen(self, connection: "_Connection", reason: str) -> None:
        """Opening throws away what the kernel holds: a device that has something waiting is not silent."""
        self._reopening = None
        connection.read(to_the_end=True)
        if connection is self._connection and connection.pieces == self._pieces_then:
            self._spacing.take()
            self._wake.set()
            connection.end(reason)

    def _lost(self, reason: str, error: Exception | None) -> None:
        """The connection has ended, just now: tell, while its last bytes are still the last news."""
        self._connection, self.state, self.reason = None, "lost", reason
        if self._reopening is not None:
            self._reopening.cancel()
            self._reopening = None
        if not self._closed:
            self._failures.failed("link lost", reason, error)
        try:
            self._listener.link_lost(reason, self._clock())
        except Exception as defect:  # noqa: BLE001 - logged whole; the table needs its link
            self._failures.failed("loss not taken", _defect(defect), defect)

    async def _shut(self, opened: OpenPort) -> None:
        within = self._timing.open_within
        closing = opening.in_thread(opened.close, f"close {opened.identity}")
        done, _ = await asyncio.wait({closing}, timeout=within)
        if not done:
            closing.cancel()
            self._failures.failed("port not closed", f"still closing after {within:g} s")
        elif (error := closing.exception()) is not None:
            self._failures.failed("port not closed", str(error))

    # --- waiting -------------------------------------------------------------------------------

    async def _pause(self) -> None:
        """Wait between attempts: until the back-off is over, or `wake`, or something new is at the path.

        While nothing is at the path no attempt is made: it is looked at instead.
        """
        loop = asyncio.get_running_loop()
        over = loop.time() + self._backoff.delay()
        while not self._closed and not self._wake.is_set():
            here = ports.fingerprint(self.port)
            if here is None:
                self._seen = None
                wait = self._timing.look_every
            elif here != self._seen:
                self._backoff.reset()
                return
            else:
                wait = min(over - loop.time(), self._timing.look_every)
            if wait <= 0:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._wake.wait()


class _Connection:
    """One opening of the port, from its `link_up` to its end. Ends once; nothing is read after that."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        opened: OpenPort,
        listener: Listener,
        clock: Clock,
        lost: Callable[[str, Exception | None], None],
    ) -> None:
        self.over = asyncio.Event()
        self.pieces = 0
        """How many pieces of bytes came: unlike two readings of a clock, a count tells what came first."""
        self._loop = loop
        self._opened = opened
        self._listener = listener
        self._clock = clock
        self._lost = lost
        self._reading = False

    def start(self) -> None:
        try:
            self._listener.link_up(self._clock(), self._opened.identity)
        except Exception as error:  # noqa: BLE001 - handed on whole to be logged
            self.end(_defect(error), error)
        if not self.over.is_set():
            self._loop.add_reader(self._opened.fd, self.read)

    def end(self, reason: str, error: Exception | None = None) -> None:
        if self.over.is_set():
            return
        self.over.set()
        self._loop.remove_reader(self._opened.fd)
        self._lost(reason, error)

    def read(self, to_the_end: bool = False) -> None:
        """Take what is there, a bounded number of pieces, and hand it on with the time of its arrival.

        A short piece is the last that waited, except on a terminal, where `to_the_end` finds the rest.
        """
        if self._reading or self.over.is_set():
            return
        self._reading = True
        try:
            self._read_pieces(to_the_end)
        finally:
            self._reading = False

    def _read_pieces(self, to_the_end: bool) -> None:
        for _ in range(READS):
            try:
                data = os.read(self._opened.fd, CHUNK)
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                self.end(ports.meaning(error, self._opened.port))
                return
            if not data:
                self.end(ports.ended(self._opened.port))
                return
            try:
                self._listener.link_bytes(data, self._clock())
            except Exception as error:  # noqa: BLE001 - handed on whole to be logged
                self.end(_defect(error), error)
                return
            self.pieces += 1
            if self.over.is_set() or (len(data) < CHUNK and not to_the_end):
                return


def _defect(error: Exception) -> str:
    return f"a defect in mesad ({type(error).__name__}: {error}); please report it with the log"
