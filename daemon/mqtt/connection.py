"""One connection to the broker. The only module that knows aiomqtt and paho.

It adds to aiomqtt 2.5 what that leaves out: the reason code of an acknowledgement; the end of a connection
that was not accepted yet, at once instead of after the time-out; writing in the caller's own turn of the
loop instead of two turns later; an opening that can be cancelled without leaking its socket; and the reason
in words why there is no connection. For that it overrides what aiomqtt gives to paho as callbacks.
"""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, Literal

import aiomqtt
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY, DisconnectFlags, MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from daemon.errors import BrokerUnavailableError
from daemon.mqtt.settings import CONNECT_TIMEOUT, MqttSettings, in_words, read_password, tls_context
from daemon.records import Message

CONNACK_TIMEOUT = 5.0
PACKET_LIMIT = 16_384
"""What an MQTT 5 broker may send in one packet: a command with its topics and properties."""
_PUBLISH = 0x32  # with QoS 1; bit 0 is the retain flag
REFUSAL = 0x80
"""Reason codes from here on say that something was not done."""
UNSUPPORTED_VERSION = 0x84
BROKE = "the connection to the broker broke"

Version = Literal["5", "3.1.1"]


class NotConnectedError(Exception):
    """No connection came about, for a reason in words.

    `version` says what that tells of the protocol's version: the broker refused it; it may not have
    understood it; or the failure has other causes.
    """

    def __init__(self, reason: str, version: Literal["refused", "unclear", "understood"]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.version = version


class Connection(aiomqtt.Client):
    """A connection from its opening to its loss; not to be opened twice.

    The callbacks run on the loop, outside paho's locks, so that they may send; what one raises comes out of
    `lost`.
    """

    def __init__(
        self,
        settings: MqttSettings,
        version: Version,
        client_id: str,
        will: Message,
        *,
        on_acknowledged: Callable[[int, str | None], None],
        on_delivery: Callable[[str, bytes, bool, str | None, bytes | None], None],
        on_subscribed: Callable[[str, str | None], None],
    ) -> None:
        """`will` has the whole topic.

        `on_acknowledged`: the packet's id, and the reason where it was refused. `on_delivery`: topic,
        payload, retained, response topic, correlation data. `on_subscribed`: the filter, and the reason where
        it was refused.
        """
        super().__init__(
            settings.host,
            settings.port,
            identifier=client_id,
            protocol=aiomqtt.ProtocolVersion.V5 if version == "5" else aiomqtt.ProtocolVersion.V311,
            will=aiomqtt.Will(will.topic, will.payload, qos=1, retain=will.retain),
            clean_session=None if version == "5" else True,
            clean_start=True if version == "5" else MQTT_CLEAN_START_FIRST_ONLY,  # paho wants this with 3.1.1
            keepalive=settings.keepalive,
            timeout=CONNACK_TIMEOUT,
            max_inflight_messages=0,  # the outbox counts: it alone knows what may overtake what
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            properties=_properties(PacketTypes.CONNECT, MaximumPacketSize=PACKET_LIMIT)
            if version == "5"
            else None,
        )
        self._client.connect_timeout = CONNECT_TIMEOUT
        self._client.disable_logger()  # every failure it would tell comes out of `open` or `lost`, in words
        self._settings = settings
        self._on_acknowledged = on_acknowledged
        self._on_delivery = on_delivery
        self._on_subscribed = on_subscribed
        self._asked: dict[int, str] = {}  # filters by the packet that asks for them
        self._loop_thread = threading.get_ident()
        self._failure: Exception | None = None
        self._last_words = BROKE
        self.version: Version = version
        self.receive_maximum = 65_535
        """Messages that the broker takes in flight."""
        self.packet_maximum = 268_435_455
        """Bytes that the broker takes in one packet."""
        self.lost: asyncio.Future[str] = self._loop.create_future()
        """The reason in words, once the connection has ended."""

    # --- opening and closing ------------------------------------------------------------------

    async def open(self) -> None:
        """Connect and be accepted by the broker. Raises NotConnectedError."""
        entering = asyncio.create_task(self.__aenter__(), name="mesad.mqtt.connect")
        try:
            await asyncio.shield(entering)
        except asyncio.CancelledError:
            self.give_up()
            with contextlib.suppress(aiomqtt.MqttError, OSError, ValueError):
                await entering  # its thread cannot be stopped, and would leave an open socket behind
            await self.drop()
            raise
        except (aiomqtt.MqttError, OSError, ValueError) as error:
            await self.drop()
            raise self._not_connected(error) from error
        self._disconnected.add_done_callback(self._gone)

    def give_up(self) -> None:
        """End an opening that is under way as soon as can be."""
        self._fail_opening(aiomqtt.MqttError("given up"))

    def fail(self, error: Exception | str) -> None:
        """Declare the connection lost, for a reason of this side's; an exception comes out of `lost`."""
        if self.lost.done():
            return
        if isinstance(error, str):
            self.lost.set_result(error)
        else:
            self.lost.set_exception(error)

    def say_goodbye(self) -> None:
        """Send DISCONNECT: the broker forgets the will. `lost` follows when it is out."""
        self._client.disconnect()
        self.flush()

    async def drop(self) -> None:
        """Close the socket if it is still open, without a farewell: the broker publishes the will."""
        self._client._sock_close()
        if self._misc_task is not None:
            self._misc_task.cancel()
            await asyncio.wait([self._misc_task])
        self.lost.cancel()  # if it has not ended otherwise; nobody asks any more

    def _client_connect(self) -> None:
        """aiomqtt runs this in a thread, because it reads files, resolves a name and shakes hands."""
        settings = self._settings
        try:
            if settings.username:
                password = read_password(settings.password_file) if settings.password_file else None
                self._client.username_pw_set(settings.username, password)
            if settings.tls:
                self._client.tls_set_context(tls_context(settings))
            super()._client_connect()
        except (OSError, ValueError) as error:
            self._failure = error  # aiomqtt keeps its text only
            raise

    def _not_connected(self, error: Exception) -> NotConnectedError:
        if self._failure is not None:
            return NotConnectedError(in_words(self._failure, self._settings), "understood")
        if isinstance(error, MqttConnectError) and isinstance(error.rc, ReasonCode):
            unsupported = error.rc.value == UNSUPPORTED_VERSION
            reason = f"the broker refuses the connection: {error.rc}"
            return NotConnectedError(reason, "refused" if unsupported else "understood")
        if isinstance(error, aiomqtt.MqttCodeError):
            reason = "the broker ends the connection instead of accepting it"
            if self._settings.tls and not self._settings.cert:
                reason += "; does it want a client certificate?"
            return NotConnectedError(reason, "unclear")
        return NotConnectedError(f"the broker accepts nobody within {CONNACK_TIMEOUT:g} s", "unclear")

    def _fail_opening(self, error: aiomqtt.MqttError) -> None:
        if not self._connected.done():
            self._connected.set_exception(error)

    def _gone(self, disconnected: "asyncio.Future[None]") -> None:
        error = disconnected.exception()
        ordinary = error is None or isinstance(error, aiomqtt.MqttError | OSError)
        self.fail(self._last_words if ordinary or not isinstance(error, Exception) else error)

    # --- sending ------------------------------------------------------------------------------

    def send(self, topic: str, payload: bytes, retain: bool, correlation: bytes | None = None) -> int | None:
        """Write a message with QoS 1, as far as the socket takes it now; its packet id, None if lost.

        The packet is put together and written here because paho does much else first; then paho is told,
        which reads the acknowledgement and writes what the socket did not take.
        """
        client = self._client
        open_socket = client.socket()
        if open_socket is None:
            self.fail(BROKE)
            return None
        properties = b""
        if self.version == "5":
            properties = b"\0"
            if correlation is not None:
                packed = _properties(PacketTypes.PUBLISH, CorrelationData=correlation)
                properties = packed.pack()  # type: ignore[no-untyped-call]  # paho's own gap
        name, packet_id = topic.encode(), client._mid_generate()
        head = b"%b%b%b%b" % (len(name).to_bytes(2), name, packet_id.to_bytes(2), properties)
        first = _PUBLISH | retain
        packet = b"%c%b%b%b" % (first, _length(len(head) + len(payload)), head, payload)
        written = 0
        if not client.want_write():
            try:
                written = open_socket.send(packet)
            except (OSError, ValueError):
                written = 0  # full or broken: paho, which gets what is left, will see which
        message = MQTTMessage(packet_id, name)
        message.qos = 1
        client._out_messages[packet_id] = message
        client._inflight_messages += 1
        if written < len(packet):
            client._packet_queue(first, packet[written:], packet_id, 1)
        else:
            client._last_msg_out = time.monotonic()
        return packet_id

    def fits(self, topic: str, payload: bytes, correlation: bytes | None = None) -> bool:
        """Whether the broker takes a message of this length in one packet."""
        length = 4 + len(topic.encode()) + len(payload)
        if self.version == "5":
            carried = 3 + len(correlation) if correlation is not None else 0
            length += len(_length(carried)) + carried
        return 1 + len(_length(length)) + length <= self.packet_maximum

    def listen(self, topic: str, *, retained: bool = False) -> None:
        """Ask for new messages on a topic; for those that are retained too, or not if the protocol can."""
        if self.version == "5":
            handling = 0 if retained else 2
            options = SubscribeOptions(
                qos=1, noLocal=True, retainAsPublished=not retained, retainHandling=handling
            )
            result, packet_id = self._client.subscribe(topic, options=options)
        else:
            result, packet_id = self._client.subscribe(topic, qos=1)
        if result != 0 or packet_id is None:
            self.fail(BROKE)
        else:
            self._asked[packet_id] = topic

    def flush(self) -> None:
        """Write what waits, now, as far as the socket takes it; the rest follows when it takes more."""
        if self._client.want_write():
            self._client.loop_write()
        if self._client.want_write() and (open_socket := self._client.socket()) is not None:
            self._loop.add_writer(open_socket.fileno(), self.flush)  # until paho reports that all is out

    # --- what paho reports --------------------------------------------------------------------

    def _later(self, callback: Callable[..., None], *arguments: Any) -> None:
        """Call back outside paho's locks, within which nothing may be sent."""
        self._loop.call_soon(self._call, callback, *arguments)

    def _call(self, callback: Callable[..., None], *arguments: Any) -> None:
        try:
            callback(*arguments)
        except Exception as error:  # noqa: BLE001  # the owner's defect: it comes out of `lost`, where the owner is
            self.fail(error)

    def _on_connect(
        self,
        client: Any,
        userdata: Any,
        flags: Any,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        self.receive_maximum = getattr(properties, "ReceiveMaximum", self.receive_maximum)
        self.packet_maximum = getattr(properties, "MaximumPacketSize", self.packet_maximum)
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_disconnect(
        self,
        client: Any,
        userdata: Any,
        flags: DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        if flags.is_disconnect_packet_from_server:
            self._last_words = f"the broker ended the connection: {reason_code}"
        self._fail_opening(aiomqtt.MqttCodeError(reason_code))
        super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _on_publish(
        self, client: Any, userdata: Any, mid: int, reason_code: ReasonCode, properties: Properties
    ) -> None:
        self._later(self._on_acknowledged, mid, _refusal(reason_code))

    def _on_subscribe(
        self,
        client: Any,
        userdata: Any,
        mid: int,
        reason_codes: list[ReasonCode],
        properties: Properties | None = None,
    ) -> None:
        topic = self._asked.pop(mid, None)
        if topic is not None:
            self._later(self._on_subscribed, topic, _refusal(reason_codes[0]) if reason_codes else None)

    def _on_message(self, client: Any, userdata: Any, message: Any) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = ""
        properties = getattr(message, "properties", None)
        response_topic = getattr(properties, "ResponseTopic", None)
        correlation = getattr(properties, "CorrelationData", None)
        payload = bytes(message.payload)
        self._later(self._on_delivery, topic, payload, message.retain, response_topic, correlation)

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:
        if threading.get_ident() != self._loop_thread:
            super()._on_socket_register_write(client, userdata, sock)
        else:  # the socket nearly always takes it: try that before asking the kernel to watch it
            self._loop.call_soon(self.flush)


def _refusal(reason: ReasonCode) -> str | None:
    """The reason in the standard's words where it is a refusal. MQTT 3.1.1 has none for a publish."""
    return str(reason) if reason.value >= REFUSAL else None


def _length(remaining: int) -> bytes:
    """A packet's remaining length as MQTT writes it: seven bits a byte, the lowest first."""
    digits = bytearray()
    while remaining > 127:
        digits.append(remaining & 127 | 128)
        remaining >>= 7
    digits.append(remaining)
    return bytes(digits)


def _properties(packet: int, **values: Any) -> Properties:
    properties = Properties(packet)  # type: ignore[no-untyped-call]  # paho's own gap
    for name, value in values.items():
        setattr(properties, name, value)
    return properties


@contextlib.asynccontextmanager
async def subscribed(
    settings: MqttSettings, topic: str
) -> AsyncIterator[AsyncGenerator[tuple[str, bytes], None]]:
    """For a command that only looks: what is retained under a topic filter, then what is new.

    Entered when the subscription stands. Raises BrokerUnavailableError where there is no connection, or
    no more, or the broker refuses the subscription.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            client = await _entered(stack, settings)
            granted = await client.subscribe(topic, qos=1)
        except (aiomqtt.MqttError, OSError, ValueError) as error:
            raise _unavailable(settings, error) from error
        refused = _refusal(granted[0]) if granted and isinstance(granted[0], ReasonCode) else None
        if refused is not None:
            where = f"{settings.host}:{settings.port}"
            raise BrokerUnavailableError(f"the broker at {where} refuses to tell of {topic}: {refused}")
        yield _heard(client, settings)


async def _entered(stack: contextlib.AsyncExitStack, settings: MqttSettings) -> aiomqtt.Client:
    versions = {"auto": ("5", "3.1.1")}.get(settings.protocol, (settings.protocol,))
    password = read_password(settings.password_file) if settings.password_file else None
    for version in versions:
        client = aiomqtt.Client(
            settings.host,
            settings.port,
            username=settings.username,
            password=password,
            protocol=aiomqtt.ProtocolVersion.V5 if version == "5" else aiomqtt.ProtocolVersion.V311,
            tls_context=tls_context(settings) if settings.tls else None,
            timeout=CONNACK_TIMEOUT,
        )
        try:
            return await stack.enter_async_context(client)
        except aiomqtt.MqttError:
            if version == versions[-1]:
                raise
    raise AssertionError("there is a last version")


async def _heard(client: aiomqtt.Client, settings: MqttSettings) -> AsyncGenerator[tuple[str, bytes], None]:
    try:
        async for message in client.messages:
            yield str(message.topic), bytes(message.payload)
    except aiomqtt.MqttError as error:
        raise _unavailable(settings, error) from error


def _unavailable(settings: MqttSettings, error: Exception) -> BrokerUnavailableError:
    where = f"{settings.host}:{settings.port}"
    return BrokerUnavailableError(f"no connection to the broker at {where}: {in_words(error, settings)}")
