"""What the table file said when a round began, as far as its judging rests on it. Kept with each round."""

from typing import Any

import msgspec

from daemon.catalogue.model import Language
from daemon.rounds.round import Policy
from drivers.driver import Role


class DeviceTerms(msgspec.Struct, frozen=True, kw_only=True):
    """A device's driver and its options, the content of the files that they name included."""

    role: Role | None = None
    """None where it was not kept yet."""
    driver: str
    options: dict[str, Any]


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The law and the settings of a round."""

    version: str
    """mesad's own."""
    game: str
    catalogue: str
    catalogue_hash: str
    language: Language
    policy: Policy
    test: bool
    segments: tuple[str, ...] = ()
    """The order of the table's own wheel, by which a place becomes a symbol; empty where the text has it."""
    devices: dict[str, DeviceTerms]
    """By id."""


class _Kept(msgspec.Struct, frozen=True):
    terms: Terms | None = None


_decode = msgspec.json.Decoder(_Kept).decode


def read_terms(snapshot: bytes) -> Terms | None:
    """The terms in a table's snapshot; None in one from before they were kept. Raises msgspec.DecodeError."""
    return _decode(snapshot).terms
