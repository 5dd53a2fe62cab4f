"""A table file as it is written: its sections, their keys, and what each key takes.

The section [mqtt] is `daemon.mqtt.settings.MqttSettings`.
`daemon.toml_file` decodes a file into `TableFile`; `daemon.config` resolves what it names.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from daemon.catalogue.model import Language
from daemon.mqtt.settings import MqttSettings
from daemon.rounds.round import Policy
from drivers.driver import Role

_Id = Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,64}\Z")]
_Name = Annotated[str, Meta(min_length=1, max_length=64)]
_Text = Annotated[str, Meta(min_length=1)]

TAKES = {
    "table": "a section [table] with site, id, game, catalogue and language",
    "table.site": 'the house in lower-case letters, digits and hyphens, e.g. site = "madrid-1"',
    "table.id": 'the table in lower-case letters, digits and hyphens, e.g. id = "ruleta-01"',
    "table.game": 'a game of the catalogue, e.g. game = "french_roulette"; see `mesad catalogue`',
    "table.catalogue": 'a legal text, e.g. catalogue = "es-ct"; see `mesad catalogue`',
    "table.borrow": 'another legal text, e.g. borrow = "es-ct", for a game that the catalogue only names',
    "table.house": 'the path of a file with the house\'s own, stricter rules, e.g. house = "house.toml"',
    "table.language": 'the language of the announcements: "es", "ca" or "en"',
    "table.minimum": "the least stake, a whole number of currency units from 1 to 1000000000",
    "table.multiple": "the maximum of the simple chances in minimums, e.g. multiple = 540",
    "table.segments": "the symbols on the wheel, a list clockwise on its face as the players see it, e.g. "
    'segments = ["24", "15", "24", …]; see `mesad catalogue es-ct fortune_wheel`',
    "table.wheel": 'the wheel\'s name, e.g. its serial number, wheel = "10442"; a new one after work on it',
    "table.ball": 'the ball\'s name, e.g. ball = "teflon-18-a"; a new one with each new ball',
    "table.test": "true where the table is no real one; its messages then say so",
    "policy": "a section [policy] with void",
    "policy.void": '"automatic", or "inspector": the machine proposes, the table chief confirms',
    "mqtt": 'a section [mqtt] with url = "mqtt://127.0.0.1:1883"',
    "mqtt.url": 'the broker, e.g. url = "mqtt://127.0.0.1:1883", or mqtts:// for TLS',
    "mqtt.protocol": '"auto" (5, falling back to 3.1.1), "5" or "3.1.1"',
    "mqtt.username": "the user's name at the broker",
    "mqtt.password_file": "the path of a file with nothing but the password in it",
    "mqtt.ca": "the path of a PEM file with the authorities that vouch for the broker",
    "mqtt.cert": "the path of a PEM file with this client's certificate",
    "mqtt.key": "the path of a PEM file with the certificate's key",
    "journal": 'a section [journal] with path = "/var/lib/mesad/ruleta-01.db"',
    "journal.path": 'the journal\'s file, e.g. path = "/var/lib/mesad/ruleta-01.db"',
    "journal.keep_days": "for how many days records and their raw traffic are kept, from 1 on",
    "journal.keep_mb": "how large the journal may grow, in megabytes from 16 on",
    "mqtt.keepalive": "seconds from 2 to 3600",
    "mqtt.client_id": "the client's name at the broker, the same at every start",
    "device": "one section [[device]] for each device, with id, role, driver and port",
    "device.id": 'a name in lower-case letters, digits and hyphens, e.g. id = "wheel"',
    "device.role": '"wheel", "fortune_wheel", "dice", "shoe", "shuffler" or "console"',
    "device.driver": 'a driver\'s name, e.g. driver = "cammegh"; see `mesad devices`',
    "device.port": "the port: a path under /dev/serial/by-path, or a URL such as socket://10.0.0.7:4001",
    "device.options": 'the driver\'s own options, e.g. options = { model = "slingshot-2" }',
    "password": "write the password to a file of its own that only the daemon may read, and name that file "
    "in mqtt.password_file",
}


_HOUSE_CLAUSE = 'where the house\'s own rules say it, without a semicolon, e.g. clause = "3.2"'

HOUSE_TAKES = {
    "title": "what the house's own rules are called",
    "rule": "one section [[rule]] for each rule, with id, clause and what is stricter",
    "rule.id": "a rule's id, as `mesad catalogue` shows it when a text and a game are named",
    "rule.clause": _HOUSE_CLAUSE,
    "rule.effect": '"finding", "void", "annul" or "refuse"',
    "rule.parameters": "the rule's parameters that are stricter",
    "maximum": "one section [[maximum]] for each group of bets, with bets, times and clause",
    "maximum.bets": 'a list of bets, e.g. bets = ["straight"]',
    "maximum.times": "a list of multiples of the minimum, as many as the text gives to choose from",
    "maximum.clause": _HOUSE_CLAUSE,
    "minimum": "a section [minimum] with least and clause",
    "minimum.least": "the least that a table's minimum may be, in currency units from 1",
    "minimum.clause": _HOUSE_CLAUSE,
    "seats": "a section [seats] with most and clause",
    "seats.most": "the most players that may sit, from 1",
    "seats.clause": _HOUSE_CLAUSE,
}


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the file: an unknown key is an error."""


class TableSection(Section, frozen=True, kw_only=True):
    site: _Id
    id: _Id
    game: _Text
    catalogue: _Text
    borrow: _Text | None = None
    house: _Text | None = None
    language: Language
    minimum: Annotated[int, Meta(ge=1, le=1_000_000_000)] | None = None
    multiple: Annotated[int, Meta(ge=1)] | None = None
    segments: tuple[_Text, ...] = ()
    wheel: _Name | None = None
    ball: _Name | None = None
    test: bool = False


class PolicySection(Section, frozen=True, kw_only=True):
    void: Policy = "automatic"


class JournalSection(Section, frozen=True, kw_only=True):
    path: _Text
    keep_days: Annotated[int, Meta(ge=1)] = 1830  # five years
    keep_mb: Annotated[int, Meta(ge=16)] = 4096


class DeviceSection(Section, frozen=True, kw_only=True):
    id: _Id
    role: Role
    driver: _Text
    port: _Text
    options: dict[str, Any] = {}


class TableFile(Section, frozen=True, kw_only=True):
    table: TableSection
    journal: JournalSection
    device: Annotated[tuple[DeviceSection, ...], Meta(min_length=1)]
    policy: PolicySection = PolicySection()
    mqtt: MqttSettings = MqttSettings()
