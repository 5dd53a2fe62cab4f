"""Configuration: one TOML file a table, checked whole against the catalogue before anything is opened.

`load` gives a `TableConfig` in which nothing is left to look up: the game, the drivers and their options,
the limits. Every mistake is a `ConfigurationError` that names the file, the key and the remedy.
Relative paths in a file are meant from the file's own folder.
"""

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from daemon import option_files, toml_file
from daemon.catalogue import load as catalogue
from daemon.catalogue.errors import (
    BorrowRefused,
    GameNotInCatalogue,
    HouseRefused,
    LayoutRefused,
    LimitRefused,
    MinimumRefused,
    UnknownCatalogue,
)
from daemon.catalogue.house import House, tighten
from daemon.catalogue.limits import limits
from daemon.catalogue.model import Game, Language, find_rule
from daemon.config_file import HOUSE_TAKES, TAKES, DeviceSection, TableFile
from daemon.errors import ConfigurationError
from daemon.journal.place import files_of, kind_of, taken
from daemon.mqtt.settings import MqttSettings, exposure, read_password, tls_context
from daemon.play import PLAYED
from daemon.records import DeviceDescription
from daemon.rounds.round import Policy
from drivers import registry
from drivers.driver import DriverInfo, Role
from drivers.links import ports

_PLACES = ("pockets", "holes", "segments")
"""What drivers call the option that says how many places a wheel has."""


class JournalConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Where the journal is, how long it keeps records and their raw traffic, how large it may grow."""

    path: Path
    keep_days: int
    keep_mb: int


class DeviceConfig(msgspec.Struct, frozen=True, kw_only=True):
    """A device of the table, with its driver found and its options decoded."""

    id: str
    role: Role
    driver: DriverInfo
    port: str
    """As configured, to be opened."""
    identity: str
    """What two names of one port have in common."""
    options: Any
    """An instance of `driver.options`."""
    files: dict[str, Path] = {}
    """Options whose values the table file leaves to files of their own."""

    @property
    def description(self) -> DeviceDescription:
        """As the table's description publishes it."""
        return DeviceDescription(id=self.id, role=self.role, driver=self.driver.name, port=self.port)


class TableConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One table, with everything that its file names found and checked."""

    file: Path
    site: str
    id: str
    game: Game
    language: Language
    minimum: int | None
    multiple: int | None
    limits: dict[str, int] | None
    """Every bet's maximum; None without a minimum, or where the text leaves them to the authorisation."""
    test: bool
    segments: tuple[str, ...]
    wheel: str | None
    ball: str | None
    """The order of the table's own wheel, where no text gives one."""
    policy: Policy
    mqtt: MqttSettings
    journal: JournalConfig
    devices: tuple[DeviceConfig, ...]

    @property
    def layout(self) -> tuple[str, ...]:
        """The label of every place where a round can end."""
        return PLAYED[self.game.family].layout_of(self.game, self.segments)


def load(file: Path, *, test: bool = False, here: bool = True, calibrated: bool = True) -> TableConfig:
    """One table's configuration, or a ConfigurationError for the first mistake of each section.

    `test` marks the table as no real one, whatever its file says. `here` False leaves out what depends on
    the machine (that the files it names can be read), for a command that opens none of them. `calibrated`
    False leaves the devices without the options that stand in files of their own, which need not exist.
    """
    table = _Check(file, calibrated=calibrated).resolve(test=test, here=here)
    check_together([table])
    return table


def load_all(files: Sequence[Path], *, test: bool = False) -> tuple[TableConfig, ...]:
    """The tables of one process: each by itself, and all together (see `check_together`)."""
    tables = tuple(load(file, test=test) for file in files)
    check_together(tables)
    return tables


def check_together(tables: Iterable[TableConfig]) -> None:
    """Refuse two tables that would be in each other's way: name, journal or port in common."""
    seen: dict[tuple[str, str], tuple[TableConfig, str]] = {}
    for table in tables:
        names = taken(table.journal.path)
        claims = [
            ("table.id", f"{table.site}/{table.id}", "give each table an id of its own"),
            *(("journal.path", name, "give each table a journal of its own") for name in names),
            *(
                (f"device[{index}].port", device.identity, "a device belongs to one table")
                for index, device in enumerate(table.devices)
            ),
        ]
        if table.mqtt.client_id:
            claims.append(("mqtt.client_id", table.mqtt.client_id, "a broker drops one of two equal clients"))
        for key, value, remedy in claims:
            claim = (key.rpartition(".")[2], value)
            if claim in seen:
                other, its_key = seen[claim]
                raise ConfigurationError(
                    table.file, key, f"{value} is also {its_key} of {other.file}", remedy
                )
            seen[claim] = (table, key)


def notes(table: TableConfig) -> list[str]:
    """What is no mistake in the file but would hinder a run on this machine, or make it unsafe."""
    found = []
    folder = table.journal.path.parent
    if not folder.is_dir():
        found.append(
            f"journal.path: the folder {folder} does not exist: `mesad run` cannot create the journal"
        )
    elif not os.access(folder, os.W_OK):
        found.append(f"journal.path: this user cannot write to the folder {folder}")
    for index, device in enumerate(table.devices):
        if caution := device.driver.caution(device.options):
            found.append(f"device[{index}].options: {caution}")
    for name in ("password_file", "key"):
        file = getattr(table.mqtt, name)
        readers = exposure(file) if file else None
        if readers:
            found.append(f"mqtt.{name}: {readers} can read {file}: chmod 600 it")
    return found


class _Check:
    """The checks of one file's content, in the order in which its parts rest on each other."""

    def __init__(self, file: Path, *, calibrated: bool) -> None:
        self.file = file
        self._calibrated = calibrated
        self._here = file.absolute().parent
        self.raw = toml_file.read(file, TableFile, TAKES)

    def resolve(self, *, test: bool, here: bool) -> TableConfig:
        """The table, or a ConfigurationError."""
        table, journal = self.raw.table, self.raw.journal
        game = self._game()
        return TableConfig(
            file=self.file,
            site=table.site,
            id=table.id,
            game=game,
            language=table.language,
            minimum=table.minimum,
            multiple=table.multiple,
            limits=self._limits(game),
            segments=self._segments(game),
            wheel=self.raw.table.wheel,
            ball=self.raw.table.ball,
            test=table.test or test,
            policy=self.raw.policy.void,
            devices=self._devices(game, here),
            mqtt=self._mqtt(here),
            journal=JournalConfig(
                path=self._journal(here), keep_days=journal.keep_days, keep_mb=journal.keep_mb
            ),
        )

    def _journal(self, here: bool) -> Path:
        """Where the journal is: nothing else may stand there, which opening it would refuse too."""
        path = self._here / self.raw.journal.path
        remedy = "name a file of its own"
        real = os.path.realpath(path)
        if os.path.realpath(self.file) in files_of(real):
            self._refuse("journal.path", f"{path} would take the place of this table file", remedy)
        if here:
            try:
                kind = kind_of(path)
            except PermissionError:  # which `notes` tells
                kind = None
            except OSError as error:
                self._refuse("journal.path", f"{path}: {error.strerror}", remedy)
            if kind is not None:
                self._refuse("journal.path", f"{path} is {kind}, not a file", remedy)
            with contextlib.suppress(OSError):  # there is none yet
                if path.samefile(self.file):
                    self._refuse("journal.path", f"{path} is this table file", remedy)
        return path

    def _refuse(self, key: str, problem: str, remedy: str | None = None) -> NoReturn:
        plain = toml_file.without_indices(key)
        raise ConfigurationError(self.file, key, problem, remedy or f"{plain} takes {TAKES[plain]}")

    def _game(self) -> Game:
        table = self.raw.table
        try:
            game = catalogue.load_game(table.catalogue, table.game, borrow=table.borrow)
        except GameNotInCatalogue as error:
            self._refuse_game(error)
        except UnknownCatalogue as error:
            self._refuse("table.catalogue" if error.text == table.catalogue else "table.borrow", str(error))
        except BorrowRefused as error:
            self._refuse("table.borrow", str(error), "remove borrow")
        if table.house is not None:
            game = self._tightened(game, self._here / table.house)
        self._check_played(game)
        return game

    def _check_played(self, game: Game) -> None:
        if game.family not in PLAYED:
            self._refuse(
                "table.game",
                f"mesad judges no rounds of {game.id} yet: the catalogue has its rules, no table plays it",
                f"choose a game that is played: {', '.join(PLAYED)}; `mesad catalogue` shows the others",
            )

    def _tightened(self, game: Game, file: Path) -> Game:
        """The game as the house's own file has it."""
        house = toml_file.read(file, House, HOUSE_TAKES)
        try:
            further = any(find_rule(game, rule.id) is None for rule in house.rule)
            return tighten(game, house, catalogue.load_all().values() if further else ())
        except HouseRefused as error:
            remedy = "a house's own rules can make the text stricter, never looser: change or remove it"
            raise ConfigurationError(file, error.key, str(error), remedy) from error

    def _refuse_game(self, error: GameNotInCatalogue) -> NoReturn:
        if error.text != self.raw.table.catalogue:
            self._refuse("table.borrow", str(error), "borrow from a text that has the game's rules")
        if not error.lenders:
            self._refuse("table.game", str(error), "choose a game that it has, or another catalogue")
        # borrowing is no remedy for a game that no table plays
        self._check_played(catalogue.load_game(error.lenders[0], self.raw.table.game))
        borrow = " or ".join(f'borrow = "{text}"' for text in error.lenders)
        self._refuse("table.game", str(error), f"add {borrow} to [table], or choose a game that it has")

    def _segments(self, game: Game) -> tuple[str, ...]:
        """The order of the table's own wheel; no other game has one."""
        segments, play = self.raw.table.segments, PLAYED[game.family]
        if not play.own_order:
            if segments:
                self._refuse(
                    "table.segments", f"the {play.places} of {game.id} are the text's", "remove segments"
                )
            return ()
        remedy = f"table.segments takes {TAKES['table.segments']}"
        if not segments:
            where = play.layout_clause(game)
            self._refuse(
                "table.segments", f"is missing: no text has the order of the symbols ({where})", remedy
            )
        try:
            play.layout_of(game, segments)
        except LayoutRefused as error:
            self._refuse("table.segments", str(error), remedy)
        return segments

    def _limits(self, game: Game) -> dict[str, int] | None:
        table = self.raw.table
        if table.minimum is None:
            if table.multiple is not None:
                self._refuse(
                    "table.multiple",
                    "there is no minimum of which it could be the multiple",
                    "add table.minimum, or remove table.multiple",
                )
            return None
        try:
            return limits(game, table.minimum, table.multiple)
        except MinimumRefused as error:
            self._refuse("table.minimum", str(error), "choose a higher minimum")
        except LimitRefused as error:
            self._refuse("table.multiple", str(error), "choose a multiple that the text allows")

    def _devices(self, game: Game, here: bool) -> tuple[DeviceConfig, ...]:
        sections = self.raw.device
        needed, allowed = PLAYED[game.family].role, PLAYED[game.family].other_roles
        for index, section in enumerate(sections):
            if section.id in (earlier.id for earlier in sections[:index]):
                self._refuse(
                    f"device[{index}].id", f"{section.id} is another device's", "give each its own id"
                )
            if section.role != needed and section.role not in allowed:
                usable = ", ".join(sorted({needed, *allowed}))
                self._refuse(
                    f"device[{index}].role",
                    f"{game.id} has no use for the role {section.role}",
                    f"remove the device, or give it one of the roles {usable}",
                )
        count = sum(section.role == needed for section in sections)
        if count != 1:
            self._refuse(
                "device",
                f"{game.id} needs exactly one device with the role {needed}, not {count}",
                f'configure one [[device]] with role = "{needed}"',
            )
        return tuple(
            self._device(f"device[{index}]", section, game, here) for index, section in enumerate(sections)
        )

    def _device(self, key: str, section: DeviceSection, game: Game, here: bool) -> DeviceConfig:
        try:
            info = registry.find(section.driver)
        except registry.DriverError as error:
            self._refuse(f"{key}.driver", str(error))
        if section.role not in info.roles:
            roles = ", ".join(sorted(info.roles))
            self._refuse(
                f"{key}.role",
                f"the driver {info.name} is none for the role {section.role}",
                f"choose another driver, or one of its roles: {roles}",
            )
        at = f"{key}.options"
        files = option_files.named(info, section, self._here)

        def check(options: Any) -> None:
            if section.role == PLAYED[game.family].role:
                self._check_places(at, options, game)

        return DeviceConfig(
            id=section.id,
            role=section.role,
            driver=info,
            port=section.port,
            identity=self._identity(f"{key}.port", section.port, here),
            options=option_files.decoded(self.file, at, info, section, files, check, read=self._calibrated),
            files=files,
        )

    def _check_places(self, key: str, options: Any, game: Game) -> None:
        """A driver that is told how many places its wheel has is told the game's."""
        play = PLAYED[game.family]
        many = len(play.layout_of(game, self.raw.table.segments))
        for name in _PLACES:
            said = getattr(options, name, None)
            if said is not None and said != many:
                self._refuse(
                    f"{key}.{name}",
                    f"is {said}, but {game.id} has {many} ({play.layout_clause(game)})",
                    f"set {name} = {many} if that is the wheel, or choose another game",
                )

    def _identity(self, key: str, port: str, here: bool) -> str:
        if not here:
            return port
        try:
            return ports.resolve(port)
        except ports.BadPortError as error:
            self._refuse(key, error.problem)
        except OSError:
            return os.path.realpath(port)  # not plugged in now, which is no mistake of the file's

    def _mqtt(self, here: bool) -> MqttSettings:
        raw = self.raw.mqtt
        names = ("password_file", "ca", "cert", "key")
        files = {name: str(self._here / path) for name in names if (path := getattr(raw, name))}
        settings = msgspec.structs.replace(raw, **files)
        if here:
            try:
                if settings.password_file:
                    read_password(settings.password_file)
                if settings.tls:
                    tls_context(settings)
            except ValueError as error:
                name, _, problem = str(error).partition(" ")
                self._refuse(f"mqtt.{name}", problem)
        return settings
